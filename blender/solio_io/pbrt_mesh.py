# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of shapes as Blender's."""

from __future__ import annotations

import bpy
import numpy as np

from . import build_mesh, older, repair


def new_mesh(name, mesh, space, surfaces, told):
    """A Blender mesh, or `None` where nothing is to be seen. Faces that Blender cannot have are left out."""
    offsets, corners, faces = _faces(mesh, space.is_mirroring)
    if not len(faces):
        return None
    positions = space.vectors(np.asarray(mesh.positions, np.float32))
    finite = np.isfinite(positions).all(axis=1)
    if not finite.all():
        positions[~finite] = 0
        told.add("Vertex without a finite position: moved to the origin", int((~finite).sum()), name)
    data = build_mesh.new_mesh(name, positions, offsets, corners, ())
    _materials(data, mesh.face_materials, faces, surfaces)
    if mesh.uvs is not None:
        build_mesh.set_attribute(data, "UVMap", "FLOAT2", "CORNER", mesh.uvs[corners])
    elif any(surfaces.has_textures(int(slot)) for slot in np.unique(mesh.face_materials)):
        told.add("Texture on a mesh without texture coordinates", 1, name)
    flat = mesh.face_smoothing[faces] == 0
    if flat.any():
        build_mesh.set_attribute(data, "sharp_face", "BOOLEAN", "FACE", flat)
    build_mesh.finish(data, False)
    if mesh.normals is not None:
        _normals(data, space.vectors(np.asarray(mesh.normals, np.float32)), corners, flat)
    return data


def _faces(mesh, is_mirroring):
    """Offsets, corners, and the number of each face."""
    offsets, corners = mesh.face_offsets, mesh.corner_vertices
    count = max(len(offsets) - 1, 0)
    faces = np.arange(count)
    if not count:
        return offsets, corners, faces
    bad = repair.invalid(offsets, corners)
    if bad.any():
        offsets, corners, faces = _repaired(offsets, corners, bad)
        if not len(faces):
            return offsets, corners, faces
    if is_mirroring:
        sizes = np.diff(offsets)
        if (sizes == sizes[0]).all():
            corners = np.ascontiguousarray(corners.reshape(-1, sizes[0])[:, ::-1]).reshape(-1)
        else:
            ends = np.repeat(offsets[:-1].astype(np.int64) + offsets[1:] - 1, sizes)
            corners = corners[ends - np.arange(len(corners))]
    return offsets, corners, faces


def _repaired(offsets, corners, bad):
    """Without the faces that are none; those that have a vertex twice in a row have it once."""
    keep, pieces, owners = ~bad, [], []
    for face in np.flatnonzero(bad).tolist():
        own = corners[offsets[face] : offsets[face + 1]]
        own = own[own != np.roll(own, 1)]
        if len(own) >= 3 and len(np.unique(own)) == len(own):
            pieces.append(own)
            owners.append(face)
    sizes = np.diff(offsets)
    kept = np.concatenate([corners[np.repeat(keep, sizes)], *pieces])
    sizes = np.concatenate([sizes[keep], [len(piece) for piece in pieces]]).astype(np.uint32)
    faces = np.concatenate([np.flatnonzero(keep), np.array(owners, np.int64)])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32), kept, faces


def _materials(data, face_materials, faces, surfaces):
    """Slots, in the order of the surfaces' numbers."""
    found = face_materials[faces]
    if (found == found[0]).all():
        slots, values = found[:1], None
    else:
        slots, values = np.unique(found, return_inverse=True)
    for slot in slots.tolist():
        data.materials.append(surfaces.get(slot))
    if values is not None:
        build_mesh.set_attribute(data, "material_index", "INT", "FACE", values.astype(np.int32))


def _normals(data, normals, corners, flat):
    """Normals of vertices, as they are; flat faces have their own."""
    if flat.any():
        # A normal of no length leaves a corner to Blender.
        sizes = np.empty(len(data.polygons), np.int32)
        data.polygons.foreach_get("loop_total", sizes)
        values = normals[corners]
        values[np.repeat(flat, sizes)] = 0
        build_mesh.set_normals(data, values)
    elif bpy.app.version >= (5, 0):
        lengths = np.linalg.norm(normals, axis=1)
        if (lengths > 0).all():
            # As an attribute they need no directions of their own: thousands of times faster.
            build_mesh.set_attribute(data, "custom_normal", "FLOAT_VECTOR", "POINT", normals)
        else:
            build_mesh.set_vertex_normals(data, normals)
    else:
        build_mesh.set_vertex_normals(data, normals)
        if older.BEFORE_4_1:
            data.polygons.foreach_set("use_smooth", np.ones(len(data.polygons), np.bool_))
