"""How often something that is kept running has ended of late, and when it is started again."""

import dataclasses
import time

# What keeps failing is tried again ever more slowly, so that it fills neither the log nor the processor.
PAUSES_SECONDS = (1, 2, 4, 8, 15, 30)
LONG_LIFE_SECONDS = 60


@dataclasses.dataclass
class Lives:
    """The short lives of one process. A long life makes up for all that were before it."""

    most_failures: int | None = None
    failures: int = 0
    began_at: float = 0
    due_at: float = 0

    def begin(self) -> None:
        self.began_at = time.monotonic()

    def end(self) -> int | None:
        """The seconds until it is started again, or nothing where it has failed too often for that."""
        self.failures = 1 if time.monotonic() - self.began_at > LONG_LIFE_SECONDS else self.failures + 1
        if self.most_failures is not None and self.failures > self.most_failures:
            return None
        pause = PAUSES_SECONDS[min(self.failures, len(PAUSES_SECONDS)) - 1]
        self.due_at = time.monotonic() + pause
        return pause

    def is_due(self) -> bool:
        return time.monotonic() >= self.due_at
