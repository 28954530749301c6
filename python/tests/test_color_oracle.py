"""coloraide and Solio agree about colours: 10,000 random cases of each kind, always the same ones.

A case is good where the same components are missing and the others are within 1e-3; those of Lab
and LCH in hundredths, as their white is at 100, and hues as the distance that they make at their
chroma. 99.9 % must be good, and the others must belong to a class that is explained here.

coloraide has ProPhoto's primaries with four digits; CSS Color 4 and Solio have six. That is less.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import pytest
import solio
from solio.color import Color

coloraide = pytest.importorskip(
    "coloraide.everything", reason="coloraide 8.13.1 is not installed: its comparison is skipped"
)

CASES = 10_000
WITHIN = 1e-3

ONE = (0.0, 1.0)
TURN = (0.0, 360.0)
RGB = (ONE, ONE, ONE)
SPACES = {
    "srgb": RGB,
    "srgb-linear": RGB,
    "hsl": (TURN, ONE, ONE),
    "hsv": (TURN, ONE, ONE),
    "hwb": (TURN, ONE, ONE),
    "lab": ((0.0, 100.0), (-125.0, 125.0), (-125.0, 125.0)),
    "lch": ((0.0, 100.0), (0.0, 150.0), TURN),
    "oklab": (ONE, (-0.4, 0.4), (-0.4, 0.4)),
    "oklch": (ONE, (0.0, 0.4), TURN),
    "xyz-d50": RGB,
    "xyz-d65": RGB,
    "display-p3": RGB,
    "display-p3-linear": RGB,
    "rec2020": RGB,
    "a98-rgb": RGB,
    "prophoto-rgb": RGB,
    "acescg": RGB,
}
HUE_METHODS = ("shorter", "longer", "increasing", "decreasing")


def anywhere(dice: random.Random, space: str) -> Color:
    """A colour of sRGB, sometimes grey, or any numbers within the ranges of its space."""
    kind = dice.random()
    if kind < 0.5:
        first, second, third = (dice.uniform(*bounds) for bounds in SPACES[space])
        return Color(space, (first, second, third))
    grey = dice.random()
    if kind < 0.6:
        return Color("srgb", (grey, grey, grey)).to(space)
    return Color("srgb", (grey, dice.random(), dice.random())).to(space)


def visible(dice: random.Random) -> Color:
    """A colour of Rec. 2020, as CAM16 says nothing of others, in a space other than ProPhoto."""
    color = Color("rec2020", (dice.random(), dice.random(), dice.random()))
    return color.to(dice.choice([space for space in SPACES if space != "prophoto-rgb"]))


def with_gaps(dice: random.Random, color: Color) -> Color:
    """The same with alpha, and with components missing now and then."""
    first, second, third = (None if dice.random() < 0.15 else c for c in color.components)
    alpha = dice.choice((1.0, 0.0, None, dice.random(), dice.random(), dice.random()))
    return Color(color.space, (first, second, third), alpha)


def pair_with_gaps(dice: random.Random) -> tuple[Color, Color]:
    """Two colours to mix; where something is missing, their alphas are the same, or missing.

    For a missing component CSS Color 4, 12.2, takes the other colour's, and multiplies that by
    each alpha; coloraide multiplies by the other colour's alpha alone. web-platform-tests have the
    former (``color(srgb .1 .2 .3 / 25%) 0%, color(srgb .5 none none / .5)`` is .5 .2 .3), and Solio
    is tested against these.
    """
    a, b = (with_gaps(dice, anywhere(dice, dice.choice(list(SPACES)))) for _ in range(2))
    if None in (*a.components, *b.components) and None not in (a.alpha, b.alpha):
        b = Color(b.space, b.components, a.alpha)
    return a, b


def carried_as_a_set(color: Color, space: str) -> bool:
    """Whether whiteness and blackness are missing together with what they correspond to.

    Where both are, CSS Color 4, 12.2 ("analogous set"), has what the other space has besides hue
    missing too, and the other way round; coloraide carries such sets between Lab and LCH or HSL.
    """
    others = {"hwb": (1, 2), "hsl": (1, 2), "hsv": (1, 2), "lch": (0, 1), "oklch": (0, 1)}
    pair = {color.space, space}
    if "hwb" not in pair or len(pair) == 1 or not pair <= set(others):
        return False
    return all(color.components[index] is None for index in others[color.space])


def theirs(color: Color) -> Any:
    components = [math.nan if c is None else c for c in color.components]
    alpha = math.nan if color.alpha is None else color.alpha
    return coloraide.ColorAll(color.space, components, alpha)


def apart(ours: Color, other: Any) -> float:
    """The largest difference; infinite where not the same components are missing."""
    values = [*ours.components, ours.alpha]
    most = 0.0
    ranges = SPACES[ours.space]
    for index, (a, b) in enumerate(zip(values, other[:], strict=True)):
        if (a is None) != math.isnan(b):
            return math.inf
        if a is None:
            continue
        difference = abs(a - b)
        if index < 3 and ranges[index] is TURN:
            # Chroma, or what of whiteness and blackness is left to the colour.
            radius = 1.0 if ours.space == "hwb" else (values[1] or 0.0)
            turned = math.radians(difference % 360)
            difference = abs(2 * math.sin(turned / 2)) * abs(radius)
        if index < 3 and ours.space in ("lab", "lch"):
            difference /= 100
        most = max(most, difference)
    return most


def judge(good: int, odd: Counter[str]) -> None:
    total = good + odd.total()
    print(f"{good} of {total} within {WITHIN}; {dict(odd)}")
    assert not odd["unexplained"], odd
    assert good >= 0.999 * total, odd


def test_conversion() -> None:
    dice = random.Random(1)
    names = list(SPACES)
    pairs = [(a, b) for a in names for b in names if a != b]
    good, odd = 0, Counter[str]()
    for case in range(CASES):
        a, b = pairs[case % len(pairs)]
        color = anywhere(dice, a)
        if apart(color.to(b), theirs(color).convert(b)) <= WITHIN:
            good += 1
        else:
            odd["unexplained"] += 1
            print(color, color.to(b), theirs(color).convert(b)[:])
    judge(good, odd)


def test_mixing() -> None:
    dice = random.Random(2)
    good, odd = 0, Counter[str]()
    for _ in range(CASES):
        space, hue, t = dice.choice(list(SPACES)), dice.choice(HUE_METHODS), dice.random()
        a, b = pair_with_gaps(dice)
        ours = solio.color.mix(a, b, t, space, hue)
        other = theirs(a).mix(theirs(b), t, space=space, hue=hue, carryforward=True)
        if apart(ours, other) <= WITHIN:
            good += 1
        elif carried_as_a_set(a, space) or carried_as_a_set(b, space):
            odd["sets of HWB"] += 1
        else:
            odd["unexplained"] += 1
            print(a, b, t, space, hue, ours, other[:])
    judge(good, odd)


def test_gamut_mapping() -> None:
    dice = random.Random(3)
    targets = ("srgb", "srgb-linear", "display-p3", "rec2020", "a98-rgb", "prophoto-rgb", "hsl")
    good, odd = 0, Counter[str]()
    for _ in range(CASES):
        color, target = anywhere(dice, dice.choice(list(SPACES))), dice.choice(targets)
        ours = solio.color.gamut_map(color, target)
        other = theirs(color).fit(target, method="minde-chroma").convert(target)
        if target == "hsl":  # next to white the saturation is nothing but rounding
            ours, other = ours.to("srgb"), other.convert("srgb")
        if apart(ours, other) <= WITHIN:
            good += 1
        else:
            odd["unexplained"] += 1
            print(color, target, ours, other[:])
    judge(good, odd)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("ciede2000", {"method": "2000", "space": "lab"}),
        ("cam16-ucs", {"method": "cam16", "space": "cam16-ucs"}),
        ("ok", {"method": "ok"}),
    ],
)
def test_difference(method: str, arguments: dict[str, str]) -> None:
    dice = random.Random(4)
    good, odd = 0, Counter[str]()
    for _ in range(CASES // 5):
        a, b = (visible(dice) for _ in range(2))
        ours = solio.color.difference(a, b, method)
        other = theirs(a).delta_e(theirs(b), **arguments)
        if abs(ours - other) <= WITHIN:
            good += 1
        else:
            odd["unexplained"] += 1
            print(a, b, ours, other)
    judge(good, odd)


def test_names_of_colours() -> None:
    names = pytest.importorskip("coloraide.css.color_names").name2val_map
    assert len(names) == 149
    other = {name for name in names if apart(solio.color.parse(name), coloraide.ColorAll(name))}
    # CSS has #9370db and #db7093; coloraide has d8 for db, as an old draft had it.
    assert other == {"mediumpurple", "palevioletred"}
    assert str(solio.color.parse("mediumpurple")) == "rgb(147 112 219)"
    assert str(solio.color.parse("palevioletred")) == "rgb(219 112 147)"
