"""Colours: CSS text, spaces, mixing, gamuts, differences; arrays of them; gradients.

>>> solio.color.mix("white", "blue", 0.5).to("srgb")                    # doctest: +SKIP
>>> str(solio.color.gamut_map("color(display-p3 0 1 0)", "srgb"))       # doctest: +SKIP
>>> solio.color.difference("#808080", "#828282")                        # doctest: +SKIP
>>> lab = solio.color.convert(pixels, "srgb", "oklab")                  # doctest: +SKIP
>>> solio.color.convert(pixels, "srgb", "display-p3", out=pixels)       # doctest: +SKIP
>>> heat = solio.color.Gradient.named("viridis").apply(depth, range=(0, 9))  # doctest: +SKIP

Spaces are called as in CSS: ``srgb``, ``srgb-linear``, ``hsl``, ``hwb``, ``lab``, ``lch``,
``oklab``, ``oklch``, ``xyz-d50``, ``xyz-d65`` (``xyz``), ``display-p3``, ``display-p3-linear``,
``rec2020``, ``a98-rgb``, ``prophoto-rgb``; ``hsv`` and ``acescg`` besides.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from . import _solio
from ._arrays import argument_error

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    import numpy.typing as npt

__all__ = ["Color", "Gradient", "convert", "difference", "gamut_map", "mix", "parse"]

_Component: TypeAlias = float | None
_Given: TypeAlias = tuple[str, tuple[_Component, _Component, _Component], _Component]


class Color(NamedTuple):
    """A colour. Components and alpha that are missing (``none`` in CSS) are ``None``.

    RGB and XYZ have white at 1 and no bounds; hues are in degrees; saturation, lightness, value,
    whiteness and blackness of HSL, HSV and HWB are 0 to 1; L of Lab and LCH is 0 to 100, of Oklab
    and Oklch 0 to 1. Alpha is 0 to 1 and not multiplied into the components.
    """

    space: str
    components: tuple[_Component, _Component, _Component]
    alpha: _Component = 1.0

    def to(self, space: str) -> Color:
        """The same colour in `space`, not clipped; a hue without power there is missing."""
        return Color(*_solio.color_to(_given(self), space))

    def __str__(self) -> str:
        """Text that `parse` reads as this colour again, if its numbers are finite and its alpha
        is 0 to 1."""
        return _solio.color_css(_given(self))


def _given(color: Color | str) -> _Given:
    if isinstance(color, str):
        return _solio.color_parse(color)
    if not isinstance(color, Color):
        raise TypeError(f"a colour is a text or a Color, not {type(color)}")
    return (color.space, color.components, color.alpha)


def parse(text: str) -> Color:
    """The colour that `text` is in CSS Color 4; `solio.FormatError` where it is none.

    ``color()`` also takes ``acescg``, and any other space after two dashes: ``color(--hsv …)``.
    """
    return Color(*_solio.color_parse(text))


def mix(
    a: Color | str, b: Color | str, t: float = 0.5, space: str = "oklab", hue: str = "shorter"
) -> Color:
    """The colour at `t` on the way from `a` (0) to `b` (1), by the rules of CSS Color 4.

    It is blended in `space`, with alpha multiplied in; hues go by the ``shorter`` or ``longer``
    arc, ``increasing`` or ``decreasing``. A component missing from one colour is the other's.
    """
    return Color(*_solio.color_mix(_given(a), _given(b), t, space, hue))


def gamut_map(color: Color | str, space: str = "srgb") -> Color:
    """`color` in `space`, within what that can show, as CSS Color 4 maps it.

    Lightness and hue of Oklch are kept, chroma is reduced until what is cut off is not noticed.
    """
    return Color(*_solio.color_gamut_map(_given(color), space))


def difference(a: Color | str, b: Color | str, method: str = "ciede2000") -> float:
    """How different two colours look: by ``ciede2000`` (in Lab under D50), ``cam16-ucs``, ``ok``.

    The light of CAM16 is D65 at 64/π · 0.2 cd/m², with Y_b 20 and an average surround.
    """
    return _solio.color_difference(_given(a), _given(b), method)


_KINDS = ("uint8", "uint16", "float16", "float32", "float64")


def convert(
    array: npt.ArrayLike,
    from_: str,
    to: str,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int | None = None,
) -> npt.NDArray[Any]:
    """Colours of an array of any shape whose last axis is 3, or 4 with alpha, in another space.

    Numbers are in the units of `Color`; integers are codes of ``uint8`` or ``uint16``, whose largest
    stands for 1, other integers an error. Nothing is clipped but what goes into integers. Alpha is
    passed on.

    The result is ``out``, which may be ``array`` itself, or a new array: of the type of ``array``
    where that is a float, else of ``float32``. ``float64`` goes through the reference one by one;
    the other types are converted in ``float32``, many at once, to about 16 bits or better. The bits
    do not depend on the machine or on ``threads`` (all there are unless given).
    """
    given = np.asarray(array)
    if given.dtype.name not in _KINDS:
        if given.dtype.kind not in "iufb":
            raise argument_error(f"colours of type {given.dtype} cannot be read")
        if given.dtype.kind in "iu":
            raise argument_error(
                f"integers of type {given.dtype} could be codes of 8 bits or of 16, or plain "
                "numbers: make them uint8, uint16 or floats"
            )
        given = given.astype(np.float64)
    given = given.astype(given.dtype.newbyteorder("="), copy=False)
    if out is None:
        kind = given.dtype if given.dtype.kind == "f" else np.dtype(np.float32)
        out = np.empty(given.shape, kind)
    _check_out(out)
    if out.shape != given.shape:
        raise argument_error(f"out has the shape {out.shape}, not {given.shape}")
    if given.ndim == 0 or given.shape[-1] not in (3, 4):
        raise argument_error(f"the last axis must be 3 or 4, not of the shape {given.shape}")
    native = out.dtype.newbyteorder("=")
    wide = np.float64 in (given.dtype, native)
    if wide and given.dtype != np.float64:
        largest = np.iinfo(given.dtype).max if given.dtype.kind == "u" else 1
        given = given / np.float64(largest)
    target = out
    plain = out.dtype.isnative and out.flags.c_contiguous and out.flags.aligned
    if (wide and out.dtype != np.float64) or not plain:
        target = np.empty(out.shape, np.float64 if wide else native)
    if out.dtype.name not in _KINDS:
        raise argument_error(f"colours cannot be written as {out.dtype}")
    source = np.require(given, requirements=("C", "A"))
    same = source.ctypes.data == target.ctypes.data and source.dtype == target.dtype
    if not same and np.may_share_memory(source, target):
        source = source.copy()
    _solio.color_convert(None if same else source, target, from_, to, threads)
    if target is not out:
        _store(target, out)
    return out


def _check_out(out: object) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is an array, not {type(out)}")
    if not out.flags.writeable:
        raise argument_error("out cannot be written: it is read-only")


def _store(values: npt.NDArray[Any], out: npt.NDArray[Any]) -> None:
    if out.dtype.kind == "u" and values.dtype.kind == "f":
        largest = np.iinfo(out.dtype).max
        values = np.floor(np.clip(np.nan_to_num(values), 0, 1) * largest + 0.5)
    out[...] = values


class Gradient:
    """Colours along a line from 0 to 1.

    ``stops`` is the list of CSS (``"red, white 30%, blue"``), or pairs of a place and a colour.
    ``mode`` says how colours are blended: a space (``srgb``, ``linear`` for light, ``oklab``,
    ``oklch``, ``"oklch longer"`` and others), ``smooth`` (a monotone spline in Oklab), ``fixed``
    (the colour of the stop that follows) or ``hold`` (of the one before). With ``keys="linear"``
    the numbers of stops in sRGB are light, not codes. ``alphas`` are pairs of a place and an alpha,
    blended apart from the colours; without them the colours' own alpha counts.
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        stops: str | Iterable[tuple[float, Color | str]],
        *,
        mode: str = "oklab",
        keys: str = "srgb",
        alphas: Iterable[tuple[float, float]] = (),
    ) -> None:
        text = stops if isinstance(stops, str) else None
        pairs = []
        for stop in () if isinstance(stops, str) else stops:
            if isinstance(stop, str) or len(stop) != 2:
                raise TypeError(f"stops are a text, or pairs of a place and a colour, not {stop!r}")
            pairs.append((float(stop[0]), _given(stop[1])))
        given = [(float(place), float(alpha)) for place, alpha in alphas]
        self._native = _solio.Gradient(text, pairs, given, mode, keys)

    @classmethod
    def _of(cls, native: _solio.Gradient) -> Gradient:
        made = cls.__new__(cls)
        made._native = native
        return made

    @classmethod
    def named(cls, name: str, mode: str | None = None) -> Gradient:
        """A colour map (``viridis``, ``magma``, ``inferno``, ``plasma``, ``cividis``, ``turbo``) or
        one of the gradients of ``solio gradient --list``."""
        return cls._of(_solio.Gradient.named(name, mode))

    @classmethod
    def read(cls, path: str | PathLike[str], *, strict: bool = False) -> list[Gradient]:
        """All gradients of a file: of CSS, GIMP, Photoshop, GMT, Unity, Godot, SVG, JSON, `.cube`.

        One that is not right among others that are is told by a `UserWarning` with its place; with
        ``strict``, or where none is right, it is an error.
        """
        found, problems = _solio.Gradient.read(path)
        if problems and (strict or not found):
            raise problems[0]
        for problem in problems:
            warnings.warn(str(problem), stacklevel=2)
        return [cls._of(native) for native in found]

    def write(self, path: str | PathLike[str], *, fit: bool = False) -> list[str]:
        """Writes it to a file, in the format of its name; returns what that cannot hold, in words.

        More than Unity's 8 keys are an error, or with ``fit`` the nearest 8.
        """
        return self._native.write(path, fit)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def mode(self) -> str:
        """How colours are blended."""
        return self._native.mode

    @property
    def keys(self) -> str:
        """What the numbers of stops in sRGB are: ``srgb`` or ``linear``."""
        return self._native.keys

    @property
    def stops(self) -> list[tuple[float, Color]]:
        """Places and colours."""
        return [(place, Color(*color)) for place, color in self._native.stops]

    @property
    def alphas(self) -> list[tuple[float, float]]:
        """Places and alphas; empty where the colours' own alpha counts."""
        return self._native.alphas

    def non_uniformity(self, method: str = "cam16-ucs", samples: int = 256) -> float:
        """The coefficient of variation of the steps between ``samples`` colours; 0 is even, and NaN
        means that all of them are the same.

        ``method`` is a measure of `difference`; ``samples`` are at most 2**20.
        """
        return self._native.non_uniformity(method, samples)

    def sample(self, t: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Red, green, blue (codes of sRGB, not clipped) and alpha at ``t``, along a last axis of 4.

        ``t`` is 0 to 1; beyond, the ends go on; NaN is clear black.
        """
        values = np.ascontiguousarray(t, np.float64)
        colors = np.empty((*np.shape(t), 4), np.float64)
        self._native.sample(values.reshape(-1), colors.reshape(-1))
        return colors

    def apply(
        self,
        array: npt.ArrayLike,
        *,
        range: tuple[float, float] = (0.0, 1.0),  # noqa: A002
        channels: int = 4,
        out: npt.NDArray[Any] | None = None,
        threads: int | None = None,
    ) -> npt.NDArray[Any]:
        """The colours of the values in ``array`` (as ``float32``), along a last axis of ``channels``.

        ``range`` gives the values at the start and the end of the gradient, no farther apart than
        ``float32`` reaches. The result is ``out``, or a new array of ``uint8``. ``out`` is ``uint8``
        with 3 or 4 channels, exactly the colours of `sample` in eight bits, or ``float32`` with 4,
        not clipped.
        """
        values = np.ascontiguousarray(array, np.float32)
        if out is None:
            out = np.empty((*np.shape(array), channels), np.uint8)
        _check_out(out)
        allowed = {"uint8": (3, 4), "float32": (4,)}.get(out.dtype.name, ())
        if out.shape[:-1] != np.shape(array) or out.shape[-1] not in allowed:
            raise argument_error(
                f"out of {out.dtype} and the shape {out.shape} cannot hold the colours of "
                f"{np.shape(array)}: uint8 with 3 or 4 channels, or float32 with 4"
            )
        plain = out.dtype.isnative and out.flags.c_contiguous and out.flags.aligned
        target = out if plain else np.empty(out.shape, out.dtype.newbyteorder("="))
        if np.may_share_memory(values, target):
            values = values.copy()
        low, high = range
        self._native.apply(values.reshape(-1), (low, high), target.reshape(-1), threads)
        if target is not out:
            out[...] = target
        return out

    def __repr__(self) -> str:
        return f"Gradient({self.name!r}, mode={self.mode!r}, stops={len(self._native.stops)})"
