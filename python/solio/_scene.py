"""pbrt scenes: camera, shapes, definitions and their instances, previews, and other formats."""

from __future__ import annotations

from functools import cached_property
from os import fsdecode, fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, overload

import numpy as np

from . import _scene_looks, _solio
from ._arrays import NONE, argument_error
from ._image_io import _image
from ._io import Loss, Written
from ._material import Material

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    import numpy.typing as npt

    from ._errors import Error
    from ._image import Image
    from ._mesh import Mesh
    from ._scene_looks import SceneAreaLight, SceneLight, SceneMaterial, SceneMedium, SceneNumber

    _Path = str | PathLike[str]
    _Floats = npt.NDArray[np.float32]
    _Indices = npt.NDArray[np.uint32]
    _Kind = Literal["perspective", "orthographic", "spherical"]

# What a notebook shows.
_SHOWN = 512
_MOST = 2**31


class SceneCamera(NamedTuple):
    """What sees the scene.

    pbrt's cameras look along +z with +y up and +x to the right: the space is left-handed, unless the
    camera itself mirrors (`Scene.is_left_handed`).
    """

    kind: _Kind
    """How it looks."""
    type: str
    """What pbrt calls it; one of lenses (``realistic``) is a perspective of 40 degrees here."""
    from_world: npt.NDArray[np.float64]
    """World to camera, shape (4, 4), for column vectors; at the first time where it moves."""
    from_world_end: npt.NDArray[np.float64]
    """The same at the second time."""
    times: tuple[float, float]
    """The two times."""
    width: int
    """Columns of the film."""
    height: int
    """Rows of the film."""
    fov: float | None
    """The angle that the screen takes from -1 to 1, the shorter side of a usual film, in degrees; ``None``
    where it does not look from one place in one direction."""
    window: tuple[float, float, float, float]
    """Left, right, bottom and top of the picture on the screen."""
    is_exact: bool
    """Whether the fields say all of the lens."""
    parameters: dict[str, Any]
    """What the text says of it, by name."""

    @property
    def to_world(self) -> npt.NDArray[np.float64]:
        """Camera to world, shape (4, 4)."""
        return np.linalg.inv(self.from_world).astype(np.float64, copy=False)


class SceneCounts(NamedTuple):
    """How much a scene holds."""

    shapes: int
    primitives: int
    """Triangles, quads, quadrics and segments of curves, instances not counted."""
    instanced_primitives: int
    """The same, each as often as it is seen."""
    instances: int
    moving_instances: int
    memory_bytes: int
    """Bytes of the scene in memory, without the meshes of files."""
    classes: dict[str, tuple[int, int]]
    """Shapes and primitives of each class, such as ``trianglemesh``."""
    missing: tuple[Error, ...]
    """Files of meshes that cannot be read."""


class SceneInstances:
    """The instances of all definitions, in the order of the text: arrays of one length.

    The arrays are made when they are asked for, and kept: 64 bytes a matrix. `matrices_of` makes some.
    """

    def __init__(self, scene: _solio.Scene) -> None:
        self._scene = scene
        self._count, self._moving = scene.instance_counts()

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<solio.scene.SceneInstances: {self._count:,}>"

    @cached_property
    def definitions(self) -> _Indices:
        """The number of each one's definition, of `Scene.definitions`: shape (N,)."""
        return self._scene.instance_definitions()

    @cached_property
    def matrices(self) -> _Floats:
        """From the space of the definition to the world, for column vectors: shape (N, 4, 4); at the first
        time where one moves."""
        return self.matrices_of(0, self._count)

    def matrices_of(self, start: int, stop: int) -> _Floats:
        """The matrices of instances ``start`` to ``stop``: shape (stop - start, 4, 4)."""
        start, stop, _ = slice(start, stop).indices(self._count)
        return self._scene.instance_matrices(start, max(start, stop))

    @cached_property
    def _ends(self) -> tuple[_Indices, _Floats]:
        return self._scene.instance_ends()

    @property
    def moving(self) -> _Indices:
        """The numbers of those that move, rising: shape (M,)."""
        return self._ends[0]

    @property
    def end_matrices(self) -> _Floats:
        """The matrices of those at the second time: shape (M, 4, 4)."""
        return self._ends[1]


class SceneShape:
    """A shape: what it is made of, and where it is."""

    __slots__ = ("_scene", "number")

    def __init__(self, scene: Scene, number: int) -> None:
        self._scene = scene
        self.number = number
        """Its number among the scene's shapes."""

    @property
    def type(self) -> str:
        """Its class, such as ``trianglemesh``, ``plymesh`` or ``sphere``."""
        table = self._scene._shapes
        return table.classes[int(table.class_numbers[self.number])]

    @property
    def matrix(self) -> _Floats:
        """To the space of its definition, or to the world: shape (4, 4), for column vectors."""
        return cast("_Floats", self._scene._shapes.matrices[self.number])

    @property
    def material(self) -> int | None:
        """The number of its material, of `Scene.materials`; ``None`` where it has none, and is grey."""
        return _number(self._scene._shapes.materials[self.number])

    @property
    def area_light(self) -> int | None:
        """The number of what lets it shine; ``None`` where it does not."""
        return _number(self._scene._shapes.area_lights[self.number])

    @property
    def is_reversed(self) -> bool:
        """Whether its orientation is reversed."""
        return bool(self._scene._shapes.is_reversed[self.number])

    @property
    def opacity(self) -> SceneNumber | None:
        """How much of it is there (``alpha``); ``None`` where all of it is."""
        return self._scene._alphas.get(self.number)

    def emitted_strength(self) -> float | None:
        """How strongly it shines, in nits: what `SceneAreaLight.color` is multiplied by. ``None`` where it
        does not. Where its light has a power, that depends on the area, and the mesh is read."""
        return _solio.scene_emitted_strength(self._scene._native, self.number)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the text says of it, by name: arrays, lists of strings, or one value."""
        return self._scene._parameters("shape", self.number)

    def mesh(self, *, threads: int | None = None) -> Mesh:
        """Its mesh, in its own space: read, or made, at each call.

        That of a file is as the file has it; quadrics and curves are cut into triangles. Faces and normals
        of a reversed shape are turned. Raises `solio.Error` where it cannot be read.
        """
        mesh = self._scene._native.shape_mesh(self.number, threads)
        return self._scene._with_materials(mesh)

    def __repr__(self) -> str:
        return f"<solio.scene.SceneShape {self.number}: {self.type}>"


class SceneShapes:
    """Some shapes of a scene, one after the other; a sequence of `SceneShape`."""

    def __init__(self, scene: Scene, numbers: range) -> None:
        self._scene = scene
        self.numbers = numbers
        """Their numbers among all shapes of the scene."""

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> SceneShape: ...
    @overload
    def __getitem__(self, index: slice) -> SceneShapes: ...
    def __getitem__(self, index: int | slice) -> SceneShape | SceneShapes:
        found = self.numbers[index]
        if isinstance(found, range):
            return SceneShapes(self._scene, found)
        return SceneShape(self._scene, found)

    def __iter__(self) -> Iterator[SceneShape]:
        return (SceneShape(self._scene, number) for number in self.numbers)

    def __repr__(self) -> str:
        return f"<solio.scene.SceneShapes: {len(self):,}>"

    @property
    def materials(self) -> _Indices:
        """The material of each, of `Scene.materials`, or `solio.NONE`: shape (S,)."""
        return self._some(self._scene._shapes.materials)

    @property
    def area_lights(self) -> _Indices:
        """What lets each shine, or `solio.NONE`: shape (S,)."""
        return self._some(self._scene._shapes.area_lights)

    @property
    def matrices(self) -> _Floats:
        """To the space of the definition, or to the world: shape (S, 4, 4)."""
        return self._some(self._scene._shapes.matrices)

    def _some(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        numbers = self.numbers
        stop = numbers.stop if numbers.stop >= 0 else None
        return array[numbers.start : stop : numbers.step]

    def mesh(self, *, threads: int | None = None) -> Mesh:
        """All of them as one mesh, each where its matrix puts it; made at each call.

        `Mesh.face_materials` are numbers of `Scene.materials`; faces of smooth shapes are in smoothing group
        1. Shapes that cannot be read are left out; `Mesh.warnings` say which, and why. Those that only bound
        a medium are left out.
        """
        return self._scene.meshes([self], threads=threads)[0]


class SceneDefinition:
    """Shapes under a name, of which there are instances (``ObjectBegin``)."""

    __slots__ = ("instance_count", "name", "number", "shapes")

    def __init__(self, number: int, name: str, shapes: SceneShapes, instance_count: int) -> None:
        self.number = number
        """Its number, of `Scene.definitions`."""
        self.name = name
        self.shapes = shapes
        """Its shapes."""
        self.instance_count = instance_count
        """How many instances there are of it."""

    def mesh(self, *, threads: int | None = None) -> Mesh:
        """Its shapes as one mesh, in the space of the definition: see `SceneShapes.mesh`."""
        return self.shapes.mesh(threads=threads)

    def __repr__(self) -> str:
        shapes, instances = len(self.shapes), self.instance_count
        return f"<solio.scene.SceneDefinition {self.name!r}: {shapes} shapes, {instances:,} instances>"


class _ShapeTable(NamedTuple):
    """What is known of all shapes, as arrays."""

    world_shapes: int
    classes: list[str]
    class_numbers: npt.NDArray[np.uint8]
    matrices: _Floats
    materials: _Indices
    area_lights: _Indices
    is_reversed: npt.NDArray[np.bool_]


class Scene:
    """A pbrt scene that was read: `read_scene` makes it.

    What it says is there at once. Arrays, meshes and previews are made when they are asked for; meshes and
    previews are not kept. The files that the scene names have to stay where they are.
    """

    def __init__(self, path: _Path, **options: Any) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        self._native = _solio.Scene(fspath(path), given)
        self.path = fspath(path)
        """The file that it was read from."""
        self.version: int = self._native.version
        """The version of pbrt that it was read as: 3 or 4; 1 or 2 where something is passed over that only
        these had."""
        self.is_packed: bool = self._native.is_packed
        """Whether the file is a packed scene."""
        self.warnings: list[str] = self._native.warnings()
        """What pbrt takes otherwise than the author may think, and what is passed over."""
        self.problems: list[Error] = self._native.problems()
        """What is wrong, each as an error with file, line and column; what it concerns is left out."""
        self.instances = SceneInstances(self._native)
        """The instances of all definitions."""
        self._png: bytes | None = None

    @property
    def files(self) -> list[Path]:
        """The texts of the scene: first the one asked for, then those that it includes."""
        from pathlib import Path  # what few need is not loaded with the package

        return [Path(fsdecode(file)) for file in self._native.files()]

    @cached_property
    def camera(self) -> SceneCamera | None:
        """The camera; ``None`` where there is none."""
        found = self._native.camera()
        if found is None:
            return None
        kind, type_, (start, end), times, (width, height), fov, window, is_exact = found
        left, right, bottom, top = window
        return SceneCamera(
            kind=cast("_Kind", kind),
            type=type_,
            from_world=np.array(start).reshape(4, 4),
            from_world_end=np.array(end).reshape(4, 4),
            times=(times[0], times[1]),
            width=width,
            height=height,
            fov=fov,
            window=(left, right, bottom, top),
            is_exact=is_exact,
            parameters=self._parameters("camera", 0),
        )

    @cached_property
    def film(self) -> dict[str, Any]:
        """What the text says of the film, by name; empty where it says nothing."""
        return self._parameters("film", 0)

    @property
    def integrator(self) -> dict[str, Any]:
        """What the text says of the integrator, by name."""
        return self._parameters("integrator", 0)

    @property
    def up(self) -> tuple[float, float, float]:
        """The axis of the world that is up: the one nearest to what the camera calls up."""
        x, y, z = self._native.up()
        return x, y, z

    @property
    def is_left_handed(self) -> bool:
        """Whether the world has to be mirrored to look the same in a right-handed space.

        pbrt's is left-handed; a scene whose camera mirrors (``Scale -1 1 1``) is right-handed already.
        """
        return self.camera is None or bool(np.linalg.det(self.camera.from_world[:3, :3]) > 0)

    @cached_property
    def _shapes(self) -> _ShapeTable:
        return _ShapeTable(*self._native.shapes())

    @cached_property
    def shapes(self) -> SceneShapes:
        """The shapes of the world, those of definitions not among them."""
        return SceneShapes(self, range(self._shapes.world_shapes))

    @cached_property
    def definitions(self) -> Sequence[SceneDefinition]:
        """What there are instances of."""
        each = enumerate(self._native.definitions())
        return [
            SceneDefinition(number, name, SceneShapes(self, range(start, stop)), instances)
            for number, (name, start, stop, instances) in each
        ]

    @cached_property
    def _looks(self) -> list[SceneMaterial]:
        return _scene_looks.materials(self._native)

    @property
    def materials(self) -> list[SceneMaterial]:
        """What surfaces look like, in a neutral form; shapes have numbers of this list."""
        return self._looks[:-1]

    @property
    def default_material(self) -> SceneMaterial:
        """What a shape without a material looks like."""
        return self._looks[-1]

    @cached_property
    def area_lights(self) -> list[SceneAreaLight]:
        """What lets shapes shine; shapes have numbers of this list."""
        return _scene_looks.area_lights(self._native)

    @cached_property
    def lights(self) -> list[SceneLight]:
        """The lights without a shape, skies among them."""
        return _scene_looks.lights(self._native)

    @cached_property
    def media(self) -> list[SceneMedium]:
        """What light meets in spaces."""
        return _scene_looks.media(self._native)

    @cached_property
    def _alphas(self) -> dict[int, SceneNumber]:
        return _scene_looks.alphas(self._native)

    @property
    def losses(self) -> list[Loss]:
        """What of materials and textures the neutral form has no words for."""
        return [Loss(*loss) for loss in _solio.scene_look_losses(self._native)]

    def meshes(
        self, of: Sequence[SceneShapes | SceneDefinition], *, threads: int | None = None
    ) -> list[Mesh]:
        """`SceneShapes.mesh` of each, several made at once."""
        groups = []
        for thing in of:
            shapes = thing.shapes if isinstance(thing, SceneDefinition) else thing
            if not isinstance(shapes, SceneShapes) or shapes._scene is not self:
                raise argument_error("meshes are made of this scene's shapes and definitions")
            groups.append(list(shapes.numbers))
        return [self._with_materials(mesh) for mesh in self._joined(groups, None, threads)]

    def _joined(
        self, groups: list[list[int]], slots: list[list[int]] | None, threads: int | None = None
    ) -> list[Mesh]:
        """The shapes of each group as one mesh, whose faces have these slots, or the numbers of materials."""
        made = []
        for mesh, problems in self._native.joined_meshes(groups, slots, threads):
            mesh.warnings = [str(problem) for problem in problems]
            made.append(mesh)
        return made

    @cached_property
    def _materials(self) -> list[Material]:
        """The materials of meshes."""
        return [
            Material(
                look.name,
                diffuse=look.linear_base.factor,
                metallic=look.metallic.factor,
                roughness=look.roughness.factor,
                opacity=look.opacity.factor,
            )
            for look in self.materials
        ]

    def _with_materials(self, mesh: Mesh) -> Mesh:
        mesh.materials = list(self._materials)
        return mesh

    def counts(self) -> SceneCounts:
        """How much it holds, by the headers of the meshes that it names."""
        numbers, classes, missing = self._native.counts()
        of_classes = {name: (shapes, primitives) for name, shapes, primitives in classes}
        shapes, primitives, instanced, instances, moving, memory_bytes = numbers
        return SceneCounts(
            shapes, primitives, instanced, instances, moving, memory_bytes, of_classes, tuple(missing)
        )

    def bounds(self, *, threads: int | None = None) -> _Floats | None:
        """The box around all that is seen, in the world: its least and its greatest corner, shape (2, 3),
        rounded outwards. ``None`` where nothing is there.

        Reads all meshes, one after the other. Those that cannot be read do not count.
        """
        found, _ = self._native.bounds(threads)
        return None if found is None else np.array(found, np.float32)

    def preview(
        self,
        width: int | None = None,
        height: int | None = None,
        *,
        samples: int = 2,
        occlusion: int = 0,
        channels: str | Sequence[str] | None = "RGBA",
        threads: int | None = None,
        memory: int | None = None,
    ) -> Image:
        """What its camera sees, as an image with at most ``width`` columns and ``height`` rows, and not more
        than the film has; ``np.asarray`` makes a ``float32`` array of shape (H, W, C) of it.

        It is not a render: light comes from the camera and from above, surfaces have the colours of their
        materials. ``samples`` squared are the rays of a pixel; ``occlusion`` are rays of each of them that
        look how much of the sky a place sees. ``channels`` are some of ``R``, ``G``, ``B``, ``A`` (linear
        light, times coverage), ``Z`` (distance, infinite where nothing is), ``N.X``, ``N.Y``, ``N.Z`` (the
        normal in the world) and ``id`` (one more than the number of the instance); ``None`` is all of them.
        `Image.notes` say what is not shown.
        """
        options: dict[str, Any] = {"samples": samples, "occlusion": occlusion}
        options |= {"threads": threads, "memory": memory}
        if width is not None or height is not None:
            sides = [_MOST if side is None else side for side in (width, height)]
            if min(sides) < 1:
                raise argument_error("a preview has one column and one row at least")
            options["most"] = sides
        found, problems = self._native.preview(options)
        image = _image(found)
        image.notes = [str(problem) for problem in problems]
        level = image.levels[0]
        names = list(level.channels) if channels is None else list(channels)
        unknown = [name for name in names if name not in level.channels]
        if unknown or not names:
            raise argument_error(f"no channel {', '.join(unknown)}; there are {', '.join(level.channels)}")
        level.channels = {name: level.channels[name] for name in names}
        return image

    def to_gltf(self, path: _Path, **options: Any) -> Written:
        """Writes it as glTF 2.0: in two files (``.gltf``) or one (``.glb``), by the name.

        Each definition is a mesh. Options: ``instances`` (``"gpu"``, arrays of ``EXT_mesh_gpu_instancing``;
        ``"nodes"``; ``"flat"``, a copy each), ``format`` (``"gltf"`` or ``"glb"``, where the name does not
        tell), ``durable``, ``strict_loss``
        (refuse what glTF cannot hold), ``threads``, ``memory``. `Written.losses` are what glTF cannot hold,
        `Written.warnings` what is wrong with shapes.
        """
        if "format" not in options and not fspath(path).lower().endswith((".gltf", ".glb")):
            raise argument_error("end the name in .gltf or .glb, or give the format")
        return self._written(self._native.export(fspath(path), options))

    def to_usd(self, path: _Path, **options: Any) -> Written:
        """Writes it as text of USD (``.usda``). Options are those of `to_gltf`."""
        return self._written(self._native.export(fspath(path), {"format": "usda", **options}))

    def to_mitsuba(self, path: _Path, **options: Any) -> Written:
        """Writes it for Mitsuba 3 (``.xml``), with its meshes beside. Options are those of `to_gltf`."""
        return self._written(self._native.export(fspath(path), {"format": "xml", **options}))

    def to_packed(self, path: _Path, **options: Any) -> Written:
        """Packs it into one file (``.solio``) that is read many times faster, with the meshes of its files.

        Options: ``meshes=False`` leaves these where they are, ``places=False`` forgets where in the text
        everything stood, ``durable``, ``threads``, ``memory``. `Written.warnings` name meshes that cannot be
        read, and stay in their files.
        """
        return self._written(self._native.pack(fspath(path), options))

    def to_pbrt(self, path: _Path, **options: Any) -> Written:
        """Writes it as text of pbrt; ``.gz`` and ``.zst`` names are compressed.

        Text is formatted: blocks indented, a parameter a line, comments kept; files that it includes stay.
        Options: ``upgrade=True`` brings version 3 to 4, ``meshes="ply"`` moves meshes into files and
        ``"inline"`` into the text, ``whole=True`` writes all texts into the folder ``path``, ``durable``,
        ``threads``, ``memory``. A packed scene is unpacked, with its meshes, and takes no other options.
        `Written.warnings` say what could not be read or upgraded.
        """
        return self._written(self._native.write_text(fspath(path), options))

    def _written(self, made: Any) -> Written:
        files, file_bytes, warnings, losses = made
        named = [(fsdecode(name), size) for name, size in files]
        return Written(named, file_bytes, file_bytes, warnings, [Loss(*loss) for loss in losses])

    def _parameters(self, kind: str, number: int) -> dict[str, Any]:
        return {
            name: _value(type_, values)
            for name, type_, values in self._native.parameters(kind, number)
        }

    def _repr_png_(self) -> bytes:
        if self._png is None:
            self._png = self.preview(_SHOWN, _SHOWN).preview(size=_SHOWN)
        return self._png

    def _repr_html_(self) -> str:
        from base64 import b64encode
        from html import escape

        picture = b64encode(self._repr_png_()).decode()
        title = escape(repr(self)[1:-1])
        image = f'<img alt="{title}" src="data:image/png;base64,{picture}">'
        return f"<figure>{image}<figcaption>{title}</figcaption></figure>"

    def __repr__(self) -> str:
        shapes, definitions = self._shapes.world_shapes, len(self.definitions)
        return (
            f"<solio.Scene {self.path!r}: {shapes:,} shapes, {definitions:,} definitions, "
            f"{len(self.instances):,} instances>"
        )


def _number(found: Any) -> int | None:
    return None if found == NONE else int(found)


# How many numbers one value of a type has.
_WIDTHS = {"point2": 2, "vector2": 2, "point3": 3, "vector3": 3, "normal": 3, "rgb": 3, "xyz": 3}


def _value(type_: str, values: Any) -> Any:
    """One value by itself, several as an array or a list; points and the like have a row each."""
    width = _WIDTHS.get(type_, 1)
    if width > 1 and len(values) % width == 0 and len(values) > width:
        return values.reshape(-1, width)
    if len(values) == 1:
        return values.item() if isinstance(values, np.ndarray) else values[0]
    return values


def read_scene(
    path: _Path,
    *,
    version: Literal[3, 4] | None = None,
    check: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    max_bytes: int | None = None,
    max_elements: int | None = None,
) -> Scene:
    """Reads a pbrt scene with all texts that it includes (``.pbrt``, also compressed), or a packed one.

    >>> scene = solio.read_scene("city.pbrt")            # doctest: +SKIP
    >>> scene.instances.matrices.shape                   # doctest: +SKIP
    >>> scene.to_gltf("city.glb").losses                 # doctest: +SKIP

    ``version`` reads it as that one of pbrt, where it is not to be found out. ``check`` holds every statement
    against the classes and parameters that pbrt knows; what is wrong is in `Scene.problems`. ``max_bytes`` and
    ``max_elements`` bound what a file may ask for. Raises `solio.Error` where it cannot be read to its end.
    """
    return Scene(
        path,
        version=version,
        check=check,
        threads=threads,
        memory=memory,
        max_bytes=max_bytes,
        max_elements=max_elements,
    )
