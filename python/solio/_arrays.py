"""Turning what callers give into the arrays that the engine borrows without a copy."""

from __future__ import annotations

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


def index_array(values: npt.ArrayLike, what: str) -> _Indices:
    """``values`` as a contiguous, aligned ``uint32`` array; -1 becomes `NONE`.

    ``uint32`` and ``int32`` arrays that are contiguous are not copied.
    """
    array = np.asarray(values)
    if array.dtype == np.uint32:
        return np.require(array, requirements=("C", "A"))
    if array.dtype == np.int32:
        return np.require(array, requirements=("C", "A")).view(np.uint32)
    if array.size == 0:
        return np.zeros(array.shape, np.uint32)
    if array.dtype.kind not in "iu":
        raise argument_error(f"{what} must be integers, not {array.dtype}")
    if int(array.min()) < -1 or int(array.max()) > NONE:
        raise argument_error(f"{what} must lie in -1 to {NONE}")
    return np.ascontiguousarray(array.astype(np.int64, copy=False).astype(np.uint32))


def float_array(
    values: npt.ArrayLike, what: str, columns: int, *, keep_double: bool = False
) -> npt.NDArray[Any]:
    """``values`` as a contiguous, aligned float array of shape (N, columns); (N,) when ``columns`` is 1.

    ``float32`` (and ``float64`` with ``keep_double``) arrays that are contiguous are not copied.
    """
    array = np.asarray(values)
    double = keep_double and (array.dtype == np.float64 or array.dtype.kind in "iu")
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
