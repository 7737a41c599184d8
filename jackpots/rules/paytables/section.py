"""Reading a TOML table strictly: every key is asked for once, by its type, and what nobody asked for is refused by name."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class BadRuleText(ValueError):
    """A rule text that cannot be taken as it stands. The message names the place."""

    def __init__(self, place: str, complaint: str) -> None:
        super().__init__(f"{place}: {complaint}")
        self.place = place
        self.complaint = complaint


class Section:
    """One table of the file, with the place it stands at."""

    def __init__(self, content: Mapping[str, Any], place: str) -> None:
        self._left = dict(content)
        self.place = place

    def wrong(self, complaint: str) -> BadRuleText:
        """A refusal that names this place."""
        return BadRuleText(self.place, complaint)

    def has(self, key: str) -> bool:
        """Whether the key is written and not yet read."""
        return key in self._left

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty. One that may be left out is left out, not written empty."""
        is_written = self.has(key)
        value = self._taken(key, str, "a text", default)
        if is_written and not value.strip():
            raise self.wrong(f"{key} is empty")
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        """True or false."""
        return self._taken(key, bool, "true or false", default)

    def count(self, key: str) -> int:
        """A whole number."""
        if isinstance(self._left.get(key), bool):
            raise self.wrong(f"{key} must be a whole number")
        return self._taken(key, int, "a whole number", None)

    def texts(self, key: str, default: list[str] | None = None) -> tuple[str, ...]:
        """A list of texts, none twice."""
        values = self._taken(key, list, "a list of texts", default)
        if not all(isinstance(value, str) and value.strip() for value in values):
            raise self.wrong(f"{key} must be a list of texts")
        if len(set(values)) < len(values):
            raise self.wrong(f"{key} names something twice")
        return tuple(values)

    def cells(self, key: str, columns: int) -> tuple[str, ...]:
        """One row of a printed table: a text for each column."""
        values = self._taken(key, list, "a list of cells", None)
        if len(values) != columns or not all(isinstance(value, str) for value in values):
            raise self.wrong(f"{key} must have {columns} cell{'s' if columns != 1 else ''}, one for each column")
        return tuple(values)

    def word(self, key: str, known: tuple[str, ...], default: str | None = None) -> str:
        """One of a few words."""
        value = self.text(key, default)
        if value not in known:
            raise self.wrong(f"{key} is {value!r}; it must be one of {', '.join(known)}")
        return value

    def read(self, key: str, reader: Callable[[str], T]) -> T:
        """A text given to a reader whose refusal is put to this place."""
        value = self.text(key)
        try:
            return reader(value)
        except ValueError as refusal:
            raise self.wrong(f"{key}: {refusal}") from refusal

    def keys(self) -> tuple[str, ...]:
        """The keys not read yet, in the order they are written."""
        return tuple(self._left)

    def section(self, key: str, name: str | None = None) -> "Section":
        """A table inside this one; an absent one is empty."""
        value = self._taken(key, dict, "a table", {})
        return Section(value, f"{self.place}, {name or key}")

    def sections(self, key: str, name: str, by: str = "id") -> Iterator["Section"]:
        """A list of tables inside this one, named by what they call themselves, none twice."""
        seen: set[str] = set()
        for place, value in enumerate(self._taken(key, list, "a list of tables", []), start=1):
            if not isinstance(value, dict):
                raise self.wrong(f"{key} must be a list of tables")
            label = _label(value.get(by), place)
            if label in seen:
                raise self.wrong(f"{name} {label} stands twice")
            seen.add(label)
            yield Section(value, f"{self.place}, {name} {label}")

    def end(self) -> None:
        """Refuse what has not been read."""
        if self._left:
            raise self.wrong(f"unknown: {', '.join(sorted(self._left))}")

    def _taken(self, key: str, kind: type[T], what: str, default: T | None) -> T:
        if key not in self._left:
            if default is None:
                raise self.wrong(f"{key} is missing")
            return default
        value = self._left.pop(key)
        if not isinstance(value, kind):
            raise self.wrong(f"{key} must be {what}")
        return value


def _label(value: object, place: int) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value) if value else f"number {place}"
