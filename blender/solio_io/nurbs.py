# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves in parametric form, as Blender's OBJ exporter writes them."""

from __future__ import annotations

import numpy as np

from . import axes
from .names import one_line


def can_be_nurbs(curve):
    """Whether every spline is a NURBS or poly curve; an empty curve is."""
    return all(s.type != "BEZIER" and s.point_count_v == 1 for s in curve.splines)


def text(item, forward, up, scale):
    """All splines of a curve object, as OBJ statements."""
    turned = np.array(axes.to_file(forward, up), np.float32)
    world = np.array(item.matrix, np.float32)
    matrix = np.float32(scale) * (turned @ world[:3, :])
    return "".join(_spline(spline, item.name, matrix) for spline in item.object.data.splines)


def _spline(spline, name, matrix):
    order = 2 if spline.type == "POLY" else spline.order_u
    cyclic = spline.use_cyclic_u
    knots = _knots(spline, order, cyclic)
    count = len(spline.points) + (order - 1 if cyclic else 0)
    first, last = _valid_range(order, knots)
    knots = knots[first : len(knots) - last]
    control = range(first, count - last)
    distinct = control[: min(len(control), len(spline.points))]

    lines = [f"g {one_line(name)}", "cstype bspline", f"deg {order - 1}"]
    x, y, z = (matrix[:, i] for i in range(3))
    for i in distinct:
        point = spline.points[i % len(spline.points)].co
        p = np.float32(point[0]) * x + np.float32(point[1]) * y + z * np.float32(point[2])
        lines.append("v " + " ".join(f"{value:f}" for value in p + matrix[:, 3]))
    indices = " ".join(str(-(len(distinct) - i % len(distinct))) for i in range(len(control)))
    lines.append(f"curv {knots[order - 1]:f} {knots[len(knots) - order]:f} {indices}")
    lines.append("parm u " + " ".join(f"{knot:f}" for knot in knots))
    lines.append("end")
    return "\n".join(lines) + "\n"


def _knots(spline, order, cyclic):
    """Blender's uniform, endpoint or Bézier knots."""
    endpoint, bezier = spline.use_endpoint_u, spline.use_bezier_u
    points = len(spline.points)
    count = points + (2 * order - 1 if cyclic else order)
    repeat = order - 1 if bezier else 1
    if endpoint:
        head = order - (1 if cyclic else 0)
    else:
        head = min(2, repeat) if bezier else 1
    tail = 2 * order - 1 if cyclic else (order if endpoint else 0)
    knots = [0.0] * count
    current, left = 0.0, head
    start = 1 if endpoint and cyclic else 0
    if start:
        current = 1.0
    for i in range(start, count - tail):
        knots[i] = current
        left -= 1
        if left == 0:
            current += 1
            left = repeat
    for i in range(tail):
        knots[count - tail + i] = current + (knots[i] - knots[0])
    return knots


def _valid_range(order, knots):
    """How many knots (and control points) at both ends do not bear on the curve."""
    return _excess(order, knots[: 2 * order]), _excess(order, knots[-2 * order :][::-1])


def _excess(order, knots):
    """Knots up to the end of the run in which the `order`-th one lies, less `order`."""
    end = order
    while end < len(knots) and knots[end] == knots[order - 1]:
        end += 1
    return end - order
