//! Files of a command: those named, those in folders; arguments that stand in files.

use super::lines;
use super::options::Options;
use super::show::NotSure;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Limits, Result, Work};
use solio_kinds::FileKind;
use std::path::{Path, PathBuf};

/// Longest file of arguments.
const MOST_ARGUMENTS: u64 = 256 << 20;
/// Folders within each other.
const MOST_DEPTH: usize = 256;

/// A file as it was named.
pub(super) struct FileArgument {
    pub(super) name: Vec<u8>,
    pub(super) path: PathBuf,
}

/// The files of a command, and how many folders were looked into.
pub(super) struct FoundFiles {
    pub(super) files: Vec<FileArgument>,
    pub(super) folders: usize,
}

/// The arguments in the file of this name.
pub(super) fn argument_file(name: &[u8]) -> Result<Vec<Vec<u8>>> {
    let path = super::path_of(name);
    let bytes = solio_io::read_whole(
        &path,
        &Limits { bytes: MOST_ARGUMENTS, ..Limits::default() },
        &Work::default(),
    )?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(bytes.split_inclusive(|b| *b == b'\n').filter_map(lines::argument).collect())
}

/// The files that `options` name.
pub(super) fn files(options: &Options) -> std::result::Result<FoundFiles, NotSure> {
    let mut found = FoundFiles { files: Vec::new(), folders: 0 };
    for name in &options.files {
        if name == b"-" {
            return Err("standard input".into());
        }
        let path = super::path_of(name);
        if std::path::MAIN_SEPARATOR == '\\' && name.iter().any(|b| matches!(b, b'*' | b'?')) {
            return Err("a pattern of names".into());
        }
        if path.is_dir() {
            folder(&path, name, options, &mut found, 0)?;
        } else {
            if !options.extensions.is_empty() {
                return Err("-ext with a file".into());
            }
            found.files.push(FileArgument { name: name.clone(), path });
        }
    }
    Ok(found)
}

/// Adds the files of a folder, as the system lists them.
fn folder(
    path: &Path,
    name: &[u8],
    options: &Options,
    found: &mut FoundFiles,
    depth: usize,
) -> std::result::Result<(), NotSure> {
    let failed = |e| Error::io("look into", e).at_path(path).message().to_owned();
    if depth > MOST_DEPTH {
        return Err("folders too deep".into());
    }
    found.folders += 1;
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let own = entry.file_name();
        let own = own.as_bytes();
        let slash = if name.ends_with(b"/") { &b""[..] } else { b"/" };
        let below = [name, slash, own].concat();
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_symlink() {
            return Err("a link in a folder".into());
        }
        if kind.is_dir() {
            let ignored =
                options.ignored.iter().any(|ignored| *ignored == own || *ignored == below);
            if options.recurse && !ignored && !own.starts_with(b".") {
                folders.push((entry.path(), below));
            }
            continue;
        }
        let extension = own.iter().rposition(|b| *b == b'.').map(|dot| &own[dot + 1..]);
        let extension = extension.map(|e| String::from_utf8_lossy(e).to_ascii_lowercase());
        if is_wanted(extension.as_deref(), options)? {
            found.files.push(FileArgument { name: below, path: entry.path() });
        }
    }
    for (path, name) in folders {
        folder(&path, &name, options, found, depth + 1)?;
    }
    Ok(())
}

/// Whether a file in a folder is looked at.
fn is_wanted(extension: Option<&str>, options: &Options) -> std::result::Result<bool, NotSure> {
    let given = options.extensions.iter().find(|(known, _)| Some(known.as_str()) == extension);
    if let Some((_, wanted)) = given {
        return Ok(*wanted);
    }
    if options.extensions.iter().any(|(_, wanted)| *wanted) {
        return Ok(false);
    }
    // Which other extensions ExifTool knows is its own affair.
    match extension.is_some_and(|extension| FileKind::Jpeg.has_extension(extension)) {
        true => Ok(true),
        false => Err("a folder with other files than JPEG".into()),
    }
}
