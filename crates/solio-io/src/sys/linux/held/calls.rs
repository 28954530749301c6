//! How many bytes of which file a call will read.

use super::filter::AskedCall;
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

/// Parts of a vectored read that are looked at; the kernel takes no more.
const MOST_PARTS: u64 = 1024;
/// The system's own files are mapped whole and hardly read: locales, caches of fonts.
const OF_THE_SYSTEM: [&str; 3] = ["/usr", "/etc", "/lib"];

/// What a call will read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) bytes: u64,
    pub(super) is_map: bool,
    /// Device and inode.
    pub(super) file: (u64, u64),
    thread: u32,
    descriptor: i32,
}

/// `None` for what is not a regular file: pipes, sockets, terminals, folders.
pub(super) fn of(call: &AskedCall) -> Option<Asked> {
    let [a, b, c, d, e, f] = call.arguments;
    let thread = call.thread;
    let is_map = call.number == libc::SYS_mmap;
    let descriptor = match call.number {
        libc::SYS_sendfile => b,
        libc::SYS_mmap => e,
        _ => a,
    } as i32;
    let meta = regular(thread, descriptor)?;
    let (offset, count) = match call.number {
        libc::SYS_read => (None, c),
        libc::SYS_pread64 => (Some(d), c),
        libc::SYS_readv => (None, parts(thread, b, c)),
        // An offset of -1 is that of the file.
        libc::SYS_preadv | libc::SYS_preadv2 => {
            (Some(d).filter(|d| *d != u64::MAX), parts(thread, b, c))
        }
        libc::SYS_sendfile => (word(thread, c), d),
        libc::SYS_splice | libc::SYS_copy_file_range => (word(thread, b), e),
        libc::SYS_mmap => (Some(f), b),
        _ => return None,
    };
    if is_map && is_of_the_system(thread, descriptor) {
        return None;
    }
    let offset = offset.or_else(|| position(thread, descriptor)).unwrap_or(0);
    let bytes = count.min(meta.len().saturating_sub(offset));
    Some(Asked { bytes, is_map, file: (meta.dev(), meta.ino()), thread, descriptor })
}

/// The file's name now.
pub(super) fn path_of(asked: &Asked) -> PathBuf {
    std::fs::read_link(link(asked.thread, asked.descriptor)).unwrap_or_default()
}

fn link(thread: u32, descriptor: i32) -> PathBuf {
    format!("/proc/{thread}/fd/{descriptor}").into()
}

fn regular(thread: u32, descriptor: i32) -> Option<Metadata> {
    std::fs::metadata(link(thread, descriptor)).ok().filter(Metadata::is_file)
}

fn is_of_the_system(thread: u32, descriptor: i32) -> bool {
    let path = std::fs::read_link(link(thread, descriptor)).unwrap_or_default();
    OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder))
}

fn position(thread: u32, descriptor: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/fdinfo/{descriptor}")).ok()?;
    text.lines().next()?.strip_prefix("pos:")?.trim().parse().ok()
}

#[allow(clippy::disallowed_methods)] // memory of a process, not a file
fn memory<const N: usize>(thread: u32, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let file = File::open(format!("/proc/{thread}/mem")).ok()?;
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

/// The number that a pointer leads to, if there is one.
fn word(thread: u32, at: u64) -> Option<u64> {
    if at == 0 { None } else { memory(thread, at).map(u64::from_ne_bytes) }
}

/// The bytes of all parts of a vectored read.
fn parts(thread: u32, at: u64, count: u64) -> u64 {
    let lengths = (0..count.min(MOST_PARTS)).map(|n| word(thread, at + 16 * n + 8).unwrap_or(0));
    lengths.fold(0, u64::saturating_add)
}
