//! The filter of calls, and the kernel's side of it.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// How the kernel calls this architecture (`linux/audit.h`).
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};

/// Calls that read from a file.
pub(super) const READING: [libc::c_long; 8] = [
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_sendfile,
    libc::SYS_splice,
    libc::SYS_copy_file_range,
];

/// Offsets in what a filter sees of a call: its number, the architecture, the lower halves of arguments.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const fn argument(n: u32) -> u32 {
    16 + 8 * n
}

/// The filter, where this architecture has one. Rings are refused as by a kernel without them, so that
/// programs go on with plain calls.
pub(super) fn program() -> Option<Vec<libc::sock_filter>> {
    use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    let arch = ARCHITECTURE?;
    let step =
        |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let load = |offset| step(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
    let equals = |k, jt, jf| step(BPF_JMP | BPF_JEQ | BPF_K, k, jt, jf);
    let has = |k, jt| step(BPF_JMP | BPF_JSET | BPF_K, k, jt, 0);
    let end = |what: u32| step(BPF_RET | BPF_K, what, 0, 0);
    let calls = READING.len() as u8;
    let mut program = vec![load(ARCH), equals(arch, 0, 3 + calls), load(NUMBER)];
    // Behind the list: rings, maps, end; then what is asked of maps; then the three ends.
    program.extend((0..calls).map(|n| equals(READING[n as usize] as u32, 8 + calls - n, 0)));
    program.extend([
        equals(libc::SYS_io_uring_setup as u32, 10, 0),
        equals(libc::SYS_mmap as u32, 1, 0),
        end(libc::SECCOMP_RET_ALLOW),
        // Maps without a file, of the loader, and of code are not asked about.
        load(argument(4)),
        equals(u32::MAX, 5, 0),
        load(argument(3)),
        has((libc::MAP_ANONYMOUS | libc::MAP_DENYWRITE) as u32, 3),
        load(argument(2)),
        has(libc::PROT_EXEC as u32, 1),
        end(libc::SECCOMP_RET_USER_NOTIF),
        end(libc::SECCOMP_RET_ALLOW),
        end(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
    ]);
    Some(program)
}

/// Room for a message with one descriptor in it.
#[repr(C)]
struct DescriptorMessage {
    byte: u8,
    part: libc::iovec,
    control: [u64; 4],
}

impl DescriptorMessage {
    fn new() -> DescriptorMessage {
        let part = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 1 };
        DescriptorMessage { byte: 0, part, control: [0; 4] }
    }

    /// The header, whose pointers lead into `self`.
    fn header(&mut self) -> libc::msghdr {
        // SAFETY: a structure of numbers and pointers, for which zeros are valid.
        let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
        self.part.iov_base = (&raw mut self.byte).cast();
        header.msg_iov = &raw mut self.part;
        header.msg_iovlen = 1 as _;
        header.msg_control = self.control.as_mut_ptr().cast();
        header.msg_controllen = DESCRIPTOR_SPACE as _;
        header
    }
}

const DESCRIPTOR_BYTES: u32 = size_of::<RawFd>() as u32;
// SAFETY: arithmetic over its argument alone.
const DESCRIPTOR_SPACE: usize = unsafe { libc::CMSG_SPACE(DESCRIPTOR_BYTES) } as usize;

/// In the new process, before its program: from here on its calls are asked about; who answers is sent to
/// `socket`. Makes system calls alone.
pub(super) fn install(program: &[libc::sock_filter], socket: RawFd) -> io::Result<()> {
    let program =
        libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: numbers alone.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the program lives through the call, and has the length that is given.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    let listener = listener as RawFd;
    let mut message = DescriptorMessage::new();
    let header = message.header();
    // SAFETY: the header leads into `message`, whose control has room for one descriptor.
    let sent = unsafe {
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        (*control).cmsg_level = libc::SOL_SOCKET;
        (*control).cmsg_type = libc::SCM_RIGHTS;
        (*control).cmsg_len = libc::CMSG_LEN(DESCRIPTOR_BYTES) as _;
        libc::CMSG_DATA(control).cast::<RawFd>().write_unaligned(listener);
        libc::sendmsg(socket, &raw const header, 0)
    };
    if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Who answers, as the new process sent it.
pub(super) fn received(socket: &UnixStream) -> io::Result<OwnedFd> {
    let mut message = DescriptorMessage::new();
    let mut header = message.header();
    // SAFETY: the header leads into `message`; the kernel fills in at most the lengths that are given.
    let got = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) };
    if got < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the header is as the kernel left it; a message of rights holds a descriptor that is ours now.
    unsafe {
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        if control.is_null() || (*control).cmsg_type != libc::SCM_RIGHTS {
            return Err(io::Error::other("the new process sent no listener"));
        }
        Ok(OwnedFd::from_raw_fd(libc::CMSG_DATA(control).cast::<RawFd>().read_unaligned()))
    }
}

/// Whoever asks is awake as soon as it is answered (Linux 6.6); elsewhere a little later.
pub(super) fn wake_at_once(listener: &OwnedFd) {
    const SYNC_WAKE_UP: libc::c_ulong = 1;
    // SAFETY: numbers alone.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP) };
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// A call is asked about.
    Asked,
    /// The time is over.
    Time,
    /// All processes have ended.
    Gone,
}

pub(super) fn wait(listener: &OwnedFd, ns: i64) -> Waited {
    let time = libc::timespec { tv_sec: ns / 1_000_000_000, tv_nsec: ns % 1_000_000_000 };
    let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, and a time, which live through the call.
    let count = unsafe { libc::ppoll(&raw mut poll, 1, &raw const time, std::ptr::null()) };
    match count {
        1.. if poll.revents & libc::POLLIN != 0 => Waited::Asked,
        1.. => Waited::Gone,
        _ => Waited::Time,
    }
}

/// A call that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedCall {
    pub(super) id: u64,
    pub(super) thread: u32,
    pub(super) number: libc::c_long,
    pub(super) arguments: [u64; 6],
}

pub(super) fn asked(listener: &OwnedFd) -> Option<AskedCall> {
    // SAFETY: a structure of numbers, for which zeros are valid; the kernel wants them.
    let mut call: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is the one that this request fills in.
    let failed =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) };
    // Who asked may have been killed.
    (failed == 0).then(|| AskedCall {
        id: call.id,
        thread: call.pid,
        number: call.data.nr.into(),
        arguments: call.data.args,
    })
}

/// Lets a call be made; who asked may be gone.
pub(super) fn go_on(listener: &OwnedFd, id: u64) {
    let flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
    let answer = libc::seccomp_notif_resp { id, val: 0, error: 0, flags };
    // SAFETY: the structure is the one that this request reads.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the filter says of a call, step by step as the kernel goes.
    fn verdict(arch: u32, number: libc::c_long, arguments: [u32; 6]) -> u32 {
        let program = program().unwrap();
        let seen = |offset: u32| match offset {
            NUMBER => number as u32,
            ARCH => arch,
            _ => arguments[(offset as usize - 16) / 8],
        };
        let (mut at, mut value) = (0, 0);
        loop {
            let step = program[at];
            let code = u32::from(step.code);
            at += 1;
            let is = if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS {
                value = seen(step.k);
                continue;
            } else if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K {
                value == step.k
            } else if code == libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K {
                value & step.k != 0
            } else {
                return step.k;
            };
            at += usize::from(if is { step.jt } else { step.jf });
        }
    }

    #[test]
    fn calls_that_read_are_asked_about_and_no_others() {
        let Some(here) = ARCHITECTURE else { return };
        let (asked, fine) = (libc::SECCOMP_RET_USER_NOTIF, libc::SECCOMP_RET_ALLOW);
        for number in READING {
            assert_eq!(verdict(here, number, [0; 6]), asked, "{number}");
            assert_eq!(verdict(here + 1, number, [0; 6]), fine);
        }
        for number in [libc::SYS_write, libc::SYS_openat, libc::SYS_execve, libc::SYS_sendmsg] {
            assert_eq!(verdict(here, number, [0; 6]), fine, "{number}");
        }
        let rings = verdict(here, libc::SYS_io_uring_setup, [0; 6]);
        assert_eq!(rings, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
        let map = |protection: i32, flags: i32, file: i32| {
            let arguments = [0, 4096, protection as u32, flags as u32, file as u32, 0];
            verdict(here, libc::SYS_mmap, arguments)
        };
        let private = libc::MAP_PRIVATE;
        assert_eq!(map(libc::PROT_READ, private, 3), asked);
        assert_eq!(map(libc::PROT_READ, private | libc::MAP_ANONYMOUS, -1), fine);
        assert_eq!(map(libc::PROT_READ, private | libc::MAP_DENYWRITE, 3), fine);
        assert_eq!(map(libc::PROT_READ | libc::PROT_EXEC, private, 3), fine);
    }
}
