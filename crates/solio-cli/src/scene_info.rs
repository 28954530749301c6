//! `solio info` of scenes: what is in them, and how much.

use crate::table::{BOLD, DIM, TextTable, bytes, count, some};
use crate::{json_paths, schema, terminal};
use serde_json::{Value as Json, json};
use solio::scene::scene::{Entity, Scene, SceneFile};
use solio::{Input, Limits, Result, SceneInfo, SceneReadOptions, Work};
use std::path::Path;

/// Meshes that are listed as the largest.
const LARGEST: usize = 5;
/// Problems that are shown.
const PROBLEMS: usize = 5;

/// What is in a scene, as text or as a line of JSON.
pub(crate) fn look(input: &Input, limits: &Limits, as_json: bool, work: &Work) -> Result<String> {
    let options = SceneReadOptions { limits: *limits, ..SceneReadOptions::default() };
    let (path, info) = (input.path(), solio::scene_info(input, &options, LARGEST, work)?);
    if as_json {
        return Ok(schema::line("info-scene/1", &[("path", path)], to_json(&info)));
    }
    Ok(words(path, &info))
}

fn words(path: &Path, info: &SceneInfo) -> String {
    let (scene, counts) = (&info.scene, &info.counts);
    let mut text = format!("{BOLD}{}{BOLD:#}\n", terminal::name(path));
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            text += &format!("  {DIM}{name:<10}{DIM:#} {value}\n");
        }
    };
    let (text_bytes, mesh_bytes) = (text_bytes(scene), mesh_bytes(info));
    line(
        "kind",
        format!(
            "pbrt {}, {} of text in {}, {} directives",
            scene.version,
            bytes(text_bytes),
            some(scene.files.len() as u64, "file"),
            count(scene.directives),
        ),
    );
    line("picture", picture(scene));
    let all = &counts.all;
    line(
        "primitives",
        format!("{}, {} with instances", count(all.primitives), count(all.instanced_primitives)),
    );
    line(
        "instances",
        match counts.instances.all {
            0 => String::new(),
            n => format!("{} of {}", count(n), some(scene.objects.len() as u64, "object")),
        },
    );
    line("materials", materials(scene));
    line("lights", lights(scene));
    line("meshes", meshes(info, mesh_bytes));
    let memory = counts.values_bytes + counts.entities_bytes + counts.instances_bytes;
    line(
        "memory",
        format!(
            "about {}: {} of the scene ({} of instances), {} of mesh files",
            bytes(memory + mesh_memory(info)),
            bytes(memory),
            bytes(counts.instances_bytes),
            bytes(mesh_memory(info)),
        ),
    );
    line("deepest", deepest(scene));
    if !counts.classes.is_empty() {
        text += &classes(info);
    }
    if !counts.largest.is_empty() {
        text += &largest(info);
    }
    text + &problems(info)
}

fn text_bytes(scene: &Scene) -> u64 {
    scene.files.iter().map(|file| file.bytes).sum()
}

fn mesh_bytes(info: &SceneInfo) -> u64 {
    info.meshes.iter().map(|(_, mesh)| mesh.file_bytes).sum()
}

fn mesh_memory(info: &SceneInfo) -> u64 {
    info.meshes.iter().map(|(_, mesh)| mesh.memory_bytes).sum()
}

fn class(scene: &Scene, entity: &Entity) -> String {
    String::from_utf8_lossy(scene.class(entity)).into_owned()
}

/// `perspective camera, 1,280 × 720 pixels, path integrator`.
fn picture(scene: &Scene) -> String {
    let mut words = Vec::new();
    if let Some(camera) = &scene.camera {
        words.push(format!("{} camera", class(scene, &camera.entity)));
    }
    if let Some(film) = &scene.film {
        let side = |name| scene.integer(film, name);
        if let (Some(x), Some(y)) = (side("xresolution"), side("yresolution")) {
            words.push(format!("{x} × {y} pixels"));
        }
        if let Some(name) = scene.string(film, "filename") {
            words.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    if let Some(integrator) = &scene.integrator {
        words.push(format!("{} integrator", class(scene, integrator)));
    }
    words.join(", ")
}

fn materials(scene: &Scene) -> String {
    let named = scene.materials.iter().filter(|material| !material.name.is_empty()).count();
    let mut words = vec![format!("{} ({} named)", count(scene.materials.len() as u64), named)];
    if !scene.textures.is_empty() {
        words.push(some(scene.textures.len() as u64, "texture"));
    }
    if !scene.media.is_empty() {
        words.push(format!("{} media", scene.media.len()));
    }
    words.join(", ")
}

fn lights(scene: &Scene) -> String {
    let (lights, area) = (scene.lights.len() as u64, scene.area_lights.len() as u64);
    match (lights, area) {
        (0, 0) => String::new(),
        (lights, 0) => count(lights),
        (lights, area) => format!("{}, {}", count(lights), some(area, "area light")),
    }
}

fn meshes(info: &SceneInfo, mesh_bytes: u64) -> String {
    let (there, missing) = (info.meshes.len() as u64, info.missing_meshes.len());
    match (there, missing) {
        (0, 0) => String::new(),
        (there, 0) => format!("{}, {}", some(there, "file"), bytes(mesh_bytes)),
        (there, missing) => {
            format!("{}, {}; {missing} missing", some(there, "file"), bytes(mesh_bytes))
        }
    }
}

/// The files around the one that is deepest, if there are others than the first.
fn deepest(scene: &Scene) -> String {
    let Some(mut file) = scene.files.iter().rev().max_by_key(|file| file.depth) else {
        return String::new();
    };
    if file.depth == 0 {
        return String::new();
    }
    let name =
        |file: &SceneFile| file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut names = vec![name(file)];
    while let Some(place) = file.included {
        file = &scene.files[place.file as usize];
        names.push(name(file));
    }
    names.reverse();
    names.join(" › ")
}

fn classes(info: &SceneInfo) -> String {
    let mut table = TextTable::new(&["  shape", ">shapes", ">primitives", ">with instances"]);
    for (name, of) in &info.counts.classes {
        table.row(vec![
            format!("  {name}"),
            count(of.shapes),
            count(of.primitives),
            count(of.instanced_primitives),
        ]);
    }
    table.render()
}

/// What a mesh is called: its file, or its place.
fn mesh_name(scene: &Scene, shape: u32) -> String {
    let entity = &scene.shapes[shape as usize].entity;
    match scene.string(entity, "filename") {
        Some(name) => String::from_utf8_lossy(name).into_owned(),
        None => {
            let path = &scene.files[entity.place.file as usize].path;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{name}:{}", entity.place.line)
        }
    }
}

fn largest(info: &SceneInfo) -> String {
    let mut table = TextTable::new(&["  largest mesh", ">primitives", ">vertices", ">memory"]);
    for mesh in &info.counts.largest {
        table.row(vec![
            format!("  {}", mesh_name(&info.scene, mesh.shape)),
            count(mesh.primitives),
            count(mesh.vertices),
            bytes(mesh.memory_bytes),
        ]);
    }
    table.render()
}

fn problems(info: &SceneInfo) -> String {
    let all = info.scene.problems.iter().chain(&info.missing_meshes);
    let count = info.scene.problems.len() + info.missing_meshes.len();
    let shown = all.take(PROBLEMS).map(|problem| format!("  problem: {problem}\n"));
    let mut text: String = shown.collect();
    if count > PROBLEMS {
        text += &format!("  and {} more; solio check lists all\n", count - PROBLEMS);
    }
    for warning in info.scene.notes() {
        text += &format!("  warning: {warning}\n");
    }
    text
}

/// Everything, for programs.
fn to_json(info: &SceneInfo) -> Json {
    let (scene, counts) = (&info.scene, &info.counts);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let files = scene.files.iter().map(|file| {
        let mut line = json_paths::json(&file.path);
        line["bytes"] = file.bytes.into();
        line["depth"] = file.depth.into();
        line
    });
    let largest = counts.largest.iter().map(|mesh| {
        json!({
            "name": mesh_name(scene, mesh.shape),
            "primitives": mesh.primitives,
            "vertices": mesh.vertices,
            "memory_bytes": mesh.memory_bytes,
        })
    });
    let problems = scene.problems.iter().chain(&info.missing_meshes);
    let class_of = |entity: &Option<Entity>| entity.as_ref().map(|e| class(scene, e));
    json!({
        "format": "pbrt",
        "version": scene.version,
        "files": files.collect::<Vec<_>>(),
        "text_bytes": text_bytes(scene),
        "mesh_file_bytes": mesh_bytes(info),
        "directives": scene.directives,
        "camera": scene.camera.as_ref().map(|camera| class(scene, &camera.entity)),
        "film": class_of(&scene.film),
        "integrator": class_of(&scene.integrator),
        "shapes": counts.classes,
        "primitives": counts.all.primitives,
        "instanced_primitives": counts.all.instanced_primitives,
        "instances": counts.instances.all,
        "objects": scene.objects.iter().map(|object| json!({
            "name": text(&object.name),
            "shapes": object.shapes.len(),
            "instances": object.instances,
        })).collect::<Vec<_>>(),
        "materials": scene.materials.len(),
        "textures": scene.textures.len(),
        "media": scene.media.len(),
        "lights": scene.lights.len(),
        "area_lights": scene.area_lights.len(),
        "memory_bytes": {
            "values": counts.values_bytes,
            "entities": counts.entities_bytes,
            "instances": counts.instances_bytes,
            "mesh_files": mesh_memory(info),
        },
        "largest_meshes": largest.collect::<Vec<_>>(),
        "problems": problems.map(crate::screen::error_json).collect::<Vec<_>>(),
        "warnings": scene.notes(),
    })
}
