//! TIFF, and the raw formats made of it.

use crate::exif;
use crate::gather::Gather;
use solio_container::ByteView;

/// Reads a TIFF file.
pub(super) fn read(view: ByteView<'_>, role: exif::TiffRole, gather: &mut Gather<'_>) {
    exif::read_tiff(view, role, gather);
}
