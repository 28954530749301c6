# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's own glTF exporter writes comes in as the scene that it was."""

from __future__ import annotations

import addon_utils
import bpy
import numpy as np
import pytest
import scenes
import solio
from test_gltf_export import SCENES, assert_drawn, principled, surfaces


# Blender's exporter leaves out, or shows otherwise, what these are about.
NOT_ALIKE = {"instances", "collections", "shape_keys"}


@pytest.mark.parametrize("name", [name for name in SCENES if name not in NOT_ALIKE])
def test_the_scene_of_blenders_exporter(scene, tmp_path, name):
    scene(name)
    addon_utils.enable("io_scene_gltf2")
    path = tmp_path / "out.glb"
    assert bpy.ops.export_scene.gltf(filepath=str(path), export_apply=True) == {"FINISHED"}
    expected = surfaces()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.solio.gltf_import(filepath=str(path), validate_meshes=False) == {"FINISHED"}
    assert_drawn(expected)


def test_objects_of_one_mesh_share_it(tmp_path):
    mesh = solio.Mesh.from_arrays(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32),
        faces=np.array([[0, 1, 2]], np.uint32),
    )
    move = [[1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 1, 4], [0, 0, 0, 1]]
    shear = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    drawn = [
        solio.Instance(mesh, "one", mesh_name="leaf"),
        solio.Instance(mesh, "two", mesh_name="leaf", transform=move),
        solio.Instance(mesh, "three", mesh_name="leaf", transform=shear),
    ]
    path = tmp_path / "a.glb"
    solio.write_mesh(drawn, path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.solio.gltf_import(filepath=str(path)) == {"FINISHED"}
    one, two, three = (bpy.data.objects[name] for name in ("one", "two", "three"))
    assert one.data == two.data and one.data.name == "leaf"
    # Y is up in the file.
    assert tuple(two.matrix_world.translation) == (2, -4, 3)
    # An object cannot shear, so its mesh is a sheared copy.
    assert three.data != one.data
    corners = [tuple(three.matrix_world @ v.co) for v in three.data.vertices]
    assert corners == [pytest.approx(p, abs=1e-6) for p in ((0, 0, 0), (1, 0, 0), (1, 0, 1))]


def test_materials_images_and_attributes_come_back(scene, tmp_path):
    scene("cube")
    material = scenes._material("painted", Base_Color=(0.8, 0.6, 0.2, 1), IOR=1.4, Coat_Weight=0.5)
    material.use_backface_culling = True
    image = bpy.data.images.new("paint", 4, 4)
    image.pixels[:] = [((i % 7) / 6, (i % 5) / 4, 1, 1)[k] for i in range(16) for k in range(4)]
    image.pack()
    nodes, links = material.node_tree.nodes, material.node_tree.links
    node = nodes.new("ShaderNodeTexImage")
    node.image = image
    split = nodes.new("ShaderNodeSeparateColor")
    links.new(node.outputs[0], split.inputs[0])
    links.new(split.outputs["Green"], principled(material).inputs["Roughness"])
    links.new(split.outputs["Blue"], principled(material).inputs["Metallic"])
    mesh = bpy.context.object.data
    mesh.materials.append(material)
    mesh.uv_layers.new(name="light")
    heat = mesh.attributes.new("_heat", "FLOAT", "POINT")
    heat.data.foreach_set("value", np.arange(len(mesh.vertices), dtype=np.float32))
    path = tmp_path / "out.glb"
    assert bpy.ops.solio.gltf_export(filepath=str(path)) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.solio.gltf_import(filepath=str(path)) == {"FINISHED"}
    (mesh,) = bpy.data.meshes
    assert len(mesh.uv_layers) == 2
    assert sorted({v.value for v in mesh.attributes["_heat"].data}) == list(range(8))
    (found,) = mesh.materials
    inputs = principled(found).inputs
    assert found.use_backface_culling
    assert inputs["IOR"].default_value == pytest.approx(1.4)
    assert inputs["Coat Weight"].default_value == pytest.approx(0.5)
    assert tuple(inputs["Base Color"].default_value)[:3] == pytest.approx((0.8, 0.6, 0.2))
    sources = {inputs[name].links[0].from_socket.name for name in ("Roughness", "Metallic")}
    assert sources == {"Green", "Blue"}
    (picture,) = [n.image for n in found.node_tree.nodes if n.bl_idname == "ShaderNodeTexImage"]
    assert tuple(picture.size) == (4, 4)
    assert picture.pixels[2] == pytest.approx(1)
