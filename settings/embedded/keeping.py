"""Keeps the embedded servers running: one that ends by itself is started again on the files it left."""

from settings.embedded import children, lives, postgres, screen, trouble, valkey


class Kept:
    """One embedded server that has been started, and what became of it since."""

    def __init__(self, server: postgres.Postgres | valkey.Valkey, *, most_failures: int | None) -> None:
        self.server = server
        self.lives = lives.Lives(most_failures=most_failures)
        self.is_ended = False

    def look_after(self) -> None:
        """Notice its end, and start it again when its pause is over. Complains once it has failed too often."""
        child = self.server.child
        if child is None or child.poll() is None:
            self.is_ended = False
        elif self.is_ended:
            self._start_again()
        else:
            # A server that was killed can leave a child of its own behind, which would still hold the lock on the files.
            children.end_family(child)
            self._bury(f"{self.server.name} has ended by itself ({children.ending(child.returncode)})")

    def _start_again(self) -> None:
        if not self.lives.is_due():
            return
        self.lives.begin()
        try:
            self.server.start()
        except (trouble.Trouble, OSError) as error:
            self._bury(f"{self.server.name} could not be started again ({error})")
        else:
            screen.say(f"{self.server.name} is running again.")

    def _bury(self, sentence: str) -> None:
        self.is_ended = True
        pause = self.lives.end()
        if pause is None:
            raise trouble.Trouble(f"{sentence}, and does not stay up. Log: {self.server.log}")
        screen.say(f"{sentence}; it is started again in {pause} s. Log: {self.server.log}")
