//! Further attributes of vertices: tangents, more texture coordinates and colours, and those of
//! applications, whose names begin with `_`.

use super::accessor::Accessed;
use super::buffers::Buffers;
use super::notes::Notes;
use crate::model::{Attribute, ScalarType, Values};
use solio_base::{Error, Loss, Losses, Result};
use std::borrow::Cow;

/// The element of the attributes that belong to vertices.
pub(crate) const VERTEX: &str = "vertex";

/// Attributes under way; all have a value for each vertex.
#[derive(Default)]
pub(super) struct ExtraAttributes(Vec<Extra>);

struct Extra {
    name: String,
    parts: usize,
    values: Values<'static>,
}

/// The name that the model has for an attribute.
fn model_name(name: &str) -> &str {
    // Those of applications as they call them.
    name.strip_prefix('_').filter(|rest| !rest.is_empty()).unwrap_or(name)
}

impl ExtraAttributes {
    /// Adds what a primitive has, whose vertices start at `start`.
    pub(super) fn add(
        &mut self,
        name: &str,
        accessor: &Accessed<'_>,
        start: usize,
        buffers: &Buffers<'_>,
        notes: &mut Notes,
    ) -> Result<()> {
        let mut values = accessor.values(buffers)?;
        let parts = accessor.parts;
        if name.starts_with("TEXCOORD_") {
            // Up, as the first ones.
            if parts != 2 {
                return Err(Error::corrupt("texture coordinates are VEC2"));
            }
            values = floats(values);
            if let Values::F32(values) = &mut values {
                values.to_mut().chunks_exact_mut(2).for_each(|uv| uv[1] = 1.0 - uv[1]);
            }
        }
        let name = model_name(name);
        match self.0.iter_mut().find(|extra| extra.name == name) {
            Some(extra) if extra.parts != parts => {
                notes
                    .leave(format!("attribute {name} of other width than in the primitive before"));
            }
            Some(extra) => {
                let old = std::mem::replace(&mut extra.values, Values::U8(Cow::default()));
                extra.values = joined(old, values);
            }
            None => {
                made_up(name, start, &mut notes.joined);
                buffers.spend((start * parts).saturating_mul(4) as u64)?;
                let before = zeros(&values, start * parts);
                let name = name.to_owned();
                self.0.push(Extra { name, parts, values: joined(before, values) });
            }
        }
        Ok(())
    }

    /// Gives the vertices up to `count` zeros where they have nothing.
    pub(super) fn fill(&mut self, count: usize, losses: &mut Losses) {
        for Extra { name, parts, values } in &mut self.0 {
            made_up(name, count - len(values) / *parts, losses);
            let count = count * *parts;
            match values {
                Values::I8(v) => v.to_mut().resize(count, 0),
                Values::U8(v) => v.to_mut().resize(count, 0),
                Values::I16(v) => v.to_mut().resize(count, 0),
                Values::U16(v) => v.to_mut().resize(count, 0),
                Values::I32(v) => v.to_mut().resize(count, 0),
                Values::U32(v) => v.to_mut().resize(count, 0),
                Values::F32(v) => v.to_mut().resize(count, 0.0),
                Values::F64(v) => v.to_mut().resize(count, 0.0),
            }
        }
    }

    /// As attributes of the model; those of several numbers are lists.
    pub(super) fn finish(self) -> Vec<Attribute<'static>> {
        let attribute = |extra: Extra| {
            let (parts, values) = (extra.parts, extra.values);
            let list = (parts > 1).then(|| {
                let count = len(&values) / parts;
                let offsets: Vec<u32> = (0..=count).map(|i| (i * parts) as u32).collect();
                (offsets.into(), ScalarType::U8)
            });
            Attribute { element: VERTEX.to_owned(), name: extra.name, values, list }
        };
        self.0.into_iter().map(attribute).collect()
    }
}

/// Tells that vertices get zeros.
fn made_up(name: &str, vertices: usize, losses: &mut Losses) {
    if vertices > 0 {
        let reason = "vertices without an attribute get 0, where others have it";
        losses.add(Loss::new("attributes", reason).count(vertices as u64, "value").example(name));
    }
}

fn len(values: &Values<'_>) -> usize {
    match values {
        Values::I8(v) => v.len(),
        Values::U8(v) => v.len(),
        Values::I16(v) => v.len(),
        Values::U16(v) => v.len(),
        Values::I32(v) => v.len(),
        Values::U32(v) => v.len(),
        Values::F32(v) => v.len(),
        Values::F64(v) => v.len(),
    }
}

fn zeros(like: &Values<'_>, count: usize) -> Values<'static> {
    match like {
        Values::I8(_) => Values::I8(vec![0; count].into()),
        Values::U8(_) => Values::U8(vec![0; count].into()),
        Values::I16(_) => Values::I16(vec![0; count].into()),
        Values::U16(_) => Values::U16(vec![0; count].into()),
        Values::I32(_) => Values::I32(vec![0; count].into()),
        Values::U32(_) => Values::U32(vec![0; count].into()),
        Values::F32(_) => Values::F32(vec![0.0; count].into()),
        Values::F64(_) => Values::F64(vec![0.0; count].into()),
    }
}

fn floats(values: Values<'static>) -> Values<'static> {
    fn of<T: Copy>(values: &[T], to: impl Fn(T) -> f32) -> Values<'static> {
        Values::F32(values.iter().map(|value| to(*value)).collect::<Vec<_>>().into())
    }
    match values {
        Values::I8(v) => of(&v, f32::from),
        Values::U8(v) => of(&v, f32::from),
        Values::I16(v) => of(&v, f32::from),
        Values::U16(v) => of(&v, f32::from),
        Values::I32(v) => of(&v, |x| x as f32),
        Values::U32(v) => of(&v, |x| x as f32),
        Values::F64(v) => of(&v, |x| x as f32),
        floats @ Values::F32(_) => floats,
    }
}

/// One after the other; of different types, as floats.
fn joined(first: Values<'static>, second: Values<'static>) -> Values<'static> {
    fn join<T: Copy>(first: Cow<'static, [T]>, second: Cow<'static, [T]>) -> Cow<'static, [T]> {
        if first.is_empty() {
            return second;
        }
        let mut all = first.into_owned();
        all.extend_from_slice(&second);
        all.into()
    }
    match (first, second) {
        (Values::I8(a), Values::I8(b)) => Values::I8(join(a, b)),
        (Values::U8(a), Values::U8(b)) => Values::U8(join(a, b)),
        (Values::I16(a), Values::I16(b)) => Values::I16(join(a, b)),
        (Values::U16(a), Values::U16(b)) => Values::U16(join(a, b)),
        (Values::I32(a), Values::I32(b)) => Values::I32(join(a, b)),
        (Values::U32(a), Values::U32(b)) => Values::U32(join(a, b)),
        (Values::F64(a), Values::F64(b)) => Values::F64(join(a, b)),
        (a, b) => match (floats(a), floats(b)) {
            (Values::F32(a), Values::F32(b)) => Values::F32(join(a, b)),
            (a, _) => a,
        },
    }
}
