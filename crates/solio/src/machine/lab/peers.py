"""What `solio lab --python PROGRAM` runs: codecs that there are for Python only.

Reads arrays from standard input, each a line of JSON (`type`, `channels`, `width`, `rows` or null,
`bytes`) and its bytes: of images row by row, in each channel by channel; of lists element by
element. Prints a line of JSON for each codec: `array`, `codec`, `level`, `raw_bytes`,
`packed_bytes`, and the samples `write_ns` and `read_ns`; or `refused`, or a `note`. Each runs on one
thread, whose CPU time is told, and counts only if every bit comes back. Packages that are missing are noted and passed by.
"""

import json
import os
import sys
import time

os.environ["BLOSC_NTHREADS"] = "1"
ROUNDS = 5


def say(**row):
    print(json.dumps(row), flush=True)


try:
    import numpy as np
except ImportError:
    say(note="the Python of --python has no NumPy")
    sys.exit(0)


def blosc2(found):
    import blosc2 as b

    b.set_nthreads(1)
    filters = [b.Filter.SHUFFLE, b.Filter.BYTEDELTA]
    for name, codec, level in [("zstd", b.Codec.ZSTD, 1), ("zstd", b.Codec.ZSTD, 5), ("lz4", b.Codec.LZ4, 5)]:
        size = found.values.dtype.itemsize
        params = {"codec": codec, "clevel": level, "typesize": size, "nthreads": 1,
                  "filters": filters, "filters_meta": [0, size]}
        unpack = {"nthreads": 1}
        yield (
            f"Blosc2 shuffle + bytedelta + {name}",
            level,
            lambda p=params: b.compress2(found.lists, **p),
            lambda packed: np.frombuffer(b.decompress2(packed, **unpack), found.values.dtype),
            found.lists,
        )


def openzl(found):
    import openzl.ext as z

    values = np.ascontiguousarray(found.lists).view(f"u{found.values.dtype.itemsize}")

    def context(make):
        compressor = z.Compressor()
        compressor.select_starting_graph(make(compressor))
        pack = z.CCtx()
        pack.ref_compressor(compressor)
        pack.set_parameter(z.CParam.StickyParameters, 1)
        pack.set_parameter(z.CParam.FormatVersion, z.MAX_FORMAT_VERSION)
        return pack, compressor

    def delta(compressor):
        end = z.graphs.Compress()(compressor)
        return z.nodes.DeltaInt()(compressor, z.nodes.Zigzag()(compressor, end))

    for name, make in [("delta + zigzag", delta), ("default", lambda c: z.graphs.Compress()(c))]:
        pack, kept = context(make)
        unpack = z.DCtx()
        yield (
            f"OpenZL {name}",
            None,
            lambda p=pack, _=kept: p.compress([z.Input(z.Type.Numeric, values)]),
            lambda packed, u=unpack: np.asarray(u.decompress(packed)[0].content.as_nparray()),
            values,
        )


def fpzip(found):
    import fpzip as f

    if found.values.dtype not in (np.float32, np.float64):
        return
    # Planes of rows, each channel one; fpzip sees up to four dimensions.
    planes = np.ascontiguousarray(found.planes)[None]
    yield (
        "fpzip",
        None,
        lambda: f.compress(planes, precision=0, order="C"),
        lambda packed: f.decompress(packed, order="C"),
        planes,
    )


def jpeg_xl(found):
    import imagecodecs as i

    if not found.is_image or found.values.dtype.itemsize > 2:
        return
    pixels = np.ascontiguousarray(np.moveaxis(found.planes, 0, -1))
    if pixels.dtype == np.float16:
        # Bits to integers that rise with the numbers: this is always without loss.
        bits = pixels.view(np.uint16)
        pixels = np.where(bits & 0x8000, ~bits, bits | 0x8000).astype(np.uint16)
    if pixels.shape[-1] == 1:
        pixels = pixels[..., 0]
    elif pixels.shape[-1] > 4:
        return
    for effort in (1, 3):
        yield (
            "JPEG XL",
            effort,
            lambda e=effort: i.jpegxl_encode(pixels, effort=e, lossless=True, numthreads=1),
            lambda packed: i.jpegxl_decode(packed, numthreads=1),
            pixels,
        )


class Found:
    """An array: all numbers, as a list of elements, and as planes."""

    def __init__(self, head, data):
        kind = f"{head['type'][0]}{int(head['type'][1:]) // 8}"
        self.values = np.frombuffer(data, kind)
        channels, width, rows = head["channels"], head["width"], head["rows"]
        self.is_image = rows is not None
        if self.is_image:
            self.planes = self.values.reshape(rows, channels, width).transpose(1, 0, 2)
        else:
            self.planes = self.values.reshape(width, channels).T[:, None, :]
        # Channel after channel: what stands side by side is alike.
        self.lists = np.ascontiguousarray(self.planes).reshape(-1)


def measure(index, raw_bytes, name, level, pack, unpack, expected):
    row = {"array": index, "codec": name, "level": level, "raw_bytes": raw_bytes}
    packed = pack()
    if np.asarray(unpack(packed)).tobytes() != expected.tobytes():
        return say(**row, refused="it does not give back every bit")
    times = {"write_ns": [], "read_ns": []}
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        packed = pack()
        middle = time.process_time_ns()
        unpack(packed)
        times["write_ns"].append(middle - start)
        times["read_ns"].append(time.process_time_ns() - middle)
    say(**row, packed_bytes=len(packed), **times)


def main():
    missing = set()
    index = 0
    for line in sys.stdin.buffer:
        head = json.loads(line)
        data = sys.stdin.buffer.read(head["bytes"])
        found = Found(head, data)
        for peer in (blosc2, openzl, fpzip, jpeg_xl):
            try:
                for trial in peer(found):
                    measure(index, len(data), *trial)
            except ImportError as error:
                if peer.__name__ not in missing:
                    say(note=f"the Python of --python has no {error.name}")
                missing.add(peer.__name__)
            except Exception as error:  # a peer's own error is its result
                say(array=index, codec=peer.__name__, level=None, refused=f"{type(error).__name__}: {error}")
        index += 1


main()
