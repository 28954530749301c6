"""The errors that Solio raises: one base class, one subclass for each kind."""

from __future__ import annotations

import os
import sys
from typing import Any


class Error(Exception):
    """Something went wrong in Solio; the attributes say what and where.

    ``str(error)`` is the whole text: path, line and column, message, byte offset and hint.
    """

    kind: str = "error"
    """``io``, ``syntax``, ``corrupt``, ``unsupported``, ``limit``, ``argument`` or ``cancelled``."""
    message: str = ""
    """What was found and what was expected, without the place."""
    path: str | None = None
    """The file; bytes that are no text as `os.fsdecode` has them."""
    line: int | None = None
    """Line, counted from 1; text formats only."""
    column: int | None = None
    """Column in bytes, counted from 1; text formats only."""
    offset: int | None = None
    """Byte offset in the uncompressed data, counted from 0."""
    hint: str | None = None
    """What to do about it."""


class IoError(Error, OSError):
    """The operating system refused: no space, a broken disk.

    What Python has a class of its own for is also that: a missing file raises `NotFoundError`, which is a
    `FileNotFoundError`.
    """

    kind = "io"

    def __str__(self) -> str:
        # `OSError` would make a text of its own of number, message and file.
        return str(self.args[0]) if len(self.args) == 1 else super().__str__()

    def __reduce__(self) -> tuple[Any, ...]:
        # What `OSError` has is not among the attributes that are kept by themselves.
        return _restored, (type(self), self.args, self.errno, self.filename, self.strerror), vars(self)


class NotFoundError(IoError, FileNotFoundError):
    """A file or folder is not there."""


class NotPermittedError(IoError, PermissionError):
    """A file or folder may not be read or written."""


class IsFolderError(IoError, IsADirectoryError):
    """A folder is where a file was expected."""


class NotFolderError(IoError, NotADirectoryError):
    """A file is where a folder was expected."""


class ExistsError(IoError, FileExistsError):
    """A file is there already."""


_OF_SYSTEM: dict[type, type[IoError]] = {
    FileNotFoundError: NotFoundError,
    PermissionError: NotPermittedError,
    IsADirectoryError: IsFolderError,
    NotADirectoryError: NotFolderError,
    FileExistsError: ExistsError,
}


def _io_class(number: int | None) -> type[IoError]:
    """The class for an error number of the system; of Windows these are numbers of its own."""
    if number is None:
        return IoError
    number_of = (None, "", None, number) if sys.platform == "win32" else (number, "")
    return _OF_SYSTEM.get(type(OSError(*number_of)), IoError)


def _restored(
    cls: type[IoError], args: tuple[Any, ...], errno: int | None, filename: Any, strerror: str | None
) -> IoError:
    error = cls(*args)
    error.errno, error.filename, error.strerror = errno, filename, strerror
    return error


class FormatError(Error, ValueError):
    """The file is not what its format asks for: text that breaks the grammar."""

    kind = "syntax"


class CorruptError(FormatError):
    """Binary data that contradicts itself or ends early."""

    kind = "corrupt"


class UnsupportedError(Error):
    """Valid, but not something that Solio can do."""

    kind = "unsupported"


class LimitError(Error):
    """The file asks for more than the limits allow."""

    kind = "limit"


class ArgumentError(Error, ValueError):
    """The caller asked for something impossible."""

    kind = "argument"


class CancelledError(Error):
    """The work was cancelled."""

    kind = "cancelled"


_CLASSES: dict[str, type[Error]] = {
    cls.kind: cls
    for cls in (
        IoError,
        FormatError,
        CorruptError,
        UnsupportedError,
        LimitError,
        ArgumentError,
        CancelledError,
    )
}


def make(
    kind: str,
    text: str,
    message: str,
    path: str | None = None,
    line: int | None = None,
    column: int | None = None,
    offset: int | None = None,
    hint: str | None = None,
    errno: int | None = None,
) -> Error:
    """The exception for one error of the engine; called by the native module."""
    if kind == IoError.kind and errno is None and path is not None and os.path.isdir(path):
        from errno import EISDIR  # what few need is not loaded with the package

        errno = EISDIR
    error = (_io_class(errno) if kind == IoError.kind else _CLASSES.get(kind, Error))(text)
    error.message = message
    error.path = path
    error.line = line
    error.column = column
    error.offset = offset
    error.hint = hint
    if isinstance(error, IoError):
        error.errno = errno
        error.filename = path
        error.strerror = message
    return error
