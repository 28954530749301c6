"""Compares catalogues, lists, checks and hashes with other programs: the part `catalog` of bench/run.

Every turn is a process of its own, from its start to its end, with all files in the page cache;
what is read was looked at once before. Peers that are not installed are skipped. Names of programs
are found on PATH: fdfind (or fd), fls (of the crate framels, or SOLIO_FLS), jdupes, fdupes; pyseq,
Fileseq and ascmhl are those of bench/requirements.txt.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import catalog_damage
import catalog_kills
import catalog_trees as trees
import measuring
from catalog_processes import (
    WORK, Command, Row, Side, compared, files_of, gone, package, program, run, version_of,
)  # fmt: skip

BENCH = Path(__file__).resolve().parent


def build_walker(build: Path) -> Path:
    """The bare walk in C."""
    build.mkdir(parents=True, exist_ok=True)
    walker = build / "statwalk"
    compiler, source = os.environ.get("CC", "cc"), BENCH / "peers-c" / "statwalk.c"
    subprocess.run([compiler, "-O2", str(source), "-o", str(walker)], check=True)
    return walker


def walks(solio: Path, build: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """50,000 files: names and sizes; kinds, too; all of a first scan."""
    count = 5_000 if quick else 50_000
    root = trees.frames(folder / "walk", count, content=trees.EXR_MARK + b"junk")
    out, data = folder / "walk.sqlite", f"{count} files in folders of 1000"
    if fd := program("fdfind", "fd"):
        version, rounds = version_of(fd, "--version"), 5 if quick else 15
        theirs = Side([fd, "--unrestricted", "--type", "f", ".", root])
        listed = Side([solio, "scan", "-n", "--json", root, "-o", out], files_of)
        yield compared("walk, with sizes and times", "fd", version, listed, theirs, rounds, data)
        kinds = Side([measuring.bench(solio), "catalog", "--json", "--kinds", root], files_of)
        yield compared("walk, with kinds", "fd", version, kinds, theirs, rounds, data)
        first = [solio, "scan", "--json", root, "-o", out]
        scan = Side(first, files_of, before=gone(out))
        yield compared("first scan into SQLite", "fd", version, scan, theirs, rounds, data)
    kinds = Side([measuring.bench(solio), "catalog", "--json", "-j", "1", "--kinds", root], files_of)
    theirs = Side([build_walker(build), root, "heads"], str.strip)
    peer = "statwalk, reading heads (C, one thread)"
    yield compared("walk, with kinds, one thread", peer, "", kinds, theirs, 5 if quick else 15, data)
    gone(out)()
    shutil.rmtree(root)


def lists(solio: Path, python: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """`solio ls` of 49,500 frames, in 50 folders and in one."""
    rounds = 5 if quick else 11
    for name, a_folder in (("50 folders", 990), ("one folder", 49_500)):
        root = trees.frames(folder / "ls", 49_500, a_folder)
        data = f"49500 names in {name}"
        ours = Side([solio, "ls", "-r", root])
        if fls := os.environ.get("SOLIO_FLS") or program("fls"):
            theirs, version = Side([fls, "-r", root]), version_of(fls, "--version")
            yield compared(f"list of {data}", "fls (framels)", version, ours, theirs, rounds, data)
        for package_name, code in (
            ("pyseq", "import pyseq, sys\nfor _ in pyseq.walk(sys.argv[1]):\n  for s in _[2]: print(s)"),
            ("Fileseq", "import fileseq, os, sys\nfor folder, *_ in os.walk(sys.argv[1]):\n"
                        "  for s in fileseq.findSequencesOnDisk(folder): print(s)"),
        ):  # fmt: skip
            if version := package(python, package_name):
                theirs = Side([python, "-c", code, root])
                yield compared(f"list of {data}", package_name, version, ours, theirs, 3, data)
        shutil.rmtree(root)


def rescans(solio: Path, build: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """A tree that has not changed, against nothing but looking at every name."""
    count = 100_000 if quick else 1_000_000
    walker = build_walker(build)
    root = trees.frames(folder / "rescan", count, 250)
    out, data, rounds = folder / "rescan.sqlite", f"{count} files in folders of 250", 3 if quick else 7
    run([solio, "scan", root, "-o", out])
    theirs = Side([walker, root], str.strip)
    for name, jobs in (("one thread", ["-j", "1"]), ("all cores", [])):
        ours = Side([solio, "scan", "--json", root, "-o", out, *jobs], files_of)
        work = f"rescan of {count} unchanged files, {name}"
        yield compared(work, "statwalk (C, one thread)", "", ours, theirs, rounds, data)
    gone(out)()
    shutil.rmtree(root)


def inserts(solio: Path, python: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """Rows alone; each side says itself how long that took."""
    count, rounds = 100_000 if quick else 1_000_000, 3 if quick else 5
    environment = {"env": os.environ | {"TMPDIR": str(folder)}}

    def turn(command: Command) -> measuring.Turn:
        told = json.loads(run(command, **environment).output)
        return measuring.Turn(told["wall_s"], told["cpu_s"], told["answer"])

    schema = folder / "schema.sqlite"
    (folder / "empty").mkdir()
    run([solio, "scan", folder / "empty", "-o", schema])
    ours: Command = [measuring.bench(solio), "catalog", "--json", "--rows", str(count)]
    theirs: Command = [python, BENCH / "catalog_insert.py", schema, str(count)]
    turn(ours), turn(theirs)
    turns = [(turn(ours), turn(theirs), turn(ours)) for _ in range(rounds)]
    version = version_of(str(python), "-c", "import sqlite3; print(sqlite3.sqlite_version)")
    work = f"{WORK}{count} rows inserted into a new one"
    yield measuring.row(work, "sqlite3 (Python, no index)", version, turns, f"{count} rows")


def starts(solio: Path, quick: bool) -> Iterator[Row]:
    """The shortest of all commands."""
    file = catalog_damage.data() / "exr" / "openexr-images" / "ScanLines" / "Desk.exr"
    if not file.exists():
        print(f"start: skipped (no {file})", flush=True)
        return
    ours, theirs = Side([solio, "info", file]), Side([shutil.which("true") or "true"])
    work = "start, and info of one file"
    yield compared(work, "true (coreutils)", "", ours, theirs, 21 if quick else 201, file.name)


def hashes(solio: Path, python: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """A history of a folder, beside the reference tool."""
    if not (version := package(python, "ascmhl")):
        return
    root = trees.noise(folder / "mhl", 100 if quick else 1000)
    size = sum(p.stat().st_size for p in root.rglob("*.bin"))
    before = lambda: shutil.rmtree(root / "ascmhl", ignore_errors=True)

    def answer(_: str) -> str:
        text = next((root / "ascmhl").glob("*.mhl")).read_text()
        return f"{text.count('<hash>')} files"

    tool, data = python.parent / "ascmhl", f"{size / 1e6:.0f} MB"
    for name in ("xxh128", "xxh64", "md5", "sha1", "c4"):
        ours = Side([solio, "hash", "--mhl", "-a", name, "-q", root], answer, before)
        theirs = Side([tool, "create", "-h", name, root], answer, before)
        yield compared(f"hash --mhl, {name}", "ascmhl", version, ours, theirs, 3 if quick else 7, data)
    shutil.rmtree(root)


def duplicates(solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    root = trees.copies(folder / "dup", 1_000 if quick else 9_000)
    groups = lambda output: f"{sum(1 for part in output.split(2 * chr(10)) if part.strip())} groups"
    told = lambda output: f"{len(output.splitlines())} groups"
    ours = Side([solio, "dup", "--json", root], told, accepted=(0, 1))
    for name, more in (("jdupes", ["-r", "-q"]), ("jdupes", ["-r", "-q", "-Q"]), ("fdupes", ["-r", "-q"])):
        if tool := program(name):
            theirs = Side([tool, *more, root], groups)
            peer = name + (" -Q (hashes alone)" if "-Q" in more else "")
            version = version_of(tool, "-v")
            rounds, data = 3 if quick else 7, f"{sum(1 for _ in root.rglob('f*'))} files"
            yield compared("duplicates", peer, version, ours, theirs, rounds, data)
    shutil.rmtree(root)


def peaks(solio: Path, folder: Path) -> Iterator[Row]:
    """Memory of a scan that does everything on many threads."""
    root = catalog_damage.data()
    if not root.exists():
        print(f"peak memory: skipped (no {root})", flush=True)
        return
    out = folder / "peak.sqlite"
    command: Command = [solio, "scan", root, "-o", out, "--check", "--deep", "--hash", "xxh128", "--thumbnails"]
    done = run([*command, "-j", "96", "--mem", "1G", "--json"], accepted=(0, 1))
    yield {
        "work": WORK + "peak memory of a scan, -j 96 --mem 1G",
        "peer": "the budget",
        "input": root.name,
        "ours_bytes": done.peak_bytes,
        "peer_bytes": 1 << 30,
        "ratio_bytes": done.peak_bytes / (1 << 30),
        "answer": f"{done.peak_bytes / 2**20:.0f} MiB, {files_of(done.output)}",
    }
    gone(out)()


def rows(solio: Path, python: Path, build: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """All but the engines, which need the package: those are bench/catalog_engines.py."""
    yield from walks(solio, build, folder, quick)
    yield from lists(solio, python, folder, quick)
    yield from rescans(solio, build, folder, quick)
    yield from inserts(solio, python, folder, quick)
    yield from starts(solio, quick)
    yield from catalog_damage.rows(solio, folder, quick)
    yield from hashes(solio, python, folder, quick)
    yield from duplicates(solio, folder, quick)
    yield from catalog_kills.rows(solio, folder, quick)
    yield from peaks(solio, folder)
