//! What the control groups of this process leave it of the machine: memory and processors, by version 2 and
//! version 1.

use crate::sys::{job_limits, small_text};
use std::path::{Path, PathBuf};

/// The bounds of the control groups that this process is in; `None` where there is none.
///
/// ```
/// let limits = solio_measure::GroupLimits::of_process();
/// assert!(limits.memory_bytes.is_none_or(|bytes| bytes > 0));
/// assert!(limits.processors.is_none_or(|processors| processors > 0.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupLimits {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processors, such as 1.5.
    pub processors: Option<f64>,
}

/// Version 1 writes a number of this size where there is no bound.
const NO_BOUND: u64 = 1 << 60;

impl GroupLimits {
    /// Those of now.
    pub fn of_process() -> GroupLimits {
        if let Some(limits) = job_limits() {
            return limits;
        }
        let own = small_text(Path::new("/proc/self/cgroup")).unwrap_or_default();
        GroupLimits::below(Path::new("/sys/fs/cgroup"), &own)
    }

    /// By what `/proc/self/cgroup` says, of the groups mounted at `root`.
    fn below(root: &Path, own: &str) -> GroupLimits {
        let mut limits = GroupLimits::default();
        for line in own.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
            if controllers.is_empty() {
                for mount in [root.to_owned(), root.join("unified")] {
                    groups(&mount, path).iter().for_each(|group| limits.take_2(group));
                }
                continue;
            }
            for name in controllers.split(',') {
                // Mounted by one name, or by all of them.
                for mount in [root.join(name), root.join(controllers)] {
                    match name {
                        "memory" => {
                            groups(&mount, path).iter().for_each(|g| limits.take_memory_1(g))
                        }
                        "cpu" => groups(&mount, path).iter().for_each(|g| limits.take_cpu_1(g)),
                        _ => {}
                    }
                }
            }
        }
        limits
    }

    fn take_2(&mut self, group: &Path) {
        for name in ["memory.max", "memory.high"] {
            self.bound_memory(number(&group.join(name)));
        }
        let text = small_text(&group.join("cpu.max")).unwrap_or_default();
        let mut words = text.split_whitespace().map(|word| word.parse::<f64>().ok());
        self.bound_processors(words.next().flatten(), words.next().flatten());
    }

    fn take_memory_1(&mut self, group: &Path) {
        self.bound_memory(number(&group.join("memory.limit_in_bytes")));
    }

    fn take_cpu_1(&mut self, group: &Path) {
        let of = |name: &str| small_text(&group.join(name))?.trim().parse::<f64>().ok();
        self.bound_processors(of("cpu.cfs_quota_us"), of("cpu.cfs_period_us"));
    }

    fn bound_memory(&mut self, bytes: Option<u64>) {
        if let Some(bytes) = bytes.filter(|bytes| (1..NO_BOUND).contains(bytes)) {
            self.memory_bytes = Some(self.memory_bytes.map_or(bytes, |least| least.min(bytes)));
        }
    }

    fn bound_processors(&mut self, quota: Option<f64>, period: Option<f64>) {
        if let (Some(quota), Some(period)) = (quota, period)
            && quota > 0.0
            && period > 0.0
        {
            let share = quota / period;
            self.processors = Some(self.processors.map_or(share, |least| least.min(share)));
        }
    }
}

/// The group at `path` and those above it, as far as they are seen below `mount`: in a container the path is
/// that of the machine, and the mount is the container's own group.
fn groups(mount: &Path, path: &str) -> Vec<PathBuf> {
    let own = mount.join(path.trim_start_matches('/'));
    own.ancestors().take_while(|group| group.starts_with(mount)).map(Path::to_owned).collect()
}

fn number(path: &Path) -> Option<u64> {
    small_text(path)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::disallowed_methods)] // a tree of the test's own
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_least_bound_of_all_groups_above_counts() {
        let root = tree(&[
            ("memory.max", "max\n"),
            ("a/memory.max", "1000000\n"),
            ("a/b/memory.max", "2000000\n"),
            ("a/b/memory.high", "max\n"),
            ("a/cpu.max", "max 100000\n"),
            ("a/b/cpu.max", "150000 100000\n"),
        ]);
        let limits = GroupLimits::below(root.path(), "0::/a/b\n");
        assert_eq!(limits, GroupLimits { memory_bytes: Some(1_000_000), processors: Some(1.5) });
        // In a container: the path is not seen there.
        let limits = GroupLimits::below(&root.path().join("a"), "0::/docker/x\n");
        assert_eq!(limits.memory_bytes, Some(1_000_000));
    }

    #[test]
    fn version_1_has_a_tree_for_each_controller() {
        let root = tree(&[
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/m/memory.limit_in_bytes", "300000000\n"),
            ("cpu,cpuacct/c/cpu.cfs_quota_us", "50000\n"),
            ("cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"),
            ("cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ]);
        let own = "4:memory:/m\n2:cpu,cpuacct:/c\n1:name=systemd:/\nno line\n";
        let limits = GroupLimits::below(root.path(), own);
        assert_eq!(limits, GroupLimits { memory_bytes: Some(300_000_000), processors: Some(0.5) });
        assert_eq!(GroupLimits::below(root.path(), "4:memory:/\n"), GroupLimits::default());
    }
}
