//! Fujifilm's RAF: a head with the places of a JPEG, of a directory, and of the raw data.

use super::jpeg;
use crate::bytes::View;
use crate::gather::Gather;
use crate::value::lossy;

/// Reads the JPEG within, which holds the EXIF.
pub(super) fn read(view: View<'_>, gather: &mut Gather<'_>) {
    if let Some(version) = view.get(0x3c, 4) {
        gather.text("File", "RAFVersion", lossy(&version));
    }
    if let (Some(at), Some(len)) = (view.be32(0x54), view.be32(0x58)) {
        let part = view.part(u64::from(at), u64::from(len));
        if part.get(0, 3).is_some_and(|head| *head == [0xff, 0xd8, 0xff]) {
            jpeg::read(part, gather);
        }
    }
}
