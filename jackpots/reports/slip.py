"""The payout slip on paper: one letter page, made from the facts that were fixed with the slip, so that every print is the same."""

import datetime
import io
import zoneinfo
from collections.abc import Mapping, Sequence
from typing import Any

import segno
from reportlab.lib.colors import HexColor, black, white
from reportlab.lib.pagesizes import letter
from reportlab.lib.units import inch
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from jackpots.reports.words import amount_in_words

INK = HexColor("#1c1416")
FAINT = HexColor("#7a6f6a")
RULE = HexColor("#b9a98f")
WASH = HexColor("#f8f3e8")
RED = HexColor("#b3271b")
WIDTH, HEIGHT = letter
LEFT, RIGHT = 0.8 * inch, WIDTH - 0.8 * inch
# Spades, hearts, diamonds and clubs in the dingbats that every PDF reader brings along.
DINGBATS = {"S": "\u2660", "H": "\u2665", "D": "\u2666", "C": "\u2663"}
KINDS = {
    "jackpot": "Progressive jackpot",
    "deducted": "Award off the meter",
    "fixed": "Fixed award",
    "envy": "Envy bonus",
    "difference": "Difference of an award",
}
ACTS = {"approve-hit": "Validated the hand and the amount"}


def render(facts: Mapping[str, Any]) -> bytes:
    """The PDF of a slip from its facts: property, slip, payout, hit, progressive, table, round, seat, kind, hand, cards, amount,
    gaming_day, claimed_at, made_at, signatures (name, act, at), proof, and time_zone: times are the property's own, with their zone.
    A slip whose facts name no zone has its times in UTC."""
    paper = io.BytesIO()
    # An invariant PDF carries no moment of printing: the same slip printed twice is the same bytes.
    canvas = Canvas(paper, pagesize=letter, invariant=1)
    canvas.setTitle(f"Slip {facts['slip']}")
    canvas.setAuthor(facts["property"])
    canvas.setFillColor(INK)
    _head(canvas, facts)
    _amount(canvas, facts)
    _hand(canvas, facts)
    _particulars(canvas, facts)
    _signatures(canvas, facts)
    _lines_to_sign(canvas)
    _proof(canvas, facts)
    canvas.showPage()
    canvas.save()
    return paper.getvalue()


def _head(canvas: Canvas, facts: Mapping[str, Any]) -> None:
    top = HEIGHT - 0.95 * inch
    _text(canvas, facts["property"], x=LEFT, y=top, font="Times-Bold", size=23, room=4.6 * inch)
    _text(canvas, "Progressive jackpot payout slip", x=LEFT, y=top - 19, font="Helvetica", size=11, colour=FAINT)
    canvas.setStrokeColor(RED)
    canvas.setLineWidth(1.2)
    canvas.roundRect(RIGHT - 1.75 * inch, top - 22, 1.75 * inch, 44, 5)
    _text(canvas, "SLIP NUMBER", x=RIGHT - 1.63 * inch, y=top + 10, font="Helvetica", size=7, colour=RED)
    _text(canvas, facts["slip"], x=RIGHT - 1.63 * inch, y=top - 14, font="Courier-Bold", size=21, colour=RED, room=1.5 * inch)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(1.6)
    canvas.line(LEFT, top - 34, RIGHT, top - 34)
    canvas.setLineWidth(0.5)
    canvas.line(LEFT, top - 37.5, RIGHT, top - 37.5)


def _amount(canvas: Canvas, facts: Mapping[str, Any]) -> None:
    base = HEIGHT - 2.7 * inch
    canvas.setFillColor(WASH)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.8)
    canvas.roundRect(LEFT, base, RIGHT - LEFT, 76, 6, fill=1)
    _text(canvas, "PAY TO THE PATRON", x=LEFT + 14, y=base + 59, font="Helvetica", size=7.5, colour=FAINT)
    figures = f"${int(facts['amount'].partition('.')[0]):,}.{facts['amount'].partition('.')[2]}"
    _text(canvas, figures, x=LEFT + 14, y=base + 30, font="Times-Bold", size=32, room=RIGHT - LEFT - 28)
    _text(canvas, amount_in_words(facts["amount"]), x=LEFT + 14, y=base + 11, font="Times-Italic", size=12, room=RIGHT - LEFT - 28)


def _hand(canvas: Canvas, facts: Mapping[str, Any]) -> None:
    base = HEIGHT - 3.78 * inch
    for place, card in enumerate(facts["cards"]):
        _card(canvas, card, x=LEFT + place * 48, y=base)
    beside = LEFT + len(facts["cards"]) * 48 + 14
    name = facts["hand"].replace("-", " ").capitalize()
    _text(canvas, name, x=beside, y=base + 34, font="Times-Bold", size=20, room=RIGHT - beside)
    told = f"{KINDS.get(facts['kind'], facts['kind'])}, {facts['progressive']}"
    _text(canvas, told, x=beside, y=base + 16, font="Helvetica", size=10.5, colour=FAINT, room=RIGHT - beside)


def _card(canvas: Canvas, card: str, *, x: float, y: float) -> None:
    canvas.setFillColor(white)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.7)
    canvas.roundRect(x, y, 42, 59, 4, fill=1)
    if card == "JK":
        _text(canvas, "JOKER", x=x + 5, y=y + 26, font="Times-Bold", size=9)
        return
    colour = RED if card[1] in "HD" else black
    _text(canvas, card[0].replace("T", "10"), x=x + 5, y=y + 40, font="Times-Bold", size=16, colour=colour)
    # Every line of text leaves the ink behind it, so the suit takes up its colour again.
    canvas.setFillColor(colour)
    canvas.setFont("ZapfDingbats", 21)
    canvas.drawCentredString(x + 25, y + 11, DINGBATS[card[1]])
    canvas.setFillColor(INK)


def _particulars(canvas: Canvas, facts: Mapping[str, Any]) -> None:
    seat = "Dealer's hand" if facts["seat"] is None else str(facts["seat"])
    rows = [
        [("Payout", facts["payout"]), ("Hit", facts["hit"]), ("Gaming day", facts["gaming_day"])],
        [("Table", facts["table"]), ("Round", str(facts["round"])), ("Seat", seat)],
        [("Claimed", _moment(facts["claimed_at"], facts)), ("Slip made", _moment(facts["made_at"], facts))],
    ]
    for line, row in enumerate(rows):
        base = HEIGHT - 4.35 * inch - line * 36
        for place, (label, told) in enumerate(row):
            x = LEFT + place * (RIGHT - LEFT) / len(row)
            _text(canvas, label.upper(), x=x, y=base + 13, font="Helvetica", size=7, colour=FAINT)
            _text(canvas, told, x=x, y=base, font="Helvetica-Bold", size=11.5, room=(RIGHT - LEFT) / len(row) - 8)
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.4)
        canvas.line(LEFT, base - 8, RIGHT, base - 8)


def _signatures(canvas: Canvas, facts: Mapping[str, Any]) -> None:
    top = HEIGHT - 5.95 * inch
    _text(canvas, "SIGNED BY PIN", x=LEFT, y=top, font="Helvetica", size=7.5, colour=FAINT)
    signatures: Sequence[Mapping[str, str]] = facts["signatures"]
    for line, signature in enumerate(signatures[:4]):
        base = top - 17 - line * 17
        _text(canvas, signature["name"], x=LEFT, y=base, font="Helvetica-Bold", size=10.5, room=2.2 * inch)
        _text(canvas, ACTS.get(signature["act"], signature["act"]), x=LEFT + 2.3 * inch, y=base, font="Helvetica", size=10, room=2.3 * inch)
        moment = _moment(signature["at"], facts)
        _text(canvas, moment, x=LEFT + 4.75 * inch, y=base, font="Helvetica", size=10, room=RIGHT - LEFT - 4.75 * inch)


def _lines_to_sign(canvas: Canvas) -> None:
    base = HEIGHT - 8.05 * inch
    for place, who in enumerate(("Patron", "Cashier")):
        x = LEFT + place * 3.55 * inch
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.7)
        canvas.line(x, base, x + 3.3 * inch, base)
        _text(canvas, f"{who}: signature and date", x=x, y=base - 12, font="Helvetica", size=8, colour=FAINT)


def _proof(canvas: Canvas, facts: Mapping[str, Any]) -> None:
    """A code that leads to the proof of the record in which this award was approved."""
    side = 1.25 * inch
    code = segno.make(facts["proof"], error="m", micro=False)
    dots = [list(row) for row in code.matrix]
    dot = side / len(dots)
    for down, row in enumerate(dots):
        for along, is_dark in enumerate(row):
            if is_dark:
                # A hair of overlap, so that no reader sees white seams between the dots.
                canvas.rect(LEFT + along * dot, 0.85 * inch + side - (down + 1) * dot, dot + 0.05, dot + 0.05, stroke=0, fill=1)
    beside = LEFT + side + 16
    _text(canvas, "Evidence", x=beside, y=0.85 * inch + side - 12, font="Times-Bold", size=13)
    _text(canvas, "The record of this award's approval is sealed. Its proof is at", x=beside, y=0.85 * inch + side - 29, size=9.5)
    _text(canvas, facts["proof"], x=beside, y=0.85 * inch + side - 43, font="Courier", size=9.5)
    told = "and can be checked with nothing but Python: bin/verify --proof FILE"
    _text(canvas, told, x=beside, y=0.85 * inch + side - 57, size=9.5)
    told = "Slip numbers run without a gap and are never used again. A void slip is kept."
    _text(canvas, told, x=beside, y=0.85 * inch, size=8, colour=FAINT)


def _text(
    canvas: Canvas, text: str, *, x: float, y: float, font: str = "Helvetica", size: float, colour: Any = INK, room: float | None = None
) -> None:
    """Write a line; where it would not fit its room, smaller."""
    width = stringWidth(text, font, size)
    if room is not None and width > room:
        size *= room / width
    canvas.setFillColor(colour)
    canvas.setFont(font, size)
    canvas.drawString(x, y, text)
    canvas.setFillColor(INK)


def _moment(text: str, facts: Mapping[str, Any]) -> str:
    zone = zoneinfo.ZoneInfo(facts.get("time_zone", "UTC"))
    local = datetime.datetime.fromisoformat(text).astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzname()}"
