"""What becomes of scenes of pbrt: formatted, packed and unpacked, written for other programs."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import solio

HEAD = 'Film "rgb" "integer xresolution" [16] "integer yresolution" [16]\n'
CAMERA = 'LookAt 0 0 5  0 0 0  0 1 0\nCamera "perspective" "float fov" [45]\n'
MESH = 'Shape "trianglemesh" "point3 P" [0 0 0 1 0 0 0 1 0 1 1 0] "integer indices" [0 1 2 2 1 3]'
INSTANCED = f'ObjectBegin "leaf"\n{MESH}\nObjectEnd\n'
SHEAR = "ConcatTransform [1 0 0 0 0.5 1 0 0 0 0 1 0 0 0 0 1]"


def instances(*places: str) -> str:
    return INSTANCED + "".join(
        f'AttributeBegin\n{place}\nObjectInstance "leaf"\nAttributeEnd\n' for place in places
    )


# What a scene has before and behind WorldBegin.
THINGS: dict[str, tuple[str, str]] = {
    "`trianglemesh`": ("", MESH),
    "its normals": ("", MESH + ' "normal N" [0 0 1 0 0 1 0 0 1 0 0 1]'),
    "its texture coordinates": ("", MESH + ' "point2 uv" [0 0 1 0 0 1 1 1]'),
    "`plymesh`": ("", 'Shape "plymesh" "string filename" "mesh.ply"'),
    "`sphere` and other quadrics": ("", 'Shape "sphere" "float radius" 1.5'),
    "`curve`": ("", 'Shape "curve" "point3 P" [0 0 0 0 1 0 1 1 0 1 2 0] "float width" 0.1'),
    "`loopsubdiv`": ("", MESH.replace("trianglemesh", "loopsubdiv")),
    "matrices of shapes": ("", f"Translate 1 2 3\nRotate 30 0 1 0\n{MESH}"),
    "objects with instances": ("", instances("Translate 1 0 0", "Translate 2 0 0", "Scale 2 2 2")),
    "instances that shear": ("", instances(SHEAR, "Translate 2 0 0", "Scale 2 2 2")),
    "colours of materials": ("", f'Material "diffuse" "rgb reflectance" [0.8 0.2 0.1]\n{MESH}'),
    "area lights": ("", f'AreaLightSource "diffuse" "rgb L" [4 2 1]\n{MESH}'),
    "a perspective camera": (CAMERA, MESH),
    "lights without a shape": ("", f'LightSource "point" "rgb I" [1 2 3]\n{MESH}'),
    "textures": (
        "",
        'Texture "t" "spectrum" "checkerboard"\nMaterial "diffuse" "texture reflectance" "t"\n' + MESH,
    ),
    "media": ("", 'MakeNamedMedium "fog" "string type" "homogeneous"\nMediumInterface "fog" ""\n' + MESH),
    "motion": ("", f"ActiveTransform EndTime\nTranslate 1 0 0\nActiveTransform All\n{MESH}"),
}


def write(thing: tuple[str, str], folder: Path) -> Path:
    before, world = thing
    (folder / "a.pbrt").write_text(f"{before}{HEAD}WorldBegin\n{world}\n")
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.5]], np.float32)
    solio.write_mesh(solio.Mesh.from_arrays(positions, faces=[[0, 1, 2], [2, 1, 3]]), folder / "mesh.ply")
    return folder / "a.pbrt"


class Command:
    """Runs it in a folder."""

    def __init__(self, command: str, folder: Path) -> None:
        self.command, self.folder = command, folder

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        call = [self.command, *words]
        return subprocess.run(call, cwd=self.folder, capture_output=True, text=True, check=False)


# Text, and packed scenes.


def tokens(text: str) -> list[Any]:
    """The words of a text without regard to how it is laid out; numbers are numbers."""
    found: list[Any] = []
    for word in re.findall(r'"[^"]*"|[^\s"\[\]]+', re.sub(r"#.*", "", text)):
        try:
            found.append(float(np.float32(word)))
        except ValueError:
            found.append(word)
    return found


def of_info(run: Command, path: str) -> Any:
    """What info finds in a scene, but for its file."""
    told = json.loads(run("info", "--json", path).stdout)
    return {name: value for name, value in told.items() if name not in ("path", "bytes", "mesh_file_bytes")}


TEXTS = {"`.pbrt`": ".pbrt", "`.pbrt.gz`": ".pbrt.gz", "`.pbrt.zst`": ".pbrt.zst"}
PACKS: dict[str, list[str]] = {
    "`--effort none`": ["--effort", "none"],
    "`fast`": [],
    "`thorough`": ["--effort", "thorough"],
    "`max`": ["--effort", "max"],
    "`--no-meshes`": ["--no-meshes"],
}


def as_text(run: Command, scene: Path, end: str) -> str:
    if run("convert", scene.name, "-o", f"b{end}").returncode:
        return "–"
    run("convert", f"b{end}", "-o", "plain.pbrt")
    again = (scene.parent / "plain.pbrt").read_text()
    return "=" if tokens(again) == tokens(scene.read_text()) else "lost"


def as_pack(run: Command, scene: Path, options: list[str]) -> str:
    if run("pack", scene.name, "-o", "b.solio", *options).returncode:
        return "–"
    return "=" if of_info(run, "b.solio") == of_info(run, scene.name) else "lost"


# Other programs.


def of_glb(path: Path) -> Any:
    whole = path.read_bytes()
    (length,) = struct.unpack_from("<I", whole, 12)
    return json.loads(whole[20 : 20 + length])


def of_gltf(path: Path) -> Any:
    return json.loads(path.read_text())


Seen = Callable[[Any], bool]


def named(text: str) -> Seen:
    return lambda document: text in (document if isinstance(document, str) else json.dumps(document))


def size(faces: int) -> Callable[[solio.Mesh], bool]:
    return lambda mesh: len(mesh.face_offsets) - 1 >= faces


def has_normals(mesh: solio.Mesh) -> bool:
    # Those of an STL file are of its triangles.
    return mesh.normals is not None and mesh.normal_domain != "face"


# How each thing is recognised in glTF, in USD, in meshes; None is what such a file has no words for.
MARKS: dict[str, tuple[Seen | None, Seen | None, Seen | None]] = {
    "`trianglemesh`": (named('"meshes": [{'), named("def Mesh"), size(2)),
    "its normals": (named('"NORMAL"'), named("normals = "), has_normals),
    "its texture coordinates": (
        named('"TEXCOORD_0"'),
        named("primvars:st"),
        lambda mesh: mesh.uvs is not None,
    ),
    "`plymesh`": (named('"meshes": [{'), named("def Mesh"), size(2)),
    "`sphere` and other quadrics": (named('"meshes": [{'), named("def Mesh"), size(100)),
    "`curve`": (named('"meshes": [{'), named("def Mesh"), size(6)),
    "`loopsubdiv`": (named('"meshes": [{'), named("def Mesh"), size(8)),
    "matrices of shapes": (
        named('"matrix"'),
        named("matrix4d xformOp"),
        lambda mesh: float(mesh.positions[:, 1].max()) > 1.5,
    ),
    "objects with instances": (named("EXT_mesh_gpu_instancing"), named("PointInstancer"), size(6)),
    "instances that shear": (named('"children"'), named("instanceable = true"), size(6)),
    "colours of materials": (named("baseColorFactor"), named("diffuseColor"), lambda m: bool(m.materials)),
    "area lights": (named("emissiveFactor"), named("emissiveColor"), lambda mesh: bool(mesh.materials)),
    "a perspective camera": (named('"cameras"'), named("def Camera"), None),
    "lights without a shape": (named("KHR_lights_punctual"), named("SphereLight"), None),
    "textures": (named('"textures"'), named("UsdUVTexture"), None),
    "media": (None, None, None),
    "motion": (None, None, None),
}
TARGETS: dict[str, tuple[int, Callable[[Path], Any]]] = {
    "gltf": (0, of_gltf),
    "glb": (0, of_glb),
    "usda": (1, lambda path: path.read_text()),
    "obj": (2, solio.read_mesh),
    "ply": (2, solio.read_mesh),
    "stl": (2, solio.read_mesh),
}


def elsewhere(run: Command, name: str, scene: Path, end: str) -> str:
    marks, read = TARGETS[end]
    mark = MARKS[name][marks]
    if run("convert", scene.name, "-o", f"b.{end}").returncode:
        return "–"
    seen = mark is not None and mark(read(scene.parent / f"b.{end}"))
    return "yes" if seen else "left out"


def of_all(folder: Path, command: str, cells: Callable[[Command, str, Path], list[str]]) -> dict[str, list[str]]:
    run = Command(command, folder)
    return {name: cells(run, name, write(thing, folder)) for name, thing in THINGS.items()}


def texts(folder: Path, command: str) -> dict[str, list[str]]:
    return of_all(folder, command, lambda run, _, scene: [as_text(run, scene, end) for end in TEXTS.values()])


def packs(folder: Path, command: str) -> dict[str, list[str]]:
    return of_all(folder, command, lambda run, _, scene: [as_pack(run, scene, way) for way in PACKS.values()])


def others(folder: Path, command: str) -> dict[str, list[str]]:
    return of_all(
        folder, command, lambda run, name, scene: [elsewhere(run, name, scene, end) for end in TARGETS]
    )
