import datetime
import pathlib
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import sealing


class Command(BaseCommand):
    help = "Seal what is waiting and write the evidence pack, for bin/verify or anyone else, into a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=pathlib.Path)

    def handle(self, *, folder: pathlib.Path, **_options: Any) -> None:
        now = datetime.datetime.now(datetime.UTC)
        try:
            sealing.seal(now=now)
        except sealing.HistoryChanged as changed:
            # The pack is written all the same: it is what shows where the history was changed.
            self.stderr.write(f"Not sealed: {changed}")
        try:
            manifest = sealing.export(folder=folder, now=now)
        except FileExistsError as taken:
            raise CommandError(str(taken)) from None
        self.stdout.write(f"{manifest['files']['records.jsonl']['lines']} records written to {folder}.")
