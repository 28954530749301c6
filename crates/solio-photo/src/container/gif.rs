//! GIF: a screen descriptor, then blocks; extensions hold comments, XMP and ICC profiles.
//!
//! GIF89a specification, sections 18 to 26; XMP specification part 3, 1.1.2.

use crate::gather::Gather;
use crate::record::read_container;
use crate::rule::{Named, TagRule};
use crate::value::{Value, lossy};
use crate::{icc, xmp};
use solio_container::{
    ByteView,
    gif::{GifBlock, GifBlocks},
};

const GROUP: &str = "GIF";
/// Most bytes of an extension that are kept.
const MOST_EXTENSION: usize = 16 << 20;
/// Most blocks that are looked at.
const MOST_BLOCKS: usize = 1 << 20;

/// Reads everything except the pictures.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    read_container("gif_screen", view, GROUP, gather);
    let Ok(mut blocks) = GifBlocks::new(view) else { return };
    let (mut frames, mut hundredths) = (0, 0);
    let mut budget = MOST_BLOCKS;
    while let Ok(Some(block)) = blocks.next_block() {
        let read = match block {
            GifBlock::Image => {
                frames += 1;
                Some(())
            }
            GifBlock::Extension(label) => {
                extension(label, &mut blocks, &mut budget, &mut hundredths, gather)
            }
        };
        if read.and_then(|()| content(&mut blocks, false, 0, &mut budget)).is_none() {
            break;
        }
    }
    if frames > 1 {
        gather.int(GROUP, "FrameCount", frames);
    }
    if hundredths > 0 {
        let duration = Value::Floats(vec![hundredths as f64 / 100.0]);
        gather.put(GROUP, "Duration", duration, TagRule::Named(Named::Seconds));
    }
}

/// The content of the sub-blocks that follow, up to `most` bytes; `lengths`: their lengths belong to
/// it.
fn content(
    blocks: &mut GifBlocks<'_>,
    lengths: bool,
    most: usize,
    budget: &mut usize,
) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(part) = blocks.next_part().ok()? {
        *budget = budget.checked_sub(1)?;
        if all.len() < most {
            all.extend(lengths.then_some(part.len() as u8));
            all.extend_from_slice(&part.all(255)?);
        }
    }
    *budget = budget.checked_sub(1)?;
    Some(all)
}

fn extension(
    label: u8,
    blocks: &mut GifBlocks<'_>,
    budget: &mut usize,
    hundredths: &mut u64,
    gather: &mut Gather<'_>,
) -> Option<()> {
    match label {
        0xfe => {
            gather.text("File", "Comment", lossy(&content(blocks, false, MOST_EXTENSION, budget)?))
        }
        0xf9 => {
            if let Some(part) = blocks.next_part().ok()? {
                *hundredths += u64::from(part.le16(1).unwrap_or(0));
            }
        }
        0xff => {
            let name = blocks.next_part().ok()?.filter(|name| name.len() == 11);
            if let Some(name) = name.and_then(|name| name.array(0)) {
                let content = |lengths| content(blocks, lengths, MOST_EXTENSION, budget);
                application(&name, content, gather)?;
            }
        }
        _ => {}
    }
    Some(())
}

/// What programs keep in an extension of their own.
fn application(
    name: &[u8; 11],
    content: impl FnOnce(bool) -> Option<Vec<u8>>,
    gather: &mut Gather<'_>,
) -> Option<()> {
    match name {
        b"XMP DataXMP" => {
            // The packet is not cut into blocks: what looks like their lengths is its text, and
            // the trailer after it runs through all lengths.
            let packet = content(true)?;
            xmp::read(&packet[..packet.len().saturating_sub(257)], gather);
        }
        b"ICCRGBG1012" => icc::read(ByteView::memory(&content(false)?), gather),
        b"NETSCAPE2.0" => {
            if let [1, low, high, ..] = content(false)?[..] {
                let words = TagRule::Words { words: "0:Infinite|*:{}", hex: false };
                let loops = Value::int(u16::from_le_bytes([low, high]));
                gather.put(GROUP, "AnimationIterations", loops, words);
            }
        }
        _ => {}
    }
    Some(())
}
