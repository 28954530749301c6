//! GIF: a screen descriptor, then blocks; extensions hold comments, XMP and ICC profiles.
//!
//! GIF89a specification, sections 18 to 26; XMP specification part 3, 1.1.2.

use crate::bytes::View;
use crate::gather::Gather;
use crate::rule::{Named, Rule};
use crate::value::{Value, lossy};
use crate::{icc, xmp};

const GROUP: &str = "GIF";
/// Most bytes of an extension that are kept.
const MOST_EXTENSION: usize = 16 << 20;
/// Most blocks that are looked at.
const MOST_BLOCKS: usize = 1 << 20;

/// Reads everything but the pictures.
pub(super) fn read(view: View<'_>, gather: &mut Gather<'_>) {
    let (Some(version), Some(head)) = (view.get(3, 3), view.array::<7>(6)) else { return };
    gather.text(GROUP, "GIFVersion", lossy(&version));
    gather.int(GROUP, "ImageWidth", u16::from_le_bytes([head[0], head[1]]));
    gather.int(GROUP, "ImageHeight", u16::from_le_bytes([head[2], head[3]]));
    let words = Rule::Words { words: "0:No|1:Yes", hex: false };
    gather.put(GROUP, "HasColorMap", Value::int(head[4] >> 7), words);
    gather.int(GROUP, "ColorResolutionDepth", (head[4] >> 4 & 7) + 1);
    gather.int(GROUP, "BitsPerPixel", (head[4] & 7) + 1);
    gather.int(GROUP, "BackgroundColor", head[5]);
    if head[6] > 0 {
        let ratio = (f64::from(head[6]) + 15.0) / 64.0;
        gather.put(GROUP, "PixelAspectRatio", Value::Floats(vec![ratio]), Rule::Plain);
    }
    let mut at = 13 + colors(head[4]);
    let (mut frames, mut hundredths) = (0, 0);
    let mut budget = MOST_BLOCKS;
    while let Some(block) = view.u8(at) {
        match block {
            0x2c => {
                frames += 1;
                let Some(flags) = view.u8(at + 9) else { break };
                at += 11 + colors(flags);
                if skip(view, &mut at, &mut budget).is_none() {
                    break;
                }
            }
            0x21 => {
                let Some(label) = view.u8(at + 1) else { break };
                if label == 0xf9 {
                    hundredths += u64::from(view.le16(at + 4).unwrap_or(0));
                }
                if extension(label, view, &mut at, &mut budget, gather).is_none() {
                    break;
                }
            }
            _ => break,
        }
    }
    if frames > 1 {
        gather.int(GROUP, "FrameCount", frames);
    }
    if hundredths > 0 {
        let duration = Value::Floats(vec![hundredths as f64 / 100.0]);
        gather.put(GROUP, "Duration", duration, Rule::Named(Named::Seconds));
    }
}

/// Bytes of a table of colours.
fn colors(flags: u8) -> u64 {
    if flags & 0x80 != 0 { 3 << ((flags & 7) + 1) } else { 0 }
}

/// Skips sub-blocks.
fn skip(view: View<'_>, at: &mut u64, budget: &mut usize) -> Option<()> {
    loop {
        let len = view.u8(*at)?;
        *at += 1 + u64::from(len);
        *budget = budget.checked_sub(1)?;
        if len == 0 {
            return Some(());
        }
    }
}

/// The content of sub-blocks; `lengths`: their lengths belong to it.
fn content(view: View<'_>, at: &mut u64, lengths: bool, budget: &mut usize) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        let len = view.u8(*at)?;
        if len == 0 {
            *at += 1;
            return Some(all);
        }
        if lengths {
            all.push(len);
        }
        all.extend_from_slice(&view.get(*at + 1, usize::from(len))?);
        *at += 1 + u64::from(len);
        *budget = budget.checked_sub(1).filter(|_| all.len() < MOST_EXTENSION)?;
    }
}

fn extension(
    label: u8,
    view: View<'_>,
    at: &mut u64,
    budget: &mut usize,
    gather: &mut Gather<'_>,
) -> Option<()> {
    *at += 2;
    if label == 0xfe {
        let text = content(view, at, false, budget)?;
        gather.text("File", "Comment", lossy(&text));
        return Some(());
    }
    if label != 0xff || view.u8(*at)? != 11 {
        return skip(view, at, budget);
    }
    let name = view.array::<11>(*at + 1)?;
    *at += 12;
    match &name {
        b"XMP DataXMP" => {
            // The packet is not cut into blocks: what looks like their lengths is its text, and
            // the trailer after it runs through all lengths.
            let packet = content(view, at, true, budget)?;
            xmp::read(&packet[..packet.len().saturating_sub(257)], gather);
        }
        b"ICCRGBG1012" => {
            let profile = content(view, at, false, budget)?;
            icc::read(View::memory(&profile), gather);
        }
        b"NETSCAPE2.0" => {
            let loops = content(view, at, false, budget)?;
            if let [1, low, high, ..] = loops[..] {
                let words = Rule::Words { words: "0:Infinite|*:{}", hex: false };
                let loops = Value::int(u16::from_le_bytes([low, high]));
                gather.put(GROUP, "AnimationIterations", loops, words);
            }
        }
        _ => skip(view, at, budget)?,
    }
    Some(())
}
