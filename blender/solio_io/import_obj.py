# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads OBJ and MTL through Solio, and makes what Blender's own importer makes."""

from __future__ import annotations

import os
from bisect import bisect_right
from dataclasses import dataclass

import bpy
import numpy as np
import solio

from . import build_mesh, extract, repair, scene
from .import_curves import Curve, new_curve, read_splines
from .materials_in import Materials


@dataclass(slots=True)
class Piece:
    """Faces and lines of the file that become one object."""

    name: str
    faces: np.ndarray  # face numbers, rising until they are repaired
    lines: np.ndarray  # line numbers, rising
    vertices: range  # what the object defines, for one that has neither faces nor lines


def load(context, options, path, report):
    """Imports one file; `options` has the attributes of `bpy.ops.wm.obj_import`."""
    mesh = solio.read_mesh(path)
    for warning in mesh.warnings[:20]:
        report({"WARNING"}, warning)
    stem = os.path.basename(scene.split_extension(path)[0])
    materials = Materials(mesh.materials, os.path.dirname(path), options.mtl_name_collision_mode)
    matrix = build_mesh.orientation(options.forward_axis, options.up_axis, options.global_scale)
    separator = options.collection_separator
    root = context.layer_collection.collection
    curves = read_splines(mesh, report)
    # Vertices alone are imported where the file has nothing else.
    points = not (mesh.face_count or len(mesh.line_offsets) or curves)
    things = [*pieces(mesh, options, stem), *_named(curves, mesh, options, stem)]
    made = []
    for thing in sorted(things, key=lambda t: t.name.lower()):
        is_curve = isinstance(thing, Curve)
        if is_curve:
            data = new_curve(mesh, thing, options.close_spline_loops)
        else:
            data = mesh_of(mesh, thing, options, materials, points)
        if data is None:
            continue
        name = thing.name.rsplit(separator, 1)[-1] if separator else thing.name
        made.append(bpy.data.objects.new(name or "Untitled", data))
        data.name = made[-1].name
        if options.import_vertex_groups and not options.use_split_groups and not is_curve:
            _vertex_groups(made[-1], mesh, thing, data)
        _collection(root, thing.name, separator).objects.link(made[-1])
    for found in made:
        found.matrix_world = matrix
    _clamp(made, options)
    build_mesh.select(context, made)


def _named(curves, mesh, options, stem):
    """Curves take the name of the object that their first point lies in, if that has nothing
    else, and otherwise that of the file."""
    cut = _by_objects(mesh, stem) if options.use_split_objects else []
    ends = [piece.vertices.stop for piece in cut]
    out = []
    for splines in filter(None, curves):
        place = bisect_right(ends, splines[0].vertices[0])
        alone = place < len(cut) and not len(cut[place].faces) and not len(cut[place].lines)
        out.append(Curve(cut[place].name if alone else stem, splines))
    return out


def pieces(mesh, options, stem):
    """How the options cut the file into objects."""
    faces = np.arange(mesh.face_count)
    lines = np.arange(max(len(mesh.line_offsets) - 1, 0))
    whole = Piece(stem, faces, lines, range(mesh.vertex_count))
    cut = _by_objects(mesh, stem) if options.use_split_objects and mesh.objects else [whole]
    if options.use_split_groups and len(mesh.face_groups):
        cut = [part for piece in cut for part in _by_groups(mesh, piece)]
    return cut


def _by_objects(mesh, stem):
    face = line = vertex = 0
    out = []
    for thing in mesh.objects:
        out.append(
            Piece(
                thing.name or stem,
                np.arange(face, thing.faces_end),
                np.arange(line, thing.lines_end),
                range(vertex, thing.vertices_end),
            )
        )
        face, line, vertex = thing.faces_end, thing.lines_end, thing.vertices_end
    return out


def _by_groups(mesh, piece):
    """Each change of the group begins an object; a group that comes again is another one."""
    groups = mesh.face_groups[piece.faces]
    if not len(groups):
        return [piece]
    out = []
    starts = np.flatnonzero(groups[1:] != groups[:-1]) + 1
    for faces in np.split(piece.faces, starts):
        number = mesh.face_groups[faces[0]]
        name = piece.name if number == solio.NONE else mesh.groups[number]
        lines = piece.lines if not out else piece.lines[:0]
        out.append(Piece(name, faces, lines, piece.vertices))
    return out


def _corners(mesh, faces):
    """Offsets of these faces, and the places of their corners."""
    offsets = mesh.face_offsets
    if len(faces) == 0:
        return np.zeros(0, np.uint32), np.zeros(0, np.int64)
    first, last = int(faces[0]), int(faces[-1])
    if last - first + 1 == len(faces):
        start, end = int(offsets[first]), int(offsets[last + 1])
        return offsets[first : last + 2] - np.uint32(start), slice(start, end)
    starts = offsets[faces].astype(np.int64)
    sizes = offsets[faces + 1].astype(np.int64) - starts
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes) + np.repeat(starts, sizes)
    return np.concatenate(([0], ends)).astype(np.uint32), places


def _edges(mesh, lines):
    """Each polyline as edges of two vertices."""
    out = [
        np.column_stack((part[:-1], part[1:]))
        for part in (
            mesh.line_vertices[mesh.line_offsets[i] : mesh.line_offsets[i + 1]] for i in lines
        )
    ]
    return np.concatenate(out) if out else np.zeros((0, 2), np.uint32)


def mesh_of(mesh, piece, options, materials, points, more=None):
    """A Blender mesh of a piece; `more` adds what other formats have."""
    offsets, places, lost = _valid_corners(mesh, piece)
    faces = piece.faces
    vertices = mesh.corner_vertices[places]
    edges = _edges(mesh, piece.lines)
    used, (corners, ends, _) = _local((vertices, edges, lost))
    if len(used) == 0:
        if not points or not mesh.vertex_count:
            return None
        used = np.arange(piece.vertices.start, piece.vertices.stop)
    data = build_mesh.new_mesh(piece.name, mesh.positions[used], offsets, corners, ends)
    owner = None
    if "face" in (mesh.uv_domain, mesh.normal_domain):
        owner = np.repeat(faces, np.diff(offsets))
    where = (places, vertices)
    _faces(data, mesh, piece, faces, materials)
    if mesh.uvs is not None and len(vertices):
        found = mesh.uv_domain != "indexed" or (mesh.uv_indices[places] != solio.NONE).any()
        if found:
            uvs = build_mesh.per_corner(
                mesh.uvs, mesh.uv_domain, mesh.uv_indices, where, owner, 2
            )
            build_mesh.set_attribute(data, "UVMap", "FLOAT2", "CORNER", uvs)
    if mesh.colors is not None:
        colors = mesh.colors[used]
        build_mesh.set_colors(data, "Color", colors, mesh.color_space == "srgb")
    normals, flat = None, _flat(mesh, faces)
    if mesh.normals is not None and len(mesh.normals) and len(vertices):
        normals = build_mesh.per_corner(
            mesh.normals, mesh.normal_domain, mesh.normal_indices, where, owner, 3
        )
        flat = build_mesh.flat_with_normals(flat, normals, offsets)
    if flat is not None:
        build_mesh.set_attribute(data, "sharp_face", "BOOLEAN", "FACE", flat)
    if more is not None:
        more(mesh, data, used, vertices)
    corner_count = len(vertices)
    build_mesh.finish(data, options.validate_meshes)
    if normals is not None and len(data.loops) == corner_count:
        build_mesh.set_normals(data, normals)
    return data


def _valid_corners(mesh, piece):
    """`_corners` of the piece's faces, which become faces that Blender can have, and vertices of
    those that it cannot: they stay, too."""
    offsets, places = _corners(mesh, piece.faces)
    vertices = mesh.corner_vertices[places]
    bad = repair.invalid(offsets, vertices)
    if not bad.any():
        return offsets, places, vertices[:0]
    owners, corners = repair.repaired(offsets, vertices, mesh.positions, bad)
    if isinstance(places, slice):
        places = np.arange(places.start, places.stop)
    piece.faces = piece.faces[owners]
    flat = np.fromiter((corner for face in corners for corner in face), np.int64)
    sizes = np.fromiter(map(len, corners), np.int64)
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32), places[flat], vertices


def _local(index_arrays):
    """The vertices that are used, rising, and the arrays renumbered to them."""
    present = [a for a in index_arrays if len(a)]
    if not present:
        return np.zeros(0, np.int64), index_arrays
    low = min(int(a.min()) for a in present)
    high = max(int(a.max()) for a in present)
    mark = np.zeros(high - low + 1, np.bool_)
    for array in present:
        mark[array - np.uint32(low)] = True
    if mark.all():
        return np.arange(low, high + 1), tuple(a - np.uint32(low) for a in index_arrays)
    number = (np.cumsum(mark) - 1).astype(np.uint32)
    used = np.flatnonzero(mark) + low
    return used, tuple(number[a - np.uint32(low)] for a in index_arrays)


def _faces(data, mesh, piece, faces, materials):
    """Material slots, in the order in which the piece's faces first use them."""
    values = np.zeros(len(faces), np.int32)
    if len(mesh.face_materials) and len(faces):
        found = mesh.face_materials[faces]
        numbers, first, inverse = np.unique(found, return_index=True, return_inverse=True)
        order = [i for i in np.argsort(first) if numbers[i] != solio.NONE]
        slot = np.zeros(len(numbers), np.int32)
        for place, i in enumerate(order):
            slot[i] = place
            data.materials.append(materials.get(int(numbers[i])))
        values = slot[inverse]
    build_mesh.set_attribute(data, "material_index", "INT", "FACE", values)


def _flat(mesh, faces):
    """Without normals, faces outside of smoothing groups are flat."""
    if len(mesh.face_smoothing):
        return mesh.face_smoothing[faces] == 0
    return np.ones(len(faces), np.bool_)


def _vertex_groups(found, mesh, piece, data):
    """The file's face groups as vertex groups of weight 1."""
    if not len(mesh.face_groups) or len(data.polygons) != len(piece.faces):
        return
    groups = mesh.face_groups[piece.faces]
    numbers, first = np.unique(groups, return_index=True)
    corners = extract.corner_vertices(data)
    sizes = np.empty(len(groups), np.int32)
    data.polygons.foreach_get("loop_total", sizes)
    of_corner = np.repeat(groups, sizes)
    for number in numbers[np.argsort(first)]:
        if number != solio.NONE:
            group = found.vertex_groups.new(name=mesh.groups[number])
            group.add(np.unique(corners[of_corner == number]).tolist(), 1.0, "REPLACE")


def _collection(root, name, separator):
    """The collection that the path in an object's name leads to."""
    target = root
    if separator:
        for part in name.split(separator)[:-1]:
            if not part:
                continue
            child = next((c for c in target.children if c.name == part), None)
            if child is None:
                child = bpy.data.collections.new(part)
                target.children.link(child)
            target = child
    return target


def _clamp(objects, options):
    """Scales all objects down where their common bounds pass the limit."""
    if options.clamp_size <= 0:
        return
    corners = [corner for found in objects for corner in found.bound_box]
    if not corners:
        return
    bounds = np.array(corners)
    largest = float((bounds.max(axis=0) - bounds.min(axis=0)).max())
    if options.clamp_size < largest * options.global_scale:
        for found in objects:
            found.scale = (options.clamp_size / largest,) * 3
