//! Tests of both directions, against the stream compressors of flate2 and zstd as references.

use super::super::{ChunkCompressor, Compression, Decoder};
use solio_base::{ErrorKind, Limits, Result};
use std::io::Write;

fn text(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|i| format!("v {}.{:06} 0 1\n", i % 97, i * 7919 % 1_000_003).into_bytes())
        .collect()
}

fn decode(compression: Compression, file: &[u8], block: usize) -> Result<Vec<u8>> {
    let mut decoder = Decoder::new(compression, file, &Limits::default())?;
    let mut out = Vec::new();
    let mut buffer = vec![0; block];
    loop {
        let got = decoder.read(&mut buffer)?;
        out.extend_from_slice(&buffer[..got]);
        if got < block {
            return Ok(out);
        }
    }
}

fn encode(compression: Compression, chunks: &[&[u8]]) -> Vec<u8> {
    let mut compressor = ChunkCompressor::new(compression, None).unwrap();
    let mut out = Vec::new();
    for chunk in chunks {
        compressor.compress(chunk, &mut out).unwrap();
    }
    out
}

fn flate2_gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::GzBuilder::new()
        .filename("a.obj")
        .comment("c")
        .extra(vec![1, 2, 3])
        .write(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

const BOTH: [Compression; 2] = [Compression::Gzip, Compression::Zstd];

#[test]
fn chunks_read_back_as_one_stream() {
    let data = text(60_000);
    for compression in BOTH {
        let (a, rest) = data.split_at(400_000);
        let (b, c) = rest.split_at(1);
        let file = encode(compression, &[a, b, b"", c]);
        assert_eq!(Compression::of_head(&file), compression);
        for block in [1 << 20, 4093, data.len(), data.len() + 1] {
            assert!(decode(compression, &file, block).unwrap() == data, "{compression:?} {block}");
        }
    }
}

#[test]
fn other_writers_files_are_read() {
    let data = text(30_000);
    let mut file = flate2_gzip(&data[..1000]);
    file.extend(flate2_gzip(&data[1000..]));
    assert_eq!(decode(Compression::Gzip, &file, 5000).unwrap(), data);
    let file = zstd::stream::encode_all(data.as_slice(), 5).unwrap();
    assert_eq!(decode(Compression::Zstd, &file, 5000).unwrap(), data);
}

#[test]
fn other_readers_take_our_files() {
    let data = text(30_000);
    let file = encode(Compression::Gzip, &[&data[..1000], &data[1000..]]);
    let mut out = Vec::new();
    std::io::copy(&mut flate2::read::MultiGzDecoder::new(file.as_slice()), &mut out).unwrap();
    assert_eq!(out, data);
    let file = encode(Compression::Zstd, &[&data[..1000], &data[1000..]]);
    assert_eq!(zstd::stream::decode_all(file.as_slice()).unwrap(), data);
}

#[test]
fn gzip_padding_and_tails_are_passed_over() {
    let data = text(100);
    let mut file = encode(Compression::Gzip, &[&data]);
    let end = file.len() as u64;
    file.extend([0; 700]);
    assert_eq!(decode(Compression::Gzip, &file, 100).unwrap(), data);
    file.extend(b"tail");
    let mut decoder = Decoder::new(Compression::Gzip, file.as_slice(), &Limits::default()).unwrap();
    let mut out = vec![0; data.len() + 1];
    assert_eq!(decoder.read(&mut out).unwrap(), data.len());
    assert_eq!(decoder.ignored_tail(), Some(end + 700));
}

#[test]
fn every_prefix_is_refused() {
    let data = text(300);
    for compression in BOTH {
        let file = encode(compression, &[&data]);
        for length in 1..file.len() {
            let e = decode(compression, &file[..length], 64).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Corrupt, "{compression:?} {length}");
            assert!(e.offset().is_some_and(|o| o <= length as u64));
        }
    }
    assert!(decode(Compression::Gzip, b"", 64).is_err());
}

#[test]
fn flipped_bits_never_give_other_data() {
    let data = text(300);
    for compression in BOTH {
        let file = encode(compression, &[&data]);
        for bit in 0..file.len() * 8 {
            let mut bad = file.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            if let Ok(out) = decode(compression, &bad, 512) {
                assert_eq!(out, data, "{compression:?} bit {bit}");
            }
        }
    }
}

#[test]
fn a_bomb_stops_at_the_limit() {
    for compression in BOTH {
        let file = encode(compression, &[&vec![0; 8 << 20]]);
        let limits = Limits { bytes: 1 << 20, ..Limits::default() };
        let mut decoder = Decoder::new(compression, file.as_slice(), &limits).unwrap();
        let mut buffer = vec![0; 64 << 10];
        let error = loop {
            match decoder.read(&mut buffer) {
                Ok(got) => assert_eq!(got, buffer.len()),
                Err(e) => break e,
            }
        };
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}

#[test]
fn levels_are_checked() {
    assert!(ChunkCompressor::new(Compression::Gzip, Some(13)).is_err());
    assert!(ChunkCompressor::new(Compression::Zstd, Some(23)).is_err());
    assert!(ChunkCompressor::new(Compression::Zstd, Some(-7)).is_ok());
}
