//! The glue to libraries in C that have no safe face: zlib, meshoptimizer (into memory that is
//! there), ZFP. The only `unsafe` of the laboratory.
#![allow(unsafe_code)]

use super::{Codec, damaged};
use libz_sys as z;
use solio_base::{Error, Result};
use solio_codec::filter::FilterShape;
use std::ffi::c_int;

/// zlib, with its state kept from chunk to chunk.
pub(super) struct Zlib {
    // zlib keeps pointers to these: they stay where they are.
    pack: Box<z::z_stream>,
    unpack: Box<z::z_stream>,
}

impl Zlib {
    pub(super) fn new(level: i32) -> Result<Zlib> {
        // SAFETY: the version is zlib's own, the streams are without input and with zlib's own
        // functions for memory.
        let pack = start(|stream| unsafe {
            z::deflateInit_(stream, level, z::zlibVersion(), STREAM_BYTES)
        })?;
        // SAFETY: as above.
        let started =
            start(|stream| unsafe { z::inflateInit_(stream, z::zlibVersion(), STREAM_BYTES) });
        match started {
            Ok(unpack) => Ok(Zlib { pack, unpack }),
            Err(e) => {
                let mut pack = pack;
                // SAFETY: it was started above, and is not used again.
                unsafe { z::deflateEnd(&mut *pack) };
                Err(e)
            }
        }
    }
}

const STREAM_BYTES: c_int = size_of::<z::z_stream>() as c_int;

/// A stream that `start` has filled in.
fn start(start: impl FnOnce(z::z_streamp) -> c_int) -> Result<Box<z::z_stream>> {
    // Null functions mean zlib's own, which it puts there.
    let mut stream = Box::new(std::mem::MaybeUninit::<z::z_stream>::zeroed());
    match start(stream.as_mut_ptr()) {
        // SAFETY: all fields but the functions may be zero, and these are set now.
        z::Z_OK => Ok(unsafe { stream.assume_init() }),
        code => Err(Error::argument(format!("zlib does not start: code {code}"))),
    }
}

fn length(bytes: usize) -> Result<u32> {
    u32::try_from(bytes).map_err(|_| Error::limit("zlib takes chunks of less than 4 GB"))
}

impl Codec for Zlib {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        // SAFETY: the stream was started by `new`.
        unsafe { z::deflateBound(&mut *self.pack, shape.size_bytes() as z::uLong) as usize }
    }

    fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        let state = &mut *self.pack;
        (state.next_in, state.avail_in) = (from.as_ptr().cast_mut(), length(from.len())?);
        (state.next_out, state.avail_out) = (to.as_mut_ptr(), length(to.len())?);
        // SAFETY: the stream was started by `new`; input and output have the lengths given and live
        // until it returns; zlib does not write to its input. A reset leaves both as they are.
        let code = unsafe {
            z::deflateReset(state);
            z::deflate(state, z::Z_FINISH)
        };
        if code != z::Z_STREAM_END {
            return Err(damaged(format!("zlib: code {code}")));
        }
        Ok(state.total_out as usize)
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        let state = &mut *self.unpack;
        (state.next_in, state.avail_in) = (from.as_ptr().cast_mut(), length(from.len())?);
        (state.next_out, state.avail_out) = (to.as_mut_ptr(), length(to.len())?);
        // SAFETY: as in `encode`.
        let code = unsafe {
            z::inflateReset(state);
            z::inflate(state, z::Z_FINISH)
        };
        if code != z::Z_STREAM_END || state.total_out as usize != to.len() {
            return Err(damaged(format!("zlib: code {code}")));
        }
        Ok(())
    }
}

impl Drop for Zlib {
    fn drop(&mut self) {
        // SAFETY: ends what `new` started.
        unsafe {
            z::deflateEnd(&mut *self.pack);
            z::inflateEnd(&mut *self.unpack);
        }
    }
}

/// The most bytes that so many elements of `size` bytes are packed to.
pub(super) fn vertices_bound(count: usize, size: usize) -> usize {
    // SAFETY: it computes a number.
    unsafe { meshopt::ffi::meshopt_encodeVertexBufferBound(count, size) }
}

/// Packs elements of `size` bytes, a multiple of 4 up to 256.
pub(super) fn encode_vertices(
    level: i32,
    size: usize,
    elements: &[u8],
    to: &mut [u8],
) -> Result<usize> {
    let (count, from) = (elements.len() / size, elements.as_ptr().cast());
    let (out, room) = (to.as_mut_ptr(), to.len());
    // SAFETY: `elements` has `count` times `size` bytes, and `to` as many as it is told.
    let bytes = unsafe {
        meshopt::ffi::meshopt_encodeVertexBufferLevel(out, room, from, count, size, level, 1)
    };
    if bytes == 0 { Err(damaged("meshoptimizer needs more room")) } else { Ok(bytes) }
}

/// Undoes [`encode_vertices`].
pub(super) fn decode_vertices(size: usize, from: &[u8], elements: &mut [u8]) -> Result<()> {
    let (count, out) = (elements.len() / size, elements.as_mut_ptr().cast());
    // SAFETY: `elements` has `count` times `size` bytes, and `from` as many as it is told.
    let code = unsafe {
        meshopt::ffi::meshopt_decodeVertexBuffer(out, count, size, from.as_ptr(), from.len())
    };
    if code == 0 { Ok(()) } else { Err(damaged(format!("meshoptimizer: code {code}"))) }
}

#[cfg(feature = "zfp")]
pub(super) use of_zfp::{ZfpType, decode_zfp, encode_zfp, zfp_bound};

#[cfg(feature = "zfp")]
mod of_zfp {
    use super::{Result, damaged};
    use std::ffi::c_void;
    use zfp_sys as zfp;

    /// What ZFP calls its numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::codec) enum ZfpType {
        Int32,
        Float,
        Double,
    }

    impl ZfpType {
        fn code(self) -> zfp::zfp_type {
            match self {
                ZfpType::Int32 => zfp::zfp_type_zfp_type_int32,
                ZfpType::Float => zfp::zfp_type_zfp_type_float,
                ZfpType::Double => zfp::zfp_type_zfp_type_double,
            }
        }

        fn bytes(self) -> usize {
            if self == ZfpType::Double { 8 } else { 4 }
        }
    }

    /// A field and a stream of ZFP, reversible; given back when dropped.
    struct ZfpParts {
        field: *mut zfp::zfp_field,
        stream: *mut zfp::zfp_stream,
    }

    impl ZfpParts {
        /// Of an image of `width` × `rows` numbers, or of a list where there is one row.
        fn new(kind: ZfpType, width: usize, rows: usize, values: *mut c_void) -> ZfpParts {
            // SAFETY: the functions only make structures; `values` is looked at later.
            unsafe {
                let field = match rows {
                    1 => zfp::zfp_field_1d(values, kind.code(), width),
                    _ => zfp::zfp_field_2d(values, kind.code(), width, rows),
                };
                let stream = zfp::zfp_stream_open(std::ptr::null_mut());
                zfp::zfp_stream_set_reversible(stream);
                ZfpParts { field, stream }
            }
        }

        /// Runs `job` with a stream of bits over these bytes.
        ///
        /// # Safety
        /// `bytes` may be written to as far as `job` does it.
        unsafe fn over(
            &self,
            bytes: *mut u8,
            length: usize,
            job: impl FnOnce(*mut zfp::zfp_stream, *mut zfp::zfp_field) -> usize,
        ) -> usize {
            // SAFETY: both structures are ZFP's own, and the stream of bits ends before `bytes`.
            unsafe {
                let bits = zfp::stream_open(bytes.cast(), length);
                zfp::zfp_stream_set_bit_stream(self.stream, bits);
                zfp::zfp_stream_rewind(self.stream);
                let done = job(self.stream, self.field);
                zfp::stream_close(bits);
                done
            }
        }
    }

    impl Drop for ZfpParts {
        fn drop(&mut self) {
            // SAFETY: both come from `new`; the values are not theirs.
            unsafe {
                zfp::zfp_field_free(self.field);
                zfp::zfp_stream_close(self.stream);
            }
        }
    }

    /// The most bytes that a plane is packed to.
    pub(in crate::codec) fn zfp_bound(kind: ZfpType, width: usize, rows: usize) -> usize {
        let parts = ZfpParts::new(kind, width, rows, std::ptr::null_mut());
        // SAFETY: field and stream are those of `new`; it computes a number.
        unsafe { zfp::zfp_stream_maximum_size(parts.stream, parts.field) }
    }

    /// Packs one plane to the start of `to`, which has [`zfp_bound`] bytes.
    pub(in crate::codec) fn encode_zfp(
        kind: ZfpType,
        width: usize,
        rows: usize,
        values: &[u8],
        to: &mut [u64],
    ) -> Result<usize> {
        assert!(values.len() == width * rows * kind.bytes());
        assert!(values.as_ptr().addr().is_multiple_of(kind.bytes()));
        assert!(size_of_val(to) >= zfp_bound(kind, width, rows));
        // ZFP does not write to what it packs.
        let parts = ZfpParts::new(kind, width, rows, values.as_ptr().cast_mut().cast());
        let (out, room) = (to.as_mut_ptr().cast(), size_of_val(to));
        // SAFETY: the field is over `values`, which has its length; `to` has the bytes that ZFP
        // asks for, in whole words.
        let packed =
            unsafe { parts.over(out, room, |stream, field| zfp::zfp_compress(stream, field)) };
        if packed == 0 { Err(damaged("ZFP packs nothing")) } else { Ok(packed) }
    }

    /// Undoes [`encode_zfp`]. ZFP trusts what it reads: `from` is what that wrote, in whole words.
    pub(in crate::codec) fn decode_zfp(
        kind: ZfpType,
        width: usize,
        rows: usize,
        from: &[u64],
        values: &mut [u8],
    ) -> Result<()> {
        assert!(values.len() == width * rows * kind.bytes());
        assert!(values.as_ptr().addr().is_multiple_of(kind.bytes()));
        let parts = ZfpParts::new(kind, width, rows, values.as_mut_ptr().cast());
        let (bits, room) = (from.as_ptr().cast_mut().cast(), size_of_val(from));
        // SAFETY: the field is over `values`, which has its length; ZFP does not write to the bits
        // that it reads.
        let used =
            unsafe { parts.over(bits, room, |stream, field| zfp::zfp_decompress(stream, field)) };
        if used == 0 { Err(damaged("ZFP unpacks nothing")) } else { Ok(()) }
    }
}
