//! One thing done to many files: results come in the order of the files.

use solio_base::{Result, Work, ordered};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A file under way.
struct FileSlot<T> {
    index: usize,
    result: Option<Result<T>>,
}

impl<T> Default for FileSlot<T> {
    fn default() -> Self {
        FileSlot { index: 0, result: None }
    }
}

/// Calls `work_on` for every path (or whatever stands for a file) and hands the results to `each`, in order, until that gives
/// `false` or an error. With `together` several files are worked on at once, with a thread each;
/// without it one after the other, with all threads.
///
/// ```
/// use solio::{MeshInfo, MeshReadOptions, Work, each_file, read_mesh, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// let paths = ["a.obj", "missing.obj", "b.obj"].map(|name| folder.path().join(name));
/// write_bytes(&paths[0], b"v 0 0 0\n")?;
/// write_bytes(&paths[2], b"v 0 0 0\nv 1 1 1\n")?;
/// let mut vertices = Vec::new();
/// each_file(
///     &paths,
///     &Work::default(),
///     true,
///     |path, work| {
///         let scene = read_mesh(path, &MeshReadOptions::default(), work)?;
///         Ok(MeshInfo::of(&scene).vertices)
///     },
///     |_, result| {
///         vertices.push(result.ok());
///         Ok(true)
///     },
/// )?;
/// assert_eq!(vertices, [Some(1), None, Some(2)]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn each_file<P: Sync, T: Send>(
    paths: &[P],
    work: &Work,
    together: bool,
    work_on: impl Fn(&P, &Work) -> Result<T> + Sync,
    mut each: impl FnMut(&P, Result<T>) -> Result<bool> + Send,
) -> Result<()> {
    if !together || paths.len() == 1 {
        for path in paths {
            if !each(path, work_on(path, work))? {
                break;
            }
        }
        return Ok(());
    }
    let threads = work.threads.min(paths.len()).max(1);
    let memory_bytes = work.memory_bytes / threads as u64;
    let single = Work { threads: 1, memory_bytes, ..work.clone() };
    let each = |index: usize, result| each(&paths[index], result);
    in_turn(paths.len(), 2 * threads, work, |index| work_on(&paths[index], &single), each)
}

/// Calls `work_on` for every number below `count`, on all threads, with `window` of them under way,
/// and hands the results to `each`, in order, until that gives `false` or an error.
pub(crate) fn in_turn<T: Send>(
    count: usize,
    window: usize,
    work: &Work,
    work_on: impl Fn(usize) -> Result<T> + Sync,
    mut each: impl FnMut(usize, Result<T>) -> Result<bool> + Send,
) -> Result<()> {
    let mut next = 0;
    let goes_on = AtomicBool::new(true);
    ordered::run::<FileSlot<T>>(
        work,
        window,
        |slot| {
            slot.index = next;
            next += 1;
            Ok(slot.index < count && goes_on.load(Relaxed))
        },
        |slot| {
            slot.result = Some(work_on(slot.index));
            Ok(())
        },
        |slot| {
            if let Some(result) = slot.result.take().filter(|_| goes_on.load(Relaxed)) {
                goes_on.store(each(slot.index, result)?, Relaxed);
            }
            Ok(())
        },
    )
}
