"""The floor the bench plays on, made by the product's own verbs: one link, every controller with many tables of its own.

Run as a program with the service's environment; prints the controllers and their tokens as JSON.
"""

import datetime
import json
import os
import sys
from typing import Any

SLUG = "bench-link"
# Who sends to the insert-only and the plain endpoint: controllers of their own, so that no sequence is used twice. Nothing is played
# at their tables, which are there because a controller speaks for at least one.
STRANGERS = "X"


def build(*, controllers: int, tables: int, now: datetime.datetime) -> list[dict[str, Any]]:
    """So many controllers with so many tables each, all playing for one progressive, and as many strangers."""
    from django.db import connection

    from tests import cast

    with connection.cursor() as cursor:
        # Hundreds of small commits before anything is measured; only what is measured must be on disk.
        cursor.execute("SET synchronous_commit TO off")
    place = cast.property_named("harborlight", now=now)
    house = cast.House(place=place, people={})
    house.people = {name: cast.person(name, place=place, role=cast.ROLES[name], now=now) for name in ("anna", "piet", "tess")}
    names = {f"CTL-{number:02}": [f"T{number:02}-{one:02}" for one in range(1, tables + 1)] for number in range(1, controllers + 1)}
    for name in (one for own in names.values() for one in own):
        house.tables[name] = cast.table(house, name, now=now)
    cast.progressive(house, slug=SLUG, pay_table="D", tables=list(house.tables), now=now)
    for name in (f"{STRANGERS}-{number:02}" for number in range(1, controllers + 1)):
        house.tables[name] = cast.table(house, name, now=now)
        names[name] = [name]
    return [_paired(house, name, own, now) for name, own in names.items()]


def _paired(house: Any, name: str, tables: list[str], now: datetime.datetime) -> dict[str, Any]:
    from tables import controllers

    own = [house.tables[one] for one in tables]
    _, token = controllers.pair(property=house.place, name=name, tables=own, person=house.tess, now=now)
    return {"name": name, "token": token, "tables": tables}


def main() -> None:
    import django

    django.setup()
    now = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    json.dump(build(controllers=int(sys.argv[1]), tables=int(sys.argv[2]), now=now), sys.stdout)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.door.settings")
    main()
