# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs in Blender before 4.1: where meshes keep their data, and names of sockets.

At the end of `extract` and of `build_mesh`, functions from here take the place of those of the same
name. All goes through `foreach_get` and `foreach_set`: in 3.4 vertices, edges and corners are
structs with flags between the numbers, so that there is no array to look at. Tried in 3.4.1.
"""

from __future__ import annotations

import bpy
import numpy as np

from . import arrays

BEFORE_4_0 = bpy.app.version < (4, 0)
BEFORE_4_1 = bpy.app.version < (4, 1)
HAS_BOUNDARY_BITFLAGS = (
    "use_boundary_vertices_for_bitflags"
    in bpy.types.Mesh.bl_rna.functions["calc_smooth_groups"].parameters
)

# Blender 4.0 gave sockets of the Principled BSDF new names.
SOCKETS = {
    "Coat Roughness": "Clearcoat Roughness",
    "Coat Weight": "Clearcoat",
    "Emission Color": "Emission",
    "Sheen Weight": "Sheen",
    "Specular IOR Level": "Specular",
    "Transmission Weight": "Transmission",
}
# MTL's clearcoat is Blender's before 4.0, and four times its coat since.
COAT_FACTOR = 1.0 if BEFORE_4_0 else 4.0


def socket(node, name):
    """The input of a node by its name in Blender 4.0 and later, or `None`."""
    return node.inputs.get(SOCKETS.get(name, name) if BEFORE_4_0 else name)


def node_tree(material):
    """The nodes of a material; before Blender 5.0 they could be switched off."""
    if bpy.app.version < (5, 0) and not material.use_nodes:
        return None
    return material.node_tree


def smooth_groups(mesh, bitflags):
    return mesh.calc_smooth_groups(use_bitflags=bitflags)[0]


def positions(mesh):
    return arrays.copied(mesh.vertices, "co", np.float32, (len(mesh.vertices), 3))


def corner_vertices(mesh):
    return arrays.copied(mesh.loops, "vertex_index", np.int32, (len(mesh.loops),)).view(np.uint32)


def corner_edges(mesh):
    return arrays.copied(mesh.loops, "edge_index", np.int32, (len(mesh.loops),))


def edge_vertices(mesh):
    return arrays.copied(mesh.edges, "vertices", np.int32, (len(mesh.edges), 2)).view(np.uint32)


def uv_values(layer):
    return arrays.copied(layer.data, "uv", np.float32, (len(layer.data), 2))


def sharp_faces(mesh):
    return ~arrays.copied(mesh.polygons, "use_smooth", np.bool_, (len(mesh.polygons),))


def add_normals(out, mesh):
    mesh.calc_normals_split()
    out.normals = arrays.copied(mesh.loops, "normal", np.float32, (len(mesh.loops), 3))
    out.normal_domain = "corner"
    mesh.free_normals_split()


def keep_shading(mesh, copy):
    copy.use_auto_smooth = mesh.use_auto_smooth
    copy.auto_smooth_angle = mesh.auto_smooth_angle


def new_mesh(name, positions, offsets, corners, edges):
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(positions))
    mesh.vertices.foreach_set("co", _flat(positions, np.float32))
    mesh.edges.add(len(edges))
    if len(edges):
        mesh.edges.foreach_set("vertices", _flat(edges, np.int32))
    if len(offsets) > 1:
        mesh.loops.add(len(corners))
        mesh.loops.foreach_set("vertex_index", _flat(corners, np.int32))
        mesh.polygons.add(len(offsets) - 1)
        mesh.polygons.foreach_set("loop_start", _flat(offsets[:-1], np.int32))
        if not bpy.types.MeshPolygon.bl_rna.properties["loop_total"].is_readonly:
            mesh.polygons.foreach_set("loop_total", _flat(np.diff(offsets), np.int32))
        set_attribute(mesh, "sharp_face", "BOOLEAN", "FACE", np.zeros(len(offsets) - 1, np.bool_))
    return mesh


def set_attribute(mesh, name, kind, domain, values):
    if name == "sharp_face":
        mesh.polygons.foreach_set("use_smooth", _flat(~values, np.bool_))
    elif name == "material_index":
        mesh.polygons.foreach_set("material_index", _flat(values, np.int32))
    elif kind == "FLOAT2":
        layer = mesh.uv_layers.new(name=name, do_init=False)
        layer.data.foreach_set("uv", _flat(values, np.float32))
    else:
        data = mesh.attributes.new(name, kind, domain).data
        key = {"FLOAT_VECTOR": "vector", "FLOAT_COLOR": "color"}.get(kind, "value")
        data.foreach_set(key, _flat(values, arrays.KINDS[kind][0]))


def flat_with_normals(flat, normals, offsets):
    """Those whose corners share a normal: it is kept exactly, where custom normals are 16 bits."""
    first = np.repeat(normals[offsets[:-1]], np.diff(offsets), axis=0)
    return flat & np.logical_and.reduceat((normals == first).all(axis=1), offsets[:-1])


def use_normals(mesh):
    mesh.use_auto_smooth = True  # without it custom normals are not used


def _flat(values, kind):
    return np.ascontiguousarray(values, kind).reshape(-1)
