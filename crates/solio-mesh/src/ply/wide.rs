//! Numbers of other types than those of the PLY specification, which several programs write: 64-bit
//! integers, halves and bools. They are read as types that PLY has, and so written.
//!
//! Text needs nothing but that. The records of a binary file are made into those of a plain one first.

use super::header::{PlyHeader, PlyProperty};
use super::options::PlyFormat;
use crate::head::SourceHead;
use crate::model::{ScalarType, Values};
use half::f16;
use solio_base::{Error, Limits, Result};

/// A type that PLY does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WideType {
    I64,
    U64,
    F16,
    Bool,
}

impl WideType {
    /// The type that a header's word means.
    pub(crate) fn from_name(name: &str) -> Option<WideType> {
        Some(match name {
            "int64" | "long" | "longlong" | "int64_t" => WideType::I64,
            "uint64" | "ulong" | "ulonglong" | "uint64_t" => WideType::U64,
            "float16" | "half" => WideType::F16,
            "bool" | "boolean" | "bool8" => WideType::Bool,
            _ => return None,
        })
    }

    /// The type of PLY that it is read as.
    pub(crate) fn read_as(self, is_count: bool) -> ScalarType {
        match self {
            WideType::I64 | WideType::U64 if is_count => ScalarType::U32,
            WideType::I64 | WideType::U64 => ScalarType::F64,
            WideType::F16 => ScalarType::F32,
            WideType::Bool => ScalarType::U8,
        }
    }

    fn size(self) -> usize {
        match self {
            WideType::I64 | WideType::U64 => 8,
            WideType::F16 => 2,
            WideType::Bool => 1,
        }
    }

    fn value(self, bytes: &[u8], is_big: bool) -> f64 {
        let mut word = [0; 8];
        let size = bytes.len();
        word[..size].copy_from_slice(bytes);
        if is_big {
            word[..size].reverse();
        }
        let word = u64::from_le_bytes(word);
        match self {
            WideType::I64 => word as i64 as f64,
            WideType::U64 | WideType::Bool => word as f64,
            WideType::F16 => f64::from(f16::from_bits(word as u16)),
        }
    }
}

/// Whole numbers past this one are not all doubles.
const EXACT: f64 = (1_u64 << 53) as f64;

/// Values of a 64-bit integer type in the narrowest type that holds them, and how many of them may be
/// rounded.
pub(crate) fn narrowed(values: Values<'static>) -> (Values<'static>, usize) {
    let Values::F64(wide) = &values else { return (values, 0) };
    let all = |low: f64, high: f64| wide.iter().all(|v| (low..=high).contains(v));
    if all(i32::MIN.into(), i32::MAX.into()) {
        return (Values::I32(wide.iter().map(|&v| v as i32).collect()), 0);
    }
    if all(0.0, u32::MAX.into()) {
        return (Values::U32(wide.iter().map(|&v| v as u32).collect()), 0);
    }
    let rounded = wide.iter().filter(|v| v.abs() >= EXACT).count();
    (values, rounded)
}

/// The records of a binary file with each value in the type that it is read as; `None` where the header
/// has types of PLY alone.
pub(crate) fn plain_records(
    head: &SourceHead<'_>,
    header: &PlyHeader,
    limits: &Limits,
) -> Result<Option<Vec<u8>>> {
    let mut properties = header.elements.iter().flat_map(|element| &element.properties);
    let is_wide = properties.any(|p| p.wide.is_some() || p.wide_count.is_some());
    if !is_wide || header.format == PlyFormat::Ascii {
        return Ok(None);
    }
    let data = read_all(head, header.data_at, limits)?;
    let mut records = WideRecords {
        data: &data,
        at: 0,
        is_big: header.format == PlyFormat::BinaryBigEndian,
        out: Vec::new(),
    };
    for element in header.elements.iter().filter(|element| !element.properties.is_empty()) {
        for row in 0..element.count {
            for property in &element.properties {
                let done = records.property(property);
                done.ok_or_else(|| {
                    let message = format!(
                        "the data ends in record {row} of {} of element `{}`",
                        element.count, element.name
                    );
                    Error::corrupt(message).at_offset(header.data_at + data.len() as u64)
                })?;
            }
            limits.check_bytes("the records", records.out.len() as u64)?;
        }
    }
    let rest = records.at;
    let mut out = records.out;
    out.extend_from_slice(&data[rest..]);
    Ok(Some(out))
}

fn read_all(head: &SourceHead<'_>, start: u64, limits: &Limits) -> Result<Vec<u8>> {
    let mut data = Vec::new();
    loop {
        let have = data.len();
        let room = head.room(start + have as u64, 1 << 20).max(1);
        data.resize(have + room, 0);
        let got = head.read_at(start + have as u64, &mut data[have..])?;
        data.truncate(have + got);
        limits.check_bytes("the records", data.len() as u64)?;
        if got < room {
            return Ok(data);
        }
    }
}

struct WideRecords<'d> {
    data: &'d [u8],
    at: usize,
    is_big: bool,
    out: Vec<u8>,
}

impl WideRecords<'_> {
    fn take(&mut self, bytes: usize) -> Option<usize> {
        let start = self.at;
        let end = start.checked_add(bytes).filter(|end| *end <= self.data.len())?;
        self.at = end;
        Some(start)
    }

    fn property(&mut self, property: &PlyProperty) -> Option<()> {
        let mut count = 1;
        if let Some(kind) = property.list {
            count = self.count(kind, property.wide_count)?;
        }
        let Some(wide) = property.wide else {
            let start = self.take(count.checked_mul(property.scalar.size())?)?;
            self.out.extend_from_slice(&self.data[start..self.at]);
            return Some(());
        };
        let size = wide.size();
        let start = self.take(count.checked_mul(size)?)?;
        for bytes in self.data[start..self.at].chunks_exact(size) {
            let value = wide.value(bytes, self.is_big);
            push(&mut self.out, property.scalar, value, self.is_big);
        }
        Some(())
    }

    /// The count of a list.
    fn count(&mut self, kind: ScalarType, wide: Option<WideType>) -> Option<usize> {
        let size = wide.map_or(kind.size(), WideType::size);
        let start = self.take(size)?;
        let bytes = &self.data[start..self.at];
        let value = match (wide, kind) {
            (Some(wide), _) => wide.value(bytes, self.is_big),
            (None, ScalarType::F32 | ScalarType::F64) => {
                let mut word = bytes.to_vec();
                if self.is_big {
                    word.reverse();
                }
                match word.as_slice().try_into() {
                    Ok(word) => f64::from(f32::from_le_bytes(word)),
                    Err(_) => f64::from_le_bytes(word.try_into().ok()?),
                }
            }
            (None, _) => WideType::U64.value(bytes, self.is_big),
        };
        match wide {
            Some(_) => push(&mut self.out, kind, value, self.is_big),
            None => self.out.extend_from_slice(bytes),
        }
        (value >= 0.0 && value <= f64::from(u32::MAX)).then_some(value as usize)
    }
}

/// Appends a value in one of the types that [`WideType::read_as`] gives.
fn push(out: &mut Vec<u8>, kind: ScalarType, value: f64, is_big: bool) {
    let start = out.len();
    match kind {
        ScalarType::U8 => out.push(value as u8),
        ScalarType::U32 => out.extend_from_slice(&(value as u32).to_le_bytes()),
        ScalarType::F32 => out.extend_from_slice(&(value as f32).to_le_bytes()),
        _ => out.extend_from_slice(&value.to_le_bytes()),
    }
    if is_big {
        out[start..].reverse();
    }
}
