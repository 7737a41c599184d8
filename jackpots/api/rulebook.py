"""rulebook/: every game, wager and pay table the service knows, with the paragraph it comes from and the odds of every row."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.api.problems import Problem
from jackpots import printed


def words(**kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), **kwargs)


class RuleNoteShape(serializers.Serializer[Any]):
    text = serializers.CharField()
    paragraph = serializers.CharField()
    is_reading = serializers.BooleanField(help_text="The text is unclear here, and this is how it is taken.")


class RuleAwardShape(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="As the text prints it.")
    kind = serializers.CharField(help_text="percent, for-one, to-one, fixed, push or discretion")
    percent = serializers.CharField(allow_null=True)
    amount = serializers.CharField(allow_null=True)
    pays = serializers.IntegerField(allow_null=True)
    per = serializers.IntegerField(allow_null=True)
    meter = serializers.CharField(allow_null=True)
    is_deducted = serializers.BooleanField(help_text="A fixed amount that comes off the meter.")


class RuleOddsShape(serializers.Serializer[Any]):
    count = serializers.IntegerField(help_text="So many of all hands are paid by this row.")
    total = serializers.IntegerField()
    one_in = serializers.CharField(help_text="N of one in N, to two decimals.")


class RuleLineShape(serializers.Serializer[Any]):
    hand = serializers.CharField()
    name = serializers.CharField()
    award = RuleAwardShape()
    paragraph = serializers.CharField()
    odds = RuleOddsShape(allow_null=True)
    is_shared = serializers.BooleanField()
    validated_by = serializers.CharField(allow_null=True)
    paid_from = serializers.CharField()


class RuleWagerInShortShape(serializers.Serializer[Any]):
    wager = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()
    has_meter = serializers.BooleanField()
    pay_tables = words()
    top_line = RuleLineShape()


class RuleFundInShortShape(serializers.Serializer[Any]):
    fund = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()


class RuleGameInShortShape(serializers.Serializer[Any]):
    game = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()
    has_meter = serializers.BooleanField()
    wagers = RuleWagerInShortShape(many=True)
    funds = RuleFundInShortShape(many=True)


class RuleTextShape(serializers.Serializer[Any]):
    rule_text = serializers.CharField()
    title = serializers.CharField()
    also = words()
    games = RuleGameInShortShape(many=True)


class RuleEnvyPaysShape(serializers.Serializer[Any]):
    hand = serializers.CharField()
    name = serializers.CharField()
    amount = serializers.CharField()


class RuleEnvyScheduleShape(serializers.Serializer[Any]):
    wager = serializers.CharField()
    pays = RuleEnvyPaysShape(many=True)


class RuleEnvyShape(serializers.Serializer[Any]):
    paragraph = serializers.CharField(allow_blank=True)
    is_from_amount = serializers.BooleanField(help_text="A schedule stands for all wagers from its amount up.")
    schedules = RuleEnvyScheduleShape(many=True)


class RuleRateShape(serializers.Serializer[Any]):
    level = serializers.CharField()
    bound = serializers.CharField(help_text="at-least or exactly")
    percent = serializers.CharField()
    paragraph = serializers.CharField()


class RuleAmountShape(serializers.Serializer[Any]):
    bound = serializers.CharField(help_text="at-least or exactly")
    amount = serializers.CharField()
    paragraph = serializers.CharField()


class RuleLinkingShape(serializers.Serializer[Any]):
    is_allowed = serializers.BooleanField()
    paragraph = serializers.CharField(allow_blank=True)


class RulePayTableShape(serializers.Serializer[Any]):
    pay_table = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()
    digest = serializers.CharField(help_text="What the table is known by: a changed table has another.")
    is_minimum = serializers.BooleanField(help_text="The least that may be paid.")
    lines = RuleLineShape(many=True)
    not_paid = words()
    envy = RuleEnvyShape()
    amounts = words(help_text="The wagers offered; where there are none, the amount is free.")
    levels = words()
    rates = RuleRateShape(many=True)
    initial = RuleAmountShape(allow_null=True)
    reset = RuleAmountShape(allow_null=True)
    resets_from = serializers.CharField(help_text="house, or secondary: the meter of that name")
    resets_paragraph = serializers.CharField(allow_blank=True)
    linking = RuleLinkingShape()


class RuleFoldShape(serializers.Serializer[Any]):
    forfeits = serializers.BooleanField()
    keeps_envy = serializers.BooleanField()
    paragraph = serializers.CharField(allow_blank=True)


class RuleValidationShape(serializers.Serializer[Any]):
    awards = serializers.CharField(help_text="every, percent, off-meter, or a payout as the table prints it")
    by = serializers.CharField()
    paragraph = serializers.CharField()


class RulePaidFromShape(serializers.Serializer[Any]):
    percent = serializers.CharField()
    deducted = serializers.CharField()
    other = serializers.CharField()
    paragraph = serializers.CharField(allow_blank=True)


class RuleSharingShape(serializers.Serializer[Any]):
    hands = words()
    is_dealer_award_divided = serializers.BooleanField()
    paragraph = serializers.CharField(allow_blank=True)


class RuleWagerShape(serializers.Serializer[Any]):
    wager = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()
    has_meter = serializers.BooleanField()
    hand_kind = serializers.CharField(allow_null=True)
    hand_is = serializers.CharField(allow_null=True)
    on = words()
    is_by_coupon_too = serializers.BooleanField()
    choice = serializers.CharField(help_text="highest-hand or highest-payout")
    minimum = serializers.CharField(allow_null=True)
    fold = RuleFoldShape()
    validations = RuleValidationShape(many=True)
    paid_from = RulePaidFromShape()
    sharing = RuleSharingShape()
    extras = RuleLineShape(many=True)
    notes = RuleNoteShape(many=True)
    pay_tables = RulePayTableShape(many=True)


class RuleShareShape(serializers.Serializer[Any]):
    to = serializers.CharField()
    percent = serializers.CharField()


class RuleFundFiguresShape(serializers.Serializer[Any]):
    contribution = serializers.CharField(help_text="Percent of the pot.")
    contribution_at_most = serializers.CharField()
    minimum_pot = serializers.CharField()
    losing_hand_at_least = serializers.CharField()
    shares = RuleShareShape(many=True)
    paragraph = serializers.CharField()


class RuleFundShape(serializers.Serializer[Any]):
    fund = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()
    verified_by = serializers.CharField()
    paid_from = serializers.CharField()
    licensee_sets = RuleFundFiguresShape(help_text="What the text leaves to the licensee, and a new fund begins with.")
    notes = RuleNoteShape(many=True)


class RuleIrregularityShape(serializers.Serializer[Any]):
    irregularity = serializers.CharField()
    text = serializers.CharField()
    voids = serializers.CharField(help_text="round, hand or nothing")
    paragraph = serializers.CharField()


class RulePaymentShape(serializers.Serializer[Any]):
    order = serializers.CharField()
    paragraph = serializers.CharField(allow_blank=True)


class RuleEntryShape(serializers.Serializer[Any]):
    rule_text = serializers.CharField()
    title = serializers.CharField()
    game = serializers.CharField()
    name = serializers.CharField()
    paragraph = serializers.CharField()
    deck = serializers.IntegerField()
    hand_cards = serializers.IntegerField()
    payment = RulePaymentShape()
    wagers = RuleWagerShape(many=True)
    funds = RuleFundShape(many=True)
    irregularities = RuleIrregularityShape(many=True)
    notes = RuleNoteShape(many=True)


class RuleGameShape(serializers.Serializer[Any]):
    game = serializers.CharField()
    name = serializers.CharField()
    entries = RuleEntryShape(many=True, help_text="One for each rule text that has the game.")


class Rulebook(APIView):
    """Open to every person and every controller: the rules are the same for all."""

    @extend_schema(
        summary="Every rule text, its games and their wagers, in short",
        responses={200: RuleTextShape(many=True), 401: OpenApiResponse(Problem, "Who are you?")},
    )
    def get(self, request: Request) -> Response:
        return Response(printed.shelf())


class OneGame(APIView):
    @extend_schema(
        summary="A game in every rule text that has it: wagers, pay tables, envy, constraints, paragraphs, exact odds",
        responses={200: RuleGameShape, 401: OpenApiResponse(Problem, "Who are you?"), 404: OpenApiResponse(Problem, "No such game")},
    )
    def get(self, request: Request, game: str) -> Response:
        return Response(printed.game(game))
