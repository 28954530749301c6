#!/usr/bin/env python3
"""Compares Solio's Python package with the peers that are installed.

    python bench/peers.py FOLDER [--rounds N]

FOLDER holds ``mesh.obj``, ``triangles.ply``, ``triangles-ascii.ply`` and ``mesh.stl``, as
``bench/run`` makes them. Prints one JSON object a line, in the form of ``solio bench mesh --json``.

How: Solio and a peer take turns in one process (A B A B), on a file that rests in the page cache,
each loading into fresh NumPy arrays that are dropped before the next turn; the first turn of each
is not counted. Both sides pay for their own allocation. Wall seconds and CPU seconds (user and
system, all threads) are medians; ratios are medians of the pairwise ratios with their range.
Each turn's answer (vertices, faces and a sum over the positions) is compared.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.metadata
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import solio

Answer = tuple[int, int, float]
"""Vertices, faces, and the sum of the positions' absolute values."""
Turn = Callable[[], Answer]


def answer(vertices: Any, faces: int) -> Answer:
    vertices = np.asarray(vertices).reshape(-1, 3)
    return len(vertices), int(faces), float(np.abs(vertices).sum(dtype=np.float64))


def with_solio(path: Path) -> Turn:
    def turn() -> Answer:
        mesh = solio.read_mesh(path)
        return answer(mesh.positions, max(len(mesh.face_offsets) - 1, 0))

    return turn


def with_rapidobj(path: Path) -> Turn:
    rapidobj = importlib.import_module("rapidobj")

    def turn() -> Answer:
        result = rapidobj.parse_obj(str(path))
        if not result.ok:
            raise RuntimeError(result.error_message)
        # `faces` holds triangles: the package splits polygons while it parses.
        arrays = (result.faces, result.texcoords, result.wedge_texcoord_indices)
        return answer(result.vertices, len(np.asarray(arrays[0]).reshape(-1, 3)))

    return turn


def with_miniply(path: Path) -> Turn:
    miniply = importlib.import_module("pyvista_miniply")

    def turn() -> Answer:
        vertices, faces, *_ = miniply.read(path)
        return answer(vertices, len(faces))

    return turn


def with_pyvista_stl(path: Path) -> Turn:
    reader = importlib.import_module("pyvista_stl")

    def turn() -> Answer:
        vertices, faces = reader.read(path, threads=0)
        return answer(vertices, len(faces))

    return turn


def with_trimesh(path: Path) -> Turn:
    trimesh = importlib.import_module("trimesh")

    def turn() -> Answer:
        mesh = trimesh.load(path, process=False, force="mesh", skip_materials=True)
        return answer(mesh.vertices, len(mesh.faces))

    return turn


CASES = [
    # case, file, peer's package, peer, most rounds, whether the answers must be equal
    ("read obj into numpy", "mesh.obj", "rapidobj", with_rapidobj, 9, False),
    ("read ply binary into numpy", "triangles.ply", "pyvista-miniply", with_miniply, 15, True),
    ("read ply ascii into numpy", "triangles-ascii.ply", "pyvista-miniply", with_miniply, 9, True),
    ("read stl binary, merged, into numpy", "mesh.stl", "pyvista-stl", with_pyvista_stl, 15, True),
    ("read obj into numpy", "mesh.obj", "trimesh", with_trimesh, 1, False),
]


def measure(turn: Turn) -> tuple[float, float, Answer]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = turn()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def ratio(ours: list[float], theirs: list[float]) -> list[float]:
    """Median, least and greatest of ours / theirs."""
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    return [statistics.median(ratios), ratios[0], ratios[-1]]


def same(a: Answer, b: Answer) -> bool:
    return a[:2] == b[:2] and abs(a[2] - b[2]) <= 1e-6 * abs(b[2])


def compare(ours: Turn, theirs: Turn, rounds: int, must_equal: bool) -> dict[str, Any]:
    if rounds > 1:
        ours(), theirs()
    samples: list[tuple[float, float, float, float, float, float]] = []
    answers: tuple[Answer, Answer] = ((0, 0, 0.0), (0, 0, 0.0))
    for _ in range(rounds):
        wall_a, cpu_a, answer_a = measure(ours)
        wall_b, cpu_b, answer_b = measure(theirs)
        wall_c, cpu_c, again = measure(ours)  # A against A
        if again != answer_a or (must_equal and not same(answer_a, answer_b)):
            raise SystemExit(f"answers differ: {answer_a} {answer_b} {again}")
        answers = (answer_a, answer_b)
        samples.append((wall_a, cpu_a, wall_b, cpu_b, wall_c, cpu_c))
    wall_a, cpu_a, wall_b, cpu_b, wall_c, cpu_c = (list(column) for column in zip(*samples, strict=True))
    return {
        "rounds": rounds,
        "wall_s": statistics.median(wall_a),
        "cpu_s": statistics.median(cpu_a),
        "peer_wall_s": statistics.median(wall_b),
        "peer_cpu_s": statistics.median(cpu_b),
        "ratio_wall": ratio(wall_a, wall_b),
        "ratio_cpu": ratio(cpu_a, cpu_b),
        "same_cpu": ratio(cpu_a, cpu_c),
        "answer": f"{answers[0][0]} vertices, {answers[0][1]} faces; "
        f"peer {answers[1][0]} vertices, {answers[1][1]} faces",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare with the peers that are installed.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=99, help="at most this many turns")
    options = parser.parse_args()
    for case, name, package, peer, rounds, must_equal in CASES:
        path = options.folder / name
        line: dict[str, Any] = {"case": case, "peer": package, "input": name}
        try:
            version = importlib.metadata.version(package)
            turn = peer(path)
        except ImportError:
            line["skipped"] = "not installed"
        else:
            line["peer"] = f"{package} {version}"
            line["input_bytes"] = path.stat().st_size
            rounds = min(rounds, options.rounds)
            line |= compare(with_solio(path), turn, rounds, must_equal)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
