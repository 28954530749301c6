"""TIFF files of many kinds, read by tifffile or Pillow and by ``solio convert --raw``."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import solio

tifffile = pytest.importorskip("tifffile", reason="tifffile from PyPI is not installed")
Pillow = pytest.importorskip("PIL.Image", reason="Pillow from PyPI is not installed")

COMMAND = shutil.which(os.environ.get("SOLIO_COMMAND", "solio"))
Samples = npt.NDArray[Any]


def by_us(path: Path) -> Samples:
    """Rows, columns and channels: codes from 0 to 1, floats as they are."""
    if not COMMAND:
        pytest.skip("skipped: SOLIO_COMMAND names no command, and there is none on PATH")
    made = path.with_suffix(".exr")
    words = [COMMAND, "convert", str(path), "-o", str(made), "--raw", "--float"]
    subprocess.run(words, check=True, capture_output=True)
    image = solio.read_image(made)
    names = [name for name in ("Y", "R", "G", "B", "A") if name in image.channels]
    return np.stack([image.channels[name] for name in names], axis=-1).astype(np.float64)


def same(path: Path, expected: Samples, codes: float | None) -> None:
    """``codes``: the largest of integers; floats are compared as they are."""
    ours = by_us(path)
    theirs = expected.astype(np.float64)
    theirs = theirs[..., None] if theirs.ndim == 2 else theirs
    assert ours.shape == theirs.shape
    if codes is None:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    elif codes <= 65535:
        np.testing.assert_array_equal(np.rint(ours * codes), theirs)
    else:
        np.testing.assert_allclose(ours, theirs / codes, rtol=1e-6, atol=1e-9)


def samples(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Samples:
    random = np.random.default_rng(11)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return (random.random(shape) * 4).astype(kind)
    return random.integers(0, np.iinfo(kind).max, shape, kind, endpoint=True)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(19, 23), (19, 23, 3)])
@pytest.mark.parametrize("options", [{}, {"byteorder": ">"}, {"bigtiff": True}, {"tile": (16, 16)}])
def test_types_orders_and_tiles(
    tmp_path: Path, dtype: str, shape: tuple[int, ...], options: dict[str, Any]
) -> None:
    path = tmp_path / "a.tif"
    kind = "rgb" if len(shape) == 3 else "minisblack"
    tifffile.imwrite(path, samples(shape, dtype), photometric=kind, **options)
    read = tifffile.imread(path)
    same(path, read, None if read.dtype.kind == "f" else float(np.iinfo(read.dtype).max))


@pytest.mark.parametrize("compression", ["zlib", "lzw", "packbits", "zstd"])
@pytest.mark.parametrize("predictor", [False, True])
def test_compressions(tmp_path: Path, compression: str, predictor: bool) -> None:
    if predictor and compression == "packbits":
        pytest.skip("skipped: PackBits has no predictor")
    for dtype in ("uint8", "uint16"):
        path = tmp_path / f"{dtype}.tif"
        pytest.importorskip("imagecodecs", reason="imagecodecs from PyPI is not installed")
        given = samples((21, 17, 3), dtype)
        tifffile.imwrite(
            path, given, photometric="rgb", compression=compression, predictor=predictor
        )
        same(path, tifffile.imread(path), float(np.iinfo(dtype).max))


def test_planes_inverted_greys_and_alpha(tmp_path: Path) -> None:
    path = tmp_path / "planes.tif"
    planes = samples((3, 14, 9), "uint16")
    tifffile.imwrite(path, planes, photometric="rgb", planarconfig="separate")
    same(path, np.moveaxis(tifffile.imread(path), 0, -1), 65535)
    path = tmp_path / "white.tif"
    tifffile.imwrite(path, samples((14, 9), "uint8"), photometric="miniswhite")
    same(path, 255 - tifffile.imread(path), 255)
    path = tmp_path / "alpha.tif"
    given = samples((14, 9, 4), "uint8")
    tifffile.imwrite(path, given, photometric="rgb", extrasamples=["unassalpha"])
    same(path, tifffile.imread(path), 255)


@pytest.mark.parametrize("mode", ["1", "P", "L", "RGB", "RGBA", "I;16"])
def test_what_pillow_writes(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.tif"
    if mode == "I;16":
        picture = Pillow.fromarray(samples((13, 31), "uint16"))
    else:
        picture = Pillow.fromarray(samples((13, 31, 3), "uint8")).convert(mode)
    picture.save(path)
    read = Pillow.open(path)
    plain = {"1": "L", "P": "RGB"}.get(mode)
    same(path, np.asarray(read.convert(plain) if plain else read), 65535 if mode == "I;16" else 255)


def test_resolutions_give_the_shape_of_pixels(tmp_path: Path) -> None:
    for across, down, aspect in [(300, 150, 0.5), (72, 144, 2.0), (300, 300, 1.0)]:
        path = tmp_path / "a.tif"
        tifffile.imwrite(path, samples((8, 8), "uint8"), resolution=(across, down))
        by_us(path)
        header = solio.read_header(path.with_suffix(".exr"))
        assert header.parts[0].attributes["pixelAspectRatio"] == aspect
