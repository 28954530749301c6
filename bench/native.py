"""Compares reading OBJ with the compiled peers: tobj, and fast_obj and rapidobj where they are.

Every turn is a process of its own, which loads the file once and says how long that took: what
a program pays that loads one mesh, fresh memory included. Ours, peer, ours again. The drivers in
`bench/peers-rs` and `bench/peers-c` are a few lines each around the peer's usual call.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import measuring

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "bench" / "peers-rs"
# The peer's flags: the best a user would give; ours is the ordinary release build.
FLAGS = ["-O3", "-march=native", "-DNDEBUG"]


def turn(driver: list[str], path: Path) -> measuring.Turn:
    output = subprocess.run([*driver, str(path)], check=True, capture_output=True, text=True)
    wall_s, cpu_s, answer = output.stdout.split(maxsplit=2)
    return measuring.Turn(float(wall_s), float(cpu_s), answer.strip())


def build_rust() -> Path:
    command = ["cargo", "build", "--release", "--quiet", "--message-format", "json"]
    output = subprocess.run(command, cwd=CRATE, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in output.stdout.splitlines()]
    return next(Path(m["executable"]) for m in messages if m.get("executable"))


def build_c(build: Path, compiler: list[str], source: str, include: Path) -> Path:
    program = build / Path(source).stem
    file = ROOT / "bench" / "peers-c" / source
    subprocess.run([*compiler, *FLAGS, f"-I{include}", str(file), "-o", str(program)], check=True)
    return program


def git_version(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "describe", "--tags", "--always"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def version(crate: str) -> str:
    lock = (CRATE / "Cargo.lock").read_text()
    return lock.split(f'name = "{crate}"\nversion = "')[1].split('"')[0]


def peers(build: Path, rust: Path) -> Iterator[tuple[str, str, list[str], int]]:
    """Name, version, driver and rounds of each peer that is there."""
    yield "tobj", version("tobj"), [str(rust), "tobj"], 5
    if checkout := os.environ.get("SOLIO_FAST_OBJ"):
        include = Path(checkout)
        driver = build_c(build, [os.environ.get("CC", "cc")], "fast_obj.c", include)
        yield "fast_obj", git_version(include), [str(driver)], 11
    else:
        print("fast_obj: skipped (SOLIO_FAST_OBJ names no checkout)", flush=True)
    if checkout := os.environ.get("SOLIO_RAPIDOBJ"):
        include = Path(checkout) / "include" / "rapidobj"
        compiler = [os.environ.get("CXX", "c++"), "-std=c++17", "-pthread"]
        driver = build_c(build, compiler, "rapidobj.cpp", include)
        yield "rapidobj", git_version(Path(checkout)), [str(driver)], 9
    else:
        print("rapidobj (C++): skipped (SOLIO_RAPIDOBJ names no checkout)", flush=True)


def rows(inputs: Path, build: Path) -> Iterator[dict[str, object]]:
    rust = build_rust()
    ours = [str(rust), "solio"]
    path = inputs / "mesh.obj"
    for name, version, driver, rounds in peers(build, rust):
        turn(ours, path), turn(driver, path)
        turns = [(turn(ours, path), turn(driver, path), turn(ours, path)) for _ in range(rounds)]
        yield measuring.row("read OBJ", name, version, turns, path.resolve().name)
