# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's materials to MTL: the Principled BSDF and its image textures."""

from __future__ import annotations

import os
import sys

import numpy as np
import solio

from .names import one_line
from .older import COAT_FACTOR, node_tree, socket

# MTL statement, socket of the Principled BSDF, and whether it is of the PBR extension, of the
# classic keys only, or of both. In the order of Blender's files.
MAPS = (
    ("map_Kd", "Base Color", None),
    ("map_Pm", "Metallic", True),
    ("map_Ks", "Specular IOR Level", None),
    ("map_Ns", "Roughness", False),
    ("map_Pr", "Roughness", True),
    ("map_Ps", "Sheen Weight", True),
    ("map_refl", "Metallic", False),
    ("map_Ke", "Emission Color", None),
    ("map_d", "Alpha", None),
    ("map_Bump", "Normal", None),
)


class Library:
    """The materials of one exported file; equal materials are kept once."""

    def __init__(self, pbr, references):
        self.pbr = pbr
        self.references = references
        self.materials = []
        self._index = {}

    def slots(self, evaluated_object, mesh):
        """The material of each slot, as indices into `materials`, `solio.NONE` for an empty one."""
        found = []
        object_slots = evaluated_object.material_slots
        for i, material in enumerate(mesh.materials):
            if i < len(object_slots) and object_slots[i].link == "OBJECT":
                material = object_slots[i].material
            found.append(solio.NONE if material is None else self.add(material))
        return found

    def add(self, material):
        """The index of a material."""
        key = (material.original or material).as_pointer()
        if key not in self._index:
            self._index[key] = len(self.materials)
            self.materials.append(self.convert(material))
        return self._index[key]

    def convert(self, material):
        """A `solio.Material` with the keys that Blender writes."""
        return convert(material, self.pbr, self.references)


def convert(material, pbr, references):
    """A `solio.Material` with the keys that Blender writes."""
    tree = node_tree(material)
    bsdf = principled(tree)
    value = _Values(material, bsdf)
    out = solio.Material(one_line(material.name))
    written = set()
    for key, name, of_pbr in MAPS:
        texture = None if bsdf is None else _texture(tree, bsdf, key, name)
        if texture is None:
            continue
        written.add(key)
        if of_pbr is None or of_pbr == pbr:
            out.maps.append(_map(key, texture, references))
    _classic_keys(out, value, written, pbr)
    if pbr:
        _pbr_keys(out, value, written, bsdf)
    return out


class _Values:
    """Numbers of the BSDF, or of the material where there is none."""

    def __init__(self, material, bsdf):
        self.bsdf = bsdf
        self.material = material

    def number(self, name, otherwise):
        found = None if self.bsdf is None else socket(self.bsdf, name)
        return np.float32(otherwise if found is None else found.default_value)

    def color(self, name, otherwise):
        found = None if self.bsdf is None else socket(self.bsdf, name)
        return tuple(otherwise if found is None else found.default_value)[:3]


def _classic_keys(out, value, maps, pbr):
    material = value.material
    roughness = value.number("Roughness", material.roughness)
    specular = float(value.number("Specular IOR Level", material.specular_intensity))
    metallic = float(value.number("Metallic", material.metallic))
    alpha = float(value.number("Alpha", material.diffuse_color[3]))
    if not pbr:
        if "map_Ns" not in maps:
            smooth = np.float32(1) - roughness
            out.shininess = float(smooth * (smooth * np.float32(1000)))
        out.ambient = (metallic,) * 3 if metallic != 0 else (1.0, 1.0, 1.0)
    if "map_Kd" not in maps:
        out.diffuse = value.color("Base Color", material.diffuse_color)
    if "map_Ks" not in maps:
        out.specular = (specular,) * 3
    if "map_Ke" not in maps:
        strength = value.number("Emission Strength", 0)
        color = value.color("Emission Color", (0.0, 0.0, 0.0))
        out.emission = tuple(float(np.float32(c) * strength) for c in color)
    out.ior = float(value.number("IOR", 1))
    if "map_d" not in maps:
        out.opacity = alpha
    out.illum = _illumination(specular, metallic, alpha != 1.0)


def _illumination(specular, metallic, transparent):
    if specular == 0:
        return 1
    if metallic > 0:
        return 6 if transparent else 3
    return 9 if transparent else 2


def _pbr_keys(out, value, maps, bsdf):
    if "map_Pr" not in maps:
        out.roughness = _not_negative(value.number("Roughness", value.material.roughness))
    if "map_Pm" not in maps:
        out.metallic = _not_negative(value.number("Metallic", value.material.metallic))
    if bsdf is None:
        return
    if "map_Ps" not in maps:
        out.sheen = _not_negative(value.number("Sheen Weight", -1))
    out.clearcoat = _not_negative(value.number("Coat Weight", -1) * np.float32(COAT_FACTOR))
    out.clearcoat_roughness = _not_negative(value.number("Coat Roughness", -1))
    out.anisotropy = _not_negative(value.number("Anisotropic", -1))
    out.anisotropy_rotation = _not_negative(value.number("Anisotropic Rotation", -1))
    transmission = float(value.number("Transmission Weight", -1))
    if transmission > 0:
        out.transmission_filter = (transmission,) * 3


def _not_negative(value):
    return float(value) if value >= 0 else None


def principled(tree):
    """The Principled BSDF that feeds a Material Output directly."""
    if tree is None:
        return None
    for node in tree.nodes:
        if node.bl_idname == "ShaderNodeOutputMaterial":
            for link in node.inputs[0].links:
                if link.from_node.bl_idname == "ShaderNodeBsdfPrincipled":
                    return link.from_node
    return None


def _linked(tree, node, name, kind):
    """The node of a kind that feeds a socket directly.

    As in Blender's exporter, the socket is that of the tree's *first* node of the type of `node`.
    """
    if node is None:
        return None
    first = next(other for other in tree.nodes if other.bl_idname == node.bl_idname)
    found = socket(first, name)
    if found is not None:
        for link in found.links:
            if link.from_node.bl_idname == kind:
                return link.from_node
    return None


def _texture(tree, bsdf, key, name):
    """Image path, mapping node and strength of the texture of one statement; or `None`."""
    source, strength = bsdf, None
    if key == "map_Bump":
        source = _linked(tree, bsdf, "Normal", "ShaderNodeNormalMap")
        if source is None:
            return None
        name, strength = "Color", source.inputs["Strength"].default_value
    elif key == "map_Ke" and bsdf.inputs["Emission Strength"].default_value == 0:
        return None
    node = _linked(tree, source, name, "ShaderNodeTexImage")
    path = None if node is None else _image_path(node)
    if not path:
        return None
    return path, _linked(tree, node, "Vector", "ShaderNodeMapping"), strength


def _image_path(node):
    image = node.image
    if image is None or not image.filepath:
        return None
    if image.packed_file is not None:
        name = image.filepath.replace("\\", "/").rsplit("/", 1)[-1]
        print(
            f"Packed image found:'{name}'. Unpack and place the image in the same directory as "
            "the .MTL file.",
            file=sys.stderr,
        )
        return name
    path = image.filepath
    if image.source == "SEQUENCE":
        stem, extension = os.path.splitext(path)
        digits = len(stem) - len(stem.rstrip("0123456789"))
        if digits:
            frame = node.image_user.frame_current
            path = f"{stem[:-digits]}{frame:0{digits}d}{extension}"
    return path


def _map(key, texture, references):
    path, mapping, strength = texture
    options = []
    if mapping is not None:
        location = mapping.inputs["Location"].default_value
        scale = mapping.inputs["Scale"].default_value
        if tuple(location) != (0, 0, 0):
            options.append(("-o", " ".join(map(shortest, location))))
        if tuple(scale) != (1, 1, 1):
            options.append(("-s", " ".join(map(shortest, scale))))
    if strength is not None and strength > 0.0001:
        options.append(("-bm", f"{strength:f}"))
    return solio.TextureMap(key, one_line(references.name(path)), options)


def shortest(value):
    """The fewest digits that read back to the same 32-bit float."""
    text = str(np.float32(value))
    return text[:-2] if text.endswith(".0") else text
