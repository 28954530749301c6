//! Measures the machine where a job reads and writes.

use solio_base::{Result, Work};
use solio_io::scratch::{Scratch, Way};
use solio_measure::{Light, Stopwatch, memcpy_mb_s};
use std::path::Path;

/// Measures the machine's peaks on the file system of `folder`: writes `bytes` (128 MiB is
/// enough) to a temporary file into the page cache, reads them back, copies memory. Best of two.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let light = solio::measure_light(folder.path(), 1 << 20, 2)?;
/// assert!(light.write_mb_s > 0.0 && light.read_mb_s > 0.0);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn measure_light(folder: &Path, bytes: u64, cores: usize) -> Result<Light> {
    let mut light = Light { write_mb_s: 0.0, read_mb_s: 0.0, memcpy_mb_s: memcpy_mb_s(), cores };
    let work = Work::default();
    for _ in 0..2 {
        // A new file each time: a job's output has no room on the medium yet either.
        let scratch = Scratch::create(folder, bytes)?;
        let watch = Stopwatch::start();
        scratch.write(Way::Buffered, &work)?;
        let written = watch.wall_s();
        scratch.read(Way::Buffered, 1, &work)?;
        let read = watch.wall_s() - written;
        let rate = |seconds: f64| scratch.bytes() as f64 / 1e6 / seconds.max(1e-9);
        light.write_mb_s = light.write_mb_s.max(rate(written));
        light.read_mb_s = light.read_mb_s.max(rate(read));
    }
    Ok(light)
}
