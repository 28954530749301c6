//! The files that a statement reads.

use super::check::Subject;
use super::known_names;
use super::table::{KnownValues, ParameterRow, StringMeaning};
use crate::pbrt::{Directive, Parameter, ParameterType, Statement, Statements};

/// A file that a statement reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedFile<'s> {
    /// The parameter that names it; none for `Include` and `Import`.
    pub parameter: Option<&'s Parameter>,
    /// Its name as it stands in the text.
    pub name: &'s [u8],
    /// Where the statement or the declaration of the parameter begins, in bytes of the text.
    pub at: u64,
}

/// The files that a statement reads, of either version, in the order of the text: pictures,
/// meshes, lenses, spectra that pbrt does not know by name, other texts. Not those that are
/// written, nor those of a parameter that a later one of its name replaces.
pub fn files<'s>(
    statements: &'s Statements,
    statement: &'s Statement,
) -> impl Iterator<Item = NamedFile<'s>> {
    let included = matches!(statement.directive, Directive::Include | Directive::Import)
        .then(|| statements.string(statement.values, 0))
        .flatten()
        .map(|name| NamedFile { parameter: None, name, at: statement.at });
    let class = Subject::of(statements, statement).and_then(|subject| subject.class());
    let of_parameters = statements.counting(statement).flat_map(move |parameter| {
        let own_name = statements.text(parameter.name);
        let rows = class.iter().flat_map(|class| &class.rows);
        let mut rows = rows.filter(move |row| row.name.as_bytes() == own_name);
        let is_file = rows.any(|row| row.names == StringMeaning::File);
        let row = class
            .iter()
            .flat_map(|class| &class.rows)
            .find(|row| row.name.as_bytes() == own_name && row.names == StringMeaning::File);
        let is_spectrum = parameter.kind == ParameterType::Spectrum;
        let is_string = parameter.kind == ParameterType::String && is_file;
        (0..parameter.values.count())
            .take(if is_spectrum || is_string { usize::MAX } else { 0 })
            .filter_map(|i| statements.string(parameter.values, i))
            .filter(move |name| match is_spectrum {
                true => !known_names::is_spectrum(name),
                false => !row.is_some_and(|row| is_known(row, name)),
            })
            .filter(|name| !name.is_empty())
            .map(move |name| NamedFile { parameter: Some(parameter), name, at: parameter.at })
    });
    included.into_iter().chain(of_parameters)
}

/// Whether the string stands for something that needs no file.
fn is_known(row: &ParameterRow, name: &[u8]) -> bool {
    match &row.known {
        KnownValues::Strings { strings, .. } => {
            strings.iter().any(|known| known.as_bytes() == name)
        }
        _ => false,
    }
}
