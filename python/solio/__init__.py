"""Solio reads and writes meshes, images and photo metadata at the speed of the disk.

>>> import solio
>>> mesh = solio.read_mesh("scan.obj")             # doctest: +SKIP
>>> mesh.positions, mesh.corner_vertices            # doctest: +SKIP
>>> solio.write_mesh(mesh, "scan.ply.zst")          # doctest: +SKIP
>>> image = solio.read_image("shot.exr", channels="RGBA")  # doctest: +SKIP
>>> solio.write_image(image, "small.exr", compression="zstd:3")  # doctest: +SKIP
>>> dates = solio.read_metadata(photos, ["DateTimeOriginal"])  # doctest: +SKIP
>>> scene = solio.read_scene("city.pbrt")          # doctest: +SKIP
"""

from __future__ import annotations

from . import color, image, io, scene
from ._archive import (
    Archive,
    ArchiveEntry,
    Packed,
    open_archive,
    pack_images,
    read_array,
    write_array,
)
from ._arrays import NONE, unused
from ._command import Answer, command, convert, info, preview, query, sheet, study
from ._errors import (
    ArgumentError,
    CancelledError,
    CorruptError,
    Error,
    ExistsError,
    FormatError,
    IoError,
    IsFolderError,
    LimitError,
    NotFolderError,
    NotFoundError,
    NotPermittedError,
    UnsupportedError,
)
from ._formats import Format, FormatOption, formats
from ._image import Image, Part
from ._image_io import (
    encode_image,
    read_header,
    read_headers,
    read_image,
    read_images,
    write_image,
)
from ._io import Loss, Written, encode_mesh, read_instances, read_mesh, write_mesh
from ._light import Peak, Shares, WrongPeak, light, shares
from ._material import Material, TextureMap
from ._mesh import Instance, ListValues, Mesh, Object, VertexGroup
from ._photo import MetadataTable, Thumbnail, read_metadata, thumbnail
from ._scan import Scan, scan
from ._scene import Scene, read_scene
from ._tree import (
    Check,
    DuplicateGroup,
    Duplicates,
    Entry,
    FileChange,
    Hashed,
    Problem,
    check,
    diff_catalogs,
    duplicates,
    hash,  # noqa: A004
    sequences,
)
from ._solio import version as __version__
from ._timer import timer

__all__ = [
    "NONE",
    "Answer",
    "Archive",
    "ArchiveEntry",
    "ArgumentError",
    "CancelledError",
    "Check",
    "CorruptError",
    "DuplicateGroup",
    "Duplicates",
    "Entry",
    "Error",
    "ExistsError",
    "FileChange",
    "Format",
    "FormatError",
    "FormatOption",
    "Hashed",
    "Image",
    "Instance",
    "IoError",
    "IsFolderError",
    "LimitError",
    "ListValues",
    "Loss",
    "Material",
    "Mesh",
    "MetadataTable",
    "NotFolderError",
    "NotFoundError",
    "NotPermittedError",
    "Object",
    "Packed",
    "Part",
    "Peak",
    "Problem",
    "Scan",
    "Scene",
    "Shares",
    "TextureMap",
    "Thumbnail",
    "UnsupportedError",
    "VertexGroup",
    "Written",
    "WrongPeak",
    "__version__",
    "check",
    "color",
    "command",
    "convert",
    "diff_catalogs",
    "duplicates",
    "encode_image",
    "encode_mesh",
    "formats",
    "hash",
    "image",
    "info",
    "io",
    "light",
    "open_archive",
    "pack_images",
    "preview",
    "query",
    "read_array",
    "read_header",
    "read_headers",
    "read_image",
    "read_images",
    "read_instances",
    "read_mesh",
    "read_metadata",
    "read_scene",
    "scan",
    "scene",
    "sequences",
    "shares",
    "sheet",
    "study",
    "thumbnail",
    "timer",
    "unused",
    "write_array",
    "write_image",
    "write_mesh",
]
