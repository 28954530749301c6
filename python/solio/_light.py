"""What the machine can do at best."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, NamedTuple

from . import _solio

if TYPE_CHECKING:
    from os import PathLike


class Peak(NamedTuple):
    """One measured peak."""

    name: str
    """What was done, such as ``"read, cold, direct"``."""
    threads: int
    """Threads that did it."""
    mb_s: float | None
    """10^6 bytes a second; `None` where this machine cannot do it."""
    why_not: str | None
    """Why there is no figure."""


def light(
    folder: str | PathLike[str] = ".", *, size: int = 256 << 20, rounds: int = 3
) -> list[Peak]:
    """Measure the medium below `folder`, memory, and one core's codecs; each the best of `rounds`.

    The scratch file has `size` bytes and leaves nothing behind. The result is kept, as that of the
    command ``solio light`` is: its ``--stats`` and ``--report`` judge runs by it.
    """
    return [Peak(*row) for row in _solio.light(fspath(folder), size, rounds)]
