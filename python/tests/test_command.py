"""The package brings the command, which is that of Rust."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import solio

COMMAND = Path(sysconfig.get_path("scripts")) / "solio"


def run(*arguments: str | bytes, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **more},
        check=False,
        errors="surrogateescape",
    )


@pytest.fixture
def triangle(tmp_path: Path) -> Path:
    path = tmp_path / "triangle.obj"
    path.write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return path


def test_it_has_the_version_of_the_package() -> None:
    assert run("-V").stdout.split()[:2] == ["solio", solio.__version__]


def test_it_does_what_the_command_of_rust_does(triangle: Path) -> None:
    ours = run("info", "--json", str(triangle))
    theirs = subprocess.run(
        [os.environ["SOLIO_COMMAND"], "info", "--json", triangle],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout) != (0, "")


def test_its_exit_codes_are_those_of_the_command(tmp_path: Path) -> None:
    missing = run("info", str(tmp_path / "missing.obj"))
    assert missing.returncode == 1 and "missing.obj" in missing.stderr
    assert run("info", "--no-such-flag").returncode == 2
    assert run("convert", "--help").returncode == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="names are text there")
def test_names_are_bytes(triangle: Path) -> None:
    odd = os.fsencode(triangle.parent) + b"/\xff.ply"
    assert run("convert", str(triangle), "-o", odd).returncode == 0
    assert os.path.exists(odd)


def test_numpy_is_not_loaded(triangle: Path) -> None:
    """It takes longer to load than most commands run."""
    shown = run("info", str(triangle), PYTHONPROFILEIMPORTTIME="1").stderr
    assert "solio_command" in shown and "numpy" not in shown


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_it_as_any_command(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_bytes(b"v 0 0 0\n")
    catalogue = str(tmp_path / "a.sqlite")
    scan = [str(COMMAND), "scan", str(tmp_path), "-o", catalogue, "--watch", "--progress", "json"]
    with subprocess.Popen(scan, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()  # it runs
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert process.returncode in (0, 130)


def shown_on_a_terminal(*arguments: str | Path) -> str:
    """What a command writes to a terminal of its own."""
    import pty  # POSIX alone has it

    ours, its = pty.openpty()
    shown = b""
    with subprocess.Popen([COMMAND, *arguments], stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # Linux says so when it has closed its end
            pass
        finally:
            os.close(ours)
        assert process.wait(timeout=60) == 0, shown
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", shown.decode())


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_a_bar_never_says_that_all_of_nothing_is_done(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).random((700, 700, 4), np.float32)
    solio.write_image(noise, tmp_path / "in.exr", compression="none")
    slow = ["--compression", "zstd:19", "--jobs", "1", "--progress", "bar"]
    shown = shown_on_a_terminal("convert", tmp_path / "in.exr", "-o", tmp_path / "out.exr", *slow)
    # Which phase a look meets is a matter of time; that there is a look in a second is not.
    assert "in.exr " in shown and " 0 B" not in shown


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_a_scan_shows_no_bar_before_it_has_something_to_say(triangle: Path, tmp_path: Path) -> None:
    shown = shown_on_a_terminal("scan", triangle.parent, "-o", tmp_path / "a.sqlite")
    assert all(" file" in line for line in re.split("[\r\n]+", shown.strip())), shown
