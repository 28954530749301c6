use super::*;
use crate::row::{Cell, Cells, Level, Row, column};
use solio_base::Cancel;
use std::collections::HashSet;
use std::sync::Arc;

fn row(folder: &[u8], name: &[u8], size: i64) -> Row {
    let mut cells = Cells::default();
    cells.set_integer(column::SIZE, size);
    cells.set_integer(column::MODIFIED_NS, 1_700_000_000_123_456_789i64);
    cells.set_integer(column::BORN_NS, 1_600_000_000_000_000_000 + size);
    cells.set_integer(column::INODE, size + 100);
    cells.set_text(column::KIND, "exr");
    cells.set_real(column::MIN_X, 0.1);
    cells.set_integer(column::LEVEL, Level::HEAD.0);
    Row { folder: Arc::from(folder), name: name.into(), cells }
}

fn all(path: &Path) -> Vec<Row> {
    Rows::open(path).unwrap().map(Result::unwrap).collect()
}

#[test]
fn rows_come_back_in_order_also_those_with_odd_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut rows = vec![
        row(b"/b", b"caf\xe9.exr", 1),
        row(b"/b", b"z.exr", 2),
        row(b"/a\xff", b"x", 3),
        row(b"/a", b"line\nbreak", 4),
        row(b"/", b"root", 5),
    ];
    rows.extend((0..10_000).map(|n| row(b"/many", format!("{n:05}").as_bytes(), n)));
    let mut store = Store::open(&path).unwrap();
    store.put(&rows).unwrap();
    store.put_thumbnail(&rows[1].folder, &rows[1].name, b"png").unwrap();
    store.close().unwrap();
    rows.sort_by(|a, b| a.key().cmp(&b.key()));
    assert!(all(&path) == rows);
    let reader = Rows::open(&path).unwrap();
    let z = rows.iter().find(|row| &*row.name == b"z.exr").unwrap();
    assert_eq!(reader.thumbnail(z).unwrap().unwrap(), b"png");
    assert_eq!(reader.thumbnail(&rows[0]).unwrap(), None);
}

#[test]
fn what_is_known_of_a_folder_is_found_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.put(&[row(b"/b", b"\xe9", 1), row(b"/b", b"a", 2), row(b"/c", b"d", 3)]).unwrap();
    store.commit().unwrap();
    store.put(&[row(b"/b", b"uncommitted", 9)]).unwrap();
    let known = Known::open(&path).unwrap();
    let mut files = Vec::new();
    known.files(b"/b", &mut files).unwrap();
    let names: Vec<&[u8]> = files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, [b"a".as_slice(), b"\xe9"]);
    assert_eq!((files[0].size, files[0].inode, files[0].level), (2, 102, Level::HEAD));
    known.files(b"/missing", &mut files).unwrap();
    assert!(files.is_empty());
    let same =
        |born_ns| known.same_inode(103, 3, 1_700_000_000_123_456_789, born_ns, None).unwrap();
    assert_eq!(same(1_600_000_000_000_000_003), [(b"/c".to_vec(), b"d".to_vec())]);
    // Another file, which took the inode later.
    assert!(same(1_600_000_000_000_000_004).is_empty());
}

#[test]
fn what_is_gone_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut store = Store::open(&path).unwrap();
    let rows =
        [row(b"/r", b"a", 1), row(b"/r", b"b", 2), row(b"/r/x", b"c", 3), row(b"/rx", b"d", 4)];
    store.put(&rows).unwrap();
    store.put_thumbnail(&rows[0].folder, b"a", b"small").unwrap();
    let names = [b"a".as_slice().into(), b"never".as_slice().into()];
    store.mark_gone(&rows[0].folder, &names).unwrap();
    let seen = HashSet::from([folder_hash(b"/r")]);
    store.mark_unseen(&[b"/r".to_vec()], &seen, &[]).unwrap();
    // Met elsewhere, with all that is known of it.
    store.mark_moved(&rows[2].folder, b"c", b"/x/d").unwrap();
    let settled = store.settle(&removal(RemovalLimit::default())).unwrap();
    assert_eq!(settled, Settled { removed: 1, excluded: 0, held: Vec::new() });
    store.close().unwrap();
    assert_eq!(all(&path), [rows[1].clone(), rows[3].clone()]);
    let asked = |sql: &str| {
        let query = Query::open(&path, &Cancel::default()).unwrap();
        let mut found = Vec::new();
        let each = |_: &[&str], row: Option<Vec<Answer>>| {
            found.extend(row);
            Ok(true)
        };
        query.ask(sql, each).unwrap();
        found
    };
    let text = |text: &str| Answer::Text(text.into());
    let gone = asked("SELECT path, gone, size FROM gone");
    assert_eq!(gone, [[text("/r/a"), text("2023-11-14 22:13:20"), Answer::Integer(1)]]);
    assert_eq!(asked("SELECT image FROM tombstones"), [[Answer::Bytes(b"small".to_vec())]]);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.purge(1_700_000_000_000_000_000).unwrap(), 0);
    assert_eq!(store.purge(i64::MAX).unwrap(), 1);
    store.close().unwrap();
    assert_eq!(asked("SELECT count(*) FROM folders"), [[Answer::Integer(2)]]);
}

/// A removal at `/r`, now.
fn removal(limit: RemovalLimit) -> Removal<'static> {
    Removal { places: vec![(b"/r", Some(0))], limit, now_ns: 1_700_000_000_000_000_000 }
}

#[test]
fn too_much_at_once_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut store = Store::open(&path).unwrap();
    let name = |n: i64| format!("{n:03}").into_bytes();
    let rows: Vec<_> = (0..150).map(|n| row(b"/r/x", &name(n), n)).collect();
    store.put(&rows).unwrap();
    let names: Vec<Box<[u8]>> = (0..120).map(|n| name(n).into()).collect();
    store.mark_gone(&rows[0].folder, &names).unwrap();
    let settled = store.settle(&removal(RemovalLimit::Share(0.5))).unwrap();
    let [held] = &settled.held[..] else { panic!("{settled:?}") };
    assert_eq!((&*held.place, held.gone, held.known), (&b"/r"[..], 120, 150));
    assert_eq!((held.first.len(), &*held.first[0]), (5, &b"/r/x/000"[..]));
    for (limit, gone) in [(RemovalLimit::Files(119), 0), (RemovalLimit::Share(0.9), 120)] {
        store.mark_gone(&rows[0].folder, &names).unwrap();
        assert_eq!(store.settle(&removal(limit)).unwrap().removed, gone, "{limit:?}");
    }
    store.close().unwrap();
    assert_eq!(all(&path), rows[120..]);
}

#[test]
fn roots_of_every_system_are_places() {
    for (root, inside) in
        [(&b"/"[..], &b"/x"[..]), (b"C:/", b"C:/x"), (b"//server/share/", b"//server/share/x")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("c.sqlite")).unwrap();
        let rows = [row(root, b"a", 1), row(inside, b"b", 2)];
        store.put(&rows).unwrap();
        rows.iter()
            .for_each(|row| store.mark_gone(&row.folder, std::slice::from_ref(&row.name)).unwrap());
        let removal = Removal { places: vec![(root, Some(0))], ..removal(RemovalLimit::Files(1)) };
        let settled = store.settle(&removal).unwrap();
        let [held] = &settled.held[..] else { panic!("{settled:?}") };
        assert_eq!((&*held.place, held.gone, held.known), (root, 2, 2));
        let first: Vec<_> = held.first.iter().map(|path| &**path).collect();
        assert_eq!(first, [[root, b"a"].concat(), [inside, b"/b"].concat()]);
    }
}

#[test]
fn a_catalogue_of_version_2_is_brought_up_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let old = Connection::open(&path).unwrap();
    let columns: Vec<&str> = crate::row::COLUMNS[..30].iter().map(|column| column.name).collect();
    let columns = columns.join(", ");
    old.execute_batch(&format!(
        "CREATE TABLE folders (id INTEGER PRIMARY KEY, path NOT NULL UNIQUE, shown TEXT);
         CREATE TABLE entries (folder INTEGER NOT NULL, name NOT NULL, shown TEXT, {columns},
           PRIMARY KEY (folder, name)) WITHOUT ROWID;
         CREATE TABLE thumbnails (folder INTEGER NOT NULL, name NOT NULL, image BLOB NOT NULL,
           PRIMARY KEY (folder, name)) WITHOUT ROWID;
         CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
         CREATE VIEW files AS SELECT 1;
         INSERT INTO folders VALUES ({}, '/r', NULL);
         INSERT INTO entries (folder, name, size, xxh128) VALUES ({0}, 'a', 7, 'hash');
         PRAGMA application_id = {}; PRAGMA user_version = 2;",
        first_id(b"/r"),
        schema::APPLICATION
    ))
    .unwrap();
    drop(old);
    let told = Rows::open(&path).unwrap_err();
    assert!(told.hint_text().unwrap().contains("loses nothing"), "{told}");
    Store::open(&path).unwrap().close().unwrap();
    let [row] = &all(&path)[..] else { panic!("one row") };
    assert_eq!(
        (row.cells.integer(column::SIZE), row.cells.text(column::XXH128)),
        (Some(7), Some("hash"))
    );
    assert_eq!(row.cells.integer(column::LINKS), None);
    let query = Query::open(&path, &Cancel::default()).unwrap();
    for view in query.views().unwrap() {
        query.ask(&format!("SELECT * FROM {view}"), |_, _| Ok(true)).unwrap();
    }
}

#[test]
fn questions_are_answered_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut store = Store::open(&path).unwrap();
    let mut bad = row(b"/b", b"caf\xe9", 7);
    bad.cells.set_text(column::PROBLEMS, "[\"cut off\",\"odd\"]");
    store.put(&[bad, row(b"/", b"a", 7)]).unwrap();
    store.close().unwrap();
    let query = Query::open(&path, &Cancel::default()).unwrap();
    let ask = |sql: &str| {
        let (mut head, mut rows) = (Vec::new(), Vec::new());
        query.ask(sql, |names, row| {
            head = names.iter().map(|n| n.to_string()).collect();
            rows.extend(row);
            Ok(true)
        })?;
        Ok::<_, Error>((head, rows))
    };
    let (head, rows) = ask("SELECT path, path_bytes, modified FROM files ORDER BY path").unwrap();
    assert_eq!(head, ["path", "path_bytes", "modified"]);
    let text = |text: &str| Answer::Text(text.into());
    let day = text("2023-11-14 22:13:20");
    assert_eq!(rows[0], [text("/a"), Answer::Null, day.clone()]);
    assert_eq!(rows[1], [text("/b/caf%E9"), Answer::Bytes(b"/b/caf\xe9".to_vec()), day]);
    let (_, rows) = ask("SELECT problem FROM problems").unwrap();
    assert_eq!(rows, [[text("cut off")], [text("odd")]]);
    for view in query.views().unwrap() {
        ask(&format!("SELECT * FROM {view}")).unwrap();
    }
    for bad in ["DELETE FROM entries", "SELECT 1; SELECT 2", "SELEC", "SELECT nothing FROM files"] {
        assert_eq!(ask(bad).unwrap_err().kind(), ErrorKind::Argument, "{bad}");
    }
    let cancelled = Cancel::default();
    let query = Query::open(&path, &cancelled).unwrap();
    cancelled.cancel();
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let error = query.ask(endless, |_, _| Ok(true)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn what_is_no_catalogue_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    solio_io::probe::write_plain(&path("text"), &b"no database at all".repeat(100)).unwrap();
    for error in [Store::open(&path("text")).unwrap_err(), Rows::open(&path("text")).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.hint_text().unwrap().contains("remove the file"), "{error}");
        assert_eq!(error.path(), Some(&*path("text")));
    }
    assert_eq!(Rows::open(&path("missing")).unwrap_err().kind(), ErrorKind::Io);
    let foreign = Connection::open(path("other")).unwrap();
    foreign.execute_batch("CREATE TABLE t(x); PRAGMA user_version = 9;").unwrap();
    assert_eq!(Store::open(&path("other")).unwrap_err().kind(), ErrorKind::Unsupported);
    let mut store = Store::open(&path("new")).unwrap();
    store.set_state("a", Some("b")).unwrap();
    store.check().unwrap();
    store.close().unwrap();
    let known = Known::open(&path("new")).unwrap();
    assert_eq!(known.state("a").unwrap().as_deref(), Some("b"));
    assert_eq!(known.state("b").unwrap(), None);
    drop(known);
    let store = Store::open(&path("new")).unwrap();
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    store.close().unwrap();
    assert_eq!(Store::open(&path("new")).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_damaged_catalogue_is_told_and_nothing_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut store = Store::open(&path).unwrap();
    let rows: Vec<_> = (0..2000).map(|n| row(b"/b", format!("{n}").as_bytes(), n)).collect();
    store.put(&rows).unwrap();
    store.close().unwrap();
    let whole = solio_io::read_whole(&path, &Default::default(), &Default::default()).unwrap();
    let mut told = 0;
    for n in 0..60 {
        let mut bytes = whole.to_vec();
        match n % 2 {
            0 => bytes.truncate(bytes.len() * (n + 1) / 62),
            _ => {
                let at = 100 + n * 2377 % (bytes.len() - 4200);
                bytes[at..at + 4096].fill(0x5a);
            }
        }
        solio_io::probe::write_plain(&path, &bytes).unwrap();
        let read = || {
            Rows::open(&path)?.try_for_each(|row| row.map(drop))?;
            Known::open(&path)?.files(b"/b", &mut Vec::new())?;
            Store::open(&path)?.check()
        };
        if let Err(error) = read() {
            assert!(error.path().is_some(), "{error}");
            told += 1;
        }
    }
    // Pages of tables that have no rows yet are read by nobody.
    assert!(told > 45, "{told}");
    assert_eq!(Cell::default(), Cell::Null);
}

#[test]
#[allow(clippy::disallowed_methods)] // its own file
fn tables_that_are_in_the_log_only_are_anothers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let other = Connection::open(&path).unwrap();
    other.pragma_update(None, "journal_mode", "wal").unwrap();
    let start = || std::fs::read(&path).unwrap()[..Store::MARK_BYTES].try_into().unwrap();
    assert!(Store::is_marked(&path, &start()));
    other.execute_batch("CREATE TABLE valuable (x)").unwrap();
    assert!(!Store::is_marked(&path, &start()));
}

#[test]
#[allow(clippy::disallowed_methods)] // its own file
fn a_journal_that_a_kill_left_does_not_keep_readers_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.put(&[row(b"/r", b"a", 1)]).unwrap();
    store.close().unwrap();
    // A transaction whose pages are in the file already: copied away, it is one of a process that is no more.
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN").unwrap();
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) \
        INSERT INTO state SELECT 'k' || i, 'v' FROM n";
    writer.execute_batch(fill).unwrap();
    let left = folder.path().join("left.sqlite");
    for end in ["", "-journal"] {
        let with = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        std::fs::copy(with(&path), with(&left)).unwrap();
    }
    assert_eq!(all(&left).len(), 1);
    assert_eq!(Known::open(&left).unwrap().state("k1").unwrap(), None);
}
