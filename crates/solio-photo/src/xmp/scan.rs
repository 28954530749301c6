//! What of a packet is worth a walk for a short list of fields: most packets have none of them,
//! large ones little.

use crate::fields::Fields;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// Elements within elements; the walk takes no more.
const MOST_DEPTH: usize = 64;

/// The elements that may have a tag that is wanted, with all that is in them, and heads and ends of
/// those around them and of those with an attribute that may be one. `None` where there are none;
/// the whole packet where it is no plain XML in bytes or where names of tags tell nothing of elements.
pub(super) fn reduced<'p>(packet: &'p [u8], fields: &Fields) -> Option<Cow<'p, [u8]>> {
    let wide = packet.iter().take(4).any(|byte| matches!(byte, 0 | 0xfe | 0xff));
    let other = fields.wants("XMP-x", "XMPToolkit") || fields.wants_any_with('-');
    if wide || other || fields.takes_any_path() {
        return Some(Cow::Borrowed(packet));
    }
    let scan = PacketScan { packet, open: Vec::new(), kept: None, out: Vec::new() };
    match scan.run(|name, plain| fields.wants_path_to(name, plain)) {
        Some(part) => (!part.is_empty()).then_some(Cow::Owned(part)),
        None => Some(Cow::Borrowed(packet)),
    }
}

struct PacketScan<'p> {
    packet: &'p [u8],
    open: Vec<ScannedElement>,
    /// Where the outermost element that is kept whole starts, and how many are around it.
    kept: Option<(usize, usize)>,
    out: Vec<u8>,
}

/// The head of an open element, and whether it is in `out`.
struct ScannedElement {
    start: usize,
    end: usize,
    is_out: bool,
}

/// What was found of an element's head.
struct ElementHead {
    end: usize,
    is_empty: bool,
    /// Its name may be that of a tag that is wanted.
    is_wanted: bool,
    /// An attribute's name may be.
    has_wanted: bool,
}

impl PacketScan<'_> {
    /// `None` where something is odd: what that means is for the walk to say.
    fn run(mut self, wanted: impl Fn(&[u8], bool) -> bool) -> Option<Vec<u8>> {
        let mut at = 0;
        while let Some(found) = memchr(b'<', &self.packet[at..]) {
            let start = at + found;
            let rest = &self.packet[start + 1..];
            at = start + 1;
            at += match rest {
                [b'?', ..] => memmem::find(rest, b"?>")?,
                [b'!', b'-', b'-', ..] => memmem::find(rest, b"-->")?,
                [b'!', ..] => return None,
                [b'/', ..] => {
                    let end = memchr(b'>', rest)? + 1;
                    self.close(start, at + end);
                    end
                }
                _ => {
                    let head = head(rest, &wanted)?;
                    self.open(start, at + head.end, &head)?;
                    head.end
                }
            };
        }
        if let Some((start, _)) = self.kept {
            self.out.extend_from_slice(&self.packet[start..]);
        }
        Some(self.out)
    }

    fn open(&mut self, start: usize, end: usize, head: &ElementHead) -> Option<()> {
        let is_out = self.kept.is_none() && (head.is_wanted || head.has_wanted);
        if is_out {
            for open in self.open.iter_mut().filter(|open| !open.is_out) {
                self.out.extend_from_slice(&self.packet[open.start..open.end]);
                open.is_out = true;
            }
        }
        if is_out && head.is_wanted && !head.is_empty {
            self.kept = Some((start, self.open.len()));
        } else if is_out {
            self.out.extend_from_slice(&self.packet[start..end]);
        }
        if !head.is_empty {
            self.open.push(ScannedElement { start, end, is_out });
        }
        (self.open.len() <= MOST_DEPTH).then_some(())
    }

    fn close(&mut self, start: usize, end: usize) {
        let Some(closed) = self.open.pop() else { return };
        match self.kept {
            Some((from, around)) if around == self.open.len() => {
                self.out.extend_from_slice(&self.packet[from..end]);
                self.kept = None;
            }
            None if closed.is_out => self.out.extend_from_slice(&self.packet[start..end]),
            _ => {}
        }
    }
}

/// What a byte is to a head.
const SPACE: u8 = 1;
/// Ends a name.
const END: u8 = 2;
const COLON: u8 = 4;
/// Neither a letter nor a digit.
const ODD: u8 = 8;
static CLASSES: [u8; 256] = {
    let mut classes = [ODD; 256];
    let mut n = 0;
    while n < 128 {
        classes[n] = match n as u8 {
            b' ' | b'\t' | b'\r' | b'\n' => SPACE | END,
            b'/' | b'>' | b'=' => END,
            b':' => COLON,
            letter if letter.is_ascii_alphanumeric() => 0,
            _ => ODD,
        };
        n += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

/// A name in a head.
struct NameInHead {
    /// Where it starts behind its prefix.
    local: usize,
    end: usize,
    /// Whether it has letters and digits alone.
    is_plain: bool,
}

/// The name at `from`.
fn name(rest: &[u8], from: usize) -> Option<NameInHead> {
    let mut name = NameInHead { local: from, end: from, is_plain: true };
    loop {
        match class(*rest.get(name.end)?) {
            0 => {}
            COLON if name.local == from => name.local = name.end + 1,
            COLON | ODD => name.is_plain = false,
            _ => return Some(name),
        }
        name.end += 1;
    }
}

fn behind_space(rest: &[u8], from: usize) -> Option<usize> {
    Some(from + rest.get(from..)?.iter().position(|b| class(*b) & SPACE == 0)?)
}

/// Looks at an element's head behind its `<`; `None` where it is odd.
fn head(rest: &[u8], wanted: impl Fn(&[u8], bool) -> bool) -> Option<ElementHead> {
    let of_name = |name: &NameInHead| wanted(&rest[name.local..name.end], name.is_plain);
    let element = name(rest, 0)?;
    let is_wanted = of_name(&element);
    let mut at = element.end;
    let mut has_wanted = false;
    let head =
        |end, is_empty, has_wanted| Some(ElementHead { end, is_empty, is_wanted, has_wanted });
    loop {
        at = behind_space(rest, at)?;
        match rest[at..] {
            [b'>', ..] => return head(at + 1, false, has_wanted),
            [b'/', b'>', ..] => return head(at + 2, true, has_wanted),
            [b'/', ..] => return None,
            _ => {}
        }
        let attribute = name(rest, at)?;
        has_wanted |= of_name(&attribute) && !rest[at..].starts_with(b"xmlns");
        let equals = behind_space(rest, attribute.end)?;
        let quote = behind_space(rest, equals + 1)?;
        if rest[equals] != b'=' || !matches!(rest[quote], b'"' | b'\'') {
            return None;
        }
        at = quote + 2 + memchr(rest[quote], &rest[quote + 1..])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(inner: &str) -> String {
        format!("<?xpacket '<' ?><x:a xmlns:b-c='\"'><!-- <'createDate> --> {inner} </x:a>\n")
    }

    fn of<'p>(packet: &'p str, fields: &Fields) -> Option<Cow<'p, str>> {
        let text = |part| String::from_utf8(part).unwrap();
        match reduced(packet.as_bytes(), fields)? {
            Cow::Borrowed(_) => Some(Cow::Borrowed(packet)),
            Cow::Owned(part) => Some(Cow::Owned(text(part))),
        }
    }

    #[test]
    fn only_elements_with_a_name_that_is_wanted_stay() {
        let fields = Fields::of(["CreateDate", "GPSDateTime"]);
        for (inner, stays) in [
            ("<xmp:CreateDate>1</xmp:CreateDate>", "<xmp:CreateDate>1</xmp:CreateDate>"),
            ("<a/><b:c d:createDATE='1' f=''/>", "<b:c d:createDATE='1' f=''/>"),
            ("<c:create> <c:no/>\n<c:date/></c:create>", "<c:create><c:date/></c:create>"),
            (
                "<a:b c='>'><f><g></g></f><c:Date><d/></c:Date></a:b>",
                "<a:b c='>'><c:Date><d/></c:Date></a:b>",
            ),
            ("<f c:Date=''><g/></f>", "<f c:Date=''></f>"),
            ("<exif:GPSTimeStamp/>", "<exif:GPSTimeStamp/>"),
            ("<CreateDate/>", "<CreateDate/>"),
            ("<a:b c=\"'\" d:Date=''/>", "<a:b c=\"'\" d:Date=''/>"),
            ("<a:odd.name/>", "<a:odd.name/>"),
        ] {
            let want = format!("<x:a xmlns:b-c='\"'>{stays}</x:a>");
            assert_eq!(of(&around(inner), &fields).as_deref(), Some(&*want), "{inner}");
        }
        for inner in ["", "<a:b c='<createDate>' />", "<exif:ModifyDates/>", "text</b></c>"] {
            assert_eq!(of(&around(inner), &fields), None, "{inner}");
        }
        let cut = "<a><b><c:Date>12<d>";
        assert_eq!(of(cut, &fields).as_deref(), Some(cut));
    }

    #[test]
    fn what_is_odd_stays_whole() {
        let fields = Fields::of(["CreateDate"]);
        let whole = |packet: &[u8], fields: &Fields| matches!(reduced(packet, fields), Some(Cow::Borrowed(same)) if same == packet);
        for inner in ["<a:b c=1>", "<![CDATA[x]]>", "<a:b 'x'>", "<a:b c='", "<a / >", "<!-- "] {
            assert!(whole(around(inner).as_bytes(), &fields), "{inner}");
        }
        assert!(whole("<a>".repeat(65).as_bytes(), &fields));
        let wide: Vec<u8> = around("").encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(whole(&wide, &fields));
        for fields in [
            Fields::all(),
            Fields::of(["XMPToolkit"]),
            Fields::of(["Title-de"]),
            Fields::of(["XMP:*"]),
        ] {
            assert!(whole(b"<a>", &fields));
        }
    }
}
