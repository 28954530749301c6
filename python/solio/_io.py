"""Reading and writing files."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from . import _solio
from ._arrays import NONE, argument_error, path_or_bytes
from ._mesh import Instance, Mesh

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from os import PathLike
    from typing import Unpack

    from ._material import Material

    _Format = Literal["obj", "ply", "stl", "off", "gltf", "glb", "splat", "spz", "sog"]
    _Skippable = Literal["normals", "uvs", "colors", "attributes"]
    _Axis = Literal["X", "Y", "Z", "-X", "-Y", "-Z", "NEGATIVE_X", "NEGATIVE_Y", "NEGATIVE_Z"]
    _Digits = int | Literal["shortest"]


class WriteOptions(TypedDict, total=False):
    """What `write_mesh` takes; the names are those of Blender's exporters where they have one.

    An option that is left out has its format's default; one that concerns another format is
    passed over.
    """

    level: int | None
    """Of the compression."""
    durable: bool
    """The file is on the disk when the call returns."""
    threads: int | None
    memory: int | None
    """Bytes that the work may take beside the mesh."""
    comments: Sequence[str]
    """Lines at the head of the file, before those of the meshes (`Mesh.comments`)."""
    forward_axis: _Axis
    """Which axis of the file is forward."""
    up_axis: _Axis
    """Which axis of the file is up."""
    source_axes: tuple[_Axis, _Axis]
    """The forward and up axes of the mesh in memory."""
    global_scale: float
    apply_transform: bool
    """Apply each object's transform."""
    export_uv: bool
    export_normals: bool
    export_colors: bool | Literal["none", "srgb", "linear"]
    """OBJ: whether. PLY: also in which colour space."""
    export_materials: bool
    export_object_groups: bool
    export_material_groups: bool
    export_vertex_groups: bool
    export_smooth_groups: bool
    export_groups: bool
    export_alpha: bool
    export_triangulated_mesh: bool
    export_attributes: bool
    sort_by_material: bool
    """Sort the faces of an object by material, as Blender does."""
    merge: bool
    """Write equal UVs and normals once."""
    sort_materials: bool
    """Sort the MTL by name, as Blender does."""
    spaces_to_underscores: bool
    """In names; some readers end a name at its first space."""
    epilogue: bytes
    """Statements of OBJ after everything else, as they are."""
    material_comments: Sequence[str]
    """Lines at the head of the MTL file."""
    ascii_format: bool
    """PLY and STL: text instead of binary."""
    big_endian: bool
    """PLY: most significant byte first."""
    float_colors: bool
    """PLY: colours as floats, not as bytes."""
    pack_splats: bool
    """PLY: Gaussian splats as SuperSplat packs them."""
    spz_version: int
    """SPZ: 2, 3 or 4."""
    harmonic_bits: int
    """SPZ: bits of each harmonic of the colours, 1 to 8."""
    blender_quirks: bool
    """PLY: do as Blender does even where that loses data."""
    stl_batch: bool
    """One STL file for each object: ``out.stl`` and ``Cube`` give ``outCube.stl``."""
    strict_loss: bool
    """Refuse, before anything is written, what the file cannot hold (`Written.losses`)."""
    name: str
    """STL: the name of the solid in text, the head in binary."""
    instances: Literal["nodes", "gpu"]
    """glTF: instances of one mesh as nodes, or as arrays of transforms (``EXT_mesh_gpu_instancing``)."""
    material_library: str | None
    """Name of the MTL file; beside the OBJ and named like it if left out."""
    path_mode: Literal["auto", "absolute", "relative", "match", "strip", "copy"]
    """How an MTL, a glTF or a PLY that names them refers to textures; ``"auto"`` takes them into a GLB."""
    texture_root: str | PathLike[str] | None
    """What the materials' relative texture paths are relative to."""
    replace_textures: bool
    """``path_mode="copy"`` writes over other files of the textures' names, as Blender does;
    otherwise these stay, and the copies get a number."""
    digits: _Digits
    """Digits of all numbers in text; a number of digits after the point, or ``"shortest"``."""
    position_digits: _Digits
    uv_digits: _Digits
    normal_digits: _Digits
    color_digits: _Digits
    non_finite: Literal["refuse", "write"]
    """What to do with NaN and infinity."""


class Loss(NamedTuple):
    """Something that a file cannot hold of what was written to it."""

    what: str
    """A name for programs that does not change, such as ``materials``."""
    text: str
    """The whole of it, for people."""
    count: int | None  # type: ignore[assignment]  # its name in JSON, not the method of tuples
    """How many are lost; ``None`` where nobody counted."""
    unit: str | None
    """What one of them is called."""
    example: str | None
    """The name of one of them."""
    option: str | None
    """The option that keeps them."""


class Written(NamedTuple):
    """What `write_mesh` wrote."""

    files: list[tuple[str, int]]
    """The files and their bytes, the mesh first."""
    file_bytes: int
    raw_bytes: int
    """Before compression."""
    warnings: list[str]
    losses: Sequence[Loss] = ()
    """What the files cannot hold of what was given; ``strict_loss=True`` refuses that."""


def read_mesh(
    source: str | PathLike[str] | bytes | bytearray | memoryview,
    *,
    format: _Format | None = None,
    strict: bool = False,
    double: bool = False,
    encoding: str | None = None,
    merge: bool = True,
    facet_normals: bool = True,
    materials: bool = True,
    skip: Collection[_Skippable] = (),
    index_base: int = 1,
    threads: int | None = None,
    memory: int | None = None,
    max_bytes: int | None = None,
    max_elements: int | None = None,
) -> Mesh:
    """Reads a mesh from a file, or from the bytes of one; gzip and zstd are recognized.

    The format is found out where ``format`` does not say it. ``strict`` refuses what is passed
    over with a warning otherwise (see `Mesh.warnings`); ``double`` reads positions of OBJ as
    ``float64`` also where ``float32`` holds what the text says; ``encoding`` is that of names which
    are not UTF-8 (``"gbk"``, ``"latin-1"``), otherwise guessed; ``merge`` joins equal vertices of STL, ``facet_normals`` keeps the normals of its
    triangles; ``materials`` reads the MTL files of an OBJ; ``skip`` names what is not wanted, which a PLY does not
    even store on the way; ``index_base`` is what the first index
    of an OBJ is called. ``threads`` and ``memory`` (bytes) bound the work, ``max_bytes`` and
    ``max_elements`` what the file may ask for.
    """
    options = {
        "format": format,
        "strict": strict,
        "double": double,
        "encoding": encoding,
        "merge": merge,
        "facet_normals": facet_normals,
        "skip": tuple(skip),
        "skip_materials": not materials,
        "index_base": index_base,
        "threads": threads,
        "memory": memory,
        "max_bytes": max_bytes,
        "max_elements": max_elements,
    }
    return _solio.read(path_or_bytes(source), options)


def read_instances(
    source: str | PathLike[str] | bytes | bytearray | memoryview,
    *,
    format: _Format | None = None,
    strict: bool = False,
    materials: bool = True,
    skip: Collection[_Skippable] = (),
    threads: int | None = None,
    memory: int | None = None,
    max_bytes: int | None = None,
    max_elements: int | None = None,
) -> list[Instance]:
    """Reads a mesh file as instances, in the order in which the file draws them.

    A glTF keeps each of its meshes once: the instances of one have the same `Instance.mesh`, and a
    `Instance.transform` each (``float64``). Files of other formats are one instance without a transform.
    `write_mesh` takes the list as it is. All meshes of a file have its materials, pictures, comments and
    warnings. The arguments are those of `read_mesh`.

    >>> drawn = solio.read_instances("city.glb")         # doctest: +SKIP
    >>> len(drawn), len({id(one.mesh) for one in drawn})  # doctest: +SKIP
    """
    options = {
        "format": format,
        "strict": strict,
        "skip": tuple(skip),
        "skip_materials": not materials,
        "threads": threads,
        "memory": memory,
        "max_bytes": max_bytes,
        "max_elements": max_elements,
    }
    return _solio.read_instances(path_or_bytes(source), options)


def write_mesh(
    mesh: Mesh | Instance | Sequence[Mesh | Instance],
    path: str | PathLike[str],
    *,
    format: _Format | None = None,
    materials: Sequence[Material] | None = None,
    **options: Unpack[WriteOptions],
) -> Written:
    """Writes a mesh or an instance, or several into one file; ``.gz`` and ``.zst`` names are
    compressed.

    Each file appears whole at its path or not at all. Each mesh's faces refer to its own
    ``materials``; with the argument ``materials`` they refer to that list. Of different materials
    with one name the later ones get a free one: ``default.001``. `WriteOptions` lists the options.
    """
    meshes, slots, union = _scene(mesh, materials)
    given: dict[str, Any] = {"format": format, **options}
    files, file_bytes, raw_bytes, warnings, losses = _solio.write(
        meshes, slots, union, fspath(path), given
    )
    return Written(files, file_bytes, raw_bytes, warnings, [Loss(*loss) for loss in losses])


def encode_mesh(
    mesh: Mesh | Instance | Sequence[Mesh | Instance],
    format: _Format,
    *,
    materials: Sequence[Material] | None = None,
    **options: Unpack[WriteOptions],
) -> bytes:
    """The bytes of the file that `write_mesh` would write, uncompressed and without an MTL."""
    meshes, slots, union = _scene(mesh, materials)
    return _solio.encode(meshes, slots, union, format, dict(options))


def _scene(
    mesh: Mesh | Instance | Sequence[Mesh | Instance], materials: Sequence[Material] | None
) -> tuple[list[Mesh | Instance], list[list[int] | None], list[Material]]:
    """The meshes, where each one's materials stand in the union, and the union."""
    meshes: list[Mesh | Instance] = [mesh] if isinstance(mesh, (Mesh, Instance)) else list(mesh)
    for item in meshes:
        if not isinstance(item, (Mesh, Instance)):
            kind = type(item).__name__
            raise argument_error(f"expected a solio.Mesh or a sequence of them, not {kind}")
    if materials is not None:
        return meshes, [None] * len(meshes), list(materials)
    if len(meshes) == 1 and isinstance(meshes[0], Mesh):
        return meshes, [None], list(meshes[0].materials)
    union: list[Material] = []
    places: dict[str, list[int]] = {}
    known: dict[int, list[int]] = {}
    slots: list[list[int] | None] = []
    for item in meshes:
        source = item.mesh if isinstance(item, Instance) else item
        own = known.get(id(source))
        if own is None:
            own = known[id(source)] = [_place(m, union, places) for m in source.materials]
        if not own and _numbers_materials(item, source):
            own = [NONE]  # what its faces refer to is gone, and not another mesh's
        slots.append(own or None)
    return meshes, slots, union


def _numbers_materials(item: Mesh | Instance, mesh: Mesh) -> bool:
    """Whether faces refer to materials at all."""
    if len(mesh.face_materials):
        return True
    if isinstance(item, Instance):
        return item.material_slots is not None
    return any(thing.material_slots is not None for thing in mesh.objects)


def _place(material: Material, union: list[Material], places: dict[str, list[int]]) -> int:
    """Where an equal material stands in the union; it is added if there is none."""
    same = places.setdefault(material.name, [])
    found = next((i for i in same if union[i] == material), None)
    if found is None:
        found = len(union)
        union.append(material)
        same.append(found)
    return found
