//! A bound on the bytes a second that this process reads, and on those that it writes to files:
//! `SOLIO_BWLIMIT`, in bytes.
//!
//! `solio study` sets it to find out what a slower disk would cost. It counts what is asked of the
//! system, in the page cache or not, and each piece is waited for before it is read.

use crate::token_bucket::ByteClock;
use solio_base::{Error, Result, lock};
use std::sync::{Mutex, OnceLock};

/// The variable's name.
pub const VARIABLE: &str = "SOLIO_BWLIMIT";

static BUCKET: OnceLock<Option<Mutex<ByteClock>>> = OnceLock::new();

/// Bounds the bytes a second that this process reads from files from now on, in place of the
/// variable. Only the first call counts, and none after the first read.
///
/// ```
/// use std::time::{Duration, Instant};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # solio_io::probe::write_plain(&path, &[0; 100_000])?;
/// solio_io::throttle::set_rate(4_000_000);
/// let begun = Instant::now();
/// for _ in 0..2 {
///     solio_io::read_raw(&path, &Default::default(), |_| Ok(()))?;
/// }
/// // Each 100 kB take 25 ms, the first as well: nothing is saved up.
/// assert!(begun.elapsed() >= Duration::from_millis(50));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn set_rate(bytes_per_second: u64) {
    let _ = BUCKET.set(Some(Mutex::new(ByteClock::new(bytes_per_second))));
}

/// What the variable says.
pub(crate) fn limit() -> Result<Option<u64>> {
    let Some(text) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let text = text.to_string_lossy();
    match text.parse::<u64>() {
        Ok(bytes) if bytes > 0 => Ok(Some(bytes)),
        _ => Err(Error::argument(format!("{VARIABLE} is {text:?}"))
            .hint("give bytes a second as a whole number")),
    }
}

/// Waits until `bytes` more may be read.
pub(crate) fn wait(bytes: u64) -> Result<()> {
    let bucket = match BUCKET.get() {
        Some(bucket) => bucket,
        None => {
            let bucket = limit()?.map(|rate| Mutex::new(ByteClock::new(rate)));
            BUCKET.get_or_init(|| bucket)
        }
    };
    let Some(bucket) = bucket else { return Ok(()) };
    let now = solio_measure::now_ns();
    let due = lock(bucket).reserve(now, bytes);
    if due > now {
        std::thread::sleep(std::time::Duration::from_nanos(due - now));
    }
    Ok(())
}
