import sys
from os import PathLike
from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

from ._errors import Error
from ._material import Material
from ._mesh import Instance, Mesh

__all__ = [
    "Archive",
    "Bytes",
    "Gradient",
    "ImageBatch",
    "MetadataColumns",
    "Reader",
    "Reading",
    "Scene",
    "archive_extract",
    "archive_pack",
    "arrays_write",
    "catalog_diff",
    "codes_encode",
    "codes_light",
    "color_convert",
    "color_css",
    "color_difference",
    "color_gamut_map",
    "color_mix",
    "color_parse",
    "color_to",
    "command",
    "command_answer",
    "encode",
    "formats",
    "image_attribute_check",
    "image_attribute_type",
    "image_change",
    "image_compare",
    "image_encode",
    "image_format",
    "image_header",
    "image_into",
    "image_join",
    "image_matte",
    "image_plan",
    "image_preview",
    "image_read",
    "image_split",
    "image_write",
    "light",
    "metadata",
    "metadata_table",
    "picture_encode",
    "picture_write",
    "read",
    "read_instances",
    "scan_list",
    "scan_schema",
    "scan_stream",
    "scene_alphas",
    "scene_area_lights",
    "scene_bake",
    "scene_emitted_strength",
    "scene_lights",
    "scene_look_losses",
    "scene_materials",
    "scene_media",
    "scene_sky",
    "shares",
    "thumbnail",
    "thumbnail_pixels",
    "ticks",
    "timing_text",
    "tree_check",
    "tree_duplicates",
    "tree_hash",
    "tree_list",
    "unused",
    "version",
    "write",
]

version: str

def command(arguments: list[str]) -> int: ...
def command_answer(words: list[bytes]) -> tuple[int, bytes, list[str], list[Error]]: ...
def formats() -> list[
    tuple[str, str, str, list[str], str, list[str], list[tuple[str, str, str, str, str]]]
]: ...
def read(source: str | PathLike[str] | bytes, options: dict[str, Any]) -> Mesh: ...
def read_instances(
    source: str | PathLike[str] | bytes, options: dict[str, Any]
) -> list[Instance]: ...
def write(
    meshes: list[Mesh | Instance],
    slots: list[list[int] | None],
    materials: list[Material],
    path: str | PathLike[str],
    options: dict[str, Any],
) -> tuple[list[tuple[str, int]], int, int, list[str], list[_GivenLoss]]: ...
def unused(count: int, indices: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]: ...
def encode(
    meshes: list[Mesh | Instance],
    slots: list[list[int] | None],
    materials: list[Material],
    format: str,
    options: dict[str, Any],
) -> bytes: ...

_GivenAttributes: TypeAlias = list[tuple[str, str, Any]]
_GivenPlanes: TypeAlias = Any  # names and arrays: a list where read, a dict where written
_GivenLevel: TypeAlias = tuple[
    int, int, tuple[Any, ...], npt.NDArray[np.uint32] | None, _GivenPlanes
]
_GivenPart: TypeAlias = tuple[_GivenAttributes, list[_GivenLevel]]
_GivenLoss: TypeAlias = tuple[str, str, int | None, str | None, str | None, str | None]
_GivenCodes: TypeAlias = tuple[
    npt.NDArray[Any],
    list[tuple[str, npt.NDArray[np.float32]]],
    bytes | None,
    tuple[int, int, int, int] | None,
    bool,
]
_GivenImage: TypeAlias = tuple[
    list[tuple[Any, _GivenAttributes, list[_GivenLevel]]],
    list[tuple[int, int, str]],
    list[str] | None,
    _GivenCodes | None,
    tuple[list[str], list[_GivenLoss]],
]

def image_attribute_check(type_name: str, value: Any) -> None: ...
def image_attribute_type(name: str) -> str | None: ...
def image_read(source: str | PathLike[str] | bytes, options: dict[str, Any]) -> _GivenImage: ...
def image_header(
    source: str | PathLike[str] | bytes, max_bytes: int | None
) -> list[tuple[Any, _GivenAttributes]]: ...
def image_plan(
    source: str | PathLike[str] | bytes, options: dict[str, Any]
) -> tuple[list[str], bool, int, int] | None: ...
def image_into(
    source: str | PathLike[str] | bytes,
    options: dict[str, Any],
    arrays: list[tuple[list[str], npt.NDArray[Any]]],
) -> _GivenImage: ...
def image_write(
    parts: list[_GivenPart], path: str | PathLike[str], options: dict[str, Any]
) -> tuple[list[tuple[str, int]], int, int, list[str], list[_GivenLoss]]: ...
def image_format(path: str | PathLike[str]) -> str | None: ...
def codes_encode(
    array: npt.NDArray[Any], format: str, options: dict[str, Any]
) -> tuple[bytes, list[_GivenLoss]]: ...
def codes_light(array: npt.NDArray[Any], options: dict[str, Any]) -> _GivenImage: ...
def picture_encode(
    parts: list[_GivenPart], format: str, options: dict[str, Any]
) -> tuple[bytes, list[_GivenLoss]]: ...
def picture_write(
    bytes: bytes, path: str | PathLike[str], durable: bool
) -> tuple[list[tuple[str, int]], int]: ...
def image_matte(
    parts: list[_GivenPart], names: list[str], layer: str | None
) -> npt.NDArray[np.float32]: ...
def image_change(parts: list[_GivenPart], options: dict[str, Any]) -> _GivenImage: ...
def image_join(
    images: list[tuple[str, bool, list[_GivenPart]]], by: str, max_bytes: int | None
) -> tuple[_GivenImage, list[_GivenLoss]]: ...
def image_split(parts: list[_GivenPart], by: str) -> list[tuple[str, _GivenImage]]: ...
def image_compare(
    first: list[_GivenPart] | str,
    second: list[_GivenPart] | str,
    options: dict[str, Any],
) -> tuple[
    str,
    list[
        tuple[
            int,
            tuple[int, int],
            str,
            int,
            int,
            int,
            float,
            tuple[int, int] | None,
            float,
            float,
            float | None,
        ]
    ],
    list[str],
    list[str],
    int,
    int,
    int,
    list[npt.NDArray[np.float32]],
    tuple[float, float, npt.NDArray[np.float32]] | None,
]: ...
def image_preview(parts: list[_GivenPart], most: int, exposure: float) -> bytes: ...
def image_encode(parts: list[_GivenPart], options: dict[str, Any]) -> bytes: ...
@final
class ImageBatch:
    def __new__(
        cls, paths: list[str], headers: bool, options: dict[str, Any]
    ) -> ImageBatch: ...
    def next(self) -> tuple[int, Any | None, Exception | None] | None: ...
    def left(self) -> int: ...

@final
class Archive:
    def __new__(cls, path: str | PathLike[str], max_bytes: int | None) -> Archive: ...
    def entries(
        self,
    ) -> list[tuple[str, str, int, int, bool, tuple[str, list[int]] | None]]: ...
    def image(self, index: int, options: dict[str, Any]) -> _GivenImage: ...
    def header(self, index: int) -> list[tuple[Any, _GivenAttributes]]: ...
    def file(self, index: int, threads: int | None) -> bytes: ...
    def rows(
        self,
        index: int,
        start: int,
        stop: int,
        out: npt.NDArray[np.uint8],
        threads: int | None,
    ) -> None: ...

def archive_extract(
    path: str | PathLike[str], folder: str | PathLike[str], only: list[str], threads: int | None
) -> list[tuple[str, int]]: ...
def archive_pack(
    paths: list[str],
    output: str | PathLike[str],
    exact: bool,
    level: str,
    threads: int | None,
) -> tuple[int, int, int, list[tuple[str | PathLike[str], Exception]]]: ...
def arrays_write(
    arrays: list[tuple[str, str, list[int], npt.NDArray[np.uint8]]],
    path: str | PathLike[str],
    level: str,
    threads: int | None,
) -> int: ...
def light(
    folder: str | PathLike[str], bytes: int, rounds: int
) -> list[tuple[str, int, float | None, str | None]]: ...
def ticks() -> int: ...
def timing_text(text: str, ns: int, ticks: int, iterations: int) -> str: ...
def shares(
    folder: str | PathLike[str], wall_s: float, cpu_s: float, moved: tuple[int, int, int, int]
) -> tuple[float, float, str, list[tuple[str, float, float]]] | None: ...
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
    def wait(self, patience_s: float | None) -> None: ...
    def left(self) -> int: ...
    def cancel(self, index: int | None) -> None: ...
@final
class Bytes:
    def __len__(self) -> int: ...
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...

def metadata(source: str | PathLike[str] | bytes, options: dict[str, Any]) -> dict[str, Any]: ...
def metadata_table(paths: list[str], options: dict[str, Any]) -> MetadataColumns: ...
@final
class MetadataColumns:
    def names(self) -> list[str]: ...
    def errors(self) -> list[tuple[int, Error]]: ...
    def column(self, name: str) -> npt.NDArray[Any] | list[Any] | None: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def thumbnail(
    path: str | PathLike[str], size: int, options: dict[str, Any]
) -> tuple[str, bytes, int, int, int] | None: ...
def thumbnail_pixels(picture: tuple[str, bytes, int, int, int]) -> npt.NDArray[np.uint8]: ...

_GivenColor: TypeAlias = tuple[str, tuple[float | None, float | None, float | None], float | None]

def color_convert(
    array: npt.NDArray[Any] | None, out: npt.NDArray[Any], from_: str, to: str, threads: int | None
) -> None: ...
@final
class Gradient:
    def __new__(
        cls,
        text: str | None,
        stops: list[tuple[float, _GivenColor]],
        alphas: list[tuple[float, float]],
        within: str,
        keys: str,
    ) -> Gradient: ...
    @staticmethod
    def named(name: str, within: str | None) -> Gradient: ...
    @staticmethod
    def read(path: str | PathLike[str]) -> tuple[list[Gradient], list[Exception]]: ...
    def write(self, path: str | PathLike[str], fit: bool) -> list[str]: ...
    @property
    def name(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def keys(self) -> str: ...
    @property
    def stops(self) -> list[tuple[float, _GivenColor]]: ...
    @property
    def alphas(self) -> list[tuple[float, float]]: ...
    def non_uniformity(self, method: str, samples: int) -> float: ...
    def sample(self, values: npt.NDArray[Any], out: npt.NDArray[Any]) -> None: ...
    def apply(
        self,
        values: npt.NDArray[Any],
        range: tuple[float, float],
        out: npt.NDArray[Any],
        threads: int | None,
    ) -> None: ...
def color_parse(text: str) -> _GivenColor: ...
def color_css(color: _GivenColor) -> str: ...
def color_to(color: _GivenColor, to: str) -> _GivenColor: ...
def color_mix(a: _GivenColor, b: _GivenColor, t: float, within: str, hue: str) -> _GivenColor: ...
def color_gamut_map(color: _GivenColor, to: str) -> _GivenColor: ...
def color_difference(a: _GivenColor, b: _GivenColor, method: str) -> float: ...

def scan_list(
    roots: list[bytes], options: dict[str, Any]
) -> tuple[list[bytes], list[Error]]: ...
def scan_schema() -> object: ...
def tree_check(
    names: list[bytes], options: dict[str, Any]
) -> list[
    tuple[bytes, str, str, list[tuple[str, str, int | None, int | None]], list[str], Any]
]: ...
def tree_duplicates(
    names: list[bytes], options: dict[str, Any]
) -> tuple[list[tuple[int, list[list[bytes]]]], int, list[Any]]: ...
def tree_hash(
    names: list[bytes], options: dict[str, Any]
) -> list[tuple[bytes, int, list[tuple[str, str]], Any]]: ...
def tree_list(
    names: list[bytes], options: dict[str, Any]
) -> tuple[list[tuple[str, bytes, str | None, list[int], str, int, int | None]], list[Any]]: ...
def catalog_diff(
    before: bytes, after: bytes
) -> list[tuple[str, bytes, bytes | None, int | None, int | None]]: ...
def scan_stream(paths: list[bytes], options: dict[str, Any]) -> object: ...

_GivenWritten: TypeAlias = tuple[list[tuple[str, int]], int, list[str], list[_GivenLoss]]
@final
class Scene:
    def __new__(cls, path: str | PathLike[str], options: dict[str, Any]) -> Scene: ...
    @property
    def version(self) -> int: ...
    @property
    def is_packed(self) -> bool: ...
    def files(self) -> list[str]: ...
    def warnings(self) -> list[str]: ...
    def problems(self) -> list[Error]: ...
    def camera(
        self,
    ) -> (
        tuple[
            str,
            str,
            list[list[float]],
            list[float],
            list[int],
            float | None,
            list[float],
            bool,
        ]
        | None
    ): ...
    def up(self) -> list[float]: ...
    def shapes(
        self,
    ) -> tuple[
        int,
        list[str],
        npt.NDArray[np.uint8],
        npt.NDArray[np.float32],
        npt.NDArray[np.uint32],
        npt.NDArray[np.uint32],
        npt.NDArray[np.bool_],
    ]: ...
    def definitions(self) -> list[tuple[str, int, int, int]]: ...
    def instance_counts(self) -> tuple[int, int]: ...
    def instance_definitions(self) -> npt.NDArray[np.uint32]: ...
    def instance_matrices(self, start: int, stop: int) -> npt.NDArray[np.float32]: ...
    def instance_ends(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]: ...
    def shape_mesh(self, shape: int, threads: int | None) -> Mesh: ...
    def joined_meshes(
        self, groups: list[list[int]], slots: list[list[int]] | None, threads: int | None
    ) -> list[tuple[Mesh, list[Error]]]: ...
    def entity(self, kind: str, number: int) -> tuple[str, str] | None: ...
    def parameters(self, kind: str, number: int) -> list[tuple[str, str, Any]]: ...
    def preview(self, options: dict[str, Any]) -> tuple[_GivenImage, list[Error]]: ...
    def bounds(self, threads: int | None) -> tuple[list[list[float]] | None, list[Error]]: ...
    def counts(self) -> tuple[list[int], list[tuple[str, int, int]], list[Error]]: ...
    def export(self, output: str | PathLike[str], options: dict[str, Any]) -> _GivenWritten: ...
    def pack(self, output: str | PathLike[str], options: dict[str, Any]) -> _GivenWritten: ...
    def write_text(
        self, output: str | PathLike[str], options: dict[str, Any]
    ) -> _GivenWritten: ...

def scene_materials(scene: Scene) -> list[dict[str, Any]]: ...
def scene_area_lights(scene: Scene) -> list[dict[str, Any]]: ...
def scene_emitted_strength(scene: Scene, shape: int) -> float | None: ...
def scene_alphas(scene: Scene) -> list[tuple[int, Any]]: ...
def scene_lights(scene: Scene) -> list[dict[str, Any] | None]: ...
def scene_media(scene: Scene) -> list[dict[str, Any]]: ...
def scene_look_losses(scene: Scene) -> list[_GivenLoss]: ...
def scene_bake(
    scene: Scene, kind: str, index: int, field: str, most: int
) -> tuple[npt.NDArray[np.float32], list[float], list[float], str]: ...
def scene_sky(scene: Scene, index: int) -> npt.NDArray[np.float32]: ...
