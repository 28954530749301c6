"""What things in a scene look like, in a neutral form that other programs have."""

from __future__ import annotations

from os import fsdecode
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from . import _solio

if TYPE_CHECKING:
    import numpy.typing as npt

    _Color = tuple[float, float, float]
    _Wrap = Literal["repeat", "clamp", "black"]


class SceneTexture:
    """Values by the place on a surface: a picture of a file, or a pattern that `bake` makes one of."""

    __slots__ = ("_key", "_scene", "encoding", "is_number", "offset", "path", "scale", "wrap")

    def __init__(self, scene: _solio.Scene, key: tuple[str, int, str], given: dict[str, Any]) -> None:
        self._scene, self._key = scene, key
        path = given["path"]
        self.path: str | None = None if path is None else fsdecode(path)
        """The file of the picture; ``None`` for a pattern, such as a checker, that has to be baked."""
        self.encoding: tuple[str, float] | None = given["encoding"]
        """How integers of the file become light: ``("srgb", 1)``, ``("linear", 1)``, or ``("gamma", power)``."""
        self.is_number: bool = given["is_number"]
        """Whether it gives one number a place, and no colour."""
        self.scale: tuple[float, float] = given["scale"]
        """What u and v are multiplied by."""
        self.offset: tuple[float, float] = given["offset"]
        """What is added behind: (0, 0) is the lower left corner of the picture, (1, 1) the upper right one."""
        self.wrap: _Wrap = given["wrap"]
        """What lies beyond the borders."""

    def bake(self, most: int = 1024) -> SceneBake:
        """It as a picture of at most ``most`` columns and rows, in linear light."""
        pixels, scale, offset, wrap = _solio.scene_bake(self._scene, *self._key, most)
        return SceneBake(pixels, (scale[0], scale[1]), (offset[0], offset[1]), wrap)

    def __repr__(self) -> str:
        return f"<solio.scene.SceneTexture {self.path or 'pattern'!r}>"


class SceneBake(NamedTuple):
    """A texture as a picture."""

    pixels: npt.NDArray[np.float32]
    """Linear light, or a number three times: shape (H, W, 3), from the top."""
    scale: tuple[float, float]
    """As `SceneTexture.scale`."""
    offset: tuple[float, float]
    """As `SceneTexture.offset`."""
    wrap: str
    """As `SceneTexture.wrap`."""


class SceneColor(NamedTuple):
    """A colour, and the texture that it is multiplied by."""

    factor: _Color
    """Linear light with the primaries of sRGB."""
    texture: SceneTexture | None = None


class SceneNumber(NamedTuple):
    """A number, and the texture that it is multiplied by."""

    factor: float
    texture: SceneTexture | None = None


class SceneMaterial(NamedTuple):
    """What a surface looks like. Fields that its kind does not have stand at what changes nothing.

    Roughness is that of glTF, USD and Blender: the root of α, the width of microfacets.
    """

    name: str
    """Its name; ``material.N`` where the scene gives none."""
    kind: str
    """Which lobes it has: ``diffuse``, ``coated-diffuse``, ``conductor``, ``coated-conductor``, ``dielectric``,
    ``thin-dielectric``, ``diffuse-transmission``, ``subsurface``, ``hair``, ``measured``, ``mix``,
    ``principled``, ``interface`` (the border of a medium, which is not seen)."""
    base: SceneColor
    """What is reflected diffusely, F0 of a metal, the tint of glass; under a coat as in pbrt."""
    linear_base: SceneColor
    """The base for programs that blend base and coat linearly: darkened, so that both together are as bright
    as pbrt's."""
    metallic: SceneNumber
    roughness: SceneNumber
    alphas: tuple[float, float]
    """α along u and v."""
    transmission: SceneNumber
    """How much goes through: 1 for glass."""
    ior: float
    """The refractive index of glass, or of the coat of a diffuse surface."""
    dispersion: float
    """20 over Abbe's number; 0 without dispersion."""
    is_thin: bool
    """Whether it is a sheet without an inside."""
    specular: float
    """How much of the reflection of a dielectric there is."""
    specular_color: _Color
    coat: float
    """How much varnish there is over the rest: 0 to 1."""
    coat_roughness: SceneNumber | None
    coat_ior: float
    sheen: _Color | None
    """The colour of cloth at grazing angles."""
    sheen_roughness: float
    subsurface: float
    """How much of the light goes below the surface."""
    subsurface_radius: _Color | None
    """The mean free path of red, green and blue, in units of the world."""
    subsurface_anisotropy: float
    diffuse_transmission: SceneColor | None
    """What goes through diffusely: leaves."""
    opacity: SceneNumber
    """How much of the surface is there at all."""
    normal_map: SceneTexture | None
    """Normals in the space of tangents; the values of the file are linear."""
    bump: SceneNumber | None
    """Heights in units of the world, which normals are bent by."""
    mix: tuple[int, int] | None
    """The two materials of a mixture, of `Scene.materials`."""
    mix_amount: SceneNumber | None
    """How much of the second."""
    measured: str | None
    """The file of a measured material."""


class SceneAreaLight(NamedTuple):
    """What lets shapes shine."""

    color: _Color
    """Linear; its largest part is 1."""
    strength: float
    """What the colour is multiplied by: nits, as pbrt has them, without a factor of 683. With a `power`
    `SceneShape.emitted_strength` is that of a shape."""
    is_two_sided: bool
    """Whether both sides shine; else the one that normals point to."""
    power: float | None
    """The power in watts that each triangle, patch or quadric is to have."""
    texture: SceneTexture | None
    """The picture that the colour is multiplied by."""


class SceneLight:
    """A light without a shape."""

    __slots__ = (
        "_key",
        "_scene",
        "angles",
        "color",
        "direction",
        "illuminance",
        "is_exact",
        "kind",
        "mapping",
        "picture",
        "position",
        "strength",
        "to_world",
    )

    def __init__(self, scene: _solio.Scene, number: int, given: dict[str, Any]) -> None:
        self._scene, self._key = scene, number
        self.kind: Literal["distant", "point", "spot", "projection", "sky"] = given["kind"]
        self.color: _Color = given["color"]
        """Linear; its largest part is 1."""
        self.strength: float = given["strength"]
        """What the colour is multiplied by: candela (points, cones), lux (directions), nits (skies), as pbrt
        has them, without a factor of 683."""
        self.angles: tuple[float, float] | None = given["angles"]
        """Of a cone half the angle of all of it, and of the part that is as bright as its middle; of a
        projection the whole angle twice. In radians."""
        x, y, z = given["position"]
        self.position: _Color = (x, y, z)
        """Where it is, in the world."""
        x, y, z = given["direction"]
        self.direction: _Color = (x, y, z)
        """Where it shines, of length 1, in the world."""
        self.to_world = np.array(given["to_world"], np.float64).T
        """Light to world, shape (4, 4), for column vectors."""
        self.illuminance: float | None = given["illuminance"]
        """The illuminance in lux that a sky with a picture is to give what looks up; then `strength` is 1."""
        picture = given["picture"]
        self.picture: str | None = None if picture is None else fsdecode(picture)
        """The file that it shines by."""
        self.mapping: Literal["equal-area", "lat-long", "flat"] | None = given["mapping"]
        """How the picture lies around it."""
        self.is_exact: bool = given["is_exact"]
        """Whether the fields say all of it."""

    def sky(self) -> npt.NDArray[np.float32]:
        """The picture of a sky by longitude and latitude in linear light, shape (H, W, 3), in the light's own
        space: from the left ``atan2(y, x) / 2π``, from the top the angle from +z."""
        return _solio.scene_sky(self._scene, self._key)

    def __repr__(self) -> str:
        return f"<solio.scene.SceneLight {self.kind}>"


class SceneMedium(NamedTuple):
    """What light meets in a space."""

    name: str
    absorption: _Color
    """How much of red, green and blue is absorbed, per unit of the world."""
    scattering: _Color
    """How much is scattered, per unit of the world."""
    anisotropy: float
    """Henyey and Greenstein's asymmetry: -1 to 1."""
    is_homogeneous: bool
    """Whether it is the same everywhere; else the figures are those of a density of 1."""


_COLORS = {"base", "linear_base", "diffuse_transmission"}
_NUMBERS = {"metallic", "roughness", "transmission", "coat_roughness", "opacity", "bump", "mix_amount"}


def _texture(
    scene: _solio.Scene, key: tuple[str, int, str], given: dict[str, Any] | None
) -> SceneTexture | None:
    return None if given is None else SceneTexture(scene, key, given)


def number(scene: _solio.Scene, key: tuple[str, int, str], given: Any) -> SceneNumber:
    """A number of the native form."""
    return SceneNumber(given[0], _texture(scene, key, given[1]))


def materials(scene: _solio.Scene) -> list[SceneMaterial]:
    """All materials, and behind them that of shapes without one."""
    made = []
    for index, given in enumerate(_solio.scene_materials(scene)):
        for field in given:
            key = ("material", index, field)
            value = given[field]
            if value is None:
                continue
            if field in _COLORS:
                given[field] = SceneColor(value[0], _texture(scene, key, value[1]))
            elif field in _NUMBERS:
                given[field] = number(scene, key, value)
            elif field == "normal_map":
                given[field] = _texture(scene, key, value)
            elif field == "measured":
                given[field] = fsdecode(value)
        made.append(SceneMaterial(**given))
    return made


def area_lights(scene: _solio.Scene) -> list[SceneAreaLight]:
    """What lets shapes shine."""
    made = []
    for index, given in enumerate(_solio.scene_area_lights(scene)):
        given["texture"] = _texture(scene, ("area light", index, "texture"), given["texture"])
        made.append(SceneAreaLight(**given))
    return made


def alphas(scene: _solio.Scene) -> dict[int, SceneNumber]:
    """How much is there of shapes of which not all is there, by their numbers."""
    return {
        shape: number(scene, ("alpha", shape, "alpha"), given)
        for shape, given in _solio.scene_alphas(scene)
    }


def lights(scene: _solio.Scene) -> list[SceneLight]:
    """The lights without a shape that are known."""
    each = enumerate(_solio.scene_lights(scene))
    return [SceneLight(scene, index, given) for index, given in each if given is not None]


def media(scene: _solio.Scene) -> list[SceneMedium]:
    """The media."""
    made = []
    for given in _solio.scene_media(scene):
        for field in ("absorption", "scattering"):
            r, g, b = given[field]
            given[field] = (r, g, b)
        made.append(SceneMedium(**given))
    return made
