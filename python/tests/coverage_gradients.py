"""What files of gradients keep: each thing is written to each format, read again and compared."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import solio
from solio.color import Gradient

FORMATS = {
    "CSS": ("css", False),
    "GIMP": ("ggr", False),
    "Photoshop": ("grd", False),
    "GMT": ("cpt", False),
    "Cube": ("cube", False),
    "Unity": ("gradients", False),
    "Unity, `--fit`": ("gradients", True),
    "Godot": ("tres", False),
    "SVG": ("svg", False),
    "JSON": ("json", False),
}
# In codes of 8 bits, of colours multiplied by their alpha.
EXACT, NEAR = 0.02, 1.0


def stops(*colors: str, **more: Any) -> dict[str, Any]:
    last = len(colors) - 1
    found = [{"position": i / last, "color": color} for i, color in enumerate(colors)]
    return {"colors": found, **more}


def eased(**ramp: Any) -> dict[str, Any]:
    made = stops("red", "blue", mode="srgb")
    made["colors"][0].update(ramp)
    return made


ALPHAS = [{"position": 0, "alpha": 1}, {"position": 0.3, "alpha": 0.2}, {"position": 1, "alpha": 0.5}]
LOOKS: dict[str, dict[str, Any]] = {
    "blended in sRGB": stops("red", "yellow", "blue", mode="srgb"),
    "in linear light": stops("red", "yellow", "blue", mode="linear", keys="linear"),
    "in Oklab": stops("red", "yellow", "blue", mode="oklab"),
    "in Oklch, the longer way": stops("red", "blue", mode="oklch longer"),
    "in HSV": stops("red", "blue", mode="hsv"),
    "splines (`smooth`)": stops("red", "yellow", "blue", mode="smooth"),
    "steps (`fixed`)": stops("red", "yellow", "blue", mode="fixed"),
    "steps (`hold`)": stops("red", "yellow", "blue", mode="hold"),
    "midpoints": eased(midpoint=0.25),
    "easing `ease-in`": eased(easing="ease-in"),
    "alpha of colours": stops("rgb(255 0 0 / 0.2)", "blue", mode="srgb"),
    "alpha with its own stops": stops("red", "blue", mode="srgb", alphas=ALPHAS),
    "twelve colours": stops(*["red", "white", "blue", "black"] * 3, mode="srgb"),
    "colours beyond sRGB": stops("color(display-p3 0 1 0)", "color(display-p3 1 0 0)", mode="srgb"),
}


def document(*gradients: dict[str, Any]) -> str:
    return json.dumps({"format": "solio gradients", "version": 1, "gradients": gradients})


def premultiplied(gradient: Gradient, beyond: bool) -> Any:
    """Colours as a screen of sRGB shows them; ``beyond`` it, too, where that is what is asked."""
    colors = gradient.sample(np.linspace(0.0007, 0.9993, 1021))
    shown = colors[:, :3] if beyond else np.clip(colors[:, :3], 0, 1)
    return shown * colors[:, 3:] * 255


def looks(made: dict[str, Any], end: str, fit: bool, folder: Path) -> str:
    (folder / "a.json").write_text(document({"name": "dusk", **made}))
    before = Gradient.read(folder / "a.json")[0]
    try:
        before.write(folder / f"b.{end}", fit=fit)
    except solio.Error:
        return "–"
    after, beyond = Gradient.read(folder / f"b.{end}")[0], "display-p3" in str(made)
    off = np.abs(premultiplied(after, beyond) - premultiplied(before, beyond)).max(axis=1)
    # Of a step that is a sample beside its place, few samples are off.
    if np.count_nonzero(off > EXACT) <= 2:
        return "="
    return "≈" if np.count_nonzero(off > NEAR) <= 2 else "lost"


def said(end: str, fit: bool, folder: Path, command: str) -> tuple[str, str, str]:
    """Whether a name, a domain and two in a file come back."""

    def back(*gradients: dict[str, Any]) -> list[dict[str, Any]] | None:
        (folder / "a.json").write_text(document(*gradients))
        there = ["a.json", "-o", f"c.{end}", *(["--fit"] if fit else [])]
        for words in [there, [f"c.{end}", "-o", "back.json"]]:
            call = [command, "gradient", *words]
            if subprocess.run(call, cwd=folder, capture_output=True, check=False).returncode:
                return None
        return list(json.loads((folder / "back.json").read_text())["gradients"])

    first = stops("red", "blue", mode="srgb", name="dusk", domain=[-2, 3])
    one, two = back(first), back(first, stops("red", "lime", mode="srgb", name="dawn"))
    name = one is not None and one[0].get("name") == "dusk"
    domain = one is not None and one[0].get("domain") == [-2, 3]
    several = "–" if two is None else "=" if len(two) == 2 else "lost"
    return "=" if name else "lost", "=" if domain else "lost", several


def rows(folder: Path, command: str) -> dict[str, list[str]]:
    found = {
        name: [looks(made, end, fit, folder) for end, fit in FORMATS.values()]
        for name, made in LOOKS.items()
    }
    words = [said(end, fit, folder, command) for end, fit in FORMATS.values()]
    for number, name in enumerate(["its name", "its domain", "several in a file"]):
        found[name] = [each[number] for each in words]
    return found
