"""Files of folders: checked, compared, hashed, listed, beside what the standard library says."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

import solio

COMMAND = Path(sysconfig.get_path("scripts")) / "solio"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "a.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "broken.obj": "v 0 0 0\nv one 0 0\n",
        "s/f.0001.txt": "one\n",
        "s/f.0002.txt": "two\n",
        "s/f.0004.txt": "four\n",
        "s/cache/copy.txt": "one\n",
        ".DS_Store": "x",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_damage_and_missing_frames_are_found(tree: Path) -> None:
    found = {check.path: check for check in solio.check(tree)}
    assert found[tree / "a.obj"].ok
    assert not found[tree / "broken.obj"].ok
    assert [it.kind for it in found[tree / "s"].problems] == ["missing-frames"]
    assert tree / ".DS_Store" not in found
    assert tree / ".DS_Store" in {check.path for check in solio.check(tree, keep_all=True)}
    [gone] = solio.check(tree / "gone.exr")
    assert isinstance(gone.error, solio.IoError)


def test_equal_files_are_found_and_ordered(tree: Path) -> None:
    found = solio.duplicates(tree)
    [group] = found.groups
    assert found.wasted_bytes == 4 and {file[0].name for file in group.files} == {"f.0001.txt", "copy.txt"}
    os.utime(tree / "s/cache/copy.txt", (1, 1))
    [group] = solio.duplicates(tree, keep=["oldest"]).groups
    assert group.files[0] == (tree / "s/cache/copy.txt",)
    assert solio.duplicates(tree, exclude=["cache/"]).groups == ()
    with pytest.raises(solio.ArgumentError):
        solio.duplicates(tree, keep=["best"])


def test_digests_are_those_of_hashlib(tree: Path) -> None:
    found = solio.hash(tree, ["sha256", "md5"], exclude=["*.obj"])
    assert [it.path.name for it in found] == ["copy.txt", "f.0001.txt", "f.0002.txt", "f.0004.txt"]
    for it in found:
        for name in ("sha256", "md5"):
            assert it.digests[name] == hashlib.new(name, it.path.read_bytes()).hexdigest()
    with pytest.raises(solio.ArgumentError):
        solio.hash(tree, "crc")


def test_sequences_tell_what_is_missing(tree: Path) -> None:
    entries = solio.sequences(tree / "s", sizes=True)
    [sequence] = [entry for entry in entries if entry.kind == "sequence"]
    assert (sequence.frames, sequence.missing, sequence.expected, sequence.bytes) == ((1, 2, 4), "3", 4, 13)
    assert {entry.kind for entry in entries} == {"sequence", "folder"}
    with pytest.raises(solio.Error):
        solio.sequences(tree / "nothing")


def test_catalogues_are_compared(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("catalogues")

    def scan(name: str) -> None:
        subprocess.run([COMMAND, "scan", tree, "-o", out / name], check=True)

    scan("a.sqlite")
    (tree / "a.obj").rename(tree / "b.obj")
    (tree / "new.txt").write_text("new")
    scan("b.parquet")
    found = solio.diff_catalogs(out / "a.sqlite", out / "b.parquet")
    assert [(it.change, it.path.name) for it in found] == [("moved", "b.obj"), ("added", "new.txt")]
    assert found[0].old_path == tree / "a.obj"
