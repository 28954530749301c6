# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes with random options: a sample of what `generated.py` compares."""

from __future__ import annotations

import generated
import pytest


@pytest.mark.parametrize("kind", ["obj", "ply", "stl"])
@pytest.mark.parametrize("seed", range(1000, 1015))
def test_same_bytes(tmp_path, kind, seed):
    assert generated.compare(kind, seed, tmp_path) == ""
