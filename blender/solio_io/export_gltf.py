# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes glTF 2.0 through Solio: meshes, once for all objects that share them, and their materials."""

from __future__ import annotations

import contextlib
import tempfile

import numpy as np
import solio

from . import arrays, batch, extract, losses, scene
from .gltf_materials import GltfLibrary
from .names import one_line

# glTF is Y up and looks along -Z where Blender is Z up and looks along -Y.
TURN = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], np.float64)
# Kinds of attributes that become columns.
WIDTHS = {"FLOAT", "FLOAT2", "FLOAT_VECTOR", "FLOAT_COLOR"}
# What glTF could hold of a scene, and this exporter leaves out.
LEFT_OUT = {"LIGHT": "light", "CAMERA": "camera", "ARMATURE": "armature"}


def export(context, options, report):
    """Exports the scene; `options` has the attributes of `bpy.ops.solio.gltf_export`."""
    scene.evaluated(
        context, options.export_eval_mode, lambda depsgraph: _write(depsgraph, options, report)
    )


class _Content:
    """What one file gets."""

    def __init__(self, options, folder):
        self.library = GltfLibrary(folder)
        self.instances = []


def _write(depsgraph, options, report):
    temporary = []
    with contextlib.ExitStack() as stack:
        stack.callback(scene.remove, temporary)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="solio-"))
        files = batch.Files(options.batch_mode, options.filepath, lambda: _Content(options, folder))
        shared = {}
        for item in scene.items(
            depsgraph,
            temporary,
            selected=options.export_selected_objects,
            collection=options.collection,
            modifiers=options.apply_modifiers,
        ):
            contents = files.of(item)
            if not contents:
                continue
            key = item.mesh.as_pointer()
            if key not in shared:
                shared[key] = _arrays(item.mesh, options)
            for content in contents:
                content.instances.append(_instance(item, shared[key], content.library, options))
        _tell_left_out(depsgraph, report)
        for path, content in files.written(report):
            _write_file(path, content, options, report)


def _write_file(path, content, options, report):
    written = solio.write_mesh(
        content.instances,
        path,
        materials=content.library.materials,
        path_mode="auto" if path.lower().endswith(".glb") else "copy",
        instances="gpu" if options.gpu_instances else "nodes",
    )
    for warning in content.library.warnings:
        report({"WARNING"}, warning)
    losses.tell(written, report)


def _instance(item, mesh, library, options):
    slots = None
    if options.export_materials and len(item.mesh.materials) and len(item.mesh.polygons):
        slots = library.slots(item.object, item.mesh)
    transform = TURN @ np.array(item.matrix, np.float64) @ TURN.T
    return solio.Instance(
        mesh,
        one_line(item.object.name),
        mesh_name=one_line(item.mesh.name),
        transform=transform,
        material_slots=slots,
    )


def _arrays(mesh, options):
    out = extract.topology(mesh)
    triangles = arrays.triangles(mesh).reshape(-1)  # the corners, cut as Blender shows them
    polygons = arrays.triangle_polygons(mesh)
    if len(triangles):
        out.corner_vertices = out.corner_vertices[triangles]
        out.face_offsets = np.arange(0, len(triangles) + 1, 3, dtype=np.uint32)
        if options.export_normals:
            _add_normals(out, mesh, triangles, polygons)
        if options.export_materials and len(mesh.materials):
            slots = extract.face_slots(mesh)
            out.face_materials = np.zeros(len(polygons), np.uint32) if slots is None else slots[polygons]
    if options.export_colors:
        colors = extract.vertex_colors(mesh)
        if colors is not None:
            out.colors = colors
    extract.add_lines(out, mesh)
    layers = [extract.uv_values(layer) for layer in mesh.uv_layers] if options.export_uv else []
    columns = _columns(mesh) if options.export_attributes else {}
    if len(triangles) and len(layers) == 1:
        out.uvs, out.uv_domain, out.uv_indices = layers[0], "indexed", triangles
    elif len(triangles) and layers:
        kept = _split(out, [values[triangles] for values in layers])
        columns = {name: values[kept] for name, values in columns.items()}
    for name, values in columns.items():
        out.attributes["vertex", name] = _attribute(values)
    if len(out.positions):
        out.positions = _turned(out.positions)
    if out.normals is not None:
        out.normals = _turned(out.normals)
    return out


def _add_normals(out, mesh, triangles, polygons):
    extract.add_normals(out, mesh)
    if out.normal_domain == "corner":
        out.normal_domain, out.normal_indices = "indexed", triangles
    elif out.normal_domain == "face":
        out.normal_domain, out.normal_indices = "indexed", np.repeat(polygons, 3)


def _turned(values):
    """The vectors, Y up."""
    out = np.empty_like(values)
    out[:, 0] = values[:, 0]
    out[:, 1] = values[:, 2]
    np.negative(values[:, 1], out=out[:, 2])
    return out


def _columns(mesh):
    """The attributes of vertices that glTF takes from applications: those named `_…`."""
    out = {}
    for attribute in mesh.attributes:
        name = attribute.name
        if attribute.domain == "POINT" and name.startswith("_") and attribute.data_type in WIDTHS:
            out[one_line(name)[1:] or name] = arrays.column(attribute.data, attribute.data_type)
    return out


def _attribute(values):
    """A column, or a list for each vertex."""
    if values.ndim == 1:
        return np.ascontiguousarray(values)
    count, width = values.shape
    offsets = np.arange(0, width * count + 1, width, dtype=np.uint32)
    return solio.ListValues(offsets, np.ascontiguousarray(values, np.float32).reshape(-1))


def _split(out, layers):
    """Gives each vertex one value of every UV map: corners that differ in one become vertices of
    their own. Returns the old vertex of each new one."""
    count, corners = len(out.positions), out.corner_vertices
    bits = [np.ascontiguousarray(values).view(np.uint32) for values in layers]
    rows = np.ascontiguousarray(np.concatenate([corners[:, None], *bits], axis=1))
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).reshape(-1)
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(first)  # as they come, and not by their bytes
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first = first[order]
    kept = np.concatenate([corners[first], solio.unused(count, corners)])
    new = np.zeros(count, np.uint32)
    new[kept[::-1]] = np.arange(len(kept), dtype=np.uint32)[::-1]
    out.positions = np.ascontiguousarray(out.positions[kept])
    if out.normals is not None and out.normal_domain == "vertex":
        out.normals = np.ascontiguousarray(out.normals[kept])
    if out.colors is not None:
        out.colors = np.ascontiguousarray(out.colors[kept])
    if len(out.line_vertices):
        out.line_vertices = new[out.line_vertices]
    out.corner_vertices = rank[place.reshape(-1)].astype(np.uint32)
    nowhere = np.zeros((len(kept) - len(first), 2), np.float32)
    sets = [np.concatenate([values[first], nowhere]) for values in layers]
    out.uvs, out.uv_domain = sets[0], "vertex"
    for number, values in enumerate(sets[1:], 1):
        out.attributes["vertex", f"TEXCOORD_{number}"] = _attribute(values)
    return kept


def _tell_left_out(depsgraph, report):
    """What the scene has and the file does not."""
    counts = dict.fromkeys(LEFT_OUT, 0)
    for instance in depsgraph.object_instances:
        if instance.object.type in counts:
            counts[instance.object.type] += 1
    found = [
        f"{count} {LEFT_OUT[kind]}{'s' if count > 1 else ''}" for kind, count in counts.items() if count
    ]
    if found:
        report({"INFO"}, f"not written: {', '.join(found)}")
