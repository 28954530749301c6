# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads glTF 2.0 through Solio: an object for each that is drawn, where it stands in the world."""

from __future__ import annotations

import os
from types import SimpleNamespace

import bpy
import numpy as np
import solio

from . import build_mesh, import_obj, scene
from .gltf_materials_in import GltfMaterials

# What `import_obj` is asked for: glTF has objects, and neither groups nor curves.
CUT = {"use_split_objects": True, "use_split_groups": False}


def load(context, options, path, report):
    """Imports one file; `options` has the attributes of `bpy.ops.solio.gltf_import`."""
    mesh = solio.read_mesh(path)
    for warning in mesh.warnings[:20]:
        report({"WARNING"}, warning)
    mesh.positions = turned_back(mesh.positions)
    if mesh.normals is not None:
        mesh.normals = turned_back(mesh.normals)
    settings = SimpleNamespace(**CUT, validate_meshes=options.validate_meshes)
    stem = os.path.basename(scene.split_extension(path)[0])
    materials = GltfMaterials(mesh, os.path.dirname(path))
    points = not (mesh.face_count or len(mesh.line_offsets))
    made = []
    for piece in import_obj.pieces(mesh, settings, stem):
        data = import_obj.mesh_of(mesh, piece, settings, materials, points, _more)
        if data is None:
            continue
        found = bpy.data.objects.new(piece.name, data)
        context.layer_collection.collection.objects.link(found)
        made.append(found)
    build_mesh.select(context, made)


def turned_back(values):
    """Vectors from Y up to Blender's Z up."""
    if not len(values):
        return values
    out = np.empty_like(values)
    out[:, 0] = values[:, 0]
    np.negative(values[:, 2], out=out[:, 1])
    out[:, 2] = values[:, 1]
    return out


def _more(mesh, data, used, vertices):
    """The other UV maps and attributes of the vertices; `vertices` has that of each corner."""
    for (element, name), values in mesh.attributes.items():
        if element != "vertex":
            continue
        is_list = isinstance(values, solio.ListValues)
        if is_list and name.startswith("TEXCOORD_") and len(vertices):
            uvs = values.values.reshape(-1, 2)[vertices]
            number = name.removeprefix("TEXCOORD_")
            build_mesh.set_attribute(data, f"UVMap.{int(number):03}", "FLOAT2", "CORNER", uvs)
        elif not is_list:
            build_mesh.add_vertex_values(data, f"_{name}", values[used])
