//! Writing stays within `Work::memory_bytes` beside the arrays given, however large the output.
//!
//! The bytes of the allocator are counted, those of the compressors' C code are not; the slow test
//! looks at the process instead. One test at a time, as the memory is that of the process.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use peak_alloc::PeakAlloc;
use solio::mesh::Scene;
use solio::mesh::model::{Domain, Mesh, Normals, Positions, Uvs};
use solio::{Compression, Format, MeshWriteOptions, Work};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A sheet of quads with a UV and a normal at each corner, as Blender has them.
struct Sheet {
    positions: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    offsets: Vec<u32>,
    corners: Vec<u32>,
}

impl Sheet {
    fn new(side: u32) -> Sheet {
        let at = |x: u32, y: u32| y * (side + 1) + x;
        let place = |v: u32| ((v % (side + 1)) as f32, (v / (side + 1)) as f32);
        let point = |v: u32| (place(v).0 * 0.37, place(v).1 * 0.73);
        let corners: Vec<u32> = (0..side * side)
            .map(|i| (i % side, i / side))
            .flat_map(|(x, y)| [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)])
            .collect();
        Sheet {
            positions: (0..(side + 1) * (side + 1))
                .map(|v| [point(v).0, point(v).1, (point(v).0 * point(v).1).sin()])
                .collect(),
            uvs: corners.iter().map(|&v| [point(v).0 / 9.0, point(v).1 / 9.0]).collect(),
            normals: corners.iter().map(|&v| [point(v).0.sin(), 0.5, point(v).1.cos()]).collect(),
            offsets: (0..=side * side).map(|i| 4 * i).collect(),
            corners,
        }
    }

    fn mesh(&self) -> Mesh<'_> {
        Mesh {
            positions: Positions::F32(Cow::Borrowed(&self.positions)),
            uvs: Some(Uvs { values: Cow::Borrowed(&self.uvs), domain: Domain::Corner }),
            normals: Some(Normals { values: Cow::Borrowed(&self.normals), domain: Domain::Corner }),
            face_offsets: Cow::Borrowed(&self.offsets),
            corner_vertices: Cow::Borrowed(&self.corners),
            ..Mesh::default()
        }
    }

    /// A scene of so many copies; they share the arrays.
    fn scene(&self, copies: usize) -> Scene<'_> {
        Scene { meshes: (0..copies).map(|_| self.mesh()).collect(), ..Scene::default() }
    }
}

/// Writes the scene; returns the bytes of the file before compression and those of memory.
fn write(scene: &Scene<'_>, format: Format, compression: Compression, work: &Work) -> (u64, usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("sheet.{format}"));
    let options =
        MeshWriteOptions { compression: Some(compression), ..MeshWriteOptions::default() };
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let written = solio::write_mesh(scene, &path, &options, work).unwrap();
    (written.raw_bytes, MEMORY.peak_usage() - before)
}

#[test]
fn writing_an_obj_stays_within_its_memory() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let sheet = Sheet::new(150);
    let scene = sheet.scene(16);
    for memory_mib in [16, 32] {
        let work = Work { threads: 4, memory_bytes: memory_mib << 20, ..Work::default() };
        for compression in [Compression::None, Compression::Zstd] {
            let (bytes, took) = write(&scene, Format::Obj, compression, &work);
            println!("{} MB, {compression:?}, {memory_mib} MiB: {took} bytes", bytes / 1_000_000);
            assert!(bytes > 40_000_000);
            assert!(took as u64 <= work.memory_bytes, "{took} bytes of memory of {memory_mib} MiB");
        }
    }
}

/// One large mesh, whose corners are merged in rounds, and many small ones.
#[test]
fn tables_that_merge_corners_are_within_the_memory() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (large, small) = (Sheet::new(800), Sheet::new(60));
    let work = Work { threads: 3, memory_bytes: 12 << 20, ..Work::default() };
    for (name, scene) in [("one large", large.scene(1)), ("many small", small.scene(100))] {
        for format in [Format::Obj, Format::Ply, Format::Stl] {
            for compression in [Compression::None, Compression::Zstd] {
                let (bytes, took) = write(&scene, format, compression, &work);
                println!("{name}: {} MB of {format}, {compression:?}: {took} bytes", bytes >> 20);
                assert!(
                    took as u64 <= work.memory_bytes,
                    "{name}, {format}, {compression:?}: {took} bytes of memory"
                );
            }
        }
    }
}

#[test]
fn a_small_budget_gives_the_same_bytes() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let sheet = Sheet::new(500);
    let mut scene = sheet.scene(2);
    scene.meshes[1].normals = None;
    let mut all = MeshWriteOptions::default();
    all.ply.export_normals = true;
    let mut triangles = MeshWriteOptions::default();
    triangles.ply.export_triangulated_mesh = true;
    for (format, options) in
        [(Format::Obj, &all), (Format::Ply, &all), (Format::Ply, &triangles), (Format::Stl, &all)]
    {
        let of = |memory_mib: u64, threads: usize| {
            let work = Work { threads, memory_bytes: memory_mib << 20, ..Work::default() };
            solio::encode_mesh(&scene, format, options, &work).unwrap()
        };
        let wanted = of(512, 1);
        for (memory_mib, threads) in [(512, 3), (7, 1), (8, 3)] {
            let same = of(memory_mib, threads) == wanted;
            assert!(same, "{format} with {memory_mib} MiB on {threads} threads");
        }
    }
}

#[test]
#[ignore = "slow: writes 10 GB"]
fn ten_gigabytes_in_half_a_gigabyte() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let sheet = Sheet::new(1000);
    let scene = sheet.scene(85);
    let work = Work { memory_bytes: 512 << 20, ..Work::default() };
    let rss = solio::peak_rss_bytes();
    let (bytes, took) = write(&scene, Format::Obj, Compression::None, &work);
    let grown = solio::peak_rss_bytes() - rss;
    println!("{bytes} bytes written, {took} bytes of memory, the process grew by {grown}");
    assert!(bytes > 10_000_000_000);
    assert!(took as u64 <= work.memory_bytes && grown <= work.memory_bytes);
}
