//! The kernel's figures about this process and this machine, from `/proc`.
//!
//! These are clocks of sorts, not files on a medium: this is the one place outside `solio-io` that
//! opens anything. Files stay open and are read again from their start, which costs 1 to 20 µs.
//! Whatever a system does not have is left out.

use super::ProcessIo;
use crate::{GroupLimits, ProcessSample};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of a file of `/proc` that are looked at; 100 cores fit.
const MOST_BYTES: usize = 16 << 10;
const SECTOR_BYTES: f64 = 512.0;

/// The open files.
pub(crate) struct Proc {
    buffer: Vec<u8>,
    stat: Option<File>,
    io: Option<File>,
    statm: Option<File>,
    diskstats: Option<File>,
    /// Whole disks, without partitions and what lies on other disks.
    disks: Vec<String>,
    threads: BTreeMap<u32, ThreadFile>,
    clock_ticks: f64,
    page_bytes: f64,
}

/// A thread of this process.
struct ThreadFile {
    name: String,
    file: File,
    seen: bool,
}

impl Proc {
    pub(crate) fn open() -> Proc {
        Proc {
            buffer: vec![0; MOST_BYTES],
            stat: open("/proc/stat"),
            io: open("/proc/self/io"),
            statm: open("/proc/self/statm"),
            diskstats: open("/proc/diskstats"),
            disks: disks(),
            threads: BTreeMap::new(),
            clock_ticks: rustix::param::clock_ticks_per_second().max(1) as f64,
            page_bytes: rustix::param::page_size() as f64,
        }
    }

    /// Busy CPU seconds of each core since the machine started.
    pub(crate) fn cores_s(&mut self) -> Vec<f64> {
        let ticks = self.clock_ticks;
        let text = read(&self.stat, &mut self.buffer);
        let cores = text.lines().skip(1).take_while(|line| line.starts_with("cpu"));
        cores.map(|line| busy_ticks(line) / ticks).collect()
    }

    /// CPU seconds of each living thread, by its number and name; looks for new ones if asked.
    pub(crate) fn threads_s(&mut self, new_ones: bool) -> Vec<(u32, String, f64)> {
        if new_ones {
            self.find_threads();
        }
        let mut all = Vec::with_capacity(self.threads.len());
        for (id, thread) in &self.threads {
            // Nanoseconds on a CPU, nanoseconds waiting for one, times it got one.
            let text = text_of(&thread.file, &mut self.buffer);
            let ns = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
            all.extend(ns.map(|ns| (*id, thread.name.clone(), ns * 1e-9)));
        }
        all
    }

    fn find_threads(&mut self) {
        self.threads.values_mut().for_each(|thread| thread.seen = false);
        for entry in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|id| id.parse().ok()) else {
                continue;
            };
            if let Some(thread) = self.threads.get_mut(&id) {
                thread.seen = true;
            } else if let Some(thread) = ThreadFile::open(id, &mut self.buffer) {
                self.threads.insert(id, thread);
            }
        }
        self.threads.retain(|_, thread| thread.seen);
    }

    pub(crate) fn process_io(&mut self) -> Option<ProcessIo> {
        process_io(self.io.as_ref()?, &mut self.buffer)
    }

    /// Bytes read from and written to the machine's disks, by anybody.
    pub(crate) fn disks_bytes(&mut self) -> Option<(f64, f64)> {
        if self.disks.is_empty() {
            return None;
        }
        let mut sums = (0.0, 0.0);
        for line in read(&self.diskstats, &mut self.buffer).lines() {
            let mut fields = line.split_ascii_whitespace().skip(2);
            if fields.next().is_some_and(|name| self.disks.iter().any(|disk| disk == name)) {
                let mut sectors = |n| fields.nth(n).and_then(|v| v.parse::<f64>().ok());
                // reads, merged, SECTORS, ms, writes, merged, SECTORS
                sums.0 += sectors(2).unwrap_or(0.0) * SECTOR_BYTES;
                sums.1 += sectors(3).unwrap_or(0.0) * SECTOR_BYTES;
            }
        }
        Some(sums)
    }

    /// Memory that the process holds now.
    pub(crate) fn resident_bytes(&mut self) -> Option<f64> {
        let page = self.page_bytes;
        let text = read(&self.statm, &mut self.buffer);
        let pages = text.split(' ').nth(1)?.parse::<f64>().ok()?;
        Some(pages * page)
    }
}

impl ThreadFile {
    fn open(id: u32, buffer: &mut [u8]) -> Option<ThreadFile> {
        let folder = format!("/proc/self/task/{id}");
        let file = open(&format!("{folder}/schedstat"))?;
        let name = if id == std::process::id() {
            "main".to_owned()
        } else {
            text_of(&open(&format!("{folder}/comm"))?, buffer).trim().to_owned()
        };
        Some(ThreadFile { name, file, seen: true })
    }
}

fn process_io(file: &File, buffer: &mut [u8]) -> Option<ProcessIo> {
    let text = text_of(file, buffer);
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse::<f64>().ok())
    };
    Some(ProcessIo {
        read_calls: field("rchar:")?,
        write_calls: field("wchar:")?,
        read_medium: field("read_bytes:")?,
        write_medium: field("write_bytes:")?,
    })
}

/// Another process, and all that it started.
pub(crate) struct Others {
    process: u32,
    /// CPU nanoseconds of each thread at the last look, also of those that have ended.
    threads: BTreeMap<u32, f64>,
    /// The most that was read so far: who ends hands it on to who waits for it, a moment later.
    read: [f64; 2],
    page_bytes: f64,
    buffer: Vec<u8>,
}

impl Others {
    pub(crate) fn of(process: u32) -> Others {
        let page_bytes = rustix::param::page_size() as f64;
        let (threads, buffer) = (BTreeMap::new(), vec![0; 4096]);
        Others { process, threads, read: [0.0; 2], page_bytes, buffer }
    }

    /// What is known now; `None` where the process is gone, or the system does not tell.
    pub(crate) fn now(&mut self) -> Option<ProcessSample> {
        let mut waiting = vec![self.process];
        let (mut read, mut memory_bytes) = ([0.0; 2], 0.0);
        while let Some(process) = waiting.pop() {
            let folder = format!("/proc/{process}");
            for thread in
                std::fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten()
            {
                let thread = thread.path();
                let number = thread.file_name().and_then(|name| name.to_str()?.parse().ok());
                let Some(number) = number else { continue };
                let text = self.text(&thread.join("schedstat"));
                let ns = text.split(' ').next().and_then(|ns| ns.parse().ok());
                if let Some(ns) = ns {
                    self.threads.insert(number, ns);
                }
                let started = self.text(&thread.join("children"));
                waiting
                    .extend(started.split_ascii_whitespace().filter_map(|n| n.parse::<u32>().ok()));
            }
            if let Some(file) = open(&format!("{folder}/io"))
                && let Some(io) = process_io(&file, &mut self.buffer)
            {
                read[0] += io.read_calls;
                read[1] += io.read_medium;
            }
            let pages = self.text(&PathBuf::from(format!("{folder}/statm")));
            let pages = pages.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok());
            memory_bytes += pages.unwrap_or(0.0) * self.page_bytes;
        }
        if self.threads.is_empty() {
            return None;
        }
        for (most, now) in self.read.iter_mut().zip(read) {
            *most = most.max(now);
        }
        let cpu_s = self.threads.values().sum::<f64>() * 1e-9;
        let [read_bytes, disk_bytes] = self.read;
        Some(ProcessSample { time_s: 0.0, cpu_s, read_bytes, disk_bytes, memory_bytes })
    }

    fn text(&mut self, path: &Path) -> String {
        let file = path.to_str().and_then(open);
        file.map_or(String::new(), |file| text_of(&file, &mut self.buffer).to_owned())
    }
}

/// `cpu0 user nice system idle iowait irq softirq …`: all but the idle ones.
fn busy_ticks(line: &str) -> f64 {
    let fields = line.split_ascii_whitespace().skip(1).take(7);
    let busy = fields.enumerate().filter(|(i, _)| !(3..=4).contains(i));
    busy.filter_map(|(_, value)| value.parse::<f64>().ok()).sum()
}

fn disks() -> Vec<String> {
    let names = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|n| !["loop", "ram", "zram", "dm-", "md"].iter().any(|p| n.starts_with(p)))
        .collect()
}

/// The most memory this process has held since it began, or since [`begin_peak_anew`].
pub(crate) fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// Memory that this process holds.
pub(crate) fn resident_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// proc_pid_clear_refs(5): 5 resets the peak of resident memory.
#[allow(clippy::disallowed_methods)] // see the head of this file
pub(crate) fn begin_peak_anew() -> Option<()> {
    let file = File::options().write(true).open("/proc/self/clear_refs").ok()?;
    (file.write_at(b"5", 0).ok()? == 1).then_some(())
}

fn status_bytes(name: &str) -> Option<u64> {
    let mut buffer = [0; 4096];
    let file = open("/proc/self/status")?;
    let line = text_of(&file, &mut buffer).lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

/// What this process has moved so far, without open files.
pub(crate) fn process_io_now() -> Option<ProcessIo> {
    open("/proc/self/io").and_then(|file| process_io(&file, &mut [0; 4096]))
}

/// CPU seconds that this process has used, user and system together, all threads.
pub(crate) fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// CPU seconds of the processes that this one started and that have ended.
pub(crate) fn children_cpu_s() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        let seconds =
            |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
        seconds(usage.user_time()) + seconds(usage.system_time())
    })
}

/// CPU time that this thread has used, in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[allow(clippy::disallowed_methods)] // see the head of this file
fn open(path: &str) -> Option<File> {
    File::open(path).ok()
}

fn read<'b>(file: &Option<File>, buffer: &'b mut [u8]) -> &'b str {
    file.as_ref().map_or("", |file| text_of(file, buffer))
}

/// The file's text, as far as the buffer goes; a line that is cut in the middle is left out.
fn text_of<'b>(file: &File, buffer: &'b mut [u8]) -> &'b str {
    let got = file.read_at(buffer, 0).unwrap_or(0);
    let whole = if got < buffer.len() {
        got
    } else {
        buffer.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)
    };
    std::str::from_utf8(&buffer[..whole]).unwrap_or("")
}

/// The bounds of a job; control groups have files instead.
pub(crate) fn job_limits() -> Option<GroupLimits> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{called_bytes, fetched_bytes, peak_rss_bytes};

    #[test]
    fn the_fields_of_a_core() {
        assert_eq!(busy_ticks("cpu0 10 1 20 5000 300 2 3 4 0 0"), 36.0);
        assert_eq!(busy_ticks("cpu0"), 0.0);
    }

    #[test]
    fn the_kernel_knows_this_process() {
        if !Path::new("/proc/self/io").exists() {
            return; // only Linux has it
        }
        let mut proc = Proc::open();
        assert!(!proc.cores_s().is_empty());
        let threads = proc.threads_s(true);
        assert!(threads.iter().any(|(id, name, _)| *id == std::process::id() && name == "main"));
        assert!(proc.resident_bytes().is_some_and(|bytes| bytes > 1e5));
        let before = proc.process_io().unwrap();
        assert!(proc.process_io().unwrap().read_calls > before.read_calls);
        assert!(called_bytes() as f64 > before.read_calls);
        let _ = proc.disks_bytes();
        assert!(fetched_bytes() as f64 <= proc.process_io().unwrap().read_medium);
        assert!(peak_rss_bytes() > 1 << 20);
    }
}
