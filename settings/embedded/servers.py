"""The database and the broker: embedded ones, or those that DATABASE_URL and BROKER_URL name. The same code runs on either."""

import pathlib
import shlex
import urllib.parse
from collections.abc import Mapping
from typing import Any

import psycopg2

from settings.embedded import keeping, keys, postgres, roles, screen, trouble, valkey

DATABASE = "linkmeter"
# Nothing goes on without the database. One that keeps ending is broken, and only a person can see why.
MOST_DATABASE_FAILURES = 5


class EmbeddedDatabase:
    """A PostgreSQL of our own."""

    is_embedded = True
    application_role = roles.APPLICATION

    def __init__(self, *, var: pathlib.Path) -> None:
        self.server = postgres.Postgres(var=var)
        self.kept = keeping.Kept(self.server, most_failures=MOST_DATABASE_FAILURES)

    def start(self) -> None:
        screen.say("Starting PostgreSQL" + (" (its files are made first)" if not (self.server.folder / "data").exists() else ""))
        self.server.start()
        self.server.prepare(database=DATABASE)
        self.owner_url = self.server.address(roles.OWNER, DATABASE)
        self.application_url = self.server.address(roles.APPLICATION, DATABASE)
        self.psql = self.server.psql(DATABASE)

    def look_after(self) -> None:
        self.kept.look_after()

    def stop(self) -> None:
        self.server.stop()


class GivenDatabase:
    """Somebody else's PostgreSQL.

    DATABASE_URL alone is its owner's address, and the application's restricted role is made here;
    with DATABASE_OWNER_URL beside it, it is the application's own address.
    """

    is_embedded = False

    def __init__(self, *, var: pathlib.Path, url: str, owner_url: str | None) -> None:
        self.owner_url = owner_url or url
        self.is_role_ours = owner_url is None
        self.password = keys.kept(var / "keys", f"{roles.APPLICATION}.password")
        self.application_url = _as_role(url, roles.APPLICATION, self.password) if self.is_role_ours else url
        self.application_role = urllib.parse.unquote(urllib.parse.urlsplit(self.application_url).username or "")
        self.psql = shlex.join(["psql", self.owner_url])

    def start(self) -> None:
        screen.say(f"Using the PostgreSQL at {_without_password(self.owner_url)}")
        try:
            with roles.connected(self.owner_url) as cursor:
                if self.is_role_ours:
                    self._mend_role(cursor)
                roles.open_to_application(cursor, database=roles.current_database(cursor), role=self.application_role)
            self._refuse_powers()
        except psycopg2.Error as error:
            raise trouble.Trouble(f"The PostgreSQL that DATABASE_URL names cannot be used: {_first_line(error)}") from error

    def look_after(self) -> None:
        """Others do that; /readyz says whether it answers."""

    def stop(self) -> None:
        """It goes on without us."""

    def _mend_role(self, cursor: Any) -> None:
        # Left alone while it is as it should be: another site on the same server may be using it.
        if not roles.is_restricted(cursor, name=self.application_role) or not roles.answers(self.application_url):
            roles.ensure_role(cursor, name=self.application_role, password=self.password)

    def _refuse_powers(self) -> None:
        with roles.connected(self.application_url) as cursor:
            if not roles.is_restricted(cursor, name=self.application_role):
                sentence = "is more than an ordinary role, so it could change evidence; Linkmeter does not run as such a role."
                raise trouble.Trouble(f"The database role {self.application_role} {sentence}")


class EmbeddedBroker:
    """A Valkey of our own."""

    def __init__(self, *, var: pathlib.Path) -> None:
        self.server = valkey.Valkey(var=var)
        # Events are taken without a broker, so its end never stops the service, however often it comes.
        self.kept = keeping.Kept(self.server, most_failures=None)
        self.url = self.server.address()

    def start(self) -> None:
        screen.say("Starting Valkey")
        self.server.start()

    def look_after(self) -> None:
        self.kept.look_after()

    def stop(self) -> None:
        self.server.stop()


class GivenBroker:
    """Somebody else's broker. It may be down: events are taken without it."""

    def __init__(self, *, url: str) -> None:
        self.url = url

    def start(self) -> None:
        screen.say(f"Using the broker at {_without_password(self.url)}")

    def look_after(self) -> None:
        """Others do that; /readyz says whether it answers."""

    def stop(self) -> None:
        """It goes on without us."""


Database = EmbeddedDatabase | GivenDatabase
Broker = EmbeddedBroker | GivenBroker


def database(*, var: pathlib.Path, environment: Mapping[str, str]) -> Database:
    url, owner_url = environment.get("DATABASE_URL"), environment.get("DATABASE_OWNER_URL")
    for given in filter(None, (url, owner_url)):
        if not given.startswith(("postgres://", "postgresql://")):
            raise trouble.Trouble(
                "DATABASE_URL and DATABASE_OWNER_URL must be postgresql:// addresses; there is no other kind of database."
            )
    if owner_url and not url:
        raise trouble.Trouble("DATABASE_OWNER_URL is set but DATABASE_URL is not; the application needs an address of its own.")
    return GivenDatabase(var=var, url=url, owner_url=owner_url or None) if url else EmbeddedDatabase(var=var)


def broker(*, var: pathlib.Path, environment: Mapping[str, str]) -> Broker:
    url = environment.get("BROKER_URL")
    return GivenBroker(url=url) if url else EmbeddedBroker(var=var)


def _as_role(url: str, role: str, password: str) -> str:
    parts = urllib.parse.urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{role}:{urllib.parse.quote(password, safe='')}@{host}").geturl()


def _without_password(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return parts._replace(netloc=f"{name}@{host}" if name else host, query="").geturl()


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".") + "."
