//! Archives of images and files of arrays: what is in them, and back to files, images and arrays.

use crate::tree::check::{plural, problem};
use crate::{FileCheck, Input, ToInput};
use solio_base::{Error, ErrorKind, Limits, Result, Sink, Source, Work, ordered};
use solio_codec::array::Effort;
use solio_codec::array::Element;
use solio_codec::array::file::{
    ArrayFile, ArrayReadOptions, ArrayShape, ArrayWriter, Kind, TableEntry,
};
use solio_exr::archive::{Archived, Compressed, ExrUnpacker, OffsetTables};
use solio_exr::{CheckOptions, Header, Image, ReadOptions};
use solio_io::{FileSink, PlacedNames, SinkOptions};
use solio_measure::SpanName;
use std::ops::Range;
use std::path::{Component, Path};
use std::sync::Arc;

static UNPACK: SpanName = SpanName::new("unpack images");
static READ: SpanName = SpanName::new("read from archive");

/// About what a piece under way takes; see `solio_exr::archive`.
const PIECE_BYTES: usize = 8 << 20;
/// Bytes of samples that are checked at once.
const CHECKED_BYTES: u64 = 8 << 20;

/// A file of arrays that is open: an archive of images, or arrays.
///
/// ```
/// use solio::{Archive, Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let work = Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [16, 8])?;
/// # let frames = [at("a.0001.exr"), at("a.0002.exr")];
/// # for frame in &frames {
/// #     solio::write_image(&image, frame, &Default::default(), &work)?;
/// # }
/// # let path = at("a.solio");
/// solio::pack_images(&frames, &path, &Default::default(), &work, |_, made| made.map(|_| ()))?;
/// // A frame is read out of the archive; nothing is unpacked.
/// let archive = Archive::open(&path, &Limits::default(), &work)?;
/// let second = archive.find("a.0002.exr").expect("it was packed");
/// let image = archive.image(second, &Default::default(), &work)?;
/// assert_eq!(image.parts[0].header.display_window().unwrap().width(), 16);
/// # Ok::<(), solio::Error>(())
/// ```
pub struct Archive {
    source: Box<dyn Source>,
    file: ArrayFile,
    limits: Limits,
}

/// Something in an archive.
///
/// ```
/// use solio::array::{Effort, Element, Kind};
/// use solio::{Archive, NamedArray, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("weights.solio");
/// # let (work, bytes) = (Work::default(), [0; 4000]);
/// let weights =
///     NamedArray { name: "weights", element: Element::Float, axes: &[250, 4], bytes: &bytes };
/// solio::write_arrays(&[weights], &path, Effort::Fast, &work)?;
/// let entry = &Archive::open(&path, &Default::default(), &work)?.entries()?[0];
/// assert_eq!((entry.name.as_str(), entry.kind), ("weights", Kind::Array));
/// assert_eq!(entry.shape.as_ref().unwrap().axes, [250, 4]);
/// assert!(entry.packed_bytes < entry.file_bytes && entry.file_bytes == 4000);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveEntry {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Bytes of the file that was packed, or of the samples of an array.
    pub file_bytes: u64,
    /// Bytes in the archive, without the header.
    pub packed_bytes: u64,
    /// Whether a file comes back byte for byte, not only its pixels.
    pub exact: bool,
    /// The shape of an array.
    pub shape: Option<ArrayShape>,
}

impl Archive {
    /// Opens the file at `path` and reads its table.
    ///
    /// ```
    /// use solio::{Archive, Limits, Work};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.obj");
    /// solio::write_bytes(&path, b"v 0 0 0\n")?;
    /// let error = Archive::open(&path, &Limits::default(), &Work::default()).err();
    /// // It is none, and the error says which file.
    /// assert_eq!(error.unwrap().path(), Some(path.as_path()));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn open(input: &(impl ToInput + ?Sized), limits: &Limits, work: &Work) -> Result<Archive> {
        let input = input.to_input(limits, work)?;
        let read = || Archive::of_source(input.source(work)?, limits);
        read().map_err(|e: Error| e.at_path(input.path()))
    }

    /// An archive that can be read at any place.
    fn of_source(source: Box<dyn Source>, limits: &Limits) -> Result<Archive> {
        let options = ArrayReadOptions { limits: *limits, ..ArrayReadOptions::default() };
        let file = ArrayFile::read(&*source, &options)?;
        Ok(Archive { source, file, limits: *limits })
    }

    /// What is in it, in the order in which it was packed.
    ///
    /// ```
    /// use solio::Archive;
    /// # use solio::{NamedArray, Work, array::{Effort, Element}};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("arrays.solio");
    /// # let (work, ramp) = (Work::default(), (0..=255).collect::<Vec<u8>>());
    /// # let array = |name| NamedArray { name, element: Element::U8, axes: &[256], bytes: &ramp };
    /// # solio::write_arrays(&[array("z"), array("a")], &path, Effort::Fast, &work)?;
    /// let archive = Archive::open(&path, &Default::default(), &work)?;
    /// let names: Vec<String> = archive.entries()?.into_iter().map(|entry| entry.name).collect();
    /// assert_eq!(names, ["z", "a"]);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn entries(&self) -> Result<Vec<ArchiveEntry>> {
        let each = self.file.entries.iter().map(|entry| {
            let mut found = ArchiveEntry {
                name: entry.name.clone(),
                kind: entry.kind,
                file_bytes: 0,
                packed_bytes: entry.packed_bytes(),
                exact: false,
                shape: None,
            };
            match entry.kind {
                Kind::Exr => {
                    let archived = Archived::new(entry, &self.limits)?;
                    found.file_bytes = archived.detail.file_bytes;
                    found.exact = archived.detail.crc.is_some();
                }
                Kind::Array => {
                    let shape = self.file.shape(entry)?;
                    found.file_bytes = shape.bytes();
                    found.shape = Some(shape);
                }
                Kind::Other(_) => {}
            }
            Ok(found)
        });
        each.collect()
    }

    fn entry(&self, index: usize) -> Result<&TableEntry> {
        let gone = || Error::argument(format!("there is no entry {index}"));
        self.file.entries.get(index).ok_or_else(gone)
    }

    /// What the entry of a file says.
    fn archived(&self, index: usize) -> Result<Archived> {
        let entry = self.entry(index)?;
        match entry.kind {
            Kind::Exr => Archived::new(entry, &self.limits),
            Kind::Array => {
                let message = format!("{:?} is an array, not a file", entry.name);
                Err(Error::unsupported(message).hint("solio.read_array of Python reads it"))
            }
            Kind::Other(kind) => {
                let message = format!("{:?} is of kind {kind}, which is not known", entry.name);
                Err(Error::unsupported(message))
            }
        }
    }

    /// Which entry has this name.
    ///
    /// ```
    /// use solio::Archive;
    /// # use solio::{NamedArray, Work, array::{Effort, Element}};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("arrays.solio");
    /// # let work = Work::default();
    /// # let array = |name| NamedArray { name, element: Element::U8, axes: &[2], bytes: &[1, 2] };
    /// # solio::write_arrays(&[array("ids"), array("masks")], &path, Effort::Fast, &work)?;
    /// let archive = Archive::open(&path, &Default::default(), &work)?;
    /// assert_eq!(archive.find("masks"), Some(1));
    /// assert_eq!(archive.find("normals"), None);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<usize> {
        self.file.entries.iter().position(|entry| entry.name == name)
    }

    /// The bytes of an OpenEXR file; without `compressed`, its pixels as they are, which are read
    /// soonest.
    ///
    /// ```
    /// use solio::{Archive, ImagePackOptions};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let [path, archive] = ["a.exr", "a.solio"].map(|name| folder.path().join(name));
    /// # let work = solio::Work::default();
    /// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
    /// # let image = solio::gradient_image(&gradient, [16, 8])?;
    /// # solio::write_image(&image, &path, &Default::default(), &work)?;
    /// let exact = ImagePackOptions { exact: true, ..ImagePackOptions::default() };
    /// solio::pack_images(&[path.clone()], &archive, &exact, &work, |_, made| made.map(|_| ()))?;
    /// let archive = Archive::open(&archive, &Default::default(), &work)?;
    /// // With its own compression, the file is what it was.
    /// assert_eq!(archive.file(0, true, &work)?, std::fs::read(&path).unwrap());
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn file(&self, index: usize, compressed: bool, work: &Work) -> Result<Vec<u8>> {
        self.entry(index)?;
        let how = if compressed { Compressed::Own } else { Compressed::Not };
        let mut made = Err(Error::corrupt("an empty file"));
        let mut bytes = Vec::new();
        self.each_piece(&[index], Some(how), work, |piece| match piece {
            Got::Failed { error, .. } => Err(error),
            Got::Piece { under_way, out, .. } => {
                if let Some(start) = under_way.starts() {
                    bytes = start;
                }
                bytes.extend_from_slice(out);
                if let Some((head, tables)) = under_way.ends(out)? {
                    bytes[head..head + tables.len()].copy_from_slice(&tables);
                    made = Ok(());
                }
                Ok(())
            }
        })?;
        made.map(|()| bytes)
    }

    /// The header of an image.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let [path, archive] = ["a.exr", "a.solio"].map(|name| folder.path().join(name));
    /// # let work = solio::Work::default();
    /// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
    /// # let image = solio::gradient_image(&gradient, [16, 8])?;
    /// # solio::write_image(&image, &path, &Default::default(), &work)?;
    /// # solio::pack_images(&[path], &archive, &Default::default(), &work, |_, _| Ok(()))?;
    /// let archive = solio::Archive::open(&archive, &Default::default(), &work)?;
    /// let shape = archive.header(0, &work)?.parts[0].shape()?;
    /// let names: Vec<&str> = shape.channels.iter().map(|channel| channel.name.as_str()).collect();
    /// assert_eq!(names, ["A", "B", "G", "R"]);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn header(&self, index: usize, work: &Work) -> Result<Header> {
        let archived = self.archived(index)?;
        if !archived.detail.whole {
            return Ok(archived.header);
        }
        solio_exr::decode_header(&self.file(index, false, work)?, &self.limits)
    }

    /// An image, or as much of it as `options` want.
    ///
    /// ```
    /// use solio::image::ReadOptions;
    /// use solio::image::model::Pixels;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let [path, archive] = ["a.exr", "a.solio"].map(|name| folder.path().join(name));
    /// # let work = solio::Work::default();
    /// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
    /// # let image = solio::gradient_image(&gradient, [16, 8])?;
    /// # solio::write_image(&image, &path, &Default::default(), &work)?;
    /// # solio::pack_images(&[path], &archive, &Default::default(), &work, |_, _| Ok(()))?;
    /// let archive = solio::Archive::open(&archive, &Default::default(), &work)?;
    /// let alpha = ReadOptions { channels: Some(vec!["A".into()]), ..ReadOptions::default() };
    /// let image = archive.image(0, &alpha, &work)?;
    /// let Pixels::Flat(levels) = &image.parts[0].pixels else { unreachable!("it is not deep") };
    /// assert_eq!(levels[0].planes.len(), 1);
    /// assert_eq!(levels[0].planes[0].samples.len(), 16 * 8);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn image(
        &self,
        index: usize,
        options: &ReadOptions,
        work: &Work,
    ) -> Result<Image<'static>> {
        let _span = READ.begin();
        let bytes = self.file(index, false, work)?;
        solio_exr::decode_exr(&bytes, options, work)
    }

    /// The shape of an array.
    ///
    /// ```
    /// use solio::array::{Effort, Element};
    /// use solio::{Archive, NamedArray};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("xyz.solio");
    /// # let (work, bytes) = (solio::Work::default(), [0; 120]);
    /// let (name, element) = ("xyz", Element::Float);
    /// let xyz = NamedArray { name, element, axes: &[10, 3], bytes: &bytes };
    /// solio::write_arrays(&[xyz], &path, Effort::Fast, &work)?;
    /// let shape = Archive::open(&path, &Default::default(), &work)?.shape(0)?;
    /// assert_eq!((shape.element, &shape.axes[..]), (Element::Float, &[10, 3][..]));
    /// // The memory that its samples want.
    /// assert_eq!(shape.bytes(), 10 * 3 * 4);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn shape(&self, index: usize) -> Result<ArrayShape> {
        self.file.shape(self.entry(index)?)
    }

    /// Some rows of an array, lowest byte first, into `to`; see
    /// [`ArrayFile::read_rows`](solio_codec::array::file::ArrayFile::read_rows).
    ///
    /// ```
    /// use solio::array::{Effort, Element};
    /// use solio::{Archive, NamedArray};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("pairs.solio");
    /// # let work = solio::Work::default();
    /// // Ten rows of two numbers each.
    /// let bytes: Vec<u8> = (0..20).collect();
    /// let (name, element) = ("pairs", Element::U8);
    /// let pairs = NamedArray { name, element, axes: &[10, 2], bytes: &bytes };
    /// solio::write_arrays(&[pairs], &path, Effort::Fast, &work)?;
    /// let mut some = [0; 4];
    /// Archive::open(&path, &Default::default(), &work)?.rows(0, 3..5, &mut some, &work)?;
    /// assert_eq!(some, [6, 7, 8, 9]);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn rows(&self, index: usize, rows: Range<u64>, to: &mut [u8], work: &Work) -> Result<()> {
        let _span = READ.begin();
        self.file.read_rows(&*self.source, self.entry(index)?, rows, to, work)
    }

    /// Hands all pieces of these entries to `commit`, in order: those of files unpacked, if
    /// `compressed` says how, and without that as they lie. Sums are checked.
    fn each_piece(
        &self,
        entries: &[usize],
        compressed: Option<Compressed>,
        work: &Work,
        mut commit: impl FnMut(Got<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        let mut queue = Queue { archive: self, entries: entries.iter(), current: None };
        let mut under_way = None;
        ordered::run::<UnpackSlot>(
            work,
            work.window(PIECE_BYTES),
            |slot| queue.next(slot, compressed.is_some()),
            |slot| {
                let Some(Ok(job)) = &slot.job else { return Ok(()) };
                let chunk = self.file.entries[job.entry].chunks[job.piece];
                let read = self.file.read_chunk(&*self.source, &chunk, &mut slot.packed);
                let unpacked = read.and_then(|()| match (compressed, &job.archived) {
                    (Some(compressed), Some(archived)) => {
                        let UnpackSlot { unpacker, packed, out, .. } = slot;
                        unpacker.unpack(archived, job.piece, packed, compressed, out)?;
                        slot.crc = crc32fast::hash(out);
                        Ok(())
                    }
                    _ => Ok(()),
                });
                slot.failed = unpacked.err().map(|e| {
                    let within = e.offset().filter(|at| *at < chunk.offset).unwrap_or(0);
                    Error::new(e.kind(), e.message()).at_offset(chunk.offset + within)
                });
                Ok(())
            },
            |slot| {
                let (entry, error) = match (slot.job.take(), slot.failed.take()) {
                    (Some(Ok(job)), None) => {
                        return commit_piece(&mut under_way, &job, slot, &mut commit);
                    }
                    (Some(Ok(job)), Some(error)) => (job.entry, error),
                    (Some(Err((entry, error))), _) => (entry, error),
                    (None, _) => return Ok(()),
                };
                let told =
                    under_way.as_ref().is_some_and(|u: &UnderWay| u.entry == entry && u.failed);
                under_way = Some(UnderWay { failed: true, ..UnderWay::new(entry, None) });
                match error.kind() {
                    ErrorKind::Cancelled => Err(error),
                    _ if told => Ok(()),
                    _ => commit(Got::Failed { entry, error }),
                }
            },
        )
    }
}

/// Hands a piece on, if nothing is wrong with those before it.
fn commit_piece(
    under_way: &mut Option<UnderWay>,
    job: &Job,
    slot: &UnpackSlot,
    commit: &mut impl FnMut(Got<'_>) -> Result<()>,
) -> Result<()> {
    if job.piece == 0 {
        *under_way = Some(UnderWay::new(job.entry, job.archived.clone()));
    }
    let Some(state) = under_way.as_mut().filter(|state| !state.failed) else { return Ok(()) };
    state.piece = job.piece;
    state.crc_now = slot.crc;
    let result = match &mut state.tables {
        Some(tables) => tables.add(slot.unpacker.chunks()),
        None => Ok(()),
    };
    let result = result.and_then(|()| {
        let (entry, out) = (job.entry, &slot.out[..]);
        commit(Got::Piece { entry, under_way: state, out })
    });
    match result {
        Err(error) if error.kind() == ErrorKind::Corrupt => {
            state.failed = true;
            commit(Got::Failed { entry: job.entry, error })
        }
        other => other,
    }
}

/// What comes of a piece.
enum Got<'a> {
    Piece {
        entry: usize,
        under_way: &'a mut UnderWay,
        out: &'a [u8],
    },
    /// The entry cannot be had; said once.
    Failed {
        entry: usize,
        error: Error,
    },
}

/// An entry whose pieces come.
struct UnderWay {
    entry: usize,
    archived: Option<Arc<Archived>>,
    tables: Option<OffsetTables>,
    piece: usize,
    crc: crc32fast::Hasher,
    crc_now: u32,
    failed: bool,
}

impl UnderWay {
    fn new(entry: usize, archived: Option<Arc<Archived>>) -> UnderWay {
        let tables = archived.as_ref().map(|archived| archived.tables());
        let crc = crc32fast::Hasher::new();
        UnderWay { entry, archived, tables, piece: 0, crc, crc_now: 0, failed: false }
    }

    /// What comes before the first piece, where this is that.
    fn starts(&self) -> Option<Vec<u8>> {
        self.archived.as_ref().filter(|_| self.piece == 0).map(|archived| archived.start())
    }

    /// With the last piece: where the tables lie and their bytes.
    fn ends(&mut self, out: &[u8]) -> Result<Option<(usize, Vec<u8>)>> {
        let (Some(archived), Some(tables)) = (&self.archived, &self.tables) else {
            return Ok(None);
        };
        let detail = &archived.detail;
        let sum = crc32fast::Hasher::new_with_initial_len(self.crc_now, out.len() as u64);
        self.crc.combine(&sum);
        if self.piece + 1 < detail.pieces.len() {
            return Ok(None);
        }
        Ok(Some((detail.head.len(), tables.finish()?)))
    }

    /// Whether the file is the one that was packed, where that was promised. All pieces came with
    /// their own compression.
    fn check_sum(&self, tables: &[u8]) -> Result<()> {
        let Some(archived) = &self.archived else { return Ok(()) };
        let mut crc = crc32fast::Hasher::new();
        crc.update(&archived.detail.head);
        crc.update(tables);
        crc.combine(&self.crc);
        match archived.detail.crc {
            Some(wanted) if wanted != crc.finalize() => {
                Err(Error::corrupt("the file came out with other bytes than it had"))
            }
            _ => Ok(()),
        }
    }
}

struct Job {
    entry: usize,
    archived: Option<Arc<Archived>>,
    piece: usize,
}

/// A piece under way, and what a thread keeps from one to the next.
#[derive(Default)]
struct UnpackSlot {
    job: Option<Result<Job, (usize, Error)>>,
    failed: Option<Error>,
    packed: Vec<u8>,
    out: Vec<u8>,
    crc: u32,
    unpacker: ExrUnpacker,
}

/// Deals out the pieces of entries.
struct Queue<'a> {
    archive: &'a Archive,
    entries: std::slice::Iter<'a, usize>,
    current: Option<Job>,
}

impl Queue<'_> {
    fn next(&mut self, slot: &mut UnpackSlot, unpack: bool) -> Result<bool> {
        loop {
            if let Some(job) = &mut self.current
                && job.piece < self.archive.file.entries[job.entry].chunks.len()
            {
                let (entry, piece) = (job.entry, job.piece);
                slot.job = Some(Ok(Job { entry, archived: job.archived.clone(), piece }));
                job.piece += 1;
                return Ok(true);
            }
            let Some(&entry) = self.entries.next() else { return Ok(false) };
            let archived = match unpack {
                true => self.archive.archived(entry).map(|archived| Some(Arc::new(archived))),
                false => Ok(None),
            };
            match archived {
                Ok(archived) => self.current = Some(Job { entry, archived, piece: 0 }),
                Err(error) => {
                    self.current = None;
                    slot.job = Some(Err((entry, error)));
                    return Ok(true);
                }
            }
        }
    }
}

/// How an archive is unpacked.
///
/// ```
/// use solio::ImageUnpackOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, archive, out] = ["a.exr", "a.solio", "out"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [16, 8])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// # solio::pack_images(&[path], &archive, &Default::default(), &work, |_, _| Ok(()))?;
/// // The archive may be deleted as soon as the call is back.
/// let safe = ImageUnpackOptions { durable: true, ..ImageUnpackOptions::default() };
/// solio::unpack_images(&archive, &out, &[], &safe, &work, |_, bytes| bytes.map(|_| ()))?;
/// assert!(out.join("a.exr").exists());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ImageUnpackOptions {
    /// Each file is on the disk, not only in the system's memory, when it appears.
    pub durable: bool,
    /// Bounds.
    pub limits: Limits,
}

/// Writes the files of the archive at `path` into `folder`, each whole or not at all, and tells
/// `each` their names and bytes, in order; of those that are called so in `only`, where that names
/// any. A file that cannot be had is passed by; an error of `each` ends all. A name that leads out
/// of the folder is not written to.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let work = solio::Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [16, 8])?;
/// # let frames = ["a.1.exr", "a.2.exr", "a.3.exr"].map(at);
/// # for frame in &frames {
/// #     solio::write_image(&image, frame, &Default::default(), &work)?;
/// # }
/// # let (archive, out) = (at("a.solio"), at("out"));
/// # solio::pack_images(&frames, &archive, &Default::default(), &work, |_, _| Ok(()))?;
/// let only = ["a.2.exr".to_owned()];
/// let mut written = Vec::new();
/// solio::unpack_images(&archive, &out, &only, &Default::default(), &work, |name, bytes| {
///     written.push((name.to_owned(), bytes?));
///     Ok(())
/// })?;
/// assert_eq!(written.len(), 1);
/// assert_eq!(std::fs::metadata(out.join("a.2.exr")).unwrap().len(), written[0].1);
/// assert!(!out.join("a.1.exr").exists());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn unpack_images(
    input: &(impl ToInput + ?Sized),
    folder: &Path,
    only: &[String],
    options: &ImageUnpackOptions,
    work: &Work,
    mut each: impl FnMut(&str, Result<u64>) -> Result<()> + Send,
) -> Result<()> {
    let input = input.to_input(&options.limits, work)?;
    let path = input.path();
    let _span = UNPACK.begin_labelled(&path.to_string_lossy());
    let archive = Archive::open(&*input, &options.limits, work)?;
    let entries = match only {
        [] => (0..archive.file.entries.len()).collect(),
        some => {
            let find = |name: &String| {
                let gone = || Error::argument(format!("nothing is called {name:?}")).at_path(path);
                archive.find(name).ok_or_else(gone)
            };
            some.iter().map(find).collect::<Result<Vec<_>>>()?
        }
    };
    let serial = Work { threads: 1, ..work.clone() };
    let mut sink: Option<FileSink> = None;
    let mut placed = PlacedNames::default();
    // What went wrong with a file that is written: the others come all the same.
    let mut failed: Option<usize> = None;
    archive.each_piece(&entries, Some(Compressed::Own), work, |got| match got {
        Got::Failed { entry, error } => {
            sink = None;
            each(&archive.file.entries[entry].name, Err(error.at_path(path)))
        }
        Got::Piece { entry, under_way, out } => {
            if failed == Some(entry) {
                return Ok(());
            }
            let name = &archive.file.entries[entry].name;
            let noted = match sink {
                None => placed.add(&folder.join(name)),
                Some(_) => Ok(()),
            };
            let written =
                noted.and_then(|()| put(&mut sink, folder, name, under_way, out, options, &serial));
            match written {
                Ok(Some(bytes)) => each(name, Ok(bytes)),
                Ok(None) => Ok(()),
                Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
                Err(error) => {
                    sink = None;
                    failed = Some(entry);
                    each(name, Err(error.at_path(folder.join(name))))
                }
            }
        }
    })
}

/// Writes a piece of a file; the bytes of the file, with its last piece.
fn put(
    sink: &mut Option<FileSink>,
    folder: &Path,
    name: &str,
    under_way: &mut UnderWay,
    out: &[u8],
    options: &ImageUnpackOptions,
    work: &Work,
) -> Result<Option<u64>> {
    if let Some(start) = under_way.starts() {
        let to = place(folder, name)?;
        let sink_options = SinkOptions { durable: options.durable, ..SinkOptions::default() };
        let mut new = FileSink::create(&to, &sink_options, work)?;
        new.write_bytes(work, &start)?;
        *sink = Some(new);
    }
    let Some(open) = sink else { return Ok(None) };
    open.write_bytes(work, out)?;
    let Some((head, tables)) = under_way.ends(out)? else { return Ok(None) };
    under_way.check_sum(&tables)?;
    if !tables.is_empty() {
        let file_bytes = under_way.tables.as_ref().map_or(0, OffsetTables::file_bytes);
        open.rewrite(file_bytes - head as u64, &tables)?;
    }
    let Some(done) = sink.take() else { return Ok(None) };
    Ok(Some(done.commit()?.file_bytes))
}

/// Where a file of an archive goes; its folder is made.
fn place(folder: &Path, name: &str) -> Result<std::path::PathBuf> {
    let name = Path::new(name);
    let inside = name.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || name.as_os_str().is_empty() || name.to_string_lossy().contains('\0') {
        return Err(Error::argument("the name leads out of the folder"));
    }
    let to = solio_io::place_below(folder, name)?;
    solio_io::make_folder_of(&to)?;
    Ok(to)
}

/// Checks the archive at `path`: the sums of all chunks, or, with [`CheckOptions::decode`], by
/// unpacking everything.
pub(crate) fn check_archive(
    input: &Input,
    options: &CheckOptions,
    work: &Work,
) -> Result<FileCheck> {
    let path = input.path();
    let mut check = FileCheck { format: "archive", ..FileCheck::default() };
    let archive = match Archive::open(input, &options.limits, work) {
        Ok(archive) => archive,
        Err(error) => {
            check.problems.push(problem(error, path)?);
            return Ok(check);
        }
    };
    let entries = &archive.file.entries;
    let chunks: usize = entries.iter().map(|entry| entry.chunks.len()).sum();
    let (count, chunks) = (plural(entries.len() as u64, "entry"), plural(chunks as u64, "chunk"));
    check.found = format!("{count}, {chunks}");
    let problems = &mut check.problems;
    let mut told = |entry: usize, error: Error| {
        let TableEntry { name, chunks, .. } = &entries[entry];
        let mut problem = problem(error, path)?;
        problem.message = format!("{name}: {}", problem.message);
        let start = || chunks.first().map_or(0, |chunk| chunk.offset);
        problem.offset = Some(problem.offset.unwrap_or_else(start));
        problems.push(problem);
        Ok(())
    };
    let how = options.decode.then_some(Compressed::Own);
    let is_meant = |index: &usize| !options.decode || entries[*index].kind == Kind::Exr;
    let all: Vec<usize> = (0..entries.len()).filter(is_meant).collect();
    archive.each_piece(&all, how, work, |got| match got {
        Got::Failed { entry, error } => told(entry, error),
        Got::Piece { under_way, out, .. } => match under_way.ends(out)? {
            Some((_, tables)) => under_way.check_sum(&tables),
            None => Ok(()),
        },
    })?;
    for (index, entry) in entries.iter().enumerate() {
        let described = match entry.kind {
            // Those were unpacked, or it was told why not.
            Kind::Exr if options.decode => Ok(()),
            Kind::Exr => Archived::new(entry, &options.limits).map(|_| ()),
            Kind::Array => archive.file.shape(entry).map(|_| ()),
            Kind::Other(_) => Ok(()),
        };
        if let Err(error) = described {
            told(index, error)?;
        } else if options.decode && entry.kind == Kind::Array {
            check_array(&archive, index, work).or_else(|error| told(index, error))?;
        }
    }
    Ok(check)
}

/// Unpacks all of an array, some of it at a time.
fn check_array(archive: &Archive, index: usize, work: &Work) -> Result<()> {
    let shape = archive.shape(index)?;
    let at_once = (CHECKED_BYTES / shape.row_bytes().max(1)).max(1);
    let at_once = at_once.next_multiple_of(shape.chunk_rows.max(1));
    let mut start = 0;
    let mut samples = Vec::new();
    while start < shape.rows() {
        let end = shape.rows().min(start + at_once);
        samples.resize(((end - start) * shape.row_bytes()) as usize, 0);
        archive.rows(index, start..end, &mut samples, work)?;
        start = end;
    }
    Ok(())
}

/// An array for [`write_arrays`].
///
/// ```
/// use solio::NamedArray;
/// use solio::array::{Effort, Element};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("cloud.solio");
/// let [xyz, ids] = [[0.5f32, 0.0, 1.0, 0.5, 0.0, 2.0].map(f32::to_le_bytes).concat(), vec![7, 9]];
/// let arrays = [
///     NamedArray { name: "xyz", element: Element::Float, axes: &[2, 3], bytes: &xyz },
///     NamedArray { name: "ids", element: Element::U8, axes: &[2], bytes: &ids },
/// ];
/// solio::write_arrays(&arrays, &path, Effort::Fast, &Default::default())?;
/// let archive = solio::Archive::open(&path, &Default::default(), &Default::default())?;
/// assert_eq!(archive.find("ids"), Some(1));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NamedArray<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its samples are.
    pub element: Element,
    /// Lengths of its axes, the slowest first.
    pub axes: &'a [u64],
    /// Its samples, lowest byte first.
    pub bytes: &'a [u8],
}

/// Writes arrays into the file `path`, which appears whole or not at all; its bytes.
///
/// ```
/// use solio::array::{Effort, Element};
/// use solio::{NamedArray, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("heights.solio");
/// // A slope of 100 × 100 heights.
/// let heights: Vec<u8> = (0..10_000u16).flat_map(u16::to_le_bytes).collect();
/// let array =
///     NamedArray { name: "heights", element: Element::U16, axes: &[100, 100], bytes: &heights };
/// let bytes = solio::write_arrays(&[array], &path, Effort::Thorough, &Work::default())?;
/// assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
/// assert!(bytes < heights.len() as u64 / 4);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn write_arrays(
    arrays: &[NamedArray<'_>],
    path: &Path,
    effort: Effort,
    work: &Work,
) -> Result<u64> {
    let write = || {
        let mut sink = FileSink::create(path, &SinkOptions::default(), work)?;
        let mut writer = ArrayWriter::new(&mut sink, work)?;
        for array in arrays {
            let shape = ArrayShape::new(array.element, array.axes)?;
            writer.add_array(array.name, &shape, array.bytes, effort, work)?;
        }
        let bytes = writer.finish(work)?;
        sink.commit()?;
        Ok(bytes)
    };
    write().map_err(|e: Error| e.at_path(path))
}
