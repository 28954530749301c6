"""What lies in a tree, as a table."""

from __future__ import annotations

from os import PathLike, fsencode, fspath
from typing import TYPE_CHECKING, Any

from . import _engines, _solio
from ._arrays import argument_error, check_several

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._errors import Error

    _Path = str | PathLike[str] | bytes


class Scan:
    """Files of a tree, a row each: the table that ``solio scan`` keeps.

    Any library that takes Arrow's streams takes a scan; the files are looked at when it reads::

        pyarrow.table(scan)         polars.DataFrame(scan)
        duckdb.sql("from scan")     pandas.DataFrame.from_arrow(scan)

    Rows come by folder, then by name. A file that cannot be read is a row that says so in
    ``problems``. Scans are small and can be pickled: ``scan.shards(n)`` are parts for other
    processes and machines that see the same files, and the rows of all parts, one after the other,
    are those of the whole. Ctrl-C stops the reading on the thread that began it: Arrow says
    *interrupted*, and ``KeyboardInterrupt`` comes right behind.
    """

    __slots__ = ("_errors", "_files", "_options")

    def __init__(
        self,
        files: tuple[bytes, ...],
        errors: tuple[Error, ...] = (),
        options: dict[str, Any] | None = None,
    ) -> None:
        self._files = files
        self._errors = errors
        self._options = options or {}

    @property
    def files(self) -> tuple[bytes, ...]:
        """The files, absolute, as the bytes of their names."""
        return self._files

    @property
    def errors(self) -> tuple[Error, ...]:
        """Folders that could not be listed."""
        return self._errors

    @property
    def options(self) -> dict[str, Any]:
        """How files are looked at: the arguments of `scan`."""
        return self._options

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scan):
            return NotImplemented
        return (self._files, self._options) == (other._files, other._options)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        failed = len(self._errors)
        more = f"; {failed} folders could not be listed" if failed else ""
        return f"<solio.Scan: {len(self)} files{more}>"

    def __len__(self) -> int:
        return len(self.files)

    def shards(self, n: int) -> list[Scan]:
        """Cuts the scan into at most ``n`` parts of nearly the same number of files."""
        if n < 1:
            raise argument_error("a scan has at least one part")
        count = min(n, len(self.files)) or 1
        ends = [len(self.files) * i // count for i in range(count + 1)]
        ranges = zip(ends, ends[1:], strict=False)
        return [Scan(self.files[a:b], (), self.options) for a, b in ranges]

    def to_ray(self, shards: int | None = None) -> Any:
        """A `ray.data.Dataset`; a task a shard, of a hundred files if no number is given."""
        return _engines.to_ray(self, shards)

    def to_dask(self, shards: int | None = None) -> Any:
        """A `dask.dataframe.DataFrame`; a partition a shard."""
        return _engines.to_dask(self, shards)

    def to_daft(self, shards: int | None = None) -> Any:
        """A `daft.DataFrame`; a task a shard."""
        return _engines.to_daft(self, shards)

    def to_spark(self, session: Any, shards: int | None = None) -> Any:
        """A `pyspark.sql.DataFrame` of this session; a partition a shard."""
        return _engines.to_spark(self, session, shards)

    def __arrow_c_schema__(self) -> object:
        return _solio.scan_schema()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return _solio.scan_stream(list(self.files), self.options)


def scan(
    roots: _Path | Iterable[_Path],
    *,
    fields: Iterable[str] = (),
    deep: bool = False,
    check: bool = False,
    hash: bool = False,
    follow: bool = False,
    exclude: Iterable[str] = (),
    include: Iterable[str] = (),
    ignore_files: Iterable[_Path] = (),
    kinds: Iterable[str] = (),
    no_ignore: bool = False,
    keep_all: bool = False,
    no_hidden: bool = False,
    one_file_system: bool = False,
    max_depth: int | None = None,
    min_bytes: int | None = None,
    max_bytes: int | None = None,
    threads: int | None = None,
    memory_bytes: int | None = None,
) -> Scan:
    """Lists the files at and below ``roots``; what is in them is found out by who reads the scan.

    A root may be the address of objects in a store: ``s3://bucket/prefix``, ``gs://``, ``az://``. The
    usual variables say where it is and who asks (``AWS_ACCESS_KEY_ID`` and others).

    ``fields`` are further tags, as `read_metadata` names them: JSON in the column ``tags``. ``deep``
    reads meshes and scenes to their end, for counts and bounds; ``check`` looks for damage; ``hash``
    gives the XXH128 of all content. ``follow`` enters links to folders, each folder once.

    ``exclude`` and ``include`` are patterns as in ``.gitignore``: folders and files that are left out, and
    files other than which are. ``ignore_files`` have such patterns, and so have files called
    ``.solioignore`` in folders, unless ``no_ignore``. Names that nobody means (``@eaDir``, ``.snapshot``,
    ``$RECYCLE.BIN``, ``lost+found``, ``.DS_Store`` and the like) are left out unless ``keep_all``; with
    ``no_hidden`` also those that begin with a dot. ``kinds`` are kinds or families of files
    (``exr``, ``image``). ``max_depth`` of 1 stays in the roots.

    Folders that cannot be listed are in `Scan.errors`. Raises `ArgumentError` for options that
    cannot be, and `IoError` where there is no telling what a root is: an empty one.
    """
    if isinstance(roots, (str, bytes, PathLike)):
        roots = [roots]
    check_several(fields, "fields")
    options: dict[str, Any] = {"fields": list(fields), "deep": deep, "check": check, "hash": hash}
    for name, several in {"exclude": exclude, "include": include, "kinds": kinds}.items():
        check_several(several, name)
        options[name] = list(several)
    options["ignore_files"] = [fspath(file) for file in ignore_files]
    options |= {"follow": follow, "no_ignore": no_ignore, "keep_all": keep_all, "no_hidden": no_hidden}
    options["one_file_system"] = one_file_system
    given = {"threads": threads, "memory_bytes": memory_bytes, "max_depth": max_depth}
    given |= {"min_bytes": min_bytes, "max_bytes": max_bytes}
    options |= {name: value for name, value in given.items() if value is not None}
    files, errors = _solio.scan_list([fsencode(root) for root in roots], options)
    return Scan(tuple(files), tuple(errors), options)
