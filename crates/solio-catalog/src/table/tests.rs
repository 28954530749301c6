use super::*;
use crate::look;
use crate::row::{Cells, Level, Row, column};
use proptest::prelude::*;
use solio_base::{ErrorKind, Result, Work};
use std::sync::Arc;

fn row(folder: &[u8], name: &[u8], level: u32) -> Row {
    let mut cells = Cells::default();
    cells.set_integer(column::LEVEL, level);
    cells.set_integer(column::MODIFIED_NS, i64::from(level) * 1000);
    cells.set_real(column::LATITUDE, f64::from(level) / 3.0);
    cells.set_text(column::KIND, if level.is_multiple_of(2) { "exr" } else { "é" });
    Row { folder: Arc::from(folder), name: name.into(), cells }
}

fn written(rows: &[Row]) -> Vec<u8> {
    let (mut bytes, work) = (Vec::new(), Work::default());
    let mut writer = ParquetWriter::new(&mut bytes, &work).unwrap();
    rows.iter().for_each(|row| writer.push(row).unwrap());
    writer.finish().unwrap();
    bytes
}

fn read(bytes: Vec<u8>) -> Result<Vec<Row>> {
    ParquetRows::open(Arc::new(bytes))?.collect()
}

#[test]
fn rows_go_through_parquet_unchanged() {
    let mut rows = vec![
        row(b"/", b"a", 1),
        row(b"/b", b"caf\xe9", 2),
        row(b"/b\xff", b"\xff", 3),
        row(b"/b\xff", b"plain", 4),
        row(b"", b"relative", 5),
    ];
    rows.extend((0..20_000).map(|n| row(b"/many", format!("{n:05}").as_bytes(), n)));
    assert!(read(written(&rows)).unwrap() == rows);
    assert!(read(written(&[])).unwrap().is_empty());
    assert_eq!(written(&rows), written(&rows));
}

#[test]
fn every_prefix_of_a_file_is_refused() {
    let bytes = written(&[row(b"/", b"a", 1), row(b"/", b"b", 2)]);
    for end in (0..bytes.len()).step_by(7) {
        let error = read(bytes[..end].to_vec()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{end}: {error}");
    }
}

#[test]
fn a_damaged_file_gives_rows_or_an_error() {
    let mut rows = vec![row(b"/b\xff", b"\xff", 3)];
    rows.extend((0..200).map(|n| row(b"/many", format!("{n:05}").as_bytes(), n)));
    let whole = written(&rows);
    for place in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        let _ = read(bytes);
    }
}

fn merged(parts: &[Vec<Row>]) -> Result<Vec<Row>> {
    let parts = parts.iter().map(|rows| rows.clone().into_iter().map(Ok));
    let merge = Merge::new(parts.collect())?;
    merge.map(|found| found.map(|(row, _)| row)).collect()
}

#[test]
fn the_newest_state_and_the_furthest_look_stay() {
    let of = |modified: i64, level: u32| {
        let mut row = row(b"/f", b"a", level);
        row.cells.set_integer(column::MODIFIED_NS, modified);
        row
    };
    let modified = |row: &Row| row.cells.integer(column::MODIFIED_NS);
    let fields = 0x8000_0001; // fields that were asked for count least
    for (a, b) in [
        (of(1, 13), of(1, fields)),
        (of(2, 1), of(1, 13)),
        (of(1, fields), of(1, 1)),
        (of(1, 5), of(1, fields | 16)),
    ] {
        for parts in [[vec![a.clone()], vec![b.clone()]], [vec![b.clone()], vec![a.clone()]]] {
            // What the other knows of the same state is added.
            let mut wanted = a.clone();
            let level = |row: &Row| row.cells.integer(column::LEVEL).unwrap() as u32;
            if modified(&a) == modified(&b) {
                let both = Level(level(&a)).after(Level(level(&b)));
                wanted.cells.set_integer(column::LEVEL, both.0);
            }
            assert_eq!(merged(&parts).unwrap(), [wanted]);
        }
    }
    // Problems that one look found and the other did not look for.
    let (mut checked, mut deep) = (of(1, 5), of(1, 11));
    look::set_problems(&mut checked.cells, &["the end is missing".to_owned()]);
    deep.cells.set_integer(column::FACES, 7);
    for parts in [[vec![checked.clone()], vec![deep.clone()]], [vec![deep], vec![checked]]] {
        let cells = &merged(&parts).unwrap()[0].cells;
        assert_eq!(look::problems(cells), ["the end is missing"]);
        assert_eq!(cells.integer(column::FACES), Some(7));
        assert_eq!(cells.integer(column::LEVEL), Some(15));
    }
}

proptest! {
    #[test]
    fn parts_merge_to_the_whole(names in proptest::collection::btree_set("[a-c/\\PC]{1,4}", 0..40), n in 1usize..5) {
        let mut rows: Vec<_> = names.iter().map(|name| row(b"/f", name.as_bytes(), 7)).collect();
        rows.push(row(b"/f", b"\xff", 7));
        rows.sort_by(|a, b| a.key().cmp(&b.key()));
        let part = |i| rows.iter().enumerate().filter(move |(k, _)| k % n == i).map(|(_, r)| r.clone()).collect();
        let parts: Vec<Vec<Row>> = (0..n).map(part).collect();
        prop_assert_eq!(merged(&parts).unwrap(), rows);
    }
}

#[test]
fn overlaps_come_once_and_disorder_is_told() {
    let (a, b) = (row(b"/", b"a", Level::HEAD.0), row(b"/", b"a", Level::HEAD.0 | Level::HASHED.0));
    let rows = merged(&[vec![a.clone()], vec![b.clone()], vec![a.clone()]]).unwrap();
    assert_eq!(rows, [b]);
    let error = merged(&[vec![row(b"/", b"b", 1), a]]).unwrap_err();
    assert!(error.message().contains("/a is out of order"), "{error}");
}
