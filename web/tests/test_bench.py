"""The page of `solio-bench all` shows what its JSON says."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import bench_program, opened


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    page = tmp_path_factory.mktemp("bench") / "bench.html"
    command = [bench_program(), "all", "--only", "io,catalog", "--json", "-o", page]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return page, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(params=["light", "dark"])
def page(browser: Any, bench: tuple[Path, list[dict[str, Any]]], request: Any) -> Iterator[Any]:
    yield from opened(browser, request.param, bench[0])


def test_every_row_is_shown(page: Any, bench: tuple[Path, list[dict[str, Any]]]) -> None:
    rows = bench[1]
    assert {row["area"] for row in rows} == {"io", "catalog"}
    assert page.locator("#rows tr").count() == len(rows)
    bounds = sum(row["is_bound"] for row in rows)
    assert bounds > 0
    assert page.locator("#light rect").count() == bounds
    assert page.locator("#chart circle").count() == len(rows) - bounds


def test_an_area_can_be_chosen(page: Any, bench: tuple[Path, list[dict[str, Any]]]) -> None:
    page.select_option("#area", "catalog")
    rows = [row for row in bench[1] if row["area"] == "catalog"]
    assert page.locator("#rows tr").count() == len(rows)
    page.locator("#light rect").first.focus()
    assert rows[0]["work"] in page.locator("#said").inner_text()
