//! zlib streams inside chunks: one compressor a thread and level, one inflater a thread.

use std::cell::RefCell;

use libdeflater::{CompressionLvl, Compressor};
use solio_base::{Error, Result};
use solio_codec::deflate::{ZlibEncoder, append_zlib};
use solio_codec::inflate::{Failure, Inflater, ZlibStream};

/// The level that the reference uses where nobody asks for another.
pub(super) const DEFAULT_LEVEL: u8 = 4;

thread_local! {
    static INFLATER: RefCell<Inflater> = RefCell::new(Inflater::default());
    static ENCODER: RefCell<ZlibEncoder> = RefCell::new(ZlibEncoder::default());
    static COMPRESSORS: RefCell<[Option<Compressor>; 13]> = const { RefCell::new([const { None }; 13]) };
}

/// Unpacks one zlib stream, which must fill `out`.
pub(super) fn unpack(input: &[u8], out: &mut [u8]) -> Result<()> {
    let expected = out.len();
    let result = INFLATER.with_borrow_mut(|inflater| inflater.one(input, out));
    match result {
        Ok(bytes) if bytes == expected => Ok(()),
        Ok(bytes) => {
            Err(Error::corrupt(format!("zlib data hold {bytes} bytes; {expected} are expected")))
        }
        Err(Failure::TooLong) => {
            Err(Error::corrupt(format!("zlib data hold more than the expected {expected} bytes")))
        }
        Err(Failure::Damaged) => Err(Error::corrupt("zlib data are damaged")),
    }
}

/// Unpacks zlib streams side by side.
pub(super) fn unpack_all(streams: &mut [ZlibStream<'_>]) {
    INFLATER.with_borrow_mut(|inflater| inflater.all(streams));
}

/// Appends `input`, whose low bytes lie before `halves`, as one zlib stream, by the encoder for
/// filtered images.
pub(super) fn pack_filtered(input: &[u8], halves: usize, out: &mut Vec<u8>) {
    ENCODER.with_borrow_mut(|encoder| encoder.zlib(input, halves, out));
}

/// Appends `input` as one zlib stream; `level` from 0 to 12.
pub(super) fn pack(input: &[u8], level: u8, out: &mut Vec<u8>) {
    COMPRESSORS.with_borrow_mut(|compressors| {
        let level = usize::from(level.min(12));
        let compressor = compressors[level].get_or_insert_with(|| {
            Compressor::new(CompressionLvl::new(level as i32).expect("levels go to 12"))
        });
        append_zlib(compressor, input, out);
    });
}
