//! What the fuzz target of zlib streams does with its bytes: streams are decoded side by side and
//! each is compared with libdeflate, which must accept and refuse the same, with the same bytes.

use libdeflater::Decompressor;
use solio_codec::inflate::{Inflater, SIDE_BY_SIDE, ZlibStream};
use std::cell::RefCell;

/// Most room for what a stream holds.
const MOST: usize = 1 << 16;

thread_local! {
    static INFLATER: RefCell<Inflater> = RefCell::new(Inflater::default());
}

/// How many streams, how much room; the rest is the first stream. The others are the same without
/// some of its last bytes.
pub(crate) fn inflate(bytes: &[u8]) {
    let Some((&[count, low, high], rest)) = bytes.split_first_chunk() else { return };
    let count = 2 + usize::from(count) % (SIDE_BY_SIDE - 1);
    let room = usize::from(u16::from_le_bytes([low, high])) % MOST;
    let inputs: Vec<Vec<u8>> = (0..count).map(|i| stream(rest, i, room)).collect();
    let mut outs = vec![vec![0; room]; count];
    let each = inputs.iter().zip(&mut outs);
    let mut streams: Vec<_> = each.map(|(input, out)| ZlibStream::new(input, out)).collect();
    INFLATER.with_borrow_mut(|inflater| inflater.all(&mut streams));
    for stream in &streams {
        let mut out = vec![0; room];
        let expected = Decompressor::new().zlib_decompress(stream.input, &mut out).ok();
        assert_eq!(stream.result.ok(), expected, "{:?}", stream.result);
        if let Some(size) = expected {
            assert!(stream.out[..size] == out[..size]);
        }
    }
}

/// Deflated bytes between a header and, where they can be read, the right sum.
fn stream(rest: &[u8], cut: usize, room: usize) -> Vec<u8> {
    let data = &rest[..rest.len().saturating_sub(3 * cut)];
    let mut out = vec![0; room];
    let size = Decompressor::new().deflate_decompress(data, &mut out).unwrap_or(0);
    let sum = libdeflater::adler32(&out[..size]);
    [&[0x78, 0x01], data, &sum.to_be_bytes()].concat()
}
