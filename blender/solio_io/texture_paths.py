# SPDX-License-Identifier: GPL-3.0-or-later
"""How an MTL names the images of a scene: Blender's path modes, for every path that Blender keeps.

The engine has path modes too, for files of any origin. Those of Blender's exporter differ where a
path leads nowhere: in a scene without a file, without `//`, or of another system.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile

MARK = "//"  # of paths that start at the file of the scene


class References:
    """The paths of one exported file, and what is to be copied beside it."""

    def __init__(self, mode, blend, output):
        self.mode = mode
        self.root = os.path.dirname(blend)
        self.output = _slashes(os.path.abspath(output)).rstrip("/") + "/"
        # By the name of the copy: the first image of that name.
        self.copies = {}
        self.unlike = []

    def name(self, path):
        """The path as the MTL has it."""
        was_relative = path.startswith(MARK)
        full = _normalize(_absolute(path, self.root))
        mode = self.mode
        if mode == "MATCH":
            mode = "RELATIVE" if was_relative else "ABSOLUTE"
        elif mode == "AUTO":
            inside = (full.rstrip("/") + "/").startswith(self.output)
            mode = "RELATIVE" if inside else "ABSOLUTE"
        elif mode == "COPY":
            name = _basename(full)
            if name:
                self._copy(full, name)
            full, mode = (self.output + name).rstrip("/"), "RELATIVE"
        if mode == "STRIP":
            full = _basename(full)
        elif mode == "RELATIVE":
            full = _relative(full, self.output)
        return full.replace("\\", "/")

    def _copy(self, source, name):
        first = self.copies.setdefault(name, source)
        if first != source:
            self.unlike.append((name, first, source))

    def copy(self, report):
        """Copies the images, each whole or not at all; what cannot be copied is told."""
        for name, source in self.copies.items():
            target = self.output + name
            if os.path.realpath(source) == os.path.realpath(target):
                continue
            try:
                _copy_file(source, target)
            except OSError as error:
                report({"WARNING"}, f"{source}: not copied: {error.strerror or error}")
        for name, first, source in self.unlike:
            report(
                {"WARNING"},
                f"{source}: not copied, as {first} has the same name, and {name} is that one",
            )


def _copy_file(source, target):
    handle, temporary = tempfile.mkstemp(prefix=".solio-", dir=os.path.dirname(target))
    os.close(handle)
    try:
        shutil.copyfile(source, temporary)
        shutil.copymode(source, temporary)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def _slashes(path):
    """Backslashes as slashes, except the two before a server's name."""
    head = path[:2] if path.startswith("\\\\") else ""
    return head + path[len(head) :].replace("\\", "/")


def _absolute(path, root):
    if path.startswith(MARK):
        rest = path[len(MARK) :]
        return _slashes(f"{root}/{rest}" if root else rest)
    if re.match(r"[A-Za-z]:[\\/]", path):  # of Windows: leads nowhere here
        path = f"/{path[0].lower()}{path[2:]}"
    return _slashes(path)


def _normalize(path):
    """Without `.`, `..` and doubled slashes, as text; a slash at the end stays."""
    head = "/" if path.startswith("/") else ""
    out = []
    for part in path.split("/"):
        if part == ".." and out and out[-1] != "..":
            out.pop()
        elif part == ".." and head:
            continue
        elif part not in ("", "."):
            out.append(part)
    end = "/" if path.endswith("/") and out else ""
    return head + "/".join(out) + end


def _basename(path):
    return path.rsplit("/", 1)[-1]


def _relative(path, folder):
    """From `folder`, which ends with a slash, to `path`, by the text that they share."""
    shared = 0
    while shared < min(len(path), len(folder)) and path[shared] == folder[shared]:
        shared += 1
    cut = path.rfind("/", 0, shared) + 1
    return "../" * folder.count("/", max(cut, 1)) + path[cut:]
