//! Loads an OBJ once, with Solio or with tobj, and prints `wall_s cpu_s answer`; or (`peers exr`)
//! reads and writes images as `solio bench exr` asks, or (`peers dates LIST`) reads three dates of
//! photos for `solio bench photo`.

mod dates;
mod images;

use solio::{MeshInfo, MeshReadOptions, Stopwatch, Work};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|word| word == "exr") {
        return images::serve();
    }
    let [_, reader, path] = &arguments[..] else {
        return Err("peers solio|tobj FILE, peers dates LIST, or peers exr".into());
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
