//! Which image format is it?

use solio_base::Error;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// An image format.
///
/// ```
/// use solio::ImageFormat;
/// // By name, or by the usual end of file names.
/// assert_eq!("JPG".parse::<ImageFormat>()?, ImageFormat::Jpeg);
/// assert!("gif".parse::<ImageFormat>().is_err());
/// assert_eq!(ImageFormat::ALL.map(|format| format.as_str()).join(" "), "exr hdr jpeg png tiff");
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageFormat {
    /// OpenEXR.
    Exr,
    /// Radiance HDR (RGBE).
    Hdr,
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// TIFF.
    Tiff,
}

impl ImageFormat {
    /// All of them.
    pub const ALL: [ImageFormat; 5] = [
        ImageFormat::Exr,
        ImageFormat::Hdr,
        ImageFormat::Jpeg,
        ImageFormat::Png,
        ImageFormat::Tiff,
    ];

    /// `exr`, `hdr`, `jpeg`, `png`, `tiff`.
    ///
    /// ```
    /// let format = solio::ImageFormat::of_name("a.TIF".as_ref()).unwrap();
    /// assert_eq!(format.as_str(), "tiff");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            ImageFormat::Exr => "exr",
            ImageFormat::Hdr => "hdr",
            ImageFormat::Jpeg => "jpeg",
            ImageFormat::Png => "png",
            ImageFormat::Tiff => "tiff",
        }
    }

    /// The usual end of a file name, without its point.
    ///
    /// ```
    /// use solio::ImageFormat;
    /// let path = std::path::Path::new("out/a.0001.exr");
    /// let small = path.with_extension(ImageFormat::Jpeg.extension());
    /// assert_eq!(small, std::path::Path::new("out/a.0001.jpg"));
    /// ```
    pub fn extension(self) -> &'static str {
        match self {
            ImageFormat::Jpeg => "jpg",
            ImageFormat::Tiff => "tif",
            other => other.as_str(),
        }
    }

    /// From a file name, whatever its case.
    ///
    /// ```
    /// use solio::ImageFormat;
    /// assert_eq!(ImageFormat::of_name("a.0001.EXR".as_ref()), Some(ImageFormat::Exr));
    /// assert_eq!(ImageFormat::of_name("a.jpg".as_ref()), Some(ImageFormat::Jpeg));
    /// assert_eq!(ImageFormat::of_name("a.obj".as_ref()), None);
    /// ```
    pub fn of_name(path: &Path) -> Option<ImageFormat> {
        path.extension()?.to_str()?.parse().ok()
    }

    /// From the first bytes.
    ///
    /// ```
    /// use solio::ImageFormat;
    /// assert_eq!(ImageFormat::of_content(b"\x89PNG\r\n\x1a\n\0\0"), Some(ImageFormat::Png));
    /// assert_eq!(ImageFormat::of_content(b"#?RADIANCE\n"), Some(ImageFormat::Hdr));
    /// assert_eq!(ImageFormat::of_content(b"v 0 0 0\n"), None);
    /// ```
    pub fn of_content(head: &[u8]) -> Option<ImageFormat> {
        const MAGICS: [(&[u8], ImageFormat); 8] = [
            (&solio_exr::header::MAGIC, ImageFormat::Exr),
            (b"\x89PNG\r\n\x1a\n", ImageFormat::Png),
            (b"\xff\xd8\xff", ImageFormat::Jpeg),
            (b"II*\0", ImageFormat::Tiff),
            (b"MM\0*", ImageFormat::Tiff),
            (b"II+\0", ImageFormat::Tiff),
            (b"MM\0+", ImageFormat::Tiff),
            (b"#?", ImageFormat::Hdr),
        ];
        MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| *format)
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ImageFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<ImageFormat, Error> {
        let lower = name.to_ascii_lowercase();
        let same = |format: &ImageFormat| format.as_str() == lower || format.extension() == lower;
        let known = ImageFormat::ALL.into_iter().find(same);
        known.ok_or_else(|| {
            Error::argument(format!(
                "unknown image format \"{name}\"; known: exr, hdr, jpeg, png, tiff"
            ))
        })
    }
}
