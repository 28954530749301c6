"""The pages of `solio study numbers`, `order`, `latency` and `boxes` in a headless browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import opened, program

STUDIES = {
    "numbers": "study numbers --rounds 1",
    "order": "study order --rounds 2 files",
    "latency": "study latency --samples 2 --warm --bwlimit 100M files/a",
    "boxes": "study boxes --rounds 1",
}


@pytest.fixture(scope="module", params=STUDIES)
def study(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    """The page of a study, and its JSON."""
    solio = program("SOLIO_COMMAND", ["solio"])
    folder = tmp_path_factory.mktemp("study")
    (folder / "files").mkdir()
    (folder / "files" / "a").write_bytes(bytes(4 << 20))
    (folder / "files" / "b").write_bytes(bytes(10_000))
    page = folder / "study.html"
    command = [solio, *STUDIES[request.param].split(), "--json", "-o", page]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return page, json.loads(done.stdout)


def test_every_row_is_shown_and_fits_a_telephone(
    page: Any, study: tuple[Path, dict[str, Any]]
) -> None:
    found = study[1]
    name = found["schema"].split("/")[1]
    lists = {"study-order": found.get("orders"), "study-latency": found.get("ways")}
    rows = lists.get(name) or [way for group in found["groups"] for way in group["ways"]]
    assert page.locator("#rows tr").count() == len(rows)
    bars = page.locator(".bar")
    assert bars.count() > 0 and all(bar.get_attribute("title") for bar in bars.all())
    longest = max(bar.locator("i").bounding_box()["width"] for bar in bars.all())
    assert longest > 100
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_timeout(60)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    # The name stands above its bar there.
    first = bars.first
    assert first.locator(".name").bounding_box()["y"] < first.locator(".room").bounding_box()["y"]


def test_pages_are_opened_without_a_network(
    browser: Any, study: tuple[Path, dict[str, Any]]
) -> None:
    text = study[0].read_text()
    assert "http://" not in text and "https://" not in text and " src=" not in text
    for tab in opened(browser, "dark", study[0]):
        assert tab.title() == tab.locator("h1").inner_text()
