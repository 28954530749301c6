//! Rows of an output, filled by all threads at once.

use solio_base::{Result, Work, lock};
use std::sync::Mutex;

/// Values that a thread fills before it asks for more: enough that asking costs nothing beside it.
const BAND: usize = 1 << 16;

/// Calls `fill(y, row)` for all of `rows`, each made of so many values; `scratch` makes what each
/// thread keeps from row to row.
pub(crate) fn each<T: Send, S>(
    work: &Work,
    rows: &mut [T],
    values: usize,
    scratch: impl Fn() -> S + Sync,
    fill: impl Fn(usize, &mut T, &mut S) + Sync,
) -> Result<()> {
    let one = |y: usize, row: &mut [T], scratch: &mut S| fill(y, &mut row[0], scratch);
    banded(work, rows, 1, (BAND / values.max(1)).max(1), scratch, one)
}

/// Calls `fill(y, row)` for all rows of `out`, each of `width` values; `scratch` makes what each
/// thread keeps from row to row.
pub(crate) fn fill<T: Send, S>(
    work: &Work,
    out: &mut [T],
    width: usize,
    scratch: impl Fn() -> S + Sync,
    fill: impl Fn(usize, &mut [T], &mut S) + Sync,
) -> Result<()> {
    banded(work, out, width, (BAND / width.max(1)).max(1), scratch, fill)
}

fn banded<T: Send, S>(
    work: &Work,
    out: &mut [T],
    width: usize,
    rows: usize,
    scratch: impl Fn() -> S + Sync,
    fill: impl Fn(usize, &mut [T], &mut S) + Sync,
) -> Result<()> {
    let bands = Mutex::new(out.chunks_mut(rows * width.max(1)).enumerate());
    let worker = || {
        let mut scratch = scratch();
        loop {
            let next = lock(&bands).next();
            let Some((band, values)) = next else { return Ok(()) };
            work.cancel.check()?;
            for (i, row) in values.chunks_mut(width).enumerate() {
                fill(band * rows + i, row, &mut scratch);
            }
        }
    };
    std::thread::scope(|scope| {
        // Where no more threads are to be had, fewer do it.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, worker).ok();
        let others: Vec<_> = (1..work.threads).filter_map(start).collect();
        let own = worker();
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        others.fold(own, Result::and)
    })
}
