//! Files of images put together, and taken apart.

use crate::image::any::format_of;
use crate::image::convert::{change, output_format, put, read, side_by_side};
use crate::{ImageConvertOptions, ImageConverted, ImageFormat, Input};
use solio_base::{Error, Result, Work};
use solio_image::{ImageGroup, MergeInput, edit, merge_images, split_image};
use solio_measure::Stopwatch;
use std::path::{Path, PathBuf};

/// Files that become one.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeJob {
    /// The files, in order.
    pub inputs: Vec<PathBuf>,
    /// What each is called: a layer, a part or a view.
    pub names: Vec<String>,
    /// Whether somebody chose the names; else they stand where names would be the same otherwise.
    pub chosen: bool,
    /// The file that is written.
    pub output: PathBuf,
}

/// Puts the images of each job together ([`merge_images`](crate::image::merge_images)) and hands what was done to `each`, in order,
/// until that gives `false` or an error. Small images are worked on at once, as by
/// [`convert_images`](crate::convert_images). All of `options` apply to what is put together, but for
/// [`ImageConvertOptions::parts`].
///
/// ```
/// use solio::{ImageConvertOptions, ImageGroup, MergeJob, merge_image_files};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [key, fill, light] = ["key.exr", "fill.exr", "light.exr"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # for path in [&key, &fill] {
/// #     solio::write_image(&solio::gradient_image(&map, [8, 4])?, path, &Default::default(), &work)?;
/// # }
/// let names = vec!["key".into(), "fill".into()];
/// let inputs = vec![key, fill];
/// let jobs = [MergeJob { inputs, names, chosen: true, output: light.clone() }];
/// let options = ImageConvertOptions::default();
/// merge_image_files(&jobs, ImageGroup::Layers, &options, &work, |_, done| done.map(|_| true))?;
/// let header = solio::image_header(&light, &Default::default(), &work)?;
/// assert_eq!(header.parts[0].shape()?.channels[0].name, "fill.A");
/// # Ok::<(), solio::Error>(())
/// ```
pub fn merge_image_files(
    jobs: &[MergeJob],
    by: ImageGroup,
    options: &ImageConvertOptions,
    work: &Work,
    mut each: impl FnMut(&MergeJob, Result<ImageConverted>) -> Result<bool> + Send,
) -> Result<()> {
    let inputs = |index: usize| &jobs[index].inputs[..];
    let merge = |index: usize, opened: Vec<Result<Input>>, work: &Work| {
        merge_opened(&jobs[index], opened, by, options, work)
    };
    let each = |index: usize, result| each(&jobs[index], result);
    side_by_side(jobs.len(), inputs, (&options.changes, &options.limits), work, merge, each)
}

fn merge_opened(
    job: &MergeJob,
    opened: Vec<Result<Input>>,
    by: ImageGroup,
    options: &ImageConvertOptions,
    work: &Work,
) -> Result<ImageConverted> {
    let output = &job.output;
    let format = output_format(output, options)?;
    if format != ImageFormat::Exr {
        let error = Error::argument("only OpenEXR holds several images").at_path(output);
        return Err(error.hint("name the output .exr"));
    }
    if !options.parts.is_empty() {
        return Err(Error::argument("parts are chosen of one file, not of several")
            .hint("leave out --part, or --join"));
    }
    let watch = Stopwatch::start();
    let mut done = ImageConverted::default();
    let mut inputs = Vec::with_capacity(opened.len());
    for (number, input) in opened.into_iter().enumerate() {
        let input = input?;
        let image = read_all(&input, options, &mut done, work)?;
        done.read_bytes += input.file_bytes().unwrap_or(0);
        let name = job.names.get(number).cloned().unwrap_or_default();
        inputs.push(MergeInput { name, chosen: job.chosen, image });
    }
    done.read = watch.usage();
    let watch = Stopwatch::start();
    let path = job.inputs.first().map_or(output.as_path(), PathBuf::as_path);
    let at = |e: Error| e.at_path(output);
    let (mut image, losses) = merge_images(inputs, by, &options.limits).map_err(at)?;
    done.losses.extend(losses);
    let patterns = match &options.picture.choice.layer {
        Some(layer) if options.channels.is_empty() => vec![format!("{layer}.*")],
        _ => options.channels.clone(),
    };
    if !patterns.is_empty() {
        edit::keep(&mut image, &patterns).map_err(at)?;
    }
    change(&mut image, false, format, options, &mut done, work).map_err(at)?;
    put(&image, path, (output, format), options, &mut done, work)?;
    done.write = watch.usage();
    Ok(done)
}

/// The whole image, whatever is chosen of it later.
fn read_all(
    input: &Input,
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<solio_exr::Image<'static>> {
    let mut all = ImageConvertOptions { channels: Vec::new(), ..options.clone() };
    all.picture.choice = Default::default();
    let image = read(input, ImageFormat::Exr, &all, done, work);
    image.map_err(|e| e.at_path(input.path()))
}

/// A file that came of another one, and what was done for it.
pub type SplitPiece = (PathBuf, ImageConverted);

/// Takes the image of each file apart ([`split_image`](crate::image::split_image)) and writes each piece to the path that `place` gives
/// to the number of the file and the name of the piece; hands what was done to `each`, in order, until that
/// gives `false` or an error. All of `options` apply to the image before it is taken apart.
///
/// ```
/// use solio::{ImageConvertOptions, ImageGroup, split_image_files};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_image(&solio::gradient_image(&map, [8, 4])?, &path, &Default::default(), &work)?;
/// let options = ImageConvertOptions { rename: vec![("R".into(), "warm.R".into())], ..Default::default() };
/// let place = |_: usize, name: &str| folder.path().join(format!("a.{name}.exr"));
/// let mut files = Vec::new();
/// split_image_files(&[path.clone()], ImageGroup::Layers, place, &options, &work, |_, done| {
///     files.extend(done?.into_iter().map(|(path, _)| path));
///     Ok(true)
/// })?;
/// assert_eq!(files, ["a.rgba.exr", "a.warm.exr"].map(|name| folder.path().join(name)));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn split_image_files(
    files: &[PathBuf],
    by: ImageGroup,
    place: impl Fn(usize, &str) -> PathBuf + Sync,
    options: &ImageConvertOptions,
    work: &Work,
    mut each: impl FnMut(&Path, Result<Vec<SplitPiece>>) -> Result<bool> + Send,
) -> Result<()> {
    let inputs = |index: usize| std::slice::from_ref(&files[index]);
    let split = |index: usize, opened: Vec<Result<Input>>, work: &Work| {
        let mut opened = opened.into_iter();
        let input = opened.next().unwrap_or_else(|| Err(Error::argument("no input")))?;
        split_opened(&input, by, |name| place(index, name), options, work)
    };
    let each = |index: usize, result| each(&files[index], result);
    side_by_side(files.len(), inputs, (&options.changes, &options.limits), work, split, each)
}

fn split_opened(
    input: &Input,
    by: ImageGroup,
    place: impl Fn(&str) -> PathBuf,
    options: &ImageConvertOptions,
    work: &Work,
) -> Result<Vec<SplitPiece>> {
    let path = input.path();
    let at = |e: Error| e.at_path(path);
    let watch = Stopwatch::start();
    let mut done = ImageConverted::default();
    let mut image = match options.channels.is_empty() && options.picture.choice.layer.is_none() {
        true => read_all(input, options, &mut done, work)?,
        false => read(input, ImageFormat::Exr, options, &mut done, work).map_err(at)?,
    };
    done.read = watch.usage();
    let straight = options.picture.raw && format_of(input) != Some(ImageFormat::Exr);
    change(&mut image, straight, ImageFormat::Exr, options, &mut done, work).map_err(at)?;
    let pieces = split_image(image, by).map_err(at)?;
    let mut places: Vec<PathBuf> = Vec::new();
    for (name, _) in &pieces {
        let output = place(name);
        if places.contains(&output) {
            let error = Error::argument(format!("two pieces would be {}", output.display()));
            return Err(at(error));
        }
        output_format(&output, options)?;
        places.push(output);
    }
    // What concerns the whole image is told with its first piece.
    let read_bytes = input.file_bytes().unwrap_or(0);
    let mut all = Vec::with_capacity(pieces.len());
    for (output, (_, piece)) in places.into_iter().zip(pieces) {
        let watch = Stopwatch::start();
        let mut of_piece = match all.is_empty() {
            true => ImageConverted { read_bytes, ..std::mem::take(&mut done) },
            false => ImageConverted::default(),
        };
        let format = output_format(&output, options)?;
        put(&piece, path, (&output, format), options, &mut of_piece, work)?;
        of_piece.write = watch.usage();
        all.push((output, of_piece));
    }
    Ok(all)
}
