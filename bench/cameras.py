"""How far `solio meta` agrees with ExifTool over sample files of cameras:

    python bench/cameras.py FOLDER [--half tables|held] [--solio PATH] [--exiftool COMMAND] [--lost]

FOLDER has a folder per maker with one small file per camera, named after maker and model. The cameras are
in two halves by the first byte of the MD5 of that name: tables are made from `tables` (even) alone, and
figures are told of `held` (odd), which is what is printed without an option. --lost lists the keys that are
missing or differ instead, of half `tables` alone.

Keys are those of `exiftool -j -G1 -a`; those about the file system and the run do not count. A key is
*there* where both have it, and *equal* where its words are the same, in per cent of all keys.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

# Groups outside maker notes.
PLAIN = re.compile(
    r"(File|JFIF|JFXX|IFD\d|ExifIFD|GPS|InteropIFD|Composite|XMP.*|ICC.*|IPTC.*|Photoshop|PNG.*|MPF\d?|"
    r"MPImage\d|SubIFD\d?|JUMBF|CBOR|Adobe|APP\d+|PrintIM|Ducky|FlashPix|JPS|QuickTime|Track\d|AFCP)$"
)
NOT_COUNTED = re.compile(r"(System|ExifTool|SourceFile)(:|$)")
DATES = {"ExifIFD:DateTimeOriginal", "ExifIFD:CreateDate", "IFD0:ModifyDate"}


def half(path: Path) -> str:
    return "held" if hashlib.md5(path.stem.encode()).digest()[0] % 2 else "tables"


def printed_by(command: list[str], paths: list[Path], *, lines: bool) -> list[dict]:
    """What one run of `command` prints for `paths`; ExifTool reads their names from a list."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        separator = "\0" if lines else "\n"
        names.write("".join(f"{path}{separator}" for path in paths))
        names.flush()
        option = ["-0", "--files-from", names.name] if lines else ["-@", names.name]
        run = subprocess.run([*command, *option], capture_output=True)
    text = run.stdout.decode(errors="replace")
    return [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)


class Agreement:
    def __init__(self) -> None:
        self.keys = self.there = self.equal = 0

    def add(self, there: bool, equal: bool) -> None:
        self.keys += 1
        self.there += there
        self.equal += there and equal

    def row(self, name: str) -> str:
        share = lambda part: f"{100 * part / max(self.keys, 1):.1f} %"  # noqa: E731
        return f"| {name} | {self.keys} | {share(self.there)} | {share(self.equal)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=["tables", "held"], default="held")
    parser.add_argument("--solio", default="target/release/solio")
    parser.add_argument("--exiftool", default="exiftool")
    parser.add_argument("--lost", action="store_true")
    args = parser.parse_args()
    which = "tables" if args.lost else args.half
    files = sorted(path for path in args.folder.rglob("*") if path.is_file())
    files = [path for path in files if half(path) == which]
    theirs = printed_by([*shlex.split(args.exiftool), "-j", "-G1", "-a", "-q", "-q"], files, lines=False)
    ours = printed_by([args.solio, "meta", "--jsonl"], files, lines=True)
    by_path = {members["SourceFile"]: members for members in ours}
    tell(theirs, by_path, lost=args.lost)


def tell(theirs: list[dict], by_path: dict[str, dict], *, lost: bool) -> None:
    rows: dict[str, Agreement] = collections.defaultdict(Agreement)
    missing: collections.Counter = collections.Counter()
    differ: dict[str, list] = collections.defaultdict(list)
    for members in theirs:
        path = Path(members["SourceFile"])
        our = by_path.get(members["SourceFile"], {})
        for key, value in members.items():
            if NOT_COUNTED.match(key):
                continue
            group = key.split(":")[0]
            names = ["outside notes"] if PLAIN.match(group) else ["notes", f"notes: {path.parent.name}"]
            names += ["dates"] if key in DATES else []
            names += ["LensID"] if key == "Composite:LensID" else []
            there, equal = key in our, our.get(key) == value
            for name in names:
                rows[name].add(there, equal)
            if not there:
                missing[key] += 1
            elif not equal:
                differ[key].append((path.name, value, our[key]))
    if lost:
        for key, count in missing.most_common():
            print(f"missing\t{count}\t{key}")
        for key, cases in sorted(differ.items(), key=lambda item: -len(item[1])):
            print(f"differs\t{len(cases)}\t{key}\t{cases[0]}")
        return
    print(f"{len(theirs)} files\n\n| what | keys | there | equal, of all |\n|---|--:|--:|--:|")
    first = ["dates", "outside notes", "LensID", "notes"]
    rest = sorted((name for name in rows if name not in first), key=lambda name: -rows[name].keys)
    for name in [*first, *rest]:
        if name in rows:
            print(rows[name].row(name))


if __name__ == "__main__":
    main()
