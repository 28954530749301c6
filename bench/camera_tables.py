"""Makes rows of the tables of makers' notes from documentation and from what ExifTool prints:

    python bench/camera_tables.py lenses PAGES
    python bench/camera_tables.py words PAGES
    python bench/camera_tables.py learn PAGES "Sony CameraSettings2" --make SONY --model DSLR-A330 \\
        --head 534f4e59204453432000 --entry 0x114 --bytes 332 --group Sony

PAGES is the folder of ExifTool's public pages of tag names (html/TagNames). `lenses` writes the lists of
lenses; `words` completes the words of the rows that crates/solio-photo/tables has, and keeps what stands
there already. `learn` makes notes in which each byte of one record takes every value in turn, asks ExifTool
for numbers and words of them, and prints the rows that explain all of these; what it cannot explain is
printed behind a `?`. Nothing of ExifTool but what it prints and what its pages say is looked at.
"""

from __future__ import annotations

import argparse
import collections
import html
import json
import math
import re
import shlex
import struct
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path

TABLES = Path(__file__).parents[1] / "crates/solio-photo/tables"
SIZES = {"int8u": 1, "int8s": 1, "int16u": 2, "int16s": 2, "int32u": 4, "int32s": 4, "undef": 1}
TYPES = {"int8u": 1, "string": 2, "int16u": 3, "int32u": 4, "undef": 7}


# The pages.


def text_of(cell: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", cell)).replace("\xa0", " ").strip()


def lines_of(cell: str) -> list[tuple[str, bool]]:
    """The lines of a cell, and of each whether it is a remark."""
    cell = re.sub(r"</span><table", "<br><table", cell)
    cell = re.sub(r"</?(td|tr|table)[^>]*>", "<br>", cell).replace("\n", " ")
    lines = [(text_of(line), "class=n" in line) for line in cell.split("<br>")]
    return [line for line in lines if line[0]]


def pages(folder: Path) -> dict[str, dict]:
    """Tables by their titles (`Sony CameraSettings`), lists of values by theirs and a `!`."""
    found: dict[str, dict] = {}
    for path in sorted(folder.glob("*.html")):
        parts = re.split(
            r"<h2[^>]*>(?:<a name='[^']*'>)?(.*?)(?:</a>)?</h2>", path.read_text(errors="replace")
        )
        for title, body in zip(parts[1::2], parts[2::2], strict=True):
            title = html.unescape(title)
            if title.endswith(" Values"):
                pairs = re.findall(r"<td[^>]*>([^<]*)</td>\s*<td[^>]*>= (.*?)</td>", body, re.S)
                found[f"{title[:-7]}!"] = {
                    "words": [(text_of(key).strip("'"), text_of(word)) for key, word in pairs]
                }
                continue
            found[title.removesuffix(" Tags")] = table_of(body)
    return found


def table_of(body: str) -> dict:
    head = re.search(r"<tr class=h>(.*?)</tr>", body, re.S)
    rows = []
    for chunk in re.split(r"\n<tr(?: class=b)?>\n", body)[1:]:
        row = re.match(
            r"<td[^>]*>(.*?)</td>\n<td[^>]*>(.*?)</td>\n<td[^>]*>(.*?)</td>\n<td[^>]*>(.*)</td></tr>",
            chunk,
            re.S,
        )
        if row:
            number, names, types, values = row.groups()
            split = lambda cell: [text_of(one) for one in cell.split("<br>")]  # noqa: E731
            rows.append(
                {
                    "id": text_of(number),
                    "names": split(names),
                    "types": split(types),
                    "lines": lines_of(values),
                }
            )
    unit = re.match(r"Index(\d)", text_of(head.group(1))) if head else None
    return {"unit": int(unit.group(1)) if unit else 1, "rows": rows}


def number(text: str) -> int | None:
    digits = re.match(r"0x[0-9a-fA-F]+|\d+", text)
    if not digits:
        return None
    return int(digits.group(), 16) if digits.group().startswith("0x") else int(digits.group())


def meaning(row: dict, found: dict[str, dict]) -> tuple[dict[str, str], int | None, bool]:
    """Words by number, the bits that count, and whether the words are those of bits."""
    words: dict[str, str] = {}
    mask, bits = None, False
    for line, remark in row["lines"]:
        cut = re.match(r"\[val (?:>> (\d+) )?& (0x[0-9a-fA-F]+)\]$", line)
        bit = re.match(r"Bit (\d+) = (.*)$", line)
        value = re.match(r"(0x[0-9a-fA-F]+|-?[\d.]+(?: -?[\d.]+)*) = (.*)$", line)
        if remark:
            continue
        if cut:
            mask = int(cut.group(2), 16) << int(cut.group(1) or 0)
        elif line.startswith("--> ") and line.endswith(" Values"):
            words.update(found.get(f"{line[4:-7]}!", {}).get("words", []))
        elif bit:
            if not bits and "0" in words:
                words["none"] = words.pop("0")
            bits, words[bit.group(1)] = True, bit.group(2)
        elif value:
            key = value.group(1)
            words["none" if bits else str(int(key, 16)) if key.startswith("0x") else key] = value.group(2)
    return words, mask, bits


# Tables.


def lenses(found: dict[str, dict]) -> None:
    """One list a maker, and one of those that share a number."""
    shared: list[str] = []
    source = "# Source: ExifTool's pages of tag names (values of LensType and LensID).\n"
    for page, key, file, what in [
        ("Canon LensType", "canon", "canon_lenses", "Canon's lenses by number."),
        ("Sony LensType", "sony", "sony_lenses", "Sony's and Minolta's lenses of the A mount by number."),
        ("Sony LensType2", "sony_e", "sony_e_lenses", "Sony's lenses of the E mount by number."),
        ("Pentax LensType", "pentax", "pentax_lenses", "Pentax' lenses by series and number."),
        (
            "Olympus LensType",
            "olympus",
            "olympus_lenses",
            "Olympus' and Panasonic's lenses by maker, number and kind.",
        ),
        ("Sigma LensType", "sigma", "sigma_lenses", "Sigma's lenses by number."),
    ]:
        names = collections.defaultdict(list)
        for value, name in found[f"{page}!"]["words"]:
            names[str(int(value, 16)) if value.startswith("0x") else value].append(name)
        first = "".join(f"{value}\t{all_names[0]}\n" for value, all_names in names.items())
        (TABLES / f"{file}.tsv").write_text(f"# {what}\n{source}{first}")
        for value, (one, *rest) in names.items():
            for name in [re.sub(" or .*", "", one), *rest] if rest else []:
                shared.append(f"{key}\t{value}\t{name}\n")
    shared += [f"nikon\t{value}\t{name}\n" for value, name in found["Nikon LensID!"]["words"]]
    head = f"# Lenses that share a number with others, and Nikon's by their eight bytes.\n{source}# maker\tnumber\tname\n"
    (TABLES / "lenses.tsv").write_text(head + "".join(shared))


def words(found: dict[str, dict]) -> None:
    """Completes rows with words from the page that has most of a section's numbers and names."""
    known = {
        name: {(number(row["id"]), one) for row in page["rows"] for one in row["names"]}
        for name, page in found.items()
        if "rows" in page
    }
    for path in sorted(TABLES.glob("*.tsv")):
        sections = re.split(r"(?m)^(?=\[)", path.read_text())
        for n, section in enumerate(sections):
            rows = [line.split("\t") for line in section.split("\n")]
            own = {(number(row[0]), row[1]) for row in rows if len(row) > 3}
            page = max(known, key=lambda name: len(known[name] & own))
            if not section.startswith("[") or 2 * len(known[page] & own) < len(own):
                continue
            sections[n] = "\n".join(completed(row, found, page) for row in rows)
        path.write_text("".join(sections))


def completed(row: list[str], found: dict[str, dict], page: str) -> str:
    if len(row) > 3 and re.match(r"[=#&]\{", row[3]):
        same = [
            one
            for one in found[page]["rows"]
            if number(one["id"]) == number(row[0]) and one["names"] == [row[1]]
        ]
        own_mask = int(row[0].split("&")[1], 16) if "&" in row[0] else None
        if len(same) == 1:
            told, mask, bits = meaning(same[0], found)
            there = dict(pair.split(":", 1) for pair in row[3][2:-1].split("|") if ":" in pair)
            if (
                told
                and mask == own_mask
                and bits == (row[3][0] == "&")
                and not any("|" in word for word in told.values())
            ):
                row[3] = (
                    row[3][:2] + "|".join(f"{key}:{word}" for key, word in {**told, **there}.items()) + "}"
                )
    return "\t".join(row)


# Notes that are made, and what explains them.


def directory(entries: list[tuple[int, str, bytes]], at: int) -> bytes:
    out, data = struct.pack("<H", len(entries)), b""
    behind = at + 6 + 12 * len(entries)
    for tag, kind, value in sorted(entries):
        place = value.ljust(4, b"\0") if len(value) <= 4 else struct.pack("<I", behind + len(data))
        out += struct.pack("<HHI", tag, TYPES[kind], len(value) // SIZES.get(kind, 1)) + place
        data += value + b"\0" * (len(value) % 2) if len(value) > 4 else b""
    return out + bytes(4) + data


def photo(make: str, model: str, head: bytes, entry: int, record: bytes) -> bytes:
    """A TIFF structure with one record in the note; offsets count from its start."""
    names = [(0x10F, "string", make.encode() + b"\0"), (0x110, "string", model.encode() + b"\0")]
    exif = 8 + len(directory([*names, (0x8769, "int32u", bytes(4))], 8))
    note_at = exif + 6 + 12
    note = head + directory([(entry, "undef", record)], note_at + len(head))
    first = directory([*names, (0x8769, "int32u", struct.pack("<I", exif))], 8)
    return b"II*\0" + struct.pack("<I", 8) + first + directory([(0x927C, "undef", note)], exif)


def record(turn: int, length: int) -> bytes:
    """Each byte takes every value in 256 turns, after which small numbers of two bytes follow."""
    if turn < 256:
        return bytes((turn + 37 * at + 91 * (at >> 3)) & 255 for at in range(length))
    order = "big" if turn % 2 else "little"
    return b"".join(((turn * 7 + at) % 300).to_bytes(2, order) for at in range(length // 2 + 1))[:length]


def printed(exiftool: list[str], files: list[Path], option: list[str]) -> dict[str, dict]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("".join(f"{path}\n" for path in files))
        names.flush()
        run = subprocess.run(
            [*exiftool, "-j", "-D", "-G1:4", "-a", "-q", "-q", *option, "-@", names.name], capture_output=True
        )
    found = json.loads(run.stdout.decode(errors="replace"), parse_float=str, parse_int=str)
    return {members["SourceFile"]: members for members in found}


def as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def steps_of(pairs: list[tuple[int, float]]) -> str | None:
    """What makes the second number of each pair of the first, in the words of the tables."""
    pairs = sorted(set(pairs))
    if len(pairs) < 3:
        return None
    (low, first), (high, last) = pairs[0], pairs[-1]
    near = lambda made, want: abs(made - want) <= 1e-12 * max(abs(made), abs(want), 1e-300)  # noqa: E731
    nice = lambda n: Fraction(n).limit_denominator(1000)  # noqa: E731
    if all(near(raw, want) for raw, want in pairs):
        return ""
    slope = (last - first) / (high - low)
    if slope:
        factor, zero = nice(slope), nice(low - first / slope)
        if all(near(float(factor * (raw - zero)), want) for raw, want in pairs):
            shift = f"-{float(zero):g} " if zero > 0 else f"+{float(-zero):g} " if zero else ""
            inverse = 1 / factor
            return shift + (f"/{float(inverse):g}" if abs(factor) < 1 else f"*{float(factor):g}")
    for scale in (1, 100) if min(first, last) > 0 else ():
        slope = (math.log2(last / scale) - math.log2(first / scale)) / (high - low)
        by = nice(1 / slope) if slope else 0
        if by:
            start = nice(math.log2(first / scale) - low / float(by))
            if all(near(2 ** (raw / float(by) + float(start)) * scale, want) for raw, want in pairs):
                size, tail = f"/{float(abs(by)):g} ", " *100" if scale == 100 else ""
                if by < 0:
                    return f"{size}_{float(start):g} exp2{tail}"
                return f"{size}{'-' if start < 0 else '+'}{float(abs(start)):g} exp2{tail}"
    return None


def template_of(numbers: list[tuple[float, str]]) -> str | None:
    """A template that makes the words of each number."""
    for _, word in numbers[:8]:
        parts = re.match(r"(\D*?)([+-]?)(\d+(?:\.(\d+))?)(.*)$", word)
        if not parts:
            continue
        before, _, _, decimals, behind = parts.groups()
        for form in (f"%.{len(decimals or '')}f", f"%+.{len(decimals or '')}f", "%d", "%+d"):
            whole = f"{before}{form}{behind.replace('%', '%%')}"
            if all(whole % n == word for n, word in numbers):
                return whole
    return None


def learn(found: dict[str, dict], args: argparse.Namespace) -> None:
    page = found[args.page]
    records = [record(turn, args.bytes) for turn in range(300)]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{turn}.tif" for turn in range(len(records))]
        for path, made in zip(files, records, strict=True):
            path.write_bytes(photo(args.make, args.model, bytes.fromhex(args.head), args.entry, made))
        exiftool = shlex.split(args.exiftool)
        numbers, worded = printed(exiftool, files, ["-n"]), printed(exiftool, files, [])
    seen: dict[tuple[str, str], dict[int, tuple[str, str]]] = collections.defaultdict(dict)
    for turn, path in enumerate(map(str, files)):
        for key, value in numbers.get(path, {}).items():
            if args.group in key.split(":") and key in worded.get(path, {}):
                seen[value["id"], key.split(":")[-1]][turn] = (value["val"], worded[path][key]["val"])
    for (place, name), values in seen.items():
        rows = [row for row in page["rows"] if row["id"] == place and name in row["names"]]
        kind = rows[0]["types"][0].split("[")[0] if rows else ""
        kind = kind if kind in SIZES else "int8u"
        told, mask, bits = meaning(rows[0], found) if rows else ({}, None, False)
        print(explained(place, name, kind, page["unit"], told, mask, bits, records, values))


def explained(place, name, kind, unit, told, mask, bits, records, values) -> str:
    at = (number(place) or 0) * unit
    column = place.split(".")[0] + (f"&0x{mask:02x}" if mask else "")
    for order in ("little", "big"):
        pairs = []
        for turn, (value, word) in values.items():
            raw = int.from_bytes(records[turn][at : at + SIZES[kind]], order, signed=kind.endswith("s"))
            raw = (raw & mask) >> ((mask & -mask).bit_length() - 1) if mask else raw
            pairs.append((raw, as_float(value), word))
        # Times and apertures that no camera has are left out.
        sane = [
            pair
            for pair in pairs
            if pair[1] is not None and (pair[1] == pair[0] == 0 or 1e-9 < abs(pair[1]) < 1e12)
        ]
        steps = steps_of([(raw, value) for raw, value, _ in sane if raw]) if sane else None
        if steps is None:
            continue
        prefix = f"~{steps} : " if steps else ""
        unknown = [word for _, _, word in sane if word.startswith("Unknown (")]
        if told or unknown:
            rule = (
                ("&" if bits else "=") + "{" + "|".join(f"{key}:{word}" for key, word in told.items()) + "}"
            )
        else:
            rule = (
                "-"
                if all(as_float(word) == value for _, value, word in sane)
                else template_of([pair[1:] for pair in sane])
            )
        if rule:
            return "\t".join([column, name, kind, prefix + rule, order])
    return f"?\t{column}\t{name}\t{kind}\t{list(values.values())[:3]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["lenses", "words", "learn"])
    parser.add_argument("pages", type=Path)
    parser.add_argument("page", nargs="?")
    parser.add_argument("--make", default="SONY")
    parser.add_argument("--model", default="")
    parser.add_argument("--head", default="", help="the note's first bytes, in hexadecimal digits")
    parser.add_argument("--entry", type=lambda text: int(text, 0), default=0)
    parser.add_argument("--bytes", type=int, default=0)
    parser.add_argument("--group", default="")
    parser.add_argument("--exiftool", default="exiftool")
    args = parser.parse_args()
    found = pages(args.pages)
    if args.what == "learn":
        learn(found, args)
    else:
        {"lenses": lenses, "words": words}[args.what](found)


if __name__ == "__main__":
    main()
