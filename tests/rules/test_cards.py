import pytest

from jackpots.rules import cards


def test_cards_are_read_and_written_as_two_characters() -> None:
    texts = ["AS", "TD", "9C", "2H", "JK"]
    assert [str(card) for card in cards.parse(texts)] == texts


@pytest.mark.parametrize("text", ["", "A", "AX", "1S", "10S", "as", "JOKER", "SA", 5, None])
def test_an_unknown_card_is_refused(text: object) -> None:
    with pytest.raises(cards.BadCards):
        cards.parse([text])  # type: ignore[list-item]


def test_a_repeated_card_is_refused() -> None:
    with pytest.raises(cards.BadCards, match="AS stands twice"):
        cards.parse(["AS", "KD", "AS"])


def test_one_text_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(cards.BadCards):
        cards.parse("AS")


def test_a_deck_has_52_cards_and_one_more_with_the_joker() -> None:
    assert len(set(cards.deck())) == 52
    assert len(set(cards.deck(jokers=1))) == 53
    with pytest.raises(cards.BadCards):
        cards.deck(jokers=2)
