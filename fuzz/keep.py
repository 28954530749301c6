"""Packs a folder of small inputs into one file, and unpacks it: keep.py pack FOLDER FILE, keep.py
unpack FILE FOLDER. The file is a row of inputs, each after its length as two bytes, little-endian;
`fuzz/bodies/kept.rs` reads it."""

import pathlib
import random
import sys

# Most bytes that are kept for a target.
LIMIT = 10_000


def pack(folder: pathlib.Path, file: pathlib.Path) -> None:
    """Keeps all inputs, or as many as the limit allows: half of it the smallest, half by lot."""
    inputs = sorted((path.read_bytes() for path in folder.iterdir()), key=lambda b: (len(b), b))
    drawn = random.Random(1).sample(inputs, len(inputs))
    kept: set[bytes] = set()
    for order, most in ((inputs, LIMIT // 2), (drawn, LIMIT)):
        for one in order:
            after = sum(map(len, kept)) + 2 * len(kept) + len(one) + 2
            if one and after <= most:
                kept.add(one)
    file.parent.mkdir(exist_ok=True)
    rows = (len(one).to_bytes(2, "little") + one for one in sorted(kept, key=lambda b: (len(b), b)))
    file.write_bytes(b"".join(rows))


def unpack(file: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes each input into a file of its own; a file that is missing holds none."""
    rest = file.read_bytes() if file.exists() else b""
    number = 0
    while rest:
        length = int.from_bytes(rest[:2], "little")
        (folder / f"kept-{number}").write_bytes(rest[2 : 2 + length])
        rest = rest[2 + length :]
        number += 1


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*map(pathlib.Path, sys.argv[2:]))
