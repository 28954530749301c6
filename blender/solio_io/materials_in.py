# SPDX-License-Identifier: GPL-3.0-or-later
"""From MTL to Blender's materials: a Principled BSDF with its image textures."""

from __future__ import annotations

import os

import bpy

from .older import COAT_FACTOR, socket

# MTL statement, socket, in the order of the rows of nodes.
TEXTURES = (
    ("map_kd", "Base Color"),
    ("map_pm", "Metallic"),
    ("map_ks", "Specular IOR Level"),
    ("map_ns", "Roughness"),
    ("map_pr", "Roughness"),
    ("map_ps", "Sheen Weight"),
    ("map_refl", "Metallic"),
    ("map_ke", "Emission Color"),
    ("map_d", "Alpha"),
    ("map_bump", "Normal"),
)
SAME = {"bump": "map_bump", "norm": "map_bump", "refl": "map_refl", "map_normal": "map_bump"}
TRANSPARENT = (4, 6, 7, 9)
REFLECTING = (3, 4, 5, 6, 7, 8)
GLASS = (4, 9)


class Materials:
    """The materials of one file, made when a mesh first needs them."""

    def __init__(self, materials, folder, collision_mode):
        self.materials = materials
        self.folder = folder
        self.reuse = collision_mode == "REFERENCE_EXISTING"
        self._made = {}

    def get(self, index):
        """The Blender material of a `solio` one."""
        if index not in self._made:
            source = self.materials[index]
            found = bpy.data.materials.get(source.name) if self.reuse else None
            self._made[index] = found or make(source, self.folder)
        return self._made[index]


def make(source, folder):
    """A new material."""
    material = bpy.data.materials.new(source.name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    bsdf = _node(tree, "ShaderNodeBsdfPrincipled", 0, 300)
    output = _node(tree, "ShaderNodeOutputMaterial", 280, 300)
    _set_values(material, bsdf, source)
    row = 300
    maps = {SAME.get(m.key.lower(), m.key.lower()): m for m in source.maps}
    for key, name in TEXTURES:
        if key in maps:
            _add_texture(tree, bsdf, key, name, maps[key], folder, row)
            row -= 300
    if "map_ke" in maps:
        bsdf.inputs["Emission Strength"].default_value = 1.0
    tree.links.new(bsdf.outputs["BSDF"], output.inputs["Surface"])
    tree.nodes.active = output
    return material


def _mean(color):
    return None if color is None else sum(color) / 3


def _set_values(material, bsdf, source):
    illum = source.illum if source.illum is not None else -1
    specular = _mean(source.specular)
    if specular is None:
        specular = 1.0 if illum == 2 else 0.0
    if source.shininess is None:
        roughness = 0.0 if illum == 2 else 1.0
    else:
        roughness = 1.0 - (min(max(source.shininess, 0.0), 1000.0) / 1000.0) ** 0.5
    metallic = 0.0
    if illum in REFLECTING:
        mean = _mean(source.ambient)
        metallic = 1.0 if mean is None else mean
    ior, alpha = source.ior, source.opacity
    if ior is None and illum in TRANSPARENT:
        ior = 1.5 if illum in GLASS else 1.0
    if alpha is None and illum in TRANSPARENT:
        alpha = 1.0
    values = {
        "Base Color": None if source.diffuse is None else (*source.diffuse, 1.0),
        "Emission Color": None if source.emission is None else (*source.emission, 1.0),
        "Specular IOR Level": specular,
        "Roughness": roughness if source.roughness is None else source.roughness,
        "Metallic": metallic if source.metallic is None else source.metallic,
        "IOR": ior,
        "Alpha": alpha,
        "Sheen Weight": source.sheen,
        "Coat Weight": None if source.clearcoat is None else source.clearcoat / COAT_FACTOR,
        "Coat Roughness": source.clearcoat_roughness,
        "Anisotropic": source.anisotropy,
        "Anisotropic Rotation": source.anisotropy_rotation,
        "Transmission Weight": _mean(source.transmission_filter),
    }
    for name, value in values.items():
        if value is not None:
            socket(bsdf, name).default_value = value
    if source.emission is not None and any(source.emission):
        bsdf.inputs["Emission Strength"].default_value = 1.0
    if source.diffuse is not None:
        material.diffuse_color = (*source.diffuse, material.diffuse_color[3])
    material.roughness = values["Roughness"]
    material.metallic = values["Metallic"]


def _node(tree, kind, x, y):
    node = tree.nodes.new(kind)
    node.location = (x, y)
    return node


def _add_texture(tree, bsdf, key, name, texture, folder, row):
    options = {option.lower(): text.split() for option, text in texture.options}
    node = _node(tree, "ShaderNodeTexImage", -480, row)
    node.image = image_at(texture.path, folder)
    if "sphere" in options.get("-type", ()):
        node.projection = "SPHERE"
    location = _vector(options.get("-o"), 0.0)
    scale = _vector(options.get("-s"), 1.0)
    if location != (0.0, 0.0, 0.0) or scale != (1.0, 1.0, 1.0):
        coordinates = _node(tree, "ShaderNodeTexCoord", -880, row)
        mapping = _node(tree, "ShaderNodeMapping", -680, row)
        mapping.inputs["Location"].default_value = location
        mapping.inputs["Scale"].default_value = scale
        tree.links.new(coordinates.outputs["UV"], mapping.inputs["Vector"])
        tree.links.new(mapping.outputs["Vector"], node.inputs["Vector"])
    if key == "map_bump":
        normal = _node(tree, "ShaderNodeNormalMap", -200, row)
        strength = _vector(options.get("-bm"), 1.0)[0]
        normal.inputs["Strength"].default_value = max(0.0, strength)
        tree.links.new(node.outputs["Color"], normal.inputs["Color"])
        tree.links.new(normal.outputs["Normal"], bsdf.inputs["Normal"])
    else:
        output = node.outputs["Alpha" if key == "map_d" else "Color"]
        tree.links.new(output, socket(bsdf, name))


def _vector(words, missing):
    values = []
    for word in words or ():
        try:
            values.append(float(word))
        except ValueError:
            break
    return tuple((values + [missing] * 3)[:3])


def image_at(path, folder):
    """The image at a path of the MTL, or a placeholder of that name."""
    path = path.replace('"', "")
    slashed = path.replace("\\", "/")
    tries = (
        os.path.join(folder, slashed),
        slashed,
        slashed.replace("_", " "),
        os.path.join(folder, os.path.basename(slashed)),
    )
    for candidate in tries:
        if os.path.isfile(candidate):
            path = _preferred(os.path.abspath(candidate))
            return bpy.data.images.load(path, check_existing=True)
    image = bpy.data.images.new(os.path.basename(slashed), 32, 32)
    image.filepath = tries[0]
    image.source = "FILE"
    return image


def _preferred(path):
    """The path as the preferences want it: relative to the saved file, or absolute."""
    relative = bpy.context.preferences.filepaths.use_relative_paths and bpy.data.filepath
    return bpy.path.relpath(path) if relative else path
