//! `solio convert`: reads each input and writes it in another format.

mod report;

use crate::Outcome;
use crate::args::{ConvertArgs, IMAGES, InstancesChoice, READING, SCENES};
use crate::conversions::Conversions;
use crate::output_path::{
    BROKEN_PIPE, is_folder, is_standard, named_file, refuse_both, without_compression,
};
use crate::progress::ShownProgress;
use crate::screen;
use crate::{image_convert, inputs, options, scene_convert};
use report::MeshReport;
use solio::mesh::Scene;
use solio::mesh::gltf::GltfInstances;
use solio::names::OsStrBytes;
use solio::{
    Compression, Error, ErrorKind, Format, ImageFormat, ImageJob, LeftOfScene, MeshInfo, Progress,
    Result, SceneFormat, SceneReadOptions, Stopwatch, Work,
};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Converts every input, goes on past bad ones.
pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let inputs = inputs::collect(&args.inputs, &work)?;
    if scene_convert::is_meant(args, &inputs) {
        return scene_convert::run(args, &inputs, &work);
    }
    if image_convert::is_meant(args, &inputs, &work) {
        return image_convert::run(args, &inputs, &work);
    }
    if inputs.is_empty() {
        return Ok(inputs::none_named());
    }
    if let Some(image) = inputs.iter().find(|input| ImageFormat::of_name(input).is_some()) {
        return Err(Error::argument("an image cannot become a mesh")
            .at_path(image)
            .hint("name an image, such as -o out.exr"));
    }
    args.given.refuse(&[IMAGES, SCENES], &[], "meshes")?;
    if args.given.has(READING) && inputs.iter().all(|input| solio::is_scene(input)) {
        args.given.refuse(&[READING], &[], "scenes")?;
    }
    options::check_axes(&args.write)?;
    if let Some(format) =
        args.mesh_format().or_else(|| named_file(&args.output).and_then(Format::of_name))
    {
        options::check_format(args, format)?;
    }
    let plans = plan(args, inputs)?;
    if args.dry_run {
        return Ok(inputs::show_plan(&plans));
    }
    let first = plans.first().map(|(input, _)| &**input);
    let columns = [">read", ">in", ">written", ">in", ">CPU", ">of limit", ">of cores"];
    let mut all = Conversions::start(args, first, args.shown.stats, &columns, &work)?;
    let outcome = convert_all(args, &plans, &work, &mut all);
    if args.shown.stats && plans.len() > 1 {
        screen::say(&report::stats_of_all(&all));
    }
    all.finish(args, plans.iter().map(|(input, _)| input), "file", &work)?;
    Ok(outcome)
}

fn convert_all(
    args: &ConvertArgs,
    plans: &[ImageJob],
    work: &Work,
    all: &mut Conversions,
) -> Outcome {
    let mut failed = 0;
    for (done, plan) in plans.iter().enumerate() {
        match convert(args, plan, work) {
            Ok(report) => {
                report::show(args, plan, &report, &all.limit);
                report::add(all, plan, &report);
                failed += usize::from(report.problems > 0);
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                screen::complain(&format!("interrupted; {done} of {} done", plans.len()));
                return Outcome::Interrupted;
            }
            // The reader of our standard output has seen enough (`… | head`): no failure.
            Err(error) if is_standard(&plan.1) && error.os_error() == Some(BROKEN_PIPE) => {
                return Outcome::Done;
            }
            Err(error) => {
                failed += 1;
                screen::fail(&plan.0, error, args.json);
            }
        }
    }
    inputs::outcome(failed, plans.len())
}

fn convert(args: &ConvertArgs, (input, output): &ImageJob, work: &Work) -> Result<MeshReport> {
    let work = Work { progress: Progress::default(), ..work.clone() };
    let name = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
    let shown = ShownProgress::start(args.shown.progress, &name, &work.progress);
    let fetched = solio::fetched_bytes();
    let watch = Stopwatch::start();
    let write = |scene: &Scene<'_>, read_as: Option<Format>, left: LeftOfScene| {
        if args.strict_loss {
            left.losses.refuse()?;
        }
        let read = watch.usage();
        let fetched = solio::fetched_bytes().saturating_sub(fetched);
        let mut options = options::write(&args.write, read_as, input, args.mesh_format());
        options.strict_loss = args.strict_loss;
        if args.read.instances == Some(InstancesChoice::Gpu) {
            options.gltf.instances = GltfInstances::Gpu;
        }
        let watch = Stopwatch::start();
        let mut written = solio::write_mesh(scene, output, &options, &work)?;
        let write = watch.usage();
        let counts = if args.json || args.shown.stats {
            MeshInfo::of(scene)
        } else {
            MeshInfo { warnings: scene.warnings.clone(), ..MeshInfo::default() }
        };
        let moved = work.progress.now();
        // What the scene loses comes before what its meshes do.
        let of_meshes = std::mem::replace(&mut written.losses, left.losses);
        written.losses.extend(of_meshes);
        let problems = left.problems;
        Ok(MeshReport { counts, moved, fetched, read, write, written, problems })
    };
    let report = if solio::is_scene(input) {
        let limits = options::read(&args.read).limits;
        let options = SceneReadOptions { limits, ..SceneReadOptions::default() };
        let write = |meshes: &Scene<'_>, left: LeftOfScene| write(meshes, None, left);
        solio::with_scene_meshes(input, &options, &work, write)
    } else {
        let read = options::read(&args.read);
        let (format, scene) = solio::read_mesh_and_format(input, &read, &work)?;
        write(&scene, Some(format), LeftOfScene::default())
    };
    drop(shown);
    report
}

/// Which input goes where.
fn plan(args: &ConvertArgs, inputs: Vec<PathBuf>) -> Result<Vec<ImageJob>> {
    let output = &args.output;
    refuse_both(output, args.json)?;
    if is_standard(output) && args.format.is_none() {
        return Err(Error::argument("standard output has no name that tells the format")
            .hint(format!("add --format {}, exr, png…; solio help formats", Format::written())));
    }
    let several = inputs.len() > 1 && !is_standard(output);
    let folder = is_folder(output) || several && Format::of_name(output).is_none();
    if !folder {
        let known = is_standard(output) || Format::of_name(output).is_some();
        if args.format.is_none() && !known {
            if SceneFormat::of_name(output).is_some() || solio::is_scene(output) {
                return Err(Error::argument("only a scene (.pbrt, .solio) becomes such a file")
                    .at_path(output)
                    .hint(format!(
                        "a mesh becomes {}; solio help formats",
                        Format::written_extensions()
                    )));
            }
            return Err(Error::argument("the name does not tell the format to write")
                .at_path(output)
                .hint(
                    "use an extension such as .obj or .png, or add --format; solio help formats",
                ));
        }
        return inputs::into_file(inputs, output, "name a folder: -o out/");
    }
    if args.write.mtl.is_some() {
        return Err(Error::argument("several files cannot share the name that --mtl gives")
            .hint("without it each MTL has the name of its OBJ"));
    }
    let Some(format) = args.mesh_format() else {
        return Err(Error::argument("the output is a folder, which does not tell the format")
            .at_path(output)
            .hint(format!("add --format {}", Format::written())));
    };
    let compression = args.write.compress.map_or(Compression::None, Into::into);
    inputs::into_folder(inputs, output, args.dry_run, |input| {
        let mut name = stem(input)?;
        name.push(format!(".{format}{}", compression.extension()));
        Ok(name)
    })
}

/// `dir/scan.ply.gz` is `scan`; names need not be text.
fn stem(path: &Path) -> Result<OsString> {
    inputs::name_of(path)?;
    let plain = without_compression(path);
    let known = Format::of_name(Path::new(plain)).is_some();
    let dot = plain.as_bytes().iter().rposition(|b| *b == b'.').filter(|_| known);
    let stem = &plain.as_bytes()[..dot.unwrap_or(plain.len())];
    if stem.is_empty() {
        return Err(Error::argument("the file has no name").at_path(path));
    }
    Ok(OsStr::from_bytes(stem).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_lose_format_and_compression() {
        let of = |name: &str| stem(Path::new(name)).unwrap();
        assert_eq!(of("a/scan.ply.gz"), "scan");
        assert_eq!(of("a.b.OBJ"), "a.b");
        assert_eq!(of("model.v2"), "model.v2");
        let no_text = stem(Path::new(OsStr::from_bytes(b"caf\xed\xa0\x80.obj.ZST"))).unwrap();
        assert_eq!(no_text.as_bytes(), b"caf\xed\xa0\x80");
        assert!(stem(Path::new("-")).is_err());
    }
}
