//! Processes, and how this one is told to end.

use solio_base::{Error, Result};
use std::os::windows::io::AsRawHandle;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::{
    ExitProcess, GetCurrentProcess, GetCurrentProcessorNumber, GetCurrentThread,
    GetProcessIoCounters, IO_COUNTERS, SetProcessAffinityMask, SetThreadAffinityMask,
};

/// How a process is told to end: a control event of its console.
pub(crate) type EndSignal = u32;

type Told = Box<dyn Fn(EndSignal) + Send + Sync>;

static TOLD: OnceLock<Told> = OnceLock::new();

/// Calls `told` when somebody types Ctrl-C or Ctrl-Break, or closes the console; on a thread of the
/// system's.
///
/// # Safety
/// None is needed here: it is an ordinary thread.
pub(crate) unsafe fn catch_signals(
    told: impl Fn(EndSignal) + Sync + Send + Clone + 'static,
) -> std::io::Result<()> {
    let _ = TOLD.set(Box::new(told));
    // SAFETY: the function lives as long as the process.
    match unsafe { SetConsoleCtrlHandler(Some(control), 1) } {
        0 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    }
}

unsafe extern "system" fn control(event: u32) -> i32 {
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT | CTRL_CLOSE_EVENT) {
        return 0;
    }
    let Some(told) = TOLD.get() else { return 0 };
    told(event);
    if event == CTRL_CLOSE_EVENT {
        // The process ends when this returns; what is cancelled needs a moment before.
        std::thread::sleep(std::time::Duration::from_secs(4));
    }
    1
}

/// An unfinished file goes with its process.
///
/// # Safety
/// None is needed.
pub(crate) unsafe fn catch_abort(
    _: impl Fn(EndSignal) + Sync + Send + 'static,
) -> std::io::Result<()> {
    Ok(())
}

/// Ends the process as Ctrl-C does where nobody hears it.
pub(crate) fn end_by(_: EndSignal) {
    const STATUS_CONTROL_C_EXIT: u32 = 0xc000_013a;
    // SAFETY: ends the process.
    unsafe { ExitProcess(STATUS_CONTROL_C_EXIT) }
}

/// Starts a process that ends when this one does: both are told by one job.
pub(crate) fn start_tied(mut command: Command) -> std::io::Result<Child> {
    let child = command.spawn()?;
    if let Some(job) = job() {
        // SAFETY: both handles are open. Where it is refused (a job that allows no other) nothing ties
        // the child.
        unsafe { AssignProcessToJobObject(job as HANDLE, child.as_raw_handle()) };
    }
    Ok(child)
}

/// A job whose processes end when its last handle is closed, which is when this process ends.
fn job() -> Option<usize> {
    static JOB: OnceLock<Option<usize>> = OnceLock::new();
    *JOB.get_or_init(|| {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let (start, bytes) = ((&raw const limits).cast(), size_of_val(&limits) as u32);
        // SAFETY: a job without a name, with a structure of the class that is named.
        unsafe {
            let job = CreateJobObjectW(core::ptr::null(), core::ptr::null());
            let class = JobObjectExtendedLimitInformation;
            let is_set = !job.is_null() && SetInformationJobObject(job, class, start, bytes) != 0;
            is_set.then_some(job as usize)
        }
    })
}

/// Keeps this process to the core that it runs on.
pub(crate) fn keep_to_one_core() -> Result<()> {
    // SAFETY: handles of this process and thread need no closing; a mask is a number.
    let kept = unsafe {
        let mask = 1usize << (GetCurrentProcessorNumber() % usize::BITS);
        SetThreadAffinityMask(GetCurrentThread(), mask) != 0
            && SetProcessAffinityMask(GetCurrentProcess(), mask) != 0
    };
    let failed = || Error::io("keep to one core", std::io::Error::last_os_error());
    if kept { Ok(()) } else { Err(failed()) }
}

/// There are no control groups.
pub(crate) fn check_groups() -> Result<()> {
    Err(Error::unsupported("control groups and the page cache's emptying are Linux's"))
}

/// Not to be had.
pub(crate) fn start_in_group(_: &mut Command, _: PathBuf) -> std::io::Result<Child> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Not to be had without rights.
pub(crate) fn write_all_back() {}

/// There is none that all of its C libraries have.
pub(crate) fn printf(_: &mut Vec<u8>, _: char, _: u8, _: f64) -> bool {
    false
}

/// Nothing asks before a read here.
pub(crate) struct HeldProcess;

impl HeldProcess {
    pub(crate) fn finish(self) -> crate::held::HeldReads {
        crate::held::HeldReads::default()
    }
}

/// Not done.
pub(crate) fn start_held(_: &mut Command, _: Option<u64>) -> std::io::Result<(Child, HeldProcess)> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Waits until a child has ended; then the bytes that it has read. The system does not tell what came
/// from a medium.
pub(crate) fn wait_for_counts(child: &mut Child) -> std::io::Result<Option<(u64, u64)>> {
    child.wait()?;
    let mut counters = IO_COUNTERS::default();
    // SAFETY: the handle of the child stays open until it is dropped.
    let told = unsafe { GetProcessIoCounters(child.as_raw_handle(), &mut counters) } != 0;
    Ok(told.then_some((counters.ReadTransferCount, 0)))
}
