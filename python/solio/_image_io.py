"""Reading and writing images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import fspath
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, cast

import numpy as np

from . import _solio
from ._arrays import argument_error, check_several, path_or_bytes
from ._attributes import Attributes, Box, Tiles
from ._image import Header, Image, Level, MissingChunk, Part, PartHeader, given_part
from ._io import Loss, Written
from ._planes import dtype_of, ordered, pixel_type, rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import Unpack

    import numpy.typing as npt

    from ._solio import _GivenImage, _GivenLevel, _GivenPart

    _Path = str | PathLike[str]
    _Source = _Path | bytes | bytearray | memoryview
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
    partial: bool
    threads: int | None
    memory: int | None
    max_bytes: int | None


class WriteOptions(TypedDict, total=False):
    """How `write_image` and `encode_image` write; what is left out is as each part has it."""

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
    partial: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    max_bytes: int | None = None,
) -> Image:
    """Reads an image from an OpenEXR file, or from the bytes of one; only what is asked for is
    decoded. ``solio convert`` makes OpenEXR of other images.

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
    and for a picture of another format.
    """
    options = _read_options(
        channels=channels,
        part=part,
        level=level,
        window=window,
        dtype=dtype,
        partial=partial,
        threads=threads,
        memory=memory,
        max_bytes=max_bytes,
    )
    given = path_or_bytes(source)
    if out is not None:
        return _read_into(given, options, out)
    return _image(_solio.image_read(given, options))


def read_header(source: _Source, *, max_bytes: int | None = None) -> Header:
    """Reads the head of a file, or of the bytes of one, and nothing else.

    Raises as `read_image` does.
    """
    return _header(_solio.image_header(path_or_bytes(source), max_bytes))


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
        return ImageDone(path, index, None if found is None else _image(found), error)

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
    path: _Path,
    *,
    names: Sequence[str] | None = None,
    attributes: Mapping[str, Any] | None = None,
    data_window: _Window | None = None,
    display_window: _Window | None = None,
    **options: Unpack[WriteOptions],
) -> Written:
    """Writes an image, or several parts, into one OpenEXR file.

    ``image``: an `Image`, a `Part` or a sequence of parts; or what a `Part` is made of: arrays of
    shape (H, W) by the names of their channels, or one array of shape (H, W, C) with the ``names``
    of its channels. ``names``, ``attributes``, ``data_window`` and ``display_window`` (x_min,
    y_min, x_max, y_max; both ends) go with those. `WriteOptions` lists the other options.

    Arrays that are contiguous and of a type that files have are not copied. The file appears whole
    at its path or not at all. ``Written.losses`` counts what a lossy compression does to samples that
    it is not made for: finite ones that become infinite, infinite ones that become finite, ids.

    Raises `solio.ArgumentError` where pixels and attributes contradict each other, and where the
    name ends as that of another format: ``solio convert`` makes those.
    """
    parts = _parts(image, names, attributes, data_window, display_window, options)
    given = _write_options(options)
    files, file_bytes, raw_bytes, warnings, losses = _solio.image_write(parts, fspath(path), given)
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
    """The bytes of the file that `write_image` would write."""
    parts = _parts(image, names, attributes, data_window, display_window, options)
    return _solio.image_encode(parts, _write_options(options))


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


def _image(found: _GivenImage) -> Image:
    parts, missing, names = found
    made = []
    for kind, raw, levels in parts:
        made.append(Part._of(kind, Attributes._of(raw), [_level(level, names) for level in levels]))
    image = Image(made)
    image.missing = [MissingChunk(*chunk) for chunk in missing]
    return image


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


def _parts(
    image: Image | Part | Sequence[Part] | Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    names: Sequence[str] | None,
    attributes: Mapping[str, Any] | None,
    data_window: _Window | None,
    display_window: _Window | None,
    options: WriteOptions,
) -> list[_GivenPart]:
    """The parts as the native module takes them."""
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
        return [given_part(made, options.get("dtype"))]
    if any(given is not None for given in (names, attributes, data_window, display_window)):
        raise argument_error("names, attributes and windows are those of the parts; set them there")
    return [given_part(part, options.get("dtype")) for part in parts]


def _write_options(options: WriteOptions) -> dict[str, Any]:
    given: dict[str, Any] = {name: value for name, value in options.items() if name != "dtype"}
    tiles = options.get("tiles")
    if tiles:
        given["tiles"] = tuple(Tiles(*tiles))
    return given
