"""The limits of the machine: disk, memory, codecs."""

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


class WrongPeak(NamedTuple):
    """A peak that a run went past: it was measured too low."""

    peak: str
    """Which one: read, disk, write or memory in MB/s, cpu in cores."""
    measured: float
    """What it was measured to be."""
    seen: float
    """What the run reached."""


class Shares(NamedTuple):
    """How much of the machine a run used: always both."""

    bytes: float
    """Of the limit of its bytes: what moving them takes at least, over the time taken."""
    cores: float
    """Of the cores: busy ones over those there are."""
    binding: str
    """Which peak limits the bytes."""
    wrong_peaks: list[WrongPeak]
    """Where a share is above 1: the peaks that were measured too low."""


def shares(
    folder: str | PathLike[str] = ".",
    *,
    wall_s: float,
    cpu_s: float,
    read_bytes: int = 0,
    disk_bytes: int = 0,
    written_bytes: int = 0,
    copied_bytes: int = 0,
) -> Shares | None:
    """Tell how close a run of your own came to what `light` measured; `None` where it did not measure.

    `disk_bytes` are those of `read_bytes` that were not in the page cache. What was computed (`cpu_s`) brings no
    run nearer to the limit of its bytes: it is a share of its own, as in ``--stats``.
    """
    moved = (read_bytes, disk_bytes, written_bytes, copied_bytes)
    found = _solio.shares(fspath(folder), wall_s, cpu_s, moved)
    if found is None:
        return None
    of_bytes, of_cores, binding, wrong = found
    return Shares(of_bytes, of_cores, binding, [WrongPeak(*row) for row in wrong])
