#!/usr/bin/env python3
"""Times Blender's import of a pbrt scene of a million triangles and 50,000 instances: `blender_pbrt.py [RUNS]`.

Needs Blender as a module (bpy) and the package solio in this Python. The scene is made here: 100 meshes in files and
in the text, each a definition of some materials, and instances of them in a grid.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import solio

ROOT = Path(__file__).resolve().parent.parent
DEFINITIONS, SIDE, INSTANCES = 100, 71, 50_000


def bump(side: int, seed: int) -> solio.Mesh:
    """A wavy sheet of 2 · (side - 1)² triangles with normals and UVs."""
    u, v = np.meshgrid(*[np.linspace(-1, 1, side, dtype=np.float32)] * 2)
    phase = np.float32(seed)
    height = 0.2 * np.sin(5 * u + phase) * np.cos(4 * v)
    slope = np.stack([-np.cos(5 * u + phase) * np.cos(4 * v), 0.8 * np.sin(5 * u + phase) * np.sin(4 * v)], -1)
    normals = np.concatenate([slope, np.ones((side, side, 1))], -1).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corner = np.arange(side * side, dtype=np.uint32).reshape(side, side)
    a, b, c, d = (corner[i : side - 1 + i, j : side - 1 + j].reshape(-1) for i, j in ((0, 0), (0, 1), (1, 1), (1, 0)))
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    return solio.Mesh.from_arrays(
        np.stack([u, height, v], -1).reshape(-1, 3),
        faces=faces,
        normals=normals.astype(np.float32),
        normal_domain="vertex",
        uvs=(np.stack([u, v], -1).reshape(-1, 2) + 1) / 2,
        uv_domain="vertex",
    )


def make(folder: Path) -> Path:
    """Writes the scene."""
    (folder / "meshes").mkdir()
    lines = ["LookAt 0 60 -150 0 0 0 0 1 0", 'Camera "perspective" "float fov" 45', "WorldBegin"]
    lines += ['LightSource "infinite" "rgb L" [1 1 1]', 'LightSource "point" "rgb I" [900 900 900]']
    for i in range(10):
        color = np.random.default_rng(i).random(3).round(3)
        kind = ("diffuse", "coateddiffuse")[i % 2]
        lines.append(f'MakeNamedMaterial "m{i}" "string type" "{kind}" "rgb reflectance" [{color[0]} {color[1]} {color[2]}]')
    for i in range(DEFINITIONS):
        mesh = bump(SIDE, i)
        lines += [f'ObjectBegin "sheet {i}"', f'NamedMaterial "m{i % 10}"']
        if i % 2:
            solio.write_mesh(mesh, folder / f"meshes/{i}.ply")
            lines.append(f'Shape "plymesh" "string filename" "meshes/{i}.ply"')
        else:
            numbers = (" ".join(map(str, values.reshape(-1).tolist())) for values in (mesh.faces, mesh.positions, mesh.normals, mesh.uvs))
            faces, positions, normals, uvs = numbers
            lines.append(f'Shape "trianglemesh" "integer indices" [{faces}] "point3 P" [{positions}]')
            lines.append(f'"normal N" [{normals}] "point2 uv" [{uvs}]')
        lines.append("ObjectEnd")
    random = np.random.default_rng(7)
    for i in range(INSTANCES):
        x, z, turn = random.uniform(-100, 100), random.uniform(-100, 100), random.uniform(0, 6.28)
        c, s = np.cos(turn), np.sin(turn)
        lines.append(f"Transform [{c:.6f} 0 {-s:.6f} 0 0 1 0 0 {s:.6f} 0 {c:.6f} 0 {x:.4f} 0 {z:.4f} 1]")
        lines.append(f'ObjectInstance "sheet {i % DEFINITIONS}"')
    path = folder / "scene.pbrt"
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    sys.path.insert(0, str(ROOT / "blender"))
    import solio_io
    from solio_io import import_pbrt

    solio_io.register()
    steps: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        text = make(Path(folder))
        packed = Path(folder) / "scene.solio"
        solio.read_scene(text).to_packed(packed)
        for path in (text, packed):
            best = (float("inf"),) * 3
            for _ in range(runs):
                bpy.ops.wm.read_factory_settings(use_empty=True)
                options = SimpleNamespace(instances="AUTO", import_lights=True, import_world=True, import_camera=True)
                wall, cpu = time.perf_counter(), time.process_time()
                work = import_pbrt.Import(bpy.context, options, str(path), lambda *_: None)
                for _ in work.steps():
                    pass
                made = time.perf_counter() - wall
                bpy.context.view_layer.update()
                drawn = sum(1 for one in bpy.context.evaluated_depsgraph_get().object_instances if one.is_instance)
                now = (time.perf_counter() - wall, time.process_time() - cpu, made)
                if now < best:
                    best, steps = now, dict(work.times)
            triangles = sum(len(mesh.polygons) for mesh in bpy.data.meshes)
            print(f"{path.name}: {os.path.getsize(path) / 1e6:.1f} MB, {triangles:,} triangles, {drawn:,} instances")
            print(f"  wall {best[0]:.2f} s (of which import {best[2]:.2f} s), CPU {best[1]:.2f} s; least of {runs}")
            print("  " + ", ".join(f"{name} {seconds:.2f}" for name, seconds in steps.items()))


if __name__ == "__main__":
    main()
