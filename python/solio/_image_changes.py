"""Images in another size, made flat, put together, taken apart, and compared."""

from __future__ import annotations

from math import inf
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _solio
from ._arrays import argument_error
from ._image import Image, Part, given_part
from ._image_io import _image

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from ._solio import _GivenPart

    _Any = Image | Part
    _Group = Literal["layers", "parts", "views"]

#: Pixels on a degree of a 4K screen of 0.7 m, seen from 0.7 m: what FLIP takes without a wish.
_PIXELS_PER_DEGREE = 67.02064327658226


def resize(
    image: _Any,
    size: str | tuple[int, int],
    *,
    filter: str | None = None,  # noqa: A002 - what everybody calls it
    nearest: Sequence[str] | None = None,
    threads: int | None = None,
    max_bytes: int | None = None,
) -> Image:
    """The image with another display window; its data windows are where their pixels fall on.

    ``size``: ``"50%"``, ``"50%x25%"``, ``"1920x"``, ``"x1080"`` or ``"1920x1080"``, or (columns,
    rows), of which one may be 0 and keeps the aspect. ``filter``: ``box``, ``triangle``,
    ``gaussian``, ``sharp-gaussian``, ``catmull-rom``, ``blackman-harris``, ``sinc``, ``lanczos3``,
    ``mitchell``, ``bspline``, ``cubic``, ``keys``, ``simon`` or ``rifman``; without one
    ``lanczos3``, or ``blackman-harris`` where a side grows. ``nearest``: names of channels, or
    patterns with one ``*``, that take the nearest pixel, as integers always do; without it ids,
    Cryptomatte and depth. Types and names stay; colours are taken as OpenEXR has them, linear light
    multiplied by alpha. Of several levels the full size is taken.

    Raises `solio.UnsupportedError` for deep images, `solio.LimitError` for too many pixels.
    """
    given: dict[str, Any] = {"size": size, "filter": filter, "threads": threads}
    given["nearest"] = None if nearest is None else list(nearest)
    given["max_bytes"] = max_bytes
    return _changed(image, given)


def flatten(
    image: _Any, *, threads: int | None = None, max_bytes: int | None = None
) -> Image:
    """A deep image made flat: samples are laid over each other by their depths; those that reach
    through a range of depths are cut where others begin and end. ``Z``, ids and integers are those
    of the nearest sample; where there is none ``Z`` is 1e30. Flat parts stay as they are.
    """
    return _changed(image, {"flatten": True, "threads": threads, "max_bytes": max_bytes})


def mipmap(
    image: _Any,
    *,
    tile: tuple[int, int] = (64, 64),
    threads: int | None = None,
    max_bytes: int | None = None,
) -> Image:
    """The image with levels of detail down to one pixel, each half of the one before, rounded down,
    and in tiles of so many columns and rows: what ``maketx`` makes. They are in `Part.levels`.
    """
    given = {"mipmap": list(tile), "threads": threads, "max_bytes": max_bytes}
    return _changed(image, given)


def select_view(image: _Any, view: str) -> Image:
    """One view of an image that has several (stereo): its parts, or its channels, whose names lose
    it.

    Raises `solio.ArgumentError` where there is no such view; the message names those that there are.
    """
    return _changed(image, {"view": view})


def join(
    images: Mapping[str, _Any],
    by: _Group = "layers",
    *,
    max_bytes: int | None = None,
) -> Image:
    """Puts images together, each under its name: as ``layers`` of one part (``name.R``; an empty
    name makes no layer), whose data window holds all of theirs, as ``parts`` or as ``views``.

    Raises `solio.ArgumentError` for layers with other display windows and for names that are the
    same, `solio.UnsupportedError` for deep layers.
    """
    given = [(name, True, _parts(image)) for name, image in images.items()]
    found, _losses = _solio.image_join(given, by, max_bytes)
    return _image(found)


def split(image: _Any, by: _Group = "layers") -> dict[str, Image]:
    """Takes an image apart into its ``layers``, ``parts`` or ``views``, by their names. Layers become
    channels of no layer (``R`` of ``diffuse.R``), but those of Cryptomatte, which keep their names;
    channels of no layer are called ``rgba``.

    Raises `solio.ArgumentError` where an image has no views.
    """
    return {name: _image(piece) for name, piece in _solio.image_split(_parts(image), by)}


class ChannelDifference(NamedTuple):
    """The differences of a channel that both images have."""

    part: int
    """The number of the part in the first image."""
    level: tuple[int, int]
    """How often width and height were halved."""
    name: str
    """The channel."""
    samples: int
    """Samples that were compared."""
    differing: int
    """Of these, other than those of the other image."""
    beyond: int
    """Of these, beyond the limit of a failure."""
    largest: float
    """The greatest difference; infinite where one image alone has a number."""
    at: tuple[int, int] | None
    """The first pixel that has it, x and y; ``None`` without a difference and of deep images."""
    mean: float
    """The mean of all differences that are finite."""
    rms: float
    """The root of the mean of their squares."""
    psnr: float | None
    """In decibels, by the greatest value, at least 1; ``None`` where `rms` is 0."""


class Flip(NamedTuple):
    """How visible the differences are: LDR-FLIP (2020)."""

    mean: float
    """The mean over all pixels: 0, where nothing is to be seen, to 1."""
    largest: float
    """The greatest value."""
    map: npt.NDArray[np.float32]
    """The value of each pixel of the display window, shape (H, W)."""


class Difference(NamedTuple):
    """How far two images are from each other."""

    verdict: Literal["same", "warning", "different"]
    """What the limits make of it."""
    channels: list[ChannelDifference]
    """The channels of both, in the order of the first image."""
    structure: list[str]
    """What one has and the other lacks; any makes them different."""
    notes: list[str]
    """What is not the same and changes no pixel."""
    pixels: int
    """Pixels of all parts and levels."""
    beyond_fail: int
    """Pixels beyond the limit of a failure."""
    beyond_warn: int
    """Pixels beyond that of a warning."""
    heat: list[npt.NDArray[np.float32]]
    """The greatest difference of each pixel, where it was asked for; an array (H, W) a part."""
    flip: Flip | None
    """What FLIP says, where it was asked."""


def compare(
    first: _Any | str | PathLike[str],
    second: _Any | str | PathLike[str],
    *,
    fail: float = 1e-6,
    fail_percent: float = 0.0,
    hard_fail: float = inf,
    warn: float = 1e-6,
    warn_percent: float = 0.0,
    hard_warn: float = inf,
    heat: bool = False,
    flip: bool | float = False,
    threads: int | None = None,
    max_bytes: int | None = None,
) -> Difference:
    """Compares two images, or files of them, as ``solio diff`` does: all parts, levels and channels
    by their values, NaN and infinities too. Of two paths each may be of any format that Solio
    reads; beside an `Image` a path is that of an OpenEXR file.

    More than ``fail_percent`` of all pixels that differ by more than ``fail``, or one that differs
    by more than ``hard_fail``, make the images ``"different"``; ``warn`` and so on ``"warning"``.
    ``heat`` keeps the greatest difference of each pixel. ``flip`` asks LDR-FLIP, too: ``True``, or
    the pixels on a degree of the field of view (67, a 4K screen of 0.7 m from 0.7 m).

    Raises as `solio.read_image` does, and `solio.ArgumentError` for pictures of other sizes where
    FLIP is asked.
    """
    degree = None
    if flip is not False:
        degree = _PIXELS_PER_DEGREE if flip is True else float(flip)
    given: dict[str, Any] = {
        "fail": (fail, fail_percent, hard_fail),
        "warn": (warn, warn_percent, hard_warn),
        "heat": heat,
        "flip": degree,
        "threads": threads,
        "max_bytes": max_bytes,
    }
    found = _solio.image_compare(_side(first), _side(second), given)
    verdict, channels, structure, notes, pixels, beyond_fail, beyond_warn, maps, seen = found
    return Difference(
        verdict,  # type: ignore[arg-type]  # it is one of the three
        [ChannelDifference(*channel) for channel in channels],
        structure,
        notes,
        pixels,
        beyond_fail,
        beyond_warn,
        maps,
        None if seen is None else Flip(*seen),
    )


def _side(side: _Any | str | PathLike[str]) -> list[_GivenPart] | str:
    if isinstance(side, (str, PathLike)):
        return fspath(side)
    return _parts(side)


def _parts(image: _Any) -> list[_GivenPart]:
    if isinstance(image, Part):
        return [given_part(image, None)]
    if isinstance(image, Image):
        return [given_part(part, None) for part in image.parts]
    raise argument_error(f"an Image or a Part, not {type(image).__name__}")


def _changed(image: _Any, options: dict[str, Any]) -> Image:
    return _image(_solio.image_change(_parts(image), options))
