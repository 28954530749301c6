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
mod psd;
mod raf;
mod riff;
mod segments;
mod trailer;
mod user_data;

use crate::gather::Gather;
use crate::metadata::Gap;
use crate::{exif, icc, xmp};
use solio_container::ByteView;

/// The name of the kind of the file that starts with `head` (`JPEG`, `NEF`, `HEIC`), as ExifTool's
/// tag `FileType` has it; `extension` is the end of its name in small letters, which decides where
/// marks are shared. `None`: no photo, video or profile.
pub fn kind_name(head: &[u8], extension: &str) -> Option<&'static str> {
    kind::of_head(head, extension).map(kind::PhotoKind::name)
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
    gather.read_jpeg = jpeg::read;
    read_as(kind, view, gather);
    if gather.find("IFD0", "DNGVersion").is_some() {
        kind::PhotoKind::DNG.announce_instead(gather);
    }
    true
}

fn read_as(kind: kind::PhotoKind, view: ByteView<'_>, gather: &mut Gather<'_>) {
    match kind.reader {
        kind::PhotoReader::Jpeg => jpeg::read(view, gather),
        kind::PhotoReader::Tiff => drop(exif::read_tiff(view, kind.role(), gather)),
        kind::PhotoReader::Png => png::read(view, gather),
        kind::PhotoReader::Riff => riff::read(view, gather),
        kind::PhotoReader::Gif => gif::read(view, gather),
        kind::PhotoReader::Photoshop => psd::read(view, gather),
        kind::PhotoReader::Boxes => bmff::read(view, gather),
        kind::PhotoReader::Jp2 => jp2::read(view, gather),
        kind::PhotoReader::JxlCodestream => jxl::read_codestream(view, gather),
        kind::PhotoReader::Codestream => jp2::read_codestream(view, gather),
        kind::PhotoReader::Crw => crw::read(view, gather),
        kind::PhotoReader::Mrw => mrw::read(view, gather),
        kind::PhotoReader::Raf => raf::read(view, gather),
        kind::PhotoReader::Icc => icc::read(view, gather),
        kind::PhotoReader::Xmp => xmp::read_view(view, gather),
        kind::PhotoReader::Nothing => gather.leave(Gap::Format),
    }
}
