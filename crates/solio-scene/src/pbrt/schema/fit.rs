//! How a parameter fits a class of version 4, for upgrades.

use super::Version;
use super::check::Subject;
use super::table::{ParameterKind, ParameterRow, table};
use crate::pbrt::{Directive, Parameter, ParameterType, Statement, Statements};

/// How a parameter fits a class of version 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fit {
    /// There is no such class.
    NoClass,
    /// The class has no such parameter; it may go without a word where the table says that version 4
    /// needs nothing in its place.
    Unknown(bool),
    /// It has another type: this one.
    Type(&'static str),
    /// A spectrum; colours are not above this.
    Colour {
        /// The largest component.
        most: f32,
    },
    /// A texture, of numbers or of spectra.
    Texture {
        /// Of numbers.
        of_floats: bool,
    },
    /// As it should be.
    Good,
}

/// How a parameter fits a class of version 4. Textures have their type in front of their class, as
/// in `float.imagemap`.
pub(crate) fn fit_of(directive: Directive, class: &str, name: &[u8], kind: ParameterType) -> Fit {
    let Some(class) = table().class(directive, class).filter(|class| class.versions.v4) else {
        return Fit::NoClass;
    };
    let Some(row) = class.row(name, Version::V4) else {
        let old = class.row(name, Version::V3);
        return Fit::Unknown(old.is_some_and(|row| row.instead.starts_with("nothing")));
    };
    let Some(fitting) = row.kinds.iter().find(|own| own.takes(kind)) else {
        return Fit::Type(row.kinds.first().map_or("", |kind| kind.name()));
    };
    match fitting {
        ParameterKind::Albedo => Fit::Colour { most: 1.0 },
        ParameterKind::Light | ParameterKind::Any => Fit::Colour { most: f32::INFINITY },
        ParameterKind::Of(ParameterType::Texture) => Fit::Texture { of_floats: takes_floats(row) },
        ParameterKind::Of(_) => Fit::Good,
    }
}

/// Whether the textures of a row are of numbers: those beside a number, and those that stand alone.
fn takes_floats(row: &ParameterRow) -> bool {
    row.kinds.contains(&ParameterKind::Of(ParameterType::Float)) || row.kinds.len() == 1
}

/// Whether a texture that `parameter` refers to has to be of numbers; else of spectra. Nothing where
/// the table does not say.
pub(crate) fn texture_of_floats(
    statements: &Statements,
    statement: &Statement,
    parameter: &Parameter,
    version: Version,
) -> Option<bool> {
    let class = Subject::of(statements, statement)?.class()?;
    let row = class.row(statements.text(parameter.name), version)?;
    row.kinds.contains(&ParameterKind::Of(ParameterType::Texture)).then(|| takes_floats(row))
}
