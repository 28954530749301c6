#!/usr/bin/env python3
"""Builds Blender's extension: `build.py --wheel dist/solio-*.whl --out dist`.

The zip holds the files of `solio_io` with their licence, the manifest with the line `wheels`, and the wheel. Several
wheels (for several platforms) make one zip that fits them all. It is the same for the same input,
byte for byte.

It is one zip for the extension (Blender 4.2 and later) and for the classic add-on before. Add-ons
want all in one folder and a `bl_info`; extensions allow the one and ignore the other. Two zips would
be 12 MB more and a question to whoever installs one; what it costs is `wheels.py`, which unpacks the
wheel where Blender does not.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "solio_io"
EPOCH = (1980, 1, 1, 0, 0, 0)
# What the end of a wheel's name says, and what Blender calls it.
PLATFORMS = (
    (r"(many|musl)?linux.*_x86_64", "linux-x64"),
    (r"win_amd64", "windows-x64"),
    (r"win_arm64", "windows-arm64"),
    (r"macosx_.*_arm64", "macos-arm64"),
    (r"macosx_.*_x86_64", "macos-x64"),
)
SAME_IN_BL_INFO = {
    "name": "name",
    "tagline": "description",
    "maintainer": "author",
    "version": "version",
}
REQUIRED = ("schema_version", "id", "version", "name", "tagline", "maintainer", "type", "license")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, nargs="+", required=True, help="wheels of solio")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder (default: dist)")
    options = parser.parse_args()
    try:
        print(build(options.wheel, options.out))
    except ValueError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    return 0


def build(wheels: list[Path], folder: Path) -> Path:
    """Writes the zip into `folder` and returns its path."""
    wheels = newest(wheels)
    text = manifest(wheels)
    version = tomllib.loads(text)["version"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"solio_io-{version}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        add(archive, "blender_manifest.toml", text.encode())
        for source in sorted([SOURCE / "LICENSE", *SOURCE.glob("*.py")]):
            add(archive, source.name, source.read_bytes())
        for wheel in wheels:
            add(archive, f"wheels/{wheel.name}", wheel.read_bytes())
    return path


def newest(wheels: list[Path]) -> list[Path]:
    """One wheel a platform, the one written last; all must suit any Python from 3.11 on."""
    found: dict[str, Path] = {}
    for wheel in sorted(wheels, key=lambda path: path.stat().st_mtime):
        if "-abi3-" not in wheel.name:
            raise ValueError(f"{wheel}: not an abi3 wheel; Blender's Python must be able to load it")
        found[platform(wheel)] = wheel
    return [found[name] for name in sorted(found)]


def platform(wheel: Path) -> str:
    """Blender's name of the platform of a wheel."""
    tag = wheel.stem.rsplit("-", 1)[-1]
    for pattern, name in PLATFORMS:
        if re.fullmatch(pattern, tag.split(".")[0]):
            return name
    raise ValueError(f"{wheel}: no such platform of Blender: {tag}")


def manifest(wheels: list[Path]) -> str:
    """The manifest with the platforms and the wheels."""
    text = (SOURCE / "blender_manifest.toml").read_text(encoding="utf-8")
    lines = [
        "platforms = [" + ", ".join(f'"{platform(wheel)}"' for wheel in wheels) + "]",
        "wheels = [",
        *(f'  "./wheels/{wheel.name}",' for wheel in wheels),
        "]",
    ]
    mark = re.search(r"^# `blender/build.py` adds .*$", text, re.MULTILINE)
    if mark is None:
        raise ValueError("the manifest has no place for the wheels")
    text = text[: mark.start()] + "\n".join(lines) + text[mark.end() :]
    values = tomllib.loads(text)
    for key in (*REQUIRED, "blender_version_min"):
        if not values.get(key):
            raise ValueError(f"the manifest lacks {key}")
    for ours, theirs in SAME_IN_BL_INFO.items():
        if values[ours] != bl_info()[theirs]:
            raise ValueError(f"{ours} of the manifest is not {theirs} of bl_info")
    return text


def bl_info() -> dict[str, object]:
    """What older Blenders read, out of the text of `__init__.py`, as they do it."""
    for node in ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "bl_info":
            found: dict[str, object] = ast.literal_eval(node.value)
            return found | {"version": ".".join(map(str, found["version"]))}
    raise ValueError("__init__.py has no bl_info")


def add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Adds a file whose time and rights do not depend on this machine."""
    info = zipfile.ZipInfo(f"{SOURCE.name}/{name}", EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    archive.writestr(info, data)


if __name__ == "__main__":
    sys.exit(main())
