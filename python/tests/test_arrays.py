"""Arrays pass without copies where they fit, and are converted or refused where they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import solio

TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"


def test_arrays_that_fit_are_not_copied() -> None:
    positions = np.random.default_rng(1).random((100, 3)).astype(np.float32)
    signed = np.arange(99, dtype=np.int32).reshape(33, 3)
    mesh = solio.Mesh.from_arrays(positions, faces=signed)
    assert mesh.positions is positions
    assert mesh.corner_vertices.dtype == np.uint32
    assert np.shares_memory(mesh.corner_vertices, signed)


def test_doubles_stay_doubles() -> None:
    positions = np.array([[0.1, 1e9 + 0.001, 0.3]])
    mesh = solio.Mesh.from_arrays(positions)
    assert mesh.positions is positions
    text = solio.encode_mesh(mesh, "obj", position_digits="shortest")
    assert b"v 0.1 1000000000.001 0.3\n" in text


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "int64"])
def test_doubles_stay_doubles_whatever_their_layout(dtype: str) -> None:
    wide = np.array([[16777217, 1, 2], [3, 4, 5]], dtype)
    expected = b"v 16777217 1 2\nv 3 4 5\n"
    layouts = [wide, np.asfortranarray(wide), np.repeat(wide, 2, axis=0)[::2]]
    for positions in layouts:
        mesh = solio.Mesh()
        mesh.positions = positions
        for one in (mesh, solio.Mesh.from_arrays(positions)):
            assert expected in solio.encode_mesh(one, "obj", position_digits="shortest")


def test_arrays_from_a_reader_are_views_on_its_memory() -> None:
    mesh = solio.read_mesh(TRIANGLE)
    assert mesh.positions.shape == (3, 3)
    base = mesh.positions.base
    assert base is not None  # a flat array, whose own base is the engine's vector
    assert base.base is not None and not isinstance(base.base, np.ndarray)
    assert np.shares_memory(mesh.positions, base)
    assert mesh.corner_vertices.base is not None
    mesh.positions[0] = 7  # and they may be written to
    assert mesh.positions[0, 0] == 7


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64", ">i4"])
def test_other_integers_are_converted(dtype: str) -> None:
    faces: npt.NDArray[Any] = np.array([[0, 1, 2]], np.dtype(dtype))
    mesh = solio.Mesh.from_arrays(np.eye(3), faces=faces)
    assert mesh.corner_vertices.tolist() == [0, 1, 2]


def test_strided_and_misaligned_arrays_are_converted() -> None:
    wide = np.zeros((5, 6), np.float32)
    wide[:, ::2] = np.arange(15).reshape(5, 3)
    raw = np.zeros(4 * 9 + 1, np.uint8)
    odd = np.frombuffer(raw.data, np.float32, 9, offset=1).reshape(3, 3)
    for positions in (wide[:, ::2], np.asfortranarray(np.ones((4, 3), np.float32)), odd):
        mesh = solio.Mesh()
        mesh.positions = positions
        expected = "".join("v %.6f %.6f %.6f\n" % tuple(p) for p in positions)
        assert expected.encode() in solio.encode_mesh(mesh, "obj")


def test_minus_one_is_none() -> None:
    mesh = solio.Mesh.from_arrays(
        np.eye(3), faces=[[0, 1, 2]], uvs=np.zeros((1, 2)), uv_indices=np.array([0, -1, 0])
    )
    assert mesh.uv_indices is not None
    assert mesh.uv_indices.tolist() == [0, solio.NONE, 0]


def test_ragged_faces() -> None:
    mesh = solio.Mesh.from_arrays(np.zeros((5, 3)), faces=[[0, 1, 2], [0, 2, 3, 4]])
    assert mesh.face_offsets.tolist() == [0, 3, 7]
    with pytest.raises(solio.ArgumentError):
        _ = mesh.faces


def test_domains_are_found() -> None:
    positions = np.zeros((4, 3))
    faces = [[0, 1, 2], [0, 2, 3]]
    for count, domain in ((6, "corner"), (4, "vertex"), (2, "face")):
        mesh = solio.Mesh.from_arrays(positions, faces=faces, normals=np.ones((count, 3)))
        assert mesh.normal_domain == domain
    with pytest.raises(solio.ArgumentError, match="fit neither"):
        solio.Mesh.from_arrays(positions, faces=faces, normals=np.ones((5, 3)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("positions", np.zeros((3, 2))),
        ("positions", np.array(["a", "b", "c"])),
        ("faces", np.zeros((2, 3))),
        ("faces", np.array([[0, 1, -2]])),
        ("faces", [[0, 1, 2], [0.5, 1, 2, 1]]),
        ("face_smoothing", np.array([-2], np.int32)),
        ("attributes", {"id": [0, 1, 1 << 40]}),
        ("attributes", {"id": np.zeros((3, 2))}),
        ("attributes", {"id": ["a", "b", "c"]}),
        ("colors", np.zeros((2, 4))),
        ("colors", [[255, 0, 128]] * 3),
        ("colors", np.zeros((3, 4), np.int16)),
        ("face_materials", np.zeros(7, np.uint32)),
    ],
)
def test_wrong_arrays_are_refused(name: str, value: object) -> None:
    arguments: dict[str, object] = {"positions": np.eye(3), "faces": [[0, 1, 2]], name: value}
    with pytest.raises(solio.ArgumentError):
        solio.Mesh.from_arrays(**arguments)  # type: ignore[arg-type]


def test_colors_may_be_codes() -> None:
    triangle: dict[str, Any] = {"positions": np.eye(3), "faces": [[0, 1, 2]]}
    codes = np.array([[255, 0, 51], [0, 255, 102], [153, 0, 204]], np.uint8)
    wide = codes.astype(np.uint16) * np.uint16(257)
    expected = np.column_stack((codes / np.float32(255), np.ones(3, np.float32)))
    for colors in (codes, wide, wide.astype(">u2"), codes / np.float32(255), codes / 255):
        made = solio.Mesh.from_arrays(**triangle, colors=colors, color_space="srgb")
        given = solio.Mesh.from_arrays(**triangle, color_space="srgb")
        given.colors = colors  # type: ignore[assignment]
        assert made.colors is not None and np.allclose(made.colors, expected)
        for mesh in (made, given):
            back = solio.read_mesh(solio.encode_mesh(mesh, "ply"))
            assert back.colors is not None and np.allclose(back.colors, expected)
    given.colors = codes.astype(np.int64)
    with pytest.raises(solio.ArgumentError, match="uint8, uint16 or floats"):
        solio.encode_mesh(given, "obj")


@pytest.mark.parametrize("format", ["obj", "ply", "stl"])
@pytest.mark.parametrize(
    ("offsets", "corners"),
    [([0, 3], [0, 1, 9]), ([0, 4], [0, 1, 2]), ([0, 3, 2], [0, 1, 2]), ([1, 3], [0, 1, 2])],
)
def test_indices_that_lead_nowhere_are_refused(
    format: str, offsets: list[int], corners: list[int]
) -> None:
    mesh = solio.Mesh.from_arrays(np.eye(3), face_offsets=offsets, corner_vertices=corners)
    with pytest.raises(solio.ArgumentError):
        solio.encode_mesh(mesh, format)  # type: ignore[arg-type]


def test_a_missing_vertex_is_told_whatever_uvs_belong_to() -> None:
    for domain in ("vertex", "corner"):
        mesh = solio.Mesh.from_arrays(
            np.eye(3), faces=[[1, 2, 3]], uvs=np.zeros((3, 2)), uv_domain=domain
        )
        with pytest.raises(solio.ArgumentError, match="refers to vertex 3"):
            solio.encode_mesh(mesh, "obj")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2, -3], np.int32),
        ([1, 2, 4_000_000_000], np.uint32),
        ([True, False, True], np.uint8),
        (np.arange(3, dtype=">f4"), np.float32),
        (np.arange(3, dtype=np.float16), np.float32),
        (np.arange(6.0)[::2], np.float64),
    ],
)
def test_attributes_get_types_that_files_have(values: Any, dtype: type) -> None:
    mesh = solio.Mesh.from_arrays(np.eye(3), attributes={"id": values})
    assert isinstance(held := mesh.attributes["vertex", "id"], np.ndarray) and held.dtype == dtype
    later = solio.Mesh.from_arrays(np.eye(3))
    later.attributes["vertex", "id"] = np.asarray(values)
    for one in (mesh, later):
        back = solio.read_mesh(solio.encode_mesh(one, "ply")).attributes["vertex", "id"]
        assert isinstance(back, np.ndarray) and back.tolist() == np.asarray(values).tolist()


def test_instances_share_the_arrays_of_a_mesh() -> None:
    mesh = solio.Mesh.from_arrays(np.eye(3), faces=[[0, 1, 2]])
    moved = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    here = solio.Instance(mesh, "here", transform=np.eye(4))
    there = solio.Instance(mesh, "there", transform=moved, material_slots=[])
    back = solio.read_mesh(solio.encode_mesh([here, there], "obj"))
    assert [thing.name for thing in back.objects] == ["here", "there"]
    np.testing.assert_array_equal(back.positions[3:], np.eye(3) + [5, 0, 0])
    with pytest.raises(ValueError):
        solio.encode_mesh([solio.Instance(mesh, transform=np.eye(3))], "obj")
    assert solio.encode_mesh(there, "obj") == solio.encode_mesh([there], "obj")


def test_unused() -> None:
    assert solio.unused(5, [3, 0, 3]).tolist() == [1, 2, 4]
    with pytest.raises(solio.ArgumentError):
        solio.unused(3, [3])


def test_sizes_and_names_that_cannot_be_are_told() -> None:
    triangle: dict[str, Any] = {"positions": np.eye(3), "faces": [[0, 1, 2]]}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"transform": np.eye(3)}, "transform must have shape"),
        ({"uvs": np.zeros((3, 2)), "uv_domain": "foo"}, "no domain 'foo'"),
        ({"colors": ["red", "lime", "blue"]}, "colors must be numbers"),
    ]
    for more, why in wrong:
        with pytest.raises(solio.ArgumentError, match=why):
            solio.Mesh.from_arrays(**triangle, **more)
