# SPDX-License-Identifier: GPL-3.0-or-later
"""pbrt scenes come in where they are, in a right-handed space, as bright as pbrt has them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
import solio
from mathutils import Vector

HEAD = """
LookAt 0 0 -5  0 0 0  0 1 0
Camera "perspective" "float fov" 40
Film "rgb" "integer xresolution" 60 "integer yresolution" 40
WorldBegin
"""
QUAD = 'Shape "bilinearmesh" "point3 P" [ -1 -1 0  1 -1 0  -1 1 0  1 1 0 ]\n'
LEAF = """Shape "trianglemesh" "integer indices" [0 1 2] "point3 P" [0 0 0  1 0 0  0 1 0]
    "point2 uv" [0 0 1 0 0 1]
"""


def load(path, **options):
    """The reports of an import into an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.solio.pbrt_import(filepath=str(path), **options) == {"FINISHED"}
    return [line for text in bpy.data.texts for line in text.as_string().splitlines()[2:] if line]


def write(tmp_path, world, head=HEAD):
    path = tmp_path / "a.pbrt"
    path.write_text(head + world)
    return path


def drawn():
    """What is drawn: names and matrices of instances and objects of meshes."""
    graph = bpy.context.evaluated_depsgraph_get()
    found = []
    for one in graph.object_instances:
        if one.object.type == "MESH" and len(one.object.data.polygons):
            found.append((one.object.original.name, one.matrix_world.copy()))
    return found


def render(samples=16):
    """Mean colour of the picture by Cycles, linear, shape (H, W, 4) from the top."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "CPU", samples
    scene.cycles.use_denoising = False
    scene.cycles.max_bounces = 32
    scene.cycles.diffuse_bounces = scene.cycles.glossy_bounces = scene.cycles.transmission_bounces = 32
    scene.cycles.sample_clamp_indirect = 0
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = True
    scene.cycles.blur_glossy = 0
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    path = bpy.app.tempdir + "out.exr"
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    return np.asarray(solio.read_image(path, channels="RGBA"))


def project(point):
    """Where a point of the world is in the picture: from the left and from the top, 0 to 1."""
    from bpy_extras.object_utils import world_to_camera_view

    bpy.context.view_layer.update()
    found = world_to_camera_view(bpy.context.scene, bpy.context.scene.camera, Vector(point))
    return found.x, 1 - found.y


@pytest.mark.parametrize("name", ["a.pbrt", "a.pbrt.gz", "a.solio"])
def test_text_compressed_and_packed(tmp_path, name):
    path = write(tmp_path, f'ObjectBegin "leaf"\n{LEAF}ObjectEnd\nObjectInstance "leaf"\n{QUAD}')
    scene = solio.read_scene(path)
    if name.endswith(".gz"):
        scene.to_pbrt(tmp_path / name)
    elif name.endswith(".solio"):
        scene.to_packed(tmp_path / name)
    load(tmp_path / name)
    assert sorted(name for name, _ in drawn()) == ["bilinearmesh", "leaf"]
    assert [c.name for c in bpy.context.scene.collection.children] == ["a"]


UPS = {
    "y": ("LookAt 0 0 -5  0 0 0  0 1 0", (1, 2, 3), (1, 3, 2)),
    "z": ("LookAt 0 -5 0  0 0 0  0 0 1", (1, 2, 3), (1, -2, 3)),
    "x": ("LookAt 0 0 -5  0 0 0  1 0 0", (1, 2, 3), None),
    "mirrored": ("Scale -1 1 1\nLookAt 0 0 -5  0 0 0  0 1 0", (1, 2, 3), (1, -3, 2)),
}


@pytest.mark.parametrize("name", UPS)
def test_places_and_the_camera(tmp_path, name):
    """A point is where it is in the picture of pbrt, and what is up is up."""
    look, (x, y, z), expected = UPS[name]
    head = HEAD.replace("LookAt 0 0 -5  0 0 0  0 1 0", look)
    tip = f"Translate {x} {y} {z}\n"
    path = write(tmp_path, f"{tip}Scale .01 .01 .01\n{QUAD}", head)
    load(path)
    ((_, matrix),) = drawn()
    mesh = bpy.data.objects["bilinearmesh"].data
    middle = sum((matrix @ v.co for v in mesh.vertices), Vector()) / 4
    if expected:
        assert tuple(middle) == pytest.approx(expected, abs=1e-5)
    # As pbrt has it: through its own matrix, on its own screen.
    scene = solio.read_scene(path)
    at = scene.camera.from_world @ (x, y, z, 1)
    tangent = math.tan(math.radians(scene.camera.fov) / 2)
    across, up = at[0] / at[2] / tangent, at[1] / at[2] / tangent
    found = project(middle)
    assert found == pytest.approx(((across / 1.5 + 1) / 2, (1 - up) / 2), abs=1e-5)
    camera = bpy.context.scene.camera
    assert camera.matrix_world.determinant() == pytest.approx(1, abs=1e-5)
    render = bpy.context.scene.render
    assert (render.resolution_x, render.resolution_y) == (60, 40)


def test_a_camera_that_looks_aside(tmp_path):
    camera = 'Camera "perspective" "float fov" 60 "float screenwindow" [-0.5 2 -1 0.5]'
    head = HEAD.replace('Camera "perspective" "float fov" 40', camera)
    path = write(tmp_path, QUAD, head)
    load(path)
    tangent = math.tan(math.radians(30))
    for x, y in ((0, 0), (1, 0.2), (0.3, -0.8)):
        across, up = x / 5 / tangent, y / 5 / tangent
        found = project((x, 0, y))
        assert found == pytest.approx(((across + 0.5) / 2.5, (0.5 - up) / 1.5), abs=1e-5)


def test_parallel_rays_and_lenses(tmp_path):
    camera = 'Scale 2 2 2\nCamera "orthographic" "float screenwindow" [-3 3 -2 2]'
    path = write(tmp_path, QUAD, HEAD.replace('Camera "perspective" "float fov" 40', camera))
    load(path)
    assert bpy.context.scene.camera.data.type == "ORTHO"
    assert project((1, 0, 0.5)) == pytest.approx((0.5 + 2 / 6, 0.5 - 1 / 4), abs=1e-5)
    lens = 'Camera "perspective" "float fov" 40 "float lensradius" 0.5 "float focaldistance" 4'
    load(write(tmp_path, QUAD, HEAD.replace('Camera "perspective" "float fov" 40', lens)))
    data = bpy.context.scene.camera.data
    assert data.dof.use_dof and data.dof.focus_distance == pytest.approx(4)
    assert data.lens * 1e-3 / (2 * data.dof.aperture_fstop) == pytest.approx(0.5)


def instances(count):
    """Instances in a row, the last one sheared."""
    lines = [f"Transform [1 0 0 0 0 1 0 0 0 0 1 0 {i} 2 3 1]\nObjectInstance \"leaf\"\n" for i in range(count)]
    shear = 'Transform [1 0 0 0 0.5 1 0 0 0 0 2 0 0 0 0 1]\nObjectInstance "leaf"\n'
    return f'ObjectBegin "leaf"\n{LEAF}ObjectEnd\n' + "".join(lines) + shear


@pytest.mark.parametrize("how", ["AUTO", "COLLECTIONS", "POINTS"])
def test_instances_are_where_they_are(tmp_path, how):
    load(write(tmp_path, instances(5)), instances=how)
    found = [m for name, m in drawn() if name == "leaf"]
    assert len(found) == 6
    assert max(tuple(m.translation) for m in found) == pytest.approx((4, 3, 2))
    sheared = next(m for m in found if m.translation.length == 0)
    # (0, 1, 0) of pbrt, which is (0, 0, 1) here.
    assert tuple(sheared @ Vector((0, 0, 1))) == pytest.approx((0.5, 0, 1))
    assert tuple(sheared @ Vector((0, 1, 0))) == pytest.approx((0, 2, 0))
    # The definition itself is not drawn.
    empties = [thing for thing in bpy.data.objects if thing.type == "EMPTY"]
    assert len(empties) == (0 if how == "POINTS" else 5)


def test_many_instances_become_points(tmp_path):
    load(write(tmp_path, instances(1500)))
    assert len(drawn()) == 1501
    assert not any(thing.type == "EMPTY" for thing in bpy.data.objects)


def test_meshes_keep_normals_uvs_and_flat_faces(tmp_path):
    smooth = LEAF.rstrip() + ' "normal N" [0 0 -1 0.6 0 -0.8 0 0 -1]\n'
    world = f'ObjectBegin "both"\n{smooth}Translate 0 0 1\n{LEAF}ObjectEnd\nObjectInstance "both"\n{QUAD}{smooth}'
    load(write(tmp_path, world))
    both = bpy.data.meshes["both"]
    assert [value.value for value in both.attributes["sharp_face"].data] == [False, True]
    normals = [tuple(normal.vector) for normal in both.corner_normals]
    # Mirrored in the plane that makes pbrt's y and z ours.
    assert sorted(normals[:3])[2] == pytest.approx((0.6, -0.8, 0), abs=1e-3)
    # pbrt's (1, 0, 0) × (0, 1, 0) looks to +z in a left-handed space, and here to +y.
    assert normals[4] == pytest.approx((0, 1, 0), abs=1e-6)
    alone = bpy.data.meshes["trianglemesh"]
    found = {tuple(round(x, 4) for x in normal.vector) for normal in alone.corner_normals}
    assert found == {(0, -1, 0), (0.6, -0.8, 0)}
    assert tuple(alone.polygons[0].normal) == pytest.approx((0, -1, 0))
    uvs = {tuple(value.vector) for value in alone.uv_layers[0].uv}
    assert uvs == {(0, 0), (1, 0), (0, 1)}
    assert len(bpy.data.meshes["bilinearmesh"].polygons[0].vertices) == 4


def test_faces_that_blender_cannot_have(tmp_path):
    lines = ["ply", "format ascii 1.0", "element vertex 4", *(f"property float {c}" for c in "xyz")]
    lines += ["element face 4", "property list uchar int vertex_indices", "end_header"]
    lines += ["0 0 0", "1 0 0", "1 1 0", "0 1 0"]
    lines += ["3 0 1 2", "3 0 1 1", "4 0 2 3 3", "4 0 1 0 2", ""]
    (tmp_path / "a.ply").write_text("\n".join(lines))
    load(write(tmp_path, 'Shape "plymesh" "string filename" "a.ply"\n'))
    mesh = bpy.data.meshes["a"]
    assert [len(face.vertices) for face in mesh.polygons] == [3, 3]
    assert not mesh.validate()


def test_lights_have_pbrts_strengths(tmp_path):
    world = """
    LightSource "point" "rgb I" [2 1 1] "point3 from" [1 2 3]
    LightSource "spot" "rgb I" [3 3 3] "float coneangle" 40 "float conedeltaangle" 10
        "point3 from" [0 4 0] "point3 to" [0 0 0]
    LightSource "distant" "rgb L" [5 5 5] "point3 from" [0 0 0] "point3 to" [0 -1 0]
    """
    load(write(tmp_path, world))
    point, spot, sun = (bpy.data.objects[f"{kind}.{i}"] for i, kind in enumerate(("point", "spot", "distant")))
    assert tuple(point.location) == pytest.approx((1, 3, 2))
    assert point.data.energy == pytest.approx(4 * math.pi * 2, rel=1e-3)
    assert tuple(point.data.color) == pytest.approx((1, 0.5, 0.5), abs=1e-3)
    assert spot.data.energy == pytest.approx(4 * math.pi * 3, rel=1e-3)
    assert spot.data.spot_size == pytest.approx(math.radians(80))
    whole = 1 - math.cos(math.radians(40))
    blend = (math.cos(math.radians(30)) - math.cos(math.radians(40))) / whole
    assert spot.data.spot_blend == pytest.approx(blend, abs=1e-4)
    for found in (spot, sun):
        shines = found.matrix_world.to_3x3() @ Vector((0, 0, -1))
        assert tuple(shines) == pytest.approx((0, 0, -1), abs=1e-6)
    assert sun.data.energy == pytest.approx(5, rel=1e-3) and sun.data.angle == 0


FURNACE = HEAD.replace('"float fov" 40', '"float fov" 10').replace("60", "16").replace("40", "16")
SKY = 'LightSource "infinite" "rgb L" [1 1 1]\n'
BALL = 'Shape "sphere" "float radius" 1\n'
# What pbrt-v4 renders of a plane that looks at the camera in a white furnace.
FURNACES = {
    "diffuse": ('Material "diffuse" "rgb reflectance" [0.5 0.2 0.8]', (0.5, 0.2, 0.8)),
    "copper": ('Material "conductor"', (0.9553, 0.6376, 0.5382)),
    "coated": ('Material "coateddiffuse" "rgb reflectance" [0.5 0.5 0.5] "float roughness" 0', (0.304,) * 3),
    "rough coat": ('Material "coateddiffuse" "rgb reflectance" [0.8 0.8 0.8] "float roughness" 0.3', (0.385,) * 3),
    "dark rough coat": ('Material "coateddiffuse" "rgb reflectance" [0.2 0.2 0.2] "float roughness" 0.3', (0.101,) * 3),
    "grey glass": ('Material "dielectric"', (1.0,) * 3),
}


@pytest.mark.parametrize("name", FURNACES)
def test_white_furnaces(tmp_path, name):
    material, expected = FURNACES[name]
    shape = BALL if "glass" in name else QUAD
    load(write(tmp_path, f"{SKY}{material}\n{shape}", FURNACE))
    middle = render(64)[4:12, 4:12, :3].mean(axis=(0, 1))
    assert middle == pytest.approx(expected, rel=0.02)


def test_light_of_points_surfaces_and_suns(tmp_path):
    """A diffuse plane that is lit from the front, as physics has it."""
    grey = 'Material "diffuse" "rgb reflectance" [0.5 0.5 0.5]\n'
    for light, expected in (
        ('LightSource "point" "rgb I" [10 10 10] "point3 from" [0 0 -5]', 0.5 / math.pi * 10 / 25),
        ('LightSource "distant" "rgb L" [2 2 2] "point3 from" [0 0 -1] "point3 to" [0 0 0]', 0.5 / math.pi * 2),
    ):
        load(write(tmp_path, f"{light}\n{grey}Scale .2 .2 .2\n{QUAD}", FURNACE.replace('"float fov" 10', '"float fov" 1')))
        assert render(16)[6:10, 6:10, :3].mean() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("two_sided", [False, True])
def test_surfaces_shine_to_the_side_of_their_normals(tmp_path, two_sided):
    light = f'AreaLightSource "diffuse" "rgb L" [3 2 1] "bool twosided" {str(two_sided).lower()}\n'
    found = []
    for turn in ("", "ReverseOrientation\n"):
        load(write(tmp_path, f"{light}{turn}{QUAD}", FURNACE))
        found.append(render(4)[8, 8, :3])
    # One of them looks at the camera.
    shines = [tuple(pixel) == pytest.approx((3, 2, 1), rel=1e-3) for pixel in found]
    assert shines == ([True, True] if two_sided else [False, True])


def environment(tmp_path, turn=""):
    """A square by equal areas, black but for red where +x is, green where +y is, blue where +z is."""
    side = 64
    pixels = np.full((side, side, 3), 0.01, np.float32)
    for color, (u, v) in enumerate(((1.0, 0.5), (0.5, 1.0), (0.5, 0.5))):
        x, y = min(int(u * side), side - 1), min(int(v * side), side - 1)
        pixels[max(y - 3, 0) : y + 4, max(x - 3, 0) : x + 4] = 0
        pixels[max(y - 3, 0) : y + 4, max(x - 3, 0) : x + 4, color] = 1
    solio.write_image(pixels, tmp_path / "sky.exr")
    return f'{turn}LightSource "infinite" "string filename" "sky.exr"\n'


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("turn", ["", "Rotate -90 1 0 0\n"])
def test_skies_lie_around_as_in_pbrt(tmp_path, axis, turn):
    """The camera looks along an axis of the light, and sees its colour in the middle."""
    to = np.eye(3)[axis]
    world = to if not turn else np.array((to[0], to[2], -to[1]))
    up = (0, 1, 0) if abs(world[1]) < 0.5 else (1, 0, 0)
    look = f"LookAt 0 0 0  {' '.join(map(str, world))}  {' '.join(map(str, up))}"
    head = FURNACE.replace("LookAt 0 0 -5  0 0 0  0 1 0", look)
    load(write(tmp_path, environment(tmp_path, turn), head))
    pixel = render(4)[8, 8, :3]
    assert int(np.argmax(pixel)) == axis and pixel[axis] > 0.8, pixel


def test_textures_are_placed(tmp_path):
    image = np.zeros((2, 2, 3), np.uint8)
    image[0, 0], image[0, 1], image[1, 0], image[1, 1] = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
    solio.write_image(image, tmp_path / "t.png")
    world = """
    Texture "t" "spectrum" "imagemap" "string filename" "t.png" "float uscale" 2 "float vdelta" 0.5
    Texture "c" "spectrum" "checkerboard" "float uscale" 4 "float vscale" 4
    Material "diffuse" "texture reflectance" "t"
    """
    told = load(write(tmp_path, world + QUAD + 'Material "diffuse" "texture reflectance" "c"\n' + QUAD))
    trees = [m.node_tree for m in bpy.data.materials]
    mappings = [node for tree in trees for node in tree.nodes if node.type == "MAPPING"]
    placed = [tuple(node.inputs[name].default_value)[:2] for node in mappings for name in ("Scale", "Location")]
    assert ((2, 1), (0, 0.5)) in zip(placed[::2], placed[1::2], strict=True)
    images = {image.name: image for image in bpy.data.images}
    assert "t.png" in images and images["t.png"].colorspace_settings.name == "sRGB"
    baked = next(image for image in images.values() if image.packed_file)
    assert baked.size[0] == baked.size[1] > 1
    assert not any("Texture" in line for line in told)


def test_a_texture_is_seen_as_in_pbrt(tmp_path):
    """The lower left corner of the picture is at (0, 0), which is at the quad's first corner."""
    image = np.zeros((64, 64, 3), np.uint8)
    image[32:, :32] = (255, 0, 0)
    solio.write_image(image, tmp_path / "t.png")
    texture = 'Texture "t" "spectrum" "imagemap" "string filename" "t.png"\n'
    load(write(tmp_path, f'{texture}{SKY}Material "diffuse" "texture reflectance" "t"\n{QUAD}', FURNACE))
    pixels = render(16)
    assert pixels[12, 4, 0] > 0.9 and pixels[12, 4, 1] < 0.05
    for row, column in ((4, 4), (4, 12), (12, 12)):
        assert pixels[row, column, 0] < 0.05


def test_what_is_lost_is_told(tmp_path):
    world = """
    MakeNamedMedium "fog" "string type" "homogeneous"
    Shape "plymesh" "string filename" "gone.ply"
    Include "gone.pbrt"
    ActiveTransform EndTime
    Translate 1 0 0
    ActiveTransform All
    """
    told = load(write(tmp_path, world + f'ObjectBegin "leaf"\n{LEAF}ObjectEnd\nObjectInstance "leaf"\n'))
    text = "\n".join(told)
    for part in ("gone.ply", "gone.pbrt", "Motion of an instance", "Medium"):
        assert part in text
    with pytest.raises(RuntimeError, match=r"none\.pbrt"):
        bpy.ops.solio.pbrt_import(filepath=str(tmp_path / "none.pbrt"))


@pytest.mark.parametrize("in_window", [False, True])
def test_an_import_that_is_ended_leaves_nothing(tmp_path, in_window):
    from solio_io import import_pbrt

    path = write(tmp_path, environment(tmp_path) + QUAD + instances(20))
    options = SimpleNamespace(instances="AUTO", import_lights=True, import_world=True, import_camera=True)
    for done in (0.0, 0.2, 0.5, 0.9, 1.0):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        before = contents()
        job = import_pbrt.Import(bpy.context, options, str(path), lambda *_: None, in_window)
        work = job.steps()
        for found in work:
            assert 0 <= found <= 1
            if found >= done:
                break
        work.close()
        assert (contents() == before) == (done < 1)
    assert next(iter(bpy.context.scene.collection.children)).name == "a"


def test_a_definition_of_one_instance_is_an_object(tmp_path):
    load(write(tmp_path, f'ObjectBegin "leaf"\n{LEAF}ObjectEnd\nTranslate 1 2 3\nObjectInstance "leaf"\n'))
    (leaf,) = (thing for thing in bpy.context.scene.objects if thing.type != "CAMERA")
    assert (leaf.name, tuple(leaf.location)) == ("leaf", (1, 3, 2))


def test_holes_and_powers_tell_surfaces_apart(tmp_path):
    light = 'AreaLightSource "diffuse" "float power" 72 "bool twosided" true\n'
    small, large = QUAD, QUAD.replace("1", "3")
    hole = QUAD.replace('"bilinearmesh"', '"bilinearmesh" "float alpha" 0.25')
    world = f"{hole}{hole}{QUAD}AttributeBegin\n{light}{small}{large}AttributeEnd\n"
    load(write(tmp_path, world))
    used = [thing.data.materials[0] for thing in bpy.context.scene.objects if thing.type == "MESH"]
    assert len(used) == 5 and len(set(used)) == 4
    strengths = sorted(
        node.inputs["Strength"].default_value
        for material in bpy.data.materials
        for node in material.node_tree.nodes
        if node.type == "EMISSION"
    )
    # A patch has the power for itself: 72 / (π · area · 2).
    assert strengths == pytest.approx([72 / (math.pi * 36 * 2), 72 / (math.pi * 4 * 2)], rel=1e-3)


def contents():
    kinds = ("objects", "meshes", "materials", "collections", "images", "node_groups", "worlds", "cameras", "lights")
    return {kind: sorted(thing.name for thing in getattr(bpy.data, kind)) for kind in kinds}
