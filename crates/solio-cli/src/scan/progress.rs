//! The progress of a scan: files, their rate, and how long it may still take.

use super::meter::Meter;
use crate::args::ProgressChoice;
use crate::limit::{add_shares, percent};
use crate::schema;
use crate::screen::say;
use crate::table::{bytes, count, figures};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use solio::ScanCount;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Runs `job` while its counts are shown.
pub(crate) fn while_shown<T>(
    how: ProgressChoice,
    counts: &ScanCount,
    meter: &Meter,
    job: impl FnOnce() -> T,
) -> T {
    if !how.is_shown() {
        return job();
    }
    let is_json = how == ProgressChoice::Json;
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let shown = scope.spawn(|| {
            let bar = (!is_json).then(new_bar);
            let every = Duration::from_millis(if is_json { 500 } else { 100 });
            // Short jobs end before the first look, and then nothing flickers.
            std::thread::park_timeout(every);
            while !ended.load(Relaxed) {
                match &bar {
                    Some(bar) => bar.set_message(words(counts, meter)),
                    None => say(&line(counts, meter)),
                }
                std::thread::park_timeout(every);
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        // Also when the job panics.
        let end = EndSignal { ended: &ended, thread: shown.thread().clone() };
        let done = job();
        drop(end);
        done
    })
}

struct EndSignal<'e> {
    ended: &'e AtomicBool,
    thread: std::thread::Thread,
}

impl Drop for EndSignal<'_> {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
        self.thread.unpark();
    }
}

fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:.bold} {spinner} {msg}  {elapsed}");
    // Set by what draws nothing yet.
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_prefix("scan")
}

/// Seconds until the files that the catalogue knew are through; a tree that was never scanned has
/// no end until it is reached.
fn eta_s(counts: &ScanCount, wall_s: f64) -> Option<f64> {
    let (files, expected) = (counts.files.load(Relaxed), counts.expected.load(Relaxed));
    let left = expected.checked_sub(files).filter(|left| *left > 0 && files > 0)?;
    Some(left as f64 * wall_s / files as f64)
}

fn words(counts: &ScanCount, meter: &Meter) -> String {
    let (read_bytes, wall_s, shares) = meter.now();
    let files = counts.files.load(Relaxed);
    let mut text = format!(
        "{} files, {}/s, {} read",
        count(files),
        figures(files as f64 / wall_s.max(1e-9)),
        bytes(read_bytes),
    );
    if let Some(shares) = shares {
        let (bytes, cores) = (percent(shares.bytes), percent(shares.cores));
        text += &format!(", {bytes} of the machine's limit, {cores} of its cores");
    }
    if let Some(left_s) = eta_s(counts, wall_s) {
        text += &format!(", {} s left", figures(left_s));
    }
    text
}

fn line(counts: &ScanCount, meter: &Meter) -> String {
    let (read_bytes, wall_s, shares) = meter.now();
    let mut line = json!({
        "files": counts.files.load(Relaxed),
        "folders": counts.folders.load(Relaxed),
        "looked_at": counts.looked_at.load(Relaxed),
        "failed": counts.failed.load(Relaxed),
        "read_bytes": read_bytes,
        "wall_s": wall_s,
        "left_s": eta_s(counts, wall_s),
    });
    add_shares(&mut line, shares);
    schema::object("progress-scan/1", &[], line).to_string()
}
