"""The small files that the blocks of the documents work on, made by Solio itself."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import solio
from conftest import make_grid
from test_photo import jpeg, tiff, with_thumbnail

SCENE = """LookAt 5 3.2 -8  0 1.1 0  0 1 0
Camera "perspective" "float fov" 34
Film "rgb" "integer xresolution" 240 "integer yresolution" 135 "string filename" "court.exr"
WorldBegin
LightSource "infinite" "rgb L" [ 0.6 0.7 0.9 ]
Include "materials.pbrt"
ObjectBegin "column"
  NamedMaterial "stone"
  Shape "plymesh" "string filename" "meshes/column.ply"
  AttributeBegin
    Translate 0 2.35 0
    Shape "sphere" "float radius" 0.42
  AttributeEnd
ObjectEnd
NamedMaterial "ground"
Shape "bilinearmesh" "point3 P" [ -9 0 -9  9 0 -9  -9 0 9  9 0 9 ]
  "normal N" [ 0 1 0  0 1 0  0 1 0  0 1 0 ]
AttributeBegin
  NamedMaterial "copper"
  Translate 0 0.9 0
  Shape "sphere" "float radius" 0.9
AttributeEnd
"""

MATERIALS = """Texture "tiles" "spectrum" "checkerboard" "float uscale" 18 "float vscale" 18
  "rgb tex1" [ 0.62 0.6 0.55 ] "rgb tex2" [ 0.3 0.36 0.42 ]
MakeNamedMaterial "ground" "string type" "diffuse" "texture reflectance" "tiles"
MakeNamedMaterial "stone" "string type" "diffuse" "rgb reflectance" [ 0.75 0.68 0.55 ]
MakeNamedMaterial "copper" "string type" "diffuse" "rgb reflectance" [ 0.72 0.3 0.16 ]
"""

OLD_SCENE = """LookAt 0 0 5  0 0 0  0 1 0
Camera "perspective" "float fov" 40
WorldBegin
LightSource "infinite" "rgb L" [1 1 1]
Material "plastic" "rgb Kd" [.2 .5 .2]
Shape "sphere" "float radius" 1
WorldEnd
"""


def column() -> solio.Mesh:
    """A turned column, two high."""
    profile = np.array([[0.5, 0], [0.5, 0.2], [0.3, 0.3], [0.26, 1.8], [0.45, 1.95]], np.float32)
    angles = np.linspace(0, 2 * np.pi, 25)[:-1]
    rings = [[(r * np.cos(a), y, r * np.sin(a)) for a in angles] for r, y in profile]
    positions = np.array(rings, np.float32).reshape(-1, 3)
    corner = np.arange(24 * 4, dtype=np.uint32)
    after = corner // 24 * 24 + (corner + 1) % 24
    faces = np.stack([corner, corner + 24, after + 24, after], axis=-1).astype(np.uint32)
    return solio.Mesh.from_arrays(positions, faces=faces, name="column")


def make_scene(folder: Path) -> None:
    """A court of columns: instances, a texture, an included text, a mesh in a file."""
    (folder / "meshes").mkdir(parents=True)
    solio.write_mesh(column(), folder / "meshes" / "column.ply")
    places = [(x, z) for x in (-3.2, -1.6, 0, 1.6, 3.2) for z in (-1.4, 1.8, 4.2) if x or z > 2]
    instances = "".join(
        f'AttributeBegin\n  Translate {x} 0 {z}\n  ObjectInstance "column"\nAttributeEnd\n'
        for x, z in places
    )
    (folder / "scene.pbrt").write_text(SCENE + instances)
    (folder / "materials.pbrt").write_text(MATERIALS)
    (folder / "old.pbrt").write_text(OLD_SCENE)


def make_shots(folder: Path, picture: np.ndarray) -> None:
    """Twelve frames of which one is missing, and one was cut off while it was written."""
    folder.mkdir(parents=True)
    for frame in range(1001, 1013):
        if frame != 1007:
            moved = np.roll(picture, 2 * (frame - 1001), axis=1)
            path = folder / f"beauty.{frame}.exr"
            solio.write_image(moved, path, compression="none", dtype="float16")
    whole = (folder / "beauty.1010.exr").read_bytes()
    (folder / "beauty.1010.exr").write_bytes(whole[: len(whole) * 2 // 3])


def make_photos(folder: Path, picture: bytes) -> None:
    """Four photos as a camera writes them; one has no date, one is another kind than it says."""
    folder.mkdir(parents=True)
    for number, (taken, model) in enumerate(
        [("2025:06:01 09:30:00", "Camera 5"), ("2025:06:01 09:31:12", "Camera 5"), ("", "Scanner")], 1
    ):
        # DateTimeOriginal stands in a directory of its own, behind the first one.
        first = tiff({0x10F: b"Maker", 0x110: model.encode()})
        entries = {0x9003: taken.encode()} if taken else {}
        second = tiff({0x10F: b"Maker", 0x110: model.encode(), 0x8769: [0, 0]})
        at = len(second)
        body = struct.pack("<H", len(entries))
        for tag, text in entries.items():
            body += struct.pack("<HHII", tag, 2, len(text) + 1, at + 2 + 12 + 4)
        body += struct.pack("<I", 0) + b"".join(text + b"\0" for text in entries.values())
        exif = second.replace(
            struct.pack("<HHI2H", 0x8769, 3, 2, 0, 0), struct.pack("<HHII", 0x8769, 4, 1, at)
        )
        exif = exif + body if entries else first
        segment = b"Exif\0\0" + exif
        head = struct.pack(">BBH", 0xFF, 0xE1, len(segment) + 2) + segment
        (folder / f"IMG_{number:04}.jpg").write_bytes(picture[:2] + head + picture[2:])


def make_files(folder: Path, command: str) -> None:
    """Everything that a document may name, in ``folder``."""

    def run(*words: str) -> None:
        subprocess.run([command, *words], cwd=folder, check=True, capture_output=True)

    make_scene(folder)
    run("preview", "scene.pbrt", "-o", "first.exr")
    first = solio.read_image(folder / "first.exr")
    sky = np.stack([first[name] for name in "RGBA"], axis=-1).astype(np.float32)
    make_shots(folder / "shots", sky)
    planes = {name: first[name].astype(np.float16) for name in "RGBA"}
    depth = np.minimum(first["Z"], 100).astype(np.float32)
    solio.write_image(solio.Part({**planes, "Z": depth}), folder / "beauty.exr")
    beauty = solio.Part({**planes, "depth.Z": depth}, name="beauty", attributes={"owner": "somebody"})
    solio.write_image([beauty, solio.Part({"id": first["id"]}, name="id")], folder / "shot.exr")
    run("convert", "beauty.exr", "-o", "picture.jpg", "--channels", "R,G,B")
    make_photos(folder / "photos", (folder / "picture.jpg").read_bytes())
    (folder / "photo.jpg").write_bytes(with_thumbnail(40, 24, 6))
    (folder / "picture.jpg").unlink()
    (folder / "first.exr").unlink()
    mesh = make_grid(24)
    solio.write_mesh(mesh, folder / "scene.obj")
    solio.write_mesh(column(), folder / "scan.ply")
    solio.write_mesh(column(), folder / "part.stl")
    (folder / "broken.obj").write_bytes(b"v 0 0 0\nf 1 2 x\n")
    run("gradient", "navy, orange 60%, gold", "-o", "sunset.ggr")
    make_delivery(folder / "delivery", folder)


def make_delivery(delivery: Path, source: Path) -> None:
    """What a check should find: a hole, a cut file, a wrong ending, a missing mesh."""
    shutil.copytree(source / "shots", delivery / "shots")
    (delivery / "still.png").write_bytes(jpeg(64, 40))
    (delivery / "scan.ply").write_bytes((source / "scan.ply").read_bytes()[:-100])
    # Its mesh is missing: pbrt also looks for the name from where it runs.
    scene = (source / "scene.pbrt").read_text()
    (delivery / "scene.pbrt").write_text(scene.replace("column.ply", "pillar.ply"))
    shutil.copy(source / "materials.pbrt", delivery)
    shutil.copy(source / "scene.obj", delivery)
