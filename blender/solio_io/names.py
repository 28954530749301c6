# SPDX-License-Identifier: GPL-3.0-or-later
"""Names as a file can hold them. Blender's may have any character; its exporters write all of them
as they are, so that a line break in one spoils the file."""

from __future__ import annotations

import unicodedata

# Control characters, and bytes that are not text.
SPOILING = {"Cc", "Cs"}


def one_line(name):
    """`name` with `_` for line breaks and other control characters. Tabs stay: they are blanks."""
    if name.isprintable():
        return name
    spoils = (unicodedata.category(c) in SPOILING and c != "\t" for c in name)
    return "".join("_" if bad else c for bad, c in zip(spoils, name, strict=True))


def property_name(name):
    """A name of a PLY property; one of blanks alone is none."""
    name = one_line(name)
    return name if name.strip() else "_" * max(len(name), 1)
