//! Windows: the calls `GetProcessTimes`, `GetProcessIoCounters`, `K32GetProcessMemoryInfo` and their
//! like.
//!
//! Windows tells neither the CPU time of each core since it started nor the medium's share of what a
//! process reads: both are left out.
#![allow(unsafe_code)]

use super::ProcessIo;
use crate::GroupLimits;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::JobObjects::{
    JOB_OBJECT_CPU_RATE_CONTROL_ENABLE, JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP,
    JOB_OBJECT_LIMIT_JOB_MEMORY, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectCpuRateControlInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessIoCounters, GetProcessTimes, GetThreadTimes,
    IO_COUNTERS,
};

/// Nothing that has to stay open.
pub(crate) struct Proc;

impl Proc {
    pub(crate) fn open() -> Proc {
        Proc
    }

    /// Not told.
    pub(crate) fn cores_s(&mut self) -> Vec<f64> {
        Vec::new()
    }

    /// Not told without a look at all threads of the machine.
    pub(crate) fn threads_s(&mut self, _: bool) -> Vec<(u32, String, f64)> {
        Vec::new()
    }

    pub(crate) fn process_io(&mut self) -> Option<ProcessIo> {
        process_io_now()
    }

    /// Not told.
    pub(crate) fn disks_bytes(&mut self) -> Option<(f64, f64)> {
        None
    }

    /// Memory that the process holds now.
    pub(crate) fn resident_bytes(&mut self) -> Option<f64> {
        resident_bytes().map(|bytes| bytes as f64)
    }
}

/// The bounds of the job that this process is in.
pub(crate) fn job_limits() -> Option<GroupLimits> {
    let mut limits = GroupLimits::default();
    let mut memory = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    if ask_job(JobObjectExtendedLimitInformation, &mut memory) {
        let flags = memory.BasicLimitInformation.LimitFlags;
        let of_job = (JOB_OBJECT_LIMIT_JOB_MEMORY, memory.JobMemoryLimit);
        let of_process = (JOB_OBJECT_LIMIT_PROCESS_MEMORY, memory.ProcessMemoryLimit);
        let set = [of_job, of_process].into_iter().filter(|(flag, _)| flags & flag != 0);
        limits.memory_bytes = set.map(|(_, bytes)| bytes as u64).min();
    }
    let mut rate = JOBOBJECT_CPU_RATE_CONTROL_INFORMATION::default();
    let cap = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
    if ask_job(JobObjectCpuRateControlInformation, &mut rate) && rate.ControlFlags & cap == cap {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        // SAFETY: with a hard cap this is the number that is set: ten-thousandths of all processors.
        let share = unsafe { rate.Anonymous.CpuRate };
        limits.processors = Some(f64::from(share) / 10_000.0 * cores as f64);
    }
    Some(limits)
}

/// Whether the job of this process told what `answer` is about.
fn ask_job<T>(class: i32, answer: &mut T) -> bool {
    let (start, bytes) = ((&raw mut *answer).cast(), size_of::<T>() as u32);
    let (own, got) = (core::ptr::null_mut(), core::ptr::null_mut());
    // SAFETY: callers name the class whose structure `T` is; no handle is the job of this process.
    unsafe { QueryInformationJobObject(own, class, start, bytes, got) != 0 }
}

/// The most memory this process has held since it began.
pub(crate) fn peak_bytes() -> Option<u64> {
    memory().map(|counters| counters.PeakWorkingSetSize as u64)
}

/// Memory that this process holds.
pub(crate) fn resident_bytes() -> Option<u64> {
    memory().map(|counters| counters.WorkingSetSize as u64)
}

/// The peak cannot begin anew.
pub(crate) fn begin_peak_anew() -> Option<()> {
    None
}

/// What this process has moved so far. The system does not tell what came from a medium.
pub(crate) fn process_io_now() -> Option<ProcessIo> {
    let mut counters = IO_COUNTERS::default();
    // SAFETY: the handle of this process needs no closing; the structure is there to be filled.
    let told = unsafe { GetProcessIoCounters(GetCurrentProcess(), &mut counters) } != 0;
    told.then_some(ProcessIo {
        read_calls: counters.ReadTransferCount as f64,
        write_calls: counters.WriteTransferCount as f64,
        read_medium: 0.0,
        write_medium: 0.0,
    })
}

/// CPU seconds that this process has used, user and system together, all threads.
pub(crate) fn cpu_s() -> f64 {
    // SAFETY: the handle of this process needs no closing.
    times_ns(|a, b, c, d| unsafe { GetProcessTimes(GetCurrentProcess(), a, b, c, d) }) as f64 * 1e-9
}

/// Nobody adds up what the processes took that have ended.
pub(crate) fn children_cpu_s() -> f64 {
    0.0
}

/// CPU time that this thread has used, in nanoseconds; in steps of the scheduler's clock.
pub(crate) fn thread_cpu_ns() -> u64 {
    // SAFETY: the handle of this thread needs no closing.
    times_ns(|a, b, c, d| unsafe { GetThreadTimes(GetCurrentThread(), a, b, c, d) })
}

/// Kernel and user time together.
fn times_ns(
    ask: impl FnOnce(*mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> i32,
) -> u64 {
    let mut times = [FILETIME::default(); 4];
    let [made, ended, kernel, user] = &mut times;
    if ask(made, ended, kernel, user) == 0 {
        return 0;
    }
    let steps =
        |time: &FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // Steps of 100 ns.
    (steps(&times[2]) + steps(&times[3])) * 100
}

fn memory() -> Option<PROCESS_MEMORY_COUNTERS> {
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let size = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the handle of this process needs no closing; the structure has the size that is named.
    let told = unsafe {
        let process: HANDLE = GetCurrentProcess();
        K32GetProcessMemoryInfo(process, &mut counters, size)
    };
    (told != 0).then_some(counters)
}

/// Another process; nobody tells cheaply enough.
pub(crate) struct Others;

impl Others {
    pub(crate) fn of(_: u32) -> Others {
        Others
    }

    pub(crate) fn now(&mut self) -> Option<crate::ProcessSample> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_knows_this_process() {
        let mut proc = Proc::open();
        assert!(proc.resident_bytes().is_some_and(|bytes| bytes > 1e5));
        assert!(peak_bytes() >= resident_bytes());
        assert!(process_io_now().is_some());
        assert!(job_limits().is_some_and(|limits| limits.memory_bytes.is_none_or(|b| b > 0)));
        while thread_cpu_ns() == 0 {
            std::hint::black_box(vec![1u8; 1 << 20]);
        }
        assert!(cpu_s() > 0.0);
    }
}
