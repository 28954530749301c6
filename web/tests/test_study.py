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
    """The page of a study with two curves, and its JSON."""
    solio = program("SOLIO_COMMAND", ["solio"])
    folder = tmp_path_factory.mktemp("study")
    (folder / "data").write_bytes(bytes(400_000))
    (folder / "half").write_bytes(bytes(200_000))
    page = folder / "study.html"
    words = ["study", "--json", "--how", "bucket", "--bandwidths", "2M,10M,1G", "-o", page]
    half = ["--variant", f"half={solio} read --null half"]
    command = [solio, *words, *half, "--", solio, "read", "--null", "data"]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return page, json.loads(done.stdout)


def test_the_page_shows_what_the_json_says(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    data = study[1]
    points = [point for curve in data["curves"] for point in curve["points"]]
    rows = page.locator("#rows tr")
    assert rows.count() == len(points) == 8
    first = [row.locator("td").first.inner_text().split(", ")[1] for row in rows.all()]
    assert first == ["no limit", "1.00 GB/s", "10.0 MB/s", "2.00 MB/s"] * 2
    for row, point in zip(rows.all(), points, strict=True):
        cells = row.locator("td").all_inner_texts()
        assert float(cells[1].rstrip("?")) == pytest.approx(point["wall_s"], rel=0.06)
        assert cells[1].endswith("?") == point["doubtful"]
        low, high = map(float, cells[2].split("–"))
        assert [low, high] == pytest.approx([point["low_s"], point["high_s"]], rel=0.06)
        assert float(cells[3]) == pytest.approx(point["cpu_s"], rel=0.06, abs=0.006)
        for cell, share in [(cells[5], point["of_bytes"]), (cells[6], point["of_cores"])]:
            assert cell == "–" if share is None else cell.endswith(("%", "%!"))
            if share is not None:
                assert float(cell.split()[0]) == pytest.approx(100 * share, rel=0.06, abs=0.06)
    # Every point has its dot, the free run as well; both bounds are lines within the axes.
    assert page.locator(".dot").count() == 8
    assert page.locator("#chart .slow").count() == 2 and page.locator("#chart .floor").count() == 2
    assert page.locator("#chart .slow").first.get_attribute("clip-path") == "url(#axes)"
    assert page.locator("#chart .crossing").count() == len(data["crossings"])
    assert page.locator(".lost").count() <= sum(c["tenth_lost"] is not None for c in data["curves"])
    remarks = page.locator("#remarks").inner_text()
    assert "Held by bucket" in remarks and "A/A" in remarks and "3 rounds" in remarks


def test_dots_speak_when_pointed_at_and_by_keyboard(page: Any) -> None:
    said = page.locator("#said")
    page.locator(".dot").last.hover()
    assert "2.00 MB/s: " in said.inner_text()
    assert "2.00 MB/s" in page.locator("#over-title").inner_text()
    page.locator(".dot").first.focus()
    page.keyboard.press("Tab")
    assert "1.00 GB/s: " in said.inner_text()


def test_a_run_is_shown_over_time(page: Any, study: tuple[Path, dict[str, Any]]) -> None:
    # 0.2 s at 2 MB/s: some looks, where the system tells.
    time = study[1]["curves"][0]["points"][3]["over_time"]
    page.locator('tr[data-point="0 3"]').click()
    assert page.locator("#over [data-series]").count() == (3 if time["ends_s"] else 0)


def test_the_chart_is_readable_on_a_telephone(page: Any) -> None:
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_timeout(60)
    box = page.locator("#chart").bounding_box()
    assert box is not None and box["width"] <= 500
    # Units of the chart are pixels: texts keep their size, and no two of an axis overlap.
    texts = [t.bounding_box() for t in page.locator("#chart text").all()]
    assert all(t is not None and 10 <= t["height"] <= 20 for t in texts)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
