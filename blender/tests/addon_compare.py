# SPDX-License-Identifier: GPL-3.0-or-later
"""Exporters and importers of Blender 3.4 and ours, over the same scenes.

Its OBJ is the predecessor of Blender 5.2's: MTL and most of the lines are the same bytes, UVs are
numbered in another order, so that what the numbers mean is compared. Its PLY and STL are older
programs in Python; there the corners are compared.
"""

from __future__ import annotations

import bpy
import numpy as np
import scenes
import solio
from compare import both
from compare import difference as files_difference
from imported import difference as import_difference
from imported import corner_normals, snapshot, values

OBJ_OPTIONS = {
    "default": {},
    "turned": {"forward_axis": "X", "up_axis": "NEGATIVE_Y", "global_scale": 0.37},
    "no modifiers": {"apply_modifiers": False},
    "render": {"export_eval_mode": "DAG_EVAL_RENDER"},
    "selected": {"export_selected_objects": True},
    "geometry only": {"export_uv": False, "export_normals": False, "export_materials": False},
    "colors": {"export_colors": True},
    "pbr": {"export_pbr_extensions": True},
    "absolute": {"path_mode": "ABSOLUTE"},
    "strip": {"path_mode": "STRIP"},
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

# What cannot be compared, and why; "it" is Blender's exporter.
LEFT_OUT = {
    ("obj", "curves", "no modifiers"): "Blender 3.4.1 itself crashes",
    ("obj", "large", "groups"): "it writes all names of groups before the faces of a large mesh",
    ("obj", "curves", "nurbs"): "it writes their points backwards, with other knots",
    ("ply", "curves"): "it fails at a curve without points",
    ("stl", "curves"): "it takes other kinds of objects",
    ("ply", "modifiers"): "it takes modifiers as they are in the viewport",
    ("ply", "instances"): "it leaves out instances",
    ("stl", "instances"): "it leaves out instances",
    ("ply", "collections"): "it takes what is hidden",
    ("stl", "collections"): "it takes what is hidden",
}


def run(folder):
    """Texts about what differs."""
    failures = []
    for compare in (obj_exports, animation, ply_and_stl_exports, imports, ply_of_its_own):
        failures += compare(folder / compare.__name__)
    names = sorted({name for _, name, *_ in LEFT_OUT})
    print(f"== left out: {len(LEFT_OUT)} exports of {', '.join(names)}")
    return failures


def fill(name):
    """The scene of that name; preferences stay, and with them the add-on."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if name:
        scenes.ALL[name]()
        bpy.context.view_layer.update()


def obj_exports(folder):
    count, equal, failures = 0, 0, []
    for name in scenes.ALL:
        for options, given in OBJ_OPTIONS.items():
            if ("obj", name, options) in LEFT_OUT:
                continue
            fill(name)
            here = folder / name / options
            here.mkdir(parents=True)
            blender, ours = both(here, "obj", **given)
            count += 1
            equal += blender == ours
            if found := obj_difference(here, blender, ours):
                failures.append(f"OBJ of {name}, {options}: {found}")
    print(f"== OBJ: {count} exports as by Blender {bpy.app.version_string}, {equal} the same bytes")
    return failures


def animation(folder):
    fill("animated")
    folder.mkdir()
    both(folder, "obj", export_animation=True, start_frame=1, end_frame=3)
    failures = []
    for frame in (1, 2, 3):  # in later Blenders, and by us, 2 is 0002
        paths = [folder / "blender" / f"out{frame}.obj", folder / "solio" / f"out{frame:04}.obj"]
        if found := parts_difference(*paths):
            failures.append(f"frame {frame}: {found}")
    return failures


def obj_difference(folder, blender, ours):
    """Empty when all OBJ say the same and all other files are equal."""
    others = [
        {name: b"" if name.endswith(".obj") else data for name, data in files.items()}
        for files in (blender, ours)
    ]
    if found := files_difference(*others):
        return found
    for name in blender:
        if name.endswith(".obj"):
            return parts_difference(*(folder / who / name for who in ("blender", "solio")))
    return ""


def parts_difference(blender, ours):
    expected, got = obj_parts(blender), obj_parts(ours)
    for part, wanted in expected.items():
        if not same(wanted, got[part], part):
            return f"{part}: blender {wanted}, solio {got[part]}"
    return ""


# The last digit that is written: numbers are rounded twice, and near UVs are put together.
TOLERANCES = {"positions": 2e-6, "uvs": 2e-6, "normals": 2e-4}


def same(expected, got, part):
    if not isinstance(expected, np.ndarray) or not isinstance(got, np.ndarray):
        return expected is got if expected is None or got is None else expected == got
    if expected.shape != got.shape:
        return False
    if part == "normals":  # Blender 3.4 makes one up for a face that is scaled to nothing
        some = got.any(axis=1)
        expected, got = expected[some], got[some]
    return np.allclose(expected, got, rtol=1e-6, atol=TOLERANCES.get(part, 0))


def obj_parts(path):
    """What an OBJ says, without the order in which it numbers UVs and normals."""
    mesh = solio.read_mesh(path)
    return {
        "objects": [(thing.name, thing.vertices_end, thing.faces_end) for thing in mesh.objects],
        "materials": [material.name for material in mesh.materials],
        "groups": list(mesh.groups),
        "free form": bytes(mesh.freeform),
        "positions": mesh.positions,
        "colors": mesh.colors,
        "faces": mesh.face_offsets,
        "corners": mesh.corner_vertices,
        "uvs": of_corners(mesh, mesh.uvs, mesh.uv_indices, mesh.uv_domain),
        "normals": of_corners(mesh, mesh.normals, mesh.normal_indices, mesh.normal_domain),
        "slots": mesh.face_materials,
        "face groups": mesh.face_groups,
        "smoothing": mesh.face_smoothing,
        "lines": sorted(map(tuple, mesh.line_vertices.reshape(-1, 2).tolist())),
    }


def of_corners(mesh, values, indices, domain):
    if values is None or domain == "corner":
        return values
    if domain == "vertex":
        return values[mesh.corner_vertices]
    assert domain == "indexed"
    with_none = np.concatenate([values, np.zeros_like(values[:1])])
    return with_none[np.where(indices == solio.NONE, len(values), indices)]


def ply_and_stl_exports(folder):
    count, failures = 0, []
    for name in scenes.ALL:
        for kind in ("ply", "stl"):
            if (kind, name) in LEFT_OUT:
                continue
            fill(name)
            here = folder / name
            here.mkdir(parents=True, exist_ok=True)
            paths = [here / f"{who}.{kind}" for who in ("blender", "solio")]
            # What Blender's exporter does without an option for it.
            extra = {"evaluation_mode": "DAG_EVAL_VIEWPORT"} if kind == "stl" else {}
            getattr(bpy.ops.export_mesh, kind)(filepath=str(paths[0]))
            getattr(bpy.ops.solio, f"{kind}_export")(filepath=str(paths[1]), **extra)
            count += 1
            if found := corners_difference(kind, *map(solio.read_mesh, paths)):
                failures.append(f"{kind.upper()} of {name}: {found}")
    print(f"== PLY and STL: {count} exports as by Blender {bpy.app.version_string}")
    return failures


def corners_difference(kind, blender, ours):
    if not np.array_equal(blender.face_offsets, ours.face_offsets):
        return f"faces: blender {blender.face_count}, solio {ours.face_count}"
    expected, got = (mesh.positions[mesh.corner_vertices] for mesh in (blender, ours))
    if kind == "stl":  # it moves the mesh before it cuts faces into triangles: other diagonals
        expected, got = distinct(expected), distinct(got)
    if expected.shape != got.shape or not np.allclose(expected, got, rtol=1e-5, atol=1e-5):
        return f"corners: blender {expected}, solio {got}"
    return ""


def distinct(corners):
    """The points without the last digits, in an order of their own."""
    return np.unique(np.round(corners.astype(np.float64), 4) + 0.0, axis=0)


def imports(folder):
    count, failures = 0, []
    folder.mkdir()
    for name in scenes.ALL:
        for kind in ("obj", "ply", "stl"):
            fill(name)
            path = str(folder / f"{name}.{kind}")
            getattr(bpy.ops.solio, f"{kind}_export")(filepath=path)
            fill(None)
            if kind == "obj":
                bpy.ops.wm.obj_import(filepath=path)
            else:
                getattr(bpy.ops.import_mesh, kind)(filepath=path)
            blender = snapshot()
            fill(None)
            getattr(bpy.ops.solio, f"{kind}_import")(filepath=path)
            ours = snapshot()
            for things in (blender, ours):
                for thing in things.values():
                    make_comparable(kind, thing)
            count += 1
            if found := import_difference(blender, ours):
                failures.append(f"import of {kind.upper()} of {name}: {found}")
    print(f"== import: {count} files as by Blender {bpy.app.version_string}")
    return failures


def make_comparable(kind, thing):
    """Takes out what Blender 3.4's importers do otherwise."""
    if kind == "obj" and not thing.get("uvs", np.zeros(1)).any():
        thing.pop("uvs", None)  # it gives all objects UVs when one has them
    if kind == "ply":
        # It reads no normals, keeps colours at corners and turns faces that end with vertex 0.
        for key in ("colors", "smooth", "normals", "uvs"):
            thing.pop(key, None)
        starts, corners = thing["starts"], thing["corners"]
        ends = [*starts[1:], len(corners)]
        faces = [corners[a:b] for a, b in zip(starts, ends, strict=True)]
        thing["corners"] = [np.roll(face, -int(face.argmin())).tolist() for face in faces]


def ply_of_its_own(folder):
    """What Blender 3.4's PLY does not have comes back from a file: attributes, colours, normals."""
    count, failures = 0, []
    folder.mkdir()
    for name in ("attributes", "colors", "custom_normals"):
        fill(name)
        path = str(folder / f"{name}.ply")
        bpy.ops.solio.ply_export(filepath=path, export_normals=True)
        fill(None)
        bpy.ops.solio.ply_import(filepath=path, import_colors="LINEAR")
        file, mesh = solio.read_mesh(path), bpy.context.object.data
        wanted = {n: v for (element, n), v in file.attributes.items() if element == "vertex"}
        if file.colors is not None:
            wanted["Col"] = file.colors
        for column, expected in wanted.items():
            data = mesh.attributes[column].data
            got = values(data, "color" if column == "Col" else "value", expected.size // len(data))
            if not np.allclose(expected.reshape(-1), got):
                failures.append(f"PLY of {name}: {column}: {expected}, {got}")
        count += len(wanted)
        if not np.allclose(
            file.normals[file.corner_vertices].reshape(-1), corner_normals(mesh), atol=2e-2
        ):
            failures.append(f"PLY of {name}: normals")
    print(f"== PLY: {count} attributes and colours come back")
    return failures
