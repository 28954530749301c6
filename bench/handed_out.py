"""The benchmarks as the wheel of `make dist` is built, with the profile `dist`, beside the profile `release`.

Most figures are measured with `release`, which is quick to build; what users get must be no slower.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import Turn, row

ROOT = Path(__file__).resolve().parent.parent
AREAS = ("color", "exr", "mesh", "scene")
PEER = "Solio, built as release"


def measured(bench: Path, area: str) -> dict[str, Turn]:
    """What one run of an area says of Solio itself: by work, against what least work."""
    command = [str(bench), area, "--quick", "--json"]
    if area == "exr":
        command += ["--python", "none"]  # none of its peers
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = {}
    for line in map(json.loads, filter(lambda text: text.startswith("{"), done.stdout.splitlines())):
        if "wall_s" not in line:
            continue  # about the machine
        tier = f" [{line['tier']}]" if "tier" in line else ""
        work, wall = f"{line['case']}{tier}, beside {line['peer']}", line["wall_s"]
        found[work] = Turn(wall, line.get("cpu_s", wall), line.get("answer", ""))
    return found


def rows(release: Path, rounds: int) -> Iterator[dict[str, Any]]:
    """Both in turns: every work of the areas."""
    subprocess.run(["cargo", "build", "--quiet", "--profile", "dist", "-p", "solio-bench"], check=True, cwd=ROOT)
    handed_out = release.parents[1] / "dist" / release.name
    for area in AREAS:
        turns: dict[str, list[tuple[Turn, Turn, Turn]]] = {}
        for _ in range(rounds):
            ours, theirs, again = (measured(b, area) for b in (handed_out, release, handed_out))
            for work, turn in ours.items():
                turns.setdefault(work, []).append((turn, theirs[work], again[work]))
        for work, of_work in turns.items():
            yield row(work, PEER, "", of_work, "profile dist")
