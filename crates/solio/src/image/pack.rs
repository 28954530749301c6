//! Archives of images: OpenEXR files to one file of arrays. `image_unpack` is the way back.

use crate::mesh::texture_paths::normalize;
use solio_base::names::slashed;
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work, ordered};
use solio_codec::array::Effort;
use solio_codec::array::file::{ArrayWriter, ChunkChecksum, Kind};
use solio_exr::archive::{ExrPacker, ExrPacking, FilePiece, PackedPiece, PackingOptions};
use solio_io::{FileSink, SinkOptions};
use solio_measure::SpanName;
use std::path::{Path, PathBuf};
use std::sync::Arc;

static PACK: SpanName = SpanName::new("pack images");

/// Files up to so many bytes are read at once.
const SMALL_BYTES: u64 = 8 << 20;
/// About what a piece under way takes; see `solio_exr::archive`.
const PIECE_BYTES: usize = 8 << 20;

/// How images are packed.
///
/// ```
/// use solio::{Archive, ImagePackOptions, pack_images};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, packed] = ["beauty.exr", "beauty.solio"].map(|name| folder.path().join(name));
/// # let (limits, work) = (solio::Limits::default(), solio::Work::default());
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [64, 32])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// // For an archive where digests of the files are known: every byte is to come back.
/// let options = ImagePackOptions { exact: true, ..ImagePackOptions::default() };
/// pack_images(&[path.clone()], &packed, &options, &work, |_, packed| packed.map(|_| ()))?;
/// let bytes = Archive::open(&packed, &limits, &work)?.file(0, true, &work)?;
/// assert_eq!(bytes, std::fs::read(&path).unwrap());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ImagePackOptions {
    /// Whether files have to come back byte for byte; without it, their headers and pixels do.
    pub exact: bool,
    /// How much is tried.
    pub effort: Effort,
    /// The archive is on the disk, not only in the system's memory, when packing returns.
    pub durable: bool,
    /// Bounds of each file.
    pub limits: Limits,
}

/// What became of an image.
///
/// ```
/// use solio::pack_images;
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path();
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [64, 32])?;
/// # std::fs::create_dir(root.join("left")).unwrap();
/// # std::fs::create_dir(root.join("right")).unwrap();
/// let paths = ["left/1.exr", "right/1.exr"].map(|name| root.join(name));
/// # for path in &paths {
/// #     solio::write_image(&image, path, &Default::default(), &work)?;
/// # }
/// let mut names = Vec::new();
/// pack_images(&paths, &root.join("all.solio"), &Default::default(), &work, |_, packed| {
///     let packed = packed?;
///     assert!(packed.packed_bytes < packed.file_bytes && packed.damage.is_empty());
///     names.push(packed.name);
///     Ok(())
/// })?;
/// // Names begin where the folders differ.
/// assert_eq!(names, ["left/1.exr", "right/1.exr"]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImagePacked {
    /// Its name in the archive.
    pub name: String,
    /// Its bytes.
    pub file_bytes: u64,
    /// Its bytes in the archive, without the header.
    pub packed_bytes: u64,
    /// Pieces that are stored unmodified: pixels of lossy methods, deep ones, and those that would
    /// not come back.
    pub kept_pieces: u64,
    /// Pieces.
    pub pieces: u64,
    /// What is wrong with the file; nobody but its readers is harmed, as those pieces are kept as
    /// they lie.
    pub damage: Vec<String>,
}

/// What an archive holds.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [input, output] = ["notes.txt", "all.solio"].map(|name| folder.path().join(name));
/// // Nothing that can be packed: there is no archive.
/// solio::write_bytes(&input, b"no image")?;
/// let (options, work) = Default::default();
/// let packed = solio::pack_images(&[input], &output, &options, &work, |_, _| Ok(()))?;
/// assert_eq!((packed.images, packed.file_bytes), (0, 0));
/// assert!(!output.exists());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImagesPacked {
    /// Files in it.
    pub images: u64,
    /// Their bytes.
    pub image_bytes: u64,
    /// Bytes of the archive; 0 where no image could be packed, and none was made.
    pub file_bytes: u64,
}

/// A file under way.
struct Open {
    source: Box<dyn Source>,
    packing: ExrPacking,
}

/// A piece under way, and what a thread keeps from one to the next.
#[derive(Default)]
struct PackSlot {
    input: usize,
    /// The file, and which of its pieces; why there is none.
    job: Option<Result<(Arc<Open>, usize)>>,
    done: Option<Result<(PackedPiece, ChunkChecksum)>>,
    packer: ExrPacker,
    chunk: Vec<u8>,
}

/// Packs the OpenEXR files at `inputs` into the archive `output`, which appears whole or not at
/// all, and tells `each` what became of every one, in order. A file that cannot be read is passed
/// by; an error of `each` ends all. Names in the archive are relative to the folder that the inputs
/// have in common.
///
/// ```
/// use solio::{Archive, ImagePackOptions, pack_images};
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path();
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [64, 32])?;
/// # for name in ["1.exr", "3.exr"] {
/// #     solio::write_image(&image, &root.join(name), &Default::default(), &work)?;
/// # }
/// let paths = [1, 2, 3].map(|frame| root.join(format!("{frame}.exr")));
/// let archive = root.join("shot.solio");
/// let mut failed = Vec::new();
/// let all = pack_images(&paths, &archive, &ImagePackOptions::default(), &work, |path, packed| {
///     if packed.is_err() {
///         failed.push(path.to_owned());
///     }
///     Ok(())
/// })?;
/// // The second frame is missing; the others are packed.
/// assert_eq!((all.images, failed), (2, vec![paths[1].clone()]));
/// assert_eq!(Archive::open(&archive, &Default::default(), &work)?.entries()?.len(), 2);
/// assert!(all.file_bytes < all.image_bytes);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn pack_images(
    inputs: &[PathBuf],
    output: &Path,
    options: &ImagePackOptions,
    work: &Work,
    each: impl FnMut(&Path, Result<ImagePacked>) -> Result<()> + Send,
) -> Result<ImagesPacked> {
    let _span = PACK.begin_labelled(&output.to_string_lossy());
    let names = names(inputs);
    let sink_options = SinkOptions { durable: options.durable, ..SinkOptions::default() };
    let create = || FileSink::create(output, &sink_options, work);
    let mut sink = create().map_err(|e| e.at_path(output))?;
    let mut put_down = PutDown {
        writer: ArrayWriter::new(&mut sink, work)?,
        serial: Work { threads: 1, ..work.clone() },
        inputs,
        names: &names,
        each,
        current: Current::default(),
        packed: ImagesPacked::default(),
    };
    let mut files = Files { inputs, next: 0, open: None, options, work };
    ordered::run::<PackSlot>(
        work,
        work.window(PIECE_BYTES),
        |slot| files.next(slot, &names),
        |slot| {
            let Some(Ok((open, piece))) = &slot.job else { return Ok(()) };
            slot.done = Some(
                slot.packer
                    .pack(&open.packing, *piece, &*open.source, &mut slot.chunk)
                    .and_then(|packed| Ok((packed, ChunkChecksum::of(&slot.chunk)?))),
            );
            Ok(())
        },
        |slot| put_down.slot(slot),
    )?;
    let PutDown { writer, mut packed, .. } = put_down;
    if packed.images == 0 {
        return Ok(packed);
    }
    let finished = writer.finish(work).and_then(|bytes| {
        packed.file_bytes = bytes;
        sink.commit()
    });
    finished.map(|_| packed).map_err(|e| e.at_path(output))
}

/// Opens the files, one after the other, and deals out their pieces.
struct Files<'a> {
    inputs: &'a [PathBuf],
    next: usize,
    open: Option<(Arc<Open>, usize)>,
    options: &'a ImagePackOptions,
    work: &'a Work,
}

impl Files<'_> {
    fn next(
        &mut self,
        slot: &mut PackSlot,
        names: &[Result<String, &'static str>],
    ) -> Result<bool> {
        if let Some((open, piece)) = &mut self.open
            && *piece < open.packing.pieces()
        {
            slot.job = Some(Ok((Arc::clone(open), *piece)));
            *piece += 1;
            slot.input = self.next - 1;
            return Ok(true);
        }
        self.open = None;
        let Some(path) = self.inputs.get(self.next) else { return Ok(false) };
        slot.input = self.next;
        self.next += 1;
        let named = names[slot.input].as_ref().map_err(|why| Error::unsupported(*why));
        slot.job = Some(named.and_then(|_| self.open(path)).map(|open| {
            let open = Arc::new(open);
            self.open = Some((Arc::clone(&open), 1));
            (open, 0)
        }));
        Ok(true)
    }

    fn open(&self, path: &Path) -> Result<Open> {
        let limits = &self.options.limits;
        let opened = solio_io::open(path, limits, &Work { memory_bytes: 0, ..self.work.clone() })?;
        let mut source = opened.source;
        let length = match source.len_bytes() {
            Some(length) if !source.is_sequential() => length,
            _ => {
                let message = "only plain files go into an archive, no pipes and compressed ones";
                return Err(Error::unsupported(message));
            }
        };
        if length <= SMALL_BYTES {
            let mut bytes = vec![0; length as usize];
            source.read_exact_at(0, &mut bytes, "the file")?;
            source = Box::new(bytes);
        }
        let options = PackingOptions {
            exact: self.options.exact,
            effort: self.options.effort,
            limits: *limits,
        };
        let packing = ExrPacking::new(&*source, &options)?;
        Ok(Open { source, packing })
    }
}

/// What was put down of the file under way.
#[derive(Default)]
struct Current {
    pieces: Vec<FilePiece>,
    sums: Vec<(u32, u64)>,
    damage: Vec<String>,
    failed: bool,
}

/// Puts the pieces down in order, and ends the entries.
struct PutDown<'a, E> {
    writer: ArrayWriter<'a>,
    /// Chunks are written by the thread that has them.
    serial: Work,
    inputs: &'a [PathBuf],
    names: &'a [Result<String, &'static str>],
    each: E,
    current: Current,
    packed: ImagesPacked,
}

impl<E: FnMut(&Path, Result<ImagePacked>) -> Result<()>> PutDown<'_, E> {
    fn slot(&mut self, slot: &mut PackSlot) -> Result<()> {
        let (job, done) = (slot.job.take(), slot.done.take());
        let (open, piece) = match job {
            Some(Ok(job)) => job,
            Some(Err(error)) => return self.fail(slot.input, error),
            None => return Ok(()),
        };
        if piece == 0 {
            self.current = Current::default();
            self.writer.forget();
            // Its chunks would stay in the archive, and be in no entry.
            let name = self.names[slot.input].as_deref().unwrap_or_default();
            if self.writer.has(name) {
                let error = Error::argument(format!("two entries are called {name:?}"));
                self.current.failed = true;
                return self.fail(slot.input, error);
            }
        }
        match done {
            _ if self.current.failed => return Ok(()),
            Some(Ok((packed, sum))) => {
                self.writer.add_chunk(&slot.chunk, sum, &self.serial)?;
                self.current.pieces.push(packed.piece);
                self.current.sums.push(packed.sum);
                self.current.damage.extend(packed.damage);
            }
            Some(Err(error)) => {
                self.current.failed = true;
                return self.fail(slot.input, error);
            }
            None => return Ok(()),
        }
        if piece + 1 < open.packing.pieces() {
            return Ok(());
        }
        let Current { pieces, sums, damage, .. } = std::mem::take(&mut self.current);
        let kept = pieces.iter().filter(|piece| **piece == FilePiece::Kept).count();
        let mut made = ImagePacked {
            file_bytes: open.packing.file_bytes(),
            kept_pieces: kept as u64,
            pieces: pieces.len() as u64,
            damage,
            ..ImagePacked::default()
        };
        if open.packing.is_whole() {
            made.damage.push("the file is incomplete or has gaps between chunks".to_owned());
        }
        made.name = self.names[slot.input].clone().unwrap_or_default();
        let detail = open.packing.detail(pieces, &sums).encode();
        match self.writer.end_entry(&made.name, Kind::Exr, detail) {
            Ok(bytes) => made.packed_bytes = bytes,
            Err(error) => return self.fail(slot.input, error),
        }
        self.packed.images += 1;
        self.packed.image_bytes += made.file_bytes;
        (self.each)(&self.inputs[slot.input], Ok(made))
    }

    fn fail(&mut self, input: usize, error: Error) -> Result<()> {
        if error.kind() == ErrorKind::Cancelled {
            return Err(error);
        }
        let path = &self.inputs[input];
        (self.each)(path, Err(error.at_path(path)))
    }
}

/// The names of files in an archive: relative to the folder that they have in common.
fn names(inputs: &[PathBuf]) -> Vec<Result<String, &'static str>> {
    let whole: Vec<Result<PathBuf, &'static str>> =
        inputs.iter().map(|path| absolute(path)).collect();
    let mut common: Option<PathBuf> = None;
    for path in whole.iter().flatten() {
        let folder = path.parent().unwrap_or(Path::new("/"));
        common = Some(match common {
            None => folder.to_owned(),
            Some(so_far) => {
                let same = so_far.components().zip(folder.components());
                same.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
            }
        });
    }
    let common = common.unwrap_or_default();
    let name = |path: Result<PathBuf, &'static str>| {
        let path = path?;
        let name = path.strip_prefix(&common).unwrap_or(&path);
        let name = slashed(name.to_owned()).into_os_string().into_string();
        name.map_err(|_| "names in an archive are UTF-8")
    };
    whole.into_iter().map(name).collect()
}

/// The path from the root, without `.` and `..`.
fn absolute(path: &Path) -> Result<PathBuf, &'static str> {
    if path.as_os_str() == solio_io::STANDARD {
        return Err("standard input has no name to give to a file");
    }
    std::path::absolute(path).map(|path| normalize(&path)).map_err(|_| "its folder cannot be found")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_where_folders_differ() {
        let of = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            let names = names(&paths).into_iter().map(|name| name.unwrap_or("?".into()));
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(&["/a/b/1.exr"]), "1.exr");
        assert_eq!(of(&["/a/b/1.exr", "/a/b/2.exr"]), "1.exr 2.exr");
        assert_eq!(of(&["/a/b/1.exr", "/a/c/1.exr"]), "b/1.exr c/1.exr");
        assert_eq!(of(&["/a/b/1.exr", "/a/b/x/y/1.exr", "-"]), "1.exr x/y/1.exr ?");
        assert_eq!(of(&["x/../1.exr", "./2.exr"]), "1.exr 2.exr");
        assert_eq!(of(&["/1.exr", "/../a/2.exr"]), "1.exr a/2.exr");
    }
}
