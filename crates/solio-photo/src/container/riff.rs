//! RIFF, as WebP uses it: chunks of name, length (little-endian) and data, padded to even.
//!
//! WebP Container Specification; VP8 data format (RFC 6386, 9.1).

use crate::gather::Gather;
use crate::rule::Rule;
use crate::value::Value;
use crate::{exif, icc, xmp};
use solio_container::ByteView;
use solio_container::riff::{RiffChunk, RiffChunks, webp_size};

const GROUP: &str = "RIFF";
/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 1 << 14;

/// Reads a WebP file.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    for chunk in RiffChunks::new(view, 12).take(MOST_CHUNKS) {
        let body = chunk.body;
        let whole = body.len() == chunk.len;
        match &chunk.kind {
            b"VP8X" => extended(chunk, gather),
            b"VP8 " => lossy_picture(chunk, gather),
            b"VP8L" => lossless_picture(chunk, gather),
            b"ALPH" => alpha(body, gather),
            b"ANIM" => {
                if let Some(color) = body.array::<4>(0) {
                    let color = Value::Ints(color.map(i64::from).to_vec());
                    gather.put(GROUP, "BackgroundColor", color, Rule::Plain);
                }
                if let Some(count) = body.le16(4) {
                    let words = Rule::Words { words: "0:inf|*:{}", hex: false };
                    gather.put(GROUP, "AnimationLoopCount", Value::int(count), words);
                }
            }
            b"EXIF" if whole => {
                let marked = body.get(0, 6).is_some_and(|mark| mark.starts_with(b"Exif\0\0"));
                exif::read_tiff(body.from(if marked { 6 } else { 0 }), exif::Role::Part, gather);
            }
            b"XMP " | b"XMP\0" if whole => {
                if let Some(packet) = body.all(xmp::MOST_PACKET) {
                    xmp::read(&packet, gather);
                }
            }
            b"ICCP" if whole => icc::read(body, gather),
            _ => {}
        }
        if !whole {
            gather.warn("RIFF: a chunk ends past the end of the file");
            return;
        }
        if gather.is_full() || gather.is_settled() {
            return;
        }
    }
}

fn extended(chunk: RiffChunk<'_>, gather: &mut Gather<'_>) {
    // Only this chunk tells that the file is of the extended kind.
    if let Some(tag) = gather.tags.iter_mut().find(|t| t.name == "FileType") {
        tag.value = Value::text("Extended WEBP");
    }
    let Some(flags) = chunk.body.le32(0) else { return };
    let bits = Rule::Bits("1:Animation|2:XMP|3:EXIF|4:Alpha|5:ICC Profile");
    gather.put(GROUP, "WebP_Flags", Value::int(flags), bits);
    if let Some((width, height)) = webp_size(&chunk) {
        gather.int(GROUP, "ImageWidth", width);
        gather.int(GROUP, "ImageHeight", height);
    }
}

fn lossy_picture(chunk: RiffChunk<'_>, gather: &mut Gather<'_>) {
    let Some((width, height)) = webp_size(&chunk) else { return };
    let byte = |at| chunk.body.u8(at).unwrap_or(0);
    let words = "0:0 (bicubic reconstruction, normal loop)|\
        1:1 (bilinear reconstruction, simple loop)|2:2 (bilinear reconstruction, no loop)|\
        3:3 (no reconstruction, no loop)";
    let version = Value::int(byte(0) >> 1 & 7);
    gather.put(GROUP, "VP8Version", version, Rule::Words { words, hex: false });
    gather.int(GROUP, "ImageWidth", width);
    gather.int(GROUP, "HorizontalScale", byte(7) >> 6);
    gather.int(GROUP, "ImageHeight", height);
    gather.int(GROUP, "VerticalScale", byte(9) >> 6);
}

fn lossless_picture(chunk: RiffChunk<'_>, gather: &mut Gather<'_>) {
    let Some((width, height)) = webp_size(&chunk) else { return };
    gather.int(GROUP, "ImageWidth", width);
    gather.int(GROUP, "ImageHeight", height);
    let words = Rule::Words { words: "0:No|1:Yes", hex: false };
    gather.put(GROUP, "AlphaIsUsed", Value::int(chunk.body.u8(4).unwrap_or(0) >> 4 & 1), words);
}

fn alpha(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let Some(bits) = body.u8(0) else { return };
    let words = |words| Rule::Words { words, hex: false };
    let preprocessing = words("0:none|1:Level Reduction");
    gather.put(GROUP, "AlphaPreprocessing", Value::int(bits >> 4 & 3), preprocessing);
    let filtering = words("0:none|1:Horizontal|2:Vertical|3:Gradient");
    gather.put(GROUP, "AlphaFiltering", Value::int(bits >> 2 & 3), filtering);
    gather.put(GROUP, "AlphaCompression", Value::int(bits & 3), words("0:none|1:Lossless"));
}
