#!/usr/bin/env python3
"""Compares a scan in Ray and Daft with the same scan in one process: for the part `catalog`.

    catalog_engines.py FOLDER [--quick]

Both sides get the same list of files and end with all rows as one table of Arrow. The scan in one
process has as many threads as the machine has cores; the engines have as many workers, a thread
each, and 100 files a task. Starting an engine is not measured; each has run once before. CPU
seconds are not compared, as the engines' workers are no children of this process.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "DO_NOT_TRACK": "true", "DAFT_PROGRESS_BAR": "0"}

import catalog_trees
import measuring
import pyarrow
import solio

CORES = os.cpu_count() or 1
FILES, A_TASK = 20_000, 100
JOBS = (("heads", {}), ("check and hash", {"check": True, "hash": True}))


def in_ray_tasks(scan: solio.Scan) -> pyarrow.Table:
    import ray

    task = ray.remote(pyarrow.table)
    return pyarrow.concat_tables(ray.get([task.remote(s) for s in scan.shards(-(-len(scan) // A_TASK))]))


def in_ray_data(scan: solio.Scan) -> pyarrow.Table:
    import ray

    return pyarrow.concat_tables(ray.get(scan.to_ray().to_arrow_refs()))


def in_daft(scan: solio.Scan) -> pyarrow.Table:
    return scan.to_daft().to_arrow()


def turn(run: Callable[[solio.Scan], pyarrow.Table], scan: solio.Scan) -> tuple[measuring.Turn, list]:
    start = time.perf_counter()
    table = run(scan)
    wall = time.perf_counter() - start
    keys = sorted(zip(*(table.column(n).to_pylist() for n in ("path", "kind", "xxh128")), strict=True), key=str)
    return measuring.Turn(wall, 0.0, f"{table.num_rows} rows"), keys


ENGINES = (("Ray tasks", "ray", in_ray_tasks), ("Ray Data", "ray", in_ray_data), ("Daft", "daft", in_daft))


def compared(name: str, engine: str, run: Callable, folder: Path, more: dict, rounds: int) -> dict:
    local, tasks = solio.scan(folder, threads=CORES, **more), solio.scan(folder, threads=1, **more)
    (_, wanted), (_, found) = turn(pyarrow.table, local), turn(run, tasks)
    if wanted != found:
        raise SystemExit(f"{engine}: other rows than in one process")
    turns = []
    for _ in range(rounds):
        turns.append((turn(run, tasks)[0], turn(pyarrow.table, local)[0], turn(run, tasks)[0]))
    count = len(tasks)
    work = f"catalogue: {name} of {count} files in {engine}, 100 a task"
    version = importlib.metadata.version("solio")
    row = measuring.row(work, f"one process, {CORES} threads", version, turns, f"{count} files")
    same = measuring.ratio([a.wall_s for a, _, _ in turns], [c.wall_s for _, _, c in turns])
    row |= {"same_cpu": same}
    dropped = ("ratio_cpu", "ours_cpu_s", "peer_cpu_s")
    return {key: value for key, value in row.items() if key not in dropped}


def start_ray() -> None:
    if importlib.util.find_spec("ray"):
        import ray

        ray.init(num_cpus=CORES, include_dashboard=False, logging_level="error", log_to_driver=False)


def main() -> None:
    folder, quick = Path(sys.argv[1]), "--quick" in sys.argv
    data = Path(os.environ.get("SOLIO_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    sources = [p for p in sorted(data.rglob("*")) if p.is_file() and not p.is_symlink()]
    if not sources:
        print(f"engines: skipped (no files in {data})", flush=True)
        return
    tree = catalog_trees.links(folder / "engines", sources, FILES // 10 if quick else FILES)
    start_ray()
    for engine, module, run in ENGINES:
        if importlib.util.find_spec(module) is None:
            print(f"{engine}: skipped (it is not installed)", flush=True)
            continue
        for name, more in JOBS:
            row = compared(name, engine, run, tree, more, 3 if quick else 5)
            row["input"] = f"{module} {importlib.metadata.version(module)}"
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
