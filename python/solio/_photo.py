"""Photo metadata."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _solio
from ._arrays import check_several, path_or_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from ._errors import Error

    _Path = str | PathLike[str] | bytes


class MetadataTable:
    """Tags of many files: a row a file in the order given, a column a tag.

    Any library that takes Arrow's streams takes a table without a copy::

        pyarrow.table(table)        polars.DataFrame(table)
        duckdb.sql("from table")    pandas.DataFrame.from_arrow(table)

    ``table["ISO"]`` is a column for NumPy: ``int64``, or ``float64`` with ``nan`` where some files
    have no such tag, or objects (text, lists; ``None`` for none).
    """

    __slots__ = ("_columns", "_paths")

    def __init__(self, columns: _solio.MetadataColumns, paths: list[str]) -> None:
        self._columns = columns
        self._paths = paths

    @property
    def paths(self) -> list[str]:
        """The files, as they were given (bytes that are no text as `os.fsdecode` has them)."""
        return self._paths

    @property
    def columns(self) -> list[str]:
        """The names of the tags."""
        return self._columns.names()

    @property
    def errors(self) -> dict[int, Error]:
        """What was wrong with files that could not be read, by row; their cells are empty."""
        return dict(self._columns.errors())

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[str]:
        # Without it Python asks for column 0, 1, …
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns.names()

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        column = self._columns.column(name)
        if column is None:
            raise KeyError(name)
        if isinstance(column, list):
            objects = np.empty(len(column), dtype=object)
            objects[:] = column
            return objects
        return column

    def __repr__(self) -> str:
        names = self.columns
        shown = ", ".join(names[:5]) + (f", … {len(names)} columns" if len(names) > 5 else "")
        failed = len(self._columns.errors())
        return (
            f"<solio.MetadataTable: {len(self)} files, {shown or 'no tags'}"
            + (f"; {failed} could not be read" if failed else "")
            + ">"
        )

    def __arrow_c_schema__(self) -> object:
        return self._columns.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._columns.__arrow_c_stream__(requested_schema)


@overload
def read_metadata(  # type: ignore[overload-overlap] # a str is a path, not letters
    source: _Path | bytearray | memoryview,
    fields: Iterable[str] | None = None,
    *,
    numbers: bool = False,
    threads: int | None = None,
    max_bytes: int | None = None,
) -> dict[str, Any]: ...


@overload
def read_metadata(
    source: Iterable[str | PathLike[str]],
    fields: Iterable[str] | None = None,
    *,
    numbers: bool = False,
    threads: int | None = None,
    max_bytes: int | None = None,
) -> MetadataTable: ...


def read_metadata(
    source: _Path | bytearray | memoryview | Iterable[str | PathLike[str]],
    fields: Iterable[str] | None = None,
    *,
    numbers: bool = False,
    threads: int | None = None,
    max_bytes: int | None = None,
) -> dict[str, Any] | MetadataTable:
    """Photo metadata: dates, cameras, positions; no pixels.

    ``source`` is a path or the ``bytes`` of a file, which gives a dictionary, or many paths, which
    give a `MetadataTable`. Names and words are those that ExifTool prints.

    ``fields`` chooses tags, and only these are read: ``"DateTimeOriginal"`` from the group where it
    counts most, ``"XMP:Rating"``, ``"GPS:*"``. They name what is returned; without them, and with
    a ``*``, names have their group before them: ``"ExifIFD:DateTimeOriginal"``.

    ``numbers=True`` gives numbers where a tag has words for them: 6 and not ``"Rotate 90 CW"``.
    Numbers are ``int`` or ``float``, several of them lists; text stays text.

    ``threads``: how many to use (default: all). ``max_bytes``: most bytes read of one file.

    >>> solio.read_metadata("photo.jpg", ["DateTimeOriginal", "ISO"])   # doctest: +SKIP
    {'DateTimeOriginal': '2008:05:30 15:56:01', 'ISO': 100}

    A file that cannot be read raises `Error`; of many, the others are read and
    `MetadataTable.errors` says which failed and why.
    """
    check_several(fields, "fields")
    options = {
        "fields": None if fields is None else list(fields),
        "numbers": numbers,
        "threads": threads,
        "max_bytes": max_bytes,
    }
    if isinstance(source, (str, bytes, bytearray, memoryview, PathLike)):
        return _solio.metadata(path_or_bytes(source), options)
    paths = [fspath(path) for path in source]
    return MetadataTable(_solio.metadata_table(paths, options), paths)


class Thumbnail:
    """A picture within a photo, as JPEG. A notebook shows it."""

    __slots__ = ("_given",)

    def __init__(self, given: tuple[str, bytes, int, int, int]) -> None:
        self._given = given

    @property
    def tag(self) -> str:
        """Where it stood: ``"IFD1:ThumbnailImage"``."""
        return self._given[0]

    @property
    def jpeg(self) -> bytes:
        """A JPEG file."""
        return self._given[1]

    @property
    def width(self) -> int:
        """Columns as stored, before any turn."""
        return self._given[2]

    @property
    def height(self) -> int:
        """Rows as stored, before any turn."""
        return self._given[3]

    @property
    def orientation(self) -> int:
        """How the photo is to be turned: 1 to 8, as Exif has it."""
        return self._given[4]

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The pixels, turned upright: ``(rows, columns, 3)`` of sRGB."""
        return _solio.thumbnail_pixels(self._given)

    def __repr__(self) -> str:
        return (
            f"<solio.Thumbnail: {self.tag}, {self.width} x {self.height}, {len(self.jpeg)} bytes>"
        )

    def _repr_jpeg_(self) -> bytes:
        return self.jpeg


def thumbnail(
    path: str | PathLike[str], size: int = 0, *, max_bytes: int | None = None
) -> Thumbnail | None:
    """The smallest picture within a photo whose longer side has ``size`` pixels or more.

    The largest there is where all are smaller; ``None`` where the file has none. Only its bytes
    are read, never the photo's own pixels.

    >>> solio.thumbnail("photo.nef", 512)   # doctest: +SKIP
    <solio.Thumbnail: PreviewIFD:PreviewImage, 570 x 375, 28201 bytes>
    """
    given = _solio.thumbnail(path, size, {"max_bytes": max_bytes})
    return None if given is None else Thumbnail(given)
