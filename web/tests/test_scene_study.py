"""The page of `solio-bench scene --study` in a headless browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import bench_program

NAMES = ["plain", "zlib", "libdeflate", "zst", "packed"]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The page of a study of a small twin, and its JSON."""
    bench = bench_program()
    folder = tmp_path_factory.mktemp("scene")
    twin = [bench, "twin", "--scale", "0.0002", folder / "twin"]
    subprocess.run(twin, check=True, stdout=subprocess.DEVNULL)
    page = folder / "study.html"
    words = ["scene", "--study", "--quick", "--bandwidths", "2M,100M", "--json", "-j", "2"]
    command = [bench, *words, "-o", page, folder / "twin"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return page, json.loads(done.stdout)


def seconds(data: dict[str, Any], threads: int, bandwidth: int | None, stage: int) -> list[float]:
    wanted = (threads, bandwidth)
    cells = [c for c in data["cells"] if (c["threads"], c["bandwidth"]) == wanted]
    return [cell["stages"][stage]["wall_s"] for cell in cells]


def shown(page: Any, row: int) -> list[float]:
    cells = page.locator("#rows tr").nth(row).locator("td").all()[1:]
    return [float(cell.inner_text().split(" s")[0]) for cell in cells]


def test_the_page_shows_what_the_json_says(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    data = study[1]
    heads = [cell.inner_text() for cell in page.locator("#heads th").all()]
    assert heads == ["bandwidth", *NAMES]
    first = [row.locator("td").first.inner_text() for row in page.locator("#rows tr").all()]
    assert first == ["2 MB/s", "100 MB/s", "no limit"]
    assert shown(page, 0) == pytest.approx(seconds(data, 2, 2_000_000, 2), rel=0.06)
    assert page.locator("#chart .dot").count() == 5 * 3
    assert page.locator("#chart .bound").count() == page.locator("#chart .track").count() == 5
    crossed = [c for c in data["crossings"] if (c["threads"], c["stage"]) == (2, 2)]
    assert page.locator("#chart .cross").count() == page.locator("#crossings li").count() == len(crossed)


def test_stage_and_cores_can_be_chosen(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    page.get_by_label("parsed").check()
    page.get_by_label("one core").check()
    assert shown(page, 2) == pytest.approx(seconds(study[1], 1, None, 0), rel=0.06)
    assert page.locator("#over").inner_text().endswith("one core")


def test_dots_speak_and_show_their_bandwidth_over_time(page: Any) -> None:
    page.locator("#chart .dot").first.click()
    assert page.locator("#said").inner_text().startswith("plain, 2 cores, 2 MB/s: ")
    assert page.locator("#over").inner_text() == "CPU and disk over time: 2 MB/s, 2 cores"
    page.keyboard.press("Tab")
    assert page.locator("#said").inner_text().startswith("plain, 2 cores, 100 MB/s: ")
    assert page.locator("#over").inner_text() == "CPU and disk over time: 100 MB/s, 2 cores"
    assert page.locator("#time .area").count() == page.locator("#time .disk").count() == 5
    assert page.locator("#time .mark").count() == 5 * 3


def test_nothing_is_drawn_outside_of_its_chart(page: Any) -> None:
    for chart in ("#chart", "#time"):
        outer = page.locator(chart).bounding_box()
        for shape in page.locator(f"{chart} text, {chart} path, {chart} circle").all():
            box = shape.bounding_box()
            assert outer["x"] - 1 <= box["x"]
            assert box["x"] + box["width"] <= outer["x"] + outer["width"] + 1
            assert outer["y"] - 1 <= box["y"]
            assert box["y"] + box["height"] <= outer["y"] + outer["height"] + 1
