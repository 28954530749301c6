//! One comparison: ours, the peer, ours again, image by image, until enough is known.
//!
//! A round is all images of a class. Every answer is checked outside the measured time: files
//! have the size of the first round, and every file, whoever wrote it, gives the same pixels to
//! both sides; those of the source where the method loses nothing.

use super::images::{ImageClass, PlainImage, options, planes, rasters, sum};
use super::peer::{Peer, PeerResult, PeerStorage};
use crate::stats::{Ratio, median};
use solio::image::model::Image;
use solio::image::{
    Compression, IntoOptions, ReadOptions, SamplesMut, ScanlineOptions, Scanlines, decode_exr,
    decode_exr_into, encode_exr,
};
use solio::{Error, Result, Stopwatch, Usage, Work};
use solio_cli::inputs::make_way;
use solio_io::probe::{read_plain, write_plain};
use std::path::{Path, PathBuf};

/// The rounds of a comparison, after one that warms up.
const ROUNDS: std::ops::RangeInclusive<usize> = 5..=11;

/// What is done to each image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExrJob {
    Write,
    /// The file that the peer wrote.
    Read,
    /// The file that we wrote.
    ReadOurs,
    /// The file that the peer wrote, row by row.
    Rows,
}

/// A comparison to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExrCase {
    pub(super) job: ExrJob,
    pub(super) method: Compression,
    pub(super) place: PeerStorage,
    pub(super) threads: usize,
}

/// A comparison as measured; the times are of all images together, medians of the rounds.
pub(super) struct ExrLine {
    pub(super) work: String,
    pub(super) peer: String,
    pub(super) peer_version: String,
    pub(super) rounds: usize,
    pub(super) raw_bytes: usize,
    /// Bytes of the files that we and the peer wrote.
    pub(super) file_bytes: Option<(u64, u64)>,
    pub(super) ours: Usage,
    pub(super) theirs: Usage,
    pub(super) ratio_wall: Ratio,
    pub(super) ratio_cpu: Ratio,
    pub(super) same_cpu: Ratio,
    pub(super) answer: String,
    /// On several cores the wall counts, on one the CPU.
    threads: usize,
}

impl ExrLine {
    /// The seconds that count.
    pub(super) fn seconds(&self, usage: Usage) -> f64 {
        if self.threads == 1 { usage.cpu_s } else { usage.wall_s }
    }

    /// Ours over the peer's, in the seconds that count.
    pub(super) fn ratio(&self) -> Ratio {
        if self.threads == 1 { self.ratio_cpu } else { self.ratio_wall }
    }
}

impl ExrCase {
    /// What the line is called.
    pub(super) fn name(&self, class: &str) -> String {
        let job = match self.job {
            ExrJob::Write => "write",
            ExrJob::Read => "read",
            ExrJob::ReadOurs => "read Solio's",
            ExrJob::Rows => "read row by row",
        };
        let method = self.method.name().to_uppercase();
        let cores = if self.threads == 1 { "one core" } else { "all cores" };
        format!("EXR {job} {method}, {class}, {}, {cores}", self.place.name())
    }
}

/// Seconds of ours, of the peer, of ours again, round by round.
#[derive(Default)]
struct Rounds(Vec<[Usage; 3]>);

impl Rounds {
    /// Runs rounds until they took `seconds` together. `job` does one side of one image.
    fn run(
        seconds: f64,
        images: usize,
        mut job: impl FnMut(usize, usize) -> Result<Usage>,
    ) -> Result<Rounds> {
        let mut rounds = Rounds::default();
        let mut spent = 0.0;
        loop {
            let mut sums = [Usage::default(); 3];
            for image in 0..images {
                for (side, sum) in sums.iter_mut().enumerate() {
                    let took = job(image, side)?;
                    sum.wall_s += took.wall_s;
                    sum.cpu_s += took.cpu_s;
                }
            }
            rounds.0.push(sums);
            spent += sums.iter().map(|sum| sum.wall_s).sum::<f64>();
            // The first round only warms up.
            let done = rounds.0.len() - 1;
            if done >= *ROUNDS.end() || (done >= *ROUNDS.start() && spent >= seconds) {
                rounds.0.remove(0);
                return Ok(rounds);
            }
        }
    }

    fn line(&self, case: &ExrCase, class: &ImageClass, peer: &str, peer_version: &str) -> ExrLine {
        let of = |side: usize, get: fn(&Usage) -> f64| -> Vec<f64> {
            self.0.iter().map(|sums| get(&sums[side])).collect()
        };
        let wall = |side| of(side, |usage| usage.wall_s);
        let cpu = |side| of(side, |usage| usage.cpu_s);
        let medians = |side| Usage { wall_s: median(&wall(side)), cpu_s: median(&cpu(side)) };
        ExrLine {
            work: case.name(&class.name),
            peer: peer.into(),
            peer_version: peer_version.into(),
            rounds: self.0.len(),
            raw_bytes: class.bytes(),
            file_bytes: None,
            ours: medians(0),
            theirs: medians(1),
            ratio_wall: Ratio::of(&wall(0), &wall(1)),
            ratio_cpu: Ratio::of(&cpu(0), &cpu(1)),
            same_cpu: Ratio::of(&cpu(0), &cpu(2)),
            answer: String::new(),
            threads: case.threads,
        }
    }
}

/// What all comparisons share.
pub(super) struct ExrBench<'a> {
    pub(super) folder: &'a Path,
    /// A comparison takes about so long.
    pub(super) seconds: f64,
    pub(super) work: &'a Work,
    /// The file in memory, and the one that others wrote.
    pub(super) bytes: Vec<u8>,
    /// Reading makes new memory each time, as the peer does.
    pub(super) fresh: bool,
}

impl ExrBench<'_> {
    fn path(&self, who: &str, index: usize) -> PathBuf {
        self.folder.join(format!("{who}-{index}.exr"))
    }

    fn work(&self, threads: usize) -> Work {
        Work { threads, ..self.work.clone() }
    }

    /// Compares with a peer that has the images of `class` already.
    pub(super) fn compare(
        &mut self,
        case: &ExrCase,
        class: &ImageClass,
        peer: &mut Peer,
    ) -> Result<ExrLine> {
        let images = &class.images;
        let method = case.method.name();
        let work = self.work(case.threads);
        self.fresh = !peer.prepared;
        let mut sizes = vec![[0u64; 2]; images.len()];
        let rounds = match case.job {
            ExrJob::Write => Rounds::run(self.seconds, images.len(), |i, side| {
                let path = self.path(if side == 1 { "theirs" } else { "ours" }, i);
                let took = if side == 1 {
                    make_way(&path)?;
                    peer.write(i, method, case.threads, case.place, &path)?
                } else {
                    self.write(case, &images[i], &path, &work)?
                };
                let known = &mut sizes[i][side & 1];
                if *known != 0 && *known != took.found {
                    return Err(differs("sizes", case.method, &path));
                }
                *known = took.found;
                Ok(took.usage)
            })?,
            ExrJob::Read | ExrJob::ReadOurs | ExrJob::Rows => {
                let who = if case.job == ExrJob::ReadOurs { "ours" } else { "theirs" };
                let word = if case.job == ExrJob::Rows { "rows" } else { "read" };
                let mut found: Option<u64> = None;
                let mut there = class.memory();
                Rounds::run(self.seconds, images.len(), |i, side| {
                    let path = self.path(who, i);
                    let took = if side == 1 {
                        peer.read(word, i, case.threads, case.place, &path)?
                    } else {
                        self.read(case, &path, &mut there[i], &work)?
                    };
                    // Ours, theirs, ours again: the three of an image are alike.
                    if side > 0 && found != Some(took.found) {
                        return Err(differs("pixels", case.method, &path));
                    }
                    found = Some(took.found);
                    Ok(took.usage)
                })?
            }
        };
        let mut line = rounds.line(case, class, &peer.name, &peer.version);
        line.answer = match case.job {
            ExrJob::Write => {
                let [ours, theirs] = [0, 1].map(|who| sizes.iter().map(|s| s[who]).sum());
                line.file_bytes = Some((ours, theirs));
                self.check_written(case, class, peer)?
            }
            _ => format!("{} images with the same pixels", images.len()),
        };
        Ok(line)
    }

    /// Reads what both sides wrote with both sides.
    fn check_written(
        &mut self,
        case: &ExrCase,
        class: &ImageClass,
        peer: &mut Peer,
    ) -> Result<String> {
        let place = if peer.in_memory { PeerStorage::Memory } else { PeerStorage::File };
        let mut exact = 0;
        let mut there = class.memory();
        for (i, plain) in class.images.iter().enumerate() {
            let who = ["ours", "theirs"];
            for path in who.map(|who| self.path(who, i)) {
                let read = ExrCase { job: ExrJob::Read, ..*case };
                let ours = self.read(&read, &path, &mut there[i], self.work)?.found;
                if ours != peer.read("read", i, 1, place, &path)?.found {
                    return Err(differs("pixels", case.method, &path));
                }
                exact += usize::from(ours == plain.sum);
            }
        }
        let all = 2 * class.images.len();
        if exact < all && is_lossless(case.method) {
            return Err(Error::corrupt(format!("{}: other pixels", case.name(&class.name))));
        }
        Ok(format!("{all} files the same to both sides, {exact} of them as the source"))
    }

    fn write(
        &mut self,
        case: &ExrCase,
        plain: &PlainImage,
        path: &Path,
        work: &Work,
    ) -> Result<PeerResult> {
        let options = options(case.method);
        make_way(path)?;
        if case.place == PeerStorage::File {
            let watch = Stopwatch::start();
            let written = solio::write_image(&plain.image, path, &options, work)?;
            return Ok(PeerResult { usage: watch.usage(), found: written.file_bytes });
        }
        self.bytes.clear();
        let watch = Stopwatch::start();
        encode_exr(&plain.image, &options.exr, &mut self.bytes, work)?;
        let usage = watch.usage();
        write_plain(path, &self.bytes)?;
        Ok(PeerResult { usage, found: self.bytes.len() as u64 })
    }

    /// Writes all images for who reads them.
    fn put_down(&mut self, case: &ExrCase, class: &ImageClass, work: &Work) -> Result<()> {
        let case = ExrCase { place: PeerStorage::File, ..*case };
        for (i, plain) in class.images.iter().enumerate() {
            self.write(&case, plain, &self.path("ours", i), work)?;
        }
        Ok(())
    }

    /// Reads into `there`, or into new memory.
    fn read(
        &mut self,
        case: &ExrCase,
        path: &Path,
        there: &mut Image<'static>,
        work: &Work,
    ) -> Result<PeerResult> {
        if case.place == PeerStorage::Memory {
            read_plain(path, &mut self.bytes)?;
        }
        if case.job == ExrJob::Rows {
            let usage = read_rows(&self.bytes, there, work)?;
            return Ok(PeerResult { usage, found: sum(there)? });
        }
        let in_memory = case.place == PeerStorage::Memory;
        if self.fresh {
            let options = ReadOptions::default();
            let watch = Stopwatch::start();
            let image = match in_memory {
                true => decode_exr(&self.bytes, &options, work),
                false => solio::read_image(path, &options, work),
            }?;
            return Ok(PeerResult { usage: watch.usage(), found: sum(&image)? });
        }
        let (rasters, options) = (rasters(there)?, IntoOptions::default());
        let watch = Stopwatch::start();
        match in_memory {
            true => decode_exr_into(&self.bytes, &options, rasters, work),
            false => solio::read_image_into(path, &options, rasters, work),
        }?;
        Ok(PeerResult { usage: watch.usage(), found: sum(there)? })
    }

    /// Reading row by row against reading the whole image, both ours.
    pub(super) fn rows_against_whole(
        &mut self,
        case: &ExrCase,
        class: &ImageClass,
    ) -> Result<ExrLine> {
        let work = self.work(case.threads);
        let whole = ExrCase { job: ExrJob::Read, ..*case };
        self.fresh = false;
        let mut found = None;
        let mut there = class.memory();
        self.put_down(case, class, &work)?;
        let rounds = Rounds::run(self.seconds, class.images.len(), |i, side| {
            let path = self.path("ours", i);
            let case = if side == 1 { &whole } else { case };
            let took = self.read(case, &path, &mut there[i], &work)?;
            if side > 0 && found != Some(took.found) {
                return Err(differs("pixels", case.method, &path));
            }
            found = Some(took.found);
            Ok(took.usage)
        })?;
        let mut line = rounds.line(case, class, "Solio, the whole image", "");
        line.answer = format!("{} images with the same pixels", class.images.len());
        Ok(line)
    }

    /// Pixels uncompressed against the least that moving them takes: a copy, or a plain file.
    pub(super) fn against_machine(
        &mut self,
        case: &ExrCase,
        class: &ImageClass,
    ) -> Result<ExrLine> {
        let work = self.work(case.threads);
        self.fresh = false;
        let mut copy = Vec::new();
        let mut there = class.memory();
        self.put_down(case, class, &work)?;
        let rounds = Rounds::run(self.seconds, class.images.len(), |i, side| {
            let path = self.path("ours", i);
            if side != 1 {
                let took = match case.job {
                    ExrJob::Write => self.write(case, &class.images[i], &path, &work)?,
                    _ => self.read(case, &path, &mut there[i], &work)?,
                };
                return Ok(took.usage);
            }
            if case.place == PeerStorage::Memory {
                copy_planes(&class.images[i].image, &mut copy)
            } else if case.job == ExrJob::Write {
                read_plain(&path, &mut self.bytes)?;
                let plain = self.folder.join("plain");
                make_way(&plain)?;
                let watch = Stopwatch::start();
                write_plain(&plain, &self.bytes)?;
                Ok(watch.usage())
            } else {
                let watch = Stopwatch::start();
                read_plain(&path, &mut self.bytes)?;
                Ok(watch.usage())
            }
        })?;
        let machine = match case.place {
            PeerStorage::Memory => "a copy of the pixels",
            PeerStorage::File => "plain, one thread",
        };
        let mut line = rounds.line(case, class, machine, "");
        line.answer = format!("{} bytes of pixels", class.bytes());
        Ok(line)
    }
}

/// Copies all samples into memory that is there already.
fn copy_planes(image: &Image<'_>, copy: &mut Vec<u8>) -> Result<Usage> {
    copy.clear();
    let watch = Stopwatch::start();
    planes(image)?.iter().for_each(|plane| copy.extend_from_slice(plane.samples.as_bytes()));
    Ok(watch.usage())
}

/// Reads row by row into memory that is there already.
fn read_rows(bytes: &[u8], there: &mut Image<'static>, work: &Work) -> Result<Usage> {
    let mut rasters = rasters(there)?;
    let watch = Stopwatch::start();
    let mut rows = Scanlines::new(&bytes, &ScanlineOptions::default(), work)?;
    let window = rows.window();
    let steps: Vec<i32> = rows.channels().iter().map(|channel| channel.y_sampling).collect();
    let mut row = Vec::with_capacity(rasters.len());
    for y in window.min[1]..=window.max[1] {
        row.clear();
        row.extend(rasters.iter_mut().zip(&steps).map(|(raster, step)| {
            let count = if y.rem_euclid(*step) == 0 { raster.row_stride } else { 0 };
            first(&mut raster.samples, count)
        }));
        rows.row_into(y, &mut row)?;
    }
    Ok(watch.usage())
}

/// The first `count` samples; `samples` keep the rest.
fn first<'a>(samples: &mut SamplesMut<'a>, count: usize) -> SamplesMut<'a> {
    fn cut<'a, T>(values: &mut &'a mut [T], count: usize) -> &'a mut [T] {
        let (first, rest) = std::mem::take(values).split_at_mut(count);
        *values = rest;
        first
    }
    match samples {
        SamplesMut::Uint(values) => SamplesMut::Uint(cut(values, count)),
        SamplesMut::Half(values) => SamplesMut::Half(cut(values, count)),
        SamplesMut::Float(values) => SamplesMut::Float(cut(values, count)),
    }
}

/// Methods that give back what they got.
fn is_lossless(method: Compression) -> bool {
    use Compression::{B44, B44a, Dwaa, Dwab, Lj2k, Pxr24};
    !matches!(method, Pxr24 | B44 | B44a | Dwaa | Dwab | Lj2k)
}

/// The sizes of two rounds, or the pixels of two sides. Lossy methods compute with floating point
/// numbers, whose last bits are the compiler's choice: a peer that differs there is left out.
fn differs(what: &str, method: Compression, path: &Path) -> Error {
    let message = format!("the {what} differ");
    let lossless = is_lossless(method);
    let e = if lossless { Error::corrupt(message) } else { Error::unsupported(message) };
    e.at_path(path)
}
