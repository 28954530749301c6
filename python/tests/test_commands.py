"""Commands as functions, errors by their kind, and calls beside an event loop."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import solio
import solio.aio


def triangle(path: Path) -> Path:
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return path


def test_info_is_what_the_command_prints(tmp_path: Path) -> None:
    found = solio.info(triangle(tmp_path / "a.obj"))
    assert (found["schema"], found["faces"]) == ("solio/info-mesh/1", 1), found
    with pytest.raises(FileNotFoundError) as caught:
        solio.info(tmp_path / "none.obj")
    assert caught.value.path == str(tmp_path / "none.obj") and caught.value.hint  # type: ignore[attr-defined]


def test_convert_writes_and_tells_losses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = triangle(tmp_path / "-a.obj")
    done = solio.convert(source, tmp_path / "b.ply", ascii=True)
    assert done.code == 0 and not done.failed
    assert (tmp_path / "b.ply").read_bytes().startswith(b"ply\nformat ascii")
    (tmp_path / "colored.obj").write_text("v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nf 1 2 3\n")
    lost = solio.convert(tmp_path / "colored.obj", tmp_path / "c.stl")
    assert any("color" in note for note in lost.notes) or lost.rows[0]["losses"], lost
    with pytest.raises(solio.Error):
        solio.convert(tmp_path / "colored.obj", tmp_path / "d.stl", strict_loss=True)
    assert not (tmp_path / "d.stl").exists()
    # Nothing is printed past the caller.
    assert capfd.readouterr() == ("", "")


def test_several_inputs_go_past_a_bad_one(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "bad.ply").write_text("ply\nnonsense\n")
    inputs = [triangle(tmp_path / "a.obj"), tmp_path / "bad.ply", triangle(tmp_path / "c.obj")]
    done = solio.convert(inputs, tmp_path / "out", format="stl")
    assert (done.code, len(done.rows), len(done.failed)) == (1, 2, 1)
    assert isinstance(done.failed[0], solio.FormatError) and done.failed[0].path == str(tmp_path / "bad.ply")
    assert sorted(os.listdir(tmp_path / "out")) == ["a.stl", "c.stl"]


def test_wrong_words_are_raised(tmp_path: Path) -> None:
    source = triangle(tmp_path / "a.obj")
    with pytest.raises(solio.ArgumentError, match="--no-such-option"):
        solio.convert(source, tmp_path / "b.ply", no_such_option=True)
    with pytest.raises(solio.ArgumentError, match="standard output"):
        solio.convert(source, "-", format="ply")
    with pytest.raises(solio.ArgumentError):
        solio.command("no-such-command", source)
    with pytest.raises(solio.ArgumentError, match="standard output"):
        solio.command("exiftool", source)


def test_previews_are_png_files(tmp_path: Path) -> None:
    source = triangle(tmp_path / "a.obj")
    made = solio.preview(source, size=32)
    assert made.startswith(b"\x89PNG\r\n") and made[16:24] == (32).to_bytes(4, "big") * 2
    mesh = solio.read_mesh(source)
    assert mesh._repr_png_().startswith(b"\x89PNG")
    scene = tmp_path / "s.pbrt"
    scene.write_text('Camera "perspective"\nWorldBegin\nShape "sphere"\n')
    assert solio.preview(scene, size=16).startswith(b"\x89PNG")


def test_catalogues_and_sheets(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    triangle(folder / "a.obj")
    solio.command("scan", folder, output=tmp_path / "c.sqlite")
    assert solio.query(tmp_path / "c.sqlite", "SELECT name FROM files") == [{"name": "a.obj"}]
    solio.write_image({"R": np.ones((4, 4), np.float16)}, folder / "a.exr")
    solio.sheet(folder, tmp_path / "sheet.html")
    assert "a.exr" in (tmp_path / "sheet.html").read_text()


def test_threads_take_turns(tmp_path: Path) -> None:
    files = [triangle(tmp_path / f"{i}.obj") for i in range(8)]
    found: dict[Path, int] = {}

    def look(path: Path) -> None:
        found[path] = solio.info(path)["faces"]

    threads = [threading.Thread(target=look, args=[path]) for path in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(files, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="folders are opened otherwise there")
def test_errors_are_those_of_python(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        solio.read_mesh(tmp_path / "file" / "a.obj")
    with pytest.raises(IsADirectoryError) as caught:
        solio.read_mesh(tmp_path)
    assert isinstance(caught.value, solio.IsFolderError) and caught.value.path == str(tmp_path)
    with pytest.raises(FileNotFoundError):
        solio.write_mesh(solio.read_mesh(triangle(tmp_path / "a.obj")), tmp_path / "none" / "b.ply")


def test_calls_leave_the_loop_free(tmp_path: Path) -> None:
    files = [triangle(tmp_path / f"{i}.obj") for i in range(4)]

    async def main() -> tuple[list[int], int]:
        turns = 0

        async def turn() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        turning = asyncio.create_task(turn())
        meshes = await asyncio.gather(*map(solio.aio.read_mesh, files))
        infos = await asyncio.gather(*map(solio.aio.info, files))
        turning.cancel()
        return [mesh.face_count for mesh in meshes] + [found["faces"] for found in infos], turns

    counts, turns = asyncio.run(main())
    assert counts == [1] * 8 and turns > 1


def test_meshes_go_to_other_packages(tmp_path: Path) -> None:
    mesh = solio.read_mesh(_quad_and_triangle(tmp_path))
    assert mesh.vertices is mesh.positions
    bounds = mesh.bounds
    assert bounds is not None and bounds.tolist() == [[0, 0, 0], [2, 1, 3]]
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]
    assert solio.Mesh().bounds is None and solio.Mesh().triangles.shape == (0, 3)


def _quad_and_triangle(folder: Path) -> Path:
    path = folder / "two.obj"
    path.write_text("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 3\nf 1 2 3 4\nf 1 2 5\n")
    return path


def test_trimesh(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    made = solio.read_mesh(_quad_and_triangle(tmp_path)).to_trimesh()
    assert made.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]] and len(made.vertices) == 5


def test_pyvista(tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    made = solio.read_mesh(_quad_and_triangle(tmp_path)).to_pyvista()
    assert (made.n_points, made.n_cells, made.faces.tolist()) == (5, 2, [4, 0, 1, 2, 3, 3, 0, 1, 4])


def test_nothing_to_show_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(solio.Error):
        solio.info(tmp_path / "none.####.exr")
    with pytest.raises(solio.Error):
        solio.preview(tmp_path / "none.####.exr")
    # Where it goes is not the caller's affair.
    made = solio.preview(triangle(tmp_path / "a.obj"), size=16, output=tmp_path / "a.png")
    assert made.startswith(b"\x89PNG") and not (tmp_path / "a.png").exists()
    turned = solio.convert(tmp_path / "a.obj", tmp_path / "b.obj", up_axis="Z", forward_axis="Y")
    assert turned.code == 0
