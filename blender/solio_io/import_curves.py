# SPDX-License-Identifier: GPL-3.0-or-later
"""Free-form curves of OBJ as NURBS curves of Blender."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

# What ends a curve, or begins another one.
ENDS = ("cstype", "curv", "curv2", "surf", "end")
# The highest order that a spline can have.
MOST_ORDER = 64


@dataclass(slots=True)
class Spline:
    """One `curv` statement."""

    degree: int
    vertices: list[int]  # numbers of the file's vertices
    knots: list[float]


@dataclass(slots=True)
class Curve:
    """The splines behind one `cstype`, which become one object."""

    name: str
    splines: list[Spline]


def read_splines(mesh, report):
    """The splines behind each `cstype` of B-splines; surfaces and other types are left out."""
    found, wrong = [], []
    splines, spline, degree = None, None, "3"
    for line in mesh.freeform.decode("utf-8", "replace").split("\n"):
        key, *words = line.split() or ("",)
        if key in ENDS:
            spline = None
        try:
            if key == "cstype":
                splines = [] if words[-1:] == ["bspline"] else None
                if splines is not None:
                    found.append(splines)
            elif key == "deg":
                degree = " ".join(words[:1])
            elif key == "curv" and splines is not None:
                spline = Spline(int(degree), _vertices(words[2:], mesh.vertex_count), [])
                splines.append(spline)
            elif key == "parm" and spline is not None and words[:1] == ["u"]:
                spline.knots += [float(word) for word in words[1:]]
        except ValueError as error:
            wrong.append(f"`{line[:80]}`: {error}")
            if key == "parm":
                splines.pop()
                spline = None
    if wrong:
        report({"WARNING"}, f"Free-form curves left out: {len(wrong)}; the first at {wrong[0]}")
    return found


def _vertices(words, count):
    vertices = [int(word.split("/")[0]) - 1 for word in words]
    if not vertices:
        raise ValueError("no vertices")
    for vertex in vertices:
        if not 0 <= vertex < count:
            raise ValueError(f"there is no vertex {vertex + 1}")
    return vertices


def new_curve(mesh, curve, close_loops):
    """The data of one object."""
    data = bpy.data.curves.new(curve.name, "CURVE")
    data.dimensions = "3D"
    for spline in curve.splines:
        _add(data, _points(mesh, spline.vertices), spline, close_loops)
    return data


def _points(mesh, vertices):
    """Positions, all of weight 1, as Blender imports them."""
    points = np.ones((len(vertices), 4), np.float32)
    points[:, :3] = mesh.positions[vertices]
    return points


def _add(data, points, source, close_loops):
    spline = data.splines.new("NURBS")
    degree = max(1, min(source.degree, len(points) - 1, MOST_ORDER - 1))
    order, knots = degree + 1, source.knots
    cyclic = close_loops and len(points) > degree and bool((points[0] == points[-1]).all())
    if cyclic:
        # A closed curve repeats its first points.
        repeated = degree
        while repeated > 1 and not (points[:repeated] == points[-repeated:]).all():
            repeated -= 1
        points = points[:-repeated]
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", points.reshape(-1))
    spline.order_u = order
    spline.use_cyclic_u = cyclic
    clamped = len(knots) >= 2 * order and knots[0] == knots[order - 1] and knots[-1] == knots[-order]
    spline.use_endpoint_u = bool(clamped)
