"""The cage: what is due, paying it by PIN, and what has been paid."""

import hashlib
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from audit import journal
from audit.api.problems import STATUS
from audit.people import posts
from audit.people.models import Person
from audit.refusals import NotNow, Refusal
from jackpots import payouts, viewing
from jackpots.models import Payout
from jackpots.pages import admission, cards, shown

RECENT = 12


@require_safe
@admission.admits(*admission.CAGE)
def console(request: HttpRequest) -> HttpResponse:
    """What is due and what has been paid."""
    return admission.show(request, "jackpots/cage.html", _listed(admission.person_of(request)))


@require_safe
@admission.admits(*admission.CAGE)
def due(request: HttpRequest) -> HttpResponse:
    """The list by itself, for the page to ask after; nothing where nothing has changed."""
    listed = _listed(admission.person_of(request))
    if request.GET.get("seen") == listed["seen"]:
        return HttpResponse(status=204)
    return render(request, "jackpots/parts/payouts.html", {**listed, "keeps_typing": True})


@require_POST
@admission.admits(*admission.CAGE)
def pay(request: HttpRequest, number: str) -> HttpResponse:
    """Mark a payout paid; a "no" is said in place, beside the PIN."""
    person = admission.person_of(request)
    status, problem = 200, ""
    try:
        payouts.pay(number=number, person=person, pin=request.POST.get("pin", ""), now=timezone.now())
    except Refusal as no:
        status, problem = STATUS[no.category], no.detail
    except (OperationalError, InterfaceError):
        status, problem = STATUS[NotNow.category], NotNow().detail
    told = {**_one(_payout(person, number)), "problem": problem}
    if getattr(request, "htmx", False):
        return render(request, "jackpots/parts/payout.html", {"payout": told, "may_pay": _may_pay(person)}, status=status)
    listed = _listed(person)
    listed["due"] = [told if one["payout"] == number else one for one in listed["due"]]
    return admission.show(request, "jackpots/cage.html", listed, status=status)


def _listed(person: Person) -> dict[str, Any]:
    waiting = [_one(payout) for payout in viewing.payouts_for(person, state=Payout.State.DUE) if payout.award.paid_from == payouts.CAGE]
    paid = [_one(payout) for payout in viewing.payouts_for(person, state=Payout.State.PAID) if payout.award.paid_from == payouts.CAGE]
    listed = {"due": waiting, "paid": paid[:RECENT], "unmade": journal.waiting().get("payout-due", 0)}
    seen = hashlib.sha256(repr([[one["payout"], one["state"]] for one in [*waiting, *paid]] + [listed["unmade"]]).encode()).hexdigest()[:16]
    return {**listed, "seen": seen, "may_pay": _may_pay(person)}


def _one(payout: Payout) -> dict[str, Any]:
    hit = payout.award.hit
    return {
        **viewing.payout_shown(payout),
        "hand": shown.hand_name(hit.hand),
        "amount": shown.dollars(payout.award.amount_micros),
        "faces": cards.faces(hit.cards),
        "made": shown.local(payout.made_at, hit),
        "paid": shown.local(payout.paid_at, hit) if payout.paid_at else "",
    }


def _payout(person: Person, number: str) -> Payout:
    try:
        return viewing.payout_for(person, number)
    except payouts.NoSuchPayout as no:
        raise Http404(no.detail) from no


def _may_pay(person: Person) -> bool:
    return bool(posts.properties_of(person, "cashier"))
