"""The day of reckoning: what the service shows of each progressive, held against the simulator's own account, to the micro."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jackpots.rules import contributions, money
from jackpots.simulator import account as accounts
from jackpots.simulator import floorperson as floorpersons

GONE = frozenset({"rejected", "cancelled"})
WON = frozenset({"approved", "paid"})
FOR_ONE = re.compile(r"([\d,]+) for 1")


@dataclasses.dataclass(frozen=True)
class Row:
    """One figure, as we have it and as the service shows it."""

    what: str
    ours: str
    theirs: str

    @property
    def agrees(self) -> bool:
        return self.ours == self.theirs


@dataclasses.dataclass(frozen=True)
class Standing:
    """What the service shows of one progressive at one moment."""

    rates_ppm: Mapping[str, int]
    wagers: int
    wagered_micros: int
    contributed_micros: Mapping[str, int]
    verdicts: Mapping[str, str]
    won_micros: int
    won_hits: int
    # The main meter's proof line added up by us, what the signs show, and what each hand pays by the published pay table.
    main_micros: int
    shown: str | None
    pays: Mapping[str, str]


class Reckoner:
    """Somebody of accounting, who reads the figures before the floor opens and again when it is closed."""

    def __init__(self, *, accountant: floorpersons.Floorperson) -> None:
        self._accountant = accountant
        self._before: dict[str, Standing] = {}

    def begin(self, slugs: Sequence[str]) -> None:
        self._before = {slug: self._standing(slug) for slug in slugs}

    def compare(self, *, account: accounts.Account, complaints: Sequence[str] = ()) -> list[Row]:
        """Every figure, ours beside theirs."""
        rows = [row for slug, before in self._before.items() for row in self._progressive(slug, before, account)]
        rows += [Row("promises kept on the line", "all", complaint) for complaint in complaints]
        return [*rows, *self._hits(account)]

    def _progressive(self, slug: str, before: Standing, account: accounts.Account) -> list[Row]:
        now, amounts = self._standing(slug), account.amounts(progressive=slug)
        ours = _shares(amounts, now.rates_ppm)
        told = sum(_shares(account.locked_amounts(progressive=slug), now.rates_ppm).values())
        wagered = sum(micros * wagers for micros, wagers in amounts.items())
        levels = [
            Row(f"{slug}: to {level}", money.exact(ours.get(level, 0)), money.exact(micros - before.contributed_micros.get(level, 0)))
            for level, micros in now.contributed_micros.items()
        ]
        won = [known for known in self._finally(account, slug) if known["state"] in WON]
        return [
            Row(f"{slug}: wagers", str(sum(amounts.values())), str(now.wagers - before.wagers)),
            Row(f"{slug}: wagered", money.cents(wagered), money.cents(now.wagered_micros - before.wagered_micros)),
            *levels,
            Row(f"{slug}: told at lock-out", money.exact(told), money.exact(account.told_micros(progressive=slug))),
            Row(f"{slug}: hits won", str(len(won)), str(now.won_hits - before.won_hits)),
            Row(
                f"{slug}: awards won", money.cents(sum(one["award_micros"] for one in won)), money.cents(now.won_micros - before.won_micros)
            ),
            *(Row(f"{slug}: proof line of {level}", "agrees", verdict) for level, verdict in now.verdicts.items()),
            *([Row(f"{slug}: shown on signs", money.cents(now.main_micros), now.shown)] if now.shown is not None else []),
            *self._by_pay_table(account, slug, now.pays),
        ]

    def _by_pay_table(self, account: accounts.Account, slug: str, pays: Mapping[str, str]) -> list[Row]:
        """What is paid at odds, worked out from the wager and the published pay table; shares of a meter are the proof line's."""
        found = []
        for hit, known in account.hits().items():
            odds = FOR_ONE.fullmatch(pays.get(known["hand"], ""))
            if odds and known.get("bet_micros") and known["state"] in accounts.STANDING and account.plays_for(hit) == slug:
                due = int(odds[1].replace(",", "")) * known["bet_micros"]
                found.append(Row(f"{hit}: {known['hand']} by the pay table", money.cents(due), money.cents(known["award_micros"])))
        return found

    def _finally(self, account: accounts.Account, slug: str) -> list[dict[str, Any]]:
        """Our hits on one progressive, each with our award and the state it has in the end."""
        shown = [(known, self._accountant.read(f"/api/v1/hits/{hit}/")) for hit, known in account.hits().items()]
        return [{**known, "state": now["state"]} for known, now in shown if now["progressive"] == slug]

    def _hits(self, account: accounts.Account) -> list[Row]:
        rows = []
        for hit, known in account.hits().items():
            now = self._accountant.read(f"/api/v1/hits/{hit}/")
            theirs = _fate(now["state"], now.get("award") or "0.00")
            rows.append(
                Row(f"{hit}, {known['hand']} at {known['table']}", _fate(known["state"], money.cents(known["award_micros"])), theirs)
            )
        return rows

    def _standing(self, slug: str) -> Standing:
        figures = self._accountant.read(f"/api/v1/progressives/{slug}/figures/")
        versions = self._accountant.read_list(f"/api/v1/progressives/{slug}/configurations/")
        rates = next(one["rates_ppm"] for one in versions if one["version"] == figures["version"])
        proofs = {level: self._accountant.read(f"/api/v1/progressives/{slug}/proof-line/?meter={level}") for level in rates}
        meter = self._accountant.read(f"/api/v1/meters/{slug}/") if rates else {}
        return Standing(
            rates_ppm=rates,
            wagers=figures["progressive_in"],
            wagered_micros=money.parse(figures["amount_wagered"]),
            contributed_micros={level: _contributed(proof) for level, proof in proofs.items()},
            verdicts={level: proof["verdict"] for level, proof in proofs.items()},
            won_micros=sum(money.parse(row["wins"]) for row in figures["awards"]),
            won_hits=sum(row["hits"] for row in figures["awards"]),
            main_micros=sum(_micros(line["amount"]) for line in proofs["main"]["lines"]) if "main" in proofs else 0,
            shown=meter.get("amount"),
            pays={line["hand"]: line["award"] for line in meter.get("pays", [])},
        )


def written(rows: Sequence[Row]) -> str:
    """The table for people: every figure, and the differences said once more at the end."""
    width = max((len(row.what) for row in rows), default=10)
    lines = [f"{'':3}{'figure':{width}}  {'our account':>24}  {'the service':>24}"]
    lines += [f"{'' if row.agrees else '!!':3}{row.what:{width}}  {row.ours:>24}  {row.theirs:>24}" for row in rows]
    wrong = [row for row in rows if not row.agrees]
    verdict = (
        f"{len(wrong)} of {len(rows)} figures differ." if wrong else f"All {len(rows)} figures agree, to the micro where there are micros."
    )
    return "\n".join([*lines, "", verdict])


def _shares(amounts: Mapping[int, int], rates_ppm: Mapping[str, int]) -> dict[str, int]:
    """What wagers of these amounts give to each meter, worked out from the published rates."""
    shares = dict.fromkeys(rates_ppm, 0)
    for micros, wagers in amounts.items():
        for level, share in contributions.contributions(amount_micros=micros, rates_ppm=rates_ppm).items():
            shares[level] += share * wagers
    return shares


def _contributed(proof: Mapping[str, Any]) -> int:
    line = next(one for one in proof["lines"] if one["line"] == "contributions")
    return _micros(line["amount"])


def _micros(exact: str) -> int:
    return int(exact.replace(".", ""))


def _fate(state: str, award: str) -> str:
    """Refused, gone, or standing with its award: how far people have got with a standing one is not the controller's to know."""
    return "gone" if state in GONE else "refused" if state == "refused" else f"standing {award}"
