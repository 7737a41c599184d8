"""Loads the demo floor once, and writes down who can log in and the controllers' tokens."""

import json
import os
import pathlib
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from jackpots import demo


class Command(BaseCommand):
    help = "Make the demo floor if it is not there yet, and write its logins and tokens to a file that only you can read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--file", type=pathlib.Path, default=settings.VAR_DIR / "demo.json")
        parser.add_argument("--tables", default="", help='how many tables more: "40", or "crazy-4-poker=20,pai-gow-poker=10"')

    def handle(self, *args: Any, **options: Any) -> None:
        if demo.is_there():
            return
        try:
            tables = demo.tables_asked(options["tables"]) if options["tables"] else None
        except demo.NoSuchLayout as error:
            raise CommandError(str(error)) from error
        made = demo.build(now=timezone.now(), tables=tables)
        opened = os.open(options["file"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=2)
