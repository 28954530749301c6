//! Whether files are whole.

mod folder;
mod kinds;
mod mesh;
mod odd;
mod scene;

pub use folder::{Found, check_frames, find_files};
pub(crate) use kinds::promises_other;
pub use odd::{Odd, Rule};

use crate::image::any::read_picture;
use crate::{ImageFormat, Input, ToInput};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_codec::compress::Compression;
use solio_container::{check_container, checks};
use solio_exr::{CheckOptions, Problem};
use solio_kinds::{Ability, Family, FileKind};
use std::collections::BTreeSet;
use std::path::Path;

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
        self.problem_count() == 0
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
        // A sound text may lack its last line end: that is told, and no more.
        let odd = self.odd.iter().filter(|odd| odd.rule != Rule::End).count();
        self.problems.len() + self.text_problems.len() + odd
    }
}

/// Checks the file at `path`, by as little of it as tells:
///
/// * OpenEXR: header, tables, heads of chunks;
/// * JPEG, PNG, TIFF and raw photos, GIF, WebP, HEIF, MP4, PSD: the structure ([`whole`]);
/// * binary PLY and STL: the counts of the header; other meshes and HDR are read;
/// * pbrt scenes: every statement, name and file; archives (`.solio`): all sums;
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
pub fn check_file(
    input: &(impl ToInput + ?Sized),
    options: &CheckOptions,
    work: &Work,
) -> Result<FileCheck> {
    let input = input.to_input(&options.limits, work)?;
    match check_known(&input, options, work)? {
        check if check.format == OTHER && check.is_fine() => {
            let error = Error::unsupported("files of this kind cannot be checked");
            let known = FileKind::with(Ability::Check).map(FileKind::as_str);
            let known = known.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
            Err(error.at_path(input.path()).hint(match input.comes_once() {
                true => {
                    "what only its name tells, such as a scene, is checked as a file".to_owned()
                }
                false => format!("can be checked: {known}"),
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
pub fn check_found(
    input: &(impl ToInput + ?Sized),
    options: &CheckOptions,
    work: &Work,
) -> Result<FileCheck> {
    let input = input.to_input(&options.limits, work)?;
    let mut check = check_known(&input, options, work)?;
    check.odd.extend(odd::name(input.path()));
    Ok(check)
}

/// The format of files of no kind that can be checked.
const OTHER: &str = "other";

fn check_known(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let is_packed = input.compression() != Compression::None;
    let kind = input.kind_or_named();
    // Meshes and scene texts are read as they come; of all else the structure is followed at any
    // offset, and so in memory where the file cannot be.
    let is_read = kind.family() == Family::Mesh || kind == FileKind::Pbrt;
    if is_packed && !is_read {
        return unpacked(input, options, work);
    }
    if input.comes_once() && !is_read {
        let opened = input.stream(work)?;
        let bytes = in_room(&*opened.source, work.memory_bytes, &options.limits);
        let bytes = bytes.map_err(|e| e.at_path(input.path()))?;
        let inner = Input::of_bytes(input.path(), bytes, &options.limits)?;
        return check_content(&inner, options, work);
    }
    check_content(input, options, work)
}

/// By what it is; it can be read at any offset, or is one that is read as it comes.
fn check_content(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let path = input.path();
    let is_plain = input.compression() == Compression::None;
    if is_plain
        && !input.comes_once()
        && let Some(blank) = odd::blank(input, work)?
    {
        return Ok(FileCheck { format: OTHER, ..blank });
    }
    let kind = input.kind_or_named();
    let is_named = kind != input.kind();
    let name = unpacked_name(path);
    let is_unpacked = is_plain && name != path;
    let mut check = match kind {
        // The name promises packed content, which comes first.
        _ if is_named && is_unpacked => without_mark(path, path)?,
        FileKind::Archive => crate::image::unpack::check_archive(input, options, work)?,
        FileKind::Pbrt | FileKind::Pack => scene::check_scene(input, options, work)?,
        FileKind::Exr => check_exr(input, options, work)?,
        _ if checks(kind) && !matches!(input.kind(), FileKind::Data | FileKind::Text) => {
            structure(input, options, work)?
        }
        _ if kind.family() == Family::Mesh => mesh::check(input, options, work)?,
        _ => match ImageFormat::of_kind(input.kind()) {
            Some(format) => check_picture(input, format, work)?,
            None => without_mark(path, path)?,
        },
    };
    if !is_unpacked {
        check.odd.extend(kinds::misnamed(input.kind(), name));
    } else if check.is_fine() && check.format != OTHER {
        check.odd.extend(kinds::not_packed(check.format, path));
    }
    Ok(check)
}

/// By markers, chunks and boxes; the pixels, too, where they are asked for and known.
fn structure(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let path = input.path();
    let mut check = FileCheck { format: input.file_type().name(), ..FileCheck::default() };
    match check_container(input.kind(), &*input.source(work)?) {
        Ok(found) => {
            let found = found.unwrap_or_default();
            (check.found, check.notes) = (found.found, found.notes);
        }
        Err(e) => check.problems.push(problem(e, path)?),
    }
    let format = ImageFormat::of_kind(input.kind()).filter(|_| options.decode && check.is_fine());
    let Some(format) = format else { return Ok(check) };
    // Raw photos have pixels of their own, and many are TIFF but for their name.
    let has_name = path.extension().is_some();
    if !has_name && format == ImageFormat::Tiff {
        let note = "the pixels were not unpacked: without a name this may be a raw photo";
        check.notes.push(note.into());
    } else {
        let decoded = check_picture(input, format, work)?;
        check.problems = decoded.problems;
        check.notes.extend(decoded.notes);
    }
    Ok(check)
}

/// A packed file: what is known, or promised by the name, is unpacked and followed in memory; of all
/// else, whether it can be unpacked to its end.
fn unpacked(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let path = input.path();
    let name = unpacked_name(path);
    let opened = input.stream(work)?;
    let source = &*opened.source;
    let mut check = FileCheck { format: input.compression().as_str(), ..FileCheck::default() };
    if input.kind().can(Ability::Check) || kinds::with_mark(name).is_some() {
        let bytes = match in_room(source, work.memory_bytes, &options.limits) {
            Ok(bytes) => bytes,
            // Nothing is known to be wrong.
            Err(e) if e.kind() == ErrorKind::Limit => return Err(e.at_path(path)),
            Err(e) => {
                check.problems.push(problem(e, path)?);
                return Ok(check);
            }
        };
        let inner = Input::of_bytes(name, bytes, &options.limits)?;
        return match check_content(&inner, options, work)? {
            check if check.format == OTHER && check.is_fine() => without_mark(path, name),
            check => Ok(check),
        };
    }
    let mut part = vec![0; 1 << 20];
    let (mut bytes, mut is_zero) = (0, true);
    loop {
        match source.read_at(bytes, &mut part) {
            Ok(0) => break,
            Ok(got) => {
                bytes += got as u64;
                is_zero &= part[..got].iter().all(|byte| *byte == 0);
            }
            Err(e) => {
                check.problems.push(problem(e, path)?);
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
    let message = format!("the file does not start as {} does", kind.to_uppercase());
    let problem = problem(Error::corrupt(message).at_offset(0), path)?;
    Ok(FileCheck { format: kind, problems: vec![problem], ..FileCheck::default() })
}

/// The name without the extension of its compression.
fn unpacked_name(path: &Path) -> &Path {
    match path.file_stem() {
        Some(stem) if Compression::of_name(&path.to_string_lossy()) != Compression::None => {
            Path::new(stem)
        }
        _ => path,
    }
}

fn check_exr(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    // Only who unpacks pixels reads all of it.
    let source = if options.decode { input.whole(work)? } else { input.source(work)? };
    let checked = solio_exr::check_exr(&*source, options, work);
    let checked = checked.map_err(|e| e.at_path(input.path()))?;
    let (parts, chunks) = (checked.parts as u64, checked.chunks);
    let found = format!("{}, {}", plural(parts, "part"), plural(chunks, "chunk"));
    let (problems, notes) = (checked.problems, checked.notes);
    Ok(FileCheck { format: "exr", found, problems, notes, ..FileCheck::default() })
}

/// By unpacking it.
fn check_picture(input: &Input, format: ImageFormat, work: &Work) -> Result<FileCheck> {
    let mut check = FileCheck { format: format.as_str(), ..FileCheck::default() };
    match read_picture(input, format, true, work) {
        Ok(decoded) => {
            let window = decoded.image.parts[0].header.display_window();
            let [width, height] = window.map_or([0; 2], |w| [w.width(), w.height()]);
            check.found = format!("{width} × {height} pixels");
        }
        Err(e) if e.kind() == ErrorKind::Unsupported => {
            check.notes.push(format!("the pixels were not unpacked: {}", e.message()));
        }
        Err(e) => check.problems.push(problem(e, input.path())?),
    }
    Ok(check)
}

/// An error as a problem of the file; those that are none of the file's go on.
pub(crate) fn problem(e: Error, path: &Path) -> Result<Problem> {
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
