"""A headless browser for the pages that Solio makes.

Needs Chromium (Debian's `chromium`, or the program that SOLIO_CHROMIUM names), Playwright, and the
command, which SOLIO_COMMAND names; without one of them the tests say *skipped*.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

api = pytest.importorskip("playwright.sync_api", reason="skipped: Playwright is not installed")

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]


def program(variable: str, names: list[str]) -> str:
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.skip(f"skipped: there is no {names[0]}; {variable} may name it")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        path = program("SOLIO_CHROMIUM", NAMES)
        # The sandbox needs rights that a container may not give; the page is our own.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()
