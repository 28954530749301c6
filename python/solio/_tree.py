"""Files at and below folders: whether they are intact, which are equal, their hashes, their sequences."""

from __future__ import annotations

from os import PathLike, fsdecode, fsencode, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _solio
from ._arrays import check_several

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ._errors import Error

    _Path = str | PathLike[str] | bytes


class Problem(NamedTuple):
    """Something that is wrong with a file or with the names in a folder."""

    kind: str
    """A rule, such as ``missing-frames``, or the kind of damage."""
    message: str
    """What is wrong."""
    offset: int | None = None
    """The byte at which it is."""
    part: int | None = None
    """The part of an OpenEXR file."""


class Check(NamedTuple):
    """What `check` found of a file or a folder."""

    path: Path
    """The file or folder."""
    format: str
    """``exr``, ``obj``, ``folder``; ``unreadable`` for what cannot be read; ``other`` for what is not known."""
    found: str
    """What it has: ``2 parts, 120 chunks``."""
    problems: tuple[Problem, ...]
    """All that is wrong."""
    notes: tuple[str, ...] = ()
    """What is unusual and harmless."""
    error: Error | None = None
    """Why it cannot be read."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and self.error is None


class DuplicateGroup(NamedTuple):
    """Files with the same content."""

    bytes: int
    """The size of each."""
    files: tuple[tuple[Path, ...], ...]
    """The names of each; the first file is the one to keep."""

    @property
    def wasted_bytes(self) -> int:
        """What all but the first take."""
        return self.bytes * (len(self.files) - 1)


class Duplicates(NamedTuple):
    """What `duplicates` found."""

    groups: tuple[DuplicateGroup, ...]
    """The largest waste first."""
    files: int
    """How many files were compared."""
    errors: tuple[Error, ...]
    """What cannot be read."""

    @property
    def wasted_bytes(self) -> int:
        """What all groups waste."""
        return sum(group.wasted_bytes for group in self.groups)


class Hashed(NamedTuple):
    """The digests of a file."""

    path: Path
    """The file."""
    bytes: int
    """Its size."""
    digests: dict[str, str]
    """By the name of the algorithm, hexadecimal as the common tools print them."""
    error: Error | None = None
    """Why it cannot be read."""


class Entry(NamedTuple):
    """A file, a folder, or a sequence of frames."""

    kind: str
    """``file``, ``folder`` or ``sequence``."""
    path: Path
    """Of a sequence the pattern with its range: ``beauty.1001-1100#.exr``."""
    range: str | None = None
    """Of a sequence, from the first to the last frame."""
    frames: tuple[int, ...] = ()
    """The frames that are there."""
    missing: str = ""
    """Those that are not: ``1042,1067``."""
    expected: int = 0
    """How many frames the range has."""
    bytes: int | None = None
    """The size of all files, where ``sizes`` asks for it."""


class FileChange(NamedTuple):
    """What became of a file from one catalogue to another."""

    change: str
    """``added``, ``changed``, ``moved`` or ``removed``."""
    path: Path
    """Where it is, or was."""
    old_path: Path | None = None
    """Where it was before it was moved."""
    bytes: int | None = None
    """Its size now."""
    old_bytes: int | None = None
    """Its size before."""


def _names(paths: _Path | Iterable[_Path]) -> list[bytes]:
    if isinstance(paths, (str, bytes, PathLike)):
        paths = [paths]
    return [fsencode(path) for path in paths]


def _path(name: bytes) -> Path:
    from pathlib import Path  # what few need is not loaded with the package

    return Path(fsdecode(name))


def left_out(
    exclude: Iterable[str] = (),
    include: Iterable[str] = (),
    ignore_files: Iterable[_Path] = (),
    kinds: Iterable[str] = (),
    **switches: Any,
) -> dict[str, Any]:
    """The options of the engine that say what is left out."""
    options: dict[str, Any] = {}
    for name, several in {"exclude": exclude, "include": include, "kinds": kinds}.items():
        check_several(several, name)
        options[name] = list(several)
    options["ignore_files"] = [fspath(file) for file in ignore_files]
    return options | {name: value for name, value in switches.items() if value is not None}


def check(
    paths: _Path | Iterable[_Path], *, deep: bool = False, threads: int | None = None, **leave_out: Any
) -> list[Check]:
    """Finds damaged files, and problems with names, at and below ``paths``.

    ``deep`` unpacks pixels and reads meshes to their end. What is left out of folders: ``exclude``,
    ``include``, ``ignore_files``, ``kinds``, ``no_ignore``, ``keep_all``, ``no_hidden``, ``one_file_system``,
    ``max_depth``, ``min_bytes``, ``max_bytes``, as `scan` has them. A file that cannot be read does not end
    the call: it is an entry with an ``error``.
    """
    found = _solio.tree_check(_names(paths), left_out(deep=deep, threads=threads, **leave_out))
    return [
        Check(_path(name), format, what, tuple(Problem(*it) for it in problems), tuple(notes), error)
        for name, format, what, problems, notes, error in found
    ]


def duplicates(
    paths: _Path | Iterable[_Path],
    *,
    keep: Iterable[str] = (),
    empty: bool = False,
    paranoid: bool = False,
    threads: int | None = None,
    **leave_out: Any,
) -> Duplicates:
    """Files with the same content at and below ``paths``, or by the hashes of a catalogue.

    ``keep`` are rules for which file of a group comes first: ``newest``, ``oldest``, ``shortest``,
    ``longest``, ``path:FOLDER``; where one does not tell, the next one does. ``empty`` files are equal only
    where asked for; ``paranoid`` compares every byte. The rest is as for `check`.
    """
    check_several(keep, "keep")
    options = left_out(empty=empty, paranoid=paranoid, threads=threads, **leave_out)
    groups, files, errors = _solio.tree_duplicates(_names(paths), options | {"keep": list(keep)})
    made = (DuplicateGroup(size, tuple(tuple(map(_path, file)) for file in group)) for size, group in groups)
    return Duplicates(tuple(made), files, tuple(errors))


def hash(  # noqa: A001
    paths: _Path | Iterable[_Path],
    algorithms: str | Iterable[str] = "xxh128",
    *,
    threads: int | None = None,
    **leave_out: Any,
) -> list[Hashed]:
    """Digests of the files at and below ``paths``; each is read once for all ``algorithms``.

    These are ``xxh128``, ``xxh3``, ``xxh64``, ``md5``, ``sha1``, ``sha256``, ``sha512``, ``c4`` and ``blake3``. The rest is
    as for `check`.
    """
    wanted = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    options = left_out(threads=threads, **leave_out) | {"algorithms": wanted}
    found = _solio.tree_hash(_names(paths), options)
    return [Hashed(_path(name), size, dict(digests), error) for name, size, digests, error in found]


def sequences(
    paths: _Path | Iterable[_Path] = ".",
    *,
    recursive: bool = False,
    sizes: bool = False,
    hidden: bool = False,
    threads: int | None = None,
    **leave_out: Any,
) -> list[Entry]:
    """What is in folders, the frames of a sequence as one entry: which are there, and which are missing.

    Paths may be patterns such as ``beauty.1001-1100#.exr``. The rest is as for `check`. Raises the first
    error where a path cannot be looked at.
    """
    options = left_out(recursive=recursive, sizes=sizes, hidden=hidden, threads=threads, **leave_out)
    found, errors = _solio.tree_list(_names(paths), options)
    if errors:
        raise errors[0]
    return [
        Entry(kind, _path(name), range, tuple(frames), missing, expected, size)
        for kind, name, range, frames, missing, expected, size in found
    ]


def diff_catalogs(before: _Path, after: _Path) -> list[FileChange]:
    """What was added, changed, moved and removed from one catalogue to another, SQLite or Parquet."""
    return [
        FileChange(change, _path(name), None if old is None else _path(old), size, old_size)
        for change, name, old, size, old_size in _solio.catalog_diff(fsencode(before), fsencode(after))
    ]
