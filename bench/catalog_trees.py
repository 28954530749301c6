"""Trees for the part `catalog` of bench/run: the same names, sizes and content every time."""

from __future__ import annotations

import os
import random
import shutil
import struct
from pathlib import Path

EXR_MARK = b"\x76\x2f\x31\x01\x02\0\0\0"
FRAMES_A_FOLDER = 1000


def frames(folder: Path, count: int, a_folder: int = FRAMES_A_FOLDER, content: bytes = b"") -> Path:
    """Sequences of frames, `a_folder` of them in each folder, with two frames missing in each."""
    done = 0
    while done < count:
        shot = folder / f"shot{done // a_folder // 100:03}" / f"v{done // a_folder % 100:03}"
        shot.mkdir(parents=True)
        at = os.open(shot, os.O_RDONLY)
        for i in range(min(a_folder, count - done)):
            number = 1001 + i + (i > a_folder // 3) + (i > a_folder // 2)
            file = os.open(f"beauty.{number}.exr", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=at)
            if content:
                os.write(file, content)
            os.close(file)
            done += 1
        os.close(at)
    return folder


def noise(folder: Path, count: int) -> Path:
    """Files of some 16 to 1500 KB in folders, all different."""
    pick, block = random.Random(1), random.Random(2).randbytes(1 << 21)
    for i in range(count):
        path = folder / f"a{i % 17:02}" / f"b{i % 3}" / f"{i:04}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = int(min(1_500_000, max(16_000, pick.lognormvariate(12.4, 0.9))))
        start = pick.randrange(len(block) - size)
        path.write_bytes(struct.pack("<I", i) + block[start : start + size])
    return folder


def copies(folder: Path, count: int) -> Path:
    """Files of four sizes, of which less than a half are copies; others differ in one byte."""
    pick = random.Random(3)
    blocks = [pick.randbytes(n) for n in (2_000_000,) * 8 + (300_000,) * 40 + (20_000,) * 600]
    for i in range(count):
        path = folder / str(i % 30) / str(i % 7) / f"f{i}"
        path.parent.mkdir(parents=True, exist_ok=True)
        block = pick.choice(blocks[48:] if i % 12 else blocks[:48])
        if pick.random() < 0.6:
            at = pick.randrange(len(block))
            block = block[:at] + bytes([block[at] ^ 1]) + block[at + 1 :]
        path.write_bytes(block)
    return folder


def large_exr(path: Path, width: int, height: int) -> Path:
    """RGB in half floats without compression: a chunk for each line."""

    def attribute(name: str, kind: str, value: bytes) -> bytes:
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value

    channels = b"".join(c + b"\0" + struct.pack("<iB3xii", 1, 0, 1, 1) for c in (b"B", b"G", b"R"))
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    header = b"".join([
        EXR_MARK,
        attribute("channels", "chlist", channels + b"\0"),
        attribute("compression", "compression", b"\0"),
        attribute("dataWindow", "box2i", window),
        attribute("displayWindow", "box2i", window),
        attribute("lineOrder", "lineOrder", b"\0"),
        attribute("pixelAspectRatio", "float", struct.pack("<f", 1)),
        attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
        attribute("screenWindowWidth", "float", struct.pack("<f", 1)),
        b"\0",
    ])  # fmt: skip
    pick, line = random.Random(4), width * 3 * 2
    chunk = 8 + line
    start = len(header) + 8 * height
    # Halves between 0 and 2: no NaN among them.
    pixels = bytes(byte & 0x3F for byte in pick.randbytes(line))
    with path.open("wb") as file:
        file.write(header)
        file.write(struct.pack(f"<{height}Q", *range(start, start + chunk * height, chunk)))
        for y in range(height):
            shift = 2 * (y * 37 % (line // 2))
            file.write(struct.pack("<2i", y, line) + pixels[shift:] + pixels[:shift])
    return path


def cut(folder: Path, sources: list[Path], count: int) -> list[tuple[Path, Path, int]]:
    """Files that end anywhere before their end: what they are, what they were, their bytes."""
    pick, found = random.Random(5), []
    for i in range(count):
        source = pick.choice(sources)
        size = pick.randrange(1, source.stat().st_size)
        # A scene is looked at beside the files that it names.
        path = folder / f"{i:04}" / source.name
        path.parent.mkdir(parents=True)
        with source.open("rb") as file:
            path.write_bytes(file.read(size))
        found.append((path, source, size))
    return found


def links(folder: Path, sources: list[Path], count: int) -> Path:
    """`count` names for copies of these files, a hundred in a folder."""
    own = folder / "own"
    own.mkdir(parents=True)
    there = [Path(shutil.copy(p, own / f"{i:05}{p.suffix}")) for i, p in enumerate(sources)]
    for i in range(count):
        name = folder / "names" / f"{i // 100:04}" / f"{i:06}{there[i % len(there)].suffix}"
        name.parent.mkdir(parents=True, exist_ok=True)
        os.link(there[i % len(there)], name)
    return folder / "names"
