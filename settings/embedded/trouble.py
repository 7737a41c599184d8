"""The one way in which the embedded set-up says that it cannot go on."""


class Trouble(Exception):
    """One sentence for the person at the terminal."""
