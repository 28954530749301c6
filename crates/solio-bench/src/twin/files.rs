//! The files of a scene, in a folder, packed or not.

use crate::files::gzip_packer;
use flate2::write::GzEncoder;
use solio::mesh::Scene;
use solio::mesh::ply::{PlyWriteOptions, encode_ply};
use solio::{Compression, Error, Result, Sink, Work};
use solio_io::{FileSink, SinkOptions, make_folder};
use std::io::Write;
use std::path::Path;

/// A chunk of a file.
type Fill<'a> = dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync + 'a;

/// Bytes before and after packing.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct PackedBytes {
    pub(crate) files: u64,
    pub(crate) raw: u64,
    pub(crate) stored: u64,
}

/// Where files are written.
pub(super) struct TwinFolder<'a> {
    pub(super) root: &'a Path,
    pack: Compression,
    work: &'a Work,
    pub(super) text: PackedBytes,
    pub(super) meshes: PackedBytes,
}

impl<'a> TwinFolder<'a> {
    pub(super) fn new(root: &'a Path, pack: Compression, work: &'a Work) -> Self {
        TwinFolder {
            root,
            pack,
            work,
            text: PackedBytes::default(),
            meshes: PackedBytes::default(),
        }
    }

    /// The name of a file with the ending of its packing.
    pub(super) fn name(&self, name: &str) -> String {
        format!("{name}{}", self.pack.extension())
    }

    /// Writes a text in chunks, which are made side by side.
    pub(super) fn text(&mut self, name: &str, chunks: usize, fill: &Fill<'_>) -> Result<()> {
        let work = self.work;
        let bytes = self.write(name, |sink| sink.write_chunks(work, chunks, fill))?;
        add(&mut self.text, bytes);
        Ok(())
    }

    /// Writes a mesh as binary PLY.
    pub(super) fn ply(&mut self, name: &str, scene: &Scene<'_>) -> Result<()> {
        let (work, options) = (self.work, PlyWriteOptions::default());
        let bytes = self.write(name, |sink| encode_ply(scene, &options, work, sink))?;
        add(&mut self.meshes, bytes);
        Ok(())
    }

    fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Sink) -> Result<()>,
    ) -> Result<PackedBytes> {
        let path = self.root.join(self.name(name));
        make_folder(path.parent().unwrap_or(self.root))?;
        let work = self.work;
        let gzip = self.pack == Compression::Gzip;
        let compression = if gzip { Compression::None } else { self.pack };
        let options = SinkOptions { compression, ..SinkOptions::default() };
        let mut sink = FileSink::create(&path, &options, work)?;
        if !gzip {
            write(&mut sink)?;
            let written = sink.commit()?;
            return Ok(PackedBytes {
                files: 1,
                raw: written.raw_bytes,
                stored: written.file_bytes,
            });
        }
        let mut packed = Gzipped { sink, packer: gzip_packer(), raw: 0 };
        write(&mut packed)?;
        let Gzipped { mut sink, packer, raw } = packed;
        let rest = packer.finish().map_err(|e| Error::io("compress", e).at_path(&path))?;
        sink.write_bytes(work, &rest)?;
        Ok(PackedBytes { files: 1, raw, stored: sink.commit()?.file_bytes })
    }
}

fn add(to: &mut PackedBytes, bytes: PackedBytes) {
    to.files += bytes.files;
    to.raw += bytes.raw;
    to.stored += bytes.stored;
}

/// A file of one gzip member, because pbrt reads no more: unlike Solio's own, it is packed by one
/// thread.
struct Gzipped {
    sink: FileSink,
    packer: GzEncoder<Vec<u8>>,
    raw: u64,
}

impl Sink for Gzipped {
    fn write_chunks(&mut self, work: &Work, chunks: usize, fill: &Fill<'_>) -> Result<()> {
        let mut buffer = Vec::new();
        for chunk in 0..chunks {
            buffer.clear();
            fill(chunk, &mut buffer)?;
            self.raw += buffer.len() as u64;
            self.packer.write_all(&buffer).map_err(|e| Error::io("compress", e))?;
            let made = self.packer.get_mut();
            if made.len() >= 1 << 20 {
                self.sink.write_bytes(work, made)?;
                made.clear();
            }
        }
        Ok(())
    }
}
