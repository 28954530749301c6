"""The page of `solio-bench photo --exiftool-modes` in a headless browser; needs ExifTool too."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import bench_program, opened, program

TIFF = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"


@pytest.fixture(scope="module")
def modes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The page of a bench, and its JSON."""
    bench = bench_program()
    program("SOLIO_EXIFTOOL", ["exiftool"])
    folder = tmp_path_factory.mktemp("modes")
    for n in range(3):
        (folder / f"{n}.tif").write_bytes(TIFF)
    page = folder / "modes.html"
    words = ["photo", "--exiftool-modes", "--quick", "--count", "4", "--json", "-o", page]
    done = subprocess.run([bench, *words, folder], check=True, stdout=subprocess.PIPE, env=os.environ)
    return page, json.loads(done.stdout)


@pytest.fixture(params=["light", "dark"])
def page(
    request: pytest.FixtureRequest, browser: Any, modes: tuple[Path, dict[str, Any]]
) -> Iterator[Any]:
    yield from opened(browser, request.param, modes[0])


def test_the_page_shows_what_the_json_says(page: Any, modes: tuple[Path, dict[str, Any]]) -> None:
    rows = modes[1]["modes"]
    assert len(rows) == 9
    names = [row.locator("td").first.inner_text() for row in page.locator("#rows tr").all()]
    assert names == [row["mode"] for row in rows]
    assert page.locator(".bar").count() == 9 and page.locator(".bar.own").count() == 2
    widths = [bar.bounding_box()["width"] for bar in page.locator(".bar").all()]
    slowest = max(range(9), key=lambda i: rows[i]["wall_ms_per_file"])
    assert widths.index(max(widths)) == slowest
    chart = page.locator("#chart").bounding_box()
    for text in page.locator("#chart text").all():
        box = text.bounding_box()
        assert chart["x"] - 1 <= box["x"] and box["x"] + box["width"] <= chart["x"] + chart["width"] + 1


def test_bars_speak_when_pointed_at_and_by_keyboard(page: Any) -> None:
    said = page.locator("#said")
    page.locator(".bar").last.hover()
    assert said.inner_text().startswith("solio meta: ")
    page.keyboard.press("Tab")
    assert said.inner_text().startswith("per file: ")
