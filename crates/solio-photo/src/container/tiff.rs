//! TIFF, and the raw formats made of it.

use crate::bytes::View;
use crate::exif;
use crate::gather::Gather;

/// Reads a TIFF file.
pub(super) fn read(view: View<'_>, role: exif::Role, gather: &mut Gather<'_>) {
    exif::read_tiff(view, role, gather);
}
