# SPDX-License-Identifier: GPL-3.0-or-later
"""From a Blender mesh to the arrays of a `solio.Mesh`."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
import solio

from . import arrays, older


def topology(mesh):
    """A `solio.Mesh` with positions and faces only."""
    out = solio.Mesh()
    if len(mesh.vertices):
        out.positions = positions(mesh)
    if len(mesh.polygons):
        out.face_offsets = arrays.face_offsets(mesh)
        out.corner_vertices = corner_vertices(mesh)
    return out


def positions(mesh):
    """The vertices of a mesh that has some."""
    return arrays.column(mesh.attributes["position"].data, "FLOAT_VECTOR")


def corner_vertices(mesh):
    """The vertex of each corner."""
    return arrays.column(mesh.attributes[".corner_vert"].data, "INT").view(np.uint32)


def edge_vertices(mesh):
    """The two vertices of each edge, of a mesh that has some."""
    return arrays.column(mesh.attributes[".edge_verts"].data, "INT32_2D").view(np.uint32)


def corner_edges(mesh):
    """The edge of each corner."""
    return arrays.column(mesh.attributes[".corner_edge"].data, "INT")


def uv_values(layer):
    """The values of a UV map."""
    return arrays.column(layer.uv, "FLOAT2")


def sharp_faces(mesh):
    """Whether each face is flat, or `None` when all are smooth."""
    return arrays.attribute(mesh, "sharp_face", "BOOLEAN")


def add_uvs(out, mesh):
    """The active UV map, one value a corner."""
    layer = mesh.uv_layers.active
    values = () if layer is None else uv_values(layer)
    if len(values):
        out.uvs = values
        out.uv_domain = "corner"


def add_normals(out, mesh):
    """Normals in the domain in which Blender has them."""
    domain = mesh.normals_domain
    if domain == "FACE":
        out.normals = arrays.column(mesh.polygon_normals, "FLOAT_VECTOR")
        out.normal_domain = "face"
    elif domain == "POINT":
        out.normals = arrays.column(mesh.vertex_normals, "FLOAT_VECTOR")
        out.normal_domain = "vertex"
    else:
        out.normals = arrays.column(mesh.corner_normals, "FLOAT_VECTOR")
        out.normal_domain = "corner"


def loose_edges(mesh):
    """Pairs of vertices of the edges that no face uses."""
    count = len(mesh.edges)
    if count == 0:
        return np.zeros((0, 2), np.uint32)
    edges = edge_vertices(mesh)
    if not len(mesh.polygons):
        return edges
    return edges[solio.unused(count, corner_edges(mesh))]


def add_lines(out, mesh):
    """Loose edges as lines of two vertices."""
    edges = loose_edges(mesh)
    if len(edges):
        out.line_vertices = np.ascontiguousarray(edges).reshape(-1)
        out.line_offsets = np.arange(0, 2 * len(edges) + 1, 2, dtype=np.uint32)


def add_smoothing(out, mesh, groups, bitflags):
    """On and off for each face, or Blender's smoothing groups."""
    count = len(mesh.polygons)
    sharp = sharp_faces(mesh)
    if groups:
        values = np.array(smooth_groups(mesh, bitflags), np.int32).view(np.uint32)
        out.face_smoothing = values if sharp is None else np.where(sharp, np.uint32(0), values)
    elif sharp is None:
        out.face_smoothing = np.ones(count, np.uint32)
    else:
        out.face_smoothing = (~sharp).astype(np.uint32)


def smooth_groups(mesh, bitflags):
    """Blender's smoothing group of each face."""
    return mesh.calc_smooth_groups(
        use_bitflags=bitflags, use_boundary_vertices_for_bitflags=bitflags
    )[0]


def face_slots(mesh):
    """The material slot of each face, or `None` when all are in the first."""
    slots = arrays.attribute(mesh, "material_index", "INT")
    if slots is None:
        return None
    return np.maximum(slots, 0).view(np.uint32)


def vertex_colors(mesh):
    """The active colour attribute as linear RGBA of the vertices, or `None`."""
    name = mesh.attributes.active_color_name
    if not name:
        return None
    found = mesh.attributes.get(name)
    values = None if found is None else _color_values(found)
    if values is None:
        # A Remesh, say, drops the attribute and keeps its name: Blender writes zeros.
        return np.zeros((len(mesh.vertices), 4), np.float32)
    count = len(found.data)
    if found.domain == "POINT":
        return values
    if found.domain == "CORNER":
        vertices = corner_vertices(mesh)
    elif found.domain == "FACE":
        vertices = corner_vertices(mesh)
        values = np.repeat(values, np.diff(arrays.face_offsets(mesh)), axis=0)
    else:
        vertices = edge_vertices(mesh).reshape(-1) if count else np.zeros(0, np.uint32)
        values = np.repeat(values, 2, axis=0)
    return _mean(vertices, values, len(mesh.vertices), found.data_type == "BYTE_COLOR")


def _color_values(found):
    """The values of an attribute as RGBA, or `None` where Blender does not take them as colours."""
    count, kind = len(found.data), found.data_type
    if kind == "FLOAT_COLOR":
        return arrays.column(found.data, kind)
    if kind == "BYTE_COLOR":
        name = "color" if found.domain == "POINT" else "color_srgb"
        return arrays.copied(found.data, name, np.float32, (count, 4))
    if kind not in ("FLOAT", "INT", "INT8", "BOOLEAN", "FLOAT2", "FLOAT_VECTOR"):
        return None
    values = arrays.column(found.data, kind).astype(np.float32)
    out = np.zeros((count, 4), np.float32)
    if values.ndim == 1:
        out[:, :3] = values[:, None]
    else:
        out[:, : values.shape[1]] = values
    out[:, 3] = 1
    return out


def _mean(vertices, values, count, is_byte):
    """The mean of the colours of all that is at each vertex, as Blender takes it."""
    if is_byte:  # Blender takes the mean of the bytes, and decodes it then
        values = np.rint(values * 255).astype(np.float32)
    total = np.zeros((count, 4), np.float32)
    np.add.at(total, vertices, values)
    uses = np.bincount(vertices, minlength=count).astype(np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total * (np.float32(1) / uses)[:, None]
    mean[uses == 0] = (0, 0, 0, 255 if is_byte else 1)
    return _decode_bytes(mean) if is_byte else mean


def _decode_bytes(mean):
    bytes_ = mean.astype(np.uint8)
    srgb = bytes_.astype(np.float32) / np.float32(255)
    low = srgb / np.float32(12.92)
    high = ((srgb + np.float32(0.055)) / np.float32(1.055)) ** np.float32(2.4)
    linear = np.where(srgb < np.float32(0.04045), low, high).astype(np.float32)
    linear[:, 3] = srgb[:, 3]
    return linear


def vertex_groups(blender_object, mesh):
    """The object's vertex groups with their weights, rising by vertex."""
    names = [group.name for group in blender_object.vertex_groups]
    found = [([], []) for _ in names]
    if names:
        for vertex in mesh.vertices:
            for element in vertex.groups:
                if element.group < len(names):
                    vertices, weights = found[element.group]
                    vertices.append(vertex.index)
                    weights.append(element.weight)
    return [
        solio.VertexGroup(name, np.array(v, np.uint32), np.array(w, np.float32))
        for name, (v, w) in zip(names, found, strict=True)
    ]


def triangulated(mesh, min_vertices=4):
    """A temporary copy of `mesh` with all faces as triangles; remove it after use.

    The methods are those that Blender 5.2's exporters really use, whatever their tooltips say.
    """
    work = bmesh.new()
    try:
        work.from_mesh(mesh)
        faces = [face for face in work.faces if len(face.verts) >= min_vertices]
        done = bmesh.ops.triangulate(
            work, faces=faces, quad_method="BEAUTY", ngon_method="EAR_CLIP"
        )
        for double in done["face_map_double"]:
            work.faces.remove(double)
        copy = bpy.data.meshes.new(mesh.name)
        work.to_mesh(copy)
    finally:
        work.free()
    for material in mesh.materials:
        copy.materials.append(material)
    keep_shading(mesh, copy)
    if mesh.attributes.active_color_name:
        copy.attributes.active_color_name = mesh.attributes.active_color_name
    return copy


def keep_shading(_mesh, _copy):
    """What a copy through `bmesh` loses of a mesh's shading: nothing, from Blender 4.1 on."""


if not older.HAS_BOUNDARY_BITFLAGS:
    from .older import smooth_groups
if older.BEFORE_4_1:
    from .older import (
        add_normals,
        corner_edges,
        corner_vertices,
        edge_vertices,
        keep_shading,
        positions,
        sharp_faces,
        uv_values,
    )
