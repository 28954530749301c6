"""pbrt scenes: what was read, meshes, previews, and what they are written as."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import solio

LEAF = """
    Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point3 P" [0 0 0 1 0 0 1 1 0 0 1 0]
        "point2 uv" [0 0 1 0 1 1 0 1] "normal N" [0 0 1 0 0 1 0 0 1 0 0 1]
"""
SCENE = f"""
LookAt 0 1 6  0 1 0  0 1 0
Camera "perspective" "float fov" 40 "float lensradius" 0.1
Film "rgb" "integer xresolution" 96 "integer yresolution" 64 "string filename" "out.exr"
Integrator "volpath" "integer maxdepth" 5
WorldBegin
LightSource "point" "rgb I" [1 2 3] "point3 from" [0 5 0]
MakeNamedMaterial "red" "string type" "diffuse" "rgb reflectance" [0.8 0.1 0.1]
NamedMaterial "red"
Translate 0 1 0
Shape "sphere" "float radius" 0.5
Identity
AttributeBegin
AreaLightSource "diffuse" "rgb L" [3 3 3]
Shape "bilinearmesh" "point3 P" [-1 3 -1 1 3 -1 -1 3 1 1 3 1]
AttributeEnd
ObjectBegin "leaf"
Translate 0 0 2
{LEAF}
Shape "plymesh" "string filename" "meshes/stem.ply"
ObjectEnd
Translate 1 0 0
ObjectInstance "leaf"
Scale 2 2 2
ObjectInstance "leaf"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scene")
    (folder / "meshes").mkdir()
    stem = solio.Mesh.from_arrays(
        np.array([[0, 0, 0], [0, -1, 0], [0.1, -1, 0]], np.float32), faces=[[0, 1, 2]]
    )
    solio.write_mesh(stem, folder / "meshes/stem.ply")
    (folder / "a.pbrt").write_text(SCENE)
    (folder / "b.pbrt.gz").write_bytes(gzip.compress(SCENE.encode()))
    solio.read_scene(folder / "a.pbrt").to_packed(folder / "c.solio")
    return folder


@pytest.mark.parametrize("name", ["a.pbrt", "b.pbrt.gz", "c.solio"])
def test_what_a_scene_says(folder: Path, name: str) -> None:
    scene = solio.read_scene(folder / name)
    assert (scene.version, scene.is_packed) == (4, name.endswith(".solio"))
    assert scene.problems == [] and scene.warnings == []
    assert scene.files[0].name in (name, "a.pbrt")
    camera = scene.camera
    assert camera is not None
    assert (camera.kind, camera.type, camera.width, camera.height) == ("perspective",) * 2 + (96, 64)
    assert camera.fov == pytest.approx(40)
    assert camera.window == (-1.5, 1.5, -1, 1)
    assert camera.parameters["lensradius"] == pytest.approx(0.1)
    assert camera.to_world[:3, 3] == pytest.approx([0, 1, 6])
    assert scene.film["filename"] == "out.exr" and scene.integrator == {"maxdepth": 5}
    assert scene.up == (0, 1, 0) and scene.is_left_handed

    assert [shape.type for shape in scene.shapes] == ["sphere", "bilinearmesh"]
    assert scene.shapes[0].area_light is None and scene.shapes[1].area_light == 0
    assert scene.shapes[0].matrix[:3, 3].tolist() == [0, 1, 0]
    assert scene.shapes[-1].number == 1 and len(scene.shapes[:1]) == 1
    assert scene.shapes.area_lights.tolist() == [solio.NONE, 0]
    assert scene.shapes.matrices.shape == (2, 4, 4)
    assert scene.shapes[0].parameters == {"radius": 0.5}

    (leaf,) = scene.definitions
    assert (leaf.name, len(leaf.shapes), leaf.instance_count) == ("leaf", 2, 2)
    assert len(scene.instances) == 2
    assert scene.instances.definitions.tolist() == [0, 0]
    assert scene.instances.matrices.shape == (2, 4, 4)
    assert scene.instances.matrices.dtype == np.float32
    assert scene.instances.matrices[1].tolist() == [[2, 0, 0, 1], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]
    assert scene.instances.matrices_of(1, 9).shape == (1, 4, 4)
    assert scene.instances.moving.shape == (0,) and scene.instances.end_matrices.shape == (0, 4, 4)

    counts = scene.counts()
    assert (counts.shapes, counts.instances, counts.missing) == (4, 2, ())
    assert counts.primitives == 1 + 1 + 2 + 1 and counts.instanced_primitives == 2 + 6
    assert counts.classes["sphere"] == (1, 1)
    bounds = scene.bounds()
    assert bounds is not None and bounds.shape == (2, 3)
    assert bounds[1] == pytest.approx([3, 3, 4], abs=0.01)
    assert "2 instances" in repr(scene)


@pytest.mark.parametrize("name", ["a.pbrt", "c.solio"])
def test_meshes_are_made_when_asked_for(folder: Path, name: str) -> None:
    scene = solio.read_scene(folder / name)
    (leaf,) = scene.definitions
    own = leaf.shapes[0].mesh()
    assert own.positions[2].tolist() == [1, 1, 0]
    assert own.uvs is not None and own.uv_domain == "vertex" and own.uvs[2].tolist() == [1, 1]
    assert own.normals is not None and own.normal_domain == "vertex"
    assert own.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert leaf.shapes[1].mesh().vertex_count == 3
    both = leaf.mesh()
    assert both.positions[:, 2].tolist() == [2] * 7
    assert both.face_count == 3 and both.warnings == []
    # One of two shapes has normals: it is smooth.
    assert both.face_smoothing.tolist() == [1, 1, 0]
    assert both.face_materials.tolist() == [0, 0, 0]
    world, again = scene.meshes([scene.shapes, leaf])
    assert again.face_count == 3
    ball = world.positions[: world.vertex_count - 4]
    assert np.linalg.norm(ball - [0, 1, 0], axis=1) == pytest.approx(0.5, abs=1e-5)
    assert world.face_offsets[-1] - world.face_offsets[-2] == 4
    with pytest.raises(solio.ArgumentError):
        scene.meshes([solio.read_scene(folder / name).shapes])


def test_previews(folder: Path) -> None:
    scene = solio.read_scene(folder / "a.pbrt")
    image = scene.preview(48)
    pixels = np.asarray(image)
    assert pixels.shape == (32, 48, 4) and pixels.dtype == np.float32
    assert image.channels.keys() == dict.fromkeys("RGBA").keys()
    # The ball in the middle is red.
    assert pixels[16, 24, 0] > 3 * pixels[16, 24, 1] > 0
    assert pixels[16, 24, 3] == 1 and pixels[31, -1, 3] == 0
    whole = scene.preview(channels=None)
    assert whole["id"].shape == (64, 96) and set(np.unique(whole["id"])) == {0, 1, 2}
    assert scene.preview(height=16, channels=["Z"])["Z"].shape == (16, 24)
    png = scene._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert "data:image/png;base64," in scene._repr_html_()
    refused: list[dict[str, Any]] = [{"samples": 0}, {"width": 0}, {"channels": "Q"}]
    for wrong in [*refused, {"channels": ""}, {"occlusion": -1}]:
        with pytest.raises(solio.ArgumentError):
            scene.preview(**wrong)


@pytest.mark.parametrize("name", ["a.pbrt", "c.solio"])
def test_other_formats(folder: Path, tmp_path: Path, name: str) -> None:
    scene = solio.read_scene(folder / name)
    written = scene.to_gltf(tmp_path / "a.glb")
    assert [Path(file).name for file, _ in written.files] == ["a.glb"]
    assert written.file_bytes == (tmp_path / "a.glb").stat().st_size
    assert any("lens of the camera" in loss.text for loss in written.losses)
    assert len(solio.read_instances(tmp_path / "a.glb")) == 4
    assert len(scene.to_gltf(tmp_path / "a.gltf").files) == 2
    with pytest.raises(solio.Error):
        scene.to_gltf(tmp_path / "b.glb", strict_loss=True)
    assert not (tmp_path / "b.glb").exists()
    with pytest.raises(solio.ArgumentError):
        scene.to_gltf(tmp_path / "b.usda")
    scene.to_gltf(tmp_path / "c.tmp", format="glb", instances="nodes")
    assert (tmp_path / "c.tmp").read_bytes().startswith(b"glTF")
    scene.to_usd(tmp_path / "a.usda")
    assert (tmp_path / "a.usda").read_text().startswith("#usda")
    xml = scene.to_mitsuba(tmp_path / "a.xml")
    assert "<scene" in (tmp_path / "a.xml").read_text() and len(xml.files) > 1
    packed = scene.to_packed(tmp_path / "a.solio")
    assert packed.warnings == []
    again = solio.read_scene(tmp_path / "a.solio")
    assert again.definitions[0].mesh().face_count == 3
    scene.to_pbrt(tmp_path / "a.pbrt.gz")
    assert solio.read_scene(tmp_path / "a.pbrt.gz").instances.matrices.shape == (2, 4, 4)
    with pytest.raises(TypeError):
        scene.to_gltf(tmp_path / "c.glb", sideways=True)


LOOKS = """
WorldBegin
Texture "t" "spectrum" "imagemap" "string filename" "t.png" "float uscale" 2 "float vdelta" 0.5
Texture "c" "spectrum" "checkerboard" "float uscale" 4 "float vscale" 2 "rgb tex1" [0 0 0] "rgb tex2" [1 0.5 0]
MakeNamedMaterial "picture" "string type" "diffuse" "texture reflectance" "t"
MakeNamedMaterial "checker" "string type" "coateddiffuse" "texture reflectance" "c" "float roughness" 0.0625
MakeNamedMaterial "copper" "string type" "conductor" "float roughness" 0.0625
MakeNamedMaterial "glass" "string type" "dielectric" "float eta" 1.33
MakeNamedMaterial "both" "string type" "mix" "string materials" ["copper" "glass"] "float amount" 0.25
MakeNamedMedium "fog" "string type" "homogeneous" "rgb sigma_a" [1 2 3] "rgb sigma_s" [4 5 6] "float g" 0.5
LightSource "distant" "rgb L" [4 2 2] "point3 from" [0 2 0] "point3 to" [0 0 0]
LightSource "spot" "rgb I" [3 3 3] "float coneangle" 40 "float conedeltaangle" 10 "point3 from" [1 2 3]
LightSource "infinite" "string filename" "t.png"
NamedMaterial "copper"
Shape "sphere" "float alpha" 0.5
AreaLightSource "diffuse" "float power" 72 "bool twosided" true
Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point3 P" [0 0 0 6 0 0 6 6 0 0 6 0]
"""


def test_looks_in_a_neutral_form(tmp_path: Path) -> None:
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[1, 0] = 255
    solio.write_image(pixels, tmp_path / "t.png")
    (tmp_path / "a.pbrt").write_text(LOOKS)
    scene = solio.read_scene(tmp_path / "a.pbrt")
    looks = {look.name: look for look in scene.materials}
    assert [look.name for look in scene.materials] == ["picture", "checker", "copper", "glass", "both"]
    texture = looks["picture"].base.texture
    assert texture is not None and texture.path is not None and Path(texture.path).name == "t.png"
    assert (texture.scale, texture.offset, texture.wrap) == ((2, 1), (0, 0.5), "repeat")
    assert texture.encoding == ("srgb", 1.0) and not texture.is_number
    assert texture.bake(16).pixels[1, 0].tolist() == [1, 1, 1]
    checker = looks["checker"].base.texture
    assert checker is not None and checker.path is None
    baked = checker.bake()
    assert {tuple(color) for color in baked.pixels.reshape(-1, 3).round(4).tolist()} == {(0, 0, 0), (1, 0.5, 0)}
    assert looks["checker"].kind == "coated-diffuse" and looks["checker"].linear_base != looks["checker"].base
    copper = looks["copper"]
    assert copper.kind == "conductor" and copper.metallic.factor == 1
    assert copper.base.factor == pytest.approx((0.955, 0.638, 0.538), abs=2e-3)
    assert copper.roughness.factor == pytest.approx(0.5) and copper.alphas == pytest.approx((0.25, 0.25))
    assert looks["glass"].transmission.factor == 1 and looks["glass"].ior == pytest.approx(1.33)
    mix = looks["both"]
    assert mix.mix == (2, 3) and mix.mix_amount is not None and mix.mix_amount.factor == 0.25
    assert scene.default_material.base.factor == (0.5, 0.5, 0.5)

    ball, quad = scene.shapes
    assert ball.material == 2 and ball.opacity is not None and ball.opacity.factor == 0.5
    assert ball.emitted_strength() is None and quad.opacity is None
    (area,) = scene.area_lights
    assert area.is_two_sided and area.power == 72 and area.texture is None
    # Each triangle has the power for itself.
    assert quad.emitted_strength() == pytest.approx(72 / (np.pi * 18 * 2), rel=1e-3)

    sun, spot, sky = scene.lights
    assert (sun.kind, sun.direction) == ("distant", (0, -1, 0))
    assert sun.strength == pytest.approx(4, rel=1e-3) and sun.color == pytest.approx((1, 0.5, 0.5), abs=1e-3)
    assert spot.kind == "spot" and spot.position == (1, 2, 3)
    assert spot.angles == pytest.approx(np.radians([40, 30]))
    assert sky.kind == "sky" and sky.mapping == "equal-area" and sky.picture is not None
    assert sky.sky().shape[1] == 2 * sky.sky().shape[0]
    assert sky.to_world.tolist() == np.eye(4).tolist()
    with pytest.raises(solio.ArgumentError):
        sun.sky()
    (fog,) = scene.media
    assert (fog.name, fog.anisotropy, fog.is_homogeneous) == ("fog", 0.5, True)
    assert fog.absorption == pytest.approx((1, 2, 3), rel=1e-2)
    assert ball.mesh().materials[2].name == "copper"
    assert all(isinstance(loss, solio.Loss) for loss in scene.losses)


def test_version_three_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "a.pbrt"
    path.write_text('WorldBegin\nMaterial "matte" "color Kd" [.1 .2 .3]\nShape "sphere"\nWorldEnd\n')
    scene = solio.read_scene(path)
    assert scene.version == 3 and scene.camera is None and scene.up == (0, 0, 1)
    scene.to_pbrt(tmp_path / "b.pbrt", upgrade=True)
    assert 'Material "diffuse"' in (tmp_path / "b.pbrt").read_text()
    scene.to_pbrt(tmp_path / "out", whole=True)
    assert (tmp_path / "out/a.pbrt").exists()
    packed = tmp_path / "c.solio"
    scene.to_packed(packed)
    with pytest.raises(solio.ArgumentError, match="packed"):
        solio.read_scene(packed).to_pbrt(tmp_path / "d.pbrt", upgrade=True)


def test_motion(tmp_path: Path) -> None:
    path = tmp_path / "a.pbrt"
    move = "ActiveTransform EndTime\nTranslate 1 0 0\nActiveTransform All\n"
    body = f'ObjectBegin "a"\n{LEAF}ObjectEnd\nObjectInstance "a"\n{move}ObjectInstance "a"\n'
    path.write_text(f'Camera "perspective"\nWorldBegin\n{body}')
    scene = solio.read_scene(path)
    assert scene.instances.moving.tolist() == [1]
    assert scene.instances.end_matrices[0, :3, 3].tolist() == [1, 0, 0]
    assert scene.counts().moving_instances == 1


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.pbrt"
    text = 'WorldBegin\nInclude "gone.pbrt"\nShape "sphere" "float radios" 2\n'
    path.write_text(text + 'Shape "plymesh" "string filename" "gone.ply"\n')
    scene = solio.read_scene(path)
    (problem,) = scene.problems
    assert isinstance(problem, solio.IoError) and problem.line == 2
    found = solio.read_scene(path, check=True).problems
    assert any(error.hint == 'did you mean "radius"?' for error in found)
    mesh = scene.shapes.mesh()
    assert mesh.vertex_count > 0 and "gone.ply" in mesh.warnings[0]
    with pytest.raises(solio.IoError):
        scene.shapes[1].mesh()
    assert len(scene.counts().missing) == 1
    assert any("gone.ply" in note for note in scene.preview(16).notes)
    assert any("gone.ply" in warning for warning in scene.to_packed(tmp_path / "a.solio").warnings)
    with pytest.raises(solio.IoError):
        solio.read_scene(tmp_path / "none.pbrt")
    (tmp_path / "not.pbrt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    with pytest.raises(solio.Error):
        solio.read_scene(tmp_path / "not.pbrt")
    (tmp_path / "cut.solio").write_bytes((tmp_path / "a.solio").read_bytes()[:-40])
    with pytest.raises(solio.CorruptError):
        solio.read_scene(tmp_path / "cut.solio")
    with pytest.raises(solio.LimitError):
        solio.read_scene(path, max_bytes=4)


def test_options_are_checked(folder: Path) -> None:
    wrong: Any = {"threads": -1}
    with pytest.raises(solio.ArgumentError):
        solio.read_scene(folder / "a.pbrt", **wrong)
    with pytest.raises(IndexError):
        solio.read_scene(folder / "a.pbrt").shapes[2]
