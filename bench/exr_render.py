#!/usr/bin/env python3
"""Renders what `bench/run --only exr` measures on: PYTHON-WITH-BPY bench/exr_render.py OUT.exr

A small scene of our own (balls of several materials on a plane, a textured wall, one lamp and a
sky), 960 × 540, few samples, with 60 channels in 20 parts, as a compositor
gets them: light by light, position, normals, cryptomatte. 32-bit floats, compressed with ZIP.
"""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import bpy

PASSES = (
    "combined z mist position normal vector uv "
    "diffuse_direct diffuse_indirect diffuse_color glossy_direct glossy_indirect glossy_color "
    "transmission_direct transmission_color emit environment "
    "ambient_occlusion cryptomatte_object cryptomatte_material"
).split()


def material(name: str, color: tuple[float, float, float], **inputs: float) -> bpy.types.Material:
    made = bpy.data.materials.new(name)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1)
    for key, value in inputs.items():
        shader.inputs[key.replace("_", " ")].default_value = value
    return made


def textured(name: str) -> bpy.types.Material:
    made = material(name, (0.5, 0.5, 0.5))
    tree = made.node_tree
    noise = tree.nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = 9
    noise.inputs["Detail"].default_value = 8
    tree.links.new(noise.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return made


def build_scene() -> bpy.types.Scene:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    pick = random.Random(4)
    kinds = [
        dict(Roughness=0.5),
        dict(Roughness=0.1, Metallic=1.0),
        dict(Roughness=0.05, Transmission_Weight=1.0),
        dict(Emission_Strength=0.0),
    ]
    bpy.ops.mesh.primitive_plane_add(size=40)
    bpy.context.object.data.materials.append(material("floor", (0.3, 0.32, 0.35)))
    bpy.ops.mesh.primitive_plane_add(size=40, location=(0, 9, 0), rotation=(math.pi / 2, 0, 0))
    bpy.context.object.data.materials.append(textured("wall"))
    for i in range(40):
        radius = pick.uniform(0.2, 0.9)
        place = (pick.uniform(-8, 8), pick.uniform(-4, 7), radius)
        bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, location=place, segments=48)
        bpy.ops.object.shade_smooth()
        color = (pick.random(), pick.random(), pick.random())
        made = textured(f"ball {i}") if i % 5 == 0 else material(f"ball {i}", color, **kinds[i % 4])
        bpy.context.object.data.materials.append(made)
    bpy.ops.object.light_add(type="AREA", location=(-4, -6, 9), rotation=(0.6, 0, -0.5))
    bpy.context.object.data.energy = 1500
    bpy.context.object.data.size = 3
    bpy.ops.object.camera_add(location=(0, -14, 4.5), rotation=(1.35, 0, 0))
    scene.camera = bpy.context.object
    scene.world = bpy.data.worlds.new("sky")
    scene.world.color = (0.2, 0.3, 0.5)
    return scene


def main() -> None:
    [target] = sys.argv[1:]
    scene = build_scene()
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = 4
    scene.cycles.use_denoising = False
    scene.cycles.seed = 1
    scene.render.resolution_x, scene.render.resolution_y = 960, 540
    scene.render.resolution_percentage = 100
    layer = scene.view_layers[0]
    layer.name = "all"
    layer.pass_cryptomatte_depth = 2
    for name in PASSES:
        owner = next(o for o in (layer, layer.cycles) if hasattr(o, f"use_pass_{name}"))
        setattr(owner, f"use_pass_{name}", True)
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "MULTI_LAYER_IMAGE"
    settings.file_format = "OPEN_EXR_MULTILAYER"
    settings.color_depth = "32"
    settings.exr_codec = "ZIP"
    scene.render.filepath = str(Path(target).resolve())
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
