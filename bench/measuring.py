"""Medians, and intervals of ratios by bootstrap: what all parts of the bench share."""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from pathlib import Path

RESAMPLES = 2000


@dataclass
class Turn:
    """One run: wall seconds, CPU seconds (user and system, all threads), and what it found."""

    wall_s: float
    cpu_s: float
    answer: str


def bench(solio: Path) -> Path:
    """The program `solio-bench` that was built beside the command."""
    return Path(solio).with_name("solio-bench")


def ratio(a: list[float], b: list[float]) -> list[float]:
    """The median of a[i] / b[i] with its 95 % bootstrap interval."""
    ratios = [x / max(y, 1e-9) for x, y in zip(a, b, strict=True)]
    pick = random.Random(1)  # the same interval from the same samples
    medians = sorted(
        statistics.median(pick.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)
    )
    return [statistics.median(ratios), medians[RESAMPLES // 40], medians[-RESAMPLES // 40]]


def drift(turns: list[tuple[Turn, Turn, Turn]]) -> float:
    """What the last tenth of the turns took, over what the first did."""
    taken = [sum(turn.cpu_s for turn in sides) for sides in turns]
    tenth = -(-len(taken) // 10)
    return statistics.median(taken[-tenth:]) / max(statistics.median(taken[:tenth]), 1e-9)


def row(
    work: str, peer: str, version: str, turns: list[tuple[Turn, Turn, Turn]], data: str
) -> dict[str, object]:
    """A row of the record from turns of (ours, peer, ours again)."""
    ours, theirs, again = (list(column) for column in zip(*turns, strict=True))
    return {
        "work": work,
        "peer": peer,
        "peer_version": version,
        "input": data,
        "rounds": len(turns),
        "ours_wall_s": statistics.median(t.wall_s for t in ours),
        "ours_cpu_s": statistics.median(t.cpu_s for t in ours),
        "peer_wall_s": statistics.median(t.wall_s for t in theirs),
        "peer_cpu_s": statistics.median(t.cpu_s for t in theirs),
        "ratio_wall": ratio([t.wall_s for t in ours], [t.wall_s for t in theirs]),
        "ratio_cpu": ratio([t.cpu_s for t in ours], [t.cpu_s for t in theirs]),
        "same_cpu": ratio([t.cpu_s for t in ours], [t.cpu_s for t in again]),
        "drift_cpu": drift(turns),
        "answer": f"ours {ours[0].answer}; peer {theirs[0].answer}",
    }
