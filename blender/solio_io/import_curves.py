# SPDX-License-Identifier: GPL-3.0-or-later
"""Free-form curves of OBJ as NURBS curves of Blender."""

from __future__ import annotations

import bpy


def add_curves(mesh, name, collection, close_loops):
    """One object with a spline for each `curv` of B-spline type; surfaces are left out."""
    splines = list(_splines(mesh))
    if not splines:
        return []
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    for degree, vertices, knots in splines:
        _add(curve, mesh.positions[vertices], degree, knots, close_loops)
    found = bpy.data.objects.new(name, curve)
    collection.objects.link(found)
    return [found]


def _splines(mesh):
    """Degree, vertices and knots of each curve statement."""
    degree, vertices, knots = 3, None, []
    bspline = False
    for line in mesh.freeform.decode("utf-8", "replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "cstype":
            bspline = words[-1] == "bspline"
        elif words[0] == "deg" and len(words) > 1:
            degree = int(words[1])
        elif words[0] == "curv":
            vertices = [int(word) - 1 for word in words[3:]]
            knots = []
        elif words[0] == "parm" and len(words) > 1 and words[1] == "u":
            knots += [float(word) for word in words[2:]]
        elif words[0] == "end" and vertices:
            if bspline:
                yield degree, vertices, knots
            vertices = None


def _add(curve, points, degree, knots, close_loops):
    spline = curve.splines.new("NURBS")
    count = len(points)
    cyclic = close_loops and count > degree and bool((points[:1] == points[-1:]).all())
    if cyclic:
        # A closed curve repeats its first points.
        repeated = degree
        while repeated > 1 and not (points[:repeated] == points[-repeated:]).all():
            repeated -= 1
        points = points[: count - repeated]
        count = len(points)
    spline.points.add(count - 1)
    for point, position in zip(spline.points, points, strict=True):
        point.co = (*position, 1.0)
    spline.order_u = degree + 1
    spline.use_cyclic_u = cyclic
    order = degree + 1
    clamped = len(knots) >= 2 * order and knots[0] == knots[order - 1] and knots[-1] == knots[-order]
    spline.use_endpoint_u = bool(clamped)
