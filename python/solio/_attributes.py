"""Attributes of images: a mapping from names to Python values, each with its type in the file."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from . import _solio
from ._arrays import argument_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


class Box(NamedTuple):
    """A rectangle; all four ends belong to it, as in the file."""

    x_min: int | float
    y_min: int | float
    x_max: int | float
    y_max: int | float

    @classmethod
    def of_size(cls, width: int, height: int) -> Box:
        """From (0, 0), so many columns and rows."""
        return cls(0, 0, width - 1, height - 1)

    @property
    def width(self) -> int:
        """Columns, where these are pixels."""
        return int(self.x_max) - int(self.x_min) + 1

    @property
    def height(self) -> int:
        """Rows, where these are pixels."""
        return int(self.y_max) - int(self.y_min) + 1


class Channel(NamedTuple):
    """A channel as the header has it."""

    name: str
    dtype: Literal["float16", "float32", "uint32", "uint8", "uint16"]
    """Of codes of a picture ``uint8`` or ``uint16``."""
    linear: bool = False
    """Whether lossy methods may quantise its values directly, not their logarithm."""
    x_sampling: int = 1
    """One sample for so many columns."""
    y_sampling: int = 1
    """One sample for so many rows."""


class Tiles(NamedTuple):
    """How a part is cut into tiles."""

    width: int
    """Columns of a tile."""
    height: int
    """Rows of a tile."""
    levels: Literal["one", "mipmap", "ripmap"] = "one"
    rounding: Literal["down", "up"] = "down"
    """How an odd size is halved."""


class Chromaticities(NamedTuple):
    """CIE x and y of the primaries and of white."""

    red: tuple[float, float]
    green: tuple[float, float]
    blue: tuple[float, float]
    white: tuple[float, float]


class KeyCode(NamedTuple):
    """Where a frame lies on film."""

    film_manufacturer: int
    film_type: int
    prefix: int
    key_count: int
    perforation_offset: int
    perforations_per_frame: int
    perforations_per_count: int


class TimeCode(NamedTuple):
    """SMPTE time code, packed as for television of 60 fields."""

    time_and_flags: int
    user_data: int = 0

    def __str__(self) -> str:
        """Hours, minutes, seconds and frame."""

        def two_digits(shift: int, mask: int) -> str:
            bits = self.time_and_flags >> shift
            return f"{bits >> 4 & mask}{bits & 15}"

        parts = (two_digits(24, 3), two_digits(16, 7), two_digits(8, 7), two_digits(0, 3))
        return ":".join(parts)


class Rational(NamedTuple):
    """A fraction as the file has it, not reduced."""

    numerator: int
    denominator: int


class TypedBytes(NamedTuple):
    """Bytes, and what they are."""

    hint: str
    data: bytes


_ENVMAPS = ("latlong", "cube")
_DEEP_STATES = ("messy", "sorted", "non-overlapping", "tidy")

# The types of what every file has; `_solio` knows those of the other standard attributes.
_STRUCTURE = {
    "channels": "chlist",
    "compression": "compression",
    "dataWindow": "box2i",
    "lineOrder": "lineOrder",
    "preview": "preview",
    "tiles": "tiledesc",
}


def _text(raw: str | bytes) -> str:
    # Old files have Latin-1; the bytes themselves stay where they are.
    return raw if isinstance(raw, str) else raw.decode("latin-1")


def _matrix(raw: tuple[float, ...], dtype: type[np.generic]) -> np.ndarray[Any, Any]:
    side = 3 if len(raw) == 9 else 4
    array = np.array(raw, dtype).reshape(side, side)
    array.flags.writeable = False
    return array


def _preview(raw: tuple[int, int, bytes]) -> np.ndarray[Any, Any]:
    width, height, rgba = raw
    return np.frombuffer(rgba, np.uint8).reshape(height, width, 4)


def _named(names: tuple[str, ...]) -> Callable[[int], str | int]:
    return lambda raw: names[raw] if raw < len(names) else raw


# From what the native module gives to what people see; other types are the same.
_SHOW: dict[str, Callable[[Any], Any]] = {
    "box2i": Box._make,
    "box2f": Box._make,
    "bytes": lambda raw: TypedBytes(_text(raw[0]), raw[1]),
    "chlist": lambda raw: tuple(map(Channel._make, raw)),
    "chromaticities": Chromaticities._make,
    "deepImageState": _named(_DEEP_STATES),
    "envmap": _named(_ENVMAPS),
    "keycode": KeyCode._make,
    "m33f": lambda raw: _matrix(raw, np.float32),
    "m33d": lambda raw: _matrix(raw, np.float64),
    "m44f": lambda raw: _matrix(raw, np.float32),
    "m44d": lambda raw: _matrix(raw, np.float64),
    "preview": _preview,
    "rational": Rational._make,
    "string": _text,
    "stringvector": lambda raw: tuple(map(_text, raw)),
    "tiledesc": Tiles._make,
    "timecode": TimeCode._make,
}


def _numbers(of: type[int] | type[float], count: int | None) -> Callable[[Any], tuple[Any, ...]]:
    def take(value: Any) -> tuple[Any, ...]:
        array = np.asarray(value)
        if array.dtype.kind not in ("biu" if of is int else "iuf"):
            raise argument_error(f"expected {of.__name__} numbers, not {value!r}")
        if count is not None and array.size != count:
            raise argument_error(f"expected {count} numbers, not {array.size}")
        return tuple(map(of, array.ravel().tolist()))

    return take


def _singles(count: int | None) -> Callable[[Any], tuple[Any, ...]]:
    """Numbers that ``float32`` has, if not as exactly."""
    doubles = _numbers(float, count)

    def take(value: Any) -> tuple[Any, ...]:
        numbers = doubles(value)
        with np.errstate(over="ignore"):
            grown = np.isinf(np.array(numbers).astype(np.float32)) & np.isfinite(numbers)
        if grown.any():
            raise argument_error(f"{value!r} is more than a float of 32 bits can be")
        return numbers

    return take


def _whole(value: Any) -> int:
    return int(_numbers(int, 1)(value)[0])


def _double(value: Any) -> float:
    return float(_numbers(float, 1)(value)[0])


def _single(value: Any) -> float:
    return float(_singles(1)(value)[0])


def _typed_bytes(value: Any) -> tuple[str, bytes]:
    hint, data = value
    # `bytes` of a number would be as many zeros.
    return _string(hint), bytes(memoryview(data))


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise argument_error(f"expected a text, not {value!r}")
    return value


def _strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise argument_error(f"expected a sequence of texts, not {value!r}")
    return tuple(map(_string, value))


def _number_of(names: tuple[str, ...]) -> Callable[[str | int], int]:
    def take(value: str | int) -> int:
        if isinstance(value, str) and value not in names:
            raise argument_error(f"{value!r}; known: {', '.join(names)}")
        return names.index(value) if isinstance(value, str) else value

    return take


def _pixels_of_preview(value: Any) -> tuple[int, int, bytes]:
    array = np.ascontiguousarray(value)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 4:
        raise argument_error("a preview is a uint8 array of shape (H, W, 4)")
    return array.shape[1], array.shape[0], array.tobytes()


def _pairs(value: Any) -> tuple[tuple[float, float], ...]:
    four = tuple(value)
    if len(four) != 4:
        raise argument_error("chromaticities are four pairs of numbers")
    return tuple((_single(x), _single(y)) for x, y in four)


# From what people give to what the native module takes.
_TAKE: dict[str, Callable[[Any], Any]] = {
    "box2i": _numbers(int, 4),
    "box2f": _singles(4),
    "bytes": _typed_bytes,
    "chlist": lambda value: tuple(tuple(channel) for channel in value),
    "chromaticities": _pairs,
    "compression": _string,
    "deepImageState": _number_of(_DEEP_STATES),
    "double": _double,
    "envmap": _number_of(_ENVMAPS),
    "float": _single,
    "floatvector": _singles(None),
    "int": _whole,
    "keycode": _numbers(int, 7),
    "lineOrder": _string,
    "m33f": _singles(9),
    "m33d": _numbers(float, 9),
    "m44f": _singles(16),
    "m44d": _numbers(float, 16),
    "preview": _pixels_of_preview,
    "rational": _numbers(int, 2),
    "string": _string,
    "stringvector": _strings,
    "tiledesc": lambda value: tuple(Tiles(*value)),
    "timecode": _numbers(int, 2),
    "v2i": _numbers(int, 2),
    "v2f": _singles(2),
    "v2d": _numbers(float, 2),
    "v3i": _numbers(int, 3),
    "v3f": _singles(3),
    "v3d": _numbers(float, 3),
}

_BY_CLASS: dict[type, str] = {
    bool: "int",
    int: "int",
    float: "float",
    str: "string",
    Chromaticities: "chromaticities",
    KeyCode: "keycode",
    Rational: "rational",
    Tiles: "tiledesc",
    TimeCode: "timecode",
    TypedBytes: "bytes",
}


def _guess(name: str, value: Any) -> str:
    """The type that an attribute without one gets."""
    standard = _STRUCTURE.get(name) or _solio.image_attribute_type(name)
    if standard is not None:
        return standard
    known = _BY_CLASS.get(type(value))
    if known is not None:
        return known
    if isinstance(value, (tuple, list)) and value and all(isinstance(v, str) for v in value):
        return "stringvector"
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise _no_type(name, value) from None
    whole, double = array.dtype.kind in "iu", array.dtype == np.float64
    if array.dtype.kind == "b" and array.ndim == 0:
        return "int"
    if isinstance(value, np.ndarray) and array.dtype == np.uint8 and array.ndim == 3:
        return "preview"
    if array.dtype.kind in "iuf":
        if array.ndim == 0:
            return "int" if whole else "double" if isinstance(value, np.float64) else "float"
        if isinstance(value, Box):
            return "box2i" if whole else "box2f"
        if array.shape in ((3, 3), (4, 4)):
            side = array.shape[0]
            return f"m{side}{side}d" if double and isinstance(value, np.ndarray) else f"m{side}{side}f"
        if array.shape in ((2,), (3,)):
            kind = "i" if whole else "d" if double and isinstance(value, np.ndarray) else "f"
            return f"v{array.size}{kind}"
        if array.ndim == 1 and not whole:
            return "floatvector"
    raise _no_type(name, value)


def _no_type(name: str, value: Any) -> Exception:
    return argument_error(f"attribute {name!r}: no type of the format holds {value!r}; see set()")


class Attributes(MutableMapping[str, Any]):
    """The attributes of a part: ``int``, ``float``, ``str``, tuples of numbers, small arrays, and
    the named tuples of `solio.image`.

    A value of a type that nobody knows is ``bytes``. Matrices are read-only arrays of shape (3, 3)
    or (4, 4). Setting a value keeps the type that the attribute has; a new attribute gets the type
    that the format predefines for its name, or else the one that fits its value: ``float`` for a
    Python float, ``v2f`` for two of them, ``m44d`` for a (4, 4) array of ``float64``. `set` says
    it. What is not set passes from file to file bit by bit.
    """

    __slots__ = ("_raw",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._raw: dict[str, tuple[str, Any]] = {}
        if isinstance(values, Attributes):
            self._raw.update(values._raw)
        else:
            self.update(values or {})

    @classmethod
    def _of(cls, raw: Iterable[tuple[str, str, Any]]) -> Attributes:
        """From what the native module gives."""
        made = cls()
        made._raw = {name: (kind, value) for name, kind, value in raw}
        return made

    def _list(self) -> list[tuple[str, str, Any]]:
        """What the native module takes."""
        return [(name, kind, value) for name, (kind, value) in self._raw.items()]

    def __getitem__(self, name: str) -> Any:
        kind, raw = self._raw[name]
        show = _SHOW.get(kind)
        # Bytes are what is damaged, or of a type that nobody knows.
        return raw if show is None or (isinstance(raw, bytes) and kind != "string") else show(raw)

    def __setitem__(self, name: str, value: Any) -> None:
        old = self._raw.get(name)
        self.set(name, value, old[0] if old is not None else _guess(name, value))

    def __delitem__(self, name: str) -> None:
        del self._raw[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attributes) and self._raw == other._raw

    __hash__ = None  # type: ignore[assignment]

    def type(self, name: str) -> str:
        """The type of an attribute, by its name in the file: ``v2f``, ``string``."""
        return self._raw[name][0]

    def set(self, name: str, value: Any, type: str) -> None:
        """Sets an attribute of that type; ``bytes`` as they are, for a type that nobody knows or a
        text that is not UTF-8.

        Raises `solio.ArgumentError` where the value is none of the type.
        """
        take = _TAKE.get(type)
        if take is None and not isinstance(value, bytes):
            raise argument_error(f"attribute {name!r}: a value of type {type!r} has to be bytes")
        if take is None or isinstance(value, bytes):
            self._raw[name] = (type, bytes(value))
            return
        try:
            taken = take(value)
            _solio.image_attribute_check(type, taken)
            self._raw[name] = (type, taken)
        except (OverflowError, TypeError, ValueError) as error:
            raise argument_error(f"attribute {name!r} of type {type!r}: {error}") from None

    def __repr__(self) -> str:
        return f"Attributes({dict(self)!r})"
