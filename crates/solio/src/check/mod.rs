//! Whether files are whole.

mod folder;
mod kinds;
mod mesh;
mod odd;
mod scene;

pub use folder::{Found, check_frames, find_files};
pub(crate) use kinds::promises_other;
pub use odd::{Odd, Rule};

use crate::Format;
use crate::any_image::read_picture;
use crate::picture::{Decoded, ImageFormat, decode};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_codec::array::file::is_array_file;
use solio_codec::compress::Compression;
use solio_container::{check_container, kind_of_head};
use solio_exr::{CheckOptions, Problem};
use solio_io::Opened;
use std::path::Path;

/// Bytes that tell a kind.
const HEAD_BYTES: usize = 4096;

/// What was found out about a file, or about the names in a folder.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("part.stl");
/// // A binary STL that promises two triangles and has one.
/// let bytes = [&[b' '; 80][..], &2_u32.to_le_bytes(), &[0; 50]].concat();
/// solio::write_bytes(&path, &bytes)?;
/// let check = solio::check_file(&path, &Default::default(), &Default::default())?;
/// assert_eq!((check.format, &*check.found), ("stl", "2 triangles"));
/// let problem = &check.problems[0];
/// assert_eq!(problem.message, "the file ends after 1 of 2 triangles");
/// assert_eq!(problem.offset, Some(134));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct FileCheck {
    /// `exr`, `obj`, `png`, …; `folder`; `other` for what is not known.
    pub format: &'static str,
    /// What it has: `2 parts, 120 chunks`.
    pub found: String,
    /// All that is wrong; nothing in a whole file.
    pub problems: Vec<Problem>,
    /// All that is wrong with a scene: each has its own file, line and column.
    pub text_problems: Vec<Error>,
    /// What is wrong with its name, or with what it is for its name.
    pub odd: Vec<Odd>,
    /// What is odd, but harms nobody.
    pub notes: Vec<String>,
}

impl FileCheck {
    /// Whether nothing is wrong.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("statue.stl");
    /// // A whole PLY, whose name says something else.
    /// let head = "ply\nformat ascii 1.0\nelement vertex 1\n";
    /// let properties = "property float x\nproperty float y\nproperty float z\nend_header\n";
    /// solio::write_bytes(&path, format!("{head}{properties}0 0 0\n").as_bytes())?;
    /// let check = solio::check_file(&path, &Default::default(), &Default::default())?;
    /// assert_eq!((check.format, check.problems.len()), ("ply", 0));
    /// assert!(!check.is_fine());
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn is_fine(&self) -> bool {
        self.problems.is_empty() && self.text_problems.is_empty() && self.odd.is_empty()
    }

    /// How much is wrong.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// // Cut off inside the head, and with a tab in its name.
    /// let path = folder.path().join("a\tb.stl");
    /// solio::write_bytes(&path, &[b' '; 40])?;
    /// let check = solio::check_found(&path, &Default::default(), &Default::default())?;
    /// assert_eq!((check.problems.len(), check.odd.len()), (1, 1));
    /// assert_eq!(check.problem_count(), 2);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn problem_count(&self) -> usize {
        self.problems.len() + self.text_problems.len() + self.odd.len()
    }
}

/// Checks the file at `path`, by as little of it as tells:
///
/// * OpenEXR: header, tables, heads of chunks;
/// * JPEG, PNG, TIFF and raw photos, GIF, WebP, HEIF, MP4, PSD: the structure ([`check_container`]);
/// * binary PLY and STL: the counts of the header; other meshes and HDR are read;
/// * scenes of pbrt: every statement, name and file; archives (`.solio`): all sums;
/// * of any file: that it is not empty nor all zeros, that its name is that of its content.
///
/// With [`CheckOptions::decode`] pixels and meshes are unpacked, too. What is wrong with the file is
/// in the result; an error says that it could not be looked at.
///
/// ```
/// use solio::{check_file, image::CheckOptions, write_bytes};
/// # use solio::{Work, color::gradient::colormap, gradient_image, write_image};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("beauty.exr");
/// # let work = Work::default();
/// # let image = gradient_image(&colormap("magma").unwrap(), [64, 64])?;
/// # write_image(&image, &path, &Default::default(), &work)?;
/// let options = CheckOptions { decode: true, ..CheckOptions::default() };
/// let check = check_file(&path, &options, &work)?;
/// assert!(check.is_fine());
/// assert_eq!(check.found, "1 part, 4 chunks");
/// // The same file, as a copy that was interrupted leaves it.
/// let whole = std::fs::read(&path).unwrap();
/// write_bytes(&path, &whole[..whole.len() - 1])?;
/// assert!(!check_file(&path, &CheckOptions::default(), &work)?.is_fine());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn check_file(path: &Path, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    match check_known(path, options, work)? {
        check if check.format == OTHER && check.is_fine() => {
            let error = Error::unsupported("this is no file that can be checked").at_path(path);
            Err(error.hint(match solio_io::is_direct(path) {
                true => "scenes of pbrt and what is told by its name are checked as files: name one",
                false => {
                    "known are EXR, PNG, JPEG, TIFF, HDR, GIF, WebP, HEIF, MP4, PSD, OBJ, PLY, STL, pbrt"
                }
            }))
        }
        check => Ok(check),
    }
}

/// [`check_file`] for a file that was found, not named: its name is looked at, too, and it may be of a
/// kind that is not known.
///
/// ```
/// use solio::{ErrorKind, check_file, check_found};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("notes.txt");
/// # let (options, work) = (Default::default(), Default::default());
/// solio::write_bytes(&path, b"look at frame 12 again\n")?;
/// let check = check_found(&path, &options, &work)?;
/// assert_eq!((check.format, check.is_fine()), ("other", true));
/// // Who names a file wants to hear about it.
/// assert_eq!(check_file(&path, &options, &work).unwrap_err().kind(), ErrorKind::Unsupported);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn check_found(path: &Path, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let mut check = check_known(path, options, work)?;
    check.odd.extend(odd::name(path));
    Ok(check)
}

/// The format of files of no kind that is known.
const OTHER: &str = "other";

fn check_known(path: &Path, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    if solio_io::is_direct(path) {
        return check_stream(path, options, work);
    }
    // A small part of the file is read: nothing ahead.
    let opening = Work { memory_bytes: 0, ..work.clone() };
    let opened = solio_io::open(path, &options.limits, &opening)?;
    let plain = opened.compression == Compression::None;
    let mut head = [0; HEAD_BYTES];
    let got =
        if plain { opened.source.read_at(0, &mut head).map_err(|e| e.at_path(path))? } else { 0 };
    let file = File { path, opened, head: &head[..got] };
    if plain && let Some(blank) = odd::blank(&file, unpacked_name(path))? {
        return Ok(FileCheck { format: OTHER, ..blank });
    }
    let mut check = file.check(options, work)?;
    check.odd.extend(kinds::misnamed(check.format, path));
    if plain && check.is_fine() && check.format != OTHER {
        check.odd.extend(kinds::not_packed(check.format, path));
    }
    Ok(check)
}

/// What comes once is told by its first bytes. Meshes are read as they come; of all else the structure is
/// followed in memory, as that of files is.
fn check_stream(path: &Path, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let opened = solio_io::open(path, &options.limits, work)?;
    let mut head = [0; HEAD_BYTES];
    let got = opened.source.read_at(0, &mut head).map_err(|e| e.at_path(path))?;
    let head = &head[..got];
    let is_known = ImageFormat::of_content(head).or(ImageFormat::of_name(path)).is_some()
        || kind_of_head(head).is_some()
        || is_array_file(head);
    let is_blank = head.iter().all(|byte| *byte == 0);
    if !is_known && !is_blank {
        let is_mesh = Format::of_content(head, None).or(Format::of_name(path)).is_some();
        return match is_mesh {
            true => mesh::check_opened(path, opened, &options.limits, work),
            false => Ok(FileCheck { format: OTHER, ..FileCheck::default() }),
        };
    }
    let bytes = in_room(&*opened.source, work.memory_bytes, &options.limits);
    let bytes = bytes.map_err(|e| e.at_path(path))?;
    let opened = Opened {
        file_bytes: Some(bytes.len() as u64),
        source: Box::new(bytes),
        compression: Compression::None,
    };
    let file = File { path, opened, head };
    if let Some(blank) = odd::blank(&file, path)? {
        return Ok(FileCheck { format: OTHER, ..blank });
    }
    file.check_in_memory(options, work)
}

/// A file that has been opened.
pub(crate) struct File<'f> {
    path: &'f Path,
    opened: Opened,
    /// The first bytes, where it is not packed.
    head: &'f [u8],
}

impl File<'_> {
    fn source(&self) -> &dyn Source {
        &*self.opened.source
    }

    fn check(self, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
        let path = self.path;
        if is_array_file(self.head) && crate::is_packed_scene(path) {
            return crate::image_unpack::check_archive(path, options, work);
        }
        if crate::is_scene(path) {
            let mut check = scene::check_scene(path, options, work)?;
            let is_text = !crate::is_packed_scene(path) && !self.head.is_empty();
            if is_text && check.is_fine() {
                check.odd.extend(odd::open_end(&self)?);
            }
            return Ok(check);
        }
        let by_content = ImageFormat::of_content(self.head);
        let by_name = ImageFormat::of_name(path);
        if by_content.or(by_name) == Some(ImageFormat::Exr) {
            return check_exr(path, Some(self.source()).filter(|_| !options.decode), options, work);
        }
        if kind_of_head(self.head).is_some() {
            return self.structure(by_content.or(by_name), options, work);
        }
        if by_content == Some(ImageFormat::Hdr) {
            return check_picture(path, ImageFormat::Hdr, &options.limits, work);
        }
        let is_mesh = matches!(
            Format::of_content(self.head, self.opened.file_bytes),
            Some(Format::Ply | Format::Stl)
        );
        if is_mesh || Format::of_name(path).is_some() {
            return mesh::check(path, Some(&self), options, work);
        }
        if self.opened.compression != Compression::None {
            return self.unpacked(options, work);
        }
        without_mark(path, path)
    }

    /// [`check`](File::check) of what cannot be opened again.
    fn check_in_memory(self, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
        let path = self.path;
        if is_array_file(self.head) {
            return crate::image_unpack::check_archive_in(path, self.opened.source, options, work);
        }
        let by_content = ImageFormat::of_content(self.head);
        let format = by_content.or(format_of_name(path));
        match format {
            Some(ImageFormat::Exr) => check_exr(path, Some(self.source()), options, work),
            _ if kind_of_head(self.head).is_some() => self.structure(format, options, work),
            Some(format) => self.pixels(format, &options.limits, work),
            None => Ok(FileCheck { format: OTHER, ..FileCheck::default() }),
        }
    }

    /// By unpacking it.
    fn pixels(&self, format: ImageFormat, limits: &Limits, work: &Work) -> Result<FileCheck> {
        let is_in_memory =
            self.opened.compression != Compression::None || solio_io::is_direct(self.path);
        if !is_in_memory {
            return check_picture(self.path, format, limits, work);
        }
        let read = || decode(&solio_io::bytes_of(self.source(), limits)?, format, true, limits);
        check_decoded(self.path, format, read)
    }

    /// By markers, chunks and boxes; the pixels, too, where they are asked for and known.
    fn structure(
        self,
        format: Option<ImageFormat>,
        options: &CheckOptions,
        work: &Work,
    ) -> Result<FileCheck> {
        let path = self.path;
        let format_name = kind_of_head(self.head).unwrap_or(OTHER);
        let mut check = FileCheck { format: format_name, ..FileCheck::default() };
        match check_container(format_name, self.source()) {
            Ok(found) => {
                let found = found.unwrap_or_default();
                (check.found, check.notes) = (found.found, found.notes);
            }
            Err(e) => check.problems.push(problem(e, path)?),
        }
        let Some(format) = format.filter(|_| options.decode && check.is_fine()) else {
            return Ok(check);
        };
        // Raw photos have pixels of their own, and many are TIFF but for their name.
        let by_name = format_of_name(path);
        let no_name = by_name.is_none() && solio_io::is_direct(path);
        if no_name && format == ImageFormat::Tiff {
            let note = "the pixels were not unpacked: without a name this may be a raw photo";
            check.notes.push(note.into());
        } else if no_name || by_name == Some(format) {
            let decoded = self.pixels(format, &options.limits, work)?;
            check.problems = decoded.problems;
            check.notes.extend(decoded.notes);
        }
        Ok(check)
    }

    /// A packed file: what is known, or promised by the name, is unpacked and followed in memory; of all
    /// else, whether it can be unpacked to its end.
    fn unpacked(self, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
        let path = self.path;
        let format = self.opened.compression.as_str();
        let mut head = [0; HEAD_BYTES];
        // Where not even that much can be unpacked, that is told below.
        let got = self.source().read_at(0, &mut head).unwrap_or(0);
        let head = &head[..got];
        let name = unpacked_name(path);
        let mut check = FileCheck { format, ..FileCheck::default() };
        if ImageFormat::of_content(head).is_some()
            || kind_of_head(head).is_some()
            || kinds::with_mark(name).is_some()
        {
            return match in_room(self.source(), work.memory_bytes, &options.limits) {
                Ok(bytes) => self.in_memory(bytes, head, name, options, work),
                // Nothing is known to be wrong.
                Err(e) if e.kind() == ErrorKind::Limit => Err(e.at_path(path)),
                Err(e) => {
                    check.problems.push(problem(e, path)?);
                    Ok(check)
                }
            };
        }
        let mut part = vec![0; 1 << 20];
        let mut bytes = 0;
        let mut is_zero = true;
        loop {
            match self.source().read_at(bytes, &mut part) {
                Ok(0) => break,
                Ok(got) => {
                    bytes += got as u64;
                    is_zero &= part[..got].iter().all(|byte| *byte == 0);
                }
                Err(e) => {
                    check.problems.push(problem(e, self.path)?);
                    break;
                }
            }
        }
        check.found = format!("{bytes} bytes unpacked");
        if is_zero && check.is_fine() {
            check.odd.extend(odd::zeros(bytes));
        }
        Ok(check)
    }

    /// A packed file whose content is `bytes`; unpacked it would be called `name`.
    fn in_memory(
        self,
        bytes: Vec<u8>,
        head: &[u8],
        name: &Path,
        options: &CheckOptions,
        work: &Work,
    ) -> Result<FileCheck> {
        let path = self.path;
        let file_bytes = Some(bytes.len() as u64);
        let opened = Opened { file_bytes, source: Box::new(bytes), ..self.opened };
        let file = File { path, opened, head };
        if let Some(blank) = odd::blank(&file, name)? {
            return Ok(FileCheck { format: OTHER, ..blank });
        }
        let mut check = file.check_in_memory(options, work)?;
        if check.format == OTHER && check.is_fine() {
            return without_mark(path, name);
        }
        check.odd.extend(kinds::misnamed(check.format, name));
        Ok(check)
    }
}

/// All bytes, where they take no more than half of the memory: what grows is moved.
fn in_room(source: &dyn Source, memory_bytes: u64, limits: &Limits) -> Result<Vec<u8>> {
    let bytes = memory_bytes / 2;
    if bytes >= limits.bytes {
        return solio_io::bytes_of(source, limits);
    }
    solio_io::bytes_of(source, &Limits { bytes, ..*limits }).map_err(|e| match e.kind() {
        ErrorKind::Limit => {
            e.hint("it is checked in memory: more of --mem or fewer --jobs, or unpack it")
        }
        _ => e,
    })
}

/// What is to be said of a file that starts as none that is known.
fn without_mark(path: &Path, name: &Path) -> Result<FileCheck> {
    let packed = Compression::of_name(&path.to_string_lossy());
    let packed = (name == path && packed != Compression::None).then(|| packed.as_str());
    let Some(kind) = packed.or_else(|| kinds::with_mark(name)) else {
        return Ok(FileCheck { format: OTHER, ..FileCheck::default() });
    };
    let message = format!("this is no {}: it does not start as one", kind.to_uppercase());
    let problem = problem(Error::corrupt(message).at_offset(0), path)?;
    Ok(FileCheck { format: kind, problems: vec![problem], ..FileCheck::default() })
}

/// The name without the end that says how it is packed.
fn unpacked_name(path: &Path) -> &Path {
    match path.file_stem() {
        Some(stem) if Compression::of_name(&path.to_string_lossy()) != Compression::None => {
            Path::new(stem)
        }
        _ => path,
    }
}

/// The image format that a name tells, of a packed file the name before the end of that.
fn format_of_name(path: &Path) -> Option<ImageFormat> {
    ImageFormat::of_name(unpacked_name(path))
}

fn check_exr(
    path: &Path,
    opened: Option<&dyn Source>,
    options: &CheckOptions,
    work: &Work,
) -> Result<FileCheck> {
    let again;
    let source = match opened {
        Some(source) => source,
        None => {
            again = solio_io::open(path, &options.limits, work)?;
            &*again.source
        }
    };
    let checked = solio_exr::check_exr(source, options, work).map_err(|e| e.at_path(path))?;
    let (parts, chunks) = (checked.parts as u64, checked.chunks);
    let found = format!("{}, {}", plural(parts, "part"), plural(chunks, "chunk"));
    let (problems, notes) = (checked.problems, checked.notes);
    Ok(FileCheck { format: "exr", found, problems, notes, ..FileCheck::default() })
}

/// By unpacking it.
fn check_picture(
    path: &Path,
    format: ImageFormat,
    limits: &Limits,
    work: &Work,
) -> Result<FileCheck> {
    check_decoded(path, format, || read_picture(path, format, true, limits, work))
}

fn check_decoded(
    path: &Path,
    format: ImageFormat,
    decoded: impl FnOnce() -> Result<Decoded>,
) -> Result<FileCheck> {
    let read = || -> Result<(u64, u64)> {
        let decoded = decoded()?;
        let window = decoded.image.parts[0].header.display_window();
        Ok(window.map_or((0, 0), |window| (window.width(), window.height())))
    };
    let mut check = FileCheck { format: format.as_str(), ..FileCheck::default() };
    match read() {
        Ok((width, height)) => check.found = format!("{width} × {height} pixels"),
        Err(e) if e.kind() == ErrorKind::Unsupported => {
            check.notes.push(format!("the pixels were not unpacked: {}", e.message()));
        }
        Err(e) => check.problems.push(problem(e, path)?),
    }
    Ok(check)
}

/// An error as a problem of the file; those that are none of the file's go on.
fn problem(e: Error, path: &Path) -> Result<Problem> {
    if matches!(e.kind(), ErrorKind::Io | ErrorKind::Cancelled) {
        return Err(e.at_path(path));
    }
    let place = e.line().map_or(String::new(), |line| format!("line {line}: "));
    let message = format!("{place}{}", e.message());
    Ok(Problem { kind: e.kind(), offset: e.offset(), part: None, chunks: None, message })
}

pub(crate) fn plural(count: u64, name: &str) -> String {
    match (count, name) {
        (1, name) => format!("1 {name}"),
        (count, "vertex") => format!("{count} vertices"),
        (count, "entry") => format!("{count} entries"),
        (count, name) => format!("{count} {name}s"),
    }
}
