# SPDX-License-Identifier: GPL-3.0-or-later
"""What glTF by Solio is to Blender's own importer: the scene that it was made of."""

from __future__ import annotations

import json
import struct
from collections import defaultdict

import addon_utils
import bpy
import numpy as np
import pytest
import scenes

DIGITS = 4


@pytest.fixture(autouse=True, scope="module")
def blender_gltf():
    """Blender's own glTF, which a Blender as a module has switched off."""
    addon_utils.enable("io_scene_gltf2")
    yield
    addon_utils.disable("io_scene_gltf2")


def surfaces(known=None):
    """Of the scene as it is drawn, what each material covers: its area, its corners in the world, and
    these with the first UVs. Materials that are not `known` count as none: Blender's importer makes some
    to show colours of vertices."""
    areas, corners, uvs = defaultdict(float), defaultdict(set), defaultdict(set)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for instance in depsgraph.object_instances:
        if instance.object.type != "MESH":
            continue
        mesh, matrix = instance.object.data, np.array(instance.matrix_world)
        mesh.calc_loop_triangles()
        points = np.array([v.co for v in mesh.vertices]).reshape(-1, 3)
        points = points @ matrix[:3, :3].T + matrix[:3, 3]
        layer = mesh.uv_layers[0].uv if len(mesh.uv_layers) else None
        for triangle in mesh.loop_triangles:
            slots = instance.object.material_slots
            slot = slots[triangle.material_index].material if triangle.material_index < len(slots) else None
            name = slot.name if slot and (known is None or slot.name in known) else ""
            a, b, c = (points[v] for v in triangle.vertices)
            areas[name] += np.linalg.norm(np.cross(b - a, c - a)) / 2
            for loop, vertex in zip(triangle.loops, triangle.vertices, strict=True):
                place = tuple(np.round(points[vertex], DIGITS) + 0.0)
                corners[name].add(place)
                if layer is not None:
                    uv = np.round(layer[loop].vector, DIGITS) + 0.0
                    uvs[name].add((place, tuple(float(x) for x in uv)))
    return areas, corners, uvs


def near(found, expected):
    """The same but for numbers that were rounded to another side."""
    assert found.keys() == expected.keys()
    for name, rows in expected.items():
        both = [np.array([np.hstack(row) for row in sorted(part)]) for part in (found[name], rows)]
        assert len(both[0]) and len(both[1])
        for one, other in (both, both[::-1]):
            # Every row of one is near one of the other.
            for start in range(0, len(one), 512):
                part = one[start : start + 512, None, :]
                assert (np.abs(part - other[None]).max(axis=2).min(axis=1) < 3 * 10**-DIGITS).all(), name


def assert_drawn(expected):
    """The scene is drawn with these `surfaces`."""
    areas, corners, uvs = surfaces(expected[0])
    assert areas == pytest.approx(dict(expected[0]), rel=1e-3, abs=1e-5)
    near(corners, expected[1])
    near(uvs, expected[2])


def document(path):
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


SCENES = [
    name
    for name in scenes.ALL
    if name not in ("large", "curves", "loose", "animated")  # lines, and much of the same
]


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("form", ["glb", "gltf"])
def test_the_importer_gives_the_scene_back(scene, tmp_path, name, form):
    scene(name)
    expected = surfaces()
    path = tmp_path / f"out.{form}"
    assert bpy.ops.solio.gltf_export(filepath=str(path)) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_scene_gltf2")
    assert bpy.ops.import_scene.gltf(filepath=str(path)) == {"FINISHED"}
    assert_drawn(expected)


def test_objects_that_share_a_mesh_share_it(scene, tmp_path):
    scene("shared")
    path = tmp_path / "out.glb"
    assert bpy.ops.solio.gltf_export(filepath=str(path)) == {"FINISHED"}
    made = document(path)
    drawn = [node for node in made["nodes"] if "mesh" in node]
    assert len(drawn) > len(made["meshes"])
    names = {node["name"] for node in made["nodes"] if "name" in node}
    assert names >= {o.name for o in bpy.context.scene.objects if o.type == "MESH"}


def test_instances_as_arrays(scene, tmp_path):
    scene("instances")
    path = tmp_path / "out.glb"
    assert bpy.ops.solio.gltf_export(filepath=str(path), gpu_instances=True) == {"FINISHED"}
    made = document(path)
    assert made["extensionsRequired"] == ["EXT_mesh_gpu_instancing"]


def principled(material):
    return material.node_tree.nodes["Principled BSDF"]


def test_a_material_comes_back(scene, tmp_path):
    scene("cube")
    material = scenes._material(
        "brass",
        Base_Color=(0.8, 0.6, 0.2, 1),
        Metallic=0.75,
        Roughness=0.3,
        IOR=1.4,
        Coat_Weight=0.5,
        Coat_Roughness=0.2,
        Emission_Color=(0.5, 1, 0.25, 1),
        Emission_Strength=3,
    )
    material.use_backface_culling = True
    bpy.context.object.data.materials.append(material)
    wanted = {
        name: socket.default_value
        for name, socket in principled(material).inputs.items()
        if isinstance(getattr(socket, "default_value", None), float)
    }
    path = tmp_path / "out.glb"
    assert bpy.ops.solio.gltf_export(filepath=str(path)) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(path))
    found = bpy.data.materials["brass"]
    assert found.use_backface_culling
    inputs = principled(found).inputs
    assert tuple(inputs["Base Color"].default_value)[:3] == pytest.approx((0.8, 0.6, 0.2))
    for name in ("Metallic", "Roughness", "IOR", "Coat Weight", "Coat Roughness", "Alpha"):
        assert inputs[name].default_value == pytest.approx(wanted[name]), name
    light = np.array(inputs["Emission Color"].default_value)[:3] * inputs["Emission Strength"].default_value
    assert light == pytest.approx((1.5, 3, 0.75))


def pixels(image):
    return np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)


@pytest.mark.parametrize("form", ["glb", "gltf"])
def test_packed_and_painted_images_come_along(scene, tmp_path, form):
    scene("cube")
    material = scenes._material("painted")
    image = bpy.data.images.new("paint", 4, 4)
    image.pixels[:] = [((i % 7) / 6, (i % 5) / 4, (i % 3) / 2, 1)[k] for i in range(16) for k in range(4)]
    image.pack()
    nodes, links = material.node_tree.nodes, material.node_tree.links
    node = nodes.new("ShaderNodeTexImage")
    node.image = image
    links.new(node.outputs[0], principled(material).inputs["Base Color"])
    split = nodes.new("ShaderNodeSeparateColor")
    links.new(node.outputs[0], split.inputs[0])
    links.new(split.outputs["Green"], principled(material).inputs["Roughness"])
    links.new(split.outputs["Blue"], principled(material).inputs["Metallic"])
    bpy.context.object.data.materials.append(material)
    expected = pixels(image)
    path = tmp_path / f"out.{form}"
    assert bpy.ops.solio.gltf_export(filepath=str(path)) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(path))
    found = bpy.data.materials["painted"]
    images = {n.image for n in found.node_tree.nodes if n.bl_idname == "ShaderNodeTexImage"}
    assert len(images) == 1
    assert pixels(images.pop()) == pytest.approx(expected, abs=1 / 255)
    for name in ("Base Color", "Roughness", "Metallic"):
        assert principled(found).inputs[name].is_linked, name


def test_several_uv_maps_and_attributes(scene, tmp_path):
    scene("cube")
    mesh = bpy.context.object.data
    second = mesh.uv_layers.new(name="light")
    corners = len(mesh.loops)
    second.uv.foreach_set("vector", np.linspace(0, 1, 2 * corners, dtype=np.float32))
    heat = mesh.attributes.new("_heat", "FLOAT", "POINT")
    heat.data.foreach_set("value", np.arange(len(mesh.vertices), dtype=np.float32))

    def rows(mesh):
        positions = np.array([mesh.vertices[loop.vertex_index].co for loop in mesh.loops])
        sets = [np.array([uv.vector for uv in layer.uv]) for layer in mesh.uv_layers]
        heat = np.array([mesh.attributes["_heat"].data[loop.vertex_index].value for loop in mesh.loops])
        table = np.hstack([positions, *sets, heat[:, None]])
        return {tuple(row) for row in np.round(table, DIGITS) + 0.0}

    expected = rows(mesh)
    path = tmp_path / "out.glb"
    assert bpy.ops.solio.gltf_export(filepath=str(path)) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(path))
    (mesh,) = bpy.data.meshes
    assert len(mesh.uv_layers) == 2
    assert rows(mesh) == expected


def test_lights_are_named_as_left_out(scene, tmp_path):
    scene("cube")
    bpy.ops.object.light_add()
    told = []
    from solio_io import export_gltf

    export_gltf._tell_left_out(
        bpy.context.evaluated_depsgraph_get(), lambda kind, text: told.append((kind, text))
    )
    assert told == [({"INFO"}, "not written: 1 light")]


def test_what_gltf_takes_otherwise_is_told(scene, tmp_path):
    """A colour for the alpha, and coordinates that are not UVs."""
    scene("cube")
    material = scenes._material("odd", Alpha=0.5)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    node = nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.new("paint", 2, 2)
    links.new(node.outputs["Color"], principled(material).inputs["Alpha"])
    links.new(node.outputs["Color"], principled(material).inputs["Base Color"])
    links.new(nodes.new("ShaderNodeTexCoord").outputs["Object"], node.inputs["Vector"])
    from solio_io.gltf_materials import GltfLibrary

    library = GltfLibrary(str(tmp_path))
    library.add(material)
    assert [found.key for found in library.materials[0].maps] == ["map_Kd"]
    assert library.materials[0].opacity == 0.5
    told = " ".join(library.warnings)
    assert "glTF takes Alpha from the alpha of an image" in told
    assert "the first UV map places a texture, not Texture Coordinate" in told
