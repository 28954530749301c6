//! The machine: its measured peaks, recordings of a run, studies of slower disks, the compression
//! lab.

pub(crate) mod boxes;
pub(crate) mod crossing;
#[cfg(feature = "lab")]
pub(crate) mod lab;
pub(crate) mod latency;
pub(crate) mod measure;
pub(crate) mod modes;
#[cfg(feature = "lab")]
pub(crate) mod numbers;
pub(crate) mod order;
pub(crate) mod peaks;
pub(crate) mod recording;
pub(crate) mod study;
pub(crate) mod ways;
