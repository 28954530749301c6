# SPDX-License-Identifier: GPL-3.0-or-later
"""One file for each object, or each collection, out of one evaluation of the scene."""

from __future__ import annotations

import os

import bpy

from .scene import split_extension

# What Blender's batch export of STL replaces in names of files, besides control characters.
UNSAFE = frozenset(' "*/:<>?\\|')


class Files:
    """The files that an export makes, each with what `make()` returned for it."""

    def __init__(self, mode, path, make):
        self.mode = mode
        self.path = path
        self.make = make
        self.found = {}
        self._collections = {}
        if mode == "OFF":
            self.found[None] = (path, make())
        self._taken = set()

    def of(self, item):
        """The contents of the files that get an object or instance."""
        return [self._content(*key) for key in self._keys(item)]

    def written(self, report):
        """Path and content of each file, in the order of their first objects."""
        if not self.found:
            report({"WARNING"}, "nothing to export, so no files")
        return list(self.found.values())

    def _keys(self, item):
        if self.mode == "OFF":
            return [(None, "")]
        if self.mode == "OBJECT":
            original = item.object.original
            return [(original.as_pointer(), original.name)]
        key = item.source.as_pointer()
        if key not in self._collections:
            self._collections[key] = self._holders(item.source)
        return self._collections[key]

    def _holders(self, source):
        """The scene's collections that hold an object itself."""
        root = bpy.context.scene.collection
        inside = {root, *root.children_recursive}
        return [(c.as_pointer(), c.name) for c in source.users_collection if c in inside]

    def _content(self, key, name):
        if key not in self.found:
            self.found[key] = (self._free(name), self.make())
        return self.found[key][1]

    def _free(self, name):
        """`out.obj` and the object `Cube` give `outCube.obj`, as in Blender's batch of STL; a
        number follows where that is taken, be it with other capitals."""
        stem, extension = split_extension(self.path)
        folder, own = os.path.split(stem)
        if own.startswith(".") and not extension:  # `.obj` has an empty stem
            own, extension = "", own
        number = 0
        while True:
            ending = f".{number:03}" if number else ""
            path = os.path.join(folder, own + safe(name) + ending + extension)
            if path.lower() not in self._taken:
                self._taken.add(path.lower())
                return path
            number += 1


def safe(name):
    """A name as it stands in one of a file."""
    name = "".join("_" if c < " " or c in UNSAFE else c for c in name)
    return "_" + name[1:] if name and set(name) == {"."} else name
