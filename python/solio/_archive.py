"""Archives of images, and files of arrays."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from . import _solio
from ._arrays import argument_error, check_several
from ._image_io import _header, _image, _read_options
from ._io import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Unpack

    import numpy.typing as npt

    from ._image import Header, Image
    from ._image_io import ReadOptions

    _Path = str | PathLike[str]
    _Level = Literal["fast", "thorough", "max"]

_TYPES = ("uint8", "uint16", "uint32", "float16", "float32", "float64")


class ArchiveEntry(NamedTuple):
    """Something in an archive."""

    name: str
    kind: Literal["exr", "array", "unknown"]
    file_bytes: int
    """Bytes of the file that was packed, or of the samples of an array."""
    packed_bytes: int
    """Bytes in the archive, without the header."""
    exact: bool
    """Whether a file comes back byte for byte, not only its header and pixels."""
    dtype: np.dtype[Any] | None
    """The type of an array."""
    shape: tuple[int, ...] | None
    """The shape of an array."""


def _entry(given: Any) -> ArchiveEntry:
    name, kind, file_bytes, packed_bytes, exact, array = given
    dtype, shape = (None, None) if array is None else (np.dtype(array[0]), tuple(array[1]))
    return ArchiveEntry(name, kind, file_bytes, packed_bytes, exact, dtype, shape)


class Archive:
    """An archive that is open: `open_archive` makes it. Entries are named by name or number."""

    def __init__(self, path: _Path, max_bytes: int | None = None) -> None:
        self.path = fspath(path)
        self._archive = _solio.Archive(self.path, max_bytes)
        self.entries: tuple[ArchiveEntry, ...] = tuple(map(_entry, self._archive.entries()))
        """What is in it, in the order in which it was packed."""
        self._numbers = {entry.name: number for number, entry in enumerate(self.entries)}

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[ArchiveEntry]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __repr__(self) -> str:
        return f"<solio.Archive {self.path!r}, {len(self)} entries>"

    def read_image(self, entry: str | int, **options: Unpack[ReadOptions]) -> Image:
        """Reads an image, as `solio.read_image` reads one from its file."""
        return _image(self._archive.image(self._number(entry), _read_options(**options)))

    def read_header(self, entry: str | int) -> Header:
        """Reads the head of an image."""
        return _header(self._archive.header(self._number(entry)))

    def read_file(self, entry: str | int, *, threads: int | None = None) -> bytes:
        """The bytes of the OpenEXR file, as `extract` writes them."""
        return self._archive.file(self._number(entry), threads)

    def read_array(
        self, entry: str | int, *, rows: slice | None = None, threads: int | None = None
    ) -> npt.NDArray[Any]:
        """Reads an array, or some ``rows`` of it: items along its first axis.

        Only the chunks that hold them are read.
        """
        number = self._number(entry)
        _, kind, *_, dtype, shape = self.entries[number]
        if dtype is None or shape is None:
            raise argument_error(f"{self.entries[number].name} is of kind {kind}, no array")
        start, stop = 0, shape[0] if shape else 1
        if rows is not None:
            if not shape:
                raise argument_error("an array without axes has no rows")
            if not isinstance(rows, slice):
                raise TypeError(f"rows are a slice, not {type(rows)}")
            start, stop, step = rows.indices(shape[0])
            if step != 1:
                raise argument_error("rows are read one after the other: the step is 1")
            stop = max(start, stop)
            shape = (stop - start, *shape[1:])
        array = np.empty(shape, dtype)
        self._archive.rows(number, start, stop, array.reshape(-1).view(np.uint8), threads)
        return array

    def extract(
        self, folder: _Path, names: Sequence[str] = (), *, threads: int | None = None
    ) -> list[tuple[str, int]]:
        """Writes the files, or those of these ``names``, into a folder; their names and bytes.

        Each appears whole or not at all. Names that are not in the archive are refused before
        anything is written. What cannot be unpacked is passed by; its error is raised when the
        others are there.
        """
        check_several(names, "names")
        return _solio.archive_extract(self.path, fspath(folder), list(names), threads)

    def _number(self, entry: str | int) -> int:
        if isinstance(entry, str):
            if entry not in self._numbers:
                raise argument_error(f"nothing in {self.path} is called {entry}")
            return self._numbers[entry]
        return range(len(self))[entry]


def open_archive(path: _Path, *, max_bytes: int | None = None) -> Archive:
    """Opens an archive of images (``solio pack *.exr -o shots.solio``), or a file of arrays.

    >>> archive = solio.open_archive("shots.solio")  # doctest: +SKIP
    >>> archive.entries[0].name, archive.read_image(0, channels="RGBA")  # doctest: +SKIP

    ``max_bytes`` bounds what the file may ask for. Raises `solio.CorruptError` for a damaged one.
    """
    return Archive(path, max_bytes)


class Packed(NamedTuple):
    """What `pack_images` did."""

    images: int
    """Files in the archive."""
    image_bytes: int
    """Their bytes."""
    file_bytes: int
    """Bytes of the archive; 0 where no image could be packed, and none was made."""
    failed: list[tuple[str, Exception]]
    """Files that could not be read, each with its error."""


def pack_images(
    paths: Iterable[_Path],
    output: _Path,
    *,
    exact: bool = False,
    level: _Level = "fast",
    threads: int | None = None,
) -> Packed:
    """Packs OpenEXR files into one smaller archive, from which they come back.

    Headers and pixels come back bit for bit; with ``exact`` the bytes of the files do. Names in the
    archive are relative to the folder that the files have in common.
    """
    check_several(paths, "paths")
    images, image_bytes, file_bytes, failed = _solio.archive_pack(
        [fspath(path) for path in paths], fspath(output), exact, level, threads
    )
    return Packed(
        images, image_bytes, file_bytes, [(fspath(path), error) for path, error in failed]
    )


def write_array(
    array: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    path: _Path,
    *,
    level: _Level = "fast",
    threads: int | None = None,
) -> Written:
    """Writes an array, or several by their names, into a file, without loss; those of an image are
    its channels.

    Types are ``uint8``, ``uint16``, ``uint32``, ``float16``, ``float32`` and ``float64``. A short
    last axis (up to 64) is taken for channels or coordinates. The file appears whole or not at all.
    ``level``: ``thorough`` tries more, and takes several times as long; ``max`` is smallest, and slow
    to read.
    """
    named = cast("Any", array if hasattr(array, "keys") else {"array": array})
    given = [(name, *_samples(name, named[name])) for name in named.keys()]
    file_bytes = _solio.arrays_write(given, fspath(path), level, threads)
    raw_bytes = sum(samples.size for *_, samples in given)
    return Written([(fspath(path), file_bytes)], file_bytes, raw_bytes, [])


def _samples(name: str, values: npt.ArrayLike) -> tuple[str, list[int], npt.NDArray[np.uint8]]:
    """Type, shape, and the samples as bytes, without a copy where they lie in order."""
    array = np.asarray(values)
    if array.dtype.name not in _TYPES:
        raise argument_error(f"{name} has the type {array.dtype}; known are {', '.join(_TYPES)}")
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return array.dtype.name, list(array.shape), little.reshape(-1).view(np.uint8)


def read_array(
    path: _Path,
    name: str | None = None,
    *,
    rows: slice | None = None,
    threads: int | None = None,
    max_bytes: int | None = None,
) -> npt.NDArray[Any]:
    """Reads the array ``name`` from a file that `write_array` wrote; without a name the only one.

    ``rows``: only these items along the first axis; only the chunks that hold them are read.
    """
    archive = Archive(path, max_bytes)
    arrays = [entry.name for entry in archive if entry.kind == "array"]
    if name is None and len(arrays) != 1:
        raise argument_error(f"{archive.path} has {len(arrays)} arrays; name one")
    return archive.read_array(arrays[0] if name is None else name, rows=rows, threads=threads)
