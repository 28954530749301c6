"""A headless browser for the pages that Solio makes.

Needs Chromium (Debian's `chromium`, or the program that SOLIO_CHROMIUM names), Playwright, and the
command, which SOLIO_COMMAND names; without one of them the tests say *skipped*.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

api = pytest.importorskip("playwright.sync_api", reason="skipped: Playwright is not installed")

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]


def program(variable: str, names: list[str]) -> str:
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.skip(f"skipped: there is no {names[0]}; {variable} may name it")
    return found


def bench_program() -> str:
    """The benchmarks, which are built beside the command."""
    return str(Path(program("SOLIO_COMMAND", ["solio"])).with_name("solio-bench"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        path = program("SOLIO_CHROMIUM", NAMES)
        # The sandbox needs rights that a container may not give; the page is our own.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


def opened(browser: Any, scheme: str, page: Path) -> Iterator[Any]:
    """A tab with a page of ours, light or dark; what goes wrong in it fails the test."""
    tab = browser.new_page(color_scheme=scheme, viewport={"width": 1000, "height": 900})
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    tab.goto(page.as_uri())
    yield tab
    tab.close()
    assert not wrong, wrong


@pytest.fixture(params=["light", "dark"])
def page(
    request: pytest.FixtureRequest, browser: Any, study: tuple[Path, dict[str, Any]]
) -> Iterator[Any]:
    """The page of the module's `study`."""
    yield from opened(browser, request.param, study[0])
