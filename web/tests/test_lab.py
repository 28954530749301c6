"""The page of `solio lab` in a browser: views, legend, axes, statements, table, downloads, keys."""

from __future__ import annotations

import csv
import io
import json
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import program


def array_file(path: Path, kind: str, numbers: bytes, shape: str) -> Path:
    head = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + numbers)
    return path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A page about two arrays of numbers and a mesh; and what the command said."""
    folder = tmp_path_factory.mktemp("lab")
    waves = [1 + (x * y % 97) / 300 + x / 50 for y in range(96) for x in range(80) for _ in "RGB"]
    one = array_file(folder / "one.npy", "f2", struct.pack(f"<{len(waves)}e", *waves), "(96, 80, 3)")
    two = array_file(folder / "two.npy", "f2", struct.pack(f"<{len(waves)}e", *waves[::-1]), "(96, 80, 3)")
    mesh = folder / "mesh.obj"
    points = "".join(f"v {x / 7:.4f} {y / 3:.4f} {x * y % 11}\n" for y in range(40) for x in range(40))
    faces = "".join(f"f {i} {i + 1} {i + 41}\n" for i in range(1, 1550))
    mesh.write_text(points + faces)
    page = folder / "lab.html"
    command = [program("SOLIO_COMMAND", ["solio"]), "lab", one, two, mesh, "--seconds", "0", "--json", "-o", page]
    ran = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return page, json.loads(ran.stdout)


def count(page: Any, selector: str = ".point") -> int:
    return page.locator(selector).count()


def title_of(page: Any) -> str:
    return page.evaluate("document.activeElement.getAttribute('aria-label')") or ""


def test_everything_is_drawn(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    data = study[1]
    kinds = {array["kind"] for array in data["arrays"]}
    assert kinds == {"numbers", "mesh positions", "mesh indices"}
    views = page.locator("#view option").all_inner_texts()
    # Each kind, everything, and each of the two arrays of one kind.
    assert len(views) == len(kinds) + 1 + 2
    of_numbers = {c["config"] for c in data["cells"] if data["arrays"][c["array"]]["kind"] == "numbers"}
    assert count(page) == len(of_numbers) == count(page, "#rows tr")
    assert count(page, ".front") == 1
    assert count(page, ".level") > 10
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not page.evaluate("performance.getEntriesByType('resource').length")


def test_totals_are_sums(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    data = study[1]
    numbers = [i for i, array in enumerate(data["arrays"]) if array["kind"] == "numbers"]
    for config in range(0, len(data["configs"]), 7):
        cells = [c for c in data["cells"] if c["config"] == config and c["array"] in numbers]
        if len(cells) != len(numbers):
            continue
        ratio = sum(c["raw_bytes"] for c in cells) / sum(c["packed_bytes"] for c in cells)
        row = page.locator(f"#rows tr[data-id='{config}'] td").all_inner_texts()
        assert row[4] == f"{ratio:.3f}", row
        said = page.locator(f".point[data-id='{config}']").get_attribute("aria-label")
        assert f"ratio {ratio:.3f}" in said


def test_the_front_is_beaten_by_nobody(page: Any) -> None:
    front = page.locator(".front").get_attribute("data-points").split()
    rows = {
        row.get_attribute("data-id"): [cell.inner_text() for cell in row.locator("td").all()]
        for row in page.locator("#rows tr").all()
    }
    best = max(rows.values(), key=lambda row: float(row[4]))
    assert rows[front[-1]][4] == best[4]
    ratios = [float(rows[i][4]) for i in front]
    speeds = [float(rows[i][7]) for i in front]
    assert ratios == sorted(ratios) and speeds == sorted(speeds, reverse=True)


def test_the_legend_switches_points(page: Any) -> None:
    before = count(page)
    key = page.locator("#codecs button", has_text="zstd").first
    key.click()
    without = count(page)
    assert 0 < without < before and count(page, "#rows tr") == without
    assert key.get_attribute("aria-pressed") == "false"
    key.press("Enter")
    assert count(page) == before
    page.locator("#filters button", has_text="EXR").click(modifiers=["Shift"])
    names = set(page.locator("#rows tr td:first-child").all_inner_texts())
    assert names == {"EXR"}
    page.locator("#filters button", has_text="EXR").click(modifiers=["Shift"])
    assert count(page) == before
    page.locator("#chunks button", has_text="16 lines").click()
    assert "16 lines" not in page.locator("#rows tr td:nth-child(4)").all_inner_texts()


def test_axes_and_sides(page: Any) -> None:
    place = "document.querySelector('.point').getAttribute('transform')"
    before = page.evaluate(place)
    page.locator("#log-speed").uncheck()
    assert page.evaluate(place) != before
    page.locator("#log-ratio").check()
    marks = count(page)
    page.get_by_label("both").check()
    assert count(page) == 2 * marks and count(page, ".front") == 2
    page.get_by_label("writing").check()
    assert count(page) == marks and "writing" in page.locator("#chart").text_content()


def test_keys_step_through_points(page: Any) -> None:
    page.locator("#chart .point[tabindex='0']").focus()
    first = title_of(page)
    assert "ratio" in first and page.locator("#tip").is_visible()
    page.keyboard.press("Home")
    start = title_of(page)
    seen = {start}
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        seen.add(title_of(page))
    assert len(seen) == 6
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert title_of(page) not in (start, "")
    assert count(page, "#chart .point[tabindex='0']") == 1
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_pointing_shows_the_figures(page: Any) -> None:
    point = page.locator(".point[data-id='0']")
    point.dispatch_event("mouseenter")
    assert "ratio" in page.locator("#tip").inner_text() and "MB/s" in page.locator("#said").inner_text()
    point.dispatch_event("click")
    assert page.locator("#rows tr.chosen").get_attribute("data-id") == "0"


def test_the_seven_statements(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    data = study[1]
    assert count(page, "#statements > li") == 7 == len(data["statements"])
    verdicts = page.locator("#statements .verdict").all_inner_texts()
    assert verdicts == [statement["verdict"] for statement in data["statements"]]
    finding = next(f for f in data["statements"][0]["findings"] if f["kind"] == "mesh positions")
    button = page.locator("#statements button", has_text="mesh positions").first
    button.click()
    assert "mesh positions" in page.locator("#view option:checked").inner_text()
    bright = page.locator(".point:not(.dim)")
    assert {bright.nth(i).get_attribute("data-id") for i in range(bright.count())} == set(map(str, finding["configs"]))
    assert button.get_attribute("aria-pressed") == "true"
    page.locator("#clear").click()
    assert count(page, ".point.dim") == 0 and page.locator("#clear").is_hidden()


def test_the_table_sorts_and_is_saved(page: Any) -> None:
    column = lambda n: page.locator(f"#rows tr td:nth-child({n})").all_inner_texts()  # noqa: E731
    page.locator("#heads button", has_text="read MB/s").click()
    speeds = [float(cell) for cell in column(8)]
    assert speeds == sorted(speeds, reverse=True)
    page.locator("#heads button", has_text="read MB/s").click()
    assert [float(cell) for cell in column(8)] == sorted(speeds)
    page.locator("#heads button", has_text="codec").press("Enter")
    assert page.locator("#heads th[aria-sort='ascending']").inner_text().startswith("codec")
    with page.expect_download() as saved:
        page.locator("[data-what='csv']").click()
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text())))
    assert len(rows) == count(page) and float(rows[0]["ratio"]) > 0.9
    with page.expect_download() as saved:
        page.locator("[data-what='all']").click()
    assert len(json.loads(Path(saved.value.path()).read_text())["statements"]) == 7


@pytest.fixture
def narrow(browser: Any, study: tuple[Path, dict[str, Any]]) -> Iterator[Any]:
    tab = browser.new_page(viewport={"width": 400, "height": 800})
    tab.goto(study[0].as_uri())
    yield tab
    tab.close()


def test_a_narrow_window_needs_no_scrolling_sideways(narrow: Any) -> None:
    assert narrow.evaluate("document.documentElement.scrollWidth <= innerWidth")
