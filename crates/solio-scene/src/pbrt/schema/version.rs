//! Which version a text is of.

use super::Version;
use super::check::Subject;
use super::table::DirectiveClass;
use crate::pbrt::{Directive, Parameter, Statement, Statements};

/// What in texts only one version knows, as far as it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VersionMarks {
    /// Where the first thing that only version 3 knows begins, in bytes of its text.
    pub v3: Option<u64>,
    /// Where the first thing that only version 4 knows begins, in bytes of its text.
    pub v4: Option<u64>,
}

impl VersionMarks {
    /// Takes note of the marks of these statements.
    pub fn see(&mut self, statements: &Statements) {
        if let Some((at, _)) = statements.older_directives.first() {
            self.mark(Version::V3, *at);
        }
        for statement in &statements.statements {
            if self.v3.is_some() && self.v4.is_some() {
                return;
            }
            self.see_statement(statements, statement);
        }
    }

    /// The version, if there is a mark of it and none of the other one.
    pub fn version(&self) -> Option<Version> {
        match (self.v3, self.v4) {
            (Some(_), None) => Some(Version::V3),
            (None, Some(_)) => Some(Version::V4),
            _ => None,
        }
    }

    fn mark(&mut self, version: Version, at: u64) {
        let place = match version {
            Version::V3 => &mut self.v3,
            Version::V4 => &mut self.v4,
        };
        place.get_or_insert(at);
    }

    /// Takes note of the marks of a statement.
    pub(crate) fn see_statement(&mut self, statements: &Statements, statement: &Statement) {
        use Directive::*;
        match statement.directive {
            WorldEnd => self.mark(Version::V3, statement.at),
            Attribute | ColorSpace | Import | Option => self.mark(Version::V4, statement.at),
            _ => {}
        }
        let parameters = &statements.parameters[statement.parameters.range()];
        let is_option = statement.directive == Option;
        if let Some(old) = parameters.iter().find(|p| p.older_form && !is_option) {
            self.mark(Version::V3, old.at);
        }
        let class = Subject::of(statements, statement).and_then(|subject| subject.class());
        let Some(class) = class else { return };
        match (class.versions.v3, class.versions.v4) {
            // Version 4 takes "none" too.
            (true, false) if class.name != "none" => self.mark(Version::V3, statement.at),
            (false, true) => self.mark(Version::V4, statement.at),
            _ => {}
        }
        for parameter in parameters {
            match versions_of(statements, class, parameter) {
                (true, false) => self.mark(Version::V3, parameter.at),
                (false, true) => self.mark(Version::V4, parameter.at),
                _ => {}
            }
        }
    }
}

/// Whether versions 3 and 4 know the parameter, under its type.
fn versions_of(
    statements: &Statements,
    class: &DirectiveClass,
    parameter: &Parameter,
) -> (bool, bool) {
    let name = statements.text(parameter.name);
    let knows = |version| {
        let row = class.row(name, version);
        row.is_some_and(|row| row.kinds.iter().any(|kind| kind.takes(parameter.kind)))
    };
    (knows(Version::V3), knows(Version::V4))
}
