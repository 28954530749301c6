"""The blocks of the documents: found, run, and compared with the output that they show.

A block is fenced with ``sh`` or ``python``. Those of one document run in their order, in one folder.

- ``notest="why"`` behind the word says that a block is not run, and why.
- A command whose comment has the words *exit code N* has to end with it, others with 0.
- A ``text`` block that follows directly is what comes out, an ellipsis standing for anything.

``python documents.py --write FILE…`` puts what comes out now where it is something else.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r'^```(?P<kind>sh|python)(?: notest="(?P<reason>[^"]+)")?\n(?P<code>.*?)^```\n'
    r"(?:\n?```text\n(?P<shown>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
# What is never the same twice: times and rates, and moments.
VOLATILE = re.compile(
    r"\b\d[\d.,]*(?= ?(?:s|ms|µs|files/s|[kMG]B/s)(?:\W|$))|(?<!\d)\d{4}-\d\d-\d\d_\d{6}Z"
)
BUILTINS = {"cd", "export", "echo", "test", "[", "if", "for", "while", "wait", "kill", "exit"}


@dataclass(frozen=True)
class Block:
    """A block of a document, with the line where it begins."""

    document: Path
    line: int
    kind: str
    reason: str | None
    code: str
    shown: str | None
    shown_at: tuple[int, int]


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        shown, at = match["shown"], match.span("shown")
        found.append(Block(document, line, match["kind"], match["reason"], match["code"], shown, at))
    return found


@dataclass
class Outcome:
    """What a block printed, and the tools that its lines would have needed."""

    printed: str = ""
    missing: list[str] = field(default_factory=list)


def commands_of(code: str) -> Iterator[str]:
    """One command after the other; some take several lines."""
    command = ""
    for line in code.splitlines():
        line = line.removeprefix("$ ")
        command += line + "\n"
        if not line.strip() or line.lstrip().startswith("#"):
            command = command.removesuffix(line + "\n")
        elif not line.endswith("\\") and is_whole(command):
            yield command
            command = ""
    assert not command, f"a command without an end: {command}"


def is_whole(command: str) -> bool:
    return not subprocess.run(["bash", "-n"], input=command.encode(), stderr=subprocess.DEVNULL).returncode


def tool_of(command: str) -> str:
    """The program that a command begins with."""
    words = shlex.split(command, comments=True)
    while words and re.match(r"\w+=", words[0]):
        words = words[1:]
    return words[0] if words else "true"


def run_sh(block: Block, folder: Path, environment: dict[str, str]) -> Outcome:
    """Runs each command; what each prints is told by a mark between them."""
    script, outcome, expected = "exec 2>&1 </dev/null\n", Outcome(), []
    for command in commands_of(block.code):
        tool = tool_of(command)
        if tool not in BUILTINS and not shutil.which(tool, path=environment["PATH"]):
            outcome.missing.append(tool)
            continue
        code = re.search(r"#.*exit code (\d+)", command)
        expected.append((command, int(code[1]) if code else 0))
        script += command + "printf '\\001%d\\002' $?\n"
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, timeout=60
    )
    parts = re.split("\1(\\d+)\2", done.stdout.decode("utf-8", "replace"))
    for (command, wanted), printed, code_text in zip(
        expected, parts[:-1:2], parts[1::2], strict=True
    ):
        place = f"{block.document.name}:{block.line}: {command}"
        assert int(code_text) == wanted, f"{place}exit code {code_text}, not {wanted}\n{printed}"
        outcome.printed += printed
    return outcome


def run_python(block: Block, folder: Path, names: dict[str, Any]) -> Outcome:
    """Runs the block with the names that those before it left."""
    printed, outcome = io.StringIO(), Outcome()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        try:
            exec(compile(block.code, f"{block.document.name}:{block.line}", "exec"), names)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("solio"):
                raise
            outcome.missing.append(str(error.name))
    outcome.printed = printed.getvalue()
    return outcome


class Desk:
    """A folder with the files of the documents, in which the blocks of one run."""

    def __init__(self, folder: Path, command: str) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        keep = {key: value for key, value in os.environ.items() if not key.startswith("SOLIO_")}
        paths = [Path(command).parent, Path(sys.executable).parent, keep["PATH"]]
        home = folder.parent / (folder.name + "-home")
        home.mkdir(exist_ok=True)
        self.environment = keep | {
            "PATH": os.pathsep.join(map(str, paths)),
            "XDG_CACHE_HOME": str(home),
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, block: Block) -> Outcome:
        if block.kind == "python":
            return run_python(block, self.folder, self.names)
        return run_sh(block, self.folder, self.environment)


def agrees(shown: str, printed: str) -> bool:
    """Whether a block of output is what was printed: … stands for anything, columns may be wider."""
    pattern = re.escape(with_narrow_columns(shown)).replace("…", ".*?")
    return re.fullmatch(pattern, with_narrow_columns(printed), re.DOTALL) is not None


def with_narrow_columns(text: str) -> str:
    return "\n".join(re.sub(r"(?<=\S) {2,}", "  ", line.rstrip()) for line in text.strip().splitlines())


def as_shown(printed: str, folder: Path) -> str:
    """Output as a document shows it."""
    printed = printed.replace(str(folder), "…")
    lines = [VOLATILE.sub("…", line.rstrip()) for line in printed.strip("\n").splitlines()]
    return "\n".join(lines) + "\n"


def write(document: Path, desk: Desk) -> None:
    text = document.read_text(encoding="utf-8")
    changes = []
    for block in blocks_of(document):
        if block.reason is None:
            outcome = desk.run(block)
            if block.shown is None or outcome.missing:
                continue
            if not agrees(block.shown, outcome.printed):
                changes.append((block.shown_at, as_shown(outcome.printed, desk.folder)))
    for (start, end), new in reversed(changes):
        text = text[:start] + new + text[end:]
    document.write_text(text, encoding="utf-8")


def main() -> None:
    import tempfile

    from document_files import make_files

    command = shutil.which(os.environ.get("SOLIO_COMMAND", "solio"))
    if not command or sys.argv[1:2] != ["--write"]:
        sys.exit("documents.py --write FILE…, with the command in SOLIO_COMMAND")
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            desk = Desk(Path(folder) / "work", command)
            desk.folder.mkdir()
            make_files(desk.folder, command)
            write(Path(name), desk)


if __name__ == "__main__":
    main()
