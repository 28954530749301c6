//! Scenes and their meshes as other crates read them, and as Solio does.
//!
//! `peers ply READER FILE` reads a binary PLY with positions and triangles into arrays or what
//! comes nearest to them; `peers pbrt READER FILE` parses the text of a scene; `peers gz READER FILE`
//! unpacks a file; `peers packed solio FILE` makes the matrices of a packed scene's instances.

use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{PropertyAccess, PropertyAccessResult};
use serde::Deserialize;
use solio::mesh::Positions;
use solio::{MeshReadOptions, Stopwatch, Usage, Work};
use solio::scene::pack::{PackReadOptions, PackReader};
use std::fs::File;
use solio_codec::compress::StreamDecoder;
use std::io::{BufReader, Read};
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What a reader found, and how long it took.
struct Done {
    usage: Usage,
    answer: String,
}

/// `peers ply READER FILE` and `peers pbrt READER FILE`.
pub fn print(kind: &str, reader: &str, path: &Path) -> Result<()> {
    let Done { usage, answer } = match (kind, reader) {
        ("ply", "solio") => solio_ply(path, Work::default())?,
        ("ply", "solio-one") => solio_ply(path, Work { threads: 1, ..Work::default() })?,
        ("ply", "serde-ply") => serde(path)?,
        ("ply", "ply-rs-bw") => ply_rs(path)?,
        ("gz", reader) => gz(reader, path)?,
        ("packed", "solio") => instances(path)?,
        ("pbrt", "solio") => solio_pbrt(path)?,
        ("pbrt", "pbrt4") => pbrt4(path)?,
        ("pbrt", "pbrt4-scene") => pbrt4_scene(path)?,
        _ => return Err(format!("no reader {kind} {reader}").into()),
    };
    println!("{:.6} {:.6} {answer}", usage.wall_s, usage.cpu_s);
    Ok(())
}

/// Vertices, triangles, and a sum that depends on all values.
fn answer(
    positions: impl Iterator<Item = [f32; 3]>,
    corners: impl Iterator<Item = u32>,
) -> String {
    let (mut vertices, mut sum) = (0u64, 0u64);
    for position in positions {
        vertices += 1;
        position.iter().for_each(|value| sum = sum.wrapping_add(u64::from(value.to_bits())));
    }
    let mut count = 0u64;
    for corner in corners {
        count += 1;
        sum = sum.wrapping_mul(31).wrapping_add(u64::from(corner));
    }
    format!("{vertices} vertices, {} triangles, sum {sum:016x}", count / 3)
}

fn solio_ply(path: &Path, work: Work) -> Result<Done> {
    let watch = Stopwatch::start();
    let scene = solio::read_mesh(path, &MeshReadOptions::default(), &work)?;
    let usage = watch.usage();
    let mesh = &scene.meshes[0];
    let Positions::F32(positions) = &mesh.positions else { return Err("no f32".into()) };
    let corners = mesh.corner_vertices.iter().copied();
    Ok(Done { usage, answer: answer(positions.iter().copied(), corners) })
}

#[derive(Deserialize)]
struct Vertex {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Deserialize)]
struct Face {
    vertex_indices: Vec<u32>,
}

#[derive(Deserialize)]
struct Mesh {
    vertex: Vec<Vertex>,
    face: Vec<Face>,
}

fn serde(path: &Path) -> Result<Done> {
    let watch = Stopwatch::start();
    let mesh: Mesh = serde_ply::from_reader(BufReader::with_capacity(1 << 20, File::open(path)?))?;
    let usage = watch.usage();
    let positions = mesh.vertex.iter().map(|v| [v.x, v.y, v.z]);
    let corners = mesh.face.iter().flat_map(|face| face.vertex_indices.iter().copied());
    Ok(Done { usage, answer: answer(positions, corners) })
}

#[derive(Default)]
struct OfPlyRs {
    position: [f32; 3],
    corners: Vec<u32>,
}

impl PropertyAccess for OfPlyRs {
    fn new() -> Self {
        Self::default()
    }

    fn set_float(&mut self, name: &str, value: f32) -> PropertyAccessResult {
        match name {
            "x" => self.position[0] = value,
            "y" => self.position[1] = value,
            "z" => self.position[2] = value,
            _ => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }

    fn set_list_uint(&mut self, _: &str, value: Vec<u32>) -> PropertyAccessResult {
        self.corners = value;
        PropertyAccessResult::Set
    }

    fn set_list_int(&mut self, _: &str, value: Vec<i32>) -> PropertyAccessResult {
        self.corners = value.into_iter().map(i32::cast_unsigned).collect();
        PropertyAccessResult::Set
    }
}

fn ply_rs(path: &Path) -> Result<Done> {
    let watch = Stopwatch::start();
    let file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut reader = Reader::new(file);
    let parser = Parser::<OfPlyRs>::new();
    let header = parser.read_header(&mut reader)?;
    let mut read = |name: &str| {
        parser.read_payload_for_element(&mut reader, &header.elements[name], &header)
    };
    let (vertices, faces) = (read("vertex")?, read("face")?);
    let usage = watch.usage();
    let positions = vertices.iter().map(|vertex| vertex.position);
    let corners = faces.iter().flat_map(|face| face.corners.iter().copied());
    Ok(Done { usage, answer: answer(positions, corners) })
}

/// A packed file in memory, unpacked by one thread: 256 KiB at a time, but by libdeflate at once,
/// into memory that was there before.
fn gz(reader: &str, path: &Path) -> Result<Done> {
    let file = std::fs::read(path)?;
    let mut whole = Vec::new();
    flate2::read::MultiGzDecoder::new(&file[..]).read_to_end(&mut whole)?;
    let sum = libdeflater::crc32(&whole);
    let mut block = vec![0; 256 << 10];
    let mut decoder = libdeflater::Decompressor::new();
    let watch = Stopwatch::start();
    let mut made = 0;
    match reader {
        "solio" => {
            let limits = solio::Limits::default();
            let mut decoder = StreamDecoder::new(solio::Compression::Gzip, &file[..], &limits)?;
            loop {
                let got = decoder.read(&mut block)?;
                std::hint::black_box(&mut block);
                made += got;
                if got < block.len() {
                    break;
                }
            }
        }
        "zlib-rs" => {
            let mut decoder = flate2::read::MultiGzDecoder::new(&file[..]);
            loop {
                let got = decoder.read(&mut block)?;
                std::hint::black_box(&mut block);
                made += got;
                if got == 0 {
                    break;
                }
            }
        }
        "libdeflate" => made = decoder.gzip_decompress(&file, &mut whole)?,
        _ => return Err(format!("no reader gz {reader}").into()),
    }
    let usage = watch.usage();
    Ok(Done { usage, answer: format!("{made} bytes of {}, sum {sum:08x}", whole.len()) })
}

/// Statements in flat arrays, on one thread.
fn solio_pbrt(path: &Path) -> Result<Done> {
    let watch = Stopwatch::start();
    let text = std::fs::read(path)?;
    let found = solio::scene::pbrt::parse(&text, 0);
    let usage = watch.usage();
    match found.problems.first() {
        Some(problem) => Err(problem.to_string().into()),
        None => Ok(Done { usage, answer: format!("{} statements", found.statements.len()) }),
    }
}

/// A packed scene's instances, ready to be used.
fn instances(path: &Path) -> Result<Done> {
    let watch = Stopwatch::start();
    let work = Work::default();
    let opened = solio_io::open(path, &solio::Limits::default(), &work)?;
    let found = PackReader::new(&*opened.source, &PackReadOptions::default())?.instances(&work)?;
    let usage = watch.usage();
    Ok(Done { usage, answer: format!("{} instances", found.matrices.len()) })
}

/// Its statements, which borrow from the text.
fn pbrt4(path: &Path) -> Result<Done> {
    let watch = Stopwatch::start();
    let text = std::fs::read_to_string(path)?;
    let mut parser = pbrt4::Parser::new(&text);
    let mut statements = 0u64;
    loop {
        match parser.parse_next() {
            Ok(_) => statements += 1,
            Err(pbrt4::Error::EndOfFile) => break,
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    let usage = watch.usage();
    Ok(Done { usage, answer: format!("{statements} statements") })
}

/// Its scene: instances and shapes with their arrays.
fn pbrt4_scene(path: &Path) -> Result<Done> {
    let watch = Stopwatch::start();
    let scene = pbrt4::Scene::from_file(path).map_err(|error| format!("{error:?}"))?;
    let usage = watch.usage();
    let (instances, shapes) = (scene.instances.len(), scene.shapes.len());
    Ok(Done { usage, answer: format!("{instances} instances, {shapes} shapes") })
}
