"""The table of file kinds: what Solio reads, writes, checks and shows."""

from __future__ import annotations

from typing import NamedTuple

from . import _solio


class FormatOption(NamedTuple):
    """An option of writing that a format has.

    >>> ply = next(format for format in formats() if format.name == "ply")
    >>> option = next(option for option in ply.options if option.flag == "float-colors")
    >>> option.argument, option.help
    ('float_colors', 'colours of vertices as floats, which keep what bytes cut')
    """

    flag: str
    """Its name on the command line, without dashes."""
    argument: str
    """The argument of `write_mesh` or `write_image`; empty where a call says it in another way."""
    values: str
    """What it takes; empty for a flag."""
    default: str
    """What holds where it is left out; empty where that is nothing."""
    help: str
    """What it does."""


class Format(NamedTuple):
    """A kind of file.

    >>> exr = next(format for format in formats() if format.name == "exr")
    >>> exr.title, exr.family, exr.extensions[0], "write" in exr.abilities
    ('OpenEXR', 'image', 'exr', True)
    """

    name: str
    """A short name, such as ``ply``; the archive and the packed scene share ``solio``."""
    title: str
    """What people call it."""
    family: str
    """``mesh``, ``image``, ``photo``, ``scene``, ``gradient``, ``archive``, ``catalogue`` or ``other``."""
    extensions: tuple[str, ...]
    """Extensions without a dot, the usual one first."""
    mime: str
    """MIME type."""
    abilities: frozenset[str]
    """What Solio does with it: ``read``, ``write``, ``info``, ``meta``, ``check``, ``preview``."""
    options: tuple[FormatOption, ...]
    """The options of writing that it has."""


def formats() -> list[Format]:
    """All kinds of files that Solio knows.

    >>> [format.name for format in formats() if format.family == "mesh" and "write" in format.abilities]
    ['obj', 'ply', 'stl', 'off']
    """
    return [
        Format(
            name,
            title,
            family,
            tuple(extensions),
            mime,
            frozenset(abilities),
            tuple(FormatOption(*option) for option in options),
        )
        for name, title, family, extensions, mime, abilities, options in _solio.formats()
    ]
