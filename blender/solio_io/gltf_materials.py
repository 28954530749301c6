# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's materials to those of glTF: the Principled BSDF and the images that feed it."""

from __future__ import annotations

import os

import bpy
import solio

from .materials_out import Library, principled, shortest
from .names import one_line
from .older import node_tree, socket

# A socket of the Principled BSDF, the key of its texture, and the channel of an image that glTF takes
# there, if it is not the colour.
TEXTURES = (
    ("Base Color", "map_Kd", ""),
    ("Metallic", "map_Pm", "Blue"),
    ("Roughness", "map_Pr", "Green"),
    ("Emission Color", "map_Ke", ""),
    ("Alpha", "map_d", "Alpha"),
)
SEPARATORS = {"ShaderNodeSeparateColor", "ShaderNodeSeparateRGB"}
SHORT = {"R": "Red", "G": "Green", "B": "Blue"}


class GltfLibrary(Library):
    """The materials of one exported file; images without a file of their own go to `folder`."""

    def __init__(self, folder):
        super().__init__(True, None)
        self.folder = folder
        self.warnings = []
        self._images = {}

    def convert(self, material):
        tree = node_tree(material)
        bsdf = principled(tree)
        out = solio.Material(one_line(material.name))
        out.double_sided = not material.use_backface_culling
        if bsdf is None:
            self._without_nodes(out, material, tree)
            return out
        self._numbers(out, bsdf)
        for name, key, channel in TEXTURES:
            self._texture(out, bsdf, name, key, channel)
        self._normal(out, bsdf)
        return out

    def _without_nodes(self, out, material, tree):
        if tree is not None and len(tree.nodes):
            self.warnings.append(
                f"{material.name}: no Principled BSDF feeds its output: the viewport's colour is written"
            )
        color = tuple(material.diffuse_color)
        out.diffuse, out.opacity = color[:3], color[3]
        out.roughness, out.metallic = material.roughness, material.metallic

    def _numbers(self, out, bsdf):
        def number(name, otherwise=0.0):
            found = socket(bsdf, name)
            return float(otherwise if found is None else found.default_value)

        def color(name):
            found = socket(bsdf, name)
            return (0.0, 0.0, 0.0) if found is None else tuple(found.default_value)[:3]

        linked = {s.name for s in bsdf.inputs if s.is_linked}
        out.diffuse = (1.0, 1.0, 1.0) if "Base Color" in linked else color("Base Color")
        out.opacity = 1.0 if "Alpha" in linked else number("Alpha", 1.0)
        out.metallic = 1.0 if "Metallic" in linked else number("Metallic")
        out.roughness = 1.0 if "Roughness" in linked else number("Roughness", 0.5)
        strength = number("Emission Strength")
        lit = (1.0, 1.0, 1.0) if "Emission Color" in linked else color("Emission Color")
        out.emission = tuple(part * strength for part in lit)
        out.ior = number("IOR", 1.5)
        out.specular = (number("Specular IOR Level", 0.5),) * 3
        out.sheen = number("Sheen Weight") or None
        out.clearcoat = number("Coat Weight") or None
        out.clearcoat_roughness = number("Coat Roughness") if out.clearcoat else None
        out.anisotropy = number("Anisotropic") or None
        out.anisotropy_rotation = number("Anisotropic Rotation") if out.anisotropy else None
        transmission = number("Transmission Weight")
        if transmission > 0:
            out.transmission_filter = (transmission,) * 3

    def _texture(self, out, bsdf, name, key, wanted):
        found = socket(bsdf, name)
        if found is None or not found.is_linked:
            return
        node, channel = _image_behind(found)
        if node is None:
            self.warnings.append(f"{out.name}: {name} comes from nodes that glTF has no words for")
            self._plain_again(out, name, found)
            return
        if key == "map_Ke" and not any(out.emission):
            return
        if channel != wanted:
            self.warnings.append(
                f"{out.name}: glTF takes {name} from the {wanted.lower() or 'colour'} of an image, "
                f"not from its {channel.lower() or 'colour'}: the image is left out"
            )
            self._plain_again(out, name, found)
            return
        self._add(out, key, node, [])

    def _plain_again(self, out, name, found):
        """The number of a socket whose texture is not written."""
        value = found.default_value
        if name == "Base Color":
            out.diffuse = tuple(value)[:3]
        elif name == "Emission Color":
            strength = socket(found.node, "Emission Strength").default_value
            out.emission = tuple(part * strength for part in tuple(value)[:3])
        else:
            setattr(out, {"Alpha": "opacity"}.get(name, name.lower()), float(value))

    def _normal(self, out, bsdf):
        found = socket(bsdf, "Normal")
        if found is None or not found.is_linked:
            return
        source = found.links[0].from_node
        node = None
        if source.bl_idname == "ShaderNodeNormalMap":
            node, _ = _image_behind(source.inputs["Color"])
        if node is None:
            self.warnings.append(f"{out.name}: Normal comes from nodes that glTF has no words for")
            return
        strength = source.inputs["Strength"].default_value
        self._add(out, "norm", node, [] if strength == 1 else [("-bm", f"{strength:.9g}")])

    def _add(self, out, key, node, options):
        path = self._path(node.image)
        if path is None:
            self.warnings.append(f"{out.name}: the image {node.image.name} has no pixels: left out")
            return
        options = [*options, *self._mapping(out, node)]
        if node.extension in ("EXTEND", "CLIP"):
            options.append(("-clamp", "on"))
        out.maps.append(solio.TextureMap(key, path, options))

    def _mapping(self, out, node):
        mapping = _source(node.inputs["Vector"])
        if mapping is None or mapping.bl_idname != "ShaderNodeMapping":
            self._tell_coordinates(out, node.inputs["Vector"])
            return []
        self._tell_coordinates(out, mapping.inputs["Vector"])
        place = [mapping.inputs[name].default_value for name in ("Location", "Rotation", "Scale")]
        if any(place[1]):
            self.warnings.append(f"{out.name}: the rotation of a texture is not written")
        options = [("-o", place[0], (0, 0)), ("-s", place[2], (1, 1))]
        return [
            (name, " ".join(map(shortest, value[:2])))
            for name, value, usual in options
            if tuple(value[:2]) != usual
        ]

    def _tell_coordinates(self, out, found):
        """Says where a texture does not lie on the UV map that it will lie on."""
        source = _source(found)
        if source is None:
            return
        # Both the UV Map and the Texture Coordinate node have an output of that name.
        if found.links[0].from_socket.name != "UV" or getattr(source, "uv_map", ""):
            self.warnings.append(
                f"{out.name}: the first UV map places a texture, not {source.label or source.name}"
            )

    def _path(self, image):
        """The file of an image; what has none, or not these pixels, gets one."""
        key = image.as_pointer()
        if key not in self._images:
            self._images[key] = self._file(image)
        return self._images[key]

    def _file(self, image):
        path = bpy.path.abspath(image.filepath, library=image.library)
        is_file = image.source == "FILE" and image.packed_file is None and not image.is_dirty
        if is_file and os.path.isfile(path) and path.lower().endswith((".png", ".jpg", ".jpeg")):
            return path
        stem = os.path.splitext(os.path.basename(path) or one_line(image.name))[0] or "image"
        made = os.path.join(self.folder, f"{stem}.png")
        number = 0
        while os.path.exists(made):
            number += 1
            made = os.path.join(self.folder, f"{stem}.{number:03}.png")
        copy = image.copy()
        try:
            copy.filepath_raw, copy.file_format = made, "PNG"
            copy.save()
        except RuntimeError:
            return None
        finally:
            bpy.data.images.remove(copy)
        return made


def _source(found):
    """The node that feeds a socket, or `None`."""
    return found.links[0].from_node if found.is_linked else None


def _image_behind(found):
    """The image node that feeds a socket, directly or by one channel, and that channel."""
    link = found.links[0]
    node, channel = link.from_node, ""
    if node.bl_idname in SEPARATORS and node.inputs[0].is_linked:
        name = link.from_socket.name
        channel, node = SHORT.get(name, name), node.inputs[0].links[0].from_node
    elif link.from_socket.name == "Alpha":
        channel = "Alpha"
    if node.bl_idname != "ShaderNodeTexImage" or node.image is None:
        return None, ""
    return node, channel
