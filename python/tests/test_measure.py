"""Timers, and the shares of the machine's limit."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest
import solio

LINE = re.compile(
    r"^([^:]+): (\d+\.\d{6}) ms, (\d+) ticks, (\d+\.\d) iterations/s, (\d+\.\d\d) ticks/iteration$"
)


def test_a_block_is_timed_and_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with solio.timer("sleep") as timer:
        time.sleep(0.003)
        timer.iterations = 4
    told = LINE.match(capsys.readouterr().err.strip())
    assert told and told[1] == "sleep" and timer.seconds >= 0.003
    assert float(told[2]) == pytest.approx(timer.seconds * 1e3, abs=1e-6)
    assert int(told[3]) == timer.ticks > 0
    assert float(told[4]) == pytest.approx(4 / timer.seconds, abs=0.06)
    assert float(told[5]) == pytest.approx(timer.ticks / 4, abs=0.006)


def test_a_function_is_timed_at_every_call_and_an_error_goes_on() -> None:
    told = io.StringIO()

    @solio.timer("fail", file=told)
    def fail(number: int) -> None:
        raise ValueError(number)

    for number in range(2):
        with pytest.raises(ValueError, match=str(number)):
            fail(number)
    assert len(told.getvalue().splitlines()) == 2


def test_iterations_are_given_at_the_end() -> None:
    timer = solio.timer("count", file=None)
    assert LINE.match(timer.end(0)) and "0.0 iterations/s, 0.00 ticks" in timer.end(0)
    assert timer.iterations == 0


def test_shares_are_those_of_what_light_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert solio.shares(tmp_path, wall_s=1, cpu_s=1) is None
    peaks = solio.light(tmp_path, size=4 << 20, rounds=1)
    write = max(p.mb_s for p in peaks if p.name == "write, page cache" and p.mb_s)
    half = int(write * 1e6 / 2)
    shares = solio.shares(tmp_path, wall_s=1, cpu_s=1000, written_bytes=half)
    assert shares and shares.bytes == pytest.approx(0.5, rel=1e-3) and shares.binding == "write"
    # What was computed is no share of the limit; more cores than there are tell of a wrong figure.
    assert shares.cores > 1 and [wrong.peak for wrong in shares.wrong_peaks] == ["cpu"]
    fast = solio.shares(tmp_path, wall_s=0.1, cpu_s=0, written_bytes=half)
    assert fast and fast.bytes > 1 and fast.wrong_peaks[0].peak == "write"
