"""The base of every "no" the service says: a sentence for people, a code for machines, and the facts both may want."""

import re
from collections.abc import Sequence
from typing import ClassVar

CATEGORIES = ("unknown", "forbidden", "missing", "conflict", "too-large", "unreadable", "too-fast", "not-now")


def kebab_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


class Refusal(Exception):
    """That cannot be done."""

    # What kind of "no" it is, in words that know nothing of HTTP; one of CATEGORIES.
    category: ClassVar[str] = "conflict"
    # For machines; made from the class's name unless the class gives its own.
    code: ClassVar[str] = "refused"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.category not in CATEGORIES:
            raise TypeError(f"{cls.__name__} is of no known category: {cls.category!r}.")
        if "code" not in cls.__dict__:
            cls.code = kebab_case(cls.__name__)
        # The docstring is what a supervisor reads, so a refusal without one would refuse in silence.
        if not cls.__doc__:
            raise TypeError(f"{cls.__name__} needs a docstring: it is the sentence people are told.")

    def __init__(self, *, errors: Sequence[dict[str, str]] = (), **facts: object) -> None:
        self.facts = facts
        self.errors = list(errors)
        super().__init__(self.detail)

    @property
    def detail(self) -> str:
        sentence = " ".join((self.__doc__ or "").split())
        return sentence.format(**self.facts)

    @property
    def retryable(self) -> bool:
        return self.category == "not-now"


class NotNow(Refusal):
    """The service cannot do this right now; try again."""

    category = "not-now"


class NotAllowed(Refusal):
    """You may not do this."""

    category = "forbidden"


class NoSuchThing(Refusal):
    """There is no such thing here."""

    category = "missing"
