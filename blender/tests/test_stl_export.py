# SPDX-License-Identifier: GPL-3.0-or-later
"""STL by Blender's exporter and by ours are equal, byte for byte."""

from __future__ import annotations

import bpy
import pytest
from compare import both, cases, difference, last_of_each_name

OPTIONS = {
    "default": {},
    "ascii": {"ascii_format": True},
    "turned": {"forward_axis": "X", "up_axis": "NEGATIVE_Y", "global_scale": 0.37},
    "no modifiers": {"apply_modifiers": False},
    "viewport": {"evaluation_mode": "DAG_EVAL_VIEWPORT"},
    "selected": {"export_selected_objects": True},
    "collection": {"collection": "Outer"},
    "batch": {"use_batch": True},
    "scene unit": {"use_scene_unit": True},
}


@pytest.mark.parametrize(("name", "options"), cases(OPTIONS))
def test_same_bytes(scene, tmp_path, name, options):
    scene(name)
    bpy.context.scene.unit_settings.scale_length = 0.3
    blender, solio = both(tmp_path, "stl", **OPTIONS[options])
    if (name, options) == ("instances", "batch"):
        assert len(solio) > len(blender)
        solio = last_of_each_name(solio)
    assert difference(blender, solio) == ""


@pytest.mark.parametrize("given", ["", ".stl", "x.stl"])
def test_names_of_a_batch(scene, tmp_path, given):
    scene("cube")
    for name in ("Cube.", "a/b c"):
        bpy.ops.mesh.primitive_plane_add()
        bpy.context.object.name = name
    done = bpy.ops.solio.stl_export(filepath=f"{tmp_path}/{given}", use_batch=True)
    assert done == {"FINISHED"}
    stem = given.removesuffix(".stl")
    expected = [f"{stem}{name}.stl" for name in ("Cube", "Cube.", "a_b_c")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(expected)
