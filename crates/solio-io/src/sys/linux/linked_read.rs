//! A small file that is likely not in the page cache, by a ring: the ring is asked for its size;
//! then it opens the file, reads it past the page cache and closes it by linked entries that are
//! handed over together.
//!
//! * Asking first costs a hundredth of the time, and saves more: reading as much as such files
//!   usually have took as long, but twice the CPU, for what is read behind the end is filled with
//!   zeros; and memory for the largest.
//! * What was read counts only if it ends where the size says. So at least one byte more is asked
//!   for: the rest of the last block, or a block behind it, which must be empty. A file that was
//!   cut, has grown or was replaced meanwhile is opened anew in the plain way, and so is all that
//!   is no small regular file: that way finds out what is the matter.
//! * The open puts the file into the ring's own table, at the place of the flight: it takes no
//!   descriptor. If it fails, the system cancels the others. The close follows however the reads
//!   end (hard links). Only when all are answered is the place free again: before, the close could
//!   hit the next file there.

use super::registered;
use crate::engine::core::Flight;
use crate::engine::pool::ALIGN;
use crate::engine::scheduler::SMALL;
use io_uring::squeue::{Entry, Flags};
use io_uring::{opcode, types};
use rustix::fs::{FileType, Statx};
use solio_base::Error;
use std::ffi::CString;
use std::mem::MaybeUninit;

/// Most entries of a file.
pub(crate) const LINKS: usize = 4;

/// What the ring needs to know to do it.
pub(crate) const NEEDS: [u8; 4] =
    [opcode::Statx::CODE, opcode::OpenAt::CODE, opcode::Read::CODE, opcode::Close::CODE];

/// Errors of a path that opening it again would not change.
const DEFINITE: [i32; 5] =
    [libc::ENOENT, libc::EACCES, libc::ENOTDIR, libc::ELOOP, libc::ENAMETOOLONG];

/// A file whose size is asked for.
pub(crate) struct StatFlight {
    flight: Flight,
    path: CString,
    /// Where the answer goes; on the heap, as the system has its address.
    stat: Box<MaybeUninit<Statx>>,
}

/// What a file turned out to be before it was opened.
pub(crate) enum StatOutcome {
    Small {
        flight: Flight,
        path: CString,
        bytes: u64,
    },
    /// There is none, or it may not be looked at.
    None {
        flight: Flight,
        error: Error,
    },
    /// To be found out in the plain way.
    Other {
        flight: Flight,
    },
}

impl StatFlight {
    pub(crate) fn new(flight: Flight, path: CString) -> Self {
        StatFlight { flight, path, stat: Box::new(MaybeUninit::zeroed()) }
    }

    /// What the system is asked for. It points to what `self` owns on the heap.
    pub(crate) fn entry(&mut self) -> Entry {
        let (here, mask) = (types::Fd(libc::AT_FDCWD), libc::STATX_TYPE | libc::STATX_SIZE);
        let answer = self.stat.as_mut_ptr().cast::<types::statx>();
        opcode::Statx::new(here, self.path.as_ptr(), answer).mask(mask).build()
    }

    pub(crate) fn seen(self, answer: i32) -> StatOutcome {
        let StatFlight { flight, path, stat } = self;
        if let Some(error) = definite(answer, &flight) {
            return StatOutcome::None { flight, error };
        }
        // SAFETY: it was all zeros, which is a valid value of integers, before the system wrote.
        let stat = unsafe { stat.assume_init() };
        let kind = FileType::from_raw_mode(stat.stx_mode.into());
        match answer == 0 && kind.is_file() && stat.stx_size < SMALL {
            true => StatOutcome::Small { flight, path, bytes: stat.stx_size },
            false => StatOutcome::Other { flight },
        }
    }
}

/// A file that is opened, read and closed.
pub(crate) struct Link {
    flight: Flight,
    path: CString,
    /// The system's answers to open, read, perhaps the read behind the end, and close.
    answers: Vec<Option<i32>>,
}

/// How it ended.
pub(crate) enum LinkEnd {
    /// All bytes are there.
    Whole { flight: Flight },
    /// There is no such file any more, or it may not be read.
    NotOpened { flight: Flight, error: Error },
    /// It is not what it was said to be, or something failed.
    Unclear { flight: Flight },
}

impl Link {
    /// A flight that is to read all of a file and knows where to.
    pub(crate) fn new(flight: Flight, path: CString) -> Self {
        Link { flight, path, answers: Vec::new() }
    }

    /// What the system is asked for. It points to what `self` owns on the heap, and to `beyond`, a
    /// block that nobody ever looks at.
    /// `known` is the number under which the system knows the memory of its landing.
    pub(crate) fn entries(
        &mut self,
        place: usize,
        known: Option<u16>,
        beyond: *mut u8,
    ) -> Vec<Entry> {
        // Without O_CLOEXEC, which is refused here: no other program sees the ring's table. What
        // is no regular file (a pipe, which a read would change) cannot be opened with O_DIRECT.
        let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_DIRECT;
        let slot = types::DestinationSlot::try_from_slot_target(place as u32).expect("few places");
        let open = opcode::OpenAt::new(types::Fd(libc::AT_FDCWD), self.path.as_ptr());
        let open = open.flags(flags).file_index(Some(slot)).build().flags(Flags::IO_LINK);
        let file = types::Fixed(place as u32);
        let bytes = self.flight.grant.length as usize;
        let landing = self.flight.landing.as_ref().expect("its size is known");
        let mut entries = vec![open];
        if bytes > 0 {
            // SAFETY: the flight's alone; pool memory has room for whole blocks.
            let window = unsafe { landing.window(0, bytes.next_multiple_of(ALIGN)) };
            entries.push(registered::read(file, window, known).flags(Flags::IO_HARDLINK));
        }
        if bytes.is_multiple_of(ALIGN) {
            let behind = opcode::Read::new(file, beyond, ALIGN as u32).offset(bytes as u64);
            entries.push(behind.build().flags(Flags::IO_HARDLINK));
        }
        entries.push(opcode::Close::new(file).build());
        self.answers = vec![None; entries.len()];
        entries
    }

    /// The answer to one of the entries. Returns whether it was the last to come.
    pub(crate) fn answer(&mut self, part: usize, answer: i32) -> bool {
        self.answers[part] = Some(answer);
        self.answers.iter().all(Option::is_some)
    }

    /// What has come of it, when all are answered.
    pub(crate) fn end(self) -> LinkEnd {
        let Link { flight, answers, .. } = self;
        let answers: Vec<i32> = answers.into_iter().map(|a| a.expect("all are answered")).collect();
        let (open, reads) = (answers[0], &answers[1..answers.len() - 1]);
        if let Some(error) = definite(open, &flight) {
            return LinkEnd::NotOpened { flight, error };
        }
        let failed = open < 0 || reads.iter().any(|&read| read < 0);
        let read: i64 = reads.iter().map(|&read| i64::from(read)).sum();
        match !failed && read == flight.grant.length as i64 {
            true => LinkEnd::Whole { flight },
            false => LinkEnd::Unclear { flight },
        }
    }
}

/// The error of a path, where that is what the system answered.
fn definite(answer: i32, flight: &Flight) -> Option<Error> {
    let error = std::io::Error::from_raw_os_error(-answer);
    let path = &flight.request().path;
    DEFINITE.contains(&-answer).then(|| crate::io_error("open", error, path))
}
