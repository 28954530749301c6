# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's importers and ours make the same of what Solio writes and of files from elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import pytest
import scenes
from imported import difference, snapshot

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("SOLIO_DATA", ROOT / "../shared/data")) / "mesh"
MOST_BYTES = 3_000_000


def load(operators, path, **options):
    """A snapshot after the import into an empty scene, or what the operator says."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    operator = getattr(operators, f"{path.suffix[1:].lower()}_import")
    try:
        operator(filepath=str(path), **options)
    except RuntimeError as error:
        return str(error)
    return snapshot()


@pytest.mark.parametrize("kind", ["obj", "ply", "stl"])
@pytest.mark.parametrize("name", [name for name in scenes.ALL if name != "large"])
def test_same_of_what_we_write(scene, tmp_path, name, kind):
    scene(name)
    path = tmp_path / f"out.{kind}"
    assert getattr(bpy.ops.solio, f"{kind}_export")(filepath=str(path)) == {"FINISHED"}
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    assert not isinstance(blender, str)
    if (name, kind) == ("loose", "obj"):  # all its faces are degenerate: Blender marks them flat
        for found in (*blender.values(), *solio.values()):
            found.pop("smooth", None)
    assert difference(blender, solio) == ""


# Files that Solio refuses and says why; Blender makes of them what it can, mostly nothing.
REFUSED = {
    "number_formats.obj": "`3.1+e2` is not a number",
    "empty.obj": "",
    "obj_empty.obj": "",
    "invalid-relative-vertex-index.obj": "none comes before it",
    "issue-356-leading-spaces-newmtl.obj": "no vertices",
}

# Files of which both make something else, and why.
DIFFERENT = {
    "box_UTF16BE.obj": "Blender does not read UTF-16",
    "empty_mat.obj": "Blender makes a material of `usemtl` without a name",
    "regr01.obj": "a name in Latin-1; Blender drops the letter",
    "usemtl-issue-104.obj": "Blender adds the material of a `usemtl` after the last face",
    "sofa.ply": "Blender does not know these names of texture coordinates",
    "capsule.obj": "Blender marks degenerate faces flat",
    "noimg.obj": "custom normals around degenerate faces",
}


REPEATED = {
    "poles": "f 1 2 3 1\nf 1 3 4 1\nf 4 3 2\nf 5 6 7 7 8\n",
    "equal": "f 1 1 1\nf 1 2\nf 1 2 1 2\nf 1 2 3\nf 5 5 6 7\n",
    "hole": "f 9 10 11 12 9 5 8 7 6 5\nf 1 2 3\n",
    "eight": "f 1 2 3 1 4 2\nf 4 3 2\ng late\nf 5 6 7 8 6\nf 5 7 8\n",
    "normals": "vn 0 0 1\nvn 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
    "f 1/1/1 2/2/1 3/3/2 1/3/2\nf 5/1/1 6/2/1 7/3/1\n",
}


@pytest.mark.parametrize("name", REPEATED)
def test_faces_with_a_vertex_twice(tmp_path, name):
    path = tmp_path / "faces.obj"
    vertices = ["0 0 1", "1 0 0", "0 1 0", "-1 0 0", "5 0 0", "9 0 0", "9 4 0", "5 4 0"]
    vertices += ["6 1 0", "6 2 0", "7 2 0", "7 1 0"]
    path.write_text("".join(f"v {vertex}\n" for vertex in vertices) + REPEATED[name])
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    assert difference(blender, solio) == ""


def test_every_group_becomes_an_object(tmp_path):
    path = tmp_path / "groups.obj"
    faces = ["g", "o A", "g ga", "f 1 2 3", "g gb", "f 3 2 4", "g ga", "f 1 2 4", "f 1 3 4"]
    faces += ["o B", "g gb", "f 1 4 2", "o C", "g gb gc", "f 4 1 2"]
    points = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1"]
    path.write_text("\n".join([*points, *faces, ""]))
    blender, solio = (load(o, path, use_split_groups=True) for o in (bpy.ops.wm, bpy.ops.solio))
    assert difference(blender, solio) == ""
    assert sorted(solio) == ["ga", "ga.001", "gb", "gb gc", "gb.001"]


LONG = ((0.4, 0, 0.3), (3, 0, 4), (0, -0.5, 2), (12, 5, -1), (0, 0, 0), (1e-3, 0, 2e-3))


@pytest.mark.parametrize("kind", ["obj", "ply"])
def test_normals_of_any_length(tmp_path, kind):
    """Neither format asks for a length of 1."""
    path = tmp_path / f"long.{kind}"
    points = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 5), (1, 0, 5), (0, 1, 5))
    if kind == "obj":
        lines = ["v {} {} {}".format(*point) for point in points]
        lines += ["vn {} {} {}".format(*normal) for normal in LONG]
        lines += ["f 1//1 2//2 3//3", "f 4//4 5//5 6//6", ""]
    else:
        lines = ["ply", "format ascii 1.0", "element vertex 6"]
        lines += [f"property float {name}" for name in ("x", "y", "z", "nx", "ny", "nz")]
        lines += ["element face 2", "property list uchar int vertex_indices", "end_header"]
        lines += [" ".join(map(str, (*p, *n))) for p, n in zip(points, LONG, strict=True)]
        lines += ["3 0 1 2", "3 3 4 5", ""]
    path.write_text("\n".join(lines))
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    assert difference(blender, solio) == ""
    found = solio["long"]["normals"].reshape(-1, 3)
    for normal, expected in zip(found, LONG, strict=True):
        length = sum(x * x for x in expected) ** 0.5
        if length:
            assert normal == pytest.approx([x / length for x in expected], abs=2e-3)


POINTS = "".join(f"v {x} {x * x} 0\n" for x in range(4))
SPLINE = "cstype bspline\ndeg 3\ncurv 0 1 -4 -3 -2 -1\nparm u 0 0 0 0 1 1 1 1\nend\n"
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"
FREEFORM = {
    "alone": POINTS + SPLINE,
    "objects": f"o b\n{POINTS}{SPLINE}o A\n{POINTS}{SPLINE}",
    "behind a mesh": f"o a\n{TRIANGLE}o c\n{POINTS}{SPLINE}",
    "other types": POINTS + SPLINE.replace("bspline", "bezier"),
}


@pytest.mark.parametrize("name", FREEFORM)
def test_curves(tmp_path, name):
    path = tmp_path / "curves.obj"
    path.write_text(FREEFORM[name])
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    assert difference(blender, solio) == ""
    curves = [thing.data for thing in bpy.context.scene.objects if thing.type == "CURVE"]
    assert len(curves) == FREEFORM[name].count("bspline")
    for curve in curves:
        (spline,) = curve.splines
        assert (len(spline.points), spline.order_u, spline.use_cyclic_u) == (4, 4, False)
        assert [tuple(p.co) for p in spline.points] == [(x, x * x, 0, 1) for x in range(4)]


def test_every_cstype_becomes_an_object(tmp_path):
    path = tmp_path / "curves.obj"
    path.write_text(POINTS + SPLINE + SPLINE)
    assert sorted(load(bpy.ops.solio, path)) == ["curves", "curves.001"]


def test_curves_that_cannot_be_read_are_left_out(tmp_path):
    path = tmp_path / "curves.obj"
    wrong = [("deg 3", "deg x"), ("deg 3", "deg"), (" -1\n", " 99\n"), ("0 0 0 0", "0 0 0 zero")]
    text = POINTS + "".join(SPLINE.replace(*change) for change in wrong)
    path.write_text(text + SPLINE.replace("-1", "4/1"))
    assert sorted(load(bpy.ops.solio, path)) == ["curves"]
    path.write_text(text)
    assert load(bpy.ops.solio, path) == {}


def test_a_bad_file_stops_no_other(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.obj").write_text(TRIANGLE)
    (tmp_path / "bad.obj").write_text("v 0 0 0\nf 1 2 x\n")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    folder = {"directory": str(tmp_path)}
    files = [{"name": f"{name}.obj"} for name in ("a", "bad", "b")]
    with pytest.raises(RuntimeError, match="bad.obj"):
        bpy.ops.solio.obj_import(files=files, **folder)
    assert sorted(thing.name for thing in bpy.context.scene.objects) == ["Cube", "a", "b"]
    assert sorted(thing.name for thing in bpy.context.selected_objects) == ["a", "b"]
    assert bpy.context.object.name == "b"
    with pytest.raises(RuntimeError, match="bad.obj"):
        bpy.ops.solio.obj_import(files=files[1:2], **folder)
    assert sorted(thing.name for thing in bpy.context.selected_objects) == ["a", "b"]


@pytest.mark.parametrize("relative", [True, False])
def test_paths_of_textures(tmp_path, relative):
    (tmp_path / "tex").mkdir()
    picture = tmp_path / "tex/wood.png"
    mtl = f"newmtl wood\nmap_Kd {picture.relative_to(tmp_path)}\n"
    (tmp_path / "a.mtl").write_text(mtl)
    (tmp_path / "a.obj").write_text("mtllib a.mtl\nusemtl wood\n" + TRIANGLE)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    drawn = bpy.data.images.new("wood", 4, 4)
    drawn.filepath_raw, drawn.file_format = str(picture), "PNG"
    drawn.save()
    found, before = [], bpy.context.preferences.filepaths.use_relative_paths
    for operators in (bpy.ops.wm, bpy.ops.solio):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.preferences.filepaths.use_relative_paths = relative
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
        operators.obj_import(filepath=str(tmp_path / "a.obj"))
        found.append([i.filepath for i in bpy.data.images if i.source == "FILE"])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.filepaths.use_relative_paths = before
    assert found[0] == found[1] == ["//tex/wood.png" if relative else str(picture)]


def test_attributes_whose_names_blender_has(tmp_path):
    path = tmp_path / "named.ply"
    names = ("x", "y", "z", "position", "sharp_face", "material_index", "quality")
    lines = ["ply", "format ascii 1.0", "element vertex 3"]
    lines += [f"property float {name}" for name in names]
    lines += ["element face 1", "property list uchar int vertex_indices", "end_header"]
    lines += [f"{i} {i * i} 0 7 8 9 {i / 2}" for i in range(3)]
    path.write_text("\n".join([*lines, "3 0 1 2", ""]))
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    assert difference(blender, solio) == ""
    quality = bpy.data.meshes["named"].attributes["quality"]
    assert [value.value for value in quality.data] == [0, 0.5, 1]


def outside_files():
    files = sorted(DATA.rglob("*")) if DATA.is_dir() else []
    kinds = (".obj", ".ply", ".stl")
    return [f for f in files if f.suffix.lower() in kinds and f.stat().st_size < MOST_BYTES]


@pytest.mark.skipif(not outside_files(), reason="skipped: no files in SOLIO_DATA")
@pytest.mark.parametrize("path", outside_files(), ids=lambda path: str(path.relative_to(DATA)))
def test_same_of_other_files(path):
    blender, solio = load(bpy.ops.wm, path), load(bpy.ops.solio, path)
    if path.name in REFUSED:
        assert path.name in solio and REFUSED[path.name] in solio
    elif isinstance(blender, str):
        assert isinstance(solio, str) or not any(len(v["vertices"]) for v in solio.values())
    elif path.name in DIFFERENT:
        assert not isinstance(solio, str)
    else:
        assert not isinstance(solio, str), solio
        assert difference(blender, solio) == ""
