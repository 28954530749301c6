//! Plain files, compressed files and pipes give the same bytes; broken ones say where.
#![allow(clippy::disallowed_methods)]

use solio_base::{ErrorKind, Limits, Progress, Source, Work};
use solio_codec::compress::{ChunkCompressor, Compression};
use solio_io::StreamSource;
use std::fs;

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
    let packed = std::io::Cursor::new(pack(Compression::Zstd, &data));
    let source =
        StreamSource::start(packed, "-".as_ref(), &Limits::default(), &Progress::default())
            .unwrap();
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
            let opened = solio_io::open_in_turn(&path, &Limits::default(), &work).unwrap();
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
        let error = |opened: solio_base::Result<solio_io::OpenedFile>| {
            all(&*opened.unwrap().source, 300_000).unwrap_err()
        };
        let ahead = error(solio_io::open(&path, &Limits::default(), &work));
        let in_turn = error(solio_io::open_in_turn(&path, &Limits::default(), &work));
        assert_eq!((in_turn.kind(), in_turn.offset()), (ErrorKind::Corrupt, ahead.offset()));
        assert_eq!(in_turn.message(), ahead.message());
    }
}

#[test]
fn an_abandoned_stream_stops_its_thread() {
    let data = data(64 << 20);
    let reader = std::io::Cursor::new(data);
    let source =
        StreamSource::start(reader, "-".as_ref(), &Limits::default(), &Progress::default());
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
