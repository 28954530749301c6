# SPDX-License-Identifier: GPL-3.0-or-later
"""Names with line breaks and other control characters: `_` stands for them, in every format."""

from __future__ import annotations

import bpy
import pytest
import solio
from compare import both

BREAKS = "a\nb\rc\x01d\x0be\x0cf\x1bg\x7fh\x85i\tj k"
PLAIN = "a_b_c_d_e_f_g_h_i\tj k"
EVERYTHING = {
    "obj": {
        "export_object_groups": True,
        "export_vertex_groups": True,
        "export_material_groups": True,
    },
    "ply": {"ascii_format": True},
    "stl": {"ascii_format": True},
}


def fill(name=BREAKS):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new(f"mesh {name}")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    thing = bpy.data.objects.new(f"object {name}", mesh)
    bpy.context.scene.collection.objects.link(thing)
    for kind in ("one", "two"):
        thing.vertex_groups.new(name=f"{kind} {name}").add([0, 1, 2], 0.5, "REPLACE")
    mesh.uv_layers.new(name=f"uv {name}")
    mesh.attributes.new(f"value {name}", "FLOAT", "POINT")
    mesh.attributes.new(f"vector {name}", "FLOAT_VECTOR", "POINT")
    mesh.materials.append(bpy.data.materials.new(f"material {name}"))
    inner = bpy.data.collections.new(f"collection {name}")
    bpy.context.scene.collection.children.link(inner)
    inner.objects.link(thing)


def plain(data):
    """What Blender has written, with `_` for what spoils it."""
    for name in (BREAKS, BREAKS.replace(" ", "_")):
        good = PLAIN if " " in name else PLAIN.replace(" ", "_")
        data = data.replace(name.encode(), good.encode())
    return data


@pytest.mark.parametrize("kind", EVERYTHING)
@pytest.mark.parametrize("chosen", [True, False])
def test_control_characters(tmp_path, kind, chosen):
    fill()
    options = EVERYTHING[kind]
    if chosen:
        options = options | {"collection": bpy.data.collections[0].name}
    blender, solio_ = both(tmp_path, kind, **options)
    assert {name: plain(data) for name, data in blender.items()} == solio_
    read = solio.read_mesh(str(tmp_path / "solio" / f"out.{kind}"))
    assert read.face_count == 1


def test_curves(tmp_path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.curve.primitive_nurbs_curve_add()
    bpy.context.object.name = BREAKS
    blender, solio_ = both(tmp_path, "obj", export_curves_as_nurbs=True)
    assert {name: plain(data) for name, data in blender.items()} == solio_


@pytest.mark.parametrize("ascii_format", [True, False])
def test_a_batch(tmp_path, ascii_format):
    fill()
    blender, solio_ = both(tmp_path, "stl", use_batch=True, ascii_format=ascii_format)
    # Blender keeps these two in names of files.
    assert {n.replace("\x7f", "_").replace("\x85", "_"): d for n, d in blender.items()} == solio_


def names_of(tmp_path):
    path = tmp_path / "a.ply"
    assert bpy.ops.solio.ply_export(filepath=str(path), ascii_format=True) == {"FINISHED"}
    head = path.read_text().split("end_header")[0]
    return [line.removeprefix("property float ") for line in head.split("\n")[7:-1]]


def test_names_that_become_one_stay_two(tmp_path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(calc_uvs=False)
    mesh = bpy.context.object.data
    for i, name in enumerate(("a\nb", "a_b", "a\rb")):
        mesh.attributes.new(name, "FLOAT", "POINT").data[0].value = i
    mesh.attributes.new("v", "FLOAT_VECTOR", "POINT")
    mesh.attributes.new("v_x", "FLOAT", "POINT")
    found = [name for name in names_of(tmp_path) if name[0] in "av"]
    assert found == ["a_b", "a_b.001", "a_b.002", "v_x", "v_y", "v_z", "v_x.001"]


def test_a_name_of_blanks(tmp_path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(calc_uvs=False)
    mesh = bpy.context.object.data
    mesh.attributes.new("  ", "FLOAT", "POINT")
    mesh.attributes.new("\t", "FLOAT", "POINT")
    found = [name for name in names_of(tmp_path) if name.startswith("_")]
    assert found == ["__", "_"]
