//! Loads an OBJ once, with Solio or with tobj, and prints `wall_s cpu_s answer`; or (`peers exr`)
//! reads and writes images as `solio-bench exr` asks, or (`peers dates LIST`) reads three dates of
//! photos for `solio-bench photo`, or (`peers bounds`, `peers colors`, `peers trees [FILE…]`, with `--quick`) compares
//! boxes, arrays of colours and trees, a line of JSON each; or (`peers ply|pbrt|gz READER FILE`) reads a mesh, a scene's
//! text or a packed file.

mod bounds;
mod colors;
mod compared;
mod dates;
mod images;
mod scenes;
mod trees;

use solio::{MeshInfo, MeshReadOptions, Stopwatch, Work};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|word| word == "exr") {
        return images::serve();
    }
    let quick = arguments.iter().any(|word| word == "--quick");
    match arguments.get(1).map(String::as_str) {
        Some("colors") => return Ok(colors::print(quick)),
        Some("bounds") => return Ok(bounds::print(quick)),
        Some("trees") => {
            let files: Vec<String> =
                arguments[2..].iter().filter(|word| *word != "--quick").cloned().collect();
            return trees::print(quick, &files);
        }
        _ => {}
    }
    if let [_, kind, reader, path] = &arguments[..] {
        return scenes::print(kind, reader, Path::new(path));
    }
    let [_, reader, path] = &arguments[..] else {
        return Err("peers solio|tobj FILE, peers dates LIST, peers exr|bounds|colors|trees".into());
    };
    if reader == "dates" {
        return dates::print(path);
    }
    let path = Path::new(path);
    let watch = Stopwatch::start();
    let (usage, vertices, faces) = if reader == "solio" {
        let options = MeshReadOptions { skip_materials: true, ..MeshReadOptions::default() };
        let scene = solio::read_mesh(path, &options, &Work::default())?;
        let usage = watch.usage();
        let info = MeshInfo::of(&scene);
        (usage, info.vertices, info.faces)
    } else {
        // Without `single_index` it keeps the file's own indices, as Solio does.
        let (models, _) = tobj::load_obj(path, &tobj::LoadOptions::default())?;
        let usage = watch.usage();
        let vertices = models.iter().map(|m| m.mesh.positions.len() / 3).sum();
        (usage, vertices, models.iter().map(|m| m.mesh.face_arities.len()).sum())
    };
    println!("{:.6} {:.6} {vertices} vertices, {faces} faces", usage.wall_s, usage.cpu_s);
    Ok(())
}
