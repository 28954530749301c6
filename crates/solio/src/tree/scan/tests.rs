#![allow(clippy::disallowed_methods)] // tests have their own files

use super::*;
use solio_base::names::{OsStrBytes, slashed};
use solio_base::{Cancel, Error, ErrorKind, Result, Work};
use solio_catalog::row::{Cell, Row, column};
use solio_catalog::store::{Known, Rows};
use solio_codec::digest::{Algorithm, Hasher};
use solio_io::probe::write_plain;
use solio_io::walk;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(tree.path("r/a/b")).unwrap();
        tree.write("r/a/one.obj", b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
        tree.write("r/a/b/two.txt", b"words");
        tree.write("r/empty.exr", b"");
        tree.write("r/broken.ply", b"ply\nformat ascii 1.0\nelement vertex x\n");
        if solio_io::probe::symlink("a", tree.path("r/link")).is_err() {
            // Where no links are to be had, a file stands for it.
            tree.write("r/link", b"a");
        }
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        write_plain(&self.path(name), bytes).unwrap();
    }

    fn scan(&self, options: &ScanOptions) -> (ScanCount, Result<ScanReport>) {
        self.scan_into("c.sqlite", options, &Work { threads: 3, ..Work::default() })
    }

    fn scan_into(
        &self,
        catalog: &str,
        options: &ScanOptions,
        work: &Work,
    ) -> (ScanCount, Result<ScanReport>) {
        let (count, roots) = (ScanCount::default(), [self.path("r")]);
        let catalog = self.path(catalog);
        let wanted = Scan { roots: &roots, catalog: &catalog, options, count: &count };
        let done =
            if is_parquet(&catalog) { scan_to_parquet(&wanted, work) } else { scan(&wanted, work) };
        (count, done)
    }

    fn rows(&self) -> Vec<Row> {
        Rows::open(&self.path("c.sqlite")).unwrap().map(Result::unwrap).collect()
    }

    fn row(&self, name: &str) -> Row {
        let rows = self.rows();
        rows.into_iter().find(|row| &*row.name == name.as_bytes()).unwrap()
    }
}

fn met(count: &ScanCount) -> [u64; 3] {
    [&count.files, &count.looked_at, &count.unchanged].map(|n| n.load(Relaxed))
}

#[test]
fn a_tree_is_scanned_once_and_then_only_what_changed() {
    let tree = Tree::new();
    let options = ScanOptions::default();
    let (count, report) = tree.scan(&options);
    assert_eq!((met(&count), report.unwrap().removed), ([5, 5, 0], 0));
    let kind = |name: &str| tree.row(name).cells.text(column::KIND).map(str::to_owned);
    for (name, wanted) in [
        ("one.obj", "obj"),
        ("two.txt", "text"),
        ("empty.exr", "empty"),
        ("broken.ply", "ply"),
        ("link", if tree.path("r/link").is_symlink() { "link" } else { "text" }),
    ] {
        assert_eq!(kind(name).as_deref(), Some(wanted), "{name}");
    }
    let problems = tree.row("broken.ply").cells.text(column::PROBLEMS).unwrap().to_owned();
    assert!(problems.contains("line 3"), "{problems}");
    assert_eq!(count.with_problems.load(Relaxed), 1);

    let before = tree.rows();
    let (count, report) = tree.scan(&options);
    assert_eq!((met(&count), report.unwrap().removed), ([5, 0, 5], 0));
    assert!(tree.rows() == before);

    tree.write("r/a/b/two.txt", b"other words");
    tree.write("r/a/three.txt", b"more");
    std::fs::rename(tree.path("r/a/one.obj"), tree.path("r/moved.obj")).unwrap();
    std::fs::remove_file(tree.path("r/empty.exr")).unwrap();
    let (count, report) = tree.scan(&options);
    assert_eq!((met(&count), report.unwrap().removed), ([5, 3, 2], 1));
    assert_eq!(count.renamed.load(Relaxed), 1);
    assert_eq!(tree.row("two.txt").cells.integer(column::SIZE), Some(11));
    assert_eq!(tree.row("moved.obj").cells.text(column::KIND), Some("obj"));
    assert_eq!(tree.rows().len(), 5);

    std::fs::remove_dir_all(tree.path("r/a")).unwrap();
    assert_eq!(tree.scan(&options).1.unwrap().removed, 2);
    let names: Vec<_> = tree.rows().iter().map(|row| row.name.clone()).collect();
    assert_eq!(names, [b"broken.ply".as_slice(), b"link", b"moved.obj"].map(Box::from));
}

#[test]
fn asking_for_more_looks_again_and_asking_for_less_does_not() {
    let tree = Tree::new();
    tree.scan(&ScanOptions::default()).1.unwrap();
    assert_eq!(tree.row("one.obj").cells.integer(column::FACES), None);
    let mut deep = ScanOptions::default();
    deep.facts.deep = true;
    let (count, report) = tree.scan(&deep);
    report.unwrap();
    assert_eq!(met(&count), [5, 5, 0]);
    let cells = tree.row("one.obj").cells;
    assert_eq!((cells.integer(column::FACES), cells.integer(column::VERTICES)), (Some(1), Some(3)));
    assert_eq!(cells.all()[column::MAX_Y], Cell::Real(2.0));
    assert_eq!(met(&tree.scan(&ScanOptions::default()).0), [5, 0, 5]);
    let again = ScanOptions { again: true, ..deep };
    assert_eq!(met(&tree.scan(&again).0), [5, 5, 0]);
}

#[test]
fn a_dry_scan_writes_nothing() {
    let tree = Tree::new();
    let dry = ScanOptions { dry: true, ..ScanOptions::default() };
    let (count, report) = tree.scan(&dry);
    assert_eq!((met(&count), report.unwrap().removed), ([5, 5, 0], 0));
    assert!(!tree.path("c.sqlite").exists());
}

#[test]
fn parts_merge_to_the_table_of_the_whole_byte_for_byte() {
    let tree = Tree::new();
    for n in 0..300 {
        tree.write(&format!("r/a/b/{n}.txt"), format!("{n}").as_bytes());
    }
    let work = Work { threads: 2, ..Work::default() };
    let whole = ScanOptions::default();
    tree.scan_into("whole.parquet", &whole, &work).1.unwrap();
    assert!(!tree.path("whole.parquet.scan").exists());
    let mut parts = Vec::new();
    for part in 0..3 {
        let options = ScanOptions { shard: Some((part, 3)), ..whole.clone() };
        let name = format!("part{part}.{}", if part == 1 { "sqlite" } else { "parquet" });
        let (count, done) = tree.scan_into(&name, &options, &work);
        done.unwrap();
        assert!((50..200).contains(&met(&count)[0]), "{:?}", met(&count));
        parts.push(tree.path(&name));
    }
    let read = |name: &str| solio_io::read_whole(&tree.path(name), &Default::default(), &work);
    assert_eq!(merge_catalogs(&parts, &tree.path("merged.parquet"), &work).unwrap(), 305);
    assert!(read("merged.parquet").unwrap() == read("whole.parquet").unwrap());
    merge_catalogs(&parts, &tree.path("merged.sqlite"), &work).unwrap();
    export_catalog(&tree.path("merged.sqlite"), &tree.path("again.parquet"), &work).unwrap();
    assert!(read("again.parquet").unwrap() == read("whole.parquet").unwrap());
    let dry = ScanOptions { dry: true, ..whole.clone() };
    assert_eq!(met(&tree.scan_into("whole.parquet", &dry, &work).0), [305, 0, 305]);
    assert!(!tree.path("whole.parquet.scan").exists());
    // A second scan opens nothing.
    assert_eq!(met(&tree.scan_into("whole.parquet", &whole, &work).0), [305, 0, 305]);
}

#[test]
fn a_stopped_scan_goes_on_and_ends_the_same() {
    let tree = Tree::new();
    for n in 0..500 {
        tree.write(&format!("r/a/b/{n}.txt"), format!("{n}").as_bytes());
    }
    let whole = ScanOptions::default();
    tree.scan_into("whole.parquet", &whole, &Work::default()).1.unwrap();
    let stopped = Work { threads: 1, cancel: Cancel::default(), ..Work::default() };
    stopped.cancel.cancel();
    let error = tree.scan_into("c.parquet", &whole, &stopped).1.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(tree.path("c.parquet.scan").exists() && !tree.path("c.parquet").exists());
    tree.scan_into("c.parquet", &whole, &Work::default()).1.unwrap();
    let read = |name: &str| {
        solio_io::read_whole(&tree.path(name), &Default::default(), &Work::default()).unwrap()
    };
    assert!(read("c.parquet") == read("whole.parquet"));
}

#[test]
fn what_cannot_be_read_is_told_and_limits_end_a_scan() {
    let tree = Tree::new();
    let missing = [tree.path("missing"), tree.path("r")];
    let (count, options) = (ScanCount::default(), ScanOptions::default());
    let catalog = tree.path("c.sqlite");
    let wanted = Scan { roots: &missing, catalog: &catalog, options: &options, count: &count };
    let report = scan(&wanted, &Work::default()).unwrap();
    assert_eq!(report.failures.len(), 1);
    assert_eq!(report.failures[0].path(), Some(&*missing[0]));
    assert_eq!(met(&count)[0], 5);
    let strict = ScanOptions { max_errors: Some(0), ..ScanOptions::default() };
    let error = scan(&Scan { options: &strict, ..wanted }, &Work::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn what_is_known_of_a_missing_root_is_kept() {
    let tree = Tree::new();
    tree.scan(&ScanOptions::default()).1.unwrap();
    std::fs::rename(tree.path("r"), tree.path("elsewhere")).unwrap();
    let report = tree.scan(&ScanOptions::default()).1.unwrap();
    assert_eq!((report.removed, report.failures.len(), tree.rows().len()), (0, 1, 5));
}

#[test]
fn the_second_scan_of_a_catalogue_says_so_and_a_damaged_one_is_rebuilt() {
    let tree = Tree::new();
    let held = solio_io::lock::lock(&tree.path("c.sqlite")).unwrap();
    let error = tree.scan(&ScanOptions::default()).1.unwrap_err();
    assert!(error.message().contains("another scan"), "{error}");
    drop(held);
    let rebuild = ScanOptions { rebuild: true, ..ScanOptions::default() };
    tree.write("c.sqlite", &b"no database".repeat(1000));
    for options in [ScanOptions::default(), rebuild.clone()] {
        let error: Error = tree.scan(&options).1.unwrap_err();
        assert!(error.hint_text().unwrap().contains("remove the file"), "{error}");
    }
    std::fs::remove_file(tree.path("c.sqlite")).unwrap();
    tree.scan(&ScanOptions::default()).1.unwrap();
    let whole = solio_io::read_whole(&tree.path("c.sqlite"), &Default::default(), &Work::default());
    let mut damaged = whole.unwrap().to_vec();
    damaged[4096..].fill(0x5a);
    tree.write("c.sqlite", &damaged);
    let error: Error = tree.scan(&ScanOptions::default()).1.unwrap_err();
    assert!(error.hint_text().unwrap().contains("--rebuild"), "{error}");
    tree.scan(&rebuild).1.unwrap();
    assert_eq!(tree.rows().len(), 5);
    assert!(!Path::new(&tree.path("c.sqlite-wal")).exists());
    let folder = [tree.path("r")];
    let (count, options) = (ScanCount::default(), rebuild);
    let wanted = Scan { roots: &folder, catalog: &folder[0], options: &options, count: &count };
    assert_eq!(scan(&wanted, &Work::default()).unwrap_err().kind(), ErrorKind::Argument);
    assert!(folder[0].is_dir());
}

#[test]
fn a_catalogue_in_its_own_tree_is_no_part_of_it() {
    let tree = Tree::new();
    let options = ScanOptions::default();
    for _ in 0..2 {
        let done = tree.scan_into("r/c.sqlite", &options, &Work::default());
        assert_eq!(met(&done.0)[0], 5);
        done.1.unwrap();
    }
    tree.write("r/c.sqlite2", b"another file");
    assert_eq!(met(&tree.scan_into("r/c.sqlite", &options, &Work::default()).0)[0], 6);
}

#[test]
fn a_watched_tree_stays_current() {
    let tree = Tree::new();
    let (count, roots, work) = (ScanCount::default(), [tree.path("r")], Work::default());
    let (catalog, options) = (tree.path("c.sqlite"), ScanOptions::default());
    let wanted = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
    let (mut live, _) = LiveCatalog::open(&wanted, None, &work).unwrap();
    assert_eq!(met(&count), [5, 5, 0]);
    let second = LiveCatalog::open(&wanted, None, &work).map(|_| ()).unwrap_err();
    assert!(second.to_string().contains("another scan"), "{second}");

    // All that happened so far is in one round, or in several: what counts is what comes of it.
    let mut until = |done: &dyn Fn(&[Row]) -> bool| {
        for _ in 0..20 {
            let round = live.wait(&work).unwrap();
            assert!(round.report.failures.is_empty(), "{:?}", round.report.failures);
            if done(&tree.rows()) {
                return;
            }
        }
        panic!("{:?}", tree.rows());
    };
    let has = |rows: &[Row], name: &str| rows.iter().any(|row| &*row.name == name.as_bytes());
    let size = |rows: &[Row], name: &str| {
        let row = rows.iter().find(|row| &*row.name == name.as_bytes());
        row.and_then(|row| row.cells.integer(column::SIZE))
    };
    tree.write("r/a/b/two.txt", b"other words");
    until(&|rows| size(rows, "two.txt") == Some(11));
    std::fs::create_dir_all(tree.path("r/new/below")).unwrap();
    tree.write("r/new/below/three.txt", b"3");
    until(&|rows| has(rows, "three.txt"));
    tree.write("r/new/below/four.txt", b"4");
    std::fs::remove_file(tree.path("r/empty.exr")).unwrap();
    until(&|rows| has(rows, "four.txt") && !has(rows, "empty.exr"));
    std::fs::rename(tree.path("r/new"), tree.path("r/a/moved")).unwrap();
    let moved = slashed(tree.path("r/a/moved/below")).into_os_string().into_encoded_bytes();
    until(&|rows| {
        let at = rows.iter().find(|row| &*row.name == b"four.txt").map(|row| row.folder.to_vec());
        rows.len() == 6 && at.as_ref() == Some(&moved)
    });
    std::fs::remove_dir_all(tree.path("r/a")).unwrap();
    until(&|rows| rows.len() == 2);
    live.close().unwrap();
    // What a scan finds is what was kept.
    assert_eq!(met(&tree.scan(&options).0), [2, 0, 2]);
}

#[test]
fn only_folders_are_watched_and_waiting_ends() {
    let tree = Tree::new();
    let (count, work) = (ScanCount::default(), Work::default());
    let (catalog, options) = (tree.path("c.sqlite"), ScanOptions::default());
    let roots = [tree.path("r/a/one.obj")];
    let wanted = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
    assert_eq!(
        LiveCatalog::open(&wanted, None, &work).map(|_| ()).unwrap_err().kind(),
        ErrorKind::Argument
    );
    let roots = [tree.path("r")];
    let wanted = Scan { roots: &roots, ..wanted };
    // What nobody tells of is found after a while.
    let every = Some(std::time::Duration::from_millis(100));
    let (mut live, _) = LiveCatalog::open(&wanted, every, &work).unwrap();
    assert_eq!(met(&live.wait(&work).unwrap().count), [5, 0, 5]);
    work.cancel.cancel();
    assert_eq!(live.wait(&work).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn the_bounds_of_a_scene_are_those_of_all_its_instances() {
    let tree = Tree::new();
    let triangle = "Shape \"trianglemesh\" \"integer indices\" [0 1 2] \
                    \"point3 P\" [0 0 0 1 0 0 0 2 0]\n";
    let text = format!(
        "WorldBegin\nObjectBegin \"a\"\n{triangle}ObjectEnd\nTranslate 0 0 -3\n\
         ObjectInstance \"a\"\nTranslate 10 0 0\nScale 2 2 2\nObjectInstance \"a\"\n"
    );
    tree.write("r/two.pbrt", text.as_bytes());
    tree.write(
        "r/part.pbrt",
        format!("{text}Shape \"plymesh\" \"string filename\" \"no.ply\"\n").as_bytes(),
    );
    let mut deep = ScanOptions::default();
    deep.facts.deep = true;
    tree.scan(&deep).1.unwrap();
    let bounds = |name: &str| {
        let cells = tree.row(name).cells;
        (column::MIN_X..=column::MAX_Z).map(|i| cells.all()[i].clone()).collect::<Vec<_>>()
    };
    use solio_catalog::row::Cell::{Null, Real};
    // Boxes of instances hold what is in them: they are rounded outwards.
    for (found, (exact, out)) in bounds("two.pbrt").iter().zip([
        (0., -1.),
        (0., -1.),
        (-3., -1.),
        (12., 1.),
        (4., 1.),
        (-3., 1.),
    ]) {
        let Real(found) = found else { panic!("{found:?}") };
        assert!((0. ..1e-5).contains(&((found - exact) * out)), "{found} for {exact}");
    }
    assert_eq!(tree.row("two.pbrt").cells.integer(column::FACES), Some(2));
    // Where the box of a part is not known, neither is that of the whole.
    assert_eq!(bounds("part.pbrt"), [const { Null }; 6]);
}

#[test]
fn renamed_files_keep_what_is_known_of_them() {
    let tree = Tree::new();
    // More than the writer commits at once.
    for n in 0..600 {
        tree.write(&format!("r/old{n}.txt"), format!("{n}").as_bytes());
    }
    let mut hashed = ScanOptions::default();
    hashed.facts.hash = true;
    tree.scan(&hashed).1.unwrap();
    let hash = |name: &str| tree.row(name).cells.text(column::XXH128).map(str::to_owned);
    let before = hash("old599.txt");
    assert!(before.is_some());
    std::fs::create_dir(tree.path("r/a/new")).unwrap();
    for n in 0..600 {
        let folder = if n % 2 == 0 { "r" } else { "r/a/new" };
        let new = tree.path(&format!("{folder}/{n}.txt"));
        std::fs::rename(tree.path(&format!("r/old{n}.txt")), new).unwrap();
    }
    std::fs::remove_file(tree.path("r/empty.exr")).unwrap();
    let (count, report) = tree.scan(&ScanOptions::default());
    assert_eq!((count.renamed.load(Relaxed), report.unwrap().removed), (600, 1));
    assert_eq!((hash("599.txt"), tree.rows().len()), (before, 604));
}

#[test]
fn a_renamed_file_is_what_its_new_name_says() {
    let tree = Tree::new();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\0\0\0\0";
    tree.write("r/p.png", png);
    tree.write("r/t.txt", b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    let mut options = ScanOptions::default();
    options.facts.hash = true;
    tree.scan(&options).1.unwrap();
    let hash = |name: &str| tree.row(name).cells.text(column::XXH128).map(str::to_owned);
    let before = [hash("p.png"), hash("t.txt")];
    std::fs::rename(tree.path("r/p.png"), tree.path("r/p.exr")).unwrap();
    std::fs::rename(tree.path("r/t.txt"), tree.path("r/t.obj")).unwrap();
    options.facts.check = true;
    options.facts.hash = false;
    let (count, report) = tree.scan(&options);
    assert_eq!((count.renamed.load(Relaxed), report.unwrap().removed), (2, 0));
    // The hash is that of the bytes alone, and stays known.
    assert_eq!([hash("p.exr"), hash("t.obj")], before);
    let problems = tree.row("p.exr").cells.text(column::PROBLEMS).unwrap().to_owned();
    assert!(problems.contains("the extension is .exr"), "{problems}");
    options.facts.hash = true;
    assert_eq!(met(&tree.scan(&options).0)[1], 0, "all is hashed");
}

#[test]
fn roots_within_others_are_scanned_once() {
    let tree = Tree::new();
    let roots = ["r", "r/a", "r/", "r/a/b/two.txt", "r/link"].map(|root| tree.path(root));
    let (count, options, catalog) =
        (ScanCount::default(), ScanOptions::default(), tree.path("c.sqlite"));
    let wanted = Scan { roots: &roots, catalog: &catalog, options: &options, count: &count };
    scan(&wanted, &Work::default()).unwrap();
    // But what is behind a link is there by that name, too.
    let behind = if tree.path("r/link").is_symlink() { 2 } else { 0 };
    assert_eq!((met(&count)[0], tree.rows().len()), (5 + behind, 5 + behind as usize));
}

#[test]
fn a_catalogue_that_another_path_leads_to_is_no_part_of_its_tree() {
    let tree = Tree::new();
    let links: &[_] = match solio_io::probe::symlink("r", tree.path("l")) {
        Ok(()) => &["l/c.sqlite"],
        Err(_) => &[],
    };
    let options = ScanOptions::default();
    for catalog in [links, &["r/a/../c.sqlite"]].concat() {
        for _ in 0..2 {
            let done = tree.scan_into(catalog, &options, &Work::default());
            done.1.unwrap();
            assert_eq!(met(&done.0)[0], 5, "{catalog}");
        }
    }
}

#[test]
fn another_file_is_no_renamed_one() {
    let tree = Tree::new();
    let mut options = ScanOptions::default();
    options.facts.hash = true;
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let write = |name: &str, bytes: &[u8]| {
        tree.write(name, bytes);
        let file = std::fs::File::options().write(true).open(tree.path(name)).unwrap();
        file.set_modified(time).unwrap();
    };
    write("r/old.bin", b"one content");
    tree.scan(&options).1.unwrap();
    let inode = |name: &str| walk::status_of(&tree.path(name)).unwrap().inode;
    let old = inode("r/old.bin");
    std::fs::remove_file(tree.path("r/old.bin")).unwrap();
    // Until one of equal size and time has the inode of the one that is gone; some file systems never
    // give one again.
    let mut names = Vec::new();
    for n in 0..64 {
        names.push(format!("new{n}.bin"));
        write(&format!("r/new{n}.bin"), b"the other ..");
        write(&format!("r/new{n}.bin"), b"the other .");
        if inode(&format!("r/new{n}.bin")) == old {
            break;
        }
    }
    let (count, report) = tree.scan(&options);
    report.unwrap();
    assert_eq!(count.renamed.load(Relaxed), 0);
    let hash = |name: &str| tree.row(name).cells.text(column::XXH128).map(str::to_owned);
    let mut hasher = Hasher::new(Algorithm::Xxh128);
    hasher.update(b"the other .");
    let wanted = hasher.finish().to_string();
    assert!(names.iter().all(|name| hash(name).as_ref() == Some(&wanted)));
}

#[test]
fn a_renamed_file_keeps_what_an_earlier_look_found() {
    let tree = Tree::new();
    let look = |deep, check| {
        let mut options = ScanOptions::default();
        (options.facts.deep, options.facts.check) = (deep, check);
        tree.scan(&options).1.unwrap();
    };
    tree.write("r/cut.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\0\0\0\0");
    look(true, true);
    let of = |name: &str, place: usize| tree.row(name).cells.all()[place].clone();
    let (problems, faces) = (of("cut.png", column::PROBLEMS), of("one.obj", column::FACES));
    assert!(problems != Cell::Null && faces == Cell::Integer(1));
    for (from, to) in [("r/cut.png", "r/a/cut2.png"), ("r/a/one.obj", "r/a/two.7.obj")] {
        std::fs::rename(tree.path(from), tree.path(to)).unwrap();
    }
    look(false, false);
    assert_eq!(
        (of("cut2.png", column::PROBLEMS), of("two.7.obj", column::FACES)),
        (problems, faces.clone())
    );
    assert_eq!(of("two.7.obj", column::FRAME), Cell::Integer(7));
    std::fs::rename(tree.path("r/a/two.7.obj"), tree.path("r/two.obj")).unwrap();
    let mut hashed = ScanOptions::default();
    hashed.facts.hash = true;
    tree.scan(&hashed).1.unwrap();
    // What its old name alone said is forgotten.
    assert_eq!((of("two.obj", column::FACES), of("two.obj", column::FRAME)), (faces, Cell::Null));
    // A look as deep has the last word.
    std::fs::rename(tree.path("r/a/cut2.png"), tree.path("r/cut3.png")).unwrap();
    look(true, true);
    assert!(of("cut3.png", column::PROBLEMS) != Cell::Null);
}

#[test]
fn a_problem_that_a_rename_mends_is_gone() {
    let tree = Tree::new();
    let mut options = ScanOptions::default();
    (options.facts.check, options.facts.hash) = (true, true);
    tree.write("r/s.pbrt", b"WorldBegin\nShape \"plymesh\" \"string filename\" \"m.ply\"\n");
    let mesh = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nend_header\n0 0 0\n";
    tree.write("r/a/m.ply", mesh.as_bytes());
    tree.scan(&options).1.unwrap();
    assert!(tree.row("s.pbrt").cells.text(column::PROBLEMS).unwrap().contains("m.ply"));
    std::fs::rename(tree.path("r/s.pbrt"), tree.path("r/a/s.pbrt")).unwrap();
    let (count, report) = tree.scan(&options);
    report.unwrap();
    assert_eq!(count.renamed.load(Relaxed), 1);
    assert_eq!(tree.row("s.pbrt").cells.text(column::PROBLEMS), None);
}

#[test]
fn what_a_rename_mends_or_breaks_is_found_by_the_next_check() {
    let tree = Tree::new();
    let scan = |check| {
        let mut options = ScanOptions::default();
        options.facts.check = check;
        tree.scan(&options).1.unwrap();
        tree.row("s.pbrt").cells.text(column::PROBLEMS).map(str::to_owned)
    };
    let to = |folder: &str| {
        let [from, to] = ["r", "r/a"].map(|folder| tree.path(folder).join("s.pbrt"));
        let (from, to) = if folder == "r" { (to, from) } else { (from, to) };
        std::fs::rename(from, to).unwrap();
    };
    tree.write("r/s.pbrt", b"WorldBegin\nShape \"plymesh\" \"string filename\" \"m.ply\"\n");
    let mesh = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nend_header\n0 0 0\n";
    tree.write("r/a/m.ply", mesh.as_bytes());
    assert!(scan(true).is_some());
    // A scan that does not check says nothing new, the next one that does looks.
    to("r/a");
    scan(false);
    assert_eq!(scan(true), None);
    to("r");
    assert!(scan(true).is_some_and(|problems| problems.contains("m.ply")));
    to("r/a");
    assert_eq!(scan(true), None);
    to("r");
    scan(false);
    assert!(scan(true).is_some());
}

#[test]
fn looks_for_different_things_find_all_that_one_finds() {
    let tree = Tree::new();
    let look = |deep, check, again| {
        let mut options = ScanOptions { again, ..ScanOptions::default() };
        (options.facts.deep, options.facts.check, options.facts.hash) = (deep, check, again);
        let (count, report) = tree.scan(&options);
        report.unwrap();
        met(&count)[1]
    };
    // A PLY that is called an STL, and whose face has a vertex that is not there.
    let mesh = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n3 0 0 7\n";
    let problems = || {
        let row = tree.row("s.stl");
        let list = row.cells.text(column::PROBLEMS).map(|list| serde_json::from_str(list).unwrap());
        list.unwrap_or_default()
    };
    let mut all: Vec<Vec<String>> = Vec::new();
    for (first, second) in [((true, false), (false, true)), ((false, true), (true, false))] {
        tree.write("r/s.stl", mesh.as_bytes());
        look(first.0, first.1, false);
        look(second.0, second.1, false);
        let mut found: Vec<String> = problems();
        found.sort();
        all.push(found);
        std::fs::remove_file(tree.path("r/s.stl")).unwrap();
        look(false, false, false);
    }
    assert!(all[0] == all[1] && all[0].len() == 2, "{all:?}");
    // Both at once unpack pixels, too: that has not been done.
    tree.write("r/s.stl", mesh.as_bytes());
    look(true, false, false);
    look(false, true, false);
    assert!(look(true, true, false) > 0);
    assert_eq!(look(true, true, false), 0);
    // Nobody knows whether the content is that of before, where it had no hash.
    look(false, false, true);
    assert!(look(true, true, false) > 0);
}

#[test]
fn another_look_at_the_same_file_keeps_what_was_found() {
    let tree = Tree::new();
    let mut options = ScanOptions::default();
    (options.facts.deep, options.facts.check, options.facts.hash) = (true, true, true);
    tree.scan(&options).1.unwrap();
    let of = |name: &str, place: usize| tree.row(name).cells.all()[place].clone();
    let before = (of("broken.ply", column::PROBLEMS), of("one.obj", column::FACES));
    assert!(before.0 != Cell::Null);
    let mut again = ScanOptions { again: true, ..ScanOptions::default() };
    again.facts.hash = true;
    tree.scan(&again).1.unwrap();
    assert_eq!((of("broken.ply", column::PROBLEMS), of("one.obj", column::FACES)), before);
}

#[test]
fn another_file_of_the_same_name_is_told_by_its_birth() {
    let tree = Tree::new();
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let write = |bytes: &[u8]| {
        let _ = std::fs::remove_file(tree.path("r/x.bin"));
        std::fs::write(tree.path("r/x.bin"), bytes).unwrap();
        let file = std::fs::File::options().write(true).open(tree.path("r/x.bin")).unwrap();
        file.set_modified(time).unwrap();
    };
    let mut options = ScanOptions::default();
    options.facts.hash = true;
    write(b"one content");
    tree.scan(&options).1.unwrap();
    let first = tree.row("x.bin").cells.text(column::XXH128).map(str::to_owned);
    write(b"the other .");
    // Where nobody tells the birth, this file system may tell the inodes apart.
    if walk::status_of(&tree.path("r/x.bin")).unwrap().born_ns.is_some() {
        tree.scan(&options).1.unwrap();
        let second = tree.row("x.bin").cells.text(column::XXH128).map(str::to_owned);
        assert_ne!(first, second);
    }
}

#[test]
fn a_thumbnail_is_that_of_what_is_there() {
    let tree = Tree::new();
    let mut wanted = ScanOptions::default();
    wanted.facts.thumbnail = Some(64);
    let hdr = |red: u8| {
        let mut bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n".to_vec();
        bytes.extend_from_slice(&[red, 9, 9, 0x81, 0, 0, 0, 0]);
        bytes
    };
    let thumbnail = || {
        let known = Known::open(&tree.path("c.sqlite")).unwrap();
        let folder = slashed(tree.path("r"));
        known.row(folder.as_os_str().as_bytes(), b"a.hdr").unwrap().unwrap().1
    };
    tree.write("r/a.hdr", &hdr(200));
    tree.scan(&wanted).1.unwrap();
    assert!(thumbnail().is_some());
    // Other content, and nobody asks for a picture: the old one shows nothing that is there.
    tree.write("r/a.hdr", &[hdr(20), hdr(20)].concat());
    tree.scan(&ScanOptions::default()).1.unwrap();
    assert!(thumbnail().is_none());
    tree.scan(&wanted).1.unwrap();
    assert!(thumbnail().is_some());
    // No picture at all.
    tree.write("r/a.hdr", b"no picture any more");
    tree.scan(&wanted).1.unwrap();
    assert!(thumbnail().is_none());
}

#[test]
fn only_a_catalogue_is_thrown_away() {
    let tree = Tree::new();
    // The head of another program's database: a table, and its application.
    let mut other = vec![0; 8192];
    other[..16].copy_from_slice(b"SQLite format 3\0");
    other[104] = 1;
    for application in [[0; 4], *b"GPKG"] {
        other[68..72].copy_from_slice(&application);
        tree.write("c.sqlite", &other);
        let rebuild = ScanOptions { rebuild: true, ..ScanOptions::default() };
        let error: Error = tree.scan(&rebuild).1.unwrap_err();
        assert!(error.message().contains("not thrown away"), "{error}");
        assert_eq!(std::fs::read(tree.path("c.sqlite")).unwrap(), other);
    }
}

#[test]
fn only_a_catalogue_in_parquet_is_thrown_away() {
    let tree = Tree::new();
    let rebuild = ScanOptions { rebuild: true, ..ScanOptions::default() };
    let scan = || tree.scan_into("c.parquet", &rebuild, &Work::default()).1;
    scan().unwrap();
    scan().unwrap();
    tree.write("c.parquet", b"words of somebody");
    assert!(scan().unwrap_err().message().contains("not thrown away"));
    assert_eq!(std::fs::read(tree.path("c.parquet")).unwrap(), b"words of somebody");
    let mut pictures = ScanOptions::default();
    pictures.facts.thumbnail = Some(64);
    let refused = tree.scan_into("d.parquet", &pictures, &Work::default()).1.unwrap_err();
    assert!(refused.message().contains("no thumbnails"), "{refused}");
}

#[test]
fn a_parquet_file_in_its_own_tree_is_no_part_of_it() {
    let tree = Tree::new();
    let options = ScanOptions::default();
    let scan = || {
        let done = tree.scan_into("r/c.parquet", &options, &Work::default());
        done.1.unwrap();
        (met(&done.0), std::fs::read(tree.path("r/c.parquet")).unwrap())
    };
    let first = scan();
    assert_eq!(first.0, [5, 5, 0]);
    assert_eq!(scan(), ([5, 0, 5], first.1));
}
