//! Journals: lines of JSON that are on the disk before what they tell of is done.

use serde_json::Value;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Limits, Result, Work};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A journal that is written.
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// A new one; its name is on the disk.
    ///
    /// # Errors
    /// `Io` where something is there already.
    pub(crate) fn create(path: &Path) -> Result<Journal> {
        let file = solio_io::new_file(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        solio_io::sync_folder(folder.unwrap_or(Path::new(".")))?;
        Ok(Journal { file, path: path.to_owned() })
    }

    /// Writes lines, and returns when the disk has them.
    pub(crate) fn append(&mut self, lines: &[Value]) -> Result<()> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|e| Error::io("write the journal", e).at_path(&self.path))
    }
}

/// The lines of a journal with their numbers. One that was not written to its end is left out: what it tells of
/// was not begun.
///
/// # Errors
/// `Io`; `Corrupt` for a line that is not JSON.
pub(crate) fn read(path: &Path, work: &Work) -> Result<Vec<(u64, Value)>> {
    let text = solio_io::read_whole(path, &Limits::default(), work)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = text[..whole].split(|byte| *byte == b'\n').zip(1u64..);
    let lines = lines.filter(|(line, _)| !line.is_empty());
    let read = lines.map(|(line, number)| match serde_json::from_slice::<Value>(line) {
        Ok(value) if value.is_object() => Ok((number, value)),
        _ => Err(Error::corrupt("this line is no entry of a journal")
            .at_path(path)
            .at_line(number, 1)),
    });
    read.collect()
}

/// Puts a path into a line, from the root on: as text to read, and its bytes.
pub(crate) fn put_path(line: &mut Value, name: &str, path: &Path) {
    let path = solio_base::names::absolute(path).unwrap_or(path.into());
    let hex = path.as_os_str().as_bytes().iter().map(|byte| format!("{byte:02x}"));
    line[format!("{name}_hex")] = hex.collect::<String>().into();
    line[name] = path.to_string_lossy().into();
}

/// The path that [`put_path`] put in.
pub(crate) fn path_of(line: &Value, name: &str) -> Option<PathBuf> {
    let hex = line[format!("{name}_hex")].as_str()?.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = hex.map(byte).collect::<Option<_>>()?;
    Some(OsStr::from_bytes(&bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_what_was_cut_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let odd = Path::new(OsStr::from_bytes(b"/caf\xed\xa0\x80\n"));
        let mut line = serde_json::json!({ "n": 1 });
        put_path(&mut line, "path", odd);
        let mut journal = Journal::create(&path).unwrap();
        journal.append(&[line.clone(), line.clone()]).unwrap();
        journal.file.write_all(b"{\"n\":").unwrap();
        assert!(Journal::create(&path).is_err());
        let read_again = read(&path, &Work::default()).unwrap();
        assert_eq!(read_again, [(1, line.clone()), (2, line.clone())]);
        assert_eq!(path_of(&line, "path").as_deref(), Some(odd));
        assert_eq!(path_of(&line, "n"), None);
        journal.file.write_all(b"\n").unwrap();
        assert_eq!(read(&path, &Work::default()).unwrap_err().line(), Some(3));
    }
}
