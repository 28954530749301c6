"""Turning what callers give into the arrays that the engine borrows without a copy."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _solio
from ._errors import make

if TYPE_CHECKING:
    import numpy.typing as npt

    _Indices = npt.NDArray[np.uint32]
    _Floats = npt.NDArray[np.float32]

NONE = 0xFFFFFFFF
"""An index that means *none*: a corner without UV, a face without material."""


def unused(count: int, indices: npt.ArrayLike) -> _Indices:
    """The numbers below ``count`` that ``indices`` does not hold: loose edges, say."""
    return _solio.unused(count, index_array(indices, "indices").reshape(-1))


def argument_error(message: str) -> Exception:
    return make("argument", message, message)


def check_several(values: object, what: str) -> None:
    """Refuses one text or path where several are wanted: its letters would be taken for them."""
    if isinstance(values, (str, bytes, PathLike)):
        raise argument_error(f"{what} are given in a list, such as [{values!r}]")


def path_or_bytes(source: str | PathLike[str] | bytes | bytearray | memoryview) -> str | bytes:
    """The path of a file, or the bytes of one."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    return fspath(source)


def index_array(values: npt.ArrayLike, what: str) -> _Indices:
    """``values`` as a contiguous, aligned ``uint32`` array; -1 becomes `NONE`.

    ``uint32`` and ``int32`` arrays that are contiguous are not copied.
    """
    array = np.asarray(values)
    if array.dtype == np.uint32:
        return np.require(array, requirements=("C", "A"))
    if array.size == 0:
        return np.zeros(array.shape, np.uint32)
    if array.dtype.kind not in "iu":
        raise argument_error(f"{what} must be integers, not {array.dtype}")
    if int(array.min()) < -1 or int(array.max()) > NONE:
        raise argument_error(f"{what} must lie in -1 to {NONE}")
    if array.dtype == np.int32:
        return np.require(array, requirements=("C", "A")).view(np.uint32)
    return np.ascontiguousarray(array.astype(np.int64, copy=False).astype(np.uint32))


def position_array(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """``values`` as an array of shape (N, 3), in which doubles and integers are ``float64``."""
    return float_array(values, "positions", 3, keep_double=True)


def color_array(values: npt.ArrayLike) -> _Floats:
    """``values`` as RGBA of ``float32``: codes of ``uint8`` and ``uint16`` become 0 to 1, and where
    there is no alpha it is 1."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise argument_error(f"colors must be numbers, not {array.dtype}")
    if array.dtype.name in ("uint8", "uint16"):
        array = array.astype(np.float32) / np.float32(np.iinfo(array.dtype).max)
    elif array.dtype.kind in "iu" and array.size:
        raise argument_error(
            f"integers of type {array.dtype} could be codes of 8 bits or of 16, or plain numbers: "
            "make the colors uint8, uint16 or floats"
        )
    if array.ndim == 2 and array.shape[1] == 3 and array.dtype.kind == "f":
        full = np.ones((len(array), 4), np.float32)
        full[:, :3] = array
        return full
    return float_array(array, "colors", 4)


# For types that files have not, those that may hold the same numbers.
_NARROWER = {"b1": ("u1",), "f2": ("f4",), "i8": ("i4", "u4"), "u8": ("i4", "u4")}


def attribute_array(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """``values`` as a contiguous, aligned (N,) array of a type that files have, of the same numbers.

    Integers of 64 bits become those of 32.
    """
    array = np.asarray(values)
    types = _NARROWER.get(array.dtype.str[1:], (array.dtype.str[1:],))
    fits = (t for t in types if np.can_cast(array.dtype, t) or bool((array.astype(t) == array).all()))
    kind = next(fits, "")
    if array.ndim != 1 or kind not in ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"):
        raise argument_error(
            f"{what} must be an (N,) array of integers of up to 32 bits or of floats, "
            f"not {array.dtype} of shape {array.shape}"
        )
    return np.require(array, np.dtype(kind), ("C", "A"))


def float_array(
    values: npt.ArrayLike, what: str, columns: int, *, keep_double: bool = False
) -> npt.NDArray[Any]:
    """``values`` as a contiguous, aligned float array of shape (N, columns); (N,) when ``columns`` is 1.

    ``float32`` (and ``float64`` with ``keep_double``) arrays that are contiguous are not copied;
    with ``keep_double`` integers and wider floats become ``float64``.
    """
    array = np.asarray(values)
    double = keep_double and (array.dtype.kind in "iu" or array.dtype.itemsize > 4)
    if array.dtype.kind not in "fiu":
        raise argument_error(f"{what} must be numbers, not {array.dtype}")
    array = np.require(array, np.float64 if double else np.float32, ("C", "A"))
    if columns == 1:
        return array.reshape(-1)
    if array.size == 0:
        return array.reshape(0, columns)
    if array.ndim == 1 and array.size % columns == 0:
        return array.reshape(-1, columns)
    if array.ndim != 2 or array.shape[1] != columns:
        raise argument_error(f"{what} must have shape (N, {columns}), not {array.shape}")
    return array
