# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes OBJ and MTL as Blender's own exporter does, through Solio."""

from __future__ import annotations

import os

import bpy
import numpy as np
import solio

from . import batch, extract, losses, nurbs, scene
from .materials_out import Library
from .names import one_line
from .texture_paths import References


def export(context, options, report):
    """Exports the scene; `options` has the attributes of `bpy.ops.wm.obj_export`."""
    if not options.export_animation:
        _export_frame(context, options, options.filepath, report)
        return
    original = context.scene.frame_current
    try:
        for frame in scene.frames(context, options):
            context.scene.frame_set(frame)
            _export_frame(context, options, scene.path_of_frame(options.filepath, frame), report)
    finally:
        context.scene.frame_set(original)


def _export_frame(context, options, path, report):
    scene.evaluated(
        context,
        options.export_eval_mode,
        lambda depsgraph: _write(depsgraph, options, path, report),
    )


def _write(depsgraph, options, path, report):
    temporary = []
    try:
        for own_path, content in _gather(depsgraph, options, path, temporary).written(report):
            _write_file(own_path, content, options, report)
    finally:
        scene.remove(temporary)


class _Content:
    """What one file gets."""

    def __init__(self, options, path):
        folder = os.path.dirname(path)
        self.references = References(options.path_mode, bpy.data.filepath, folder)
        self.library = Library(options.export_pbr_extensions, self.references)
        self.instances = []
        self.curves = []  # the text of those that stay parametric


def _write_file(path, content, options, report):
    stem, _ = scene.split_extension(path)
    blend = one_line(os.path.basename(bpy.data.filepath)) or "None"
    version = f"Blender {bpy.app.version_string}"
    written = solio.write_mesh(
        content.instances,
        path,
        format="obj",
        materials=content.library.materials,
        material_library=os.path.basename(stem) + ".mtl" if options.export_materials else None,
        comments=[version, "www.blender.org"],
        material_comments=[f"{version} MTL File: '{blend}'", "www.blender.org"],
        path_mode="absolute",  # as the references are written
        source_axes=("Y", "Z"),
        epilogue="".join(content.curves).encode(),
        **_engine_options(options),
    )
    losses.tell(written, report)
    if options.export_materials:
        content.references.copy(report)


def _engine_options(options):
    """What Solio's writer does with the arrays."""
    return {
        "forward_axis": options.forward_axis,
        "up_axis": options.up_axis,
        "global_scale": options.global_scale,
        "apply_transform": options.apply_transform,
        "export_uv": options.export_uv,
        "export_normals": options.export_normals,
        "export_colors": options.export_colors,
        "export_alpha": False,  # as Blender
        "export_materials": options.export_materials,
        "export_object_groups": options.export_object_groups,
        "export_material_groups": options.export_material_groups,
        "export_vertex_groups": options.export_vertex_groups,
        "export_smooth_groups": options.export_smooth_groups,
        "export_groups": False,
        "sort_by_material": options.export_materials,
        "sort_materials": True,
        "spaces_to_underscores": True,
        "merge": True,
        "non_finite": "write",
        **{
            name: "shortest" if getattr(options, name) < 0 else getattr(options, name)
            for name in ("position_digits", "uv_digits", "normal_digits")
        },
    }


def _gather(depsgraph, options, path, temporary):
    """The files with the arrays of all objects."""
    files = batch.Files(options.batch_mode, path, lambda: _Content(options, path))
    shared = {}
    for item in scene.items(
        depsgraph,
        temporary,
        selected=options.export_selected_objects,
        collection=options.collection,
        modifiers=options.apply_modifiers,
        for_obj=True,
    ):
        if item.object.type == "CURVE":
            curve = item.object.data
            if options.export_curves_as_nurbs and nurbs.can_be_nurbs(curve):
                text = nurbs.text(
                    item, options.forward_axis, options.up_axis, options.global_scale
                )
                for content in files.of(item):
                    content.curves.append(text)
                continue
            if not len(curve.splines):
                continue
            item.mesh = bpy.data.meshes.new_from_object(
                item.object, preserve_all_data_layers=True, depsgraph=depsgraph
            )
            temporary.append(item.mesh)
        contents = files.of(item)
        if not contents:
            continue
        key = item.mesh.as_pointer()
        found = shared.get(key)
        # Vertex groups belong to the object; everything else is the same for all users of a mesh.
        if found is None or options.export_vertex_groups:
            found = shared[key] = _Shared(item, depsgraph, options, temporary)
        for content in contents:
            content.instances.append(found.instance(item, content.library))
    return files


class _Shared:
    """The arrays of a mesh; objects that share it share them."""

    def __init__(self, item, depsgraph, options, temporary):
        self.name = _mesh_name(item, depsgraph)
        mesh = item.mesh
        if options.export_triangulated_mesh and item.object.type == "MESH":
            mesh = extract.triangulated(mesh)
            temporary.append(mesh)
        self.mesh = mesh
        self.arrays = _arrays(item.object, mesh, options)
        wanted = options.export_materials or options.export_material_groups
        self.wants_slots = wanted and len(mesh.polygons) > 0
        self.has_materials = len(mesh.materials) > 0
        if not self.wants_slots:
            return
        slots = extract.face_slots(mesh)
        if slots is not None and (self.has_materials or options.export_materials):
            self.arrays.face_materials = slots
        elif self.has_materials:
            self.arrays.face_materials = np.zeros(len(mesh.polygons), np.uint32)

    def instance(self, item, library):
        slots = None
        if self.has_materials and not len(self.mesh.polygons):
            library.slots(item.object, self.mesh)  # the MTL has them all the same
        if self.wants_slots:
            # Without slots nothing is written, not even that an earlier object's material ends.
            slots = library.slots(item.object, self.mesh) if self.has_materials else []
        return solio.Instance(
            self.arrays,
            one_line(item.object.name),
            mesh_name=one_line(self.name),
            transform=item.matrix,
            material_slots=slots,
        )


def _mesh_name(item, depsgraph):
    """What Blender calls the mesh; that of a curve has a name only while it belongs to nobody."""
    if item.object.type != "CURVE":
        return item.mesh.name
    found = item.object.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    # The modifiers may have left none, as a Remesh of a line does; Blender crashes then.
    name = item.mesh.name if found is None else found.name
    item.object.to_mesh_clear()
    return name


def _arrays(blender_object, mesh, options):
    out = extract.topology(mesh)
    if options.export_colors:
        colors = extract.vertex_colors(mesh)
        if colors is not None:
            out.colors = colors
    if len(mesh.polygons):
        if options.export_uv:
            extract.add_uvs(out, mesh)
        if options.export_normals:
            extract.add_normals(out, mesh)
        extract.add_smoothing(
            out, mesh, options.export_smooth_groups, options.smooth_group_bitflags
        )
        if options.export_vertex_groups:
            out.vertex_groups = extract.vertex_groups(blender_object, mesh)
            for group in out.vertex_groups:
                group.name = one_line(group.name)
    extract.add_lines(out, mesh)
    return out
