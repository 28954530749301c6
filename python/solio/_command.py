"""The commands of ``solio`` as functions: what they print as ``--json`` comes back as dictionaries."""

from __future__ import annotations

from os import PathLike, fsencode
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _solio
from ._arrays import argument_error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._errors import Error

    _Path = str | PathLike[str] | bytes
    _Option = bool | int | float | str | PathLike[str] | bytes | None | Iterable[int | float | str | PathLike[str]]


class Answer(NamedTuple):
    """What a command found or did."""

    rows: list[dict[str, Any]]
    """An object for each input or finding, as the command's ``--json`` prints them; ``schema`` says of which kind."""
    failed: tuple[Error, ...]
    """Why inputs failed; the others were done all the same."""
    notes: tuple[str, ...]
    """What the command would say to a person: losses, warnings, counts."""
    code: int
    """The exit code of the command."""


def _word(value: Any) -> bytes:
    return fsencode(value) if isinstance(value, (str, bytes, PathLike)) else str(value).encode()


def _words(options: dict[str, _Option]) -> list[bytes]:
    """``up_axis="Z"`` is ``--up-axis=Z``; several values repeat the option; what is true has none."""
    words = []
    for name, value in options.items():
        option = b"--" + name.rstrip("_").replace("_", "-").encode()
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        is_one = isinstance(value, (str, bytes, PathLike, int, float))
        words += [option + b"=" + _word(one) for one in ([value] if is_one else value)]  # type: ignore[union-attr]
    return words


def _answer(words: list[bytes]) -> tuple[bytes, Answer]:
    code, data, notes, failed = _solio.command_answer(words)
    return data, Answer([], tuple(failed), tuple(notes), code)


def _objects(data: bytes) -> list[dict[str, Any]]:
    """Objects one after another, or in one list."""
    import json  # what few need is not loaded with the package

    text, decoder, at = data.decode("utf-8", "surrogateescape"), json.JSONDecoder(), 0
    rows: list[dict[str, Any]] = []
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        rows += value if isinstance(value, list) else [value]
    return rows


def command(name: str, *inputs: _Path, **options: _Option) -> Answer:
    """Runs ``solio NAME INPUTS --json`` in this process, and gives back what it prints.

    Options are those of the command (``solio help NAME``), with ``_`` for ``-``: ``up_axis="Z"`` is ``--up-axis Z``,
    ``strict=True`` is ``--strict``, several values repeat the option. ``command("study order", folder)`` runs a command
    within a command. What is wrong with the words is raised; inputs that fail are in ``failed``. One command runs at a
    time, on as many threads as ``jobs`` says; others wait for it. Ctrl-C ends it.
    """
    switches = _words({"json": True} | options)
    data, answer = _answer([*map(str.encode, name.split()), *switches, b"--", *map(fsencode, inputs)])
    if answer.failed and (answer.code not in (0, 1) or not inputs):
        raise answer.failed[0]
    return answer._replace(rows=_objects(data))


def _several(inputs: _Path | Iterable[_Path]) -> tuple[bool, list[_Path]]:
    is_one = isinstance(inputs, (str, bytes, PathLike))
    return is_one, [inputs] if is_one else list(inputs)  # type: ignore[list-item, arg-type]


def _one_or_several(name: str, inputs: _Path | Iterable[_Path], **options: _Option) -> Answer:
    is_one, paths = _several(inputs)
    answer = command(name, *paths, **options)
    if is_one and answer.failed:
        raise answer.failed[0]
    return answer


def _nothing(answer: Answer) -> Exception:
    """What is raised where there was nothing to tell of."""
    return argument_error("; ".join(answer.notes) or "nothing was found")


def _named(output: _Path) -> _Path:
    if fsencode(output) == b"-":
        raise argument_error("the output needs a name; - is the standard output of a process")
    return output


def info(path: _Path, **options: _Option) -> dict[str, Any]:
    """What a file has: counts, sizes, boxes, header, warnings, as ``solio info --json`` says it.

    ``options`` are those of ``solio info``. For many files at once: ``solio.command("info", *paths).rows``.
    """
    answer = _one_or_several("info", path, **options)
    if not answer.rows:
        raise _nothing(answer)
    return answer.rows[0]


def convert(inputs: _Path | Iterable[_Path], output: _Path, **options: _Option) -> Answer:
    """Converts meshes, images and scenes, as ``solio convert INPUTS -o OUTPUT`` does.

    ``output`` is a file, frames (``out.####.exr``) or a folder, with ``format`` where its name tells none. ``options``
    are those of ``solio convert``: ``compression="zip"``, ``resize="50%"``, ``up_axis="Z"``, ``instances="gpu"``. What the
    target cannot hold is in the ``losses`` of each row; ``strict_loss=True`` refuses that. A single input that fails
    is raised; of several, those that fail are in ``failed`` and the others are written.
    """
    return _one_or_several("convert", inputs, output=_named(output), **options)


def preview(path: _Path, **options: _Option) -> bytes:
    """A picture of an image, a photo, a mesh, a scene or a gradient, as the bytes of a PNG file.

    ``options`` are those of ``solio preview``: ``size=512``, ``exposure=1.5``, ``layer="diffuse"``.
    """
    data, answer = _answer([b"preview", *_words(options | {"output": "-"}), b"--", fsencode(path)])
    if answer.failed:
        raise answer.failed[0]
    if not data:
        raise _nothing(answer)
    return data


def sheet(inputs: _Path | Iterable[_Path], output: _Path, **options: _Option) -> Answer:
    """A page or a picture with thumbnails of all files at and below ``inputs``, as ``solio sheet`` makes it."""
    return _one_or_several("sheet", inputs, output=_named(output), **options)


def query(catalog: _Path, sql: str, **options: _Option) -> list[dict[str, Any]]:
    """The rows that ``sql`` selects from a catalogue, which is opened for reading alone."""
    return command("query", catalog, sql, **options).rows


def study(words: Iterable[str | PathLike[str]], **options: _Option) -> dict[str, Any]:
    """What a command costs at a series of bandwidths, as ``solio study --json`` says it.

    ``words`` are the command and its arguments: ``["solio", "info", "big.obj"]``. ``options`` are those of
    ``solio study``; the other studies are ``solio.command("study order", folder)`` and the like.
    """
    return command("study", *words, **options).rows[0]
