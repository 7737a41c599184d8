"""A real service on a port of its own, and a real browser that looks at it."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests import cast
from tests.serving import Running

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# The browser asks nobody but the service under test.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
PATIENCE_MS = 20_000

OpenPage = Callable[..., Page]


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
