# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports by Blender and by Solio, and a short text about the first difference."""

from __future__ import annotations

import itertools

import bpy
import scenes


def cases(options):
    """Every scene with every set of options; only one scene has the collection that one asks for."""
    pairs = itertools.product(scenes.ALL, options)
    return [(n, o) for n, o in pairs if o != "collection" or n == "collections"]


def both(tmp_path, kind, name="out", **options):
    """The files of both exporters, by name: Blender's and ours."""
    found = []
    for who, operators in (("blender", bpy.ops.wm), ("solio", bpy.ops.solio)):
        folder = tmp_path / who
        folder.mkdir()
        operator = getattr(operators, f"{kind}_export")
        assert operator(filepath=str(folder / f"{name}.{kind}"), **options) == {"FINISHED"}
        found.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    return found


def difference(blender, solio):
    """Empty when all files are equal."""
    if sorted(blender) != sorted(solio):
        return f"files: blender {sorted(blender)}, solio {sorted(solio)}"
    for name, expected in blender.items():
        if expected != solio[name]:
            return f"{name}: {first_difference(expected, solio[name])}"
    return ""


def first_difference(expected, found):
    """The first lines that differ, and how many do."""
    lines = list(itertools.zip_longest(expected.split(b"\n"), found.split(b"\n")))
    differing = [i for i, (a, b) in enumerate(lines) if a != b]
    first = differing[0]
    text = f"{len(differing)} of {len(lines)} lines, {len(expected)} and {len(found)} bytes"
    for i in range(max(first - 2, 0), min(first + 4, len(lines))):
        a, b = (None if part is None else part[:120] for part in lines[i])
        text += f"\n  line {i + 1}: blender {a!r}\n{' ' * len(f'  line {i + 1}:')} solio   {b!r}"
    return text
