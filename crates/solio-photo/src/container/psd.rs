//! PSD: a header, image resources, layers.
//!
//! Adobe Photoshop File Formats Specification.

use crate::exif::photoshop;
use crate::gather::Gather;
use crate::iptc::IptcHome;
use crate::record::read_container;
use solio_container::{
    ByteView,
    psd::{is_large, sections},
};

const GROUP: &str = "Photoshop";

/// Reads a PSD file, except its layers and pixels.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    gather.has_place_for_iptc = true;
    read_container("psd_header", view, GROUP, gather);
    let mut sections = sections(view).map_while(Result::ok).skip(1);
    let Some(resources) = sections.next() else { return };
    photoshop::read(resources.body, IptcHome::Standard, gather);
    let Some(layers) = sections.next() else { return };
    // The length of what is said of all layers, then how many there are.
    let body = layers.body;
    let (bytes, count) =
        if is_large(view) { (body.be64(0), 8) } else { (body.be32(0).map(u64::from), 4) };
    let count = body.be16(count).filter(|_| bytes.is_some_and(|bytes| bytes > 0));
    gather.int(GROUP, "LayerCount", count.map_or(0, |n| (n as i16).unsigned_abs()));
    read_container("psd_pixels", view.from(layers.end), GROUP, gather);
}
