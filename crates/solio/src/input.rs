//! An input, opened once: its first bytes tell what it is, and everything that is read of it comes
//! through here.

use solio_base::{Error, Limits, Result, Source, Work, lock};
use solio_codec::compress::Compression;
use solio_exr::Header;
use solio_io::{FileSource, OpenFile, OpenedSource};
use solio_kinds::{Family, FileKind, FileType, HEAD_BYTES};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes that are read where a long comment hides what a text is.
const TEXT_BYTES: usize = 64 << 10;

/// A file, a pipe or bytes in memory, opened once. What it is, its content decides; the name helps
/// where content cannot tell.
///
/// ```
/// use solio::{Family, FileKind, Input, Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("scan.dat");
/// # let text = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
/// #     property float z\nend_header\n0 0 0\n";
/// # solio::write_bytes(&path, text)?;
/// let input = Input::open(&path, &Limits::default(), &Work::default())?;
/// assert_eq!((input.kind(), input.file_type().family()), (FileKind::Ply, Family::Mesh));
/// # Ok::<(), solio::Error>(())
/// ```
pub struct Input {
    file: OpenFile,
    file_type: FileType,
    limits: Limits,
    /// The stream whose start told the type, of bytes that come once and compressed.
    begun: Mutex<Option<OpenedSource>>,
    /// All content, where it cannot be read at any offset otherwise.
    memory: OnceLock<Arc<Vec<u8>>>,
    header: OnceLock<Header>,
}

impl Input {
    /// Opens `path` (`-` is standard input, `s3://…` an object) and finds out what it is.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn open(path: &Path, limits: &Limits, work: &Work) -> Result<Input> {
        Input::of(OpenFile::open(path, work)?, limits, work)
    }

    /// Bytes in memory, as a file called `name` (empty: without a name) would have them.
    ///
    /// # Errors
    /// Where compressed bytes cannot be decompressed.
    pub fn of_bytes(name: &Path, bytes: Vec<u8>, limits: &Limits) -> Result<Input> {
        Input::of(OpenFile::of_bytes(name, bytes), limits, &Work::serial())
    }

    /// A file that has been opened elsewhere.
    pub(crate) fn of(file: OpenFile, limits: &Limits, work: &Work) -> Result<Input> {
        let is_packed = file.compression() != Compression::None;
        let mut begun = None;
        let mut head = file.plain_head().into_owned();
        if is_packed && file.comes_once() {
            let opened = file.source(limits, work)?;
            head.resize(HEAD_BYTES, 0);
            let got = opened.source.read_at(0, &mut head).map_err(|e| e.at_path(file.path()))?;
            head.truncate(got);
            begun = Some(opened);
        }
        let bytes = file.file_bytes().filter(|_| !is_packed);
        let mut file_type = FileType::detect(&head, bytes, file.path());
        let is_hidden = matches!(file_type.kind, FileKind::Text)
            && head.len() >= HEAD_BYTES
            && FileType::may_be_hidden(&head);
        if is_hidden && !file.comes_once() {
            // No thread is worth so few bytes.
            let serial = Work { memory_bytes: 0, ..Work::serial() };
            let opened = file.source_in_turn(limits, &serial)?;
            head.resize(TEXT_BYTES, 0);
            let got = opened.source.read_at(0, &mut head).map_err(|e| e.at_path(file.path()))?;
            file_type = FileType::detect(&head[..got], bytes, file.path());
        }
        let (limits, begun) = (*limits, Mutex::new(begun));
        let (memory, header) = (OnceLock::new(), OnceLock::new());
        Ok(Input { file, file_type, limits, begun, memory, header })
    }

    /// Where it was found.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// What it is; of a compressed file what is in it.
    pub fn file_type(&self) -> FileType {
        self.file_type
    }

    /// The row of what it is.
    pub fn kind(&self) -> FileKind {
        self.file_type.kind
    }

    /// The kind that its content shows or, where that is unknown, the one that its name promises:
    /// the reader of that kind then tells what is wrong.
    pub fn kind_or_named(&self) -> FileKind {
        match self.kind() {
            FileKind::Data | FileKind::Text | FileKind::Empty => {
                FileType::of_path(self.path()).map_or(self.kind(), |named| named.kind)
            }
            kind => kind,
        }
    }

    /// How it is compressed.
    pub fn compression(&self) -> Compression {
        self.file.compression()
    }

    /// Bytes on the disk, where that is known.
    pub fn file_bytes(&self) -> Option<u64> {
        self.file.file_bytes()
    }

    /// Whether its bytes come once: a pipe, a device, standard input.
    pub fn comes_once(&self) -> bool {
        self.file.comes_once()
    }

    /// The file itself, as it lies on the disk.
    ///
    /// # Errors
    /// `Argument` for pipes and other things that are not regular files.
    pub(crate) fn plain_file(&self) -> Result<&FileSource> {
        let file = self.file.plain();
        file.ok_or_else(|| Error::argument("this is not a regular file").at_path(self.path()))
    }

    /// Whether `path` names the very file that was opened by its name.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let which = |path: &Path| {
            let status = solio_io::walk::status_of(path).ok()?;
            Some((status.device, status.inode))
        };
        !solio_io::is_direct(path) && which(path).is_some_and(|own| which(self.path()) == Some(own))
    }

    /// The first bytes as they lie on the disk.
    pub(crate) fn head(&self) -> &[u8] {
        self.file.head()
    }

    /// Bounds of what is read of it.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// All of it, decompressed, for who reads it from the beginning to the end; what is large and
    /// not in the page cache is read ahead.
    pub(crate) fn stream(&self, work: &Work) -> Result<OpenedSource> {
        if let Some(bytes) = self.memory.get() {
            let (compression, file_bytes) = (self.compression(), self.file_bytes());
            return Ok(OpenedSource { source: Box::new(bytes.clone()), compression, file_bytes });
        }
        let begun = lock(&self.begun).take();
        begun.map_or_else(|| self.file.source(&self.limits, work), Ok)
    }

    /// [`stream`](Input::stream), unpacked by the threads that read it.
    pub(crate) fn stream_in_turn(&self, work: &Work) -> Result<OpenedSource> {
        let begun = lock(&self.begun).take();
        begun.map_or_else(|| self.file.source_in_turn(&self.limits, work), Ok)
    }

    /// All of it, decompressed, at any offset and any number of times; nothing is read ahead. What is
    /// compressed, or comes once, is unpacked into memory.
    pub(crate) fn source(&self, work: &Work) -> Result<Box<dyn Source>> {
        if self.compression() == Compression::None && !self.comes_once() {
            let opening = Work { memory_bytes: 0, ..work.clone() };
            return Ok(self.file.source(&self.limits, &opening)?.source);
        }
        Ok(Box::new(self.in_memory(work)?))
    }

    /// [`source`](Input::source) for who wants most of it: what is large and not in the page cache is
    /// read ahead.
    pub(crate) fn whole(&self, work: &Work) -> Result<Box<dyn Source>> {
        match self.compression() == Compression::None && !self.comes_once() {
            true => Ok(self.file.source(&self.limits, work)?.source),
            false => self.source(work),
        }
    }

    /// All bytes, decompressed.
    pub(crate) fn bytes(&self, work: &Work) -> Result<Vec<u8>> {
        match self.memory.get() {
            Some(bytes) => Ok(bytes.to_vec()),
            None => {
                let opened = self.stream(work)?;
                let bytes = solio_io::bytes_of(&*opened.source, &self.limits);
                bytes.map_err(|e| e.at_path(self.path()))
            }
        }
    }

    fn in_memory(&self, work: &Work) -> Result<Arc<Vec<u8>>> {
        if self.memory.get().is_none() {
            let _ = self.memory.set(Arc::new(self.bytes(work)?));
        }
        Ok(self.memory.get().cloned().unwrap_or_default())
    }

    /// Its OpenEXR header, decoded once.
    ///
    /// # Errors
    /// Those of [`decode_header`](solio_exr::decode_header), with the path.
    pub fn exr_header(&self, work: &Work) -> Result<&Header> {
        if self.header.get().is_none() {
            self.expect(FileKind::Exr)?;
            let header = solio_exr::decode_header(&*self.source(work)?, &self.limits);
            let _ = self.header.set(header.map_err(|e| e.at_path(self.path()))?);
        }
        self.header.get().ok_or_else(|| Error::corrupt("the header was not kept"))
    }

    /// That it is of this kind, or may be; what else it is, and which function reads that.
    fn expect(&self, wanted: FileKind) -> Result<()> {
        if self.kind() == wanted || self.kind_or_named() == wanted {
            return Ok(());
        }
        Err(self.wrong(wanted.title()))
    }

    /// The error of who wanted something else: `wanted` is `a mesh`, say.
    pub(crate) fn wrong(&self, wanted: &str) -> Error {
        let kind = self.kind();
        let (error, hint) = match kind {
            FileKind::Empty => {
                return Error::corrupt("the file is empty").at_offset(0).at_path(self.path());
            }
            FileKind::Data | FileKind::Text => {
                let error =
                    Error::unsupported(format!("neither content nor name is that of {wanted}"));
                return error.at_path(self.path());
            }
            _ => (
                Error::unsupported(format!("the file is {}, not {wanted}", described(kind))),
                reader(kind),
            ),
        };
        let error = error.at_path(self.path());
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// A path, which is opened, or an [`Input`] that is open already: what functions that read take.
pub trait ToInput {
    /// The open input.
    ///
    /// # Errors
    /// Those of [`Input::open`].
    fn to_input(&self, limits: &Limits, work: &Work) -> Result<InputRef<'_>>;
}

/// An input of one's own, or one that is lent.
pub enum InputRef<'i> {
    /// OpenedSource for this call.
    Own(Box<Input>),
    /// OpenedSource before.
    Lent(&'i Input),
}

impl Deref for InputRef<'_> {
    type Target = Input;

    fn deref(&self) -> &Input {
        match self {
            InputRef::Own(input) => input,
            InputRef::Lent(input) => input,
        }
    }
}

impl<P: AsRef<Path> + ?Sized> ToInput for P {
    fn to_input(&self, limits: &Limits, work: &Work) -> Result<InputRef<'_>> {
        Ok(InputRef::Own(Box::new(Input::open(self.as_ref(), limits, work)?)))
    }
}

impl ToInput for Input {
    fn to_input(&self, _: &Limits, _: &Work) -> Result<InputRef<'_>> {
        Ok(InputRef::Lent(self))
    }
}

impl ToInput for &Input {
    fn to_input(&self, _: &Limits, _: &Work) -> Result<InputRef<'_>> {
        Ok(InputRef::Lent(self))
    }
}

/// `an OpenEXR image`, `a pbrt scene`.
fn described(kind: FileKind) -> String {
    let title = kind.title();
    let family = match kind.family() {
        Family::Mesh => " mesh",
        Family::Image => " image",
        _ => "",
    };
    let article = match title.chars().next() {
        _ if title.starts_with("an ") || title.starts_with("a ") => "",
        Some('A' | 'E' | 'I' | 'O' | 'a' | 'e' | 'i' | 'o') => "an ",
        _ => "a ",
    };
    format!("{article}{title}{family}")
}

/// What reads files of this kind.
fn reader(kind: FileKind) -> Option<&'static str> {
    match kind.family() {
        Family::Mesh => Some("use read_mesh"),
        Family::Image if kind == FileKind::Exr => Some("use read_image"),
        Family::Image if solio_kinds::ImageFormat::of_kind(kind).is_some() => {
            Some("solio convert makes OpenEXR of it, and preview shows it")
        }
        Family::Image | Family::Photo => Some("use read_metadata"),
        Family::Scene => Some("use read_scene, or solio convert"),
        Family::Gradient => Some("use read_gradients"),
        Family::Archive => Some("use unpack"),
        Family::Catalogue => Some("use query"),
        _ => None,
    }
}
