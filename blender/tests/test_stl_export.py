# SPDX-License-Identifier: GPL-3.0-or-later
"""STL by Blender's exporter and by ours are equal, byte for byte."""

from __future__ import annotations

import pytest
from compare import both, cases, difference

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
    import bpy

    scene(name)
    bpy.context.scene.unit_settings.scale_length = 0.3
    assert difference(*both(tmp_path, "stl", **OPTIONS[options])) == ""
