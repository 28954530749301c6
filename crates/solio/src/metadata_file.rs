//! Metadata of photos: a path, or many, to tags.

use solio_base::{Error, Limits, Result, Work, ordered};
use solio_measure::SpanName;
use solio_photo::{Fields, Metadata, ReadOptions, decode_metadata};
use std::path::{Path, PathBuf};

static READ: SpanName = SpanName::new("read metadata");
/// Files that a thread takes at a time: reading one takes about as long as handing it over.
const FILES_AT_ONCE: usize = 32;

/// Reads what the file at `path` says about itself; `-` is standard input.
pub fn read_metadata(
    path: &Path,
    fields: &Fields,
    limits: &Limits,
    work: &Work,
) -> Result<Metadata> {
    let opened = solio_io::open(path, limits, &Work { memory_bytes: 0, ..work.clone() })?;
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let options = ReadOptions { fields: fields.clone(), extension, limits: *limits };
    decode_metadata(&*opened.source, &options).map_err(|e: Error| e.at_path(path))
}

/// Reads many files on all threads. `show` makes something of each, on any thread; `each` gets
/// that one by one, in the order of `files`, whatever could be read or not.
pub fn read_metadata_files<T: Send>(
    files: &[PathBuf],
    fields: &Fields,
    limits: &Limits,
    work: &Work,
    show: impl Fn(&Path, Result<Metadata>) -> T + Sync,
    mut each: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    struct Slot<'f, T> {
        files: &'f [PathBuf],
        shown: Vec<T>,
    }
    impl<T> Default for Slot<'_, T> {
        fn default() -> Self {
            Slot { files: &[], shown: Vec::new() }
        }
    }
    let mut chunks = files.chunks(FILES_AT_ONCE);
    ordered::run(
        work,
        2 * work.threads + 2,
        |slot: &mut Slot<'_, T>| {
            slot.files = chunks.next().unwrap_or_default();
            Ok(!slot.files.is_empty())
        },
        |slot| {
            let _span = READ.begin();
            let read = |path: &PathBuf| show(path, read_metadata(path, fields, limits, work));
            slot.shown.extend(slot.files.iter().map(read));
            Ok(())
        },
        |slot| slot.shown.drain(..).try_for_each(&mut each),
    )
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
        let fields = Fields::of(["Orientation"]);
        for threads in [1, 3] {
            let work = Work { threads, ..Work::default() };
            let mut shown = Vec::new();
            let show = |_: &Path, read: Result<Metadata>| match read {
                Ok(metadata) => metadata.tags[0].number().plain(),
                Err(e) => e.kind().name().to_owned(),
            };
            let each = |text| {
                shown.push(text);
                Ok(())
            };
            read_metadata_files(&files, &fields, &Limits::default(), &work, show, each).unwrap();
            let name = |n: i32| if n == 50 { "io".to_owned() } else { (n % 9).to_string() };
            assert_eq!(shown, (0..100).map(name).collect::<Vec<_>>());
        }
    }
}
