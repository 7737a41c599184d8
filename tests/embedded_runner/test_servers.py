"""The embedded servers keep what they were given, and let nobody in who has no password."""

import contextlib
import os
import pathlib
import signal
import stat
import tempfile
from collections.abc import Iterator

import kombu
import kombu.exceptions
import psycopg2
import psycopg2.errors
import pytest
import redis

from settings.embedded import accounts, keeping, lives, places, postgres, roles, servers, trouble, valkey, wheels
from tests.embedded_runner import waiting


@contextlib.contextmanager
def a_folder() -> Iterator[pathlib.Path]:
    # Not pytest's own folder: that one is closed to the account that root lends to the servers.
    with tempfile.TemporaryDirectory(prefix="linkmeter-tests-var-") as folder:
        pathlib.Path(folder).chmod(0o711)
        yield pathlib.Path(folder)


@pytest.fixture
def var() -> Iterator[pathlib.Path]:
    with a_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def started() -> Iterator[postgres.Postgres]:
    with a_folder() as folder:
        server = postgres.Postgres(var=folder, settings={"shared_buffers": "16MB"})
        server.start()
        yield server
        server.stop()


@pytest.fixture
def server(started: postgres.Postgres) -> postgres.Postgres:
    """The same server for all, its roles put right again for each."""
    started.prepare(database="linkmeter")
    return started


def test_what_was_committed_survives_a_killed_database(server: postgres.Postgres) -> None:
    address = server.address(roles.OWNER, "linkmeter")
    with roles.connected(address) as cursor:
        cursor.execute("CREATE TABLE wager (seat int); INSERT INTO wager VALUES (5)")
    assert server.child is not None
    os.killpg(server.child.pid, signal.SIGKILL)
    server.child.wait()
    server.start()
    with roles.connected(address) as cursor:
        cursor.execute("SELECT seat FROM wager")
        assert cursor.fetchall() == [(5,)]


def test_a_second_server_on_the_same_files_is_refused(server: postgres.Postgres) -> None:
    with pytest.raises(trouble.Trouble, match="PostgreSQL is already running here"):
        postgres.Postgres(var=server.var).start()


def test_nobody_gets_in_without_the_password(server: postgres.Postgres) -> None:
    assert roles.answers(server.address(postgres.SUPERUSER, "linkmeter"))
    wrong = roles.address(user=postgres.SUPERUSER, password="guess", host=str(server.socket_folder), database="linkmeter")
    assert not roles.answers(wrong)


def test_the_database_listens_on_a_private_socket_only(server: postgres.Postgres) -> None:
    with roles.connected(server.address(postgres.SUPERUSER, "postgres")) as cursor:
        cursor.execute("SHOW listen_addresses")
        assert cursor.fetchone() == ("",)
    for folder in (server.folder, server.socket_folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for key in (server.var / "keys").iterdir():
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE mine (id int)", "CREATE SCHEMA mine", "CREATE TEMP TABLE mine (id int)", "CREATE ROLE mine"]
)
def test_the_application_can_make_nothing_of_its_own(server: postgres.Postgres, statement: str) -> None:
    with roles.connected(server.address(roles.APPLICATION, "linkmeter")) as cursor, pytest.raises(psycopg2.errors.InsufficientPrivilege):
        cursor.execute(statement)


def test_a_changed_password_is_put_right(server: postgres.Postgres) -> None:
    with roles.connected(server.address(postgres.SUPERUSER, "postgres")) as cursor:
        cursor.execute("ALTER ROLE linkmeter_app PASSWORD 'other'")
    assert not roles.answers(server.address(roles.APPLICATION, "linkmeter"))
    server.prepare(database="linkmeter")
    assert roles.answers(server.address(roles.APPLICATION, "linkmeter"))


def test_a_given_database_gets_the_restricted_role(server: postgres.Postgres, var: pathlib.Path) -> None:
    owner = server.address(postgres.SUPERUSER, "linkmeter")
    given = servers.database(var=var, environment={"DATABASE_URL": owner})
    given.start()
    with roles.connected(given.application_url) as cursor:
        cursor.execute("SELECT current_user, current_database()")
        assert cursor.fetchone() == (roles.APPLICATION, "linkmeter")
    assert given.owner_url == owner


def test_an_owner_who_may_not_make_roles_is_told_so(server: postgres.Postgres, var: pathlib.Path) -> None:
    given = servers.database(var=var, environment={"DATABASE_URL": server.address(roles.OWNER, "linkmeter")})
    with pytest.raises(trouble.Trouble, match=r"DATABASE_URL names cannot be used: permission denied to (alter|create) role"):
        given.start()


def test_a_powerful_role_is_refused_for_the_application(server: postgres.Postgres, var: pathlib.Path) -> None:
    superuser = server.address(postgres.SUPERUSER, "linkmeter")
    given = servers.database(var=var, environment={"DATABASE_URL": superuser, "DATABASE_OWNER_URL": superuser})
    with pytest.raises(trouble.Trouble, match="The database role postgres is more than an ordinary role"):
        given.start()


def test_a_message_survives_a_killed_broker(var: pathlib.Path) -> None:
    broker = valkey.Valkey(var=var)
    broker.start()
    _client(broker).rpush("hits", "H-000123")
    assert broker.child is not None
    broker.child.kill()
    broker.child.wait()
    broker.start()
    assert _client(broker).lpop("hits") == b"H-000123"
    broker.stop()


def test_a_broker_that_is_killed_is_started_again_on_its_file(
    var: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lives, "PAUSES_SECONDS", (0,))
    monkeypatch.delenv("BROKER_URL", raising=False)
    broker = servers.broker(var=var, environment={})
    assert isinstance(broker, servers.EmbeddedBroker)
    broker.start()
    _client(broker.server).rpush("hits", "H-000123")
    # Far more often than a database may end: without a broker the service goes on.
    for _ in range(servers.MOST_DATABASE_FAILURES + 2):
        _kill(broker.server)
        _look_after_until_it_answers(broker.kept)
    assert _client(broker.server).lpop("hits") == b"H-000123"
    broker.stop()
    said = capsys.readouterr().out
    assert "Valkey has ended by itself (signal 9); it is started again in 0 s. Log: " in said
    assert "PostgreSQL" not in said


def test_a_broker_that_cannot_be_started_again_is_tried_again(
    var: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lives, "PAUSES_SECONDS", (0,))
    broker = valkey.Valkey(var=var)
    broker.start()
    kept = keeping.Kept(broker, most_failures=None)
    _kill(broker)
    file = next((broker.folder / "appendonlydir").glob("*.manifest"))
    whole = file.read_bytes()
    file.write_text("nonsense")
    for _ in range(4):
        kept.look_after()
    assert capsys.readouterr().out.count("Valkey could not be started again (Valkey did not start") == 3
    file.write_bytes(whole)
    _look_after_until_it_answers(kept)
    broker.stop()


def test_a_database_that_is_killed_is_started_again_on_its_files(server: postgres.Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "PAUSES_SECONDS", (0,))
    address = server.address(roles.OWNER, "linkmeter")
    with roles.connected(address) as cursor:
        cursor.execute("CREATE TABLE hit (number text); INSERT INTO hit VALUES ('H-000123')")
    kept = keeping.Kept(server, most_failures=100)
    _kill(server)
    _look_after_until_it_answers(kept)
    with roles.connected(address) as cursor:
        cursor.execute("SELECT number FROM hit")
        assert cursor.fetchall() == [("H-000123",)]


def test_a_database_that_does_not_stay_up_is_reported(server: postgres.Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "PAUSES_SECONDS", (0,))
    kept = keeping.Kept(server, most_failures=2)
    control = server.folder / "data" / "global" / "pg_control"
    _kill(server)
    aside = control.rename(control.with_name("aside"))
    with pytest.raises(trouble.Trouble, match=r"PostgreSQL could not be started again .*, and does not stay up. Log: .*postgres.log"):
        for _ in range(4):
            kept.look_after()
    aside.rename(control)
    server.start()


def test_the_broker_asks_for_its_password(var: pathlib.Path) -> None:
    broker = valkey.Valkey(var=var)
    broker.start()
    with pytest.raises(kombu.exceptions.OperationalError, match="invalid username-password pair"):
        kombu.Connection(broker.address().replace(broker.password, "guess")).ensure_connection(max_retries=1, interval_start=0)
    broker.stop()


@pytest.mark.parametrize("name", ["deep/" * 30, "odd, name"])
def test_a_path_that_no_socket_can_have_is_no_trouble(var: pathlib.Path, name: str) -> None:
    folder = var / name
    folder.mkdir(parents=True)
    server, broker = postgres.Postgres(var=folder, settings={"shared_buffers": "16MB"}), valkey.Valkey(var=folder)
    server.start()
    broker.start()
    assert roles.answers(server.address(postgres.SUPERUSER, "postgres"))
    assert not server.socket_folder.is_relative_to(var)
    broker.stop()
    server.stop()
    assert not server.socket_folder.exists() and not broker.socket.parent.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lends another account to the servers")
def test_a_folder_closed_to_the_servers_stays_closed(var: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "ELSEWHERE", var / "elsewhere")
    closed = var / "closed"
    closed.mkdir(mode=0o700)
    server = postgres.Postgres(var=closed, settings={"shared_buffers": "16MB"})
    server.start()
    server.stop()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert (closed / "postgres").resolve().is_relative_to(var / "elsewhere")
    # The next start finds the same files through the link, and a fresh one takes both away.
    assert postgres.Postgres(var=closed).folder == server.folder
    places.remove(var=closed, name="postgres")
    assert not server.folder.exists() and not (closed / "postgres").is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lends another account to the servers")
def test_programs_that_the_servers_cannot_reach_are_copied(var: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts.Account, "can_run", lambda self, program: False)
    account = accounts.for_servers()
    copied = wheels.postgres_programs(account=account, beside=var)
    monkeypatch.undo()
    assert copied.is_relative_to(var)
    assert account.can_run(copied / "postgres") and account.can_run(copied / "initdb")


def _kill(server: postgres.Postgres | valkey.Valkey) -> None:
    assert server.child is not None
    server.child.kill()
    server.child.wait()


def _look_after_until_it_answers(kept: keeping.Kept) -> None:
    def is_back() -> bool:
        kept.look_after()
        return kept.server.child is not None and kept.server.child.poll() is None

    waiting.until(is_back, f"{kept.server.name} runs again")


def _client(broker: valkey.Valkey) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(broker.socket), password=broker.password, single_connection_client=True)
