import sys
from os import PathLike
from typing import Any, final

import numpy as np
import numpy.typing as npt

from ._material import Material
from ._mesh import Instance, Mesh

__all__ = [
    "Bytes",
    "Reader",
    "Reading",
    "encode",
    "light",
    "read",
    "unused",
    "version",
    "write",
]

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
def light(
    folder: str | PathLike[str], bytes: int, rounds: int
) -> list[tuple[str, int, float | None, str | None]]: ...
@final
class Reader:
    def __new__(cls, options: dict[str, Any]) -> Reader: ...
    def read(
        self,
        wanted: list[tuple[str, int, int | None, int, int | None]],
        priority: str,
        packing: str,
        deadline_s: float | None,
    ) -> Reading: ...
    def stats(self) -> tuple[int, int, int]: ...
@final
class Reading:
    def next(
        self, patience_s: float | None
    ) -> (
        tuple[int, int, Bytes | None, Exception | None, float, float, bool, bool] | None
    ): ...
    def left(self) -> int: ...
    def cancel(self, index: int | None) -> None: ...
@final
class Bytes:
    def __len__(self) -> int: ...
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...
