//! A statement under change.

use super::string_place;
use crate::pbrt::schema::{Others, Problem, Severity};
use crate::pbrt::{Parameter, ParameterType, Span, Statement, Statements, Values};
use solio_base::Error;
use std::collections::HashSet;

/// The parameters of a statement, and the arrays that hold their values.
pub(super) struct Draft<'d> {
    arrays: &'d mut Statements,
    pub(super) at: u64,
    values: Values,
    pub(super) parameters: Vec<Parameter>,
    problems: &'d mut Vec<Problem>,
}

fn span(start: usize, end: usize) -> Span {
    // The arrays come of a text below 4 GiB, and what is added is a small part of it.
    Span { start: start as u32, end: end as u32 }
}

impl<'d> Draft<'d> {
    pub(super) fn new(
        arrays: &'d mut Statements,
        statement: &Statement,
        parameters: &[Parameter],
        problems: &'d mut Vec<Problem>,
    ) -> Draft<'d> {
        let (at, values) = (statement.at, statement.values);
        Draft { arrays, at, values, parameters: parameters.to_vec(), problems }
    }

    /// String `i` of the directive.
    pub(super) fn argument(&self, i: usize) -> &[u8] {
        self.arrays.string(self.values, i).unwrap_or(b"")
    }

    pub(super) fn set_argument(&mut self, i: usize, text: &[u8]) {
        let text = self.keep(text);
        if let Some(place) = string_place(self.values, i) {
            self.arrays.strings[place] = text;
        }
    }

    fn keep(&mut self, text: &[u8]) -> Span {
        let start = self.arrays.text.len();
        self.arrays.text.extend_from_slice(text);
        span(start, self.arrays.text.len())
    }

    pub(super) fn name(&self, parameter: &Parameter) -> &[u8] {
        self.arrays.text(parameter.name)
    }

    /// The last parameter of this name: the one that counts.
    pub(super) fn find(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().rev().find(|p| self.name(p) == name.as_bytes())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Takes parameters away that stand there again, of the same type: the last one counts.
    pub(super) fn drop_hidden(&mut self) {
        let arrays = &*self.arrays;
        let mut seen = HashSet::new();
        let mut kept: Vec<_> = self.parameters.drain(..).rev().collect();
        kept.retain(|p| seen.insert((arrays.text(p.name), p.kind)));
        kept.reverse();
        self.parameters = kept;
    }

    /// Takes all parameters of this name away; says whether there were any.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let count = self.parameters.len();
        let arrays = &*self.arrays;
        self.parameters.retain(|p| arrays.text(p.name) != name.as_bytes());
        self.parameters.len() < count
    }

    /// Takes all parameters of this name away, and says so where they did something.
    pub(super) fn remove_loudly(&mut self, name: &str, hint: &str) {
        if let Some(at) = self.find(name).map(|p| p.at) {
            self.remove(name);
            self.warning(at, format!("{name:?} has no counterpart and is left out"), hint);
        }
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let places: Vec<usize> = (0..self.parameters.len())
            .filter(|i| self.name(&self.parameters[*i]) == from.as_bytes())
            .collect();
        if !places.is_empty() {
            let name = self.keep(to.as_bytes());
            places.into_iter().for_each(|i| self.parameters[i].name = name);
        }
    }

    pub(super) fn floats_of(&self, parameter: &Parameter) -> &[f32] {
        match parameter.values {
            Values::Floats(span) => &self.arrays.floats[span.range()],
            _ => &[],
        }
    }

    pub(super) fn floats_mut(&mut self, parameter: &Parameter) -> &mut [f32] {
        match parameter.values {
            Values::Floats(span) => &mut self.arrays.floats[span.range()],
            _ => &mut [],
        }
    }

    /// A number under this name.
    pub(super) fn float(&self, name: &str) -> Option<f32> {
        let parameter = self.find(name).filter(|p| p.kind == ParameterType::Float)?;
        self.floats_of(parameter).first().copied()
    }

    pub(super) fn bool(&self, name: &str) -> Option<bool> {
        match self.find(name)?.values {
            Values::Bools(span) => Some(*self.arrays.integers[span.range()].first()? != 0),
            _ => None,
        }
    }

    pub(super) fn string(&self, name: &str) -> Option<Vec<u8>> {
        let parameter = self.find(name).filter(|p| p.kind == ParameterType::String)?;
        self.arrays.string(parameter.values, 0).map(<[u8]>::to_vec)
    }

    /// The texture under this name.
    pub(super) fn texture(&self, name: &str) -> Option<Vec<u8>> {
        let parameter = self.find(name).filter(|p| p.kind == ParameterType::Texture)?;
        self.arrays.string(parameter.values, 0).map(<[u8]>::to_vec)
    }

    /// The texture that a parameter names is called otherwise now.
    pub(super) fn set_texture(&mut self, i: usize, texture: &[u8]) {
        let text = self.keep(texture);
        if let Some(place) = string_place(self.parameters[i].values, 0) {
            self.arrays.strings[place] = text;
        }
    }

    pub(super) fn texture_of(&self, parameter: &Parameter) -> Option<&[u8]> {
        (parameter.kind == ParameterType::Texture)
            .then(|| self.arrays.string(parameter.values, 0))
            .flatten()
    }

    /// The colour under this name.
    pub(super) fn rgb(&self, name: &str) -> Option<[f32; 3]> {
        let parameter = self.find(name).filter(|p| p.kind == ParameterType::Rgb)?;
        self.floats_of(parameter).try_into().ok()
    }

    /// The value under this name, if it is the same for all wavelengths.
    pub(super) fn grey(&self, name: &str) -> Option<f32> {
        let rgb = self.rgb(name)?;
        (rgb[0] == rgb[1] && rgb[1] == rgb[2]).then_some(rgb[0])
    }

    /// Adds numbers; of those past what floats hold, the nearest that they do.
    pub(super) fn push_floats(&mut self, kind: ParameterType, name: &str, floats: &[f32]) {
        let start = self.arrays.floats.len();
        self.arrays.floats.extend(floats.iter().copied().map(finite));
        let values = Values::Floats(span(start, self.arrays.floats.len()));
        self.push(kind, name, values);
    }

    pub(super) fn push_integer(&mut self, name: &str, value: i32) {
        let start = self.arrays.integers.len();
        self.arrays.integers.push(value);
        self.push(ParameterType::Integer, name, Values::Integers(span(start, start + 1)));
    }

    pub(super) fn push_strings(&mut self, kind: ParameterType, name: &str, strings: &[&[u8]]) {
        let start = self.arrays.strings.len();
        for string in strings {
            let string = self.keep(string);
            self.arrays.strings.push(string);
        }
        let values = Values::Strings(span(start, self.arrays.strings.len()));
        self.push(kind, name, values);
    }

    fn push(&mut self, kind: ParameterType, name: &str, values: Values) {
        let name = self.keep(name.as_bytes());
        // It stands at the beginning, so no comment moves before it.
        let parameter = Parameter { at: self.at, kind, name, values, older_form: false };
        self.parameters.insert(0, parameter);
    }

    pub(super) fn warning(&mut self, at: u64, message: impl Into<String>, hint: &str) {
        self.say(Severity::Warning, at, message, hint);
    }

    pub(super) fn error(&mut self, at: u64, message: impl Into<String>, hint: &str) {
        self.say(Severity::Error, at, message, hint);
    }

    fn say(&mut self, severity: Severity, at: u64, message: impl Into<String>, hint: &str) {
        let mut error = Error::unsupported(message).at_offset(at);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.problems.push(Problem { severity, error });
    }

    /// Types by their names of version 4; of `xyz` colours, which it does not have, their `rgb`.
    pub(super) fn modern_types(&mut self) {
        for i in 0..self.parameters.len() {
            let parameter = self.parameters[i];
            self.parameters[i].older_form = false;
            if parameter.kind == ParameterType::Xyz {
                self.parameters[i].kind = ParameterType::Rgb;
                let (colours, _) = self.floats_mut(&parameter).as_chunks_mut::<3>();
                colours.iter_mut().for_each(|colour| *colour = rgb_of_xyz(*colour));
            }
        }
    }
}

impl Others for Draft<'_> {
    fn has(&self, name: &str) -> bool {
        Draft::has(self, name)
    }

    fn string(&self, name: &str) -> Option<&[u8]> {
        let parameter = self.find(name).filter(|p| p.kind == ParameterType::String)?;
        self.arrays.string(parameter.values, 0)
    }

    fn integer(&self, name: &str) -> Option<i32> {
        match self.find(name)?.values {
            Values::Integers(span) => self.arrays.integers[span.range()].first().copied(),
            _ => None,
        }
    }
}

/// The linear sRGB of a CIE XYZ colour (IEC 61966-2-1), which version 3 takes colours for.
pub(crate) fn rgb_of_xyz([x, y, z]: [f32; 3]) -> [f32; 3] {
    [
        3.240_479 * x - 1.537_15 * y - 0.498_535 * z,
        -0.969_256 * x + 1.875_991 * y + 0.041_556 * z,
        0.055_648 * x - 0.204_043 * y + 1.057_311 * z,
    ]
    .map(finite)
}

/// Texts hold finite numbers alone: computed ones are kept in their range, and none becomes 0.
fn finite(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(f32::MIN, f32::MAX) }
}
