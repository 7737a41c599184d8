"""The proof line on a page: how a meter came to what it holds, each line opened down to the event or the signature behind it."""

import datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from audit.api.problems import STATUS
from audit.refusals import NoSuchThing, Refusal
from jackpots import overview, proofline
from jackpots.ledger import book
from jackpots.models import Progressive
from jackpots.pages import admission, shown

AT_ONCE = 50

TITLES = {
    "opening": ("Opening", "the first funding of the meter"),
    "contributions": ("Contributions", "from wagers, net of voids"),
    "funding": ("Funding", "resets and what the house made good, net of returns"),
    "awards": ("Awards", "reserved or paid, net of rejections"),
    "moves": ("Moves", "between this meter and the progressive's others, and corrections"),
}
METERS = {meter: meter.capitalize() for meter in proofline.METERS if meter != book.CLEARING}


class MomentUnreadable(Refusal):
    """{at} is not a moment such as 2026-01-15T20:00."""

    category = "unreadable"


@require_safe
@admission.admits(*admission.BOOKS)
def listing(request: HttpRequest) -> HttpResponse:
    """Every progressive of the person's properties, with the way to its proof line."""
    found = overview.progressives_for(admission.person_of(request))
    return admission.show(request, "jackpots/proofline_list.html", {"progressives": found})


@require_safe
@admission.admits(*admission.BOOKS)
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """One meter of one progressive, added up."""
    try:
        progressive = overview.progressive_for(admission.person_of(request), slug, *overview.BOOKKEEPERS)
    except NoSuchThing as no:
        raise Http404(no.detail) from no
    asked = {name: value for name in ("meter", "at", "hit", "since", "line", "before") if (value := request.GET.get(name, "").strip())}
    told: dict[str, Any] = {"progressive": progressive, "asked": asked, "meters": METERS}
    try:
        question = _question(progressive, asked)
        told |= _told(question, asked, now=timezone.now())
    except Refusal as no:
        return admission.show(request, "jackpots/proofline.html", {**told, "problem": no.detail}, status=STATUS[no.category])
    return admission.show(request, "jackpots/proofline.html", told)


def _question(progressive: Progressive, asked: dict[str, str]) -> proofline.Question:
    return proofline.Question(
        progressive=progressive,
        meter=asked.get("meter", book.MAIN),
        at=_moment(asked["at"], progressive) if "at" in asked else None,
        hit=proofline.hit_on(progressive, asked["hit"]) if "hit" in asked else None,
        since_last_hit=asked.get("since") == proofline.LAST_HIT,
    )


def _moment(text: str, progressive: Progressive) -> datetime.datetime:
    """A moment as typed: in the property's own time unless it says otherwise."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise MomentUnreadable(at=text)
    return moment if moment.tzinfo else moment.replace(tzinfo=_zone(progressive))


def _told(question: proofline.Question, asked: dict[str, str], *, now: datetime.datetime) -> dict[str, Any]:
    proof = proofline.prove(question=question, now=now)
    since = proof.since
    return {
        "lines": [_line(line, asked) for line in proof.lines],
        "balance": signed(proof.balance_micros),
        "stored": None if proof.stored_micros is None else signed(proof.stored_micros),
        "verdict": proof.verdict,
        "moment": _clock(question.at or (question.hit.claimed_at if question.hit else now), question.progressive),
        "hit": question.hit,
        "since": since,
        "since_clock": _clock(since.claimed_at, question.progressive) if since else "",
        "forward": signed(proof.forward_micros),
        "is_from_opening": question.since_last_hit and since is None,
        "links": {meter: _address(asked, meter=meter, line="", before="") for meter in METERS},
        **(_opened(question, asked, now) if "line" in asked else {}),
    }


def _line(line: proofline.Line, asked: dict[str, str]) -> dict[str, Any]:
    title, note = TITLES[line.name]
    parts = [{"reason": shown.hand_name(one.reason), "amount": signed(one.amount_micros), "count": one.count} for one in line.parts]
    return {
        "name": line.name,
        "title": title,
        "note": note,
        "amount": signed(line.amount_micros),
        "count": line.count,
        "parts": parts if len(parts) > 1 else [],
        "address": _address(asked, line=line.name, before=""),
        "is_open": asked.get("line") == line.name,
    }


def _opened(question: proofline.Question, asked: dict[str, str], now: datetime.datetime) -> dict[str, Any]:
    before = asked.get("before", "")
    number = int(before) if before.isascii() and before.isdigit() and len(before) <= 18 else None
    found = proofline.open_line(question=question, line=asked["line"], before=number, limit=AT_ONCE, now=now)
    transfers = [
        {
            **overview.transfer_shown(transfer, effect),
            "source": transfer.debit.code,
            "amount": signed(effect),
            "clock": _clock(transfer.recorded_at, question.progressive),
        }
        for transfer, effect in found.transfers
    ]
    older = _address(asked, before=str(found.next_before)) if found.next_before else ""
    return {"opened": TITLES[found.line][0], "transfers": transfers, "older": older}


def _address(asked: dict[str, str], **changed: str) -> str:
    return "?" + urlencode({name: value for name, value in {**asked, **changed}.items() if value})


def signed(micros: int) -> str:
    return ("\u2212" if micros < 0 else "") + shown.exactly(abs(micros))


def _clock(at: datetime.datetime, progressive: Progressive) -> str:
    return f"{at.astimezone(_zone(progressive)):%Y-%m-%d %H:%M:%S}"


def _zone(progressive: Progressive) -> ZoneInfo:
    return ZoneInfo(progressive.property.time_zone)
