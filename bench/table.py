#!/usr/bin/env python3
"""Writes the tables of what was measured from the newest records: bench/table.py [--check]

A few rows stand in README.md, all of them in bench/RESULTS.md, between `<!-- measured: start -->`
and `<!-- measured: end -->`. With --check nothing is written; the exit code is 1 when a file says
something else than the record.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import catalog_table
import exr_table
import lab_table
import record
import scene_table
from record import Row

START, END = "<!-- measured: start -->", "<!-- measured: end -->"


def seconds(wall: str, cpu: str) -> str:
    return f"{float(wall):.3f} / {float(cpu):.3f}" if wall and cpu else "–"


def ratio(row: Row, name: str) -> str:
    if not row[name]:
        return "–"
    said = lambda value: f"{float(value):.2f}" if float(value) >= 0.1 else f"{float(value):.2g}"
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    # Of a single turn there is no interval.
    return f"{said(value)} ({said(low)}–{said(high)})" if low and high and low != high else said(value)


def is_kernel(row: Row) -> bool:
    return row["work"].endswith("]")


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return lines + ["| " + " | ".join(cells) + " |" for cells in rows]


def jobs(rows: list[Row]) -> list[str]:
    heads = ["work", "peer", "Solio, wall / CPU s", "peer, wall / CPU s", "wall ratio", "CPU ratio"]
    cells = [
        [
            row["work"],
            f"{row['peer']} {row['peer_version']}".strip(),
            seconds(row["ours_wall_s"], row["ours_cpu_s"]),
            seconds(row["peer_wall_s"], row["peer_cpu_s"]),
            ratio(row, "ratio_wall"),
            ratio(row, "ratio_cpu"),
        ]
        for row in rows
        if row["ours_wall_s"] and not is_kernel(row) and not exr_table.has(row)
    ]
    return table(heads, cells) if cells else []


def kernels(rows: list[Row]) -> list[str]:
    """One row a kernel, one column a CPU tier: ns a number, and over a copy of the text."""
    tiers = [tier for tier in ("scalar", "sse2", "avx2", "avx512") if any(f"[{tier}]" in r["work"] for r in rows)]
    names = dict.fromkeys(r["work"].rsplit(" [", 1)[0] for r in rows if is_kernel(r))
    found = {row["work"]: row for row in rows}
    cells = []
    for name in names:
        line = [name]
        for tier in tiers:
            row = found.get(f"{name} [{tier}]")
            line.append(
                f"{float(row['ours_wall_s']) * 1e9:.2f} (× {float(row['ratio_wall']):.2f})" if row else "–"
            )
        cells.append(line)
    heads = ["one number, one core", *(f"{tier}, ns (× copy)" for tier in tiers)]
    return table(heads, cells) if cells else []


def beside_copies(rows: list[Row]) -> list[str]:
    """One row a kernel over arrays: its share of the rate of a copy of as many bytes."""
    cells = [
        [
            row["work"],
            f"{float(row['ours_wall_s']) * 1e3:.2f}",
            f"{float(row['peer_wall_s']) * 1e3:.2f}",
            f"{100 / float(row['ratio_wall']):.0f} %",
            f"{float(row['same_cpu']):.2f}",
        ]
        for row in rows
        if is_kernel(row)
    ]
    heads = ["arrays, one core", "ms", "a copy of as many bytes, ms", "of its rate", "A/A"]
    return table(heads, cells) if cells else []


def memory(rows: list[Row]) -> list[str]:
    cells = [
        [
            row["work"],
            f"{float(row['ours_bytes']) / 2**20:.0f} MiB",
            f"{float(row['peer_bytes']) / 2**20:.0f} MiB",
        ]
        for row in rows
        if row["ours_bytes"] and not exr_table.has(row)
    ]
    return table(["work", "beside the arrays", "budget"], cells) if cells else []


def facts_of(path: Path) -> dict[str, str]:
    return json.loads(path.with_suffix(".json").read_text())


def said_of(path: Path) -> str:
    facts = facts_of(path)
    return (
        f"Measured {facts['date']} on {facts['cores']} cores of {facts['cpu']}, "
        f"{facts['system'].split('-')[0]}, commit {facts['commit']} "
        f"([record](record/{path.name})).{' ' + facts['note'] if facts.get('note') else ''}"
    )


def is_of_images(row: Row) -> bool:
    return row["work"].startswith("EXR ")


def is_of_photos(row: Row) -> bool:
    return row["work"].endswith(" photos")


def is_of_colors(row: Row) -> bool:
    return row["work"].startswith(("sRGB to ", "ACEScg to ", "gradient, "))


def is_of_catalogues(row: Row) -> bool:
    return row["work"].startswith(catalog_table.WORK)


def is_of_neither(row: Row) -> bool:
    kinds = (is_of_images, is_of_photos, is_of_colors, is_of_catalogues, scene_table.has)
    return not any(has(row) for has in kinds)


def photos(rows: list[Row]) -> list[str]:
    heads = ["work", "peer", "Solio, wall / CPU s", "peer, wall / CPU s", "×, wall", "×, CPU", "read"]
    cells = [
        [
            row["work"],
            f"{row['peer']} {row['peer_version']}".strip(),
            seconds(row["ours_wall_s"], row["ours_cpu_s"]),
            seconds(row["peer_wall_s"], row["peer_cpu_s"]),
            *(f"{1 / float(row[name]):.3g}" for name in ("ratio_wall", "ratio_cpu")),
            f"{float(row['ours_bytes']) / 1e6:.1f} / {float(row['peer_bytes']) / 1e6:.1f} MB",
        ]
        for row in rows
    ]
    return table(heads, cells)


def text() -> str:
    """Images, photos, scenes, colours and all else may have been measured on different days."""
    lines = []
    if path := record.newest(is_of_neither):
        rows = [row for row in record.read(path) if is_of_neither(row)]
        said = (
            f"{said_of(path)} Files rest in the page cache where nothing else is said. Ratios are "
            "Solio's time over the peer's, turn by turn in one run, the median with its 95 % "
            "interval (of fewer than six turns the whole range): 0.25 means four times as fast."
        )
        lines += [said, "", *jobs(rows), "", *kernels(rows), "", *memory(rows), ""]
    if path := record.newest(is_of_images):
        rows = [row for row in record.read(path) if is_of_images(row)]
        lines += ["### Images", "", said_of(path), "", *exr_table.lines(rows), "", *jobs(rows), ""]
    if path := record.newest(is_of_photos):
        rows = [row for row in record.read(path) if is_of_photos(row)]
        said = f"{said_of(path)} ×: how many times as fast. Both read the same list, warm, on all cores."
        lines += ["### Photos", "", said, "", *photos(rows), ""]
    if path := record.newest(scene_table.has):
        rows = [row for row in record.read(path) if scene_table.has(row)]
        lines += ["### Scenes", "", said_of(path), "", *scene_table.lines(rows), ""]
    if path := record.newest(is_of_colors):
        rows = [row for row in record.read(path) if is_of_colors(row)]
        said = f"{said_of(path)} A picture of 2²⁰ pixels, one thread where nothing else is said."
        lines += ["### Colours", "", said, "", *beside_copies(rows), "", *jobs(rows), ""]
    if path := record.newest(is_of_catalogues):
        rows = [row for row in record.read(path) if is_of_catalogues(row)]
        lines += ["### Catalogues", "", said_of(path), "", *catalog_table.lines(rows), ""]
    if found := lab_table.lines():
        lines += ["### Compression", "", *found]
    return "\n".join(lines).rstrip()


Headline = tuple[str, str, str, str]
"""What it is called, how its row begins, the peer's, and the threads of both."""

HEADLINES: list[Headline] = [
    ("Export 2 million vertices to OBJ", "monkey level 6 to OBJ", "Blender", "all"),
    ("Import the same OBJ", "import of the monkey's OBJ", "Blender", "all"),
    ("Read OBJ into arrays", "read OBJ", "rapidobj", "all"),
    ("Read binary PLY into NumPy", "read PLY, binary, into NumPy", "pyvista", "1"),
    ("Read 20,000 small files, cold", "20000 small files, cold", "tokio 256", "all"),
    ("Write EXR, ZIP, 60 channels", "EXR write ZIP, 60 channel render, memory, one core", "OpenEXR (C++)", "1"),
    ("Read EXR, ZIP, 60 channels", "EXR read ZIP, 60 channel render, memory, one core", "OpenEXR (C++)", "1"),
    ("Find duplicates among 9,000 files", "catalogue: duplicates", "jdupes", "all"),
    ("Read all tags of 1,000 photos", "all tags of", "ExifTool", "all"),
    ("Read three dates of 1,000 photos", "three dates of", "kamadak-exif", "all"),
]


def headlines() -> str:
    """How many times as fast as whom, by the clock and by the processor."""
    cells, used = [], {}
    for name, work, peer, threads in HEADLINES:
        fits = lambda row, work=work, peer=peer: (
            row["work"].startswith(work) and row["peer"].startswith(peer) and row["peer_wall_s"] != ""
        )
        if not (path := record.newest(fits)):
            continue
        row = next(row for row in record.read(path) if fits(row))
        used[path] = facts_of(path)

        def times(kind: str, row: Row = row) -> str:
            if not row[f"ratio_{kind}"]:
                return "–"
            middle = 1 / float(row[f"ratio_{kind}"])
            return f"{middle:.0f}×" if middle >= 10 else f"{middle:.1f}×"

        cells.append([name, f"{row['peer']} {row['peer_version']}".strip(), times("wall"), times("cpu"), threads])
    machines = " and ".join(dict.fromkeys(f"{f['cores']} cores of {f['cpu']}" for f in used.values()))
    dates = sorted({facts["date"] for facts in used.values()})
    said = (
        f"Measured {dates[0]} to {dates[-1]} on {machines}; medians of interleaved runs, equal threads on both "
        "sides; rows below 1× are slower. [All results](https://github.com/solio-io/solio/blob/main/bench/RESULTS.md)."
    )
    return "\n".join([said, "", *table(["task", "compared with", "wall time", "CPU time", "threads"], cells)])


def main() -> None:
    check = sys.argv[1:] == ["--check"]
    for name, said in (("README.md", headlines()), ("bench/RESULTS.md", text())):
        target = record.ROOT / name
        old = target.read_text()
        before, rest = old.split(START)
        _, after = rest.split(END)
        new = f"{before}{START}\n{said}\n{END}{after}"
        if check and new != old:
            raise SystemExit(f"{name} does not say what bench/record says: `make bench-table`")
        if not check:
            target.write_text(new)


if __name__ == "__main__":
    main()
