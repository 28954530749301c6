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
    scene.to_usd(tmp_path / "a.usda")
    assert (tmp_path / "a.usda").read_text().startswith("#usda")
    packed = scene.to_packed(tmp_path / "a.solio")
    assert packed.warnings == []
    again = solio.read_scene(tmp_path / "a.solio")
    assert again.definitions[0].mesh().face_count == 3
    scene.to_pbrt(tmp_path / "a.pbrt.gz")
    assert solio.read_scene(tmp_path / "a.pbrt.gz").instances.matrices.shape == (2, 4, 4)
    with pytest.raises(TypeError):
        scene.to_gltf(tmp_path / "c.glb", sideways=True)


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
