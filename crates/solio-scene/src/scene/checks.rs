//! What the table of classes and parameters says of statements, and the names that they use.

use super::Place;
use super::lines::LineCounter;
use crate::pbrt::schema::{Checker, Problem, Version, VersionMarks, files, texture_of_floats};
use crate::pbrt::{Directive, ParameterType, Statement, Statements, Values};
use foldhash::fast::FixedState;
use std::collections::HashSet;

/// A name, and where it is used first.
pub(super) type UsedName = (Vec<u8>, Place);

/// Looks at statement after statement, and finds out which version they are of.
#[derive(Default)]
pub(super) struct Checks {
    /// Those that may be: both, until something shows up that only one knows.
    may_be: Vec<VersionCheck>,
    /// Whether statements are held against the table; else only the version is looked for.
    checks: bool,
    /// What the last shape declared, without its numbers: the next is often like it.
    last_shape: Vec<u8>,
    /// Files that statements read, but for texts; each once.
    pub(super) files: UsedNames,
    /// Materials that `mix` refers to; each once.
    pub(super) materials: UsedNames,
}

/// A version, and what is wrong if it is that one.
struct VersionCheck {
    version: Version,
    checker: Checker,
    problems: Vec<PlacedProblem>,
    textures: UsedTextures,
}

/// Textures that parameters refer to; each once.
#[derive(Default)]
pub(super) struct UsedTextures {
    /// Of numbers, and of spectra.
    pub(super) typed: [UsedNames; 2],
    /// Of either: of parameters that the table does not know.
    pub(super) others: UsedNames,
}

/// A problem and its place.
pub(super) type PlacedProblem = (Problem, Place);

/// Names in the order in which they are used first.
#[derive(Default)]
pub(super) struct UsedNames {
    known: HashSet<Box<[u8]>, FixedState>,
    pub(super) all: Vec<UsedName>,
}

impl UsedNames {
    fn add(&mut self, name: &[u8], place: impl FnOnce() -> Place) {
        if !name.is_empty() && !self.known.contains(name) {
            self.known.insert(name.into());
            self.all.push((name.to_vec(), place()));
        }
    }
}

impl Checks {
    /// For a version, if it is known.
    pub(super) fn new(version: Option<u32>, checks: bool) -> Checks {
        let versions = match version {
            None => &[Version::V4, Version::V3][..],
            Some(..4) => &[Version::V3],
            Some(_) => &[Version::V4],
        };
        let checked = |version: &Version| VersionCheck {
            version: *version,
            checker: Checker::new(*version),
            problems: Vec::new(),
            textures: UsedTextures::default(),
        };
        Checks { may_be: versions.iter().map(checked).collect(), checks, ..Checks::default() }
    }

    /// Whether there is nothing to look for.
    pub(super) fn is_idle(&self) -> bool {
        !self.checks && self.may_be.len() == 1
    }

    /// Whether statements are held against the table.
    pub(super) fn checks(&self) -> bool {
        self.checks
    }

    /// The version, once it is known.
    pub(super) fn version(&self) -> Option<u32> {
        match &self.may_be[..] {
            [one] => Some(one.version.number()),
            _ => None,
        }
    }

    /// There is something that only versions 1 and 2 had: the table of version 3 is the nearest.
    pub(super) fn is_older(&mut self) {
        if self.may_be.len() > 1 {
            self.may_be.retain(|checked| checked.version == Version::V3);
        }
    }

    /// Looks at a statement; the names it uses are noted.
    pub(super) fn look(
        &mut self,
        statements: &Statements,
        statement: &Statement,
        lines: &mut LineCounter<'_>,
    ) {
        if self.may_be.len() > 1 && !self.has_no_mark(statements, statement) {
            let mut marks = VersionMarks::default();
            marks.see_statement(statements, statement);
            if let Some(version) = marks.version() {
                self.may_be.retain(|checked| checked.version == version);
            }
        }
        if !self.checks {
            return;
        }
        for checked in &mut self.may_be {
            for problem in checked.checker.check(statements, statement) {
                let place = lines.place(problem.error.offset().unwrap_or(statement.at));
                checked.problems.push((problem, place));
            }
        }
        self.note_names(statements, statement, lines);
    }

    /// Whether it is soon seen that a statement says nothing of its version.
    fn has_no_mark(&mut self, statements: &Statements, statement: &Statement) -> bool {
        use Directive::*;
        match statement.directive {
            AttributeBegin | AttributeEnd | ConcatTransform | Identity | NamedMaterial
            | ObjectBegin | ObjectEnd | ObjectInstance | ReverseOrientation | Rotate | Scale
            | Transform | Translate => true,
            Shape => {
                // Class, declarations and strings lie one behind the other.
                let start = statements.string_span(statement, 0).start;
                let last = statements.parameters[statement.parameters.range()].last();
                let end = last.map_or(start, |last| match last.values {
                    Values::Strings(span) if span.count() > 0 => {
                        statements.strings[span.range()].last().map_or(start, |string| string.end)
                    }
                    _ => last.name.end,
                });
                let shape = &statements.text[start as usize..end as usize];
                let is_like_last = *shape == *self.last_shape;
                if !is_like_last {
                    self.last_shape.clear();
                    self.last_shape.extend_from_slice(shape);
                }
                is_like_last && !shape.is_empty()
            }
            _ => false,
        }
    }

    /// What was found so far; nothing as long as the version is not known, unless it is the end.
    pub(super) fn problems(&mut self, is_end: bool) -> Vec<PlacedProblem> {
        if self.may_be.len() > 1 && !is_end {
            return Vec::new();
        }
        std::mem::take(&mut self.may_be[0].problems)
    }

    /// The textures that were used, when all is seen.
    pub(super) fn take_textures(&mut self) -> UsedTextures {
        std::mem::take(&mut self.may_be[0].textures)
    }

    fn note_names(
        &mut self,
        statements: &Statements,
        statement: &Statement,
        lines: &mut LineCounter<'_>,
    ) {
        for file in files(statements, statement) {
            // Texts are read, so that what is missing shows by itself.
            if file.parameter.is_some() {
                self.files.add(file.name, || lines.place(file.at));
            }
        }
        for parameter in statements.counting(statement) {
            let Values::Strings(span) = parameter.values else { continue };
            let is_texture = parameter.kind == ParameterType::Texture;
            let is_material = matches!(
                statements.text(parameter.name),
                b"materials" | b"namedmaterial1" | b"namedmaterial2"
            );
            for string in &statements.strings[span.range()] {
                let (name, mut place) = (statements.text(*string), || lines.place(parameter.at));
                if is_texture {
                    for VersionCheck { version, textures, .. } in &mut self.may_be {
                        let wanted = texture_of_floats(statements, statement, parameter, *version);
                        let names = match wanted {
                            Some(of_floats) => &mut textures.typed[usize::from(!of_floats)],
                            None => &mut textures.others,
                        };
                        names.add(name, &mut place);
                    }
                } else if is_material {
                    self.materials.add(name, place);
                }
            }
        }
    }
}
