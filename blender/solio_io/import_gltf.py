# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads glTF 2.0 through Solio: an object for each that is drawn, where it stands in the world. Those of one
mesh share it."""

from __future__ import annotations

import os
from types import SimpleNamespace

import bpy
import numpy as np
import solio
from mathutils import Matrix

from . import build_mesh, import_obj, scene
from .gltf_materials_in import GltfMaterials

# What `import_obj` is asked for: glTF has objects, and neither groups nor curves.
CUT = {"use_split_objects": True, "use_split_groups": False}


def load(context, options, path, report):
    """Imports one file; `options` has the attributes of `bpy.ops.solio.gltf_import`."""
    drawn = solio.read_instances(path)
    if not drawn:
        return
    for warning in drawn[0].mesh.warnings[:20]:
        report({"WARNING"}, warning)
    settings = SimpleNamespace(**CUT, validate_meshes=options.validate_meshes)
    stem = os.path.basename(scene.split_extension(path)[0])
    materials = GltfMaterials(drawn[0].mesh, os.path.dirname(path))
    made, shared = [], {}
    for one in drawn:
        key = id(one.mesh)
        if key not in shared:
            shared[key] = _data(one, settings, materials, stem)
        data = shared[key]
        if data is None:
            continue
        matrix = _matrix(one)
        if not _is_kept(matrix):
            # An object cannot shear: its mesh does.
            data = data.copy()
            data.transform(matrix)
            if matrix.determinant() < 0:
                data.flip_normals()
            matrix = Matrix.Identity(4)
        found = bpy.data.objects.new(one.name or stem, data)
        found.matrix_world = matrix
        context.layer_collection.collection.objects.link(found)
        made.append(found)
    build_mesh.select(context, made)


def _data(one, settings, materials, stem):
    """The Blender mesh of a mesh, which all its instances share; `None` where it has nothing."""
    mesh, turn = one.mesh, _turn(one.mesh)
    mesh.positions = turned(mesh.positions, turn)
    if mesh.normals is not None:
        mesh.normals = turned(mesh.normals, turn)
    points = not (mesh.face_count or len(mesh.line_offsets))
    (piece,) = import_obj.pieces(mesh, settings, one.mesh_name or one.name or stem)
    piece.name = one.mesh_name or one.name or stem
    return import_obj.mesh_of(mesh, piece, settings, materials, points, _more)


# From Y up to Z up; splats have Y down, and look the other way.
TURN = np.array(((1, 0, 0), (0, 0, -1), (0, 1, 0)), np.float32)
TURN_SPLATS = np.array(((-1, 0, 0), (0, 0, -1), (0, -1, 0)), np.float32)


def _turn(mesh):
    return TURN_SPLATS if ("vertex", "f_dc_0") in mesh.attributes else TURN


def turned(values, turn):
    """Vectors in Blender's axes."""
    # Each row of a turn has one number: nothing is rounded.
    return values @ turn.T if len(values) else values


def _matrix(one):
    if one.transform is None:
        return Matrix.Identity(4)
    turn = Matrix(_turn(one.mesh).tolist()).to_4x4()
    return turn @ Matrix(np.asarray(one.transform).tolist()) @ turn.inverted()


def _is_kept(matrix):
    """Whether place, rotation and scale say all of it."""
    kept = Matrix.LocRotScale(*matrix.decompose())
    size = max(matrix.to_scale())
    return all(abs(a - b) <= 1e-5 * size for x, y in zip(kept, matrix) for a, b in zip(x[:3], y[:3]))


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
