"""Ordinary pictures to arrays and back: types, profiles, paths, bytes, file objects."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import solio

Samples = npt.NDArray[Any]


def codes(channels: int, dtype: npt.DTypeLike) -> Samples:
    random = np.random.default_rng(5)
    most = np.iinfo(dtype).max
    return random.integers(0, most, (11, 7, channels), dtype, endpoint=True)


def light(values: Samples) -> Samples:
    """Of codes from 0 to 1, by IEC 61966-2-1."""
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def with_chunk(png: bytes, kind: bytes, data: bytes) -> bytes:
    body = kind + data
    chunk = struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    return png[:33] + chunk + png[33:]


@pytest.mark.parametrize("format", ["png", "tiff", "qoi"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_codes_come_back_as_they_were(
    tmp_path: Path, format: str, dtype: npt.DTypeLike, channels: int
) -> None:
    given = codes(channels, dtype)
    path = tmp_path / f"a.{format}"
    if format == "qoi" and dtype is np.uint16:
        with pytest.raises(solio.ArgumentError, match="no codes of 16 bits"):
            solio.write_image(given, path)
        return
    written = solio.write_image(given, path)
    assert written.file_bytes == path.stat().st_size and not written.losses
    image = solio.read_image(path)
    array = np.asarray(image)
    assert array.dtype == dtype and image.encoding == solio.image.Encoding()
    # Greys are colours where a format has no greys, or none with alpha.
    expected = given
    if array.shape[2] != channels:
        expected = np.concatenate([given[..., :1]] * 3 + [given[..., 1:]], axis=-1)
    np.testing.assert_array_equal(array, expected)
    assert list(image) == list({1: "Y", 2: "YA", 3: "RGB", 4: "RGBA"}[array.shape[2]])
    assert image.parts[0].channel_list[0].dtype == np.dtype(dtype).name
    assert image.preview().startswith(b"\x89PNG")
    np.testing.assert_array_equal(np.asarray(solio.read_image(path.read_bytes())), expected)
    with path.open("rb") as file:
        np.testing.assert_array_equal(np.asarray(solio.read_image(file)), expected)


def test_jpeg_and_its_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    given = np.full((16, 16, 3), (200, 100, 50), np.uint8)
    fine, rough = (solio.write_image(given, path, quality=q).file_bytes for q in (95, 5))
    assert fine > rough
    read = np.asarray(solio.read_image(path)).astype(int)
    assert read.shape == (16, 16, 3) and np.abs(read - given).max() < 20
    with pytest.raises(solio.ArgumentError, match="JPEG has no alpha"):
        solio.write_image(codes(4, np.uint8), path)
    with pytest.raises(solio.ArgumentError, match="no codes of 16 bits"):
        solio.write_image(codes(3, np.uint16), path)
    with pytest.raises(solio.ArgumentError, match="quality"):
        solio.write_image(given, path, quality=0)
    with pytest.raises(solio.ArgumentError, match="compression is an option of OpenEXR"):
        solio.write_image(given, path, compression="zip")
    with pytest.raises(solio.ArgumentError, match="bits is an option of pictures"):
        solio.write_image(given.astype(np.float32), tmp_path / "a.exr", bits=8)


def test_light_becomes_codes_and_floats(tmp_path: Path) -> None:
    given = np.linspace(0, 1, 3 * 64, dtype=np.float32).reshape(8, 8, 3)
    for name, bits, most in [("a.png", 8, 255), ("b.png", 16, 65535), ("a.tif", 8, 255)]:
        solio.write_image(given, tmp_path / name, bits=bits)  # type: ignore[arg-type]
        read = np.asarray(solio.read_image(tmp_path / name))
        np.testing.assert_allclose(light(read / most), given, atol=0.6 * 12.92 / most)
    solio.write_image(given, tmp_path / "f.tif")
    floats = solio.read_image(tmp_path / "f.tif")
    assert floats.encoding is None
    np.testing.assert_array_equal(np.asarray(floats), given)
    solio.write_image(given, tmp_path / "a.hdr")
    np.testing.assert_allclose(np.asarray(solio.read_image(tmp_path / "a.hdr")), given, atol=8e-3)
    # What is cut or rounded is told.
    bright = solio.write_image(given * 4, tmp_path / "c.png")
    assert {loss.what for loss in bright.losses} == {"range", "bit_depth"}
    # Codes are light in a format that has no codes.
    solio.write_image(np.full((4, 4, 3), 188, np.uint8), tmp_path / "b.hdr")
    read = np.asarray(solio.read_image(tmp_path / "b.hdr"))
    np.testing.assert_allclose(read, light(np.array(188 / 255)), rtol=1e-2)


def test_codes_as_light_multiplied_by_alpha(tmp_path: Path) -> None:
    given = codes(4, np.uint8)
    path = tmp_path / "a.png"
    solio.write_image(given, path)
    lit = solio.read_image(path, light=True)
    assert lit.encoding is None and lit["R"].dtype == np.float16
    alpha = given[..., 3:] / 255
    expected = light(given[..., :3] / 255) * alpha
    np.testing.assert_allclose(np.asarray(lit)[..., :3], expected, atol=1e-3)
    np.testing.assert_allclose(lit["A"], alpha[..., 0], atol=1e-3)
    float_ = solio.read_image(path, light=True, dtype=np.float32, channels=["B", "R"])
    assert list(float_) == ["B", "R"] and float_["B"].dtype == np.float32
    with pytest.raises(solio.ArgumentError, match="codes keep their type"):
        solio.read_image(path, dtype=np.float32)
    # An image of codes becomes light in OpenEXR; arrays of integers are integers there, as ever.
    exr = tmp_path / "a.exr"
    solio.write_image(solio.read_image(path), exr)
    np.testing.assert_array_equal(np.asarray(solio.read_image(exr)), np.asarray(lit))
    solio.write_image(given, exr)
    assert solio.read_image(exr)["R"].dtype == np.uint32


def test_parts_of_a_picture(tmp_path: Path) -> None:
    given = codes(4, np.uint16)
    path = tmp_path / "a.png"
    solio.write_image(given, path)
    some = solio.read_image(path, channels=["A", "G"], window=(2, 1, 4, 99))
    assert list(some) == ["A", "G"] and tuple(some.data_window) == (2, 1, 4, 10)
    np.testing.assert_array_equal(some["G"], given[1:, 2:5, 1])
    lit = solio.read_image(path, window=(2, 1, 4, 3), light=True)
    assert lit["R"].shape == (3, 3) and tuple(lit.data_window) == (2, 1, 4, 3)
    for wrong, match in [
        ({"channels": "Z"}, "neither a channel nor a layer"),
        ({"part": 1}, "one part"),
        ({"level": 1}, "one level"),
        ({"window": (50, 0, 60, 5)}, "no pixels"),
    ]:
        with pytest.raises(solio.ArgumentError, match=match):
            solio.read_image(path, **wrong)  # type: ignore[arg-type]
    out = np.zeros_like(given)
    read = solio.read_image(path, out=out)
    np.testing.assert_array_equal(out, given)
    assert np.asarray(read) is out
    planes = {name: np.zeros((11, 7), np.uint16) for name in "RGBA"}
    solio.read_image(path, out=planes)
    np.testing.assert_array_equal(planes["B"], given[..., 2])
    with pytest.raises(solio.ArgumentError, match="shape"):
        solio.read_image(path, out=np.zeros((3, 3, 4), np.uint16))
    with pytest.raises(solio.ArgumentError, match="does not go into"):
        solio.read_image(path, out=np.zeros((11, 7, 4), np.uint8))


def test_profiles_are_applied_and_kept(tmp_path: Path) -> None:
    red = np.zeros((2, 2, 3), np.uint8)
    red[..., 0] = 255
    png = solio.encode_image(red, format="png")
    p3 = with_chunk(png, b"cICP", bytes([12, 13, 0, 1]))
    image = solio.read_image(p3)
    np.testing.assert_array_equal(np.asarray(image), red)
    assert image.encoding is not None and image.encoding.cicp == (12, 13, 0, 1)
    lit = solio.read_image(p3, light=True)
    expected = [1.2249, -0.0421, -0.0196]
    np.testing.assert_allclose(np.asarray(lit)[0, 0], expected, atol=1e-3)
    assert "Display P3" in lit.notes[0]
    # A copy says the same; a format that cannot say it is told of.
    assert solio.encode_image(image, format="png") == p3
    written = solio.write_image(image, tmp_path / "a.tif")
    assert [loss.what for loss in written.losses] == ["color_profile"]
    solio.write_image(image, tmp_path / "a.exr")
    np.testing.assert_allclose(
        np.asarray(solio.read_image(tmp_path / "a.exr"))[0, 0], expected, atol=1e-3
    )
    # A gamma, which codes alone do not say.
    gamma = with_chunk(png, b"gAMA", struct.pack(">I", 100_000 * 10 // 18))
    assert [loss.what for loss in solio.read_image(gamma).losses] == ["color_profile"]
    # PQ: white of paper, at 203 candelas a square metre.
    grey = np.full((1, 1, 3), round(0.580689 * 65535), np.uint16)
    pq = with_chunk(solio.encode_image(grey, format="png"), b"cICP", bytes([9, 16, 0, 1]))
    np.testing.assert_allclose(np.asarray(solio.read_image(pq, light=True)), 1.0, atol=1e-3)


def test_file_objects_and_formats(tmp_path: Path) -> None:
    given = codes(3, np.uint8)
    file = io.BytesIO()
    written = solio.write_image(given, file, format="png")
    assert written.files == [] and written.file_bytes == len(file.getvalue())
    np.testing.assert_array_equal(np.asarray(solio.read_image(io.BytesIO(file.getvalue()))), given)
    exr = io.BytesIO()
    solio.write_image(given.astype(np.float32), exr)
    assert exr.getvalue()[:4] == b"\x76\x2f\x31\x01"
    with pytest.raises(solio.ArgumentError, match="open for bytes"):
        solio.read_image(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(solio.ArgumentError, match="no image format 'gif'"):
        solio.encode_image(given, format="gif")  # type: ignore[arg-type]
    # The format goes before the name.
    solio.write_image(given, tmp_path / "odd.name", format=".PNG")  # type: ignore[arg-type]
    assert (tmp_path / "odd.name").read_bytes().startswith(b"\x89PNG")


def test_many_pictures_ahead(tmp_path: Path) -> None:
    paths = []
    for number in range(4):
        paths.append(tmp_path / f"{number}.png")
        solio.write_image(np.full((3, 5, 3), number, np.uint8), paths[-1])
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nno more")
    paths.append(tmp_path / "bad.png")
    done = list(solio.read_images(paths, window=(0, 0, 1, 1)))
    assert [int(one.image["R"][0, 0]) for one in done[:4]] == [0, 1, 2, 3]
    assert done[0].image["R"].shape == (2, 2)
    assert isinstance(done[4].error, solio.CorruptError)


def test_damaged_and_absurd_pictures(tmp_path: Path) -> None:
    png = solio.encode_image(codes(3, np.uint8), format="png")
    path = tmp_path / "cut.png"
    path.write_bytes(png[: len(png) // 2])
    for options in ({}, {"light": True}):
        with pytest.raises(solio.CorruptError) as error:
            solio.read_image(path, **options)  # type: ignore[arg-type]
        assert error.value.path == str(path)
    jpeg = solio.encode_image(codes(3, np.uint8), format="jpeg")
    for end in (len(jpeg) - 1, len(jpeg) - 40):
        for options in ({}, {"light": True}):
            with pytest.raises(solio.CorruptError) as error:
                solio.read_image(jpeg[:end], **options)  # type: ignore[arg-type]
            assert error.value.offset == end
    head = b"IHDR" + struct.pack(">II", 1 << 30, 1 << 30) + png[24:29]
    huge = png[:12] + head + struct.pack(">I", zlib.crc32(head)) + png[33:]
    with pytest.raises((solio.LimitError, solio.CorruptError)):
        solio.read_image(huge)
    one = codes(4, np.uint8)[:1, :1]
    np.testing.assert_array_equal(
        np.asarray(solio.read_image(solio.encode_image(one, format="tiff"))), one
    )
    with pytest.raises(solio.Error):
        solio.read_image(b"v 0 0 0\n")
    odd = np.array([[[np.nan, np.inf, -np.inf]]], np.float32)
    read = np.asarray(solio.read_image(solio.encode_image(odd, format="png")))
    np.testing.assert_array_equal(read, [[[0, 255, 0]]])


def test_mattes_of_a_cryptomatte() -> None:
    ids = np.array([[0x4A1B2C3D, 0x3F800001]], np.uint32).view(np.float32)
    planes = {"crypto00.R": ids, "crypto00.G": np.array([[0.25, 1]], np.float32)}
    attributes = {
        "cryptomatte/0123456/name": "crypto",
        "cryptomatte/0123456/manifest": '{"hero": "4a1b2c3d", "prop": "3f800001"}',
    }
    file = solio.encode_image(solio.Part(planes, attributes=attributes))
    image = solio.read_image(file)
    np.testing.assert_array_equal(image.matte("hero"), np.array([[0.25, 0]], np.float32))
    np.testing.assert_array_equal(image.matte(["hero", "prop"]), [[0.25, 1]])
    np.testing.assert_array_equal(image.matte("<3f800001>", layer="crypto"), [[0, 1]])
    with pytest.raises(solio.ArgumentError, match="no Cryptomatte of the image has the name"):
        image.matte("villain")
