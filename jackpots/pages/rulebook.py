"""The rule book to read: the shelf of games, and each game with its pay tables side by side as the texts print them."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from jackpots import printed, rulebook
from jackpots.pages import admission, columns, sentences
from jackpots.printed import Printed


@require_safe
@login_required
def shelf(request: HttpRequest) -> HttpResponse:
    """Every game: those with a meter first."""
    games = [{**game, "rule_text": text["rule_text"], "title": text["title"]} for text in printed.shelf() for game in text["games"]]
    games.sort(key=lambda game: str(game["name"]))
    shown = {"with_meter": [game for game in games if game["has_meter"]], "without": [game for game in games if not game["has_meter"]]}
    return admission.show(request, "jackpots/rulebook.html", shown)


@require_safe
@login_required
def entry(request: HttpRequest, rule_text: str, game: str) -> HttpResponse:
    """One game of one rule text."""
    try:
        found = printed.entry(rule_text=rule_text, game=game)
    except rulebook.NoSuchRule as no:
        raise Http404(no.detail) from no
    shown = {
        "entry": found,
        "wagers": [_wager(wager, found) for wager in found["wagers"]],
        "funds": [{**fund, "rules": sentences.of_fund(fund)} for fund in found["funds"]],
        "others": [text for text in printed.shelf() if text["rule_text"] != rule_text and _has(text, game)],
    }
    return admission.show(request, "jackpots/rulebook_entry.html", shown)


def _wager(wager: Printed, its_game: Printed) -> Printed:
    return {
        **wager,
        "headings": columns.headings(wager),
        "groups": columns.groups(wager),
        "rules": sentences.of_wager(wager),
        "counted": sentences.counted(wager, its_game),
    }


def _has(text: Printed, game: str) -> bool:
    return any(one["game"] == game for one in text["games"])
