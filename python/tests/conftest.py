"""Shapes that several tests use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import solio


def make_grid(size: int) -> solio.Mesh:
    """A wavy sheet of size × size quads with UVs, normals, materials, groups and smoothing."""
    steps = np.linspace(0, 1, size + 1, dtype=np.float32)
    u, v = np.meshgrid(steps, steps)
    height = (np.sin(7 * u) * np.cos(5 * v) / 3).astype(np.float32)
    positions = np.stack([u, v, height], axis=-1).reshape(-1, 3)
    corner = np.arange(size * (size + 1), dtype=np.uint32).reshape(size, size + 1)[:, :-1]
    first = corner.reshape(-1)
    row = np.uint32(size + 1)
    faces = np.stack([first, first + 1, first + row + 1, first + row], axis=-1)
    count = len(faces)
    normals = np.array([[0, 0, 1], [0, 1, 0]], np.float32)
    return solio.Mesh.from_arrays(
        positions,
        faces=faces,
        uvs=np.stack([u, v], axis=-1).reshape(-1, 2),
        uv_indices=faces.reshape(-1),
        normals=normals,
        normal_indices=np.arange(4 * count, dtype=np.uint32) % 2,
        face_materials=np.arange(count, dtype=np.uint32) * 2 // count,
        face_smoothing=np.arange(count, dtype=np.uint32) % 3,
        materials=[
            solio.Material("steel", diffuse=(0.5, 0.5, 0.5), roughness=0.25),
            solio.Material("wood", maps=[solio.TextureMap("map_Kd", "wood.png")]),
        ],
        name="sheet",
    )


@pytest.fixture(scope="session")
def grid() -> solio.Mesh:
    return make_grid(40)


@pytest.fixture(scope="session")
def big_obj(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An OBJ file of some 60 MB."""
    path = tmp_path_factory.mktemp("big") / "big.obj"
    solio.write_mesh(make_grid(800), path)
    return path
