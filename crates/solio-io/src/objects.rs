//! Objects of a store where files are wanted: `s3://bucket/key`, `gs://bucket/key`,
//! `az://container/key`.
//!
//! Without the feature `objects` such a path is told, and that this build cannot read it.

use crate::file::OpenedFile;
#[cfg(feature = "objects")]
pub use asked::{ask, open_object};
use solio_base::{Error, Result, Source, Work};
use solio_codec::compress::Compression;
#[cfg(feature = "objects")]
pub use solio_objects::{Address, Asking, Bucket, Object, ObjectSource};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Whether `path` is the address of objects, not the path of a file.
///
/// ```
/// use solio_io::objects::is_address;
/// assert!(is_address("s3://shots/sc010/beauty.0001.exr".as_ref()));
/// // A folder may be called so.
/// assert!(!is_address("s3/shots".as_ref()));
/// ```
pub fn is_address(path: &Path) -> bool {
    let path = path.as_os_str().as_bytes();
    [b"s3://", b"gs://", b"az://"].iter().any(|scheme| path.starts_with(*scheme))
}

/// What a path that [`is_address`] gets in a build without the feature.
///
/// ```
/// let error = solio_io::objects::not_built().at_path("gs://shots/a.exr");
/// assert_eq!(error.kind(), solio_base::ErrorKind::Unsupported);
/// assert!(error.to_string().starts_with("gs://shots/a.exr: this build"));
/// ```
pub fn not_built() -> Error {
    Error::unsupported("this build of solio does not read object storage")
        .hint("build it with the feature objects")
}

/// An object, opened as [`open`](crate::open) opens a file.
pub(crate) fn open(
    path: &Path,
    work: &Work,
    stream: impl FnOnce(Box<dyn Read + Send>) -> Result<(Box<dyn Source>, Compression)>,
) -> Result<OpenedFile> {
    #[cfg(not(feature = "objects"))]
    {
        let _ = (work, stream);
        Err(not_built().at_path(path))
    }
    #[cfg(feature = "objects")]
    asked::open(path, work, stream)
}

#[cfg(feature = "objects")]
mod asked {
    use super::{
        Address, Asking, Bucket, Compression, Error, ObjectSource, OpenedFile, Path, Read,
    };
    use super::{Result, Source, Work};
    use crate::throttle;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// Of an opened object, as of a file: they tell the compression.
    const HEAD_BYTES: usize = 4096;

    /// How objects are asked for in `work`: what comes is counted there, and waits for the rate that
    /// the process may read with.
    pub fn ask(head_bytes: usize, work: &Work) -> Asking {
        let progress = work.progress.clone();
        let got = move |bytes| {
            progress.add_read(bytes);
            throttle::wait(bytes)
        };
        let (cancel, memory_bytes) = (work.cancel.clone(), work.memory_bytes / 2);
        Asking { head_bytes, memory_bytes, cancel, got: Arc::new(got) }
    }

    /// Asks for the object at `path`, an address, and the start of it.
    ///
    /// # Errors
    /// Those of [`ObjectSource::open`]; where there is no such object that of a missing file.
    pub fn open_object(path: &Path, asking: Asking) -> Result<ObjectSource> {
        let address = Address::of(path).unwrap_or_else(|| {
            Err(Error::argument("this is no address of an object").at_path(path))
        })?;
        let opened = ObjectSource::open(&Bucket::open(&address)?, &address.key, asking)?;
        opened.ok_or_else(|| Error::missing("open").at_path(path))
    }

    pub(super) fn open(
        path: &Path,
        work: &Work,
        stream: impl FnOnce(Box<dyn Read + Send>) -> Result<(Box<dyn Source>, Compression)>,
    ) -> Result<OpenedFile> {
        // What goes through a stream is counted there.
        let by_stream = Arc::new(AtomicBool::new(false));
        let mut asking = ask(HEAD_BYTES, work);
        asking.got = {
            let (count, by_stream) = (Arc::clone(&asking.got), Arc::clone(&by_stream));
            Arc::new(move |bytes| if by_stream.load(Relaxed) { Ok(()) } else { count(bytes) })
        };
        let source = open_object(path, asking)?;
        let bytes = source.object().size;
        work.progress.add_read_total(bytes);
        let compression = Compression::of_head(source.head());
        let source: Box<dyn Source> = match compression {
            Compression::None => Box::new(source),
            _ => {
                by_stream.store(true, Relaxed);
                stream(Box::new(ObjectStream { source, at: 0 }))?.0
            }
        };
        Ok(OpenedFile { source, compression, file_bytes: Some(bytes) })
    }

    /// An object from its beginning to its end.
    struct ObjectStream {
        source: ObjectSource,
        at: u64,
    }

    impl Read for ObjectStream {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            let got = self.source.read_at(self.at, buf).map_err(std::io::Error::other)?;
            self.at += got as u64;
            Ok(got)
        }
    }
}
