# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a classic add-on import the wheel that it carries; of an extension Blender installs it.

Blender before 4.2 unpacks the zip and knows nothing of wheels, and Python loads no library out of a
zip. So the wheel is unpacked beside itself when the add-on is enabled for the first time, whole or
not at all; removing the add-on removes it.
"""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

LEAST_PYTHON = (3, 11)


def import_solio(package):
    """Imports `solio` for the add-on `package`, or says why that cannot be."""
    if sys.version_info < LEAST_PYTHON:
        least, has = (".".join(map(str, v[:2])) for v in (LEAST_PYTHON, sys.version_info))
        raise ImportError(f"Solio needs a Blender with Python {least} or newer; this one has {has}")
    wheels = sorted((Path(__file__).parent / "wheels").glob("*.whl"))
    if package.startswith("bl_ext.") or not wheels:
        return
    folder = _unpacked(_for_this_machine(wheels))
    sys.path.insert(0, str(folder))
    try:
        import solio  # noqa: F401
    finally:
        sys.path.remove(str(folder))


def _for_this_machine(wheels):
    words = re.split("[-.]", sysconfig.get_platform())  # linux-x86_64, win-amd64, macosx-11.0-arm64
    for wheel in wheels:
        tag = wheel.stem.rsplit("-", 1)[-1]
        if words[0] in tag and tag.endswith(words[-1]):
            return wheel
    raise ImportError(f"this zip has no wheel of Solio for {sysconfig.get_platform()}")


def _unpacked(wheel):
    """The folder with the package of a wheel."""
    folder = wheel.with_suffix("")
    if not folder.is_dir():
        partly = wheel.with_suffix(".partly")
        shutil.rmtree(partly, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith("solio/")]
            archive.extractall(partly, names)
        partly.rename(folder)
    return folder
