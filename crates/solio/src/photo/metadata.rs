//! Photo metadata: a path, or many, to tags.

mod both;

use crate::ToInput;
use crate::photo::exiftool::ExifTool;
use crate::photo::header_tags::{self, Start};
use crate::photo::system_tags::system_tags;
use solio_base::{Error, Limits, Result, Source, Work, ordered};
use solio_io::HeadReader;
use solio_io::order::{self, Order, OrderOptions};
use solio_kinds::{FileType, HEAD_BYTES};
use solio_measure::SpanName;
use solio_photo::{Fields, Metadata, ReadOptions, decode_metadata};
use std::collections::BTreeMap;
use std::mem::take;
use std::path::{Path, PathBuf};

static READ: SpanName = SpanName::new("read metadata");
/// Files that a thread takes at a time: reading one takes about as long as handing it over.
const FILES_AT_ONCE: usize = 32;
/// Threads that read a medium that seeks: its head has enough to do with these, and what they read
/// lies side by side. Eight threads with 32 files each made 818 GB of head travel of the 2 GB that
/// one thread makes (`tests/disk_order.rs`).
const SIDE_BY_SIDE: usize = 4;

/// Reads what the file at `path` says about itself; `-` is standard input.
///
/// ```
/// use solio::{Limits, Work, photo::Fields};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// let fields = Fields::of(["Orientation"]);
/// let metadata = solio::read_metadata(&path, &fields, &Limits::default(), &Work::default())?;
/// let tag = metadata.get("Orientation").expect("the photo says how it was held");
/// assert_eq!((tag.number().integer(0), tag.text().plain().as_str()), (Some(6), "Rotate 90 CW"));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_metadata(
    input: &(impl ToInput + ?Sized),
    fields: &Fields,
    limits: &Limits,
    work: &Work,
) -> Result<Metadata> {
    let input = input.to_input(limits, work)?;
    let path = input.path();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let options = ReadOptions { fields: fields.clone(), extension, limits: *limits };
    let read = || {
        let opened = input.stream(&Work { memory_bytes: 0, ..work.clone() })?;
        let source = Start::of(&*opened.source)?;
        match input.kind() {
            kind if header_tags::reads(kind) => header_tags::read(kind, &source, fields, limits),
            _ => decode_metadata(&source, &options),
        }
    };
    let mut metadata = read().map_err(|e: Error| e.at_path(path))?;
    let system = system_tags(path, fields);
    metadata.tags.splice(0..0, system);
    Ok(metadata)
}

/// Reads many files, one after the other.
#[derive(Default)]
pub(crate) struct Reader {
    heads: HeadReader,
    /// Used again for each file.
    options: Option<ReadOptions>,
}

impl Reader {
    /// [`read_metadata`], quicker: most files need one read of their start.
    pub(crate) fn read(
        &mut self,
        path: &Path,
        options: &MetadataOptions,
        work: &Work,
    ) -> Result<Metadata> {
        let MetadataOptions { fields, limits, .. } = options;
        let own = self.options.get_or_insert_with(|| ReadOptions {
            fields: fields.clone(),
            extension: String::new(),
            limits: *limits,
        });
        let Some(source) = self.heads.open(path, fields.head_bytes())? else {
            return read_metadata(path, fields, limits, work);
        };
        own.extension.clear();
        let end = path.extension().unwrap_or_default().to_string_lossy();
        own.extension.extend(end.chars().flat_map(char::to_lowercase));
        let head = &source.head()[..source.head().len().min(HEAD_BYTES)];
        let read = match FileType::detect(head, source.len_bytes(), path).kind {
            kind if header_tags::reads(kind) => header_tags::read(kind, &source, fields, limits),
            _ => decode_metadata(&source, own),
        };
        let mut metadata = read.map_err(|e| e.at_path(path))?;
        metadata.tags.splice(0..0, system_tags(path, fields));
        // A file that lies whole in its head was read, too.
        metadata.bytes_read = metadata.bytes_read.max(source.head().len() as u64);
        Ok(metadata)
    }
}

/// Who reads metadata.
///
/// ```
/// use solio::{ExifTool, MetadataEngine, MetadataOptions};
/// // ExifTool fills the gaps where it is installed; else Solio reads alone.
/// let engine = match ExifTool::new(Default::default()) {
///     Ok(tool) => MetadataEngine::Both(tool),
///     Err(_) => MetadataEngine::Native,
/// };
/// let options = MetadataOptions { engine, ..MetadataOptions::default() };
/// assert!(!matches!(options.engine, MetadataEngine::ExifTool(_)));
/// ```
#[derive(Default)]
pub enum MetadataEngine {
    /// Solio.
    #[default]
    Native,
    /// ExifTool alone.
    ExifTool(ExifTool),
    /// Solio, and ExifTool for files and groups that Solio does not cover.
    Both(ExifTool),
}

/// How many files are read.
///
/// ```
/// use solio::photo::{Fields, Metadata};
/// use solio::{MetadataOptions, Work};
/// # use std::path::Path;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// # solio::write_bytes(&path, b"# made by hand\no Cube\nv 0 0 0\n")?;
/// // Of a mesh file, what stands before its first vertex.
/// let options = MetadataOptions { fields: Fields::of(["OBJ:*"]), ..MetadataOptions::default() };
/// let count = |_: &Path, read: solio::Result<Metadata>, tags: &mut usize| {
///     *tags = read.map_or(0, |metadata| metadata.tags.len());
/// };
/// solio::read_metadata_files(&[path], &options, &Work::default(), count, |tags| {
///     assert_eq!(tags, [2]);
///     Ok(())
/// })?;
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Default)]
pub struct MetadataOptions {
    /// Which tags.
    pub fields: Fields,
    /// Bounds.
    pub limits: Limits,
    /// Who reads.
    pub engine: MetadataEngine,
    /// In which order the files are read; their results come in the order in which they are named.
    pub order: Order,
}

/// Reads many files on all threads. `show` says something of each, on any thread; `each` gets what
/// was said, some at a time, in the order of `files`, whatever could be read or not. `show` finds
/// what was said of an earlier file as `each` left it: memory that is used again.
///
/// ```
/// use solio::{MetadataOptions, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let at = |name: &str| folder.path().join(name);
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&at("a.tif"), tiff)?;
/// let files = [at("a.tif"), at("gone.tif"), at("a.tif")];
/// let mut lines = Vec::new();
/// solio::read_metadata_files(
///     &files,
///     &MetadataOptions::default(),
///     &Work::default(),
///     |_, read, line: &mut String| {
///         *line = match read {
///             Ok(metadata) => metadata.get("Orientation").unwrap().text().plain(),
///             Err(error) => error.kind().name().to_owned(),
///         };
///     },
///     |some| {
///         lines.extend_from_slice(some);
///         Ok(())
///     },
/// )?;
/// assert_eq!(lines, ["Rotate 90 CW", "io", "Rotate 90 CW"]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_metadata_files<T: Default + Send>(
    files: &[PathBuf],
    options: &MetadataOptions,
    work: &Work,
    show: impl Fn(&Path, Result<Metadata>, &mut T) + Sync,
    mut each: impl FnMut(&mut [T]) -> Result<()> + Send,
) -> Result<()> {
    let planned = order_of(files, options, work)?;
    let few = Work { threads: work.threads.min(SIDE_BY_SIDE), ..work.clone() };
    let (order, by_place) = planned.map_or((None, false), |plan| (Some(plan.order), plan.by_place));
    let work = if by_place { &few } else { work };
    let mut early = Early { waiting: BTreeMap::new(), turn: 0, ready: Vec::new() };
    let names = options.fields.names();
    let read = |reader: &mut Reader, path: &Path| match &options.engine {
        MetadataEngine::Native => reader.read(path, options, work),
        MetadataEngine::ExifTool(tool) => tool.read(path, &names, &work.cancel),
        MetadataEngine::Both(tool) => {
            let native = reader.read(path, options, work);
            both::complete(native, tool, path, &options.fields, &work.cancel)
        }
    };
    let at_once = match options.engine {
        MetadataEngine::Native if !by_place => FILES_AT_ONCE,
        _ => 1,
    };
    let mut next = 0..files.len();
    ordered::run(
        work,
        2 * work.threads + 2,
        |slot: &mut MetadataSlot<T>| {
            slot.files.clear();
            let place = |i: usize| order.as_ref().map_or(i, |order| order[i]);
            slot.files.extend(next.by_ref().take(at_once).map(place));
            Ok(!slot.files.is_empty())
        },
        |slot| {
            let _span = READ.begin();
            slot.shown.resize_with(slot.files.len().max(slot.shown.len()), T::default);
            for (&i, shown) in slot.files.iter().zip(&mut slot.shown) {
                show(&files[i], read(&mut slot.reader, &files[i]), shown);
            }
            slot.reader.heads.count(&work.progress);
            Ok(())
        },
        |slot| {
            let shown = &mut slot.shown[..slot.files.len()];
            if order.is_none() {
                return each(shown);
            }
            early.waiting.extend(slot.files.iter().copied().zip(shown.iter_mut().map(take)));
            each(early.ready())
        },
    )
}

/// Some files, and what became of them.
struct MetadataSlot<T> {
    files: Vec<usize>,
    shown: Vec<T>,
    reader: Reader,
}

impl<T> Default for MetadataSlot<T> {
    fn default() -> Self {
        MetadataSlot { files: Vec::new(), shown: Vec::new(), reader: Reader::default() }
    }
}

/// In which order to read.
struct Planned {
    order: Vec<usize>,
    /// Whether it is that of places on a medium, which threads must not leave behind.
    by_place: bool,
}

/// The order in which to read; `None`: as given.
fn order_of(files: &[PathBuf], options: &MetadataOptions, work: &Work) -> Result<Option<Planned>> {
    let order = options.order;
    // Most files need no more than their start: where the rest lies does not count.
    let range = Some(0..options.fields.head_bytes() as u64);
    let read = |path| order::Read { path, range: range.clone() };
    let reads: Vec<_> = files.iter().map(|path| read(path)).collect();
    let options = OrderOptions { order, ..OrderOptions::default() };
    let auto = |reads: &[order::Read<'_>]| -> Result<_> {
        Ok(order::plan(reads, options, work)?.used.first().map(|used| used.order))
    };
    // Asking for the places of files takes a tenth of the time of reading their dates: the first
    // file tells whether the medium seeks.
    if order == Order::None
        || order == Order::Auto && auto(&reads[..reads.len().min(1)])? != Some(Order::Physical)
    {
        return Ok(None);
    }
    let plan = order::plan(&reads, options, work)?;
    let placed = |used: &order::Used| matches!(used.order, Order::Physical | Order::Inode);
    let by_place = plan.used.iter().any(placed);
    Ok((by_place || !plan.order.is_sorted()).then_some(Planned { order: plan.order, by_place }))
}

/// Results that are there before their turn.
struct Early<T> {
    waiting: BTreeMap<usize, T>,
    turn: usize,
    ready: Vec<T>,
}

impl<T> Early<T> {
    /// Those whose turn it is.
    fn ready(&mut self) -> &mut [T] {
        self.ready.clear();
        while let Some(shown) = self.waiting.remove(&self.turn) {
            self.turn += 1;
            self.ready.push(shown);
        }
        &mut self.ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_io::probe::write_plain;

    #[test]
    fn results_come_in_order_with_errors_among_them() {
        let folder = tempfile::tempdir().unwrap();
        let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let mut files = Vec::new();
        for n in 0..100 {
            let path = folder.path().join(format!("{n}.tif"));
            let mut bytes = tiff.to_vec();
            bytes[18] = n % 9;
            if n != 50 {
                write_plain(&path, &bytes).unwrap();
            }
            files.push(path);
        }
        for (threads, order) in [(1, Order::None), (3, Order::None), (3, Order::Name)] {
            let fields = Fields::of(["Orientation"]);
            let options = MetadataOptions { fields, order, ..MetadataOptions::default() };
            let work = Work { threads, ..Work::default() };
            let mut shown = Vec::new();
            let show = |_: &Path, read: Result<Metadata>, shown: &mut String| {
                *shown = match read {
                    Ok(metadata) => metadata.tags[0].number().plain(),
                    Err(e) => e.kind().name().to_owned(),
                };
            };
            let each = |some: &mut [String]| {
                shown.extend_from_slice(some);
                Ok(())
            };
            read_metadata_files(&files, &options, &work, show, each).unwrap();
            let name = |n: i32| if n == 50 { "io".to_owned() } else { (n % 9).to_string() };
            assert_eq!(shown, (0..100).map(name).collect::<Vec<_>>());
        }
    }
}
