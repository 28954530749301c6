//! `solio diff`: how far images are from each other.

use crate::args::DiffArgs;
use crate::output_path::has_end;
use crate::progress::ShownProgress;
use crate::stats::ReadMeter;
use crate::table::{DIM, TextTable, count, some};
use crate::{Outcome, changes, inputs, options, schema, screen, terminal};
use serde_json::{Value, json};
use solio::{
    ChannelDifference, CompareOptions, DifferenceLimit, Error, Family, ImageDifference, Limits,
    Result, Verdict, Work,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Two images, and their number in a sequence.
struct Pair {
    first: PathBuf,
    second: PathBuf,
    frame: Option<i64>,
}

/// Compares all pairs, goes on past those that cannot be read.
pub(crate) fn run(args: &DiffArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let is_catalog = |path: &PathBuf| {
        inputs::kind_of(path, &work).is_some_and(|kind| kind.family() == Family::Catalogue)
    };
    match [&args.first, &args.second].map(is_catalog) {
        [true, true] => return changes::diff(&args.first, &args.second, args.run.json, &work),
        [false, false] => {}
        [first, _] => {
            let (catalog, other) =
                if first { (&args.first, &args.second) } else { (&args.second, &args.first) };
            let words = format!("{} is a catalogue, and this is not", catalog.display());
            let error = Error::argument(words).at_path(other);
            return Err(error.hint("name two catalogues, or two images"));
        }
    }
    let pairs = pairs(args)?;
    let heat = heat_of(args, &pairs)?;
    let limit = |value, percent, hard: Option<f64>| DifferenceLimit {
        value,
        percent,
        hard: hard.unwrap_or(f64::INFINITY),
    };
    let options = CompareOptions {
        fail: limit(args.fail, args.fail_percent, args.hard_fail),
        warn: limit(args.warn, args.warn_percent, args.hard_warn),
        heat: args.heat.is_some(),
        flip: args.flip,
    };
    let read: Vec<PathBuf> =
        pairs.iter().flat_map(|pair| [pair.first.clone(), pair.second.clone()]).collect();
    let reading = ReadMeter::start(&read, args.run.shown.stats, &work);
    let shown = ShownProgress::start(args.run.shown.progress, "diff", &work.progress);
    let (mut worst, mut failed, mut differing) = (Verdict::Same, 0u64, 0u64);
    let paths: Vec<[PathBuf; 2]> =
        pairs.iter().map(|pair| [pair.first.clone(), pair.second.clone()]).collect();
    let mut number = 0;
    solio::compare_image_pairs(&paths, &options, &Limits::default(), &work, |_, found| {
        let (pair, drawing) = (&pairs[number], heat.get(number));
        number += 1;
        match found.and_then(|found| tell(pair, args, &found, drawing, &work)) {
            Ok(verdict) => {
                worst = worst.max(verdict);
                differing += u64::from(verdict == Verdict::Different);
            }
            Err(error) if error.kind() == solio::ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed += 1;
                screen::fail_at_its_path(&error, args.run.json);
            }
        }
        Ok(!screen::is_closed())
    })?;
    drop(shown);
    if pairs.is_empty() {
        screen::complain("no images found");
        return Ok(Outcome::NothingMatched);
    }
    if !args.run.json && pairs.len() > 1 {
        let all = some(pairs.len() as u64, "pair");
        screen::say(&format!("{differing} of {all} differ; {failed} could not be compared"));
    }
    if args.run.shown.stats {
        let bytes = work.progress.now().read_bytes;
        reading.say(2 * pairs.len() as u64, bytes);
    }
    Ok(match worst {
        _ if failed > 0 => Outcome::NotCompared,
        Verdict::Same => Outcome::Done,
        Verdict::Warning => Outcome::NearlySame,
        Verdict::Different => Outcome::Different,
    })
}

/// What is compared with what.
fn pairs(args: &DiffArgs) -> Result<Vec<Pair>> {
    let (first, second) = (&args.first, &args.second);
    if let (Some(a), Some(b)) = (inputs::pattern(first), inputs::pattern(second)) {
        let frames: BTreeSet<i64> = a.frames(None)?.into_iter().chain(b.frames(None)?).collect();
        let pair = |n: i64| Pair { first: a.path(n), second: b.path(n), frame: Some(n) };
        return Ok(frames.into_iter().map(pair).collect());
    }
    let pair = |first: PathBuf, second: PathBuf| Pair { first, second, frame: None };
    match (first.is_dir(), second.is_dir()) {
        (true, true) => {
            let names = images_in(first)?.into_iter().chain(images_in(second)?);
            let names: BTreeSet<_> = names.collect();
            Ok(names.into_iter().map(|name| pair(first.join(&name), second.join(&name))).collect())
        }
        (false, true) => {
            let name = first.file_name().unwrap_or_default();
            Ok(vec![pair(first.clone(), second.join(name))])
        }
        (true, false) => {
            let name = second.file_name().unwrap_or_default();
            Ok(vec![pair(first.join(name), second.clone())])
        }
        (false, false) => Ok(vec![pair(first.clone(), second.clone())]),
    }
}

/// The names of the images in a folder, by what they end in.
fn images_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io("read the folder", e).at_path(folder);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = PathBuf::from(entry.map_err(failed)?.file_name());
        if solio::ImageFormat::of_name(&name).is_some() {
            names.push(name);
        }
    }
    Ok(names)
}

/// Where the picture of each pair goes.
fn heat_of(args: &DiffArgs, pairs: &[Pair]) -> Result<Vec<PathBuf>> {
    let Some(heat) = &args.heat else { return Ok(Vec::new()) };
    if !has_end(heat, "png") {
        return Err(Error::argument("the picture of differences is PNG")
            .at_path(heat)
            .hint("name it .png"));
    }
    match (pairs, inputs::pattern(heat)) {
        ([_], None) => Ok(vec![heat.clone()]),
        (_, Some(pattern)) => {
            let path = |pair: &Pair| pair.frame.map(|frame| pattern.path(frame));
            pairs
                .iter()
                .map(path)
                .collect::<Option<_>>()
                .ok_or_else(|| Error::argument("only frames can become frames").at_path(heat))
        }
        _ => Err(Error::argument("many pictures cannot be one file")
            .at_path(heat)
            .hint("compare frames, and name a pattern such as heat.####.png")),
    }
}

/// Tells what was found, and draws it where somebody wants to see it.
fn tell(
    pair: &Pair,
    args: &DiffArgs,
    found: &ImageDifference,
    drawing: Option<&PathBuf>,
    work: &Work,
) -> Result<Verdict> {
    let drawn = match (found.heat.first(), drawing) {
        (Some(map), Some(path)) => {
            let picture = solio::heat_picture(map, args.fail, work)?;
            solio::write_bytes(path, &picture.to_png()?)?;
            Some(path)
        }
        _ => None,
    };
    if args.run.json {
        let mut paths = vec![("first", &*pair.first), ("second", &*pair.second)];
        paths.extend(drawn.map(|path| ("heat", path.as_path())));
        screen::print(&schema::line("diff/1", &paths, to_json(found)));
    } else {
        screen::print_lines(lines(pair, found).as_bytes());
    }
    Ok(found.verdict)
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "same",
        Verdict::Warning => "warning",
        Verdict::Different => "different",
    }
}

/// A heading, and a table of the channels that differ.
fn lines(pair: &Pair, found: &ImageDifference) -> String {
    let [first, second] = [&pair.first, &pair.second].map(|path| terminal::told(path));
    let mut text = format!("{first}  {second}  {}\n", word(found.verdict));
    for line in &found.structure {
        text.push_str(&format!("  {}\n", terminal::escaped(line)));
    }
    for line in &found.notes {
        text.push_str(&format!("  {DIM}note: {}{DIM:#}\n", terminal::escaped(line)));
    }
    let mut table =
        TextTable::new(&["channel", ">largest", "at", ">mean", ">RMS", ">PSNR", ">beyond", ">%"]);
    let several = found.channels.iter().any(|it| it.part > 0 || it.level != [0, 0]);
    for it in found.channels.iter().filter(|it| it.differing > 0) {
        let name = match (several, it.level) {
            (true, [0, 0]) => format!("{} (part {})", it.name, it.part),
            (true, [x, y]) if x == y => format!("{} (part {}, level {x})", it.name, it.part),
            (true, [x, y]) => format!("{} (part {}, level {x}, {y})", it.name, it.part),
            (false, _) => it.name.clone(),
        };
        table.row(vec![
            terminal::escaped(&name).into_owned(),
            format!("{:.6}", it.largest),
            it.at.map_or_else(String::new, |[x, y]| format!("{x}, {y}")),
            format!("{:.3e}", it.mean),
            format!("{:.3e}", it.rms),
            it.psnr.map_or_else(String::new, |psnr| format!("{psnr:.1} dB")),
            count(it.beyond),
            format!("{:.2}", it.beyond as f64 * 100.0 / it.samples.max(1) as f64),
        ]);
    }
    if found.channels.iter().any(|it| it.differing > 0) {
        for line in table.render().lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    if let Some(flip) = &found.flip {
        text.push_str(&format!("  FLIP {:.6}, at most {:.6}\n", flip.mean, flip.largest));
    }
    screen::coloured(&text).into_owned()
}

fn to_json(found: &ImageDifference) -> Value {
    let channel = |it: &ChannelDifference| {
        json!({
            "part": it.part,
            "level": it.level,
            "name": it.name,
            "samples": it.samples,
            "differing": it.differing,
            "beyond_fail": it.beyond,
            // JSON has no infinity.
            "largest": it.largest.is_finite().then_some(it.largest),
            "at": it.at,
            "mean": it.mean,
            "rms": it.rms,
            "psnr_db": it.psnr,
        })
    };
    let mut all = json!({
        "verdict": word(found.verdict),
        "pixels": found.pixels,
        "beyond_fail": found.beyond_fail,
        "beyond_warn": found.beyond_warn,
        "structure": found.structure,
        "notes": found.notes,
        "channels": found.channels.iter().map(channel).collect::<Value>(),
    });
    if let Some(flip) = &found.flip {
        all["flip"] = json!({
            "mean": flip.mean,
            "largest": flip.largest,
            "pixels_per_degree": flip.pixels_per_degree,
        });
    }
    all
}
