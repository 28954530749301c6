//! The ways to store a scene that the study compares: the same text and meshes, plain, packed with
//! gzip at level 5 and with zstd file by file, and all of it as one packed scene.

use crate::files::{all_below, gzip};
use solio::{Compression, Error, Result, ScenePackOptions, Work};
use solio_codec::compress::ChunkCompressor;
use std::path::{Path, PathBuf};

/// A scene, stored in some way and read in some way.
pub(super) struct Encoding {
    /// What it is called.
    pub(super) name: &'static str,
    /// In a few words: what is stored, and what unpacks it.
    pub(super) how: &'static str,
    pub(super) scene: PathBuf,
    pub(super) libdeflate: bool,
    /// Of all its files.
    pub(super) stored_bytes: u64,
}

/// Makes them all below `made`. Files keep their names: what they are packed with is seen by their
/// first bytes.
pub(super) fn all(scene: &Path, made: &Path, work: &Work) -> Result<Vec<Encoding>> {
    let folder = scene.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let name = scene.file_name().unwrap_or_default();
    let mut stored = Vec::new();
    for pack in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let to = made.join(pack.as_str());
        let bytes = copy(folder, made, &to, pack, work)?;
        stored.push((to.join(name), bytes));
    }
    let packed = made.join("packed.solio");
    solio::pack_scene(&stored[0].0, &packed, &ScenePackOptions::default(), work)?;
    stored.push((packed.clone(), solio_io::file_bytes(&packed)?));
    let of = |name, how, stored: &(PathBuf, u64), libdeflate| Encoding {
        name,
        how,
        scene: stored.0.clone(),
        libdeflate,
        stored_bytes: stored.1,
    };
    Ok(vec![
        of("plain", "text and PLY as they are", &stored[0], false),
        of("zlib", "gzip, level 5; unpacked piece by piece by zlib-rs", &stored[1], false),
        of(
            "libdeflate",
            "gzip, level 5; each file unpacked at once by libdeflate",
            &stored[1],
            true,
        ),
        of("zst", "zstd, level 3; unpacked piece by piece", &stored[2], false),
        of("packed", "one file made by solio pack", &stored[3], false),
    ])
}

/// Copies the text and the meshes of a folder, unpacked and packed again; gives the bytes written.
/// What was `made` before is passed by: it may lie below that folder.
fn copy(from: &Path, made: &Path, to: &Path, pack: Compression, work: &Work) -> Result<u64> {
    solio_io::make_folder(made)?;
    let found = all_below(&[from.to_owned()], work)?;
    let made = made.canonicalize().map_err(|e| Error::io("find the folder", e).at_path(made))?;
    let is_made = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&made));
    let mut bytes = 0;
    for path in found.iter().filter(|path| is_of_scene(path) && !is_made(path)) {
        let whole = solio_io::read_whole(path, &solio::Limits::default(), work)?;
        let inner = path.strip_prefix(from).unwrap_or(path);
        let target = to.join(inner);
        solio_io::make_folder(target.parent().unwrap_or(to))?;
        let stored = packed(whole, pack)?;
        solio::write_bytes(&target, &stored)?;
        bytes += stored.len() as u64;
    }
    Ok(bytes)
}

fn is_of_scene(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(Compression::of_name(&name).extension()).unwrap_or(&name);
    plain.ends_with(".pbrt") || plain.ends_with(".ply")
}

fn packed(whole: Vec<u8>, pack: Compression) -> Result<Vec<u8>> {
    match pack {
        Compression::None => Ok(whole),
        Compression::Gzip => gzip(&whole),
        Compression::Zstd => {
            let mut out = Vec::new();
            ChunkCompressor::new(pack, None)?.compress(&whole, &mut out)?;
            Ok(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_before_is_not_stored_again() {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("a.pbrt");
        let text = "WorldBegin\nShape \"sphere\"\n".repeat(100);
        solio::write_bytes(&scene, text.as_bytes()).unwrap();
        let made = folder.path().join("made");
        let bytes = || -> Vec<u64> {
            let encodings = all(&scene, &made, &Work::serial()).unwrap();
            encodings.iter().map(|encoding| encoding.stored_bytes).collect()
        };
        let first = bytes();
        assert_eq!(first[0], text.len() as u64);
        assert!(first[1..4].iter().all(|&packed| packed < first[0] / 2), "{first:?}");
        assert_eq!(first[1], first[2]);
        assert_eq!(bytes(), first);
        let (stored, _) =
            solio::files_below(&[made], &solio::Filter::default(), &Work::serial()).unwrap();
        assert_eq!(stored.len(), 4, "{stored:?}");
    }
}
