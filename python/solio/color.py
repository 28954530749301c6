"""Single colours: CSS text, spaces, mixing, gamuts, differences.

>>> solio.color.mix("white", "blue", 0.5).to("srgb")                    # doctest: +SKIP
>>> str(solio.color.gamut_map("color(display-p3 0 1 0)", "srgb"))       # doctest: +SKIP
>>> solio.color.difference("#808080", "#828282")                        # doctest: +SKIP

Spaces are called as in CSS: ``srgb``, ``srgb-linear``, ``hsl``, ``hwb``, ``lab``, ``lch``,
``oklab``, ``oklch``, ``xyz-d50``, ``xyz-d65`` (``xyz``), ``display-p3``, ``display-p3-linear``,
``rec2020``, ``a98-rgb``, ``prophoto-rgb``; ``hsv`` and ``acescg`` besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from . import _solio

__all__ = ["Color", "difference", "gamut_map", "mix", "parse"]

_Component: TypeAlias = float | None
_Given: TypeAlias = tuple[str, tuple[_Component, _Component, _Component], _Component]


@dataclass(frozen=True, slots=True)
class Color:
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
        """Text that `parse` reads as this colour again."""
        return _solio.color_css(_given(self))


def _given(color: Color | str) -> _Given:
    if isinstance(color, str):
        return _solio.color_parse(color)
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
