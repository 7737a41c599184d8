"""Rows of the table, and what is read off many timings."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One promise: what, what was measured, what it ought to be, and whether it is."""

    what: str
    measured: str
    target: str
    is_met: bool


def percentile(times: Sequence[float], hundredths: int) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, len(ordered) * hundredths // 100)]


def milliseconds(times: Sequence[float]) -> str:
    return f"p50 {percentile(times, 50) * 1000:.1f} ms, p99 {percentile(times, 99) * 1000:.1f} ms ({len(times)} timed)"


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def at_least(what: str, value: float, target: float) -> Row:
    return Row(what, f"{value:.2f}", f"≥ {target:g}", value >= target)


def at_most(what: str, value: float, target: float) -> Row:
    return Row(what, f"{value:.2f}", f"≤ {target:g}", value <= target)


def table(rows: Sequence[Row]) -> list[str]:
    """As Markdown, so that it can be put into the documents as it is."""
    lines = [f"| {row.what} | {row.measured} | {row.target} | {'yes' if row.is_met else 'NO'} |" for row in rows]
    return ["| what | measured | target | met? |", "| --- | --- | --- | --- |", *lines]
