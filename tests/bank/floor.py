"""Casinos for the proof of the bank: four progressives, each awkward in its own way, and the hands that are dealt at them."""

from collections.abc import Mapping, Sequence

from jackpots import configurations, links, progressives
from jackpots.configurations import Choices
from jackpots.models import Tier
from tables import controllers, floor
from tests import cast
from tests.bank import model

SUITS = "SHDC"
# Cards whose names anybody at the table can tell; nothing here ranks hands.
HANDS: Mapping[str, Sequence[Sequence[str]]] = {
    "royal-flush": [[rank + suit for rank in "AKQJT"] for suit in SUITS],
    "straight-flush": [[rank + suit for rank in "98765"] for suit in SUITS],
    "four-of-a-kind": [["4S", "4H", "4D", "4C", "2S"]],
    "full-house": [["3S", "3H", "3D", "2H", "2D"]],
    "flush": [["AS", "9S", "6S", "3S", "2S"]],
    "three-of-a-kind": [["4S", "4H", "4D", "9C", "2S"]],
    "high-card": [["AS", "KH", "9D", "6C", "3S"]],
}
SEVENS: Mapping[str, Sequence[Sequence[str]]] = {
    "seven-card-straight-flush": [[rank + suit for rank in "9876543"] for suit in SUITS],
    "six-card-straight-flush": [[*(rank + suit for rank in "987654"), "K" + other] for suit, other in zip(SUITS, "HDCS", strict=True)],
    "five-card-straight-flush": [["8S", "7S", "6S", "5S", "4S", "QH", "JD"]],
    "no-straight-flush": [["AS", "KH", "9D", "6C", "3S", "JC", "2D"]],
}
MASSACHUSETTS = "caribbean-stud-massachusetts"
SECTION_10 = "caribbean-stud-section-10"
HIGH_CARD_FLUSH = "high-card-flush-massachusetts"
# From this much on, a meter award needs two signatures.
TWO_SIGN_FROM = 5_000 * model.DOLLAR

LINK, SOLO, SHARING, SMALL, FLUSH = "link", "solo", "sharing", "small", "flush"
FLOORS: Mapping[str, Sequence[str]] = {
    LINK: ["L-1", "L-2", "L-3"],
    SOLO: ["S-1"],
    SHARING: ["R-1", "R-2"],
    SMALL: ["M-1", "M-2"],
    FLUSH: ["F-1", "F-2"],
}
TEXTS = {LINK: MASSACHUSETTS, SOLO: MASSACHUSETTS, SHARING: SECTION_10, SMALL: MASSACHUSETTS, FLUSH: HIGH_CARD_FLUSH}
PAY_TABLES = {LINK: "D", SOLO: "B", SHARING: "ten-percent", SMALL: "D", FLUSH: "A"}


def hands_of(slug: str) -> Mapping[str, Sequence[Sequence[str]]]:
    return SEVENS if slug == FLUSH else HANDS


def chosen() -> dict[str, model.Chosen]:
    dollars = model.DOLLAR
    return {
        LINK: model.Chosen(paper=model.TABLE_D, main_ppm=700_000, initial=10_000 * dollars, reset=10_000 * dollars),
        SOLO: model.Chosen(
            paper=model.TABLE_B, main_ppm=712_345, reserve_ppm=50_001, initial=10_000_330_000, reset=250_070_000, cap=10_002_000_000
        ),
        SHARING: model.Chosen(paper=model.SECTION_10, main_ppm=987_654, initial=12_345_678_901, reset=1_000_000_003),
        SMALL: model.Chosen(
            paper=model.TABLE_D, main_ppm=703_001, reserve_ppm=30_000, initial=30_000_007, reset=12_340_001, cap=33_000_000
        ),
        FLUSH: model.Chosen(paper=model.HIGH_CARD_FLUSH_A, main_ppm=240_000, secondary_ppm=20_000, initial=10_000 * dollars),
    }


def build() -> cast.House:
    """The people of the cast, on a floor of our own."""
    place = cast.property_named("harborlight")
    house = cast.House(place=place, people={name: cast.person(name, place=place, role=role) for name, role in cast.ROLES.items()})
    house.people["sid"] = cast.person("sid", place=place, role="supervisor")
    Tier.objects.create(property=place, kind="jackpot", from_micros=TWO_SIGN_FROM, signatures=2, has_slip=True)
    for slug, choice in chosen().items():
        for name in FLOORS[slug]:
            _table(house, name, TEXTS[slug], game_of(slug))
        _progressive(house, slug, choice)
    return house


def game_of(slug: str) -> str:
    return "high-card-flush" if slug == FLUSH else "caribbean-stud"


def _table(house: cast.House, name: str, rule_text: str, game: str) -> None:
    house.tables[name] = floor.open_table(
        property=house.place,
        pit="Pit 1",
        name=name,
        rule_text=rule_text,
        game=game,
        seats=7,
        person=house.tess,
        now=cast.NOW,
    )
    house.controllers[name], house.tokens[name] = controllers.pair(
        property=house.place, name=f"CTL-{name}", tables=[house.tables[name]], person=house.tess, now=cast.NOW
    )


def _progressive(house: cast.House, slug: str, choice: model.Chosen) -> None:
    created = progressives.create(
        slug=slug,
        name=slug.title(),
        rule_text=TEXTS[slug],
        game=game_of(slug),
        wager="progressive",
        property=house.place,
        person=house.anna,
        now=cast.NOW,
    )
    for name in FLOORS[slug]:
        links.link(progressive=created, table=house.tables[name], person=house.anna, now=cast.NOW)
    wanted = Choices(
        pay_table=PAY_TABLES[slug],
        rates_ppm=choice.rates(),
        initial_micros=choice.initial,
        reset_micros=None if choice.paper.resets_from_secondary else choice.reset,
        cap_micros=choice.cap,
    )
    draft = configurations.draft(progressive=created, choices=wanted, funded_by=house.place, person=house.anna, now=cast.NOW)
    configurations.approve(configuration=draft, person=house.piet, pin=cast.PIN, effective_at=cast.NOW, now=cast.NOW)
