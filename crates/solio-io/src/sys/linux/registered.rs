//! Memory of the pool that a ring's system knows: reads past the page cache into it need not find
//! and hold its pages anew each time.
//!
//! Blocks up to [`HUGE`] lie inside of one huge page of a slab, and slabs stay mapped as long as the
//! pool: so each such page is registered when a ring first reads into it, and never given back. How
//! much may be held is bounded (`RLIMIT_MEMLOCK`, unless the process is privileged): the first page
//! that is refused is the last that is tried, and reads into others are ordinary ones.

use crate::engine::pool::{HUGE, Landing};
use io_uring::{IoUring, opcode, types};
use std::collections::HashMap;

/// Most pages that are registered: as much as the default memory budget.
const MOST: usize = 256;

/// What one ring has registered.
pub(crate) struct Registered {
    /// By the address of the page.
    places: HashMap<usize, u16>,
    most: usize,
}

impl Registered {
    /// Room for pages, where the system knows how to register single ones (Linux 5.19).
    pub(crate) fn new(ring: &IoUring, can_read: bool) -> Self {
        let has_room = can_read && ring.submitter().register_buffers_sparse(MOST as u32).is_ok();
        Registered { places: HashMap::new(), most: if has_room { MOST } else { 0 } }
    }

    /// The number under which the system knows the memory of a landing.
    pub(crate) fn place(&mut self, ring: &IoUring, landing: &Landing) -> Option<u16> {
        let page = landing.huge_page()?;
        if let Some(&place) = self.places.get(&page) {
            return Some(place);
        }
        let place = self.places.len();
        if place >= self.most {
            return None;
        }
        let memory = libc::iovec { iov_base: page as *mut libc::c_void, iov_len: HUGE };
        // SAFETY: a page of a slab: mapped until the pool goes, and that is after the rings.
        let done =
            unsafe { ring.submitter().register_buffers_update(place as u32, &[memory], None) };
        if done.is_err() {
            self.most = place;
            return None;
        }
        self.places.insert(page, place as u16);
        Some(place as u16)
    }
}

/// A read of a file into `window`, whose memory the system may know under a number.
pub(crate) fn read(
    file: types::Fixed,
    window: &mut [u8],
    place: Option<u16>,
) -> io_uring::squeue::Entry {
    let (start, length) = (window.as_mut_ptr(), window.len() as u32);
    match place {
        Some(place) => opcode::ReadFixed::new(file, start, length, place).build(),
        None => opcode::Read::new(file, start, length).build(),
    }
}
