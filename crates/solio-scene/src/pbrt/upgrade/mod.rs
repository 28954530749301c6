//! Version 3 to version 4, as `pbrt --upgrade` does it, and closer where that is possible: what
//! version 3 takes without a word is written down, and names that are defined twice are told apart
//! by the blocks that they are defined in.
//!
//! Statements are changed in their place: values stay where they are, so a mesh costs nothing. What
//! has no counterpart is said, with its place; such a shape or class stays as it is.

mod draft;
mod fit;
mod lights;
mod materials;
mod settings;
mod shapes;
#[cfg(test)]
mod tests;
mod textures;
mod unique_names;

use super::schema::{Problem, Severity};
use super::{Directive, Parameter, Statement, Statements, Values};
use draft::Draft;
pub(crate) use draft::rgb_of_xyz;
use fit::fit;
use solio_base::Error;
use unique_names::UpgradeNames;

/// Upgrades the files of a scene, in the order in which pbrt reads them: piece after piece, and
/// with those that are included where they are included.
///
/// ```
/// use solio_scene::pbrt::{parse, schema::Severity, upgrade::Upgrader};
/// let text = b"Material \"uber\" \"rgb opacity\" [ 0.5 0.5 0.5 ]\n";
/// let problems = Upgrader::new().upgrade(&mut parse(text, 0));
/// let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
/// // To be seen to by hand, and where.
/// assert_eq!(errors.map(|problem| problem.error.offset()).collect::<Vec<_>>(), [Some(16)]);
/// ```
#[derive(Debug, Default)]
pub struct Upgrader {
    names: UpgradeNames,
    /// What open blocks hold back in version 3, the innermost last.
    blocks: Vec<UpgradeBlock>,
    problems: Vec<Problem>,
    was_world: bool,
    /// What belongs into the world and stood before it, in the file at hand.
    early: Vec<(u64, Directive)>,
}

/// So much of what stands too early is told.
const MOST_EARLY: usize = 10_000;

/// An open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UpgradeBlock {
    Attributes,
    /// In version 3 only the transformation ends with it.
    Transform,
}

impl Upgrader {
    /// At the beginning of a scene.
    ///
    /// ```
    /// use solio_scene::pbrt::{parse, upgrade::Upgrader};
    /// // One for the pieces of a scene, in their order: the second knows the names of the first.
    /// let mut upgrader = Upgrader::new();
    /// let mut problems = |piece: &str| upgrader.upgrade(&mut parse(piece.as_bytes(), 0)).len();
    /// assert_eq!(problems("MakeNamedMaterial \"a\" \"string type\" \"matte\""), 0);
    /// assert_eq!(problems("NamedMaterial \"a\""), 0);
    /// ```
    pub fn new() -> Upgrader {
        Upgrader::default()
    }

    /// Changes the statements to those of version 4; says what has changed its looks
    /// ([`Severity::Warning`]) and what must be seen to by hand ([`Severity::Error`]).
    ///
    /// ```
    /// use solio_scene::pbrt::{parse, upgrade::Upgrader, write::to_text};
    /// let mut statements = parse(b"Material \"matte\" \"color Kd\" [ .1 .2 .3 ]", 0);
    /// assert!(Upgrader::new().upgrade(&mut statements).is_empty());
    /// let made = to_text(&statements, Default::default());
    /// let wanted = "Material \"diffuse\"\n    \"rgb reflectance\" [ 0.1 0.2 0.3 ]\n";
    /// assert_eq!(String::from_utf8_lossy(&made), wanted);
    /// ```
    pub fn upgrade(&mut self, statements: &mut Statements) -> Vec<Problem> {
        self.upgrade_with(statements, &mut |_, _, _| {})
    }

    /// [`Self::upgrade`]; `include` is called where a file is included, with its name and the place
    /// of the statement, to upgrade what that file says before what follows.
    ///
    /// ```
    /// use solio_scene::pbrt::{parse, upgrade::Upgrader, write::to_text};
    /// let mut main = parse(b"WorldBegin\nInclude \"wood.pbrt\"\nNamedMaterial \"wood\"", 0);
    /// let mut wood = parse(b"MakeNamedMaterial \"wood\" \"string type\" \"matte\"", 0);
    /// let problems = Upgrader::new().upgrade_with(&mut main, &mut |upgrader, name, _at| {
    ///     assert_eq!(name, b"wood.pbrt");
    ///     assert!(upgrader.upgrade(&mut wood).is_empty());
    /// });
    /// assert!(problems.is_empty());
    /// let made = to_text(&wood, Default::default());
    /// assert!(String::from_utf8_lossy(&made).contains("\"string type\" \"diffuse\""));
    /// ```
    pub fn upgrade_with(
        &mut self,
        statements: &mut Statements,
        include: &mut dyn FnMut(&mut Upgrader, &[u8], u64),
    ) -> Vec<Problem> {
        let old = std::mem::take(&mut statements.parameters);
        let all = std::mem::take(&mut statements.statements);
        let mut kept = Vec::with_capacity(all.len());
        for mut statement in all {
            let own = &old[statement.parameters.range()];
            if self.statement(statements, &mut statement, own) {
                kept.push(statement);
            }
            if matches!(statement.directive, Directive::Include | Directive::Import)
                && let Some(name) = statements.string(statement.values, 0)
            {
                // Those of the other file are told by who upgrades that.
                let problems = std::mem::take(&mut self.problems);
                let early = std::mem::take(&mut self.early);
                include(self, name, statement.at);
                self.problems = problems;
                let brought = std::mem::replace(&mut self.early, early);
                if self.was_world {
                    self.say_early();
                } else if !brought.is_empty() {
                    self.early.push((statement.at, statement.directive));
                }
            }
        }
        statements.statements = kept;
        // Values are put down as version 4 takes them.
        statements.older_values.clear();
        std::mem::take(&mut self.problems)
    }

    /// Changes a statement, and puts down its parameters; says whether it stays.
    fn statement(
        &mut self,
        to: &mut Statements,
        statement: &mut Statement,
        parameters: &[Parameter],
    ) -> bool {
        use Directive::*;
        let first = to.parameters.len() as u32;
        if !self.directive(statement) {
            return false;
        }
        let mut draft = Draft::new(to, statement, parameters, &mut self.problems);
        draft.modern_types();
        match statement.directive {
            Material => materials::material(&mut draft, &mut self.names, false),
            MakeNamedMaterial => {
                materials::material(&mut draft, &mut self.names, true);
                self.names.define_material(&mut draft);
            }
            NamedMaterial => self.names.use_material(&mut draft),
            Texture => textures::texture(&mut draft, &mut self.names),
            LightSource | AreaLightSource => lights::light(&mut draft, statement.directive),
            Shape => shapes::shape(&mut draft, &self.names),
            Camera | Film | Sampler | PixelFilter | Integrator | Accelerator => {
                settings::setting(&mut draft, statement.directive);
            }
            MakeNamedMedium => settings::medium(&mut draft),
            ObjectBegin => self.names.define_object(&mut draft),
            ObjectInstance => self.names.use_object(&mut draft),
            _ => {}
        }
        let parameters = std::mem::take(&mut draft.parameters);
        to.parameters.extend(parameters);
        statement.parameters.start = first;
        statement.parameters.end = to.parameters.len() as u32;
        true
    }

    /// Blocks, and directives that version 4 does not have.
    fn directive(&mut self, statement: &mut Statement) -> bool {
        use Directive::*;
        let is_early = !self.was_world && statement.directive.is_of_world();
        if is_early && self.early.len() < MOST_EARLY {
            self.early.push((statement.at, statement.directive));
        }
        match statement.directive {
            WorldEnd => return false,
            WorldBegin if std::mem::replace(&mut self.was_world, true) => {
                let message = "a second scene in the file";
                self.say(Severity::Error, statement.at, message, "give each its own file");
            }
            WorldBegin => self.say_early(),
            AttributeBegin | ObjectBegin => {
                self.blocks.push(UpgradeBlock::Attributes);
                self.names.begin();
            }
            TransformBegin => {
                self.blocks.push(UpgradeBlock::Transform);
                statement.directive = AttributeBegin;
            }
            AttributeEnd | ObjectEnd | TransformEnd => {
                if self.blocks.pop() == Some(UpgradeBlock::Attributes) {
                    self.names.end();
                }
                if statement.directive == TransformEnd {
                    statement.directive = AttributeEnd;
                }
            }
            Material | NamedMaterial | AreaLightSource | ReverseOrientation | MediumInterface
                if self.blocks.last() == Some(&UpgradeBlock::Transform) =>
            {
                let name = statement.directive.name();
                let message =
                    format!("{name} in a block of TransformBegin ends with it in version 4");
                self.say(Severity::Warning, statement.at, &message, "write it before the block");
            }
            _ => {}
        }
        true
    }

    /// Version 3 goes on without what belongs into the world and stands before it; version 4 stops.
    fn say_early(&mut self) {
        for (at, directive) in std::mem::take(&mut self.early) {
            let name = directive.name();
            let message = match directive {
                Directive::Include => format!("{name} brings what belongs behind WorldBegin"),
                _ => format!("{name} belongs behind WorldBegin"),
            };
            self.say(Severity::Error, at, &message, "version 3 goes on without it: take it out");
        }
    }

    fn say(&mut self, severity: Severity, at: u64, message: &str, hint: &str) {
        let error = Error::syntax(message).at_offset(at).hint(hint);
        self.problems.push(Problem { severity, error });
    }
}

/// Where string `i` of a directive lies in [`Statements::strings`].
fn string_place(values: Values, i: usize) -> Option<usize> {
    match values {
        Values::Strings(span) => span.range().nth(i),
        _ => None,
    }
}
