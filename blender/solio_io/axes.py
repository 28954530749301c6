# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's axes and those of a file, which the options name as Blender's operators do."""

from __future__ import annotations

from bpy_extras.io_utils import axis_conversion


def from_file(forward, up):
    """From the file's axes to Blender's, 3 by 3."""
    return axis_conversion(
        from_forward=_short(forward), from_up=_short(up), to_forward="Y", to_up="Z"
    )


def to_file(forward, up):
    """From Blender's axes to those of the file, 3 by 3."""
    return axis_conversion(
        from_forward="Y", from_up="Z", to_forward=_short(forward), to_up=_short(up)
    )


def _short(name):
    return name.replace("NEGATIVE_", "-")
