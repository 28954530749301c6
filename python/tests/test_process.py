"""What concerns the process: Ctrl-C, other threads, the time of the import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import solio

LONG_JOB = """
import signal, sys, solio
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
mesh = solio.read_mesh(sys.argv[1])
print("ready", flush=True)
try:
    while True:
        if sys.argv[3] == "write":
            solio.write_mesh(mesh, sys.argv[2], position_digits=17, threads=1)
        else:
            solio.read_mesh(sys.argv[1], threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


LONG_JOB_OF_IMAGES = """
import itertools, signal, sys, solio
signal.signal(signal.SIGINT, signal.default_int_handler)
image = solio.read_image(sys.argv[1])
print("ready", flush=True)
try:
    for done in solio.read_images(itertools.repeat(sys.argv[1], 10000), ahead=4, threads=2):
        solio.write_image(done.image, sys.argv[2], compression="zstd:19", threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("what", ["read", "write"])
def test_ctrl_c_stops_the_work(big_obj: Path, tmp_path: Path, what: str) -> None:
    interrupt(LONG_JOB, str(big_obj), str(tmp_path / "out.obj"), what)
    assert [p.name for p in tmp_path.iterdir() if p.suffix not in (".obj", ".mtl")] == []


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_images(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).random((1000, 1000, 4), np.float32)
    solio.write_image(noise, tmp_path / "in.exr", compression="none")
    interrupt(LONG_JOB_OF_IMAGES, str(tmp_path / "in.exr"), str(tmp_path / "out.exr"))
    assert {p.name for p in tmp_path.iterdir()} <= {"in.exr", "out.exr"}


def interrupt(code: str, *arguments: str) -> None:
    """Runs `code` until it is ready, and stops it by Ctrl-C."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out == "interrupted\n"
    assert process.returncode == 0


def test_other_threads_run_meanwhile(big_obj: Path) -> None:
    ticks = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.wait(0.001):
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    while time.perf_counter() - start < 0.3:
        solio.read_mesh(big_obj, threads=1)
    stop.set()
    ticker.join()
    assert ticks > 20


def test_the_import_loads_little() -> None:
    """The import takes what NumPy does not already load from our own files only."""
    code = (
        "import sys, numpy; before = set(sys.modules); import solio; "
        "print(*sorted(m for m in set(sys.modules) - before if m[:5] not in ('solio', '__fut')))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == []
