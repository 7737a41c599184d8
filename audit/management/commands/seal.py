import datetime
from typing import Any

from django.core.management.base import BaseCommand

from audit import sealing


class Command(BaseCommand):
    help = "Seal the records that are waiting."

    def handle(self, **_options: Any) -> None:
        count = sealing.seal(now=datetime.datetime.now(datetime.UTC))
        self.stdout.write(f"{count} records sealed.")
