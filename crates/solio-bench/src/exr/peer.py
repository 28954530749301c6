"""The peer of `solio-bench exr` with OpenEXR's or OpenImageIO's Python package: `-c` … openexr|oiio.

Files only, and every read makes new arrays: that is what the packages offer.
"""

import os
import sys
import time

import numpy as np

ALL = "none rle zips zip piz pxr24 b44 b44a dwaa dwab htj2k256 htj2k32 zstd".split()


def total(planes):
    """The same sum as every peer makes: words, and words times their place."""
    result = 0
    for plane in planes:
        data = np.ascontiguousarray(plane).reshape(-1).view(np.uint8)
        if data.size % 4:
            data = np.concatenate([data, np.zeros(-data.size % 4, np.uint8)])
        words = data.view(np.uint32).astype(np.uint64)
        places = np.arange(1, words.size + 1, dtype=np.uint64)
        for part in (words.sum(dtype=np.uint64), (words * places).sum(dtype=np.uint64)):
            result = (result * 1000003 + int(part)) % 2**64
    return result


class WithOpenExr:
    def __init__(self):
        import OpenEXR

        self.module = OpenEXR
        self.images = []

    def hello(self):
        names = [n for n in ALL if hasattr(self.module, self.constant(n))]
        return f"{self.module.__version__} file {' '.join(names)}"

    @staticmethod
    def constant(method):
        return ("NO" if method == "none" else method.upper()) + "_COMPRESSION"

    def image(self, path):
        file = self.module.File(path, separate_channels=True)
        self.images.append((dict(file.header()), {n: c.pixels for n, c in file.channels().items()}))
        return self.total(self.images[-1][1])

    @staticmethod
    def total(planes):
        return total(planes[name] for name in sorted(planes, key=str.encode))

    def write(self, index, method, threads, path):
        header, planes = self.images[index]
        keep = ("dataWindow", "displayWindow", "type", "lineOrder")
        header = {name: header[name] for name in keep if name in header}
        header["compression"] = getattr(self.module, self.constant(method))
        self.module.File(header, planes).write(path)

    def read(self, index, threads, path):
        return self.module.File(path, separate_channels=True)

    def look(self, index, file):
        return self.total({name: c.pixels for name, c in file.channels().items()})


class WithImageIo:
    def __init__(self):
        import OpenImageIO

        self.module = OpenImageIO
        self.images = []

    def hello(self):
        return f"{self.module.__version__} file none rle zips zip piz pxr24 b44 b44a dwaa dwab"

    def load(self, path):
        file = self.module.ImageInput.open(path)
        pixels = file.read_image(0, 0, 0, file.spec().nchannels, self.module.UNKNOWN)
        spec = file.spec()
        file.close()
        return spec, pixels

    def image(self, path):
        self.images.append(self.load(path))
        if len(set(self.images[-1][0].channelformats)) > 1:
            raise ValueError("channels of several types")
        return self.look(0, self.images[-1])

    def use(self, threads):
        self.module.attribute("threads", threads)
        self.module.attribute("exr_threads", -1 if threads == 1 else threads)

    def write(self, index, method, threads, path):
        self.use(threads)
        spec, pixels = self.images[index]
        spec = self.module.ImageSpec(spec)
        # Without a level the library's own default counts; OpenImageIO's for zip is 4 too.
        spec["compression"] = method
        out = self.module.ImageOutput.create(path)
        if not out.open(path, spec) or not out.write_image(pixels):
            raise ValueError(out.geterror())
        out.close()

    def read(self, index, threads, path):
        self.use(threads)
        return self.load(path)

    def look(self, index, loaded):
        spec, pixels = loaded
        names = list(spec.channelnames)
        order = sorted(range(len(names)), key=lambda i: names[i].encode())
        return total(pixels[:, :, i] for i in order)


def answer(peer, line):
    word, _, rest = line.partition(" ")
    if word == "hello":
        return peer.hello()
    if word == "forget":
        peer.images.clear()
        return "forgotten"
    if word == "image":
        return peer.image(rest)
    if word == "write":
        index, method, threads, _, path = rest.split(" ", 4)
        wall, cpu = time.perf_counter(), time.process_time()
        peer.write(int(index), method, int(threads), path)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return f"{wall:.9f} {cpu:.9f} {os.path.getsize(path)}"
    if word == "read":
        index, threads, _, path = rest.split(" ", 3)
        wall, cpu = time.perf_counter(), time.process_time()
        loaded = peer.read(int(index), int(threads), path)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return f"{wall:.9f} {cpu:.9f} {peer.look(int(index), loaded)}"
    raise ValueError("unknown word")


def main():
    try:
        peer = {"openexr": WithOpenExr, "oiio": WithImageIo}[sys.argv[1]]()
    except ImportError as error:
        print(f"error: {error}", flush=True)
        return
    for line in sys.stdin:
        try:
            print(answer(peer, line.rstrip("\n")), flush=True)
        except Exception as error:
            print("error:", str(error).replace("\n", " "), flush=True)


main()
