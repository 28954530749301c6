use super::*;
use crate::export::EncodedPicture;
use crate::export::ExportMeshes;
use crate::export::tests::scene_of;
use crate::look::{LookPicture, TexturePicture};
use crate::pack::PackedMesh;
use ::gltf::accessor::Iter;
use glam::{Mat4, Quat, Vec3, Vec4};

struct TriangleSquare;

impl ExportMeshes for TriangleSquare {
    fn mesh(&self, name: &[u8], faces: Faces) -> Result<PackedMesh<'static>> {
        assert_eq!(faces, Faces::Triangles);
        match name {
            b"dir/square.ply" => Ok(PackedMesh {
                positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.25]]
                    .into(),
                normals: vec![[0., 0., 2.]; 4].into(),
                uvs: vec![[0., 0.], [1., 0.], [1., 1.], [0., 1.]].into(),
                corners: vec![0, 1, 2, 0, 2, 3].into(),
                ..PackedMesh::default()
            }),
            _ => Err(Error::argument("cannot open: no such file")),
        }
    }
}

fn scene(head: &str, world: &str) -> Scene {
    scene_of(head, world, &Work::serial())
}

fn separate(scene: &Scene) -> (GltfSummary, ::gltf::Gltf, Vec<u8>) {
    let (mut document, mut buffer) = (Vec::new(), Vec::new());
    let output =
        GltfOutput::Separate { document: &mut document, buffer: &mut buffer, uri: "a%20b.bin" };
    let summary =
        encode_gltf(scene, &TriangleSquare, SceneInstances::Gpu, output, &Work::serial()).unwrap();
    // The reader does not know the extension for instances, and would refuse it.
    let read = ::gltf::Gltf::from_slice_without_validation(&document).unwrap();
    (summary, read, buffer)
}

fn binary(scene: &Scene) -> (GltfSummary, ::gltf::Gltf) {
    let mut bytes = Vec::new();
    let summary = encode_gltf(
        scene,
        &TriangleSquare,
        SceneInstances::Gpu,
        GltfOutput::Binary(&mut bytes),
        &Work::serial(),
    )
    .unwrap();
    (summary, ::gltf::Gltf::from_slice_without_validation(&bytes).unwrap())
}

/// All triangles in the world, as a reader finds them: (name of the mesh, corners).
fn triangles(read: &::gltf::Gltf, buffer: &[u8]) -> Vec<(String, [Vec3; 3])> {
    let mut found = Vec::new();
    for node in read.default_scene().unwrap().nodes() {
        walk(&node, Mat4::IDENTITY, read, buffer, &mut found);
    }
    found
}

fn walk(
    node: &::gltf::Node<'_>,
    above: Mat4,
    read: &::gltf::Gltf,
    buffer: &[u8],
    found: &mut Vec<(String, [Vec3; 3])>,
) {
    let here = above * Mat4::from_cols_array_2d(&node.transform().matrix());
    for child in node.children() {
        walk(&child, here, read, buffer, found);
    }
    let Some(mesh) = node.mesh() else { return };
    for place in places(node, read, buffer) {
        let matrix = here * place;
        for primitive in mesh.primitives() {
            let reader = primitive.reader(|_| Some(buffer));
            let positions: Vec<_> = reader.read_positions().unwrap().collect();
            let corners: Vec<_> = reader.read_indices().unwrap().into_u32().collect();
            for corners in corners.as_chunks::<3>().0 {
                let mut at = corners.map(|i| matrix.transform_point3(positions[i as usize].into()));
                // Mirrored ones are seen from the other side, and count as turned around.
                if matrix.determinant() < 0.0 {
                    at.swap(1, 2);
                }
                found.push((mesh.name().unwrap().to_owned(), at));
            }
        }
    }
}

fn places(node: &::gltf::Node<'_>, read: &::gltf::Gltf, buffer: &[u8]) -> Vec<Mat4> {
    let Some(value) = node.extension_value(INSTANCING) else { return vec![Mat4::IDENTITY] };
    let accessor = |name: &str| {
        let number = value["attributes"].get(name)?.as_u64().unwrap() as usize;
        Some(read.accessors().nth(number).unwrap())
    };
    let of = |name| Some(Iter::<[f32; 3]>::new(accessor(name)?, |_| Some(buffer)).unwrap());
    let translations: Vec<_> = of("TRANSLATION").unwrap().collect();
    let count = translations.len();
    let scales: Vec<_> = of("SCALE").map_or(vec![[1.0; 3]; count], Iterator::collect);
    let rotations =
        accessor("ROTATION").map(|a| Iter::<[f32; 4]>::new(a, |_| Some(buffer)).unwrap());
    let rotations: Vec<_> = rotations.map_or(vec![[0., 0., 0., 1.]; count], Iterator::collect);
    let all = translations.iter().zip(&rotations).zip(&scales);
    all.map(|((t, r), s)| {
        Mat4::from_scale_rotation_translation((*s).into(), Quat::from_array(*r), (*t).into())
    })
    .collect()
}

/// All triangles of plymeshes in the world, from the matrices of the scene.
fn expected(scene: &Scene, mirrored: bool) -> Vec<[Vec3; 3]> {
    let mut found = Vec::new();
    let row = |m: &[f32], i: usize| Vec4::new(m[4 * i], m[4 * i + 1], m[4 * i + 2], m[4 * i + 3]);
    let moved = |m: &[f32], p: Vec3| {
        let p = p.extend(1.0);
        Vec3::new(row(m, 0).dot(p), row(m, 1).dot(p), row(m, 2).dot(p))
    };
    let mirror = Vec3::new(1.0, 1.0, if mirrored { -1.0 } else { 1.0 });
    let square = TriangleSquare.mesh(b"dir/square.ply", Faces::Triangles).unwrap();
    let mut add = |shape: &Shape, instance: &[f32]| {
        for corners in square.corners.as_chunks::<3>().0 {
            let matrix = &scene.matrices[shape.matrix as usize];
            let mut at = corners.map(|i| {
                let point = moved(matrix, square.positions[i as usize].into());
                moved(instance, point) * mirror
            });
            // The side that shows stays that of the object's space, whatever mirrors.
            let minor = |m: &[f32]| {
                glam::Mat3::from_cols_array(&[
                    m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10],
                ])
                .determinant()
            };
            let side = minor(matrix) * minor(instance) * mirror.z;
            if (side < 0.0) != shape.reverse_orientation {
                at.swap(1, 2);
            }
            found.push(at);
        }
    };
    let shapes = &scene.shapes;
    shapes[..scene.world_shapes as usize].iter().for_each(|shape| add(shape, &IDENTITY));
    for (object, matrix) in scene.instances.objects.iter().zip(&scene.instances.matrices) {
        let range = &scene.objects[*object as usize].shapes;
        for shape in &shapes[range.start as usize..range.end as usize] {
            add(shape, matrix);
        }
    }
    found
}

fn same(mut found: Vec<[Vec3; 3]>, mut wanted: Vec<[Vec3; 3]>) {
    assert_eq!(found.len(), wanted.len());
    while let Some(one) = found.pop() {
        let far = |other: &[Vec3; 3]| {
            // A triangle may begin at any of its corners.
            let turned = |by: usize| (0..3).map(|i| one[i].distance(other[(i + by) % 3])).sum();
            (0..3).map(turned).fold(f32::INFINITY, f32::min)
        };
        let best = (0..wanted.len()).min_by(|a, b| far(&wanted[*a]).total_cmp(&far(&wanted[*b])));
        let best = best.unwrap();
        assert!(far(&wanted[best]) < 1e-4, "{one:?} is nearest to {:?}", wanted[best]);
        wanted.swap_remove(best);
    }
}

const SQUARE: &str = "Shape \"plymesh\" \"string filename\" \"dir/square.ply\"\n";

fn full() -> String {
    let object = format!(
        "ObjectBegin \"o\"\n{SQUARE}AttributeBegin\nTranslate 0 0 1\nScale -1 2 1\n{SQUARE}\
         AttributeEnd\nReverseOrientation\n{SQUARE}ObjectEnd\n"
    );
    let instances = "ObjectInstance \"o\"\nTranslate 1 2 3\nRotate 30 1 2 3\nObjectInstance \"o\"\n\
        Scale 1 -2 3\nObjectInstance \"o\"\nRotate 40 0 1 1\nObjectInstance \"o\"\n";
    format!("{SQUARE}{object}{instances}Rotate 20 1 0 0\n{SQUARE}Identity\nScale 2 1 1\n{SQUARE}")
}

#[test]
fn everything_is_where_it_was() {
    for (head, mirrored) in [
        ("", true),
        ("LookAt 1 2 3 0 0 0 0 1 0\nCamera \"perspective\"", true),
        ("Scale -1 1 1\nLookAt 1 2 3 0 0 0 0 1 0\nCamera \"perspective\"", false),
    ] {
        let scene = scene(head, &full());
        let (summary, read, buffer) = separate(&scene);
        assert!(summary.problems.is_empty() && summary.losses.is_empty(), "{summary:?}");
        assert_eq!((summary.instances, summary.sheared), (3, 2));
        let found = triangles(&read, &buffer);
        let wanted = expected(&scene, mirrored);
        same(found.iter().map(|(_, at)| *at).collect(), wanted);
        let json = read.document.into_json();
        assert_eq!(json.buffers[0].uri.as_deref(), Some("a%20b.bin"));
        assert_eq!(json.buffers[0].byte_length.0, buffer.len() as u64);
        assert_eq!(json.extensions_required, [INSTANCING]);
        // The object is there once: the world shows its file as it is, the object under two
        // matrices, and turned.
        assert_eq!((json.meshes.len(), json.meshes[1].primitives.len()), (2, 3));
        let (one, read) = binary(&scene);
        assert_eq!(one.nodes, summary.nodes);
        assert_eq!(read.blob.as_deref().map(<[u8]>::len), Some(buffer.len()));
        assert_eq!(triangles(&read, read.blob.as_ref().unwrap()), found);
    }
}

#[test]
fn the_camera_sees_what_it_saw() {
    let film = "Film \"rgb\" \"integer xresolution\" 200 \"integer yresolution\" 100";
    for mirror in ["", "Scale -1 1 1"] {
        let head = format!(
            "{film}\n{mirror}\nLookAt 1 2 3  0 1 0  0 1 0.5\nCamera \"perspective\" \"float fov\" 60"
        );
        let scene = scene(&head, SQUARE);
        let (_, read, buffer) = separate(&scene);
        let camera = read.nodes().find(|node| node.camera().is_some()).unwrap();
        let lens = camera.camera().unwrap();
        let ::gltf::camera::Projection::Perspective(lens) = lens.projection() else { panic!() };
        assert!((lens.yfov().to_degrees() - 60.0).abs() < 1e-4);
        assert_eq!(lens.aspect_ratio(), Some(2.0));
        // A point of the scene is at the same place of the picture.
        let to_world = Mat4::from_cols_array_2d(&camera.transform().matrix());
        assert!((to_world.determinant() - 1.0).abs() < 1e-5);
        let [(_, [corner, ..]), ..] = &triangles(&read, &buffer)[..] else { panic!() };
        let seen = to_world.inverse().transform_point3(*corner);
        let from_world = scene.camera.as_ref().unwrap().from_world.start.as_mat4();
        let wanted = from_world.transform_point3(Vec3::new(-1., -1., 0.));
        let near = seen.distance(wanted * Vec3::new(1., 1., -1.));
        assert!(near < 1e-5, "{seen} {wanted}");
    }
    let scene = scene("Camera \"orthographic\" \"float screenwindow\" [-2 3 -1 1]", "");
    let (summary, read, _) = separate(&scene);
    assert_eq!(summary.losses.iter().count(), 1, "{}", summary.losses);
    let lens = read.cameras().next().unwrap();
    let ::gltf::camera::Projection::Orthographic(lens) = lens.projection() else { panic!() };
    assert_eq!((lens.xmag(), lens.ymag()), (2.5, 1.0));
}

#[test]
fn surfaces_and_arrays_are_what_readers_expect() {
    let scene = scene(
        "",
        &format!(
            "Material \"conductor\" \"float roughness\" 0.0625 \"rgb reflectance\" [ 0.5 0.25 1 ]\n\
             {SQUARE}AttributeBegin\nAreaLightSource \"diffuse\" \"rgb L\" [ 1 4 2 ]\n{SQUARE}\
             AttributeEnd\nMaterial \"interface\"\n{SQUARE}LightSource \"infinite\"\n\
             Shape \"plymesh\" \"string filename\" \"gone.ply\"\nMaterial \"diffuse\"\n\
             Shape \"curve\" \"point3 P\" [0 0 0 1 0 0 2 0 0 3 1 0]\n\
             Shape \"curve\" \"point3 P\" [0 1 0 1 1 0 2 1 0 3 2 0]\nShape \"sphere\"\n\
             Shape \"plymesh\" \"string filename\" \"gone.ply\"\n\
             Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 1 1 1e39]\n"
        ),
    );
    let (summary, read, buffer) = separate(&scene);
    let words: Vec<String> = summary.problems.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(words[0].contains("no such file") && words[1].contains("no numbers"), "{words:?}");
    let words: Vec<String> = summary.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        ["left out: 1 light without a shape", "left out: 2 shapes that only bound media"]
    );
    // Two curves are one mesh; two squares are two, of the same arrays.
    let names: Vec<&str> = read.meshes().filter_map(|mesh| mesh.name()).collect();
    assert_eq!(names, ["square", "square", "curve.14", "sphere.16"]);
    let material = read.materials().next().unwrap();
    let pbr = material.pbr_metallic_roughness();
    assert_eq!(pbr.base_color_factor(), [0.5, 0.25, 1.0, 1.0]);
    assert_eq!((pbr.metallic_factor(), pbr.roughness_factor()), (1.0, 0.5));
    let light = read.materials().nth(1).unwrap();
    assert_eq!(light.emissive_factor(), [0.25, 1.0, 0.5]);
    let strength = read.document.as_json().materials[1].extensions.as_ref().unwrap();
    assert_eq!(strength.emissive_strength.as_ref().unwrap().emissive_strength.0, 4.0);
    let square = read.meshes().next().unwrap().primitives().next().unwrap();
    let reader = square.reader(|_| Some(&buffer[..]));
    assert!(reader.read_normals().unwrap().all(|normal| normal == [0.0, 0.0, 1.0]));
    let uvs: Vec<_> = reader.read_tex_coords(0).unwrap().into_f32().collect();
    assert_eq!(uvs, [[0., 1.], [1., 1.], [1., 0.], [0., 0.]]);
    assert_eq!(square.bounding_box().max, [1.0, 1.0, 0.25]);
    for accessor in read.accessors() {
        let view = accessor.view().unwrap();
        assert_eq!((view.offset() % 4, accessor.offset()), (0, 0));
        assert_eq!(view.length(), accessor.count() * accessor.size());
    }
}

#[test]
fn roughness_is_that_of_textures_and_of_directions() {
    let textures = "Texture \"r\" \"float\" \"constant\" \"float value\" 0.0625\n\
        Texture \"s\" \"float\" \"scale\" \"texture tex\" \"r\" \"float scale\" 0.01\n\
        Texture \"p\" \"float\" \"imagemap\" \"string filename\" \"p.png\"\n";
    let fourth_root = |x: f32| x.sqrt().sqrt();
    for (material, expected) in [
        ("\"conductor\" \"texture roughness\" \"r\"", 0.5),
        ("\"coateddiffuse\" \"texture roughness\" \"s\"", fourth_root(0.000625)),
        ("\"conductor\" \"texture roughness\" \"p\"", fourth_root(0.5)),
        // Along u and v goes before both, each by itself.
        (
            "\"conductor\" \"float roughness\" 0.25 \"float uroughness\" 0.0016 \
             \"float vroughness\" 0.0016",
            0.2,
        ),
        // Of two that differ it is the narrower one: KHR_materials_anisotropy widens the other.
        ("\"dielectric\" \"float roughness\" 0.1 \"float vroughness\" 0.025", fourth_root(0.025)),
        ("\"coatedconductor\" \"texture conductor.uroughness\" \"r\"", 0.0),
        // Glass of version 3 has that along u and v alone.
        ("\"glass\" \"float roughness\" 0.1", 0.0),
        ("\"glass\" \"float uroughness\" 0.0625 \"float vroughness\" 0.0625", 0.5),
    ] {
        let (_, read, _) =
            separate(&scene("", &format!("{textures}Material {material}\n{SQUARE}")));
        let pbr = read.materials().next().unwrap().pbr_metallic_roughness();
        assert!((pbr.roughness_factor() - expected).abs() < 1e-6, "{material}: {expected}");
    }
}

#[test]
fn a_mix_is_as_metallic_and_rough_as_its_parts_together() {
    let scene = scene(
        "",
        &format!(
            "MakeNamedMaterial \"a\" \"string type\" \"conductor\" \"float roughness\" 0.0625\n\
             MakeNamedMaterial \"b\" \"string type\" \"diffuse\"\n\
             Material \"mix\" \"string materials\" [\"a\" \"b\"] \"float amount\" 0.25\n{SQUARE}"
        ),
    );
    let (_, read, _) = separate(&scene);
    let pbr = read.materials().next().unwrap().pbr_metallic_roughness();
    assert_eq!((pbr.metallic_factor(), pbr.roughness_factor()), (0.75, 0.625));
}

#[test]
fn colors_of_other_spaces_are_written_as_those_of_srgb() {
    let light = "AreaLightSource \"diffuse\" \"rgb L\" [ 0 4 0 ]\n";
    let material = "Material \"diffuse\" \"rgb reflectance\" [ 0.25 0.5 0.25 ]\n";
    let scene = scene("", &format!("ColorSpace \"dci-p3\"\n{material}{light}{SQUARE}"));
    let (_, read, _) = separate(&scene);
    let material = read.materials().next().unwrap();
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    let color = material.pbr_metallic_roughness().base_color_factor();
    assert!(near(&color, &[0.193765, 0.510514, 0.230341, 1.0]), "{color:?}");
    assert!(near(&material.emissive_factor(), &[0.0, 1.0, 0.0]));
    let strength = read.document.as_json().materials[0].extensions.as_ref().unwrap();
    let strength = strength.emissive_strength.as_ref().unwrap().emissive_strength.0;
    assert!((strength - 4.168228).abs() < 1e-5, "{strength}");
}

#[test]
fn a_document_has_room_whatever_it_is_called() {
    let name = "\\\"é".repeat(300);
    let many: String = (0..40)
        .map(|i| {
            format!(
                "AttributeBegin\nRotate {i} 1 2 3\nScale 1 2 3\nRotate 40 3 2 {i}.5\nMaterial \
                 \"diffuse\" \"rgb reflectance\" [0.1 0.7{i} 0.3]\nAreaLightSource \"diffuse\"\n\
                 {SQUARE}ObjectInstance \"{name}\"\nAttributeEnd\n"
            )
        })
        .collect();
    let object = format!("ObjectBegin \"{name}\"\n{SQUARE}ObjectEnd\n");
    let (summary, _) = binary(&scene("", &format!("{object}{many}")));
    assert!(summary.sheared > 70, "{summary:?}");
}

/// A picture beside the scene, and one of another kind.
struct Pictures;

impl ExportMeshes for Pictures {
    fn mesh(&self, _: &[u8], _: Faces) -> Result<PackedMesh<'static>> {
        Err(Error::argument("no such file"))
    }

    fn picture(&self, name: &[u8]) -> Result<crate::export::PictureFile> {
        let uri = String::from_utf8_lossy(name).into_owned();
        let mime = uri.ends_with(".png").then_some("image/png");
        Ok(crate::export::PictureFile { path: uri.clone(), uri, mime })
    }

    fn picture_bytes(&self, _: &[u8]) -> Result<Vec<u8>> {
        Ok(b"a picture".to_vec())
    }

    fn pixels(&self, picture: &LookPicture, _: usize) -> Result<TexturePicture> {
        match &picture.name[..] {
            // As readers do: of a number the mean.
            b"t.png" if picture.is_number => TexturePicture::new(2, vec![[1.75 / 3.0; 3]; 4]),
            b"t.png" => TexturePicture::new(2, vec![[0.25, 0.5, 1.0]; 4]),
            _ => Err(Error::argument("no such file")),
        }
    }

    fn png(&self, picture: &EncodedPicture) -> Result<Vec<u8>> {
        assert!(picture.has_alpha || picture.pixels.iter().all(|pixel| pixel[3] == 255));
        Ok(picture.pixels.as_flattened().to_vec())
    }
}

fn document_of(world: &str) -> (GltfSummary, serde_json::Value, Vec<u8>) {
    let scene = scene("", world);
    let mut glb = Vec::new();
    let output = GltfOutput::Binary(&mut glb);
    let summary =
        encode_gltf(&scene, &Pictures, SceneInstances::Gpu, output, &Work::serial()).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    (summary, document, glb.split_off(28 + length))
}

#[test]
fn lobes_are_extensions() {
    let (summary, document, _) = document_of(
        "Material \"diffuse\"\nShape \"disk\"\n\
         MakeNamedMedium \"ink\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [1 2 4] \"rgb sigma_s\" [0 0 0]\n\
         AttributeBegin\nMediumInterface \"ink\" \"\"\nMaterial \"dielectric\" \"spectrum eta\" \"glass-BK7\"\n\
         Shape \"sphere\"\nAttributeEnd\nMaterial \"dielectric\"\nShape \"disk\"\n\
         Material \"coatedconductor\" \"float interface.roughness\" 0.0625\nShape \"disk\"\n\
         Material \"diffusetransmission\" \"rgb reflectance\" [.2 .2 .2] \"rgb transmittance\" [.6 .6 .6]\n\
         Shape \"disk\"\nMaterial \"coateddiffuse\" \"rgb reflectance\" [.8 .8 .8]\nShape \"disk\"\n",
    );
    assert!(summary.problems.is_empty());
    let material = |i: usize| &document["materials"][i];
    let of = |i: usize, name: &str| &material(i)["extensions"][format!("KHR_materials_{name}")];
    let near = |value: &serde_json::Value, wanted: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - wanted).abs() < 1e-3, "{value}, not {wanted}");
    };
    near(&of(0, "specular")["specularFactor"], 0.0);
    // A sphere has an inside, with ink in it; a disk has none.
    let inside = of(1, "volume");
    near(&inside["thicknessFactor"], 2.0);
    near(&inside["attenuationDistance"], 0.25);
    near(&inside["attenuationColor"][0], (-0.25f64).exp());
    near(&of(1, "dispersion")["dispersion"], 20.0 / 64.17);
    near(&of(1, "ior")["ior"], 1.5168);
    assert!(of(2, "volume").is_null() && of(2, "transmission")["transmissionFactor"] == 1.0);
    near(&of(3, "clearcoat")["clearcoatFactor"], 1.0);
    near(&of(3, "clearcoat")["clearcoatRoughnessFactor"], 0.5);
    // Together they are what the extension mixes: 0.8 · (1 - 0.75) and 0.8 · 0.75.
    near(&of(4, "diffuse_transmission")["diffuseTransmissionFactor"], 0.75);
    near(&of(4, "diffuse_transmission")["diffuseTransmissionColorFactor"][1], 0.8);
    near(&material(4)["pbrMetallicRoughness"]["baseColorFactor"][1], 0.8);
    near(&material(5)["pbrMetallicRoughness"]["baseColorFactor"][1], (0.585 - 0.04) / 0.96);
}

#[test]
fn masks_and_roughness_are_pictures_of_their_own() {
    let (summary, document, buffer) = document_of(
        "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\"\n\
         Texture \"f\" \"float\" \"imagemap\" \"string filename\" \"t.png\"\n\
         Material \"conductor\" \"texture reflectance\" \"t\" \"texture roughness\" \"f\" \
         \"string normalmap\" \"n.png\"\nShape \"disk\" \"texture alpha\" \"f\"\n",
    );
    assert!(summary.losses.is_empty(), "{}", summary.losses);
    let material = &document["materials"][0];
    assert_eq!((&material["alphaMode"], &material["alphaCutoff"]), (&"MASK".into(), &0.5.into()));
    let bytes = |texture: &serde_json::Value| {
        let texture = &document["textures"][texture["index"].as_u64().unwrap() as usize];
        let image = &document["images"][texture["source"].as_u64().unwrap() as usize];
        let view = &document["bufferViews"][image["bufferView"].as_u64().unwrap() as usize];
        let [at, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap());
        &buffer[at as usize..(at + length) as usize]
    };
    let pbr = &material["pbrMetallicRoughness"];
    // Colours by the curve of sRGB, alpha as it is: the mean of the three.
    assert_eq!(bytes(&pbr["baseColorTexture"])[..4], [137, 188, 255, 149]);
    // The fourth root of the mean in green, metal in blue.
    let rough = (1.75f32 / 3.0).sqrt().sqrt();
    let rough = (255.0 * rough).round() as u8;
    assert_eq!(bytes(&pbr["metallicRoughnessTexture"])[..4], [255, rough, 255, 255]);
    assert_eq!(bytes(&material["normalTexture"]), b"a picture");
}

const PICTURES: &str = "LightSource \"distant\" \"point3 from\" [0 5 0] \"point3 to\" [0 0 0]\n\
    LightSource \"spot\" \"rgb I\" [1 4 2] \"float coneangle\" 40 \"float conedeltaangle\" 10\n\
    LightSource \"infinite\" \"rgb L\" [1 1 1]\n\
    Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"float uscale\" 2\n\
    Texture \"half\" \"spectrum\" \"scale\" \"texture tex\" \"t\" \"float scale\" 0.5\n\
    Texture \"x\" \"spectrum\" \"imagemap\" \"string filename\" \"t.exr\"\n\
    Texture \"n\" \"spectrum\" \"marble\"\n\
    Material \"diffuse\" \"texture reflectance\" \"half\"\n\
    Shape \"sphere\"\n\
    Material \"diffuse\" \"texture reflectance\" \"x\"\nShape \"sphere\"\n\
    Material \"dielectric\" \"spectrum eta\" \"glass-BK7\"\nShape \"disk\"\n";

#[test]
fn pictures_glass_and_lights_are_written() {
    let scene = scene("", PICTURES);
    let (mut document, mut buffer, work) = (Vec::new(), Vec::new(), Work::serial());
    let output =
        GltfOutput::Separate { document: &mut document, buffer: &mut buffer, uri: "b.bin" };
    let summary = encode_gltf(&scene, &Pictures, SceneInstances::Gpu, output, &work).unwrap();
    let losses: Vec<String> = summary.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "left out: 1 light without a shape",
            "left out: 1 picture that cannot be read: its mean counts",
        ]
    );
    let read: serde_json::Value = serde_json::from_slice(&document).unwrap();
    let pbr = &read["materials"][0]["pbrMetallicRoughness"];
    assert_eq!(pbr["baseColorFactor"], serde_json::json!([0.5, 0.5, 0.5, 1.0]));
    let moved = &pbr["baseColorTexture"]["extensions"]["KHR_texture_transform"];
    assert_eq!(*moved, serde_json::json!({ "scale": [2.0, 1.0], "offset": [0.0, 0.0] }));
    assert_eq!(read["images"], serde_json::json!([{ "uri": "t.png" }]));
    assert!(read["materials"][1]["pbrMetallicRoughness"].get("baseColorTexture").is_none());
    // The sphere brings its coordinates, which the disk does not need.
    let has_uvs = |mesh: usize| {
        read["meshes"][mesh]["primitives"][0]["attributes"].get("TEXCOORD_0").is_some()
    };
    assert_eq!([has_uvs(0), has_uvs(2)], [true, false]);
    let glass = &read["materials"][2]["extensions"];
    assert_eq!(glass["KHR_materials_transmission"]["transmissionFactor"], 1.0);
    let index = glass["KHR_materials_ior"]["ior"].as_f64().unwrap();
    assert!((index - 1.5168).abs() < 1e-3, "{index}");
    let lights = read["extensions"]["KHR_lights_punctual"]["lights"].as_array().unwrap();
    assert_eq!((&lights[0]["type"], &lights[0]["intensity"]), (&"directional".into(), &1.0.into()));
    assert_eq!((&lights[1]["type"], &lights[1]["intensity"]), (&"spot".into(), &4.0.into()));
    assert_eq!(lights[1]["color"], serde_json::json!([0.25, 1.0, 0.5]));
    let outer = lights[1]["spot"]["outerConeAngle"].as_f64().unwrap();
    let inner = lights[1]["spot"]["innerConeAngle"].as_f64().unwrap();
    assert!((outer - 40f64.to_radians()).abs() < 1e-6 && (inner - 30f64.to_radians()).abs() < 1e-6);
    let nodes = read["nodes"].as_array().unwrap();
    let shines =
        |node: &&serde_json::Value| node["extensions"].get("KHR_lights_punctual").is_some();
    // The first shines down, the second along z.
    let turned: Vec<Vec3> = nodes
        .iter()
        .filter(shines)
        .map(|node| {
            let turn: [f32; 4] = serde_json::from_value(node["rotation"].clone()).unwrap();
            Quat::from_array(turn) * Vec3::NEG_Z
        })
        .collect();
    assert!((turned[0] - Vec3::NEG_Y).length() < 1e-5 && (turned[1] - Vec3::Z).length() < 1e-5);
    let used = read["extensionsUsed"].as_array().unwrap();
    for name in [
        "KHR_lights_punctual",
        "KHR_materials_ior",
        "KHR_materials_transmission",
        "KHR_texture_transform",
    ] {
        assert!(used.contains(&name.into()), "{name}");
    }
    // In one file the picture is within.
    let mut glb = Vec::new();
    let output = GltfOutput::Binary(&mut glb);
    encode_gltf(&scene, &Pictures, SceneInstances::Gpu, output, &work).unwrap();
    let read = ::gltf::Gltf::from_slice_without_validation(&glb).unwrap();
    let image = read.images().next().unwrap();
    let ::gltf::image::Source::View { view, mime_type: "image/png" } = image.source() else {
        panic!("within")
    };
    let bytes = &read.blob.as_ref().unwrap()[view.offset()..view.offset() + view.length()];
    assert_eq!(bytes, b"a picture");
}

#[test]
fn the_strength_of_lights_is_that_of_their_power() {
    let of = |world: &str| {
        let (summary, read, _) = separate(&scene("", world));
        assert!(summary.problems.is_empty(), "{:?}", summary.problems);
        read.document.as_json().clone()
    };
    // A square of 36 m² is two triangles, each of which has the power for itself.
    let quad = "AreaLightSource \"diffuse\" \"float power\" 72 \"bool twosided\" true\n\
        Scale 3 3 3\nShape \"trianglemesh\" \"integer indices\" [0 1 2 0 2 3] \
        \"point3 P\" [-1 -1 0 1 -1 0 1 1 0 -1 1 0]\n";
    let sphere =
        "AreaLightSource \"diffuse\" \"float power\" 10 \"blackbody L\" 2700\nShape \"sphere\"\n";
    for (world, expected) in [
        (quad, 72.0 / (std::f64::consts::PI * 18.0 * 2.0)),
        (sphere, 1.9348 * 10.0 / (4.0 * std::f64::consts::PI * std::f64::consts::PI)),
        ("AreaLightSource \"diffuse\" \"float scale\" 3 \"float power\" 0\nShape \"disk\"\n", 3.0),
    ] {
        let json = of(world);
        let made = &json.materials[0];
        let strength = made.extensions.as_ref().unwrap().emissive_strength.as_ref().unwrap();
        let strength = f64::from(strength.emissive_strength.0);
        assert!((strength - expected).abs() < 2e-3 * expected, "{strength}, not {expected}");
        assert_eq!(made.double_sided, world.contains("twosided"));
    }
    let point = of("LightSource \"point\" \"float power\" 10 \"rgb I\" [1 1 1]\n");
    let lights = &point.extensions.unwrap().others["KHR_lights_punctual"]["lights"];
    let intensity = lights[0]["intensity"].as_f64().unwrap();
    assert!((intensity - 10.0 / (4.0 * std::f64::consts::PI)).abs() < 1e-5);
}

#[test]
fn roughness_of_version_3_is_a_polynomial_of_its_logarithm() {
    for (material, expected) in [
        ("\"metal\" \"float roughness\" 0.1", 0.462),
        ("\"plastic\"", 0.462),
        ("\"metal\" \"float roughness\" 0.1 \"bool remaproughness\" \"false\"", 0.1),
        ("\"uber\" \"rgb Ks\" [0 0 0]", 1.0),
        ("\"mirror\"", 0.0),
        ("\"glass\"", 0.0),
    ] {
        let (_, read, _) =
            separate(&scene("", &format!("Material {material}\n{SQUARE}WorldEnd\n")));
        let pbr = read.materials().next().unwrap().pbr_metallic_roughness();
        let width = pbr.roughness_factor().powi(2);
        assert!((width - expected).abs() < 1e-3, "{material}: {width}, not {expected}");
    }
}
