//! What is asked of a scan, and what it says of itself.

use super::facts::{FileFacts, ScanFields};
use solio_base::{Error, Limits};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// How a tree is scanned.
#[derive(Clone, Debug)]
pub struct ScanOptions {
    /// How far files are looked at.
    pub facts: FileFacts,
    /// Links to folders are followed.
    pub follow: bool,
    /// Other file systems are left alone.
    pub one_file_system: bool,
    /// Only the files whose path falls into part `i` of `n`, from 0.
    pub shard: Option<(u64, u64)>,
    /// Files are looked at again although size, time and inode are what they were.
    pub again: bool,
    /// What the catalogue holds is thrown away.
    pub rebuild: bool,
    /// Nothing is looked at or written: only counted.
    pub dry: bool,
    /// The scan ends after so many files and folders that cannot be read.
    pub max_errors: Option<u64>,
}

impl Default for ScanOptions {
    fn default() -> Self {
        let fields = ScanFields::new(&[]);
        let limits = Limits::default();
        ScanOptions {
            facts: FileFacts {
                fields,
                deep: false,
                check: false,
                hash: false,
                thumbnail: None,
                limits,
            },
            follow: false,
            one_file_system: false,
            shard: None,
            again: false,
            rebuild: false,
            dry: false,
            max_errors: None,
        }
    }
}

/// Numbers of a scan, also while it runs.
#[derive(Debug, Default)]
pub struct ScanCount {
    /// Folders that were listed.
    pub folders: AtomicU64,
    /// Files that the catalogue knew at the beginning.
    pub expected: AtomicU64,
    /// Files that were met.
    pub files: AtomicU64,
    /// Their bytes.
    pub bytes: AtomicU64,
    /// Of the files, those that are as the catalogue knows them.
    pub unchanged: AtomicU64,
    /// Files that the catalogue knows under another name.
    pub renamed: AtomicU64,
    /// Files that were looked at, or would be.
    pub looked_at: AtomicU64,
    /// Files in which something is wrong, of those that were looked at.
    pub with_problems: AtomicU64,
    /// Files and folders that could not be read.
    pub failed: AtomicU64,
}

/// What came of a scan, beside its [`ScanCount`].
#[derive(Debug, Default)]
pub struct ScanReport {
    /// Files that are no more there.
    pub removed: u64,
    /// What could not be read, and why: the first hundred thousand.
    pub failures: Vec<Error>,
}

/// A scan that is going to run.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// Folders and files.
    pub roots: &'a [PathBuf],
    /// The catalogue.
    pub catalog: &'a Path,
    /// How.
    pub options: &'a ScanOptions,
    /// Counts what was met, for whoever shows it.
    pub count: &'a ScanCount,
}
