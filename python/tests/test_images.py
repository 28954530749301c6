"""Images: there and back, what is chosen, what goes wrong."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import solio
from solio.image import Attributes, Box, Tiles

Planes = dict[str, npt.NDArray[Any]]

LOSSLESS = ["none", "rle", "zips", "zip", "piz", "zstd"]
LOSSY = ["pxr24", "b44", "b44a", "dwaa", "dwab"]


def planes(height: int = 37, width: int = 53, seed: int = 0) -> Planes:
    """A channel of each type, with smooth and with noisy places."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    smooth = np.sin(x / 7) * np.cos(y / 5)
    noise = random.standard_normal((height, width)).astype(np.float32) * (x > width / 2)
    return {
        "R": (smooth + noise).astype(np.float16),
        "G": (2 * smooth).astype(np.float16),
        "B": (1 - smooth).astype(np.float16),
        "A": np.ones((height, width), np.float16),
        "depth.Z": (100 + x * y + noise).astype(np.float32),
        "id": random.integers(0, 1 << 32, (height, width), np.uint32),
    }


def same(found: Planes, expected: Planes) -> None:
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].dtype == values.dtype, name
        assert found[name].tobytes() == values.tobytes(), name


@pytest.fixture
def layered(tmp_path: Path) -> Path:
    """Two parts, called left and right."""
    parts = [
        solio.Part(planes(seed=seed), name=name, attributes={"owner": name})
        for seed, name in enumerate(["left", "right"])
    ]
    path = tmp_path / "layered.exr"
    solio.write_image(parts, path)
    return path


@pytest.mark.parametrize("compression", LOSSLESS + LOSSY)
def test_every_method_there_and_back(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "a.exr"
    written = solio.write_image(planes(), path, compression=compression)
    assert written.files == [(str(path), path.stat().st_size)]
    image = solio.read_image(path)
    assert image.parts[0].compression == compression
    if compression in LOSSLESS:
        same(image.channels, planes())
    else:
        np.testing.assert_array_equal(image["id"], planes()["id"])
        np.testing.assert_allclose(image["B"], planes()["B"], atol=0.2)  # smooth
    assert solio.encode_image(planes(), compression=compression) == path.read_bytes()


def test_what_lossy_methods_do_is_counted(tmp_path: Path) -> None:
    """As ``solio convert`` counts it."""
    bright = np.full((64, 40), 0.5, np.float32)
    bright[3, :7] = 1e9
    path = tmp_path / "a.exr"
    written = solio.write_image({"Y": bright}, path, dtype="float16")
    assert [(loss.what, loss.count) for loss in written.losses] == [("range", 7)]
    assert np.isinf(solio.read_image(path).channels["Y"]).sum() == 7
    assert solio.write_image({"Y": bright}, path).losses == []
    half = np.full((64, 40), 0.01, np.float16)
    half[20:24, 20:24], half[40:42, 30:34] = 65504, np.inf
    before = np.isfinite(half)
    written = solio.write_image({"R": half, "G": half, "B": half}, path, compression="dwaa:90")
    after = np.stack([np.isfinite(plane) for plane in solio.read_image(path).channels.values()])
    became_infinite = int((before & ~after).sum())
    counted = sum(loss.count or 0 for loss in written.losses if "makes finite samples infinite" in loss.text)
    assert counted == became_infinite


def test_levels_of_compression() -> None:
    sizes = [len(solio.encode_image(planes(), compression=c)) for c in ("zip:1", "zip:9")]
    assert sizes[0] > sizes[1]
    for wrong in ("gif", "zip:x", "zip:", "zip:99", "zstd:nan", "piz:3", "none:1", "dwaa:-1", "dwaa:1e9"):
        with pytest.raises(ValueError, match=r"compression|level"):
            solio.encode_image(planes(), compression=wrong)
    with pytest.raises(solio.ArgumentError, match="write_image"):
        solio.Part(planes(), compression="zip:4")


def test_types_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    solio.write_image(planes(), path, dtype="float16")
    half = solio.read_image(path)
    assert half["depth.Z"].dtype == np.float16 and half["id"].dtype == np.uint32
    np.testing.assert_array_equal(half["depth.Z"], planes()["depth.Z"].astype(np.float16))
    full = solio.read_image(path, dtype=np.float32, channels=["RGBA", "depth"])
    assert {values.dtype.name for values in full.channels.values()} == {"float32"}
    np.testing.assert_array_equal(full["R"], planes()["R"].astype(np.float32))
    other: Planes = {"a": np.eye(3), "b": np.eye(3, dtype=np.uint8), "c": np.eye(3, dtype=">f2")}
    back = solio.read_image(solio.encode_image(other))
    assert [values.dtype.name for values in back.channels.values()] == [
        "float32",
        "uint32",
        "float16",
    ]
    for name, values in other.items():
        np.testing.assert_array_equal(back[name], values)
    for wrong in (np.eye(3, dtype=np.int32), np.eye(3, dtype=complex)):
        with pytest.raises(solio.ArgumentError, match="cannot hold"):
            solio.encode_image({"a": wrong})
    with pytest.raises(solio.ArgumentError, match="float64"):
        solio.read_image(path, dtype=np.float64)
    two = solio.encode_image([solio.Part(planes(), name=name) for name in "ab"])
    for image in (solio.read_image(two, dtype="float32"), full):
        np.testing.assert_array_equal(image["R"], planes()["R"].astype(np.float32))
        assert {channel.dtype for channel in image.parts[0].channel_list} == {"float32"}


def test_arrays_of_all_channels() -> None:
    pixels = np.random.default_rng(1).random((9, 7, 4), np.float32)
    image = solio.read_image(solio.encode_image(pixels))
    assert list(image) == ["R", "G", "B", "A"] and len(image) == 4 and "A" in image
    np.testing.assert_array_equal(np.asarray(image), pixels)
    np.testing.assert_array_equal(image.stack(["A", "R"]), pixels[..., [3, 0]])
    assert np.asarray(image, dtype=np.float16).dtype == np.float16
    np.testing.assert_array_equal(np.from_dlpack(image), pixels)
    assert image.__dlpack_device__() == (1, 0)
    np.testing.assert_array_equal(np.from_dlpack(image["R"]), pixels[..., 0])
    with pytest.raises(ValueError, match="copy"):
        np.asarray(image, copy=False)
    grey = solio.read_image(solio.encode_image(pixels[..., 0]))
    assert list(grey) == ["Y"] and np.asarray(grey).shape == (9, 7, 1)
    named = solio.encode_image(pixels[..., :2], names=["u", "v"])
    assert list(solio.read_image(named)) == ["u", "v"]
    with pytest.raises(solio.ArgumentError, match="names"):
        solio.encode_image(np.zeros((3, 3, 7), np.float32))
    with pytest.raises(KeyError, match="there are R, G, B, A"):
        image["Z"]


def test_channels_come_in_a_sensible_order(layered: Path) -> None:
    assert list(solio.read_image(layered)) == ["R", "G", "B", "A", "id", "depth.Z"]
    chosen = solio.read_image(layered, channels=["id", "BGR"], part=0)
    assert list(chosen) == ["id", "B", "G", "R"]
    assert np.asarray(chosen).dtype == np.float64  # holds all of float16 and uint32
    layers = solio.read_image(layered).layers
    assert list(layers) == ["", "depth"] and list(layers["depth"]) == ["Z"]


def test_parts(layered: Path) -> None:
    image = solio.read_image(layered)
    assert [part.name for part in image.parts] == ["left", "right"]
    same(image.part("right").channels, planes(seed=1))
    same(image.channels, planes(seed=0))
    assert image.part("right").attributes["owner"] == "right"
    for part in (1, "right", ["right"], [1]):
        one = solio.read_image(layered, part=part)
        assert [part.name for part in one.parts] == ["right"]
    with pytest.raises(solio.ArgumentError, match="middle") as caught:
        solio.read_image(layered, part="middle")
    assert caught.value.hint == "there are left, right" and caught.value.path == str(layered)
    with pytest.raises(solio.ArgumentError, match="no part 2"):
        solio.read_image(layered, part=2)
    with pytest.raises(solio.ArgumentError, match="Q"):
        solio.read_image(layered, channels="Q")
    with pytest.raises(KeyError, match="left, right"):
        image.part("middle")


def test_windows(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    solio.write_image(planes(), path, data_window=(-3, 10, 49, 46), display_window=(0, 0, 99, 99))
    image = solio.read_image(path, window=(0, 20, 9, 1000))
    assert image.data_window == Box(0, 20, 9, 46) and (image.width, image.height) == (10, 27)
    assert image.display_window == Box(0, 0, 99, 99)
    same(image.channels, {name: p[10:, 3:13] for name, p in planes().items()})
    with pytest.raises(solio.ArgumentError, match="outside"):
        solio.read_image(path, window=(100, 100, 110, 110))
    with pytest.raises(ValueError, match="window"):
        solio.read_image(path, window=(0, 0, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("compression", ["none", "zip", "piz"])
def test_out(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "a.exr"
    solio.write_image(planes(), path, compression=compression)
    pixels = np.zeros((37, 53, 4), np.float32)
    image = solio.read_image(path, channels="RGBA", out=pixels)
    for i, name in enumerate("RGBA"):
        np.testing.assert_array_equal(pixels[..., i], planes()[name])
    assert np.asarray(image) is pixels and np.shares_memory(image["G"], pixels)
    np.testing.assert_array_equal(np.from_dlpack(image), pixels)
    own: Planes = {"R": np.zeros((37, 53), np.float16), "id": np.zeros((37, 53), np.uint32)}
    image = solio.read_image(path, channels=["R", "id"], out=own)
    same(own, {name: planes()[name] for name in own})
    assert image["R"] is own["R"]
    # A part of a larger picture.
    large = np.full((60, 80), np.nan, np.float32)
    solio.read_image(path, channels="R", window=(5, 5, 24, 14), out={"R": large[10:20, 40:60]})
    np.testing.assert_array_equal(large[10:20, 40:60], planes()["R"][5:15, 5:25])
    assert np.isnan(large).sum() == 60 * 80 - 200


def test_out_has_to_fit(tmp_path: Path, layered: Path) -> None:
    path = tmp_path / "a.exr"
    solio.write_image(planes(), path)
    plane = np.zeros((37, 53), np.float32)
    over = np.zeros((37, 60), np.float32)
    wrong: list[Any] = [
        {"R": over[:, :53], "G": over[:, 7:], "B": plane, "A": plane.copy()},
        {name: plane for name in "RGBA"},
        {name: np.zeros((53, 37), np.float32).T for name in "RGBA"},
        {name: np.zeros((37, 53), np.float32)[::-1] for name in "RGBA"},
        np.zeros((37, 53, 8), np.float32)[..., ::2],
        np.zeros((37, 53, 4), ">f4"),
        np.zeros((37, 53, 4), np.float32, order="F"),
        np.zeros((37, 53, 3), np.float32),
        np.zeros((53, 37, 4), np.float32),
        {"R": plane},
        {name: plane[:9] for name in "RGBA"},
        {name: np.zeros((37, 53), np.int16) for name in "RGBA"},
        np.broadcast_to(np.zeros(4, np.float32), (37, 53, 4)),
    ]
    for out in wrong:
        with pytest.raises(ValueError, match="out"):
            solio.read_image(path, channels="RGBA", out=out)
    with pytest.raises(solio.ArgumentError, match="one flat part"):
        solio.read_image(layered, channels="RGBA", out=np.zeros((37, 53, 4), np.float32))


def test_tiles_and_levels(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    full = planes(40, 24)
    solio.write_image(full, path, tiles=(16, 16), line_order="random")
    image = solio.read_image(path)
    assert image.parts[0].tiles == Tiles(16, 16) and image.parts[0].line_order == "random"
    same(image.channels, full)
    solio.write_image(image, path, tiles=False, line_order="decreasing")
    assert solio.read_image(path).parts[0].kind == "scanlineimage"

    smaller = [{n: p[: 40 >> i or 1, : 24 >> i or 1] for n, p in full.items()} for i in range(1, 6)]
    part = solio.Part(full, tiles=Tiles(16, 16, "mipmap"), levels=smaller)
    solio.write_image(part, path, compression="piz")
    image = solio.read_image(path, level="all")
    assert [(level.x, level.y) for level in image.levels] == [(i, i) for i in range(6)]
    for level, expected in zip(image.levels, [full, *smaller], strict=True):
        same(level.channels, expected)
    assert solio.encode_image(image) == path.read_bytes()
    second = solio.read_image(path, level=2, window=(0, 0, 2, 3))
    same(second.channels, {name: p[:4, :3] for name, p in smaller[1].items()})
    first = solio.read_image(path, level=1).preview()
    assert (int.from_bytes(first[16:20]), int.from_bytes(first[20:24])) == (12, 20)
    with pytest.raises(solio.ArgumentError, match="no level"):
        solio.read_image(path, level=(1, 0))
    with pytest.raises(ValueError, match="level"):
        solio.read_image(path, level="some")  # type: ignore[arg-type]
    with pytest.raises(solio.ArgumentError, match="levels"):
        solio.write_image(solio.Part(full, tiles=Tiles(16, 16, "mipmap")), path)
    with pytest.raises(solio.ArgumentError, match="tiles"):
        solio.Part(full, levels=smaller)
    del part.levels[1].channels["A"]
    with pytest.raises(solio.ArgumentError, match="level 1, 1"):
        solio.encode_image(part)


def test_ripmap_levels() -> None:
    full = {"Y": np.arange(15, dtype=np.float32).reshape(5, 3)}
    sizes = [(h, w) for h in (5, 3, 2, 1) for w in (3, 2, 1)][1:]
    smaller = [{"Y": np.full(size, i, np.float32)} for i, size in enumerate(sizes)]
    part = solio.Part(full, tiles=Tiles(2, 2, "ripmap", "up"), levels=smaller)
    image = solio.read_image(solio.encode_image(part), level="all")
    assert [level.channels["Y"].shape for level in image.levels] == [(5, 3), *sizes]
    assert [(level.x, level.y) for level in image.levels][:4] == [(0, 0), (1, 0), (2, 0), (0, 1)]
    for level, expected in zip(image.levels[1:], smaller, strict=True):
        same(level.channels, expected)


def test_subsampled_channels() -> None:
    luminance = {
        "Y": np.random.default_rng(2).random((8, 10)).astype(np.float16),
        "RY": np.ones((4, 5), np.float16),
    }
    part = solio.Part(luminance, sampling={"RY": (2, 2)})
    image = solio.read_image(solio.encode_image(part))
    same(image.channels, luminance)
    assert image.parts[0].channel_list[0][3:] == (2, 2)
    assert solio.encode_image(image) == solio.encode_image(part)
    with pytest.raises(solio.ArgumentError, match="different sizes"):
        np.asarray(image)
    with pytest.raises(solio.ArgumentError, match="one size"):
        solio.Part(luminance)


@pytest.mark.parametrize("compression", ["none", "rle", "zips", "zstd"])
@pytest.mark.parametrize("tiles", [None, (4, 4)])
def test_deep(tmp_path: Path, compression: str, tiles: tuple[int, int] | None) -> None:
    random = np.random.default_rng(3)
    counts = random.integers(0, 4, (6, 9)).astype(np.uint32)
    samples = int(counts.sum())
    channels: Planes = {
        "A": random.random(samples).astype(np.float16),
        "Z": random.random(samples, np.float32),
        "id": np.arange(samples, dtype=np.uint32),
    }
    path = tmp_path / "deep.exr"
    part = solio.Part(channels, counts=counts, tiles=tiles, data_window=(-4, 2, 4, 7))
    solio.write_image(part, path, compression=compression)
    image = solio.read_image(path)
    back = image.parts[0]
    assert back.is_deep and back.counts is not None
    np.testing.assert_array_equal(back.counts, counts)
    same(back.channels, channels)
    assert back.attributes["maxSamplesPerPixel"] == 3
    pixel = back.samples(-4 + 3, 2 + 2)
    start = int(counts.ravel()[: 2 * 9 + 3].sum())
    np.testing.assert_array_equal(pixel["id"], np.arange(start, start + counts[2, 3]))
    assert np.shares_memory(pixel["Z"], back["Z"]) or counts[2, 3] == 0
    assert back.levels[0].offsets[-1] == samples
    assert solio.encode_image(image) == path.read_bytes()
    changed = solio.image.Level(back.levels[0].channels, back.data_window, counts=counts.copy())
    assert changed.counts is not None and changed.samples(4, 7)["id"].size == counts[5, 8]
    others = counts.copy()
    others[0, 0] += 1
    others[0, 1] = 0
    changed.counts = others
    assert changed.samples(-4, 2)["id"].size == counts[0, 0] + 1
    assert changed.offsets[-1] == changed.counts.sum()
    changed.counts = np.ones((6, 9), np.uint32)
    assert changed.samples(-3, 2)["id"].tolist() == [1] and changed.offsets[-1] == 54
    with pytest.raises(solio.ArgumentError, match="outside"):
        back.samples(5, 2)
    with pytest.raises(solio.ArgumentError, match="deep"):
        np.asarray(image)
    with pytest.raises(solio.ArgumentError, match="out"):
        solio.read_image(path, out={})
    some = solio.read_image(path, channels="Z", window=(0, 3, 2, 5))
    np.testing.assert_array_equal(some.parts[0].counts, counts[1:4, 4:7])
    assert list(some) == ["Z"]


def test_attributes_pass_bit_by_bit(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    attributes = {
        "owner": "Größe",
        "number": 7,
        "whole": [1, 2, 3],
        "pair": (0.5, 1.5),
        "double": np.float64(0.1),
        "worldToCamera": np.eye(4),
        "views": ["left", "right"],
        "curve": [0.1, 0.2, 0.3, 0.4],
        "doubles": np.array([0.1, 0.2]),
        "region": Box(1, 2, 3, 4),
        "expTime": 1,
        "shutterAngle": 180,
        "timeCode": solio.image.TimeCode(0x01020304),
        "framesPerSecond": (24, 1),
        "chromaticities": [(0.64, 0.33), (0.3, 0.6), (0.15, 0.06), (0.3127, 0.329)],
        "preview": np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
        "notes": solio.image.TypedBytes("text", b"\x00\xff"),
        "envmap": "cube",
        "keyCode": solio.image.KeyCode(1, 2, 3, 4, 5, 6, 20),
    }
    given = Attributes(attributes)
    given.set("mystery", b"\x01\x02", "studio:secret")
    given.set("latin", b"\xa9 Me", "string")
    solio.write_image(planes(), path, attributes=given)
    back = solio.read_image(path)
    read = back.attributes
    types = {name: read.type(name) for name in [*attributes, "mystery", "latin"]}
    assert list(types.values()) == (
        "string int v3i v2f double m44f stringvector floatvector v2d box2i float float timecode rational "
        "chromaticities preview bytes envmap keycode studio:secret string"
    ).split()
    assert read["mystery"] == b"\x01\x02" and read["latin"] == "© Me"
    assert read["views"] == ("left", "right") and read["framesPerSecond"].numerator == 24
    assert str(read["timeCode"]) == "01:02:03:04" and read["region"].width == 3
    assert read["worldToCamera"].dtype == np.float32 and read["worldToCamera"].shape == (4, 4)
    np.testing.assert_array_equal(read["preview"], given["preview"])
    assert read["double"] == 0.1 and read["pair"] == (0.5, 1.5) and read["envmap"] == "cube"
    assert read["chromaticities"].white == pytest.approx((0.3127, 0.329))
    assert solio.encode_image(back) == path.read_bytes()
    header = solio.read_header(path)
    assert header.attributes == read and "mystery" in repr(read)
    read["number"] = 8
    read["double"] = 1
    assert (read.type("number"), read.type("double")) == ("int", "double")
    del read["mystery"]
    assert header.attributes != read
    for name, value in [("number", "eight"), ("pair", (1, 2, 3)), ("views", "x"), ("new", object())]:
        with pytest.raises(solio.ArgumentError, match=name):
            read[name] = value
    with pytest.raises(solio.ArgumentError, match="bytes"):
        read.set("x", 1, "mystery")
    with pytest.raises(solio.ArgumentError, match="number"):
        read["number"] = 1 << 40


def test_headers(layered: Path, tmp_path: Path) -> None:
    header = solio.read_header(layered)
    assert [part.name for part in header.parts] == ["left", "right"]
    assert header.channels == ("A", "B", "G", "R", "depth.Z", "id")
    part = header.parts[0]
    assert (part.width, part.height, part.kind) == (53, 37, "scanlineimage")
    assert (part.compression, part.line_order, part.tiles) == ("zip", "increasing", None)
    assert part.channel_list[4][:2] == ("depth.Z", "float32") and not part.is_deep
    assert solio.read_header(layered.read_bytes()).channels == header.channels
    paths = [layered, tmp_path / "none.exr", layered]
    done = list(solio.read_headers(paths))
    assert [one.index for one in done] == [0, 1, 2] and isinstance(done[1].error, solio.IoError)
    assert done[2].header.channels == header.channels
    with pytest.raises(OSError, match="none"):
        _ = done[1].header
    assert "left" in repr(header) and "53 × 37" in repr(part)


def test_many_images_are_read_ahead(tmp_path: Path) -> None:
    paths = []
    for i in range(9):
        paths.append(tmp_path / f"{i}.exr")
        solio.write_image({"Y": np.full((20, 30), i, np.float16)}, paths[-1])
    paths[4].write_bytes(paths[4].read_bytes()[:-50])
    paths[6].unlink()
    for threads, ahead in [(1, 1), (2, None), (7, 3)]:
        batch = solio.read_images(paths, dtype="float32", threads=threads, ahead=ahead)
        assert len(batch) == 9
        for i, done in enumerate(batch):
            assert (done.index, done.path) == (i, str(paths[i]))
            if i in (4, 6):
                kind = solio.CorruptError if i == 4 else solio.IoError
                assert isinstance(done.error, kind)
                with pytest.raises(kind, match=f"{i}.exr"):
                    _ = done.image
            else:
                assert done.error is None and done.image["Y"].dtype == np.float32
                assert (np.asarray(done.image) == i).all()
        assert len(batch) == 0 and list(batch) == []
    assert len(list(solio.read_images(paths, memory=1))) == 9
    part_of = solio.read_images(iter(paths[:1]), window=(0, 0, 3, 3), channels="Y")
    assert np.asarray(next(part_of).image).shape == (4, 4, 1)
    with pytest.raises(TypeError, match="colour"):
        solio.read_images(paths, colour=1)  # type: ignore[call-arg]
    with pytest.raises(solio.ArgumentError, match="there is neither"):
        _ = next(solio.read_images(paths, channels="Z")).image
    with pytest.raises(solio.ArgumentError, match="float64"):
        solio.read_images(paths, dtype=float)
    next(solio.read_images(paths))  # dropped half-way


def test_damaged_files_say_where(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    solio.write_image(planes(200, 100), path)
    data = bytearray(path.read_bytes())
    data[-100:-60] = b"\xff" * 40
    path.write_bytes(data)
    with pytest.raises(solio.CorruptError) as caught:
        solio.read_image(path)
    error = caught.value
    assert error.path == str(path) and error.offset is not None and "chunk" in error.message
    assert isinstance(error, ValueError)
    image = solio.read_image(path, partial=True)
    assert [chunk.part for chunk in image.missing] == [0] and "chunk" in image.missing[0].message
    np.testing.assert_array_equal(image["R"][:160], planes(200, 100)["R"][:160])
    with pytest.raises(solio.CorruptError):
        solio.read_image(b"not an image")
    with pytest.raises(solio.LimitError):
        solio.read_image(path, max_bytes=1000)
    with pytest.raises(solio.CorruptError):
        solio.read_header(path.read_bytes()[:50])


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    path.write_text("old")
    part = solio.Part(planes())
    part.channels["R"] = np.zeros((3, 3), np.float16)
    with pytest.raises(solio.ArgumentError, match="R"):
        solio.write_image(part, path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_what_is_written_has_to_make_sense() -> None:
    plane = np.zeros((4, 5), np.float16)
    wrong: list[Any] = [
        {},
        {"a": plane, "b": plane.T},
        {"a": plane[0]},
        np.zeros((2, 2, 2, 2), np.float32),
        [solio.Part({"a": plane}, name="x"), solio.Part({"a": plane}, name="x")],
    ]
    for image in wrong:
        with pytest.raises(solio.ArgumentError):
            solio.encode_image(image)
    with pytest.raises(solio.ArgumentError, match="set them there"):
        solio.encode_image(solio.Part({"a": plane}), names=["b"])
    with pytest.raises(TypeError, match="colour"):
        solio.encode_image({"a": plane}, colour=1)  # type: ignore[call-arg]
    with pytest.raises(solio.ArgumentError, match="counts"):
        solio.encode_image(solio.Part({"a": plane[0]}, counts=[1, 2]))
    deep = solio.Part({"a": np.zeros(3, np.float16)}, counts=np.ones((2, 2), np.uint32))
    with pytest.raises(solio.ArgumentError, match="samples"):
        solio.encode_image(deep)


def test_no_pixel_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    solio.write_image(planes(), path)
    image = solio.read_image(path)
    for values in image.channels.values():
        assert values.flags.c_contiguous and values.flags.aligned and values.flags.writeable
        assert values.base is not None
    part = solio.Part(image.channels)
    assert part["R"] is image["R"]


def test_threads_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    for compression in LOSSLESS:
        data = solio.encode_image(planes(300, 200), compression=compression, threads=1)
        assert data == solio.encode_image(planes(300, 200), compression=compression, threads=5)
        path.write_bytes(data)
        same(solio.read_image(path, threads=1).channels, solio.read_image(path, threads=6).channels)


def test_images_show_themselves(layered: Path) -> None:
    image = solio.read_image(layered)
    text = repr(image)
    assert text.startswith("<solio.Image: 'left', 53 × 37, 6 channels (R, G, B, A, id, depth.Z)")
    assert "Part" in repr(image.parts[0]) and "Level 0, 0" in repr(image.levels[0])


def test_a_preview_is_a_small_png(layered: Path) -> None:
    image = solio.read_image(layered)
    png = image._repr_png_()
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png == image.preview()
    assert int.from_bytes(png[16:20]) == 53 and int.from_bytes(png[20:24]) == 37
    small = image.part("right").preview(size=10, exposure=2)
    assert int.from_bytes(small[16:20]) == 10
    values = solio.Part({"Z": np.arange(12.0).reshape(3, 4)})
    assert values._repr_png_()[16:24] == bytes([0, 0, 0, 4, 0, 0, 0, 3])


def test_each_channel_has_a_name_of_its_own() -> None:
    with pytest.raises(solio.ArgumentError, match="R, R, G, B"):
        solio.encode_image(np.zeros((2, 3, 4), np.float32), names=["R", "R", "G", "B"])


def test_replaced_channels_have_to_fit() -> None:
    full = np.arange(15, dtype=np.float32).reshape(3, 5)
    image = solio.read_image(solio.encode_image(full, data_window=(-3, 7, 1, 9)))
    assert np.array_equal(solio.read_image(solio.encode_image(image))["Y"], full)
    for wrong in (np.rot90(full), full.reshape(-1), full[:, :4]):
        image.parts[0].channels["Y"] = wrong
        with pytest.raises(solio.ArgumentError, match=r"\(3, 5\)"):
            solio.encode_image(image)
    halved = {"Y": np.zeros((4, 6), np.float16), "RY": np.zeros((2, 3), np.float16)}
    image = solio.read_image(solio.encode_image(solio.Part(halved, sampling={"RY": (2, 2)})))
    image.parts[0].channels["RY"] = np.zeros((3, 2), np.float16)
    with pytest.raises(solio.ArgumentError, match=r"\(2, 3\)"):
        solio.encode_image(image)
    deep = solio.Part({"Z": np.zeros(6, np.float32)}, counts=[[1, 0, 2], [3, 0, 0]])
    deep.levels[0].counts = np.array([[1, 0], [2, 3], [0, 0]], np.uint32)
    with pytest.raises(solio.ArgumentError, match="counts"):
        solio.encode_image(deep)


def test_channels_replaced_after_reading_into_an_array() -> None:
    data = solio.encode_image(np.zeros((4, 5, 2), np.float32), names=["U", "V"])
    out = np.ones((4, 5, 2), np.float32)
    image = solio.read_image(data, out=out)
    assert np.asarray(image) is out
    image.parts[0].channels["V"] = np.full((4, 5), 7, np.float32)
    assert (np.asarray(image) == [0, 7]).all()
    del image.parts[0].channels["U"]
    assert np.asarray(image).shape == (4, 5, 1)


def test_threads_share_a_batch(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.exr" for number in range(60)]
    for number, path in enumerate(paths):
        solio.write_image(np.full((4, 4), number, np.float32), path)
    images, headers = solio.read_images(paths, threads=2), solio.read_headers(paths)
    with ThreadPoolExecutor(4) as pool:
        takers = [pool.submit(list[Any], batch) for batch in [images] * 4 + [headers] * 4]
    done = [one for taker in takers for one in taker.result()]
    for one in done:
        assert one.path == str(paths[one.index])
        assert not hasattr(one, "image") or one.image["Y"][0, 0] == one.index
    assert sorted(one.index for one in done) == sorted([*range(60)] * 2)


@pytest.mark.parametrize("ahead", [10**9, 2**63 - 1, 2**64 - 1])
def test_any_number_may_be_read_ahead(tmp_path: Path, ahead: int) -> None:
    solio.write_image(np.zeros((4, 4), np.float32), tmp_path / "a.exr")
    assert len(list(solio.read_images([tmp_path / "a.exr"] * 3, ahead=ahead))) == 3


def test_attributes_hold_what_their_type_can() -> None:
    attributes = Attributes({"capture": True, "old": 1.0})
    assert (attributes["capture"], attributes.type("capture")) == (1, "int")
    wrong: list[tuple[Any, str]] = [
        (2**40, "int"),
        ("bad", "compression"),
        (300, "envmap"),
        (Tiles(4, 4, "zip"), "tiledesc"),  # type: ignore[arg-type]
        ((), "bytes"),
        (("a", 5), "bytes"),
        (1e300, "float"),
        ([1.0, -1e39], "v2f"),
        (-1, "deepImageState"),
        (5, "chlist"),
        ("\udc80", "string"),
    ]
    for value, kind in wrong:
        with pytest.raises(solio.ArgumentError, match="old"):
            attributes.set("old", value, kind)
    assert attributes["old"] == 1.0
    attributes["flag"] = np.bool_(True)
    assert (attributes["flag"], attributes.type("flag")) == (1, "int")
    for ragged in ([[1, 2], [3]], np.array([True, False])):
        with pytest.raises(solio.ArgumentError, match="'ragged': no type"):
            attributes["ragged"] = ragged
    right: list[tuple[Any, str]] = [
        (float("inf"), "float"), (3.4028235e38, "float"), (1e300, "double"), (("a", b"xy"), "bytes"),
        (("a", np.zeros(2, np.uint8)), "bytes"), ("zip", "compression"), ("cube", "envmap"),
    ]
    for value, kind in right:
        attributes.set("new", value, kind)
    image = solio.read_image(solio.encode_image(np.zeros((2, 2)), attributes=attributes))
    assert image.attributes["new"] == "cube" and image.attributes["capture"] == 1


def test_stacks_of_files_with_deep_parts() -> None:
    counts = [[1, 0, 2], [3, 0, 0]]
    deep = solio.Part({"Z": np.zeros(6), "Q": np.zeros(6)}, counts=counts, name="deep")
    flat = solio.Part({"R": np.ones((2, 3))}, name="flat")
    for parts in ([deep, flat], [flat, deep]):
        image = solio.read_image(solio.encode_image(parts))
        assert image.stack(["R"]).shape == (2, 3, 1)
        with pytest.raises(solio.ArgumentError, match="deep"):
            image.stack(["Z", "Q"])


def test_channels_of_several_parts_are_set_in_their_part(layered: Path) -> None:
    image = solio.read_image(layered)
    zeros = np.zeros((37, 53), np.float16)
    with pytest.raises(TypeError):
        image.channels["R"] = zeros
    image.part("left").channels["R"] = zeros
    again = solio.read_image(solio.encode_image(image))
    assert not again["R"].any() and again.part("right").channels["R"].any()


def test_windows_of_images_are_windows_to_read(layered: Path) -> None:
    header = solio.read_header(layered).parts[0]
    image = solio.read_image(layered, window=header.data_window)
    written = solio.encode_image(
        {"Y": np.zeros((37, 53))}, data_window=image.data_window, display_window=image.display_window
    )
    assert solio.read_header(written).parts[0].data_window == header.data_window


def test_wrong_types_are_told(layered: Path, tmp_path: Path) -> None:
    out: Any
    for out in [5, [np.zeros((37, 53), np.float32)]]:
        with pytest.raises(TypeError, match="out is an array"):
            solio.read_image(layered, part="left", channels="R", out=out)
    rows: Any = 5
    solio.write_array(np.arange(9.0), tmp_path / "a.solio")
    with pytest.raises(TypeError, match="rows are a slice"):
        solio.read_array(tmp_path / "a.solio", rows=rows)


def test_who_asks_for_nothing_is_told(layered: Path) -> None:
    with pytest.raises(solio.ArgumentError, match="channels names none"):
        solio.read_image(layered, channels=[])
    with pytest.raises(solio.ArgumentError, match="part names none"):
        solio.read_image(layered, part=())
    others: list[Any] = [np.flatnonzero([False]), iter(())]
    for none in others:
        with pytest.raises(solio.ArgumentError, match="part names none"):
            solio.read_image(layered, part=none)


def test_names_of_other_formats_are_refused(tmp_path: Path) -> None:
    for name in ["a.exr.zst", "a.obj"]:
        with pytest.raises(solio.ArgumentError, match="OpenEXR is written, but the name ends with"):
            solio.write_image({"Y": np.zeros((2, 2))}, tmp_path / name)
    assert not list(tmp_path.iterdir())
    solio.write_image({"Y": np.zeros((2, 2))}, tmp_path / "a.tmp")


def test_pictures_of_other_formats_are_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(solio.read_image(solio.encode_image({"Y": np.zeros((2, 2))})).preview())
    with pytest.raises(solio.UnsupportedError) as told:
        solio.read_header(path)
    assert told.value.hint is not None and "solio convert" in told.value.hint


def test_counts_are_not_negative() -> None:
    for counts in [[[-1]], [[1 << 32]]]:
        with pytest.raises(solio.ArgumentError, match="counts must lie in 0 to"):
            solio.Part({"Z": np.zeros(1, np.float32)}, counts=counts)


def test_errors_of_reading_have_no_names_of_errors_in_them() -> None:
    file = solio.encode_image({"Y": np.zeros((2, 2), np.float32)})
    with pytest.raises(solio.ArgumentError) as told:
        solio.read_image(file, out=np.zeros((2, 2, 1)))
    assert "Error:" not in str(told.value)
    with pytest.raises(solio.ArgumentError, match=r"\(9 9\) - \(9 9\)"):
        solio.read_image(file, window=(9, 9, 9, 9))
