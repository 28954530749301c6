"""Gradients beside those of Chromium, and the page of `solio gradient`."""

from __future__ import annotations

import json
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import opened, program

# The eight of the study, and places for the samples: one a pixel.
WIDTH = 513
MODES = {"srgb": "srgb", "linear": "srgb-linear", "oklab": "oklab"}


def solio(*words: object) -> str:
    command = [program("SOLIO_COMMAND", ["solio"]), "gradient", *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def samples(*words: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in solio(*words, "--json", "--samples", WIDTH).splitlines()]


def columns(png: bytes) -> list[tuple[float, float, float]]:
    """The mean of each column of a PNG of eight bits without interlacing.

    Chromium dithers gradients with a pattern of 8 by 8: single pixels are a level off, means of
    columns are not.
    """
    data, at, head = b"", 8, (0, 0, 0, 0)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            head = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, color = head
    assert depth == 8 and color in (2, 6) and height % 8 == 0
    step = 3 if color == 2 else 4
    raw, stride = zlib.decompress(data), width * step
    above, sums = bytearray(stride), [0] * stride
    for y in range(height):
        start = y * (stride + 1)
        row = unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, step)
        sums = [total + value for total, value in zip(sums, row)]
        above = row
    means = [total / height for total in sums]
    return [(means[i], means[i + 1], means[i + 2]) for i in range(0, stride, step)]


def unfiltered(kind: int, row: bytearray, above: bytearray, step: int) -> bytearray:
    """PNG (third edition), section 9."""
    for i, value in enumerate(row):
        left = row[i - step] if i >= step else 0
        up, corner = above[i], above[i - step] if i >= step else 0
        guess = left + up - corner
        near = min((left, up, corner), key=lambda one: abs(guess - one))
        row[i] = (value + (0, left, up, (left + up) // 2, near)[kind]) & 255
    return row


def css(gradient: dict[str, Any], space: str) -> str:
    """The gradient with its ends in the middles of the first and the last pixel."""
    places = [f"calc(0.5px + {place * (WIDTH - 1)}px)" for place, _ in gradient["stops"]]
    stops = ", ".join(f"{color} {place}" for place, (_, color) in zip(places, gradient["stops"]))
    return f"linear-gradient(in {space} to right, {stops})"


@pytest.mark.parametrize("mode", MODES)
def test_the_eight_are_those_of_chromium(browser: Any, mode: str) -> None:
    tab = browser.new_page(viewport={"width": WIDTH, "height": 40}, color_scheme="light")
    worst = {}
    for gradient in samples("study", "--in", mode):
        style = f"margin:0;width:{WIDTH}px;height:40px;background:{css(gradient, MODES[mode])}"
        tab.set_content(f'<!doctype html><body style="{style}">')
        assert "gradient" in tab.evaluate("getComputedStyle(document.body).backgroundImage")
        shown = columns(tab.screenshot())
        assert len(shown) == WIDTH
        worst[gradient["name"]] = max(
            abs(min(max(ours, 0.0), 1.0) * 255 - theirs)
            for color, pixel in zip(gradient["colors_srgb"], shown)
            for ours, theirs in zip(color, pixel)
        )
    tab.close()
    assert len(worst) == 8 and max(worst.values()) <= 0.75, worst


def test_text_that_css_reads_is_blended_the_same(browser: Any) -> None:
    """What the command writes as CSS, with hues the longer way.

    Chromium makes stops of hints before it blends, so that each of those goes the longer way.
    """
    spec = ["red, oklch(0.7 0.1 200) 60%, blue", "--in", "oklch longer"]
    (gradient,) = samples(*spec)
    text = solio(*spec).strip()
    assert text.startswith("linear-gradient(to right in oklch longer hue,")
    tab = browser.new_page(viewport={"width": 4096, "height": 40}, color_scheme="light")
    tab.set_content(f'<!doctype html><body style="margin:0;height:40px;background:{text}">')
    shown = columns(tab.screenshot())
    tab.close()
    # The middle of a pixel of 4096 is within an eighth of a sample.
    for i, color in enumerate(gradient["colors_srgb"][1:-1], 1):
        pixel = shown[min(round(i / (WIDTH - 1) * 4096), 4095)]
        for ours, theirs in zip(color, pixel):
            assert abs(min(max(ours, 0.0), 1.0) * 255 - theirs) <= 3, (i, color, pixel)


@pytest.fixture(params=["light", "dark"])
def page(
    request: pytest.FixtureRequest, browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    path: Path = tmp_path_factory.mktemp("gradients") / "page.html"
    solio("study", "--compare", "-o", path)
    yield from opened(browser, request.param, path)


def test_the_page_shows_all_rows_and_marks_the_most_even(page: Any) -> None:
    assert page.locator("h2").all_inner_texts()[0] == "black-white"
    assert page.locator("canvas").count() == 8 * 5
    assert page.locator(".curve").count() == 8 * 5
    first = page.locator(".row").first.inner_text()
    assert "blended in srgb" in first and "0.29" in first
    # Blue to white: Oklab is the most even by both measures, for both kinds of keys.
    rows = page.locator(".row").all()[5:10]
    assert [row.locator(".best").count() for row in rows] == [0, 0, 2, 0, 2]
    assert page.locator("code").first.inner_text().startswith("linear-gradient(to right in srgb")
