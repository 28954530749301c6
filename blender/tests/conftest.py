# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads the extension into Blender as a module, or says that the tests are skipped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

try:
    import bpy
except ImportError:
    bpy = None

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
collect_ignore_glob = ["test_*.py"] if bpy is None else []


def pytest_terminal_summary(terminalreporter):
    if bpy is None:
        terminalreporter.write_line("blender: skipped (bpy is not installed)")


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The extension, registered once."""
    import solio_io

    solio_io.register()
    yield solio_io
    solio_io.unregister()


@pytest.fixture
def scene():
    """Fills an empty scene by the name of a function in `scenes`."""
    import scenes

    def fill(name):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scenes.ALL[name]()
        bpy.context.view_layer.update()

    return fill
