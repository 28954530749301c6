//! One comparison: ours, the peer, ours again, image by image, until enough is known.
//!
//! A turn is all images of a class. Every answer is checked outside the measured time: files
//! have the size of the first round, and every file, whoever wrote it, gives the same pixels to
//! both sides; those of the source where the method loses nothing.

use super::images::{ImageClass, PlainImage, options, planes, rasters, sum};
use super::peer::{Peer, PeerResult, PeerStorage};
use crate::turns::{BenchTurns, PEER, timed};
use serde_json::{Value, json};
use solio::image::model::Image;
use solio::image::{
    Compression, IntoOptions, ReadOptions, SamplesMut, ScanlineOptions, Scanlines, decode_exr,
    decode_exr_into, encode_exr,
};
use solio::{Error, Result, Usage, Work};
use solio_cli::inputs::make_way;
use solio_io::probe::{read_plain, write_plain};
use std::path::{Path, PathBuf};

/// The turns of a comparison.
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

/// How a side reads the image of a file: what it is, where it lies, memory for its pixels.
type ReadSide<'r> =
    dyn FnMut(&mut ExrBench<'_>, usize, &Path, &mut Image<'static>) -> Result<PeerResult> + 'r;

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
    ) -> Result<Value> {
        let images = &class.images;
        let method = case.method.name();
        let work = self.work(case.threads);
        let (name, version) = (peer.name.clone(), peer.version.clone());
        self.fresh = !peer.prepared;
        if case.job != ExrJob::Write {
            let who = if case.job == ExrJob::ReadOurs { "ours" } else { "theirs" };
            let word = if case.job == ExrJob::Rows { "rows" } else { "read" };
            return self.compare_read(case, class, who, (&name, &version), &mut |_, i, path, _| {
                peer.read(word, i, case.threads, case.place, path)
            });
        }
        let mut sizes = vec![[0u64; 2]; images.len()];
        let turns = BenchTurns::run(ROUNDS, self.seconds, images.len(), |i, side| {
            let path = self.path(if side == PEER { "theirs" } else { "ours" }, i);
            let took = if side == PEER {
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
        })?;
        let [ours, theirs] = [0, 1].map(|who| sizes.iter().map(|s| s[who]).sum::<u64>());
        let more = json!({
            "peer_version": version,
            "raw_bytes": class.bytes(),
            "ours_bytes": ours,
            "peer_bytes": theirs,
            "ratio_bytes": ours as f64 / theirs as f64,
            "answer": self.check_written(case, class, peer)?,
        });
        Ok(turns.row(&case.name(&class.name), &name, more))
    }

    /// Compares reading the files that `who` wrote; both sides must see the same pixels.
    fn compare_read(
        &mut self,
        case: &ExrCase,
        class: &ImageClass,
        who: &str,
        (peer, version): (&str, &str),
        theirs: &mut ReadSide<'_>,
    ) -> Result<Value> {
        let work = self.work(case.threads);
        let count = class.images.len();
        let mut found: Option<u64> = None;
        let mut there = class.memory();
        let turns = BenchTurns::run(ROUNDS, self.seconds, count, |i, side| {
            let path = self.path(who, i);
            let took = match side {
                PEER => theirs(self, i, &path, &mut there[i])?,
                _ => self.read(case, &path, &mut there[i], &work)?,
            };
            // Ours, theirs, ours again: the three of an image are alike.
            if side > 0 && found != Some(took.found) {
                return Err(differs("pixels", case.method, &path));
            }
            found = Some(took.found);
            Ok(took.usage)
        })?;
        let answer = format!("{count} images with the same pixels");
        let more = json!({ "peer_version": version, "raw_bytes": class.bytes(), "answer": answer });
        Ok(turns.row(&case.name(&class.name), peer, more))
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
            let (usage, written) =
                timed(|| solio::write_image(&plain.image, path, &options, work))?;
            return Ok(PeerResult { usage, found: written.file_bytes });
        }
        self.bytes.clear();
        let bytes = &mut self.bytes;
        let (usage, _) = timed(|| encode_exr(&plain.image, &options.exr, bytes, work))?;
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
            let (usage, image) = timed(|| match in_memory {
                true => decode_exr(&self.bytes, &options, work),
                false => solio::read_image(path, &options, work),
            })?;
            return Ok(PeerResult { usage, found: sum(&image)? });
        }
        let (rasters, options) = (rasters(there)?, IntoOptions::default());
        let (usage, _) = timed(|| match in_memory {
            true => decode_exr_into(&self.bytes, &options, rasters, work).map(drop),
            false => solio::read_image_into(path, &options, rasters, work).map(drop),
        })?;
        Ok(PeerResult { usage, found: sum(there)? })
    }

    /// Reading row by row against reading the whole image, both ours.
    pub(super) fn rows_against_whole(
        &mut self,
        case: &ExrCase,
        class: &ImageClass,
    ) -> Result<Value> {
        let work = self.work(case.threads);
        let whole = ExrCase { job: ExrJob::Read, ..*case };
        self.fresh = false;
        self.put_down(case, class, &work)?;
        let peer = ("Solio, the whole image", "");
        self.compare_read(case, class, "ours", peer, &mut |bench, _, path, there| {
            bench.read(&whole, path, there, &work)
        })
    }

    /// Pixels uncompressed against the least that moving them takes: a copy, or a plain file.
    pub(super) fn against_machine(&mut self, case: &ExrCase, class: &ImageClass) -> Result<Value> {
        let work = self.work(case.threads);
        self.fresh = false;
        let mut copy = Vec::new();
        let mut there = class.memory();
        self.put_down(case, class, &work)?;
        let turns = BenchTurns::run(ROUNDS, self.seconds, class.images.len(), |i, side| {
            let path = self.path("ours", i);
            if side != PEER {
                let took = match case.job {
                    ExrJob::Write => self.write(case, &class.images[i], &path, &work)?,
                    _ => self.read(case, &path, &mut there[i], &work)?,
                };
                return Ok(took.usage);
            }
            if case.place == PeerStorage::Memory {
                return copy_planes(&class.images[i].image, &mut copy);
            }
            let (read, ()) = timed(|| read_plain(&path, &mut self.bytes))?;
            if case.job != ExrJob::Write {
                return Ok(read);
            }
            let plain = self.folder.join("plain");
            make_way(&plain)?;
            Ok(timed(|| write_plain(&plain, &self.bytes))?.0)
        })?;
        let machine = match case.place {
            PeerStorage::Memory => "a copy of the pixels",
            PeerStorage::File => "plain, one thread",
        };
        let bytes = class.bytes();
        let more = json!({ "raw_bytes": bytes, "answer": format!("{bytes} bytes of pixels") });
        Ok(turns.row(&case.name(&class.name), machine, more))
    }
}

/// Copies all samples into memory that is there already.
fn copy_planes(image: &Image<'_>, copy: &mut Vec<u8>) -> Result<Usage> {
    copy.clear();
    let (took, ()) = timed(|| {
        planes(image)?.iter().for_each(|plane| copy.extend_from_slice(plane.samples.as_bytes()));
        Ok(())
    })?;
    Ok(took)
}

/// Reads row by row into memory that is there already.
fn read_rows(bytes: &[u8], there: &mut Image<'static>, work: &Work) -> Result<Usage> {
    let mut rasters = rasters(there)?;
    let watch = solio::Stopwatch::start();
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
