"""Solio reads and writes meshes at the speed of the disk.

>>> import solio
>>> mesh = solio.read_mesh("scan.obj")             # doctest: +SKIP
>>> mesh.positions, mesh.corner_vertices            # doctest: +SKIP
>>> solio.write_mesh(mesh, "scan.ply.zst")          # doctest: +SKIP
"""

from __future__ import annotations

from . import io
from ._arrays import NONE, unused
from ._errors import (
    ArgumentError,
    CancelledError,
    CorruptError,
    Error,
    FormatError,
    IoError,
    LimitError,
    UnsupportedError,
)
from ._io import Written, encode_mesh, read_mesh, write_mesh
from ._light import Peak, light
from ._material import Material, TextureMap
from ._mesh import Instance, ListValues, Mesh, Object, VertexGroup
from ._solio import version as __version__

__all__ = [
    "NONE",
    "ArgumentError",
    "CancelledError",
    "CorruptError",
    "Error",
    "FormatError",
    "Instance",
    "IoError",
    "LimitError",
    "ListValues",
    "Material",
    "Mesh",
    "Object",
    "Peak",
    "TextureMap",
    "UnsupportedError",
    "VertexGroup",
    "Written",
    "__version__",
    "encode_mesh",
    "io",
    "light",
    "read_mesh",
    "unused",
    "write_mesh",
]
