# SPDX-License-Identifier: GPL-3.0-or-later
"""A file for each object or collection: each is what an export of that alone would be."""

from __future__ import annotations

import bpy
import pytest
from scenes import material_of_image, triangle

KINDS = ("obj", "ply", "stl")


def fill():
    """Two collections, one in the other; a triangle in both, and one in the scene itself."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    root = bpy.context.scene.collection
    outer, inner = (bpy.data.collections.new(name) for name in ("Outer", "in/ner"))
    root.children.link(outer)
    outer.children.link(inner)
    for i, name in enumerate(("a", "b c", "both", "alone")):
        triangle(name).materials.append(material_of_image(f"m{i}", f"/no/{i}.png"))
        bpy.data.objects[name].location.x = i
    for name, collections in (("a", [outer]), ("b c", [inner]), ("both", [outer, inner])):
        thing = bpy.data.objects[name]
        root.objects.unlink(thing)
        for collection in collections:
            collection.objects.link(thing)
    bpy.context.view_layer.update()


def export(kind, folder, name="out", **options):
    folder.mkdir()
    path = str(folder / f"{name}.{kind}")
    assert getattr(bpy.ops.solio, f"{kind}_export")(filepath=path, **options) == {"FINISHED"}
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def alone(kind, folder, name, chosen):
    """An export of some objects alone."""
    for thing in bpy.data.objects:
        thing.select_set(thing.name in chosen)
    return export(kind, folder, name, export_selected_objects=True)


def expected(kind, tmp_path, parts):
    found = {}
    for i, (name, chosen) in enumerate(parts.items()):
        found |= alone(kind, tmp_path / f"alone {i}", name, chosen)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_by_object(tmp_path, kind):
    fill()
    found = export(kind, tmp_path / "batch", batch_mode="OBJECT")
    parts = {"outa": {"a"}, "outb_c": {"b c"}, "outboth": {"both"}, "outalone": {"alone"}}
    assert found == expected(kind, tmp_path, parts)


@pytest.mark.parametrize("kind", KINDS)
def test_by_collection(tmp_path, kind):
    fill()
    found = export(kind, tmp_path / "batch", batch_mode="COLLECTION")
    parts = {
        "outOuter": {"a", "both"},
        "outin_ner": {"b c", "both"},
        "outScene_Collection": {"alone"},
    }
    assert found == expected(kind, tmp_path, parts)


@pytest.mark.parametrize("kind", KINDS)
def test_options_choose_first(tmp_path, kind):
    fill()
    found = export(kind, tmp_path / "batch", batch_mode="OBJECT", collection="in/ner")
    assert {name for name in found if name.endswith(kind)} == {f"outb_c.{kind}", f"outboth.{kind}"}


@pytest.mark.parametrize("kind", KINDS)
def test_instances_are_in_the_file_of_their_object(scene, tmp_path, kind):
    scene("instances")
    found = export(kind, tmp_path / "batch", batch_mode="OBJECT")
    names = {name.removesuffix(f".{kind}") for name in found if name.endswith(kind)}
    assert names == {"outpart_0", "outpart_1", "outPlane", "outCone"} - (
        {"outPlane"} if kind != "obj" and "outPlane" not in str(found) else set()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_differ_by_capitals_alone_stay_two(tmp_path, kind):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name in ("Cube", "cube", "c/d", "c:d"):
        triangle(name)
    found = export(kind, tmp_path / "batch", batch_mode="OBJECT")
    names = sorted(name for name in found if name.endswith(kind))
    ends = ("Cube", "c_d", "c_d.001", "cube.001")
    assert names == sorted(f"out{end}.{kind}" for end in ends)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_export(tmp_path, kind):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert export(kind, tmp_path / "batch", batch_mode="COLLECTION") == {}


def test_an_animation(scene, tmp_path):
    scene("animated")
    given = {"export_animation": True, "start_frame": 1, "end_frame": 2, "batch_mode": "OBJECT"}
    found = export("obj", tmp_path / "batch", **given)
    names = {f"out000{i}Cube.{end}" for i in (1, 2) for end in ("obj", "mtl")}
    assert set(found) == names


@pytest.mark.parametrize("kind", KINDS)
def test_compressed(tmp_path, kind):
    fill()
    found = export(kind, tmp_path / "batch", batch_mode="OBJECT", compression="GZIP")
    assert f"outa.{kind}.gz" in found
