"""How wrong PINs and passwords are slowed: a few tries are free, then each further one waits, and the wait doubles."""

import datetime

from django.conf import settings

LONGEST_PAUSE = datetime.timedelta(hours=1)


def pause_after(failures: int) -> datetime.timedelta | None:
    """How long to wait after so many failures in a row; nothing while tries are still free."""
    beyond = failures - settings.PIN_FAILURES_BEFORE_PAUSE
    if beyond < 0:
        return None
    # Beyond some thirty doublings the product would only be cut to the longest pause anyway.
    seconds = settings.PIN_PAUSE_SECONDS * 2 ** min(beyond, 30)
    return min(datetime.timedelta(seconds=seconds), LONGEST_PAUSE)
