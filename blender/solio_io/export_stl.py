# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes STL as Blender's own exporter does, through Solio."""

from __future__ import annotations

import numpy as np
import solio

from . import arrays, batch, extract, losses, scene
from .names import one_line


def export(context, options, report):
    """Exports the scene; `options` has the attributes of `bpy.ops.wm.stl_export`."""
    mode = scene.RENDER if options.collection else options.evaluation_mode
    scale = options.global_scale
    units = context.scene.unit_settings
    if options.use_scene_unit and units.system != "NONE":
        scale = float(np.float32(scale) * np.float32(units.scale_length))
    scene.evaluated(context, mode, lambda depsgraph: _write(depsgraph, options, scale, report))


def _write(depsgraph, options, scale, report):
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
            mesh = _arrays(item) if contents else None
            for meshes in contents:
                meshes.append(mesh)
        for path, meshes in files.written(report):
            written = solio.write_mesh(
                meshes,
                path,
                format="stl",
                stl_batch=options.use_batch,
                ascii_format=options.ascii_format,
                forward_axis=options.forward_axis,
                up_axis=options.up_axis,
                source_axes=("Y", "Z"),
                global_scale=scale,
                digits="shortest" if options.digits < 0 else options.digits,
            )
            losses.tell(written, report)
    finally:
        scene.remove(temporary)


def _arrays(item):
    """The object's triangles, cut as Blender cuts them."""
    mesh = item.mesh
    out = solio.Mesh()
    corners = arrays.triangles(mesh)
    if len(corners):
        out.positions = extract.positions(mesh)
        out.corner_vertices = extract.corner_vertices(mesh)[corners.reshape(-1)]
        out.face_offsets = np.arange(0, 3 * len(corners) + 1, 3, dtype=np.uint32)
    out.objects = [out.one_object(one_line(item.name), transform=np.array(item.matrix))]
    return out
