#!/usr/bin/env python3
"""Makes pixels.tsv beside this file: python pixels.py FOLDER, with OpenEXR and OpenImageIO of PyPI.

A line for each part and level of each file below FOLDER that the reference reads: the path, the
part, the level (how often width and height were halved), samples of all channels, and the CRC-32
of their bytes, channel by channel in the order of their names. Of deep parts the counts come
first. OpenEXR gives the full size; the smaller levels of mip maps come through OpenImageIO. Every
file is read in a process of its own: the reference may crash on it, and then has no line.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio


def sums(planes: Iterable[Any]) -> tuple[int, int]:
    count = crc = 0
    for plane in planes:
        count += plane.size
        crc = zlib.crc32(np.ascontiguousarray(plane).tobytes(), crc)
    return count, crc


def deep_planes(channels: list[Any]) -> Iterator[Any]:
    flat = [channel.reshape(-1) for channel in channels]
    lengths = [0 if pixel is None else len(pixel) for pixel in flat[0]]
    yield np.array(lengths, dtype=np.uint32)
    for pixels in flat:
        there = [pixel for pixel in pixels if pixel is not None and len(pixel)]
        if there:
            yield np.concatenate(there)


def full_size(path: Path) -> Iterator[tuple[int, int, int, int, int]]:
    file = OpenEXR.File(str(path), separate_channels=True)
    for i, part in enumerate(file.parts):
        names = sorted(part.channels, key=str.encode)
        planes = [part.channels[name].pixels for name in names]
        if not planes or any(plane is None for plane in planes):
            return
        deep = planes[0].dtype == object
        yield (i, 0, 0, *sums(deep_planes(planes) if deep else planes))


def smaller_levels(path: Path) -> Iterator[tuple[int, int, int, int, int]]:
    file = oiio.ImageInput.open(str(path))
    level = 1
    while file and file.seek_subimage(0, level):
        spec = file.spec()
        pixels = file.read_image(0, level, 0, spec.nchannels, oiio.UNKNOWN)
        order = sorted(range(spec.nchannels), key=lambda i: spec.channelnames[i].encode())
        yield (0, level, level, *sums(pixels[:, :, i] for i in order))
        level += 1


def lines(path: Path, name: str) -> Iterator[str]:
    for row in [*full_size(path), *smaller_levels(path)]:
        *numbers, crc = row
        yield "\t".join([name, *map(str, numbers), f"{crc:08x}"])


def main() -> None:
    folder = Path(sys.argv[1])
    out = Path(__file__).with_suffix(".tsv")
    found: list[str] = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        receive, send = os.pipe()
        if child := os.fork():
            os.close(send)
            with os.fdopen(receive) as pipe:
                text = pipe.read()
            if os.waitpid(child, 0)[1] == 0:
                found += text.splitlines()
            continue
        os.close(receive)
        status = 1
        try:
            text = "".join(f"{line}\n" for line in lines(path, path.relative_to(folder).as_posix()))
            os.write(send, text.encode())
            status = 0
        finally:
            os._exit(status)
    out.write_text("path\tpart\tx\ty\tsamples\tcrc32\n" + "".join(f"{line}\n" for line in found))
    print(f"{len(found)} lines in {out}")


if __name__ == "__main__":
    main()
