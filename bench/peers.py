"""Compares Solio's Python package with the Python peers that are installed.

    python bench/peers.py FOLDER [--rounds N]

FOLDER holds ``mesh.obj``, ``triangles.ply``, ``triangles-ascii.ply`` and ``mesh.stl``, as
``bench/run`` makes them. Prints one row of the record a line, as JSON.

Solio and a peer take turns in one process (ours, peer, ours again), on a file that rests in the
page cache, each loading into fresh NumPy arrays that are dropped before the next turn; the first
turn of each is not counted. Both sides pay for their own allocation. Each turn's answer
(vertices, faces, the sum of the positions) is compared.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.metadata
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measuring
import numpy as np
import solio

Answer = tuple[int, int, float]
"""Vertices, faces, and the sum of the positions' absolute values."""
Load = Callable[[], Any]
"""Loads a file."""
Reader = Callable[[Path], tuple[Load, Callable[[Any], Answer]]]
"""For a path: what loads it, and what looks at the result (outside the measured time)."""


def answer(vertices: Any, faces: int) -> Answer:
    vertices = np.asarray(vertices).reshape(-1, 3)
    return len(vertices), int(faces), float(np.abs(vertices).sum(dtype=np.float64))


def with_solio(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    look = lambda mesh: answer(mesh.positions, max(len(mesh.face_offsets) - 1, 0))
    return lambda: solio.read_mesh(path), look


def with_rapidobj(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    rapidobj = importlib.import_module("rapidobj")

    def load() -> Any:
        result = rapidobj.parse_obj(str(path))
        if not result.ok:
            raise RuntimeError(result.error_message)
        # The arrays are made when they are asked for; `faces` holds triangles.
        names = ("vertices", "faces", "texcoords", "wedge_texcoord_indices")
        return [getattr(result, name, None) for name in names]

    return load, lambda arrays: answer(arrays[0], len(np.asarray(arrays[1]).reshape(-1, 3)))


def with_miniply(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    miniply = importlib.import_module("pyvista_miniply")
    return lambda: miniply.read(path), lambda arrays: answer(arrays[0], len(arrays[1]))


def with_pyvista_stl(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    reader = importlib.import_module("pyvista_stl")
    load = lambda: reader.read(path, threads=0)
    return load, lambda arrays: answer(arrays[0], len(arrays[1]))


def with_trimesh(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    trimesh = importlib.import_module("trimesh")
    load = lambda: trimesh.load(path, process=False, force="mesh", skip_materials=True)
    return load, lambda mesh: answer(mesh.vertices, len(mesh.faces))


def with_meshio(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    meshio = importlib.import_module("meshio")
    load = lambda: meshio.read(path)
    return load, lambda mesh: answer(mesh.points, sum(len(block.data) for block in mesh.cells))


def with_mitsuba(path: Path) -> tuple[Load, Callable[[Any], Answer]]:
    mitsuba = importlib.import_module("mitsuba")
    mitsuba.set_variant("scalar_rgb")

    def load() -> Any:
        shape = mitsuba.load_dict({"type": "ply", "filename": str(path)})
        return mitsuba.traverse(shape)["vertex_positions"], shape.face_count()

    return load, lambda found: answer(found[0], found[1])


CASES: list[tuple[str, str, str, Reader, int, bool]] = [
    # work, file, peer's package, peer, most rounds, whether the answers must be equal
    ("read OBJ into NumPy", "mesh.obj", "rapidobj", with_rapidobj, 9, False),
    ("read PLY, binary, into NumPy", "triangles.ply", "pyvista-miniply", with_miniply, 25, True),
    ("read PLY, binary, into NumPy", "triangles.ply", "mitsuba", with_mitsuba, 15, True),
    ("read PLY, binary, into NumPy", "triangles.ply", "trimesh", with_trimesh, 9, True),
    ("read PLY, binary, into NumPy", "triangles.ply", "meshio", with_meshio, 5, True),
    ("read PLY, ascii, into NumPy", "triangles-ascii.ply", "pyvista-miniply", with_miniply, 11, True),
    ("read STL, merging, into NumPy", "mesh.stl", "pyvista-stl", with_pyvista_stl, 15, True),
    ("read OBJ into NumPy", "mesh.obj", "trimesh", with_trimesh, 1, False),
]


def turn(load: Load, look: Callable[[Any], Answer]) -> tuple[measuring.Turn, Answer]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = load()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found = look(result)
    return measuring.Turn(wall, cpu, f"{found[0]} vertices, {found[1]} faces"), found


def same(a: Answer, b: Answer) -> bool:
    return a[:2] == b[:2] and abs(a[2] - b[2]) <= 1e-6 * abs(b[2])


def compare(path: Path, peer: Reader, rounds: int, must_equal: bool) -> list[Any]:
    ours, theirs = with_solio(path), peer(path)
    if rounds > 1:
        turn(*ours), turn(*theirs)
    turns = []
    for _ in range(rounds):
        (a, found_a), (b, found_b), (c, found_c) = turn(*ours), turn(*theirs), turn(*ours)
        if found_a != found_c or (must_equal and not same(found_a, found_b)):
            raise SystemExit(f"{path.name}: answers differ: {found_a} {found_b} {found_c}")
        turns.append((a, b, c))
    return turns


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare with the Python peers installed.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=99, help="at most this many turns")
    parser.add_argument("--only", default="", metavar="WORD", help="only work with this in its name")
    options = parser.parse_args()
    for work, name, package, peer, rounds, must_equal in CASES:
        if options.only not in work:
            continue
        path = options.folder / name
        try:
            version = importlib.metadata.version(package)
            peer(path)
        except ImportError:
            print(f"{package}: skipped (not installed)", flush=True)
            continue
        turns = compare(path, peer, min(rounds, options.rounds), must_equal)
        row = measuring.row(work, f"{package} (Python)", version, turns, path.resolve().name)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
