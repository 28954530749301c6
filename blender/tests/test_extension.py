# SPDX-License-Identifier: GPL-3.0-or-later
"""The built extension installs into a fresh Blender, is enabled there, exports and imports."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

INSTALL = """
import sys
import bpy

zip_file, folder = sys.argv[1:3]
before = set(dir(bpy.ops.wm))
assert bpy.ops.extensions.package_install_files(
    filepath=zip_file, repo="user_default", enable_on_install=True
) == {"FINISHED"}
assert "bl_ext.user_default.solio_io" in bpy.context.preferences.addons
bpy.ops.mesh.primitive_monkey_add()
for kind in ("obj", "ply", "stl"):
    for operators, name in ((bpy.ops.solio, "solio"), (bpy.ops.wm, "blender")):
        (export,) = [getattr(operators, f"{kind}_export")]
        assert export(filepath=f"{folder}/{name}.{kind}") == {"FINISHED"}
    assert bpy.ops.solio.__getattr__(f"{kind}_import")(
        filepath=f"{folder}/solio.{kind}"
    ) == {"FINISHED"}
import solio
assert "wheels" not in solio.__file__  # Blender has installed the wheel
print("SOLIO", solio.__file__)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The zip, from the wheel that `SOLIO_WHEEL` names; `.ci/blender` builds one."""
    wheel = os.environ.get("SOLIO_WHEEL")
    if not wheel:
        pytest.skip("skipped: SOLIO_WHEEL names no wheel")
    out = tmp_path_factory.mktemp("package")
    build = [sys.executable, ROOT / "blender/build.py", "--out", out, "--wheel", wheel]
    done = subprocess.run(build, check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


def test_manifest(package):
    with zipfile.ZipFile(package) as archive:
        values = tomllib.loads(archive.read("solio_io/blender_manifest.toml").decode())
        names = set(archive.namelist())
    assert values["license"] == ["SPDX:GPL-3.0-or-later"]
    assert values["blender_version_min"] == "4.2.0"
    assert len(values["wheels"]) == len(values["platforms"]) == 1
    assert {f"solio_io/{wheel.removeprefix('./')}" for wheel in values["wheels"]} <= names
    assert {"solio_io/__init__.py", "solio_io/operators.py"} <= names
    assert {name.split("/")[0] for name in names} == {"solio_io"}


def test_installs_and_exports(package, tmp_path):
    home = {f"BLENDER_USER_{name}": str(tmp_path / "user") for name in ("RESOURCES", "CONFIG")}
    home["BLENDER_USER_EXTENSIONS"] = str(tmp_path / "extensions")
    home["HOME"] = str(tmp_path)
    folder = tmp_path / "out"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", INSTALL, str(package), str(folder)],
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SOLIO" in done.stdout
    for kind in ("obj", "ply", "stl"):
        blender = (folder / f"blender.{kind}").read_bytes()
        solio = (folder / f"solio.{kind}").read_bytes()
        assert solio.replace(b"solio.mtl", b"blender.mtl") == blender
