//! One run of the study: a scene to its first picture, and when each stage was reached.

use super::SceneBenchArgs;
use crate::program;
use libdeflater::Decompressor;
use serde_json::{Value, json};
use solio::image::Image;
use solio::image::model::{Pixels, Samples as Values};
use solio::scene::preview::{Pass, RenderOptions};
use solio::{
    Error, Group, PreviewStage, Recorder, Recording, Result, SceneReadOptions, SlowDown, Stopwatch,
    Summary, Work,
};
use solio_cli::{Outcome, screen};
use std::ffi::OsString;
use std::io::{Cursor, Error as IoError, ErrorKind, Read};
use std::path::Path;

/// What a stage is called, in their order.
pub(super) const STAGES: [&str; 3] = ["parsed", "bounds", "first picture"];
/// Spans of time that the figures over time are put into.
const BINS: usize = 60;

/// Runs it in a process of its own; gives its wall seconds and what it printed.
pub(super) fn start(
    scene: &Path,
    threads: usize,
    libdeflate: bool,
    bandwidth: Option<u64>,
) -> Result<(f64, Value)> {
    let mut command = vec![program::own().into_os_string()];
    command.extend(["scene", "--stages", "-j"].map(OsString::from));
    command.extend([OsString::from(threads.to_string()), scene.into()]);
    command.extend(libdeflate.then(|| "--libdeflate".into()));
    let run = solio::study_run(&command, bandwidth, &SlowDown::Bucket)?;
    let line = serde_json::from_slice(&run.output);
    let line = line.map_err(|e| Error::corrupt(format!("a run printed no JSON: {e}")))?;
    Ok((run.wall_s, line))
}

/// Reads the scene and prints a line of JSON.
pub(super) fn run(args: &SceneBenchArgs, work: &Work) -> Result<Outcome> {
    let scene = args.folder.as_deref().ok_or_else(|| Error::argument("no scene was named"))?;
    if work.threads == 1 {
        solio_io::probe::keep_to_one_core()?;
    }
    if args.libdeflate {
        solio_io::probe::inflate_by(at_once);
    }
    let recorder = Recorder::start();
    let (watch, before) = (Stopwatch::start(), solio::called_bytes());
    let (mut reached, mut answer) = (Vec::new(), 0);
    let read = SceneReadOptions::default();
    let draw = RenderOptions::default();
    let drawn = solio::preview_scene(scene, &read, &draw, work, |stage| {
        let picture = match &stage {
            PreviewStage::Parsed | PreviewStage::Bounds => None,
            // Of boxes alone.
            PreviewStage::Picture(Pass::Boxes, _) => return Ok(true),
            PreviewStage::Picture(_, picture) => Some(picture.image()),
        };
        let (usage, read_bytes) = (watch.usage(), solio::called_bytes().saturating_sub(before));
        reached.push(json!([usage.wall_s, usage.cpu_s, read_bytes]));
        let is_last = picture.is_some();
        // It is there; what follows is no part of it.
        if let Some(picture) = picture {
            answer = sum(&picture);
        }
        Ok(!is_last)
    })?;
    if let Some(problem) = drawn.problems.into_iter().next() {
        return Err(problem);
    }
    let recording = recorder.map(|recorder| recorder.finish(Summary::default()));
    let answer = format!("{answer:016x}");
    let timeline = recording.as_ref().map(timeline);
    let line = json!({ "reached": reached, "answer": answer, "timeline": timeline });
    screen::print(&format!("{line}\n"));
    Ok(Outcome::Done)
}

/// Depends on every value of every channel.
fn sum(picture: &Image<'_>) -> u64 {
    let mut sum = 0u64;
    let mut add = |bits: u32| sum = sum.wrapping_mul(31).wrapping_add(bits.into());
    for part in &picture.parts {
        let Pixels::Flat(levels) = &part.pixels else { continue };
        for plane in levels.iter().flat_map(|level| &level.planes) {
            match &plane.samples {
                Values::Float(values) => values.iter().for_each(|value| add(value.to_bits())),
                Values::Uint(values) => values.iter().for_each(|value| add(*value)),
                Values::Half(values) => values.iter().for_each(|value| add(value.to_bits().into())),
            }
        }
    }
    sum
}

/// Cores that were busy and bytes a second that were read, over time.
fn timeline(recording: &Recording) -> Value {
    let samples = &recording.samples;
    let end_s = recording.duration_ns as f64 * 1e-9;
    let rates = |group: Group, name: &str| {
        let series = samples.of(group).find(|series| series.name == name)?;
        let times: Vec<f64> = samples.times_ns.iter().map(|ns| *ns as f64 * 1e-9).collect();
        Some(binned(&times, &series.values, end_s))
    };
    json!({
        "end_s": end_s,
        "cores": rates(Group::Process, "process"),
        "read": rates(Group::Calls, "read"),
    })
}

/// How fast a total grew in each of the spans that `end_s` is cut into; between two samples it
/// grows evenly.
fn binned(times: &[f64], totals: &[f64], end_s: f64) -> Vec<f64> {
    let at = |time: f64| -> f64 {
        let after = times.partition_point(|t| *t < time);
        match (after.checked_sub(1), times.get(after)) {
            (None, _) => totals.first().copied().unwrap_or(0.0),
            (Some(before), None) => totals[before],
            (Some(before), Some(next)) => {
                let share = (time - times[before]) / (next - times[before]);
                totals[before] + share * (totals[after] - totals[before])
            }
        }
    };
    let step = end_s / BINS as f64;
    (0..BINS).map(|i| (at((i + 1) as f64 * step) - at(i as f64 * step)) / step).collect()
}

/// A gzip file in memory, unpacked at once, as pbrt does it.
fn at_once(packed: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(AtOnce::Packed(packed))
}

enum AtOnce {
    Packed(Box<dyn Read + Send>),
    Whole(Cursor<Vec<u8>>),
}

impl Read for AtOnce {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if let AtOnce::Packed(packed) = self {
            let mut file = Vec::new();
            packed.read_to_end(&mut file)?;
            *self = AtOnce::Whole(Cursor::new(unpacked(&file)?));
        }
        match self {
            AtOnce::Whole(whole) => whole.read(out),
            AtOnce::Packed(_) => Ok(0),
        }
    }
}

/// A file of one member, as those of the study are: its size stands at the end.
fn unpacked(file: &[u8]) -> std::io::Result<Vec<u8>> {
    let wrong = |what: &str| IoError::new(ErrorKind::InvalidData, what.to_owned());
    let size = file.last_chunk().ok_or_else(|| wrong("a gzip file without an end"))?;
    // An unpacked byte takes a 1032nd of a packed one at least: the size may be anything.
    let size = (u32::from_le_bytes(*size) as usize).min(file.len().saturating_mul(1032));
    let mut whole = vec![0; size];
    let made = Decompressor::new().gzip_decompress(file, &mut whole);
    match made.map_err(|error| IoError::new(ErrorKind::InvalidData, error))? {
        made if made == size => Ok(whole),
        _ => Err(wrong("a gzip file of several members")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn rates_add_up_to_the_total() {
        let rates = binned(&[0.0, 1.0, 3.0], &[0.0, 10.0, 50.0], 3.0);
        let step = 3.0 / BINS as f64;
        assert!((rates.iter().sum::<f64>() * step - 50.0).abs() < 1e-9);
        assert!((rates[0] - 10.0).abs() < 1e-9 && (rates[BINS - 1] - 20.0).abs() < 1e-9);
        // Sampling ended before the run did.
        let rates = binned(&[0.0, 1.0], &[0.0, 10.0], 2.0);
        assert!((rates.iter().sum::<f64>() / BINS as f64 * 2.0 - 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_member_is_unpacked_and_other_files_are_refused() {
        let member = |text: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(5));
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        let read = |file: Vec<u8>| {
            let mut text = Vec::new();
            at_once(Box::new(Cursor::new(file))).read_to_end(&mut text).map(|_| text)
        };
        let long = b"Shape ".repeat(10_000);
        assert!(read(member(&long)).unwrap() == long);
        assert_eq!(read(member(b"")).unwrap(), b"");
        let file = member(&long);
        assert!(read(file[..file.len() - 9].to_vec()).is_err());
        assert!(read([file, member(b"end")].concat()).is_err());
        assert!(read(vec![0x1f, 0x8b, 8]).is_err());
    }
}
