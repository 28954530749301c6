"""The page of `solio study` in a headless browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import program


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The page of a study, and its JSON."""
    solio = program("SOLIO_COMMAND", ["solio"])
    folder = tmp_path_factory.mktemp("study")
    (folder / "data").write_bytes(bytes(400_000))
    page = folder / "study.html"
    words = ["study", "--json", "--bandwidths", "2M,10M,1G", "-o", page]
    command = [solio, *words, "--", solio, "read", "--null", "data"]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return page, json.loads(done.stdout)


def test_the_page_shows_what_the_json_says(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    data = study[1]
    rows = page.locator("#rows tr")
    assert rows.count() == len(data["points"]) == 4
    first = [row.locator("td").first.inner_text() for row in rows.all()]
    assert first == ["no limit", "1.00 GB/s", "10.0 MB/s", "2.00 MB/s"]
    seconds = [float(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert seconds == pytest.approx([p["wall_s"] for p in data["points"]], rel=0.06)
    assert page.locator(".dot").count() == 3
    assert page.locator(".slow").count() == page.locator(".floor").count() == 1


def test_dots_speak_when_pointed_at_and_by_keyboard(page: Any) -> None:
    said = page.locator("#said")
    page.locator(".dot").last.hover()
    assert said.inner_text().startswith("2.00 MB/s: ")
    page.keyboard.press("Tab")
    assert said.inner_text().startswith("1.00 GB/s: ")
