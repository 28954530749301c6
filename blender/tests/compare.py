# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports by Blender and by Solio, and a short text about the first difference."""

from __future__ import annotations

import collections
import itertools
import re

import bpy
import scenes
from solio_io import batch
from solio_io import scene as exported


def cases(options):
    """Every scene with every set of options; only one scene has the collection that one asks for."""
    pairs = itertools.product(scenes.ALL, options)
    return [(n, o) for n, o in pairs if o != "collection" or n == "collections"]


def both(tmp_path, kind, name="out", **options):
    """The files of both exporters, by name: Blender's and ours."""
    found = []
    for who, operators in (("blender", bpy.ops.wm), ("solio", bpy.ops.solio)):
        folder = tmp_path / who
        folder.mkdir(parents=True)
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


def difference_of(folder, kind, options):
    """The difference of an export of any scene, but for what the guide names."""
    names, partly_uv, instanced_curves, gaps, crashes = look(kind, options)
    if kind == "obj" and (crashes or not names):
        return ""  # Blender crashes, or writes no file
    if partly_uv and kind == "ply":
        options = {**options, "export_uv": False}  # Blender often crashes
    if gaps and kind == "ply":
        options = {**options, "export_attributes": False}  # Blender loses values, or crashes
    if instanced_curves:
        options = {**options, "export_curves_as_nurbs": False}  # Blender writes freed memory
    blender, solio = both(folder, kind, **options)
    if options.get("use_batch"):
        # Of several objects of one name Blender writes one over the other.
        once = {name for name, count in names.items() if count == 1}
        lost = sorted(set(blender) - set(solio))
        if lost:
            return f"files: only blender has {lost}"
        blender, solio = ({n: f[n] for n in f if n in once} for f in (blender, solio))
    found = difference(blender, solio)
    if found and not options.get("use_batch"):
        # Instances of hair without modifiers, and freed memory, come out by chance.
        for turn in range(8):
            again = both(folder / f"again {turn}", kind, **options)
            if again[0] != blender or again[1] == blender:
                return ""
    return found


def look(kind, options):
    """How often each name of a batch's files is there; whether some meshes have UVs and others
    none; whether a curve is there by an instance; whether a mesh without an attribute comes between
    two with it; whether a curve has no mesh."""
    names, with_uvs, instanced, temporary = collections.Counter(), set(), [], []
    columns, lacking = [], []
    mode = options.get("export_eval_mode", options.get("evaluation_mode", exported.RENDER))

    def job(depsgraph):
        for item in exported.items(
            depsgraph,
            temporary,
            selected=options["export_selected_objects"],
            modifiers=options["apply_modifiers"],
            for_obj=kind == "obj",
        ):
            names[f"out{batch.safe(item.name)}.{kind}"] += 1
            if item.mesh is None:
                instanced.append(item.source is not item.object.original)
                made = item.object.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
                lacking.append(made is None)
                item.object.to_mesh_clear()
            elif len(item.mesh.vertices):
                layers = item.mesh.uv_layers
                layer = layers.active
                if layer is None and options.get("export_triangulated_mesh") and len(layers):
                    layer = layers[0]  # cutting into triangles makes the first map active
                with_uvs.add(layer is not None and len(layer.uv) > 0)
                columns.append({a.name for a in item.mesh.attributes if a.domain == "POINT"})
                columns[-1].update(group.name for group in item.object.vertex_groups)

    exported.evaluated(bpy.context, mode, job)
    exported.remove(temporary)
    return names, len(with_uvs) == 2, any(instanced), _has_gap(columns), any(lacking)


def _has_gap(columns):
    for name in set().union(*columns):
        places = [i for i, names in enumerate(columns) if name in names]
        if places[-1] - places[0] >= len(places):
            return True
    return False


def last_of_each_name(files):
    """Of instances that share a name Blender keeps the last one; ours are numbered."""
    found = {}
    for name, data in files.items():
        number = re.search(r"\.(\d+)\.stl$", name)
        plain = name if number is None else name[: number.start()] + ".stl"
        found[plain, 0 if number is None else int(number[1])] = data
    return {name: data for (name, _), data in sorted(found.items())}


def without_uvs(files):
    """The text of the files without the values of `s` and `t`."""
    return {name: b"\n".join(_cut(data.split(b"\n"))) for name, data in files.items()}


def _cut(lines):
    end = lines.index(b"end_header")
    header = lines[:end]
    yield from lines[: end + 1]
    properties = [line for line in header if line.startswith(b"property")]
    before = properties.index(b"property float s") if b"property float s" in properties else None
    vertices = next(int(line.split()[2]) for line in header if line.startswith(b"element vertex"))
    for i, line in enumerate(lines[end + 1 :]):
        words = line.split(b" ")
        if before is not None and i < vertices:
            del words[before : before + 2]
        yield b" ".join(words)
