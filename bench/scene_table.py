"""README's tables of scenes: text, meshes, packed files; boxes and trees."""

from __future__ import annotations

from record import Row

STARTS = (
    "scene ", "packed scene", "matrices of a scene", "PLY to ", "gzip of scene text", "boxes of ", "build, ",
    "build over ",
    "trace ",
)  # fmt: skip
RAYS = ("boxes of ", "build, ", "build over ", "trace ")


def has(row: Row) -> bool:
    """Whether these tables show the row."""
    return row["work"].startswith(STARTS)


def time(seconds: str) -> str:
    value = float(seconds)
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def rates(row: Row) -> str:
    """MB of text or of PLY a second of wall time."""
    if not row["raw_bytes"]:
        return "–"
    both = (row["ours_wall_s"], row["peer_wall_s"])
    return " / ".join(f"{float(row['raw_bytes']) / float(seconds) / 1e6:.0f}" for seconds in both)


def is_quiet(row: Row) -> bool:
    return not row["same_cpu"] or 0.97 <= float(row["same_cpu"]) <= 1.03


def times(row: Row, name: str) -> str:
    """How many times as fast as the peer, with the interval; nothing where Solio differed from itself."""
    if not is_quiet(row):
        return "too noisy"
    middle, low, high = (1 / float(row[name + end]) for end in ("", "_high", "_low"))
    return f"{middle:.3g} ({low:.3g}–{high:.3g})"


def cells(row: Row) -> list[str]:
    peer = f"{row['peer']} {row['peer_version']}".strip()
    if not row["ours_wall_s"]:
        sizes = (float(row[side]) / 1e6 for side in ("ours_bytes", "peer_bytes"))
        size = " / ".join(f"{mb:.1f}" for mb in sizes)
        return [row["work"], peer, f"{size} MB", "–", f"{1 / float(row['ratio_bytes']):.3g} times as small", "–", "–"]
    return [
        row["work"],
        peer,
        f"{time(row['ours_wall_s'])} / {time(row['peer_wall_s'])}",
        rates(row),
        times(row, "ratio_wall"),
        times(row, "ratio_cpu"),
        f"{float(row['same_cpu']):.2f}" if row["same_cpu"] else "–",
    ]


def table(rows: list[Row]) -> list[str]:
    heads = ["work", "peer", "wall time", "MB/s", "×, wall", "×, CPU", "A/A"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return lines + ["| " + " | ".join(cells(row)) + " |" for row in rows]


def lines(rows: list[Row]) -> list[str]:
    rays = [row for row in rows if row["work"].startswith(RAYS)]
    rest = [row for row in rows if row not in rays]
    out = []
    if rest:
        out += [
            "The scene is a twin of Moana Island at 1/80 (`solio-bench twin`): 140 MB of text, 39 MB of "
            "PLY. Solio / the peer; ×: how many times as fast, with the 95 % interval; A/A: Solio's CPU "
            "time against itself; where that leaves 0.97–1.03 the machine was too noisy to compare. Where the peer is *recorded*, its seconds were measured on another "
            "machine (to the first picture 4.25 s on one thread; parsed into nothing 160 MB/s), and are "
            "scaled by how fast libdeflate unpacks text of instances here, in the same turns, and there "
            "(1,176 MB/s).",
            "",
            *table(rest),
            "",
        ]
    if rays:
        out += ["Boxes of instances, and trees for rays, on one thread.", "", *table(rays), ""]
    return out
