//! Clocks, CPU time and memory; what a run did and how close it came to the machine's limit.
//!
//! * [`Stopwatch`] measures a piece of code;
//! * [`SpanName`] and [`Counter`] are put where work happens, and cost next to nothing while
//!   nobody looks;
//! * [`Recorder`] looks: it collects spans and samples into a [`Recording`], which becomes a trace
//!   ([`trace_json`]) or a page ([`report_html`]);
//! * [`Light`] says how long the machine needs at best.
//!
//! The only crate that reads clocks.
#![deny(unsafe_code)]

mod cgroup;
mod clock;
mod counter;
mod light;
mod lock;
mod middle;
mod outside;
mod recording;
mod report;
mod ring;
mod sampler;
mod span;
mod summary;
mod sys;
mod timer;
mod trace;
mod usage;

pub use cgroup::GroupLimits;
pub use clock::{now_ns, ticks, unix_ns, unix_s};
pub use counter::{Counter, Unit};
pub use light::{Bound, Job, Light, Shares, WrongPeak, memcpy_mb_s};
pub use lock::{lock, unlock};
pub use middle::{Middle, median};
pub use outside::{ProcessSample, ProcessWatch};
pub use recording::{Recorder, Recording, Spanned, Summary, Table, Thread, Total};
pub use report::report_html;
pub use sampler::{Group, Series, SystemSamples};
pub use span::{Span, SpanName};
pub use timer::{Timer, Timing, time};
pub use trace::trace_json;
pub use usage::{
    PeakMemory, Stopwatch, Usage, called_bytes, children_cpu_s, cpu_s, fetched_bytes,
    peak_rss_bytes, thread_cpu_ns,
};
