# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene's space to Blender's: right-handed, with +Z up."""

from __future__ import annotations

import numpy as np


class Space:
    """A turn by axes, which rounds nothing; for scenes that are left-handed with a reflection."""

    def __init__(self, up, is_left_handed):
        up = np.array(up, np.float64)
        right = np.array((0.0, 1.0, 0.0) if abs(up[0]) == 1 else (1.0, 0.0, 0.0))
        ahead = np.cross(up, right)
        self.turn = np.array((right, -ahead if is_left_handed else ahead, up))
        """Rows of three, for column vectors."""
        self.is_mirroring = bool(is_left_handed)

    def vectors(self, values):
        """Points or directions, shape (N, 3), in Blender's axes."""
        out = np.empty(values.shape, values.dtype)
        for row in range(3):
            (axis,) = np.flatnonzero(self.turn[row])
            np.multiply(values[:, axis], values.dtype.type(self.turn[row, axis]), out=out[:, row])
        return out

    def vector(self, value):
        """One of them."""
        return self.turn @ np.asarray(value, np.float64)

    @property
    def matrix(self):
        """With a fourth row and column."""
        whole = np.eye(4)
        whole[:3, :3] = self.turn
        return whole

    def matrices(self, values):
        """What moves points of the scene as what moves points of Blender: shape (N, 4, 4)."""
        turn = self.matrix.astype(np.float32)
        return turn @ values @ turn.T
