//! Images from file to file: read, changed, written; many at once where they are small.

use crate::image::any::{format_of, picture_bytes, write_picture};
use crate::image::attributes::set_input;
use crate::image::change::ImageChanges;
use crate::image::resize_rows::resized_by_rows;
use crate::tree::each_file::in_turn;
use crate::{
    Choice, Frame, ImageFormat, ImageWriteOptions, Input, PictureOptions, SetOptions, ToInput,
    Written, part_number,
};
use solio_base::{Error, ErrorKind, Limits, Loss, Losses, Progress, Result, Work, lock};
use solio_exr::header::{Attribute, Box2i, Header, Part, Value, check_attribute, differing};
use solio_exr::model::{Image, Pixels, Plane, Samples};
use solio_exr::{CheckOptions, Compression, Layout, Levels, PixelType, ReadOptions, WriteOptions};
use solio_image::{
    Encoded, can_choose_floats, choose, cryptomatte, cut_error, decode, edit, encode_picture,
    losses, picture_names,
};
use solio_measure::{Stopwatch, Usage};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

/// What an image becomes on its way from file to file.
///
/// ```
/// use solio::image::{PixelType, header::Box2i};
/// use solio::{ImageConvertOptions, convert_image};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, part] = ["beauty.exr", "part.exr"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [8, 4])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// // The left half of the colours as half, in a layer of their own.
/// let options = ImageConvertOptions {
///     channels: ["R", "G", "B"].map(String::from).into(),
///     rename: vec![("*".into(), "diffuse.*".into())],
///     crop: Some(Box2i { min: [0, 0], max: [3, 3] }),
///     pixel_type: Some(PixelType::Half),
///     ..ImageConvertOptions::default()
/// };
/// convert_image(&path, &part, &options, &work)?;
/// let shape = solio::image_header(&part, &Default::default(), &work)?.parts[0].shape()?;
/// assert_eq!(shape.data_window.width(), 4);
/// assert_eq!((&*shape.channels[0].name, shape.channels.len()), ("diffuse.B", 3));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ImageConvertOptions {
    /// The format; `None` takes it from the name of the output.
    pub format: Option<ImageFormat>,
    /// Parts by number or name; none means all.
    pub parts: Vec<String>,
    /// Channels by their full names, or patterns with one `*`; none means all.
    pub channels: Vec<String>,
    /// Channels that get other names: old and new, both with one `*` or without.
    pub rename: Vec<(String, String)>,
    /// Of a Cryptomatte: the coverage by the things of these names, as one channel `Y`. The layer of
    /// `picture` is that of the Cryptomatte. Pictures get it as it is, without a curve.
    pub mattes: Vec<String>,
    /// Only these pixels, in the coordinates of the data window.
    pub crop: Option<Box2i>,
    /// How floating point samples of an OpenEXR file are stored; `Float` is also for TIFF, which gets
    /// 32 bits. Other formats refuse it.
    pub pixel_type: Option<PixelType>,
    /// The channels that `pixel_type` is for, by their new names, or patterns with one `*`. None means
    /// all, but 16 bits get only those that are not ids: these have to be named.
    pub pixel_channels: Vec<String>,
    /// What is done with the pixels.
    pub changes: ImageChanges,
    /// Chunks that are missing or damaged become zeros, with a warning.
    pub partial: bool,
    /// Refuse, before anything is written, where the output does not hold something of the input
    /// ([`ImageConverted::losses`]).
    pub strict_loss: bool,
    /// How OpenEXR is written.
    pub write: ImageWriteOptions,
    /// How pictures of other formats are made. `raw` also concerns those that are read, and the layer
    /// OpenEXR, where no `channels` are named.
    pub picture: PictureOptions,
    /// What a file may make us do.
    pub limits: Limits,
}

/// What a conversion did.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, jpg] = ["fade.exr", "fade.jpg"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [8, 4])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// let done = solio::convert_image(&path, &jpg, &Default::default(), &work)?;
/// assert_eq!((done.size, done.channels), ([8, 4], 4));
/// assert_eq!(done.written.files, [(jpg, done.written.file_bytes)]);
/// // Four channels were read, and JPEG has no alpha: that is told.
/// assert!(done.losses.iter().any(|loss| loss.what == "alpha"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ImageConverted {
    /// The file that was written.
    pub written: Written,
    /// Bytes of the file that was read.
    pub read_bytes: u64,
    /// Columns and rows of the first part, or of the picture, that was written.
    pub size: [u64; 2],
    /// Parts and channels that were written.
    pub parts: usize,
    /// The channels of all parts together.
    pub channels: usize,
    /// What of the output was not what the input plainly says, such as chunks that are missing.
    pub notes: Vec<String>,
    /// What the output does not hold of the input.
    pub losses: Losses,
    /// What reading took; with several files at once the CPU time is that of all.
    pub read: Usage,
    /// What writing took.
    pub write: Usage,
}

/// A file to read and one to write.
pub type ImageJob = (PathBuf, PathBuf);

/// Converts the images of all `jobs` and hands what was done to `each`, in order, until that gives
/// `false` or an error. Small images are worked on at once, within the memory of `work`; large ones
/// one after the other, with all threads.
///
/// ```
/// use solio::{ImageConvertOptions, ImageJob, convert_images};
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path();
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [8, 4])?;
/// # for name in ["1.exr", "3.exr"] {
/// #     solio::write_image(&image, &root.join(name), &Default::default(), &work)?;
/// # }
/// // A sequence that lacks its second frame becomes PNG.
/// let path = |frame: u32, end: &str| root.join(format!("{frame}.{end}"));
/// let jobs = [1, 2, 3].map(|frame| -> ImageJob { (path(frame, "exr"), path(frame, "png")) });
/// let mut failed = Vec::new();
/// convert_images(&jobs, &ImageConvertOptions::default(), &work, |(input, _), done| {
///     if done.is_err() {
///         failed.push(input.clone());
///     }
///     Ok(true)
/// })?;
/// assert_eq!(failed, [path(2, "exr")]);
/// assert!(path(1, "png").exists() && path(3, "png").exists());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn convert_images(
    jobs: &[ImageJob],
    options: &ImageConvertOptions,
    work: &Work,
    mut each: impl FnMut(&ImageJob, Result<ImageConverted>) -> Result<bool> + Send,
) -> Result<()> {
    let inputs = |index: usize| std::slice::from_ref(&jobs[index].0);
    let convert = |index: usize, opened: Vec<Result<Input>>, work: &Work| {
        let mut opened = opened.into_iter();
        let input = opened.next().unwrap_or_else(|| Err(Error::argument("no input")))?;
        convert_input(&input, &jobs[index].1, options, work)
    };
    let each = |index: usize, result| each(&jobs[index], result);
    side_by_side(jobs.len(), inputs, (&options.changes, &options.limits), work, convert, each)
}

/// Does so many jobs, each with files of its own, at once where they are small, within the memory of `work`;
/// hands what they give to `each`, in order.
pub(crate) fn side_by_side<'p, T: Send>(
    count: usize,
    inputs: impl Fn(usize) -> &'p [PathBuf] + Sync,
    (changes, limits): (&ImageChanges, &Limits),
    work: &Work,
    convert: impl Fn(usize, Vec<Result<Input>>, &Work) -> Result<T> + Sync,
    each: impl FnMut(usize, Result<T>) -> Result<bool> + Send,
) -> Result<()> {
    let budget = Budget { free: Mutex::new(work.memory_bytes), returned: Condvar::new() };
    let at_once = work.threads.min(count).max(1);
    let convert = |index: usize| {
        let open = |input: &PathBuf| Input::open(input, limits, work);
        let opened: Vec<Result<Input>> = inputs(index).iter().map(open).collect();
        let needs = opened.iter().flatten().map(|input| need(input, changes, work));
        let need = needs.fold(0, u64::saturating_add).min(work.memory_bytes).max(1);
        let _held = budget.take(need);
        // An image that leaves room for no other may have all threads.
        let alone = at_once == 1 || need > work.memory_bytes / 2;
        let threads = if alone { work.threads } else { 1 };
        let memory_bytes = need.max(work.memory_bytes / at_once as u64);
        let single = Work { threads, memory_bytes, ..work.clone() };
        convert(index, opened, &single)
    };
    let window = if at_once == 1 { 1 } else { 2 * at_once };
    in_turn(count, window, work, convert, each)
}

/// Memory that the images under way share.
struct Budget {
    free: Mutex<u64>,
    returned: Condvar,
}

/// Bytes that go back into the budget.
struct Held<'a>(&'a Budget, u64);

impl Budget {
    /// Waits until so many bytes are free.
    fn take(&self, bytes: u64) -> Held<'_> {
        let mut free = lock(&self.free);
        while *free < bytes {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Held(self, bytes)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *lock(&self.0.free) += self.1;
        self.0.returned.notify_all();
    }
}

/// About how much memory a conversion needs: the pixels, and half as much for what is made of them.
fn need(input: &Input, changes: &ImageChanges, work: &Work) -> u64 {
    if input.comes_once() {
        return work.memory_bytes;
    }
    let pixels = match format_of(input).filter(|format| *format != ImageFormat::Exr) {
        Some(format) => picture_bytes(input, format, work),
        None => sample_bytes(input, work),
    };
    // What does not tell has all for itself.
    let Some(pixels) = pixels else { return work.memory_bytes };
    pixels.saturating_add(pixels / 2).saturating_add(changes.bytes_made_of(pixels, input, work))
}

/// The bytes of all samples of an OpenEXR file; `None` where parts are deep: only their chunks tell how
/// many there are.
pub(crate) fn sample_bytes(input: &Input, work: &Work) -> Option<u64> {
    // A file that cannot be read needs none, and says so where it is read.
    let Ok(header) = input.exr_header(work) else { return Some(0) };
    if header.parts.iter().any(|part| part.kind().is_deep()) {
        return None;
    }
    let shapes = header.parts.iter().filter_map(|part| part.shape().ok());
    let bytes = shapes.map(|shape| {
        let bytes: u64 = shape.channels.iter().map(|c| c.pixel_type.bytes() as u64).sum();
        let window = &shape.data_window;
        window.width().saturating_mul(window.height()).saturating_mul(bytes)
    });
    Some(bytes.fold(0, u64::saturating_add))
}

/// Converts the image at `input` to `output`, which appears whole or not at all.
///
/// ```
/// use solio::image::{Compression, header::Value};
/// use solio::{ImageConvertOptions, convert_image};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [png, exr] = ["map.png", "map.exr"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_bytes(&png, &solio::gradient_strips(&[map], [8, 4])?.to_png()?)?;
/// let mut options = ImageConvertOptions::default();
/// options.write.exr.compression = Some(Compression::Piz);
/// convert_image(&png, &exr, &options, &work)?;
/// let header = solio::image_header(&exr, &Default::default(), &work)?;
/// let compression = header.parts[0].get("compression");
/// assert_eq!(compression, Some(&Value::Compression(Compression::Piz)));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn convert_image(
    input: &(impl ToInput + ?Sized),
    output: &Path,
    options: &ImageConvertOptions,
    work: &Work,
) -> Result<ImageConverted> {
    convert_input(&*input.to_input(&options.limits, work)?, output, options, work)
}

/// The format of the output, to which all options apply.
pub(crate) fn output_format(output: &Path, options: &ImageConvertOptions) -> Result<ImageFormat> {
    let format = options.format.or_else(|| ImageFormat::of_name(output)).ok_or_else(|| {
        Error::argument("the output's extension is not that of an image format")
            .at_path(output)
            .hint(format!("use {}, or add --format", ImageFormat::written_extensions()))
    })?;
    check_options(format, options)?;
    Ok(format)
}

fn convert_input(
    input: &Input,
    output: &Path,
    options: &ImageConvertOptions,
    work: &Work,
) -> Result<ImageConverted> {
    let format = output_format(output, options)?;
    let watch = Stopwatch::start();
    if let Some(copied) = copy(input, output, format, options, work)? {
        return Ok(copied);
    }
    let path = input.path();
    let mut done = ImageConverted::default();
    let by_rows = match format {
        ImageFormat::Exr => resized_by_rows(input, options, &mut done, work),
        _ => Ok(None),
    };
    let by_rows = by_rows.map_err(|e| e.at_path(path))?;
    let of_rest;
    let (image, options) = match by_rows {
        Some(image) => {
            let changes = ImageChanges { resize: None, ..options.changes.clone() };
            of_rest = ImageConvertOptions { changes, ..options.clone() };
            (Ok(image), &of_rest)
        }
        None => (read(input, format, options, &mut done, work), options),
    };
    let mut image = image.map_err(|e| e.at_path(path))?;
    done.read = watch.usage();
    done.read_bytes = input.file_bytes().unwrap_or(0);
    let watch = Stopwatch::start();
    let straight = options.picture.raw && format_of(input) != Some(ImageFormat::Exr);
    let changed = change(&mut image, straight, format, options, &mut done, work);
    changed.map_err(|e: Error| e.at_path(path))?;
    put(&image, path, (output, format), options, &mut done, work)?;
    done.write = watch.usage();
    Ok(done)
}

/// Changes pixels, names and types as they are wanted of a file of `format`. With `straight` colours are not
/// multiplied by alpha.
pub(crate) fn change(
    image: &mut Image<'_>,
    straight: bool,
    format: ImageFormat,
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<()> {
    let how = (&options.write.exr, &options.limits);
    options.changes.apply(image, straight, &mut done.notes, how, work)?;
    let mut change = |image: &mut Image<'_>| {
        if format != ImageFormat::Exr {
            // Their channels have no names.
            return edit::check_names(image, &options.rename).map(|()| Losses::default());
        }
        if !options.rename.is_empty() {
            done.notes.extend(edit::rename(image, &options.rename)?);
        }
        let Some(pixel_type) = options.pixel_type else { return Ok(Losses::default()) };
        let (losses, kept) = edit::convert(image, pixel_type, &options.pixel_channels)?;
        if let [first, ..] = &kept[..] {
            let count = kept.len();
            done.notes.push(format!(
                "{count} channels of ids keep 32 bits, such as {first:?}: name those to be converted, \
                 --half={first}"
            ));
        }
        Ok(losses)
    };
    done.losses.extend(change(image)?);
    Ok(())
}

/// Writes `image`, which was read from `path`, to `output`.
pub(crate) fn put(
    image: &Image<'_>,
    path: &Path,
    (output, format): (&Path, ImageFormat),
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<()> {
    describe(image, done);
    let refuse = |losses: &Losses| match options.strict_loss {
        true => losses.refuse().map_err(|e| e.at_path(path)),
        false => Ok(()),
    };
    if format == ImageFormat::Exr {
        done.losses.extend(lost_again(image, options));
        let exr = &options.changes.layout(&options.write.exr);
        let lost = losses::of_compression(image, exr, &options.limits, work);
        done.losses.extend(lost.map_err(|e| own_fault(image, e).at_path(path))?);
        refuse(&done.losses)?;
        let write = ImageWriteOptions { exr: *exr, ..options.write };
        let written = crate::image::file::write_exr(image, output, &write, work);
        done.written = written.map_err(|e| own_fault(image, e).at_path(path))?;
        done.notes.extend(grown(image, options, done));
    } else {
        let mut picture = options.picture.clone();
        // Parts and channels were chosen when the image was read.
        picture.choice.part = None;
        if options.crop.is_some() {
            picture.frame = Frame::Data;
        }
        if !options.mattes.is_empty() {
            picture = PictureOptions { choice: Choice::default(), raw: true, ..picture };
        }
        if options.pixel_type.is_some() {
            picture.bits = Some(FLOAT_BITS);
        }
        let made = encode_picture(image, format, &picture, &options.limits, work);
        let Encoded { bytes, size, losses } = made.map_err(|e| e.at_path(path))?;
        done.size = size;
        done.losses.extend(losses);
        refuse(&done.losses)?;
        done.written = write_picture(&bytes, output, options.write.durable, work)?;
    }
    Ok(())
}

/// What kept an image from being written. Where that is its header as it was read, nothing was asked
/// for wrongly.
fn own_fault(image: &Image<'_>, error: Error) -> Error {
    if error.kind() != ErrorKind::Argument {
        return error;
    }
    let parts = || image.parts.iter().map(|part| &part.header);
    let mut attributes = parts().flat_map(|part| &part.attributes);
    let unsound = attributes.find_map(|Attribute { name, value }| {
        Some((check_attribute(name, value).err()?.message().to_owned(), name.as_str()))
    });
    let differs = || {
        let first = parts().next()?;
        let name = parts().skip(1).find_map(|part| differing(first, part).next())?;
        Some((format!("its parts differ in {name:?}, which all have alike"), name))
    };
    let Some((message, name)) = unsound.or_else(differs) else { return error };
    let hint = "no other program opens such a file; change it before: `solio set";
    Error::corrupt(message).hint(format!("{hint} {name}=… FILE`"))
}

/// Copies a whole OpenEXR file of which nothing is to change, chunks and all: what a lossy method
/// has left does not become less once more. `None` where there is something to do.
fn copy(
    input: &Input,
    output: &Path,
    format: ImageFormat,
    options: &ImageConvertOptions,
    work: &Work,
) -> Result<Option<ImageConverted>> {
    let changes = !options.parts.is_empty()
        || !options.channels.is_empty()
        || !options.mattes.is_empty()
        || options.picture.choice.layer.is_some()
        || !options.rename.is_empty()
        || options.crop.is_some()
        || options.pixel_type.is_some()
        || options.changes.are_some()
        || options.write.exr != WriteOptions::default();
    if changes || format != ImageFormat::Exr || format_of(input) != Some(ImageFormat::Exr) {
        return Ok(None);
    }
    let watch = Stopwatch::start();
    let check = CheckOptions { limits: options.limits, ..CheckOptions::default() };
    let uncounted = Work { memory_bytes: 0, progress: Progress::default(), ..work.clone() };
    let source = input.source(work)?;
    if !solio_exr::check_exr(&*source, &check, &uncounted)?.problems.is_empty() {
        return Ok(None);
    }
    let header = input.exr_header(work)?;
    let shapes = header.parts.iter().map(|part| part.shape()).collect::<Result<Vec<_>>>()?;
    let read = watch.usage();
    let watch = Stopwatch::start();
    let durable = options.write.durable;
    let written = match source.as_bytes() {
        Some(bytes) => write_picture(bytes, output, durable, work)?,
        None => set_input(input, output, &SetOptions { durable, ..SetOptions::default() }, work)?,
    };
    let window = &shapes[0].data_window;
    Ok(Some(ImageConverted {
        written,
        read_bytes: input.file_bytes().unwrap_or(0),
        size: [window.width(), window.height()],
        parts: shapes.len(),
        channels: shapes.iter().map(|shape| shape.channels.len()).sum(),
        notes: Vec::new(),
        losses: Losses::default(),
        read,
        write: watch.usage(),
    }))
}

/// Says that pixels become less exact once more, where a lossy method packs what one has left.
fn lost_again(image: &Image<'_>, options: &ImageConvertOptions) -> Option<Loss> {
    // What PXR24 rounded it does not round again.
    let lossy = |method: &Compression| losses::is_lossy(*method) && *method != Compression::Pxr24;
    let before = lossy_before(image).filter(lossy)?;
    let after = options.write.exr.compression.unwrap_or(before);
    lossy(&after).then(|| {
        let [before, after] = [before, after].map(Compression::name);
        Loss::new(
            "compression",
            format!("its {before} pixels are packed with loss again, as {after}"),
        )
    })
}

/// The method with loss that packed the pixels of the file that was read.
fn lossy_before(image: &Image<'_>) -> Option<Compression> {
    image.parts.iter().find_map(|part| match part.header.get("compression") {
        Some(Value::Compression(method)) if losses::is_lossy(*method) => Some(*method),
        _ => None,
    })
}

/// Says why a file has grown that gives every bit back where the one that was read did not.
fn grown(
    image: &Image<'_>,
    options: &ImageConvertOptions,
    done: &ImageConverted,
) -> Option<String> {
    let before = lossy_before(image)?;
    let after = options.write.exr.compression.filter(|after| !losses::is_lossy(*after))?;
    let (read, written) = (done.read_bytes, done.written.file_bytes);
    (read > 0 && written > read).then(|| {
        let times = written as f64 / read as f64;
        let [before, after] = [before, after].map(Compression::name);
        format!(
            "the file grows to {times:.1} times its size: its {before} pixels were packed with loss, and \
             {after} keeps every bit of what came out, noise of the packing included"
        )
    })
}

fn describe(image: &Image<'_>, done: &mut ImageConverted) {
    done.parts = image.parts.len();
    for (i, part) in image.parts.iter().enumerate() {
        let (window, channels) = match &part.pixels {
            Pixels::Flat(levels) => levels.first().map(|l| (l.window, l.planes.len())),
            Pixels::Deep(levels) => levels.first().map(|l| (l.window, l.planes.len())),
        }
        .unwrap_or((Box2i::of_size(0, 0), 0));
        done.channels += channels;
        if i == 0 {
            done.size = [window.width(), window.height()];
        }
    }
}

/// Bits of a value that a TIFF has as a floating point number.
const FLOAT_BITS: u8 = 32;

/// That the options say something about files of this format.
fn check_options(format: ImageFormat, options: &ImageConvertOptions) -> Result<()> {
    let picture = &options.picture;
    if options.changes.mipmap && options.write.exr.layout == Layout::Scanlines {
        return Err(Error::argument("levels of detail are in tiles, not in scanlines")
            .hint("leave out --scanlines or --mipmap"));
    }
    if format == ImageFormat::Exr {
        let shown = picture.exposure != 0.0 || picture.tone_map != Default::default();
        if shown || picture.bits.is_some() || picture.quality.is_some() {
            let names = picture_names(|_| true);
            let message = format!("--exposure, --tonemap, --bits and --quality are for {names}");
            return Err(Error::argument(message).hint("OpenEXR keeps light as it is"));
        }
        if picture.frame != Frame::default() {
            let message = format!("--frame is for {}", picture_names(|_| true));
            return Err(Error::argument(message)
                .hint("OpenEXR keeps both windows; --crop cuts the data window"));
        }
        return Ok(());
    }
    let name = format.as_str().to_uppercase();
    if options.changes.mipmap {
        return Err(Error::argument(format!("{name} has no levels of detail"))
            .hint("--mipmap is of OpenEXR"));
    }
    if options.write.exr != WriteOptions::default() {
        let message = format!("{name} has no such compression or layout");
        let hint = "-z, --compat, --tiles and --scanlines are of OpenEXR";
        return Err(Error::argument(message).hint(hint));
    }
    if !options.pixel_channels.is_empty() {
        let message = format!("{name} has one type for all of its channels");
        return Err(Error::argument(message).hint("--half=LIST and --float=LIST are of OpenEXR"));
    }
    let bits = picture.check(format)?;
    let is_wide = can_choose_floats(format) && options.pixel_type == Some(PixelType::Float);
    if is_wide && picture.bits.is_some_and(|bits| bits != FLOAT_BITS) {
        let message = format!("--float makes values of {FLOAT_BITS} bits, --bits of {bits}");
        return Err(Error::argument(message).hint("leave one of them out"));
    }
    if options.pixel_type.is_some() && !is_wide {
        let message = format!("{name} has no 16-bit or 32-bit floating point channels to choose");
        return Err(Error::argument(message).hint(format!(
            "--half is of OpenEXR, --float of OpenEXR and {}; --bits is for others",
            picture_names(can_choose_floats)
        )));
    }
    Ok(())
}

/// Reads as much of `input` as goes into a file of `format`.
pub(crate) fn read(
    input: &Input,
    format: ImageFormat,
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<Image<'static>> {
    let Some(of_input) = format_of(input) else { return Err(input.wrong("an image")) };
    if of_input == ImageFormat::Exr {
        return read_exr(input, format, options, done, work);
    }
    if !options.parts.is_empty() || !options.mattes.is_empty() {
        let what = if options.mattes.is_empty() { "parts" } else { "Cryptomattes" };
        return Err(Error::argument(format!("only OpenEXR has {what}")));
    }
    let (bytes, limits) = (input.bytes(work)?, &options.limits);
    let mut decoded = decode(&bytes, of_input, options.picture.raw, limits)?;
    if decoded.is_cut && !options.partial {
        return Err(cut_error(bytes.len() as u64));
    }
    done.notes.append(&mut decoded.notes);
    done.losses.extend(decoded.losses);
    losses::of_metadata(&mut done.losses, &bytes, of_input, limits);
    let headers = decoded.image.parts.iter().map(|part| &part.header);
    let patterns = patterns(headers, options);
    if format == ImageFormat::Exr && !patterns.is_empty() {
        edit::keep(&mut decoded.image, &patterns)?;
    }
    if let Some(window) = &options.crop {
        edit::crop(&mut decoded.image, window)?;
    }
    let choice = &options.picture.choice;
    if format != ImageFormat::Exr && choice.channels.is_none() && choice.layer.is_none() {
        let parts = decoded.image.parts.iter().map(|part| part.header.clone()).collect();
        let header = Header { parts, ..Header::default() };
        let chosen = choose(&header, choice)?;
        let names = chosen.names(&header.parts[chosen.part]);
        let shown = (chosen.part, &names[..]);
        losses::of_choice(&mut done.losses, &header, shown, &chosen.describe(), format);
    }
    Ok(decoded.image)
}

/// Of an OpenEXR file, only the chunks that are wanted.
fn read_exr(
    input: &Input,
    format: ImageFormat,
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<Image<'static>> {
    let limits = &options.limits;
    let header = input.exr_header(work)?;
    let parts = options.parts.iter().map(|name| part_number(header, name));
    let mut parts: Vec<usize> = parts.collect::<Result<_>>()?;
    if !options.mattes.is_empty() {
        return read_matte(input, header, &parts, options, done, work);
    }
    if parts.is_empty() {
        parts = (0..header.parts.len()).collect();
    }
    let (parts, channels) = if format == ImageFormat::Exr {
        let channels = wanted_names(header, &parts, options)?;
        ((!options.parts.is_empty()).then_some(parts), channels)
    } else {
        let (part, channels) = seen(header, parts, format, options, done)?;
        (Some(vec![part]), Some(channels))
    };
    let levels = if format == ImageFormat::Exr { levels(options) } else { Levels::Full };
    if levels == Levels::Full && !options.changes.mipmap {
        let numbers = parts.clone().unwrap_or_else(|| (0..header.parts.len()).collect());
        let read: Vec<&Part> = numbers.iter().map(|&part| &header.parts[part]).collect();
        losses::of_levels(&mut done.losses, &read, "the output");
    }
    let read = ReadOptions {
        parts,
        channels,
        levels,
        window: options.crop,
        partial: options.partial,
        limits: *limits,
    };
    let image = crate::image::file::read_input(input, &read, work)?;
    note_missing(&image, done);
    Ok(image)
}

/// The coverage by things of a Cryptomatte.
fn read_matte(
    input: &Input,
    header: &Header,
    parts: &[usize],
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
    work: &Work,
) -> Result<Image<'static>> {
    let part = match parts {
        [] => None,
        [part] => Some(*part),
        _ => return Err(Error::argument("a matte is of one part").hint("choose one with --part")),
    };
    let layer = options.picture.choice.layer.as_deref();
    let matte = cryptomatte::find(header, part, layer, &options.mattes)?;
    let read = ReadOptions {
        parts: Some(vec![matte.matte.part]),
        channels: Some(matte.channels()),
        levels: Levels::Full,
        window: options.crop,
        partial: options.partial,
        limits: options.limits,
    };
    let image = crate::image::file::read_input(input, &read, work)?;
    note_missing(&image, done);
    let made = matte.coverage(&image, &options.limits)?;
    let Pixels::Flat(levels) = &made.parts[0].pixels else { return Ok(made) };
    let is_empty = |plane: &Plane<'_>| match &plane.samples {
        Samples::Float(values) => values.iter().all(|value| *value == 0.0),
        _ => false,
    };
    if levels.iter().flat_map(|level| &level.planes).all(is_empty) {
        done.notes.push(format!("no pixel is covered by {}", matte.describe()));
    }
    Ok(made)
}

fn note_missing(image: &Image<'_>, done: &mut ImageConverted) {
    if let Some(first) = image.missing.first() {
        let count = image.missing.len();
        done.notes.push(format!("{count} chunks are missing and became zeros; {}", first.message));
    }
}

/// A window is one of a level, and another layout has one level.
fn levels(options: &ImageConvertOptions) -> Levels {
    let one = options.crop.is_some()
        || options.changes.need_one_level()
        || options.write.exr.layout != Layout::default();
    if one { Levels::Full } else { Levels::All }
}

/// The names and patterns of the channels that OpenEXR gets; none means all. A layer is what lies
/// below its name, or else the one channel that is called so.
fn patterns<'p>(
    parts: impl Iterator<Item = &'p Part> + Clone,
    options: &ImageConvertOptions,
) -> Vec<String> {
    let layer = options.picture.choice.layer.as_ref().filter(|_| options.channels.is_empty());
    let Some(layer) = layer.map(|layer| layer.trim_end_matches('.')) else {
        return options.channels.clone();
    };
    let below = format!("{layer}.*");
    let is_there =
        |pattern: &str| parts.clone().any(|part| edit::matching(part, pattern).next().is_some());
    let is_channel = is_there(layer) && !is_there(&below);
    vec![if is_channel { layer.to_owned() } else { below }]
}

/// The full names of the channels that OpenEXR gets of these parts; `None` means all.
pub(crate) fn wanted_names(
    header: &Header,
    parts: &[usize],
    options: &ImageConvertOptions,
) -> Result<Option<Vec<String>>> {
    let patterns = patterns(parts.iter().map(|part| &header.parts[*part]), options);
    wanted(header, parts, &patterns)
}

/// The full names of the channels that are meant.
fn wanted(header: &Header, parts: &[usize], patterns: &[String]) -> Result<Option<Vec<String>>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut names = Vec::new();
    for pattern in patterns {
        let before = names.len();
        for part in parts {
            let found = edit::matching(&header.parts[*part], pattern);
            names.extend(found.map(|channel| channel.name.clone()));
        }
        if names.len() == before {
            let all = parts.iter().flat_map(|part| edit::matching(&header.parts[*part], "*"));
            let all: Vec<&str> = all.map(|channel| channel.name.as_str()).take(40).collect();
            let error = Error::argument(format!("there is no channel {pattern:?}"));
            return Err(error.hint(format!("the channels are {}", all.join(", "))));
        }
    }
    names.sort();
    names.dedup();
    Ok(Some(names))
}

/// The part and the channels that a picture of another format shows; what else there is, is lost where
/// nobody chose.
fn seen(
    header: &Header,
    parts: Vec<usize>,
    format: ImageFormat,
    options: &ImageConvertOptions,
    done: &mut ImageConverted,
) -> Result<(usize, Vec<String>)> {
    let part = match &options.parts[..] {
        [] => None,
        [_] => parts.first().copied(),
        _ => {
            let error = Error::argument("a picture shows one part");
            return Err(error.hint("choose one with --part"));
        }
    };
    let named = options.picture.choice.channels.as_ref();
    if let Some(patterns) = named.filter(|names| names.iter().any(|name| name.contains('*'))) {
        // Each means something.
        let of = part.map_or(parts, |part| vec![part]);
        wanted(header, &of, patterns)?;
    }
    let chosen = choose(header, &Choice { part, ..options.picture.choice.clone() })?;
    let shown = &header.parts[chosen.part];
    let names = chosen.names(shown);
    if named.is_none() && options.picture.choice.layer.is_none() {
        let only = part
            .map(|part| Header { parts: vec![header.parts[part].clone()], ..Header::default() });
        let (header, shown) = only.as_ref().map_or((header, chosen.part), |only| (only, 0));
        losses::of_choice(&mut done.losses, header, (shown, &names), &chosen.describe(), format);
    }
    Ok((chosen.part, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Channel;
    use solio_exr::model::{DeepLevel, ImagePart, Plane, Samples};

    /// What a conversion of the file is taken to need, of a megabyte.
    fn need_of(path: &Path) -> u64 {
        let work = Work { memory_bytes: 1 << 20, ..Work::serial() };
        Input::open(path, &Limits::default(), &work)
            .map_or(0, |input| need(&input, &ImageChanges::default(), &work))
    }

    #[test]
    fn pictures_need_what_their_pixels_do_however_small_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let white = solio_image::png(&[255; 3 * 64 * 64], 64, 64, false).unwrap();
        crate::write_bytes(&path("a.png"), &white).unwrap();
        let work = Work::serial();
        for (name, bits, bytes) in
            [("a.jpg", None, 12), ("a.tif", None, 12), ("b.png", Some(16), 24), ("a.hdr", None, 32)]
        {
            let picture = PictureOptions { bits, ..PictureOptions::default() };
            let options = ImageConvertOptions { picture, ..ImageConvertOptions::default() };
            convert_image(&path("a.png"), &path(name), &options, &work).unwrap();
            let pixels = 64 * 64 * bytes;
            let all = pixels + solio_io::file_bytes(&path(name)).unwrap();
            assert_eq!(need_of(&path(name)), all + all / 2, "{name}");
        }
        let all = 64 * 64 * 12 + white.len() as u64;
        assert_eq!(need_of(&path("a.png")), all + all / 2);
        // What does not tell, and what is not there.
        crate::write_bytes(&path("c.png"), &white[..20]).unwrap();
        assert_eq!((need_of(&path("c.png")), need_of(&path("d.png"))), (1 << 20, 0));
    }

    #[test]
    fn deep_images_come_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep.exr");
        let channel = Channel::new("Z", PixelType::Float);
        let window = Box2i::of_size(2, 1);
        let mut header = Part::new(window, Compression::Zips, vec![channel.clone()]);
        header.set("type", Value::Text("deepscanline".into()));
        let planes = vec![Plane { channel, samples: Samples::Float(vec![1.0; 100].into()) }];
        let level = DeepLevel { x: 0, y: 0, window, counts: vec![0, 100].into(), planes };
        let pixels = Pixels::Deep(vec![level]);
        let image = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
        crate::write_image(&image, &path, &Default::default(), &Work::serial()).unwrap();
        assert_eq!(need_of(&path), 1 << 20);
    }
}
