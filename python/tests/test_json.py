"""Every ``--json`` of the command keeps the schema that it names: docs/schemas."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
SOLIO = os.environ.get("SOLIO_COMMAND", "")
BENCH = str(Path(SOLIO).with_name("solio-bench")) if SOLIO else ""

pytestmark = pytest.mark.skipif(not SOLIO, reason="SOLIO_COMMAND names no command")
jsonschema: Any = pytest.importorskip("jsonschema")

SCENE = """LookAt 0 0 5  0 0 0  0 1 0
Camera "perspective" "float fov" [45]
Film "rgb" "integer xresolution" [16] "integer yresolution" [16] "string filename" "out.exr"
WorldBegin
LightSource "infinite"
Material "diffuse"
Shape "trianglemesh" "point3 P" [0 0 0 1 0 0 0 1 0] "integer indices" [0 1 2]
"""

# By command: lines to run, and the schemas that must come.
CASES: dict[str, list[tuple[str, str]]] = {
    "info": [
        (
            "info --json model.obj model.ply a.exr scene.pbrt shots.solio none.obj bad.obj",
            "info-mesh info-image info-scene info-archive failure",
        ),
        ("info --json photo.jpg", "info-file"),
    ],
    "ls": [("ls --json --long . shots", "ls"), ("ls -r --json .", "ls")],
    "scan": [("scan shots -o c.sqlite --json --stats", "scan"), ("scan none -o d.sqlite --json", "scan"), ("scan -o q.sqlite --purge --json", "purge"), ("scan shots -o q.sqlite --diff --json", "scan change")],
    "merge": [("merge q.sqlite -o m.sqlite --json", "merge")],
    "query": [('query q.sqlite --json "SELECT * FROM files"', "query")],
    "check": [("check --json .", "check"), ("check --json bad.obj cut.exr none.exr", "check failure")],
    "diff": [
        ("diff --json a.exr shots/b.1001.exr", "diff"),
        ("diff --json a.exr a.exr --flip", "diff"),
        ("diff --json a.exr none.exr", "failure"),
    ],
    "dup": [("dup --json .", "dup"), ("dup --json --link --journal links.jsonl .", "dup relink")],
    "sheet": [("sheet shots bad.obj -o s.html --json", "sheet")],
    "hash": [
        ("hash --json -a xxh128,sha256,c4 .", "hash"),
        ("hash --verify --json sums none.sums", "hash-verify failure"),
        ("hash --mhl --json shots", "hash-mhl"),
        ("hash --verify --json shots", "hash-verify"),
    ],
    "light": [("light --size 1M --rounds 1 --json .", "light"), ("light --last --json .", "light-last")],
    "study": [
        ("study --json --bandwidths 100M -- {solio} read --null model.obj", "study"),
        ("study numbers --rounds 1 --json model.obj", "study-numbers"),
        ("study order --rounds 1 --json shots", "study-order"),
        ("study latency --samples 2 --warm --json large", "study-latency"),
        ("study boxes --rounds 1 --json", "study-boxes"),
        ("study compare t.json t.json --json", "study-compare"),
    ],
    "convert": [
        ("convert model.obj bad.obj -o out --format ply --json", "convert-mesh failure"),
        ("convert a.exr none.exr -o out --format png --json", "convert-image failure"),
        ("convert scene.pbrt -o again.pbrt --json", "convert-scene"),
        ("convert scene.pbrt -o scene.glb --json", "convert-export"),
    ],
    "photos": [
        ("photos --json photo.jpg --to out", "photos"),
        ("photos --json photo.jpg --to out --from-mtime --zone UTC --apply", "photos photos-done"),
    ],
    "set": [
        ("set owner=me a.exr none.exr -o out/ --json", "set failure"),
        ("set --orientation 3 turned.tif photo.jpg --json", "set-photo failure"),
    ],
    "preview": [
        ("preview a.exr none.exr -o out/ --json", "preview failure"),
        ("preview scene.pbrt -o scene.png --json", "preview-scene"),
    ],
    "gradient": [('gradient "red, lime" viridis --compare --json', "gradient")],
    "pack": [
        ("pack shots/b.1001.exr none.exr -o p.solio --json", "pack-image pack-archive failure"),
        ("pack scene.pbrt -o scene.solio --json", "pack-scene"),
    ],
    "unpack": [("unpack shots.solio -o back --json", "unpack")],
    "demo": [("demo --detail 4 --json", "demo")],
    "cat": [("read --null --json .", "read")],
    "lab": [("lab a.exr model.ply --seconds 0 --sample 4K --json --progress json", "lab progress-lab")],
    "meta": [("meta --json a.exr none.jpg", "meta"), ("meta --jsonl photo.jpg model.ply", "meta")],
}
# The same of the areas of solio-bench, which is built beside the command.
BENCH_CASES: dict[str, list[tuple[str, str]]] = {
    "all": [("bench all --only catalog --json", "bench-all")],
    "mesh": [],  # half a minute; its lines are those of the others
    "scene": [],  # makes a scene of gigabytes
    "io": [("bench io --quick --json", "bench")],
    "color": [],  # eight seconds; its lines are those of the others
    "exr": [("bench exr a.exr --quick --methods none --python none --json", "bench")],
    "photo": [("bench photo photo.jpg --count 4 --quick --exiftool none --json", "bench")],
    "twin": [("bench twin twin --scale 1/20000 --json", "bench-twin")],
    "catalog": [
        ("bench catalog --rows 1000 --json", "bench"),
        ("bench catalog --kinds . --json", "bench-kinds"),
    ],
}
ALL_CASES = [case for cases in [*CASES.values(), *BENCH_CASES.values()] for case in cases]
# What progress there is depends on time: these take a second by their bandwidth.
PROGRESS = [
    ("read --null --bwlimit 1M --progress json large", "progress"),
    ("scan large -o l.sqlite --hash xxh128 --bwlimit 2M --progress json", "progress-scan"),
]
# Outputs that take too long for a test, or need ExifTool.
UNSEEN = {"bench-scene-study-1", "exiftool-stats-1", "study-modes-1"}


def solio(folder: Path, line: str) -> subprocess.CompletedProcess[bytes]:
    words = [SOLIO, *shlex.split(line.replace("{solio}", SOLIO))]
    if words[1] == "bench":
        words[:2] = [BENCH]
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / ".cache"))
    return subprocess.run(words, cwd=folder, capture_output=True, env=environment, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shots").mkdir()
    (tmp_path / "model.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 0 x\nf 1 2 2\n")
    (tmp_path / "scene.pbrt").write_text(SCENE)
    (tmp_path / "large").write_bytes(bytes(range(250)) * 12_000)
    (tmp_path / "empty.png").write_bytes(b"")
    turned = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    (tmp_path / "turned.tif").write_bytes(turned)
    for line in [
        "convert model.obj -o model.ply --trace t.json",
        "gradient red,lime -o a.exr --size 32x16",
        "convert a.exr -o photo.jpg",
    ]:
        assert solio(tmp_path, line).returncode == 0, line
    whole = (tmp_path / "a.exr").read_bytes()
    (tmp_path / "cut.exr").write_bytes(whole[:-40])
    for frame in (1001, 1002, 1004):
        (tmp_path / "shots" / f"b.{frame}.exr").write_bytes(whole)
    # A name that is not valid UTF-8: in JSON it has a second field.
    Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.obj")).write_text("v 0 0 0\n")
    (tmp_path / "sums").write_bytes(solio(tmp_path, "hash model.obj a.exr shots").stdout)
    (tmp_path / "model.ply").touch()
    for line in ["pack shots/b.1001.exr -o shots.solio", "scan shots -o q.sqlite"]:
        assert solio(tmp_path, line).returncode == 0, line
    return tmp_path


def validator(name: str) -> Any:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def validated(value: Any, plain: str | None) -> str:
    """Checks an object against the schema that it names; returns its name without the version."""
    if plain is not None:
        validator(f"{plain}-1").validate(value)
        return plain
    assert next(iter(value)) == "schema", value
    match = re.fullmatch(r"solio/([a-z-]+)/(\d+)", value["schema"])
    assert match, value["schema"]
    validator(f"{match[1]}-{match[2]}").validate(value)
    return match[1]


@pytest.mark.parametrize(("line", "expected"), ALL_CASES, ids=lambda v: v[:40])
def test_output_keeps_its_schema(folder: Path, line: str, expected: str) -> None:
    plain = expected if expected in ("meta", "query") else None
    if "--last" in line:
        solio(folder, CASES["light"][0][0])
    if line == "hash --verify --json shots":
        solio(folder, "hash --mhl shots")
        (folder / "shots" / "new.txt").write_text("new")
        (folder / "shots" / "b.1002.exr").unlink()
    if "--diff" in line:
        (folder / "shots" / "new.txt").write_text("new")
        (folder / "shots" / "b.1002.exr").rename(folder / "shots" / "moved.exr")
    ran = solio(folder, line)
    assert ran.stdout, ran.stderr.decode()
    array = line.startswith("meta --json ")
    values = json.loads(ran.stdout) if array else [json.loads(text) for text in ran.stdout.splitlines()]
    seen = {validated(value, plain) for value in values}
    if "--progress json" in line:
        seen |= {validated(json.loads(text), None) for text in ran.stderr.splitlines() if text.startswith(b"{")}
    assert seen == set(expected.split()), (seen, ran.stderr.decode())


@pytest.mark.parametrize(("line", "expected"), PROGRESS)
def test_progress_keeps_its_schema(folder: Path, line: str, expected: str) -> None:
    ran = solio(folder, line)
    lines = [json.loads(text) for text in ran.stderr.splitlines() if text.startswith(b"{")]
    assert lines, ran.stderr.decode()
    assert {validated(value, None) for value in lines} == {expected}


def test_every_command_with_json_is_here(tmp_path: Path) -> None:
    subprocess.run([SOLIO, "man", str(tmp_path)], check=True)
    with_json = {
        # The studies are commands of `study`.
        page.stem.removeprefix("solio-").split("-")[0]
        for page in tmp_path.glob("solio-*.1")
        if r"\-\-json" in page.read_text()
    }
    assert with_json == set(CASES)


def test_every_benchmark_is_here() -> None:
    told = subprocess.run([BENCH, "--help"], check=True, capture_output=True, text=True).stdout
    areas = re.findall(r"^  (\w+)  ", told.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    assert set(areas) - {"help"} == set(BENCH_CASES)


def test_every_schema_is_seen() -> None:
    named = {name for _, names in [*ALL_CASES, *PROGRESS] for name in names.split()}
    unseen = {name.removesuffix("-1") for name in UNSEEN}
    assert named | unseen == {re.sub(r"-\d+$", "", path.stem) for path in SCHEMAS.glob("*.json")}


def test_names_keep_their_bytes(folder: Path) -> None:
    lines = [json.loads(text) for text in solio(folder, "ls --json .").stdout.splitlines()]
    assert "caf%E9.obj" in [line.get("path_encoded") for line in lines]
