"""Reading and writing images: OpenEXR and ordinary pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import fspath
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, cast

import numpy as np

from . import _solio
from ._arrays import argument_error, check_several, path_or_bytes
from ._attributes import Attributes, Box, Channel, Tiles
from ._image import (
    Encoding,
    Header,
    Image,
    Level,
    MissingChunk,
    Part,
    PartHeader,
    as_light,
    codes_of,
    codes_options,
    given_part,
)
from ._io import Loss, Written
from ._planes import dtype_of, ordered, pixel_type, rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import BinaryIO, Unpack

    import numpy.typing as npt

    from ._solio import _GivenCodes, _GivenImage, _GivenLevel

    _Path = str | PathLike[str]
    _Source = _Path | bytes | bytearray | memoryview | BinaryIO
    _Format = Literal["exr", "png", "jpeg", "jpg", "tiff", "tif", "qoi", "hdr"]
    _PartChoice = int | str | Sequence[int | str]
    _Level = int | tuple[int, int] | Literal["all"]
    _Window = tuple[int, int, int, int] | Box
    _Out = Mapping[str, npt.NDArray[Any]] | npt.NDArray[Any]


class ReadOptions(TypedDict, total=False):
    """What `read_images` takes beside the paths; see `read_image`."""

    channels: str | Sequence[str] | None
    part: _PartChoice | None
    level: _Level
    window: _Window | None
    dtype: npt.DTypeLike | None
    light: bool
    partial: bool
    threads: int | None
    memory: int | None
    max_bytes: int | None


class WriteOptions(TypedDict, total=False):
    """How `write_image` and `encode_image` write; what is left out is as each part has it.

    ``compression``, ``dtype``, ``tiles`` and ``line_order`` are of OpenEXR; ``bits``, ``quality``,
    ``exposure`` and ``tonemap`` of other pictures.
    """

    format: _Format | None
    """Without it the extension of the name tells."""
    bits: Literal[8, 16, 32] | None
    """Of light in PNG (8 or 16) and TIFF (8, 16 or 32: floats, which it has without a word)."""
    quality: int | None
    """Of JPEG, 1 to 100; 90 without a word."""
    exposure: float
    """Stops that light becomes brighter by."""
    tonemap: Literal["none", "reinhard", "hable", "aces", "neutral"]
    """How light brighter than white becomes white."""
    compression: str | None
    """``none``, ``rle``, ``zips``, ``zip``, ``piz``, ``pxr24``, ``b44``, ``b44a``, ``dwaa``,
    ``dwab``, ``htj2k256``, ``htj2k32``, ``lj2k`` or ``zstd``, perhaps with a level: ``zip:4`` (0 to
    12), ``zstd:3`` (-7 to 22), ``dwaa:45`` (the higher, the smaller and worse), ``lj2k:110`` (1 to
    150; the higher, the larger and better)."""
    dtype: npt.DTypeLike | None
    """``float16`` and ``float32`` convert the floats among the channels; ``uint32`` converts all."""
    tiles: Tiles | tuple[int, int] | Literal[False] | None
    """Cut flat parts into tiles of so many columns and rows; ``False``: into scanlines."""
    line_order: Literal["increasing", "decreasing", "random"] | None
    """In which order chunks follow each other; ``random`` is for tiles."""
    durable: bool
    """The file is on the disk when the call returns."""
    threads: int | None
    memory: int | None
    """Bytes that the work may take beside the image."""


def read_image(
    source: _Source,
    *,
    channels: str | Sequence[str] | None = None,
    part: _PartChoice | None = None,
    level: _Level = 0,
    window: _Window | None = None,
    dtype: npt.DTypeLike | None = None,
    out: _Out | None = None,
    light: bool = False,
    partial: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    max_bytes: int | None = None,
) -> Image:
    """Reads an image from a file, from the bytes of one, or from a file object: OpenEXR, PNG, JPEG,
    TIFF, QOI, Radiance HDR, by its content. Of OpenEXR only what is asked for is decoded.

    Pictures of 8 and 16 bits come as they are stored, upright: codes of ``uint8`` or ``uint16``, alpha
    not multiplied in, and `Part.encoding` says what they are. ``light=True`` makes linear light of
    them, as OpenEXR has it: with the primaries of sRGB, by the ICC profile or what else the file
    says, multiplied by alpha. Radiance HDR, TIFF of floats and of integers of other sizes always
    come as light. `Image.losses` and `Image.notes` tell what of a picture is not there.

    ``channels``: names (``"depth.Z"``), layers (``"diffuse"``: all that starts with
    ``diffuse.``), or letters in a row (``"RGBA"``, ``"diffuse.RGB"``), one or a sequence of them;
    the image has them in this order. Parts that have none of them are left out. ``part``: numbers
    from 0 or names, one or a sequence. ``level``: how often the size was halved, a number or one
    for columns and one for rows; ``"all"`` reads all that there are. ``window``: only these pixels,
    (x_min, y_min, x_max, y_max) with both ends, in the coordinates of the level, as far as the
    part has them. ``dtype`` (``float16``, ``float32`` or ``uint32``) converts all channels.

    ``out`` are arrays that the pixels are read into, converted to their types: by the names of
    channels, each of shape (H, W); or one array of shape (H, W, C) for the C channels of the image.
    The samples of a row lie side by side, rows may have gaps between them. ``partial`` lists
    missing and damaged chunks in `Image.missing` and leaves zeros, instead of failing.
    ``threads`` and ``memory`` (bytes) bound the work, ``max_bytes`` what the file may ask for.

    Arrays have the type of their channel and shape (H, W): rows from the top. Those of deep parts
    have shape (N,); see `Part.counts` and `Part.samples`.

    Raises `solio.ArgumentError` for what the file does not have, `solio.CorruptError` with the
    place in the file for a damaged one, `solio.UnsupportedError` for a method that we do not know
    and for other kinds of files.
    """
    options = _read_options(
        channels=channels,
        part=part,
        level=level,
        window=window,
        dtype=dtype,
        light=light,
        partial=partial,
        threads=threads,
        memory=memory,
        max_bytes=max_bytes,
    )
    given = _path_or_bytes(source)
    if out is not None:
        return _read_into(given, options, out)
    return _image(_solio.image_read(given, options), window)


def _path_or_bytes(source: _Source) -> str | bytes:
    if hasattr(source, "read"):
        read = source.read()
        if not isinstance(read, bytes):
            raise argument_error("a file object has to be open for bytes: open(path, \"rb\")")
        return read
    return path_or_bytes(source)


def read_header(source: _Source, *, max_bytes: int | None = None) -> Header:
    """Reads the head of an OpenEXR file, or of the bytes of one, and nothing else.

    Raises as `read_image` does.
    """
    return _header(_solio.image_header(_path_or_bytes(source), max_bytes))


class _Done:
    """How the reading of one file of many ended."""

    __slots__ = ("error", "index", "path")

    def __init__(self, path: str, index: int, error: Exception | None) -> None:
        self.path = path
        self.index = index
        """Its place among the paths."""
        self.error = error
        """Why there is no result."""


class ImageDone(_Done):
    """How the reading of one image of many ended."""

    __slots__ = ("_image",)

    def __init__(self, path: str, index: int, image: Image | None, error: Exception | None) -> None:
        super().__init__(path, index, error)
        self._image = image

    @property
    def image(self) -> Image:
        """The image. Raises `error` if there is one."""
        if self._image is None:
            assert self.error is not None
            raise self.error
        return self._image

    def __repr__(self) -> str:
        return f"ImageDone({self.path!r}, {self.error or self._image})"


class HeaderDone(_Done):
    """How the reading of one header of many ended."""

    __slots__ = ("_header",)

    def __init__(
        self, path: str, index: int, header: Header | None, error: Exception | None
    ) -> None:
        super().__init__(path, index, error)
        self._header = header

    @property
    def header(self) -> Header:
        """The header. Raises `error` if there is one."""
        if self._header is None:
            assert self.error is not None
            raise self.error
        return self._header

    def __repr__(self) -> str:
        return f"HeaderDone({self.path!r}, {self.error or self._header})"


_D = TypeVar("_D", bound=_Done)


class Batch(Generic[_D]):
    """An iterator over the results of many files, in the order of the paths.

    Files are read before they are asked for, by other threads; dropping the batch stops them.
    Threads may share a batch, processes not.
    """

    def __init__(
        self,
        paths: Iterable[_Path],
        headers: bool,
        options: dict[str, Any],
        done: Callable[[str, int, Any, Exception | None], _D],
    ) -> None:
        check_several(paths, "paths")
        self._paths = [fspath(path) for path in paths]
        self._done = done
        self._batch = _solio.ImageBatch(self._paths, headers, options)

    def __len__(self) -> int:
        """Results that have not been taken."""
        return self._batch.left()

    def __iter__(self) -> Batch[_D]:
        return self

    def __next__(self) -> _D:
        found = self._batch.next()
        if found is None:
            raise StopIteration
        return self._done(self._paths[found[0]], *found)


def read_images(
    paths: Iterable[_Path], *, ahead: int | None = None, **options: Unpack[ReadOptions]
) -> Batch[ImageDone]:
    """Reads many images, each as `read_image` does, ahead of who asks for them.

    >>> for done in solio.read_images(sorted(glob("shot.*.exr"))):  # doctest: +SKIP
    ...     done.path, np.asarray(done.image).mean()

    They come in the order of the paths. A file that cannot be read has an `ImageDone.error`, and
    the others come all the same. ``ahead`` is how many images may be under way or wait, within
    ``memory`` bytes, counted in the type that they are read in (without a word on it an eighth of
    the machine's memory, at least 512 MiB and at most 8 GiB).
    """
    given = _read_options(ahead=ahead, **options)

    def done(path: str, index: int, found: Any, error: Exception | None) -> ImageDone:
        image = None if found is None else _image(found, options.get("window"))
        return ImageDone(path, index, image, error)

    return Batch(paths, False, given, done)


def read_headers(
    paths: Iterable[_Path], *, threads: int | None = None, max_bytes: int | None = None
) -> Batch[HeaderDone]:
    """Reads the heads of many files, each as `read_header` does, ahead of who asks for them.

    They come in the order of the paths; one that cannot be read has a `HeaderDone.error`.
    """

    def done(path: str, index: int, found: Any, error: Exception | None) -> HeaderDone:
        return HeaderDone(path, index, None if found is None else _header(found), error)

    return Batch(paths, True, {"threads": threads, "max_bytes": max_bytes}, done)


def write_image(
    image: Image | Part | Sequence[Part] | Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    path: _Path | BinaryIO,
    *,
    names: Sequence[str] | None = None,
    attributes: Mapping[str, Any] | None = None,
    data_window: _Window | None = None,
    display_window: _Window | None = None,
    **options: Unpack[WriteOptions],
) -> Written:
    """Writes an image into a file: OpenEXR, or a picture by the extension of ``path`` or by ``format``
    (PNG, JPEG, TIFF, QOI, Radiance HDR). ``path`` may be an object with a method ``write``, too; that
    needs a ``format`` and gets all bytes at once.

    ``image``: an `Image`, a `Part` or a sequence of parts; or what a `Part` is made of: arrays of
    shape (H, W) by the names of their channels, or one array of shape (H, W, C) with the ``names``
    of its channels. ``names``, ``attributes``, ``data_window`` and ``display_window`` (x_min,
    y_min, x_max, y_max; both ends) go with those. `WriteOptions` lists the other options.

    In pictures ``uint8`` and ``uint16`` are codes, and written as they are, with the profile of
    `Part.encoding`. Floats are linear light: multiplied by alpha, brought to the curve and the
    primaries of sRGB; TIFF and HDR keep them as floats. Codes that were read from a picture become
    light in OpenEXR; other arrays of integers become ``uint32`` there.

    Arrays that are contiguous and of a type that files have are not copied. The file appears whole
    at its path or not at all. ``Written.losses`` counts what the file does not hold: what a lossy
    compression does to samples that it is not made for, what codes of 8 bits cut or round.

    Raises `solio.ArgumentError` where pixels and attributes contradict each other, and for what the
    format does not have.
    """
    given = _given_parts(image, names, attributes, data_window, display_window)
    to_object = hasattr(path, "write")
    format = _format(None if to_object else fspath(cast("_Path", path)), options)
    if to_object or format != "exr":
        made, losses = _encoded(given, format, options)
        told = [Loss(*loss) for loss in losses]
        if to_object:
            cast("BinaryIO", path).write(made)
            return Written([], len(made), len(made), [], told)
        durable = bool(options.get("durable", False))
        files, file_bytes = _solio.picture_write(made, fspath(cast("_Path", path)), durable)
        return Written(files, file_bytes, file_bytes, [], told)
    parts = [given_part(as_light(part), options.get("dtype")) for part in given]
    files, file_bytes, raw_bytes, warnings, losses = _solio.image_write(
        parts, fspath(cast("_Path", path)), _write_options(options)
    )
    return Written(files, file_bytes, raw_bytes, warnings, [Loss(*loss) for loss in losses])


def encode_image(
    image: Image | Part | Sequence[Part] | Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    *,
    names: Sequence[str] | None = None,
    attributes: Mapping[str, Any] | None = None,
    data_window: _Window | None = None,
    display_window: _Window | None = None,
    **options: Unpack[WriteOptions],
) -> bytes:
    """The bytes of the file that `write_image` would write; OpenEXR without a ``format``."""
    given = _given_parts(image, names, attributes, data_window, display_window)
    return _encoded(given, _format(None, options), options)[0]


_FORMATS = {"exr", "png", "jpeg", "tiff", "qoi", "hdr"}
_ALIASES = {"jpg": "jpeg", "tif": "tiff", "openexr": "exr"}
_OF_EXR = ("compression", "dtype", "tiles", "line_order")
_OF_PICTURES = ("bits", "quality", "exposure", "tonemap")


def _format(path: str | None, options: WriteOptions) -> str:
    """What is written."""
    given = options.get("format")
    if given is None:
        format = "exr" if path is None else _solio.image_format(path) or "exr"
    else:
        format = given.lower().removeprefix(".")
        format = _ALIASES.get(format, format)
    if format not in _FORMATS:
        known = ", ".join(sorted(_FORMATS))
        raise argument_error(f"there is no image format {given!r}; known: {known}")
    for name in _OF_PICTURES if format == "exr" else _OF_EXR:
        if options.get(name) is not None:
            kind = "pictures that are not OpenEXR" if format == "exr" else "OpenEXR"
            raise argument_error(f"{name} is an option of {kind}, not of {format}")
    return format


def _encoded(parts: list[Part], format: str, options: WriteOptions) -> tuple[bytes, list[Any]]:
    """The bytes of a file, and what it does not hold."""
    if format == "exr":
        lit = [given_part(as_light(part), options.get("dtype")) for part in parts]
        return _solio.image_encode(lit, _write_options(options)), []
    codes = codes_of(parts[0]) if len(parts) == 1 else None
    names = ("threads", "memory")
    given: dict[str, Any] = {name: options.get(name) for name in names}
    if codes is not None and format != "hdr":
        for name in ("bits", "exposure", "tonemap"):
            if options.get(name) is not None:
                raise argument_error(f"{name} is for light; codes are written as they are")
        given |= codes_options(parts[0]) | {"quality": options.get("quality")}
        return _solio.codes_encode(codes, format, given)
    given |= {name: options.get(name) for name in _OF_PICTURES}
    if format == "tiff" and given["bits"] is None:
        given["bits"] = 32
    if codes is not None:
        # Radiance HDR has light only.
        parts = [as_light(_coded(parts[0]))]
    return _solio.picture_encode([given_part(part, None) for part in parts], format, given)


def _coded(part: Part) -> Part:
    """The part, whose integers are codes."""
    if part.encoding is not None:
        return part
    made = Part._of(part.kind, part.attributes, part.levels)
    made.encoding = Encoding()
    return made


def _read_options(**options: Any) -> dict[str, Any]:
    """As the native module takes them: names and numbers in lists."""
    if isinstance(options.get("channels"), str):
        options["channels"] = [options["channels"]]
    if isinstance(options.get("part"), (int, np.integer, str)):
        options["part"] = [options["part"]]
    for name in ("channels", "part"):
        if options.get(name) is not None:
            options[name] = list(options[name])
            if not options[name]:
                raise argument_error(f"{name} names none; without it all are read")
    if options.get("dtype") is not None:
        options["dtype"] = pixel_type(options["dtype"]).name
    return options


def _header(parts: list[tuple[Any, list[tuple[str, str, Any]]]]) -> Header:
    return Header([PartHeader(kind, Attributes._of(raw)) for kind, raw in parts])


def _image(found: _GivenImage, window: _Window | None = None) -> Image:
    parts, missing, names, codes, (notes, losses) = found
    made = []
    for kind, raw, levels in parts:
        made.append(Part._of(kind, Attributes._of(raw), [_level(level, names) for level in levels]))
    if codes is not None:
        _set_codes(made[0], codes, names, window)
    image = Image(made)
    image.missing = [MissingChunk(*chunk) for chunk in missing]
    image.notes = notes
    image.losses = [Loss(*loss) for loss in losses]
    return image


def _set_codes(
    part: Part, codes: _GivenCodes, names: list[str] | None, window: _Window | None
) -> None:
    """Gives a part its codes, as far as they are wanted."""
    array, extra, icc, cicp, straight = codes
    level, whole = part.levels[0], part.levels[0].window
    if window is not None:
        left, top, right, bottom = map(int, window)
        left, top = max(left, 0), max(top, 0)
        right, bottom = min(right, int(whole.x_max)), min(bottom, int(whole.y_max))
        if left > right or top > bottom:
            raise argument_error(f"the window {tuple(window)} has no pixels of {tuple(whole)}")
        level.window = Box(left, top, right, bottom)
        array = array[top : bottom + 1, left : right + 1]
        extra = [(name, plane[top : bottom + 1, left : right + 1]) for name, plane in extra]
        part.attributes["dataWindow"] = level.window
    letters = {1: "Y", 2: "YA", 3: "RGB", 4: "RGBA"}[array.shape[2]]
    planes = {name: array[..., i] for i, name in enumerate(letters)}
    planes |= dict(extra)
    if names is not None:
        planes = {name: planes[name] for name in names}
    level.channels = planes
    if list(planes) == list(letters):
        level._stack = array, list(planes.values())
    part.encoding = Encoding(icc, cicp, straight)
    types = {name: plane.dtype.name for name, plane in planes.items()}
    made = (Channel(name, cast("Any", types[name])) for name in sorted(types))
    part.attributes._raw["channels"] = ("chlist", tuple(made))


def _level(given: _GivenLevel, names: list[str] | None) -> Level:
    x, y, window, counts, planes = given
    return Level(ordered(planes, names), Box(*window), counts=counts, x=x, y=y)


def _read_into(source: str | bytes, options: dict[str, Any], out: _Out) -> Image:
    """Reads into the caller's arrays, which become those of the image."""
    plan = _solio.image_plan(source, options)
    if plan is None:
        message = "out takes the pixels of one flat part in one size, without subsampled channels"
        raise argument_error(f"{message}; choose with part, channels and level")
    names, chosen, height, width = plan
    if not names:
        return _copied(_image(_solio.image_read(source, options), options.get("window")), out)
    if not chosen:
        names.sort(key=rank)
    if not isinstance(out, (np.ndarray, Mapping)):
        raise TypeError(f"out is an array, or arrays by the names of channels, not {type(out)}")
    if isinstance(out, np.ndarray):
        if out.shape != (height, width, len(names)):
            shape = (height, width, len(names))
            raise argument_error(f"out must have shape {shape}, not {out.shape}")
        channels = {name: out[..., i] for i, name in enumerate(names)}
        arrays = [(names, out)]
    else:
        if not all(isinstance(out.get(name), (np.ndarray, type(None))) for name in names):
            raise argument_error("out is an array, or arrays by the names of channels")
        for name in names:
            there = out[name].shape if name in out else "none"
            if there != (height, width):
                needed = f"out needs an array of shape {(height, width)} for {name!r}"
                raise argument_error(f"{needed}, not {there}")
        channels = {name: out[name] for name in names}
        arrays = [([name], array) for name, array in channels.items()]
    image = _image(_solio.image_into(source, options, arrays))
    image.levels[0].channels = channels
    if isinstance(out, np.ndarray):
        image.levels[0]._stack = out, list(channels.values())
    types = {name: dtype_of(array) for name, array in channels.items()}
    infos = image.parts[0].channel_list
    image.attributes["channels"] = tuple(c._replace(dtype=types[c.name]) for c in infos)
    return image


def _copied(image: Image, out: _Out) -> Image:
    """A picture that was read, whose pixels are put into the caller's arrays."""
    level = image.levels[0]
    if isinstance(out, np.ndarray):
        targets = {name: out[..., i] for i, name in enumerate(level.channels)} if out.ndim == 3 else {}
        shape: Any = (*next(iter(level.channels.values())).shape, len(level.channels))
        if out.shape != shape:
            raise argument_error(f"out must have shape {shape}, not {out.shape}")
    else:
        targets = {name: out[name] for name in level.channels if name in out}
    for name, plane in level.channels.items():
        target = targets.get(name)
        if target is None or target.shape != plane.shape:
            raise argument_error(f"out needs an array of shape {plane.shape} for {name!r}")
        casting: Any = "same_kind" if plane.dtype.kind == "f" else "safe"
        if not np.can_cast(plane.dtype, target.dtype, casting):
            raise argument_error(f"out: {plane.dtype} does not go into {target.dtype}")
        target[...] = plane
    level.channels = targets
    level._stack = (out, list(targets.values())) if isinstance(out, np.ndarray) else None
    return image


def _given_parts(
    image: Image | Part | Sequence[Part] | Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    names: Sequence[str] | None,
    attributes: Mapping[str, Any] | None,
    data_window: _Window | None,
    display_window: _Window | None,
) -> list[Part]:
    """The parts that are meant."""
    parts: list[Part]
    if isinstance(image, Image):
        parts = image.parts
    elif isinstance(image, Part):
        parts = [image]
    elif isinstance(image, (list, tuple)) and image and all(isinstance(p, Part) for p in image):
        parts = list(cast("Sequence[Part]", image))
    else:
        made = Part(
            cast("Mapping[str, npt.ArrayLike]", image),
            names=names,
            attributes=attributes,
            data_window=data_window,
            display_window=display_window,
        )
        return [made]
    if any(given is not None for given in (names, attributes, data_window, display_window)):
        raise argument_error("names, attributes and windows are those of the parts; set them there")
    return parts


def _write_options(options: WriteOptions) -> dict[str, Any]:
    own = ("dtype", "format", *_OF_PICTURES)
    given: dict[str, Any] = {name: value for name, value in options.items() if name not in own}
    tiles = options.get("tiles")
    if tiles:
        given["tiles"] = tuple(Tiles(*tiles))
    return given
