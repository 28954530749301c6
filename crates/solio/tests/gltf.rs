//! glTF through the facade: files beside, pictures within, references out of the folder.
#![allow(clippy::disallowed_methods)] // tests read and write their own files

use solio::mesh::gltf::GltfReadOptions;
use solio::mesh::{Mesh, Positions, Scene};
use solio::{Format, MeshReadOptions, MeshWriteOptions, PathMode, Work, read_mesh, write_mesh};
use std::fs;
use std::path::Path;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n of oak";

/// An OBJ with a texture in a folder of its own.
fn textured(folder: &Path) {
    fs::create_dir_all(folder.join("t")).unwrap();
    fs::write(folder.join("t/oak 1.png"), PNG).unwrap();
    fs::write(folder.join("a.mtl"), "newmtl oak\nPr 0.5\nPm 0\nmap_Kd t/oak 1.png\n").unwrap();
    let text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl oak\nf 1/1 2/2 3/3\n";
    fs::write(folder.join("a.obj"), text).unwrap();
}

fn options(root: &Path) -> MeshWriteOptions {
    MeshWriteOptions { texture_root: Some(root.to_owned()), ..MeshWriteOptions::default() }
}

#[test]
fn textures_go_into_a_glb_and_out_again() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::create_dir(&to).unwrap();
    textured(&from);
    let (read, work) = (MeshReadOptions::default(), Work::default());
    let scene = read_mesh(&from.join("a.obj"), &read, &work).unwrap();
    let glb = folder.path().join("a.glb");
    let written = write_mesh(&scene, &glb, &options(&from), &work).unwrap();
    assert_eq!((written.files.len(), written.warnings.len()), (1, 0), "{:?}", written.warnings);
    let whole = read_mesh(&glb, &read, &work).unwrap();
    assert_eq!(*whole.pictures[0].bytes, PNG);
    // Another file of the picture's name stays as it is.
    fs::write(to.join("oak 1.png"), b"another").unwrap();
    for name in ["b.obj", "b.gltf"] {
        let written = write_mesh(&whole, &to.join(name), &options(folder.path()), &work).unwrap();
        assert!(written.warnings.is_empty(), "{:?}", written.warnings);
        let back = read_mesh(&to.join(name), &read, &work).unwrap();
        assert!(back.warnings.is_empty(), "{name}: {:?}", back.warnings);
        assert_eq!(back.materials[0].maps[0].path, "oak 1.001.png", "{name}");
        assert_eq!(back.meshes[0].corner_vertices, whole.meshes[0].corner_vertices);
    }
    assert_eq!(fs::read(to.join("oak 1.png")).unwrap(), b"another");
    assert_eq!(fs::read(to.join("oak 1.001.png")).unwrap(), PNG);
    assert!(to.join("b.bin").is_file());
    // A reference instead, where it is asked for.
    let refer = MeshWriteOptions { path_mode: PathMode::Copy, ..options(&from) };
    write_mesh(&scene, &to.join("c.glb"), &refer, &work).unwrap();
    let referred = read_mesh(&to.join("c.glb"), &read, &work).unwrap();
    assert!(referred.pictures.is_empty());
    assert_eq!(referred.materials[0].maps[0].path, "oak 1.001.png");
}

#[test]
fn missing_textures_are_told() {
    let folder = tempfile::tempdir().unwrap();
    textured(folder.path());
    fs::remove_file(folder.path().join("t/oak 1.png")).unwrap();
    let work = Work::default();
    let scene = read_mesh(&folder.path().join("a.obj"), &Default::default(), &work).unwrap();
    let glb = folder.path().join("a.glb");
    let written = write_mesh(&scene, &glb, &options(folder.path()), &work).unwrap();
    assert!(written.warnings[0].contains("texture not taken in"), "{:?}", written.warnings);
}

#[test]
fn buffers_lie_beside_or_where_it_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("in");
    fs::create_dir(&inner).unwrap();
    let work = Work::default();
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let scene = solio::read_mesh_bytes(text, &Default::default(), &work).unwrap();
    let path = inner.join("a b.gltf.gz");
    write_mesh(&scene, &path, &MeshWriteOptions::default(), &work).unwrap();
    assert!(inner.join("a b.bin").is_file());
    let (format, back) = solio::read_mesh_and_format(&path, &Default::default(), &work).unwrap();
    assert_eq!(
        (format, &back.meshes[0].corner_vertices),
        (Format::Gltf, &scene.meshes[0].corner_vertices)
    );
    // Moved up, the buffer is outside.
    write_mesh(&scene, &inner.join("c.gltf"), &MeshWriteOptions::default(), &work).unwrap();
    fs::rename(inner.join("c.bin"), folder.path().join("c.bin")).unwrap();
    let missing = read_mesh(&inner.join("c.gltf"), &Default::default(), &work).unwrap_err();
    assert!(missing.message().contains("is missing"), "{missing}");
    let document = fs::read_to_string(inner.join("c.gltf")).unwrap();
    fs::write(inner.join("c.gltf"), document.replace("c.bin", "../c.bin")).unwrap();
    let refused = read_mesh(&inner.join("c.gltf"), &Default::default(), &work).unwrap_err();
    assert!(refused.message().contains("leads out of the folder"), "{refused}");
    let gltf = GltfReadOptions { outside_files: true, ..GltfReadOptions::default() };
    let allowed = MeshReadOptions { gltf, ..MeshReadOptions::default() };
    assert_eq!(
        read_mesh(&inner.join("c.gltf"), &allowed, &work).unwrap().meshes[0].positions.len(),
        3
    );
    // Bytes have no folder.
    let bytes = fs::read(inner.join("c.gltf")).unwrap();
    assert!(solio::read_mesh_bytes(&bytes, &allowed, &work).is_err());
}

#[test]
fn arrays_do_not_replace_a_file_of_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let work = Work::default();
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let scene = solio::read_mesh_bytes(text, &Default::default(), &work).unwrap();
    fs::write(at("a.bin"), b"firmware").unwrap();
    let write = |name: &str| write_mesh(&scene, &at(name), &Default::default(), &work).unwrap();
    let written = write("a.gltf");
    let names: Vec<_> = written.files.iter().map(|(path, _)| path.clone()).collect();
    assert_eq!(names, [at("a.gltf"), at("a.001.bin")]);
    // The same export once more replaces what it wrote, and nothing else.
    write("a.gltf");
    let pbrt = at("a.pbrt");
    fs::write(&pbrt, "WorldBegin\nShape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]\n")
        .unwrap();
    solio::export_scene(&pbrt, &at("a.gltf"), &Default::default(), &work).unwrap();
    assert_eq!(fs::read(at("a.bin")).unwrap(), b"firmware");
    assert!(!at("a.002.bin").exists());
    assert_eq!(
        read_mesh(&at("a.gltf"), &Default::default(), &work).unwrap().meshes[0].positions.len(),
        3
    );
    // Where there is no document its arrays cannot be replaced either.
    write("b c.gltf");
    write("b c.gltf");
    assert!(!at("b c.001.bin").exists());
    fs::remove_file(at("b c.gltf")).unwrap();
    write("b c.gltf");
    assert!(at("b c.001.bin").exists());
    // What fails leaves all as it was.
    let before = fs::read(at("b c.gltf")).unwrap();
    let far = Scene {
        meshes: vec![Mesh {
            positions: Positions::F32(vec![[f32::NAN; 3]].into()),
            ..Mesh::default()
        }],
        ..Scene::default()
    };
    assert!(write_mesh(&far, &at("b c.gltf"), &Default::default(), &work).is_err());
    assert_eq!(fs::read(at("b c.gltf")).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 7);
}

#[test]
fn kept_instances_are_written_out_where_a_format_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work::default();
    let pbrt = folder.path().join("a.pbrt");
    let text = "WorldBegin\nObjectBegin \"leaf\"\nShape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]\n\
        ObjectEnd\nObjectInstance \"leaf\"\nTranslate 5 0 0\nObjectInstance \"leaf\"\n";
    fs::write(&pbrt, text).unwrap();
    let glb = folder.path().join("a.glb");
    solio::export_scene(&pbrt, &glb, &Default::default(), &work).unwrap();
    let gltf = GltfReadOptions { keep_instances: true, ..GltfReadOptions::default() };
    let keep = MeshReadOptions { gltf, ..MeshReadOptions::default() };
    let kept = read_mesh(&glb, &keep, &work).unwrap();
    assert_eq!((kept.meshes.len(), kept.instances.len()), (1, 2));
    let ply = folder.path().join("a.ply");
    write_mesh(&kept, &ply, &MeshWriteOptions::default(), &work).unwrap();
    let back = read_mesh(&ply, &Default::default(), &work).unwrap();
    assert_eq!(back.meshes[0].positions.len(), 6);
    let again = folder.path().join("b.glb");
    write_mesh(&kept, &again, &MeshWriteOptions::default(), &work).unwrap();
    assert_eq!(read_mesh(&again, &keep, &work).unwrap().instances.len(), 2);
    let check = solio::check_file(&again, &Default::default(), &work).unwrap();
    assert!(check.is_fine(), "{check:?}");
}
