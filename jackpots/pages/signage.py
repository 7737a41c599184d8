"""The signs: public, because a meter is there to be seen."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from jackpots import progressives
from jackpots.models import Link, Progressive
from jackpots.pages import admission


@require_safe
def signs(request: HttpRequest) -> HttpResponse:
    """Every open progressive, each with the way to its sign."""
    opened = Progressive.objects.filter(opened_at__isnull=False, has_meter=True).order_by("name")
    return admission.show(request, "jackpots/signs.html", {"progressives": opened})


@require_safe
def sign(request: HttpRequest, slug: str) -> HttpResponse:
    """One progressive on the wall."""
    try:
        progressive = progressives.get(slug)
    except progressives.NoSuchProgressive as no:
        raise Http404(no.detail) from no
    return render(request, "jackpots/sign.html", {"progressive": progressive, "house": _house(progressive)})


def _house(progressive: Progressive) -> str:
    """The name of the property whose tables play for it; where there are several, none."""
    linked = Link.objects.filter(progressive=progressive, unlinked_at__isnull=True)
    names = set(linked.values_list("table__property__name", flat=True))
    return names.pop() if len(names) == 1 else ""
