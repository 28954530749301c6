//! Names that are no text.
//!
//! Unix names are bytes. Most are UTF-8 and are shown as they are; of the others every byte that is
//! no letter, digit or one of `/.-_~` is written as in a URL (RFC 3986, section 2.1), so that the
//! bytes can be found again.

/// `name` as in a URL.
///
/// ```
/// assert_eq!(solio_catalog::names::percent(b"caf\xe9.jpg"), "caf%E9.jpg");
/// ```
pub fn percent(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    for &byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// `name` as text: itself where it is, or [`percent`] of it.
///
/// ```
/// use solio_catalog::names::shown;
/// assert_eq!(shown("café.jpg".as_bytes()), "café.jpg");
/// // The same in Latin-1 is no text.
/// assert_eq!(shown(b"caf\xe9.jpg"), "caf%E9.jpg");
/// ```
pub fn shown(name: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) => text.into(),
        Err(_) => percent(name).into(),
    }
}
