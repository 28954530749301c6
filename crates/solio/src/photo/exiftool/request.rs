//! What ExifTool is asked: which tags, of which file, and how the name gets there whole.

use solio_base::names::{OsStrBytes, OsStringBytes};
use std::ffi::OsString;
use std::path::Path;

/// Longer requests go by arguments: a pipe takes one that is shorter without waiting.
const MOST_LINES: usize = 32 << 10;

/// Which tags are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask<'a> {
    /// All of them.
    All,
    /// Those named.
    Fields(&'a [String]),
    /// What only the makers know, and what follows from it.
    MakerNotes,
}

impl Ask<'_> {
    /// The arguments for it.
    pub(super) fn arguments(self, numbers: bool) -> Vec<String> {
        let mut all: Vec<String> = ["-j", "-G1", "-a"].map(str::to_owned).into();
        if numbers {
            all.push("-n".into());
        }
        match self {
            Ask::All => {}
            Ask::Fields(fields) => {
                // An option of no tag at all would mean every tag.
                all.push("-ExifTool:Error".into());
                all.push("-ExifTool:Warning".into());
                all.extend(
                    fields.iter().filter_map(|field| named(field)).map(|name| format!("-{name}")),
                );
            }
            Ask::MakerNotes => {
                all.extend(["-MakerNotes:all", "-Composite:all"].map(str::to_owned));
            }
        }
        all
    }
}

/// A field, unless it is no name of a tag: that must not become another option.
fn named(field: &str) -> Option<&str> {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_-:*?".contains(c);
    (!field.is_empty() && !field.starts_with('-') && field.chars().all(safe)).then_some(field)
}

/// The name as ExifTool takes it for a file and nothing else: no option, no comment.
pub(super) fn protected(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_bytes();
    let plain = |first: &u8| first.is_ascii_alphanumeric() || matches!(first, b'/' | b'.' | b'_');
    if bytes.first().is_some_and(plain) {
        return path.as_os_str().to_owned();
    }
    OsString::from_vec([b"./", bytes].concat())
}

/// The request as lines, unless a name or a field cannot be written that way: lines end with a
/// newline and are read as UTF-8.
pub(super) fn lines(path: &Path, arguments: &[String]) -> Option<Vec<u8>> {
    let name = protected(path);
    let name = name.to_str().filter(|name| !name.contains(['\n', '\r', '\0']))?;
    let mut lines = String::new();
    for argument in arguments.iter().map(String::as_str).chain([name]) {
        lines.push_str(argument);
        lines.push('\n');
    }
    (lines.len() <= MOST_LINES).then(|| lines.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn names_are_files_and_nothing_else() {
        let name = |text: &str| protected(Path::new(text)).into_string().unwrap();
        assert_eq!(name("a b.jpg"), "a b.jpg");
        assert_eq!(name("/x/-a.jpg"), "/x/-a.jpg");
        for odd in ["-j", "#a", " a", "@a", "é"] {
            assert_eq!(name(odd), format!("./{odd}"));
        }
        let by_lines = |bytes: &[u8]| lines(Path::new(OsStr::from_bytes(bytes)), &["-j".into()]);
        assert_eq!(by_lines(b"-a.jpg").unwrap(), b"-j\n./-a.jpg\n");
        for not in [&b"a\nb"[..], b"a\r", b"caf\xe9.jpg", b"\xed\xa0\x80.jpg"] {
            // On Windows all bytes of names are WTF-8; others are no names.
            if OsStr::from_bytes(not).as_bytes() == not {
                assert_eq!(by_lines(not), None);
            }
        }
        assert_eq!(by_lines(&[b'a'; MOST_LINES]), None);
    }

    #[test]
    fn fields_are_names_and_nothing_else() {
        let fields = ["CreateDate", "GPS:*", "-w", "x=1", "a\n-execute", ""].map(String::from);
        let arguments = Ask::Fields(&fields).arguments(true);
        assert_eq!(arguments[3..6], ["-n", "-ExifTool:Error", "-ExifTool:Warning"]);
        assert_eq!(arguments[6..], ["-CreateDate", "-GPS:*"]);
        let arguments = Ask::MakerNotes.arguments(false);
        assert_eq!(arguments[3..], ["-MakerNotes:all", "-Composite:all"]);
    }
}
