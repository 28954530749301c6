"""Scans that are killed at any moment and gone on with: for the part `catalog`."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import catalog_trees as trees
from catalog_processes import WORK, Row, gone, run

OLD_NS = 10**18


def forget(files: list[Path]) -> None:
    """Files that nobody has read since they were written, as the system sees it."""
    for file in files:
        os.utime(file, ns=(OLD_NS - 1, OLD_NS))


def read(files: list[Path]) -> int:
    """Of these files, how many were read since."""
    return sum(file.stat().st_atime_ns != OLD_NS - 1 for file in files)


def rows(solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """The Parquet of a scan that was killed is that of one that was not; how much was read twice is
    seen by the times of access, where the file system keeps them."""
    count, kills = (2_000, 10) if quick else (20_000, 200)
    root = trees.frames(folder / "kills", count, content=trees.EXR_MARK + b"junk")
    files = sorted(root.rglob("*.exr"))
    out, pick = folder / "killed.parquet", random.Random(7)
    command = [str(solio), "scan", str(root), "-o", str(out), "--hash", "xxh128"]
    forget(files)
    whole = run(command)
    wanted = out.read_bytes()
    keeps_times = read(files) == count
    if not keeps_times:
        print("kills: what is read twice is not seen (no times of access here)", flush=True)
    same, killed, twice = 0, 0, []
    for _ in range(kills):
        gone(out)()
        forget(files)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(pick.uniform(0, whole.wall_s))
        process.kill()
        killed += process.wait() != 0
        before = read(files)
        forget(files)
        run([*command, "--resume"] if out.exists() or list(folder.glob("*killed.parquet*")) else command)
        if not out.exists():
            run(command)
        twice.append((before + read(files) - count) / count)
        same += out.read_bytes() == wanted
    if same < kills:
        raise SystemExit(f"{kills - same} of {kills} killed scans gave another table")
    answer = f"{same} of {kills} tables the same, {killed} scans were still running when killed"
    if keeps_times:
        answer += f"; read twice: at most {max(twice):.2%}, median {statistics.median(twice):.2%} of {count}"
    print(answer, flush=True)
    yield {
        "work": f"{WORK}{kills} scans killed and gone on with",
        "peer": "files",
        "input": f"{count} files",
        "rounds": kills,
        "ours_bytes": round(max(twice) * count) if keeps_times else None,
        "peer_bytes": count,
        "ratio_bytes": max(twice) if keeps_times else None,
        "answer": answer,
    }
    gone(out)()
