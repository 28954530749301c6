"""Timers: a name, a piece of work done some times, and a line about it."""

from __future__ import annotations

import sys
import time
from contextlib import ContextDecorator
from typing import IO, TYPE_CHECKING

from . import _solio

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class timer(ContextDecorator):  # noqa: N801 (used like a function)
    """Time a block, a function or anything up to `end`, and print a line about it.

    The line is that of the macros in C and of `solio::time` in Rust: milliseconds, ticks of the processor's
    counter, iterations a second, ticks an iteration. It goes to standard error, or to `file`; with ``file=None``
    nothing is printed.

    >>> import solio, sys
    >>> with solio.timer("squares", file=sys.stdout) as timer:
    ...     squares = [n * n for n in range(1000)]
    ...     timer.iterations = len(squares)
    squares: ... ms, ... ticks, ... iterations/s, ... ticks/iteration

    As a decorator it tells of every call:

    >>> @solio.timer("load", file=None)
    ... def load() -> int:
    ...     return 7
    >>> load()
    7
    """

    text: str
    """What is timed."""
    iterations: int
    """How often the work is done; may be set until the end."""
    seconds: float
    """Seconds on the wall clock, from the end on."""
    ticks: int
    """Ticks of the processor's counter, from the end on; where there is none, nanoseconds."""

    def __init__(self, text: str, iterations: int = 1, *, file: IO[str] | None | str = "stderr") -> None:
        self.text = text
        self.iterations = iterations
        self.seconds = 0.0
        self.ticks = 0
        self._file = file
        self._start()

    def _start(self) -> None:
        self._ns = time.perf_counter_ns()
        self._begun = _solio.ticks()

    def end(self, iterations: int | None = None) -> str:
        """End, print the line and return it; the work was done `iterations` times meanwhile."""
        ticks, ns = _solio.ticks() - self._begun, time.perf_counter_ns() - self._ns
        if iterations is not None:
            self.iterations = iterations
        self.seconds, self.ticks = ns * 1e-9, ticks
        line = _solio.timing_text(self.text, ns, ticks, self.iterations)
        file = sys.stderr if self._file == "stderr" else self._file
        if file is not None and not isinstance(file, str):
            print(line, file=file)
        return line

    def _recreate_cm(self) -> Self:
        # Calls may overlap: each has a timer of its own.
        return type(self)(self.text, self.iterations, file=self._file)

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
