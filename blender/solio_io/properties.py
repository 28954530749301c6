# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the operators: names, defaults and limits of Blender 5.2's own operators."""

from __future__ import annotations

import solio
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

KINDS = {kind.name: kind for kind in solio.formats()}


# What options do is told as the command tells it, by the names of their arguments in Python.
HELP = {option.argument: option.help for kind in KINDS.values() for option in kind.options}


def extension(name):
    """The usual extension of a format, with its dot."""
    return "." + KINDS[name].extensions[0]


COMPRESSED = (extension("gzip"), extension("zstd"))

AXES = [
    (name, name.replace("NEGATIVE_", "-"), f"{sign} {name[-1]} axis")
    for name, sign in (
        ("X", "Positive"),
        ("Y", "Positive"),
        ("Z", "Positive"),
        ("NEGATIVE_X", "Negative"),
        ("NEGATIVE_Y", "Negative"),
        ("NEGATIVE_Z", "Negative"),
    )
]

EVALUATION = [
    ("DAG_EVAL_RENDER", "Render", "Export objects as they appear in render"),
    ("DAG_EVAL_VIEWPORT", "Viewport", "Export objects as they appear in the viewport"),
]

COLORS = [
    ("NONE", "None", "Do not import or export colour attributes"),
    ("SRGB", "sRGB", "Vertex colours in the file are in sRGB colour space"),
    ("LINEAR", "Linear", "Vertex colours in the file are in linear colour space"),
]

PATH_MODES = [
    ("AUTO", "Auto", "Use relative paths with subdirectories only"),
    ("ABSOLUTE", "Absolute", "Always write absolute paths"),
    ("RELATIVE", "Relative", "Write relative paths where possible"),
    ("MATCH", "Match", "Match absolute/relative setting with input path"),
    ("STRIP", "Strip", "Write filename only"),
    ("COPY", "Copy", "Copy the file to the destination path"),
]

INSTANCES = [
    ("AUTO", "By Number", "Collections up to 1,000 instances, points above"),
    ("COLLECTIONS", "Collections", "An empty for each, which can be moved by itself"),
    ("POINTS", "Points", "Geometry nodes place an object at each point: fast, also of millions"),
]

BATCHES = [
    ("OFF", "Off", "One file"),
    ("OBJECT", "Object", "A file for each object, with its instances, named after it"),
    ("COLLECTION", "Collection", "A file for each collection, with the objects it holds itself"),
]

COMPRESSIONS = [
    ("NAME", "By File Name", "Compress when the file name ends in .gz or .zst"),
    ("GZIP", "gzip", "Append .gz to the file name"),
    ("ZSTD", "Zstandard", "Append .zst to the file name"),
]


def forward(default):
    return EnumProperty(name="Forward Axis", items=AXES, default=default)


def up(default):
    return EnumProperty(name="Up Axis", items=AXES, default=default)


def scale(least=1e-4, most=1e4):
    return FloatProperty(
        name="Scale",
        description="Factor on all positions",
        default=1.0,
        min=least,
        max=most,
        soft_min=max(least, 1e-3),
        soft_max=min(most, 1e3),
    )


def switch(name, default, description=""):
    return BoolProperty(name=name, default=default, description=description)


def option(argument, name, default):
    """A switch that the table of options describes."""
    text = HELP[argument]
    return switch(name, default, text[0].upper() + text[1:])


def collection():
    return StringProperty(
        name="Source Collection",
        description="Export only objects from this collection (and its children)",
        options={"HIDDEN"},
    )


def evaluation(default):
    return EnumProperty(
        name="Object Properties",
        description="Determines properties like object visibility and modifiers, where they "
        "differ for render and viewport",
        items=EVALUATION,
        default=default,
    )


def digits(name, default):
    return IntProperty(
        name=name,
        description="Digits after the point; -1 writes the fewest that read back exactly",
        default=default,
        min=-1,
        max=17,
    )


def batch():
    return EnumProperty(name="Batch", items=BATCHES, default="OFF")


def compression():
    return EnumProperty(name="Compression", items=COMPRESSIONS, default="NAME")


def frame(name, default):
    return IntProperty(name=name, default=default)


def file_filter(name, *beside):
    """What the file browser shows: files of a format, also compressed, and those beside them."""
    own, others = extension(name), (extension(other) for other in beside)
    shown = (own, *others, *(own + packed for packed in COMPRESSED))
    return StringProperty(default=";".join("*" + end for end in shown), options={"HIDDEN"})
