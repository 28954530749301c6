"""pbrt scenes: text, PLY and packed files, beside what the same bytes cost at least and beside
other crates.

The scene is a twin of Moana at 1/80 (``solio-bench twin``). ``solio-bench scene`` measures its own
rows, beside pbrt-v4 itself where it is installed; the crates ``pbrt4``, ``serde-ply`` and
``ply-rs-bw``, and usd-core, load a file once in a process of their own, ours, peer, ours again, as
in ``native.py``. rs_pbrt has a parser for version 3 only, inside its command, so it is not measured.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import measuring
import native

Row = dict[str, Any]
SCALE, QUICK_SCALE = "1/80", "1/800"
# What a peer is called that has another name as a crate.
CRATES = {"libdeflate": "libdeflater"}


def rows(solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    twin = folder / "twin"
    command = [measuring.bench(solio), "twin", twin, "--scale", QUICK_SCALE if quick else SCALE]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    yield from own(solio, twin, quick)
    yield from crates(solio, folder, twin, quick)


def own(solio: Path, twin: Path, quick: bool) -> Iterator[Row]:
    """`solio-bench scene` in the form of the record."""
    command = [str(measuring.bench(solio)), "scene", str(twin), "--json", *(["--quick"] if quick else [])]
    if pbrt := shutil.which("pbrt"):
        command += ["--pbrt", pbrt]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for text in process.stdout:
            if not text.startswith("{"):
                print(text, end="", flush=True)
                continue
            line = json.loads(text)
            ours = {"ours_wall_s": line.get("wall_s"), "ours_cpu_s": line.get("cpu_s")}
            scale = QUICK_SCALE if quick else SCALE
            yield line | ours | {"work": line["case"], "raw_bytes": line["bytes"], "input": f"twin {scale}"}
    if process.returncode:
        raise SystemExit(f"solio-bench scene failed with exit code {process.returncode}")


def crates(solio: Path, folder: Path, twin: Path, quick: bool) -> Iterator[Row]:
    rust = str(native.build_rust())
    layer = twin / "isCoral" / "isCoral_xgFlutes.pbrt"
    size = layer.stat().st_size
    kept = f"{size / 1e6:.0f} MB of instances"
    mesh = folder / "triangles.ply"
    work = "scene text to statements, one file, one thread, a process"
    cases = [(work, "pbrt", "pbrt4", "solio", layer, kept, size, 3)]
    if mesh.exists():
        size = mesh.stat().st_size
        kept = f"{size / 1e6:.0f} MB of triangles"
        work = "PLY to arrays, one thread, a process"
        cases += [
            (work, "ply", "serde-ply", "solio-one", mesh, kept, size, 11),
            (work, "ply", "ply-rs-bw", "solio-one", mesh, kept, size, 5),
        ]
    packed = folder / "twin-gz"
    command = [measuring.bench(solio), "twin", packed, "--gz", "--scale", QUICK_SCALE if quick else SCALE]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    for kind, layer in (("instances", "isCoral/isCoral_xgFlutes"), ("curves", "isDunesA/isDunesA_xgGrass")):
        path = packed / f"{layer}.pbrt.gz"
        work = f"gzip of scene text to memory, {kind}"
        size = (twin / f"{layer}.pbrt").stat().st_size
        peers = ("libdeflate", "zlib-rs")
        cases += [(work, "gz", peer, "solio", path, path.name, size, 15) for peer in peers]
    for work, kind, peer, reader, path, what, size, rounds in cases:
        ours, theirs = [rust, kind, reader], [rust, kind, peer]
        first = native.turn(ours, path), native.turn(theirs, path)
        if first[0].answer != first[1].answer:
            raise SystemExit(f"{path}: answers differ: {first[0].answer}; {first[1].answer}")
        turn = lambda ours=ours, theirs=theirs, path=path: (
            native.turn(ours, path),
            native.turn(theirs, path),
            native.turn(ours, path),
        )
        turns = [turn() for _ in range(1 if quick else rounds)]
        version = native.version(CRATES.get(peer, peer))
        yield measuring.row(work, peer, version, turns, what) | {"raw_bytes": size}


def usd(interpreter: Path, solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """The matrices of all instances: a packed scene beside usd-core's own binary form of it.

    Each opens the file once, in a process of its own, and may use all threads.
    """
    ask = "import importlib.metadata as m; print(m.version('usd-core'))"
    asked = subprocess.run([interpreter, "-c", ask], capture_output=True, text=True, check=False)
    if asked.returncode:
        print("usd-core: skipped (not installed)", flush=True)
        return
    scene = folder / "twin" / "island.pbrt"
    packed, text, binary = (folder / f"island.{end}" for end in ("solio", "usda", "usdc"))
    quiet = ["--progress", "none"]
    for command in (["pack", scene, "-o", packed], ["convert", scene, "-o", text]):
        words = [str(word) for word in (solio, *command, *quiet)]
        subprocess.run(words, check=True, capture_output=True)
    export = "import sys; from pxr import Usd; Usd.Stage.Open(sys.argv[1]).Export(sys.argv[2])"
    subprocess.run([interpreter, "-c", export, text, binary], check=True)
    ours = [str(native.build_rust()), "packed", "solio"]
    theirs = [str(interpreter), str(Path(__file__).parent / "usd_instances.py")]
    turn = lambda: (
        native.turn(ours, packed), native.turn(theirs, binary), native.turn(ours, packed)
    )
    first = turn()
    if first[0].answer != first[1].answer:
        raise SystemExit(f"{scene}: answers differ: {first[0].answer}; {first[1].answer}")
    turns = [turn() for _ in range(1 if quick else 11)]
    work = "matrices of a scene's instances, a process"
    sizes = " and ".join(f"{p.stat().st_size / 1e6:.0f} MB of {p.suffix[1:]}" for p in (packed, binary))
    yield measuring.row(work, "usd-core", asked.stdout.strip(), turns, sizes)


def python(interpreter: Path, folder: Path, rounds: list[str], **more: Any) -> Iterator[Row]:
    """Binary PLY into NumPy: the same turns as those of meshes, on the machine of the scenes."""
    mesh = folder / "triangles.ply"
    command = [interpreter, Path(__file__).parent / "peers.py", folder, "--only", "read PLY, binary", *rounds]
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **more) as process:
        assert process.stdout
        for text in process.stdout:
            if text.startswith("{"):
                yield json.loads(text) | {"work": "PLY to NumPy", "raw_bytes": mesh.stat().st_size}
            else:
                print(text, end="", flush=True)
    if process.returncode:
        raise SystemExit(f"peers.py failed with exit code {process.returncode}")
