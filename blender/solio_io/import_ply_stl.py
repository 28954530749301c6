# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads PLY and STL through Solio, and makes what Blender's own importers make."""

from __future__ import annotations

import os

import bmesh
import bpy
import numpy as np
import solio

from . import build_mesh, scene

MERGE_DISTANCE = 0.0001


def load_ply(context, options, path, report):
    """Imports one file; `options` has the attributes of `bpy.ops.wm.ply_import`."""
    mesh = solio.read_mesh(path, format="ply")
    _warn(mesh, report)
    if not mesh.vertex_count:
        report({"WARNING"}, f"{path}: no vertices")
        return
    edges = mesh.line_vertices.reshape(-1, 2)
    data = build_mesh.new_mesh(
        _stem(path), mesh.positions, mesh.face_offsets, mesh.corner_vertices, edges
    )
    if mesh.colors is not None and options.import_colors != "NONE":
        build_mesh.set_colors(data, "Col", mesh.colors, options.import_colors == "SRGB")
    if mesh.uvs is not None and mesh.face_count:
        where = (slice(None), mesh.corner_vertices)
        uvs = build_mesh.per_corner(mesh.uvs, mesh.uv_domain, mesh.uv_indices, where, None, 2)
        build_mesh.set_attribute(data, "UVMap", "FLOAT2", "CORNER", uvs)
    normals = mesh.normals if mesh.normal_domain == "vertex" else None
    if normals is None:
        flat = np.ones(mesh.face_count, np.bool_)
        if len(flat):
            build_mesh.set_attribute(data, "sharp_face", "BOOLEAN", "FACE", flat)
    elif not mesh.face_count and options.import_attributes:
        build_mesh.set_attribute(data, "normal", "FLOAT_VECTOR", "POINT", normals)
    if options.import_attributes:
        _attributes(mesh, data, path, report)
    build_mesh.finish(data, True)
    if normals is not None and mesh.face_count and len(data.vertices) == len(normals):
        build_mesh.set_vertex_normals(data, normals)
    if options.merge_verts:
        _merge(data)
    _add(context, options, data)


def _attributes(mesh, data, path, report):
    """The other columns of the vertices; Blender keeps some names for what it has itself."""
    left_out = [
        name
        for (element, name), values in mesh.attributes.items()
        if element == "vertex"
        and isinstance(values, np.ndarray)
        and not build_mesh.add_vertex_values(data, name, values)
    ]
    if left_out:
        names = ", ".join(left_out)
        report({"WARNING"}, f"{path}: attributes left out, as Blender has their names: {names}")


def load_stl(context, options, path, report):
    """Imports one file; `options` has the attributes of `bpy.ops.wm.stl_import`."""
    mesh = solio.read_mesh(path, format="stl", merge=True)
    _warn(mesh, report)
    data = build_mesh.new_mesh(
        _stem(path), mesh.positions, mesh.face_offsets, mesh.corner_vertices, ()
    )
    flat = np.ones(mesh.face_count, np.bool_)
    if len(flat):
        build_mesh.set_attribute(data, "sharp_face", "BOOLEAN", "FACE", flat)
    faces = mesh.face_count
    build_mesh.finish(data, options.use_mesh_validate)
    if options.use_facet_normal and mesh.normals is not None and len(data.polygons) == faces:
        build_mesh.set_normals(data, np.repeat(mesh.normals, 3, axis=0))
    _add(context, options, data)


def _stem(path):
    return os.path.basename(scene.split_extension(path)[0])


def _warn(mesh, report):
    for warning in mesh.warnings[:20]:
        report({"WARNING"}, warning)


def _merge(data):
    work = bmesh.new()
    work.from_mesh(data)
    bmesh.ops.remove_doubles(work, verts=work.verts, dist=MERGE_DISTANCE)
    work.to_mesh(data)
    work.free()


def _add(context, options, data):
    scale = options.global_scale
    units = context.scene.unit_settings
    if options.use_scene_unit and units.system != "NONE":
        scale *= units.scale_length
    matrix = build_mesh.orientation(options.forward_axis, options.up_axis, scale)
    found = bpy.data.objects.new(data.name, data)
    context.layer_collection.collection.objects.link(found)
    found.matrix_world = matrix
    build_mesh.select(context, [found])
