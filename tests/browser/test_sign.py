"""The wall sign: what it shows is what the ledger says, it says why it falls, and it does not pretend."""

import pytest
from playwright.sync_api import Page, expect

from jackpots import hits, payouts
from jackpots.models import Payout
from tests import cast
from tests.browser.conftest import PATIENCE_MS, OpenPage
from tests.serving import Running

pytestmark = pytest.mark.browser

expect.set_options(timeout=PATIENCE_MS)

# Keeps every amount the reels ever said, as whole cents, from the first to the last.
WATCH = """() => {
  const reels = document.querySelector("[data-part=odometer]");
  const said = () => Number(reels.dataset.shown.replace(/[^0-9]/g, ""));
  window.amounts = [said()];
  new MutationObserver(() => window.amounts.push(said())).observe(reels, { attributes: true, attributeFilter: ["data-shown"] });
}"""


def shows(page: Page, amount: str) -> None:
    expect(page.locator("[data-part=odometer]")).to_have_attribute("data-shown", amount)


def test_it_shows_the_ledgers_amount_and_rolls_up_to_the_next(house: cast.House, open_page: OpenPage) -> None:
    page = open_page("/sign/caribbean-link/", width=1920, height=1080)
    shows(page, "$10,000.00")
    page.evaluate(WATCH)
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({seat: "5.00" for seat in range(1, 8)})
    shows(page, "$10,024.50")
    dealer.settle()
    dealer.lock_out({1: "1.00"})
    shows(page, "$10,025.20")
    amounts = page.evaluate("window.amounts")
    assert amounts == sorted(amounts), "the reels ran backwards"
    assert max(amounts) == 1_002_520, "the reels passed the truth"
    assert len(set(amounts)) > 5, "the reels jumped instead of rolling"
    expect(page.locator("[data-part=amount]")).to_have_text("$10,025.20")


def test_it_shows_what_each_hand_pays_right_now(house: cast.House, open_page: OpenPage) -> None:
    page = open_page("/sign/caribbean-link/")
    rows = page.locator("[data-part=pays] li")
    expect(rows.nth(0)).to_contain_text("Royal flush")
    expect(rows.nth(1)).to_contain_text("$1,000")
    cast.Dealer(house, "CSP-02").lock_out({1: "1.00"})
    expect(rows.nth(0)).to_contain_text("$10,000.70")
    expect(rows.nth(1)).to_contain_text("$1,000.07")


def test_it_says_who_hit_what_and_why_the_meter_fell(house: cast.House, open_page: OpenPage) -> None:
    page = open_page("/sign/caribbean-link/")
    dealer = cast.Dealer(house, "CSP-01")
    dealer.lock_out({5: "1.00", 1: "1.00"})
    shows(page, "$10,001.40")
    page.evaluate(WATCH)
    number = dealer.hit(5, cast.ROYAL, "royal-flush")["hit"]
    shows(page, "$10,000.00")
    plate = page.locator("[data-part=plate]")
    for told in ("Royal flush", "Table CSP-01", "Seat 5", "$10,001.40", "Award pending"):
        expect(plate).to_contain_text(told)
    expect(page.locator("[data-part=why]")).to_contain_text("Royal flush at CSP-01: $10,001.40 set aside")
    assert set(page.evaluate("window.amounts")) == {1_000_140, 1_000_000}, "the reels showed amounts the meter never had"

    hits.approve(number=number, person=house.sam, pin=cast.PIN, award="10001.40", now=cast.NOW)
    expect(plate).to_contain_text("Approved")
    dealer.settle()
    payouts.make_due(now=cast.NOW)
    due = Payout.objects.get(award__kind="jackpot")
    payouts.pay(number=due.number, person=house.carla, pin=cast.PIN, now=cast.NOW)
    expect(plate).to_contain_text("Paid")


def test_it_says_when_it_is_not_current_and_comes_back(
    house: cast.House, running: Running, open_page: OpenPage, complaints: list[str]
) -> None:
    page = open_page("/sign/caribbean-link/")
    shows(page, "$10,000.00")
    expect(page.locator("[data-part=stale]")).to_be_hidden()
    running.stop()
    expect(page.locator("[data-part=stale]")).to_contain_text("NOT CURRENT")
    expect(page.locator("[data-part=lamp]")).to_have_text("Not current")
    cast.Dealer(house, "CSP-01").lock_out({1: "1.00"})
    running.start()
    shows(page, "$10,000.70")
    expect(page.locator("[data-part=stale]")).to_be_hidden()
    complaints.clear()  # of the line that was cut


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080), (3840, 2160)])
def test_it_fits_the_phone_and_the_wall(house: cast.House, open_page: OpenPage, width: int, height: int) -> None:
    page = open_page("/sign/caribbean-link/", width=width, height=height)
    shows(page, "$10,000.00")
    reels = page.locator("[data-part=odometer]").bounding_box()
    assert reels is not None
    assert reels["x"] > 0 and reels["x"] + reels["width"] < width
    assert reels["width"] > width * 0.75, "the amount is too small for the wall"
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_all_signs_climb_on_one_page(house: cast.House, open_page: OpenPage) -> None:
    page = open_page("/sign/")
    solo = page.locator("[data-meter=caribbean-solo] [data-part=odometer]")
    expect(solo).to_have_attribute("data-shown", "$10,000.00")
    cast.Dealer(house, "CSP-03").lock_out({2: "1.00"})
    expect(solo).to_have_attribute("data-shown", "$10,000.70")
