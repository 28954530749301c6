//! Objects of a store where files are wanted: `s3://bucket/key`, `gs://bucket/key`,
//! `az://container/key`.
//!
//! Without the feature `objects` such a path is told, and that this build cannot read it.

#[cfg(feature = "objects")]
pub use asked::{ask, open_object};
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Source, Work};
#[cfg(feature = "objects")]
pub use solio_objects::{Address, Asking, Bucket, Object, ObjectSource};
use std::path::Path;
use std::sync::Arc;

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

/// An object and its bytes, for [`OpenFile`](crate::OpenFile).
pub(crate) fn open(path: &Path, work: &Work) -> Result<(Arc<dyn Source>, u64)> {
    #[cfg(not(feature = "objects"))]
    {
        let _ = work;
        Err(not_built().at_path(path))
    }
    #[cfg(feature = "objects")]
    {
        let source = open_object(path, ask(crate::file::HEAD_BYTES, work))?;
        let bytes = source.object().size;
        work.progress.add_read_total(bytes);
        Ok((Arc::new(source), bytes))
    }
}

#[cfg(feature = "objects")]
mod asked {
    use super::{Address, Arc, Asking, Bucket, Error, ObjectSource, Path, Result, Work};
    use crate::throttle;

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
}
