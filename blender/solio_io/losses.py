# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells what an exported file cannot hold."""

from __future__ import annotations

# Each export applies the transforms of objects: nobody misses them.
EXPECTED = {"transforms"}


def tell(written, report):
    """Reports warnings, and what is lost, of `solio.write_mesh`."""
    for warning in written.warnings:
        report({"WARNING"}, warning)
    for loss in written.losses:
        if loss.what not in EXPECTED:
            report({"INFO"}, loss.text)
