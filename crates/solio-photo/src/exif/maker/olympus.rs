//! Maker notes of Olympus and OM System.

use super::MakerNote;
use crate::camera::CameraModel;
use crate::exif::NoteDirectory;
use crate::gather::Gather;
use crate::record::MakerBlock;
use crate::rule::TagRule;
use crate::table;
use crate::value::{Value, lossy};
use solio_container::tiff::word;

/// Heads of the older form, which makers of cameras for others used under several names.
const OLD: [&[u8]; 5] = [b"OLYMP\0", b"EPSON\0", b"MINOL\0", b"CAMER\0", b"PREMI\0"];

/// Where the note's directory is, if it is one of Olympus'.
pub(super) fn place<'a>(
    note: &MakerNote<'a>,
    head: &[u8],
    camera: &'a CameraModel,
) -> Option<NoteDirectory<'a>> {
    let own = note.tiff.from(note.at);
    // Offsets count from the TIFF structure behind the first heads, from the note behind the rest.
    let (view, at, big) = match head {
        _ if OLD.iter().any(|old| head.starts_with(old)) => {
            (note.tiff, note.at.checked_add(8)?, note.big)
        }
        _ if head.starts_with(b"SONY PI\0") => (note.tiff, note.at.checked_add(12)?, note.big),
        _ if head.starts_with(b"OLYMPUS\0") => (own, 12, head.get(8) == Some(&b'M')),
        _ if head.starts_with(b"OM SYSTEM\0") => (own, 16, head.get(12) == Some(&b'M')),
        _ => return None,
    };
    let table = table::OLYMPUS.table("olympus")?;
    Some(NoteDirectory::new((view, at, big), "Olympus", table, camera))
}

/// Reads a block.
pub(super) fn hook(name: &str, block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    match name {
        "olympus.text" => text_info(block, gather),
        "olympus.quality" => quality(block, gather),
        "olympus.stabilizer" => stabilized(block, gather),
        _ => {}
    }
}

/// The tag `CameraType`.
const CAMERA_TYPE: u16 = 0x0207;

/// The words for qualities depend on the camera's kind, which the same directory holds.
fn quality(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let Some(at) = super::entry_of(block, CAMERA_TYPE) else { return };
    let kind = block.view.array::<4>(at + 8).map(|at| word(&at, block.around.big));
    let kind = kind.and_then(|at| block.view.get(at, 5)).unwrap_or_default();
    let old = kind.starts_with(b"SX") && !kind.starts_with(b"SX151") || *kind == *b"D4322";
    let words = if old {
        "0:SQ (Low)|1:HQ (Normal)|2:SHQ (Fine)|6:RAW"
    } else {
        "1:SQ (Low)|2:HQ (Normal)|3:SHQ (Fine)|4:RAW|5:Medium-Fine|6:Small-Fine|33:Uncompressed"
    };
    if let Some(value) = block.value() {
        let rule = TagRule::Words { words, hex: false };
        gather.put(block.around.group.clone(), "Quality", value, rule);
    }
}

/// Cameras that say the same among their settings have something else here.
fn stabilized(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    const NAME: &str = "ImageStabilization";
    if gather.find(block.around.group, NAME).is_none()
        && let (Some(value), Some(rule)) =
            (block.value(), crate::rule::makers::own("olympus.stabilizer"))
    {
        gather.put(block.around.group.clone(), NAME, value, TagRule::Own(rule));
    }
}

/// `[pictureInfo] Resolution=1 [Camera Info] Type=SR951`.
fn text_info(block: &MakerBlock<'_>, gather: &mut Gather<'_>) {
    let bytes = block.part.all(1 << 12).unwrap_or_default();
    let text = lossy(&bytes);
    let pairs = text.split(['\0', ' ', '\r', '\n', '[']).filter_map(|word| word.split_once('='));
    for (name, value) in pairs.take(64) {
        let name = match name {
            // The directory says the same with the camera's name.
            "Type" => continue,
            "Resolution" | "Quality" => name.to_owned(),
            _ => continue,
        };
        gather.put(block.around.group.clone(), name, Value::text(value), TagRule::Plain);
    }
}
