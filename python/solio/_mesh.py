"""The mesh: NumPy arrays, no per-element objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._arrays import (
    argument_error,
    attribute_array,
    check_several,
    color_array,
    float_array,
    index_array,
    position_array,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ._arrays import _Floats, _Indices
    from ._material import Material

    _Domain = Literal["vertex", "face", "corner", "indexed"]
    _ColorSpace = Literal["linear", "srgb"]
    _AttributeKey = tuple[str, str]


class Object:
    """A named part of a mesh; each range starts where the last object's range ended."""

    __slots__ = (
        "faces_end",
        "lines_end",
        "material_slots",
        "mesh_name",
        "name",
        "normals_end",
        "points_end",
        "transform",
        "uvs_end",
        "vertices_end",
    )

    def __init__(
        self,
        name: str = "",
        *,
        mesh_name: str = "",
        vertices_end: int = 0,
        uvs_end: int = 0,
        normals_end: int = 0,
        faces_end: int = 0,
        lines_end: int = 0,
        points_end: int = 0,
        transform: npt.ArrayLike | None = None,
        material_slots: list[int] | None = None,
    ) -> None:
        self.name = name
        self.mesh_name = mesh_name
        self.vertices_end = vertices_end
        self.uvs_end = uvs_end
        self.normals_end = normals_end
        self.faces_end = faces_end
        self.lines_end = lines_end
        self.points_end = points_end
        self.material_slots = material_slots
        """The object's own list of materials: indices into `Mesh.materials` or `solio.NONE`. When
        there is one, `Mesh.face_materials` of this object's faces are positions in it."""
        self.transform: _Floats | None = None
        """Object to world, shape (4, 4), applied to column vectors."""
        if transform is not None:
            matrix = np.ascontiguousarray(transform, np.float32)
            if matrix.size != 16:
                raise argument_error(f"transform must have shape (4, 4), not {matrix.shape}")
            self.transform = matrix.reshape(4, 4)

    def __repr__(self) -> str:
        return f"Object({self.name!r}, faces_end={self.faces_end})"


class Instance:
    """A mesh once more in the same file: with its own name, place and materials.

    `write_mesh` takes it in place of a `Mesh`, and writes the mesh as one object. The arrays of a
    mesh that many instances share are looked at once.
    """

    __slots__ = ("material_slots", "mesh", "mesh_name", "name", "transform")

    def __init__(
        self,
        mesh: Mesh,
        name: str = "",
        *,
        mesh_name: str = "",
        transform: npt.ArrayLike | Sequence[Sequence[float]] | None = None,
        material_slots: list[int] | None = None,
    ) -> None:
        self.mesh = mesh
        self.name = name
        self.mesh_name = mesh_name
        self.transform = transform
        """As `Object.transform`; rows of numbers will do."""
        self.material_slots = material_slots
        """As `Object.material_slots`."""

    def __repr__(self) -> str:
        return f"Instance({self.name!r}, {self.mesh!r})"


class VertexGroup:
    """Named weights on some vertices."""

    __slots__ = ("name", "vertices", "weights")

    def __init__(self, name: str, vertices: npt.ArrayLike, weights: npt.ArrayLike) -> None:
        self.name = name
        self.vertices: _Indices = index_array(vertices, "vertices of a vertex group")
        """The vertices, rising."""
        self.weights: _Floats = float_array(weights, "weights of a vertex group", 1)
        """A weight for each of them, 0 to 1."""

    def __repr__(self) -> str:
        return f"VertexGroup({self.name!r}, {len(self.vertices)} vertices)"


class ListValues:
    """A list per element: element ``i`` has ``values[offsets[i]:offsets[i + 1]]``."""

    __slots__ = ("count_type", "offsets", "values")

    def __init__(
        self, offsets: npt.ArrayLike, values: npt.NDArray[Any], count_type: str = "uint8"
    ) -> None:
        self.offsets: _Indices = index_array(offsets, "offsets of a list attribute")
        self.values = values
        self.count_type = count_type
        """The type of the count in a PLY file."""

    def __repr__(self) -> str:
        return f"ListValues({len(self.offsets) - 1} lists of {self.values.dtype})"


class Mesh:
    """One pool of arrays, and the objects that share it.

    Make one with `Mesh.from_arrays`; `solio.read_mesh` returns one.
    """

    __slots__ = (
        "_libraries_unread",
        "_uv_lists",
        "attributes",
        "color_space",
        "colors",
        "comments",
        "corner_vertices",
        "face_groups",
        "face_materials",
        "face_offsets",
        "face_smoothing",
        "freeform",
        "groups",
        "line_offsets",
        "line_uvs",
        "line_vertices",
        "material_libraries",
        "materials",
        "normal_domain",
        "normal_indices",
        "normals",
        "objects",
        "pictures",
        "points",
        "positions",
        "uv_domain",
        "uv_indices",
        "uvs",
        "vertex_groups",
        "warnings",
        "weights",
    )

    positions: npt.NDArray[Any]
    """Vertices, shape (V, 3), ``float32`` or ``float64``."""
    weights: _Floats | None
    """The fourth coordinate of ``v x y z w``, shape (V,)."""
    colors: _Floats | None
    """RGBA of the vertices, shape (V, 4)."""
    color_space: _ColorSpace
    uvs: _Floats | None
    """Texture coordinates, shape (N, 2)."""
    uv_domain: _Domain
    """Which element each UV belongs to; ``indexed`` uses `uv_indices`."""
    uv_indices: _Indices | None
    """The UV of each corner, shape (C,); `solio.NONE` where there is none."""
    normals: _Floats | None
    """Normals, shape (N, 3)."""
    normal_domain: _Domain
    normal_indices: _Indices | None
    """The normal of each corner, shape (C,); `solio.NONE` where there is none."""
    face_offsets: _Indices
    """Where each face's corners start: F + 1 rising offsets; empty without faces."""
    corner_vertices: _Indices
    """The vertex of each corner, shape (C,)."""
    face_materials: _Indices
    """An index into `materials` or `solio.NONE` for each face; or empty."""
    face_smoothing: _Indices
    """The smoothing group of each face (0 is off); or empty."""
    face_groups: _Indices
    """An index into `groups` or `solio.NONE` for each face; or empty."""
    groups: list[str]
    line_offsets: _Indices
    """Where each polyline's vertices start: L + 1 rising offsets; empty without lines."""
    line_vertices: _Indices
    line_uvs: _Indices
    points: _Indices
    """Vertices that are point elements."""
    objects: list[Object]
    """How objects cut the mesh; empty means one unnamed object with everything."""
    vertex_groups: list[VertexGroup]
    attributes: dict[_AttributeKey, npt.NDArray[Any] | ListValues]
    """Further attributes by element (``vertex``, ``face``, ``edge`` or any other) and name, such
    as ``("vertex", "quality")``."""
    freeform: bytes
    """Free-form curves and surfaces, as statements of OBJ."""
    pictures: dict[str, bytes]
    """Files of pictures that came within the file of the mesh, by the paths that textures have."""
    materials: list[Material]
    material_libraries: list[str]
    _libraries_unread: bool
    _uv_lists: bool
    comments: list[str]
    """Lines at the head of a file of OBJ or PLY."""
    warnings: list[str]
    """What a lenient reader passed over, with its place."""

    def __init__(self) -> None:
        none = np.zeros(0, np.uint32)
        self.positions = np.zeros((0, 3), np.float32)
        self.weights = self.colors = None
        self.color_space = "linear"
        self.uvs = self.normals = self.uv_indices = self.normal_indices = None
        self.uv_domain = self.normal_domain = "corner"
        self.face_offsets = self.corner_vertices = none
        self.face_materials = self.face_smoothing = self.face_groups = none
        self.line_offsets = self.line_vertices = self.line_uvs = self.points = none
        self.groups = []
        self.objects = []
        self.vertex_groups = []
        self.attributes = {}
        self.freeform = b""
        self.materials = []
        self.pictures = {}
        self.material_libraries = []
        self._libraries_unread = False
        self._uv_lists = False
        self.comments = []
        self.warnings = []

    @classmethod
    def from_arrays(
        cls,
        positions: npt.ArrayLike,
        *,
        faces: npt.ArrayLike | Sequence[Sequence[int]] | None = None,
        face_offsets: npt.ArrayLike | None = None,
        corner_vertices: npt.ArrayLike | None = None,
        uvs: npt.ArrayLike | None = None,
        uv_indices: npt.ArrayLike | None = None,
        uv_domain: _Domain | None = None,
        normals: npt.ArrayLike | None = None,
        normal_indices: npt.ArrayLike | None = None,
        normal_domain: _Domain | None = None,
        colors: npt.ArrayLike | None = None,
        color_space: _ColorSpace = "linear",
        weights: npt.ArrayLike | None = None,
        face_materials: npt.ArrayLike | None = None,
        face_smoothing: npt.ArrayLike | None = None,
        face_groups: npt.ArrayLike | None = None,
        groups: Sequence[str] = (),
        lines: npt.ArrayLike | Sequence[Sequence[int]] | None = None,
        points: npt.ArrayLike | None = None,
        objects: Sequence[Object] = (),
        materials: Sequence[Material] = (),
        vertex_groups: Sequence[VertexGroup] = (),
        attributes: Mapping[str | _AttributeKey, npt.ArrayLike | ListValues] | None = None,
        comments: Sequence[str] = (),
        name: str | None = None,
        transform: npt.ArrayLike | None = None,
    ) -> Mesh:
        """A mesh from arrays; arrays of the right type and layout are not copied.

        Faces come either as ``faces`` (an (F, 3), (F, 4)… array or a list of lists) or as
        ``face_offsets`` (F + 1) with ``corner_vertices``; ``lines`` as an (L, k) array or a list
        of lists. Without a domain, UVs and normals are
        *indexed* when indices are given, else the first of corner, vertex and face whose count
        equals theirs. Colours are floats, RGB or RGBA, or codes of ``uint8`` or ``uint16``; other
        integers are refused. Keys of ``attributes`` without an element belong to vertices; integers of
        64 bits among their values become those of 32, which files have.
        """
        mesh = cls()
        mesh.positions = position_array(positions)
        if faces is not None:
            if face_offsets is not None or corner_vertices is not None:
                raise argument_error("give faces, or face_offsets with corner_vertices")
            mesh.face_offsets, mesh.corner_vertices = _cut(faces, "faces")
        elif (face_offsets is None) != (corner_vertices is None):
            raise argument_error("face_offsets and corner_vertices go together")
        elif face_offsets is not None and corner_vertices is not None:
            mesh.face_offsets = index_array(face_offsets, "face_offsets")
            mesh.corner_vertices = index_array(corner_vertices, "corner_vertices").reshape(-1)
        counts = _counts(mesh)
        if uvs is not None:
            mesh.uvs = float_array(uvs, "uvs", 2)
            mesh.uv_domain, mesh.uv_indices = _domain(
                len(mesh.uvs), uv_indices, uv_domain, counts, "uvs"
            )
        if normals is not None:
            mesh.normals = float_array(normals, "normals", 3)
            mesh.normal_domain, mesh.normal_indices = _domain(
                len(mesh.normals), normal_indices, normal_domain, counts, "normals"
            )
        if colors is not None:
            mesh.colors = color_array(colors)
            _same_length("colors", len(mesh.colors), counts["vertex"])
        if weights is not None:
            mesh.weights = float_array(weights, "weights", 1)
            _same_length("weights", len(mesh.weights), counts["vertex"])
        mesh.color_space = color_space
        for what, given in (
            ("face_materials", face_materials),
            ("face_smoothing", face_smoothing),
            ("face_groups", face_groups),
        ):
            if given is not None:
                array = index_array(given, what).reshape(-1)
                _same_length(what, len(array), counts["face"])
                setattr(mesh, what, array)
        if lines is not None:
            mesh.line_offsets, mesh.line_vertices = _cut(lines, "lines")
        if points is not None:
            mesh.points = index_array(points, "points").reshape(-1)
        check_several(groups, "groups")
        check_several(comments, "comments")
        mesh.groups = list(groups)
        mesh.materials = list(materials)
        mesh.vertex_groups = list(vertex_groups)
        mesh.comments = list(comments)
        for key, values in (attributes or {}).items():
            pair = ("vertex", key) if isinstance(key, str) else key
            if isinstance(values, ListValues):
                mesh.attributes[pair] = values
            else:
                mesh.attributes[pair] = attribute_array(values, f"attribute {pair[1]} of {pair[0]}")
        mesh.objects = list(objects)
        if name is not None or transform is not None:
            if objects:
                raise argument_error("give objects, or name and transform for one object")
            mesh.objects = [mesh.one_object(name or "", transform=transform)]
        return mesh

    def one_object(
        self, name: str, *, mesh_name: str = "", transform: npt.ArrayLike | None = None
    ) -> Object:
        """An object that holds the whole mesh."""
        return Object(
            name,
            mesh_name=mesh_name,
            vertices_end=len(self.positions),
            uvs_end=0 if self.uvs is None else len(self.uvs),
            normals_end=0 if self.normals is None else len(self.normals),
            faces_end=self.face_count,
            lines_end=max(len(self.line_offsets) - 1, 0),
            points_end=len(self.points),
            transform=transform,
        )

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self.positions)

    @property
    def face_count(self) -> int:
        """Number of faces."""
        return max(len(self.face_offsets) - 1, 0)

    @property
    def corner_count(self) -> int:
        """Number of face corners."""
        return len(self.corner_vertices)

    @property
    def faces(self) -> _Indices:
        """The faces as an (F, k) view, when all have k corners; see `face_offsets` otherwise."""
        count = self.face_count
        if count == 0:
            return np.zeros((0, 3), np.uint32)
        size = self.corner_count // count
        if size * count != self.corner_count or not bool(
            (np.diff(self.face_offsets) == size).all()
        ):
            raise argument_error("the faces have different numbers of corners")
        return self.corner_vertices.reshape(count, size)

    @property
    def vertices(self) -> npt.NDArray[Any]:
        """`positions`, by the name that other packages have for them."""
        return self.positions

    @property
    def bounds(self) -> npt.NDArray[np.float64] | None:
        """The least and the largest coordinates, shape (2, 3); what is not finite does not count. ``None`` where no
        vertex is left."""
        finite = self.positions[np.isfinite(self.positions).all(axis=1)]
        if not len(finite):
            return None
        return np.stack([finite.min(axis=0), finite.max(axis=0)]).astype(np.float64)

    @property
    def triangles(self) -> _Indices:
        """The faces as triangles, shape (T, 3): larger ones as fans around their first corner."""
        sizes = np.diff(self.face_offsets.astype(np.int64))
        if bool((sizes == 3).all()):
            return self.corner_vertices.reshape(-1, 3)
        counts = np.maximum(sizes - 2, 0)
        first = np.repeat(self.face_offsets[:-1].astype(np.int64), counts)
        step = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        triangles: _Indices = self.corner_vertices[np.stack([first, first + step + 1, first + step + 2], axis=1)]
        return triangles

    def preview(self, *, size: int = 512, up_axis: str = "Z") -> bytes:
        """A PNG to look at: the mesh in grey, or in the colours of its vertices, ``size`` pixels wide and high.

        ``up_axis`` is ``X``, ``Y``, ``Z`` or the same behind a ``-``. Goes by way of a temporary file.
        """
        from tempfile import TemporaryDirectory

        from ._command import preview
        from ._io import write_mesh

        with TemporaryDirectory() as folder:
            path = f"{folder}/mesh.ply"
            write_mesh(self, path)
            return preview(path, size=size, up_axis=up_axis)

    def _repr_png_(self) -> bytes:
        return self.preview()

    def to_trimesh(self) -> Any:
        """The mesh for ``trimesh``: vertices, triangles as of `triangles`, normals and colours of vertices.

        Texture coordinates of corners, materials, lines and further attributes stay behind.
        """
        import trimesh

        colors = None if self.colors is None else np.asarray(self.colors, np.float32)
        normals = self.normals if self.normal_domain == "vertex" else None
        return trimesh.Trimesh(
            self.positions, self.triangles, vertex_normals=normals, vertex_colors=colors, process=False
        )

    def to_pyvista(self) -> Any:
        """The mesh for PyVista: vertices, faces and lines of any size; normals, colours and texture coordinates of
        vertices as point data.

        Texture coordinates of corners, materials and further attributes stay behind.
        """
        import pyvista

        def padded(offsets: _Indices, indices: _Indices) -> npt.NDArray[np.int64] | None:
            if len(offsets) < 2:
                return None
            return np.insert(indices.astype(np.int64), offsets[:-1].astype(np.int64), np.diff(offsets.astype(np.int64)))

        faces, lines = (
            padded(self.face_offsets, self.corner_vertices),
            padded(self.line_offsets, self.line_vertices),
        )
        made = pyvista.PolyData(self.positions, faces=faces, lines=lines)
        if self.normals is not None and self.normal_domain == "vertex":
            made.point_data["Normals"] = self.normals
        if self.uvs is not None and self.uv_domain == "vertex":
            made.point_data["UV"] = self.uvs
        if self.colors is not None:
            made.point_data["RGBA"] = self.colors
        return made

    def __repr__(self) -> str:
        parts = [f"{self.vertex_count} vertices", f"{self.face_count} faces"]
        parts += [f"{name}" for name in ("uvs", "normals", "colors") if _has(self, name)]
        if self.objects:
            parts.append(f"{len(self.objects)} objects")
        if self.materials:
            parts.append(f"{len(self.materials)} materials")
        return f"<solio.Mesh: {', '.join(parts)}>"


def _has(mesh: Mesh, name: str) -> bool:
    return getattr(mesh, name) is not None


def _counts(mesh: Mesh) -> dict[_Domain, int]:
    return {"corner": mesh.corner_count, "vertex": mesh.vertex_count, "face": mesh.face_count}


def _same_length(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise argument_error(f"{what} must have {expected} values, not {found}")


def _cut(lists: Any, what: str) -> tuple[_Indices, _Indices]:
    """Offsets and flat values of a rectangular array or a list of lists."""
    if not isinstance(lists, np.ndarray) and len({len(row) for row in lists}) > 1:
        sizes = np.fromiter((len(row) for row in lists), np.int64, len(lists))
        # Of the type that they have: integers are asked for below.
        flat = np.array([value for row in lists for value in row])
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        return index_array(offsets, what), index_array(flat, what)
    array = index_array(lists, what)
    if array.size == 0:
        return np.zeros(0, np.uint32), np.zeros(0, np.uint32)
    if array.ndim != 2:
        raise argument_error(f"{what} must have shape (N, k), not {array.shape}")
    count, size = array.shape
    return np.arange(0, count * size + 1, size, dtype=np.uint32), array.reshape(-1)


def _domain(
    length: int,
    indices: npt.ArrayLike | None,
    domain: _Domain | None,
    counts: dict[_Domain, int],
    what: str,
) -> tuple[_Domain, _Indices | None]:
    if indices is not None:
        if domain not in (None, "indexed"):
            raise argument_error(f"{what} with indices have the domain 'indexed'")
        array = index_array(indices, f"indices of {what}").reshape(-1)
        _same_length(f"indices of {what}", len(array), counts["corner"])
        return "indexed", array
    if domain == "indexed":
        raise argument_error(f"{what} of the domain 'indexed' need indices")
    if domain is not None:
        if domain not in counts:
            raise argument_error(f"{what} have no domain {domain!r}; domains are {', '.join(counts)}")
        _same_length(what, length, counts[domain])
        return domain, None
    for candidate, count in counts.items():
        if count == length and (count or not any(counts.values())):
            return candidate, None
    raise argument_error(
        f"{length} {what} fit neither {counts['corner']} corners, "
        f"{counts['vertex']} vertices nor {counts['face']} faces"
    )
