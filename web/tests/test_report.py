"""The page of `--report` in a headless browser, opened from the file as people open it.

Needs Chromium (Debian's `chromium`, or the program that SOLIO_CHROMIUM names), Playwright, and the
command, which SOLIO_COMMAND names; without one of them it says *skipped*.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import program

@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A conversion's page and its trace."""
    solio = program("SOLIO_COMMAND", ["solio"])
    folder = tmp_path_factory.mktemp("report")
    rows = 150
    lines = [f"v {x / rows} {y / rows} {x * y % 7}\n" for y in range(rows) for x in range(rows)]
    for y in range(rows - 1):
        for x in range(1, rows):
            a = y * rows + x
            lines.append(f"f {a} {a + 1} {a + rows + 1} {a + rows}\n")
    (folder / "grid.obj").write_text("".join(lines))
    page, trace = folder / "run.html", folder / "run.json"
    command = [solio, "convert", "grid.obj", "-o", "grid.ply.zst", "-j", "2"]
    record = [*command, "--report", page, "--trace", trace]
    # Once without peaks, once with them.
    cache = {"env": os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}, "cwd": folder}
    subprocess.run([*command, "--report", folder / "unknown.html"], check=True, **cache)
    light = [solio, "light", "--size", "16M", "--rounds", "1"]
    subprocess.run(light, check=True, stdout=subprocess.DEVNULL, **cache)
    subprocess.run(record, check=True, **cache)
    return page, json.loads(trace.read_text())


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Any, run: tuple[Path, dict[str, Any]]) -> Iterator[Any]:
    tab = browser.new_page(color_scheme=request.param, viewport={"width": 1280, "height": 1000})
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    tab.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None)
    tab.goto(run[0].as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    yield tab
    tab.close()
    assert not wrong, wrong


def value(page: Any, key: str) -> str:
    return str(page.locator(f"[data-key={key}]").first.get_attribute("data-value"))


def view(page: Any) -> tuple[int, int]:
    page.wait_for_timeout(60)
    data = page.locator("#timeline")
    return int(data.get_attribute("data-from")), int(data.get_attribute("data-to"))


def test_the_page_is_small_and_whole(run: tuple[Path, dict[str, Any]]) -> None:
    text = run[0].read_text()
    assert len(text.encode()) < 400_000
    assert "http://" not in text and "https://" not in text and " src=" not in text


def test_numbers_equal_the_trace(page: Any, run: tuple[Path, dict[str, Any]]) -> None:
    summary = run[1]["otherData"]
    for key in ["wall_s", "cpu_s", "read_bytes", "written_bytes", "files", "peak_memory_bytes"]:
        assert float(value(page, key)) == summary[key], key
    bound = summary["bound"]
    assert float(value(page, "bound_s")) == bound["seconds"]
    assert float(value(page, "achieved")) == bound["achieved"]
    assert float(value(page, "cores")) == bound["cores"]
    for wrong in bound["wrong_peaks"]:
        assert float(value(page, f"wrong_{wrong['peak']}")) == wrong["seen"]
    assert value(page, "binding") == bound["binding"]
    assert summary["files"] == 2
    # The table adds up what the trace lists one by one.
    counts: Counter[str] = Counter()
    times: Counter[str] = Counter()
    for event in run[1]["traceEvents"]:
        if event["ph"] == "X":
            counts[event["name"]] += 1
            times[event["name"]] += round(event["dur"] * 1000)
    assert {"read mesh", "decode chunk", "encode chunk", "compress", "commit"} <= set(counts)
    for name, count in counts.items():
        cells = page.locator(f"#where td[data-span='{name}']")
        found = {c.get_attribute("data-key"): int(c.get_attribute("data-value")) for c in cells.all()}
        assert (found["count"], found["total_ns"]) == (count, times[name]), name


def test_measured_peaks_are_dashed_lines(page: Any, run: tuple[Path, dict[str, Any]]) -> None:
    light = run[1]["otherData"]["light"]
    chart = page.locator("section:has(#disk)")
    peaks = [mark.inner_text() for mark in chart.locator(".key span:has(i.dash)").all()]
    assert len(peaks) == 2 and "read peak" in peaks[0] and "write peak" in peaks[1], peaks
    # As drawn: some row has the colour of the write peak, with gaps.
    rows = page.evaluate("""() => {
      const canvas = document.getElementById("disk");
      const { width, height } = canvas;
      const color = getComputedStyle(document.documentElement).getPropertyValue("--write").trim();
      const wanted = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
      const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
      const rows = [];
      for (let y = 0; y < height; y++) {
        let n = 0;
        for (let x = 0; x < width; x++) {
          const at = 4 * (y * width + x);
          n += wanted.every((value, i) => Math.abs(pixels[at + i] - value) < 40);
        }
        rows.push(n / width);
      }
      return rows;
    }""")
    assert any(0.4 < share < 0.7 for share in rows), max(rows)
    assert light["write_mb_s"] > 0


def test_without_peaks_the_page_says_what_to_do(browser: Any, run: tuple[Path, dict[str, Any]]) -> None:
    tab = browser.new_page()
    tab.goto(run[0].with_name("unknown.html").as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    assert "solio light" in tab.locator("#limit-section").inner_text()
    assert "peak" not in tab.locator("section:has(#disk) .key").inner_text()
    tab.close()


def test_the_pointer_shows_names_and_times(page: Any) -> None:
    timeline = page.locator("#timeline")
    timeline.scroll_into_view_if_needed()
    box = timeline.bounding_box()
    tip = page.locator("#tip")
    seen = set()
    for x in range(20, int(box["width"]), 15):
        page.mouse.move(box["x"] + x, box["y"] + 20 + 22 + 8)
        if tip.is_visible():
            seen.add(tip.locator("b").inner_text())
            assert ", from " in tip.inner_text()
    assert {"read mesh", "write mesh"} <= seen, seen
    page.mouse.move(5, 5)
    assert not tip.is_visible()


def test_wheel_drag_and_buttons_zoom(page: Any) -> None:
    whole = view(page)
    timeline = page.locator("#timeline")
    timeline.scroll_into_view_if_needed()
    box = timeline.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    page.mouse.wheel(0, -240)
    near = view(page)
    assert near[1] - near[0] < 0.6 * (whole[1] - whole[0])
    timeline.dblclick(position={"x": 300, "y": 60})
    assert view(page) == whole
    # Dragging selects the middle half.
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 60, steps=5)
    page.mouse.up()
    half = view(page)
    assert abs((half[1] - half[0]) / (whole[1] - whole[0]) - 0.5) < 0.02
    page.locator("#in").click()
    quarter = view(page)
    assert quarter[1] - quarter[0] < 0.6 * (half[1] - half[0])
    page.locator("#fit").click()
    assert view(page) == whole


def test_keys_do_all_that_the_pointer_does(page: Any) -> None:
    whole = view(page)
    page.locator("#timeline").focus()
    page.keyboard.press("+")
    near = view(page)
    assert near[1] - near[0] <= 0.51 * (whole[1] - whole[0])
    page.keyboard.press("ArrowRight")
    assert view(page)[0] > near[0]
    page.keyboard.press("0")
    assert view(page) == whole
    page.keyboard.press(".")
    page.keyboard.press(".")
    assert "from" in page.locator("#live").inner_text()
    page.keyboard.press("Enter")
    assert view(page) != whole
    page.keyboard.press("Escape")


def test_a_narrow_window_has_no_sideways_scrolling(page: Any) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    page.wait_for_timeout(60)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    chips = page.locator("#legend button")
    chips.first.click()
    assert chips.first.get_attribute("aria-pressed") == "true"
