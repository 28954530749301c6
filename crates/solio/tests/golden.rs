//! Golden files and what damage does to them; broken files and their exact errors; real files.
//!
//! Every read here either gives a scene or refuses with a place and a reason, and takes memory in
//! proportion to the file. One test at a time, as the memory is measured.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

#[path = "golden/files.rs"]
mod files;

use files::{File, broken, golden};
use peak_alloc::PeakAlloc;
use solio::mesh::Scene;
use solio::mesh::obj::{ObjReadOptions, decode_mtl};
use solio::{Error, ErrorKind, Format, MeshInfo, MeshReadOptions, Result, Work};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Most memory that reading so many bytes may take: buffers of the decompressors and of chunks,
/// and 400 bytes a byte, which is what the densest statements (`o` and a line end) need.
fn memory_bound(bytes: usize) -> usize {
    (16 << 20) + 400 * bytes
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

fn bless() -> bool {
    std::env::var_os("SOLIO_BLESS").is_some()
}

/// Reads the bytes of a file called `name`; an MTL gives an empty scene.
fn read(name: &str, bytes: &[u8], strict: bool) -> Result<Scene<'static>> {
    if name.ends_with(".mtl") {
        let options = ObjReadOptions { strict, ..ObjReadOptions::default() };
        return decode_mtl(bytes, &options).map(|_| Scene::default());
    }
    let format = Format::of_name(name.as_ref());
    let options = MeshReadOptions { format, strict, ..MeshReadOptions::default() };
    solio::read_mesh_bytes(bytes, &options, &Work::serial())
}

/// Reads, and panics where that takes too much or fails without a place.
fn survive(name: &str, what: &str, bytes: &[u8]) {
    for strict in [false, true] {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let result = read(name, bytes, strict);
        let took = MEMORY.peak_usage() - before;
        assert!(took <= memory_bound(bytes.len()), "{name}, {what}: {took} bytes of memory");
        match result {
            Ok(scene) if name.contains(".obj") => {
                let mesh = &scene.meshes[0];
                assert!(!mesh.positions.is_empty(), "{name}, {what}: read as nothing");
            }
            Ok(_) => {}
            Err(e) => {
                assert!(e.offset().is_some(), "{name}, {what}: no place: {e}");
                assert!(!e.message().is_empty());
            }
        }
    }
}

#[test]
fn golden_files_are_as_our_code_makes_them() {
    let _alone = alone();
    let folder = data().join("golden");
    for File { name, bytes } in golden() {
        let path = folder.join(name);
        if bless() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let there = std::fs::read(&path).unwrap();
        // Another version of a compressor may choose other bytes.
        let compressed = name.ends_with(".gz") || name.ends_with(".zst");
        assert!(compressed || there == bytes, "{name} differs");
        let scene = read(name, &there, false).unwrap_or_else(|e| panic!("{name}: {e}"));
        if name.contains(".obj") {
            let info = MeshInfo::of(&scene);
            assert_eq!((info.vertices, info.faces, info.objects), (9, 6, 2), "{name}");
        }
    }
}

#[test]
fn damaged_golden_files_are_read_or_refused_with_a_place() {
    let _alone = alone();
    for File { name, bytes } in golden() {
        for end in 0..bytes.len() {
            survive(name, &format!("cut at {end}"), &bytes[..end]);
        }
        for flip in 0..256usize {
            let bit = flip.wrapping_mul(0x9e37_79b9) % (8 * bytes.len());
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            survive(name, &format!("bit {bit}"), &damaged);
        }
        for extra in [0, b'\n', b'7', b'x', 255] {
            let mut longer = bytes.clone();
            longer.push(extra);
            survive(name, &format!("byte {extra} more"), &longer);
        }
    }
}

#[test]
fn broken_files_have_their_exact_errors() {
    let _alone = alone();
    let folder = data().join("broken");
    for File { name, bytes } in broken() {
        let path = folder.join(name);
        let sidecar = folder.join(format!("{name}.err"));
        if bless() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let there = std::fs::read(&path).unwrap();
        let error = match name.ends_with(".mtl") {
            true => read(name, &there, false).map_err(|e| e.at_path(&path)),
            false => solio::read_mesh(&path, &MeshReadOptions::default(), &Work::serial()),
        };
        let Err(error) = error else { panic!("{name} is read") };
        assert!(error.offset().is_some(), "{name}: no place: {error}");
        let shown = format!("{error}\n").replace(&path.display().to_string(), name);
        if bless() {
            std::fs::write(&sidecar, &shown).unwrap();
        }
        assert_eq!(shown, std::fs::read_to_string(&sidecar).unwrap(), "{name}");
    }
}

/// All files under `folder` that are called like meshes.
fn meshes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut meshes(&path));
        } else if Format::of_name(&path).is_some() {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn real_files_are_read_or_refused_with_a_place() {
    let _alone = alone();
    let root = std::env::var("SOLIO_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let files = meshes(&Path::new(&root).join("mesh"));
    if files.is_empty() {
        return println!("skipped: no files in {root}/mesh");
    }
    let placed = |path: &Path, e: &Error| {
        assert!(e.path().is_some(), "{}: no path: {e}", path.display());
        let place = e.offset().is_some() || e.kind() == ErrorKind::Io;
        assert!(place, "{}: no place: {e}", path.display());
    };
    let (mut read, mut refused) = (0, 0);
    for path in &files {
        for strict in [false, true] {
            let options = MeshReadOptions { strict, ..MeshReadOptions::default() };
            match solio::read_mesh(path, &options, &Work::default()) {
                Ok(scene) => {
                    let empty = scene.meshes.iter().all(|mesh| mesh.positions.is_empty());
                    let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
                    let curves = scene.meshes.iter().any(|mesh| !mesh.freeform.is_empty());
                    assert!(!empty || curves || name.contains("empty"), "{}", path.display());
                    read += 1;
                }
                Err(e) => {
                    placed(path, &e);
                    refused += 1;
                }
            }
        }
    }
    println!("{} files, leniently and strictly: {read} read, {refused} refused", files.len());
}
