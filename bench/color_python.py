"""sRGB to Oklab and back on a NumPy array, beside colour-science: a line of JSON.

    python bench/color_python.py [--quick]

Solio takes one thread, then all that it may; colour-science has none of its own. Both make new
arrays each time; then once more with `out=`, which colour-science does not offer.
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
ROUNDS = 2 if "--quick" in sys.argv else 9


def timed(run, answer) -> measuring.Turn:
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return measuring.Turn(wall, cpu, answer(result))


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
        ("all threads", lambda: ours(None)),
        ("all threads, out=", lambda: ours(None, kept)),
    ]
    for said, run in cases:
        turns = [
            (timed(run, answer), timed(theirs, answer), timed(run, answer)) for _ in range(ROUNDS)
        ]
        work = f"sRGB to Oklab to sRGB, NumPy, {said}"
        version = importlib.metadata.version("colour-science")
        row = measuring.row(work, "colour-science", version, turns, f"{SIDE} × {SIDE} pixels")
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
