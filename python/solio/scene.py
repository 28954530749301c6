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

__all__ = [
    "Scene",
    "SceneCamera",
    "SceneCounts",
    "SceneDefinition",
    "SceneInstances",
    "SceneShape",
    "SceneShapes",
    "read_scene",
]
