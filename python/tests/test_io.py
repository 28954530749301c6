"""The asynchronous engine from Python."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import solio
from solio import _solio
from solio.io import Reader, Request


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for i, size in enumerate([0, 1, 4096, 100_000, 3_000_001]):
        path = tmp_path / f"{i}"
        data = (np.arange(size, dtype=np.uint32) * (i + 3) >> 2).astype(np.uint8)
        path.write_bytes(data.tobytes())
        paths.append(path)
    return paths


@pytest.mark.parametrize("backend", ["auto", "uring", "threads", "mmap"])
@pytest.mark.parametrize("direct", ["auto", "never", "always"])
def test_all_bytes_of_all_files(files: list[Path], backend: str, direct: str) -> None:
    reader = Reader(backend=backend, direct=direct)  # type: ignore[arg-type]
    seen = {}
    for done in reader.read(files):
        assert done.error is None and done.total_s >= done.queued_s >= 0
        assert not done.array.flags.writeable
        assert done.array.nbytes == len(done.buffer)
        seen[done.index] = bytes(done.buffer)
    assert [seen[i] for i in range(len(files))] == [p.read_bytes() for p in files]
    assert reader.stats().bytes == sum(p.stat().st_size for p in files)


def test_ranges_tags_and_packed_files(files: list[Path], tmp_path: Path) -> None:
    reader = Reader()
    text = files[4].read_bytes()
    (part,) = reader.read([Request(files[4], 77, 1_000_000, tag=5)], priority="maximum")
    assert part.tag == 5 and part.array.tobytes() == text[77:1_000_077]
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(text[:1000]) + gzip.compress(text[1000:]))
    (whole,) = reader.read([Request(packed, unpacked=len(text))], packing="detect").wait()
    assert bytes(whole.buffer) == text


def test_arrays_outlive_reader_and_batch(files: list[Path]) -> None:
    array = Reader().read([files[4]]).wait()[0].array
    assert array.tobytes() == files[4].read_bytes()


def test_one_bad_file_stops_nobody(files: list[Path], tmp_path: Path) -> None:
    done = Reader().read([tmp_path / "none", tmp_path, files[3]]).wait()
    assert isinstance(done[0].error, solio.IoError) and isinstance(done[0].error, OSError)
    assert done[0].error.path == str(tmp_path / "none")
    with pytest.raises(solio.IoError, match="directory"):
        _ = done[1].array
    assert done[2].array.size == 100_000


def test_cancelling(files: list[Path]) -> None:
    reader = Reader(bytes_per_second=1)
    batch = reader.read([files[3], files[4], files[4]])
    while not reader.stats().reads:
        time.sleep(0.001)
    batch.cancel(1)
    batch.cancel()
    done = batch.wait()
    assert done[0].error is None
    for one in done[1:]:
        assert isinstance(one.error, solio.CancelledError) and not one.submitted
    with pytest.raises(solio.ArgumentError):
        batch.cancel(3)
    with pytest.raises(solio.ArgumentError, match="auto, uring, threads, mmap"):
        Reader(backend="floppy")
    with pytest.raises(TypeError, match="unknown option colour"):
        _solio.Reader({"colour": 1})


def test_coroutines(files: list[Path]) -> None:
    reader = Reader()

    async def both() -> tuple[int, int]:
        one = sum([done.array.size async for done in reader.read(files)])
        many = await asyncio.gather(*(reader.read([p])._all() for p in files))
        direct = await reader.read(files)
        assert [d.index for d in direct] == list(range(len(files)))
        return one, sum(d.array.size for batch in many for d in batch)

    size = sum(p.stat().st_size for p in files)
    assert asyncio.run(both()) == (size, size)


def test_cancelled_coroutines_take_nothing_along(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(50_000))

    async def all_of(batch: solio.io.Batch) -> list[int]:
        found: list[int] = []
        while True:
            try:
                found.append((await asyncio.wait_for(anext(batch), 0.02)).index)
            except TimeoutError:
                pass
            except StopAsyncIteration:
                return found

    batch = Reader(bytes_per_second=200_000).read([path] * 6)
    assert sorted(asyncio.run(all_of(batch))) == list(range(6))


def test_times_are_numbers(files: list[Path]) -> None:
    reader = Reader()
    with pytest.raises(solio.ArgumentError, match="deadline_s"):
        reader.read(files, deadline_s=float("nan"))
    batch = reader.read(files[:1])
    with pytest.raises(solio.ArgumentError, match="seconds"):
        batch.wait_for(float("nan"))
    assert batch.wait_for(float("inf")) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of POSIX")
def test_forks_are_told_to_make_their_own(files: list[Path], tmp_path: Path) -> None:
    solio.write_image(np.zeros((4, 4), np.float32), tmp_path / "a.exr")
    code = """
import os, sys, solio
reader = solio.io.Reader()
results, images = reader.read(sys.argv[1:2]), solio.read_images([sys.argv[2]] * 100, ahead=1)
next(results), next(images)
if os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
for use in (lambda: reader.read(sys.argv[1:2]), reader.stats, lambda: next(results),
            lambda: next(images), lambda: len(images)):
    try:
        use()
        sys.exit(3)
    except solio.ArgumentError as error:
        assert "fork" in str(error) and error.hint, error
sys.exit(len(solio.io.Reader().read(sys.argv[1:2]).wait()) - 1)  # and what is left is dropped
"""
    command = [sys.executable, "-c", code, str(files[3]), str(tmp_path / "a.exr")]
    assert subprocess.run(command, timeout=60).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_wait(files: list[Path]) -> None:
    code = """
import signal, sys, solio.io
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
batch = solio.io.Reader(bytes_per_second=1).read(sys.argv[1:])
next(batch)
try:
    print("ready", flush=True)
    list(batch)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    command = [sys.executable, "-c", code, str(files[3]), str(files[4]), str(files[4])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (out, process.returncode) == ("interrupted\n", 0)


def test_light(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "folder"
    folder.mkdir()
    peaks = solio.light(folder, size=1 << 20, rounds=1)
    found = {peak.name: peak for peak in peaks}
    assert (found["copy memory"].mb_s or 0) > 10
    assert all((peak.mb_s is None) == (peak.why_not is not None) for peak in peaks)
    assert list(folder.iterdir()) == []
    kept = json.loads((tmp_path / "cache/solio/light.json").read_text())["kept"]
    assert [row["name"] for row in kept[0]["peaks"]] == [peak.name for peak in peaks]
    assert kept[0]["folder"] == str(folder.resolve())
