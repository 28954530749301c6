# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that is not a mesh: the report names what it is, and what opens it."""

from __future__ import annotations

import bpy
import pytest

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU"
PLY = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
PLY += b"property float z\nend_header\n1 2 3\n"
FILES = [
    (PNG, "PNG", "Image > Open in the Image Editor"),
    (b"\x76\x2f\x31\x01" + bytes(60), "OpenEXR", "Image > Open in the Image Editor"),
    (b"glTF\2\0\0\0" + bytes(60), "glTF 2.0, binary", "File > Import > glTF 2.0"),
    (b"GIF89a" + bytes(60), "GIF", "Blender does not open it"),
    (b"Kaydara FBX Binary  \0\x1a\0" + bytes(60), "FBX", "File > Import > FBX"),
    (b"BLENDER-v502" + bytes(60), "a Blender file", "File > Append"),
]


def said(tmp_path, kind, content):
    path = tmp_path / f"a.{kind}"
    path.write_bytes(content)
    before = len(bpy.data.objects)
    with pytest.raises(RuntimeError) as raised:
        getattr(bpy.ops.solio, f"{kind}_import")(filepath=str(path))
    assert len(bpy.data.objects) == before
    return str(raised.value)


@pytest.mark.parametrize("kind", ["obj", "ply", "stl"])
@pytest.mark.parametrize(("content", "what", "opens"), FILES)
def test_other_families(tmp_path, kind, content, what, opens):
    text = said(tmp_path, kind, content)
    assert what in text
    assert opens in text


def test_other_meshes(tmp_path):
    text = said(tmp_path, "stl", PLY)
    assert "Stanford PLY" in text
    assert "File > Import > Stanford PLY" in text


@pytest.mark.parametrize("kind", ["ply", "stl"])
def test_a_broken_file_is_told_as_before(tmp_path, kind):
    content = {"ply": PLY.replace(b"3\n", b"x\n", 2)[:-4], "stl": b"solid a\nfacet nonsense\n"}
    text = said(tmp_path, kind, content[kind])
    assert "open it by" not in text
    assert "Blender does not" not in text


def test_a_missing_file(tmp_path):
    with pytest.raises(RuntimeError, match=r"a\.ply"):
        bpy.ops.solio.ply_import(filepath=str(tmp_path / "a.ply"))
