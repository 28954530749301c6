//! What the fuzz targets do with their bytes. Also replayed as ordinary tests, over the golden
//! files, the broken files and all recorded findings: see `crates/solio-mesh/tests/replay.rs`.
//!
//! Each body panics on a finding. Beside what the compiler and the sanitizer find, these are:
//! * reading takes more memory than [`memory_bound`] of the bytes;
//! * a strict reader accepts what a lenient one refuses, or reads something else;
//! * a sequential source gives another result than bytes in memory;
//! * what was read, written and read again, is not the same.

#![allow(dead_code)] // each target uses one of the bodies

mod number;
mod process;
mod same;

#[allow(unused_imports)]
pub(crate) use number::number;
pub(crate) use process::init;

use process::{assert_placed, within};
use same::{assert_same, assert_same_triangles, assert_streamed};
use solio_base::{Limits, Result, Source, Work};
use solio_codec::number::Digits;
use solio_mesh::gltf::{
    GltfReadOptions, GltfWriteOptions, NoGltfFiles, check_gltf, decode_gltf, encode_glb,
};
use solio_mesh::obj::{
    MtlWriteOptions, NonFinite, ObjReadOptions, ObjWriteOptions, decode_mtl, decode_obj,
    encode_mtl, encode_obj, material_names,
};
use solio_mesh::off::{OffReadOptions, decode_off, encode_off};
use solio_mesh::ply::{
    PlyColorType, PlyFormat, PlyReadOptions, PlyWriteOptions, decode_ply, encode_ply,
};
use solio_mesh::splats::{SplatFacts, SplatReadOptions, decode_splat, encode_splat, sog, spz};
use solio_mesh::stl::{StlReadOptions, StlWriteOptions, decode_stl, encode_stl};
use solio_mesh::{Domain, Scene, splat_count};
use std::sync::atomic::{AtomicU64, Ordering};

/// Most memory that reading so many bytes may take: what the densest statements need (`o` and a
/// line end, two bytes, make an object of some 200), twice while its array grows, and the chunk
/// buffers.
pub(crate) fn memory_bound(bytes: usize) -> usize {
    (2 << 20) + 400 * bytes
}

/// A source that serves its bytes once, in order, and does not know how many there are.
struct Stream<'a>(&'a [u8], AtomicU64);

impl Source for Stream<'_> {
    fn len_bytes(&self) -> Option<u64> {
        None
    }
    fn is_sequential(&self) -> bool {
        true
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        // The first bytes may be read again, as from the streams of solio-io.
        let before = self.1.load(Ordering::Relaxed);
        assert!(offset >= before || offset < 16, "a sequential source was asked to go back");
        let got = self.0.read_at(offset, buffer)?;
        self.1.fetch_max(offset + got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

/// Every 16th input, chosen by its bytes, for checks that take longer than reading.
fn now_and_then(bytes: &[u8]) -> bool {
    let mix = |sum: u32, &byte: &u8| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, mix) >> 28 == 0
}

/// Reads `bytes` leniently, strictly and from a stream. The scene is the lenient reader's.
fn read(
    bytes: &[u8],
    decode: impl Fn(&dyn Source, bool, &Work) -> Result<Scene<'static>>,
) -> Option<Scene<'static>> {
    let work = Work::serial();
    let bound = memory_bound(bytes.len());
    let lenient = within(bound, bytes, || decode(&bytes, false, &work));
    let strict = decode(&bytes, true, &work);
    match (&lenient, &strict) {
        (Ok(lenient), Ok(strict)) => assert_same(lenient, strict),
        (Err(e), Ok(_)) => panic!("strict reads what lenient refuses: {e}"),
        (Ok(_), Err(e)) => assert_placed(e),
        (Err(e), Err(strict)) => {
            assert_placed(e);
            assert_placed(strict);
        }
    }
    if now_and_then(bytes) {
        let stream = Stream(bytes, AtomicU64::new(0));
        match (&lenient, &decode(&stream, false, &work)) {
            (Ok(lenient), Ok(streamed)) => assert_streamed(lenient, streamed),
            (Err(_), Err(streamed)) => assert_placed(streamed),
            (a, b) => panic!("memory: {:?}, stream: {:?}", a.as_ref().err(), b.as_ref().err()),
        }
    }
    lenient.ok()
}

/// Writes with `encode` and reads with `decode`.
fn again(
    encode: impl Fn(&Work, &mut Vec<u8>) -> Result<()>,
    decode: impl Fn(&[u8], &Work) -> Result<Scene<'static>>,
) -> Scene<'static> {
    let work = Work::serial();
    let mut bytes = Vec::new();
    encode(&work, &mut bytes).unwrap_or_else(|e| panic!("what was read cannot be written: {e}"));
    decode(&bytes, &work).unwrap_or_else(|e| {
        panic!("what was written cannot be read: {e}\n{}", String::from_utf8_lossy(&bytes))
    })
}

/// The OBJ reader and writer.
pub(crate) fn obj(bytes: &[u8]) {
    let options = |strict| ObjReadOptions { strict, ..ObjReadOptions::default() };
    let decode =
        |source: &dyn Source, strict, work: &Work| decode_obj(source, &options(strict), work);
    let Some(scene) = read(bytes, decode) else { return };
    let mesh = &scene.meshes[0];
    assert!(!mesh.positions.is_empty() || !mesh.freeform.is_empty(), "read as nothing");
    let digits = Digits::Shortest;
    let write = ObjWriteOptions {
        comments: Vec::new(),
        position_digits: digits,
        uv_digits: digits,
        normal_digits: digits,
        color_digits: digits,
        non_finite: NonFinite::Write,
        ..ObjWriteOptions::default()
    };
    let back = again(
        |work, out| encode_obj(&scene, &write, work, out),
        |bytes, work| decode(&bytes, false, work),
    );
    assert_same(&scene, &back);
}

/// The glTF reader, its check, and the writer. What was written is read as it was, once normals have their
/// length and corners their vertices.
pub(crate) fn gltf(bytes: &[u8]) {
    let work = Work::serial();
    // A byte of meshoptimizer's code may stand for a thousand.
    let limits = Limits { bytes: 8 << 20, ..Limits::default() };
    let options = |strict, keep_instances| GltfReadOptions {
        strict,
        limits,
        keep_instances,
        ..GltfReadOptions::default()
    };
    let bound = memory_bound(bytes.len()) + (24 << 20);
    let decode = |source: &dyn Source, options: &GltfReadOptions| {
        decode_gltf(source, &NoGltfFiles, options, &work)
    };
    let lenient = within(bound, bytes, || decode(&bytes, &options(false, false)));
    let strict = decode(&bytes, &options(true, false));
    match (&lenient, &strict) {
        (Ok(lenient), Ok(strict)) => {
            assert_eq!(format!("{:?}", lenient.meshes), format!("{:?}", strict.meshes));
        }
        (Err(e), Ok(_)) => panic!("strict reads what lenient refuses: {e}"),
        (_, Err(e)) => assert_placed(e),
    }
    if let Ok(found) = check_gltf(&bytes, &NoGltfFiles, &options(false, false), &work) {
        found.problems.iter().for_each(assert_placed);
    }
    if now_and_then(bytes) {
        let stream = Stream(bytes, AtomicU64::new(0));
        let streamed = decode(&stream, &options(false, false));
        assert_eq!(lenient.is_ok(), streamed.is_ok());
        let _ = decode(&bytes, &options(false, true));
    }
    let Ok(scene) = lenient else { return };
    let write = |scene: &Scene<'_>| {
        let mut file = Vec::new();
        encode_glb(scene, &GltfWriteOptions::default(), &work, &mut file).map(|()| file)
    };
    // Positions that are not finite are not written.
    let Ok(first) = write(&scene) else { return };
    let roomy = GltfReadOptions::default();
    let again = decode(&first, &roomy).unwrap_or_else(|e| panic!("what was written: {e}"));
    let second = write(&again).unwrap_or_else(|e| panic!("what was read cannot be written: {e}"));
    let back = decode(&second, &roomy).unwrap_or_else(|e| panic!("what was written: {e}"));
    assert_eq!(format!("{:?}", again.meshes), format!("{:?}", back.meshes));
    let found = check_gltf(&first, &NoGltfFiles, &roomy, &work).expect("a document");
    assert!(found.problems.is_empty(), "{:?}", found.problems);
}

/// The MTL reader and writer.
pub(crate) fn mtl(bytes: &[u8]) {
    let options = |strict| ObjReadOptions { strict, ..ObjReadOptions::default() };
    let bound = memory_bound(bytes.len());
    let lenient = within(bound, bytes, || decode_mtl(bytes, &options(false)));
    let strict = decode_mtl(bytes, &options(true));
    match (&lenient, &strict) {
        (Ok((lenient, _)), Ok((strict, _))) => {
            assert_eq!(format!("{lenient:?}"), format!("{strict:?}"));
        }
        (Err(e), Ok(_)) => panic!("strict reads what lenient refuses: {e}"),
        (_, Err(e)) => assert_placed(e),
    }
    let Ok((mut materials, _)) = lenient else { return };
    let write = MtlWriteOptions {
        comments: Vec::new(),
        digits: Digits::Shortest,
        ..MtlWriteOptions::default()
    };
    // Numbers that are not finite cannot be written, and say so.
    let Ok(text) = encode_mtl(&materials, &write) else { return };
    let (back, warnings) = decode_mtl(&text, &options(false)).unwrap_or_else(|e| {
        panic!("what was written cannot be read: {e}\n{}", String::from_utf8_lossy(&text))
    });
    // Of different materials each has a name of its own now.
    let names = material_names(&materials, false);
    materials.iter_mut().zip(names).for_each(|(material, name)| material.name = name);
    assert_eq!(materials, back, "{warnings:?}\n{}", String::from_utf8_lossy(&text));
}

/// The PLY reader and writer, in all three encodings.
pub(crate) fn ply(bytes: &[u8]) {
    let decode = |source: &dyn Source, strict, work: &Work| {
        decode_ply(source, &PlyReadOptions { strict, ..PlyReadOptions::default() }, work)
    };
    let Some(scene) = read(bytes, decode) else { return };
    let mesh = &scene.meshes[0];
    // Values of corners split vertices: written they are another mesh with the same faces.
    let splits = mesh.uvs.as_ref().is_some_and(|uvs| uvs.domain != Domain::Vertex);
    for format in [PlyFormat::Ascii, PlyFormat::BinaryLittleEndian, PlyFormat::BinaryBigEndian] {
        let write = PlyWriteOptions {
            format,
            comments: Vec::new(),
            export_normals: true,
            color_type: PlyColorType::F32,
            ..PlyWriteOptions::default()
        };
        let back = again(
            |work, out| encode_ply(&scene, &write, work, out),
            |bytes, work| decode(&bytes, false, work),
        );
        if splits {
            assert_eq!(mesh.face_offsets, back.meshes[0].face_offsets);
        } else {
            assert_same(&scene, &back);
        }
    }
}

/// The OFF reader and writer. Normals and values of corners are not written.
pub(crate) fn off(bytes: &[u8]) {
    let decode = |source: &dyn Source, strict, work: &Work| {
        decode_off(source, &OffReadOptions { strict, ..OffReadOptions::default() }, work)
    };
    let Some(scene) = read(bytes, decode) else { return };
    let back =
        again(|work, out| encode_off(&scene, work, out), |bytes, work| decode(&bytes, false, work));
    let (mesh, back) = (&scene.meshes[0], &back.meshes[0]);
    assert_eq!(mesh.face_offsets, back.face_offsets);
    assert_eq!(mesh.corner_vertices, back.corner_vertices);
    for n in 0..mesh.positions.len() {
        let bits = |values: [f64; 3]| values.map(f64::to_bits);
        assert_eq!(bits(mesh.positions.get(n)), bits(back.positions.get(n)), "vertex {n}");
    }
}

/// Bounds by which the packed streams of an SPZ swell no more than other inputs.
fn splat_options(bytes: &[u8], strict: bool) -> SplatReadOptions {
    let limits = Limits { bytes: 200 * bytes.len() as u64, ..Limits::default() };
    SplatReadOptions { strict, limits }
}

/// What is written of splats has as many, of the same degree.
fn assert_same_splats(scene: &Scene<'_>, back: &Scene<'_>) {
    let facts = |scene: &Scene<'_>| SplatFacts::of(&scene.meshes[0]).map(|f| (f.splats, f.degree));
    assert_eq!(facts(scene), facts(back));
}

/// The reader and writer of SPZ.
pub(crate) fn spz(bytes: &[u8]) {
    let options = |strict| splat_options(bytes, strict);
    let decode =
        |source: &dyn Source, strict, work: &Work| spz::decode_spz(source, &options(strict), work);
    let Some(scene) = read(bytes, decode) else { return };
    if splat_count(&scene.meshes[0]) > 0 {
        let write = spz::SpzWriteOptions { level: Some(1), ..spz::SpzWriteOptions::default() };
        let back = again(
            |work, out| spz::encode_spz(&scene, &write, work, out),
            |bytes, work| spz::decode_spz(&bytes, &SplatReadOptions::default(), work),
        );
        assert_same_splats(&scene, &back);
    }
}

/// The reader and writer of SOG, whose pictures unpack to far more than they are.
pub(crate) fn sog(bytes: &[u8]) {
    let options = |strict| splat_options(bytes, strict);
    let decode = |source: &dyn Source, strict, work: &Work| {
        sog::decode_sog(source, &NoGltfFiles, &options(strict), work)
    };
    let Some(scene) = read(bytes, decode) else { return };
    if splat_count(&scene.meshes[0]) > 0 {
        let back = again(
            |work, out| sog::encode_sog(&scene, work, out),
            |bytes, work| sog::decode_sog(&bytes, &NoGltfFiles, &SplatReadOptions::default(), work),
        );
        assert_same_splats(&scene, &back);
    }
}

/// The reader and writer of `.splat`, and what SuperSplat packs of it.
pub(crate) fn splat(bytes: &[u8]) {
    let options = |strict| splat_options(bytes, strict);
    let decode =
        |source: &dyn Source, strict, work: &Work| decode_splat(source, &options(strict), work);
    let Some(scene) = read(bytes, decode) else { return };
    if splat_count(&scene.meshes[0]) > 0 {
        let back = again(
            |work, out| encode_splat(&scene, work, out),
            |bytes, work| decode_splat(&bytes, &SplatReadOptions::default(), work),
        );
        assert_same_splats(&scene, &back);
        let packed = PlyWriteOptions { pack_splats: true, ..PlyWriteOptions::default() };
        let back = again(
            |work, out| encode_ply(&scene, &packed, work, out),
            |bytes, work| decode_ply(&bytes, &PlyReadOptions::default(), work),
        );
        assert_same_splats(&scene, &back);
    }
}

/// The STL reader and writer, text and binary.
pub(crate) fn stl(bytes: &[u8]) {
    let decode = |source: &dyn Source, strict, work: &Work| {
        decode_stl(source, &StlReadOptions { strict, ..StlReadOptions::default() }, work)
    };
    let Some(scene) = read(bytes, decode) else { return };
    for ascii_format in [false, true] {
        let write = StlWriteOptions { ascii_format, ..StlWriteOptions::default() };
        let back = again(
            |work, out| encode_stl(&scene, &write, work, out),
            |bytes, work| decode(&bytes, false, work),
        );
        assert_same_triangles(&scene, &back);
    }
}
