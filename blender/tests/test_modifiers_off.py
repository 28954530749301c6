# SPDX-License-Identifier: GPL-3.0-or-later
"""With *Apply Modifiers* off, what is not a mesh goes out as from Blender's exporters."""

from __future__ import annotations

import bpy
import pytest
from compare import both, difference

KINDS = {
    "obj": [{}, {"export_eval_mode": "DAG_EVAL_RENDER"}, {"export_triangulated_mesh": True}],
    "ply": [{"ascii_format": True}, {"export_triangulated_mesh": True, "export_normals": True}],
    "stl": [{"ascii_format": True}, {"evaluation_mode": "DAG_EVAL_VIEWPORT"}],
}
EXPORTS = [(kind, given) for kind, all_given in KINDS.items() for given in all_given]


def curve():
    bpy.ops.curve.primitive_bezier_curve_add()
    return bpy.context.object


def bevelled():
    made = curve()
    made.data.bevel_depth = 0.1
    # Without modifiers the viewport's resolution counts, also in a render.
    made.data.resolution_u, made.data.render_resolution_u = 7, 5
    return made


def text():
    bpy.ops.object.text_add()
    return bpy.context.object


def surface():
    bpy.ops.surface.primitive_nurbs_surface_surface_add()
    return bpy.context.object


def metaball():
    bpy.ops.object.metaball_add()
    return bpy.context.object


def array(made):
    made.modifiers.new("row", "ARRAY").count = 2


def moved(made):
    made.location.x = 3


def remesh(made):
    made.modifiers.new("remesh", "REMESH")


def hidden(made):
    made.modifiers.new("row", "ARRAY").show_render = False


def geometry_nodes(made, on_points=False):
    group = bpy.data.node_groups.new("more", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    cube = group.nodes.new("GeometryNodeMeshCube")
    join = group.nodes.new("GeometryNodeJoinGeometry")
    more = cube
    if on_points:
        more = group.nodes.new("GeometryNodeInstanceOnPoints")
        grid = group.nodes.new("GeometryNodeMeshGrid")
        group.links.new(grid.outputs[0], more.inputs["Points"])
        group.links.new(cube.outputs[0], more.inputs["Instance"])
    group.links.new(start.outputs[0], join.inputs[0])
    group.links.new(more.outputs[0], join.inputs[0])
    group.links.new(join.outputs[0], end.inputs[0])
    made.modifiers.new("nodes", "NODES").node_group = group


def instances(made):
    geometry_nodes(made, on_points=True)


def in_a_collection(made):
    array(made)
    inner = bpy.data.collections.new("inner")
    inner.objects.link(made)
    bpy.context.scene.collection.objects.unlink(made)
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.instance_type, holder.instance_collection = "COLLECTION", inner
    holder.scale = (1, 2, -1)


CASES = [
    (curve, array),
    (curve, geometry_nodes),
    (curve, hidden),
    (curve, instances),
    (bevelled, array),
    (bevelled, remesh),
    (bevelled, in_a_collection),
    (text, remesh),
    (text, geometry_nodes),
    (text, instances),
    (surface, array),
    (surface, remesh),
    (metaball, moved),
]
NAMES = [f"{make.__name__}-{change.__name__}" for make, change in CASES]


@pytest.mark.parametrize(("make", "change"), CASES, ids=NAMES)
@pytest.mark.parametrize(("kind", "given"), EXPORTS)
def test_same_bytes(tmp_path, make, change, kind, given):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    change(make())
    bpy.context.view_layer.update()
    before = len(bpy.data.meshes)
    found = both(tmp_path, kind, apply_modifiers=False, **given)
    assert difference(*found) == ""
    assert len(bpy.data.meshes) == before


def test_counts(tmp_path):
    """A curve of 13 vertices and an array of two: one of them."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    array(curve())
    path = tmp_path / "a.ply"
    bpy.ops.solio.ply_export(filepath=str(path), apply_modifiers=False)
    assert b"element vertex 13\n" in path.read_bytes()


@pytest.mark.parametrize("modifiers", [True, False])
def test_a_curve_without_a_mesh(tmp_path, modifiers):
    """Blender crashes here, so there is nothing to compare with."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    remesh(curve())
    bpy.ops.mesh.primitive_cube_add()
    path = tmp_path / "a.obj"
    done = bpy.ops.solio.obj_export(filepath=str(path), apply_modifiers=modifiers)
    assert done == {"FINISHED"}
    text = path.read_text()
    assert text.count("\nv ") == 8
    assert text.count("\nf ") == 6
