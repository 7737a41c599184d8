"""A rate: so many requests a second, a burst after a quiet time, and each controller for itself."""

from collections.abc import Iterator

import pytest

from tables import rates
from tables.rates import SECOND_NS

BEGIN = 5 * SECOND_NS


@pytest.fixture(autouse=True)
def _full_buckets() -> Iterator[None]:
    rates.forget()
    yield
    rates.forget()


def let_through(*, moment_ns: int, asked: int, rate: int | None = 10, controller_id: int = 1) -> int:
    through = 0
    for _ in range(asked):
        try:
            rates.spend(controller_id=controller_id, rate=rate, moment_ns=moment_ns)
        except rates.TooFast:
            continue
        through += 1
    return through


def test_a_quiet_controller_may_send_a_burst_and_no_more() -> None:
    assert let_through(moment_ns=BEGIN, asked=50) == 20


def test_after_the_burst_it_is_let_through_at_its_rate() -> None:
    let_through(moment_ns=BEGIN, asked=50)
    assert [let_through(moment_ns=BEGIN + second * SECOND_NS, asked=50) for second in (1, 2, 3)] == [10, 10, 10]


def test_time_that_was_not_used_is_not_saved_up_beyond_the_burst() -> None:
    let_through(moment_ns=BEGIN, asked=50)
    assert let_through(moment_ns=BEGIN + 3600 * SECOND_NS, asked=50) == 20


def test_each_controller_has_a_bucket_of_its_own() -> None:
    let_through(moment_ns=BEGIN, asked=50, controller_id=1)
    assert let_through(moment_ns=BEGIN, asked=50, controller_id=2) == 20


def test_the_refusal_says_how_long_to_wait() -> None:
    let_through(moment_ns=BEGIN, asked=50, rate=1)
    with pytest.raises(rates.TooFast) as no:
        rates.spend(controller_id=1, rate=1, moment_ns=BEGIN)
    assert (no.value.facts["rate"], no.value.facts["seconds"]) == (1, 1)
    rates.spend(controller_id=1, rate=1, moment_ns=BEGIN + SECOND_NS)


def test_without_a_rate_of_its_own_the_sites_holds(settings: object) -> None:
    settings.CONTROLLER_REQUESTS_PER_SECOND = 3  # type: ignore[attr-defined]
    assert let_through(moment_ns=BEGIN, asked=50, rate=None) == 6


def test_a_site_without_a_limit_lets_everything_through(settings: object) -> None:
    settings.CONTROLLER_REQUESTS_PER_SECOND = 0  # type: ignore[attr-defined]
    assert let_through(moment_ns=BEGIN, asked=500, rate=None) == 500
