"""What callers give as channels becomes arrays by name, with the attributes of a new part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from ._arrays import argument_error
from ._attributes import Attributes, Tiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    _Planes = dict[str, npt.NDArray[Any]]

_FIRST = {"R": 0, "G": 1, "B": 2, "A": 3}


def rank(name: str) -> tuple[str, int, str]:
    """Where a channel stands among others: layer by layer, R, G, B, A, then by name."""
    layer, _, last = name.rpartition(".")
    return layer, _FIRST.get(last, len(_FIRST)), last


def ordered(planes: Iterable[tuple[str, npt.NDArray[Any]]], names: list[str] | None) -> _Planes:
    """By `names`, or else by `rank`."""
    found = dict(planes)
    if names is None:
        return {name: found[name] for name in sorted(found, key=rank)}
    return {name: found[name] for name in names if name in found}


_LETTERS = {1: "Y", 2: "YA", 3: "RGB", 4: "RGBA"}


def planes_of(
    channels: Mapping[str, npt.ArrayLike] | npt.ArrayLike, names: Sequence[str] | None, deep: bool
) -> _Planes:
    """The arrays of the channels, by name."""
    if hasattr(channels, "keys"):
        if names is not None:
            raise argument_error("names go with one array of all channels")
        given = cast("Mapping[str, npt.ArrayLike]", channels)
        return {name: np.asarray(given[name]) for name in given.keys()}
    array = np.asarray(channels)
    if deep or array.ndim not in (2, 3):
        raise argument_error(f"expected a dict of arrays or shape (H, W, C), not {array.shape}")
    if array.ndim == 2:
        array = array[..., np.newaxis]
    count = array.shape[2]
    if names is None:
        names = _LETTERS.get(count)
    if names is None or len(names) != count:
        raise argument_error(f"{count} channels need as many names")
    if len(set(names)) != count:
        raise argument_error(f"each channel needs a name of its own, not {', '.join(names)}")
    return {name: array[..., i] for i, name in enumerate(names)}


def size_of(planes: _Planes, rates: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The height and width that all channels agree on."""
    sizes = {}
    for name, plane in planes.items():
        if plane.ndim != 2:
            raise argument_error(f"channel {name!r} must have shape (H, W), not {plane.shape}")
        across, down = rates.get(name, (1, 1))
        sizes[name] = (plane.shape[0] * down, plane.shape[1] * across)
    if len(set(sizes.values())) != 1:
        shown = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise argument_error(f"channels of one size are needed, not {shown or 'none at all'}")
    return next(iter(sizes.values()))


def level_numbers(width: int, height: int, tiles: Tiles | None) -> Iterator[tuple[int, int]]:
    """How often the sizes of each level after the first were halved."""
    if tiles is None or tiles.levels == "one":
        raise argument_error("smaller levels need tiles with levels: Tiles(64, 64, 'mipmap')")

    def count(size: int) -> int:
        return (size if tiles.rounding == "down" else 2 * size - 1).bit_length()

    if tiles.levels == "mipmap":
        numbers = [(i, i) for i in range(count(max(width, height)))]
    else:
        numbers = [(x, y) for y in range(count(height)) for x in range(count(width))]
    return iter(numbers[1:])


_DTYPES = {"float16": "float16", "float64": "float32", "float32": "float32", "uint32": "uint32"}


def dtype_of(plane: npt.NDArray[Any]) -> Literal["float16", "float32", "uint32"]:
    """The type of a channel that holds these values."""
    kind = plane.dtype.newbyteorder("=").name
    if kind in ("bool", "uint8", "uint16"):
        return "uint32"
    if kind not in _DTYPES:
        raise argument_error(f"a channel cannot hold {kind}; float16, float32 and uint32 fit")
    return cast("Literal['float16', 'float32', 'uint32']", _DTYPES[kind])


# What follows from the pixels, and what a copy of another part's attributes must not bring along.
_OF_PIXELS = ("chunkCount", "maxSamplesPerPixel", "tiles", "type", "version")


def new_attributes(
    given: Mapping[str, Any] | None, compression: str | None, deep: bool
) -> Attributes:
    """The attributes of a new part: those given, and those that every file has."""
    attributes = Attributes(given)
    for name in _OF_PIXELS:
        attributes.pop(name, None)
    if compression is not None:
        if ":" in compression:
            raise argument_error("a part has a method of compression; its level goes to write_image")
        attributes["compression"] = compression
    for name, value in (
        ("compression", "zips" if deep else "zip"),
        ("lineOrder", "increasing"),
        ("pixelAspectRatio", 1.0),
        ("screenWindowCenter", (0.0, 0.0)),
        ("screenWindowWidth", 1.0),
    ):
        attributes.setdefault(name, value)
    return attributes


def pixel_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    to = np.dtype(dtype)
    if to.name not in ("float16", "float32", "uint32"):
        raise argument_error(f"a channel cannot be {to}; float16, float32 and uint32 fit")
    return to
