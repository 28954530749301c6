"""Photo metadata from Python: dictionaries, tables, thumbnails."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pytest
import solio

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("SOLIO_DATA", ROOT.parent / "shared" / "data")) / "photo"


def tiff(entries: dict[int, bytes | list[int]], next_directory: bytes = b"") -> bytes:
    """A TIFF file: text for ``bytes``, shorts for lists; ``next_directory`` is put behind it."""
    size = 8 + 2 + 12 * len(entries) + 4
    head, behind = b"", b""
    for tag, value in sorted(entries.items()):
        text = isinstance(value, bytes)
        data = value + b"\0" if isinstance(value, bytes) else struct.pack(f"<{len(value)}H", *value)
        head += struct.pack("<HHI", tag, 2 if text else 3, len(data) if text else len(value))
        if len(data) > 4:
            head += struct.pack("<I", size + len(behind))
            behind += data + b"\0" * (len(data) % 2)
        else:
            head += data.ljust(4, b"\0")
    follows = size + len(behind) if next_directory else 0
    start = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries))
    return start + head + struct.pack("<I", follows) + behind + next_directory


def jpeg(width: int, height: int, exif: bytes = b"") -> bytes:
    """A grey JPEG file, with ``exif`` (a TIFF file) in it: each block is an equal, empty one."""

    def segment(marker: int, body: bytes) -> bytes:
        return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body

    blocks = -(-width // 8) * -(-height // 8)
    bits = "00" * blocks  # a code of one bit for "no change", one for "end of block"
    bits += "1" * (-len(bits) % 8)
    frame = struct.pack(">BHHB3B", 8, height, width, 1, 1, 0x11, 0)
    table = bytes([1] + [0] * 15 + [0])
    return (
        b"\xff\xd8"
        + (segment(0xE1, b"Exif\0\0" + exif) if exif else b"")
        + segment(0xDB, b"\0" + b"\1" * 64)
        + segment(0xC0, frame)
        + segment(0xC4, b"\x00" + table)
        + segment(0xC4, b"\x10" + table)
        + segment(0xDA, b"\1\1\0\0\x3f\0")
        + int(bits, 2).to_bytes(len(bits) // 8, "big")
        + b"\xff\xd9"
    )


def with_thumbnail(width: int, height: int, orientation: int) -> bytes:
    """A JPEG photo whose second directory holds a JPEG of 16 x 8."""
    small = jpeg(16, 8)
    first = tiff({0x112: [orientation]})
    at = len(first) + 2 + 3 * 12 + 4
    second = struct.pack("<H", 3)
    second += struct.pack("<HHII", 0x103, 3, 1, 6)
    second += struct.pack("<HHII", 0x201, 4, 1, at)
    second += struct.pack("<HHII", 0x202, 4, 1, len(small))
    second += struct.pack("<I", 0) + small
    return jpeg(width, height, tiff({0x112: [orientation]}, second))


def test_one_file_is_a_dictionary_with_types(tmp_path: Path) -> None:
    content = tiff({0x10F: b"Maker", 0x110: b"007", 0x112: [6], 0x102: [8, 8, 8]})
    path = tmp_path / "photo.tif"
    path.write_bytes(content)
    for source in (path, str(path), content, bytearray(content), memoryview(content)):
        found = solio.read_metadata(source)
        assert_type(found, dict[str, Any])
        assert found["IFD0:Make"] == "Maker"
        assert found["IFD0:Model"] == "007"  # text with digits stays text
        assert found["IFD0:BitsPerSample"] == [8, 8, 8]
        assert found["IFD0:Orientation"] == "Rotate 90 CW"
    assert solio.read_metadata(path, ["Orientation"], numbers=True) == {"Orientation": 6}
    assert solio.read_metadata(path, ["IFD0:Make", "ISO"]) == {"IFD0:Make": "Maker"}
    assert solio.read_metadata(path, ["ISO", " IFD0:Make "]) == {"IFD0:Make": "Maker"}
    assert set(solio.read_metadata(path, ["IFD0:Ma*"])) <= {"IFD0:Make"}
    whole = {name for name in solio.read_metadata(path) if name.startswith("IFD0:")}
    assert set(solio.read_metadata(path, ["IFD0:*"])) == whole


def test_many_files_are_a_table(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.tif", "missing.tif", "b.tif", "c.txt")]
    paths[0].write_bytes(tiff({0x100: [800], 0x10F: b"A", 0x112: [1]}))
    paths[2].write_bytes(tiff({0x10F: b"B", 0x102: [8, 8, 8], 0x112: [3]}))
    paths[3].write_text("no photo")
    table = solio.read_metadata(paths, ["Make", "Orientation", "ImageWidth", "BitsPerSample"])
    assert_type(table, solio.MetadataTable)
    assert len(table) == 4
    assert table.paths == [str(path) for path in paths]
    assert table.columns == ["Make", "Orientation", "ImageWidth", "BitsPerSample"]
    assert table["Make"].tolist() == ["A", None, "B", None]
    assert "Make" in table and "ISO" not in table
    assert list(table) == table.columns
    with pytest.raises(KeyError):
        table["ISO"]
    assert table["ImageWidth"].dtype == np.float64
    assert table["ImageWidth"][0] == 800 and np.isnan(table["ImageWidth"][1:]).all()
    assert table["BitsPerSample"].tolist() == [None, None, [8, 8, 8], None]
    assert set(table.errors) == {1, 3}
    assert isinstance(table.errors[1], solio.IoError)
    assert isinstance(table.errors[3], solio.UnsupportedError)
    assert table.errors[1].path == str(paths[1])
    assert "4 files" in repr(table) and "2 could not be read" in repr(table)

    numbers = solio.read_metadata([paths[0], paths[2]], ["Orientation"], numbers=True)
    assert numbers["Orientation"].dtype == np.int64
    assert numbers["Orientation"].tolist() == [1, 3]
    assert solio.read_metadata([]).columns == []
    with pytest.raises(solio.ArgumentError):
        solio.read_metadata(paths, "Make")


def test_names_of_any_bytes(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9\n#-.tif")
    Path(name).write_bytes(tiff({0x10F: b"A"}))
    table = solio.read_metadata([name], ["Make"])
    assert table.paths == [name] and not table.errors
    assert table["Make"].tolist() == ["A"]
    assert solio.read_metadata(name, ["Make"]) == {"Make": "A"}


def test_arrow_takes_tables(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    paths = []
    for n in range(100):
        paths.append(tmp_path / f"{n}.tif")
        entries: dict[int, bytes | list[int]] = {0x112: [n % 8 + 1], 0x10F: f"maker {n}".encode()}
        if n % 3:
            entries[0x102] = [8] * (n % 4 + 1)
        paths[n].write_bytes(tiff(entries))
    table = solio.read_metadata(paths, ["Make", "Orientation", "BitsPerSample"], numbers=True)
    arrow = pyarrow.table(table)
    assert arrow.num_rows == 100
    assert arrow["Make"].to_pylist() == [f"maker {n}" for n in range(100)]
    assert arrow["Orientation"].type == pyarrow.int64()
    assert arrow["Orientation"].to_pylist() == [n % 8 + 1 for n in range(100)]
    bits = [[8] * (n % 4 + 1) if n % 3 else None for n in range(100)]
    assert arrow["BitsPerSample"].to_pylist() == bits
    arrow.validate(full=True)
    assert pyarrow.table(table).equals(arrow)  # a second time too
    assert pyarrow.schema(table).names == ["Make", "Orientation", "BitsPerSample"]
    assert pyarrow.table(solio.read_metadata(paths)).num_rows == 100


@pytest.mark.parametrize("orientation", range(1, 9))
def test_thumbnails_stand_upright(tmp_path: Path, orientation: int) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(with_thumbnail(40, 24, orientation))
    small = solio.thumbnail(path)
    assert small is not None
    assert (small.tag, small.width, small.height) == ("IFD1:ThumbnailImage", 16, 8)
    assert small.orientation == orientation
    assert small.jpeg == jpeg(16, 8) == small._repr_jpeg_()
    upright = (16, 8, 3) if orientation >= 5 else (8, 16, 3)
    assert small.pixels().shape == upright
    assert (small.pixels() == 128).all()
    larger = solio.thumbnail(path, 1000)  # there is none: the largest
    assert larger is not None and larger.jpeg == small.jpeg


def test_no_thumbnail(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(jpeg(8, 8, tiff({0x112: [1]})))
    assert solio.thumbnail(path) is None
    with pytest.raises(solio.IoError):
        solio.thumbnail(tmp_path / "missing.jpg")


@pytest.mark.skipif(not DATA.is_dir(), reason="no SOLIO_DATA")
@pytest.mark.skipif(shutil.which("exiftool") is None, reason="ExifTool is not installed")
def test_thumbnails_are_those_of_exiftool() -> None:
    compared = 0
    for path in sorted(DATA.rglob("*.jpg")):
        try:
            small = solio.thumbnail(path)
        except solio.Error:
            continue
        if small is None or small.tag != "IFD1:ThumbnailImage":
            continue
        command = ["exiftool", "-b", "-ThumbnailImage", str(path)]
        theirs = subprocess.run(command, capture_output=True, check=False).stdout
        if theirs:
            assert small.jpeg == theirs, path
            compared += 1
        if compared == 25:
            break
    assert compared == 25
