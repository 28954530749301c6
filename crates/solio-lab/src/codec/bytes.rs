//! Codecs that see bytes.

use super::{Codec, damaged};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use solio_base::{Error, Result};
use solio_codec::filter::FilterShape;

fn exactly(got: usize, wanted: usize) -> Result<()> {
    if got == wanted { Ok(()) } else { Err(damaged(format!("{got} bytes, not {wanted}"))) }
}

pub(super) struct ZlibRs {
    pack: Compress,
    unpack: Decompress,
}

impl ZlibRs {
    pub(super) fn new(level: i32) -> ZlibRs {
        let level = Compression::new(level.clamp(0, 9) as u32);
        ZlibRs { pack: Compress::new(level, true), unpack: Decompress::new(true) }
    }
}

impl Codec for ZlibRs {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        shape.size_bytes() + shape.size_bytes() / 8 + 1024
    }

    fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        self.pack.reset();
        let status = self.pack.compress(from, to, FlushCompress::Finish).map_err(damaged)?;
        if status != Status::StreamEnd {
            return Err(damaged("zlib-rs needs more room"));
        }
        Ok(self.pack.total_out() as usize)
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        self.unpack.reset(true);
        self.unpack.decompress(from, to, FlushDecompress::Finish).map_err(damaged)?;
        exactly(self.unpack.total_out() as usize, to.len())
    }
}

pub(super) struct Libdeflate {
    pack: libdeflater::Compressor,
    unpack: libdeflater::Decompressor,
}

impl Libdeflate {
    pub(super) fn new(level: i32) -> Result<Libdeflate> {
        let level = libdeflater::CompressionLvl::new(level)
            .map_err(|_| Error::argument(format!("libdeflate has no level {level}")))?;
        let pack = libdeflater::Compressor::new(level);
        Ok(Libdeflate { pack, unpack: libdeflater::Decompressor::new() })
    }
}

impl Codec for Libdeflate {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        self.pack.zlib_compress_bound(shape.size_bytes())
    }

    fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        self.pack.zlib_compress(from, to).map_err(damaged)
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        let got = self.unpack.zlib_decompress(from, to).map_err(damaged)?;
        exactly(got, to.len())
    }
}

pub(super) struct Zstd {
    pack: zstd::bulk::Compressor<'static>,
    unpack: zstd::bulk::Decompressor<'static>,
}

impl Zstd {
    pub(super) fn new(level: i32) -> Result<Zstd> {
        let failed = |e| Error::io("start zstd", e);
        let pack = zstd::bulk::Compressor::new(level).map_err(failed)?;
        Ok(Zstd { pack, unpack: zstd::bulk::Decompressor::new().map_err(failed)? })
    }
}

impl Codec for Zstd {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        zstd::zstd_safe::compress_bound(shape.size_bytes())
    }

    fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        self.pack.compress_to_buffer(from, to).map_err(damaged)
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        let wanted = to.len();
        let got = self.unpack.decompress_to_buffer(from, to).map_err(damaged)?;
        exactly(got, wanted)
    }
}

pub(super) struct Lz4 {
    /// Of the thorough packer; without it the fast one.
    pub(super) level: Option<i32>,
}

impl Codec for Lz4 {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        lzzzz::lz4::max_compressed_size(shape.size_bytes())
    }

    fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
        match self.level {
            Some(level) => lzzzz::lz4_hc::compress(from, to, level).map_err(damaged),
            None => lzzzz::lz4::compress(from, to, lzzzz::lz4::ACC_LEVEL_DEFAULT).map_err(damaged),
        }
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
        if from.is_empty() && to.is_empty() {
            return Ok(());
        }
        let got = lzzzz::lz4::decompress(from, to).map_err(damaged)?;
        exactly(got, to.len())
    }
}
