//! What the C interface is measured by: the same calls of Rust, on one thread.
//!
//!     twin mesh|window FILE
//!
//! Prints `wall_s cpu_s answer`.
#![allow(clippy::print_stdout)]

use solio::{MeshReadOptions, Stopwatch, Work};
use solio_base::Limits;
use solio_exr::header::Box2i;
use solio_exr::{IntoOptions, RasterMut, SamplesMut, decode_exr_into, decode_header};
use solio_mesh::{MeshSkip, Positions};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments[..] {
        [_, what, path] if what == "mesh" => mesh(Path::new(path)),
        [_, what, path] if what == "window" => window(Path::new(path)),
        _ => Err("twin mesh|window FILE".into()),
    }
}

fn mesh(path: &Path) -> Result<(), Box<dyn Error>> {
    let skip = MeshSkip { normals: true, uvs: true, colors: true, attributes: true };
    let options = MeshReadOptions { skip, ..MeshReadOptions::default() };
    let watch = Stopwatch::start();
    let scene = solio::read_mesh(path, &options, &Work::serial())?;
    let usage = watch.usage();
    let mesh = &scene.meshes[0];
    let Positions::F32(positions) = &mesh.positions else { return Err("doubles".into()) };
    let x = mesh.corner_vertices.iter().map(|&corner| f64::from(positions[corner as usize][0]));
    let (vertices, triangles) = (positions.len(), mesh.corner_vertices.len() / 3);
    println!(
        "{:.6} {:.6} {vertices} vertices, {triangles} triangles, sum of x {:.6}",
        usage.wall_s,
        usage.cpu_s,
        x.sum::<f64>()
    );
    Ok(())
}

fn window(path: &Path) -> Result<(), Box<dyn Error>> {
    let (work, limits) = (Work::serial(), Limits::default());
    let watch = Stopwatch::start();
    let opened = solio_io::open(path, &limits, &work)?;
    let header = decode_header(&*opened.source, &limits)?;
    let all = header.parts[0].shape()?.data_window;
    let (width, height) = (all.width() as i32, all.height() as i32);
    let min = [all.min[0] + width / 4, all.min[1] + height / 4];
    let max = [all.max[0] - width / 4, all.max[1] - height / 4];
    let window = Box2i { min, max };
    let (columns, rows) = (window.width() as usize, window.height() as usize);
    let mut pixels = vec![0f32; columns * rows * 4];
    let options = IntoOptions { window: Some(window), ..IntoOptions::default() };
    let raster = RasterMut {
        channels: ["R", "G", "B"].map(str::to_owned).to_vec(),
        samples: SamplesMut::Float(&mut pixels),
        row_stride: columns * 4,
        pixel_stride: 4,
    };
    decode_exr_into(&*opened.source, &options, vec![raster], &work)?;
    let usage = watch.usage();
    let pixel = |p: &[f32]| f64::from(p[0]) + f64::from(p[1]) + f64::from(p[2]);
    let sum = pixels.chunks_exact(4).map(pixel).sum::<f64>();
    println!("{:.6} {:.6} {} pixels, sum {sum:.6}", usage.wall_s, usage.cpu_s, columns * rows);
    Ok(())
}
