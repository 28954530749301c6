#!/usr/bin/env python3
"""Solio's add-on and package against Blender's own exporter and importer, inside `bpy` 5.2.3.

Needs Python 3.13 with `bpy`, `numpy` and `solio`: `.ci/blender` makes `.venv-blender` with them.

    .venv-blender/bin/python bench/blender.py [--json] [--runs N] [--work NAME…]

Works: `monkey` (level 6, exported), `scene` (24,000 objects, 2 GB, exported), `import` (the OBJ
of the monkey). Both sides run in this process by turns, on the same scene, evaluated before;
CPU seconds are user and system of the whole process. Files of both sides are compared. Prints
`skipped` and ends with 0 where `bpy` is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import filecmp
import gc
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OBJECTS = 24_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="rows as JSON on standard output")
    parser.add_argument("--runs", type=int, default=3, help="runs of each side (default: 3)")
    parser.add_argument("--work", nargs="*", choices=WORKS, default=list(WORKS))
    parser.add_argument("--folder", help="where the files go (default: a temporary folder)")
    parser.add_argument("--objects", type=int, default=OBJECTS, help="of the large scene")
    options = parser.parse_args()
    try:
        with quiet():
            import bpy
            import solio
    except ImportError as error:
        print(f"blender: skipped ({error})", file=sys.stderr)
        if options.json:
            print("[]")
        return 0
    sys.path.insert(0, str(ROOT / "blender"))
    import solio_io

    solio_io.register()
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in options.work:
            with quiet():
                job = WORKS[name](bpy, solio, Path(folder), options)
                row = compare(*job, runs=options.runs)
            rows.append({**row, "peer_version": bpy.app.version_string})
            if not options.json:
                print(line(rows[-1]))
    if options.json:
        print(json.dumps(rows, indent=1))
    return 0


@contextlib.contextmanager
def quiet():
    """Blender's C code prints progress on standard output; that is not our output."""
    sys.stdout.flush()
    saved = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(saved, 1)
        os.close(saved)
        os.close(null)


def line(row):
    return (
        f"{row['work']}: {row['ours_wall_s']:.3f} s wall, {row['ours_cpu_s']:.3f} CPU s; "
        f"{row['peer']} {row['peer_version']} {row['peer_wall_s']:.3f} s, "
        f"{row['peer_cpu_s']:.3f} CPU s; ratio {row['ratio_wall']:.4f} wall, "
        f"{row['ratio_cpu']:.4f} CPU = 1/{1 / row['ratio_cpu']:.1f}"
    )


def compare(work, peer, ours, theirs, check, clean, *, runs):
    """Runs both sides by turns and checks what they made; the row has medians.

    In each turn a side runs twice, and the second run counts: in the first it takes memory that
    the other side gave back to the system, which on a virtual machine may have to come from
    outside first. The very first one also evaluates the scene and computes what Blender keeps.
    """
    samples = []
    for i in range(runs):
        pair = []
        for run in (ours, theirs) if i % 2 == 0 else (theirs, ours):
            for _ in range(2):
                clean(run)
                once = measured(run)
            pair.append(once)
        samples.append(pair if i % 2 == 0 else pair[::-1])
        check()
    row = {"work": work, "peer": peer}
    for side, who in enumerate(("ours", "peer")):
        row[f"{who}_wall_s"] = round(statistics.median(s[side][0] for s in samples), 4)
        row[f"{who}_cpu_s"] = round(statistics.median(s[side][1] for s in samples), 4)
    for i, what in enumerate(("wall", "cpu")):
        row[f"ratio_{what}"] = round(statistics.median(s[0][i] / s[1][i] for s in samples), 5)
    return row


def measured(run):
    """Wall and CPU seconds of a call."""
    gc.collect()
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    run()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, cpu


def export_pair(bpy, work, folder):
    """Both operators with their defaults."""
    paths = {}
    for who, operators in (("ours", bpy.ops.solio), ("theirs", bpy.ops.wm)):
        (folder / who).mkdir(exist_ok=True)
        path = folder / who / f"{work}.obj"
        paths[who] = path, operators.obj_export

    def run(who):
        path, operator = paths[who]
        assert operator(filepath=str(path)) == {"FINISHED"}

    def ours():
        run("ours")

    def theirs():
        run("theirs")

    def check():
        for ending in (".obj", ".mtl"):
            both = [path.with_suffix(ending) for path, _ in paths.values()]
            if not filecmp.cmp(*both, shallow=False):
                raise SystemExit(f"{work}: {both[0]} and {both[1]} differ")

    def clean(side):
        for ending in (".obj", ".mtl"):
            paths[side.__name__][0].with_suffix(ending).unlink(missing_ok=True)

    return ours, theirs, check, clean


def make_monkey(bpy, level):
    """The monkey with a subdivision modifier applied; 2,016,578 vertices at level 6."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add()
    bpy.context.object.modifiers.new("subdivide", "SUBSURF").levels = level
    bpy.ops.object.modifier_apply(modifier="subdivide")
    return bpy.context.object


def monkey(bpy, _solio, folder, _options):
    make_monkey(bpy, 6)
    bpy.context.view_layer.update()
    return "monkey level 6 to OBJ", "Blender", *export_pair(bpy, "monkey", folder)


def scene(bpy, _solio, folder, options):
    """Many small objects of four meshes: a flat monkey, a smooth one, one of two materials, a
    sphere."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    meshes = []
    for add in (bpy.ops.mesh.primitive_monkey_add,) * 3 + (bpy.ops.mesh.primitive_uv_sphere_add,):
        add()
        meshes.append(bpy.context.object.data)
        bpy.data.objects.remove(bpy.context.object)
    meshes[1].shade_smooth()
    for name in ("red", "blue"):
        meshes[2].materials.append(bpy.data.materials.new(name))
    for face in meshes[2].polygons:
        face.material_index = face.index % 2
    for i in range(options.objects):
        thing = bpy.data.objects.new(f"object {i}", meshes[i % 4])
        thing.location = (i % 200 * 3, i // 200 * 3, 0)
        thing.rotation_euler = (0, 0, i * 0.1)
        bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.update()
    return f"{options.objects}-object scene to OBJ", "Blender", *export_pair(bpy, "scene", folder)


def import_monkey(bpy, solio, folder, _options):
    """Reading into arrays, and Blender's import into a scene."""
    path = folder / "import.obj"
    make_monkey(bpy, 6)
    bpy.ops.wm.obj_export(filepath=str(path))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    counts = {}

    def ours():
        mesh = solio.read_mesh(path)
        counts["ours"] = mesh.vertex_count, mesh.face_count

    def theirs():
        bpy.ops.wm.obj_import(filepath=str(path))
        data = bpy.context.object.data
        counts["theirs"] = len(data.vertices), len(data.polygons)

    def check():
        if counts["ours"] != counts["theirs"]:
            raise SystemExit(f"import: {counts}")

    def clean(_side):
        bpy.ops.wm.read_factory_settings(use_empty=True)

    return "import of the monkey's OBJ", "Blender", ours, theirs, check, clean


WORKS = {"monkey": monkey, "scene": scene, "import": import_monkey}

if __name__ == "__main__":
    sys.exit(main())
