//! What single tokens say, as values of any type.

use super::columns::ColumnKind;
use super::data::{Scalar, ScalarArray, with_scalar, with_values};
use crate::model::ScalarType;
use crate::text::odd_float;
use solio_codec::number::parse;

/// Appends a zero.
pub(crate) fn push_default(data: &mut ScalarArray) {
    with_values!(ScalarArray, data, v => v.push(Default::default()));
}

/// Stores what `token` says as value `i`; `None` when it is no value of type `scalar`.
pub(crate) fn set(
    data: &mut ScalarArray,
    i: usize,
    kind: ColumnKind,
    scalar: ScalarType,
    token: &[u8],
) -> Option<()> {
    match (kind, data) {
        (ColumnKind::F32(divisor), ScalarArray::F32(v)) if scalar.is_float() => {
            v[i] = f32_of(token)? / divisor
        }
        (ColumnKind::F32(divisor), ScalarArray::F32(v)) => {
            v[i] = integer(token, scalar)? as f32 / divisor
        }
        (ColumnKind::F64, ScalarArray::F64(v)) if scalar.is_float() => v[i] = f64_of(token)?,
        (ColumnKind::F64, ScalarArray::F64(v)) => v[i] = integer(token, scalar)? as f64,
        (ColumnKind::Index, ScalarArray::U32(v)) if scalar.is_float() => {
            v[i] = f64_of(token)?.to_index()
        }
        (ColumnKind::Index, ScalarArray::U32(v)) => v[i] = integer(token, scalar)? as u32,
        (_, ScalarArray::F32(v)) => v[i] = f32_of(token)?,
        (_, ScalarArray::F64(v)) => v[i] = f64_of(token)?,
        (_, data) => with_scalar!(scalar, S => {
            S::vec(data)?[i] = integer(token, scalar)? as S;
        }),
    }
    Some(())
}

fn f32_of(token: &[u8]) -> Option<f32> {
    let plain = parse::f32_prefix(token).filter(|&(_, n)| n == token.len());
    plain.map(|(v, _)| v).or_else(|| odd_float(token))
}

fn f64_of(token: &[u8]) -> Option<f64> {
    let plain = parse::f64_prefix(token).filter(|&(_, n)| n == token.len());
    plain.map(|(v, _)| v).or_else(|| odd_float(token).map(f64::from))
}

/// A whole number within the range of `scalar`. Also takes `255.0`, as some exporters write it.
pub(crate) fn integer(token: &[u8], scalar: ScalarType) -> Option<i64> {
    let value = match parse::i64_prefix(token) {
        Some((v, n)) if n == token.len() => v,
        _ => {
            let v = f64_of(token)?;
            if v.fract() != 0.0 || v.abs() > u32::MAX as f64 {
                return None;
            }
            v as i64
        }
    };
    scalar.range().contains(&value).then_some(value)
}
