# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays over Blender's mesh data.

`as_pointer()` of the first element of a mesh collection is the address of the array that Blender
itself works on, so a view costs microseconds where `foreach_get` copies (and, for the polygons'
starts, calls a function for each element). `pointers_work()` proves once a session, on a small
mesh, that the addresses mean what this file takes them for; if not, everything is copied.
"""

from __future__ import annotations

import functools

import bpy
import numpy as np

# Kind of value: the NumPy type, values per element, name in `foreach_get`.
KINDS = {
    "FLOAT": (np.float32, 1, "value"),
    "INT": (np.int32, 1, "value"),
    "INT8": (np.int8, 1, "value"),
    "BOOLEAN": (np.bool_, 1, "value"),
    "FLOAT2": (np.float32, 2, "vector"),
    "FLOAT_VECTOR": (np.float32, 3, "vector"),
    "FLOAT_COLOR": (np.float32, 4, "color"),
    "QUATERNION": (np.float32, 4, "value"),
    "INT32_2D": (np.int32, 2, "value"),
    "INT16_2D": (np.int16, 2, "value"),
}


class _Address:
    """Lets NumPy see memory that it does not own."""

    __slots__ = ("__array_interface__",)


def view(address, dtype, shape):
    """A read-only array at `address`; valid as long as Blender keeps the data."""
    holder = _Address()
    holder.__array_interface__ = {
        "data": (address, True),
        "shape": shape,
        "typestr": np.dtype(dtype).str,
        "version": 3,
    }
    return np.asarray(holder)


def column(collection, kind):
    """The values of an attribute's (or another collection's) elements."""
    dtype, width, name = KINDS[kind]
    count = len(collection)
    shape = (count,) if width == 1 else (count, width)
    if count == 0:
        return np.zeros(shape, dtype)
    if pointers_work():
        return view(collection[0].as_pointer(), dtype, shape)
    return copied(collection, name, dtype, shape)


def copied(collection, name, dtype, shape):
    """The values of a property of every element, through `foreach_get`."""
    values = np.empty(shape, dtype)
    collection.foreach_get(name, values.reshape(-1))
    return values


def attribute(mesh, name, kind):
    """The values of a named attribute, or `None` when the mesh has none of that kind."""
    found = mesh.attributes.get(name)
    if found is None or found.data_type != kind:
        return None
    return column(found.data, kind)


def face_offsets(mesh):
    """Where each face's corners start: one value more than there are faces; empty without faces."""
    count = len(mesh.polygons)
    if count == 0:
        return np.zeros(0, np.uint32)
    if pointers_work():
        return view(mesh.polygons[0].as_pointer(), np.uint32, (count + 1,))
    offsets = np.empty(count + 1, np.int32)
    mesh.polygons.foreach_get("loop_start", offsets[:count])
    offsets[count] = len(mesh.loops)
    return offsets.view(np.uint32)


def triangles(mesh):
    """Blender's triangulation: the three corners of each triangle."""
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if count == 0:
        return np.zeros((0, 3), np.uint32)
    if pointers_work():
        return view(mesh.loop_triangles[0].as_pointer(), np.uint32, (count, 3))
    return copied(mesh.loop_triangles, "loops", np.int32, (count, 3)).view(np.uint32)


def triangle_polygons(mesh):
    """The polygon of each triangle of `triangles`."""
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if count == 0:
        return np.zeros(0, np.uint32)
    found = getattr(mesh, "loop_triangle_polygons", None)
    if found is not None and pointers_work():
        return view(found[0].as_pointer(), np.uint32, (count,))
    return copied(mesh.loop_triangles, "polygon_index", np.int32, (count,)).view(np.uint32)


@functools.cache
def pointers_work():
    """Whether addresses of first elements are addresses of whole arrays, in this Blender."""
    mesh = bpy.data.meshes.new("solio layout check")
    try:
        points = [(i * 0.5, i * i * 0.25, 1.0 - i) for i in range(7)]
        mesh.from_pydata(points, [], [(0, 1, 2), (2, 3, 4, 5), (0, 1, 5, 6, 3)])
        uvs = mesh.uv_layers.new(name="check").uv
        uvs.foreach_set("vector", np.arange(2 * len(mesh.loops), dtype=np.float32))
        mesh.attributes.new("flag", "BOOLEAN", "FACE").data.foreach_set("value", [1, 0, 1])
        return _same_as_copies(mesh)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return False
    finally:
        bpy.data.meshes.remove(mesh)


def _same_as_copies(mesh):
    mesh.calc_loop_triangles()
    vertices, corners, faces = len(mesh.vertices), len(mesh.loops), len(mesh.polygons)
    triangle_count = len(mesh.loop_triangles)
    pairs = [
        (mesh.attributes["position"].data, "vector", np.float32, (vertices, 3)),
        (mesh.attributes[".corner_vert"].data, "value", np.int32, (corners,)),
        (mesh.attributes["flag"].data, "value", np.bool_, (faces,)),
        (mesh.uv_layers[0].uv, "vector", np.float32, (corners, 2)),
        (mesh.vertex_normals, "vector", np.float32, (vertices, 3)),
        (mesh.corner_normals, "vector", np.float32, (corners, 3)),
        (mesh.polygon_normals, "vector", np.float32, (faces, 3)),
        (mesh.polygons, "loop_start", np.int32, (faces,)),
        (mesh.loop_triangles, "loops", np.int32, (triangle_count, 3)),
    ]
    for collection, name, dtype, shape in pairs:
        seen = view(collection[0].as_pointer(), dtype, shape)
        if not np.array_equal(seen, copied(collection, name, dtype, shape)):
            return False
    found = getattr(mesh, "loop_triangle_polygons", None)
    if found is not None:
        seen = view(found[0].as_pointer(), np.int32, (triangle_count,))
        if not np.array_equal(
            seen, copied(mesh.loop_triangles, "polygon_index", np.int32, (triangle_count,))
        ):
            return False
    return view(mesh.polygons[0].as_pointer(), np.int32, (faces + 1,))[faces] == corners
