"""README says what the newest record says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_table_in_readme_is_that_of_the_newest_record() -> None:
    if not list((ROOT / "bench" / "record").glob("*.csv")):
        pytest.skip("no record yet")
    command = [sys.executable, "bench/table.py", "README.md", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
