"""Images in another size, flat, put together, taken apart and compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import solio
from solio.image import compare, flatten, join, mipmap, resize, select_view, split


def image(height: int = 16, width: int = 24) -> solio.Image:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    channels = {
        "R": (x / width).astype(np.float16),
        "G": (y / height).astype(np.float16),
        "B": np.full((height, width), 0.25, np.float16),
        "Z": x + 100 * y,
        "id": (x + 100 * y).astype(np.uint32),
    }
    return solio.Image([solio.Part(channels, attributes={"owner": "me"})])


def test_another_size() -> None:
    before = image()
    after = resize(before, "50%")
    assert after["R"].shape == (8, 12)
    assert after["R"].dtype == np.float16
    assert after["id"].dtype == np.uint32
    assert after.attributes["owner"] == "me"
    assert np.all(after["B"] == 0.25)
    # Ids and depth are those of pixels, no means.
    assert np.array_equal(after["Z"], after["id"].astype(np.float32))
    assert np.isin(after["id"], before["id"]).all()
    means = before["R"].astype(np.float32).reshape(8, 2, 12, 2).mean((1, 3))
    box = resize(before, (12, 0), filter="box")["R"]
    assert np.allclose(box, means, atol=1e-3)
    assert resize(before, (0, 32))["R"].shape == (32, 48)
    filtered = resize(before, "50%", nearest=[])["Z"]
    assert not np.isin(filtered, before["Z"]).all()


@pytest.mark.parametrize("size", ["", "50", "0%", (0, 0), "x"])
def test_sizes_that_are_none(size: str | tuple[int, int]) -> None:
    with pytest.raises(solio.ArgumentError):
        resize(image(), size)


def test_bad_wishes() -> None:
    with pytest.raises(solio.ArgumentError, match="lanczos3"):
        resize(image(), "50%", filter="nearest")
    with pytest.raises(solio.ArgumentError, match="no channel"):
        resize(image(), "50%", nearest=["Q"])
    with pytest.raises(solio.LimitError):
        resize(image(), "1000000x1000000", max_bytes=1 << 20)
    with pytest.raises(solio.ArgumentError):
        resize("a.exr", "50%")  # type: ignore[arg-type]


def test_deep_images_become_flat(tmp_path: Path) -> None:
    counts = np.array([[2, 0]], np.uint32)
    channels = {
        "A": np.array([1, 0.5], np.float32),
        "R": np.array([0.8, 0.1], np.float32),
        "Z": np.array([7, 1], np.float32),
    }
    deep = solio.Image([solio.Part(channels, counts=counts)])
    with pytest.raises(solio.UnsupportedError, match="flat"):
        resize(deep, "50%")
    flat = flatten(deep)
    assert np.allclose(flat["R"], [[0.5, 0]])
    assert np.allclose(flat["A"], [[1, 0]])
    assert np.allclose(flat["Z"], [[1, 1e30]])
    solio.write_image(flat, tmp_path / "flat.exr")
    assert solio.read_image(tmp_path / "flat.exr")["Z"][0, 0] == 1


def test_levels(tmp_path: Path) -> None:
    made = mipmap(image(), tile=(32, 32))
    shapes = [level.channels["R"].shape for level in made.parts[0].levels]
    assert shapes == [(16, 24), (8, 12), (4, 6), (2, 3), (1, 1)]
    solio.write_image(made, tmp_path / "mip.exr")
    again = solio.read_image(tmp_path / "mip.exr", level="all")
    assert len(again.parts[0].levels) == 5
    assert resize(again, "50%")["R"].shape == (8, 12)


def test_together_and_apart(tmp_path: Path) -> None:
    key, fill = image(), image()
    both = join({"": key, "fill": fill})
    assert "R" in both.channels and "fill.R" in both.channels
    pieces = split(both)
    assert list(pieces) == ["rgba", "fill"]
    assert np.array_equal(pieces["fill"]["id"], fill["id"])
    parts = join({"key": key, "fill": fill}, by="parts")
    assert [str(part.attributes["name"]) for part in parts.parts] == ["key", "fill"]
    assert list(split(parts, by="parts")) == ["key", "fill"]
    stereo = join({"left": key, "right": fill}, by="views")
    solio.write_image(stereo, tmp_path / "stereo.exr")
    right = select_view(solio.read_image(tmp_path / "stereo.exr"), "right")
    assert len(right.parts) == 1
    with pytest.raises(solio.ArgumentError, match="left, right"):
        select_view(stereo, "middle")
    with pytest.raises(solio.ArgumentError):
        join({})
    with pytest.raises(solio.ArgumentError, match="layers, parts, views"):
        split(key, by="colours")  # type: ignore[arg-type]


def test_how_far_images_are_from_each_other(tmp_path: Path) -> None:
    first, second = image(), image()
    assert compare(first, second).verdict == "same"
    second["R"][3, 5] += np.float16(0.25)
    found = compare(first, second, heat=True, flip=True)
    assert (found.verdict, found.beyond_fail) == ("different", 1)
    red = next(channel for channel in found.channels if channel.name == "R")
    assert red.at == (5, 3)
    assert red.largest == pytest.approx(0.25, abs=1e-3)
    assert found.heat[0].shape == (16, 24)
    assert found.heat[0].argmax() == 3 * 24 + 5
    assert found.flip is not None and 0 < found.flip.mean < 0.1
    assert compare(first, second, fail=1, warn=1).verdict == "same"
    assert compare(first, second, fail=1).verdict == "warning"
    paths = [tmp_path / "first.exr", tmp_path / "second.exr"]
    for path, each in zip(paths, (first, second), strict=True):
        solio.write_image(each, path)
    assert compare(*paths).channels == found.channels
    assert compare(paths[0], first).verdict == "same"
    with pytest.raises(solio.ArgumentError):
        compare(first, second, flip=0.0)
    with pytest.raises(solio.IoError):
        compare(paths[0], tmp_path / "none.exr")
