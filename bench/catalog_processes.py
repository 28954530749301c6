"""Turns of processes, ours and others, for the part `catalog` of bench/run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measuring

Row = dict[str, Any]
Command = list[str | Path]
WORK = "catalogue: "
"""How the work of each row begins."""


@dataclass
class Done:
    """A process that has ended."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    output: str


def run(command: Command, accepted: tuple[int, ...] = (0,), **more: Any) -> Done:
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        with subprocess.Popen(words, stdout=output, stderr=subprocess.DEVNULL, **more) as process:
            _, status, usage = os.wait4(process.pid, 0)
            wall_s = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            raise SystemExit(f"{' '.join(words[:3])} failed with exit code {process.returncode}")
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Done(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text)


@dataclass
class Side:
    """One side of a comparison: what is run, what is done before each turn, what it found."""

    command: Command
    answer: Callable[[str], str] = lambda output: f"{len(output.splitlines())} lines"
    before: Callable[[], None] = lambda: None
    accepted: tuple[int, ...] = (0,)

    def turn(self) -> measuring.Turn:
        self.before()
        done = run(self.command, self.accepted)
        return measuring.Turn(done.wall_s, done.cpu_s, self.answer(done.output))


def compared(
    work: str, peer: str, version: str, ours: Side, theirs: Side, rounds: int, data: str
) -> Row:
    """Turns of ours, the peer, ours again, after one of each that is not counted."""
    ours.turn(), theirs.turn()
    turns = [(ours.turn(), theirs.turn(), ours.turn()) for _ in range(rounds)]
    return measuring.row(WORK + work, peer, version, turns, data)


def program(*names: str) -> str | None:
    found = next((path for name in names if (path := shutil.which(name))), None)
    if not found:
        print(f"{names[0]}: skipped (it is not installed)", flush=True)
    return found


def version_of(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.[\d.]+\d", done.stdout + done.stderr)
    return found[0] if found else ""


def package(python: Path, name: str) -> str | None:
    """The version of a package of the peers' Python."""
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: skipped (it is not in {python})", flush=True)
        return None
    return done.stdout.strip()


def files_of(output: str) -> str:
    """What a scan of ours says that it met."""
    return f"{json.loads(output.splitlines()[-1])['files']} files"


def gone(path: Path) -> Callable[[], None]:
    """Removes a catalogue, with what SQLite keeps beside it."""

    def remove() -> None:
        for name in path.parent.glob(path.name + "*"):
            name.unlink()

    return remove
