//! Whether a binary PLY holds as many records as its header says, without decoding them.
//!
//! Records without lists have a size, so their end is known. Those with lists mostly all have as many
//! values (faces of triangles): where the file ends exactly where it then has to, and records at some
//! places agree, that is taken for proof. Otherwise the counts of all lists are followed.

use super::header::{PlyElement, PlyHeader, PlyProperty, decode_ply_header};
use super::options::PlyFormat;
use crate::model::ScalarType;
use solio_base::{Error, Limits, Result, Source};

/// Bytes read at once when all records are followed.
const WINDOW: usize = 256 << 10;
/// Records that have to agree.
const SAMPLES: u64 = 32;

/// What a whole file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlyCounts {
    /// The elements and how many there are.
    pub elements: Vec<(String, u64)>,
    /// Bytes behind the last one.
    pub more_bytes: u64,
}

/// Checks a file that can be read anywhere; `None` for one of text, which has to be read.
///
/// # Errors
/// `Corrupt` where records are missing, with the place; those of the header.
pub fn check_ply(source: &dyn Source, limits: &Limits) -> Result<Option<PlyCounts>> {
    let header = decode_ply_header(source, limits)?;
    let Some(bytes) = source.len_bytes().filter(|_| header.format != PlyFormat::Ascii) else {
        return Ok(None);
    };
    let mut records =
        RecordCheck { source, bytes, format: header.format, window: Vec::new(), window_at: 0 };
    let end = match records.uniform_end(&header)? {
        Some(end) => end,
        None => records.followed_end(&header)?,
    };
    let elements = header.elements.iter().map(|e| (e.name.clone(), e.count)).collect();
    Ok(Some(PlyCounts { elements, more_bytes: bytes - end }))
}

struct RecordCheck<'s> {
    source: &'s dyn Source,
    bytes: u64,
    format: PlyFormat,
    window: Vec<u8>,
    window_at: u64,
}

impl RecordCheck<'_> {
    /// The end of the file, where that is where equal records end.
    fn uniform_end(&mut self, header: &PlyHeader) -> Result<Option<u64>> {
        let mut at = header.data_at;
        for element in header.elements.iter().filter(|e| e.count > 0) {
            let Some(first) = self.record_end(element, at)? else { return Ok(None) };
            let size = first - at;
            let Some(end) = element.count.checked_mul(size).and_then(|all| all.checked_add(at))
            else {
                return Ok(None);
            };
            if end > self.bytes {
                return Ok(None);
            }
            if element.properties.iter().any(|property| property.list.is_some()) {
                let samples = SAMPLES.min(element.count);
                for sample in 1..=samples {
                    // Also the last one.
                    let index = u128::from(element.count - 1) * u128::from(sample);
                    let start = at + (index / u128::from(samples)) as u64 * size;
                    if self.record_end(element, start)? != Some(start + size) {
                        return Ok(None);
                    }
                }
            }
            at = end;
        }
        Ok((at == self.bytes).then_some(at))
    }

    /// The end of the last record.
    fn followed_end(&mut self, header: &PlyHeader) -> Result<u64> {
        let mut at = header.data_at;
        for element in &header.elements {
            let fixed: Option<u64> = element.properties.iter().map(fixed_bytes).sum();
            if let Some(size) = fixed {
                let end = at.saturating_add(element.count.saturating_mul(size));
                if end > self.bytes {
                    let whole = (self.bytes.saturating_sub(at)) / size.max(1);
                    return Err(self.early(element, whole));
                }
                at = end;
                continue;
            }
            for index in 0..element.count {
                at = self.record_end(element, at)?.ok_or_else(|| self.early(element, index))?;
            }
        }
        Ok(at)
    }

    fn early(&self, element: &PlyElement, index: u64) -> Error {
        let PlyElement { name, count, .. } = element;
        let message = format!("the file ends after {index} of {count} records of {name:?}");
        Error::corrupt(message).at_offset(self.bytes)
    }

    /// Where the record that starts at `at` ends; `None` behind the end of the file.
    fn record_end(&mut self, element: &PlyElement, at: u64) -> Result<Option<u64>> {
        let mut end = at;
        for property in &element.properties {
            let size = match property.list {
                None => property.scalar.size() as u64,
                Some(of) => match self.list_count(of, end)? {
                    None => return Ok(None),
                    Some(count) => {
                        let values = count.saturating_mul(property.scalar.size() as u64);
                        values.saturating_add(of.size() as u64)
                    }
                },
            };
            end = end.saturating_add(size);
        }
        Ok((end <= self.bytes).then_some(end))
    }

    /// The count of a list; `None` where it is cut.
    fn list_count(&mut self, of: ScalarType, at: u64) -> Result<Option<u64>> {
        let size = of.size();
        if at.saturating_add(size as u64) > self.bytes {
            return Ok(None);
        }
        let have = self.window_at..self.window_at + self.window.len() as u64;
        if !have.contains(&at) || at + size as u64 > have.end {
            // What comes next is looked at next, but for samples, which are far apart.
            let near = at >= have.start && at < have.end + WINDOW as u64;
            self.window.resize(if near { WINDOW } else { 64 }, 0);
            let got = self.source.read_at(at, &mut self.window)?;
            self.window.truncate(got);
            self.window_at = at;
        }
        let start = (at - self.window_at) as usize;
        let Some(bytes) = self.window.get(start..start + size) else { return Ok(None) };
        let digit = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
        let count = match self.format {
            PlyFormat::BinaryBigEndian => bytes.iter().fold(0, digit),
            _ => bytes.iter().rev().fold(0, digit),
        };
        // A negative count has its highest bit set: no file has so many.
        Ok(Some(count))
    }
}

/// The bytes of a value that is no list.
fn fixed_bytes(property: &PlyProperty) -> Option<u64> {
    property.list.is_none().then(|| property.scalar.size() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(faces: &[u8], format: &str) -> Vec<u8> {
        let count = faces.len();
        let mut bytes = format!(
            "ply\nformat {format} 1.0\nelement vertex 2\nproperty float x\nproperty uchar q\n\
             element face {count}\nproperty list uchar int vertex_indices\nproperty uchar m\n\
             end_header\n"
        )
        .into_bytes();
        bytes.extend([0; 10]);
        for &corners in faces {
            bytes.push(corners);
            bytes.extend(vec![0; 4 * usize::from(corners) + 1]);
        }
        bytes
    }

    fn check(bytes: &[u8]) -> Result<Option<PlyCounts>> {
        check_ply(&bytes, &Limits::default())
    }

    #[test]
    fn every_cut_is_found() {
        let mixed: Vec<u8> = (0..200u8).map(|i| 3 + i % 3).collect();
        for (faces, format) in [
            (&[3; 100][..], "binary_little_endian"),
            (&[4; 7], "binary_big_endian"),
            (&mixed, "binary_little_endian"),
            (&[], "binary_little_endian"),
        ] {
            let bytes = file(faces, format);
            let found = check(&bytes).unwrap().unwrap();
            assert_eq!(found.elements[1], ("face".into(), faces.len() as u64));
            assert_eq!(found.more_bytes, 0);
            for end in 0..bytes.len() {
                assert!(check(&bytes[..end]).is_err(), "{format} cut at {end}");
            }
            let more = [&bytes[..], b"\0\0"].concat();
            assert_eq!(check(&more).unwrap().unwrap().more_bytes, 2);
        }
        assert_eq!(check(&file(&[], "ascii")).unwrap(), None);
    }

    #[test]
    fn huge_counts_end_soon() {
        let text = "ply\nformat binary_little_endian 1.0\nelement face 4000000000\n\
            property list uint double v\nend_header\n";
        for more in [&b""[..], &[0xff; 16], &[0; 4]] {
            let bytes = [text.as_bytes(), more].concat();
            assert!(check(&bytes).is_err());
        }
    }
}
