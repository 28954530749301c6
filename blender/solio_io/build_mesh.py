# SPDX-License-Identifier: GPL-3.0-or-later
"""From arrays to a Blender mesh."""

from __future__ import annotations

import contextlib

import bpy
import numpy as np
import solio
from mathutils import Matrix

from . import axes, older


def new_mesh(name, positions, offsets, corners, edges):
    """A mesh of these vertices, faces (offsets into corners) and loose edges."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(positions))
    if len(positions):
        values = np.ascontiguousarray(positions, np.float32).reshape(-1)
        mesh.attributes["position"].data.foreach_set("vector", values)
    if len(edges):
        mesh.edges.add(len(edges))
        values = np.ascontiguousarray(edges, np.int32).reshape(-1)
        mesh.attributes[".edge_verts"].data.foreach_set("value", values)
    faces = max(len(offsets) - 1, 0)
    if faces:
        mesh.loops.add(len(corners))
        values = np.ascontiguousarray(corners, np.uint32).view(np.int32)
        mesh.attributes[".corner_vert"].data.foreach_set("value", values)
        mesh.polygons.add(faces)
        starts = np.ascontiguousarray(offsets[:-1], np.uint32).view(np.int32)
        mesh.polygons.foreach_set("loop_start", starts)
    return mesh


def set_attribute(mesh, name, kind, domain, values):
    """Creates an attribute and fills it."""
    attribute = mesh.attributes.new(name, kind, domain)
    if len(values):
        key = "vector" if kind in ("FLOAT2", "FLOAT_VECTOR") else "value"
        key = "color" if kind == "FLOAT_COLOR" else key
        attribute.data.foreach_set(key, np.ascontiguousarray(values).reshape(-1))
    return attribute


def add_vertex_values(mesh, name, values):
    """A number of each vertex as an attribute; whether Blender lets one have that name."""
    attribute = None
    # Python may add this one, and then faces would have numbers of vertices for slots.
    if name not in mesh.attributes and name != "material_index":
        with contextlib.suppress(RuntimeError):
            attribute = mesh.attributes.new(name, "FLOAT", "POINT")
    if attribute is None:
        return False
    attribute.data.foreach_set("value", np.ascontiguousarray(values, np.float32))
    return True


def set_colors(mesh, name, colors, decode):
    """The colour attribute, which becomes the active one; `decode` turns sRGB into linear light."""
    values = linear(colors) if decode else colors
    set_attribute(mesh, name, "FLOAT_COLOR", "POINT", np.asarray(values, np.float32))
    mesh.attributes.active_color_name = name
    mesh.attributes.default_color_name = name


def linear(colors):
    """sRGB to linear light; alpha stays."""
    srgb = np.asarray(colors, np.float32)
    low = srgb * np.float32(1 / 12.92)
    high = ((np.maximum(srgb, 0) + np.float32(0.055)) * np.float32(1 / 1.055)) ** np.float32(2.4)
    out = np.where(srgb < np.float32(0.04045), np.maximum(low, 0), high).astype(np.float32)
    out[:, 3] = srgb[:, 3]
    return out


def per_corner(layer, domain, indices, corners, faces, width):
    """Values of a UV or normal layer for some corners; zeros where there is none.

    `corners` are positions in the corner arrays of the solio mesh, with the vertex of each;
    `faces` the face of each corner.
    """
    places, vertices = corners
    if domain == "corner":
        return layer[places]
    if domain == "vertex":
        return layer[vertices]
    if domain == "face":
        return layer[faces]
    found = indices[places]
    some = found != solio.NONE
    if some.all():
        return layer[found]
    out = np.zeros((len(found), width), np.float32)
    out[some] = layer[found[some]]
    return out


def finish(mesh, validate):
    """Edges, and what Blender's own check removes."""
    mesh.update(calc_edges=True)
    if validate:
        mesh.validate(clean_customdata=False)


def flat_with_normals(_flat, _normals, _offsets):
    """Which faces are flat in a mesh with custom normals: these alone say how it looks."""
    return None


def use_normals(_mesh):
    """Makes Blender look at custom normals, which it does from 4.1 on."""


def set_normals(mesh, normals):
    """Custom normals of the corners."""
    use_normals(mesh)
    mesh.normals_split_custom_set(_directions(normals))


def set_vertex_normals(mesh, normals):
    """Custom normals of the vertices."""
    use_normals(mesh)
    mesh.normals_split_custom_set_from_vertices(_directions(normals))


def _directions(normals):
    """Normals of which Blender keeps the direction: it cuts components to -1 to 1."""
    turned = np.isfinite(normals).all(axis=1)
    if not older.BEFORE_4_1:  # there even those that text made a little shorter are turned
        turned &= (np.abs(normals) > 1).any(axis=1)
    if not turned.any():
        return normals
    lengths = np.linalg.norm(normals[turned].astype(np.float64), axis=1, keepdims=True)
    out = np.array(normals, np.float32)
    out[turned] /= np.where(lengths == 0, 1, lengths)
    return out


def select(context, objects):
    """Selects the imported objects; the last one becomes active."""
    for found in objects:
        found.select_set(True)
        context.view_layer.objects.active = found


def orientation(forward, up, scale):
    """From the file's axes to Blender's, as a 4 by 4 matrix."""
    return axes.from_file(forward, up).to_4x4() @ Matrix.Scale(scale, 4)


if older.BEFORE_4_1:
    from .older import flat_with_normals, new_mesh, set_attribute, use_normals
