//! The files that are read: photos, copied again and again until there are enough.

use crate::files::{all_below, temporary_folder};
use solio::names::OsStrBytes;
use solio::photo::Fields;
use solio::{Error, Limits, Result, Work};
use solio_io::probe::{read_plain, write_plain};
use std::path::{Path, PathBuf};

/// Where the photos of the tests lie below the folder with data.
const PHOTOS: &str = "photo";

/// A folder of copies, all of them in the page cache.
pub(super) struct PhotoFiles {
    pub(super) folder: tempfile::TempDir,
    pub(super) paths: Vec<PathBuf>,
    /// Their names, one a line.
    pub(super) list: PathBuf,
    pub(super) bytes: u64,
    /// How many different files there are.
    pub(super) different: usize,
}

impl PhotoFiles {
    /// Copies the photos at and below `from` to `count` files, in turn; `None` where there are none.
    pub(super) fn mixed(from: &[PathBuf], count: usize, work: &Work) -> Result<Option<PhotoFiles>> {
        let from = if from.is_empty() { data().into_iter().collect() } else { from.to_vec() };
        let found = all_below(&from, work)?;
        let fields = Fields::of(["FileType"]);
        let known =
            |path: &PathBuf| solio::read_metadata(path, &fields, &Limits::default(), work).is_ok();
        let photos: Vec<PathBuf> = found.into_iter().filter(known).collect();
        if photos.is_empty() {
            return Ok(None);
        }
        let folder = temporary_folder()?;
        let mut files = PhotoFiles {
            list: folder.path().join("list"),
            paths: Vec::with_capacity(count),
            bytes: 0,
            different: photos.len().min(count),
            folder,
        };
        let (mut bytes, mut list) = (Vec::new(), Vec::new());
        for (n, photo) in photos.iter().cycle().take(count).enumerate() {
            let inner = files.folder.path().join(format!("{:02}", n / 500));
            if n % 500 == 0 {
                std::fs::create_dir(&inner).map_err(|e| Error::io("make", e).at_path(&inner))?;
            }
            let end = photo.extension().unwrap_or_default().to_string_lossy();
            let path = inner.join(format!("{n:06}.{end}"));
            read_plain(photo, &mut bytes)?;
            write_plain(&path, &bytes)?;
            files.bytes += bytes.len() as u64;
            list.extend_from_slice(path.as_os_str().as_bytes());
            list.push(b'\n');
            files.paths.push(path);
        }
        write_plain(&files.list, &list)?;
        Ok(Some(files))
    }
}

/// The photos of the tests, where they are.
fn data() -> Option<PathBuf> {
    let data = std::env::var_os("SOLIO_DATA").map(PathBuf::from);
    let photos = data.unwrap_or_else(|| Path::new("../shared/data").to_owned()).join(PHOTOS);
    photos.is_dir().then_some(photos)
}
