//! The files of a SOG: entries of a ZIP, or others beside `meta.json`.

use super::META;
use crate::gltf::GltfFiles;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter};
use solio_base::{Error, Limits, Result, Source};
use solio_codec::compress::decode_deflate;
use solio_kinds::FileKind;
use std::io::Write;

/// The files of a SOG by their names.
pub(super) enum SogBundle<'f> {
    Zipped(Vec<u8>),
    Loose { meta: Vec<u8>, files: &'f dyn GltfFiles },
}

fn damaged(error: &rawzip::Error) -> Error {
    Error::corrupt(format!("the ZIP is damaged: {error}"))
}

impl<'f> SogBundle<'f> {
    /// Reads all of a bundle, or the text that names the files beside it.
    pub(super) fn open(
        source: &dyn Source,
        files: &'f dyn GltfFiles,
        limits: &Limits,
    ) -> Result<SogBundle<'f>> {
        let bytes = all(source, limits)?;
        Ok(match bytes.starts_with(FileKind::Sog.mark()) {
            true => SogBundle::Zipped(bytes),
            false => SogBundle::Loose { meta: bytes, files },
        })
    }

    /// The text that says what the others are.
    pub(super) fn meta(&self, limits: &Limits) -> Result<Vec<u8>> {
        match self {
            SogBundle::Zipped(_) => self.file(META, limits),
            SogBundle::Loose { meta, .. } => Ok(meta.clone()),
        }
    }

    /// The bytes of a file.
    pub(super) fn file(&self, name: &str, limits: &Limits) -> Result<Vec<u8>> {
        let is_far = name.starts_with('/')
            || name.contains([':', '\\'])
            || name.split('/').any(|part| part == ".." || part.is_empty());
        if is_far {
            let message = format!("the file \"{name}\" leads out of the folder of the SOG");
            return Err(Error::corrupt(message));
        }
        match self {
            SogBundle::Loose { files, .. } => all(&*files.open(name)?, limits),
            SogBundle::Zipped(bytes) => entry(bytes, name, limits),
        }
    }
}

/// An entry of a ZIP, by its name or, in archives of a folder, by the end of it.
fn entry(bytes: &[u8], name: &str, limits: &Limits) -> Result<Vec<u8>> {
    let archive = ZipArchive::from_slice(bytes).map_err(|e| damaged(&e))?;
    let mut entries = archive.entries();
    let mut found: Option<(usize, _, _)> = None;
    while let Some(record) = entries.next_entry().map_err(|e| damaged(&e))? {
        let path = record.file_path().as_bytes();
        let is_own = path
            .strip_suffix(name.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"));
        let is_nearer = found.as_ref().is_none_or(|(length, ..)| path.len() < *length);
        if is_own && is_nearer {
            found = Some((path.len(), record.wayfinder(), record.compression_method()));
        }
    }
    let Some((_, wayfinder, method)) = found else {
        return Err(Error::corrupt(format!("the bundle has no {name}")));
    };
    let opened = archive.get_entry(wayfinder).map_err(|e| damaged(&e))?;
    let expected = opened.claim_verifier();
    let most = expected.uncompressed_size;
    limits.check_bytes(name, most)?;
    let unpacked = match method {
        CompressionMethod::STORE => opened.data().to_vec(),
        CompressionMethod::DEFLATE => decode_deflate(opened.data(), most)
            .map_err(|e| Error::corrupt(format!("{name}: {}", e.message())))?,
        other => {
            let number = other.as_u16();
            let message = format!("{name} is compressed by method {number} of ZIP");
            return Err(Error::unsupported(message).hint("stored and deflated files are read"));
        }
    };
    let is_whole = unpacked.len() as u64 == most && crc32fast::hash(&unpacked) == expected.crc;
    match is_whole {
        true => Ok(unpacked),
        false => Err(Error::corrupt(format!("{name} is damaged: its checksum is another"))),
    }
}

fn all(source: &dyn Source, limits: &Limits) -> Result<Vec<u8>> {
    /// Bytes of a read.
    const BLOCK: usize = 1 << 20;
    let mut bytes = Vec::new();
    loop {
        let have = bytes.len();
        limits.check_bytes("the file", (have + 1) as u64).map_err(|e| e.at_offset(have as u64))?;
        bytes.resize(have + BLOCK, 0);
        let got = source.read_at(have as u64, &mut bytes[have..])?;
        bytes.truncate(have + got);
        if got < BLOCK {
            return Ok(bytes);
        }
    }
}

/// The bundle of these files, as they are.
pub(super) fn zipped(files: &[(&str, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in files {
        let (mut entry, config) = archive.new_file(*name).start().map_err(|e| damaged(&e))?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(content).map_err(|e| Error::io("make the bundle", e))?;
        let (_, descriptor) = writer.finish().map_err(|e| damaged(&e))?;
        entry.finish(descriptor).map_err(|e| damaged(&e))?;
    }
    archive.finish().map_err(|e| damaged(&e))?;
    Ok(bytes)
}
