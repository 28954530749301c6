//! The kind of a file, by its first bytes and, where those are shared, by its extension.

use crate::exif::TiffRole;
use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::Value;
use solio_container::kind_of_head;

/// What reads a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhotoReader {
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
pub(super) struct PhotoKind {
    name: &'static str,
    extension: &'static str,
    mime: &'static str,
    pub(super) reader: PhotoReader,
}

const fn kind(
    name: &'static str,
    extension: &'static str,
    mime: &'static str,
    reader: PhotoReader,
) -> PhotoKind {
    PhotoKind { name, extension, mime, reader }
}

impl PhotoKind {
    /// What a file is that says it follows the DNG specification, whatever else it is.
    pub(super) const DNG: PhotoKind = kind("DNG", "DNG", "image/x-adobe-dng", PhotoReader::Nothing);

    /// What a PNG is that moves.
    pub(super) const APNG: PhotoKind = kind("APNG", "PNG", "image/apng", PhotoReader::Png);

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// What it is as a TIFF structure.
    pub(super) fn role(self) -> TiffRole {
        match self.name {
            "TIFF" | "BTF" | "DNG" => TiffRole::Tiff,
            "CR2" => TiffRole::Cr2,
            "ARW" | "SR2" => TiffRole::Sony,
            _ => TiffRole::Raw,
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
            gather.put("File", "FileTypeExtension", extension, TagRule::Named(Named::Lower));
        }
        gather.text("File", "MIMEType", self.mime);
    }
}

/// Raw files that are TIFF but for their names, and a few with marks of their own.
const TIFF_KINDS: &[(&str, PhotoKind)] = &[
    ("dng", kind("DNG", "DNG", "image/x-adobe-dng", PhotoReader::Tiff)),
    ("nef", kind("NEF", "NEF", "image/x-nikon-nef", PhotoReader::Tiff)),
    ("nrw", kind("NRW", "NRW", "image/x-nikon-nrw", PhotoReader::Tiff)),
    ("cr2", kind("CR2", "CR2", "image/x-canon-cr2", PhotoReader::Tiff)),
    ("arw", kind("ARW", "ARW", "image/x-sony-arw", PhotoReader::Tiff)),
    ("sr2", kind("SR2", "SR2", "image/x-sony-sr2", PhotoReader::Tiff)),
    ("srf", kind("SRF", "SRF", "image/x-sony-srf", PhotoReader::Tiff)),
    ("srw", kind("SRW", "SRW", "image/x-samsung-srw", PhotoReader::Tiff)),
    ("pef", kind("PEF", "PEF", "image/x-pentax-pef", PhotoReader::Tiff)),
    ("3fr", kind("3FR", "3FR", "image/x-hasselblad-3fr", PhotoReader::Tiff)),
    ("fff", kind("FFF", "FFF", "image/x-hasselblad-fff", PhotoReader::Tiff)),
    ("iiq", kind("IIQ", "IIQ", "image/x-raw", PhotoReader::Tiff)),
    ("erf", kind("ERF", "ERF", "image/x-epson-erf", PhotoReader::Tiff)),
    ("mef", kind("MEF", "MEF", "image/x-mamiya-mef", PhotoReader::Tiff)),
    ("mos", kind("MOS", "MOS", "image/x-raw", PhotoReader::Tiff)),
    ("dcr", kind("DCR", "DCR", "image/x-kodak-dcr", PhotoReader::Tiff)),
    ("kdc", kind("KDC", "KDC", "image/x-kodak-kdc", PhotoReader::Tiff)),
    ("gpr", kind("GPR", "GPR", "image/x-gopro-gpr", PhotoReader::Tiff)),
    ("rwl", kind("RWL", "RWL", "image/x-leica-rwl", PhotoReader::Tiff)),
];

const TIFF: PhotoKind = kind("TIFF", "TIF", "image/tiff", PhotoReader::Tiff);
const BIG_TIFF: PhotoKind = kind("BTF", "BTF", "image/x-tiff-big", PhotoReader::Tiff);
const ORF: PhotoKind = kind("ORF", "ORF", "image/x-olympus-orf", PhotoReader::Tiff);
const RW2: PhotoKind = kind("RW2", "RW2", "image/x-panasonic-rw2", PhotoReader::Tiff);
const CR2: PhotoKind = kind("CR2", "CR2", "image/x-canon-cr2", PhotoReader::Tiff);
const JPEG: PhotoKind = kind("JPEG", "JPG", "image/jpeg", PhotoReader::Jpeg);
const JPS: PhotoKind = kind("JPS", "JPS", "image/x-jps", PhotoReader::Jpeg);
const EXV: PhotoKind = kind("EXV", "EXV", "image/x-exv", PhotoReader::Jpeg);
const PNG: PhotoKind = kind("PNG", "PNG", "image/png", PhotoReader::Png);
const WEBP: PhotoKind = kind("WEBP", "WEBP", "image/webp", PhotoReader::Riff);
const AVI: PhotoKind = kind("AVI", "AVI", "video/x-msvideo", PhotoReader::Nothing);
const GIF: PhotoKind = kind("GIF", "GIF", "image/gif", PhotoReader::Gif);
const PSD: PhotoKind =
    kind("PSD", "PSD", "application/vnd.adobe.photoshop", PhotoReader::Photoshop);
const PSB: PhotoKind =
    kind("PSB", "PSB", "application/vnd.adobe.photoshop", PhotoReader::Photoshop);
const JP2: PhotoKind = kind("JP2", "JP2", "image/jp2", PhotoReader::Jp2);
const J2C: PhotoKind = kind("J2C", "J2C", "image/x-j2c", PhotoReader::Codestream);
const JXL: PhotoKind = kind("JXL", "JXL", "image/jxl", PhotoReader::Jp2);
const JXL_BARE: PhotoKind = kind("JXL Codestream", "JXL", "image/jxl", PhotoReader::JxlCodestream);
const CRW: PhotoKind = kind("CRW", "CRW", "image/x-canon-crw", PhotoReader::Crw);
const MRW: PhotoKind = kind("MRW", "MRW", "image/x-minolta-mrw", PhotoReader::Mrw);
const RAF: PhotoKind = kind("RAF", "RAF", "image/x-fujifilm-raf", PhotoReader::Raf);
const ICC: PhotoKind = kind("ICC", "ICC", "application/vnd.iccprofile", PhotoReader::Icc);
const XMP: PhotoKind = kind("XMP", "XMP", "application/rdf+xml", PhotoReader::Xmp);

const MOV: PhotoKind = kind("MOV", "MOV", "video/quicktime", PhotoReader::Boxes);
/// QuickTime by its brand, but not by its name.
const MOV_AS_MP4: PhotoKind = kind("MP4", "MP4", "video/quicktime", PhotoReader::Boxes);
const MP4: PhotoKind = kind("MP4", "MP4", "video/mp4", PhotoReader::Boxes);

/// Kinds of box files by their main brand.
const BRANDS: &[(&[u8; 4], PhotoKind)] = &[
    (b"heic", kind("HEIC", "HEIC", "image/heic", PhotoReader::Boxes)),
    (b"hevc", kind("HEICS", "HEICS", "image/heic-sequence", PhotoReader::Boxes)),
    (b"mif1", kind("HEIF", "HEIF", "image/heif", PhotoReader::Boxes)),
    (b"msf1", kind("HEIFS", "HEIFS", "image/heif-sequence", PhotoReader::Boxes)),
    (b"heix", kind("HEIF", "HEIF", "image/heif", PhotoReader::Boxes)),
    (b"avif", kind("AVIF", "AVIF", "image/avif", PhotoReader::Boxes)),
    (b"crx ", kind("CR3", "CR3", "image/x-canon-cr3", PhotoReader::Boxes)),
    (b"M4A ", kind("M4A", "M4A", "audio/mp4", PhotoReader::Boxes)),
    (b"M4V ", kind("M4V", "M4V", "video/x-m4v", PhotoReader::Boxes)),
    (b"3gp4", kind("3GP", "3GP", "video/3gpp", PhotoReader::Boxes)),
    (b"3gp5", kind("3GP", "3GP", "video/3gpp", PhotoReader::Boxes)),
    (b"qt  ", MOV),
];

/// The kind of the file that starts with `head`.
pub(super) fn of_head(head: &[u8], extension: &str) -> Option<PhotoKind> {
    of_name(name_of_head(head, extension)?, head, extension)
}

/// What a file is by its first bytes: a container that can be checked, or one that only has metadata.
fn name_of_head(head: &[u8], extension: &str) -> Option<&'static str> {
    kind_of_head(head).or_else(|| match head {
        [b'M', b'M', b'O', b'R', ..] => Some("tiff"),
        [0, 0, 0, 12, b'j', b'P', b' ' | 0x1a, b' ' | 0x1a, 13, 10, 0x87, 10, ..] => Some("jp2"),
        [0xff, 0x0a, ..] => Some("jxl codestream"),
        [0, b'M', b'R', b'M' | b'I', ..] => Some("mrw"),
        [_, _, _, _, b'f', b'r', b'e', b'e', ..] | [_, _, _, _, b'p', b'n', b'o', b't', ..] => {
            Some("mp4")
        }
        _ if is_profile(head) => Some("icc"),
        _ if is_packet(head, extension) => Some("xmp"),
        _ => None,
    })
}

/// The kind of a file by the name of its container and, where kinds share that, by its first bytes or
/// its extension.
fn of_name(name: &str, head: &[u8], extension: &str) -> Option<PhotoKind> {
    Some(match name {
        "jpeg" if extension == "jps" => JPS,
        "jpeg" => JPEG,
        "exv" => EXV,
        "tiff" => tiff(head, extension),
        "png" => PNG,
        "webp" => WEBP,
        "avi" => AVI,
        "gif" => GIF,
        "psd" if head.get(5) == Some(&2) => PSB,
        "psd" => PSD,
        "jp2" => JP2,
        "j2c" => J2C,
        "jxl" => JXL,
        "jxl codestream" => JXL_BARE,
        "mrw" => MRW,
        "crw" => CRW,
        "raf" => RAF,
        "icc" => ICC,
        "xmp" => XMP,
        "heif" | "avif" | "cr3" | "mp4" => match head {
            [_, _, _, _, b'f', b't', b'y', b'p', rest @ ..] => brand(rest, extension),
            _ if extension == "mp4" => MP4,
            _ => MOV,
        },
        _ => return None,
    })
}

/// A TIFF by its version or its extension; "CR" at byte 8 marks Canon's.
fn tiff(head: &[u8], extension: &str) -> PhotoKind {
    match head {
        [_, _, b'R', b'O' | b'S', ..] | [_, _, b'O', b'R', ..] => ORF,
        [_, _, 0x55, 0, ..] => RW2,
        [_, _, 0x2b, 0, ..] | [_, _, 0, 0x2b, ..] => BIG_TIFF,
        [_, _, _, _, _, _, _, _, b'C', b'R', 2, ..] => CR2,
        _ => TIFF_KINDS.iter().find(|(end, _)| *end == extension).map_or(TIFF, |(_, kind)| *kind),
    }
}

fn brand(rest: &[u8], extension: &str) -> PhotoKind {
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
