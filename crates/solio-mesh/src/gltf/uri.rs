//! References to other files, and data within references.

use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, Engine as _};
use solio_base::{Error, Result};

/// Some writers leave the padding out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What a reference says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// Bytes, and the MIME type that stands before them.
    Data { mime: String, bytes: Vec<u8> },
    /// A file, percent-decoded, with `/` between folders.
    File(String),
}

/// Reads a reference. One to a file outside of the folder of the document and below is refused, but
/// for `outside`; an address always is.
pub(super) fn resolve(uri: &str, outside: bool) -> Result<Reference> {
    if uri.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        return data(&uri[5..]);
    }
    let path = percent(uri)?;
    let is_scheme = |scheme: &str| {
        scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    if uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return Err(Error::unsupported(format!("the reference \"{}\" is an address", short(uri)))
            .hint("fetch the file, and name it by its path"));
    }
    if path.is_empty() || path.contains('\0') {
        return Err(Error::corrupt(format!("the reference \"{}\" names no file", short(uri))));
    }
    if !outside && leaves(&path) {
        let message =
            format!("the reference \"{}\" leads out of the folder of the document", short(uri));
        return Err(Error::unsupported(message)
            .hint("move the file below it, or allow references outside (--outside-files)"));
    }
    Ok(Reference::File(path))
}

/// Whether a path leads out of its folder: from the root, from a drive, or up.
fn leaves(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_drive = matches!(bytes, [letter, b':', ..] if letter.is_ascii_alphabetic());
    let is_rooted = matches!(bytes.first(), Some(b'/' | b'\\'));
    let mut depth = 0i64;
    let mut up = false;
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        up |= depth < 0;
    }
    has_drive || is_rooted || up
}

/// The start of a long reference.
pub(super) fn short(uri: &str) -> String {
    match uri.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &uri[..end]),
        None => uri.to_owned(),
    }
}

fn percent(uri: &str) -> Result<String> {
    let decoded = percent_encoding::percent_decode_str(uri).decode_utf8();
    let decoded = decoded.map_err(|_| {
        Error::corrupt(format!("the reference \"{}\" is not UTF-8 once decoded", short(uri)))
    })?;
    Ok(decoded.into_owned())
}

/// `data:[<type>][;base64],<data>`, without its scheme.
fn data(rest: &str) -> Result<Reference> {
    let Some((head, text)) = rest.split_once(',') else {
        return Err(Error::corrupt("a data: reference has no comma before its data"));
    };
    let (mime, is_base64) = match head.rsplit_once(';') {
        Some((mime, coding)) if coding.trim().eq_ignore_ascii_case("base64") => (mime, true),
        _ => (head, false),
    };
    let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let bytes = match is_base64 {
        true => LENIENT
            .decode(text.trim_ascii())
            .map_err(|e| Error::corrupt(format!("a data: reference is not base64: {e}")))?,
        false => percent_encoding::percent_decode_str(text).collect(),
    };
    Ok(Reference::Data { mime, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_below_the_folder_are_taken() {
        let file = |path: &str| Ok::<_, ()>(Reference::File(path.to_owned()));
        for (uri, path) in [
            ("a.bin", "a.bin"),
            ("a%20b/c%2B.bin", "a b/c+.bin"),
            ("./t/../a.bin", "./t/../a.bin"),
            ("caf%C3%A9.bin", "café.bin"),
        ] {
            assert_eq!(resolve(uri, false).map_err(drop), file(path));
        }
        for uri in ["../a.bin", "/etc/x", "t/../../a", "..\\a", "%2e%2e/a", "\\\\host\\a", "C:/a"] {
            let error = resolve(uri, false).unwrap_err();
            assert!(error.message().contains("leads out"), "{uri}: {error}");
            assert!(matches!(resolve(uri, true), Ok(Reference::File(_))), "{uri}");
        }
        for uri in ["http://a.b/c", "file:///etc/x", "", "%00", "%ff"] {
            assert!(resolve(uri, true).is_err(), "{uri}");
        }
    }

    #[test]
    fn data_is_taken_out_of_references() {
        let of = |uri: &str| match resolve(uri, false) {
            Ok(Reference::Data { mime, bytes }) => (mime, bytes),
            other => panic!("{other:?}"),
        };
        let png = ("image/png".to_owned(), b"hi!?".to_vec());
        assert_eq!(of("data:image/png;base64,aGkhPw=="), png);
        assert_eq!(of("DATA:image/png;charset=x;BASE64,aGkhPw"), png);
        assert_eq!(of("data:,a%20b").1, b"a b");
        assert!(resolve("data:nothing", false).is_err());
        assert!(resolve("data:;base64,*", false).is_err());
    }
}
