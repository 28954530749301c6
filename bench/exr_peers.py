"""Compares OpenEXR images: `solio-bench exr` with the compiled and the Python peers, and the tools.

The compiled peers are `bench/peers-c/openexr.cpp`, where SOLIO_OPENEXR names the prefix under which
OpenEXR 3.5 is installed (with Imath's headers) as it is distributed, and SOLIO_OPENEXR_NATIVE one
whose library is compiled for this CPU (its SSE 4.1 code is in no other); and `bench/peers-rs` with
the `exr` crate. Images: photographs and graphics of SOLIO_DATA/exr (default: ../shared/data/exr),
and a render of 60 channels that a Python with bpy makes (SOLIO_EXR_RENDER names one that is there
already).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import measuring

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
Row = dict[str, Any]
CLASSES = {
    "photographs": [
        "openexr-images/ScanLines/CandleGlass.exr",
        "openexr-images/ScanLines/Desk.exr",
        "openexr-images/ScanLines/Carrots.exr",
        "openexr-images/Chromaticities/Rec709.exr",
        "exrs/tests/images/valid/custom/crowskull/crow_zip_half.exr",
    ],
    "graphics": [
        "openexr-images/TestImages/SquaresSwirls.exr",
        "openexr-images/TestImages/BrightRingsNanInf.exr",
        "openexr-images/TestImages/RgbRampsDiagonal.exr",
        "openexr-images/MultiResolution/WavyLinesSphere.exr",
        "fls/RenderPass_Beauty_1_00000.exr",
        "fls/RenderPass_Beauty_1_00050.exr",
    ],
}
HEADERS, A_CALL = 100_000, 2_000


def data() -> Path:
    return Path(os.environ.get("SOLIO_DATA", ROOT / ".." / "shared" / "data")).resolve() / "exr"


def build_openexr(build: Path, variable: str) -> Path | None:
    """The peer with OpenEXR's C++ library, linked with whatever kind of library is there."""
    if not (prefix := os.environ.get(variable)):
        print(f"OpenEXR (C++): skipped ({variable} names no prefix)", flush=True)
        return None
    folders = [p for name in ("lib", "lib64") if (p := Path(prefix) / name).is_dir()]
    names = ("OpenEXR", "OpenEXRCore", "IlmThread", "Iex", "Imath", "openjph")
    libraries = []
    for name in names:
        ends = [f"lib{name}[-.]*{end}" for end in ("a", "so")]
        found = [path for folder in folders for end in ends for path in sorted(folder.glob(end))]
        libraries += [str(path) for path in found[:1]]
    program = build / variable.lower()
    includes = [f"-I{prefix}/include{more}" for more in ("", "/OpenEXR", "/Imath")]
    flags = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", *includes]
    linked = ["-Wl,--start-group", *libraries, "-Wl,--end-group", "-pthread"]
    paths = [f"-Wl,-rpath,{folder}" for folder in folders]
    source = str(BENCH / "peers-c" / "openexr.cpp")
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, *flags, source, "-o", str(program), *linked, *paths]
    subprocess.run(command, check=True)
    return program


def render(folder: Path, with_bpy: str | None) -> Path | None:
    """The render of 60 channels, made once for a build folder."""
    if known := os.environ.get("SOLIO_EXR_RENDER"):
        return Path(known)
    target = folder / "60-channel-render.exr"
    if not target.exists():
        if not with_bpy:
            print("60-channel render: skipped (no Python with bpy)", flush=True)
            return None
        command = [with_bpy, str(BENCH / "exr_render.py"), str(target)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def classes(folder: Path, made: Path | None) -> list[Path]:
    """A folder, or a file, for each class of images that is there."""
    paths = []
    for name, files in CLASSES.items():
        there = [path for file in files if (path := data() / file).exists()]
        if not there:
            print(f"{name}: skipped (no images in {data()})", flush=True)
            continue
        (folder / name).mkdir()
        for path in there:
            shutil.copy(path, folder / name)
        paths.append(folder / name)
    if made:
        paths.append(folder / "60-channel-render.exr")
        shutil.copy(made, paths[-1])
    return paths


def compared(
    solio: Path, paths: list[Path], compiled: dict[str, str], python: Path, quick: bool
) -> Iterator[Row]:
    """`solio-bench exr` in the form of the record."""
    command = [str(measuring.bench(solio)), "exr", "--json", "--python", str(python), *map(str, paths)]
    for name, program in compiled.items():
        command += ["--peer", f"{name}={program}"]
    if quick:
        command.append("--quick")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for text in process.stdout:
            line = json.loads(text)
            ours = {"ours_wall_s": line["wall_s"], "ours_cpu_s": line["cpu_s"]}
            yield line | ours | {"work": line["case"]}
    if process.returncode:
        raise SystemExit(f"solio-bench exr failed with exit code {process.returncode}")


def run(command: list[str | Path], look: Callable[[], str]) -> measuring.Turn:
    """A process: its wall and CPU seconds, and what it left, which is looked at afterwards."""
    start = time.perf_counter()
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen([str(w) for w in command], stdout=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed with exit code {process.returncode}")
    return measuring.Turn(wall, usage.ru_utime + usage.ru_stime, look())


def headers(solio: Path, folder: Path, version: str, quick: bool) -> Iterator[Row]:
    """The headers of many small files, beside OpenEXR's own tool."""
    exrinfo = Path(os.environ.get("SOLIO_OPENEXR", "")) / "bin" / "exrinfo"
    frames = sorted(data().glob("fls/*.exr"))
    if not exrinfo.exists() or not frames:
        print("headers: skipped (no exrinfo under SOLIO_OPENEXR, or no frames)", flush=True)
        return
    count = HEADERS // 10 if quick else HEADERS
    links = folder / "headers"
    links.mkdir()
    copies = [Path(shutil.copy(frame, folder)) for frame in frames]
    files = [links / f"frame.{i:06}.exr" for i in range(count)]
    for i, file in enumerate(files):
        os.link(copies[i % len(copies)], file)
    work = f"EXR headers of {count} files ({len(copies)} and links to them), {A_CALL} a call"
    # Solio prints all attributes; exrinfo does only with -a.
    for flags in ([], ["-a"]):
        turns = []
        for i in range(0, count, A_CALL):
            some = files[i : i + A_CALL]
            look = lambda: f"{len(some)} files a call"
            ours = [solio, "info", *some]
            turns.append((run(ours, look), run([exrinfo, *flags, *some], look), run(ours, look)))
        yield measuring.row(work, " ".join(["exrinfo", *flags]), version, turns, "fls")


def attributes(solio: Path, folder: Path, image: Path, quick: bool) -> Iterator[Row]:
    """An attribute is set in a large file, beside copying it."""
    out, copy = folder / "set.exr", folder / "copy.exr"

    def turn(command: list[str | Path], path: Path) -> measuring.Turn:
        path.unlink(missing_ok=True)
        return run(command, lambda: f"{path.stat().st_size} bytes")

    set_it = [solio, "set", "owner=bench", image, "-o", out]
    if subprocess.run([str(w) for w in set_it], capture_output=True, check=False).returncode:
        print("set: skipped (solio set does not work here)", flush=True)
        return
    turns = []
    for _ in range(5 if quick else 15):
        turns.append((turn(set_it, out), turn(["cp", image, copy], copy), turn(set_it, out)))
    size = image.stat().st_size / 1e6
    yield measuring.row(f"EXR set of an attribute in {size:.0f} MB", "cp", "", turns, image.name)
