"""A real service on a port of its own, and a real browser that looks at it."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from settings.embedded import children
from tests import cast, embedded

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# The browser asks nobody but the service under test.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
PATIENCE_MS = 20_000

OpenPage = Callable[..., Page]


class Running:
    """The service on one port, as bin/run starts it."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [*(sys.executable, "-m", "granian"), *("--interface", "asgi"), *("--port", str(self.port))]
        # Streams never end by themselves, so a server that is told to stop must not wait long for them.
        command += ["--workers-kill-timeout", "1", "settings.asgi:one_port"]
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "settings.test"}
        self.child = children.spawn(command, log=embedded.folder / "log" / "web.log", folder=ROOT, environment=environment)
        self._wait()

    def stop(self) -> None:
        if self.child is not None:
            children.end(self.child)
            self.child = None

    def _wait(self) -> None:
        give_up = time.monotonic() + 30
        while not self._answers():
            assert self.child is not None and self.child.poll() is None, "the service ended before it answered"
            assert time.monotonic() < give_up, "the service does not answer"
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=2) as answer:  # noqa: S310  (our own address)
                return bool(answer.status == 200)
        except OSError:
            return False


@pytest.fixture(autouse=True)
def _database_beside_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright keeps an event loop in this thread, which makes Django suspect that its own waiting would block one. It does not."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def gathered_static(django_test_environment: None) -> None:
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture
def house(committed: None) -> cast.House:
    return cast.house()


@pytest.fixture(scope="package")
def served(django_db_setup: None, gathered_static: None, broker: str) -> Iterator[Running]:
    made = Running()
    yield made
    made.stop()


@pytest.fixture
def running(served: Running, house: cast.House) -> Running:
    if served.child is None:
        served.start()
    return served


# Not for the whole session: while it lives, no other test could run an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        assert not os.environ.get("CI"), "there is no Chromium, so nothing was seen in a browser"
        pytest.skip("there is no Chromium here")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browser complained of, such as a breach of the content security policy. A test that expects some clears it."""
    heard: list[str] = []
    yield heard
    assert heard == []


@pytest.fixture
def open_page(browser: Browser, running: Running, complaints: list[str]) -> Iterator[OpenPage]:
    """Opens a page of the service, in a browser of its own; as somebody of the cast where a name is given."""
    opened: list[BrowserContext] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    def open_one(path: str, *, as_name: str = "", width: int = 1280, height: int = 800) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, base_url=running.address)
        context.set_default_timeout(PATIENCE_MS)
        opened.append(context)
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if as_name:
            _log_in(page, as_name)
        page.goto(path)
        return page

    yield open_one
    for context in opened:
        context.close()


def _log_in(page: Page, name: str) -> None:
    page.goto("/login/")
    page.fill("[name=username]", name)
    page.fill("[name=password]", name)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda address: "/login/" not in address)
