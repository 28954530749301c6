"""Scans in other engines: each shard is a task of theirs, which looks at its files where it runs.

An engine is imported when it is asked for. Its workers need the package `solio` and must see the same
files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._scan import Scan

FILES_A_TASK = 100
"""Files of a task, unless somebody wishes for another number of shards."""


def shards(scan: Scan, count: int | None) -> list[Scan]:
    """The tasks of a scan."""
    return scan.shards(count or max(1, -(-len(scan) // FILES_A_TASK)))


def table(scan: Scan) -> Any:
    """The rows of a shard, as a table of Arrow."""
    import pyarrow

    return pyarrow.table(scan)


def frame(scan: Scan) -> Any:
    """The rows of a shard, for pandas, with Arrow's types."""
    import pandas

    return table(scan).to_pandas(types_mapper=pandas.ArrowDtype)


def to_ray(scan: Scan, count: int | None) -> Any:
    """A `ray.data.Dataset`."""
    import ray

    task = ray.remote(table)
    return ray.data.from_arrow_refs([task.remote(shard) for shard in shards(scan, count)])


def to_dask(scan: Scan, count: int | None) -> Any:
    """A `dask.dataframe.DataFrame`."""
    import dask.dataframe

    return dask.dataframe.from_map(frame, shards(scan, count), meta=frame(type(scan)(())))


def to_daft(scan: Scan, count: int | None) -> Any:
    """A `daft.DataFrame`."""
    import daft
    from daft.io.source import DataSource, DataSourceTask
    from daft.recordbatch import RecordBatch

    columns = daft.Schema.from_pyarrow_schema(table(type(scan)(())).schema)

    def task(shard: Scan) -> Any:
        async def read(_: Any) -> Any:
            for batch in table(shard).to_batches():
                yield RecordBatch.from_arrow_record_batches([batch], batch.schema)

        return type("Shard", (DataSourceTask,), {"schema": columns, "read": read})()

    async def get_tasks(_: Any, pushdowns: Any) -> Any:
        for shard in shards(scan, count):
            yield task(shard)

    members = {"name": "solio.scan", "schema": columns, "get_tasks": get_tasks}
    return type("Scan", (DataSource,), members)().read()


def to_spark(scan: Scan, session: Any, count: int | None) -> Any:
    """A `pyspark.sql.DataFrame` of this session."""
    from pyspark.sql.pandas.types import from_arrow_schema

    parts = shards(scan, count)
    schema = from_arrow_schema(table(type(scan)(())).schema)

    def rows(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from table(parts[number]).to_batches()

    numbers = session.range(0, len(parts), 1, len(parts))
    return numbers.mapInArrow(rows, schema)
