//! `solio pack`: a scene as arrays, to be read again at once.

use crate::args::{PackArgs, PackLevel};
use crate::progress::Shown;
use crate::table::{bytes, count};
use crate::{Outcome, options, screen};
use serde_json::json;
use solio::scene::pack::PackOptions;
use solio::{Error, Result, ScenePackOptions, ScenePacked};

/// Problems that are shown.
const PROBLEMS: usize = 20;

/// Packs one scene.
pub(crate) fn run(args: &PackArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let to_standard = args.output.as_os_str() == "-";
    if to_standard && args.json {
        return Err(Error::argument("--json and -o - both want standard output"));
    }
    let level = match args.level {
        None => PackOptions::default().level,
        Some(PackLevel::None) => None,
        Some(PackLevel::Zstd(level)) => Some(level),
    };
    let wanted = ScenePackOptions {
        pack: PackOptions { level, places: !args.no_places },
        meshes: !args.no_meshes,
        durable: args.durable,
        ..ScenePackOptions::default()
    };
    let shown = Shown::start(args.progress, "pack", &work.progress);
    let packed = solio::pack_scene(&args.scene, &args.output, &wanted, &work);
    drop(shown);
    let packed = packed?;
    if args.json {
        screen::print(&format!("{}\n", to_json(args, &packed)));
    } else if !to_standard {
        screen::print(&words(args, &packed));
    }
    let problems = &packed.scene.problems;
    for error in problems.iter().chain(&packed.left_meshes).take(PROBLEMS) {
        screen::complain(&error.to_string());
    }
    let all = problems.len() + packed.left_meshes.len();
    if all > PROBLEMS {
        screen::complain(&format!("{} problems more", count((all - PROBLEMS) as u64)));
    }
    Ok(if all > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

fn text_bytes(packed: &ScenePacked) -> u64 {
    packed.scene.files.iter().map(|file| file.bytes).sum()
}

fn words(args: &PackArgs, packed: &ScenePacked) -> String {
    let summary = &packed.summary;
    let text = text_bytes(packed);
    let scene_bytes = (summary.file_bytes - summary.mesh_bytes).max(1);
    format!(
        "{}: {}, of which {} are {} meshes; {} of text are {:.1} times smaller\n",
        args.output.display(),
        bytes(summary.file_bytes),
        bytes(summary.mesh_bytes),
        count(summary.meshes),
        bytes(text),
        text as f64 / scene_bytes as f64,
    )
}

fn to_json(args: &PackArgs, packed: &ScenePacked) -> serde_json::Value {
    let (scene, summary) = (&packed.scene, &packed.summary);
    let errors = |errors: &[Error]| errors.iter().map(screen::error_json).collect::<Vec<_>>();
    json!({
        "input": args.scene.to_string_lossy(),
        "output": args.output.to_string_lossy(),
        "text_bytes": text_bytes(packed),
        "plain_bytes": summary.plain_bytes,
        "file_bytes": summary.file_bytes,
        "mesh_bytes": summary.mesh_bytes,
        "sections": summary.sections,
        "meshes": summary.meshes,
        "instances": scene.instances.objects.len(),
        "problems": errors(&scene.problems),
        "left_meshes": errors(&packed.left_meshes),
    })
}
