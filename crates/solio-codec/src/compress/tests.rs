//! Tests of both directions, against the stream compressors of flate2 and zstd as references.

use super::super::{ChunkCompressor, Compression, StreamDecoder};
use solio_base::{ErrorKind, Limits, Result};
use std::io::Write;

fn text(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|i| format!("v {}.{:06} 0 1\n", i % 97, i * 7919 % 1_000_003).into_bytes())
        .collect()
}

fn decode(compression: Compression, file: &[u8], block: usize) -> Result<Vec<u8>> {
    let mut decoder = StreamDecoder::new(compression, file, &Limits::default())?;
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
    let mut decoder =
        StreamDecoder::new(Compression::Gzip, file.as_slice(), &Limits::default()).unwrap();
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
        let mut decoder = StreamDecoder::new(compression, file.as_slice(), &limits).unwrap();
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

/// Of what levels and block types write, and of what cannot be packed: in pieces of every size.
#[test]
fn gzip_is_read_in_any_pieces() {
    let mut noise = 1u64;
    let random: Vec<u8> = (0..300_000)
        .map(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (noise >> 56) as u8
        })
        .collect();
    let far = [&random[..32_768], &random[..32_768], &vec![7; 700_000]].concat();
    for data in [text(70_000), random, far, vec![0; 3 << 20], b"a".to_vec(), Vec::new()] {
        for level in [0, 1, 5, 9] {
            let level = flate2::Compression::new(level);
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), level);
            writer.write_all(&data).unwrap();
            let file = writer.finish().unwrap();
            for block in [1 << 20, 300_001, 65_536, 4093] {
                assert!(decode(Compression::Gzip, &file, block).unwrap() == data, "{block}");
            }
            // However little the reader gives at a time.
            let slow = OneByOne(&file, 1);
            let mut decoder =
                StreamDecoder::new(Compression::Gzip, slow, &Limits::default()).unwrap();
            let mut out = vec![0; data.len() + 1];
            assert_eq!(decoder.read(&mut out).unwrap(), data.len());
            assert!(out[..data.len()] == data);
        }
    }
}

/// Gives one byte, then two, and so on up to 5000.
struct OneByOne<'a>(&'a [u8], usize);

impl std::io::Read for OneByOne<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(to.len());
        self.1 = self.1 % 5000 + 1;
        std::io::Read::read(&mut self.0, &mut to[..count])
    }
}

#[test]
fn many_members_of_a_mebibyte_are_one_stream() {
    let data = text(900_000);
    let pieces: Vec<&[u8]> = data.chunks(1 << 20).collect();
    assert!(pieces.len() > 10);
    let file = encode(Compression::Gzip, &pieces);
    assert!(decode(Compression::Gzip, &file, 1 << 20).unwrap() == data);
}

/// One member of 4.5 GiB, which is not stored: its size and its sum are checked.
#[test]
#[ignore = "slow: unpacks 4.5 GiB"]
fn a_member_of_more_than_4_gib_is_read() {
    const PIECE: usize = 64 << 20;
    const PIECES: u64 = 72;
    let zeros = vec![0; PIECE];
    let mut deflate = flate2::Compress::new(flate2::Compression::fast(), false);
    let mut piece = Vec::with_capacity(PIECE);
    deflate.compress_vec(&zeros, &mut piece, flate2::FlushCompress::Full).unwrap();
    let mut sum = libdeflater::Crc::new();
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..PIECES {
        file.extend_from_slice(&piece);
        sum.update(&zeros);
    }
    file.extend([1, 0, 0, 0xff, 0xff]); // the last block: stored, of nothing
    file.extend(sum.sum().to_le_bytes());
    file.extend(((PIECES * PIECE as u64) as u32).to_le_bytes());
    let mut decoder =
        StreamDecoder::new(Compression::Gzip, file.as_slice(), &Limits::default()).unwrap();
    let (mut block, mut all) = (vec![1; 8 << 20], 0);
    loop {
        let got = decoder.read(&mut block).unwrap();
        assert!(block[..got].iter().all(|byte| *byte == 0));
        all += got as u64;
        if got < block.len() {
            break;
        }
    }
    assert_eq!(all, PIECES * PIECE as u64);
    assert!(all > 1 << 32);
}
