"""The consoles: a hit is seen when it is claimed, signed with a PIN, and paid at the cage."""

import re

import pytest
from playwright.sync_api import expect

from jackpots import hits, payouts
from jackpots.models import Hit, Payout
from tests import cast
from tests.browser.conftest import PATIENCE_MS, OpenPage
from tests.serving import Running

pytestmark = pytest.mark.browser

expect.set_options(timeout=PATIENCE_MS)


def claim_royal(house: cast.House) -> str:
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 1: "1.00"})
    return str(dealer.hit(5, cast.ROYAL, "royal-flush")["hit"])


def test_a_hit_shows_by_itself_when_it_is_claimed(house: cast.House, open_page: OpenPage) -> None:
    page = open_page("/floor/", as_name="sam")
    expect(page.get_by_text("All quiet")).to_be_visible()
    number = claim_royal(house)
    line = page.locator(f".line[data-hit={number}]")
    expect(line).to_contain_text("$10,001.40")
    expect(page).to_have_title("(1) Floor")
    line.click()
    expect(page.locator("#hit-title")).to_have_text("Royal flush")
    expect(page.get_by_role("img", name="ace of spades")).to_be_visible()


def test_the_supervisor_approves_and_the_cashier_pays(house: cast.House, open_page: OpenPage, complaints: list[str]) -> None:
    number = claim_royal(house)
    floor = open_page("/floor/", as_name="sam")
    pin = floor.get_by_label("Your PIN")
    pin.fill("9999")
    pin.press("Enter")
    expect(floor.get_by_role("alert")).to_have_text("That is not your PIN.")
    expect(pin).to_be_focused()
    expect(pin).to_have_value("")
    pin.fill(cast.PIN)
    floor.get_by_role("button", name="Approve $10,001.40").click()
    expect(floor.locator("#hit .badge").first).to_have_text("approved")
    expect(floor.locator(".signers")).to_contain_text("Sam")
    assert hits.get(number).state == Hit.State.APPROVED

    cage = open_page("/cage/", as_name="carla")
    expect(cage.get_by_text("1 approved award waits")).to_be_visible()
    payouts.make_due(now=cast.NOW)
    due = Payout.objects.get(award__kind="jackpot")
    card = cage.locator(f"#payout-{due.number}")
    expect(card).to_contain_text("$10,001.40")
    card.get_by_label("Your PIN").fill("1234")
    card.get_by_role("button", name="Mark").click()
    expect(card.get_by_role("alert")).to_have_text("That is not your PIN.")
    card.get_by_label("Your PIN").fill(cast.PIN)
    card.get_by_role("button", name="Mark").click()
    expect(cage.locator(".paid")).to_contain_text(due.number)
    assert payouts.get(due.number).state == Payout.State.PAID
    # The browser itself notes both wrong PINs as answers of 403.
    assert all("403" in complaint for complaint in complaints)
    complaints.clear()


def test_a_pin_being_typed_survives_the_next_payout(house: cast.House, open_page: OpenPage) -> None:
    def pay_out(table: str) -> str:
        dealer = cast.Dealer(house, table)
        dealer.lock_out({5: "1.00"})
        outcome = dealer.hit(5, cast.ROYAL, "royal-flush")
        hits.approve(number=outcome["hit"], person=house.sam, pin=cast.PIN, award=outcome["award"], now=cast.NOW)
        payouts.make_due(now=cast.NOW)
        return Payout.objects.get(award__hit_id=hits.get(outcome["hit"]).pk).number

    first = pay_out("CSP-01")
    page = open_page("/cage/", as_name="carla")
    page.locator(f"#payout-{first}").get_by_label("Your PIN").fill("24")
    second = pay_out("CSP-03")
    expect(page.locator(f"#payout-{second}")).to_be_visible()
    expect(page.locator(f"#payout-{first}").get_by_label("Your PIN")).to_have_value("24")


def test_a_hit_can_be_held_with_a_reason_and_then_rejected(house: cast.House, open_page: OpenPage) -> None:
    number = claim_royal(house)
    page = open_page(f"/floor/hits/{number}/", as_name="sam")
    page.get_by_text("Something is not right").click()
    page.get_by_label("Your PIN").fill(cast.PIN)
    page.get_by_label("Why, in a few words").fill("surveillance is looking")
    page.get_by_role("button", name="Hold").click()
    expect(page.locator("#hit .badge").first).to_have_text("held")
    expect(page.get_by_text("Held: surveillance is looking", exact=True).first).to_be_visible()
    page.get_by_text("Something is not right").click()
    page.get_by_label("Your PIN").fill(cast.PIN)
    page.get_by_label("Why, in a few words").fill("a card was exposed")
    page.get_by_role("button", name="Reject").click()
    expect(page.locator("#hit .badge").first).to_have_text("rejected")
    assert hits.get(number).state == Hit.State.REJECTED


def test_a_console_says_when_it_is_not_current(house: cast.House, running: Running, open_page: OpenPage, complaints: list[str]) -> None:
    page = open_page("/floor/", as_name="sam")
    expect(page.locator("#queue [data-part=lamp]")).to_have_text("Live")
    running.stop()
    expect(page.locator("#trouble")).to_contain_text("not current")
    running.start()
    expect(page.locator("#trouble")).to_be_hidden()
    complaints.clear()  # of the line that was cut


@pytest.mark.parametrize("path", ["/floor/", "/floor/hits/H-000001/", "/floor/meters/", "/login/", "/"])
def test_every_console_fits_a_phone(house: cast.House, open_page: OpenPage, path: str) -> None:
    claim_royal(house)
    page = open_page(path, as_name="" if path in ("/login/", "/") else "sam", width=390, height=844)
    expect(page.locator("main")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_hit_has_the_screen_to_itself(house: cast.House, open_page: OpenPage) -> None:
    claim_royal(house)
    page = open_page("/floor/", as_name="sam", width=390, height=844)
    expect(page.locator("#hit")).to_be_hidden()
    page.locator(".line").first.click()
    expect(page.get_by_role("button", name="Approve")).to_be_in_viewport()
    expect(page.locator("#queue")).to_be_hidden()
    page.get_by_role("link", name=re.compile("All hits")).click()
    expect(page.locator("#queue")).to_be_visible()
