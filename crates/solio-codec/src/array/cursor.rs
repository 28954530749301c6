//! Takes fields from bytes, one after the other.

/// Where the next field begins; every method gives `None` beyond the end.
pub(super) struct FieldCursor<'a>(pub(super) &'a [u8]);

impl<'a> FieldCursor<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|byte| byte[0])
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes(4)?;
        Some(u32::from_le_bytes(*bytes.first_chunk()?))
    }
}
