# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads pbrt scenes through Solio: objects, instances, materials, lights, the sky and the camera.

The work is cut into steps, so that a window stays alive and can end it. pbrt's space is left-handed: the
world is mirrored, unless the scene's camera mirrors it, and turned so that what the camera calls up is +Z.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import bpy
import numpy as np
import solio

from . import pbrt_instances, pbrt_lights, scene as scenes
from .pbrt_materials import Surfaces
from .pbrt_mesh import new_mesh
from .pbrt_space import Space

# Up to so many shapes of the world are an object each; more of one surface are an object together.
MOST_OBJECTS = 1000
# Meshes that are made at once.
BATCH = 64
# Lines of a report that are shown; the text has all.
SHOWN = 5


def load(context, options, path, report):
    """Imports one file; `options` has the attributes of `bpy.ops.solio.pbrt_import`."""
    for _ in Import(context, options, path, report).steps():
        pass


class Report:
    """What of the scene is not, or not quite, in Blender."""

    def __init__(self, name):
        self.name = name
        self.lines = {}

    def add(self, what, count=1, example=""):
        """Counts something that is lost."""
        found, first = self.lines.get(what, (0, example))
        self.lines[what] = (found + count, first or example)

    def texts(self):
        """A line a kind."""
        out = []
        for what, (count, example) in self.lines.items():
            times = f" ({count:,} times)" if count > 1 else ""
            out.append(f"{what}{times}" + (f": {example}" if example else ""))
        return out

    def tell(self, report):
        """Shows the first lines, and keeps all in a text of the file."""
        lines = self.texts()
        if not lines:
            return None
        text = bpy.data.texts.new(f"Import of {self.name}")
        text.write("\n".join([f"What of {self.name} is not, or not quite, in this file:", "", *lines, ""]))
        for line in lines[:SHOWN]:
            report({"WARNING"}, line)
        if len(lines) > SHOWN:
            report({"WARNING"}, f"{len(lines) - SHOWN} more: see the text {text.name!r}")
        if not bpy.app.background:
            _popup(text.name, lines)
        return text


def _popup(name, lines):
    def draw(menu, _context):
        for line in lines[: 4 * SHOWN]:
            menu.layout.label(text=line)
        menu.layout.label(text=f"All of it is in the text {name!r}")

    bpy.context.window_manager.popup_menu(draw, title="Not quite as in pbrt", icon="INFO")


class Import:
    """One scene on its way into Blender."""

    def __init__(self, context, options, path, report, in_window=False):
        self.context, self.options, self.path, self.report = context, options, path, report
        self.in_window = in_window  # which is to stay alive while the text is read
        self.old_world = None
        self._is_done = False
        self.stem = os.path.basename(scenes.split_extension(path)[0])
        self.told = Report(os.path.basename(path))
        self.made = []  # what is removed again where the import ends early
        self.times = {}
        self._since = time.perf_counter()

    def steps(self):
        """Does the work, and yields how much of it is done, from 0 to 1. Closed early it leaves nothing."""
        try:
            yield from self._steps()
        finally:
            if not self._is_done:
                self._remove()

    def _steps(self):
        yield from self._read()
        self.space = Space(self.scene.up, self.scene.is_left_handed)
        self._tell_problems()
        self.root = self._new(bpy.data.collections.new(self.stem))
        self.surfaces = Surfaces(self.scene, self.options, self.told, self.made)
        self._lap("surfaces")
        yield 0.2
        yield from self._world()
        yield from self._definitions()
        self._place()
        self._lap("instances")
        yield 0.95
        pbrt_lights.add(self)
        self._lap("lights")
        self.context.layer_collection.collection.children.link(self.root)
        if self.hidden is not None:
            _exclude(self.context.view_layer.layer_collection, self.hidden)
        self._lap("links")
        self._select()
        self.told.tell(self.report)
        self._is_done = True
        yield 1.0

    def _read(self):
        """Reads the text; a window stays alive meanwhile."""
        if self.in_window:
            pool = ThreadPoolExecutor(1)
            try:
                future = pool.submit(solio.read_scene, self.path)
                while not future.done():
                    yield 0.0
                    time.sleep(0.01)
                self.scene = future.result()
            finally:
                # Whoever ends the import does not wait for it.
                pool.shutdown(wait=False)
        else:
            self.scene = solio.read_scene(self.path)
        self._lap("text")
        yield 0.15

    def _tell_problems(self):
        for problem in self.scene.problems:
            self.told.add(f"Left out, as it cannot be read: {problem}")
        for warning in self.scene.warnings:
            self.told.add(warning)
        moving = len(self.scene.instances.moving)
        if moving:
            self.told.add("Motion of an instance: it stands where it begins", moving)

    def _new(self, thing):
        self.made.append(thing)
        return thing

    def _lap(self, what):
        now = time.perf_counter()
        self.times[what] = self.times.get(what, 0.0) + now - self._since
        self._since = now

    def _world(self):
        """Shapes of the world: an object each, or one for all of a surface."""
        shapes = self.scene.shapes
        keys = self.surfaces.keys(shapes, True)
        numbers = np.arange(shapes.numbers.start, shapes.numbers.stop)
        seen = ~self.surfaces.are_borders(shapes)
        numbers, keys = numbers[seen], keys[seen]
        if not seen.all():
            self.told.add("Shape that only bounds a medium: left out", int((~seen).sum()))
        if len(numbers) <= MOST_OBJECTS:
            groups = [[number] for number in numbers.tolist()]
            slots = [[key] for key in keys.tolist()]
        else:
            order = np.argsort(keys, kind="stable")
            cuts = np.flatnonzero(np.diff(keys[order])) + 1
            groups = [part.tolist() for part in np.split(numbers[order], cuts)]
            slots = [part.tolist() for part in np.split(keys[order], cuts)]
        made = self._meshes(groups, slots, 0.2, 0.5)
        for group, data in made:
            if data is not None:
                found = self._new(bpy.data.objects.new(data.name, data))
                self.root.objects.link(found)
            yield self.at
        self._lap("world")

    def _definitions(self):
        """An object for each definition of which there are instances."""
        self.objects, self.hidden = {}, None
        used = [one for one in self.scene.definitions if one.instance_count and len(one.shapes)]
        groups, slots = [], []
        for one in used:
            seen = ~self.surfaces.are_borders(one.shapes)
            numbers = np.arange(one.shapes.numbers.start, one.shapes.numbers.stop)[seen]
            groups.append(numbers.tolist())
            slots.append(self.surfaces.keys(one.shapes, False)[seen].tolist())
        if used:
            self.hidden = self._new(bpy.data.collections.new(f"{self.stem} definitions"))
        made = self._meshes(groups, slots, 0.5, 0.9, [one.name for one in used])
        for one, (_, data) in zip(used, made, strict=True):
            if data is not None:
                found = self._new(bpy.data.objects.new(data.name, data))
                self.objects[one.number] = found
            yield self.at
        self._lap("definitions")

    def _meshes(self, groups, slots, start, stop, names=None):
        """Each group, and its Blender mesh, or `None` where nothing is in it."""
        self.at = start
        for first in range(0, len(groups), BATCH):
            some = groups[first : first + BATCH]
            meshes = self.scene._joined(some, slots[first : first + BATCH])
            self._lap("meshes")
            for i, (group, mesh) in enumerate(zip(some, meshes, strict=True)):
                for warning in mesh.warnings:
                    self.told.add(f"Left out, as it cannot be read: {warning}")
                name = names[first + i] if names else self._name(group)
                data = new_mesh(name, mesh, self.space, self.surfaces, self.told)
                if data is not None:
                    self._new(data)
                self._lap("Blender's meshes")
                self.at = start + (stop - start) * (first + i + 1) / len(groups)
                yield group, data

    def _name(self, group):
        shape = self.scene.shapes[group[0]]
        if shape.type == "plymesh":
            file = shape.parameters.get("filename")
            if isinstance(file, str) and file:
                return os.path.basename(scenes.split_extension(file)[0])
        return shape.type if len(group) == 1 else f"{shape.type}s"

    def _place(self):
        """The instances."""
        if not self.objects:
            return
        instances = self.scene.instances
        matrices = self.space.matrices(instances.matrices)
        pbrt_instances.place(self, instances.definitions, matrices)
        self.root.children.link(self.hidden)

    def _select(self):
        for found in self.context.selected_objects:
            found.select_set(False)
        linked = list(self.root.objects)
        for found in linked:
            found.select_set(True)
        if linked:
            self.context.view_layer.objects.active = linked[-1]

    def _remove(self):
        """Takes back what was made."""
        if self.old_world is not None:
            self.context.scene.world = self.old_world
        kinds = {
            bpy.types.Object: bpy.data.objects,
            bpy.types.Mesh: bpy.data.meshes,
            bpy.types.Collection: bpy.data.collections,
            bpy.types.Material: bpy.data.materials,
            bpy.types.Image: bpy.data.images,
            bpy.types.Light: bpy.data.lights,
            bpy.types.Camera: bpy.data.cameras,
            bpy.types.World: bpy.data.worlds,
            bpy.types.NodeTree: bpy.data.node_groups,
        }
        for thing in reversed(self.made):
            home = next(home for kind, home in kinds.items() if isinstance(thing, kind))
            home.remove(thing)
        self.made.clear()


def _exclude(layer, collection):
    """Definitions are not seen themselves."""
    for child in layer.children:
        if child.collection == collection:
            child.exclude = True
            return True
        if _exclude(child, collection):
            return True
    return False
