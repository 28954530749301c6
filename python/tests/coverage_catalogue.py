"""Which columns of a catalogue are known of which kind of file, by scanning one of each."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
from pathlib import Path

import numpy as np
import solio
from conftest import make_grid
from coverage_scenes import CAMERA, HEAD, MESH
from test_photo import jpeg, tiff

EXIF: dict[int, bytes | list[int]] = {0x10F: b"Maker", 0x110: b"Model", 0x112: [6], 0x132: b"2024:05:06 07:08:09"}
# Of every file.
ALWAYS = ["path", "folder", "name", "modified", "size", "modified_ns", "born_ns", "inode", "kind", "level", "xxh128"]
ALWAYS += ["changed_ns", "links", "blocks", "allocated", "mode", "owner", "owner_group", "device", "volume"]
# Several columns that are known together.
TOGETHER = {
    "bounds": ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"],
    "place": ["latitude", "longitude"],
    "make, model": ["make", "model"],
}


def make_files(folder: Path, command: str) -> None:
    for end in ("obj", "ply", "stl"):
        solio.write_mesh(make_grid(3), folder / f"mesh.{end}")
    (folder / "mesh.obj.gz").write_bytes(gzip.compress((folder / "mesh.obj").read_bytes(), mtime=0))
    ramp = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
    solio.write_image({name: ramp for name in "RGB"}, folder / "a.exr", compression="zip")
    for end in ("png", "tif", "hdr"):
        call = [command, "convert", "a.exr", "-o", f"a.{end}"]
        subprocess.run(call, cwd=folder, check=True, capture_output=True)
    (folder / "photo.jpg").write_bytes(jpeg(64, 40, tiff(EXIF)))
    (folder / "scene.pbrt").write_text(f"{CAMERA}{HEAD}WorldBegin\n{MESH}\n")
    for words in (["scene.pbrt", "-o", "scene.solio"], ["a.exr", "-o", "images.solio"]):
        subprocess.run([command, "pack", *words], cwd=folder, check=True, capture_output=True)


def known(folder: Path, command: str) -> dict[str, list[str]]:
    """For each file its kind and the columns that are known beside those of every file."""
    make_files(folder, command)
    call = [command, "scan", ".", "-o", "../c.sqlite", "--deep", "--hash", "xxh128"]
    subprocess.run(call, cwd=folder, check=True, capture_output=True)
    database = sqlite3.connect(folder.parent / "c.sqlite")
    database.row_factory = sqlite3.Row
    found = {}
    for row in database.execute("SELECT * FROM files ORDER BY kind, name"):
        columns = [name for name in row.keys() if row[name] is not None]
        assert set(ALWAYS) <= set(columns), (row["name"], columns)
        more = [name for name in columns if name not in ALWAYS]
        for title, names in TOGETHER.items():
            if set(names) <= set(more):
                more = [title if name == names[0] else name for name in more if name not in names[1:]]
        found[f"`{row['name']}`"] = [f"`{row['kind']}`", ", ".join(more) or "none"]
    database.close()
    return found
