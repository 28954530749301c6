"""Many reads asked for at once, answered as they come.

>>> from solio.io import Reader, Request
>>> reader = Reader()
>>> for done in reader.read(["a.exr", Request("b.exr", 0, 4096)]):  # doctest: +SKIP
...     done.path, done.array.sum()

In a coroutine, ``async for done in reader.read(paths)`` and ``await reader.read(paths)`` do the
same without stopping the loop.
"""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from . import _solio
from ._arrays import argument_error, check_several

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from os import PathLike

    import numpy.typing as npt

    _Priority = Literal["minimum", "low", "below-normal", "normal", "high", "maximum"]
    _Packing = Literal["none", "detect", "gzip", "zlib", "zstd"]

__all__ = ["Batch", "Done", "Reader", "Request", "Stats"]


class Request(NamedTuple):
    """One read: a whole file, or `length` bytes from `offset` on."""

    path: str | PathLike[str]
    offset: int = 0
    length: int | None = None
    """`None` reads to the end of the file."""
    tag: int = 0
    """Comes back with the result."""
    unpacked: int | None = None
    """Bytes after unpacking, where known: with a packing the result must have exactly that many."""


class Done:
    """How one request ended."""

    __slots__ = ("data", "error", "index", "late", "path", "queued_s", "submitted", "tag", "total_s")

    def __init__(
        self,
        path: str,
        index: int,
        tag: int,
        data: _solio.Bytes | None,
        error: Exception | None,
        queued_s: float,
        total_s: float,
        submitted: bool,
        late: bool,
    ) -> None:
        self.path = path
        self.index = index
        """Its place in the batch."""
        self.tag = tag
        self.data = data
        """The bytes, with the buffer protocol; `None` where there is an error."""
        self.error = error
        """Why there are no bytes; a cancelled request has a `solio.CancelledError`."""
        self.queued_s = queued_s
        """Seconds until the system was asked for the first byte."""
        self.total_s = total_s
        self.submitted = submitted
        """Whether the system was asked for any byte."""
        self.late = late
        """Whether it ended after its deadline."""

    def __repr__(self) -> str:
        return f"Done({self.path!r}, {self.error or self.data})"

    @property
    def buffer(self) -> memoryview:
        """The bytes, read-only and without a copy. Raises `error` if there is one."""
        if self.data is None:
            assert self.error is not None
            raise self.error
        # It has the buffer protocol, of which types know from Python 3.12 on.
        return memoryview(cast("bytes", self.data))

    @property
    def array(self) -> npt.NDArray[np.uint8]:
        """The bytes as a read-only array without a copy. Raises `error` if there is one."""
        return np.frombuffer(self.buffer, np.uint8)


class Stats(NamedTuple):
    """What a reader has done so far."""

    bytes: int
    direct_bytes: int
    """Those of them that went past the page cache."""
    reads: int


class Batch:
    """The results of one call, in the order in which they come.

    What is not taken counts in the reader's memory, and reading stops when that is full; what was
    taken is yours. Dropping a batch cancels what has not started.
    """

    def __init__(self, reading: _solio.Reading, paths: list[str]) -> None:
        self._reading = reading
        self._paths = paths

    def __len__(self) -> int:
        """Results that have not been taken."""
        return self._reading.left()

    def __iter__(self) -> Batch:
        return self

    def __next__(self) -> Done:
        done = self.wait_for(None)
        if done is None:
            raise StopIteration
        return done

    def wait_for(self, seconds: float | None) -> Done | None:
        """The next result; `None` when none came in time, or all were taken."""
        found = self._reading.next(seconds)
        if found is None:
            return None
        return Done(self._paths[found[0]], *found)

    def poll(self) -> Done | None:
        """The next result if one is there."""
        return self.wait_for(0)

    def wait(self) -> list[Done]:
        """All results that are left, by their place in the batch."""
        return sorted(self, key=lambda done: done.index)

    def cancel(self, index: int | None = None) -> None:
        """Cancel one request, or all that have not ended; they end as cancelled.

        The bytes of those still in the queue never move.
        """
        self._reading.cancel(index)

    def __aiter__(self) -> Batch:
        return self

    async def __anext__(self) -> Done:
        import asyncio  # a third of the package's import time, which few need

        done = self.poll()
        while done is None:
            if not len(self):
                raise StopAsyncIteration
            # Short waits, so that a loop that ends is not held up by a thread that waits; and the
            # result is left where it is, as whoever waits for it may be cancelled.
            await asyncio.to_thread(self._reading.wait, 0.2)
            done = self.poll()
        return done

    def __await__(self) -> Generator[object, None, list[Done]]:
        return self._all().__await__()

    async def _all(self) -> list[Done]:
        return sorted([done async for done in self], key=lambda done: done.index)


class Reader:
    """Reads files. Make one, share it between threads, keep it. A process that is forked makes its
    own: there it raises `solio.ArgumentError`, as do the batches of before.

    `memory`: bytes of results under way or not taken. `backend`: ``"auto"``, ``"uring"``,
    ``"threads"`` or ``"mmap"``; the environment variable ``SOLIO_IO`` overrides it. `direct`: whether to go past
    the page cache; ``"auto"`` does for what is not in it, and leaves it as it was.
    """

    def __init__(
        self,
        *,
        memory: int = 512 << 20,
        backend: str = "auto",
        direct: Literal["auto", "never", "always"] = "auto",
        threads: int = 32,
        bytes_per_second: int | None = None,
        operations_per_second: int | None = None,
    ) -> None:
        self._reader = _solio.Reader(
            {
                "memory": memory,
                "backend": backend,
                "direct": direct,
                "threads": threads,
                "bytes_per_second": bytes_per_second,
                "operations_per_second": operations_per_second,
            }
        )

    def read(
        self,
        requests: Iterable[str | PathLike[str] | Request],
        *,
        priority: _Priority = "normal",
        packing: _Packing = "none",
        deadline_s: float | None = None,
    ) -> Batch:
        """Queue reads, any number of them, and return at once.

        `packing` says how the bytes lie on the disk; ``"detect"`` goes by the first of them.
        Requests of one priority that have a deadline go first.
        """
        check_several(requests, "requests")
        if isinstance(requests, Request):
            raise argument_error("requests are given in a list")
        all_ = [r if isinstance(r, Request) else Request(r) for r in requests]
        paths = [fspath(r.path) for r in all_]
        wanted = [
            (path, r.offset, r.length, r.tag, r.unpacked)
            for path, r in zip(paths, all_, strict=True)
        ]
        return Batch(self._reader.read(wanted, priority, packing, deadline_s), paths)

    def stats(self) -> Stats:
        """What it has done so far."""
        return Stats(*self._reader.stats())
