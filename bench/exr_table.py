"""README's tables of OpenEXR: every method a row, images of each class a table."""

from __future__ import annotations

import re

from record import Row

NAME = re.compile(
    r"EXR (read Solio's|read row by row|read|write) (\S+), (.+), (memory|file), (one|all) cores?"
)
Key = tuple[str, str, str, str, str, str]
"""Job, method, class, place, cores, peer."""


def key(row: Row) -> Key | None:
    found = NAME.fullmatch(row["work"])
    return (*found.groups(), row["peer"]) if found else None  # type: ignore[return-value]


def has(row: Row) -> bool:
    """Whether these tables show the row."""
    return row["raw_bytes"] != "" and key(row) is not None


def rate(row: Row, side: str, cores: str) -> str:
    seconds = float(row[f"{side}_cpu_s" if cores == "one" else f"{side}_wall_s"])
    return f"{float(row['raw_bytes']) / seconds / 1e6:.0f}"


def times(row: Row, cores: str) -> str:
    """How many times as fast as the peer, with the interval."""
    name = "ratio_cpu" if cores == "one" else "ratio_wall"
    middle, low, high = (1 / float(row[name + end]) for end in ("", "_high", "_low"))
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def speed(row: Row | None, cores: str) -> list[str]:
    if not row:
        return ["–", "–"]
    return [f"{rate(row, 'ours', cores)} / {rate(row, 'peer', cores)}", times(row, cores)]


def size(row: Row | None) -> str:
    if not row or not row["ours_bytes"]:
        return "–"
    raw = float(row["raw_bytes"])
    return f"{raw / float(row['ours_bytes']):.2f} / {raw / float(row['peer_bytes']):.2f}"


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return lines + ["| " + " | ".join(cells) + " |" for cells in rows]


def by_method(found: dict[Key, Row], kind: str, peer: str) -> list[str]:
    """One core, memory to memory."""
    methods = dict.fromkeys(k[1] for k in found if k[2] == kind and k[5] == peer)
    rest = (kind, "memory", "one", peer)
    rows = []
    for method in methods:
        get = lambda job: found.get((job, method, *rest))
        write, read = get("write"), get("read")
        if write or read:
            rows.append([method, size(write), *speed(write, "one"), *speed(read, "one")])
        if again := get("read Solio's"):
            rows.append([f"{method}, Solio's file", "", "", "", *speed(again, "one")])
    heads = [f"{kind}, one core", "ratio", "write MB/s", "×", "read MB/s", "×"]
    return table(heads, rows) if rows else []


def others(found: dict[Key, Row], main: str) -> list[str]:
    """The other peers, files, all cores, and row by row."""
    rest = {}
    for (job, method, kind, place, cores, peer), row in found.items():
        if (place, cores, peer) == ("memory", "one", main) and job != "read row by row":
            continue
        by_row = ", row by row" if job == "read row by row" else ""
        what = (f"{method}, {kind}{by_row}", place, cores, peer)
        rest.setdefault(what, {})["write" if job == "write" else "read"] = row
    rows = []
    for (what, place, cores, peer), jobs in rest.items():
        where = f"{place}, {cores} core{'s' if cores == 'all' else ''}"
        version = next(iter(jobs.values()))["peer_version"]
        write, read = (speed(jobs.get(job), cores) for job in ("write", "read"))
        rows.append([f"{peer} {version}".strip(), where, what, *write, *read])
    heads = ["peer", "where", "work", "write MB/s", "×", "read MB/s", "×"]
    return table(heads, rows) if rows else []


def lines(rows: list[Row]) -> list[str]:
    found = {k: row for row in rows if has(row) and (k := key(row))}
    if not found:
        return []
    compiled = [k[5] for k in found if k[3] == "memory" and "Solio" not in k[5]]
    main = next((name for name in compiled if "C++" in name), compiled[0])
    version = next(row["peer_version"] for k, row in found.items() if k[5] == main)
    out = [
        f"OpenEXR images against {main} {version}. MB of pixels a second, Solio / the peer: of CPU "
        "time on one core, of the wall clock on all. ratio: pixels over file, Solio's / the "
        "peer's. ×: how many times as fast. Memory to memory, the peer reads into memory that is "
        "there already; every file was read by both sides with the same result.",
        "",
    ]
    for kind in dict.fromkeys(k[2] for k in found):
        out += [*by_method(found, kind, main), ""]
    return out + others(found, main)
