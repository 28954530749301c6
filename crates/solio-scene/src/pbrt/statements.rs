//! What text says, in flat arrays: statements, their parameters, and the values of all.

use super::{Directive, ParameterType};
use solio_base::Error;
use std::collections::HashMap;
use std::ops::Range;

/// Parameters that are compared with each other; more of them are looked up.
const FEW: usize = 16;

/// Some of an array: its first place, and the one after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first place.
    pub start: u32,
    /// The place after the last.
    pub end: u32,
}

impl Span {
    /// As a range of places.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many places.
    pub fn count(self) -> usize {
        self.range().len()
    }
}

/// The values of a directive or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Of [`Statements::floats`].
    Floats(Span),
    /// Of [`Statements::integers`].
    Integers(Span),
    /// Of [`Statements::integers`], 0 or 1.
    Bools(Span),
    /// Of [`Statements::strings`].
    Strings(Span),
}

impl Values {
    /// How many.
    pub fn count(self) -> usize {
        match self {
            Values::Floats(span)
            | Values::Integers(span)
            | Values::Bools(span)
            | Values::Strings(span) => span.count(),
        }
    }
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Where its declaration begins, in bytes from the start of the file.
    pub at: u64,
    /// The type.
    pub kind: ParameterType,
    /// The name, of [`Statements::text`].
    pub name: Span,
    /// The values.
    pub values: Values,
    /// Whether it is declared in a way that version 4 does not know: by the type's name of version
    /// 3 (`point`, `vector`, `color`); that of an `Option` by any type.
    pub older_form: bool,
}

/// A directive with what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement {
    /// Where it begins, in bytes from the start of the file.
    pub at: u64,
    /// The directive.
    pub directive: Directive,
    /// Its numbers or strings.
    pub values: Values,
    /// Its parameters, of [`Statements::parameters`].
    pub parameters: Span,
}

/// What a text says.
#[derive(Debug, Default)]
pub struct Statements {
    /// In the order of the text.
    pub statements: Vec<Statement>,
    /// Of all statements.
    pub parameters: Vec<Parameter>,
    /// Numbers of all directives and parameters but whole ones.
    pub floats: Vec<f32>,
    /// Whole numbers, and truth values.
    pub integers: Vec<i32>,
    /// Strings, each of [`Self::text`].
    pub strings: Vec<Span>,
    /// The bytes of strings and names, escapes resolved.
    pub text: Vec<u8>,
    /// Where comments stand in the file, in bytes, with their `#`.
    pub comments: Vec<Range<u64>>,
    /// Where values stand that are written as version 3 took them, and version 4 stops at: whole numbers
    /// with a point or an exponent, truth values in quotes; rising.
    pub older_values: Vec<u64>,
    /// Directives that only versions 1 and 2 had, and where they stand; they are passed over.
    pub older_directives: Vec<(u64, &'static str)>,
    /// What is wrong, each with its place; the statement in question is left out.
    pub problems: Vec<Error>,
}

impl Statements {
    /// Forgets what it holds; the memory stays.
    pub(super) fn clear(&mut self) {
        self.statements.clear();
        self.parameters.clear();
        self.floats.clear();
        self.integers.clear();
        self.strings.clear();
        self.text.clear();
        self.comments.clear();
        self.older_values.clear();
        self.older_directives.clear();
        self.problems.clear();
    }

    /// Bytes of its arrays.
    pub fn memory_bytes(&self) -> u64 {
        (size_of_val(&*self.statements)
            + size_of_val(&*self.parameters)
            + size_of_val(&*self.floats)
            + size_of_val(&*self.integers)
            + size_of_val(&*self.strings)
            + size_of_val(&*self.comments)
            + self.text.len()) as u64
    }

    /// Bytes that its arrays have room for.
    pub(super) fn capacity_bytes(&self) -> usize {
        fn of<T>(array: &Vec<T>) -> usize {
            array.capacity() * size_of::<T>()
        }
        of(&self.statements)
            + of(&self.parameters)
            + of(&self.floats)
            + of(&self.integers)
            + of(&self.strings)
            + of(&self.text)
            + of(&self.comments)
            + of(&self.problems)
    }

    /// The first value of a statement that version 4 does not take as it is written.
    pub(crate) fn older_value(&self, statement: &Statement) -> Option<u64> {
        if self.older_values.is_empty() {
            return None;
        }
        let next = self.statements.partition_point(|other| other.at <= statement.at);
        let end = self.statements.get(next).map_or(u64::MAX, |next| next.at);
        let first = self.older_values.partition_point(|at| *at < statement.at);
        self.older_values.get(first).copied().filter(|at| *at < end)
    }

    /// Takes the directives that only versions 1 and 2 had, as what is wrong with a text that is to be
    /// written anew: there are no words for them.
    pub fn take_older_directives(&mut self) -> impl Iterator<Item = Error> {
        let left = |(at, name)| {
            let message = format!("{name} is of versions 1 and 2: it is left out");
            Error::unsupported(message).at_offset(at)
        };
        self.older_directives.drain(..).map(left)
    }

    /// The bytes of a name or a string.
    pub fn text(&self, span: Span) -> &[u8] {
        &self.text[span.range()]
    }

    /// The parameters of a statement that count: of those of one name the last.
    pub(crate) fn counting(&self, statement: &Statement) -> impl Iterator<Item = &Parameter> {
        let all = &self.parameters[statement.parameters.range()];
        let name = |parameter: &Parameter| self.text(parameter.name);
        let lasts: Option<HashMap<&[u8], usize>> = (all.len() > FEW)
            .then(|| all.iter().enumerate().map(|(i, parameter)| (name(parameter), i)).collect());
        let counts = move |i: usize, parameter: &Parameter| match &lasts {
            Some(lasts) => lasts.get(name(parameter)) == Some(&i),
            None => all[i + 1..].iter().all(|later| name(later) != name(parameter)),
        };
        let all = all.iter().enumerate();
        all.filter(move |(i, parameter)| counts(*i, parameter)).map(|(_, parameter)| parameter)
    }

    /// Where string `i` of a directive is; nowhere if it has fewer.
    pub(crate) fn string_span(&self, statement: &Statement, i: usize) -> Span {
        match statement.values {
            Values::Strings(span) => self.strings[span.range()].get(i).copied().unwrap_or_default(),
            _ => Span::default(),
        }
    }

    /// String `i` of some values, if they are strings and have so many.
    pub fn string(&self, values: Values, i: usize) -> Option<&[u8]> {
        match values {
            Values::Strings(span) => {
                Some(self.text(*self.strings.get(span.range()).and_then(|all| all.get(i))?))
            }
            _ => None,
        }
    }
}
