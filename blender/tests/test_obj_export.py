# SPDX-License-Identifier: GPL-3.0-or-later
"""OBJ and MTL by Blender's exporter and by ours are equal, byte for byte."""

from __future__ import annotations

import random

import bpy
import pytest
import scenes
from compare import both, cases, difference

OPTIONS = {
    "default": {},
    "turned": {"forward_axis": "X", "up_axis": "NEGATIVE_Y", "global_scale": 0.37},
    "no transform": {"apply_transform": False, "global_scale": 100.0},
    "no modifiers": {"apply_modifiers": False},
    "render": {"export_eval_mode": "DAG_EVAL_RENDER"},
    "selected": {"export_selected_objects": True},
    "no uv": {"export_uv": False},
    "no normals": {"export_normals": False},
    "geometry only": {"export_uv": False, "export_normals": False, "export_materials": False},
    "colors": {"export_colors": True},
    "no materials": {"export_materials": False, "export_material_groups": True},
    "pbr": {"export_pbr_extensions": True},
    "strip": {"path_mode": "STRIP"},
    "absolute": {"path_mode": "ABSOLUTE"},
    "relative": {"path_mode": "RELATIVE"},
    "match": {"path_mode": "MATCH"},
    "copy": {"path_mode": "COPY"},
    "triangles": {"export_triangulated_mesh": True},
    "nurbs": {"export_curves_as_nurbs": True, "forward_axis": "Y", "up_axis": "Z"},
    "object groups": {"export_object_groups": True},
    "material groups": {"export_material_groups": True},
    "vertex groups": {"export_vertex_groups": True},
    "smooth groups": {"export_smooth_groups": True},
    "smooth bitflags": {"export_smooth_groups": True, "smooth_group_bitflags": True},
    "collection": {"collection": "Outer"},
    "everything": {
        "export_colors": True,
        "export_pbr_extensions": True,
        "export_triangulated_mesh": True,
        "export_object_groups": True,
        "export_material_groups": True,
        "export_vertex_groups": True,
        "export_smooth_groups": True,
    },
}


@pytest.mark.parametrize(("name", "options"), cases(OPTIONS))
def test_same_bytes(scene, tmp_path, name, options):
    scene(name)
    assert difference(*both(tmp_path, "obj", **OPTIONS[options])) == ""


def test_animation(scene, tmp_path):
    scene("animated")
    blender, solio = both(tmp_path, "obj", export_animation=True, start_frame=1, end_frame=3)
    assert len(blender) == 6
    assert difference(blender, solio) == ""


@pytest.mark.parametrize("seed", range(20))
def test_random_options(scene, tmp_path, seed):
    """Options that change each other's effect, in sets that nobody would think of."""
    chance = random.Random(seed)
    properties = bpy.ops.wm.obj_export.get_rna_type().properties
    switches = [p.identifier for p in properties if p.type == "BOOLEAN"]
    wanted = [n for n in switches if n.startswith(("apply_", "export_", "smooth_"))]
    wanted = [n for n in wanted if n not in ("export_animation", "export_selected_objects")]
    options = {name: chance.random() < 0.5 for name in wanted}
    up = chance.choice("XYZ")
    forward = chance.choice([axis for axis in "XYZ" if axis != up])
    options["up_axis"] = chance.choice(["", "NEGATIVE_"]) + up
    options["forward_axis"] = chance.choice(["", "NEGATIVE_"]) + forward
    options["global_scale"] = chance.choice([1.0, 0.37, 12.5, 1000.0])
    options["path_mode"] = chance.choice(["AUTO", "ABSOLUTE", "RELATIVE", "MATCH", "STRIP"])
    options["export_eval_mode"] = chance.choice(["DAG_EVAL_RENDER", "DAG_EVAL_VIEWPORT"])
    scene(chance.choice([name for name in scenes.ALL if name != "large"]))
    assert difference(*both(tmp_path, "obj", **options)) == ""


@pytest.mark.parametrize("add", ["loose", "nothing", "curve", "text"])
def test_materials_of_what_has_no_faces(tmp_path, add):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if add == "curve":
        bpy.ops.curve.primitive_bezier_curve_add()
        data = bpy.context.object.data
    elif add == "text":
        bpy.ops.object.text_add()
        data = bpy.context.object.data
        data.body = ""
    else:
        data = bpy.data.meshes.new(add)
        data.from_pydata([(0, 0, 0), (1, 0, 0)] if add == "loose" else [], [], [])
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(add, data))
    data.materials.append(bpy.data.materials.new("of no faces"))
    scenes.triangle("beside").materials.append(bpy.data.materials.new("of a face"))
    assert difference(*both(tmp_path, "obj")) == ""
