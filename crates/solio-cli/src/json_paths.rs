//! Names of files in JSON: what is not valid UTF-8 gets a second field from which the bytes come back.

use crate::table::some;
use serde_json::{Map, Value};
use solio::names::OsStrBytes;
use std::path::{Path, PathBuf};

/// An object with `path` and, where that has lost bytes, `path_encoded`.
pub(crate) fn json(path: &Path) -> Value {
    let mut object = Map::new();
    put(&mut object, "path", path);
    object.into()
}

/// [`json`] of all files, each with its `bytes`.
pub(crate) fn sized(files: &[(PathBuf, u64)]) -> Value {
    let sized = |(path, bytes): &(PathBuf, u64)| {
        let mut line = json(path);
        line["bytes"] = (*bytes).into();
        line
    };
    files.iter().map(sized).collect()
}

/// The one, or how many there are: `a.obj`, `12 images`.
pub(crate) fn one_or_count<P: AsRef<Path>>(
    mut paths: impl ExactSizeIterator<Item = P>,
    noun: &str,
) -> String {
    match (paths.len(), paths.next()) {
        (1, Some(one)) => one.as_ref().display().to_string(),
        (n, _) => some(n as u64, noun),
    }
}

/// The field `name`, and `name_encoded` where that has lost bytes.
pub(crate) fn put(object: &mut Map<String, Value>, name: &str, path: &Path) {
    object.insert(name.to_owned(), path.to_string_lossy().into());
    if path.to_str().is_none() {
        object.insert(format!("{name}_encoded"), percent(path).into());
    }
}

/// The field `name` with all of them, and `name_encoded` where any has lost bytes.
pub(crate) fn put_all(line: &mut Value, name: &str, paths: &[PathBuf]) {
    let text = paths.iter().map(|path| path.to_string_lossy().into_owned());
    line[name] = text.collect();
    if paths.iter().any(|path| path.to_str().is_none()) {
        line[format!("{name}_encoded")] = paths.iter().map(|path| percent(path)).collect();
    }
}

/// Bytes as they stand in a URL.
pub(crate) fn percent(path: &Path) -> String {
    solio::catalog::names::percent(path.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::ffi::OsStr;

    #[test]
    fn names_keep_their_bytes() {
        // Half a character: no text, and a name on Windows too.
        let path = Path::new(OsStr::from_bytes(b"caf\xed\xa0\x80 %.jpg"));
        assert_eq!(percent(path), "caf%ED%A0%80%20%25.jpg");
        assert_eq!(json(path)["path_encoded"], "caf%ED%A0%80%20%25.jpg");
        assert_eq!(json(Path::new("é")), json!({ "path": "é" }));
    }

    #[test]
    fn many_names_are_a_number() {
        assert_eq!(one_or_count(["a.obj"].iter(), "mesh"), "a.obj");
        assert_eq!(one_or_count(["a.obj"; 1200].iter(), "mesh"), "1,200 meshes");
        assert_eq!(one_or_count([""; 0].iter(), "file"), "0 files");
    }
}
