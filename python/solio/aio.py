"""What waits for disks and cores, for programs with an event loop: each call runs on a thread beside it.

>>> async def main():
...     meshes = await asyncio.gather(*map(solio.aio.read_mesh, paths))

Arguments, results and errors are those of the functions of the same names in `solio`. The engine has threads of its
own and does not hold the interpreter while it works. A task that is cancelled stops waiting at once; the call ends in
the background. For many small reads with priorities there is `solio.io`.
"""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import solio

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

__all__ = [
    "check",
    "command",
    "convert",
    "diff_catalogs",
    "duplicates",
    "hash",
    "info",
    "preview",
    "query",
    "read_header",
    "read_image",
    "read_mesh",
    "read_metadata",
    "sequences",
    "sheet",
    "thumbnail",
    "write_image",
    "write_mesh",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _beside(function: Callable[_P, _R]) -> Callable[_P, Coroutine[Any, Any, _R]]:
    @functools.wraps(function)
    async def waiting(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(function, *args, **kwargs)

    return waiting


check = _beside(solio.check)
command = _beside(solio.command)
convert = _beside(solio.convert)
diff_catalogs = _beside(solio.diff_catalogs)
duplicates = _beside(solio.duplicates)
hash = _beside(solio.hash)  # noqa: A001
info = _beside(solio.info)
preview = _beside(solio.preview)
query = _beside(solio.query)
read_header = _beside(solio.read_header)
read_image = _beside(solio.read_image)
read_mesh = _beside(solio.read_mesh)
read_metadata = _beside(solio.read_metadata)
sequences = _beside(solio.sequences)
sheet = _beside(solio.sheet)
thumbnail = _beside(solio.thumbnail)
write_image = _beside(solio.write_image)
write_mesh = _beside(solio.write_mesh)
