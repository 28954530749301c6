//! What in a statement does not fit the table.

use super::rules;
use super::table::{DirectiveClass, KnownValues, ParameterKind, ParameterRow, ValueCount, table};
use super::{Version, known_names};
use crate::pbrt::{Directive, Parameter, ParameterType, Statement, Statements, Values};
use solio_base::Error;
use std::collections::HashSet;

/// How pbrt takes a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// pbrt goes on, with a word or without one, but not with what was meant.
    Warning,
    /// pbrt stops, or leaves out the thing that the statement describes.
    Error,
}

/// What is wrong with a statement.
#[derive(Debug)]
pub struct Problem {
    /// How pbrt takes it.
    pub severity: Severity,
    /// What is wrong, with the place in bytes, and mostly what to write instead.
    pub error: Error,
}

/// What is wrong with a statement; `Attribute` before it may have given parameters that are said to
/// be missing, see [`Checker`].
pub fn check(statements: &Statements, statement: &Statement, version: Version) -> Vec<Problem> {
    Checker::new(version).check(statements, statement)
}

/// Checks statement after statement, and remembers what `Attribute` gave to those that follow.
#[derive(Debug)]
pub struct Checker {
    version: Version,
    /// What was given, as target, a blank, and name.
    given: HashSet<Vec<u8>>,
}

/// What a statement describes.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    /// Of [`super::table`]; that of a named material is `Material`.
    pub(super) directive: Directive,
    /// The class; of an `Option` its name.
    pub(super) class: &'s [u8],
    /// `float` or `spectrum`, of textures.
    pub(super) prefix: &'static str,
}

impl<'s> Subject<'s> {
    /// What is described, if it has a class; of a texture only if its type is known.
    pub(super) fn of(statements: &'s Statements, statement: &Statement) -> Option<Subject<'s>> {
        use Directive::*;
        let parameters = &statements.parameters[statement.parameters.range()];
        let by_type = || {
            let is_type = |parameter: &&Parameter| {
                parameter.kind == ParameterType::String
                    && statements.text(parameter.name) == b"type"
            };
            statements.string(parameters.iter().rev().find(is_type)?.values, 0)
        };
        let own = || statements.string(statement.values, 0);
        let (directive, class, prefix) = match statement.directive {
            MakeNamedMaterial => (Material, by_type()?, ""),
            MakeNamedMedium => (MakeNamedMedium, by_type()?, ""),
            Texture => {
                let prefix = match statements.string(statement.values, 1)? {
                    b"float" => "float",
                    b"spectrum" | b"color" => "spectrum",
                    _ => return None,
                };
                (Texture, statements.string(statement.values, 2)?, prefix)
            }
            Option => (Option, statements.text(parameters.first()?.name), ""),
            Accelerator | AreaLightSource | Camera | ColorSpace | Film | Integrator
            | LightSource | Material | PixelFilter | Sampler | Shape => {
                (statement.directive, own()?, "")
            }
            _ => return None,
        };
        Some(Subject { directive, class, prefix })
    }

    /// The class in the table, of whatever version.
    pub(super) fn class(&self) -> Option<&'static DirectiveClass> {
        // Names of classes are short; longer ones need no look.
        let class = Some(self.class).filter(|class| class.len() <= 64)?;
        let name = std::str::from_utf8(class).ok()?;
        let name =
            if name.is_empty() && self.directive == Directive::Material { "none" } else { name };
        match self.prefix {
            "" if self.directive == Directive::Option => {
                table().class(self.directive, &option_name(name))
            }
            // pbrt takes these in any case.
            "" if self.directive == Directive::ColorSpace => {
                table().class(self.directive, &name.to_ascii_lowercase())
            }
            "" => table().class(self.directive, name),
            prefix => table().class(self.directive, &format!("{prefix}.{name}")),
        }
    }
}

/// pbrt takes the names of options in any case, with `-` and `_` or without.
fn option_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whose parameters an `Attribute` of this target gives.
fn target(directive: Directive) -> &'static str {
    use Directive::*;
    match directive {
        Shape => "shape",
        LightSource | AreaLightSource => "light",
        Material => "material",
        MakeNamedMedium => "medium",
        Texture => "texture",
        _ => "",
    }
}

/// The bytes as messages show them: no more than a line.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut shown = format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    if bytes.len() > 60 {
        shown.push('…');
    }
    shown
}

/// The name among `names` that is nearest to `word`, if it is near.
pub(super) fn nearest<'n>(word: &[u8], names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let word = std::str::from_utf8(word).ok().filter(|word| word.len() <= 40)?;
    let lower = word.to_ascii_lowercase();
    let far = |name: &str| strsim::damerau_levenshtein(&lower, &name.to_ascii_lowercase());
    let near = names.map(|name| (far(name), name)).min()?;
    (near.0 <= (word.len() / 3).min(2)).then_some(near.1)
}

impl Checker {
    /// For files of this version.
    pub fn new(version: Version) -> Checker {
        Checker { version, given: HashSet::new() }
    }

    /// What is wrong with the next statement, in the order of the text as far as it has one.
    pub fn check(&mut self, statements: &Statements, statement: &Statement) -> Vec<Problem> {
        let mut look = StatementCheck {
            statements,
            statement,
            version: self.version,
            given: &self.given,
            found: vec![],
        };
        look.directive();
        if let Some(subject) = Subject::of(statements, statement) {
            match subject.class() {
                Some(class) => look.class(&subject, class),
                None => look.unknown_class(&subject),
            }
        } else {
            look.no_class();
        }
        look.parameters_alone();
        look.older_values();
        let found = look.found;
        if statement.directive == Directive::Attribute {
            self.keep(statements, statement);
        }
        found
    }

    fn keep(&mut self, statements: &Statements, statement: &Statement) {
        let Some(target) = statements.string(statement.values, 0) else { return };
        for parameter in &statements.parameters[statement.parameters.range()] {
            let name = statements.text(parameter.name);
            if name.len() <= 64 {
                self.given.insert([target, b" ", name].concat());
            }
        }
    }
}

/// One look at one statement.
pub(super) struct StatementCheck<'s> {
    pub(super) statements: &'s Statements,
    pub(super) statement: &'s Statement,
    pub(super) version: Version,
    given: &'s HashSet<Vec<u8>>,
    found: Vec<Problem>,
}

impl<'s> StatementCheck<'s> {
    pub(super) fn error(&mut self, at: u64, message: impl Into<String>, hint: &str) {
        self.problem(Severity::Error, at, message, hint);
    }

    pub(super) fn warning(&mut self, at: u64, message: impl Into<String>, hint: &str) {
        self.problem(Severity::Warning, at, message, hint);
    }

    fn problem(&mut self, severity: Severity, at: u64, message: impl Into<String>, hint: &str) {
        let mut error = Error::syntax(message).at_offset(at);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.found.push(Problem { severity, error });
    }

    pub(super) fn parameters(&self) -> &'s [Parameter] {
        &self.statements.parameters[self.statement.parameters.range()]
    }

    /// The last parameter of this name and one of these types: the one that pbrt takes.
    pub(super) fn parameter(&self, name: &str, kinds: &[ParameterType]) -> Option<&'s Parameter> {
        let mut all = self.parameters().iter().rev();
        all.find(|parameter| {
            kinds.contains(&parameter.kind)
                && self.statements.text(parameter.name) == name.as_bytes()
        })
    }

    /// Whether there is a parameter of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.at(name).is_some()
    }

    /// Where the parameter of this name stands.
    pub(super) fn at(&self, name: &str) -> Option<u64> {
        let mut all = self.parameters().iter();
        all.find(|p| self.statements.text(p.name) == name.as_bytes()).map(|p| p.at)
    }

    fn v4(&self) -> bool {
        self.version == Version::V4
    }

    /// Directives that a version does not have.
    fn directive(&mut self) {
        use Directive::*;
        let (at, directive) = (self.statement.at, self.statement.directive);
        let name = directive.name();
        match directive {
            WorldEnd if self.v4() => {
                self.error(at, "version 4 has no WorldEnd", "the scene ends with its file");
            }
            TransformBegin | TransformEnd if self.v4() => {
                let instead = if directive == TransformBegin { "Begin" } else { "End" };
                let message = format!("{name} is deprecated");
                self.warning(at, message, &format!("write Attribute{instead}"));
            }
            Attribute | ColorSpace | Import | Option if !self.v4() => {
                self.error(at, format!("version 3 has no {name}"), "");
            }
            _ => {}
        }
    }

    /// What should have a class and has none that could be looked up.
    fn no_class(&mut self) {
        use Directive::*;
        let at = self.statement.at;
        match self.statement.directive {
            MakeNamedMaterial | MakeNamedMedium => {
                let what = self.statement.directive.name();
                let message = format!("{what} needs the parameter \"string type\"");
                let target = if what == "MakeNamedMedium" { "medium" } else { "material" };
                if !self.is_given(target, "type") {
                    self.error(at, message, "");
                }
            }
            Texture => {
                let kind = self.statements.string(self.statement.values, 1).unwrap_or(b"");
                let message = format!("a texture has no type {}", shown(kind));
                self.error(at, message, "its types are \"float\" and \"spectrum\"");
            }
            Attribute => self.attribute(),
            _ => {}
        }
    }

    fn is_given(&self, target: &str, name: &str) -> bool {
        self.given.contains(format!("{target} {name}").as_bytes())
    }

    /// `Attribute`: each parameter should be one that some class takes.
    fn attribute(&mut self) {
        use Directive::*;
        let given_to = self.statements.string(self.statement.values, 0).unwrap_or(b"");
        let directives: &[Directive] = match given_to {
            b"shape" => &[Shape],
            b"light" => &[LightSource, AreaLightSource],
            b"material" => &[Material],
            b"medium" => &[MakeNamedMedium],
            b"texture" => &[Texture],
            _ => {
                let message = format!("Attribute knows nothing of {}", shown(given_to));
                let hint = "it knows shape, light, material, medium and texture";
                return self.error(self.statement.at, message, hint);
            }
        };
        for parameter in self.parameters() {
            let name = self.statements.text(parameter.name);
            let classes = || directives.iter().flat_map(|of| table().classes_of(*of));
            if name != b"type" && !classes().any(|class| class.row(name, self.version).is_some()) {
                let own = String::from_utf8_lossy(given_to);
                let message = format!("no {own} has a parameter {}", shown(name));
                let names = classes().flat_map(|class| class.rows.iter().map(|row| row.name));
                let near = nearest(name, names).map(|near| format!("did you mean {near:?}?"));
                self.warning(parameter.at, message, &near.unwrap_or_default());
            }
        }
    }

    fn unknown_class(&mut self, subject: &Subject<'_>) {
        let name = subject.directive.name();
        let message = match subject.prefix {
            "" => format!("{name} has no class {}", shown(subject.class)),
            kind => format!("{name} of type {kind:?} has no class {}", shown(subject.class)),
        };
        let own = subject.prefix.len() + usize::from(!subject.prefix.is_empty());
        let version = self.version;
        let names = table()
            .classes_of(subject.directive)
            .filter(|class| class.versions.has(version) && class.name.starts_with(subject.prefix))
            .map(|class| &class.name[own..]);
        let near = nearest(subject.class, names).map(|near| format!("did you mean {near:?}?"));
        self.error(self.statement.at, message, &near.unwrap_or_default());
    }

    fn class(&mut self, subject: &Subject<'_>, class: &'static DirectiveClass) {
        let at = self.statement.at;
        if self.statement.directive == Directive::Texture && self.v4() {
            let kind = self.statements.string(self.statement.values, 1);
            if kind == Some(b"color") {
                let hint = "write \"spectrum\"";
                self.error(at, "version 4 has no textures of type \"color\"", hint);
            }
        }
        if !class.versions.has(self.version) {
            let (name, own) = (subject.directive.name(), shown(subject.class));
            if self.v4() && class.name == "none" {
                let message = format!("the material {own} is deprecated");
                return self.warning(at, message, "write \"interface\"");
            }
            let hint = if self.v4() { write_instead(class.instead) } else { String::new() };
            let message = format!("version {} has no {name} {own}", self.version.number());
            return self.error(at, message, &hint);
        }
        // These take whatever stands there.
        if matches!(class.name, "none" | "interface") {
            return;
        }
        for (i, parameter) in self.parameters().iter().enumerate() {
            self.of_class(class, parameter, i);
        }
        self.missing(class);
        rules::look(self, class);
    }

    fn missing(&mut self, class: &'static DirectiveClass) {
        for row in &class.rows {
            let is_missing = row.is_needed() && row.versions.has(self.version);
            if is_missing
                && class.directive != Directive::Option
                && !self.has(row.name)
                && !self.is_given(target(class.directive), row.name)
            {
                let (directive, own) = (class.directive.name(), own_name(class));
                let kinds = kinds(row);
                let message =
                    format!("{directive} {own:?} needs a parameter \"{kinds} {}\"", row.name);
                self.error(self.statement.at, message, "");
            }
        }
    }

    /// A parameter, with what the class knows of it.
    fn of_class(&mut self, class: &'static DirectiveClass, parameter: &'s Parameter, i: usize) {
        let name = self.statements.text(parameter.name);
        if class.directive == Directive::Option {
            if let [row] = &class.rows[..] {
                self.of_row(row, parameter);
            }
            return;
        }
        let is_type = matches!(
            self.statement.directive,
            Directive::MakeNamedMaterial | Directive::MakeNamedMedium
        ) && name == b"type";
        if is_type {
            return;
        }
        let Some(row) = class.row(name, self.version) else {
            return self.unknown_parameter(class, parameter);
        };
        self.of_row(row, parameter);
        let earlier = &self.parameters()[..i];
        if let Some(other) = earlier.iter().find(|other| self.statements.text(other.name) == name) {
            let message = format!("the parameter {} stands here twice", shown(name));
            if other.kind == parameter.kind {
                self.warning(parameter.at, message, "the last one is taken");
            } else {
                self.error(parameter.at, message, "leave one out");
            }
        }
    }

    fn unknown_parameter(&mut self, class: &'static DirectiveClass, parameter: &Parameter) {
        let name = self.statements.text(parameter.name);
        let version = self.version;
        // In version 3 a shape may say what its material is made of.
        let is_of_material = || {
            let mut classes = table().classes_of(Directive::Material);
            classes.any(|class| class.row(name, version).is_some())
        };
        if version == Version::V3 && class.directive == Directive::Shape && is_of_material() {
            return;
        }
        let message = format!(
            "{} {:?} has no parameter {}",
            class.directive.name(),
            own_name(class),
            shown(name)
        );
        let older = || {
            let of_others = table().classes_of(class.directive).filter_map(|o| said_of(o, name));
            let mut all = said_of(class, name).into_iter().chain(of_others);
            all.find(|instead| !instead.starts_with("nothing"))
                .or_else(|| said_of(class, name))
                .filter(|_| version == Version::V4)
        };
        let hint = match older() {
            Some(instead) => write_instead(instead),
            None => {
                let rows = class.rows.iter().filter(|row| row.versions.has(version));
                let near = nearest(name, rows.map(|row| row.name));
                near.map(|near| format!("did you mean {near:?}?")).unwrap_or_default()
            }
        };
        // Version 4 stops at what it does not use, version 3 says so.
        let severity = if version == Version::V4 { Severity::Error } else { Severity::Warning };
        self.problem(severity, parameter.at, message, &hint);
    }

    /// Type, count and values.
    fn of_row(&mut self, row: &'static ParameterRow, parameter: &'s Parameter) {
        let name = self.statements.text(parameter.name);
        let unused = if self.v4() { Severity::Error } else { Severity::Warning };
        let Some(kind) = row.kinds.iter().find(|kind| kind.takes(parameter.kind)) else {
            let (has, takes) = (parameter.kind.name(), kinds(row));
            let message = format!("the parameter {} is of type {takes}, not {has}", shown(name));
            return self.problem(unused, parameter.at, message, "");
        };
        let width = width(parameter.kind);
        let values = parameter.values.count();
        let strings = matches!(parameter.values, Values::Strings(_));
        let is_pairs = parameter.kind == ParameterType::Spectrum && !strings;
        let is_fit = if is_pairs || parameter.kind == ParameterType::Blackbody {
            let allowed =
                if is_pairs { values.is_multiple_of(2) } else { self.is_blackbody(values) };
            allowed && values > 0
        } else {
            let whole = values.is_multiple_of(width) && values > 0;
            whole
                && match row.count {
                    ValueCount::Exactly(count) => values == count * width,
                    ValueCount::MultipleOf(count) => values.is_multiple_of(count * width),
                    ValueCount::Many => true,
                }
        };
        if !is_fit {
            let wanted = match (is_pairs, parameter.kind, row.count) {
                (true, ..) => "pairs of wavelength and value".to_string(),
                (_, ParameterType::Blackbody, _) if !self.v4() => {
                    "temperature and factor".to_string()
                }
                (_, _, ValueCount::Exactly(count)) => values_said(count * width),
                (_, _, ValueCount::MultipleOf(count)) => {
                    format!("a multiple of {} values", count * width)
                }
                (_, _, ValueCount::Many) => format!("a multiple of {width} values"),
            };
            let message =
                format!("the parameter {} has {}, not {wanted}", shown(name), values_said(values));
            // Meshes do without the values that are too many.
            let is_cut = matches!(row.count, ValueCount::MultipleOf(_)) && values > 0;
            let severity = if is_cut { Severity::Warning } else { unused };
            return self.problem(severity, parameter.at, message, "");
        }
        self.values(row, *kind, parameter);
    }

    /// One temperature, in version 3 with a factor.
    fn is_blackbody(&self, values: usize) -> bool {
        if self.v4() { values == 1 } else { values.is_multiple_of(2) || values == 1 }
    }

    fn values(
        &mut self,
        row: &'static ParameterRow,
        kind: ParameterKind,
        parameter: &'s Parameter,
    ) {
        let name = shown(self.statements.text(parameter.name));
        match (&row.known, parameter.values) {
            (KnownValues::Range(least, most), Values::Floats(span)) => {
                let floats = &self.statements.floats[span.range()];
                let outside = floats.iter().find(|v| !(*least..=*most).contains(&f64::from(**v)));
                let outside = outside.map(|value| value.to_string());
                self.outside(parameter, outside, *least, *most);
            }
            (KnownValues::Range(least, most), Values::Integers(span)) => {
                let integers = &self.statements.integers[span.range()];
                let outside = integers.iter().find(|v| !(*least..=*most).contains(&f64::from(**v)));
                let outside = outside.map(|value| value.to_string());
                self.outside(parameter, outside, *least, *most);
            }
            (KnownValues::Strings { strings, others: false }, Values::Strings(_)) => {
                let string = self.statements.string(parameter.values, 0).unwrap_or(b"");
                let is_known = |known: &&str| match known.strip_suffix("...") {
                    Some(start) => string.starts_with(start.as_bytes()),
                    None => known.as_bytes() == string,
                };
                if !strings.iter().any(is_known) {
                    let message =
                        format!("the parameter {name} knows nothing of {}", shown(string));
                    let hint = match nearest(string, strings.iter().copied()) {
                        Some(near) => format!("did you mean {near:?}?"),
                        None => format!("it knows {}", strings.join(", ")),
                    };
                    self.error(parameter.at, message, &hint);
                }
            }
            (_, Values::Floats(span)) if !matches!(kind, ParameterKind::Of(_)) => {
                let floats = &self.statements.floats[span.range()];
                self.spectrum(kind, parameter, floats);
            }
            _ => {}
        }
    }

    fn outside(&mut self, parameter: &Parameter, value: Option<String>, least: f64, most: f64) {
        let Some(value) = value else { return };
        let name = shown(self.statements.text(parameter.name));
        let message = if most == f64::INFINITY {
            format!("the parameter {name} is {value}, less than {least}")
        } else {
            format!("the parameter {name} is {value}, not from {least} to {most}")
        };
        self.warning(parameter.at, message, "");
    }

    /// Colours and pairs of wavelength and value, as version 4 wants them.
    fn spectrum(&mut self, kind: ParameterKind, parameter: &Parameter, floats: &[f32]) {
        let name = shown(self.statements.text(parameter.name));
        if !self.v4() {
            return;
        }
        match parameter.kind {
            ParameterType::Rgb => {
                if floats.iter().any(|value| *value < 0.0) {
                    let message = format!("the colour {name} has a component below 0");
                    self.error(parameter.at, message, "");
                } else if kind == ParameterKind::Albedo && floats.iter().any(|value| *value > 1.0) {
                    let message = format!("the colour {name} reflects more than comes in: above 1");
                    self.error(parameter.at, message, "");
                }
            }
            ParameterType::Spectrum => {
                let rising = floats.chunks_exact(2).zip(floats.chunks_exact(2).skip(1));
                if rising.into_iter().any(|(one, next)| next[0] <= one[0]) {
                    let message = format!("the wavelengths of {name} do not rise");
                    self.error(parameter.at, message, "");
                }
            }
            _ => {}
        }
    }

    /// Values that are written as version 3 took them.
    fn older_values(&mut self) {
        let Some(at) = self.statements.older_value(self.statement).filter(|_| self.v4()) else {
            return;
        };
        let before = |parameter: &&Parameter| parameter.at <= at;
        let parameter = self.parameters().iter().rev().find(before);
        let is_meant =
            |p: &&Parameter| matches!(p.kind, ParameterType::Bool | ParameterType::Integer);
        let Some(parameter) = parameter.filter(is_meant) else { return };
        let name = shown(self.statements.text(parameter.name));
        let (message, hint) = match parameter.kind {
            ParameterType::Bool => ("in quotes", "write true or false without quotes"),
            _ => ("with a point or an exponent", "write the digits alone"),
        };
        let message = format!(
            "{name}: version 4 stops at a value of type {} {message}",
            parameter.kind.name()
        );
        self.error(at, message, hint);
    }

    /// What can be said of a parameter without its class.
    fn parameters_alone(&mut self) {
        for parameter in self.parameters() {
            let is_option = self.statement.directive == Directive::Option;
            let name = shown(self.statements.text(parameter.name));
            match (parameter.kind, self.version) {
                (ParameterType::Xyz, Version::V4) => {
                    let message = format!("{name}: version 4 has no type xyz");
                    self.error(parameter.at, message, "write rgb or spectrum");
                }
                (kind, Version::V4) if parameter.older_form && !is_option => {
                    let message = format!("{name}: version 4 has no type {}", kind.older_name());
                    self.error(parameter.at, message, &format!("write {}", kind.name()));
                }
                (_, Version::V4) if parameter.older_form => {
                    let message = format!("Option takes {name} without a type");
                    self.error(parameter.at, message, "");
                }
                _ => {}
            }
            if parameter.kind == ParameterType::Spectrum && self.v4() {
                let string = self.statements.string(parameter.values, 0);
                let string = string.filter(|string| string.is_empty());
                if string.is_some() && !known_names::is_spectrum(b"") {
                    self.error(parameter.at, format!("{name} names no spectrum"), "");
                }
            }
        }
    }
}

/// What is to be said of a parameter of version 3.
fn said_of(class: &DirectiveClass, name: &[u8]) -> Option<&'static str> {
    class.row(name, Version::V3).map(|row| row.instead).filter(|instead| !instead.is_empty())
}

/// The name of a class as it stands in files.
pub(super) fn own_name(class: &DirectiveClass) -> &'static str {
    match class.directive {
        Directive::Texture => class.name.split_once('.').map_or(class.name, |(_, name)| name),
        _ => class.name,
    }
}

/// The types of a parameter, as messages say them.
fn kinds(row: &ParameterRow) -> String {
    let mut names: Vec<_> = row.kinds.iter().map(|kind| kind.name()).collect();
    names.dedup();
    names.join(" or ")
}

fn write_instead(instead: &str) -> String {
    match instead {
        "" => String::new(),
        text if text.starts_with("nothing") => {
            format!("leave it out: {}", &text["nothing, ".len()..])
        }
        text => format!("write {text}"),
    }
}

fn values_said(count: usize) -> String {
    if count == 1 { "1 value".to_string() } else { format!("{count} values") }
}

/// Numbers of a value.
pub(super) fn width(kind: ParameterType) -> usize {
    use ParameterType::*;
    match kind {
        Point2 | Vector2 => 2,
        Point3 | Vector3 | Normal | Rgb | Xyz => 3,
        _ => 1,
    }
}
