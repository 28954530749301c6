"""What `solio.read_image` gives and `solio.write_image` takes.

>>> image = solio.read_image("shot.exr", channels=["RGBA", "depth.Z"])  # doctest: +SKIP
>>> image["R"].shape, image["R"].dtype                                  # doctest: +SKIP
((1080, 1920), dtype('float16'))
>>> np.asarray(image).shape                                             # doctest: +SKIP
(1080, 1920, 5)

An `Image` is what a file holds: one `Part` or several. A part has attributes and channels, plain
NumPy arrays. Its pixels are those of the first `Level`; tiled parts may have smaller ones.
"""

from __future__ import annotations

from ._attributes import (
    Attributes,
    Box,
    Channel,
    Chromaticities,
    KeyCode,
    Rational,
    Tiles,
    TimeCode,
    TypedBytes,
)
from ._image import Encoding, Header, Image, Level, MissingChunk, Part, PartHeader
from ._image_changes import (
    ChannelDifference,
    Difference,
    Flip,
    compare,
    flatten,
    join,
    mipmap,
    resize,
    select_view,
    split,
)
from ._image_io import Batch, HeaderDone, ImageDone, ReadOptions, WriteOptions

__all__ = [
    "Attributes",
    "Batch",
    "Box",
    "Channel",
    "ChannelDifference",
    "Chromaticities",
    "Difference",
    "Encoding",
    "Flip",
    "Header",
    "HeaderDone",
    "Image",
    "ImageDone",
    "KeyCode",
    "Level",
    "MissingChunk",
    "Part",
    "PartHeader",
    "Rational",
    "ReadOptions",
    "Tiles",
    "TimeCode",
    "TypedBytes",
    "WriteOptions",
    "compare",
    "flatten",
    "join",
    "mipmap",
    "resize",
    "select_view",
    "split",
]
