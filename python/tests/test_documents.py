"""What the documents say is true: each block runs, and prints what is shown; tables are those of records."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import coverage
import pytest
from document_files import make_files
from documents import Block, Desk, agrees, blocks_of

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted((ROOT / "docs" / "formats").glob("*.md")),
]
BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]


def test_the_table_in_readme_is_that_of_the_newest_record() -> None:
    if not list((ROOT / "bench" / "record").glob("*.csv")):
        pytest.skip("no record yet")
    command = [sys.executable, "bench/table.py", "README.md", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def command() -> str:
    found = shutil.which(os.environ.get("SOLIO_COMMAND", "solio"))
    if not found:
        pytest.skip("skipped: SOLIO_COMMAND names no command, and there is none on PATH")
    return found


@pytest.fixture(scope="module")
def files(command: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    make_files(folder, command)
    return folder


@pytest.fixture(scope="module")
def desks(command: str, files: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Desk]:
    """A folder for each document."""
    made = {}
    for number, document in enumerate(DOCUMENTS):
        folder = tmp_path_factory.mktemp("documents") / f"{number}-{document.stem}"
        shutil.copytree(files, folder)
        made[document] = Desk(folder, command)
    return made


def test_what_formats_keep_is_in_their_tables(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLIO_COMMAND", command)
    assert not coverage.differences(), "python/tests/coverage.py writes the tables"


def name_of(block: Block) -> str:
    return f"{block.document.relative_to(ROOT)}:{block.line}"


@pytest.mark.parametrize("block", BLOCKS, ids=name_of)
def test_a_block_runs(block: Block, desks: dict[Path, Desk]) -> None:
    if block.reason is not None:
        pytest.skip(f"not run: {block.reason}")
    outcome = desks[block.document].run(block)
    if not outcome.missing and block.shown is not None:
        assert agrees(block.shown, outcome.printed), outcome.printed
    if outcome.missing:
        pytest.skip(f"skipped lines: no {', '.join(outcome.missing)} here")


def test_output_has_to_be_what_is_shown() -> None:
    assert agrees("a  \n1 … s\n", "a\n1 of 0.2 s\n\n")
    assert agrees("first\n…\nlast", "first\nany\nthing\nlast")
    assert not agrees("first\nlast", "first\nany\nlast")
    assert not agrees("a", "")
