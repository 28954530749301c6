//! The machine: its measured peaks, recordings of a run, studies of slower disks, the compression
//! lab.

#[cfg(feature = "lab")]
pub(crate) mod lab;
pub(crate) mod measure;
pub(crate) mod peaks;
pub(crate) mod recording;
pub(crate) mod study;
