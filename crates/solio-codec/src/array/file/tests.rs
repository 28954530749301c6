//! Files of arrays: there and back, cut off, changed, hostile.

use super::*;
use crate::array::{Effort, Element};
use solio_base::{ErrorKind, Result, Work};

/// An array of some kind with samples that are neither noise nor all alike.
fn samples(element: Element, axes: &[u64]) -> (ArrayShape, Vec<u8>) {
    let shape = ArrayShape::new(element, axes).unwrap();
    let bytes = (0..shape.bytes()).map(|i| (i * i / 97 % 251) as u8).collect();
    (shape, bytes)
}

fn file(arrays: &[(ArrayShape, Vec<u8>)], work: &Work) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = ArrayWriter::new(&mut out, work).unwrap();
    for (i, (shape, bytes)) in arrays.iter().enumerate() {
        writer.add_array(&format!("array {i}"), shape, bytes, Effort::Fast, work).unwrap();
    }
    let size = writer.finish(work).unwrap();
    assert_eq!(size, out.len() as u64);
    out
}

fn array(file: &[u8], name: &str, options: &ArrayReadOptions) -> Result<Vec<u8>> {
    let read = ArrayFile::read(&file, options)?;
    let entry = read.find(name).ok_or_else(|| solio_base::Error::corrupt("gone").at_offset(0))?;
    let shape = read.shape(entry)?;
    let mut to = vec![1; shape.bytes() as usize];
    read.read_rows(&file, entry, 0..shape.rows(), &mut to, &Work::serial())?;
    Ok(to)
}

#[test]
fn arrays_of_all_elements_and_shapes_come_back_on_any_number_of_threads() {
    let shapes: [&[u64]; 9] = [
        &[],
        &[0],
        &[1],
        &[70_001],
        &[40_000, 3],
        &[33, 65],
        &[300, 700, 4],
        &[3, 0, 5],
        &[2, 3, 5, 7, 100],
    ];
    for element in Element::ALL {
        let arrays: Vec<_> = shapes.iter().map(|axes| samples(element, axes)).collect();
        let made = file(&arrays, &Work::serial());
        assert_eq!(made, file(&arrays, &Work { threads: 3, ..Work::serial() }));
        for (i, (shape, bytes)) in arrays.iter().enumerate() {
            let name = format!("array {i}");
            let read = ArrayFile::read(&&made[..], &ArrayReadOptions::default()).unwrap();
            assert_eq!(read.shape(read.find(&name).unwrap()).unwrap(), *shape);
            assert!(array(&made, &name, &ArrayReadOptions::default()).unwrap() == *bytes);
        }
    }
}

#[test]
fn some_rows_come_from_their_chunks_alone() {
    let (shape, bytes) = samples(Element::Half, &[900, 700, 4]);
    assert_eq!((shape.rows(), shape.chunk_rows, shape.chunks()), (900, 187, 5));
    let mut made = file(&[(shape.clone(), bytes.clone())], &Work::serial());
    let read = ArrayFile::read(&&made[..], &ArrayReadOptions::default()).unwrap();
    // A damaged chunk harms only those who want its rows.
    made[read.entries[0].chunks[3].offset as usize + 20] ^= 1;
    let row = shape.row_bytes() as usize;
    for (start, end) in [(0, 1), (186, 188), (5, 561), (748, 900), (900, 900)] {
        let mut to = vec![0; (end - start) as usize * row];
        let work = Work { threads: 2, ..Work::serial() };
        read.read_rows(&&made[..], &read.entries[0], start..end, &mut to, &work).unwrap();
        assert!(to == bytes[start as usize * row..end as usize * row]);
    }
    let mut to = vec![0; row];
    let mut all =
        |rows| read.read_rows(&&made[..], &read.entries[0], rows, &mut to, &Work::serial());
    let error = all(600..601).unwrap_err();
    assert_eq!(error.offset(), Some(read.entries[0].chunks[3].offset));
    assert_eq!(
        read.read_rows(&&made[..], &read.entries[0], 900..901, &mut to, &Work::serial())
            .unwrap_err()
            .kind(),
        ErrorKind::Argument
    );
}

#[test]
fn entries_have_names_of_their_own_and_chunks_can_be_forgotten() {
    let work = Work::serial();
    let mut out = Vec::new();
    let mut writer = ArrayWriter::new(&mut out, &work).unwrap();
    for (name, keep) in [("a", true), ("b", false), ("c", true)] {
        writer
            .add_chunk(name.as_bytes(), ChunkChecksum::of(name.as_bytes()).unwrap(), &work)
            .unwrap();
        match keep {
            true => assert_eq!(writer.end_entry(name, Kind::Other(9), vec![1, 2]).unwrap(), 1),
            false => writer.forget(),
        }
    }
    let twice = writer.end_entry("a", Kind::Other(9), Vec::new()).unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Argument);
    assert!(writer.has("c") && !writer.has("b"));
    writer.finish(&work).unwrap();
    let read = ArrayFile::read(&&out[..], &ArrayReadOptions::default()).unwrap();
    let names: Vec<&str> = read.entries.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["a", "c"]);
    let mut chunk = Vec::new();
    read.read_chunk(&&out[..], &read.entries[1].chunks[0], &mut chunk).unwrap();
    assert_eq!(chunk, b"c");
    assert_eq!(read.shape(&read.entries[0]).unwrap_err().kind(), ErrorKind::Argument);
}

#[test]
fn cut_off_changed_and_longer_files_are_refused_with_a_place() {
    let made = file(&[samples(Element::Float, &[50, 60, 3])], &Work::serial());
    let options = ArrayReadOptions::default();
    let refused = |bytes: &[u8], what: &str| {
        let error = array(bytes, "array 0", &options).expect_err(what);
        assert!(error.offset().is_some(), "{what}: {error}");
    };
    let steps = (0..made.len()).filter(|end| *end < 64 || end % 7 == 0 || made.len() - end < 200);
    steps.for_each(|end| refused(&made[..end], &format!("the first {end} bytes")));
    refused(&[&made[..], &[0]].concat(), "one more");
    for i in 0..256 {
        let mut changed = made.clone();
        let at = i * made.len() / 256;
        changed[at] ^= 1 << (i % 8);
        refused(&changed, &format!("byte {at} changed"));
        // Where sums are not checked, samples or an error come, but no panic.
        let unchecked = ArrayReadOptions { verify: false, ..options };
        let _ = array(&changed, "array 0", &unchecked);
    }
}

#[test]
fn hostile_tables_are_refused_before_memory_is_taken() {
    let whole = |count: u32, entries: &[u8]| {
        let mut bytes = table::head().to_vec();
        bytes.extend_from_slice(&table::end(count, entries, 16).unwrap());
        ArrayFile::read(&&bytes[..], &ArrayReadOptions::default()).map(|file| (file, bytes))
    };
    let entry = |detail: &[u8], offset: u64, chunks: u32| {
        let mut bytes = vec![1, 0, b'x', 1];
        bytes.extend_from_slice(&(detail.len() as u32).to_le_bytes());
        bytes.extend_from_slice(detail);
        bytes.extend_from_slice(&offset.to_le_bytes());
        bytes.extend_from_slice(&chunks.to_le_bytes());
        bytes
    };
    for (count, entries) in [
        (u32::MAX, vec![]),
        (1, vec![]),
        (0, vec![0]),
        (1, entry(&[], 16, u32::MAX)),
        (1, entry(&[], 0, 0)),
        (2, entry(&[], 16, 0)),
        (1, [&entry(&[], 16, 1)[..], &[255; 8]].concat()),
    ] {
        let error = whole(count, &entries).map(|_| ()).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Corrupt, Some(16)), "{entries:?}");
    }
    // Shapes that no array has, or that do not fit their chunks.
    let huge = u64::MAX.to_le_bytes();
    let numbers = |all: &[u64]| all.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    for detail in [
        vec![],
        vec![6, 0],
        [&[0, 1][..], &huge, &numbers(&[1, 1, 1])].concat(),
        [&[0, 2][..], &huge, &huge, &numbers(&[1, 1, 1])].concat(),
        [&[0, 1][..], &numbers(&[6, 4, 1, 1])].concat(),
        [&[0, 1][..], &numbers(&[6, 0, 1, 1])].concat(),
        [&[0, 1][..], &numbers(&[6, 1, 1, 0])].concat(),
        [&[0, 1][..], &numbers(&[1 << 40, 1, 1 << 40, 1])].concat(),
        [&[0, 33][..], &numbers(&[1; 36])].concat(),
        [&[0, 0][..], &numbers(&[1, 1, 1])].concat(),
    ] {
        let (file, _) = whole(1, &entry(&detail, 16, 0)).unwrap();
        let error = file.shape(&file.entries[0]).unwrap_err();
        assert!(error.offset().is_some(), "{detail:?}: {error}");
    }
    // A tail that promises more than zstd can have made of so few bytes.
    let mut bytes = table::head().to_vec();
    let end = table::end(0, &[], 16).unwrap();
    bytes.extend_from_slice(&end);
    let at = bytes.len() - 24;
    bytes[at..at + 8].copy_from_slice(&(1u64 << 50).to_le_bytes());
    let unchecked = ArrayReadOptions { verify: false, ..ArrayReadOptions::default() };
    let error = ArrayFile::read(&&bytes[..], &unchecked).unwrap_err();
    assert!(error.message().contains("cannot hold a table"), "{error}");
}
