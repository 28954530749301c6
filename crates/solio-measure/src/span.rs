//! Spans: what a thread did from when to when, for the trace and the report.
//!
//! A span costs one relaxed load while nothing records. While something does, it costs two
//! readings of the clock and one record in a ring of the thread's own; no lock, no allocation.

use crate::lock;
use crate::{clock, ring};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Whether a [`Recorder`](crate::Recorder) runs.
static ON: AtomicBool = AtomicBool::new(false);

/// Names in the order of their first use; a name's number is its place plus one.
static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// Labels in the order of their first use; a label's number is its place plus one.
static LABELS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Labels beyond this many are left out: a run over a million files must stay small.
const MOST_LABELS: usize = 1 << 14;

/// The name of a kind of span: a `static` beside the code that it names.
///
/// ```
/// use solio_measure::SpanName;
/// static DECODE: SpanName = SpanName::new("decode chunk");
/// fn decode(chunk: &[u8]) {
///     let _span = DECODE.begin().bytes(chunk.len());
///     // … until the end of the scope.
/// }
/// # decode(b"");
/// ```
#[derive(Debug)]
pub struct SpanName {
    text: &'static str,
    number: AtomicU32,
}

/// A span under way; it ends when dropped.
#[derive(Debug)]
#[must_use = "a span lasts until it is dropped"]
pub struct Span {
    name: &'static SpanName,
    label: u32,
    /// 0 while nothing records.
    begin: u64,
    bytes: u64,
}

impl SpanName {
    /// A name; short, and the same for all work of one kind.
    pub const fn new(text: &'static str) -> SpanName {
        SpanName { text, number: AtomicU32::new(0) }
    }

    /// Begins a span.
    #[inline]
    pub fn begin(&'static self) -> Span {
        let begin = if is_on() { clock::ticks() } else { 0 };
        Span { name: self, label: 0, begin, bytes: 0 }
    }

    /// Begins a span about something that has a name of its own, such as a file. Costs a lock:
    /// for spans of a millisecond and more.
    pub fn begin_labelled(&'static self, label: &str) -> Span {
        let mut span = self.begin();
        if span.begin != 0 {
            span.label = number_of(label);
        }
        span
    }

    fn number(&'static self) -> u32 {
        match self.number.load(Ordering::Relaxed) {
            0 => self.register(),
            number => number,
        }
    }

    #[cold]
    fn register(&'static self) -> u32 {
        let mut names = lock(&NAMES);
        // Two statics may have one text, and two threads may come at once.
        let place = names.iter().position(|n| *n == self.text).unwrap_or_else(|| {
            names.push(self.text);
            names.len() - 1
        });
        let number = place as u32 + 1;
        self.number.store(number, Ordering::Relaxed);
        number
    }
}

fn number_of(label: &str) -> u32 {
    let mut labels = lock(&LABELS);
    if labels.last().is_some_and(|last| last == label) {
        return labels.len() as u32;
    }
    if labels.len() >= MOST_LABELS {
        return 0;
    }
    labels.push(label.to_owned());
    labels.len() as u32
}

impl Span {
    /// Says how many bytes the work is about.
    #[inline]
    pub fn bytes(mut self, bytes: usize) -> Span {
        self.bytes = bytes as u64;
        self
    }

    /// The same, where it is known only at the end.
    #[inline]
    pub fn set_bytes(&mut self, bytes: usize) {
        self.bytes = bytes as u64;
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if self.begin != 0 {
            let end = clock::ticks();
            let what = u64::from(self.label) << 32 | u64::from(self.name.number());
            ring::push([self.begin, end, what, self.bytes]);
        }
    }
}

#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Switches recording on; `false` when it was on already.
pub(crate) fn switch_on() -> bool {
    let was = ON.swap(true, Ordering::Relaxed);
    if !was {
        lock(&LABELS).clear();
    }
    !was
}

pub(crate) fn switch_off() {
    ON.store(false, Ordering::Relaxed);
}

/// All names and labels so far; what a record says minus one is the place here.
pub(crate) fn words() -> (Vec<&'static str>, Vec<String>) {
    let names = lock(&NAMES).clone();
    (names, lock(&LABELS).clone())
}
