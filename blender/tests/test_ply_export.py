# SPDX-License-Identifier: GPL-3.0-or-later
"""PLY by Blender's exporter and by ours are equal, byte for byte."""

from __future__ import annotations

import pytest
import scenes
from compare import both, difference

OPTIONS = {
    "default": {},
    "ascii": {"ascii_format": True},
    "turned": {"forward_axis": "X", "up_axis": "NEGATIVE_Y", "global_scale": 0.37},
    "no modifiers": {"apply_modifiers": False, "ascii_format": True},
    "selected": {"export_selected_objects": True},
    "collection": {"collection": "Outer", "ascii_format": True},
    "no uv": {"export_uv": False, "ascii_format": True},
    "normals": {"export_normals": True, "ascii_format": True},
    "linear colors": {"export_colors": "LINEAR", "ascii_format": True},
    "no colors": {"export_colors": "NONE"},
    "no attributes": {"export_attributes": False},
    "triangles": {"export_triangulated_mesh": True, "ascii_format": True},
    "everything": {"export_normals": True, "export_triangulated_mesh": True},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", scenes.ALL)
def test_same_bytes(scene, tmp_path, name, options):
    if options == "collection" and name != "collections":
        pytest.skip("the scene has no such collection")
    scene(name)
    assert difference(*both(tmp_path, "ply", **OPTIONS[options])) == ""
