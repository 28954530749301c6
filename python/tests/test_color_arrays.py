"""Arrays of colours, and gradients, from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import pytest
import solio
from solio.color import Gradient

RANDOM = np.random.default_rng(7)


def test_types_shapes_and_places() -> None:
    floats = RANDOM.random((5, 7, 3), np.float32)
    lab = solio.color.convert(floats, "srgb", "oklab")
    assert lab.dtype == np.float32 and lab.shape == floats.shape
    exact = solio.color.convert(floats.astype(np.float64), "srgb", "oklab")
    assert exact.dtype == np.float64 and np.abs(exact - lab).max() < 1e-6
    red = np.array(solio.color.parse("red").to("oklab").components, np.float64)
    assert np.allclose(solio.color.convert([1.0, 0.0, 0.0], "srgb", "oklab"), red, atol=1e-12)
    codes = (floats * 255).astype(np.uint8)
    again = solio.color.convert(solio.color.convert(codes, "srgb", "oklab"), "oklab", "srgb", out=codes.copy())
    assert (again == codes).all() and again.dtype == np.uint8
    halves = floats.astype(np.float16)
    assert solio.color.convert(halves, "srgb", "srgb-linear").dtype == np.float16
    four = np.concatenate([floats, floats[..., :1]], -1)
    assert (solio.color.convert(four, "srgb", "oklab")[..., 3] == floats[..., 0]).all()


def test_in_place_and_into_views() -> None:
    floats = RANDOM.random((40, 3), np.float32)
    want = solio.color.convert(floats, "srgb", "xyz")
    same = floats.copy()
    assert solio.color.convert(same, "srgb", "xyz", out=same) is same
    assert (same == want).all()
    room = np.zeros((40, 6), np.float32)
    solio.color.convert(floats, "srgb", "xyz", out=room[:, ::2])
    assert (room[:, ::2] == want).all() and (room[:, 1::2] == 0).all()
    shifted = np.zeros((41, 3), np.float32)
    shifted[1:] = floats
    solio.color.convert(shifted[1:], "srgb", "xyz", out=shifted[:-1])
    assert (shifted[:-1] == want).all()
    into: npt.NDArray[np.float64] = np.zeros((40, 3))
    solio.color.convert(floats, "srgb", "xyz", out=into)
    assert np.abs(into - want).max() < 1e-6
    wide = solio.color.convert(floats.astype(np.float64), "srgb", "xyz", out=np.zeros((40, 3), np.uint8))
    assert np.abs(wide / 255 - want.clip(0, 1)).max() <= 0.5001 / 255


@pytest.mark.parametrize(
    ("array", "more"),
    [
        (np.zeros(2, np.float32), {}),
        (np.zeros((3, 5), np.float32), {}),
        (np.zeros(()), {}),
        (np.zeros((2, 3), np.complex128), {}),
        (np.zeros((2, 3), np.int64), {}),
        (np.zeros((2, 3), np.uint32), {}),
        (np.zeros((2, 3), np.float32), {"out": np.zeros((3, 3), np.float32)}),
        (np.zeros((2, 3), np.float32), {"out": np.zeros((2, 3), np.int32)}),
    ],
)
def test_what_cannot_be_is_told(array: npt.NDArray[Any], more: dict[str, Any]) -> None:
    with pytest.raises(solio.Error):
        solio.color.convert(array, "srgb", "oklab", **more)


def test_unknown_spaces_and_read_only_outputs_are_told() -> None:
    pixels = np.zeros((2, 3), np.float32)
    with pytest.raises(solio.Error, match="sRGB2"):
        solio.color.convert(pixels, "sRGB2", "oklab")
    fixed = np.zeros((2, 3), np.float32)
    fixed.flags.writeable = False
    with pytest.raises(solio.Error):
        solio.color.convert(pixels, "srgb", "oklab", out=fixed)


def test_gradients() -> None:
    gradient = Gradient("red, lime 40%, blue")
    assert_type(gradient, Gradient)
    assert [place for place, _ in gradient.stops] == [0.0, 0.4, 1.0]
    same = Gradient([(0, "red"), (0.4, "lime"), (1, solio.color.parse("blue"))])
    places = np.linspace(-0.1, 1.1, 200).reshape(4, 50)
    colors = gradient.sample(places)
    assert colors.shape == (4, 50, 4) and (colors == same.sample(places)).all()
    assert gradient.sample(0.4) == pytest.approx([0, 1, 0, 1], abs=1e-5)
    middle = solio.color.mix("red", "lime", 0.5).to("srgb").components
    assert gradient.sample(0.2)[:3] == pytest.approx(middle)
    clear = Gradient("red, blue", alphas=[(0, 1), (1, 0)], mode="srgb")
    assert clear.sample(0.5) == pytest.approx([0.5, 0, 0.5, 0.5])
    assert Gradient("#808080, white", keys="linear").sample(0)[0] == pytest.approx(0.7366, abs=1e-3)
    assert (gradient.sample(np.nan) == 0).all()
    even = Gradient("black, white", mode="oklab").non_uniformity()
    assert even == pytest.approx(0.25, abs=0.01)
    for wrong in ("rde", ""):
        with pytest.raises(solio.Error):
            Gradient(wrong)
    with pytest.raises(solio.Error, match="sideways"):
        Gradient("red, blue", mode="sideways")


@pytest.mark.parametrize("count", [1, 100_000])
def test_ends_of_ranges_are_those_of_gradients(count: int) -> None:
    gradient = Gradient("red, lime 50%, blue", mode="hold")
    for end in (41, 47, 55, 61, 82, 83, 97):
        found = gradient.apply(np.full(count, end, np.float32), range=(0, end))
        assert (found == [0, 0, 255, 255]).all()
        exact = np.empty((count, 4), np.float32)
        gradient.apply(np.full(count, end, np.float32), range=(0, end), out=exact)
        assert np.abs(exact - [0, 0, 1, 1]).max() < 1e-4


@pytest.mark.parametrize("count", [1, 100_000])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_ranges_without_a_width_are_refused(count: int, dtype: npt.DTypeLike) -> None:
    gradient, values = Gradient("red, blue"), np.zeros(count, np.float32)
    out: npt.NDArray[Any] = np.zeros((count, 4), dtype)
    for wrong in ((-3e38, 3e38), (0, np.nan), (-np.inf, 0), (0, 1e39)):
        with pytest.raises(solio.ArgumentError, match="no width"):
            gradient.apply(values, range=wrong, out=out)
    gradient.apply(values, range=(-1e38, 1e38), out=out)


@pytest.mark.parametrize("count", [1000, 100_000])
def test_gradients_of_arrays(count: int) -> None:
    gradient = Gradient.named("turbo")
    values = (RANDOM.random(count, np.float32) * 1.2 - 0.1) * 50
    values[3] = np.nan
    scaled = values / np.float32(50)
    want = np.floor(gradient.sample(scaled).clip(0, 1) * 255 + 0.5).astype(np.uint8)
    found = gradient.apply(values, range=(0, 50))
    assert found.dtype == np.uint8 and (found == want).all()
    three = gradient.apply(values, range=(0, 50), channels=3)
    assert (three == want[:, :3]).all()
    floats = gradient.apply(values, range=(0, 50), out=np.zeros((count, 4), np.float32))
    assert np.abs(floats - gradient.sample(scaled)).max() < 1e-4
    view = np.zeros((count, 8), np.uint8)
    gradient.apply(values, range=(0, 50), out=view[:, ::2])
    assert (view[:, ::2] == want).all()
    with pytest.raises(solio.Error):
        gradient.apply(values, out=np.zeros((count, 3), np.float32))


def test_names_of_gradients() -> None:
    assert Gradient.named("viridis").apply(1.0).tolist() == [253, 231, 37, 255]
    assert "rainbow" in repr(Gradient.named("rainbow", "oklch longer"))
    with pytest.raises(solio.Error, match="jet"):
        Gradient.named("jet")


def test_how_many_samples_evenness_takes() -> None:
    gradient = Gradient.named("viridis")
    assert 0 < gradient.non_uniformity(samples=1000) < 1
    for samples in (10**9, 2**64 - 1):
        with pytest.raises(solio.ArgumentError, match="samples"):
            gradient.non_uniformity(samples=samples)


def test_files_of_gradients(tmp_path: Path) -> None:
    gradient = Gradient("red, lime 40%, blue", mode="oklch longer", alphas=[(0, 1), (1, 0.5)])
    path = tmp_path / "a.json"
    assert gradient.write(path) == []
    (again,) = Gradient.read(path)
    assert (again.stops, again.alphas, again.mode) == (gradient.stops, gradient.alphas, gradient.mode)
    assert (again.sample(np.linspace(0, 1)) == gradient.sample(np.linspace(0, 1))).all()
    assert Gradient("red, lime, blue", mode="smooth").write(tmp_path / "a.css") != []
    (tmp_path / "b.css").write_text("linear-gradient(in srgb, red, bleu)")
    with pytest.raises(solio.Error, match=r"b\.css:1"):
        Gradient.read(tmp_path / "b.css")
    two = tmp_path / "two.css"
    two.write_text("a { --a: linear-gradient(red, bleu);\n --b: linear-gradient(red, blue) }")
    with pytest.warns(UserWarning, match=r'two\.css:1.*gradient "a"'):
        (good,) = Gradient.read(two)
    assert good.name == "b"
    with pytest.raises(solio.Error, match=r"two\.css:1"):
        Gradient.read(two, strict=True)


@pytest.mark.parametrize("kind", ["u2", "f2", "f4", "f8"])
def test_the_order_of_bytes_changes_nothing(kind: str) -> None:
    values = (RANDOM.random((50, 3)) * (60000 if kind == "u2" else 1)).astype(kind)
    expected = solio.color.convert(values, "srgb", "oklab")
    big = values.astype(f">{kind}")
    assert np.array_equal(solio.color.convert(big, "srgb", "oklab"), expected)
    for to in ["u2", "f2", "f4", "f8"]:
        outs = [np.empty((50, 3), f"{order}{to}") for order in "<>"]
        for out in outs:
            solio.color.convert(values, "srgb", "oklab", out=out)
        assert np.array_equal(outs[0], outs[1]), to
    if kind != "u2":
        assert solio.color.convert(big, "srgb", "oklab", out=big) is big
        assert np.array_equal(big, expected)
    outs = [np.empty((50, 4), f"{order}f4") for order in "<>"]
    for out in outs:
        Gradient.named("viridis").apply(values[:, 0], range=(0, 1), out=out)
    assert np.array_equal(outs[0], outs[1])


def test_values_of_wrong_types_are_told() -> None:
    wrong: Any
    for wrong in [1, ("srgb", (1, 1, 1), 1)]:
        with pytest.raises(TypeError, match="a colour is"):
            solio.color.mix(wrong, "red")
    wrong = [1]
    with pytest.raises(TypeError, match="out is an array"):
        Gradient("red, lime").apply([0.5], out=wrong)
    wrong = ["red", "lime"]
    with pytest.raises(TypeError, match="stops are"):
        Gradient(wrong)
    out = np.empty((5, 6), np.float32)[:, ::2]
    out.flags.writeable = False
    with pytest.raises(solio.ArgumentError, match="read-only"):
        solio.color.convert(np.zeros((5, 3)), "srgb", "oklab", out=out)
