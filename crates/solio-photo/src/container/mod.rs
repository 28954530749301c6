//! Containers: which format a file has, and where its metadata lies.

mod bmff;
mod crw;
mod flashpix;
mod gif;
mod itunes;
mod jp2;
mod jpeg;
mod jumbf;
mod jxl;
mod kind;
mod languages;
mod movie;
mod mpf;
mod mrw;
mod png;
mod png_text;
mod raf;
mod riff;
mod segments;
mod tiff;
mod trailer;
mod user_data;

use crate::gather::Gather;
use crate::metadata::Gap;
use crate::{icc, photoshop, xmp};
use solio_container::ByteView;

pub(crate) use itunes::short_hex;

/// Reads a JPEG within another file.
/// The name of the kind of the file that starts with `head` (`JPEG`, `NEF`, `HEIC`), as ExifTool's
/// tag `FileType` has it; `extension` is the end of its name in small letters, which decides where
/// marks are shared. `None`: no photo, video or profile.
pub fn kind_name(head: &[u8], extension: &str) -> Option<&'static str> {
    kind::of_head(head, extension).map(kind::Kind::name)
}

pub(crate) fn read_jpeg(view: ByteView<'_>, gather: &mut Gather<'_>) {
    jpeg::read(view, gather);
}

/// Reads whatever the file is. False where it has no known format.
pub(crate) fn read(view: ByteView<'_>, extension: &str, gather: &mut Gather<'_>) -> bool {
    let mut head = [0; 32];
    let available = view.len().min(32) as usize;
    if let Some(start) = view.get(0, available) {
        head[..available].copy_from_slice(&start);
    }
    let Some(kind) = kind::of_head(&head[..available], extension) else { return false };
    kind.announce(gather);
    read_as(kind, view, gather);
    if gather.find("IFD0", "DNGVersion").is_some() {
        kind::Kind::DNG.announce_instead(gather);
    }
    true
}

fn read_as(kind: kind::Kind, view: ByteView<'_>, gather: &mut Gather<'_>) {
    match kind.reader {
        kind::Reader::Jpeg => jpeg::read(view, gather),
        kind::Reader::Tiff => tiff::read(view, kind.role(), gather),
        kind::Reader::Png => png::read(view, gather),
        kind::Reader::Riff => riff::read(view, gather),
        kind::Reader::Gif => gif::read(view, gather),
        kind::Reader::Photoshop => photoshop::read_file(view, gather),
        kind::Reader::Boxes => bmff::read(view, gather),
        kind::Reader::Jp2 => jp2::read(view, gather),
        kind::Reader::JxlCodestream => jxl::read_codestream(view, gather),
        kind::Reader::Codestream => jp2::read_codestream(view, gather),
        kind::Reader::Crw => crw::read(view, gather),
        kind::Reader::Mrw => mrw::read(view, gather),
        kind::Reader::Raf => raf::read(view, gather),
        kind::Reader::Icc => icc::read(view, gather),
        kind::Reader::Xmp => xmp::read_view(view, gather),
        kind::Reader::Nothing => gather.leave(Gap::Format),
    }
}
