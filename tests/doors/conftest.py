"""Callers from outside: the API as a controller, a person or a stranger meets it."""

import itertools
import uuid
from typing import Any

import pytest
from django.test import Client

from tables.models import Controller
from tests import cast


class Caller:
    """A table controller with its token."""

    def __init__(self, house: cast.House, table: str) -> None:
        self.client = Client()
        self.table = table
        self.headers = {"Authorization": f"Bearer {house.tokens[table]}"}
        self.sequence = itertools.count(Controller.objects.get(pk=house.controllers[table].pk).next_sequence)

    def event(self, kind: str = "wager", **fields: Any) -> dict[str, Any]:
        own = {"seat": 1, "wager": "progressive", "amount": "1.00"} if kind == "wager" else {}
        return {
            "id": str(uuid.uuid4()),
            "sequence": next(self.sequence),
            "table": self.table,
            "round": 1,
            "type": kind,
            "at": cast.NOW.isoformat(),
            **own,
            **fields,
        }

    def post(self, body: Any, **kwargs: Any) -> Any:
        return self.client.post("/api/v1/events/", body, content_type="application/json", headers=self.headers, **kwargs)


@pytest.fixture
def house(db: None) -> cast.House:
    return cast.house()


@pytest.fixture
def controller(house: cast.House) -> Caller:
    return Caller(house, "CSP-01")


@pytest.fixture
def logged_in(house: cast.House) -> Any:
    """A client logged in as somebody of the cast."""

    def log_in(name: str) -> Client:
        client = Client()
        client.force_login(house.people[name])
        return client

    return log_in
