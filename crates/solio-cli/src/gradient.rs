//! `solio gradient`: gradients as pictures, pages, text and files of other programs.

use crate::args::GradientArgs;
use crate::output_path::has_end;
use crate::table::visible;
use crate::{Outcome, asked, chart_page, losses, options, schema, screen, terminal_image};
use serde_json::{Value, json};
use solio::color::Difference;
use solio::color::gradient::formats::{self, FoundGradients, GradientFormat, GradientWriteOptions};
use solio::color::gradient::presets::{Preset, STUDY};
use solio::color::gradient::{
    COLORMAPS, ColorStop, Gradient, GradientFinding, colormap, non_uniformity, parse_stops,
};
use solio::{
    Compared, ComparedRow, Error, ImageFormat, ImageWriteOptions, Limits, Preview, Result, Work,
    compare_gradient, gradient_image, gradient_strips,
};
use std::fmt::Write;
use std::path::Path;

const PAGE: &str = include_str!("../web/gradients.html");
/// Of a strip in a file, without --size.
const SIZE: [u32; 2] = [1024, 64];
/// Columns of a strip with text beside it, without --size.
const BESIDE_TEXT: u32 = 640;
/// Colours that --json prints, without --samples.
const JSON_SAMPLES: u32 = 17;
/// Colours that a page draws with.
const PAGE_SAMPLES: usize = 512;
/// Colours that non-uniformity looks at.
const STEPS: usize = 256;

/// Makes the gradients asked for.
pub(crate) fn run(args: &GradientArgs) -> Result<Outcome> {
    if args.list {
        screen::print(&list());
        return Ok(Outcome::Done);
    }
    check(args)?;
    let work = options::work(&args.work)?;
    let (mut gradients, mut is_whole) = (Vec::new(), true);
    for spec in &args.specs {
        let FoundGradients { gradients: found, problems } = read(spec, args, &work)?;
        gradients.extend(found);
        is_whole &= problems.is_empty();
        problems.iter().for_each(screen::complain_of);
    }
    if gradients.is_empty() {
        return Ok(Outcome::SomeFailed);
    }
    let told = if args.json { &gradients[..] } else { &[] };
    let line = |gradient: &Gradient| -> Result<String> {
        Ok(schema::line("gradient/1", &[], described(gradient, args)?))
    };
    let lines = told.iter().map(line).collect::<Result<String>>()?;
    match &args.output {
        Some(output) => write(&gradients, args, output, &work)?,
        None => show(&gradients, args)?,
    }
    if args.json {
        screen::print(&lines);
    }
    Ok(if is_whole { Outcome::Done } else { Outcome::SomeFailed })
}

/// That each option says something about what is made.
fn check(args: &GradientArgs) -> Result<()> {
    let image = args.output.as_deref().and_then(ImageFormat::of_name);
    let format = args.output.as_deref().and_then(GradientFormat::of_name);
    let wrong = |message: &str, hint: &str| Err(Error::argument(message).hint(hint));
    if args.compare && !args.json && format.is_some() {
        let hint = "name a picture or a page: -o compare.png, or leave it out";
        return wrong("--compare does nothing for gradient files but with --json", hint);
    }
    if args.samples.is_some() && !args.json && format != Some(GradientFormat::Cube) {
        let hint = "add --json, name the output .cube, or leave it out";
        return wrong("--samples does nothing but for --json and .cube files", hint);
    }
    if args.fit && format != Some(GradientFormat::Unity) {
        let hint = "name the output .gradients, or leave it out";
        return wrong("--fit does nothing but for Unity's files", hint);
    }
    if args.size.is_some() && !matches!(image, Some(ImageFormat::Png | ImageFormat::Exr)) {
        let hint = "name the output .png or .exr, or leave it out";
        return wrong("--size does nothing but for pictures", hint);
    }
    Ok(())
}

/// The gradients that a word of the command line means, and what is wrong with others of its file.
fn read(spec: &str, args: &GradientArgs, work: &Work) -> Result<FoundGradients> {
    let mut problems = Vec::new();
    let mode = args.mode.unwrap_or_default();
    let mut found = if spec == "study" {
        STUDY.iter().map(|preset| preset.gradient(mode)).collect()
    } else if let Some(preset) = Preset::of_name(spec) {
        vec![preset.gradient(mode)]
    } else if let Some(mut map) = colormap(spec) {
        map.mode = args.mode.unwrap_or(map.mode);
        vec![map]
    } else if Path::new(spec).is_file() {
        let all = solio::read_each_gradient(Path::new(spec), &Limits::default(), work)?;
        let mut found = all.gradients;
        problems = all.problems;
        if let ([], 1) = (&found[..], problems.len()) {
            // Nothing else is to be told.
            return Err(problems.swap_remove(0));
        }
        if let Some(mode) = args.mode {
            found.iter_mut().for_each(|gradient| gradient.set_mode(mode));
        }
        found
    } else {
        let colors = parse_stops(spec).map_err(|e| {
            let words =
                "give stops (\"black, white 40%, blue\"), a name of `solio gradient --list`";
            Error::argument(format!("{spec}: {e}")).hint(format!("{words}, or a file"))
        })?;
        vec![Gradient { name: spec.to_owned(), colors, mode, ..Gradient::default() }]
    };
    if let Some(keys) = args.keys {
        found.iter_mut().for_each(|gradient| gradient.keys = keys);
    }
    Ok(FoundGradients { gradients: found, problems })
}

fn write(gradients: &[Gradient], args: &GradientArgs, output: &Path, work: &Work) -> Result<()> {
    match ImageFormat::of_name(output) {
        Some(ImageFormat::Png) => {
            asked::write_bytes(output, &picture(gradients, args, SIZE)?.to_png()?)
        }
        Some(ImageFormat::Exr) => {
            let [gradient] = gradients else {
                let message = format!("an EXR image holds one gradient, not {}", gradients.len());
                return Err(Error::argument(message).at_path(output));
            };
            if args.compare {
                return Err(Error::argument("--compare draws text: .png or .html").at_path(output));
            }
            let image = gradient_image(gradient, args.size.unwrap_or(SIZE))?;
            solio::write_image(&image, output, &ImageWriteOptions::default(), work).map(|_| ())
        }
        _ if has_end(output, "html") => {
            chart_page::write(PAGE, &page_data(gradients, args)?, output)
        }
        _ => {
            let mut options = GradientWriteOptions { fit: args.fit, ..Default::default() };
            if let Some(samples) = args.samples {
                options.samples = samples as usize;
            }
            losses::say(output, &solio::write_gradients(gradients, output, options)?);
            Ok(())
        }
    }
}

/// The strips, or the ways of blending compared, one below the other.
fn picture(gradients: &[Gradient], args: &GradientArgs, size: [u32; 2]) -> Result<Preview> {
    if !args.compare {
        return gradient_strips(gradients, args.size.unwrap_or(size));
    }
    let width = args.size.map_or(BESIDE_TEXT, |[width, _]| width);
    let all: Vec<Compared> = gradients.iter().map(compare_gradient).collect();
    Compared::draw_all(&all, width)
}

/// In a terminal with colours as bars with their names; else as CSS, a line each.
fn show(gradients: &[Gradient], args: &GradientArgs) -> Result<()> {
    if args.json {
        return Ok(());
    }
    let in_colors = terminal_image::shows_colors().is_ok();
    let [columns, _] = terminal_image::room();
    let mut text = String::new();
    for gradient in gradients {
        if args.compare {
            compared_rows(&compare_gradient(gradient), in_colors.then_some(columns), &mut text)?;
        } else if in_colors {
            let strip = gradient_strips(std::slice::from_ref(gradient), [columns, 4])?;
            let _ = write!(text, "{}\n{}", visible(&gradient.name), terminal_image::blocks(&strip));
        } else {
            text += &(css(gradient)? + "\n");
        }
    }
    screen::print(&text);
    Ok(())
}

/// The ways of blending, as bars of so many columns or as CSS, and and the perceptual uniformity of each.
fn compared_rows(compared: &Compared, columns: Option<u32>, text: &mut String) -> Result<()> {
    let _ = writeln!(text, "{}", visible(&compared.name));
    for row in &compared.rows {
        let looks = match columns {
            Some(columns) => {
                let strip = gradient_strips(std::slice::from_ref(row.gradient()), [columns, 2])?;
                terminal_image::blocks(&strip)
            }
            None => css(row.gradient())? + "\n",
        };
        let _ = writeln!(
            text,
            "{looks}  in {}, keys {}: non-uniformity {} CAM16-UCS, {} CIEDE2000",
            row.mode,
            row.keys,
            figure(row.non_uniformity_cam16_ucs),
            figure(row.non_uniformity_ciede2000),
        );
        let _ = writeln!(text, "  {}", wrong(row));
    }
    Ok(())
}

/// What is wrong with a way of blending, in words.
fn wrong(row: &ComparedRow) -> String {
    let holds = row.findings.iter().filter(|finding| finding.holds).map(|finding| {
        let amount = match finding.statement {
            "narrow part" => {
                format!("half of the change in {:.0} % of the way", 100.0 * finding.amount)
            }
            "tint in the middle" => {
                format!("{:.3} beside the straight way in Oklab", finding.amount)
            }
            _ => format!("{:.0} L*", finding.amount),
        };
        format!("{} ({amount}, at {:.2})", finding.statement, finding.at)
    });
    let holds: Vec<String> = holds.collect();
    if holds.is_empty() { "nothing wrong with its way".into() } else { holds.join(", ") }
}

/// A non-uniformity; one colour alone has none.
fn figure(non_uniformity: f64) -> String {
    finite(non_uniformity).map_or_else(|| "–".to_owned(), |number| format!("{number:.2}"))
}

/// As CSS has it, on one line.
fn css(gradient: &Gradient) -> Result<String> {
    let nameless = Gradient { name: String::new(), ..gradient.clone() };
    let written =
        formats::write(&[nameless], GradientFormat::Css, GradientWriteOptions::default())?;
    Ok(String::from_utf8_lossy(&written.bytes).trim_end().to_owned())
}

/// A line of --json.
fn described(gradient: &Gradient, args: &GradientArgs) -> Result<Value> {
    let sampler = gradient.sampler();
    let count = args.samples.unwrap_or(JSON_SAMPLES);
    let last = f64::from(count - 1);
    let colors: Vec<[f64; 4]> = (0..count).map(|i| sampler.at(f64::from(i) / last)).collect();
    if !colors.as_flattened().iter().all(|number| number.is_finite()) {
        let message = format!("{}: these colours are too large to be blended", gradient.name);
        return Err(Error::argument(visible(&message).into_owned()).hint("give smaller components"));
    }
    let stop = |stop: &ColorStop| json!([stop.position, stop.color.to_css()]);
    let mut value = json!({
        "name": gradient.name,
        "mode": gradient.mode.name(),
        "keys": gradient.keys.name(),
        "stops": gradient.colors.iter().map(stop).collect::<Vec<_>>(),
        "colors_srgb": colors,
        "non_uniformity_cam16_ucs": finite(non_uniformity(gradient, Difference::Cam16Ucs, STEPS)),
        "non_uniformity_ciede2000": finite(non_uniformity(gradient, Difference::Ciede2000, STEPS)),
    });
    if args.compare {
        let row = |row: &ComparedRow| {
            json!({
                "keys": row.keys,
                "mode": row.mode,
                "non_uniformity_cam16_ucs": finite(row.non_uniformity_cam16_ucs),
                "non_uniformity_ciede2000": finite(row.non_uniformity_ciede2000),
                "findings": findings_json(&row.findings),
            })
        };
        value["rows"] = compare_gradient(gradient).rows.iter().map(row).collect();
    }
    Ok(value)
}

fn findings_json(findings: &[GradientFinding]) -> Value {
    let finding = |finding: &GradientFinding| {
        json!({
            "statement": finding.statement,
            "holds": finding.holds,
            "amount": finding.amount,
            "at": finding.at,
        })
    };
    findings.iter().map(finding).collect()
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn page_data(gradients: &[Gradient], args: &GradientArgs) -> Result<Value> {
    let row = |gradient: &Gradient, wrong: Option<String>| -> Result<Value> {
        let sampler = gradient.sampler();
        let color = |i: usize| {
            let [r, g, b, a] = sampler.codes_at(i as f64 / (PAGE_SAMPLES - 1) as f64);
            format!("{r:02x}{g:02x}{b:02x}{a:02x}")
        };
        Ok(json!({
            "mode": gradient.mode.name(),
            "keys": gradient.keys.name(),
            "css": css(gradient)?,
            "colors": (0..PAGE_SAMPLES).map(color).collect::<String>(),
            "cam16": finite(non_uniformity(gradient, Difference::Cam16Ucs, STEPS)),
            "ciede": finite(non_uniformity(gradient, Difference::Ciede2000, STEPS)),
            "wrong": wrong,
        }))
    };
    let all = gradients.iter().map(|gradient| {
        let compared = args.compare.then(|| compare_gradient(gradient));
        let rows: Vec<Value> = match &compared {
            Some(compared) => compared
                .rows
                .iter()
                .map(|way| row(way.gradient(), Some(wrong(way))))
                .collect::<Result<_>>()?,
            None => vec![row(gradient, None)?],
        };
        Ok(json!({ "name": gradient.name, "rows": rows }))
    });
    Ok(json!({ "gradients": all.collect::<Result<Vec<Value>>>()?, "samples": PAGE_SAMPLES }))
}

fn list() -> String {
    let mut text =
        String::from("Eight gradients to compare ways of blending with (all of them: study)\n");
    for preset in STUDY {
        let _ = writeln!(text, "  {:<16}{}", preset.name, preset.stops);
    }
    let _ = writeln!(text, "Colour maps for data\n  {}", COLORMAPS.join(" "));
    text
}
