"""The tables of catalogues in bench/RESULTS.md."""

from __future__ import annotations

from record import Row

WORK = "catalogue: "
MS = 1e3

SAID = (
    "Whole commands from start to end, files in the page cache; the rows inserted alone are timed "
    "without their making. ×: how many times as fast as the peer, turn by turn, the median with its "
    "interval. A/A: Solio over itself."
)


def times(wall: str, cpu: str) -> str:
    number = lambda ms: f"{ms:.3g}" if ms < 1000 else f"{ms:.0f}"
    return " / ".join(number(float(value) * MS) for value in (wall, cpu) if value) or "–"


def ratio(row: Row, name: str) -> str:
    if not row[name]:
        return "–"
    value, low, high = (f"{1 / float(row[name + end]):.3g}" for end in ("", "_high", "_low"))
    return f"{value} ({low}–{high})"


def table(heads: list[str], cells: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return lines + ["| " + " | ".join(line) + " |" for line in cells]


def lines(rows: list[Row]) -> list[str]:
    timed = [
        [
            row["work"].removeprefix(WORK),
            f"{row['peer']} {row['peer_version']}".strip(),
            times(row["ours_wall_s"], row["ours_cpu_s"]),
            times(row["peer_wall_s"], row["peer_cpu_s"]),
            ratio(row, "ratio_wall"),
            ratio(row, "ratio_cpu"),
            f"{float(row['same_cpu']):.2f}",
        ]
        for row in rows
        if row["ours_wall_s"]
    ]
    heads = ["work", "peer", "Solio, wall / CPU ms", "peer, wall / CPU ms", "×, wall", "×, CPU", "A/A"]
    found = [SAID, "", *table(heads, timed)]
    told = [
        f"* {row['work'].removeprefix(WORK)}: {row['answer'].removeprefix('ours ').split('; peer')[0]}"
        for row in rows
        if not row["ours_wall_s"] or "truncations" in row["work"]
    ]
    return [*found, "", *told] if told else found
