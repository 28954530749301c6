//! RIFF, as WebP uses it: chunks of name, length (little-endian) and data, padded to even.
//!
//! WebP Container Specification; VP8 data format (RFC 6386, 9.1).

use crate::gather::Gather;
use crate::record::read_container;
use crate::rule::TagRule;
use crate::value::Value;
use crate::{exif, icc, xmp};
use solio_container::{ByteView, ContainerChunk, riff::webp_size, riff_chunks};

const GROUP: &str = "RIFF";
/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 1 << 14;

/// Reads a WebP file.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    for chunk in riff_chunks(view, 12).map_while(Result::ok).take(MOST_CHUNKS) {
        let body = chunk.body;
        let whole = body.len() == chunk.len;
        // Zeros are not a chunk, and nothing tells where the next one is.
        if chunk.kind == [0; 4] && chunk.len == 0 {
            gather.warn("RIFF: zeros where a chunk should be; the rest was not read");
            return;
        }
        match &chunk.kind {
            b"VP8X" => extended(chunk, gather),
            b"VP8 " if webp_size(&chunk).is_some() => {
                read_container("webp_lossy", body, GROUP, gather);
            }
            b"VP8L" => lossless_picture(chunk, gather),
            b"ALPH" => read_container("webp_alpha", body, GROUP, gather),
            b"ANIM" => read_container("webp_animation", body, GROUP, gather),
            b"EXIF" if whole => drop(exif::read_part(body, gather)),
            b"XMP " | b"XMP\0" if whole => xmp::read_view(body, gather),
            b"ICCP" if whole => icc::read(body, gather),
            _ => {}
        }
        if !whole {
            gather.warn("RIFF: a chunk ends past the end of the file");
            return;
        }
        if gather.is_full() {
            return;
        }
    }
}

fn extended(chunk: ContainerChunk<'_>, gather: &mut Gather<'_>) {
    // Only this chunk tells that the file is of the extended kind.
    if let Some(tag) = gather.tags.iter_mut().find(|t| t.name == "FileType") {
        tag.value = Value::text("Extended WEBP");
    }
    let Some(flags) = chunk.body.le32(0) else { return };
    let bits = TagRule::Bits("1:Animation|2:XMP|3:EXIF|4:Alpha|5:ICC Profile");
    gather.put(GROUP, "WebP_Flags", Value::int(flags), bits);
    if let Some((width, height)) = webp_size(&chunk) {
        gather.int(GROUP, "ImageWidth", width);
        gather.int(GROUP, "ImageHeight", height);
    }
}

fn lossless_picture(chunk: ContainerChunk<'_>, gather: &mut Gather<'_>) {
    let Some((width, height)) = webp_size(&chunk) else { return };
    gather.int(GROUP, "ImageWidth", width);
    gather.int(GROUP, "ImageHeight", height);
    let words = TagRule::Words { words: "0:No|1:Yes", hex: false };
    gather.put(GROUP, "AlphaIsUsed", Value::int(chunk.body.u8(4).unwrap_or(0) >> 4 & 1), words);
}
