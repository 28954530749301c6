//! What a sheet shows: a cell for each file, and one for each sequence.

use super::{SheetDone, SheetOptions};
use crate::{
    ImageFormat, Input, PreviewOptions, Thumbnail, ThumbnailOptions, files_below, has_thumbnail,
    thumbnail_of,
};
use solio_base::names::{OsStrBytes, OsStringBytes};
use solio_base::{Error, Limits, Result, Work};
use solio_catalog::names;
use solio_catalog::sequence::{Sequence, collapse};
use solio_image::{ImageLayer, layers as layers_of};
use solio_io::walk::status_of;
use solio_kinds::FileKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Pixels between the frames of a sequence.
const GAP: u32 = 2;
const BETWEEN: u8 = 40;
/// Fewer frames are shown as the files that they are.
const LEAST_FRAMES: usize = 3;

/// A cell to be made.
pub(super) struct Cell {
    folder: PathBuf,
    name: String,
    files: Files,
}

enum Files {
    One(PathBuf),
    /// A layer of an image.
    Layer {
        path: PathBuf,
        layer: ImageLayer,
    },
    /// First, middle and last frame, how many frames there are, and which are not.
    Sequence {
        frames: [PathBuf; 3],
        count: usize,
        missing: String,
    },
}

/// A cell that was made.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) folder: PathBuf,
    /// The name, as text.
    pub(super) name: String,
    pub(super) picture: Option<Thumbnail>,
    /// Bytes of the file, or of the frames that are shown.
    pub(super) bytes: u64,
    /// More to say: frames of a sequence.
    pub(super) note: String,
    /// How much of which picture is not there.
    pub(super) missing: Vec<String>,
    pub(super) errors: Vec<Error>,
}

/// The cells of `paths`, folder by folder, without the sheet itself, as it lies there from before.
pub(super) fn cells(
    paths: &[PathBuf],
    output: &Path,
    layers: bool,
    work: &Work,
) -> Result<(Vec<Cell>, SheetDone)> {
    let which = |path: &Path| status_of(path).ok().map(|status| (status.device, status.inode));
    let own = which(output);
    let is_own = |path: &Path| own.is_some() && which(path) == own;
    let mut done = SheetDone::default();
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in paths {
        let (files, failed) = files_below(std::slice::from_ref(path), work)?;
        done.failed.extend(failed);
        let is_folder = files.first() != Some(path);
        for file in files.into_iter().filter(|file| !is_own(file)) {
            if is_folder && !has_thumbnail(&file) {
                done.passed_by += 1;
                continue;
            }
            let folder = file.parent().unwrap_or(Path::new("")).to_owned();
            folders.entry(folder).or_default().push(file);
        }
    }
    let mut all = Vec::new();
    for (folder, mut files) in folders {
        files.sort_unstable();
        files.dedup();
        match layers {
            true => all.extend(files.into_iter().flat_map(|file| of_layers(&folder, file, work))),
            false => all.extend(of_folder(&folder, files)),
        }
    }
    Ok((all, done))
}

/// A cell for each layer of an OpenEXR file; one for any other file.
fn of_layers(folder: &Path, path: PathBuf, work: &Work) -> Vec<Cell> {
    let name = names::shown(path.file_name().unwrap_or(path.as_os_str()).as_bytes()).into_owned();
    let cell = |files| Cell { folder: folder.to_owned(), name: name.clone(), files };
    let limits = Limits::default();
    let header = || {
        let input = Input::open(&path, &limits, work).ok()?;
        let is_exr = input.kind_or_named() == FileKind::Exr;
        is_exr.then(|| input.exr_header(work).ok().map(layers_of)).flatten()
    };
    match header() {
        Some(all) if !all.is_empty() => {
            let path = |layer| Files::Layer { path: path.clone(), layer };
            all.into_iter().map(|layer| cell(path(layer))).collect()
        }
        // What is wrong with it is told where it is shown.
        _ => vec![cell(Files::One(path))],
    }
}

/// Sequences and single files, by name.
fn of_folder(folder: &Path, files: Vec<PathBuf>) -> Vec<Cell> {
    let is_image = |path: &PathBuf| ImageFormat::of_name(path).is_some();
    let (images, mut single): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_image);
    let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_owned();
    let image_names: Vec<_> = images.iter().map(name).collect();
    let found = collapse(image_names.iter().map(|name| name.as_bytes()));
    single.extend(found.files.iter().map(|name| at(folder, name.to_vec())));
    let mut all = Vec::new();
    for sequence in &found.sequences {
        if sequence.frames.len() < LEAST_FRAMES {
            let frames = sequence.frames.iter();
            single.extend(frames.map(|frame| at(folder, sequence.name(*frame))));
            continue;
        }
        all.push(of_sequence(folder, sequence));
    }
    for path in single {
        let name = names::shown(path.file_name().unwrap_or(path.as_os_str()).as_bytes());
        let (folder, name) = (folder.to_owned(), name.into_owned());
        all.push(Cell { folder, name, files: Files::One(path) });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn at(folder: &Path, name: Vec<u8>) -> PathBuf {
    solio_base::names::joined(folder, &std::ffi::OsString::from_vec(name))
}

fn of_sequence(folder: &Path, sequence: &Sequence) -> Cell {
    let count = sequence.frames.len();
    let frame = |index: usize| at(folder, sequence.name(sequence.frames[index]));
    let name = names::shown(&sequence.pattern(&sequence.range())).into_owned();
    let frames = [frame(0), frame(count / 2), frame(count - 1)];
    let missing = sequence.missing();
    Cell { folder: folder.to_owned(), name, files: Files::Sequence { frames, count, missing } }
}

/// Makes a cell; what is wrong is in it.
pub(super) fn shown(cell: &Cell, options: &SheetOptions, work: &Work) -> Shown {
    let mut shown =
        Shown { folder: cell.folder.clone(), name: cell.name.clone(), ..Shown::default() };
    let (sizes, picture): (Result<u64>, _) = match &cell.files {
        Files::One(path) => {
            (solio_io::file_bytes(path), thumbnail_of(path, &options.thumbnail, work))
        }
        Files::Layer { path, layer } => {
            shown.note.clone_from(&layer.name);
            let preview = PreviewOptions {
                choice: layer.choice.clone(),
                ..options.thumbnail.preview.clone()
            };
            let small = ThumbnailOptions { preview, ..options.thumbnail.clone() };
            (solio_io::file_bytes(path), thumbnail_of(path, &small, work))
        }
        Files::Sequence { frames, count, missing } => {
            shown.note = format!("{count} frames");
            if !missing.is_empty() {
                shown.note += &format!(", missing {missing}");
            }
            let sizes = frames.iter().map(|path| solio_io::file_bytes(path)).sum();
            (sizes, of_frames(frames, &options.thumbnail, work, &mut shown))
        }
    };
    // One error a cell: a file that is not there has neither.
    match (picture, sizes) {
        (Ok(picture), sizes) => {
            shown.missing.extend(picture.missing.clone());
            shown.picture = Some(picture);
            match sizes {
                Ok(bytes) => shown.bytes = bytes,
                Err(error) if shown.errors.is_empty() => shown.errors.push(error),
                Err(_) => {}
            }
        }
        (Err(error), _) => shown.errors.push(error),
    }
    shown
}

/// The middle frame, and below it the first and the last one, of half its size. Where one of these
/// cannot be shown its place is empty.
fn of_frames(
    [first, middle, last]: &[PathBuf; 3],
    options: &ThumbnailOptions,
    work: &Work,
    shown: &mut Shown,
) -> Result<Thumbnail> {
    let mut picture = thumbnail_of(middle, options, work)?;
    let smaller =
        ThumbnailOptions { size: options.size.saturating_sub(GAP) * 2 / 3, ..options.clone() };
    if picture.height > smaller.size {
        // With the others below it would be higher than a cell.
        picture = thumbnail_of(middle, &smaller, work)?;
    }
    let half = (picture.width.saturating_sub(GAP) / 2).max(1);
    let small = ThumbnailOptions { size: half.max(picture.height / 2), ..options.clone() };
    let mut ends = [first, last].map(|path| match thumbnail_of(path, &small, work) {
        Ok(end) => Some(end),
        Err(error) => {
            shown.errors.push(error);
            None
        }
    });
    for (which, small) in ["first", "last"].into_iter().zip(&ends) {
        let missing = small.as_ref().and_then(|small| small.missing.as_ref());
        shown.missing.extend(missing.map(|missing| format!("{which} frame: {missing}")));
    }
    picture.missing = picture.missing.map(|missing| format!("middle frame: {missing}"));
    let rows = ends.iter().flatten().map(|end| end.height).max().unwrap_or(0);
    let (width, top) = (picture.width, picture.height + GAP);
    picture.height = top + rows;
    picture.pixels.resize(3 * (width * picture.height) as usize, BETWEEN);
    for (end, x) in ends.iter_mut().zip([0, width.saturating_sub(half)]) {
        if let Some(end) = end {
            lay(&mut picture, end, x, top);
        }
    }
    Ok(picture)
}

/// Copies what of `small` is within `large`.
fn lay(large: &mut Thumbnail, small: &Thumbnail, x: u32, y: u32) {
    let columns = small.width.min(large.width.saturating_sub(x)) as usize;
    let rows = small.height.min(large.height.saturating_sub(y)) as usize;
    for row in 0..rows {
        let from = 3 * row * small.width as usize;
        let to = 3 * ((y as usize + row) * large.width as usize + x as usize);
        large.pixels[to..to + 3 * columns].copy_from_slice(&small.pixels[from..from + 3 * columns]);
    }
}
