# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's importers and ours make the same of what Solio writes and of files from elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import numpy as np
import pytest
import scenes

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("SOLIO_DATA", ROOT / "../shared/data")) / "mesh"
MOST_BYTES = 3_000_000


def snapshot():
    """What an import has made, by the names of the objects."""
    found = {}
    for thing in bpy.context.scene.objects:
        if thing.type != "MESH":
            found[thing.name] = {"type": thing.type}
            continue
        mesh = thing.data
        found[thing.name] = {
            "matrix": np.array(thing.matrix_world),
            "vertices": values(mesh.vertices, "co", 3),
            "edges": len(mesh.edges),
            "starts": values(mesh.polygons, "loop_start", 1, np.int32),
            "corners": values(mesh.loops, "vertex_index", 1, np.int32),
            "smooth": values(mesh.polygons, "use_smooth", 1, np.bool_),
            "slots": values(mesh.polygons, "material_index", 1, np.int32),
            "materials": [m and m.name for m in mesh.materials],
            "colors": [c.name for c in mesh.color_attributes],
        }
        if mesh.uv_layers.active:
            found[thing.name]["uvs"] = values(mesh.uv_layers.active.uv, "vector", 2)
        if len(mesh.polygons):
            found[thing.name]["normals"] = values(mesh.corner_normals, "vector", 3)
    return found


def values(collection, name, width, dtype=np.float32):
    out = np.empty(len(collection) * width, dtype)
    collection.foreach_get(name, out)
    return out


def load(operators, path):
    """A snapshot after the import into an empty scene, or what the operator says."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    operator = getattr(operators, f"{path.suffix[1:].lower()}_import")
    try:
        operator(filepath=str(path))
    except RuntimeError as error:
        return str(error)
    return snapshot()


def difference(blender, solio):
    """Empty when both are equal; normals may differ by what 16 bits of custom normals allow."""
    if sorted(blender) != sorted(solio):
        return f"objects: blender {sorted(blender)[:9]}, solio {sorted(solio)[:9]}"
    for name, expected in blender.items():
        got = solio[name]
        if sorted(expected) != sorted(got):
            return f"{name}: {sorted(expected)} {sorted(got)}"
        for key, value in expected.items():
            if not isinstance(value, np.ndarray):
                same = value == got[key]
            elif value.shape != got[key].shape:
                same = False
            elif key == "normals":
                same = np.allclose(value, got[key], atol=2e-3)
            else:
                same = np.array_equal(value, got[key], equal_nan=value.dtype.kind == "f")
            if not same:
                return f"{name}: {key}: blender {value}, solio {got[key]}"
    return ""


@pytest.mark.parametrize("kind", ["obj", "ply", "stl"])
@pytest.mark.parametrize("name", [name for name in scenes.ALL if name != "large"])
def test_same_of_what_we_write(scene, tmp_path, name, kind):
    scene(name)
    path = tmp_path / f"out.{kind}"
    assert getattr(bpy.ops.solio, f"{kind}_export")(filepath=str(path)) == {"FINISHED"}
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    assert not isinstance(blender, str)
    if (name, kind) == ("loose", "obj"):  # all its faces are degenerate: Blender marks them flat
        for found in (*blender.values(), *solio.values()):
            found.pop("smooth", None)
    assert difference(blender, solio) == ""


# Files that Solio refuses and says why; Blender makes of them what it can, mostly nothing.
REFUSED = {
    "number_formats.obj": "`3.1+e2` is not a number",
    "empty.obj": "",
    "obj_empty.obj": "",
    "invalid-relative-vertex-index.obj": "none comes before it",
    "issue-356-leading-spaces-newmtl.obj": "no vertices",
}

# Files of which both make something else, and why.
DIFFERENT = {
    "box_UTF16BE.obj": "Blender does not read UTF-16",
    "empty_mat.obj": "Blender makes a material of `usemtl` without a name",
    "regr01.obj": "a name in Latin-1; Blender drops the letter",
    "usemtl-issue-104.obj": "Blender adds the material of a `usemtl` after the last face",
    "sofa.ply": "Blender does not know these names of texture coordinates",
    "capsule.obj": "Blender marks degenerate faces flat",
    "noimg.obj": "custom normals around degenerate faces",
}


def outside_files():
    files = sorted(DATA.rglob("*")) if DATA.is_dir() else []
    kinds = (".obj", ".ply", ".stl")
    return [f for f in files if f.suffix.lower() in kinds and f.stat().st_size < MOST_BYTES]


@pytest.mark.skipif(not outside_files(), reason="skipped: no files in SOLIO_DATA")
@pytest.mark.parametrize("path", outside_files(), ids=lambda path: str(path.relative_to(DATA)))
def test_same_of_other_files(path):
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    if path.name in REFUSED:
        assert path.name in solio and REFUSED[path.name] in solio
    elif isinstance(blender, str):
        assert isinstance(solio, str) or not any(len(v["vertices"]) for v in solio.values())
    elif path.name in DIFFERENT:
        assert not isinstance(solio, str)
    else:
        assert not isinstance(solio, str), solio
        assert difference(blender, solio) == ""
