//! The kind of a file, by its first bytes and, where those are shared, by its name's end.

use crate::exif::Role;
use crate::gather::Gather;
use crate::rule::{Named, Rule};
use crate::value::Value;

/// What reads a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Jpeg,
    Tiff,
    Png,
    Riff,
    Gif,
    Photoshop,
    Boxes,
    Jp2,
    Codestream,
    JxlCodestream,
    Raf,
    Crw,
    Mrw,
    Icc,
    Xmp,
    /// Only the kind is known.
    Nothing,
}

/// A file's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    name: &'static str,
    extension: &'static str,
    mime: &'static str,
    pub(super) reader: Reader,
}

const fn kind(
    name: &'static str,
    extension: &'static str,
    mime: &'static str,
    reader: Reader,
) -> Kind {
    Kind { name, extension, mime, reader }
}

impl Kind {
    /// What a file is that says it follows the DNG specification, whatever else it is.
    pub(super) const DNG: Kind = kind("DNG", "DNG", "image/x-adobe-dng", Reader::Nothing);

    /// What a PNG is that moves.
    pub(super) const APNG: Kind = kind("APNG", "PNG", "image/apng", Reader::Png);

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// What it is as a TIFF structure.
    pub(super) fn role(self) -> Role {
        match self.name {
            "TIFF" | "BTF" | "DNG" => Role::Tiff,
            "CR2" => Role::Cr2,
            "ARW" | "SR2" => Role::Sony,
            _ => Role::Raw,
        }
    }

    /// Puts the tags that name the kind, where another one was named before.
    pub(super) fn announce_instead(self, gather: &mut Gather<'_>) {
        gather.tags.retain(|tag| {
            !(tag.group == "File"
                && matches!(&*tag.name, "FileType" | "FileTypeExtension" | "MIMEType"))
        });
        self.announce(gather);
    }

    /// Puts the tags that name the kind.
    pub(super) fn announce(self, gather: &mut Gather<'_>) {
        gather.text("File", "FileType", self.name);
        if gather.wants("File", "FileTypeExtension") {
            let extension = Value::text(self.extension);
            gather.put("File", "FileTypeExtension", extension, Rule::Named(Named::Lower));
        }
        gather.text("File", "MIMEType", self.mime);
    }
}

/// Raw files that are TIFF but for their names, and a few with marks of their own.
const TIFF_KINDS: &[(&str, Kind)] = &[
    ("dng", kind("DNG", "DNG", "image/x-adobe-dng", Reader::Tiff)),
    ("nef", kind("NEF", "NEF", "image/x-nikon-nef", Reader::Tiff)),
    ("nrw", kind("NRW", "NRW", "image/x-nikon-nrw", Reader::Tiff)),
    ("cr2", kind("CR2", "CR2", "image/x-canon-cr2", Reader::Tiff)),
    ("arw", kind("ARW", "ARW", "image/x-sony-arw", Reader::Tiff)),
    ("sr2", kind("SR2", "SR2", "image/x-sony-sr2", Reader::Tiff)),
    ("srf", kind("SRF", "SRF", "image/x-sony-srf", Reader::Tiff)),
    ("srw", kind("SRW", "SRW", "image/x-samsung-srw", Reader::Tiff)),
    ("pef", kind("PEF", "PEF", "image/x-pentax-pef", Reader::Tiff)),
    ("3fr", kind("3FR", "3FR", "image/x-hasselblad-3fr", Reader::Tiff)),
    ("fff", kind("FFF", "FFF", "image/x-hasselblad-fff", Reader::Tiff)),
    ("iiq", kind("IIQ", "IIQ", "image/x-raw", Reader::Tiff)),
    ("erf", kind("ERF", "ERF", "image/x-epson-erf", Reader::Tiff)),
    ("mef", kind("MEF", "MEF", "image/x-mamiya-mef", Reader::Tiff)),
    ("mos", kind("MOS", "MOS", "image/x-raw", Reader::Tiff)),
    ("dcr", kind("DCR", "DCR", "image/x-kodak-dcr", Reader::Tiff)),
    ("kdc", kind("KDC", "KDC", "image/x-kodak-kdc", Reader::Tiff)),
    ("gpr", kind("GPR", "GPR", "image/x-gopro-gpr", Reader::Tiff)),
    ("rwl", kind("RWL", "RWL", "image/x-leica-rwl", Reader::Tiff)),
];

const TIFF: Kind = kind("TIFF", "TIF", "image/tiff", Reader::Tiff);
const BIG_TIFF: Kind = kind("BTF", "BTF", "image/x-tiff-big", Reader::Tiff);
const ORF: Kind = kind("ORF", "ORF", "image/x-olympus-orf", Reader::Tiff);
const RW2: Kind = kind("RW2", "RW2", "image/x-panasonic-rw2", Reader::Tiff);
const CR2: Kind = kind("CR2", "CR2", "image/x-canon-cr2", Reader::Tiff);
const JPEG: Kind = kind("JPEG", "JPG", "image/jpeg", Reader::Jpeg);
const JPS: Kind = kind("JPS", "JPS", "image/x-jps", Reader::Jpeg);
const EXV: Kind = kind("EXV", "EXV", "image/x-exv", Reader::Jpeg);
const PNG: Kind = kind("PNG", "PNG", "image/png", Reader::Png);
const WEBP: Kind = kind("WEBP", "WEBP", "image/webp", Reader::Riff);
const AVI: Kind = kind("AVI", "AVI", "video/x-msvideo", Reader::Nothing);
const GIF: Kind = kind("GIF", "GIF", "image/gif", Reader::Gif);
const PSD: Kind = kind("PSD", "PSD", "application/vnd.adobe.photoshop", Reader::Photoshop);
const PSB: Kind = kind("PSB", "PSB", "application/vnd.adobe.photoshop", Reader::Photoshop);
const JP2: Kind = kind("JP2", "JP2", "image/jp2", Reader::Jp2);
const J2C: Kind = kind("J2C", "J2C", "image/x-j2c", Reader::Codestream);
const JXL: Kind = kind("JXL", "JXL", "image/jxl", Reader::Jp2);
const JXL_BARE: Kind = kind("JXL Codestream", "JXL", "image/jxl", Reader::JxlCodestream);
const CRW: Kind = kind("CRW", "CRW", "image/x-canon-crw", Reader::Crw);
const MRW: Kind = kind("MRW", "MRW", "image/x-minolta-mrw", Reader::Mrw);
const RAF: Kind = kind("RAF", "RAF", "image/x-fujifilm-raf", Reader::Raf);
const ICC: Kind = kind("ICC", "ICC", "application/vnd.iccprofile", Reader::Icc);
const XMP: Kind = kind("XMP", "XMP", "application/rdf+xml", Reader::Xmp);

const MOV: Kind = kind("MOV", "MOV", "video/quicktime", Reader::Boxes);
/// QuickTime by its brand, but not by its name.
const MOV_AS_MP4: Kind = kind("MP4", "MP4", "video/quicktime", Reader::Boxes);
const MP4: Kind = kind("MP4", "MP4", "video/mp4", Reader::Boxes);

/// Kinds of box files by their main brand.
const BRANDS: &[(&[u8; 4], Kind)] = &[
    (b"heic", kind("HEIC", "HEIC", "image/heic", Reader::Boxes)),
    (b"hevc", kind("HEICS", "HEICS", "image/heic-sequence", Reader::Boxes)),
    (b"mif1", kind("HEIF", "HEIF", "image/heif", Reader::Boxes)),
    (b"msf1", kind("HEIFS", "HEIFS", "image/heif-sequence", Reader::Boxes)),
    (b"heix", kind("HEIF", "HEIF", "image/heif", Reader::Boxes)),
    (b"avif", kind("AVIF", "AVIF", "image/avif", Reader::Boxes)),
    (b"crx ", kind("CR3", "CR3", "image/x-canon-cr3", Reader::Boxes)),
    (b"M4A ", kind("M4A", "M4A", "audio/mp4", Reader::Boxes)),
    (b"M4V ", kind("M4V", "M4V", "video/x-m4v", Reader::Boxes)),
    (b"3gp4", kind("3GP", "3GP", "video/3gpp", Reader::Boxes)),
    (b"3gp5", kind("3GP", "3GP", "video/3gpp", Reader::Boxes)),
    (b"qt  ", MOV),
];

/// The kind of the file that starts with `head`.
pub(super) fn of_head(head: &[u8], extension: &str) -> Option<Kind> {
    Some(match head {
        [0xff, 0xd8, 0xff, ..] if extension == "jps" => JPS,
        [0xff, 0xd8, 0xff, ..] => JPEG,
        [0xff, 0x01, b'E', b'x', b'i', b'v', b'2', ..] => EXV,
        [b'I', b'I', 0x2a, 0, ..] | [b'M', b'M', 0, 0x2a, ..] => tiff(head, extension),
        [b'I', b'I', 0x2b, 0, ..] | [b'M', b'M', 0, 0x2b, ..] => BIG_TIFF,
        [b'I', b'I', b'R', b'O' | b'S', ..] | [b'M', b'M', b'O', b'R', ..] => ORF,
        [b'I', b'I', 0x55, 0, ..] => RW2,
        [0x89, b'P', b'N', b'G', 13, 10, 26, 10, ..] => PNG,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => WEBP,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', ..] => AVI,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => GIF,
        [b'8', b'B', b'P', b'S', 0, 1, ..] => PSD,
        [b'8', b'B', b'P', b'S', 0, 2, ..] => PSB,
        [0, 0, 0, 12, b'j', b'P', b' ' | 0x1a, b' ' | 0x1a, 13, 10, 0x87, 10, ..] => JP2,
        [0xff, 0x4f, 0xff, 0x51, 0, ..] => J2C,
        [0, 0, 0, 12, b'J', b'X', b'L', b' ', 13, 10, 0x87, 10, ..] => JXL,
        [0xff, 0x0a, ..] => JXL_BARE,
        [0, b'M', b'R', b'M' | b'I', ..] => MRW,
        [_, _, _, _, _, _, b'H', b'E', b'A', b'P', b'C', b'C', b'D', b'R', ..] => CRW,
        [b'F', b'U', b'J', b'I', b'F', b'I', b'L', b'M', b'C', b'C', b'D', b'-', ..] => RAF,
        [_, _, _, _, b'f', b't', b'y', b'p', rest @ ..] => brand(rest, extension),
        [_, _, _, _, b'm', b'o', b'o', b'v', ..]
        | [_, _, _, _, b'f', b'r', b'e', b'e', ..]
        | [_, _, _, _, b'm', b'd', b'a', b't', ..]
        | [_, _, _, _, b'w', b'i', b'd', b'e', ..]
        | [_, _, _, _, b'p', b'n', b'o', b't', ..] => {
            if extension == "mp4" {
                MP4
            } else {
                MOV
            }
        }
        _ if is_profile(head) => ICC,
        _ if is_packet(head, extension) => XMP,
        _ => return None,
    })
}

/// A TIFF by its name's end; "CR" at byte 8 marks Canon's.
fn tiff(head: &[u8], extension: &str) -> Kind {
    if head.get(8..11) == Some(b"CR\x02") {
        return CR2;
    }
    let found = TIFF_KINDS.iter().find(|(end, _)| *end == extension);
    found.map_or(TIFF, |(_, kind)| *kind)
}

fn brand(rest: &[u8], extension: &str) -> Kind {
    let brand = rest.get(..4).unwrap_or_default();
    let of_brand = |brand: &[u8]| BRANDS.iter().find(|(name, _)| *name == brand).map(|(_, k)| *k);
    if let Some(kind) = of_brand(brand) {
        return if kind == MOV && extension == "mp4" { MOV_AS_MP4 } else { kind };
    }
    // Some name their kind among the compatible brands only.
    let others = rest.get(8..).unwrap_or_default().chunks_exact(4);
    let compatible = others.filter_map(of_brand).next();
    compatible.filter(|kind| kind.mime.starts_with("image/")).unwrap_or(MP4)
}

fn is_profile(head: &[u8]) -> bool {
    let class = |class: &[u8]| {
        matches!(
            class,
            b"scnr" | b"mntr" | b"prtr" | b"link" | b"spac" | b"abst" | b"nmcl" | b"nkpf"
        )
    };
    let space = |s: &[u8]| s.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ');
    head.len() >= 24 && class(&head[12..16]) && space(&head[16..24])
}

fn is_packet(head: &[u8], extension: &str) -> bool {
    let start: Vec<u8> = head.iter().copied().filter(|b| *b != 0).collect();
    let start = start.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(&start);
    let start = start.strip_prefix(&[0xfe, 0xff]).or(start.strip_prefix(&[0xff, 0xfe]));
    let start =
        start.map_or_else(|| head.iter().copied().filter(|b| *b != 0).collect(), <[u8]>::to_vec);
    let start = start.trim_ascii_start();
    let opens = [&b"<?xpacket begin"[..], b"<x:xmpmeta", b"<x:xapmeta", b"<rdf:RDF"];
    opens.iter().any(|open| start.starts_with(open))
        || extension == "xmp" && (start.starts_with(b"<") || start.starts_with(b"\xef\xbb\xbf<"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_head_and_name() {
        let name = |head: &[u8], end| of_head(head, end).map(|k| k.name);
        assert_eq!(name(b"\xff\xd8\xff\xe1", ""), Some("JPEG"));
        assert_eq!(name(b"II*\0\x08\0\0\0", "nef"), Some("NEF"));
        assert_eq!(name(b"II*\0\x10\0\0\0CR\x02\0", ""), Some("CR2"));
        assert_eq!(name(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", ""), Some("HEIC"));
        assert_eq!(name(b"\0\0\0\x18ftypisom\0\0\0\0isommp42", ""), Some("MP4"));
        assert_eq!(name(b"<?xpacket begin='", ""), Some("XMP"));
        assert_eq!(name(b"hello", "jpg"), None);
        assert_eq!(name(b"", ""), None);
    }
}
