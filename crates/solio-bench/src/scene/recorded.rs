//! Rows whose peer is pbrt-v4: a recorded time, as it is in no package registry, and its program
//! where one is named.
//!
//! Another machine's seconds say nothing by themselves. They are scaled by a calibration that was
//! measured on that machine too, at about that time: how fast libdeflate unpacks text of instances
//! that was packed with gzip at level 5, on one thread, into memory that was there before. Here it
//! is measured again in every turn, between ours and ours again.

use super::{SceneBench, SceneFiles, bytes_of, stages};
use crate::files::{gzip, whole};
use crate::turns::timed;
use libdeflater::Decompressor;
use solio::{Error, Result, SlowDown, Usage};
use solio_cli::screen;
use std::ffi::OsString;
use std::path::Path;

/// What the recorded machine unpacked, in bytes of text a second.
const INFLATE_BYTES_S: f64 = 1.176e9;
/// The 1/80 twin to the first pixel by pbrt-v4 there, on one thread.
const FIRST_PIXEL_S: f64 = 4.25;
/// pbrt-v4 there: text parsed into a target that does nothing, bytes a second of one core.
const PARSE_BYTES_S: f64 = 160e6;
/// Text and meshes of a twin at 1/80, about: the recorded picture is of that one.
const TWIN_BYTES: std::ops::Range<u64> = 172_000_000..192_000_000;
/// So much text is unpacked in a turn.
const CALIBRATION_BYTES: usize = 16 << 20;

const PEER: &str = "pbrt-v4, recorded, scaled";

impl SceneBench<'_> {
    /// Text to the scene and the first picture, on one core.
    pub(super) fn recorded(&mut self, files: &SceneFiles) -> Result<()> {
        let works = ["scene text to the scene, one core", "scene to the first picture, one core"];
        if !works.iter().any(|work| self.wants(work)) {
            return Ok(());
        }
        let instances =
            files.text.iter().find(|path| path.to_string_lossy().contains("isCoral_xg"));
        let (Some(first), Some(instances)) = (files.first(), instances) else { return Ok(()) };
        let mut calibration = Calibration::new(instances)?;
        let text_bytes = files.text_bytes()?;
        if self.wants(works[0]) {
            let serial = self.on(1);
            let mut ours = || timed(|| super::whole_scene(first, &serial));
            let seconds = text_bytes as f64 / PARSE_BYTES_S;
            let mut theirs = || calibration.scaled(seconds);
            self.turns(works[0], text_bytes, &mut ours, (PEER, &mut theirs))?;
        }
        let bytes = text_bytes + bytes_of(&files.meshes)?;
        if let Some(program) = self.args.pbrt.as_deref().filter(|_| self.wants(works[1])) {
            let mut ours = || first_picture(first);
            let picture = self.packed.with_extension("exr");
            let mut theirs = || first_pixel(program, first, &picture);
            self.turns(works[1], bytes, &mut ours, ("pbrt-v4", &mut theirs))?;
        }
        if !TWIN_BYTES.contains(&bytes) {
            screen::say("first picture: skipped (what was recorded is of a twin at 1/80)");
            return Ok(());
        }
        if self.wants(works[1]) {
            let mut ours = || first_picture(first);
            let mut theirs = || calibration.scaled(FIRST_PIXEL_S);
            self.turns(works[1], bytes, &mut ours, (PEER, &mut theirs))?;
        }
        Ok(())
    }
}

/// A process of its own, on one core.
fn first_picture(scene: &Path) -> Result<(Usage, u64)> {
    let before_s = solio::children_cpu_s();
    let (wall_s, line) = stages::start(scene, 1, false, None)?;
    let usage = Usage { wall_s, cpu_s: solio::children_cpu_s() - before_s };
    let answer = line["answer"].as_str().and_then(|word| u64::from_str_radix(word, 16).ok());
    Ok((usage, answer.ok_or_else(|| Error::corrupt("a run printed no answer"))?))
}

/// One pixel of one sample by pbrt-v4, on one thread; into `picture`.
fn first_pixel(program: &Path, scene: &Path, picture: &Path) -> Result<(Usage, u64)> {
    let mut command = vec![program.as_os_str().to_owned()];
    let one = ["--quiet", "--nthreads", "1", "--spp", "1", "--pixel", "0,0", "--outfile"];
    command.extend(one.map(OsString::from));
    command.extend([picture.into(), scene.into()]);
    let before_s = solio::children_cpu_s();
    let run = solio::study_run(&command, None, &SlowDown::Bucket)?;
    Ok((Usage { wall_s: run.wall_s, cpu_s: solio::children_cpu_s() - before_s }, 1))
}

/// Text of instances, packed.
struct Calibration {
    packed: Vec<u8>,
    text: Vec<u8>,
    decoder: Decompressor,
}

impl Calibration {
    fn new(instances: &Path) -> Result<Calibration> {
        let mut text = whole(instances)?;
        text.truncate(CALIBRATION_BYTES);
        let packed = gzip(&text)?;
        Ok(Calibration { packed, text, decoder: Decompressor::new() })
    }

    /// What took `recorded_s` there would take here, by the time of a calibration that runs now.
    fn scaled(&mut self, recorded_s: f64) -> Result<(Usage, u64)> {
        let Calibration { packed, text, decoder } = self;
        let (usage, made) = timed(|| {
            let unpacked = decoder.gzip_decompress(packed, text);
            unpacked.map_err(|e| Error::corrupt(format!("the calibration: {e}")))
        })?;
        let factor = recorded_s / (made as f64 / INFLATE_BYTES_S);
        Ok((Usage { wall_s: usage.wall_s * factor, cpu_s: usage.cpu_s * factor }, made as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_seconds_are_scaled_by_the_calibration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        solio::write_bytes(&path, &b"ObjectInstance \"palm\"\n".repeat(5000)).unwrap();
        let mut calibration = Calibration::new(&path).unwrap();
        let (once, answer) = calibration.scaled(1.0).unwrap();
        assert_eq!(answer, 110_000);
        // The seconds here over those there.
        assert!(once.wall_s > 0.0 && once.wall_s < 1e5);
        calibration.packed[20] ^= 1;
        assert!(calibration.scaled(1.0).is_err());
    }
}
