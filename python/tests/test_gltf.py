"""glTF through Python: instances, pictures, and what materials say there."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import solio

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU"
    b"\0\0\0\nIDATx\x9cc`\0\0\0\2\0\1H\xaf\xa4q\0\0\0\0IEND\xaeB`\x82"
)


def triangle() -> solio.Mesh:
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    return solio.Mesh.from_arrays(positions, faces=np.array([[0, 1, 2]], np.uint32))


def document(data: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", data, 12)
    found: dict[str, Any] = json.loads(data[20 : 20 + length])
    return found


def at(x: float) -> list[list[float]]:
    return [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("how", ["nodes", "gpu"])
def test_instances_share_their_mesh(how: Any) -> None:
    mesh = triangle()
    drawn = [solio.Instance(mesh, f"leaf {i}", transform=at(3.0 * i)) for i in range(5)]
    data = solio.encode_mesh(drawn, "glb", instances=how)
    made = document(data)
    assert len(made["meshes"]) == 1
    assert len(made["nodes"]) == (5 if how == "nodes" else 1)
    back = solio.read_mesh(data)
    assert back.face_count == 5
    assert back.positions[:, 0].max() == 13.0
    if how == "nodes":
        assert [thing.name for thing in back.objects] == [f"leaf {i}" for i in range(5)]


def test_instances_are_read_and_written_again(tmp_path: Path) -> None:
    leaf, stem = triangle(), triangle()
    stem.colors = np.ones((3, 4), np.float32)
    stem.color_space = "linear"
    drawn = [solio.Instance(leaf, f"leaf {i}", transform=at(3.0 * i)) for i in range(3)]
    drawn.insert(1, solio.Instance(stem, "stem"))
    path = tmp_path / "a.glb"
    solio.write_mesh(drawn, path)
    back = solio.read_instances(path)
    assert [one.name for one in back] == ["leaf 0", "stem", "leaf 1", "leaf 2"]
    assert back[0].mesh is back[2].mesh is back[3].mesh
    assert back[0].mesh.colors is None and back[1].mesh.colors is not None
    assert np.asarray(back[3].transform)[0, 3] == 6.0
    assert np.asarray(back[3].transform).dtype == np.float64
    again = tmp_path / "b.glb"
    assert solio.write_mesh(back, again).losses == []
    assert again.read_bytes() == path.read_bytes()
    # As one mesh what only some have is made up, and told.
    whole = solio.read_mesh(path)
    assert whole.warnings == [
        "vertices without a colour become white, where others have one (9 vertices)"
    ]
    (one,) = solio.read_instances(solio.encode_mesh(leaf, "ply"))
    assert one.transform is None and one.mesh.face_count == 1


def test_instances_with_other_materials_are_meshes_of_their_own() -> None:
    mesh = triangle()
    mesh.face_materials = np.zeros(1, np.uint32)
    red, blue = solio.Material("red", diffuse=(1, 0, 0)), solio.Material("blue", diffuse=(0, 0, 1))
    drawn = [solio.Instance(mesh, "a", material_slots=[i]) for i in (0, 1, 0)]
    made = document(solio.encode_mesh(drawn, "glb", materials=[red, blue]))
    assert len(made["meshes"]) == 2
    assert [node["mesh"] for node in made["nodes"]] == [0, 1, 0]


def test_unknown_ways_are_refused() -> None:
    with pytest.raises(solio.Error, match="known: nodes, gpu"):
        solio.encode_mesh(triangle(), "glb", instances="many")  # type: ignore[arg-type]


def test_pictures_come_with_their_file(tmp_path: Path) -> None:
    mesh = triangle()
    wood = solio.Material("wood", double_sided=False, alpha_cutoff=0.25)
    wood.maps = [solio.TextureMap("map_Kd", "wood.png")]
    mesh.materials = [wood]
    mesh.face_materials = np.zeros(1, np.uint32)
    mesh.pictures = {"wood.png": PNG}
    path = tmp_path / "a.glb"
    solio.write_mesh(mesh, path)
    back = solio.read_mesh(path)
    assert list(back.pictures.values()) == [PNG]
    (material,) = back.materials
    assert material.maps[0].path in back.pictures
    assert (material.double_sided, material.alpha_cutoff) == (False, 0.25)
    # And once more, by way of the arrays.
    solio.write_mesh(back, tmp_path / "b.glb")
    assert list(solio.read_mesh(tmp_path / "b.glb").pictures.values()) == [PNG]
