"""The image: parts, levels, channels as NumPy arrays."""

from __future__ import annotations

from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from . import _solio
from ._arrays import NONE, argument_error, index_array
from ._attributes import Attributes, Box, Channel, Tiles
from ._planes import (
    dtype_of,
    level_numbers,
    new_attributes,
    pixel_type,
    planes_of,
    rank,
    size_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from ._io import Loss
    from ._planes import _Planes
    from ._solio import _GivenLevel, _GivenPart

    _Window = tuple[int, int, int, int] | Box
    _Kind = Literal["scanlineimage", "tiledimage", "deepscanline", "deeptile"]

# By whether it is deep, and whether it has tiles.
_KINDS: dict[tuple[bool, bool], _Kind] = {
    (False, False): "scanlineimage",
    (False, True): "tiledimage",
    (True, False): "deepscanline",
    (True, True): "deeptile",
}

class Encoding(NamedTuple):
    """What the codes of a picture are: the integers of PNG, JPEG, TIFF and QOI."""

    icc: bytes | None = None
    """The ICC profile that says so."""
    cicp: tuple[int, int, int, int] | None = None
    """Or primaries, transfer function, matrix and range by ITU-T H.273. Without either codes are
    sRGB."""
    straight: bool = True
    """Colours are not multiplied by alpha."""


class MissingChunk(NamedTuple):
    """A chunk that could not be read, and whose samples are zero."""

    part: int
    """The number of its part in the file."""
    chunk: int
    """Its number in the part."""
    message: str
    """Why, with its place in the file."""


class Level:
    """The pixels of a part in one size."""

    __slots__ = ("_offsets", "_stack", "channels", "counts", "window", "x", "y")

    channels: _Planes
    """The samples of each channel, shape (H, W): a row after the other. Fewer than that where a
    channel is subsampled; shape (N,), pixel after pixel, where the part is deep."""
    counts: npt.NDArray[np.uint32] | None
    """Of a deep part: how many samples each pixel has, shape (H, W)."""
    window: Box
    """Which pixels these are."""
    x: int
    """How often the width was halved."""
    y: int
    """How often the height was halved."""

    def __init__(
        self,
        channels: _Planes,
        window: Box,
        *,
        counts: npt.NDArray[np.uint32] | None = None,
        x: int = 0,
        y: int = 0,
    ) -> None:
        self.channels = channels
        self.window = window
        self.counts = counts
        self.x = x
        self.y = y
        # Counts, and where the samples start by them.
        self._offsets: tuple[object, npt.NDArray[np.uint64]] | None = None
        # The (H, W, C) array that was read into, if there is one, and its channels.
        self._stack: tuple[npt.NDArray[Any], list[npt.NDArray[Any]]] | None = None

    @property
    def offsets(self) -> npt.NDArray[np.uint64]:
        """Of a deep part: where the samples of each pixel start, shape (H * W + 1,). What
        changes in `counts` itself is not seen: assign another array."""
        if self.counts is None:
            raise argument_error("only deep parts have offsets")
        if self._offsets is None or self._offsets[0] is not self.counts:
            offsets = np.zeros(self.counts.size + 1, np.uint64)
            np.cumsum(self.counts, out=offsets[1:])
            self._offsets = self.counts, offsets
        return self._offsets[1]

    def samples(self, x: int, y: int) -> _Planes:
        """Of a deep part: the samples of the pixel in column `x` and row `y`, as views of shape
        (count,). Columns and rows are those of `window`: its first pixel is (x_min, y_min).
        """
        offsets = self.offsets
        column, row = x - int(self.window.x_min), y - int(self.window.y_min)
        if not (0 <= column < self.window.width and 0 <= row < self.window.height):
            raise argument_error(f"the pixel {x}, {y} lies outside of {tuple(self.window)}")
        pixel = row * self.window.width + column
        start, end = int(offsets[pixel]), int(offsets[pixel + 1])
        return {name: values[start:end] for name, values in self.channels.items()}

    def __repr__(self) -> str:
        size = f"{self.window.width} × {self.window.height}"
        return f"<solio.image.Level {self.x}, {self.y}: {size}, {len(self.channels)} channels>"


class PartHeader:
    """What the head of a file says about one part."""

    attributes: Attributes
    """All attributes, in the order of the file."""
    kind: _Kind
    """How the pixels are stored."""

    def __init__(self, kind: _Kind, attributes: Attributes) -> None:
        self.kind = kind
        self.attributes = attributes

    @property
    def name(self) -> str | None:
        """The name of the part."""
        return cast("str | None", self.attributes.get("name"))

    @property
    def compression(self) -> str:
        """The method: ``zip``, ``piz``, …"""
        return cast("str", self.attributes["compression"])

    @property
    def data_window(self) -> Box:
        """The pixels that there are."""
        return cast("Box", self.attributes["dataWindow"])

    @property
    def display_window(self) -> Box:
        """The pixels that are meant to be seen."""
        return cast("Box", self.attributes.get("displayWindow", self.attributes["dataWindow"]))

    @property
    def width(self) -> int:
        """Columns of the data window."""
        return self.data_window.width

    @property
    def height(self) -> int:
        """Rows of the data window."""
        return self.data_window.height

    @property
    def channel_list(self) -> tuple[Channel, ...]:
        """Names, types and sampling rates of the channels, in the order of the file."""
        return cast("tuple[Channel, ...]", self.attributes["channels"])

    @property
    def line_order(self) -> str:
        """In which order chunks follow each other: ``increasing``, ``decreasing``, ``random``."""
        return cast("str", self.attributes.get("lineOrder", "increasing"))

    @property
    def tiles(self) -> Tiles | None:
        """How the part is cut into tiles, if it is."""
        tiled = self.kind in ("tiledimage", "deeptile")
        return cast("Tiles", self.attributes["tiles"]) if tiled else None

    @property
    def is_deep(self) -> bool:
        """Whether a pixel has any number of samples."""
        return self.kind in ("deepscanline", "deeptile")

    def __repr__(self) -> str:
        return f"<solio.image.PartHeader: {_about(self)}>"


def _about(part: PartHeader) -> str:
    channels = part.channel_list
    names = ", ".join(sorted((channel.name for channel in channels[:64]), key=rank)[:8])
    more = ", …" if len(channels) > 8 else ""
    types = "/".join(dict.fromkeys(channel.dtype for channel in channels))
    name = f"{part.name!r}, " if part.name else ""
    deep = "deep, " if part.is_deep else ""
    size = f"{part.width} × {part.height}"
    return f"{name}{size}, {deep}{len(channels)} channels ({names}{more}), {types}, {part.compression}"


class Header:
    """The head of a file: `solio.read_header` returns one."""

    __slots__ = ("parts",)

    parts: list[PartHeader]
    """At least one."""

    def __init__(self, parts: list[PartHeader]) -> None:
        self.parts = parts

    @property
    def attributes(self) -> Attributes:
        """Those of the first part."""
        return self.parts[0].attributes

    @property
    def channels(self) -> tuple[str, ...]:
        """The names of the channels of all parts, each once."""
        lists = (part.channel_list for part in self.parts)
        return tuple(dict.fromkeys(channel.name for list_ in lists for channel in list_))

    def __repr__(self) -> str:
        return f"<solio.image.Header: {'; '.join(map(_about, self.parts))}>"


class _Channels:
    """What parts and images have in common: channels by name, and arrays of several of them."""

    @property
    def channels(self) -> _Planes:
        raise NotImplementedError

    def _level(self) -> Level:
        raise NotImplementedError

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            return self.channels[name]
        except KeyError:
            there = ", ".join(list(self.channels)[:40])
            raise KeyError(f"there is no channel {name!r}; there are {there}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.channels

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __len__(self) -> int:
        return len(self.channels)

    def keys(self) -> Iterable[str]:
        """The names of the channels."""
        return self.channels.keys()

    @property
    def layers(self) -> dict[str, _Planes]:
        """The channels by layer: ``beauty.R`` is ``layers["beauty"]["R"]``, ``R`` is
        ``layers[""]["R"]``."""
        layers: dict[str, _Planes] = {}
        for name, values in self.channels.items():
            layer, _, last = name.rpartition(".")
            layers.setdefault(layer, {})[last] = values
        return layers

    def stack(
        self, channels: Sequence[str] | None = None, dtype: npt.DTypeLike | None = None
    ) -> npt.NDArray[Any]:
        """A new array of shape (H, W, C) with these channels, or all of them, in their order.

        Without a `dtype` it has the one that holds all of them. Raises `solio.ArgumentError` for
        deep parts and for channels of different sizes.
        """
        planes = self._alike(channels)
        if dtype is None:
            dtype = np.result_type(*planes)
        stacked = np.empty((*planes[0].shape, len(planes)), dtype)
        for i, plane in enumerate(planes):
            stacked[..., i] = plane
        return stacked

    def _alike(self, channels: Sequence[str] | None) -> list[npt.NDArray[Any]]:
        names = list(self._level().channels) if channels is None else channels
        planes = [self[name] for name in names]
        if any(plane.ndim != 2 for plane in planes):
            raise argument_error("a deep part is no array; see its counts and channels")
        if not planes or len({plane.shape for plane in planes}) > 1:
            sizes = ", ".join(f"{n} {p.shape}" for n, p in zip(names, planes, strict=True))
            raise argument_error(f"channels of different sizes are no array: {sizes}")
        return planes

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """The channels as an array of shape (H, W, C); those of the first part where there are
        several. An array that was read into (`out`) comes without a copy."""
        level = self._level()
        if level._stack is not None and not copy:
            stack, views = level._stack
            planes = list(level.channels.values())
            # Channels that others have replaced, or taken away, are not in it.
            same = len(planes) == len(views) and all(map(is_, planes, views))
            if same and (dtype is None or stack.dtype == dtype):
                return stack
        if copy is False:
            raise ValueError("the channels lie apart: an array of them is a copy")
        return self.stack(dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        """The array of `__array__`, for ``torch.from_dlpack`` and others; in main memory."""
        return np.asarray(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def preview(self, *, exposure: float = 0.0, size: int = 512) -> bytes:
        """A PNG to look at: tone-mapped, sRGB, at most `size` pixels wide and high.

        `exposure` doubles the light for each step. Raises `solio.ArgumentError` where there is
        nothing to show.
        """
        parts = [given_part(as_light(part), None) for part in self._parts()]
        return _solio.image_preview(parts, size, exposure)

    def matte(
        self, names: str | Sequence[str], *, layer: str | None = None
    ) -> npt.NDArray[np.float32]:
        """Of a Cryptomatte: how much of each pixel the things of these names cover, 0 to 1, an array of
        shape (H, W).

        `names` are names of its manifest, patterns of them with one ``*``, or ids in angle brackets
        (``"<248bfa47>"``); of several their coverage is added. `layer` is the name of the Cryptomatte,
        where there are several. Raises `solio.ArgumentError` where there is no such name.
        """
        parts = [given_part(part, None) for part in self._parts()]
        wanted = [names] if isinstance(names, str) else list(names)
        return _solio.image_matte(parts, wanted, layer)

    def _repr_png_(self) -> bytes:
        return self.preview()

    def _parts(self) -> list[Part]:
        raise NotImplementedError


class Part(_Channels, PartHeader):
    """Attributes and pixels of one part.

    `channels` are arrays by name: shape (H, W) and ``float16``, ``float32`` or ``uint32``; or one
    array of shape (H, W, C), or (H, W), with its `names` (``RGBA`` and so on where they are left
    out). Deep parts have `counts`, shape (H, W), and channels of shape (N,): all samples of the
    first pixel, all of the second, … `levels` are the smaller sizes of a tiled part, in the order
    of the file. `sampling` has the rates of subsampled channels, as (columns, rows). The arrays
    are not copied where a file can hold their type; others are converted when they are written:
    ``float64`` and integers of 8 and 16 bits to ``float32`` and ``uint32``. Of `attributes`, which
    may be those of another image, ``type``, ``tiles``, ``version``, ``chunkCount`` and
    ``maxSamplesPerPixel`` are left out: they follow from the pixels, and from `tiles` here.

    Raises `solio.ArgumentError` where sizes contradict each other.
    """

    levels: list[Level]
    """The pixels: the full size first."""
    encoding: Encoding | None = None
    """Where the samples are codes of a picture, ``uint8`` or ``uint16``, and no light: what they are."""

    def __init__(
        self,
        channels: Mapping[str, npt.ArrayLike] | npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        counts: npt.ArrayLike | None = None,
        levels: Sequence[Mapping[str, npt.ArrayLike]] = (),
        sampling: Mapping[str, tuple[int, int]] | None = None,
        name: str | None = None,
        compression: str | None = None,
        tiles: Tiles | tuple[int, int] | None = None,
        data_window: _Window | None = None,
        display_window: _Window | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        rates = dict(sampling or {})
        planes = planes_of(channels, names, counts is not None)
        attributes = new_attributes(attributes, compression, counts is not None)
        if counts is not None:
            given = np.asarray(counts)
            if given.dtype.kind in "iu" and given.size and not 0 <= given.min() <= given.max() <= NONE:
                raise argument_error(f"counts must lie in 0 to {NONE}")
            pixels = index_array(given, "counts")
            if pixels.ndim != 2:
                raise argument_error(f"counts must have shape (H, W), not {pixels.shape}")
            height, width = pixels.shape
        else:
            pixels = None
            height, width = size_of(planes, rates)
        if data_window is None:
            corner = attributes.get("dataWindow", (0, 0))
            data_window = (*corner[:2], corner[0] + width - 1, corner[1] + height - 1)
        attributes["dataWindow"] = window = Box(*data_window)
        if display_window is not None or "displayWindow" not in attributes:
            attributes["displayWindow"] = display_window or window
        if name is not None:
            attributes["name"] = name
        if tiles is not None:
            attributes["tiles"] = tiles = Tiles(*tiles)
        attributes["channels"] = tuple(
            Channel(n, dtype_of(planes[n]), False, *rates.get(n, (1, 1))) for n in sorted(planes)
        )
        super().__init__(_KINDS[pixels is not None, tiles is not None], attributes)
        self.levels = [Level(planes, window, counts=pixels)]
        numbers = level_numbers(width, height, tiles) if levels else iter(())
        for smaller in levels:
            x, y = next(numbers, (0, 0))
            below = planes_of(smaller, None, False)
            height, width = size_of(below, rates)
            place = Box(window[0], window[1], window[0] + width - 1, window[1] + height - 1)
            self.levels.append(Level(below, place, x=x, y=y))

    @classmethod
    def _of(cls, kind: _Kind, attributes: Attributes, levels: list[Level]) -> Part:
        """From what the native module gives."""
        part = cls.__new__(cls)
        PartHeader.__init__(part, kind, attributes)
        part.levels = levels
        return part

    @property
    def channels(self) -> _Planes:
        """The samples of each channel in full size; see `Level.channels`."""
        return self.levels[0].channels

    @property
    def counts(self) -> npt.NDArray[np.uint32] | None:
        """Of a deep part: how many samples each pixel has, shape (H, W)."""
        return self.levels[0].counts

    def samples(self, x: int, y: int) -> _Planes:
        """Of a deep part: the samples of one pixel; see `Level.samples`."""
        return self.levels[0].samples(x, y)

    def _level(self) -> Level:
        return self.levels[0]

    def _parts(self) -> list[Part]:
        return [self]

    def __repr__(self) -> str:
        return f"<solio.image.Part: {_about(self)}>"


class Image(_Channels):
    """What a file holds: `solio.read_image` returns one, `solio.write_image` takes one.

    ``image["R"]`` is the channel of that name, of the first part that has one.
    """

    parts: list[Part]
    """At least one."""
    missing: list[MissingChunk]
    """Chunks that were missing or damaged, where reading was told to go on (`partial`)."""
    losses: list[Loss]
    """What of a picture file the image does not have."""
    notes: list[str]
    """How a picture file was understood, where that is not plain."""

    def __init__(self, parts: Part | Iterable[Part]) -> None:
        self.parts = [parts] if isinstance(parts, Part) else list(parts)
        self.missing = []
        self.losses = []
        self.notes = []

    @property
    def channels(self) -> _Planes:
        """The channels of all parts by name; where several parts have one, that of the first.

        Of several parts they are a view to read: set channels in their part.
        """
        if len(self.parts) == 1:
            return self.parts[0].channels
        all_: _Planes = {}
        for part in self.parts:
            for name, values in part.channels.items():
                all_.setdefault(name, values)
        # What were set here would be in no part, and lost.
        return cast("_Planes", MappingProxyType(all_))

    def part(self, name: str) -> Part:
        """The part of that name."""
        for part in self.parts:
            if part.name == name:
                return part
        there = ", ".join(part.name or "without a name" for part in self.parts)
        raise KeyError(f"there is no part {name!r}; there are {there}")

    @property
    def attributes(self) -> Attributes:
        """Those of the first part."""
        return self.parts[0].attributes

    @property
    def encoding(self) -> Encoding | None:
        """What the codes of the first part are; ``None`` where it has light."""
        return self.parts[0].encoding

    @property
    def data_window(self) -> Box:
        """The pixels that the first part has."""
        return self.parts[0].data_window

    @property
    def display_window(self) -> Box:
        """The pixels that are meant to be seen."""
        return self.parts[0].display_window

    @property
    def width(self) -> int:
        """Columns of the first part."""
        return self.parts[0].width

    @property
    def height(self) -> int:
        """Rows of the first part."""
        return self.parts[0].height

    @property
    def levels(self) -> list[Level]:
        """The levels of the first part: the full size first."""
        return self.parts[0].levels

    def _level(self) -> Level:
        return self.parts[0].levels[0]

    def _parts(self) -> list[Part]:
        return self.parts

    def __repr__(self) -> str:
        return f"<solio.Image: {'; '.join(map(_about, self.parts))}>"


_CODES = ("uint8", "uint16")
_COLORS = (("Y",), ("Y", "A"), ("R", "G", "B"), ("R", "G", "B", "A"))


def codes_of(part: Part) -> npt.NDArray[Any] | None:
    """The codes of a part in an array of shape (H, W, C); ``None`` where its colours are no codes."""
    if part.is_deep:
        return None
    level = part.levels[0]
    names = next((names for names in _COLORS[::-1] if set(names) <= set(level.channels)), None)
    if names is None:
        return None
    planes = [level.channels[name] for name in names]
    kinds = {plane.dtype.newbyteorder("=").name for plane in planes}
    if len(kinds) != 1 or not kinds <= set(_CODES):
        return None
    if level._stack is not None:
        stack, views = level._stack
        same = len(planes) == len(views) and all(map(is_, planes, views))
        if same and stack.flags.c_contiguous and stack.dtype.isnative:
            return stack
    return np.stack([plane.astype(next(iter(kinds)), copy=False) for plane in planes], axis=-1)


def codes_options(part: Part) -> dict[str, Any]:
    """What the native module wants to know of codes."""
    icc, cicp, straight = part.encoding or Encoding()
    aspect = part.attributes.get("pixelAspectRatio", 1.0)
    return {"icc": icc, "cicp": cicp, "straight": straight, "pixel_aspect": aspect}


def as_light(part: Part) -> Part:
    """The same, with light in place of codes."""
    codes = None if part.encoding is None else codes_of(part)
    if codes is None:
        return part
    found = _solio.codes_light(codes, codes_options(part))
    (_, _, levels) = found[0][0]
    planes = dict(levels[0][4])
    lit = {name: planes.get(name, plane) for name, plane in part.channels.items()}
    attributes = Attributes(part.attributes)
    return Part(lit, attributes=attributes)


def given_part(part: Part, dtype: npt.DTypeLike | None) -> _GivenPart:
    to = None if dtype is None else pixel_type(dtype)
    known = {c.name: c for c in part.attributes.get("channels", ())}
    channels = []
    for name, plane in sorted(part.channels.items()):
        old = known.get(name, Channel(name, "float32"))
        kind = cast("Any", _written_as(plane, to))
        channels.append(old._replace(name=name, dtype=kind))
    attributes = Attributes(part.attributes)
    attributes["channels"] = tuple(channels)
    if part.tiles is None:
        attributes.pop("tiles", None)
    if part.is_deep or "type" in attributes:
        attributes["type"] = part.kind
    levels = [_given_level(level, channels) for level in part.levels]
    return attributes._list(), levels


def _written_as(plane: npt.NDArray[Any], to: np.dtype[Any] | None) -> str:
    own = dtype_of(plane)
    # Numbers of objects and the like stay whole when floats are converted.
    return own if to is None or (own == "uint32" and to.kind == "f") else to.name


def _given_level(level: Level, channels: list[Channel]) -> _GivenLevel:
    if set(level.channels) != {channel.name for channel in channels}:
        raise argument_error(f"level {level.x}, {level.y} has other channels than the full size")
    left, top, right, bottom = map(int, level.window)
    planes = {}
    for channel in channels:
        name, plane = channel.name, level.channels[channel.name]
        shape = _samples(top, bottom, channel.y_sampling), _samples(left, right, channel.x_sampling)
        if level.counts is None and plane.shape != shape:
            raise argument_error(f"channel {name!r} must have shape {shape}, not {plane.shape}")
        planes[name] = np.require(plane, np.dtype(dtype_of(plane)), ("C", "A"))
    counts = level.counts
    if counts is not None:
        if counts.shape != (bottom - top + 1, right - left + 1):
            raise argument_error(f"counts of the shape {counts.shape} are not those of the window")
        counts = np.require(counts, np.dtype(np.uint32), ("C", "A"))
    return level.x, level.y, tuple(level.window), counts, planes


def _samples(first: int, last: int, rate: int) -> int:
    """How many pixels from `first` to `last` have a sample: the multiples of `rate`."""
    return last // rate - (first - 1) // rate if rate > 0 else 0
