"""Records: one CSV a day and machine, with the facts of the run in a JSON of the same name.

Seconds everywhere, also for kernels (one number). A ratio is ours / peer: below 1 Solio is ahead.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "bench" / "record"
RATIOS = ("ratio_wall", "ratio_cpu", "same_cpu")
COLUMNS = [
    "work", "peer", "peer_version", "input", "rounds",
    "ours_wall_s", "ours_cpu_s", "peer_wall_s", "peer_cpu_s",
    *(f"{name}{end}" for name in RATIOS for end in ("", "_low", "_high")),
    "drift_cpu", "ours_bytes", "peer_bytes", "ratio_bytes", "raw_bytes", "answer",
]  # fmt: skip

Row = dict[str, str]


def text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def flat(row: dict[str, Any]) -> Row:
    """A row as the parts of the bench print it, as a row of the CSV."""
    out = dict.fromkeys(COLUMNS, "")
    for key, value in row.items():
        if key in RATIOS and isinstance(value, list):
            for end, part in zip(("", "_low", "_high"), value, strict=True):
                out[key + end] = text(part)
        elif key in out and value is not None:
            out[key] = text(value)
    return out


def cpu_name() -> str:
    try:
        info = Path("/proc/cpuinfo").read_text()
        name = re.search(r"^model name\s*:\s*(.+)$", info, re.MULTILINE)
    except OSError:
        name = None
    return name[1].strip() if name else platform.processor() or platform.machine()


def path_of_today() -> Path:
    words = re.sub(r"\(.*?\)|[^a-z0-9]+", " ", cpu_name().lower()).split()
    words = [word for word in words if word not in ("processor", "cpu", "core")]
    machine = "-".join([*words[:4], f"{os.cpu_count()}-cores"])
    return FOLDER / f"{datetime.date.today().isoformat()}-{machine}.csv"


def commit() -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "crates", "python")
    return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def facts() -> dict[str, str]:
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "cpu": cpu_name(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def add(path: Path, rows: list[dict[str, Any]], more_facts: dict[str, Any]) -> None:
    """Puts rows into the record at `path`; each takes the place of one for the same comparison."""
    path.parent.mkdir(parents=True, exist_ok=True)
    old = read(path) if path.exists() else []
    new = {(row["work"], row["peer"]): row for row in map(flat, rows)}
    kept = [new.pop((row["work"], row["peer"]), row) for row in old]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *new.values()])
    side = path.with_suffix(".json")
    known = json.loads(side.read_text()) if side.exists() else {}
    side.write_text(json.dumps(known | facts() | more_facts, indent=2) + "\n")


def read(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return [dict.fromkeys(COLUMNS, "") | row for row in csv.DictReader(file)]


def newest(wanted: Callable[[Row], bool]) -> Path | None:
    """The newest record that has rows as wanted."""
    paths = sorted(FOLDER.glob("*.csv"), reverse=True)
    return next((path for path in paths if any(map(wanted, read(path)))), None)
