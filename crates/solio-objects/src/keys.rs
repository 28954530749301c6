//! Keys that `object_store` cannot hold.
//!
//! A key is any text; `object_store` knows paths of parts that are not empty, not `.` or `..`, and
//! have no control characters, and gives up a whole page of a listing for one that is none. A part of
//! another kind is written here as a mark and its bytes as in a URL: on the way in, in the answer of
//! the store ([`mark_listing`]); on the way out it becomes what it was ([`unmark_url`]).

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};
use std::borrow::Cow;

/// Stands before a part that was rewritten: for private use, so hardly ever in a key; a part that
/// begins with it is rewritten, too.
const MARK: char = '\u{f8f0}';

/// [`MARK`] in a URL.
const MARK_IN_URL: &str = "%EF%A3%B0";

/// What is escaped behind the mark.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%').add(b'.');

/// What stays as it is in the path of a URL (RFC 3986, unreserved).
const URL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The key as `object_store` can hold it.
pub(crate) fn marked(key: &str) -> String {
    let parts: Vec<Cow<'_, str>> = key.split('/').map(marked_part).collect();
    parts.join("/")
}

fn marked_part(part: &str) -> Cow<'_, str> {
    let is_odd = part.is_empty()
        || matches!(part, "." | "..")
        || part.starts_with(MARK)
        || part.chars().any(|c| c.is_ascii_control());
    match is_odd {
        true => format!("{MARK}{}", utf8_percent_encode(part, ESCAPED)).into(),
        false => part.into(),
    }
}

/// The key that [`marked`] made `marked` of.
pub(crate) fn plain(marked: &str) -> String {
    let plain = |part: &str| match part.strip_prefix(MARK) {
        Some(rest) => percent_decode(rest.as_bytes()).decode_utf8_lossy().into_owned(),
        None => part.to_owned(),
    };
    marked.split('/').map(plain).collect::<Vec<_>>().join("/")
}

/// Whether the key can be asked for: a URL with a part `.` or `..` leads elsewhere.
pub(crate) fn can_be_asked_for(key: &str) -> bool {
    !key.split('/').any(|part| matches!(part, "." | ".."))
}

/// The path of a URL with the parts that [`marked`] rewrote as they were; `None` where there is none.
pub(crate) fn unmark_url(path: &str) -> Option<String> {
    if !path.contains(MARK_IN_URL) {
        return None;
    }
    let unmarked = |part: &str| {
        let decoded = percent_decode(part.as_bytes()).decode_utf8_lossy().into_owned();
        match decoded.starts_with(MARK) {
            true => utf8_percent_encode(&plain(&decoded), URL).to_string(),
            false => part.to_owned(),
        }
    };
    Some(path.split('/').map(unmarked).collect::<Vec<_>>().join("/"))
}

/// Between which a listing has its keys: S3 and Google, Azure.
const TAGS: [(&str, &str); 2] = [("<Key>", "</Key>"), ("<Name>", "</Name>")];

/// The answer to a listing, XML, with all keys in it [`marked`]; `None` where none had to be.
pub(crate) fn mark_listing(xml: &str) -> Option<String> {
    let mut changed: Option<String> = None;
    for (before, after) in TAGS {
        let from = changed.as_deref().unwrap_or(xml);
        changed = mark_between(from, before, after).or(changed);
    }
    changed
}

fn mark_between(xml: &str, before: &str, after: &str) -> Option<String> {
    let (mut done, mut rest, mut is_changed) = (String::new(), xml, false);
    while let Some(start) = rest.find(before).map(|at| at + before.len()) {
        let Some(len) = rest[start..].find(after) else { break };
        let written = &rest[start..start + len];
        let Ok(key) = quick_xml::escape::unescape(written) else { return None };
        let now = marked(&key);
        done.push_str(&rest[..start]);
        if *now == *key {
            done.push_str(written);
        } else {
            is_changed = true;
            done.push_str(&quick_xml::escape::escape(&*now));
        }
        rest = &rest[start + len..];
    }
    done.push_str(rest);
    is_changed.then_some(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::path::Path;
    use proptest::prelude::*;

    #[test]
    fn odd_keys_are_held_and_come_back() {
        for key in [
            "a/b",
            "",
            "/",
            "a//b",
            "/a",
            "a/",
            "//",
            "a/./b",
            "..",
            "tab\there",
            "x\u{1}/\u{7f}",
            "\u{f8f0}",
            "\u{f8f0}a/%2E",
            "caf\u{e9} %20 #?&<>\"'",
        ] {
            let held = marked(key);
            if !key.is_empty() {
                assert_eq!(Path::parse(&held).unwrap().as_ref(), held, "{key:?}");
            }
            assert_eq!(plain(&held), key);
        }
        assert_eq!(marked("a b/c%2F"), "a b/c%2F");
    }

    proptest! {
        #[test]
        fn any_key_is_held_and_comes_back(key in "([a/.%\u{f8f0}\u{1}]|\\PC){1,12}") {
            let held = marked(&key);
            let parsed = Path::parse(&held).unwrap();
            prop_assert_eq!(parsed.as_ref(), &held);
            prop_assert_eq!(plain(&held), key);
        }

        #[test]
        fn any_answer_is_taken(xml in "(<Key>|</Key>|<Name>|&|&#x2F;|;|/|[a-z<>])*") {
            let _ = mark_listing(&xml);
        }
    }

    #[test]
    fn urls_get_their_parts_back() {
        assert_eq!(unmark_url("/bucket/a%20b/c"), None);
        let part =
            |key: &str| utf8_percent_encode(&marked(key), URL).to_string().replace("%2F", "/");
        let url = format!("/bucket/{}", part("a//b c/"));
        assert_eq!(unmark_url(&url).as_deref(), Some("/bucket/a//b%20c/"));
        let url = format!("/bucket/{}", part("t\tb/\u{f8f0}%"));
        assert_eq!(unmark_url(&url).as_deref(), Some("/bucket/t%09b/%EF%A3%B0%25"));
    }

    #[test]
    fn listings_are_marked_where_they_must_be() {
        let xml = "<Name>b</Name><Contents><Key>a/b&amp;c</Key><Size>1</Size></Contents>";
        assert_eq!(mark_listing(xml), None);
        let xml = "<Name>b</Name><Key>a//b&amp;c</Key><Key>d</Key><Key>e/";
        let wanted = "<Name>b</Name><Key>a/\u{f8f0}/b&amp;c</Key><Key>d</Key><Key>e/";
        assert_eq!(mark_listing(xml).as_deref(), Some(wanted));
        let azure = "<Blob><Name>/x</Name></Blob>";
        assert_eq!(mark_listing(azure).as_deref(), Some("<Blob><Name>\u{f8f0}/x</Name></Blob>"));
    }
}
