"""Compares the C interface with the C and C++ readers of PLY, and with the same calls from Rust.

Every turn is a process of its own with one thread, which reads the file once, also into arrays of
positions and triangles where its peer does. The peers' readers are built from the checkouts that
SOLIO_RPLY and SOLIO_MINIPLY name.
"""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import measuring
import native

FILES = {"triangles.ply": "binary PLY", "triangles-ascii.ply": "ASCII PLY", "triangles.ply.gz": "PLY.gz"}
ROUNDS = 11


def compile_driver(build: Path, compiler: list[str], source: str, more: list[str | Path]) -> Path:
    program = build / Path(source).stem
    file = native.ROOT / "bench" / "peers-c" / source
    words = [*compiler, *native.FLAGS, file, *more, "-o", program]
    subprocess.run([str(word) for word in words], check=True)
    return program


def solio(build: Path) -> tuple[Path, Path]:
    """Our driver, linked with the library of an ordinary release build, and its twin in Rust."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "solio-c", "--lib", "--example", "twin"]
    subprocess.run(command, cwd=native.ROOT, check=True)
    release = build.parent / "release"
    installed = build / "c"
    subprocess.run([native.ROOT / ".ci" / "install-c", release, installed], check=True, stdout=subprocess.DEVNULL)
    library = installed / "lib"
    flags = [f"-I{installed / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lsolio_c"]
    driver = compile_driver(build, [os.environ.get("CC", "cc"), "-std=c99"], "solio_c.c", flags)
    return driver, release / "examples" / "twin"


def peers(build: Path) -> Iterator[tuple[str, str, Path]]:
    """Name, version and driver of each peer that is there."""
    found = {}
    for name in ("RPly", "miniply"):
        place = f"SOLIO_{name.upper()}"
        if checkout := os.environ.get(place):
            found[name] = Path(checkout)
        else:
            print(f"{name}: skipped ({place} names no checkout)", flush=True)
    if checkout := found.get("RPly"):
        source = next(checkout.rglob("rply.c"))
        folders = {f"-I{header.parent}" for header in checkout.rglob("rply*.h")}
        compiler = [os.environ.get("CC", "cc"), "-std=gnu99"]
        yield "RPly", "1.1.4", compile_driver(build, compiler, "rply.c", [source, *folders])
    if checkout := found.get("miniply"):
        compiler = [os.environ.get("CXX", "c++"), "-std=c++11"]
        more = [checkout / "miniply.cpp", f"-I{checkout}"]
        yield "miniply", native.git_version(checkout), compile_driver(build, compiler, "miniply.cpp", more)


def compare(
    work: str, name: str, version: str, ours: list[str], theirs: list[str], path: Path
) -> dict[str, object]:
    run = native.turn
    run(ours, path), run(theirs, path)
    turns = [(run(ours, path), run(theirs, path), run(ours, path)) for _ in range(ROUNDS)]
    for mine, other, _ in turns:
        assert mine.answer == other.answer, (mine.answer, other.answer)
    return measuring.row(work, name, version, turns, path.name)


def rows(command: Path, inputs: Path, build: Path) -> Iterator[dict[str, object]]:
    ours, rust = map(str, solio(build))
    for name, version, driver in peers(build):
        for file in ("triangles.ply", "triangles-ascii.ply"):
            for how, mode in (("arrays that stay where they are", "mesh"), ("arrays of the caller", "arrays")):
                row = f"read {FILES[file]} into {how}, C, one thread"
                yield compare(row, name, version, [ours, mode], [str(driver)], inputs / file)
    packed = inputs / "triangles.ply.gz"
    packed.write_bytes(gzip.compress((inputs / "triangles.ply").read_bytes(), 6))
    for file in ("triangles.ply", "triangles.ply.gz"):
        row = f"read {FILES[file]}, C, one thread"
        yield compare(row, "the same in Rust", "", [ours, "mesh"], [rust, "mesh"], inputs / file)
    image = inputs / "window.exr"
    made = ["gradient", "viridis", "--size", "4096x4096", "-o", image]
    subprocess.run([str(word) for word in [command, *made]], check=True)
    row = "window of an OpenEXR into pixels with a stride, C, one thread"
    yield compare(row, "the same in Rust", "", [ours, "window"], [rust, "window"], image)
