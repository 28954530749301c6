# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that Blender cannot have: of less than three corners, or with a vertex twice."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from mathutils import Vector
from mathutils.geometry import delaunay_2d_cdt, normal

# A square around another, as one outline that walks to the inner one and back.
HOLED = ((1, 1), (1, 2), (2, 2), (2, 1), (1, 1), (0, 0), (3, 0), (3, 3), (0, 3), (0, 0))
# Up to this size all pairs of corners are compared.
SMALL = 6


def invalid(offsets, vertices):
    """Which faces need repair; `offsets` into `vertices`, those of the corners."""
    sizes = np.diff(offsets)
    found = sizes < 3
    kinds = np.unique(sizes)
    for size in kinds[kinds >= 3].tolist():
        these = slice(None) if len(kinds) == 1 else np.flatnonzero(sizes == size)
        rows = vertices[offsets[:-1][these][:, None].astype(np.int64) + np.arange(size)]
        if size > SMALL:
            rows.sort(axis=1)
        pairs = combinations(range(size), 2) if size <= SMALL else zip(
            range(size - 1), range(1, size), strict=True
        )
        twice = np.zeros(len(rows), np.bool_)
        for a, b in pairs:
            twice |= rows[:, a] == rows[:, b]
        found[these] = twice
    return found


def repaired(offsets, vertices, positions, bad):
    """The faces without the `bad` ones, but with what these are cut into: the old number of each
    face, and its corners, in the order that Blender's importer leaves them in."""
    ends = offsets.tolist()
    corners = [range(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    owners = list(range(len(corners)))
    is_bad = bad.tolist()
    order = list(range(len(corners)))
    for place in np.flatnonzero(bad).tolist():
        # The last face takes the place of one that goes.
        while place < len(order) and is_bad[order[place]]:
            face, last = order[place], order.pop()
            if place < len(order):
                order[place] = last
            own = vertices[np.array(corners[face])]
            for piece in _cut(positions[own], own):
                order.append(len(corners))
                owners.append(face)
                corners.append([corners[face][i] for i in piece])
                is_bad.append(False)
    return np.array([owners[face] for face in order], np.int64), [corners[face] for face in order]


def _cut(points, vertices):
    """An outline that meets itself as faces that do not: lists of its corners."""
    kind = _kind()
    if len(points) < 3 or kind is None:
        return _loops(vertices)
    points = [Vector(point) for point in points.tolist()]
    up = normal(points)
    if up.length_squared == 0:
        up = Vector((0, 0, 1))
    # Which way the outline lies decides where its pieces begin: as in Blender's importer.
    right = Vector((up.y, -up.x, 0))
    if right.length_squared > 1.2e-7:
        right.normalize()
    else:
        right = Vector((-1 if up.z < 0 else 1, 0, 0))
    ahead = up.cross(right)
    return _pieces([(point.dot(right), point.dot(ahead)) for point in points], kind)


def _pieces(flat, kind):
    outline = [list(range(len(flat)))]
    cut = delaunay_2d_cdt([Vector(point) for point in flat], [], outline, kind, 1e-6, True)
    faces, sources = cut[2], cut[3]
    # A crossing is no vertex of the file.
    pieces = ([sources[i][0] for i in face if sources[i]] for face in faces)
    return [piece for piece in pieces if len(piece) >= 3]


@cache
def _kind():
    """The number that faces without holes have in `delaunay_2d_cdt`: it has changed (6 in 5.2),
    and 3.4 does not heed it."""
    return next((kind for kind in (6, 5) if len(_pieces(HOLED, kind)) == 2), None)


def _loops(vertices):
    """The outline as loops, each closed where it comes back to a vertex."""
    loops, walk, seen = [], [], {}
    for corner, vertex in enumerate(vertices.tolist()):
        if vertex in seen:
            loops.append(walk[seen[vertex] :])
            del walk[seen[vertex] :]
            seen = {vertices[c]: place for place, c in enumerate(walk)}
        seen[vertex] = len(walk)
        walk.append(corner)
    return [loop for loop in (*loops, walk) if len(loop) >= 3]
