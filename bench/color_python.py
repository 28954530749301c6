"""sRGB to Oklab and back on a NumPy array, beside colour-science: a line of JSON.

    python bench/color_python.py [--quick]

Solio takes one thread, then all that it may; colour-science has none of its own. Both make new
arrays each time; then once more with `out=`, which colour-science does not offer. Each run that
counts follows one of its own kind: memory that the other one gave back to the system, and caches
that it filled, are not its cost.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time

import colour
import measuring
import numpy as np
import solio

SIDE = 512
ROUNDS = 2 if "--quick" in sys.argv else 15


# Runs of Solio in a turn, so that a turn takes some 30 milliseconds.
REPEAT = 8


def timed(run, answer, repeat=1) -> measuring.Turn:
    for _ in range(min(repeat, 2)):
        result = run()  # kept, as one result is while the next is made
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(repeat):
        result = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return measuring.Turn(wall / repeat, cpu / repeat, answer(result))


def main() -> None:
    pixels = np.random.default_rng(1).random((SIDE, SIDE, 3))
    floats = pixels.astype(np.float32)
    answer = lambda result: f"mean {float(np.mean(result, dtype=np.float64)):.5f}"

    kept = np.empty_like(floats), np.empty_like(floats)

    def ours(threads, outs=(None, None)):
        lab = solio.color.convert(floats, "srgb", "oklab", threads=threads, out=outs[0])
        return solio.color.convert(lab, "oklab", "srgb", threads=threads, out=outs[1])

    def theirs():
        lab = colour.XYZ_to_Oklab(colour.sRGB_to_XYZ(pixels))
        return colour.XYZ_to_sRGB(colour.Oklab_to_XYZ(lab))

    # Its matrices of sRGB have four digits: it comes back 0.0003 off.
    if not np.allclose(ours(1), theirs(), atol=1e-3):
        raise SystemExit("other colours than those of colour-science")
    cases = [
        ("one thread", lambda: ours(1)),
        ("one thread, out=", lambda: ours(1, kept)),
        ("all threads", lambda: ours(None)),
        ("all threads, out=", lambda: ours(None, kept)),
    ]
    for said, run in cases:
        sides = ((run, REPEAT), (theirs, 1), (run, REPEAT))
        turns = [
            tuple(timed(side, answer, repeat) for side, repeat in sides) for _ in range(ROUNDS)
        ]
        work = f"sRGB to Oklab to sRGB, NumPy, {said}"
        version = importlib.metadata.version("colour-science")
        row = measuring.row(work, "colour-science", version, turns, f"{SIDE} × {SIDE} pixels")
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
