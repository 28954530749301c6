# SPDX-License-Identifier: GPL-3.0-or-later
"""PLY by Blender's exporter and by ours are equal, byte for byte."""

from __future__ import annotations

import bpy
import pytest
from compare import both, cases, difference, without_uvs

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

# Where some meshes have UVs and others have none, Blender 5.2 gives the first vertices the UVs of
# others and reads past the end of its array for the last ones: each run writes something else.
# Ours are zero where there are none.
PARTLY_UV = {"ngons", "curves", "loose", "colors", "no_uv", "instances"}


@pytest.mark.parametrize(("name", "options"), cases(OPTIONS))
def test_same_bytes(scene, tmp_path, name, options):
    scene(name)
    given = dict(OPTIONS[options])
    if name not in PARTLY_UV or given.get("export_uv") is False:
        assert difference(*both(tmp_path, "ply", **given)) == ""
        return
    given["ascii_format"] = True
    blender, solio = both(tmp_path, "ply", **given)
    assert difference(without_uvs(blender), without_uvs(solio)) == ""


@pytest.mark.parametrize("domain", ["POINT", "CORNER", "EDGE", "FACE"])
@pytest.mark.parametrize("kind", ["FLOAT_COLOR", "BYTE_COLOR"])
@pytest.mark.parametrize("form", ["ply", "obj"])
def test_colors_of_every_domain(scene, tmp_path, domain, kind, form):
    scene("cube")
    mesh = bpy.context.object.data
    made = mesh.attributes.new("paint", kind, domain)
    for i, element in enumerate(made.data):
        element.color = (i % 11 / 10, i % 7 / 6, i % 3 / 2, i % 5 / 4)
    mesh.attributes.active_color = made
    mesh.attributes.active_color_name = "paint"
    options = {"ascii_format": True} if form == "ply" else {"export_colors": True}
    assert difference(*both(tmp_path, form, **options)) == ""


@pytest.mark.parametrize("form", ["ply", "obj"])
@pytest.mark.parametrize("kind", ["", "FLOAT", "FLOAT_VECTOR", "BOOLEAN"])
def test_an_active_color_that_is_not_there(scene, tmp_path, form, kind):
    """A Remesh modifier drops the attribute and keeps its name."""
    scene("cube")
    mesh = bpy.context.object.data
    mesh.color_attributes.new("gone", "FLOAT_COLOR", "POINT")
    mesh.attributes.active_color_name = "gone"
    mesh.attributes.remove(mesh.attributes["gone"])
    if kind:
        made = mesh.attributes.new("gone", kind, "POINT")
        for i, element in enumerate(made.data):
            if kind == "FLOAT_VECTOR":
                element.vector = (i / 8, 0.5, 1)
            else:
                element.value = i / 8 if kind == "FLOAT" else bool(i % 2)
    mesh.attributes.active_color_name = "gone"
    bpy.ops.mesh.primitive_plane_add()
    options = {"ascii_format": True} if form == "ply" else {"export_colors": True}
    assert difference(*both(tmp_path, form, **options)) == ""
