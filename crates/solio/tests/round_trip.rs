//! Every format × compression × number of threads: what is written is read back the same, and
//! the bytes do not depend on the threads.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use solio::mesh::model::{Domain, Mesh, Object, Positions, Uvs};
use solio::mesh::{Material, Scene, material::TextureMap};
use solio::{
    Compression, ErrorKind, Format, MeshInfo, MeshReadOptions, MeshWriteOptions, PathMode, Work,
};
use std::fs;
use std::path::Path;

const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zstd];

fn work(threads: usize) -> Work {
    Work { threads, ..Work::default() }
}

/// A sheet of triangles in two objects with a material each. Values with few digits, which
/// survive text.
fn sheet(side: u32) -> Scene<'static> {
    let at = |x: u32, y: u32| y * (side + 1) + x;
    let mut positions = Vec::new();
    let mut uvs = Vec::new();
    for y in 0..=side {
        for x in 0..=side {
            positions.push([
                x as f32 * 0.25,
                y as f32 * 0.5,
                ((x * 7 + y * 3) % 16) as f32 * 0.125,
            ]);
            uvs.push([x as f32 / 4.0, y as f32 / 4.0]);
        }
    }
    let mut corners = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            corners.extend([a, b, c, a, c, d]);
        }
    }
    let faces = corners.len() as u32 / 3;
    let object = |name: &str, vertices_end, faces_end| Object {
        name: name.into(),
        vertices_end,
        uvs_end: vertices_end,
        faces_end,
        ..Object::default()
    };
    let all = positions.len() as u32;
    let material = |name: &str, red| Material {
        name: name.into(),
        diffuse: Some([red, 0.5, 0.25]),
        maps: vec![TextureMap {
            key: "map_Kd".into(),
            path: "tex/wood.png".into(),
            ..TextureMap::default()
        }],
        ..Material::default()
    };
    Scene {
        meshes: vec![Mesh {
            positions: Positions::F32(positions.into()),
            uvs: Some(Uvs { values: uvs.into(), domain: Domain::Vertex }),
            face_offsets: (0..=faces).map(|i| i * 3).collect::<Vec<_>>().into(),
            face_materials: (0..faces)
                .map(|i| u32::from(i >= faces / 2))
                .collect::<Vec<_>>()
                .into(),
            corner_vertices: corners.into(),
            objects: vec![object("left", all / 2, faces / 2), object("right", all, faces)],
            ..Mesh::default()
        }],
        materials: vec![material("wood", 0.5), material("stone", 0.75)],
        ..Scene::default()
    }
}

/// The triangles as positions: what every format keeps.
fn triangles(scene: &Scene<'_>) -> Vec<[[f64; 3]; 3]> {
    let mut all = Vec::new();
    for mesh in &scene.meshes {
        for face in mesh.corner_vertices.chunks_exact(3) {
            all.push([0, 1, 2].map(|i| mesh.positions.get(face[i] as usize)));
        }
    }
    all
}

fn plain_options() -> MeshWriteOptions {
    let mut options = MeshWriteOptions::default();
    // No change of axes on the way.
    let from = options.ply.source_axes;
    (options.ply.forward_axis, options.ply.up_axis) = from;
    let from = options.stl.source_axes;
    (options.stl.forward_axis, options.stl.up_axis) = from;
    options
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let scene = sheet(200);
    let expected = triangles(&scene);
    for format in Format::ALL.into_iter().filter(|format| !format.has_splats_alone()) {
        for compression in COMPRESSIONS {
            let mut files: Vec<Vec<u8>> = Vec::new();
            for threads in [1, 2, 5] {
                let name = format!("sheet.{format}{}", compression.extension());
                let path = folder.path().join(name);
                let written =
                    solio::write_mesh(&scene, &path, &plain_options(), &work(threads)).unwrap();
                assert_eq!(written.files[0], (path.clone(), fs::metadata(&path).unwrap().len()));
                let has_two = matches!(format, Format::Obj | Format::Gltf);
                assert_eq!(written.files.len(), if has_two { 2 } else { 1 });
                let info = solio::info(&path, &MeshReadOptions::default(), &work(threads)).unwrap();
                assert_eq!((info.format, info.compression), (format, compression));
                let read =
                    solio::read_mesh(&path, &MeshReadOptions::default(), &work(threads)).unwrap();
                assert_eq!(MeshInfo::of(&read), info.mesh);
                assert!(triangles(&read) == expected, "{format} {compression:?} {threads}");
                if format == Format::Obj {
                    assert_eq!(read.materials, scene.materials);
                    assert_eq!(info.mesh.object_names, ["left", "right"]);
                }
                files.push(fs::read(&path).unwrap());
                // The same from memory, and detected without a name.
                // A .gltf has its arrays in another file, which bytes alone do not lead to.
                let unnamed = MeshReadOptions::default();
                if format == Format::Gltf {
                    let error = solio::read_mesh_bytes(&files[0], &unnamed, &work(threads));
                    // Those of the document before stay with it.
                    let error = error.unwrap_err().to_string();
                    assert!(error.contains("sheet.") && error.contains(".bin"), "{error}");
                    continue;
                }
                let read = solio::read_mesh_bytes(&files[0], &unnamed, &work(threads)).unwrap();
                assert!(triangles(&read) == expected);
            }
            assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "threads change the bytes");
        }
    }
}

#[test]
fn info_counts() {
    let scene = sheet(10);
    let info = MeshInfo::of(&scene);
    assert_eq!((info.vertices, info.faces, info.triangles), (121, 200, 200));
    assert_eq!((info.objects, info.quads, info.ngons, info.corners), (2, 0, 0, 600));
    assert_eq!(info.bounds, Some([[0.0, 0.0, 0.0], [2.5, 5.0, 1.875]]));
    assert_eq!(info.materials, ["wood", "stone"]);
    assert_eq!(info.textures, ["tex/wood.png"]);
    assert!(info.memory_bytes >= 121 * 12 + 600 * 4);
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\nf 1 2 3 4\nf 1 2 3 4 5\n\
                 l 1 2\np 1\n";
    let scene = solio::read_mesh_bytes(text, &Default::default(), &work(1)).unwrap();
    let info = MeshInfo::of(&scene);
    assert_eq!((info.triangles, info.quads, info.ngons, info.lines, info.points), (1, 1, 1, 1, 1));
}

#[test]
fn a_missing_library_is_a_warning_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    fs::write(&path, "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n").unwrap();
    let mut options = MeshReadOptions::default();
    let scene = solio::read_mesh(&path, &options, &work(1)).unwrap();
    assert_eq!(scene.materials[0].name, "m");
    assert!(scene.warnings.iter().any(|w| w.contains("gone.mtl")), "{:?}", scene.warnings);
    options.strict = true;
    let e = solio::read_mesh(&path, &options, &work(1)).unwrap_err();
    assert_eq!((e.kind(), e.path()), (ErrorKind::Io, Some(&*folder.path().join("gone.mtl"))));
    // From another machine.
    fs::write(folder.path().join("b.mtl"), "newmtl m\nKd 1 0 0\n").unwrap();
    fs::write(&path, "mtllib C:\\x\\b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n")
        .unwrap();
    let scene = solio::read_mesh(&path, &options, &work(1)).unwrap();
    assert_eq!(scene.materials[0].diffuse, Some([1.0, 0.0, 0.0]));
}

#[test]
fn errors_have_path_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.obj");
    fs::write(&path, "v 0 0 0\nf 1 2 3\n").unwrap();
    let strict = MeshReadOptions { strict: true, ..MeshReadOptions::default() };
    let e = solio::read_mesh(&path, &strict, &work(1)).unwrap_err();
    assert_eq!((e.path(), e.line()), (Some(&*path), Some(2)), "{e}");
    for (name, content) in [("empty", ""), ("text", "hello\n"), ("folder/x", "")] {
        let path = folder.path().join(name);
        if !name.contains('/') {
            fs::write(&path, content).unwrap();
        }
        let e = solio::read_mesh(&path, &MeshReadOptions::default(), &work(1)).unwrap_err();
        assert_eq!(e.path(), Some(&*path));
    }
    let e = solio::write_mesh(&sheet(1), "a.txt".as_ref(), &plain_options(), &work(1)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
}

#[test]
fn nothing_appears_when_one_of_two_files_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    // The place of the MTL is taken by a folder.
    fs::create_dir(folder.path().join("a.mtl")).unwrap();
    assert!(solio::write_mesh(&sheet(3), &path, &plain_options(), &work(1)).is_err());
    assert!(!path.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn textures_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir_all(from.join("tex")).unwrap();
    fs::create_dir(&to).unwrap();
    fs::write(from.join("tex/wood.png"), "pixels").unwrap();
    let options =
        MeshWriteOptions { path_mode: PathMode::Copy, texture_root: Some(from), ..plain_options() };
    let written = solio::write_mesh(&sheet(2), &to.join("a.obj"), &options, &work(1)).unwrap();
    assert_eq!(written.files.len(), 3);
    assert_eq!(fs::read(to.join("wood.png")).unwrap(), b"pixels");
    let read = solio::read_mesh(&to.join("a.obj"), &Default::default(), &work(1)).unwrap();
    assert_eq!(read.materials[0].maps[0].path, "wood.png");
}

#[test]
fn stl_in_batches() {
    let folder = tempfile::tempdir().unwrap();
    let scene = sheet(4);
    let options = MeshWriteOptions { stl_batch: true, ..plain_options() };
    let written =
        solio::write_mesh(&scene, &folder.path().join("b.stl"), &options, &work(2)).unwrap();
    let mut all = Vec::new();
    for (path, _) in &written.files {
        let part = solio::read_mesh(path, &Default::default(), &work(2)).unwrap();
        all.extend(triangles(&part));
    }
    let names: Vec<_> = written.files.iter().map(|(p, _)| p.file_name().unwrap()).collect();
    assert_eq!(names, ["bleft.stl", "bright.stl"]);
    assert_eq!(all, triangles(&scene));
}

#[test]
fn an_output_over_its_own_input_is_safe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    solio::write_mesh(&sheet(20), &path, &plain_options(), &work(2)).unwrap();
    let scene = solio::read_mesh(&path, &Default::default(), &work(2)).unwrap();
    solio::write_mesh(&scene, &path, &plain_options(), &work(2)).unwrap();
    let again = solio::read_mesh(&path, &Default::default(), &work(2)).unwrap();
    assert_eq!(triangles(&scene), triangles(&again));
}

#[test]
fn cancelled_work_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.stl");
    let work = work(2);
    work.cancel.cancel();
    let e = solio::write_mesh(&sheet(20), &path, &plain_options(), &work).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Cancelled);
    assert!(!path.exists());
}

#[test]
fn real_files_read_the_same_in_every_compression() {
    let root = std::env::var("SOLIO_DATA").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").to_owned()
    });
    let root = Path::new(&root).join("mesh");
    if !root.is_dir() {
        println!("skipped: no files in {}", root.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut folders = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for path in files {
        let Some(format) = Format::of_name(&path) else { continue };
        let bytes = fs::read(&path).unwrap();
        if bytes.len() > 2 << 20 || Compression::of_head(&bytes) != Compression::None {
            continue;
        }
        let options = MeshReadOptions {
            format: Some(format),
            skip_materials: true,
            ..MeshReadOptions::default()
        };
        let plain = solio::read_mesh(&path, &options, &work(2));
        for compression in [Compression::Gzip, Compression::Zstd] {
            let packed = folder.path().join("packed");
            let mut compressor =
                solio_codec::compress::ChunkCompressor::new(compression, None).unwrap();
            let mut file = Vec::new();
            bytes.chunks(10_000).for_each(|c| compressor.compress(c, &mut file).unwrap());
            fs::write(&packed, file).unwrap();
            let again = solio::read_mesh(&packed, &options, &work(2));
            match (&plain, again) {
                // As text, because a NaN is not equal to itself.
                (Ok(a), Ok(b)) => {
                    assert!(format!("{a:?}") == format!("{b:?}"), "{}", path.display());
                }
                (Err(a), Err(b)) => assert_eq!(a.kind(), b.kind(), "{} {a} {b}", path.display()),
                (a, b) => panic!("{} {:?} {:?}", path.display(), a.as_ref().err(), b.err()),
            }
        }
    }
}
