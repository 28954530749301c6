"""`solio ls` reads and tells sequences as Fileseq does: its documented grammar, example by example.

Needs the package `Fileseq`, and the command: SOLIO_COMMAND, or one on PATH. Not asked for here are
what Solio does not read, frames between whole ones, and what it reads otherwise on purpose, several #.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

fileseq = pytest.importorskip("fileseq", reason="Fileseq is not installed")
COMMAND = os.environ.get("SOLIO_COMMAND") or shutil.which("solio")
if not COMMAND or not Path(COMMAND).exists():
    pytest.skip("there is no command solio (SOLIO_COMMAND)", allow_module_level=True)

RANGES = [
    "1-10",
    "1-10,10-20",
    "1-100x5",
    "1-100y5",
    "1-100:3",
    "1-100:8",
    "-10-100",
    "1-5",
    "5",
    "1,3,5-9x2,20",
]
PADDINGS = ["#", "@", "@@@", "@@@@@", "%04d", "%01d", "$F4", "$F", "<UDIM>", "%(UDIM)d"]


def ls(folder: Path, *arguments: str) -> bytes:
    command = [COMMAND or "", "ls", *arguments]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE).stdout


def lines(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ls(folder, "--json", *arguments).splitlines()]


def make(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).write_bytes(b"")


def held(folder: Path, pattern: str) -> None:
    """The frames that a pattern names are Fileseq's; others that are there are left alone."""
    wanted = [str(name) for name in fileseq.FileSequence(pattern)]
    width = len(wanted[-1]) - len("bar..exr")
    make(folder, [*wanted, f"bar.{777777:0{width}}.exr", "bar.x.exr"])
    (line,) = lines(folder, pattern)
    assert (line["present"], line["expected"]) == (len(set(wanted)),) * 2, line
    assert line["missing"] == ""
    (found,) = ls(folder, "--print0", pattern).decode().split("\0")[:-1]
    assert {str(name) for name in fileseq.FileSequence(found)} == set(wanted)


@pytest.mark.parametrize("frames", RANGES)
def test_ranges_are_those_of_fileseq(frames: str, tmp_path: Path) -> None:
    held(tmp_path, f"bar.{frames}#.exr")


@pytest.mark.parametrize("padding", PADDINGS)
def test_paddings_are_those_of_fileseq(padding: str, tmp_path: Path) -> None:
    held(tmp_path, f"bar.1001-1010{padding}.exr")
    (line,) = lines(tmp_path, f"bar.1001-1010{padding}.exr")
    assert line["padding"] == fileseq.FileSequence(f"bar.1001-1010{padding}.exr").zfill()


def test_what_is_missing_is_what_fileseq_misses(tmp_path: Path) -> None:
    make(tmp_path, [f"bar.{frame:04}.exr" for frame in (*range(1, 30), 31, 33, 50)])
    (line,) = lines(tmp_path, "bar.#.exr")
    theirs = fileseq.findSequenceOnDisk(str(tmp_path / "bar.@.exr"))
    missing = fileseq.FrameSet(theirs.invertedFrameRange())
    assert set(fileseq.FrameSet(line["missing"])) == set(missing)
    assert line["frames"] == str(theirs.frameSet())


def test_folders_hold_the_sequences_that_fileseq_finds(tmp_path: Path) -> None:
    make(tmp_path, [f"bty_foo.{frame:04}.exr" for frame in range(1, 11)])
    make(tmp_path, [f"bty_foo.{frame:04}.jpg" for frame in range(3, 11)])
    make(tmp_path, [f"left_{frame:03}.exr" for frame in (1, 2, 3, 7)])
    make(tmp_path, [f"n{frame}.png" for frame in range(8, 13)])
    make(tmp_path, ["notes.txt"])
    theirs = {
        (s.basename(), s.extension(), str(s.frameSet() or ""), s.zfill())
        for s in fileseq.findSequencesOnDisk(str(tmp_path))
    }
    ours = set()
    for line in lines(tmp_path, "."):
        if line["type"] != "sequence":
            ours.add((Path(line["path"]).stem, Path(line["path"]).suffix, "", 0))
            continue
        sequence = fileseq.FileSequence(line["path"])
        ours.add((sequence.basename(), sequence.extension(), line["frames"], line["padding"]))
    assert ours == theirs
