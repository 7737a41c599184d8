"""How fast a controller may call: a bucket for each, kept in the memory of the web process.

A request costs a look into a dictionary and no round trip, and no broker or cache that is away can refuse an event. The price is that
the rate holds in each web process for itself: a controller whose requests reach several of them may call that many times as fast. It is
there to stop a device that has run wild, and does.
"""

from django.conf import settings

from audit.refusals import Refusal

SECOND_NS = 1_000_000_000
# What a controller that was quiet may send at once, in seconds' worth of its rate.
BURST_SECONDS = 2

# By controller: the moment at which its bucket will be full again. Two threads that look at once may both be let through by one drop;
# that is inexact on purpose, since a lock would cost more than the drop.
_full_at: dict[int, int] = {}


class TooFast(Refusal):
    """This controller may call {rate} times a second; wait {seconds} s."""

    category = "too-fast"


def of(rate: int | None) -> int:
    """The rate that holds, a controller's own or the site's; 0 where there is no limit."""
    return int(settings.CONTROLLER_REQUESTS_PER_SECOND) if rate is None else rate


def spend(*, controller_id: int, rate: int | None, moment_ns: int) -> None:
    """Take one request off a controller's bucket. ``moment_ns`` is of a clock that only ever goes forward."""
    limit = of(rate)
    if limit <= 0:
        return
    drop_ns = SECOND_NS // limit
    full_at = max(_full_at.get(controller_id, moment_ns), moment_ns)
    wait_ns = full_at + drop_ns - moment_ns - BURST_SECONDS * SECOND_NS
    if wait_ns > 0:
        raise TooFast(rate=limit, seconds=-(-wait_ns // SECOND_NS))
    _full_at[controller_id] = full_at + drop_ns


def forget() -> None:
    """All buckets are full again."""
    _full_at.clear()
