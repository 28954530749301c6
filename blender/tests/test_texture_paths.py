# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of images in MTL files are Blender's, in every mode, and so are the copies."""

from __future__ import annotations

import bpy
import pytest
from compare import difference
from scenes import material_of_image, triangle

PATHS = (
    "//rel/miss ing.png",
    "//tex/one.png",
    "//../up.png",
    "//./t/../b.png",
    "//a\\b.png",
    "//tex//doubled.png",
    "//tex/u.<UDIM>.png",
    "/abs/dir/x.png",
    "/abs/../y.png",
    "no/mark.png",
    "plain.png",
    "./dot.png",
    "../above.png",
    " //blank.png",
    "C:\\tex\\a.png",
    "https://example.org/z.png",
    "{out}/inside.png",
    "{out}/sub/inside too.png",
    "{out}er/beside.png",
    "{blend}/tex/two.png",
)
MODES = ("AUTO", "ABSOLUTE", "RELATIVE", "MATCH", "STRIP", "COPY")


def fill(tmp_path, paths, saved):
    """A triangle for each image, in a scene that has a file or none."""
    folder = tmp_path / "scene"
    (folder / "tex").mkdir(parents=True)
    for name in ("one", "two"):
        (folder / "tex" / f"{name}.png").write_text(name)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for i, path in enumerate(paths):
        path = path.format(out=tmp_path / "both", blend=folder)
        triangle(f"o{i}").materials.append(material_of_image(f"m{i:02}", path))
    if saved:
        blend = str(folder / "a.blend")
        bpy.ops.wm.save_as_mainfile(filepath=blend, relative_remap=False)


def pairs(tmp_path, mode):
    """Both exporters' files out of one folder, as paths depend on it."""
    out = tmp_path / "both"
    found = []
    for operators in (bpy.ops.wm, bpy.ops.solio):
        out.mkdir()
        path = str(out / "x.obj")
        assert operators.obj_export(filepath=path, path_mode=mode) == {"FINISHED"}
        found.append({p.name: p.read_bytes() for p in out.iterdir() if p.is_file()})
        out.rename(tmp_path / f"{len(found)}")
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("saved", [True, False])
def test_paths(tmp_path, mode, saved):
    fill(tmp_path, PATHS, saved)
    assert difference(*pairs(tmp_path, mode)) == ""


@pytest.mark.parametrize("mode", MODES)
def test_packed_images_and_sequences(tmp_path, mode):
    fill(tmp_path, ("//tex/packed.png", "//seq/image0007.png"), True)
    packed, sequence = (bpy.data.images[f"m{i:02}"] for i in range(2))
    packed.source = "GENERATED"
    packed.pack()
    packed.filepath = "//tex/packed.png"
    sequence.source = "SEQUENCE"
    assert difference(*pairs(tmp_path, mode)) == ""


def test_two_images_of_one_name_are_one_file(tmp_path):
    fill(tmp_path, ("//tex/one.png", "//other/one.png", "//tex/one.png"), True)
    other = tmp_path / "scene" / "other"
    other.mkdir()
    (other / "one.png").write_text("the other")
    blender, solio = pairs(tmp_path, "COPY")
    assert sorted(blender) == sorted(solio) == ["one.png", "x.mtl", "x.obj"]
    assert blender["x.mtl"] == solio["x.mtl"]
    assert solio["one.png"] == b"one"


def test_a_copy_onto_itself_keeps_it(tmp_path):
    fill(tmp_path, ("//tex/one.png",), True)
    path = tmp_path / "scene" / "tex" / "one.png"
    out = str(path.with_name("x.obj"))
    assert bpy.ops.solio.obj_export(filepath=out, path_mode="COPY") == {"FINISHED"}
    assert path.read_text() == "one"
    assert {p.name for p in path.parent.iterdir()} == {"one.png", "two.png", "x.mtl", "x.obj"}
