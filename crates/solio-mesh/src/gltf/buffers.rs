//! Buffers and the views of them: bytes within the file, in other files, or within references.

use super::document::{Document, Packed};
use super::meshopt;
use super::uri::{Reference, resolve};
use solio_base::{Error, Limits, Result, Source, Work};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a document's other files come from: formats never open files.
///
/// ```
/// use solio_base::{Error, Result, Source, Work};
/// use solio_mesh::gltf::{GltfFiles, decode_gltf};
/// struct One;
/// impl GltfFiles for One {
///     fn open(&self, name: &str) -> Result<Box<dyn Source>> {
///         match name {
///             "a b.bin" => Ok(Box::new([0f32, 0., 0., 1., 0., 0., 0., 1., 0.].map(f32::to_le_bytes).concat())),
///             _ => Err(Error::argument("no such file")),
///         }
///     }
/// }
/// let text = br#"{ "asset": { "version": "2.0" }, "buffers": [ { "byteLength": 36, "uri": "a%20b.bin" } ],
///     "bufferViews": [ { "buffer": 0, "byteLength": 36 } ],
///     "accessors": [ { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" } ],
///     "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0 } } ] } ] }"#;
/// let scene = decode_gltf(&&text[..], &One, &Default::default(), &Work::serial())?;
/// assert_eq!(scene.meshes[0].positions.get(2), [0.0, 1.0, 0.0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub trait GltfFiles {
    /// The file of this name, relative to the document's folder, with `/` between folders.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    fn open(&self, name: &str) -> Result<Box<dyn Source>>;
}

/// No files: a document that refers to some cannot be read.
///
/// ```
/// use solio_mesh::gltf::{GltfFiles, NoGltfFiles};
/// assert!(NoGltfFiles.open("a.bin").is_err());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGltfFiles;

impl GltfFiles for NoGltfFiles {
    fn open(&self, name: &str) -> Result<Box<dyn Source>> {
        let message = format!("the document refers to the file \"{name}\", and has no folder");
        Err(Error::unsupported(message).hint("name the file by its path, or make a .glb of it"))
    }
}

/// What is held of a buffer.
enum Held<'s> {
    Lent(&'s dyn Source),
    Own(Box<dyn Source>),
}

struct OpenBuffer<'s> {
    held: Held<'s>,
    start: u64,
    length: u64,
}

impl OpenBuffer<'_> {
    fn source(&self) -> &dyn Source {
        match &self.held {
            Held::Lent(source) => *source,
            Held::Own(source) => &**source,
        }
    }
}

/// The bytes of a view.
pub(super) struct Slab<'a> {
    bytes: SlabBytes<'a>,
    start: u64,
    pub(super) length: u64,
    pub(super) stride: Option<u64>,
}

enum SlabBytes<'a> {
    Source(&'a dyn Source),
    Decoded(Arc<Vec<u8>>),
}

impl Slab<'_> {
    pub(super) fn source(&self) -> &dyn Source {
        match &self.bytes {
            SlabBytes::Source(source) => *source,
            SlabBytes::Decoded(bytes) => bytes,
        }
    }

    /// Where byte `at` of the view is in the source.
    pub(super) fn place(&self, at: u64) -> u64 {
        self.start + at
    }

    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> Result<()> {
        self.source().read_exact_at(self.place(at), into, "a buffer")
    }
}

/// The buffers of a document, opened when they are first asked for.
pub(super) struct Buffers<'s> {
    pub(super) document: &'s Document,
    source: &'s dyn Source,
    binary: Option<(u64, u64)>,
    files: &'s dyn GltfFiles,
    outside: bool,
    opened: Vec<OnceCell<OpenBuffer<'s>>>,
    decoded: RefCell<HashMap<u32, Arc<Vec<u8>>>>,
    /// Bytes that arrays have taken.
    spent: Cell<u64>,
    /// Bytes that there are: of the file, and of other buffers that were opened.
    there: Cell<u64>,
    limits: Limits,
    pub(super) work: &'s Work,
}

/// What arrays may take whatever the file's size.
const LEAST_ROOM: u64 = 1 << 30;
/// Bytes of arrays for a byte of the file: one mesh may be drawn many times.
const EXPANSION: u64 = 256;

impl<'s> Buffers<'s> {
    pub(super) fn new(
        document: &'s Document,
        source: &'s dyn Source,
        binary: Option<(u64, u64)>,
        files: &'s dyn GltfFiles,
        outside: bool,
        limits: &Limits,
        work: &'s Work,
    ) -> Buffers<'s> {
        Buffers {
            document,
            source,
            binary,
            files,
            outside,
            opened: document.buffers.iter().map(|_| OnceCell::new()).collect(),
            decoded: RefCell::default(),
            spent: Cell::new(0),
            there: Cell::new(source.len_bytes().unwrap_or(0)),
            limits: *limits,
            work,
        }
    }

    /// The bounds of the reader.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Takes `bytes` of what arrays may take in all.
    pub(super) fn spend(&self, bytes: u64) -> Result<()> {
        let room = self.there.get().saturating_mul(EXPANSION).max(LEAST_ROOM);
        let room = room.min(self.limits.bytes);
        let spent = self.spent.get().saturating_add(bytes);
        if spent > room {
            let message = format!(
                "the arrays need {spent} bytes and more; the file's size and the limits allow {room}"
            );
            return Err(Error::limit(message)
                .hint("keep instances as they are (--instances keep), if it has many"));
        }
        self.spent.set(spent);
        Ok(())
    }

    /// Whether so many bytes, of which the file has none, are in proportion to it.
    pub(super) fn check_zeros(&self, bytes: u64) -> Result<()> {
        if bytes <= self.there.get().saturating_mul(EXPANSION) {
            return Ok(());
        }
        Err(Error::limit(format!("{bytes} bytes of zeros, in a file of {}", self.there.get())))
    }

    fn buffer(&self, number: u32) -> Result<&OpenBuffer<'s>> {
        let Some(cell) = self.opened.get(number as usize) else {
            return Err(missing("buffer", number, self.opened.len()));
        };
        if let Some(opened) = cell.get() {
            return Ok(opened);
        }
        let opened = self.open(number)?;
        if matches!(opened.held, Held::Own(_)) {
            self.there.set(self.there.get().saturating_add(opened.length));
        }
        Ok(cell.get_or_init(|| opened))
    }

    fn open(&self, number: u32) -> Result<OpenBuffer<'s>> {
        let json = &self.document.buffers[number as usize];
        let (held, start, there) = match &json.uri {
            None => match self.binary {
                Some((start, length)) if number == 0 => (Held::Lent(self.source), start, length),
                _ => {
                    let message =
                        format!("buffers[{number}] has no data: no uri, and no binary chunk");
                    return Err(Error::corrupt(message));
                }
            },
            Some(uri) => match resolve(uri, self.outside)? {
                Reference::Data { bytes, .. } => {
                    let length = bytes.len() as u64;
                    (Held::Own(Box::new(bytes)), 0, length)
                }
                Reference::File(name) => {
                    let source = self.files.open(&name)?;
                    let length = source.len_bytes().unwrap_or(json.byte_length);
                    (Held::Own(source), 0, length)
                }
            },
        };
        if there < json.byte_length {
            let message =
                format!("buffers[{number}] has {there} of its {} bytes", json.byte_length);
            return Err(Error::corrupt(message));
        }
        Ok(OpenBuffer { held, start, length: json.byte_length })
    }

    /// A range of a buffer.
    fn range(&self, buffer: u32, offset: u64, length: u64, what: &str) -> Result<Slab<'_>> {
        let opened = self.buffer(buffer)?;
        if offset.checked_add(length).is_none_or(|end| end > opened.length) {
            return Err(Error::corrupt(format!(
                "{what}: {length} bytes at {offset} of a buffer of {}",
                opened.length
            )));
        }
        let bytes = SlabBytes::Source(opened.source());
        Ok(Slab { bytes, start: opened.start + offset, length, stride: None })
    }

    /// The bytes of a view, unpacked.
    pub(super) fn view(&self, number: u32) -> Result<Slab<'_>> {
        let views = &self.document.buffer_views;
        let Some(json) = views.get(number as usize) else {
            return Err(missing("buffer view", number, views.len()));
        };
        let what = format!("bufferViews[{number}]");
        if let Some(packed) = json.extensions.meshopt() {
            let bytes = self.unpacked(number, packed, &what)?;
            let (length, stride) = (bytes.len() as u64, json.byte_stride);
            return Ok(Slab { bytes: SlabBytes::Decoded(bytes), start: 0, length, stride });
        }
        let slab = self.range(json.buffer, json.byte_offset, json.byte_length, &what)?;
        Ok(Slab { stride: json.byte_stride, ..slab })
    }

    fn unpacked(&self, number: u32, packed: &Packed, what: &str) -> Result<Arc<Vec<u8>>> {
        if let Some(known) = self.decoded.borrow().get(&number) {
            return Ok(known.clone());
        }
        let slab = self.range(packed.buffer, packed.byte_offset, packed.byte_length, what)?;
        let bytes = meshopt::decoded_bytes(packed)
            .and_then(|bytes| self.spend(bytes.saturating_add(packed.byte_length)))
            .and_then(|()| {
                let mut code = vec![0; packed.byte_length as usize];
                slab.read(0, &mut code)?;
                meshopt::decode(packed, &code)
            })
            .map_err(|e| in_place(e, what))?;
        let bytes = Arc::new(bytes);
        self.decoded.borrow_mut().insert(number, bytes.clone());
        Ok(bytes)
    }

    /// All bytes of a view.
    pub(super) fn view_bytes(&self, number: u32) -> Result<Vec<u8>> {
        let slab = self.view(number)?;
        self.spend(slab.length)?;
        let mut bytes = vec![0; usize::try_from(slab.length).unwrap_or(usize::MAX)];
        slab.read(0, &mut bytes)?;
        Ok(bytes)
    }
}

/// The error of a number that leads nowhere.
pub(super) fn missing(what: &str, number: u32, count: usize) -> Error {
    Error::corrupt(format!("{what} {number} of {count}"))
}

/// The same error, with what it concerns before its message.
pub(super) fn in_place(error: Error, what: &str) -> Error {
    let mut placed = Error::new(error.kind(), format!("{what}: {}", error.message()));
    if let Some(hint) = error.hint_text() {
        placed = placed.hint(hint);
    }
    if let Some(offset) = error.offset() {
        placed = placed.at_offset(offset);
    }
    if let Some(path) = error.path() {
        placed = placed.at_path(path);
    }
    placed
}
