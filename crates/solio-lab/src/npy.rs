//! NumPy's files of one array (`.npy`, versions 1 to 3), and arrays without any head.
//!
//! "NEP 1 — A Simple File Format for NumPy Arrays": a magic, a version, the length of the head, the
//! head as a Python dictionary with `descr`, `fortran_order` and `shape`, then the numbers.

use crate::array::{Array, Kind, Layout, ValueType};
use solio_base::{Error, Result};
use solio_kinds::FileKind;

const MAGIC: &[u8] = FileKind::Npy.mark();
/// More dimensions NumPy does not know.
const MOST_DIMENSIONS: usize = 64;

/// Whether these are the first bytes of such a file.
///
/// ```
/// use solio_lab::npy::is_npy;
/// assert!(is_npy(b"\x93NUMPY\x01\0v\0{'descr'"));
/// // Several arrays in one file (`.npz`) are a ZIP file.
/// assert!(!is_npy(b"PK\x03\x04"));
/// ```
pub fn is_npy(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// What the numbers of a file without head are: `f16,4,1920x1080`.
///
/// ```
/// use solio_lab::{ValueType, npy::RawShape};
/// let shape: RawShape = "f16,4,1920x1080".parse()?;
/// assert_eq!(shape, RawShape { value: ValueType::F16, channels: 4, size: (1920, Some(1080)) });
/// // Without a height it is a list.
/// assert_eq!("f32,3,100000".parse::<RawShape>()?.size, (100_000, None));
/// assert!("half,4,1920".parse::<RawShape>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawShape {
    /// How they are stored, lowest byte first.
    pub value: ValueType,
    /// How many stand side by side for each pixel or element.
    pub channels: usize,
    /// Width and height, or the count of a list.
    pub size: (usize, Option<usize>),
}

impl std::str::FromStr for RawShape {
    type Err = String;

    /// A type, the channels, and a size: `f16,4,1920x1080`, `f32,3,100000`.
    fn from_str(text: &str) -> std::result::Result<RawShape, String> {
        let wrong = || format!("`{text}` is not like f16,4,1920x1080 or f32,3,100000");
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let [value, channels, size] = parts[..] else { return Err(wrong()) };
        let value = ValueType::of_name(value)
            .ok_or("the type is one of u8, u16, u32, u64, f16, f32, f64")?;
        let number = |text: &str| text.parse().ok().filter(|n: &usize| *n > 0).ok_or_else(wrong);
        let size = match size.split_once('x') {
            Some((width, height)) => (number(width)?, Some(number(height)?)),
            None => (number(size)?, None),
        };
        Ok(RawShape { value, channels: number(channels)?, size })
    }
}

impl std::fmt::Display for RawShape {
    /// As it is written: `f16,4,1920x1080`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RawShape { value, channels, size: (width, height) } = self;
        write!(f, "{},{channels},{width}", value.name())?;
        height.map_or(Ok(()), |height| write!(f, "x{height}"))
    }
}

/// The array of bytes without head.
///
/// ```
/// use solio_lab::npy::decode_raw;
/// let image = decode_raw(&[0; 12], &"u8,3,2x2".parse().unwrap())?;
/// assert_eq!(image.channels, ["R", "G", "B"]);
/// let error = decode_raw(&[0; 11], &"u8,3,2x2".parse().unwrap()).unwrap_err();
/// assert_eq!(error.message(), "the file has 11 bytes; u8,3,2x2 needs 12");
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// When there are more or fewer bytes than the shape says.
pub fn decode_raw(bytes: &[u8], shape: &RawShape) -> Result<Array> {
    let (width, height) = shape.size;
    let all = width.checked_mul(height.unwrap_or(1));
    let all = all.and_then(|all| all.checked_mul(shape.channels));
    let all = all.and_then(|all| all.checked_mul(shape.value.bytes()));
    if all != Some(bytes.len()) {
        let needed = all.map_or_else(|| "more than there can be".to_owned(), |all| all.to_string());
        let message = format!("the file has {} bytes; {shape} needs {needed}", bytes.len());
        return Err(Error::argument(message));
    }
    Ok(array(shape, bytes.to_vec()))
}

/// Values side by side for each pixel; images have their channels line by line.
fn array(shape: &RawShape, bytes: Vec<u8>) -> Array {
    let (width, height) = shape.size;
    let whole_bytes = bytes.len() as u64;
    let (layout, bytes) = match height {
        None => (Layout::Elements { count: width }, bytes),
        Some(rows) => (Layout::Rows { width, rows }, by_lines(shape, &bytes)),
    };
    let names: &[&str] = match shape.channels {
        1 => &["Y"],
        3 => &["R", "G", "B"],
        4 => &["R", "G", "B", "A"],
        _ => &[],
    };
    let channels = match height.and(names.first()) {
        Some(_) => names.iter().map(|name| (*name).to_owned()).collect(),
        None => (0..shape.channels).map(|i| i.to_string()).collect(),
    };
    Array {
        file: String::new(),
        name: String::new(),
        kind: Kind::Numbers,
        value: shape.value,
        channels,
        layout,
        bytes,
        whole_bytes,
    }
}

/// Pixel by pixel to row by row, in each channel by channel.
fn by_lines(shape: &RawShape, bytes: &[u8]) -> Vec<u8> {
    let size = shape.value.bytes();
    let pixel = size * shape.channels;
    let mut lines = Vec::with_capacity(bytes.len());
    for row in bytes.chunks_exact(shape.size.0 * pixel) {
        for channel in 0..shape.channels {
            for one in row.chunks_exact(pixel) {
                lines.extend_from_slice(&one[channel * size..][..size]);
            }
        }
    }
    lines
}

/// Reads a file. Three dimensions are rows, columns and channels, at most 64 of these; two are rows
/// and columns, or elements and channels where there are at most four of these; all else is taken
/// as a list.
///
/// ```
/// use solio_lab::{Layout, npy::decode_npy};
/// // What numpy.save writes of two pixels side by side.
/// let head = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 3), }\n";
/// let length = (head.len() as u16).to_le_bytes();
/// let pixels = [1, 2, 3, 4, 5, 6];
/// let file = [b"\x93NUMPY\x01\0", &length[..], head.as_bytes(), &pixels].concat();
/// let array = decode_npy(&file)?;
/// assert_eq!(array.layout, Layout::Rows { width: 2, rows: 1 });
/// // Each channel of a row stands together.
/// assert_eq!(array.bytes, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// When the head is damaged, the type is not one of [`ValueType`] in the byte order of this
/// machine, or bytes are missing.
pub fn decode_npy(bytes: &[u8]) -> Result<Array> {
    let short = || Error::corrupt("the head of the NumPy file ends early").at_offset(0);
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| Error::corrupt("no NumPy file"))?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
            (u16::from_le_bytes(*length) as usize, rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        other => return Err(Error::unsupported(format!("version {other} of NumPy's format"))),
    };
    let (head, numbers) = rest.split_at_checked(length).ok_or_else(short)?;
    let head = std::str::from_utf8(head).map_err(|_| Error::corrupt("the head is no text"))?;
    let shape = shape_of(head)?;
    let (width, height) = shape.size;
    let count = width.checked_mul(height.unwrap_or(1)).and_then(|n| n.checked_mul(shape.channels));
    let wanted = count.and_then(|count| count.checked_mul(shape.value.bytes()));
    match wanted.and_then(|wanted| numbers.get(..wanted)) {
        Some(numbers) => Ok(array(&shape, numbers.to_vec())),
        None => Err(Error::corrupt(format!(
            "{} bytes of numbers are too few for the shape in the head",
            numbers.len()
        ))),
    }
}

/// What stands behind `key` in the dictionary.
fn value_of<'a>(head: &'a str, key: &str) -> Result<&'a str> {
    let missing = || Error::corrupt(format!("the head of the NumPy file has no {key}"));
    let place = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|quoted| head.find(quoted.as_str()).map(|at| at + quoted.len()))
        .ok_or_else(missing)?;
    head[place..].trim_start().strip_prefix(':').map(str::trim_start).ok_or_else(missing)
}

fn shape_of(head: &str) -> Result<RawShape> {
    let descr = value_of(head, "descr")?;
    let name = descr.get(1..).and_then(|rest| rest.split(['\'', '"']).next()).unwrap_or_default();
    let unsupported = || Error::unsupported(format!("numbers of the type {name:?}"));
    let (order, code) = name.split_at_checked(1).ok_or_else(unsupported)?;
    let (value, wide) = match code {
        "u1" | "i1" | "b1" => (ValueType::U8, false),
        "u2" | "i2" => (ValueType::U16, true),
        "u4" | "i4" => (ValueType::U32, true),
        "u8" | "i8" => (ValueType::U64, true),
        "f2" => (ValueType::F16, true),
        "f4" => (ValueType::F32, true),
        "f8" => (ValueType::F64, true),
        _ => return Err(unsupported()),
    };
    let native = if cfg!(target_endian = "little") { "<" } else { ">" };
    if order != native && order != "=" && (wide || order != "|") {
        return Err(unsupported());
    }
    if value_of(head, "fortran_order")?.starts_with("True") {
        return Err(Error::unsupported("an array in Fortran's order").hint("save a C-ordered copy"));
    }
    let tuple = value_of(head, "shape")?;
    let inside = tuple.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(n, _)| n);
    let damaged = || Error::corrupt("the shape in the head of the NumPy file is damaged");
    let mut sizes: Vec<usize> = Vec::new();
    for number in inside.ok_or_else(damaged)?.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        sizes.push(number.parse().map_err(|_| damaged())?);
        if sizes.len() > MOST_DIMENSIONS {
            return Err(damaged());
        }
    }
    let product = |sizes: &[usize]| sizes.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
    let (size, channels) = match sizes[..] {
        [rows, width, channels] if channels <= 64 => ((width, Some(rows)), channels),
        [count, channels] if channels <= 4 => ((count, None), channels),
        [rows, width] => ((width, Some(rows)), 1),
        _ => ((product(&sizes).ok_or_else(damaged)?, None), 1),
    };
    if channels == 0 || size.0 == 0 || size.1 == Some(0) {
        return Err(Error::unsupported("an array without numbers"));
    }
    Ok(RawShape { value, channels, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(head: &str, numbers: &[u8]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0], &(head.len() as u16).to_le_bytes()].concat();
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(numbers);
        bytes
    }

    const HEAD: &str = "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 2), }     \n";

    #[test]
    fn pixels_become_lines() {
        let numbers: Vec<u8> = (0..12u16).flat_map(u16::to_le_bytes).collect();
        let array = decode_npy(&file(HEAD, &numbers)).unwrap();
        assert_eq!((array.value, array.channels.len()), (ValueType::F16, 2));
        assert_eq!(array.layout, Layout::Rows { width: 3, rows: 2 });
        let values: Vec<u8> = array.bytes.iter().step_by(2).copied().collect();
        assert_eq!(values, [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]);
        assert!(array.check().is_ok());
    }

    #[test]
    fn lists_stay_lists() {
        let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
        let array = decode_npy(&file(head, &[7; 24])).unwrap();
        assert_eq!(array.layout, Layout::Elements { count: 2 });
        assert_eq!(array.channels.len(), 3);
        let head = "{'descr': '|u1', 'fortran_order': False, 'shape': (24,)}";
        assert_eq!(
            decode_npy(&file(head, &[7; 24])).unwrap().layout,
            Layout::Elements { count: 24 }
        );
    }

    #[test]
    fn every_prefix_and_every_flip_ends() {
        let whole = file(HEAD, &[1; 24]);
        for end in 0..whole.len() {
            assert!(decode_npy(&whole[..end]).is_err(), "{end}");
        }
        for bit in 0..whole.len() * 8 {
            let mut broken = whole.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            if let Ok(array) = decode_npy(&broken) {
                assert!(array.check().is_ok());
            }
        }
        for shape in
            ["(99999999999999999999,)", "(4294967296, 4294967296, 2)", "(0, 3)", "(-1,)", "("]
        {
            let head = HEAD.replace("(2, 3, 2)", shape);
            assert!(decode_npy(&file(&head, &[1; 24])).is_err(), "{shape}");
        }
        for (from, to) in [("<f2", ">f2"), ("<f2", "<c8"), ("False", "True"), ("shape", "form")] {
            assert!(decode_npy(&file(&HEAD.replace(from, to), &[1; 24])).is_err(), "{to}");
        }
    }

    #[test]
    fn raw_shapes_are_written_in_a_word() {
        let shape: RawShape = "f16,4,1920x1080".parse().unwrap();
        assert_eq!(shape.size, (1920, Some(1080)));
        assert!(decode_raw(&[0; 10], &shape).is_err());
        let list: RawShape = "f32,3,2".parse().unwrap();
        assert_eq!(decode_raw(&[0; 24], &list).unwrap().layout, Layout::Elements { count: 2 });
        // Eight bytes times 2^61 would be none.
        let endless: RawShape = "f64,2305843009213693952,1".parse().unwrap();
        assert!(decode_raw(&[], &endless).is_err());
        for text in ["f16,4,1920x1080", "f32,3,2"] {
            assert_eq!(text.parse::<RawShape>().unwrap().to_string(), text);
        }
        for wrong in ["", "f16", "f17,4,1x1", "f16,0,1x1", "f16,1,1x", "f16,1,1x1,1"] {
            assert!(wrong.parse::<RawShape>().is_err(), "{wrong}");
        }
    }
}
