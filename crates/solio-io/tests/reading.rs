//! Plain files, compressed files and pipes give the same bytes; broken ones say where.
#![allow(clippy::disallowed_methods)]

use solio_base::{ErrorKind, Limits, Source, Work};
use solio_codec::compress::{ChunkCompressor, Compression};
use solio_io::{OpenFile, StreamSource};
use std::fs;
use std::path::Path;

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i * i) >> 7) as u8).collect()
}

fn pack(compression: Compression, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut compressor = ChunkCompressor::new(compression, None).unwrap();
    data.chunks(700_000).for_each(|chunk| compressor.compress(chunk, &mut out).unwrap());
    out
}

fn all(source: &dyn Source, step: usize) -> solio_base::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut buffer = vec![0; step];
    loop {
        let got = source.read_at(out.len() as u64, &mut buffer)?;
        out.extend_from_slice(&buffer[..got]);
        if got < step {
            return Ok(out);
        }
    }
}

#[test]
fn every_kind_of_file_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [0, 1, 3, 1 << 20, 5_000_003] {
        let data = data(bytes);
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            if bytes == 0 && compression != Compression::None {
                continue;
            }
            // The name says nothing: the content tells.
            let path = folder.path().join("file");
            fs::write(&path, pack(compression, &data)).unwrap();
            for step in [1 << 20, 300_000] {
                let work = Work::default();
                let opened = solio_io::open(&path, &Limits::default(), &work).unwrap();
                assert_eq!(opened.compression, compression);
                assert_eq!(opened.source.is_sequential(), compression != Compression::None);
                let mut head = [0; 100];
                let got = opened.source.read_at(0, &mut head).unwrap();
                assert_eq!(head[..got], data[..bytes.min(100)]);
                assert!(all(&*opened.source, step).unwrap() == data);
                assert_eq!(opened.source.len_bytes(), Some(bytes as u64));
                let now = work.progress.now();
                assert_eq!(now.read_total_bytes, fs::metadata(&path).unwrap().len());
                assert!(now.read_bytes >= now.read_total_bytes);
            }
        }
    }
}

#[test]
fn a_pipe_is_read_forward_and_its_head_again() {
    let data = data(4 << 20);
    let packed = Box::new(std::io::Cursor::new(pack(Compression::Zstd, &data)));
    let source =
        StreamSource::start(packed, Compression::Zstd, "-".as_ref(), &Limits::default()).unwrap();
    assert_eq!(source.len_bytes(), None);
    let mut buffer = vec![0; 2 << 20];
    for (offset, bytes) in [(0, 1 << 16), (0, 2 << 20), (9, 1 << 16), (2 << 20, 1 << 20)] {
        let buffer = &mut buffer[..bytes];
        assert_eq!(source.read_at(offset, buffer).unwrap(), bytes, "{offset}");
        assert!(buffer == &data[offset as usize..][..bytes]);
    }
    let e = source.read_at(1 << 20, &mut buffer[..9]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
    assert_eq!(source.read_at(1 << 40, &mut buffer).unwrap(), 0);
}

#[test]
fn a_cut_file_says_where_in_the_compressed_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    let packed = pack(Compression::Gzip, &data(5_000_000));
    fs::write(&path, &packed[..packed.len() - 9]).unwrap();
    let opened = solio_io::open(&path, &Limits::default(), &Work::default()).unwrap();
    let e = all(&*opened.source, 1 << 20).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt);
    assert_eq!(e.offset(), Some(packed.len() as u64 - 9));
    assert!(e.message().contains("compressed file"), "{e}");
}

fn in_turn(path: &Path) -> solio_base::Result<solio_io::OpenedSource> {
    let work = Work::default();
    OpenFile::open(path, &work)?.source_in_turn(&Limits::default(), &work)
}

#[test]
fn a_file_that_is_open_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let data = data(300_000);
    let work = Work::default();
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        fs::write(&path, pack(compression, &data)).unwrap();
        let open = OpenFile::open(&path, &work).unwrap();
        // Nothing is opened a second time: the name may be gone by then.
        fs::remove_file(&path).unwrap();
        assert_eq!(open.plain_head(), &data[..4096]);
        for _ in 0..2 {
            let opened = open.source(&Limits::default(), &work).unwrap();
            assert!(all(&*opened.source, 70_000).unwrap() == data);
            let opened = open.source_in_turn(&Limits::default(), &work).unwrap();
            assert!(all(&*opened.source, 70_000).unwrap() == data);
        }
    }
}

#[test]
fn what_is_read_in_turn_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let data = data(3_000_003);
    let work = Work::default();
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        for step in [1 << 20, 300_000, 1] {
            let data = &data[..if step == 1 { 70_000 } else { data.len() }];
            fs::write(&path, pack(compression, data)).unwrap();
            let opened = in_turn(&path).unwrap();
            assert_eq!(opened.compression, compression);
            assert_eq!(opened.source.is_sequential(), compression != Compression::None);
            assert!(all(&*opened.source, step).unwrap() == data);
            assert_eq!(opened.source.len_bytes(), Some(data.len() as u64));
            if opened.source.is_sequential() {
                let e = opened.source.read_at(0, &mut [0; 9]).unwrap_err();
                assert_eq!(e.kind(), ErrorKind::Argument);
            }
        }
        if compression == Compression::None {
            continue;
        }
        let packed = pack(compression, &data);
        fs::write(&path, &packed[..packed.len() - 9]).unwrap();
        let error = |opened: solio_base::Result<solio_io::OpenedSource>| {
            all(&*opened.unwrap().source, 300_000).unwrap_err()
        };
        let ahead = error(solio_io::open(&path, &Limits::default(), &work));
        let in_turn = error(in_turn(&path));
        assert_eq!((in_turn.kind(), in_turn.offset()), (ErrorKind::Corrupt, ahead.offset()));
        assert_eq!(in_turn.message(), ahead.message());
    }
}

#[test]
fn an_abandoned_stream_stops_its_thread() {
    let data = data(64 << 20);
    let reader = Box::new(std::io::Cursor::new(data));
    let source = StreamSource::start(reader, Compression::None, "-".as_ref(), &Limits::default());
    drop(source.unwrap());
}

#[test]
fn copies_are_exact_and_harmless_onto_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.png"), folder.path().join("b.png"));
    fs::write(&from, data(3_000_000)).unwrap();
    let work = Work::default();
    assert_eq!(solio_io::copy_file(&from, &to, &work).unwrap(), 3_000_000);
    assert_eq!(fs::read(&from).unwrap(), fs::read(&to).unwrap());
    assert_eq!(solio_io::copy_file(&from, &from, &work).unwrap(), 0);
    assert_eq!(fs::metadata(&from).unwrap().len(), 3_000_000);
}
