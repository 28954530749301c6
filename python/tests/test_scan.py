"""Scans of trees: rows for Arrow's users, in parts that give the whole."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import solio

pyarrow: Any = pytest.importorskip("pyarrow")
compute: Any = pytest.importorskip("pyarrow.compute")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for n in range(250):
        folder = tmp_path / "r" / f"{n // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"a.{n:04}.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "r" / "broken.ply").write_bytes(b"ply\nformat x\n")
    os.symlink("0", tmp_path / "r" / "link")
    Path(os.fsdecode(os.fsencode(tmp_path / "r") + b"/caf\xe9.txt")).write_text("x")
    return tmp_path / "r"


def table(scan: solio.Scan) -> Any:
    return pyarrow.table(scan)


def test_a_scan_is_a_table(tree: Path) -> None:
    scan = solio.scan(tree, deep=True, hash=True)
    assert len(scan) == 253 and scan.errors == ()
    found = table(scan)
    assert found.num_rows == 253
    kinds = found.column("kind").to_pylist()
    assert (kinds.count("obj"), kinds.count("link"), kinds.count("text")) == (250, 1, 1)
    row = found.filter(compute.equal(found["name"], "a.0007.obj")).to_pylist()[0]
    assert (row["faces"], row["max_x"], row["sequence"], row["frame"]) == (1, 1.0, "a.#.obj", 7)
    assert row["modified"].year >= 2024 and len(row["xxh128"]) == 32
    broken = [p for p in found.column("problems").to_pylist() if p]
    assert len(broken) == 1 and "line 2" in broken[0]
    odd = [p for p in found.column("path_bytes").to_pylist() if p]
    assert odd[0].endswith(b"/caf\xe9.txt")
    assert found.column("path").to_pylist() == [p for p in found.column("path").to_pylist() if p]
    assert table(solio.scan(tree, threads=1, deep=True, hash=True)).equals(found)


def test_parts_give_the_whole_also_in_other_processes(tree: Path) -> None:
    scan = solio.scan(tree)
    whole = table(scan)
    shards = scan.shards(7)
    assert [len(s) for s in shards] == [36, 36, 36, 36, 36, 36, 37]
    assert pyarrow.concat_tables([table(s) for s in shards]).equals(whole)
    assert pickle.loads(pickle.dumps(shards[3])) == shards[3]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(table, shards))
    assert pyarrow.concat_tables(parts).equals(whole)
    assert [len(s) for s in solio.scan(tree / "missing.txt").shards(5)] == [1]
    with pytest.raises(solio.ArgumentError):
        scan.shards(0)


def test_what_is_missing_is_a_row_or_an_error(tree: Path) -> None:
    scan = solio.scan([tree / "missing", tree / "broken.ply"])
    rows = table(scan).to_pylist()
    assert [row["name"] for row in rows] == ["broken.ply", "missing"]
    assert "No such file" in rows[1]["problems"] and rows[1]["size"] is None


def test_arguments_of_a_scan(tree: Path) -> None:
    scan = solio.scan(tree, memory_bytes=1 << 26, threads=1)
    assert scan.options["memory_bytes"] == 1 << 26
    assert table(scan).num_rows == len(scan)
    with pytest.raises(solio.ArgumentError, match="memory_bytes"):
        solio.scan(tree, memory_bytes=-1)
    with pytest.raises(solio.IoError):
        solio.scan("")


LONG_SCAN = """
import os, signal, sys, time, pyarrow, solio
signal.signal(signal.SIGINT, signal.default_int_handler)
scan = solio.Scan((os.fsencode(sys.argv[1]),) * 3000, (), {"hash": True, "threads": 2})
try:
    print("ready", flush=True)
    pyarrow.RecordBatchReader.from_stream(scan).read_all()
except pyarrow.ArrowException as error:
    print(error, flush=True)
    while True:  # the signal itself comes as soon as the interpreter goes on
        time.sleep(0.01)
except KeyboardInterrupt:
    pass
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_a_table(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 30)
    command = [sys.executable, "-c", LONG_SCAN, str(tmp_path / "sparse")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert b"KeyboardInterrupt" in errors or process.returncode == 0
