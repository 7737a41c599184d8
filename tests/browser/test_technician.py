"""The technician at a browser: a controller is paired, its token read once, and it is seen to come alive."""

import pytest
from playwright.sync_api import expect

from tables.models import Controller
from tests import cast
from tests.browser.conftest import PATIENCE_MS, OpenPage
from tests.serving import Running

pytestmark = pytest.mark.browser

expect.set_options(timeout=PATIENCE_MS)


def test_a_controller_is_paired_and_comes_alive(house: cast.House, running: Running, open_page: OpenPage) -> None:
    page = open_page("/technician/controllers/", as_name="tess")
    page.get_by_text("Pair a controller").click()
    page.get_by_label("Name").fill("SPARE-1")
    page.locator(".choice", has_text="CSP-03").click()
    page.get_by_label("Your PIN").fill(cast.PIN)
    page.get_by_role("button", name="Pair").click()
    token = page.locator("#token").inner_text()
    expect(page.locator("#condition")).to_contain_text("never heard")
    page.locator("[data-copies=token]").click()
    expect(page.locator("[data-copies=token]")).to_have_text("Copied")

    asked = page.request.get(f"{running.address}/api/v1/controllers/me/", headers={"Authorization": f"Bearer {token}"})
    assert asked.json()["controller"] == "SPARE-1"
    expect(page.locator("#condition .condition__state")).to_contain_text("alive")

    page.get_by_role("link", name="All controllers").click()
    expect(page.locator("[data-controller=SPARE-1]")).to_contain_text("alive")
    assert token not in page.content()


def test_a_wrong_pin_is_said_and_the_form_stays_open(house: cast.House, open_page: OpenPage, complaints: list[str]) -> None:
    page = open_page("/technician/controllers/CTL-CSP-01/", as_name="tess")
    page.locator("summary", has_text="Revoke").click()
    grave = page.locator(".panel.is-grave")
    grave.get_by_label("Your PIN").fill("9999")
    grave.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("alert").first).to_have_text("That is not your PIN.")
    grave.get_by_label("Your PIN").fill(cast.PIN)
    grave.get_by_role("button", name="Revoke").click()
    expect(page.locator("#condition .condition__state")).to_contain_text("revoked")
    assert Controller.objects.get(name="CTL-CSP-01").revoked_at is not None
    # The browser itself notes the wrong PIN as an answer of 403.
    assert all("403" in complaint for complaint in complaints)
    complaints.clear()


@pytest.mark.parametrize("path", ["/technician/controllers/", "/technician/controllers/CTL-CSP-01/"])
def test_the_technicians_pages_fit_a_phone(house: cast.House, open_page: OpenPage, path: str) -> None:
    page = open_page(path, as_name="tess", width=390, height=844)
    expect(page.locator("main")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
