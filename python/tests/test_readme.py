"""README says what the newest record says, and its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import solio
from test_photo import with_thumbnail

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_table_in_readme_is_that_of_the_newest_record() -> None:
    if not list((ROOT / "bench" / "record").glob("*.csv")):
        pytest.skip("no record yet")
    command = [sys.executable, "bench/table.py", "README.md", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_the_python_in_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scene.obj").write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    Path("broken.obj").write_bytes(b"v 0 0 0\nf 1 2 x\n")
    plane = np.ones((20, 30), np.float16)
    channels = {name: plane for name in "RGBA"} | {"depth.Z": plane.astype(np.float32)}
    beauty = solio.Part(channels, name="beauty", attributes={"owner": "somebody"})
    solio.write_image([beauty, solio.Part({"id": plane}, name="id")], "shot.exr")
    Path("photo.jpg").write_bytes(with_thumbnail(40, 24, 6))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    out = capsys.readouterr().out
    assert "(3, 3) uint32" in out and "broken.obj 2" in out
    assert "(20, 30) float32 somebody" in out and "small.exr 1.0" in out
    assert "{'Orientation': 'Rotate 90 CW'}" in out and "[None] {}" in out
    assert names["small"].jpeg[:2] == b"\xff\xd8"
