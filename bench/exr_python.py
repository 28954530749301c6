"""RGBA out of a render of 60 channels in many parts, in Python: python bench/exr_python.py FILE

Solio's package and OpenEXR's take turns (ours, peer, ours again) on a file that rests in the page
cache; both make new arrays, which are dropped before the next turn. The peer has no choice of
channels: it reads them all. Prints a row of the record, as JSON.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import measuring
import numpy as np
import OpenEXR
import solio

ROUNDS = 7


def turn(load: Callable[[], Any], look: Callable[[Any], list[Any]]) -> tuple[measuring.Turn, Any]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    loaded = load()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found = look(loaded)
    return measuring.Turn(wall, cpu, f"{len(found)} channels"), found


def main() -> None:
    [path] = sys.argv[1:]
    head = OpenEXR.File(path, separate_channels=True, header_only=True)
    count = sum(len(part.header["channels"]) for part in head.parts)
    names = [channel.name for channel in head.parts[0].header["channels"]]
    sides = [
        (
            lambda: solio.read_image(path, channels=names),
            lambda image: [image[name] for name in names],
        ),
        (
            lambda: OpenEXR.File(path, separate_channels=True),
            lambda file: [file.parts[0].channels[name].pixels for name in names],
        ),
    ]
    turns = []
    for i in range(ROUNDS + 1):
        (a, ours), (b, theirs), (c, _) = turn(*sides[0]), turn(*sides[1]), turn(*sides[0])
        if not all(np.array_equal(x, y, equal_nan=True) for x, y in zip(ours, theirs, strict=True)):
            raise SystemExit(f"{path}: other pixels than the peer's")
        if i:
            turns.append((a, b, c))
    work = f"EXR RGBA of {count} channels in {len(head.parts)} parts, into NumPy"
    row = measuring.row(work, "OpenEXR (Python)", OpenEXR.__version__, turns, "60-channel render")
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
