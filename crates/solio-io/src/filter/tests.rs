use super::*;
use crate::probe::write_plain;
use crate::walk::{Listing, Visit, WalkOptions, walk};
use std::sync::Mutex;

/// The paths that a walk meets, below its root.
#[derive(Default)]
struct Met {
    files: Mutex<Vec<PathBuf>>,
    out: Mutex<Vec<PathBuf>>,
    failed: Mutex<Vec<String>>,
}

impl Visit for Met {
    type Folder = ();
    type Local = ();

    fn folder(&self, (): &mut (), listing: &Listing) -> Result<()> {
        let files = listing.entries().iter().filter(|entry| entry.kind != EntryKind::Folder);
        self.files.lock().unwrap().extend(files.map(|entry| listing.path_of(entry)));
        let out = listing.left_out().iter().filter(|entry| entry.kind != EntryKind::Folder);
        self.out.lock().unwrap().extend(out.map(|entry| listing.path_of(entry)));
        Ok(())
    }

    fn failed(&self, _: &Path, error: Error) {
        self.failed.lock().unwrap().push(error.to_string());
    }

    fn left_out(&self, path: &Path) {
        self.out.lock().unwrap().push(path.to_owned());
    }
}

fn tree(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in files {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_plain(&path, &vec![b'x'; name.len()]).unwrap();
    }
    root
}

fn below(root: &Path, paths: Mutex<Vec<PathBuf>>) -> Vec<String> {
    let mut names: Vec<String> = paths
        .into_inner()
        .unwrap()
        .iter()
        .map(|path| path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"))
        .collect();
    names.sort();
    names
}

fn met(root: &Path, options: &FilterOptions) -> (Vec<String>, Vec<String>) {
    let filter = Filter::new(options).unwrap();
    let met = Met::default();
    let walked = WalkOptions { threads: 2, filter, ..WalkOptions::default() };
    walk(&[root.to_owned()], &walked, &met).unwrap();
    assert_eq!(met.failed.into_inner().unwrap(), [""; 0]);
    (below(root, met.files), below(root, met.out))
}

fn patterns(all: &[&str]) -> Vec<String> {
    all.iter().map(|&pattern| pattern.to_owned()).collect()
}

#[test]
fn a_walk_leaves_out_what_patterns_name() {
    let root = tree(&["a.exr", "a.tmp", "cache/x.exr", "s/cache/y.exr", "s/b.exr", "s/keep.tmp"]);
    let options = FilterOptions {
        exclude: patterns(&["*.tmp", "!keep.tmp", "cache/"]),
        ..Default::default()
    };
    let (files, out) = met(root.path(), &options);
    assert_eq!(files, ["a.exr", "s/b.exr", "s/keep.tmp"]);
    assert_eq!(out, ["a.tmp", "cache", "s/cache"]);
    // One slash more, and it is that of the root alone.
    let options = FilterOptions { exclude: patterns(&["/cache/"]), ..Default::default() };
    assert!(met(root.path(), &options).0.contains(&"s/cache/y.exr".to_owned()));
    let options = FilterOptions {
        include: patterns(&["*.exr"]),
        exclude: patterns(&["s/*.exr"]),
        ..Default::default()
    };
    assert_eq!(met(root.path(), &options).0, ["a.exr", "cache/x.exr", "s/cache/y.exr"]);
    // `include` takes what lies in a folder, too.
    let options = FilterOptions { include: patterns(&["cache/"]), ..Default::default() };
    assert_eq!(met(root.path(), &options).0, ["cache/x.exr", "s/cache/y.exr"]);
}

#[test]
fn names_that_nobody_means_are_left_out_unless_wanted() {
    let names = [
        "@eaDir/t.jpg",
        "s/.DS_Store",
        "s/._a.exr",
        ".snapshot/old.exr",
        "#recycle/b",
        "s/.hidden",
        "Studio.exr",
        "lost+found/1",
        ".Trash-1000/f",
    ];
    let root = tree(&names);
    let (files, out) = met(root.path(), &FilterOptions::default());
    assert_eq!(files, ["Studio.exr", "s/.hidden"]);
    assert_eq!(out.len(), 7);
    let all = FilterOptions { all: true, ..Default::default() };
    assert_eq!(met(root.path(), &all).0.len(), names.len());
    let hidden = FilterOptions { all: true, no_hidden: true, ..Default::default() };
    assert_eq!(
        met(root.path(), &hidden).0,
        ["#recycle/b", "@eaDir/t.jpg", "Studio.exr", "lost+found/1"]
    );
    let back = FilterOptions { exclude: patterns(&["!@eaDir"]), ..Default::default() };
    assert!(met(root.path(), &back).0.contains(&"@eaDir/t.jpg".to_owned()));
}

#[test]
fn ignore_files_count_from_their_folder_on() {
    let root = tree(&["a.log", "s/a.log", "s/t/a.log", "s/t/x.bin", "build/x"]);
    write_plain(&root.path().join(".solioignore"), b"# logs\n*.log\r\n/build\n").unwrap();
    write_plain(&root.path().join("s/t/.solioignore"), b"!a.log\nx.*\n").unwrap();
    let (files, out) = met(root.path(), &FilterOptions::default());
    assert_eq!(files, [".solioignore", "s/t/.solioignore", "s/t/a.log"]);
    assert_eq!(out, ["a.log", "build", "s/a.log", "s/t/x.bin"]);
    let whole = FilterOptions { no_ignore: true, ..Default::default() };
    assert_eq!(met(root.path(), &whole).0.len(), 7);
    // A walk that begins below knows what lies above.
    let met = Met::default();
    let bases = vec![root.path().to_owned()];
    let options = WalkOptions { filter: Filter::usual(), bases, ..WalkOptions::default() };
    walk(&[root.path().join("s"), root.path().join("build")], &options, &met).unwrap();
    assert_eq!(below(root.path(), met.files), ["s/t/.solioignore", "s/t/a.log"]);
    assert!(below(root.path(), met.out).contains(&"build".to_owned()));
}

#[test]
fn a_bad_ignore_file_is_told_and_leaves_out_nothing() {
    let root = tree(&["s/a.log", "b.log"]);
    write_plain(&root.path().join("s/.solioignore"), b"*.log\n[bad\n").unwrap();
    let met = Met::default();
    let options = WalkOptions { filter: Filter::usual(), ..WalkOptions::default() };
    walk(&[root.path().to_owned()], &options, &met).unwrap();
    assert_eq!(below(root.path(), met.files), ["b.log", "s/.solioignore", "s/a.log"]);
    let failed = met.failed.into_inner().unwrap();
    assert!(failed.len() == 1 && failed[0].contains("[bad"), "{failed:?}");
    for bad in ["[bad", "a{b"] {
        let error = Filter::new(&FilterOptions { exclude: patterns(&[bad]), ..Default::default() });
        assert!(error.unwrap_err().to_string().contains(bad));
    }
}

#[test]
fn depth_size_time_and_kind_leave_out() {
    let root = tree(&["a", "s/bbb", "s/t/cc", "s/t/u/dddd"]);
    let depth = |n| FilterOptions { max_depth: Some(n), ..Default::default() };
    assert_eq!(met(root.path(), &depth(1)), (patterns(&["a"]), patterns(&["s"])));
    assert_eq!(met(root.path(), &depth(3)).0, ["a", "s/bbb", "s/t/cc"]);
    let size = FilterOptions { min_bytes: Some(5), max_bytes: Some(6), ..Default::default() };
    assert_eq!(met(root.path(), &size).0, ["s/bbb", "s/t/cc"]);
    let now = solio_measure::unix_ns();
    let day = 86_400_000_000_000;
    for (newer_ns, older_ns, count) in [
        (Some(now - day), None, 4),
        (Some(now + day), None, 0),
        (None, Some(now - day), 0),
        (None, Some(now + day), 4),
    ] {
        let options = FilterOptions { newer_ns, older_ns, ..Default::default() };
        assert_eq!(met(root.path(), &options).0.len(), count);
    }
    let test: KindTest = Arc::new(|name, head| name == Path::new("a") || head.len() == 4);
    let kind = FilterOptions { kind: Some((test, 4)), ..Default::default() };
    assert_eq!(met(root.path(), &kind).0, ["a", "s/bbb", "s/t/cc", "s/t/u/dddd"]);
}

#[test]
fn names_keys_and_walks_agree() {
    let names = [
        "a.exr",
        "cache/x.exr",
        "s/cache/y.exr",
        "s/b.tmp",
        "@eaDir/z",
        "s/t/u/v/deep.exr",
        "s/.h/k",
    ];
    let root = tree(&names);
    let many = [
        FilterOptions::default(),
        FilterOptions { exclude: patterns(&["cache/", "*.tmp"]), ..Default::default() },
        FilterOptions { exclude: patterns(&["s/**", "!s/b.tmp"]), ..Default::default() },
        FilterOptions { include: patterns(&["*.exr"]), max_depth: Some(3), ..Default::default() },
        FilterOptions { no_hidden: true, all: true, max_bytes: Some(7), ..Default::default() },
    ];
    for options in many {
        let filter = Filter::new(&options).unwrap();
        let by_key = |name: &&&str| filter.wants_key(name.as_bytes(), name.len() as u64, 0);
        let mut keys: Vec<String> =
            names.iter().filter(by_key).map(|&name| name.to_owned()).collect();
        keys.sort();
        assert_eq!(keys, met(root.path(), &options).0, "{options:?}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_matched_byte_by_byte() {
    let root = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xe9\n.exr");
    if write_plain(&root.path().join(name), b"1").is_err() {
        return;
    }
    let filter =
        Filter::new(&FilterOptions { exclude: patterns(&["*.exr"]), ..Default::default() })
            .unwrap();
    let met = Met::default();
    walk(
        &[root.path().to_owned()],
        &WalkOptions { filter: filter.clone(), ..Default::default() },
        &met,
    )
    .unwrap();
    assert_eq!((met.files.into_inner().unwrap().len(), filter.left_out().files), (0, 1));
}
