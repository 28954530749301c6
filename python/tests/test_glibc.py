"""What is handed out runs with the glibc of the VFX reference platform."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Rocky Linux 8, of the platform of 2022 and later.
NEWEST = "2.28"


def needs(newest: str, *files: Path | str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("elftools", reason="needs pyelftools")
    command = [sys.executable, str(ROOT / ".ci/glibc"), newest, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has glibc")
def test_what_is_too_new_is_found() -> None:
    program = os.path.realpath(sys.executable)
    told = needs("0.9", program)
    if "no glibc" in told.stdout:
        pytest.skip("this Python is not linked with glibc")
    assert told.returncode == 1 and "which is too new" in told.stdout
    assert needs("99.0", program).returncode == 0
    # No program and no library: nothing was looked at, and nothing is said to be fine.
    assert needs(NEWEST, __file__).returncode != 0


def test_what_was_built_needs_no_newer_one() -> None:
    wheels = sorted((ROOT / "dist").glob("solio-*-linux_*.whl")) + sorted((ROOT / "dist").glob("solio-*manylinux*.whl"))
    if not wheels:
        pytest.skip("no wheel in dist: make dist builds it")
    told = needs(NEWEST, *wheels)
    assert told.returncode == 0, told.stdout + told.stderr
