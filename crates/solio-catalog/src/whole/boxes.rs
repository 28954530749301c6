//! Files of boxes: HEIF, AVIF, MP4, QuickTime, CR3, JPEG 2000, JPEG XL (ISO/IEC 14496-12, 4.2).

use super::cursor::{Cursor, be32};
use super::{Follow, Whole, follows};
use solio_base::{Error, Result};

/// The kind by the brand in `ftyp`.
pub(super) fn of_brand(brand: &[u8]) -> (&'static str, Follow) {
    match brand.get(..4).unwrap_or_default() {
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1" => {
            ("heif", follow_picture)
        }
        b"avif" | b"avis" => ("avif", follow_picture),
        b"crx " => ("cr3", follow_movie),
        _ => ("mp4", follow_movie),
    }
}

pub(super) fn follow_picture(file: &mut Cursor<'_>) -> Result<Whole> {
    follow(file, &[b"meta"])
}

pub(super) fn follow_movie(file: &mut Cursor<'_>) -> Result<Whole> {
    follow(file, &[b"moov", b"moof", b"meta"])
}

pub(super) fn follow_jp2(file: &mut Cursor<'_>) -> Result<Whole> {
    follow(file, &[b"jp2c"])
}

pub(super) fn follow_jxl(file: &mut Cursor<'_>) -> Result<Whole> {
    follow(file, &[b"jxlc", b"jxlp"])
}

/// Boxes from here to the end of the file.
pub(super) fn follow_rest(file: &mut Cursor<'_>) -> Result<()> {
    follow(file, &[]).map(|_| ())
}

/// Boxes up to the end of the file; one of `needed` has to be there.
fn follow(file: &mut Cursor<'_>, needed: &[&[u8; 4]]) -> Result<Whole> {
    let (mut boxes, mut has_needed) = (0u64, needed.is_empty());
    let mut whole = Whole::default();
    while file.rest() > 0 {
        let start = file.at();
        // Four zeros end QuickTime's lists; cameras fill up with zeros.
        if rest_is_zero(file)? {
            whole.notes.push(follows(file.rest()));
            break;
        }
        let size = be32(file.take("the head of a box")?);
        let kind: [u8; 4] = file.take("the head of a box")?;
        let size = match size {
            0 => file.len - start,
            1 => u64::from_be_bytes(file.take("the head of a box")?),
            size => size,
        };
        let name = String::from_utf8_lossy(&kind).into_owned();
        if size < file.at() - start || !kind.iter().all(|b| matches!(b, 0x20..=0x7e | 0xa9)) {
            if has_needed && boxes > 1 {
                file.go(start);
                whole.notes.push(follows(file.rest()));
                break;
            }
            return Err(Error::corrupt("no box starts here").at_offset(start));
        }
        let end = start.saturating_add(size);
        file.reach(end, &format!("the box {name:?}"))?;
        has_needed |= needed.contains(&&kind);
        boxes += 1;
        if &kind == b"jp2c" && end == file.len && file.tail()? != [0xff, 0xd9] {
            let message = "the file ends inside the codestream: the marker of its end is missing";
            return Err(Error::corrupt(message).at_offset(file.len));
        }
        file.go(end);
    }
    if !has_needed {
        let names: Vec<_> = needed.iter().map(|name| String::from_utf8_lossy(*name)).collect();
        let message =
            format!("there is no box {}: it was not written to its end", names.join(" or "));
        return Err(Error::corrupt(message).at_offset(file.len));
    }
    whole.found = format!("{boxes} boxes");
    Ok(whole)
}

/// Whether nothing but zeros follows, and more of them than a head that was cut can start with.
fn rest_is_zero(file: &mut Cursor<'_>) -> Result<bool> {
    let at = file.at();
    let part = file.next_part()?;
    let zeros = part.iter().take_while(|b| **b == 0).count();
    let all = zeros == part.len();
    let is_end = zeros >= 4 && all && zeros as u64 == file.len - at || zeros >= 4096;
    Ok(is_end)
}
