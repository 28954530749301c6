"""What a pbrt scene consists of; `solio.read_scene` reads one."""

from __future__ import annotations

from ._scene import (
    Scene,
    SceneCamera,
    SceneCounts,
    SceneDefinition,
    SceneInstances,
    SceneShape,
    SceneShapes,
    read_scene,
)
from ._scene_looks import (
    SceneAreaLight,
    SceneBake,
    SceneColor,
    SceneLight,
    SceneMaterial,
    SceneMedium,
    SceneNumber,
    SceneTexture,
)

__all__ = [
    "Scene",
    "SceneAreaLight",
    "SceneBake",
    "SceneCamera",
    "SceneColor",
    "SceneCounts",
    "SceneDefinition",
    "SceneInstances",
    "SceneLight",
    "SceneMaterial",
    "SceneMedium",
    "SceneNumber",
    "SceneShape",
    "SceneShapes",
    "SceneTexture",
    "read_scene",
]
