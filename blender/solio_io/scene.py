# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects an export takes, in which state, at which frames: as Blender's exporters do."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from typing import Any

import bpy

RENDER = "DAG_EVAL_RENDER"


@dataclass(slots=True)
class Item:
    """One object or instance to export."""

    object: Any  # evaluated; for an instance, the object that is instanced
    matrix: Any  # object to world
    mesh: Any  # the mesh to write; None for a curve that is not a mesh

    @property
    def name(self):
        return self.object.name


class _EvaluationEngine(bpy.types.RenderEngine):
    """Renders nothing: it is there because only a render engine is handed a depsgraph that is
    evaluated for rendering."""

    bl_idname = "SOLIO_EVALUATION"
    bl_label = "Solio: evaluate for export"
    bl_use_preview = False

    job = None
    result = None
    error = None

    def render(self, depsgraph):
        cls = type(self)
        if cls.job is None:
            return
        try:
            cls.result = cls.job(depsgraph)
        except BaseException as error:  # raised again by `evaluated`, outside of the render
            cls.error = error


def evaluated(context, mode, job):
    """`job(depsgraph)` with the scene as it is in the viewport or in a render."""
    leave_edit_mode(context)
    if mode != RENDER:
        return job(context.evaluated_depsgraph_get())
    cls = _EvaluationEngine
    cls.job, cls.result, cls.error = job, None, None
    bpy.utils.register_class(cls)
    try:
        with _render_settings(context.scene, cls.bl_idname):
            bpy.ops.render.render(layer=context.view_layer.name, scene=context.scene.name)
        if cls.error is not None:
            raise cls.error
        return cls.result
    finally:
        bpy.utils.unregister_class(cls)
        cls.job = cls.result = cls.error = None


def leave_edit_mode(context):
    """Edits become part of the mesh; Blender's exporters do the same."""
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@contextlib.contextmanager
def _render_settings(scene, engine):
    """A render of 4 by 4 pixels without compositing; all settings come back afterwards."""
    wanted = {
        "engine": engine,
        "resolution_x": 4,
        "resolution_y": 4,
        "resolution_percentage": 100,
        "use_compositing": False,
        "use_sequencer": False,
        "use_single_layer": False,
    }
    before = {name: getattr(scene.render, name) for name in wanted}
    camera = None
    if scene.camera is None:
        data = bpy.data.cameras.new("Solio evaluation")
        camera = bpy.data.objects.new("Solio evaluation", data)
    try:
        for name, value in wanted.items():
            setattr(scene.render, name, value)
        if camera is not None:
            scene.camera = camera
        yield
    finally:
        for name, value in before.items():
            setattr(scene.render, name, value)
        if camera is not None:
            data = camera.data
            scene.camera = None
            bpy.data.objects.remove(camera)
            bpy.data.cameras.remove(data)


def items(depsgraph, *, selected=False, collection="", modifiers=True, for_obj=False):
    """The objects and instances to export, in Blender's order.

    For OBJ, curve objects come as well (without a mesh); they are what Blender writes as loose
    edges or as NURBS. Its other exporters leave metaballs out where they leave out modifiers.
    """
    members = None
    if collection:
        group = bpy.data.collections.get(collection)
        if group is None:
            raise LookupError(f"Unable to find collection '{collection}'")
        members = set(group.all_objects)
    chooses = selected or members is not None
    layer = _original_layer(depsgraph.view_layer) if selected else None
    for instance in depsgraph.object_instances:
        found = instance.object
        kind = found.type
        if kind != "MESH" and not (for_obj and kind == "CURVE"):
            continue
        if chooses:
            # An instance is selected, and in a collection, as the object that makes it.
            source = instance.parent if instance.is_instance else found
            original = source.original
            if selected and not original.select_get(view_layer=layer):
                continue
            if members is not None and original not in members:
                continue
        mesh = None
        if kind == "MESH":
            if not (modifiers or for_obj) and found.original.type == "META":
                continue
            mesh = found.data if modifiers else before_modifiers(found)
        yield Item(found, instance.matrix_world.copy(), mesh)


def before_modifiers(evaluated_object):
    """The mesh as it is before the modifiers."""
    original = evaluated_object.original
    if original is not None and original.type == "MESH" and original.data is not None:
        return original.data
    return evaluated_object.data


def _original_layer(view_layer):
    scene = bpy.context.scene
    return scene.view_layers.get(view_layer.name) or bpy.context.view_layer


def frames(context, operator):
    """The frames of an animated export."""
    start, end = operator.start_frame, operator.end_frame
    if start == -(2**31):
        start = context.scene.frame_start
    if end == 2**31 - 1:
        end = context.scene.frame_end
    return range(start, end + 1)


def path_of_frame(path, frame):
    """`walk.obj` at frame 7 is `walk0007.obj`; `#` marks in the name are filled in instead."""
    stem, extension = split_extension(path)
    folder, name = os.path.split(stem)
    marks = list(re.finditer("#+", name))
    sign = "-" if frame < 0 else ""
    if marks:
        last = marks[-1]
        digits = f"{sign}{abs(frame):0{len(last.group())}d}"
        name = name[: last.start()] + digits + name[last.end() :]
    else:
        name += f"{sign}{abs(frame):04d}"
    return os.path.join(folder, name) + extension


def split_extension(path):
    """`a.obj.gz` into `a` and `.obj.gz`."""
    stem, extension = os.path.splitext(path)
    if extension.lower() in (".gz", ".zst"):
        inner, real = os.path.splitext(stem)
        if real:
            return inner, real + extension
    return stem, extension
