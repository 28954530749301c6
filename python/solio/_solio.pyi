from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ._material import Material
from ._mesh import Instance, Mesh

__all__ = ["encode", "read", "unused", "version", "write"]

version: str

def read(source: str | PathLike[str] | bytes, options: dict[str, Any]) -> Mesh: ...
def write(
    meshes: list[Mesh | Instance],
    slots: list[list[int] | None],
    materials: list[Material],
    path: str | PathLike[str],
    options: dict[str, Any],
) -> tuple[list[tuple[str, int]], int, int, list[str]]: ...
def unused(count: int, indices: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]: ...
def encode(
    meshes: list[Mesh | Instance],
    slots: list[list[int] | None],
    materials: list[Material],
    format: str,
    options: dict[str, Any],
) -> bytes: ...
