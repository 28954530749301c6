"""The tables of what formats keep, as found by writing and reading: `coverage.py [--check]`.

Each page of docs/formats that has the marks `<!-- coverage: start -->` and `end` gets its table, but for
OpenEXR, whose table a test of its crate holds true. With --check nothing is written; the exit code is 1
where a page says something else than what was found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coverage_catalogue
import coverage_gradients
import coverage_scenes
import numpy as np
import solio
from conftest import make_grid

FORMATS = Path(__file__).resolve().parent.parent.parent / "docs" / "formats"
START, END = "<!-- coverage: start -->", "<!-- coverage: end -->"
SAME, NEAR, LOST, REFUSED = "=", "≈", "lost", "–"

Get = Callable[[solio.Mesh], Any]


def table(head: str, columns: list[str], rows: dict[str, list[str]]) -> str:
    lines = [" | ".join([head, *columns]), "|".join(["---"] * (len(columns) + 1))]
    lines += [" | ".join([name, *cells]) for name, cells in rows.items()]
    return "\n".join(f"| {line} |" if "---" not in line else f"|{line}|" for line in lines)


def likeness(before: Any, after: Any) -> str:
    """How much of a value came back."""
    if after is None or np.size(after) == 0:
        return LOST
    first, second = np.asarray(before), np.asarray(after)
    if first.shape != second.shape:
        return LOST
    if first.dtype.kind not in "fiu":
        return SAME if bool((first == second).all()) else LOST
    if np.array_equal(first, second) and first.dtype.itemsize <= second.dtype.itemsize:
        return SAME
    close = np.allclose(first.astype(float), second.astype(float), atol=6e-3)
    return NEAR if close else LOST


# Meshes: what a mesh may have, how it is made, and how it is looked at, corner by corner.


def of_corners(mesh: solio.Mesh, values: Any, indices: Any, domain: str) -> Any:
    if values is None:
        return None
    if domain == "vertex":
        return values[mesh.corner_vertices]
    return values if domain == "corner" else values[indices]


def uvs(mesh: solio.Mesh) -> Any:
    found = of_corners(mesh, mesh.uvs, mesh.uv_indices, mesh.uv_domain)
    return None if found is None else found[:, :2]


def normals(mesh: solio.Mesh) -> Any:
    return of_corners(mesh, mesh.normals, mesh.normal_indices, mesh.normal_domain)


def face_materials(mesh: solio.Mesh) -> Any:
    return [mesh.materials[i].name for i in mesh.face_materials] if mesh.materials else None


def with_vertices(**more: Any) -> solio.Mesh:
    # Numbers that need all their digits, and a small one.
    positions = np.array([[0, 0, 0], [1, 0, 1e-7], [1, 1 / 3, 0.1], [0, 1, 0.7]], more.pop("dtype", np.float32))
    mesh = solio.Mesh.from_arrays(positions, faces=more.pop("faces", [[0, 1, 2, 3]]))
    for name, value in more.items():
        setattr(mesh, name, value)
    return mesh


def uneven() -> solio.Mesh:
    mesh = make_grid(4)
    assert mesh.uvs is not None and mesh.normals is not None
    mesh.uvs = mesh.uvs / np.float32(3)
    normals = mesh.normals + np.array([1 / 3, 1 / 7, 0], np.float32)
    mesh.normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return mesh


def colored() -> solio.Mesh:
    codes = np.array([[255, 0, 0, 255], [0, 128, 0, 255], [1, 2, 3, 255], [9, 9, 9, 255]]) / 255
    return with_vertices(colors=codes.astype(np.float32), color_space="srgb")


def drawn(kind: str) -> solio.Mesh:
    mesh = with_vertices()
    if kind == "lines":
        mesh.line_offsets = np.array([0, 2, 4], np.uint32)
        mesh.line_vertices = np.array([0, 1, 2, 3], np.uint32)
    else:
        mesh.points = np.array([0, 3], np.uint32)
    return mesh


def two_objects() -> solio.Mesh:
    first, second = make_grid(2), make_grid(3)
    first.objects = [solio.Mesh.one_object(first, "left")]
    second.objects = [solio.Mesh.one_object(second, "right")]
    return solio.read_mesh(solio.encode_mesh([first, second], "obj"), format="obj")


def with_attribute() -> solio.Mesh:
    mesh = with_vertices()
    mesh.attributes = {("vertex", "quality"): np.array([1.5, 2, 3, 4], np.float32)}
    return mesh


def lengths(mesh: solio.Mesh) -> Any:
    return np.diff(mesh.face_offsets)


MESHES: dict[str, tuple[Callable[[], solio.Mesh], Get]] = {
    "positions, 32 bits": (with_vertices, lambda m: m.positions),
    "positions, 64 bits": (lambda: with_vertices(dtype=np.float64), lambda m: m.positions),
    "faces of any size": (lambda: with_vertices(faces=[[0, 1, 2, 3], [0, 2, 3]]), lengths),
    "lines": (lambda: drawn("lines"), lambda m: m.line_vertices),
    "points": (lambda: drawn("points"), lambda m: m.points),
    "UVs": (uneven, uvs),
    "normals": (uneven, normals),
    "colours of vertices": (colored, lambda m: None if m.colors is None else m.colors[:, :3]),
    "materials of faces": (lambda: make_grid(4), face_materials),
    "smoothing groups": (lambda: make_grid(4), lambda m: m.face_smoothing),
    "names of objects": (two_objects, lambda m: [o.name for o in m.objects]),
    "other attributes": (with_attribute, lambda m: m.attributes.get(("vertex", "quality"))),
}
VARIANTS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "obj": {
        "`.obj`": (".obj", {}),
        "`--digits shortest`": (".obj", {"digits": "shortest"}),
        "`.obj.gz`": (".obj.gz", {"digits": "shortest"}),
        "`.obj.zst`": (".obj.zst", {"digits": "shortest"}),
    },
    "ply": {
        "`.ply`": (".ply", {}),
        "`--endian big`": (".ply", {"big_endian": True}),
        "`--ascii`": (".ply", {"ascii_format": True}),
        "`.ply.gz`": (".ply.gz", {}),
        "`.ply.zst`": (".ply.zst", {}),
    },
    "stl": {
        "`.stl`": (".stl", {}),
        "`--ascii`": (".stl", {"ascii_format": True}),
        "`.stl.gz`": (".stl.gz", {}),
        "`.stl.zst`": (".stl.zst", {}),
    },
}


def there_and_back(mesh: solio.Mesh, get: Get, path: Path, options: dict[str, Any]) -> str:
    try:
        solio.write_mesh(mesh, path, **options)
    except solio.Error:
        return REFUSED
    double = mesh.positions.dtype == np.float64
    return likeness(get(mesh), get(solio.read_mesh(path, double=double)))


def meshes(format: str, folder: Path) -> str:
    rows = {
        name: [
            there_and_back(make(), get, folder / f"a{ending}", options)
            for ending, options in VARIANTS[format].values()
        ]
        for name, (make, get) in MESHES.items()
    }
    return table("written and read again", list(VARIANTS[format]), rows)


# Pictures: channels by format and bits.

PICTURES = {"grey": "Y", "grey, alpha": "YA", "colours": "RGB", "colours, alpha": "RGBA"}
BITS = {"png": (8, 16), "jpg": (8,), "tif": (8, 16, 32), "hdr": (32,)}


def picture(names: str, path: Path, bits: int) -> str:
    ramp = np.linspace(0, 1, 16 * 16, dtype=np.float32).reshape(16, 16)
    planes = {name: np.ones_like(ramp) if name == "A" else ramp for name in names}
    solio.write_image(planes, path.with_suffix(".exr"), compression="zip", dtype="float32")
    options: dict[str, Any] = {} if path.suffix in (".hdr", ".jpg") else {"bits": bits}
    solio_convert(path.with_suffix(".exr"), path, options)
    solio_convert(path, path.with_name("back.exr"), {})
    back = solio.read_image(path.with_name("back.exr"))
    found = set(back.channels)
    if "A" in names and "A" not in found:
        return "no alpha"
    first = back.channels.get(names[0], back.channels.get("R"))
    assert first is not None
    off = float(np.abs(first.astype(np.float32) - ramp).max())
    said = SAME if off == 0 else f"{NEAR} {off:.0e}".replace("e-0", "e-")
    return said if set(names) == found else f"{said} as {''.join(n for n in 'RGBYA' if n in found)}"


def command() -> str:
    return shutil.which(os.environ.get("SOLIO_COMMAND", "solio")) or "solio"


def solio_convert(source: Path, target: Path, options: dict[str, Any]) -> None:
    """As the command does it."""
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    call = [command(), "convert", str(source), "-o", str(target), "--tonemap", "none", *words]
    subprocess.run(call, check=True, capture_output=True)


def pictures(folder: Path) -> str:
    columns = [f"{format.upper()} {bits}" for format, all_bits in BITS.items() for bits in all_bits]
    rows = {
        name: [
            picture(channels, folder / f"a.{format}", bits)
            for format, all_bits in BITS.items()
            for bits in all_bits
        ]
        for name, channels in PICTURES.items()
    }
    return table("from OpenEXR and back", columns, rows)


# Arrays.


def arrays(folder: Path) -> str:
    shapes = {"one axis": (100,), "a picture": (20, 30), "with 3 components": (20, 30, 3), "five axes": (2, 3, 4, 5, 2)}
    types = ["uint8", "uint16", "uint32", "float16", "float32", "float64", "int32", "complex64"]

    def cell(shape: tuple[int, ...], dtype: str) -> str:
        array = (np.arange(np.prod(shape)).reshape(shape) * 3 % 251).astype(dtype)
        try:
            solio.write_array(array, folder / "a.solio")
        except (solio.Error, TypeError, ValueError):
            return REFUSED
        back = solio.read_array(folder / "a.solio")
        return SAME if back.dtype == array.dtype and np.array_equal(back, array) else LOST

    rows = {name: [cell(shape, dtype) for dtype in types] for name, shape in shapes.items()}
    return table("written and read again", types, rows)


# Gradients, scenes, catalogues.


def gradients(folder: Path) -> str:
    rows = coverage_gradients.rows(folder, command())
    return table("written and read again", list(coverage_gradients.FORMATS), rows)


def scenes_as_text(folder: Path) -> str:
    rows = coverage_scenes.texts(folder, command())
    return table("written and read again", list(coverage_scenes.TEXTS), rows)


def packed_scenes(folder: Path) -> str:
    rows = coverage_scenes.packs(folder, command())
    return table("packed, as `solio info` sees it", list(coverage_scenes.PACKS), rows)


def scenes_elsewhere(folder: Path) -> str:
    columns = [f"`.{end}`" for end in coverage_scenes.TARGETS]
    return table("in the file", columns, coverage_scenes.others(folder, command()))


def catalogue(folder: Path) -> str:
    (folder / "files").mkdir()
    rows = coverage_catalogue.known(folder / "files", command())
    return table("file", ["`kind`", "known of it"], rows)


PAGES: dict[str, Callable[[Path], str]] = {
    "obj.md": lambda folder: meshes("obj", folder),
    "ply.md": lambda folder: meshes("ply", folder),
    "stl.md": lambda folder: meshes("stl", folder),
    "pictures.md": pictures,
    "array.md": arrays,
    "gradients.md": gradients,
    "pbrt.md": scenes_as_text,
    "solio-scene.md": packed_scenes,
    "scene-convert.md": scenes_elsewhere,
    "../catalogue.md": catalogue,
}


def with_table(text: str, found: str) -> str:
    before, rest = text.split(START, 1)
    return f"{before}{START}\n{found}\n{END}{rest.split(END, 1)[1]}"


def differences(write: bool = False) -> list[str]:
    """The pages whose tables are not what was found; they are mended where ``write`` says so."""
    different = []
    for name, make in PAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            text = (FORMATS / name).read_text(encoding="utf-8")
            new = with_table(text, make(Path(folder)))
        if new != text:
            different.append(name)
            if write:
                (FORMATS / name).write_text(new, encoding="utf-8")
    return different


if __name__ == "__main__":
    check = "--check" in sys.argv[1:]
    found = differences(write=not check)
    if check and found:
        sys.exit(f"docs/formats: the tables of {', '.join(found)} are not what was found")
