//! TIFF, and the raw formats made of it.

use crate::bytes::View;
use crate::exif;
use crate::gather::Gather;

/// Reads a TIFF file.
pub(super) fn read(view: View<'_>, gather: &mut Gather<'_>) {
    exif::read_tiff(view, true, gather);
}
