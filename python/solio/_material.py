"""Materials, as MTL files describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    _Color = tuple[float, float, float]


class TextureMap:
    """A texture statement such as ``map_Kd -o 0 0.5 0 -s 2 2 1 wood.png``."""

    __slots__ = ("key", "options", "path")

    def __init__(
        self, key: str, path: str, options: list[tuple[str, str]] | None = None
    ) -> None:
        self.key = key
        """The key as written: ``map_Kd``, ``map_Bump``, ``norm``, ``refl``…"""
        self.path = path
        """The file name as written; where the MTL lies in another folder, as seen from the OBJ."""
        self.options = options if options is not None else []
        """The options before the file name, each as ``("-bm", "0.3")``."""

    def __repr__(self) -> str:
        return f"TextureMap({self.key!r}, {self.path!r}, {self.options!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextureMap) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]


class Material:
    """A material: the keys of a ``newmtl`` block, or what glTF has in their places. A key that the file does not
    have is ``None``."""

    __slots__ = (
        "alpha_cutoff",
        "ambient",
        "anisotropy",
        "anisotropy_rotation",
        "clearcoat",
        "clearcoat_roughness",
        "diffuse",
        "double_sided",
        "emission",
        "illum",
        "ior",
        "maps",
        "metallic",
        "name",
        "opacity",
        "other",
        "roughness",
        "sharpness",
        "sheen",
        "shininess",
        "specular",
        "transmission_filter",
    )

    def __init__(
        self,
        name: str,
        *,
        ambient: _Color | None = None,
        diffuse: _Color | None = None,
        specular: _Color | None = None,
        emission: _Color | None = None,
        transmission_filter: _Color | None = None,
        shininess: float | None = None,
        ior: float | None = None,
        opacity: float | None = None,
        illum: int | None = None,
        sharpness: float | None = None,
        roughness: float | None = None,
        metallic: float | None = None,
        sheen: float | None = None,
        clearcoat: float | None = None,
        clearcoat_roughness: float | None = None,
        anisotropy: float | None = None,
        anisotropy_rotation: float | None = None,
        double_sided: bool | None = None,
        alpha_cutoff: float | None = None,
        maps: list[TextureMap] | None = None,
        other: list[str] | None = None,
    ) -> None:
        self.name = name
        self.ambient = ambient
        """``Ka``"""
        self.diffuse = diffuse
        """``Kd``"""
        self.specular = specular
        """``Ks``"""
        self.emission = emission
        """``Ke``"""
        self.transmission_filter = transmission_filter
        """``Tf``"""
        self.shininess = shininess
        """``Ns``, 0 to 1000"""
        self.ior = ior
        """``Ni``"""
        self.opacity = opacity
        """``d`` (also read from ``Tr``, which is 1 - d)"""
        self.illum = illum
        """``illum``, the illumination model"""
        self.sharpness = sharpness
        """``sharpness``"""
        self.roughness = roughness
        """``Pr``"""
        self.metallic = metallic
        """``Pm``"""
        self.sheen = sheen
        """``Ps``"""
        self.clearcoat = clearcoat
        """``Pc``"""
        self.clearcoat_roughness = clearcoat_roughness
        """``Pcr``"""
        self.anisotropy = anisotropy
        """``aniso``"""
        self.anisotropy_rotation = anisotropy_rotation
        """``anisor``"""
        self.double_sided = double_sided
        """Whether both sides of faces are seen; MTL does not tell"""
        self.alpha_cutoff = alpha_cutoff
        """The opacity from which on a surface is seen at all; MTL does not tell"""
        self.maps = maps if maps is not None else []
        """Texture maps, in the order of the file."""
        self.other = other if other is not None else []
        """Statements that are not understood, kept as they are, one a line."""

    def __repr__(self) -> str:
        given = (
            f"{name}={getattr(self, name)!r}"
            for name in self.__slots__
            if name != "name" and getattr(self, name) not in (None, [])
        )
        return f"Material({', '.join([repr(self.name), *given])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Material) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]
