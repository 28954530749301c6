//! `solio gradient`: gradients as pictures, pages, text and files of other programs.

use crate::gradient_args::GradientArgs;
use crate::{Outcome, options, page, preview, schema, screen};
use serde_json::{Value, json};
use solio::color::Difference;
use solio::color::gradient::formats::{self, GradientFormat, GradientWriteOptions};
use solio::color::gradient::presets::{Preset, STUDY};
use solio::color::gradient::{COLORMAPS, ColorStop, Gradient, colormap, parse_stops, unevenness};
use solio::{
    Compared, ComparedRow, Error, ImageWriteOptions, Limits, Preview, Result, Work,
    compare_gradient, gradient_image, gradient_strips,
};
use std::fmt::Write;
use std::path::Path;

const PAGE: &str = include_str!("../../../web/gradients.html");
/// Of a strip in a file, without --size.
const SIZE: [u32; 2] = [1024, 64];
/// Columns of a strip with text beside it, without --size.
const BESIDE_TEXT: u32 = 640;
/// Colours that --json prints, without --samples.
const JSON_SAMPLES: u32 = 17;
/// Colours that a page draws with.
const PAGE_SAMPLES: usize = 512;
/// Colours that unevenness looks at.
const STEPS: usize = 256;

/// Makes the gradients asked for.
pub(crate) fn run(args: &GradientArgs) -> Result<Outcome> {
    if args.list {
        screen::print(&list());
        return Ok(Outcome::Done);
    }
    let work = options::work(&args.work)?;
    let mut gradients = Vec::new();
    for spec in &args.specs {
        gradients.extend(read(spec, args, &work)?);
    }
    match &args.output {
        Some(output) => write(&gradients, args, output, &work)?,
        None => show(&gradients, args)?,
    }
    if args.json {
        let lines = gradients
            .iter()
            .map(|gradient| schema::line("gradient/1", &[], described(gradient, args)));
        screen::print(&lines.collect::<String>());
    }
    Ok(Outcome::Done)
}

/// The gradients that a word of the command line means.
fn read(spec: &str, args: &GradientArgs, work: &Work) -> Result<Vec<Gradient>> {
    let mode = args.mode.unwrap_or_default();
    let mut found = if spec == "study" {
        STUDY.iter().map(|preset| preset.gradient(mode)).collect()
    } else if let Some(preset) = Preset::of_name(spec) {
        vec![preset.gradient(mode)]
    } else if let Some(mut map) = colormap(spec) {
        map.mode = args.mode.unwrap_or(map.mode);
        vec![map]
    } else if Path::new(spec).is_file() {
        let mut found = solio::read_gradients(Path::new(spec), &Limits::default(), work)?;
        if let Some(mode) = args.mode {
            found.iter_mut().for_each(|gradient| gradient.mode = mode);
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
    Ok(found)
}

fn write(gradients: &[Gradient], args: &GradientArgs, output: &Path, work: &Work) -> Result<()> {
    let end = output.extension().map(|end| end.to_string_lossy().to_lowercase());
    match end.as_deref() {
        Some("png") => solio::write_bytes(output, &picture(gradients, args, SIZE)?.to_png()?),
        Some("html") => page::write(PAGE, &page_data(gradients, args)?, output),
        Some("exr") => {
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
        _ => {
            let mut options = GradientWriteOptions { fit: args.fit, ..Default::default() };
            if let Some(samples) = args.samples {
                options.samples = samples as usize;
            }
            let notes = solio::write_gradients(gradients, output, options)?;
            for note in notes {
                screen::complain(&format!("note: {}: {note}", output.display()));
            }
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
    let mut all = gradients.iter().map(|gradient| compare_gradient(gradient).draw(width));
    let mut picture = all.next().ok_or_else(|| Error::argument("there is no gradient"))?;
    for next in all {
        picture.height += next.height;
        picture.pixels.extend(next.pixels);
    }
    Ok(picture)
}

/// In a terminal with colours as bars with their names; else as CSS, a line each.
fn show(gradients: &[Gradient], args: &GradientArgs) -> Result<()> {
    if args.json {
        return Ok(());
    }
    let in_colors = preview::shows_colors().is_ok();
    let [columns, _] = preview::room();
    let mut text = String::new();
    for gradient in gradients {
        if args.compare {
            compared_rows(&compare_gradient(gradient), in_colors.then_some(columns), &mut text)?;
        } else if in_colors {
            let strip = gradient_strips(std::slice::from_ref(gradient), [columns, 4])?;
            let _ = write!(text, "{}\n{}", gradient.name, preview::blocks(&strip));
        } else {
            text += &(css(gradient)? + "\n");
        }
    }
    screen::print(&text);
    Ok(())
}

/// The ways of blending, as bars of so many columns or as CSS, and how even each looks.
fn compared_rows(compared: &Compared, columns: Option<u32>, text: &mut String) -> Result<()> {
    let _ = writeln!(text, "{}", compared.name);
    for row in &compared.rows {
        let looks = match columns {
            Some(columns) => {
                let strip = gradient_strips(std::slice::from_ref(row.gradient()), [columns, 2])?;
                preview::blocks(&strip)
            }
            None => css(row.gradient())? + "\n",
        };
        let _ = writeln!(
            text,
            "{looks}  in {}, keys {}: unevenness {:.2} CAM16-UCS, {:.2} CIEDE2000",
            row.mode, row.keys, row.unevenness_cam16_ucs, row.unevenness_ciede2000,
        );
    }
    Ok(())
}

/// As CSS has it, on one line.
fn css(gradient: &Gradient) -> Result<String> {
    let nameless = Gradient { name: String::new(), ..gradient.clone() };
    let written =
        formats::write(&[nameless], GradientFormat::Css, GradientWriteOptions::default())?;
    Ok(String::from_utf8_lossy(&written.bytes).trim_end().to_owned())
}

/// A line of --json.
fn described(gradient: &Gradient, args: &GradientArgs) -> Value {
    let sampler = gradient.sampler();
    let count = args.samples.unwrap_or(JSON_SAMPLES);
    let last = f64::from(count - 1);
    let at = |i: u32| sampler.at(f64::from(i) / last);
    let stop = |stop: &ColorStop| json!([stop.position, stop.color.to_css()]);
    let mut value = json!({
        "name": gradient.name,
        "mode": gradient.mode.name(),
        "keys": gradient.keys.name(),
        "stops": gradient.colors.iter().map(stop).collect::<Vec<_>>(),
        "colors_srgb": (0..count).map(at).collect::<Vec<_>>(),
        "unevenness_cam16_ucs": finite(unevenness(gradient, Difference::Cam16Ucs, STEPS)),
        "unevenness_ciede2000": finite(unevenness(gradient, Difference::Ciede2000, STEPS)),
    });
    if args.compare {
        let row = |row: &ComparedRow| {
            json!({
                "keys": row.keys,
                "mode": row.mode,
                "unevenness_cam16_ucs": finite(row.unevenness_cam16_ucs),
                "unevenness_ciede2000": finite(row.unevenness_ciede2000),
            })
        };
        value["rows"] = compare_gradient(gradient).rows.iter().map(row).collect();
    }
    value
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn page_data(gradients: &[Gradient], args: &GradientArgs) -> Result<Value> {
    let row = |gradient: &Gradient| -> Result<Value> {
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
            "cam16": finite(unevenness(gradient, Difference::Cam16Ucs, STEPS)),
            "ciede": finite(unevenness(gradient, Difference::Ciede2000, STEPS)),
        }))
    };
    let all = gradients.iter().map(|gradient| {
        let compared = args.compare.then(|| compare_gradient(gradient));
        let rows: Vec<Value> = match &compared {
            Some(compared) => {
                compared.rows.iter().map(|way| row(way.gradient())).collect::<Result<_>>()?
            }
            None => vec![row(gradient)?],
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
