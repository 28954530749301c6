//! A look at a packet's names: most packets have nothing of a short list of fields, and need no
//! walk.

use crate::fields::Fields;
use memchr::{memchr, memmem};

/// Whether a walk over the packet may find a tag that is wanted. Names of tags end as the last part
/// of their path does, or as a table says; a packet that is not plain XML in bytes is always worth
/// a walk.
pub(super) fn may_hold(packet: &[u8], fields: &Fields) -> bool {
    let Some(ends) = fields.xmp_ends() else { return true };
    if fields.wants("XMP-x", "XMPToolkit") || fields.wants_any_with('-') {
        return true;
    }
    let known = |name: &[u8]| {
        let local = memchr(b':', name).map_or(name, |at| &name[at + 1..]);
        let Ok(local) = std::str::from_utf8(local) else { return true };
        !local.bytes().all(|b| b.is_ascii_alphanumeric())
            || ends.contains(&local)
            || fields.wants_ending(local)
    };
    let mut rest = packet;
    while let Some(at) = memchr(b'<', rest) {
        rest = &rest[at + 1..];
        let end = match rest {
            [b'/', ..] => Some(0),
            [b'?', ..] => memmem::find(rest, b"?>"),
            [b'!', b'-', b'-', ..] => memmem::find(rest, b"-->"),
            _ => element(rest, known),
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => return true,
        }
    }
    false
}

/// The end of an element's head; `None` where one of its names is known, or where it is odd.
fn element(head: &[u8], known: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let word = |from: usize| {
        let ends = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>' | b'=');
        Some(from + head.get(from..)?.iter().position(ends)?)
    };
    let spaces = |from: usize| {
        let is_space = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
        Some(from + head.get(from..)?.iter().position(|b| !is_space(b))?)
    };
    let mut at = word(0)?;
    if known(&head[..at]) {
        return None;
    }
    loop {
        at = spaces(at)?;
        match head[at] {
            b'>' => return Some(at),
            b'/' => {
                at += 1;
                continue;
            }
            _ => {}
        }
        let end = word(at)?;
        let name = &head[at..end];
        if !name.starts_with(b"xmlns") && known(name) {
            return None;
        }
        let equals = spaces(end)?;
        let quote = spaces(equals + 1)?;
        if head[equals] != b'=' || !matches!(head[quote], b'"' | b'\'') {
            return None;
        }
        at = quote + 2 + memchr(head[quote], &head[quote + 1..])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packets_with_a_name_that_is_wanted_are_walked() {
        let fields = Fields::of(["CreateDate", "GPSDateTime"]);
        let holds = |text: &str| may_hold(text.as_bytes(), &fields);
        let around = |inner: &str| {
            format!("<?xpacket '<' ?><x:a xmlns:b-c='\"'><!-- <'createDate> -->{inner}</x:a>\n")
        };
        for inner in [
            "<xmp:CreateDate>",
            "<a:b c:createDATE='1'/>",
            "<a:create><a:date/></a:create>",
            "<exif:GPSTimeStamp/>",
            "<CreateDate/>",
            "<a:b c=\"'\" d:Date=''/>",
            "<a:odd.name/>",
            "<a:b c=1>",
            "<![CDATA[x]]>",
            "<a:b 'x'>",
            "<a:b c='",
        ] {
            assert!(holds(&around(inner)), "{inner}");
        }
        for inner in ["", "<a:b c='<createDate>' />", "<exif:ModifyDates/>", "text"] {
            assert!(!holds(&around(inner)), "{inner}");
        }
        let wide: Vec<u8> = around("").encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(may_hold(&wide, &fields));
        assert!(may_hold(b"<a>", &Fields::all()));
        for name in ["XMPToolkit", "Title-de", "XMP:*"] {
            assert!(may_hold(b"<a>", &Fields::of([name])), "{name}");
        }
    }
}
