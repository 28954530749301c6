# SPDX-License-Identifier: GPL-3.0-or-later
"""From glTF's materials to Blender's: a Principled BSDF with its images."""

from __future__ import annotations

import bpy

from . import materials_in
from .older import socket

# Key of a texture, socket, the channel of the image that counts there, and whether it is a colour.
TEXTURES = (
    ("map_Kd", "Base Color", "", True),
    ("map_Pm", "Metallic", "Blue", False),
    ("map_Pr", "Roughness", "Green", False),
    ("map_Ke", "Emission Color", "", True),
    ("map_d", "Alpha", "Alpha", True),
    ("norm", "Normal", "", False),
    ("map_Pc", "Coat Weight", "Red", False),
    ("map_Pcr", "Coat Roughness", "Green", False),
)


# Options that say how an image lies on a surface.
PLACING = ("-o", "-s", "-clamp")


class GltfMaterials:
    """The materials of one file, made when a mesh first needs them."""

    def __init__(self, mesh, folder):
        self.materials = mesh.materials
        self.pictures = mesh.pictures
        self.folder = folder
        self._made = {}
        self._images = {}

    def get(self, index):
        """The Blender material of a `solio` one."""
        if index not in self._made:
            self._made[index] = self._make(self.materials[index])
        return self._made[index]

    def _make(self, source):
        material = bpy.data.materials.new(source.name)
        if bpy.app.version < (5, 0):
            material.use_nodes = True
        material.use_backface_culling = not source.double_sided
        tree = material.node_tree
        bsdf = tree.nodes["Principled BSDF"]
        _numbers(material, bsdf, source)
        maps = {found.key: found for found in source.maps}
        nodes, row = {}, 300
        for key, name, channel, is_color in TEXTURES:
            if key not in maps:
                continue
            placed = tuple(option for option in maps[key].options if option[0] in PLACING)
            same = (maps[key].path, placed)
            if same not in nodes:
                nodes[same] = self._node(tree, maps[key], is_color, row)
                row -= 300
            _link(tree, bsdf, nodes[same], maps[key], name, channel)
        return material

    def _node(self, tree, texture, is_color, row):
        node = tree.nodes.new("ShaderNodeTexImage")
        node.location = (-480, row)
        node.image = self._image(texture.path, is_color)
        options = {option: text.split() for option, text in texture.options}
        if options.get("-clamp") == ["on"]:
            node.extension = "EXTEND"
        place, scale = (
            tuple(float(x) for x in (*options.get(name, ()), usual, usual)[:2])
            for name, usual in (("-o", 0.0), ("-s", 1.0))
        )
        if place != (0.0, 0.0) or scale != (1.0, 1.0):
            mapping = tree.nodes.new("ShaderNodeMapping")
            mapping.location = (-680, row)
            mapping.inputs["Location"].default_value = (*place, 0.0)
            mapping.inputs["Scale"].default_value = (*scale, 1.0)
            coordinates = tree.nodes.new("ShaderNodeTexCoord")
            coordinates.location = (-880, row)
            tree.links.new(coordinates.outputs["UV"], mapping.inputs["Vector"])
            tree.links.new(mapping.outputs["Vector"], node.inputs["Vector"])
        return node

    def _image(self, path, is_color):
        if path not in self._images:
            self._images[path] = self._load(path)
            if not is_color:
                self._images[path].colorspace_settings.name = "Non-Color"
        return self._images[path]

    def _load(self, path):
        picture = self.pictures.get(path)
        if picture is None:
            return materials_in.image_at(path, self.folder)
        image = bpy.data.images.new(path, 1, 1)
        image.source = "FILE"
        image.filepath = path
        image.pack(data=picture, data_len=len(picture))
        return image


def _numbers(material, bsdf, source):
    level = None if source.specular is None else sum(source.specular) / 3
    emission = source.emission or (0.0, 0.0, 0.0)
    strength = max(1.0, *emission)
    values = {
        "Base Color": None if source.diffuse is None else (*source.diffuse, 1.0),
        "Metallic": source.metallic,
        "Roughness": source.roughness,
        "Alpha": source.opacity,
        "IOR": source.ior,
        "Specular IOR Level": level,
        "Emission Color": (*(part / strength for part in emission), 1.0),
        "Emission Strength": strength if any(emission) else 0.0,
        "Coat Weight": source.clearcoat,
        "Coat Roughness": source.clearcoat_roughness,
        "Sheen Weight": source.sheen,
        "Anisotropic": source.anisotropy,
        "Anisotropic Rotation": source.anisotropy_rotation,
        "Transmission Weight": source.transmission_filter and source.transmission_filter[0],
    }
    for name, value in values.items():
        found = socket(bsdf, name)
        if value is not None and found is not None:
            found.default_value = value
    if source.diffuse is not None:
        alpha = 1.0 if source.opacity is None else source.opacity
        material.diffuse_color = (*source.diffuse, alpha)


def _link(tree, bsdf, node, texture, name, channel):
    found = socket(bsdf, name)
    if name == "Normal":
        normal = tree.nodes.new("ShaderNodeNormalMap")
        normal.location = (-200, node.location.y)
        strengths = [text for option, text in texture.options if option == "-bm"]
        normal.inputs["Strength"].default_value = float(strengths[0]) if strengths else 1.0
        tree.links.new(node.outputs["Color"], normal.inputs["Color"])
        tree.links.new(normal.outputs["Normal"], found)
        return
    if channel in ("Red", "Green", "Blue"):
        split = next(
            (
                link.to_node
                for link in node.outputs["Color"].links
                if link.to_node.bl_idname == "ShaderNodeSeparateColor"
            ),
            None,
        )
        if split is None:
            split = tree.nodes.new("ShaderNodeSeparateColor")
            split.location = (-200, node.location.y)
            tree.links.new(node.outputs["Color"], split.inputs[0])
        tree.links.new(split.outputs[channel], found)
        return
    tree.links.new(node.outputs["Alpha" if channel == "Alpha" else "Color"], found)
