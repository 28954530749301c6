"""Single colours from Python."""

from __future__ import annotations

import pickle
from typing import assert_type

import pytest
import solio
from solio.color import Color


def test_text_there_and_back() -> None:
    red = solio.color.parse("red")
    assert_type(red, Color)
    assert red == Color("srgb", (1.0, 0.0, 0.0), 1.0)
    assert str(red) == "rgb(255 0 0)"
    gaps = solio.color.parse("LCH(50% none 30deg / none)")
    assert gaps == Color("lch", (50.0, None, 30.0), None)
    assert solio.color.parse(str(gaps)) == gaps
    assert pickle.loads(pickle.dumps(gaps)) == gaps
    assert str(Color("acescg", (2.0, 0.5, 1e-9), 0.25)) == "color(acescg 2 0.5 0.000000001 / 0.25)"
    assert solio.color.parse("color(--hsv 30 0.5 1)").space == "hsv"


def test_spaces_mixing_gamuts_and_differences() -> None:
    assert solio.color.parse("grey").to("oklch").components[2] is None
    middle = solio.color.mix("red", Color("srgb", (0.0, 0.0, 1.0), 0.0), space="srgb")
    assert middle == Color("srgb", (1.0, 0.0, 0.0), 0.5)
    hues = {
        method: solio.color.mix("hsl(40 50% 50%)", "hsl(60 50% 50%)", 0.5, "hsl", method)
        for method in ("shorter", "longer", "increasing", "decreasing")
    }
    assert [round(hue.components[0] or 0) for hue in hues.values()] == [50, 230, 50, 230]
    green = solio.color.gamut_map("color(display-p3 0 1 0)")
    assert green.space == "srgb" and all(c is not None and 0 <= c <= 1 for c in green.components)
    assert solio.color.difference("white", "white") == 0.0
    assert solio.color.difference("white", "black") == pytest.approx(100.0)
    assert solio.color.difference("white", "black", "ok") == pytest.approx(1.0)


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(solio.FormatError) as found:
        solio.color.parse("rgb(1 2")
    assert found.value.offset == 7
    with pytest.raises(solio.ArgumentError, match="no colour space is called 'cmyk'|\"cmyk\""):
        solio.color.parse("red").to("cmyk")
    with pytest.raises(solio.ArgumentError, match="hue method"):
        solio.color.mix("red", "blue", hue="widest")
    with pytest.raises(solio.ArgumentError, match="difference") as method:
        solio.color.difference("red", "blue", "cie76")
    assert method.value.hint is not None and "cam16-ucs" in method.value.hint
