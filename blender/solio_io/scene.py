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
# Those that a render calls.
HANDLERS = (
    "frame_change_pre",
    "frame_change_post",
    "render_init",
    "render_pre",
    "render_post",
    "render_complete",
    "render_cancel",
    "render_stats",
)
SLOT = "Solio: evaluate for export"
# What has a mesh without modifiers, though it is none.
CURVE_TYPES = {"CURVE", "FONT", "SURFACE"}


class EvaluationError(Exception):
    """The scene is not to be had as it is in a render."""


@dataclass(slots=True)
class Item:
    """One object or instance to export."""

    object: Any  # evaluated; for an instance, the object that is instanced
    matrix: Any  # object to world
    mesh: Any  # the mesh to write; None for a curve that is not a mesh
    source: Any  # the scene's own object, which for an instance is the one that makes it

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

    def render(self, depsgraph):
        type(self).job(depsgraph)


def evaluated(context, mode, job):
    """`job(depsgraph)` with the scene as it is in the viewport or in a render."""
    leave_edit_mode(context)
    if mode != RENDER:
        return job(context.evaluated_depsgraph_get())
    scene, done = context.scene, []
    if scene.library is not None:
        raise EvaluationError(f"{scene.name} is linked: it can be exported from its own file alone")
    if bpy.app.is_job_running("RENDER"):
        raise EvaluationError("a render is under way: export when it has ended")

    def run(depsgraph):
        try:
            done.append((job(depsgraph), None))
        except BaseException as error:  # raised again below, outside of the render
            done.append((None, error))

    why = "the render has not begun"
    _EvaluationEngine.job = run
    bpy.utils.register_class(_EvaluationEngine)
    try:
        with _no_handlers(), _own_slot(), _render_settings(scene):
            try:
                bpy.ops.render.render(layer=context.view_layer.name, scene=scene.name)
            except RuntimeError as error:
                why = str(error).strip().removeprefix("Error: ")
    finally:
        bpy.utils.unregister_class(_EvaluationEngine)
        _EvaluationEngine.job = None
    if not done:
        raise EvaluationError(f"{scene.name} cannot be evaluated as for a render: {why}")
    result, error = done[0]
    if error is not None:
        raise error
    return result


def leave_edit_mode(context):
    """Edits become part of the mesh; Blender's exporters do the same."""
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@contextlib.contextmanager
def _no_handlers():
    """Handlers of renders are not called: they take each for one of the user's, and Blender's
    exporters make none."""
    lists = [getattr(bpy.app.handlers, name) for name in HANDLERS]
    before = [list(handlers) for handlers in lists]
    for handlers in lists:
        handlers.clear()
    try:
        yield
    finally:
        for handlers, functions in zip(lists, before, strict=True):
            handlers[:] = functions


@contextlib.contextmanager
def _own_slot():
    """The render goes into a slot of its own, so that the user's last one stays in its slot."""
    image = next((i for i in bpy.data.images if i.type == "RENDER_RESULT"), None)
    if image is None:  # nothing has been rendered yet
        yield
        return
    slots = image.render_slots
    active, names = slots.active_index, [slot.name for slot in slots]
    if SLOT not in names:
        slots.new(name=SLOT)
        names.append(SLOT)
    slots.active_index = names.index(SLOT)
    try:
        yield
    finally:
        slots.active_index = active


@contextlib.contextmanager
def _render_settings(scene):
    """The smallest render that Blender does for every output, a movie's too, without what comes
    after one; all settings come back afterwards."""
    wanted = {
        "engine": _EvaluationEngine.bl_idname,
        "resolution_x": 16,
        "resolution_y": 16,
        "resolution_percentage": 100,
        "use_border": False,
        "use_compositing": False,
        "use_freestyle": False,
        "use_multiview": False,
        "use_persistent_data": False,
        "use_sequencer": False,
        "use_single_layer": False,
    }
    # Not every Blender is built with Freestyle.
    settings = ((name, getattr(scene.render, name, value)) for name, value in wanted.items())
    before = {name: value for name, value in settings if value != wanted[name]}
    camera = None
    if scene.camera is None:
        data = bpy.data.cameras.new("Solio evaluation")
        camera = bpy.data.objects.new("Solio evaluation", data)
    try:
        for name in before:
            setattr(scene.render, name, wanted[name])
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


def items(
    depsgraph, temporary, *, selected=False, collection="", modifiers=True, for_obj=False
):
    """The objects and instances to export, in Blender's order.

    For OBJ, curve objects come as well (without a mesh); they are what Blender writes as loose
    edges or as NURBS. Meshes that are made for the export are added to `temporary`: remove them
    after use.
    """
    members = None
    if collection:
        group = bpy.data.collections.get(collection)
        if group is None:
            raise LookupError(f"Unable to find collection '{collection}'")
        members = set(group.all_objects)
    layer = _original_layer(depsgraph.view_layer) if selected else None
    unmodified = _Unmodified(temporary, for_obj)
    for instance in depsgraph.object_instances:
        found = instance.object
        kind = found.type
        if kind != "MESH" and not (for_obj and kind == "CURVE"):
            continue
        # An instance is selected, and in a collection, as the object that makes it.
        source = (instance.parent if instance.is_instance else found).original
        if selected and not source.select_get(view_layer=layer):
            continue
        if members is not None and source not in members:
            continue
        mesh = None
        if kind == "MESH":
            mesh = found.data if modifiers else unmodified.mesh(found)
        yield Item(found, instance.matrix_world.copy(), mesh, source)


class _Unmodified:
    """Meshes as they are without modifiers, each made once."""

    def __init__(self, temporary, for_obj):
        self.temporary = temporary
        self.for_obj = for_obj
        self.made = {}

    def mesh(self, evaluated_object):
        """The mesh of a mesh object. Of curves, surfaces and texts Blender's exporters of PLY and
        STL take the mesh as in the viewport, once for each mesh that the modifiers made; that of
        OBJ applies their modifiers all the same. Metaballs have an empty one but for OBJ."""
        original = evaluated_object.original
        if original.type == "MESH" and original.data is not None:
            return original.data
        if self.for_obj:
            return evaluated_object.data
        key = original.as_pointer()
        if key not in self.made:
            if original.type in CURVE_TYPES:
                made = bpy.data.meshes.new_from_object(original)
            else:
                made = bpy.data.meshes.new(original.name)
            self.made[key] = made
            self.temporary.append(made)
        return self.made[key]


def remove(meshes):
    """Removes what was made for an export."""
    for mesh in meshes:
        bpy.data.meshes.remove(mesh)


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
