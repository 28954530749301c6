# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import has made, and a short text about the first thing in which two differ."""

from __future__ import annotations

import bpy
import numpy as np
from solio_io.older import BEFORE_4_1


def snapshot():
    """What an import has made, by the names of the objects."""
    found = {}
    for thing in bpy.context.scene.objects:
        if thing.type != "MESH":
            found[thing.name] = {"type": thing.type}
            continue
        mesh = thing.data
        found[thing.name] = {
            "matrix": np.array(thing.matrix_world),
            "vertices": values(mesh.vertices, "co", 3),
            "edges": len(mesh.edges),
            "starts": values(mesh.polygons, "loop_start", 1, np.int32),
            "corners": values(mesh.loops, "vertex_index", 1, np.int32),
            "smooth": values(mesh.polygons, "use_smooth", 1, np.bool_),
            "slots": values(mesh.polygons, "material_index", 1, np.int32),
            "materials": [m and m.name for m in mesh.materials],
            "colors": [c.name for c in mesh.color_attributes],
        }
        if mesh.uv_layers.active:
            found[thing.name]["uvs"] = uvs(mesh.uv_layers.active)
        if len(mesh.polygons):
            found[thing.name]["normals"] = corner_normals(mesh)
    return found


def uvs(layer):
    return values(layer.data, "uv", 2) if BEFORE_4_1 else values(layer.uv, "vector", 2)


def corner_normals(mesh):
    if BEFORE_4_1:
        mesh.calc_normals_split()
        return values(mesh.loops, "normal", 3)
    return values(mesh.corner_normals, "vector", 3)


def values(collection, name, width, dtype=np.float32):
    out = np.empty(len(collection) * width, dtype)
    collection.foreach_get(name, out)
    return out


def difference(blender, solio):
    """Empty when both are equal; normals may differ by what 16 bits of custom normals allow."""
    if sorted(blender) != sorted(solio):
        return f"objects: blender {sorted(blender)[:9]}, solio {sorted(solio)[:9]}"
    for name, expected in blender.items():
        got = solio[name]
        if sorted(expected) != sorted(got):
            return f"{name}: {sorted(expected)} {sorted(got)}"
        for key, value in expected.items():
            if not isinstance(value, np.ndarray):
                same = value == got[key]
            elif value.shape != got[key].shape:
                same = False
            elif key == "normals":
                same = np.allclose(value, got[key], atol=2e-3)
            else:
                same = np.array_equal(value, got[key], equal_nan=value.dtype.kind == "f")
            if not same:
                return f"{name}: {key}: blender {value}, solio {got[key]}"
    return ""
