"""What `solio check` costs beside reading headers, and what it finds: for the part `catalog`."""

from __future__ import annotations

import collections
import json
import os
from collections.abc import Iterator
from pathlib import Path

import catalog_trees as trees
from catalog_processes import Row, Side, compared, run

CUT = 1000
ENDINGS = {
    ".exr", ".jpg", ".jpeg", ".png", ".tif", ".tiff", ".gif", ".webp", ".heic", ".dng", ".cr2", ".nef",
    ".arw", ".rw2", ".orf", ".raf", ".mp4", ".mov", ".hdr", ".ply", ".stl", ".obj", ".pbrt",
}  # fmt: skip


def data() -> Path:
    return Path(os.environ.get("SOLIO_DATA", BENCH_DATA)).resolve()


BENCH_DATA = Path(__file__).resolve().parent.parent / ".." / "shared" / "data"


def is_whole(line: dict[str, object]) -> bool:
    return not line["problems"]


def sets(folder: Path, quick: bool) -> Iterator[tuple[str, list[Path]]]:
    """Images by set: what they are called, and the files."""
    exr = data() / "exr"
    for name, found in (
        ("all EXR of the test data", sorted(exr.rglob("*.exr"))),
        ("openexr-images", sorted((exr / "openexr-images").rglob("*.exr"))),
    ):
        if found:
            yield f"{name}: {len(found)} files", found
        else:
            print(f"check of {name}: skipped (no images in {exr})", flush=True)
    size = 1024 if quick else 8192
    large = trees.large_exr(folder / "large.exr", size, size)
    yield f"one EXR of {size} chunks, {large.stat().st_size / 1e6:.0f} MB", [large]


def costs(solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """The chunk table and the head of each chunk, beside the header alone."""
    for name, files in sets(folder, quick):
        ours = Side(
            [solio, "check", "--json", *files], lambda text: f"{len(text.splitlines())} files", accepted=(0, 1)
        )
        theirs = Side([solio, "info", *files], lambda _: f"{len(files)} files", accepted=(0, 1))
        yield compared(f"check of {name}", "solio info", "", ours, theirs, 7 if quick else 31, name)


def truncations(solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    """Files that end before their end, anywhere; those that are whole in the first place."""
    sources = [p for p in sorted(data().rglob("*")) if p.suffix.lower() in ENDINGS and p.stat().st_size > 1]
    if not sources:
        print(f"truncations: skipped (no files in {data()})", flush=True)
        return
    whole = run([solio, "check", "--json", *sources], accepted=(0, 1)).output
    sound = {line["path"] for line in map(json.loads, whole.splitlines()) if is_whole(line)}
    cut = trees.cut(folder / "cut", [p for p in sources if str(p) in sound], CUT // 10 if quick else CUT)
    files = [path for path, _, _ in cut]
    ours = Side([solio, "check", "--json", *files], accepted=(0, 1))
    done = run(ours.command, (0, 1))
    found = {line["path"]: not is_whole(line) for line in map(json.loads, done.output.splitlines())}
    all_of, found_of = collections.Counter(), collections.Counter()
    for path, source, size in cut:
        kind = path.suffix.lower()
        all_of[kind] += 1
        found_of[kind] += found[str(path)]
        if not found[str(path)]:
            print(f"not found: {source} at byte {size} of {source.stat().st_size}", flush=True)
    kinds = ", ".join(f"{kind[1:]} {found_of[kind]}/{n}" for kind, n in sorted(all_of.items()))
    said = f"{found_of.total()} of {len(cut)} found: {kinds}"
    print(said, flush=True)
    ours.answer = lambda _: said
    theirs = Side([solio, "info", *files], lambda _: f"{len(files)} files", accepted=(0, 1))
    work = f"check of {len(cut)} truncations"
    yield compared(work, "solio info", "", ours, theirs, 3 if quick else 7, "test data")


def rows(solio: Path, folder: Path, quick: bool) -> Iterator[Row]:
    yield from costs(solio, folder, quick)
    yield from truncations(solio, folder, quick)
