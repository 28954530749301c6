# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights, the sky and the camera of a scene.

pbrt's numbers stay what they are: candela become 4π watts, lux watts a square metre, nits those of emission. So
pictures are as bright as pbrt's.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
import solio
from mathutils import Matrix

# Blender's sensor, in millimetres; only ratios to it count.
SENSOR = 36.0
# Rows of a sky by longitude and latitude, at most.
SKY_ROWS = 2048
# Rows that are made together, for which there is room in memory.
BAND = 128


def add(job):
    """Adds them to the collection of an import, and to the scene."""
    skies = []
    for number, light in enumerate(job.scene.lights):
        if light.kind == "sky":
            skies.append(light)
        elif job.options.import_lights:
            _light(job, light, number)
    if skies and job.options.import_world:
        _world(job, skies)
    if job.options.import_camera:
        _camera(job)
    for medium in job.scene.media:
        job.told.add("Medium: what it fills is empty", 1, medium.name)


def _light(job, light, number):
    kinds = {"point": "POINT", "spot": "SPOT", "projection": "SPOT", "distant": "SUN"}
    made = job._new(bpy.data.lights.new(f"{light.kind}.{number}", kinds[light.kind]))
    made.color = light.color
    made.energy = light.strength * (1.0 if light.kind == "distant" else 4 * math.pi)
    if light.kind == "distant":
        made.angle = 0.0
    else:
        made.shadow_soft_size = 0.0
    if light.kind == "spot":
        outer, inner = light.angles
        made.spot_size = 2 * outer
        # Both fall off as a smooth step of the cosine.
        whole = 1 - math.cos(outer)
        made.spot_blend = (math.cos(inner) - math.cos(outer)) / whole if whole > 0 else 0.0
    elif light.kind == "projection":
        made.spot_size, made.spot_blend = light.angles[0], 0.0
    if not light.is_exact:
        what = {"point": "that of its picture all around", "projection": "a cone without its picture"}
        job.told.add(f"Light by a picture: {what.get(light.kind, 'its picture does not count')}")
    found = job._new(bpy.data.objects.new(made.name, made))
    # It shines along -Z.
    back = -job.space.vector(light.direction)
    found.matrix_world = _frame(back, job.space.vector(light.position))
    job.root.objects.link(found)


def _frame(z, place):
    """A right-handed frame with this +Z."""
    z = z / max(np.linalg.norm(z), 1e-30)
    aside = np.array((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x = np.cross(aside, z)
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2], matrix[:3, 3] = x, np.cross(z, x), z, place
    return Matrix(matrix.tolist())


def _world(job, skies):
    """All skies together."""
    world = job._new(bpy.data.worlds.new(job.stem))
    if bpy.app.version < (5, 0):
        world.use_nodes = True
    tree = world.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputWorld")
    output.location = (400, 0)
    found = None
    for row, sky in enumerate(skies):
        node = tree.nodes.new("ShaderNodeBackground")
        node.location = (0, -300 * row)
        node.inputs["Color"].default_value = (*sky.color, 1.0)
        node.inputs["Strength"].default_value = sky.strength
        if sky.picture is not None:
            _picture(job, sky, tree, node, row)
        elif not sky.is_exact:
            job.told.add("Portal of a sky: it shines from everywhere")
        shader = node.outputs["Background"]
        if found is not None:
            both = tree.nodes.new("ShaderNodeAddShader")
            both.location = (200, -300 * row)
            tree.links.new(found, both.inputs[0])
            tree.links.new(shader, both.inputs[1])
            shader = both.outputs["Shader"]
        found = shader
    tree.links.new(found, output.inputs["Surface"])
    job.old_world = job.context.scene.world
    job.context.scene.world = world


def _picture(job, sky, tree, node, row):
    """An environment image, times the colour of the sky."""
    try:
        own = sky.sky()
    except solio.Error as error:
        job.told.add("Picture of a sky that cannot be read: its colour alone counts", 1, str(error))
        return
    strength = sky.strength
    if sky.illuminance is not None:
        strength = sky.illuminance / max(_illuminance(own), 1e-30)
    pixels = environment(own, job.space.turn, sky.to_world)
    rows, columns, _ = pixels.shape
    image = job._new(bpy.data.images.new(f"{job.stem} sky", columns, rows, alpha=False, float_buffer=True))
    image.pixels.foreach_set(pixels[::-1].reshape(-1))
    image.update()
    image.pack()
    texture = tree.nodes.new("ShaderNodeTexEnvironment")
    texture.location = (-600, -300 * row)
    texture.image = image
    product = tree.nodes.new("ShaderNodeVectorMath")
    product.location = (-250, -300 * row)
    product.operation = "MULTIPLY"
    product.inputs[1].default_value = sky.color
    tree.links.new(texture.outputs["Color"], product.inputs[0])
    tree.links.new(product.outputs["Vector"], node.inputs["Color"])
    node.inputs["Strength"].default_value = strength


def _illuminance(sky):
    """What a sky gives a surface that looks to its +z, in lux for a strength of 1."""
    rows, columns, _ = sky.shape
    theta = (np.arange(rows) + 0.5) * np.pi / rows
    weight = np.maximum(np.cos(theta), 0) * np.sin(theta) * (np.pi / rows) * (2 * np.pi / columns)
    light = sky.astype(np.float64) @ (0.2126, 0.7152, 0.0722)
    return float((light.sum(axis=1) * weight).sum())


def environment(sky, turn, to_world):
    """A sky by longitude and latitude in its own space as Blender has one: shape (H, W, 4), from the top.

    Blender's longitude goes from right to left, -X is in the middle of the image's rows' ends.
    """
    height, width, _ = sky.shape
    rows = max(min(height, SKY_ROWS), 1)
    columns = 2 * rows
    # From Blender's world to the light's space.
    back = np.linalg.inv(np.asarray(to_world)[:3, :3]) @ turn.T
    around = 2 * np.pi * (0.5 - (np.arange(columns) + 0.5) / columns)
    out = np.ones((rows, columns, 4), np.float32)
    for first in range(0, rows, BAND):
        theta = (np.arange(first, min(first + BAND, rows)) + 0.5) * np.pi / rows
        sine = np.sin(theta)[:, None]
        up = np.broadcast_to(np.cos(theta)[:, None], (len(theta), columns))
        toward = np.stack((sine * np.cos(around), sine * np.sin(around), up), axis=-1)
        x, y, z = np.moveaxis(toward @ back.T, -1, 0)
        length = np.maximum(np.sqrt(x * x + y * y + z * z), 1e-30)
        across = np.mod(np.arctan2(y, x) / (2 * np.pi), 1.0) * width - 0.5
        down = np.arccos(np.clip(z / length, -1, 1)) / np.pi * height - 0.5
        out[first : first + len(theta), :, :3] = _between(sky, across, down)
    return out


def _between(sky, across, down):
    """Values between pixels; columns repeat, rows end."""
    height, width, _ = sky.shape
    left, top = np.floor(across).astype(np.int64), np.floor(down).astype(np.int64)
    right, low = (across - left)[..., None], (down - top)[..., None]
    columns = (left % width, (left + 1) % width)
    rows = (np.clip(top, 0, height - 1), np.clip(top + 1, 0, height - 1))
    upper = sky[rows[0], columns[0]] * (1 - right) + sky[rows[0], columns[1]] * right
    lower = sky[rows[1], columns[0]] * (1 - right) + sky[rows[1], columns[1]] * right
    return upper * (1 - low) + lower * low


def _camera(job):
    camera = job.scene.camera
    if camera is None:
        return
    made = job._new(bpy.data.cameras.new(job.stem))
    found = job._new(bpy.data.objects.new(f"{job.stem} camera", made))
    # pbrt's cameras look along +z in a left-handed space, Blender's along -Z.
    matrix = job.space.matrix @ camera.to_world @ np.diag((1.0, 1.0, -1.0, 1.0))
    size = float(np.linalg.norm(matrix[:3, 0]))
    matrix[:3, :3] /= np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-30)
    if not np.isfinite(matrix).all():
        job.told.add("Camera without a finite matrix: left out")
        return
    found.matrix_world = Matrix(matrix.tolist())
    left, right, bottom, top = camera.window
    across, up = right - left, top - bottom
    made.sensor_fit, made.sensor_width = "HORIZONTAL", SENSOR
    render = job.context.scene.render
    render.resolution_x, render.resolution_y = camera.width, camera.height
    render.resolution_percentage = 100
    if camera.kind == "spherical":
        made.type = "PANO"
        panorama = made if hasattr(made, "panorama_type") else made.cycles
        panorama.panorama_type = "EQUIRECTANGULAR"
        job.told.add("Camera that sees all around: by longitude and latitude, for Cycles")
    else:
        if camera.kind == "orthographic":
            made.type, made.ortho_scale = "ORTHO", across * size
        else:
            tangent = math.tan(math.radians(camera.fov) / 2)
            made.lens = SENSOR / (across * tangent)
        made.shift_x = (left + right) / 2 / across
        made.shift_y = (bottom + top) / 2 / across
        _pixel_aspect(render, across / up / (camera.width / camera.height))
    if not camera.is_exact:
        job.told.add("Camera of lenses: one of 40 degrees stands for it")
    if np.any(camera.from_world != camera.from_world_end):
        job.told.add("Motion of the camera: it stands where it begins")
    _lens(made, camera, size)
    made.clip_start, made.clip_end = 1e-3 * size, 1e6 * size
    job.root.objects.link(found)
    job.context.scene.camera = found
    _film(job)


def _pixel_aspect(render, aspect):
    """Pixels that are not square."""
    render.pixel_aspect_x = max(aspect, 1.0)
    render.pixel_aspect_y = max(1 / aspect, 1.0)


def _lens(made, camera, size):
    """What is out of focus."""
    radius = camera.parameters.get("lensradius", 0.0)
    if not isinstance(radius, float) or radius <= 0 or camera.kind == "spherical":
        return
    made.dof.use_dof = True
    focus = camera.parameters.get("focaldistance", 1e6)
    made.dof.focus_distance = focus * size
    # Blender's radius is the focal length over two f-stops; of parallel rays it takes the f-stop alone.
    length = made.lens * 1e-3 if made.type == "PERSP" else 1.0
    made.dof.aperture_fstop = length / (2 * radius * size)


def _film(job):
    """What the film multiplies light by."""
    film = job.scene.film
    if job.scene.version < 4:
        return
    exposure = film.get("exposuretime", 1.0) * film.get("iso", 100.0) / 100.0
    if exposure != 1.0 and exposure > 0 and hasattr(job.context.scene, "cycles"):
        job.context.scene.cycles.film_exposure = min(exposure, 10.0)
        if exposure > 10.0:
            job.told.add("Exposure of the film: Cycles has 10 at most", 1, f"{exposure:g}")
    if film.get("sensor", "cie1931") != "cie1931":
        job.told.add("Sensor of the film", 1, str(film["sensor"]))
