import pytest

from audit import refusals
from audit.refusals import Refusal


class MeterFrozen(Refusal):
    """The meter of {progressive} is frozen
    until {until}."""


class Hit4Again(MeterFrozen):
    """Again."""

    code = "said-otherwise"


def test_the_docstring_is_the_sentence_and_the_name_is_the_code() -> None:
    refusal = MeterFrozen(progressive="caribbean-link", until="noon")
    assert refusal.detail == str(refusal) == "The meter of caribbean-link is frozen until noon."
    assert refusal.code == "meter-frozen"
    assert refusal.facts == {"progressive": "caribbean-link", "until": "noon"}
    assert refusal.category == "conflict"
    assert not refusal.retryable
    assert refusal.errors == []


def test_a_code_of_its_own_stands_and_is_not_inherited() -> None:
    assert Hit4Again().code == "said-otherwise"

    class LaterYet(Hit4Again):
        """Later."""

    assert LaterYet().code == "later-yet"


def test_only_not_now_can_be_tried_again() -> None:
    assert refusals.NotNow().retryable
    assert not refusals.NotAllowed().retryable
    assert not refusals.NoSuchThing().retryable


def test_field_errors_are_carried_beside_the_facts() -> None:
    refusal = refusals.NotAllowed(errors=[{"field": "pin", "detail": "missing"}], seat=3)
    assert refusal.errors == [{"field": "pin", "detail": "missing"}]
    assert refusal.facts == {"seat": 3}


def test_a_refusal_without_a_sentence_or_of_no_category_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="docstring"):
        type("Silent", (Refusal,), {})
    with pytest.raises(TypeError, match="category"):
        type("Odd", (Refusal,), {"__doc__": "Odd.", "category": "whatever"})
