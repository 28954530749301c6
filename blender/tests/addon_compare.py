# SPDX-License-Identifier: GPL-3.0-or-later
"""Exporters and importers of an older Blender and ours, over the same scenes.

Its OBJ is compared byte for byte, as it is the predecessor of Blender 5.2's. Its PLY and STL were written
in Python; there the corners of all faces are compared.
"""

from __future__ import annotations

import bpy
import numpy as np
import scenes
import solio
from compare import both, difference
from imported import difference as imported_difference
from imported import snapshot

OBJ_OPTIONS = {
    "default": {},
    "turned": {"forward_axis": "X", "up_axis": "NEGATIVE_Y", "global_scale": 0.37},
    "no modifiers": {"apply_modifiers": False},
    "render": {"export_eval_mode": "DAG_EVAL_RENDER"},
    "geometry only": {"export_uv": False, "export_normals": False, "export_materials": False},
    "colors": {"export_colors": True},
    "pbr": {"export_pbr_extensions": True},
    "triangles": {"export_triangulated_mesh": True},
    "nurbs": {"export_curves_as_nurbs": True},
    "groups": {
        "export_object_groups": True,
        "export_material_groups": True,
        "export_vertex_groups": True,
        "export_smooth_groups": True,
    },
    "bitflags": {"export_smooth_groups": True, "smooth_group_bitflags": True},
}

# Blender 3.4.1 itself ends with a crash.
CRASHES = [("curves", "no modifiers")]


def run(folder):
    """Texts about what differs."""
    failures = []
    for compare in (obj_exports, ply_and_stl_exports, imports):
        failures += compare(folder / compare.__name__)
    print(*['FAILED '+f for f in failures],sep='\n')
    return failures


def fill(name):
    """The scene of that name; preferences stay, and with them the add-on."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if name:
        scenes.ALL[name]()
        bpy.context.view_layer.update()


def obj_exports(folder):
    out, count = [], 0
    for name in scenes.ALL:
        for options, values in OBJ_OPTIONS.items():
            if (name, options) in CRASHES:
                continue
            fill(name)
            here = folder / name / options
            here.mkdir(parents=True)
            found = difference(*both(here, "obj", **values))
            count += 1
            if found:
                out.append(f"OBJ of {name}, {options}: {found}")
    print(f"== add-on: {count} exports of OBJ")
    return out


def ply_and_stl_exports(folder):
    out, count = [], 0
    for name in scenes.ALL:
        for kind in ("ply", "stl"):
            fill(name)
            here = folder / name
            here.mkdir(parents=True, exist_ok=True)
            blender, ours = here / f"blender.{kind}", here / f"ours.{kind}"
            try:
                getattr(bpy.ops.export_mesh, kind)(filepath=str(blender))
            except RuntimeError as e:
                print("PYFAIL", name, kind); continue
            getattr(bpy.ops.solio, f"{kind}_export")(filepath=str(ours))
            found = corners_difference(corners(blender), corners(ours))
            count += 1
            if found:
                out.append(f"{kind.upper()} of {name}: {found}")
    print(f"== add-on: {count} exports of PLY and STL")
    return out


def corners(path):
    mesh = solio.read_mesh(path)
    return mesh.positions[mesh.corner_vertices], np.diff(mesh.face_offsets)


def corners_difference(blender, ours):
    if not np.array_equal(blender[1], ours[1]):
        return f"faces: blender {len(blender[1])}, solio {len(ours[1])}"
    if not np.allclose(blender[0], ours[0], rtol=1e-6, atol=1e-6):
        return f"corners differ by {np.abs(blender[0] - ours[0]).max()}"
    return ""


def imports(folder):
    out, count = [], 0
    for name in scenes.ALL:
        for kind, module, operator in (
            ("obj", bpy.ops.wm, "obj_import"),
            ("ply", bpy.ops.import_mesh, "ply"),
            ("stl", bpy.ops.import_mesh, "stl"),
        ):
            fill(name)
            here = folder / name
            here.mkdir(parents=True, exist_ok=True)
            path = str(here / f"file.{kind}")
            getattr(bpy.ops.solio, f"{kind}_export")(filepath=path)
            fill(None)
            getattr(module, operator)(filepath=path)
            blender = snapshot()
            fill(None)
            getattr(bpy.ops.solio, f"{kind}_import")(filepath=path)
            found = imported_difference(blender, snapshot())
            count += 1
            if found:
                out.append(f"import of {kind.upper()} of {name}: {found}")
    print(f"== add-on: {count} imports")
    return out
