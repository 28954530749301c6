use super::*;
use crate::deflate::ZlibEncoder;
use libdeflater::{CompressionLvl, Compressor};
use proptest::prelude::*;

fn packed(bytes: &[u8], level: i32) -> Vec<u8> {
    let mut out = Vec::new();
    if level < 0 {
        ZlibEncoder::default().zlib(bytes, bytes.len() / 2, &mut out);
    } else {
        let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
        crate::deflate::append_zlib(&mut compressor, bytes, &mut out);
    }
    out
}

/// Decodes them all, in groups of one to four, and compares each with libdeflate.
fn check(streams: &[(Vec<u8>, usize)]) {
    let mut inflater = Inflater::default();
    let mut expected = Vec::new();
    for (input, size) in streams {
        let mut out = vec![0; *size];
        let result = Decompressor::new().zlib_decompress(input, &mut out);
        expected.push((result, out));
    }
    for side_by_side in 1..=SIDE_BY_SIDE {
        for (group, expected) in streams.chunks(side_by_side).zip(expected.chunks(side_by_side)) {
            let mut outs: Vec<Vec<u8>> = group.iter().map(|(_, size)| vec![0; *size]).collect();
            let mut asked: Vec<ZlibStream<'_>> =
                group.iter().zip(&mut outs).map(|((i, _), o)| ZlibStream::new(i, o)).collect();
            // A single one goes through the loop, too.
            inflater.group(&mut asked);
            let results: Vec<_> = asked.iter().map(|stream| stream.result).collect();
            for ((result, out), (other, bytes)) in results.into_iter().zip(outs).zip(expected) {
                assert_eq!(result.ok(), other.as_ref().ok().copied(), "{result:?}, {other:?}");
                if let Ok(size) = result {
                    assert!(out[..size] == bytes[..size]);
                }
            }
        }
    }
}

fn noise(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Runs, noise of few and of many values, repeats from anywhere before.
fn sample(seed: u64, size: usize) -> Vec<u8> {
    let mut x = seed;
    let mut bytes: Vec<u8> = Vec::with_capacity(size);
    while bytes.len() < size {
        let count = match noise(&mut x) % 8 {
            0 => noise(&mut x) % 3000,
            _ => noise(&mut x) % 60,
        };
        let kind = noise(&mut x) % 5;
        let shift = noise(&mut x) % 8;
        let back = 1 + noise(&mut x) as usize % bytes.len().clamp(1, 40_000);
        for _ in 0..count {
            let byte = match kind {
                0 => 128,
                1 => (noise(&mut x) as u8) >> shift,
                2 => noise(&mut x) as u8,
                _ => bytes.len().checked_sub(back).map_or(3, |at| bytes[at]),
            };
            bytes.push(byte);
        }
    }
    bytes.truncate(size);
    bytes
}

#[test]
fn all_kinds_of_streams() {
    let sizes = [0, 1, 2, 63, 64, 65, 500, 1000, 5000, 70_000, 300_000];
    let mut streams = Vec::new();
    for (seed, size) in sizes.into_iter().enumerate() {
        let bytes = sample(seed as u64, size);
        for level in [-1, 0, 1, 4, 9, 12] {
            streams.push((packed(&bytes, level), size));
        }
        for other in [0, size / 2, size.saturating_sub(1), size + 1, size + 500] {
            streams.push((packed(&bytes, 6), other));
        }
        let mut more = packed(&bytes, 4);
        more.extend(b"more");
        streams.push((more, size));
    }
    check(&streams);
    streams.reverse();
    check(&streams);
}

#[test]
fn fixed_codes_and_empty_blocks() {
    // Fixed codes: libdeflate takes them for little data.
    let streams: Vec<_> =
        (0..60).map(|i| sample(i, i as usize)).map(|b| (packed(&b, 9), b.len())).collect();
    check(&streams);
    // Stored blocks of nothing, many, then an end.
    let mut empty = vec![0x78, 0x01];
    empty.extend([0, 0, 0, 0xff, 0xff].repeat(1000));
    empty.extend([1, 0, 0, 0xff, 0xff, 0, 0, 0, 1]);
    check(&[(empty, 0)]);
}

#[test]
fn blocks_begin_and_streams_end_where_the_tail_begins() {
    let stored: Vec<u8> = sample(3, 700);
    for blocks in 0..30 {
        // Empty blocks of fixed codes, ten bits each.
        let mut before = vec![0; (10 * blocks + 3_usize).div_ceil(8)];
        for block in 0..blocks {
            before[(10 * block + 1) / 8] |= 1 << ((10 * block + 1) % 8);
        }
        let last = 10 * blocks;
        before[last / 8] |= 1 << (last % 8);
        for size in 560..660_usize {
            let len = size as u16;
            let sizes = [len.to_le_bytes(), (!len).to_le_bytes()].concat();
            let whole = with_sum([&before, &sizes, &stored[..size]].concat(), size);
            // The same number of bytes after the end of a stream that holds none.
            let mut ends = before.clone();
            ends.resize((last + 10).div_ceil(8), 0);
            ends[(last + 1) / 8] |= 1 << ((last + 1) % 8);
            let mut ends = with_sum(ends, size);
            ends.0.extend(&stored[..size]);
            check(&[whole, ends]);
        }
    }
}

#[test]
fn every_start_of_a_stream_is_refused() {
    for (seed, level) in [(1, -1), (2, 1), (3, 4), (4, 12), (5, 0)] {
        let bytes = sample(seed, 6000);
        let whole = packed(&bytes, level);
        let streams: Vec<_> =
            (0..whole.len()).map(|end| (whole[..end].to_vec(), bytes.len())).collect();
        check(&streams);
        // With another end, which may be a sum.
        let streams: Vec<_> = (0..whole.len() - 4)
            .step_by(7)
            .map(|end| ([&whole[..end], &whole[whole.len() - 4..]].concat(), bytes.len()))
            .collect();
        check(&streams);
    }
}

/// Deflate streams whose sum is made to fit what libdeflate reads of them.
fn with_sum(mut data: Vec<u8>, size: usize) -> (Vec<u8>, usize) {
    let mut out = vec![0; size];
    let deflate = Decompressor::new().deflate_decompress(&data, &mut out);
    let sum = deflate.map_or(1, |size| libdeflater::adler32(&out[..size]));
    data.splice(0..0, [0x78, 0x01]);
    data.extend(sum.to_be_bytes());
    (data, size)
}

#[test]
fn wrong_bits_are_refused_alike() {
    let mut seed = 77;
    for (kind, level) in [(1, -1), (2, 1), (3, 4), (4, 12), (5, 6)] {
        let bytes = sample(kind, 3000);
        let whole = packed(&bytes, level);
        let data = &whole[2..whole.len() - 4];
        let mut streams = Vec::new();
        for _ in 0..400 {
            let mut wrong = data.to_vec();
            for _ in 0..=noise(&mut seed) % 3 {
                // Headers are at the front.
                let most = if noise(&mut seed).is_multiple_of(2) { 120 } else { usize::MAX };
                let at = noise(&mut seed) as usize % wrong.len().min(most);
                wrong[at] ^= 1 << (noise(&mut seed) % 8);
            }
            streams.push(with_sum(wrong, 4000));
        }
        check(&streams);
    }
}

proptest! {
    #[test]
    fn any_bytes(
        data in prop::collection::vec(any::<u8>(), 0..300),
        kind in 0u8..8,
        size in 0usize..3000,
    ) {
        let mut data = data;
        // Mostly a last block, with codes of its own or fixed ones.
        if let Some(first) = data.first_mut() {
            *first = *first & !7 | [5, 5, 5, 5, 3, 3, 4, 1][usize::from(kind)];
        }
        check(&[with_sum(data.clone(), size), with_sum(data, size)]);
    }

    /// Codes of all lengths, whole or not.
    #[test]
    fn any_codes(
        lengths in prop::collection::vec(0u8..16, 258..290),
        body in prop::collection::vec(any::<u8>(), 0..200),
        whole in any::<bool>(),
    ) {
        let mut lengths = lengths;
        if whole {
            complete(&mut lengths[..257]);
            complete(&mut lengths[257..]);
        }
        let mut bits = Vec::new();
        let mut put = |value: usize, count: usize| bits.extend((0..count).map(|i| value >> i & 1));
        put(5, 3);
        put(0, 5);
        put(lengths.len() - 258, 5);
        put(15, 4);
        // Each length, 0 to 15, has a code of four bits: itself, first bit highest.
        [0, 0, 0].into_iter().chain([4; 16]).for_each(|length| put(length, 3));
        for length in &lengths {
            put(usize::from(length.reverse_bits() >> 4), 4);
        }
        let mut data: Vec<u8> = bits
            .chunks(8)
            .map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | *bit as u8))
            .collect();
        data.extend(body);
        check(&[with_sum(data.clone(), 5000), with_sum(data, 70)]);
    }
}

/// Makes lengths those of a code that uses up all there is, or nearly.
fn complete(lengths: &mut [u8]) {
    let mut left = 1u32 << 15;
    for length in lengths.iter_mut() {
        while *length > 0 && *length < 15 && 1 << (15 - *length) > left {
            *length += 1;
        }
        if *length > 0 {
            match left.checked_sub(1 << (15 - *length)) {
                Some(rest) => left = rest,
                None => *length = 0,
            }
        }
    }
    for length in lengths.iter_mut().filter(|length| **length == 0) {
        if left > 0 {
            let bits = left.ilog2().min(14);
            *length = (15 - bits) as u8;
            left -= 1 << bits;
        }
    }
}
