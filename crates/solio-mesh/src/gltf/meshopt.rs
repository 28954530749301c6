//! Views in meshoptimizer's code: `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! Source: Khronos' pages of both extensions. The decoder is that of the crate `meshopt`; what it must not
//! be given (rows of other widths, counts that its code cannot hold) is refused here.

use super::document::Packed;
use ::meshopt::{
    decode_filter_color, decode_filter_exp, decode_filter_oct, decode_filter_quat,
    decode_index_buffer, decode_index_sequence, decode_vertex_buffer,
};
use bytemuck::{Pod, Zeroable};
use solio_base::{Error, Result};

/// The most bytes of rows that a byte of the code can stand for: a quarter of a row's bytes says that
/// 256 rows are alike.
const MOST_ALIKE: u64 = 1024;
/// Rows of the code have at most so many words.
const MOST_WORDS: usize = 64;

/// A row of words.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Words<const N: usize>([u32; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Words([0; N])
    }
}

impl<const N: usize> Words<N> {
    fn flat(rows: Vec<Words<N>>) -> Vec<u8>
    where
        [u32; N]: Pod + Zeroable,
    {
        let mut bytes = Vec::with_capacity(rows.len() * N * 4);
        for row in rows {
            bytes.extend_from_slice(bytemuck::bytes_of(&row.0));
        }
        bytes
    }
}

/// Bytes that a view unpacks to.
pub(super) fn decoded_bytes(packed: &Packed) -> Result<u64> {
    let bytes = packed.count.checked_mul(packed.byte_stride);
    let most = match packed.mode.as_str() {
        // A quarter of a row's bytes for the tail, whatever follows.
        "ATTRIBUTES" => packed.byte_length.saturating_mul(MOST_ALIKE),
        "TRIANGLES" => packed.byte_length.saturating_mul(3 * packed.byte_stride),
        "INDICES" => packed.byte_length.saturating_mul(packed.byte_stride),
        mode => {
            return Err(Error::unsupported(format!("meshopt compression of the mode \"{mode}\"")));
        }
    };
    bytes.filter(|bytes| *bytes <= most && usize::try_from(*bytes).is_ok()).ok_or_else(|| {
        Error::corrupt(format!(
            "{} rows of {} bytes cannot come from {} bytes",
            packed.count, packed.byte_stride, packed.byte_length
        ))
    })
}

/// The rows of a view, one after another.
pub(super) fn decode(packed: &Packed, code: &[u8]) -> Result<Vec<u8>> {
    decoded_bytes(packed)?;
    let (count, stride) = (packed.count as usize, packed.byte_stride);
    let filter = packed.filter.as_deref().filter(|filter| *filter != "NONE");
    match (packed.mode.as_str(), stride) {
        ("ATTRIBUTES", _) => {
            let words = (stride / 4) as usize;
            if !stride.is_multiple_of(4) || words == 0 || words > MOST_WORDS {
                let message =
                    format!("rows of {stride} bytes: a multiple of 4 up to 256 is wanted");
                return Err(Error::corrupt(message));
            }
            let mut rows = rows(words, count, code)?;
            if let Some(filter) = filter {
                unfilter(filter, stride, &mut rows)?;
            }
            Ok(rows)
        }
        (_, 2 | 4) if filter.is_some() => Err(Error::corrupt("a filter of indices")),
        ("TRIANGLES", _) if !count.is_multiple_of(3) => {
            Err(Error::corrupt(format!("{count} indices are not whole triangles")))
        }
        ("TRIANGLES", 2) => {
            decode_index_buffer::<u16>(code, count).map(|i| bytes_of(&i)).map_err(damaged)
        }
        ("TRIANGLES", 4) => {
            decode_index_buffer::<u32>(code, count).map(|i| bytes_of(&i)).map_err(damaged)
        }
        ("INDICES", 2) => {
            decode_index_sequence::<u16>(code, count).map(|i| bytes_of(&i)).map_err(damaged)
        }
        ("INDICES", 4) => {
            decode_index_sequence::<u32>(code, count).map(|i| bytes_of(&i)).map_err(damaged)
        }
        _ => Err(Error::corrupt(format!("indices of {stride} bytes"))),
    }
}

fn bytes_of<T: Pod>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("the meshopt compression is damaged: {error}"))
}

fn rows(words: usize, count: usize, code: &[u8]) -> Result<Vec<u8>> {
    macro_rules! of {
        ($($n:literal)*) => {
            match words {
                $($n => decode_vertex_buffer::<Words<$n>>(code, count).map(Words::flat).map_err(damaged),)*
                _ => Err(Error::corrupt("rows of no known width")),
            }
        };
    }
    of!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
}

fn unfilter(filter: &str, stride: u64, rows: &mut Vec<u8>) -> Result<()> {
    /// Filters work on typed rows.
    fn with<T: Pod>(rows: &mut Vec<u8>, filter: impl FnOnce(&mut [T])) {
        let mut typed: Vec<T> = bytemuck::pod_collect_to_vec(rows.as_slice());
        filter(&mut typed);
        *rows = bytemuck::cast_slice(&typed).to_vec();
    }
    match (filter, stride) {
        ("OCTAHEDRAL", 4) => with(rows, decode_filter_oct::<i8>),
        ("OCTAHEDRAL", 8) => with(rows, decode_filter_oct::<i16>),
        ("QUATERNION", 8) => with(rows, decode_filter_quat),
        ("EXPONENTIAL", _) => with(rows, decode_filter_exp::<1>),
        ("COLOR", 4) => with(rows, decode_filter_color::<i8>),
        ("COLOR", 8) => with(rows, decode_filter_color::<i16>),
        _ => {
            let message = format!("the meshopt filter \"{filter}\" of rows of {stride} bytes");
            return Err(Error::unsupported(message));
        }
    }
    Ok(())
}
