//! `solio info`: what is in files.

use crate::Outcome;
use crate::args::{InfoArgs, READING};
use crate::limit::Limit;
use crate::progress::ShownProgress;
use crate::table::{BOLD, DIM, TextTable, bytes, count, figures};
use crate::{file_info, image_info, image_pack, terminal};
use crate::{inputs, json_paths, options};
use crate::{scene_info, stats};
use crate::{schema, screen};
use serde_json::{Value, json};
use solio::{
    Ability, Compression, ErrorKind, Family, FileInfo, FileKind, FileType, Input, Job, Limits,
    MeshInfo, MeshReadOptions, Result, Stopwatch, Work,
};
use std::io::IsTerminal;
use std::path::Path;

/// Bytes of text that are printed at once into a pipe or file.
const PRINTED_AT_ONCE: usize = 32 << 10;

/// Looks at every file, goes on past bad ones.
pub(crate) fn run(args: &InfoArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let read = options::read(&args.read);
    let inputs = inputs::files(&args.inputs, &work)?;
    if inputs.is_empty() {
        return Ok(inputs::none_named());
    }
    if args.given.has(READING) && !inputs.iter().any(|path| is_mesh(path)) {
        args.given.refuse(&[READING], &[], "files that are no meshes")?;
    }
    let record = options::record(&args.record);
    let watched = args.shown.stats || record.is_wanted();
    let limit = Limit::of_inputs(&inputs, watched, &work);
    let recorded = record.start()?;
    let fetched = solio::fetched_bytes();
    let watch = Stopwatch::start();
    let shown = ShownProgress::start(args.shown.progress, "info", &work.progress);
    let mut infos = Vec::new();
    let mut failed = false;
    // Of many files, text is printed some at a time; a person sees each at once.
    let mut waiting = String::new();
    let most_waiting = if std::io::stdout().is_terminal() { 0 } else { PRINTED_AT_ONCE };
    for path in &inputs {
        if screen::is_closed() {
            break;
        }
        let known = look(path, &read, args.json, &work, &mut waiting, &mut infos);
        if known.is_err() || waiting.len() > most_waiting {
            screen::print(&waiting);
            waiting.clear();
        }
        match known {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed = true;
                screen::fail(path, error, args.json);
            }
        }
    }
    screen::print(&waiting);
    drop(shown);
    let usage = watch.usage();
    let moved = work.progress.now();
    let job = Job {
        read_bytes: moved.read_bytes,
        disk_bytes: solio::fetched_bytes().saturating_sub(fetched),
        copied_bytes: moved.read_bytes,
        cpu_s: usage.cpu_s,
        ..Job::default()
    };
    if let Some(recorded) = recorded {
        let title = format!("solio info {}", json_paths::one_or_count(inputs.iter(), "file"));
        recorded.finish(limit.summary(title, moved.files, job, usage.wall_s), &work)?;
    }
    match &infos[..] {
        [] => {}
        [one] if inputs.len() == 1 => screen::print(&details(one)),
        many => screen::print(&overview(many)),
    }
    if args.shown.stats {
        stats::say(moved.files, &job, &usage, &limit);
    }
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

/// Whether it may be a mesh, as far as its name tells.
fn is_mesh(path: &Path) -> bool {
    FileType::of_path(path).is_none_or(|named| named.family() == Family::Mesh)
}

type Look = fn(&Input, &Limits, bool, &Work) -> Result<String>;

/// What is in one file: into `waiting` as text, or, of a mesh for a person, into `infos`.
fn look(
    path: &Path,
    read: &MeshReadOptions,
    as_json: bool,
    work: &Work,
    waiting: &mut String,
    infos: &mut Vec<FileInfo>,
) -> Result<()> {
    let input = Input::open(path, &read.limits, work)?;
    let other = match input.kind_or_named() {
        FileKind::Archive => Some(image_pack::look as Look),
        FileKind::Pbrt | FileKind::Pack => Some(scene_info::look as Look),
        FileKind::Exr => Some(image_info::look as Look),
        kind if kind.can(Ability::Info) && kind.family() != Family::Mesh => {
            Some(file_info::look as Look)
        }
        _ => None,
    };
    if let Some(look) = other {
        *waiting += &look(&input, &read.limits, as_json, work)?;
        return Ok(());
    }
    let info = solio::info(&input, read, work)?;
    if as_json {
        *waiting += &schema::line("info-mesh/1", &[("path", &info.path)], to_json(&info));
    } else {
        infos.push(info);
    }
    Ok(())
}

/// One row a file.
fn overview(infos: &[FileInfo]) -> String {
    let mut table =
        TextTable::new(&["file", "kind", ">size", ">vertices", ">faces", ">objects", ">materials"]);
    for info in infos {
        table.row(vec![
            terminal::name(&info.path),
            kind(info),
            info.file_bytes.map_or("–".into(), bytes),
            count(info.mesh.vertices as u64),
            count(info.mesh.faces as u64),
            count(info.mesh.objects as u64),
            count(info.mesh.materials.len() as u64),
        ]);
    }
    let mut text = table.render();
    for info in infos {
        text += &warnings(info);
    }
    text
}

/// Everything about one file.
fn details(info: &FileInfo) -> String {
    let mesh = &info.mesh;
    let mut text = format!("{BOLD}{}{BOLD:#}\n", terminal::name(&info.path));
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            text += &format!("  {DIM}{name:<10}{DIM:#} {value}\n");
        }
    };
    let size = info.file_bytes.map_or(String::new(), |b| format!(", {}", bytes(b)));
    line("kind", format!("{}{size}; {} in memory", kind(info), bytes(mesh.memory_bytes)));
    let double = if mesh.double { ", double precision" } else { "" };
    line("vertices", format!("{}{double}", count(mesh.vertices as u64)));
    if let Some(splats) = mesh.splats {
        let antialiased = if mesh.antialiased { ", antialiased" } else { "" };
        let version = info.spz_version.map_or(String::new(), |v| format!(", SPZ version {v}"));
        let (number, degree) = (count(splats.splats as u64), splats.degree);
        line("splats", format!("{number} Gaussian splats, degree {degree}{antialiased}{version}"));
        line("odd", splats.odd().join(", "));
    }
    line("faces", faces(mesh));
    line("lines", some(mesh.lines));
    line("points", some(mesh.points));
    line("uvs", some(mesh.uvs));
    line("normals", some(mesh.normals));
    line("colours", some(mesh.colors));
    if let Some([low, high]) = mesh.bounds {
        let point = |p: [f64; 3]| p.map(figures).join(" ");
        let size = [0, 1, 2].map(|i| figures(high[i] - low[i])).join(" × ");
        line("bounds", format!("{}  to  {}  (size {size})", point(low), point(high)));
    }
    line("objects", named(mesh.objects, &mesh.object_names));
    line("materials", named(mesh.materials.len(), &mesh.materials));
    line("textures", named(mesh.textures.len(), &mesh.textures));
    line("groups", named(mesh.groups.len(), &mesh.groups));
    line("weights", named(mesh.vertex_groups.len(), &mesh.vertex_groups));
    line("attributes", named(mesh.attributes.len(), &mesh.attributes));
    line(
        "curves",
        if mesh.freeform_bytes > 0 { bytes(mesh.freeform_bytes as u64) } else { String::new() },
    );
    text + &warnings(info)
}

fn kind(info: &FileInfo) -> String {
    let compression = match info.compression {
        Compression::Gzip => ".gz",
        Compression::Zstd => ".zst",
        _ => "",
    };
    format!("{}{compression}", info.format)
}

fn faces(mesh: &MeshInfo) -> String {
    let kinds = [("triangle", mesh.triangles), ("quad", mesh.quads), ("n-gon", mesh.ngons)];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(name, n)| crate::table::some(*n as u64, name))
        .collect();
    let all = count(mesh.faces as u64);
    if kinds.is_empty() { all } else { format!("{all} ({})", kinds.join(", ")) }
}

fn some(n: usize) -> String {
    if n > 0 { count(n as u64) } else { String::new() }
}

/// `3: wood, steel, glass`, the first few names.
fn named(n: usize, names: &[String]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    if names.is_empty() {
        return some(n);
    }
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}: {}{more}", count(n as u64), names[..names.len().min(SHOWN)].join(", "))
}

fn warnings(info: &FileInfo) -> String {
    const SHOWN: usize = 5;
    let all = &info.mesh.warnings;
    let mut text = String::new();
    for warning in all.iter().take(SHOWN) {
        text += &format!("  warning: {}: {warning}\n", terminal::name(&info.path));
    }
    if all.len() > SHOWN {
        text += &format!("  and {} more warnings\n", all.len() - SHOWN);
    }
    text
}

/// Everything about one file, for programs.
fn to_json(info: &FileInfo) -> Value {
    let mut all = json!({
        "format": info.format.as_str(),
        "compression": kind(info).split_once('.').map(|(_, c)| c),
        "file_bytes": info.file_bytes,
    });
    if let (Some(splats), Value::Object(all)) = (info.mesh.splats, &mut all) {
        let splats = json!({
            "count": splats.splats,
            "degree": splats.degree,
            "antialiased": info.mesh.antialiased,
            "spz_version": info.spz_version,
            "not_finite": splats.not_finite,
            "no_direction": splats.no_direction,
            "absurd": splats.absurd,
        });
        all.insert("splats".into(), splats);
    }
    if let (Value::Object(all), Value::Object(mesh)) = (&mut all, json!(info.mesh)) {
        all.extend(mesh);
    }
    all
}
