"""Round trips, errors, and the number of threads."""

from __future__ import annotations

import copy
import gzip
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import solio


def same(a: solio.Mesh, b: solio.Mesh) -> None:
    for name in (
        "positions",
        "uvs",
        "uv_indices",
        "normals",
        "normal_indices",
        "face_offsets",
        "corner_vertices",
        "face_materials",
        "face_smoothing",
    ):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        if x is not None:
            np.testing.assert_array_equal(x, y, err_msg=name)


def test_obj_comes_back_as_it_went(grid: solio.Mesh, tmp_path: Path) -> None:
    path = tmp_path / "grid.obj"
    written = solio.write_mesh(grid, path, position_digits="shortest", uv_digits="shortest")
    assert [Path(name).name for name, _ in written.files] == ["grid.obj", "grid.mtl"]
    assert written.files[0][1] == path.stat().st_size
    back = solio.read_mesh(path)
    same(grid, back)
    assert [m.name for m in back.materials] == ["steel", "wood"]
    assert back.materials[0].diffuse == (0.5, 0.5, 0.5)
    assert back.materials[1].maps[0].path == "wood.png"
    assert [o.name for o in back.objects] == ["sheet"]


@pytest.mark.parametrize("ending", ["ply", "stl"])
def test_binary_formats_keep_positions(grid: solio.Mesh, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"grid.{ending}"
    solio.write_mesh(grid, path, export_uv=False, export_normals=False)
    back = solio.read_mesh(path)
    assert back.face_count == grid.face_count * (2 if ending == "stl" else 1)
    if ending == "ply":
        np.testing.assert_array_equal(back.positions, grid.positions)
        np.testing.assert_array_equal(back.faces, grid.faces)
    else:
        found = np.unique(back.positions, axis=0)
        np.testing.assert_array_equal(found, np.unique(grid.positions, axis=0))


@pytest.mark.parametrize("ending", ["obj.gz", "obj.zst", "ply.gz"])
def test_compressed_files(grid: solio.Mesh, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"grid.{ending}"
    written = solio.write_mesh(grid, path)
    assert written.file_bytes < written.raw_bytes
    assert solio.read_mesh(path).face_count == grid.face_count
    if ending == "obj.gz":
        assert gzip.decompress(path.read_bytes()).startswith(b"# ")


def test_bytes_and_bytearrays(grid: solio.Mesh) -> None:
    data = solio.encode_mesh(grid, "obj")
    for source in (data, bytearray(data), memoryview(data)):
        assert solio.read_mesh(source, format="obj").face_count == grid.face_count


def test_threads_change_nothing(big_obj: Path) -> None:
    one = solio.read_mesh(big_obj, threads=1)
    many = solio.read_mesh(big_obj, threads=7)
    same(one, many)
    small = solio.encode_mesh(one, "obj", threads=1, memory=16 << 20)
    assert small == solio.encode_mesh(one, "obj", threads=5)


def test_several_meshes_share_equal_materials(tmp_path: Path) -> None:
    def part(name: str, *materials: str) -> solio.Mesh:
        return solio.Mesh.from_arrays(
            np.eye(3),
            faces=[[0, 1, 2]],
            face_materials=[len(materials) - 1],
            materials=[solio.Material(m) for m in materials],
            name=name,
        )

    path = tmp_path / "parts.obj"
    solio.write_mesh([part("a", "red", "blue"), part("b", "blue", "red"), part("c", "blue")], path)
    back = solio.read_mesh(path)
    assert [o.name for o in back.objects] == ["a", "b", "c"]
    names = [back.materials[i].name for i in back.face_materials]
    assert names == ["blue", "red", "blue"]
    assert (tmp_path / "parts.mtl").read_text().count("newmtl") == 2


def test_a_mesh_without_its_materials_gets_no_others(tmp_path: Path) -> None:
    def part(name: str) -> solio.Mesh:
        return solio.Mesh.from_arrays(
            np.eye(3), faces=[[0, 1, 2]], face_materials=[0], materials=[solio.Material("red")],
            name=name,
        )

    bare, slotted = part("bare"), part("slotted")
    bare.materials = []
    slotted.materials = []
    slotted.face_materials = np.zeros(0, np.uint32)
    slotted.objects[0].material_slots = [0]
    again = solio.Instance(slotted, "again", material_slots=[0])
    solio.write_mesh([bare, part("red"), bare, part("red"), slotted, again], tmp_path / "a.obj")
    back = solio.read_mesh(tmp_path / "a.obj")
    none = solio.NONE
    assert back.face_materials.tolist() == [none, 0, none, 0, none, none]
    assert [m.name for m in back.materials] == ["red"]


def test_faces_without_a_material_stay_so_beside_other_meshes(tmp_path: Path) -> None:
    none = solio.NONE

    def part(name: str) -> solio.Mesh:
        return solio.Mesh.from_arrays(
            np.eye(3), faces=[[0, 1, 2]] * 2, face_materials=[0, none],
            materials=[solio.Material(name)], name=name,
        )

    solio.write_mesh([part("red"), part("blue")], tmp_path / "a.obj")
    back = solio.read_mesh(tmp_path / "a.obj")
    assert back.face_materials.tolist() == [0, none, 1, none]
    assert [m.name for m in back.materials] == ["red", "blue"]


def test_different_materials_of_one_name_stay_apart(tmp_path: Path) -> None:
    def part(*shades: float, name: str = "default") -> solio.Mesh:
        materials = [solio.Material(name, diffuse=(shade, 0.0, 0.0)) for shade in shades]
        return solio.Mesh.from_arrays(
            np.eye(3), faces=[[0, 1, 2]] * len(shades),
            face_materials=range(len(shades)), materials=materials,
        )

    taken = part(0.5, name="default.001")
    several = [part(0.0), part(1.0), taken, part(1.0), part(0.0)]
    scenes: list[tuple[solio.Mesh | list[solio.Mesh], list[float], dict[str, object]]] = [
        (several, [0.0, 1.0, 0.5, 1.0, 0.0], {}),
        (part(0.0, 1.0, 0.0), [0.0, 1.0, 0.0], {}),
        (part(0.0, 1.0), [1.0, 0.0], {"materials": part(1.0, 0.0).materials}),
    ]
    for mesh, shades, more in scenes:
        solio.write_mesh(mesh, tmp_path / "a.obj", **more)  # type: ignore[arg-type]
        back = solio.read_mesh(tmp_path / "a.obj")
        found = [back.materials[i].diffuse for i in back.face_materials]
        assert found == [(shade, 0.0, 0.0) for shade in shades]
    assert [m.name for mesh in several for m in mesh.materials].count("default") == 4


def test_comments_of_meshes_are_written(tmp_path: Path) -> None:
    one = solio.Mesh.from_arrays(np.eye(3), comments=["of one", "of both"])
    two = solio.Mesh.from_arrays(np.eye(3), comments=["of both", "of two"])
    text = solio.encode_mesh([one, two, solio.Instance(one, "again")], "obj", comments=["first"])
    assert text.startswith(b"# first\n# of one\n# of both\n# of two\n")
    again = solio.encode_mesh(solio.read_mesh(text), "obj", comments=["first"])
    assert again.startswith(b"# first\n# of one\n# of both\n# of two\n")


def test_names_that_are_no_text_have_materials_of_their_own(tmp_path: Path) -> None:
    paths = [os.path.join(os.fsencode(tmp_path), name) for name in (b"x\xe8.obj", b"x\xe9.obj")]
    for shade, path in enumerate(paths):
        mesh = solio.Mesh.from_arrays(
            np.eye(3), faces=[[0, 1, 2]], face_materials=[0],
            materials=[solio.Material("m", diffuse=(shade, 0.0, 0.0))],
        )
        solio.write_mesh(mesh, os.fsdecode(path))
    found = [solio.read_mesh(os.fsdecode(path)).materials[0].diffuse for path in paths]
    assert found == [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]


def test_errors_say_where(tmp_path: Path) -> None:
    path = tmp_path / "bad.obj"
    path.write_bytes(b"v 0 0 0\nv 1 0 0\nf 1 2 9\n")
    with pytest.raises(solio.Error) as caught:
        solio.read_mesh(path, strict=True)
    error = caught.value
    assert (error.path, error.line, error.offset is not None) == (str(path), 3, True)
    assert error.kind in ("syntax", "corrupt")
    assert str(error).startswith(f"{path}:3:")
    assert isinstance(error, ValueError)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught:
        solio.read_mesh(tmp_path / "none.obj")
    error = caught.value
    assert isinstance(error, solio.NotFoundError) and isinstance(error, FileNotFoundError)
    assert isinstance(error, solio.IoError)
    assert (error.kind, error.errno) == ("io", 2)
    assert str(error).startswith(f"{tmp_path / 'none.obj'}: ")
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is solio.NotFoundError and str(same) == str(error)
        for name in ("errno", "filename", "strerror", "path", "kind", "message", "hint"):
            assert getattr(same, name) == getattr(error, name)
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.obj")
    with pytest.raises(solio.IoError) as caught:
        solio.read_mesh(odd)
    assert caught.value.path == caught.value.filename == odd


def test_one_text_is_no_list(grid: solio.Mesh, tmp_path: Path) -> None:
    wrong: list[Callable[[Any], object]] = [
        solio.read_images,
        solio.read_headers,
        solio.io.Reader().read,
        lambda one: solio.pack_images(one, tmp_path / "a.solio"),
        lambda one: solio.scan(tmp_path, fields=one),
        lambda one: solio.read_metadata([], one),
        lambda one: solio.Mesh.from_arrays(np.eye(3), groups=one),
        lambda one: solio.Mesh.from_arrays(np.eye(3), comments=one),
    ]
    for call in wrong:
        with pytest.raises(solio.ArgumentError, match="list"):
            call("ab")
    with pytest.raises(solio.ArgumentError, match="list"):
        solio.io.Reader().read(solio.io.Request("ab"))  # type: ignore[arg-type]
    solio.write_array(np.zeros(2, np.float32), tmp_path / "a.solio")
    with pytest.raises(solio.ArgumentError, match="list"):
        solio.open_archive(tmp_path / "a.solio").extract(tmp_path, "array")


def test_an_unknown_format_has_a_hint(tmp_path: Path) -> None:
    with pytest.raises(solio.ArgumentError) as caught:
        solio.write_mesh(solio.Mesh(), tmp_path / "mesh.xyz")
    assert caught.value.hint


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "mesh.obj"
    path.write_text("old")
    mesh = solio.Mesh.from_arrays([[0, 0, float("nan")]])
    with pytest.raises(solio.Error):
        solio.write_mesh(mesh, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["mesh.obj"]


def test_unknown_options_are_refused(grid: solio.Mesh) -> None:
    with pytest.raises(TypeError, match="colour"):
        solio.encode_mesh(grid, "obj", colour=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="up_axis"):
        solio.encode_mesh(grid, "obj", up_axis="W")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        solio.encode_mesh(grid, "obj", export_uv="yes")  # type: ignore[arg-type]


def test_wrong_values_are_our_errors(grid: solio.Mesh, tmp_path: Path) -> None:
    plane = np.zeros((4, 5), np.float32)
    image = solio.encode_image(plane)
    gradient = solio.color.Gradient("red, blue")
    bad = solio.Mesh.from_arrays(np.eye(3), colors=np.ones((3, 4)), color_space="x")  # type: ignore[arg-type]
    wrong: list[Callable[[], object]] = [
        lambda: solio.read_mesh(b"", format="obj", threads=-1),
        lambda: solio.encode_mesh(grid, "obj", threads=-1),
        lambda: solio.encode_mesh(grid, "obj", up_axis="W"),  # type: ignore[arg-type]
        lambda: solio.encode_mesh(bad, "ply"),
        lambda: solio.encode_image(plane, compression="bad"),
        lambda: solio.encode_image(plane, line_order="x"),  # type: ignore[arg-type]
        lambda: solio.encode_image(plane, tiles=(-1, 4)),
        lambda: solio.read_image(image, part=-1),
        lambda: solio.read_image(image, level="x"),  # type: ignore[arg-type]
        lambda: solio.read_image(image, window=(1, 2, 3)),  # type: ignore[arg-type]
        lambda: solio.read_header(image, max_bytes=-1),
        lambda: solio.read_image(image, out=np.zeros((4, 5, 1), ">f4")),
        lambda: solio.read_image(image, out=np.zeros((4, 5, 1), np.float64)),
        lambda: solio.read_image(image, out=np.zeros((5, 4, 1), np.float32).T.reshape(4, 5, 1)[::-1]),
        lambda: solio.read_image(image, out={"Y": plane.tolist()}),  # type: ignore[dict-item]
        lambda: solio.io.Reader(memory=-1),
        lambda: solio.io.Reader().read([solio.io.Request("a", -1)]),
        lambda: solio.write_array(plane, tmp_path / "a", threads=-1),
        lambda: solio.color.convert([[1.0, 0, 0]], "srgb", "oklab", threads=-1),
        lambda: gradient.apply(plane, threads=-1),
        lambda: gradient.non_uniformity(samples=-1),
        lambda: solio.thumbnail("a.jpg", -1),
        lambda: solio.unused(-1, []),
    ]
    for number, call in enumerate(wrong):
        with pytest.raises(solio.ArgumentError):
            print(number, call())
    with pytest.raises(solio.ArgumentError, match="dwab, htj2k256, htj2k32, lj2k, zstd$"):
        solio.encode_image(plane, compression="bad")
    assert solio.read_image(image, part=np.int64(0), level=np.int64(0)).width == 5  # type: ignore[arg-type]


def test_limits_are_kept() -> None:
    with pytest.raises(solio.LimitError):
        solio.read_mesh(b"v 0 0 0\n" * 100, format="obj", max_elements=10)


def test_what_is_not_wanted_is_left_out(tmp_path: Path) -> None:
    text = (
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\nproperty float quality\nend_header\n"
        "1 2 3 0 0 1 0.5\n"
    )
    path = tmp_path / "a.ply"
    path.write_text(text)
    whole, part = solio.read_mesh(path), solio.read_mesh(path, skip=["normals", "attributes"])
    assert whole.normals is not None and len(whole.attributes) == 1
    assert part.normals is None and not part.attributes
    assert part.positions.tolist() == [[1, 2, 3]]
    with pytest.raises(ValueError, match="known: normals, uvs, colors, attributes"):
        solio.read_mesh(path, skip=["normal"])  # type: ignore[list-item]
