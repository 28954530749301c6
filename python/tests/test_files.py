"""Round trips, errors, and the number of threads."""

from __future__ import annotations

import gzip
from pathlib import Path

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
    assert isinstance(error, solio.IoError)
    assert (error.kind, error.errno) == ("io", 2)


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


def test_limits_are_kept() -> None:
    with pytest.raises(solio.LimitError):
        solio.read_mesh(b"v 0 0 0\n" * 100, format="obj", max_elements=10)
