"""Scans in other engines, with two workers each: the rows are those of the scan itself."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import logging, os, sys
import pyarrow, solio

def rows(scan, engine):
    if engine == "ray":
        import ray
        ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
        tables = ray.get(scan.to_ray(9).to_arrow_refs())
        return [row for table in tables for row in table.to_pylist()]
    if engine == "dask":
        import dask
        with dask.config.set(scheduler="processes", num_workers=2):
            frame = scan.to_dask(9)
            assert frame.npartitions == 9
            return frame.compute()[["path", "kind", "faces"]].to_dict("records")
    if engine == "daft":
        return scan.to_daft(9).select("path", "kind", "faces").to_pylist()
    from pyspark.sql import SparkSession
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return [row.asDict() for row in scan.to_spark(session, 9).collect()]

if __name__ == "__main__":
    scan = solio.scan(sys.argv[2], deep=True)
    def told(rows):
        return sorted((r["path"], r["kind"], str(r["faces"]).replace("<NA>", "None")) for r in rows)
    wanted = told(pyarrow.table(scan).to_pylist())
    found = told(rows(scan, sys.argv[1]))
    assert found == wanted, (found[:3], wanted[:3])
    print("rows", len(found))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for n in range(250):
        folder = tmp_path / "r" / f"{n // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" if n % 2 else "words\n"
        (folder / f"a.{n:04}.obj").write_text(text)
    return tmp_path / "r"


@pytest.mark.parametrize("engine", ["ray", "dask", "daft", "pyspark"])
def test_other_engines_find_the_same_rows(engine: str, tree: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("pyarrow") is None or importlib.util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")
    if engine == "pyspark" and shutil.which("java") is None:
        pytest.skip("there is no Java for Spark")
    script = tmp_path / "engine.py"
    script.write_text(SCRIPT)
    more = {"PYSPARK_PYTHON": sys.executable, "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, str(script), engine, str(tree)]
    done = subprocess.run(
        command, env=os.environ | more, capture_output=True, text=True, timeout=300, check=False
    )
    assert "rows 250" in done.stdout, done.stdout[-500:] + done.stderr[-2000:]
