//! Names of files in JSON: what is no UTF-8 gets a second field from which the bytes come back.

use serde_json::{Value, json};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// An object with `path` and, where that has lost bytes, `path_encoded`.
pub(crate) fn json(path: &Path) -> Value {
    let mut line = json!({ "path": path.to_string_lossy() });
    if path.to_str().is_none() {
        line["path_encoded"] = percent(path).into();
    }
    line
}

/// Bytes as they stand in a URL.
pub(crate) fn percent(path: &Path) -> String {
    solio::catalog::names::percent(path.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn names_keep_their_bytes() {
        let path = Path::new(OsStr::from_bytes(b"caf\xe9 %.jpg"));
        assert_eq!(percent(path), "caf%E9%20%25.jpg");
        assert_eq!(json(path)["path_encoded"], "caf%E9%20%25.jpg");
        assert_eq!(json(Path::new("é")), json!({ "path": "é" }));
    }
}
