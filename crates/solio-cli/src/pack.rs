//! `solio pack`: a scene as arrays, to be read again at once; or images as an archive
//! (`image_pack`).

use crate::args::PackArgs;
use crate::output_path::{is_standard, refuse_both};
use crate::stats::RunMeter;
use crate::table::{bytes, some};
use crate::{Outcome, image_pack, inputs, options, schema, screen, terminal};
use serde_json::json;
use solio::scene::pack::PackOptions;
use solio::{Error, FileKind, FileType, Result, ScenePackOptions, ScenePacked, Work};
use std::path::Path;

/// Problems that are shown.
const PROBLEMS: usize = 20;

/// Packs one scene, or images: by the first input.
pub(crate) fn run(args: &PackArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let inputs = inputs::files(&args.inputs, &work)?;
    match &inputs[..] {
        [] => Ok(inputs::none_named()),
        [first, ..] if is_exr(first, &work) => image_pack::run(args, &inputs, &work),
        [scene] if solio::is_scene(scene) || scene.as_os_str() == "-" => {
            run_scene(args, scene, &work)
        }
        // A file that cannot be opened says so.
        [other] if other.exists() && !other.is_dir() => {
            Err(Error::argument("neither an OpenEXR image nor a scene (.pbrt)")
                .at_path(other)
                .hint("solio help shrink tells how other files get smaller"))
        }
        [scene] => run_scene(args, scene, &work),
        [first, ..] => Err(Error::argument("several scenes do not go into one file")
            .at_path(first)
            .hint("an archive of images begins with an OpenEXR file")),
    }
}

/// Whether images are to be packed: by name, else by content.
fn is_exr(path: &Path, work: &Work) -> bool {
    let named = FileType::of_path(path).map(|named| named.kind);
    let kind = named.or_else(|| inputs::kind_of(path, work));
    kind == Some(FileKind::Exr)
}

fn run_scene(args: &PackArgs, scene: &Path, work: &Work) -> Result<Outcome> {
    if args.exact {
        return Err(Error::argument("--exact is for images").at_path(scene));
    }
    refuse_both(&args.output, args.run.json)?;
    let wanted = ScenePackOptions {
        pack: PackOptions { effort: args.effort.effort(), places: !args.no_places },
        meshes: !args.no_meshes,
        durable: args.durable,
        ..ScenePackOptions::default()
    };
    let seen = RunMeter::start(&args.run.shown, "pack", &[scene], work);
    let packed = solio::pack_scene(scene, &args.output, &wanted, work)?;
    if args.run.json {
        let paths: [(&str, &Path); 2] = [("input", scene), ("output", &args.output)];
        screen::print(&schema::line("pack-scene/1", &paths, to_json(&packed)));
    } else if !is_standard(&args.output) {
        screen::print(&words(args, &packed));
    }
    let problems = &packed.scene.problems;
    for error in problems.iter().chain(&packed.left_meshes).take(PROBLEMS) {
        screen::complain_of(error);
    }
    let all = problems.len() + packed.left_meshes.len();
    if all > PROBLEMS {
        screen::complain(&format!("{} more", some((all - PROBLEMS) as u64, "problem")));
    }
    seen.end((packed.scene.files.len() as u64).max(1) + packed.summary.meshes);
    Ok(if all > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

fn text_bytes(packed: &ScenePacked) -> u64 {
    packed.scene.files.iter().map(|file| file.bytes).sum()
}

fn words(args: &PackArgs, packed: &ScenePacked) -> String {
    let summary = &packed.summary;
    let text = text_bytes(packed);
    let scene_bytes = (summary.file_bytes - summary.mesh_bytes).max(1);
    // Of a small scene, what lies around the statements is more than they are.
    let became = match text as f64 / scene_bytes as f64 {
        smaller if smaller >= 1.0 => format!("are {smaller:.1} times smaller"),
        _ => format!("became {}", bytes(scene_bytes)),
    };
    format!(
        "{}: {}, of which {} are {}; {} of text {became}\n",
        terminal::name(&args.output),
        bytes(summary.file_bytes),
        bytes(summary.mesh_bytes),
        some(summary.meshes, "mesh"),
        bytes(text),
    )
}

fn to_json(packed: &ScenePacked) -> serde_json::Value {
    let (scene, summary) = (&packed.scene, &packed.summary);
    let errors = |errors: &[Error]| errors.iter().map(screen::error_json).collect::<Vec<_>>();
    json!({
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
