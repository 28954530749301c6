//! `solio preview` of scenes, drawn as their camera sees them, and of meshes.

use crate::args::PreviewArgs;
use crate::output_path::has_end;
use crate::table::some;
use crate::{asked, schema, screen, terminal_image};
use serde_json::json;
use solio::image::Image;
use solio::mesh::axes::Axis;
use solio::scene::preview::RenderOptions as DrawOptions;
use solio::{
    Family, ImageWriteOptions, Input, MeshReadOptions, PreviewOptions, PreviewStage, Result,
    SceneReadOptions, Work,
};
use std::path::Path;

/// Problems that are shown.
const PROBLEMS: usize = 5;

/// Draws the scene or the mesh at `input` into `output`, a PNG or an EXR, or onto the terminal; whether
/// nothing of it is missing.
pub(crate) fn show(
    args: &PreviewArgs,
    input: &Input,
    output: Option<&Path>,
    most: Option<[u32; 2]>,
    work: &Work,
) -> Result<bool> {
    let draw = DrawOptions {
        most,
        samples: args.samples.into(),
        occlusion: args.occlusion.into(),
        coarse: args.progressive && output.is_some(),
    };
    let wanted = args.show.preview_options(None);
    let each = |stage: PreviewStage<'_>| {
        let output = output.filter(|_| args.progressive);
        if let (PreviewStage::Picture(_, coarse), Some(output)) = (stage, output) {
            write(&coarse.image(), output, &wanted, work)?;
        }
        Ok(true)
    };
    let drawn = if input.kind_or_named().family() == Family::Scene {
        solio::preview_scene(input, &SceneReadOptions::default(), &draw, work, each)?
    } else {
        solio::preview_mesh(input, &MeshReadOptions::default(), args.up_axis, &draw, work, each)?
    };
    if let (Some(up), None) = (drawn.up, args.up_axis) {
        // What stood in one format lies in another: coordinates say nothing of it.
        let other = if up == Axis::Y { Axis::Z } else { Axis::Y };
        let name = input.path().display();
        let turned = format!("--up-axis {other} draws it the other way");
        screen::complain(&format!(
            "note: {name}: {up} is up, as is usual in this format; {turned}"
        ));
    }
    for problem in drawn.problems.iter().take(PROBLEMS) {
        screen::complain_of(problem);
    }
    if drawn.problems.len() > PROBLEMS {
        let more = drawn.problems.len() - PROBLEMS;
        screen::complain(&format!("{} more; solio check lists them", some(more as u64, "problem")));
    }
    for warning in &drawn.warnings {
        screen::complain(&format!("warning: {warning}"));
    }
    let Some(output) = output else {
        let made = solio::preview(&drawn.image, &wanted, work)?;
        screen::print(&terminal_image::blocks(&made));
        return Ok(drawn.problems.is_empty());
    };
    write(&drawn.image, output, &wanted, work)?;
    if args.json {
        let window = drawn.image.parts[0].header.display_window();
        let line = json!({
            "width": window.map(|window| window.width()),
            "height": window.map(|window| window.height()),
            "definitions": drawn.trees[0],
            "definitions_seen": drawn.trees[1],
            "problems": drawn.problems.iter().map(screen::error_json).collect::<Vec<_>>(),
            "warnings": drawn.warnings,
            "up": drawn.up.map(|up| up.to_string()),
        });
        let paths = [("input", input.path()), ("output", output)];
        screen::print(&schema::line("preview-scene/1", &paths, line));
    }
    Ok(drawn.problems.is_empty())
}

fn write(image: &Image<'_>, output: &Path, wanted: &PreviewOptions, work: &Work) -> Result<()> {
    if has_end(output, "exr") {
        solio::write_image(image, output, &ImageWriteOptions::default(), work)?;
        return Ok(());
    }
    let made = solio::preview(image, wanted, work)?;
    asked::write_bytes(output, &made.to_png()?)?;
    Ok(())
}
