"""The most memory that writing takes beside the arrays given: python bench/memory.py MESH

Reads MESH, then writes it as every format under a small budget, each in a process of its own, and
looks at how far the process's resident memory rose above what it was before (Linux: VmHWM, reset
before). What the allocator keeps from reading is given back first: writing would hide in it.
Prints one row of the record a line: the bytes stand where other rows have seconds.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import solio

BUDGET = 64 << 20


def resident(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) << 10
    raise SystemExit(f"memory: skipped (the system does not tell {name})")


def rise(mesh: solio.Mesh, path: Path) -> int:
    solio.write_mesh(mesh, path, memory=BUDGET)  # threads, code and page tables are there then
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    solio.write_mesh(mesh, path, memory=BUDGET)
    return max(resident("VmHWM") - before, 0)


def measure(mesh_path: Path, name: str) -> None:
    mesh = solio.read_mesh(mesh_path)
    with tempfile.TemporaryDirectory(prefix="solio-bench-") as folder:
        path = Path(folder) / name
        used = rise(mesh, path)
        row = {
            "work": f"memory while writing {name.removeprefix('out.')}",
            "peer": "the budget (--mem)",
            "peer_version": "",
            "input": mesh_path.resolve().name,
            "rounds": 1,
            "ours_bytes": used,
            "peer_bytes": BUDGET,
            "ratio_bytes": used / BUDGET,
            "answer": f"{path.stat().st_size} bytes written",
        }
        print(json.dumps(row), flush=True)


def main() -> None:
    mesh, *names = sys.argv[1:]
    for name in names:
        measure(Path(mesh), name)
    if not names:
        for name in ("out.obj", "out.ply", "out.stl", "out.obj.zst", "out.ply.zst", "out.stl.gz"):
            subprocess.run([sys.executable, __file__, mesh, name], check=True)


if __name__ == "__main__":
    main()
