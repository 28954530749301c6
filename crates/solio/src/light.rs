//! Measures the machine where a job reads and writes.

use solio_base::Result;
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
    for _ in 0..2 {
        let watch = Stopwatch::start();
        let mut marks = Vec::new();
        solio_io::probe::write_and_read(folder, bytes, || marks.push(watch.wall_s()))?;
        let [start, written, read] = marks[..] else { unreachable!("three marks") };
        let rate = |seconds: f64| bytes as f64 / 1e6 / seconds.max(1e-9);
        light.write_mb_s = light.write_mb_s.max(rate(written - start));
        light.read_mb_s = light.read_mb_s.max(rate(read - written));
    }
    Ok(light)
}
