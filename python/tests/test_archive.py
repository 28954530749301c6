"""Archives of images and files of arrays: there and back, parts of them, what goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import solio


def frames(folder: Path, count: int = 3) -> list[Path]:
    """A sequence of small frames."""
    folder.mkdir()
    y, x = np.mgrid[0:70, 0:90].astype(np.float32)
    paths = []
    for frame in range(count):
        wave = np.sin((x + frame) / 9) * np.cos(y / 5)
        planes = {name: (wave * k).astype(np.float16) for k, name in enumerate("RGB", 1)}
        path = folder / f"a.{frame:04}.exr"
        solio.write_image(
            {**planes, "Z": x * y + frame}, path, attributes={"owner": str(frame)}, compression="zip"
        )
        paths.append(path)
    return paths


def test_images_come_back(tmp_path: Path) -> None:
    paths = frames(tmp_path / "in")
    whole = sum(path.stat().st_size for path in paths)
    for exact in [False, True]:
        output = tmp_path / "a.solio"
        packed = solio.pack_images(paths, output, exact=exact)
        assert (packed.images, packed.image_bytes, packed.failed) == (3, whole, [])
        assert packed.file_bytes == output.stat().st_size < whole
        archive = solio.open_archive(output)
        assert [entry.name for entry in archive] == [path.name for path in paths]
        assert all(entry.exact == exact and entry.kind == "exr" for entry in archive)
        for path in paths:
            image, direct = archive.read_image(path.name), solio.read_image(path)
            assert list(image.channels) == list(direct.channels)
            for name in direct.channels:
                assert image[name].tobytes() == direct[name].tobytes()
            assert image.attributes["owner"] == direct.attributes["owner"]
            assert archive.read_header(path.name).attributes == direct.attributes
            if exact:
                assert archive.read_file(path.name) == path.read_bytes()
        some = archive.read_image(-1, channels="Z", window=(3, 4, 10, 11))
        assert some["Z"].shape == (8, 8)
        extracted = archive.extract(tmp_path / f"out {exact}", ["a.0001.exr"])
        assert [name for name, _ in extracted] == ["a.0001.exr"]
        back = solio.read_image(tmp_path / f"out {exact}" / "a.0001.exr")
        assert back["R"].tobytes() == solio.read_image(paths[1])["R"].tobytes()


def test_bad_images_are_passed_by(tmp_path: Path) -> None:
    paths = frames(tmp_path / "in", 2)
    (tmp_path / "in" / "b.exr").write_bytes(b"no image")
    packed = solio.pack_images([*paths, tmp_path / "in" / "b.exr"], tmp_path / "a.solio")
    assert packed.images == 2
    [(path, error)] = packed.failed
    assert path.endswith("b.exr") and isinstance(error, solio.Error)


SHAPES: list[tuple[int, ...]] = [(), (0,), (5,), (1000, 3), (40, 50), (30, 40, 4), (2, 3, 0, 5)]


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "f2", "f4", "f8", ">f4"])
def test_arrays_come_back(tmp_path: Path, dtype: str) -> None:
    random = np.random.default_rng(1)
    arrays: dict[str, npt.NDArray[Any]] = {
        f"{shape}": (random.random(shape) * 250).astype(dtype) for shape in SHAPES
    }
    written = solio.write_array(arrays, tmp_path / "a.solio")
    assert written.file_bytes == (tmp_path / "a.solio").stat().st_size
    assert written.raw_bytes == sum(array.nbytes for array in arrays.values())
    archive = solio.open_archive(tmp_path / "a.solio")
    for name, array in arrays.items():
        back = archive.read_array(name)
        assert back.shape == array.shape and back.dtype == array.dtype.newbyteorder("=")
        assert np.array_equal(back, array)
    if dtype != ">f4":
        assert archive.entries[3][5:] == (np.dtype(dtype), (1000, 3))


def test_an_image_is_its_channels(tmp_path: Path) -> None:
    (path,) = frames(tmp_path / "in", 1)
    image = solio.read_image(path)
    solio.write_array(image, tmp_path / "a.solio")
    archive = solio.open_archive(tmp_path / "a.solio")
    assert [entry.name for entry in archive] == list(image)
    assert all(np.array_equal(archive.read_array(name), image[name]) for name in image)


def test_rows_of_an_array(tmp_path: Path) -> None:
    array = np.arange(900 * 700 * 4, dtype=np.uint16).reshape(900, 700, 4)
    solio.write_array(array, tmp_path / "a.solio", level="thorough", threads=1)
    for rows in [slice(10, 20), slice(150, 700), slice(-1, None), slice(5, 5), slice(7, 3)]:
        back = solio.read_array(tmp_path / "a.solio", rows=rows)
        assert np.array_equal(back, array[rows])
    with pytest.raises(solio.ArgumentError):
        solio.read_array(tmp_path / "a.solio", rows=slice(0, 10, 2))


def test_an_array_may_have_an_empty_name(tmp_path: Path) -> None:
    solio.write_array({"b": np.zeros(2), "": np.ones(2)}, tmp_path / "a.solio")
    assert solio.read_array(tmp_path / "a.solio", "").tolist() == [1, 1]
    solio.write_array({"b": np.zeros(2)}, tmp_path / "a.solio")
    with pytest.raises(solio.ArgumentError):
        solio.read_array(tmp_path / "a.solio", "")


def test_what_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "a.solio"
    with pytest.raises(solio.ArgumentError):
        solio.write_array(np.zeros(3, np.int64), path)
    assert not path.exists()
    solio.write_array({"a": np.zeros(3, np.uint8), "b": np.ones((2, 2))}, path)
    with pytest.raises(solio.ArgumentError):
        solio.read_array(path)
    with pytest.raises(solio.ArgumentError):
        solio.read_array(path, "c")
    with pytest.raises(solio.Error):
        solio.open_archive(path).read_image("a")
    damaged = bytearray(path.read_bytes())
    damaged[17] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(solio.CorruptError):
        solio.read_array(path, "a")
    assert np.array_equal(solio.read_array(path, "b"), np.ones((2, 2)))
    path.write_bytes(damaged[:-1])
    with pytest.raises(solio.CorruptError) as caught:
        solio.open_archive(path)
    assert caught.value.path == str(path)


def test_errors_of_images_name_the_archive(tmp_path: Path) -> None:
    solio.write_image({"Y": np.zeros((2, 2), np.float32)}, tmp_path / "a.exr")
    path = tmp_path / "a.solio"
    solio.pack_images([tmp_path / "a.exr"], path)
    with pytest.raises(solio.ArgumentError) as told:
        solio.open_archive(path).read_image(0, window=(9, 9, 9, 9))
    assert told.value.path == str(path)
