"""The page of `solio sheet`: what is shown, the filter, the keyboard."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import opened, program

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve meshes in two folders, and a file that is broken."""
    folder = tmp_path_factory.mktemp("sheet")
    for name in ["one", "two"]:
        (folder / name).mkdir()
        for number in range(6):
            (folder / name / f"{name}_<{'abcdef'[number]}>.obj").write_text(TRIANGLE)
    (folder / "two" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    page = folder / "sheet.html"
    command = [program("SOLIO_COMMAND", ["solio"]), "sheet", ".", "-o", "sheet.html", "--size", "128"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and "broken.png" in done.stderr
    return page


@pytest.fixture(params=["light", "dark"])
def tab(request: pytest.FixtureRequest, browser: Any, sheet: Path) -> Iterator[Any]:
    yield from opened(browser, request.param, sheet)


def names(tab: Any) -> list[str]:
    return [cell.inner_text() for cell in tab.locator("figure:visible b").all()]


def test_every_picture_is_drawn_and_nothing_is_fetched(tab: Any) -> None:
    assert tab.locator("figure").count() == 13
    assert tab.locator("h2").all_inner_texts() == ["./one", "./two"]
    widths = tab.eval_on_selector_all("img", "all => all.map(i => i.naturalWidth)")
    assert widths == [128] * 12
    assert tab.eval_on_selector_all("[src],[href]", "all => all.every(e => (e.src || e.href).startsWith('data:'))")
    bad = tab.locator("figure.bad")
    assert bad.count() == 1 and "cannot be shown" in bad.inner_text()
    assert tab.locator("#count").inner_text() == "13 of 13, 1 with problems"
    # Nothing is wider than the page.
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_filter_looks_at_names_captions_and_folders(tab: Any) -> None:
    tab.keyboard.press("/")
    tab.keyboard.type("ONE <b")
    assert names(tab) == ["one_<b>.obj"]
    assert tab.locator("h2:visible").all_inner_texts() == ["./one"]
    assert tab.locator("#count").inner_text() == "1 of 13"
    tab.keyboard.press("Escape")
    assert len(names(tab)) == 13
    tab.keyboard.type("1 face two")
    assert len(names(tab)) == 6
    tab.keyboard.press("Escape")
    tab.locator("#bad").check()
    assert names(tab) == ["broken.png"]


def test_arrows_lead_from_cell_to_cell(tab: Any) -> None:
    here = "document.activeElement.querySelector('b').textContent"
    tab.keyboard.press("/")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(here) == "one_<a>.obj"
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(here) == "one_<b>.obj"
    tab.keyboard.press("End")
    last = tab.evaluate(here)
    tab.keyboard.press("ArrowUp")
    assert tab.evaluate(here) != last
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate(here) == "one_<a>.obj"


def test_cells_take_the_size_that_is_asked_for(tab: Any) -> None:
    height = "document.querySelector('figure div').clientHeight"
    assert tab.evaluate(height) == 128
    tab.locator("#size").fill("64")
    assert tab.evaluate(height) == 64
