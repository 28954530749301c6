use super::*;
use crate::probe::write_plain;
use std::collections::BTreeMap;

/// Counts what it is told.
#[derive(Default)]
struct CountingVisit {
    /// How often each path was handed out.
    entries: Mutex<BTreeMap<PathBuf, usize>>,
    open: Mutex<BTreeMap<PathBuf, usize>>,
    left: Mutex<Vec<PathBuf>>,
    failed: Mutex<Vec<PathBuf>>,
    stops_at: Option<usize>,
}

impl Visit for CountingVisit {
    type Folder = usize;
    type Local = usize;

    fn folder(&self, _: &mut usize, listing: &Listing) -> Result<usize> {
        let names: Vec<_> = listing.entries().iter().map(|e| listing.name(e)).collect();
        assert!(names.is_sorted());
        let files = listing.entries().iter().filter(|e| e.kind != EntryKind::Folder).count();
        assert!(self.open.lock().unwrap().insert(listing.path.clone(), files).is_none());
        Ok(files)
    }

    fn entries(&self, _: &mut usize, listing: &Listing, _: &usize, some: &[u32]) -> Result<()> {
        let mut entries = self.entries.lock().unwrap();
        for &i in some {
            let entry = &listing.entries()[i as usize];
            *entries.entry(listing.path_of(entry)).or_default() += 1;
            *self.open.lock().unwrap().get_mut(&listing.path).unwrap() -= 1;
        }
        if self.stops_at.is_some_and(|most| entries.len() >= most) {
            return Err(Error::limit("enough"));
        }
        Ok(())
    }

    fn left(&self, _: &mut usize, listing: &Listing, _: usize) -> Result<()> {
        assert_eq!(self.open.lock().unwrap()[&listing.path], 0, "{:?}", listing.path);
        self.left.lock().unwrap().push(listing.path.clone());
        Ok(())
    }

    fn failed(&self, path: &Path, _: Error) {
        self.failed.lock().unwrap().push(path.to_owned());
    }
}

/// A name that is no text, where there may be one.
const ODD: &[u8] =
    if cfg!(windows) { "caf\u{e9} \u{1f600}.jpg".as_bytes() } else { b"caf\xe9\n.jpg" };

/// Windows takes half a character for a name; what imitates it may not.
#[cfg(windows)]
#[test]
fn half_a_character_is_a_name() {
    let root = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xed\xa0\x80.jpg");
    if let Err(error) = write_plain(&root.path().join(name), b"1") {
        #[allow(clippy::print_stdout)]
        return println!("skipped: {error}");
    }
    let entries = seen(root.path(), &WalkOptions::default()).entries.into_inner().unwrap();
    assert_eq!(entries.into_keys().collect::<Vec<_>>(), [root.path().join(name)]);
}

/// A tree with a large folder, empty ones, odd names and links in a loop.
fn tree() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    for folder in ["many", "a/b/c", "empty", "a/-x"] {
        std::fs::create_dir_all(path(folder)).unwrap();
    }
    for n in 0..2000 {
        write_plain(&path(&format!("many/{n}")), b"").unwrap();
    }
    write_plain(&path("a/b/c/deep"), b"12345").unwrap();
    let odd = root.path().join(OsStr::from_bytes(ODD));
    write_plain(&odd, b"1").unwrap();
    for (target, link) in [("..", "a/up"), ("nowhere", "dangling")] {
        if let Err(error) = crate::probe::symlink(target, path(link)) {
            #[allow(clippy::print_stdout)]
            let () = println!("skipped in part: no symbolic links ({error})");
        }
    }
    root
}

/// How many of its links could be made.
fn links(root: &Path) -> usize {
    let is_there = |name| fs_entry(&root.join(name));
    ["a/up", "dangling"].into_iter().filter(|name| is_there(*name)).count()
}

fn fs_entry(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn seen(root: &Path, options: &WalkOptions) -> CountingVisit {
    let seen = CountingVisit::default();
    walk(&[root.to_owned()], options, &seen).unwrap();
    seen
}

#[test]
fn every_entry_comes_once_on_any_number_of_threads() {
    let root = tree();
    for threads in [0, 1, 2, 7] {
        let seen = seen(root.path(), &WalkOptions { threads, ..WalkOptions::default() });
        let entries = seen.entries.into_inner().unwrap();
        assert_eq!(entries.len(), 2000 + 2 + links(root.path()));
        assert!(entries.values().all(|&times| times == 1));
        let up = root.path().join("a").join("up");
        assert!(entries.contains_key(&up) || links(root.path()) < 2);
        assert_eq!(seen.left.into_inner().unwrap().len(), 7);
        assert!(seen.failed.into_inner().unwrap().is_empty());
    }
}

#[test]
fn links_are_followed_when_asked_and_loops_end() {
    let root = tree();
    if links(root.path()) < 2 {
        return;
    }
    let options = WalkOptions { threads: 2, follow: true, ..WalkOptions::default() };
    let seen = seen(root.path(), &options);
    let entries = seen.entries.into_inner().unwrap();
    // `a/up` is a folder now, which is the root; `dangling` stays a link.
    assert_eq!(entries.len(), 2000 + 3);
    assert_eq!(seen.left.into_inner().unwrap().len(), 7);
}

#[test]
fn flat_walks_stay_in_the_given_folder() {
    let root = tree();
    let seen = seen(root.path(), &WalkOptions { flat: true, ..WalkOptions::default() });
    let dangling = usize::from(fs_entry(&root.path().join("dangling")));
    assert_eq!(seen.entries.into_inner().unwrap().len(), 1 + dangling);
    assert_eq!(seen.left.into_inner().unwrap(), [root.path()]);
}

#[test]
fn what_cannot_be_listed_is_told_and_the_walk_goes_on() {
    let root = tree();
    let roots = [root.path().join("missing"), root.path().join("a/b/c/deep"), root.path().into()];
    let seen = CountingVisit::default();
    walk(&roots, &WalkOptions::default(), &seen).unwrap();
    assert_eq!(seen.failed.into_inner().unwrap(), &roots[..2]);
    assert_eq!(seen.entries.into_inner().unwrap().len(), 2002 + links(root.path()));
}

#[test]
fn an_error_and_a_cancel_end_it() {
    let root = tree();
    let seen = CountingVisit { stops_at: Some(600), ..CountingVisit::default() };
    let options = WalkOptions { threads: 3, ..WalkOptions::default() };
    let error = walk(&[root.path().to_owned()], &options, &seen).unwrap_err();
    assert_eq!(error.message(), "enough");
    let cancelled = WalkOptions::default();
    cancelled.cancel.cancel();
    let error = walk(&[root.path().to_owned()], &cancelled, &CountingVisit::default()).unwrap_err();
    assert_eq!(error.kind(), solio_base::ErrorKind::Cancelled);
}

#[test]
fn files_are_looked_at_and_opened_where_they_lie() {
    type Found = (Vec<u8>, Status, Vec<u8>);
    struct Opens(Mutex<Vec<Found>>);
    impl Visit for Opens {
        type Folder = ();
        type Local = HeadReader;
        fn folder(&self, _: &mut HeadReader, _: &Listing) -> Result<()> {
            Ok(())
        }
        fn entries(
            &self,
            heads: &mut HeadReader,
            listing: &Listing,
            (): &(),
            some: &[u32],
        ) -> Result<()> {
            for &i in some {
                let entry = &listing.entries()[i as usize];
                let status = listing.status(entry)?;
                let head = match entry.kind {
                    EntryKind::File => {
                        let source = listing.open_head(entry, heads, status.size, 3)?;
                        solio_base::Source::head(&source).to_vec()
                    }
                    _ => Vec::new(),
                };
                let name = listing.name(entry).as_bytes().to_vec();
                self.0.lock().unwrap().push((name, status, head));
            }
            Ok(())
        }
        fn left(&self, _: &mut HeadReader, _: &Listing, (): ()) -> Result<()> {
            Ok(())
        }
        fn failed(&self, path: &Path, error: Error) {
            panic!("{path:?}: {error}");
        }
    }
    let root = tree();
    let opens = Opens(Mutex::default());
    walk(&[root.path().to_owned()], &WalkOptions::default(), &opens).unwrap();
    let found = opens.0.into_inner().unwrap();
    let of = |name: &[u8]| found.iter().find(|(found, ..)| found == name).unwrap();
    let (_, status, head) = of(b"deep");
    assert_eq!((status.size, &head[..]), (5, b"123".as_slice()));
    let deep = status_of(&root.path().join("a/b/c/deep")).unwrap();
    assert_eq!(*status, deep);
    assert!(deep.modified_ns > 1_700_000_000_000_000_000 && deep.links == 1);
    let (_, status, head) = of(ODD);
    assert_eq!((status.size, &head[..]), (1, b"1".as_slice()));
    assert_eq!(of(b"1999").1.size, 0);
}
