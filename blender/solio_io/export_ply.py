# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes PLY as Blender's own exporter does, through Solio."""

from __future__ import annotations

import bpy
import numpy as np
import solio

from . import arrays, batch, extract, losses, scene
from .names import one_line, property_name

# A face's count of corners is one byte in Blender's files.
MOST_CORNERS = 255


def export(context, options, report):
    """Exports the scene; `options` has the attributes of `bpy.ops.wm.ply_export`."""
    scene.evaluated(context, scene.RENDER, lambda depsgraph: _write(depsgraph, options, report))


def _write(depsgraph, options, report):
    temporary = []
    files = batch.Files(options.batch_mode, options.filepath, list)
    try:
        for item in scene.items(
            depsgraph,
            temporary,
            selected=options.export_selected_objects,
            collection=options.collection,
            modifiers=options.apply_modifiers,
        ):
            contents = files.of(item)
            mesh = _arrays(item, options, temporary) if contents else None
            for meshes in contents:
                meshes.append(mesh)
        for path, meshes in files.written(report):
            _write_file(path, meshes, options, report)
    finally:
        scene.remove(temporary)


def _write_file(path, meshes, options, report):
    written = solio.write_mesh(
        meshes,
        path,
        format="ply",
        ascii_format=options.ascii_format,
        comments=[f"Created in Blender version {bpy.app.version_string}"],
        forward_axis=options.forward_axis,
        up_axis=options.up_axis,
        source_axes=("Y", "Z"),
        global_scale=options.global_scale,
        export_uv=options.export_uv,
        export_normals=options.export_normals,
        export_colors=options.export_colors.lower(),
        export_attributes=options.export_attributes,
        digits="shortest" if options.digits < 0 else options.digits,
        blender_quirks=True,
    )
    losses.tell(written, report)


def _arrays(item, options, temporary):
    mesh = item.mesh
    sizes = np.diff(arrays.face_offsets(mesh)) if len(mesh.polygons) else np.zeros(1)
    too_large = bool((sizes > MOST_CORNERS).any())
    if options.export_triangulated_mesh or too_large:
        least = 4 if options.export_triangulated_mesh else MOST_CORNERS
        mesh = extract.triangulated(mesh, least)
        temporary.append(mesh)
    out = extract.topology(mesh)
    if options.export_uv:
        extract.add_uvs(out, mesh)
    if options.export_normals:
        out.normals = arrays.column(mesh.vertex_normals, "FLOAT_VECTOR")
        out.normal_domain = "vertex"
    if options.export_colors != "NONE":
        colors = extract.vertex_colors(mesh)
        if colors is not None:
            out.colors = colors
    if options.export_attributes and len(mesh.vertices):  # without them Blender has no columns
        out.attributes = _attributes(mesh, item.object)
    extract.add_lines(out, mesh)
    out.objects = [out.one_object(one_line(item.name), transform=np.array(item.matrix))]
    return out


def _attributes(mesh, blender_object):
    """The vertex groups and custom attributes of the vertices, as `float` columns."""
    uv = mesh.uv_layers.active
    skipped = {"position", mesh.attributes.active_color_name, uv.name if uv else ""}
    out = {}
    for group in extract.vertex_groups(blender_object, mesh):
        if not group.name.startswith(".") and group.name not in skipped:
            column = np.zeros(len(mesh.vertices), np.float32)
            column[group.vertices] = group.weights
            _add(out, group.name, column)
    for attribute in mesh.attributes:
        name = attribute.name
        if attribute.domain != "POINT" or name.startswith(".") or name in skipped:
            continue
        values, endings = _columns(attribute)
        for i, ending in enumerate(endings):
            column = values if values.ndim == 1 else values[:, i]
            _add(out, name + ending, np.ascontiguousarray(column, np.float32))
    return out


def _add(out, name, column):
    """Adds a column, under a number where its name is taken: `a` has an `a_x`, and `a_x` is one."""
    name = plain = property_name(name)
    number = 0
    while ("vertex", name) in out:
        number += 1
        name = f"{plain}.{number:03}"
    out["vertex", name] = column


def _columns(attribute):
    """Values and name endings of an attribute's columns."""
    kind = attribute.data_type
    if kind == "BYTE_COLOR":
        shape = (len(attribute.data), 4)
        return arrays.copied(attribute.data, "color", np.float32, shape), ("_r", "_g", "_b", "_a")
    if kind not in arrays.KINDS:
        return np.zeros(0, np.float32), ()
    values = arrays.column(attribute.data, kind)
    if values.ndim == 1:
        return values, ("",)
    if kind == "FLOAT_COLOR":
        return values, ("_r", "_g", "_b", "_a")
    if kind == "QUATERNION":  # Blender keeps w first
        return values[:, [1, 2, 3, 0]], ("_x", "_y", "_z", "_w")
    return values, ("_x", "_y", "_z")[: values.shape[1]]
