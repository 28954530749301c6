"""The tables of the compression laboratory in bench/RESULTS.md: what bench/lab wrote last."""

from __future__ import annotations

import csv
import json

import record

Line = dict[str, str]

FOLDER = record.FOLDER / "lab"
SHOWN = 12
HEADS = ["filter → codec, level, chunk", "ratio", "write MB/s", "read MB/s"]


def title(line: Line) -> str:
    """All in one line: `EXR → zstd 1, 16 lines`."""
    level = f" {line['level']}" if line["level"] else ""
    return f"{line['filter']} → {line['codec']}{level}, {line['chunk']}"


def best(lines: list[Line]) -> list[Line]:
    """Of each codec the way with the best ratio, the best of all first."""
    found: dict[str, Line] = {}
    for line in lines:
        kept = found.setdefault(line["codec"], line)
        if float(line["ratio"]) > float(kept["ratio"]):
            found[line["codec"]] = line
    return sorted(found.values(), key=lambda line: -float(line["ratio"]))


def lines() -> list[str]:
    """Facts, a table for each kind of data, and the seven statements; empty without a record."""
    paths = sorted(FOLDER.glob("*.csv"))
    if not paths:
        return []
    with paths[-1].open(newline="") as file:
        rows = list(csv.DictReader(file))
    facts = json.loads(paths[-1].with_suffix(".json").read_text())
    date = paths[-1].stem[:10]
    low, high = facts["rounds"]
    out = [
        f"`bench/lab` on {date}, {facts['cpu']}, {low} to {high} rounds in turn, CPU time of one core, in "
        f"memory: of each codec the filter, level and chunk with the best ratio, of these the {SHOWN} best; "
        "every way came back bit for bit. All ways, and what each statement was told by, stand in "
        "`bench/record/lab`.",
    ]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        of_kind = [row for row in rows if row["kind"] == kind]
        out += ["", f"**{kind}**", "", "| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
        for row in best(of_kind)[:SHOWN]:
            speeds = (f"{float(row[name]):.0f}" for name in ("write_mb_s", "read_mb_s"))
            out.append("| " + " | ".join([title(row), f"{float(row['ratio']):.3f}", *speeds]) + " |")
    out += ["", "The seven statements of 2021, on these files:", ""]
    for statement in facts["statements"]:
        kinds = {True: [], False: []}
        for kind, (holds, _) in statement["findings"].items():
            if holds is not None:
                kinds[holds].append(kind)
        said = [f"{how} for {', '.join(of)}" for how, of in zip(("holds", "not"), kinds.values()) if of]
        out.append(f"- {statement['title']}: {'; '.join(said)}")
    return out
