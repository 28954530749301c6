# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports as in a render: whatever the settings of renders, and without a trace of one."""

from __future__ import annotations

import bpy
import pytest
from solio_io import scene as evaluation

KEPT = (
    "engine",
    "resolution_x",
    "resolution_y",
    "resolution_percentage",
    "use_border",
    "use_compositing",
    "use_freestyle",
    "use_multiview",
    "use_persistent_data",
    "use_sequencer",
    "use_single_layer",
)


def export(path):
    assert bpy.ops.solio.ply_export(filepath=str(path)) == {"FINISHED"}
    return path.read_bytes()


def settings():
    return {name: getattr(bpy.context.scene.render, name) for name in KEPT}


def as_movie(render):
    output = render.image_settings
    if hasattr(output, "media_type"):
        output.media_type = "VIDEO"
    try:
        output.file_format = "FFMPEG"
    except TypeError:
        pytest.skip("skipped: this Blender writes no movies")


def small_border(render):
    render.use_border = render.use_crop_to_border = True
    render.border_min_x = render.border_min_y = 0.5
    render.border_max_x = render.border_max_y = 0.501


def everything_on(render):
    render.use_multiview = render.use_freestyle = render.use_persistent_data = True
    render.use_single_layer = True
    render.resolution_percentage = 1


@pytest.mark.parametrize("change", [as_movie, small_border, everything_on])
def test_settings_of_renders_change_nothing(scene, tmp_path, change):
    scene("modifiers")
    expected = export(tmp_path / "a.ply")
    change(bpy.context.scene.render)
    before = settings()
    assert export(tmp_path / "b.ply") == expected
    assert settings() == before
    assert bpy.context.scene.camera is None


def test_handlers_hear_of_nothing(scene, tmp_path):
    scene("modifiers")
    heard = []

    def listen(*_arguments):
        heard.append(True)

    for name in evaluation.HANDLERS:
        getattr(bpy.app.handlers, name).append(listen)
    try:
        export(tmp_path / "a.ply")
        assert not heard
        assert all(listen in getattr(bpy.app.handlers, name) for name in evaluation.HANDLERS)
    finally:
        for name in evaluation.HANDLERS:
            getattr(bpy.app.handlers, name).remove(listen)


class _Black(bpy.types.RenderEngine):
    bl_idname = "SOLIO_TEST_BLACK"
    bl_label = "Black"

    def render(self, _depsgraph):
        self.end_result(self.begin_result(0, 0, self.resolution_x, self.resolution_y))


def test_the_last_render_stays(scene, tmp_path):
    scene("cube")
    here = bpy.context.scene
    bpy.ops.object.camera_add()
    here.camera = bpy.context.object
    render = here.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 40, 24, 100
    render.use_compositing = render.use_sequencer = False
    bpy.utils.register_class(_Black)
    try:
        render.engine = _Black.bl_idname
        assert bpy.ops.render.render() == {"FINISHED"}
        for name in ("a.ply", "b.ply"):
            export(tmp_path / name)
    finally:
        render.engine = "BLENDER_WORKBENCH"
        bpy.utils.unregister_class(_Black)
    (image,) = (i for i in bpy.data.images if i.type == "RENDER_RESULT")
    assert [slot.name for slot in image.render_slots].count(evaluation.SLOT) == 1
    render.image_settings.file_format = "PNG"
    image.save_render(str(tmp_path / "kept.png"))
    assert tuple(bpy.data.images.load(str(tmp_path / "kept.png")).size) == (40, 24)


def test_a_render_that_does_not_begin_is_told(scene, tmp_path, monkeypatch):
    scene("cube")
    monkeypatch.setattr(evaluation._EvaluationEngine, "render", lambda _self, _depsgraph: None)
    before = settings()
    with pytest.raises(RuntimeError, match="cannot be evaluated as for a render"):
        bpy.ops.solio.ply_export(filepath=str(tmp_path / "a.ply"))
    assert settings() == before
    assert not (tmp_path / "a.ply").exists()


@pytest.mark.parametrize("kind", ["obj", "ply", "stl"])
def test_forward_and_up_on_one_axis_are_told(scene, tmp_path, kind):
    scene("cube")
    path = tmp_path / f"a.{kind}"
    axes = {"forward_axis": "X", "up_axis": "NEGATIVE_X"}
    with pytest.raises(RuntimeError, match="both be along X"):
        getattr(bpy.ops.solio, f"{kind}_export")(filepath=str(path), **axes)
    assert not path.exists()
    assert getattr(bpy.ops.solio, f"{kind}_export")(filepath=str(path)) == {"FINISHED"}
    objects = len(bpy.data.objects)
    with pytest.raises(RuntimeError, match="both be along X"):
        getattr(bpy.ops.solio, f"{kind}_import")(filepath=str(path), **axes)
    assert len(bpy.data.objects) == objects
