# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file is that an importer could not read, and what opens it in Blender."""

from __future__ import annotations

import solio

from . import properties

UNREADABLE = {"syntax", "corrupt", "unsupported"}
# Blender's own kinds, which Solio does not know.
HEADS = (
    (b"BLENDER", "a Blender file", "File > Open, or File > Append"),
    (b"Kaydara FBX Binary", "FBX", "File > Import > FBX"),
    (b"Ogawa", "Alembic", "File > Import > Alembic"),
    (b"PXR-USDC", "USD", "File > Import > Universal Scene Description"),
    (b"glTF", "glTF 2.0, binary", "File > Import > glTF 2.0"),
)
IMAGES = "Image > Open in the Image Editor"
MOVIES = "Add > Movie in the Sequencer"
OPENS = {
    "gltf": "File > Import > glTF 2.0",
    "glb": "File > Import > glTF 2.0",
    "usda": "File > Import > Universal Scene Description",
    "obj": "File > Import > Wavefront (.obj)",
    "ply": "File > Import > Stanford PLY (.ply)",
    "stl": "File > Import > STL (.stl)",
    "off": "solio convert, which makes OBJ, PLY or STL of it",
    "pbrt": "File > Import > pbrt Scene (.pbrt) – Solio",
    "svg": "File > Import > Scalable Vector Graphics",
    "mp4": MOVIES,
    "avi": MOVIES,
    "wav": "Add > Sound in the Sequencer",
    **dict.fromkeys(("exr", "hdr", "jpeg", "png", "tiff", "webp", "psd", "jp2", "j2c"), IMAGES),
}


def told(error, path, wanted):
    """The text of an error of reading `path` as the format `wanted`."""
    if error.kind not in UNREADABLE:
        return str(error)
    title = properties.KINDS[wanted].title
    for head, what, opens in HEADS:
        if _starts(path, head):
            return f"{path}: the file is {what}, not {title}; open it by {opens}"
    other = _other_mesh(path, wanted)
    if other:
        what = properties.KINDS[other].title
        return f"{path}: the file is {what}, not {title}; open it by {OPENS[other]}"
    kind, message = _no_mesh(path)
    if kind is None:
        return str(error)
    opens = OPENS.get(kind.name)
    way = f"open it by {opens}" if opens else "Blender does not open it"
    return f"{path}: {message}; {way}"


def _other_mesh(path, wanted):
    """The format of meshes that the file is of, if it is another one."""
    for name in ("ply", "stl", "off", "gltf"):
        if name != wanted:
            try:
                if solio.read_mesh(path, format=name).vertex_count:
                    return name
            except solio.Error:
                continue
    is_obj = path.lower().endswith(properties.extension("obj"))
    return "obj" if is_obj and wanted != "obj" else None


def _no_mesh(path):
    """The kind of a file that is not a mesh, and the message of the engine."""
    try:
        solio.read_mesh(path)
    except solio.Error as error:
        named = [kind for kind in properties.KINDS.values() if f" {kind.title}" in error.message]
        if "not a mesh" in error.message and named:
            return max(named, key=lambda kind: len(kind.title)), error.message
    return None, ""


def _starts(path, head):
    try:
        with open(path, "rb") as file:
            return file.read(len(head)) == head
    except OSError:
        return False
