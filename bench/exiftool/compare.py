"""Holds `solio exiftool` against ExifTool itself, byte for byte.

    python bench/exiftool/compare.py random --solio target/release/solio --exiftool /usr/bin/exiftool \
        --cases 10000 --seed 1 FOLDER…
    python bench/exiftool/compare.py cameras --solio … --exiftool … --write FILE FOLDER…

`random`: commands of random options on random files. Solio gets no ExifTool to hand anything to, so what it
answers is its own; standard output, standard error and status must be ExifTool's. Prints how many commands it
answered, and each that differs; and whether both agree where neither has read anything before.

`cameras`: which cameras' notes are read whole: those of which every sample gives the same bytes with `-j`,
`-j -n`, `-j -a -G1` and `-j -a -G1 -n`.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

TAGS = """Make Model DateTimeOriginal CreateDate ModifyDate ISO FNumber ExposureTime FocalLength Orientation
FileName FileSize FileType MIMEType ImageSize Megapixels ImageWidth ImageHeight GPSLatitude GPSLongitude
GPSPosition Software Artist Copyright Flash LensModel ExifVersion XResolution ThumbnailImage UserComment
SubSecDateTimeOriginal ShutterSpeed Aperture WhiteBalance NoSuchTag Subject Comment""".split()
GROUPS = "EXIF IFD0 ExifIFD GPS File System IFD1 Composite MakerNotes".split()
CONDITIONS = [
    "$Make eq 'Canon'",
    "$Model =~ /e/i",
    "$ISO > 100 and $FNumber < 8",
    "not defined $GPSLatitude",
    "defined $Software or $ISO == 100",
    "$Orientation# == 1",
    "$FileType eq 'JPEG' && $ImageWidth >= 8",
    "$Make !~ /^(nikon|sony)/i",
]
TEMPLATES = ["$FileName: $Make $Model", "${IFD0:Model}|$ISO|$$", "$DateTimeOriginal $NoSuchTag", "$ImageSize"]
DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%d.%m.%y %H:%M", "%A, %e %B %Y"]
# The access time changes as files are read.
STATE = ["--FileAccessDate", "--FileInodeChangeDate"]
VENDORED = """-json -fast -api struct=1 -use MWG -api keepUTCTime -*Duration*# -GPSAltitude# -GPSLatitude#
-GPSLongitude# -GPSPosition# -GeolocationPosition# -Orientation# -all -ignoreMinorErrors""".split()


LEFT = b"solio leaves this to ExifTool"


class Open:
    """A program that takes commands by lines."""

    def __init__(self, program, environment):
        self.process = subprocess.Popen(
            [*program, "-stay_open", "True", "-@", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self.number = 0
        self.err = b""
        self.more = threading.Condition()
        threading.Thread(target=self.keep, daemon=True).start()

    def keep(self):
        while part := os.read(self.process.stderr.fileno(), 1 << 16):
            with self.more:
                self.err += part
                self.more.notify()

    def ask(self, arguments):
        """Standard output, standard error and status."""
        self.number += 1
        end = f"{{status{self.number}=".encode()
        ready = f"{{ready{self.number}}}\n".encode()
        lines = [*arguments, "-echo4", end.decode() + "${status}}", f"-execute{self.number}", ""]
        self.process.stdin.write("\n".join(lines).encode())
        self.process.stdin.flush()
        out = b""
        while not out.endswith(ready):
            part = os.read(self.process.stdout.fileno(), 1 << 20)
            if not part:
                raise RuntimeError(f"it ended at {arguments}")
            out += part
        with self.more:
            # Who has nobody to hand a command to does not echo either.
            while not (end in self.err and self.err.endswith(b"}\n") or LEFT in self.err):
                if not self.more.wait(10):
                    break
            err, _, status = self.err.partition(end)
            self.err = b""
        return out[: -len(ready)], err, status.strip(b"}\n")


def files_below(folders):
    found = []
    for folder in folders:
        folder = Path(folder)
        found += [folder] if folder.is_file() else sorted(p for p in folder.rglob("*") if p.is_file())
    return [str(path) for path in found if "\n" not in str(path)]


def random_command(chance, files):
    """Options and files; which ones is `chance`'s affair."""
    if chance.random() < 0.08:
        return VENDORED + STATE + chance.sample(files, 1)
    command = []
    form = chance.choice(["-j", "-j", "-j", "-s", "-S", "-s3", "-t", "-T", "-csv", "-X", "", "-p"])
    if form == "-p":
        command += ["-p", chance.choice(TEMPLATES)]
    elif form:
        command.append(form)
    for option, share in [("-n", 0.3), ("-a", 0.25), ("-q", 0.1), ("-f", 0.1), ("-e", 0.05), ("-m", 0.1)]:
        if chance.random() < share:
            command.append(option)
    if chance.random() < 0.4:
        command.append(chance.choice(["-G", "-G1", "-G0:1", "-G4"] if form != "-X" else ["-fast"]))
    if chance.random() < 0.1:
        command += ["-d", chance.choice(DATES)]
    if chance.random() < 0.15:
        command += ["-if", chance.choice(CONDITIONS)]
    if chance.random() < 0.1:
        command += chance.choice([["-fast"], ["-struct"], ["-api", "struct=1"], ["-sep", ";"], ["-use", "MWG"]])
    if chance.random() < 0.65:
        for _ in range(chance.randint(1, 5)):
            tag = chance.choice(TAGS)
            if chance.random() < 0.2:
                tag = f"{chance.choice(GROUPS)}:{chance.choice([tag, tag, 'all'])}"
            elif chance.random() < 0.05:
                tag = chance.choice(["*Date*", "all", "Exif*", "*Resolution"])
            command.append(f"-{tag}" + ("#" if chance.random() < 0.1 else ""))
    if chance.random() < 0.1:
        command.append(f"--{chance.choice(TAGS)}")
    return command + STATE + chance.sample(files, chance.choice([1, 1, 1, 2, 3]))


def compare_random(args):
    files = files_below(args.folders)
    chance = random.Random(args.seed)
    # ExifTool keeps the module MWG, so commands that use it have processes of their own.
    plain, with_mwg = ((Open([args.solio, "exiftool"], {"SOLIO_EXIFTOOL": ""}), Open(args.exiftool.split(), {})) for _ in "ab")
    count = Counter()
    differing = []
    while count["answered"] < args.cases and count["asked"] < 40 * args.cases:
        command = random_command(chance, files)
        count["asked"] += 1
        # Both see the same files: which composites come first depends on those before.
        ours, theirs = with_mwg if "MWG" in command else plain
        mine, other = ours.ask(command), theirs.ask(command)
        if LEFT in mine[1]:
            continue
        count["answered"] += 1
        if count["answered"] % 500 == 0:
            print(f"{count['answered']} answered, {len(differing)} differ", file=sys.stderr, flush=True)
        if mine != other:
            # Which composites come first hangs on the files before.
            fresh = Open([args.solio, "exiftool"], {"SOLIO_EXIFTOOL": ""}), Open(args.exiftool.split(), {})
            is_history = fresh[0].ask(command) == fresh[1].ask(command)
            for one in fresh:
                one.process.kill()
            count["history"] += is_history
            differing.append(command)
            if len(differing) <= 200:
                print(json.dumps(command), "(equal where both are fresh)" * is_history, flush=True)
                for what, a, b in zip(("out", "err", "status"), other, mine):
                    if a != b:
                        print(f"  {what}: {first_difference(a, b)}", flush=True)
    print(f"{count['answered']} commands answered of {count['asked']}, {len(differing)} differ,",
          f"of which {count['history']} are equal where both are fresh")
    return 1 if len(differing) > count["history"] else 0


def first_difference(theirs, ours):
    theirs, ours = theirs.split(b"\n"), ours.split(b"\n")
    for a, b in zip(theirs + [b""] * len(ours), ours + [b""] * len(theirs)):
        if a != b:
            return f"{a[:150]!r} there, {b[:150]!r} here"
    return "nothing"


FORMS = [["-j"], ["-j", "-n"], ["-j", "-a", "-G1"], ["-j", "-a", "-G1", "-n"]]


def find_cameras(args):
    files = files_below(args.folders)
    ours = Open([args.solio, "exiftool"], {"SOLIO_EXIFTOOL": "", "SOLIO_EXIFTOOL_ALWAYS": "1"})
    theirs = Open(args.exiftool.split(), {})
    whole, broken = set(), set()
    for path in files:
        answers = [(ours.ask([*form, *STATE, path]), theirs.ask([*form, *STATE, path])) for form in FORMS]
        try:
            tags = json.loads(answers[2][1][0].decode(errors="replace"), strict=False)[0]
        except (ValueError, IndexError):
            continue
        camera = tuple(str(tags.get(f"IFD0:{name}", "")).rstrip() for name in ("Make", "Model"))
        if not all(camera) or not re.fullmatch(r"[ -~]*", "".join(camera)):
            continue
        same = all(mine[0] == other[0] for mine, other in answers)
        (whole if same else broken).add(camera)
    lines = ["# Cameras whose notes are read whole: maker and model. Made by bench/exiftool/compare.py: a sample of",
             "# each gives the bytes of ExifTool 13.58 with -j, -j -n, -j -a -G1 and -j -a -G1 -n."]
    lines += ["\t".join(camera) for camera in sorted(whole - broken)]
    Path(args.write).write_text("\n".join(lines) + "\n")
    print(f"{len(whole - broken)} cameras of {len(whole | broken)}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["random", "cameras"])
    parser.add_argument("--solio", default="target/release/solio")
    parser.add_argument("--exiftool", default="exiftool", help="the program, with arguments if it has some")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", default="crates/solio/src/exiftool/cameras.tsv")
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    return compare_random(args) if args.what == "random" else find_cameras(args)


if __name__ == "__main__":
    sys.exit(main())
