# SPDX-License-Identifier: GPL-3.0-or-later
"""From the neutral form of a scene's materials to Blender's: a Principled BSDF with its images."""

from __future__ import annotations

import os

import bpy
import numpy as np
import solio

from .older import socket

# Columns and rows of a pattern that becomes an image, at most.
MOST_PIXELS = 1024
# Materials within materials.
MOST_DEEP = 8
EXTENSIONS = {"repeat": "REPEAT", "clamp": "EXTEND", "black": "CLIP"}
COLUMN, ROW = 220, 280
# The part of light that nodes of the Fresnel equations have where nothing is said.
USUAL_LEVEL = 0.5
# How much of the reflection of a dielectric at right angles Blender keeps, by roughness in steps of a tenth, as
# measured in Cycles 5.2; it is the same for refractive indices from 1.33 to 1.8.
KEPT = (1, 0.9998, 0.9991, 0.9941, 0.9766, 0.9334, 0.8525, 0.7344, 0.5968, 0.4618, 0.3456)
# Blender's anisotropy: the ratio of both widths is the root of 1 - 0.9 a.
STRETCH = 0.9


class Surfaces:
    """The surfaces of one scene, made when a mesh first needs them.

    A surface is a material with what shapes add to it: light, and holes.
    """

    def __init__(self, scene, options, told, made):
        self.scene, self.options, self.told, self.made = scene, options, told, made
        self.looks = [*scene.materials, scene.default_material]
        self.lights = scene.area_lights
        self._known, self._list, self._made = {}, [], {}
        self._images, self._holes = {}, {}
        self._alphas = np.array(sorted(scene._alphas), np.int64)
        self._borders = np.array([look.kind == "interface" for look in self.looks])
        self._has_power = np.array([light.power is not None for light in self.lights], np.bool_)
        for loss in scene.losses:
            told.add(loss.text)

    def _materials(self, shapes):
        """The material of each shape, the last one for none."""
        last = len(self.looks) - 1
        return np.minimum(shapes.materials.astype(np.int64), last)

    def are_borders(self, shapes):
        """Which of some shapes only bound media, so that nothing of them is seen."""
        return self._borders[self._materials(shapes)] & (shapes.area_lights == solio.NONE)

    def keys(self, shapes, is_world):
        """The number of each shape's surface. Shapes of definitions do not shine."""
        columns = np.full((len(shapes), 4), -1, np.int64)
        columns[:, 0] = self._materials(shapes)
        if is_world and self.lights:
            lights = shapes.area_lights.astype(np.int64)
            lights[lights >= len(self.lights)] = -1
            columns[:, 1] = lights
            shine = np.flatnonzero((lights >= 0) & self._has_power[lights])
            # Its strength depends on the shape.
            columns[shine, 2] = np.array(shapes.numbers)[shine]
        first, stop = np.searchsorted(self._alphas, (shapes.numbers.start, shapes.numbers.stop))
        for number in self._alphas[first:stop].tolist():
            hole = self._hole(self.scene._alphas[number])
            columns[number - shapes.numbers.start, 3] = self._holes.setdefault(hole, number)
        if not len(columns):
            return np.zeros(0, np.int64)
        rows, inverse = np.unique(columns, axis=0, return_inverse=True)
        numbers = []
        for row in map(tuple, rows.tolist()):
            if row not in self._known:
                self._known[row] = len(self._list)
                self._list.append(row)
            numbers.append(self._known[row])
        return np.array(numbers, np.int64)[inverse.reshape(-1)]

    @staticmethod
    def _hole(alpha):
        """What tells holes apart."""
        texture = alpha.texture
        if texture is None:
            return alpha.factor
        return (alpha.factor, texture.path or texture._key, texture.scale, texture.offset, texture.wrap)

    def _row(self, slot):
        """Material, area light, shape of that, shape with holes; the default for an unknown number."""
        return self._list[slot] if slot < len(self._list) else (len(self.looks) - 1, -1, -1, -1)

    def has_textures(self, slot):
        """Whether anything of a surface depends on the place."""
        material, light, _, hole = self._row(slot)
        look = self.looks[material]
        fields = (look.base, look.roughness, look.metallic, look.transmission, look.opacity)
        return (
            any(field.texture is not None for field in fields)
            or look.normal_map is not None
            or (look.bump is not None and look.bump.texture is not None)
            or (light >= 0 and self.lights[light].texture is not None)
            or (hole >= 0 and self.scene._alphas[hole].texture is not None)
        )

    def get(self, slot):
        """The Blender material of a surface."""
        row = self._row(slot)
        if row not in self._made:
            self._made[row] = self._make(row)
        return self._made[row]

    def _make(self, row):
        number, light, shape, hole = row
        look = self.looks[number]
        name = look.name if light < 0 else f"{look.name} light"
        material = bpy.data.materials.new(name)
        self.made.append(material)
        if bpy.app.version < (5, 0):
            material.use_nodes = True
        tree = material.node_tree
        tree.nodes.clear()
        nodes = Nodes(self, tree)
        output = nodes.add("ShaderNodeOutputMaterial", 0)
        found = nodes.surface(look, 0)
        if light >= 0:
            found = self._shining(nodes, found, light, shape)
        if hole >= 0:
            found = nodes.holed(found, self.scene._alphas[hole])
        if found is not None:
            tree.links.new(found, output.inputs["Surface"])
        base = look.linear_base.factor
        material.diffuse_color = (*base, 1.0)
        material.metallic = min(max(look.metallic.factor, 0.0), 1.0)
        material.roughness = min(max(look.roughness.factor, 0.0), 1.0)
        if shape >= 0:
            material["pbrt_shape"] = shape
        return material

    def _shining(self, nodes, found, light, shape):
        """A surface that also sends light out, of one side alone where the scene says so."""
        look = self.lights[light]
        strength = look.strength
        if shape >= 0:
            try:
                strength = solio.scene.SceneShape(self.scene, shape).emitted_strength()
            except solio.Error as error:
                self.told.add("Strength of a light whose shape cannot be read", 1, str(error))
        emission = nodes.add("ShaderNodeEmission", 1)
        color = solio.scene.SceneColor(look.color, look.texture)
        nodes.color(emission.inputs["Color"], color)
        emission.inputs["Strength"].default_value = strength
        shine = emission.outputs["Emission"]
        if not look.is_two_sided:
            back = nodes.add("ShaderNodeNewGeometry", 2)
            dark = nodes.add("ShaderNodeMixShader", 1)
            nodes.link(back.outputs["Backfacing"], dark.inputs[0])
            nodes.link(shine, dark.inputs[1])
            shine = dark.outputs["Shader"]
        if found is None:
            return shine
        both = nodes.add("ShaderNodeAddShader", 1)
        nodes.link(found, both.inputs[0])
        nodes.link(shine, both.inputs[1])
        return both.outputs["Shader"]

    def image(self, texture):
        """The image of a texture, and the texture that places it; `None` where it cannot be read."""
        if texture.path is None or (texture.encoding and texture.encoding[0] == "gamma"):
            return self._baked(texture)
        space = "sRGB" if texture.encoding and texture.encoding[0] == "srgb" else "Non-Color"
        key = (texture.path, space)
        if key not in self._images:
            self._images[key] = self._load(texture.path, space)
        return self._images[key], texture

    def _load(self, path, space):
        if not os.path.isfile(path):
            self.told.add("Picture that is not there", 1, path)
        before = set(bpy.data.images)
        try:
            image = bpy.data.images.load(os.path.abspath(path), check_existing=space == "sRGB")
        except RuntimeError:
            image = bpy.data.images.new(os.path.basename(path), 32, 32)
            image.filepath, image.source = os.path.abspath(path), "FILE"
        if image not in before:
            self.made.append(image)
            is_light = path.lower().endswith((".exr", ".hdr", ".pfm"))
            image.colorspace_settings.name = "Non-Color" if space == "Non-Color" else (
                image.colorspace_settings.name if is_light else "sRGB"
            )
        return image

    def _baked(self, texture):
        key = texture._key
        if key not in self._images:
            try:
                baked = texture.bake(MOST_PIXELS)
            except solio.Error as error:
                self.told.add("Texture that cannot be read", 1, str(error))
                baked = None
            self._images[key] = baked and (self._drawn(texture, baked), baked)
        return self._images[key] or (None, texture)

    def _drawn(self, texture, baked):
        """An image in the file, in linear light."""
        rows, columns, _ = baked.pixels.shape
        kind, number, field = texture._key
        name = f"{self.looks[number].name if kind == 'material' else kind} {field}"
        image = bpy.data.images.new(name, columns, rows, alpha=False, float_buffer=True)
        self.made.append(image)
        if texture.is_number or field == "normal_map":
            image.colorspace_settings.name = "Non-Color"
        pixels = np.ones((rows, columns, 4), np.float32)
        pixels[..., :3] = baked.pixels[::-1]
        image.pixels.foreach_set(pixels.reshape(-1))
        image.update()
        image.pack()
        return image


class Nodes:
    """The nodes of one material, in columns from the right."""

    def __init__(self, surfaces, tree):
        self.surfaces, self.tree = surfaces, tree
        self.link = tree.links.new
        self._rows = {}

    def add(self, kind, column):
        """A node in a column."""
        node = self.tree.nodes.new(kind)
        row = self._rows.get(column, 0)
        self._rows[column] = row + 1
        node.location = (-COLUMN * column * 1.4, -ROW * row)
        return node

    def surface(self, look, depth):
        """The shader of a material; `None` of one that is not seen."""
        if look.kind == "mix" and look.mix is not None and depth < MOST_DEEP:
            return self._mixed(look, depth)
        if look.kind == "interface":
            return self.add("ShaderNodeBsdfTransparent", 1).outputs["BSDF"]
        if look.kind == "diffuse-transmission":
            return self._leaf(look)
        if look.kind in ("hair", "measured"):
            self.surfaces.told.add(f"Material of the kind {look.kind}: its colour alone counts", 1, look.name)
        return self._principled(look)

    def _mixed(self, look, depth):
        looks = self.surfaces.looks
        node = self.add("ShaderNodeMixShader", 1)
        self.number(node.inputs[0], look.mix_amount)
        for part, into in zip(look.mix, (1, 2), strict=True):
            found = self.surface(looks[min(part, len(looks) - 1)], depth + 1)
            if found is not None:
                self.link(found, node.inputs[into])
        return node.outputs["Shader"]

    def _leaf(self, look):
        """What is reflected and what goes through, both diffusely."""
        both = self.add("ShaderNodeAddShader", 1)
        through = look.diffuse_transmission or solio.scene.SceneColor((0.0, 0.0, 0.0))
        kinds = (("ShaderNodeBsdfDiffuse", look.base), ("ShaderNodeBsdfTranslucent", through))
        for i, (kind, color) in enumerate(kinds):
            node = self.add(kind, 2)
            self.color(node.inputs["Color"], color)
            self._bent(node, look)
            self.link(node.outputs["BSDF"], both.inputs[i])
        return self.holed(both.outputs["Shader"], look.opacity)

    def _principled(self, look):
        bsdf = self.add("ShaderNodeBsdfPrincipled", 1)
        self.color(bsdf.inputs["Base Color"], look.linear_base, *_under_coat(look))
        self.number(bsdf.inputs["Metallic"], look.metallic)
        self.number(bsdf.inputs["Roughness"], look.roughness)
        self.number(bsdf.inputs["Alpha"], look.opacity)
        self.number(socket(bsdf, "Transmission Weight"), look.transmission)
        below = look.subsurface_radius or (1.0, 1.0, 1.0)
        values = {
            "IOR": look.ior,
            "Specular IOR Level": USUAL_LEVEL * look.specular,
            "Specular Tint": (*look.specular_color, 1.0),
            "Thin Wall": look.is_thin,
            "Coat Weight": look.coat,
            "Coat IOR": look.coat_ior,
            "Subsurface Weight": look.subsurface,
            "Subsurface Radius": below,
            "Subsurface Scale": 1.0 if look.subsurface else None,
            "Subsurface Anisotropy": min(max(look.subsurface_anisotropy, 0.0), 1.0),
            "Sheen Roughness": look.sheen_roughness if look.sheen else None,
        }
        if look.is_thin and socket(bsdf, "Thin Wall") is None:
            self.surfaces.told.add("Pane without an inside: it bends light", 1, look.name)
        if look.sheen:
            most = max(*look.sheen, 1e-9)
            values["Sheen Weight"] = min(most, 1.0)
            values["Sheen Tint"] = (*(part / most for part in look.sheen), 1.0)
        u, v = look.alphas
        if abs(u - v) > 1e-6 and max(u, v) > 0:
            values["Anisotropic"] = min((1 - min(u, v) / max(u, v)) / STRETCH, 1.0)
            values["Anisotropic Rotation"] = 0.25 if v > u else 0.0
        if look.dispersion:
            self.surfaces.told.add("Dispersion of glass", 1, look.name)
        for name, value in values.items():
            found = socket(bsdf, name)
            if value is not None and found is not None:
                found.default_value = value
        if look.coat and look.coat_roughness is not None:
            self.number(socket(bsdf, "Coat Roughness"), look.coat_roughness)
        self._bent(bsdf, look)
        return bsdf.outputs["BSDF"]

    def _bent(self, node, look):
        """Normals by pictures and heights."""
        normal = None
        if look.normal_map is not None:
            values = self._texture(look.normal_map)
            if values is not None:
                found = self.add("ShaderNodeNormalMap", 3)
                self.link(values, found.inputs["Color"])
                normal = found.outputs["Normal"]
        if look.bump is not None and look.bump.texture is not None:
            found = self.add("ShaderNodeBump", 3)
            self.number(found.inputs["Height"], look.bump)
            found.inputs["Distance"].default_value = 1.0
            if normal is not None:
                self.link(normal, found.inputs["Normal"])
            normal = found.outputs["Normal"]
        if normal is not None:
            self.link(normal, node.inputs["Normal"])

    def holed(self, shader, opacity):
        """A shader of which not all is there."""
        if opacity.texture is None and opacity.factor >= 1:
            return shader
        node = self.add("ShaderNodeMixShader", 1)
        self.number(node.inputs[0], opacity)
        hole = self.add("ShaderNodeBsdfTransparent", 2)
        self.link(hole.outputs["BSDF"], node.inputs[1])
        if shader is not None:
            self.link(shader, node.inputs[2])
        return node.outputs["Shader"]

    def color(self, into, color, scale=1.0, added=0.0):
        """A colour, or its texture times it; times `scale` with something `added`."""
        factor = tuple(scale * part for part in color.factor)
        into.default_value = (*(part + added for part in factor), 1.0)
        values = None if color.texture is None else self._texture(color.texture)
        if values is None:
            return
        if factor != (1.0, 1.0, 1.0) or added:
            product = self.add("ShaderNodeVectorMath", 3)
            product.operation = "MULTIPLY_ADD"
            product.inputs[1].default_value = factor
            product.inputs[2].default_value = (added,) * 3
            self.link(values, product.inputs[0])
            values = product.outputs["Vector"]
        self.link(values, into)

    def number(self, into, number):
        """A number, or its texture times it."""
        into.default_value = number.factor
        values = None if number.texture is None else self._texture(number.texture)
        if values is None:
            return
        if number.factor != 1.0:
            product = self.add("ShaderNodeMath", 3)
            product.operation = "MULTIPLY"
            product.inputs[1].default_value = number.factor
            self.link(values, product.inputs[0])
            values = product.outputs["Value"]
        self.link(values, into)

    def _texture(self, texture):
        """What an image gives at the place that the texture says; `None` where there is none."""
        image, placed = self.surfaces.image(texture)
        if image is None:
            return None
        node = self.add("ShaderNodeTexImage", 4)
        node.image = image
        node.extension = EXTENSIONS[placed.wrap]
        if placed.scale != (1.0, 1.0) or placed.offset != (0.0, 0.0):
            mapping = self.add("ShaderNodeMapping", 5)
            mapping.inputs["Location"].default_value = (*placed.offset, 0.0)
            mapping.inputs["Scale"].default_value = (*placed.scale, 1.0)
            coordinates = self.add("ShaderNodeTexCoord", 6)
            self.link(coordinates.outputs["UV"], mapping.inputs["Vector"])
            self.link(mapping.outputs["Vector"], node.inputs["Vector"])
        # A picture with alpha gives that where one number is asked for.
        has_alpha = texture.is_number and texture.path is not None and image.depth in (32, 64, 128)
        return node.outputs["Alpha" if has_alpha else "Color"]


def _under_coat(look):
    """What the base of a coated surface is multiplied by, and what is added: Blender's coats lose light where they
    are rough, and the base makes up for it, so that both together are as bright as pbrt's."""
    if look.kind != "coated-diffuse" or look.roughness.texture is not None:
        return 1.0, 0.0
    whole = look.specular * ((look.ior - 1) / (look.ior + 1)) ** 2
    kept = whole * float(np.interp(look.roughness.factor, np.linspace(0, 1, len(KEPT)), KEPT))
    return (1 - whole) / (1 - kept), (whole - kept) / (1 - kept)
