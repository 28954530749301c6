//! Following statements: the graphics state changes, or something is put into the scene.

mod finish;
mod placed;

use super::checks::Checks;
use super::definitions::{NameKind, NameMeaning, SceneNames};
use super::keep::{Keeping, KeptStatements};
use super::lines::LineCounter;
use super::model::*;
use super::state::{Ends, GraphicsState, KINDS};
use super::transform::{rows, upper_rows};
use crate::pbrt::schema::{Problem, Severity};
use crate::pbrt::{Directive, Piece, Statement, Statements, Values};
use foldhash::fast::FixedState;
use glam::DMat4;
use placed::RecentObjects;
use solio_base::{Error, Result};
use std::collections::{HashMap, HashSet};

/// Problems, and warnings, that are told.
const MOST_PROBLEMS: usize = 10_000;
/// Blocks within blocks.
const MOST_BLOCKS: usize = 1_000_000;

/// What opened a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockOpener {
    Attributes,
    /// Of version 3: only the transformation is given back.
    Transform,
    Object,
}

/// A file that the scene asks for.
pub(super) struct WantedFile {
    pub(super) name: Vec<u8>,
    pub(super) place: Place,
    /// Whether the state after it is that before it.
    pub(super) is_import: bool,
}

#[derive(Default)]
pub(super) struct SceneBuilder {
    pub(super) scene: Scene,
    kept: KeptStatements,
    state: GraphicsState,
    blocks: Vec<(BlockOpener, GraphicsState, Place)>,
    in_world: bool,
    /// Materials and media whose definition is a problem, so that a use of them is none.
    undefined: HashSet<(NameKind, u32)>,
    /// The version before 3 that the text is of.
    older: Option<u32>,
    /// Whether there was a `WorldEnd` of version 3, and whether something stood behind it.
    ended: Option<bool>,
    /// Directives before the world that belong into it.
    too_early: Vec<(Directive, Place)>,
    /// The object that is being defined.
    object: Option<u32>,
    /// The object of each shape; [`NONE`] for the world.
    shape_objects: Vec<u32>,
    names: SceneNames,
    coordinate_systems: HashMap<Box<[u8]>, [DMat4; 2], FixedState>,
    times: [f32; 2],
    recent_objects: RecentObjects,
    checks: Checks,
    problems: Vec<(Place, Error)>,
    warnings: Vec<(Place, Error)>,
}

/// What a statement needs to know of where it stands.
struct At<'p, 'l> {
    piece: &'l Statements,
    statement: &'l Statement,
    keeping: Keeping,
    lines: &'l mut LineCounter<'p>,
}

impl At<'_, '_> {
    fn place(&mut self) -> Place {
        self.lines.place(self.statement.at)
    }

    fn string(&self, i: usize) -> &[u8] {
        self.piece.string(self.statement.values, i).unwrap_or_default()
    }
}

impl SceneBuilder {
    pub(super) fn new(version: Option<u32>, check: bool) -> SceneBuilder {
        SceneBuilder {
            scene: Scene {
                version: version.unwrap_or(4),
                matrices: vec![rows(&DMat4::IDENTITY)],
                ..Scene::default()
            },
            times: [0.0, 1.0],
            checks: Checks::new(version, check),
            ..SceneBuilder::default()
        }
    }

    /// Follows a piece of file `file`; `include` reads a file that it asks for.
    pub(super) fn follow(
        &mut self,
        piece: Piece<'_>,
        file: u32,
        include: &mut dyn FnMut(&mut SceneBuilder, WantedFile) -> Result<()>,
    ) -> Result<()> {
        let mut lines = LineCounter::new(&piece, file);
        self.scene.files[file as usize].bytes = piece.offset + piece.text.len() as u64;
        let keeping = self.kept.keeping(piece.statements);
        // What it includes keeps its values after those of this piece.
        let mut statements = std::mem::take(piece.statements);
        if let Keeping::Whole(_) = keeping {
            self.kept.all.push(Statements::default());
        }
        self.scene.directives += statements.statements.len() as u64;
        for error in statements.problems.drain(..) {
            let place = lines.place(error.offset().unwrap_or(piece.offset));
            self.problem(error, place);
        }
        for (at, name) in statements.older_directives.drain(..) {
            self.older_directive(name, lines.place(at));
        }
        self.reserve(&statements);
        let mut rest = &statements.statements[..];
        while let Some((statement, behind)) = rest.split_first() {
            if let Some(block) = rest.first_chunk()
                && self.placed(&statements, block, &mut lines)?
            {
                rest = &rest[block.len()..];
                continue;
            }
            rest = behind;
            if let Some(goes_on) = &mut self.ended {
                if !std::mem::replace(goes_on, true) {
                    let place = lines.place(statement.at);
                    let message = "a second picture behind WorldEnd is left out";
                    self.warn(Error::unsupported(message), place);
                }
                break;
            }
            if !self.checks.is_idle() {
                self.checks.look(&statements, statement, &mut lines);
                self.scene.version = self.checks.version().unwrap_or(4);
            }
            let at = At { piece: &statements, statement, keeping, lines: &mut lines };
            if let Some(wanted) = self.statement(at)? {
                include(self, wanted)?;
            }
        }
        self.say_checked(false);
        let unplaced = self.blocks.iter_mut();
        let unplaced = unplaced.filter(|(.., place)| place.line == 0 && place.file == file);
        for (.., place) in unplaced {
            *place = lines.place(place.at);
        }
        match keeping {
            Keeping::Whole(number) => self.kept.put(number, statements),
            Keeping::Copies => *piece.statements = statements,
        }
        Ok(())
    }

    /// What only versions 1 and 2 had is passed over.
    fn older_directive(&mut self, name: &str, place: Place) {
        let version = if name == "SearchPath" { 1 } else { 2 };
        self.older = Some(self.older.map_or(version, |known| known.min(version)));
        self.checks.is_older();
        self.scene.version = self.checks.version().unwrap_or(3);
        let message = format!("{name} is of version {version}: it is passed over");
        self.warn(Error::unsupported(message), place);
    }

    /// Tells what the table said of statements. Of versions 1 and 2 there is none, and what that of version
    /// 3 does not know is passed over.
    fn say_checked(&mut self, is_end: bool) {
        for (Problem { severity, error }, place) in self.checks.problems(is_end) {
            match severity {
                Severity::Error if self.older.is_none() => self.problem(error, place),
                _ => self.warn(error, place),
            }
        }
    }

    fn reserve(&mut self, piece: &Statements) {
        let is_instance = |s: &&Statement| s.directive == Directive::ObjectInstance;
        let count = piece.statements.iter().filter(is_instance).count();
        let to = &mut self.scene.instances;
        to.objects.reserve(count);
        to.matrices.reserve(count);
        to.places.reserve(count);
    }

    fn statement(&mut self, mut at: At<'_, '_>) -> Result<Option<WantedFile>> {
        use Directive::*;
        let is_early = !self.in_world && at.statement.directive.is_of_world();
        if is_early && self.too_early.len() <= MOST_PROBLEMS {
            self.too_early.push((at.statement.directive, at.place()));
        }
        match at.statement.directive {
            AttributeBegin => self.open(BlockOpener::Attributes, at)?,
            TransformBegin if self.scene.version < 4 => self.open(BlockOpener::Transform, at)?,
            TransformBegin => self.open(BlockOpener::Attributes, at)?,
            AttributeEnd | TransformEnd => self.close(at),
            Identity | Translate | Scale | Rotate | LookAt | Transform | ConcatTransform => {
                self.transform(at);
            }
            ObjectInstance => self.instance(at)?,
            Shape => self.shape(at)?,
            ObjectBegin => self.open_object(at)?,
            ObjectEnd => self.close_object(at),
            Include | Import => return Ok(self.wanted(at)),
            ReverseOrientation => {
                self.state.reverse_orientation = !self.state.reverse_orientation;
            }
            Material => {
                let entity =
                    self.entity(&at.piece.string_span(at.statement, 0), at, b"material")?;
                self.state.material = index(self.scene.materials.len())?;
                let name = Vec::new();
                let material = super::Material { name, entity: Some(entity), first_use: None };
                self.scene.materials.push(material);
            }
            NamedMaterial => self.state.material = self.named_material(at)?,
            MakeNamedMaterial => self.make_material(at)?,
            MakeNamedMedium => self.make_medium(at)?,
            MediumInterface => self.medium_interface(at)?,
            Texture => self.texture(at)?,
            LightSource => self.light(at)?,
            AreaLightSource => {
                let entity = self.entity(&at.piece.string_span(at.statement, 0), at, b"light")?;
                self.state.area_light = index(self.scene.area_lights.len())?;
                self.scene.area_lights.push(entity);
            }
            Attribute => self.attribute(at)?,
            ColorSpace => self.color_space(at),
            CoordinateSystem => {
                let name = at.string(0).into();
                self.coordinate_systems.insert(name, self.state.both());
            }
            CoordSysTransform => self.take_coordinate_system(at),
            ActiveTransform => {
                self.state.ends = match at.string(0) {
                    b"StartTime" => Ends::Start,
                    b"EndTime" => Ends::End,
                    _ => Ends::All,
                };
            }
            Camera | Film | Sampler | PixelFilter | Integrator | Accelerator | Option
            | TransformTimes => self.of_the_picture(at)?,
            WorldBegin => self.begin_world(at),
            WorldEnd => self.ended = (self.in_world && self.scene.version < 4).then_some(false),
        }
        Ok(None)
    }

    fn begin_world(&mut self, mut at: At<'_, '_>) {
        if std::mem::replace(&mut self.in_world, true) {
            self.problem(Error::syntax("WorldBegin was there before"), at.place());
        } else if !self.too_early.is_empty() && self.checks.version() != Some(4) {
            self.leave_out_early();
        }
        self.state.set_both([DMat4::IDENTITY; 2]);
        self.state.ends = Ends::All;
        self.state.matrices = Some([0, 0]);
        self.coordinate_systems.insert(b"world"[..].into(), self.state.both());
    }

    /// As version 3 does with what belongs into the world and stands before it.
    fn leave_out_early(&mut self) {
        let scene = &mut self.scene;
        scene.shapes.clear();
        scene.objects.clear();
        scene.instances = Instances::default();
        scene.materials.clear();
        scene.textures.clear();
        scene.lights.clear();
        scene.area_lights.clear();
        self.shape_objects.clear();
        self.names.forget_early();
        self.blocks.clear();
        (self.object, self.recent_objects) = (None, RecentObjects::default());
        (self.state.material, self.state.area_light) = (NONE, NONE);
        self.state.reverse_orientation = false;
    }

    /// What concerns the whole picture, and stands before the world.
    fn of_the_picture(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let directive = at.statement.directive;
        if self.in_world && directive != Directive::Option {
            let message = format!("{} stands before WorldBegin", directive.name());
            self.problem(Error::syntax(message), at.place());
            return Ok(());
        }
        if directive == Directive::TransformTimes {
            if let Values::Floats(span) = at.statement.values
                && let &[start, end] = &at.piece.floats[span.range()]
            {
                self.times = [start, end];
            }
            return Ok(());
        }
        let class = match directive {
            // Its one parameter is all that it has.
            Directive::Option => crate::pbrt::Span::default(),
            _ => at.piece.string_span(at.statement, 0),
        };
        let entity = self.entity(&class, at, b"")?;
        let scene = &mut self.scene;
        match directive {
            Directive::Camera => {
                let from_world = self.state.motion(self.times);
                let to_world = self.state.both().map(|matrix| matrix.inverse());
                self.coordinate_systems.insert(b"camera"[..].into(), to_world);
                let medium = self.state.outside;
                scene.camera = Some(Camera { entity, from_world, medium });
            }
            Directive::Film => scene.film = Some(entity),
            Directive::Sampler => scene.sampler = Some(entity),
            Directive::PixelFilter => scene.filter = Some(entity),
            Directive::Integrator => scene.integrator = Some(entity),
            Directive::Accelerator => scene.accelerator = Some(entity),
            _ => scene.options.push(entity),
        }
        Ok(())
    }

    fn entity(
        &mut self,
        class: &crate::pbrt::Span,
        mut at: At<'_, '_>,
        kind: &[u8],
    ) -> Result<Entity> {
        let place = at.place();
        let renamed = self.names.renamed(&self.scene, at.piece, at.statement);
        let keeping = if renamed.is_empty() { at.keeping } else { Keeping::Copies };
        let (kept, class, parameters) = self.kept.keep(keeping, at.piece, at.statement, *class)?;
        self.kept.rename(kept, parameters, &renamed)?;
        let inherited = KINDS.iter().position(|k| *k == kind);
        let inherited = inherited.map_or(NONE, |i| self.state.attributes[i]);
        let color_space = self.state.color_space;
        Ok(Entity { place, kept, class, parameters, inherited, color_space })
    }

    fn open(&mut self, block: BlockOpener, mut at: At<'_, '_>) -> Result<()> {
        if self.blocks.len() >= MOST_BLOCKS {
            let place = at.place();
            let message = format!("more than {MOST_BLOCKS} blocks within blocks");
            return Err(self.located(Error::limit(message), place));
        }
        let place = match block {
            BlockOpener::Object => at.place(),
            // The line follows if the block goes on behind this piece: most do not.
            _ => Place { at: at.statement.at, file: at.lines.file(), ..Place::default() },
        };
        self.state.hidden_names = self.names.hidden();
        self.blocks.push((block, self.state.clone(), place));
        Ok(())
    }

    fn close(&mut self, mut at: At<'_, '_>) {
        match self.blocks.last() {
            Some((BlockOpener::Attributes, ..)) => {
                self.state = self.blocks.pop().expect("just seen").1;
                self.names.give_back(self.state.hidden_names);
            }
            Some((BlockOpener::Transform, ..)) => {
                let (_, before, _) = self.blocks.pop().expect("just seen");
                self.state.set_both(before.both());
                (self.state.ends, self.state.matrices) = (before.ends, before.matrices);
            }
            Some((BlockOpener::Object, ..)) => {
                let message = format!("{} inside an object", at.statement.directive.name());
                self.problem(Error::syntax(message), at.place());
                // It may end a block around the object, which then is not open.
                let around = |(block, ..): &(BlockOpener, _, _)| *block != BlockOpener::Object;
                if let Some(around) = self.blocks.iter().rposition(around) {
                    self.blocks.remove(around);
                }
            }
            None => {
                let message = format!("{} without a beginning", at.statement.directive.name());
                self.problem(Error::syntax(message), at.place());
            }
        }
    }

    fn open_object(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let place = at.place();
        self.say_if_defined(NameKind::Object, &mut at);
        self.take_anew(NameKind::Object, at.string(0));
        let object = self.object_of(at.string(0))?;
        if self.object.is_some() {
            self.problem(Error::syntax("ObjectBegin inside an object"), place);
        } else {
            self.object = Some(object);
        }
        self.recent_objects = RecentObjects::default();
        self.scene.objects[object as usize].defined.get_or_insert(place);
        self.open(BlockOpener::Object, at)
    }

    fn close_object(&mut self, mut at: At<'_, '_>) {
        let Some(begin) = self.blocks.iter().rposition(|(block, ..)| *block == BlockOpener::Object)
        else {
            self.problem(Error::syntax("ObjectEnd without ObjectBegin"), at.place());
            return;
        };
        if begin + 1 < self.blocks.len() {
            self.problem(
                Error::syntax("ObjectEnd inside a block that began in the object"),
                at.place(),
            );
        }
        self.blocks.truncate(begin + 1);
        if let Some((_, state, _)) = self.blocks.pop() {
            self.state = state;
            self.names.give_back(self.state.hidden_names);
        }
        if !self.blocks.iter().any(|(block, ..)| *block == BlockOpener::Object) {
            self.object = None;
        }
    }

    fn transform(&mut self, mut at: At<'_, '_>) {
        let Values::Floats(span) = at.statement.values else { return };
        let values = &at.piece.floats[span.range()];
        if let Err(message) = self.state.transform(at.statement.directive, values) {
            self.problem(Error::syntax(message), at.place());
        }
    }

    fn take_coordinate_system(&mut self, mut at: At<'_, '_>) {
        match self.coordinate_systems.get(at.string(0)) {
            Some(both) => self.state.set_both(*both),
            None => {
                let message = format!("no coordinate system is called {}", quoted(at.string(0)));
                self.problem(Error::syntax(message), at.place());
            }
        }
    }

    fn color_space(&mut self, mut at: At<'_, '_>) {
        match ColorSpace::of_name(at.string(0)) {
            Some(space) => self.state.color_space = space,
            None => {
                let message = format!("{} is no color space", quoted(at.string(0)));
                let hint = "srgb, dci-p3, rec2020 or aces2065-1";
                self.untold_problem(Error::syntax(message).hint(hint), at.place());
            }
        }
    }

    /// Where the transformation is among the matrices, at both times.
    fn matrices(&mut self) -> Result<[u32; 2]> {
        if let Some(known) = self.state.matrices {
            return Ok(known);
        }
        let mut number = |matrix: &DMat4| {
            let rows = rows(matrix);
            let same = |known: &[f32; 16]| known.map(f32::to_bits) == rows.map(f32::to_bits);
            let all = &mut self.scene.matrices;
            if !all.last().is_some_and(same) {
                all.push(rows);
            }
            index(all.len() - 1)
        };
        let start = number(&self.state.start)?;
        let end = match &self.state.end {
            Some(end) => number(end)?,
            None => start,
        };
        self.state.matrices = Some([start, end]);
        Ok([start, end])
    }

    fn shape(&mut self, at: At<'_, '_>) -> Result<()> {
        let [matrix, matrix_end] = self.matrices()?;
        let entity = self.entity(&at.piece.string_span(at.statement, 0), at, b"shape")?;
        let mut area_light = self.state.area_light;
        if area_light != NONE && self.object.is_some() {
            let message = "area lights in objects do not shine: pbrt leaves them out";
            self.warn(Error::unsupported(message), entity.place);
            area_light = NONE;
        }
        let GraphicsState { material, inside, outside, reverse_orientation, .. } = self.state;
        index(self.scene.shapes.len())?;
        self.scene.shapes.push(Shape {
            entity,
            matrix,
            matrix_end,
            material,
            area_light,
            inside,
            outside,
            reverse_orientation,
        });
        self.shape_objects.push(self.object.unwrap_or(NONE));
        Ok(())
    }

    fn instance(&mut self, mut at: At<'_, '_>) -> Result<()> {
        if self.object.is_some() {
            self.problem(Error::syntax("ObjectInstance inside an object"), at.place());
            return Ok(());
        }
        let name = at.piece.string(at.statement.values, 0).unwrap_or_default();
        let matrix = upper_rows(&self.state.start);
        let number = self.add_instance(name, matrix, at.statement.at, at.lines)?;
        if let Some(end) = &self.state.end {
            self.scene.instances.moving.push((number, upper_rows(end)));
        }
        Ok(())
    }

    fn material_of(&mut self, name: &[u8], used: Option<Place>) -> Result<u32> {
        let materials = &mut self.scene.materials;
        let number = match self.names.get(NameKind::Material, name) {
            Some(known) => known.number,
            None => {
                let number = index(materials.len())?;
                let name = self.names.add(NameKind::Material, name, number);
                materials.push(Material { name, entity: None, first_use: None });
                number
            }
        };
        let material = &mut materials[number as usize];
        material.first_use = material.first_use.or(used);
        Ok(number)
    }

    fn medium_of(&mut self, name: &[u8], used: Option<Place>) -> Result<u32> {
        if name.is_empty() {
            return Ok(NONE);
        }
        let media = &mut self.scene.media;
        let number = match self.names.get(NameKind::Medium, name) {
            Some(known) => known.number,
            None => {
                let number = index(media.len())?;
                let name = self.names.add(NameKind::Medium, name, number);
                media.push(Medium { name, entity: None, matrix: 0, first_use: None });
                number
            }
        };
        let medium = &mut media[number as usize];
        medium.first_use = medium.first_use.or(used);
        Ok(number)
    }

    fn named_material(&mut self, mut at: At<'_, '_>) -> Result<u32> {
        let place = at.place();
        self.material_of(at.string(0), Some(place))
    }

    fn make_material(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let place = at.place();
        let name = at.string(0).to_vec();
        let Some(class) = class_of(at.piece, at.statement) else {
            let number = self.material_of(&name, None)?;
            self.undefined.insert((NameKind::Material, number));
            let message = "a named material needs \"string type\"";
            self.untold_problem(Error::syntax(message), place);
            return Ok(());
        };
        self.say_if_defined(NameKind::Material, &mut at);
        // A mix may take what had this name.
        let entity = self.entity(&class, at, b"material")?;
        self.take_anew(NameKind::Material, &name);
        let material = self.material_of(&name, None)?;
        self.scene.materials[material as usize].entity.get_or_insert(entity);
        Ok(())
    }

    fn make_medium(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let place = at.place();
        let name = at.string(0).to_vec();
        if name.is_empty() {
            self.problem(Error::syntax("the name of a medium is empty"), place);
            return Ok(());
        }
        let Some(class) = class_of(at.piece, at.statement) else {
            let number = self.medium_of(&name, None)?;
            self.undefined.insert((NameKind::Medium, number));
            let message = "a named medium needs \"string type\"";
            self.untold_problem(Error::syntax(message), place);
            return Ok(());
        };
        self.say_if_defined(NameKind::Medium, &mut at);
        self.take_anew(NameKind::Medium, &name);
        let [matrix, _] = self.matrices()?;
        let entity = self.entity(&class, at, b"medium")?;
        let medium = self.medium_of(&name, None)?;
        let medium = &mut self.scene.media[medium as usize];
        if medium.entity.is_none() {
            (medium.entity, medium.matrix) = (Some(entity), matrix);
        }
        Ok(())
    }

    fn medium_interface(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let place = at.place();
        self.state.inside = self.medium_of(at.string(0), Some(place))?;
        self.state.outside = match at.statement.values.count() {
            1 => self.state.inside,
            _ => self.medium_of(at.string(1), Some(place))?,
        };
        Ok(())
    }

    fn texture(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let place = at.place();
        let (name, kind) = (at.string(0).to_vec(), at.string(1));
        let is_spectrum = match kind {
            b"float" => false,
            b"spectrum" | b"color" => true,
            _ => {
                let message = format!("{} is no type of textures", quoted(kind));
                self.untold_problem(Error::syntax(message).hint("float or spectrum"), place);
                return Ok(());
            }
        };
        let what = NameKind::texture(is_spectrum);
        if self.say_if_defined(what, &mut at) && self.scene.version >= 4 {
            return Ok(());
        }
        let [matrix, _] = self.matrices()?;
        // It may be made of what had this name.
        let entity = self.entity(&at.piece.string_span(at.statement, 2), at, b"texture")?;
        self.take_anew(what, &name);
        let number = index(self.scene.textures.len())?;
        let name = self.names.add(what, &name, number);
        self.scene.textures.push(Texture { name, is_spectrum, entity, matrix });
        Ok(())
    }

    fn light(&mut self, at: At<'_, '_>) -> Result<()> {
        let [matrix, matrix_end] = self.matrices()?;
        let entity = self.entity(&at.piece.string_span(at.statement, 0), at, b"light")?;
        let medium = self.state.outside;
        self.scene.lights.push(Light { entity, matrix, matrix_end, medium });
        Ok(())
    }

    fn attribute(&mut self, mut at: At<'_, '_>) -> Result<()> {
        let Some(kind) = KINDS.iter().position(|kind| *kind == at.string(0)) else {
            let message = format!("{} takes no attributes", quoted(at.string(0)));
            let hint = "shape, light, material, medium or texture";
            self.untold_problem(Error::syntax(message).hint(hint), at.place());
            return Ok(());
        };
        let class = at.piece.string_span(at.statement, 0);
        let entity = self.entity(&class, at, KINDS[kind])?;
        self.state.attributes[kind] = index(self.scene.attributes.len())?;
        self.scene.attributes.push(entity);
        Ok(())
    }

    fn wanted(&mut self, mut at: At<'_, '_>) -> Option<WantedFile> {
        let place = at.place();
        let is_import = at.statement.directive == Directive::Import;
        if is_import && !self.in_world {
            self.problem(Error::syntax("Import belongs behind WorldBegin"), place);
            return None;
        }
        Some(WantedFile { name: at.string(0).to_vec(), place, is_import })
    }

    /// Follows what `read` reads, and has the state afterwards that it had before.
    pub(super) fn apart(
        &mut self,
        place: Place,
        read: impl FnOnce(&mut SceneBuilder) -> Result<()>,
    ) -> Result<()> {
        let (state, blocks) = (self.state.clone(), self.blocks.len());
        let systems = self.coordinate_systems.clone();
        read(self)?;
        if self.blocks.len() != blocks {
            self.problem(Error::syntax("blocks of the imported file do not end in it"), place);
            self.blocks.truncate(blocks);
        }
        (self.state, self.coordinate_systems) = (state, systems);
        Ok(())
    }

    /// Where the name was defined that a statement defines now.
    fn defined(&self, what: NameKind, name: &[u8]) -> Option<(NameMeaning, Place)> {
        let known = self.names.get(what, name)?;
        let (scene, i) = (&self.scene, known.number as usize);
        let place = match what {
            NameKind::Object => scene.objects[i].defined?,
            NameKind::Material => scene.materials[i].entity?.place,
            NameKind::Medium => scene.media[i].entity?.place,
            NameKind::FloatTexture | NameKind::SpectrumTexture => scene.textures[i].entity.place,
        };
        Some((known, place))
    }

    /// Whether the name that a statement defines was defined in the same block or one around it.
    /// Version 3 warns of it alone.
    fn say_if_defined(&mut self, what: NameKind, at: &mut At<'_, '_>) -> bool {
        let first = self.defined(what, at.string(0)).filter(|(known, _)| known.is_open);
        let Some((_, first)) = first else { return false };
        let (word, name) = (what.word(), quoted(at.string(0)));
        let error = Error::syntax(format!("the {word} {name} was defined in line {}", first.line));
        let place = at.place();
        match self.scene.version {
            ..4 => self.warn(error, place),
            _ => self.problem(error, place),
        }
        true
    }

    /// Before a definition: version 3 takes its name anew.
    fn take_anew(&mut self, what: NameKind, name: &[u8]) {
        if self.scene.version < 4 {
            let is_defined = self.defined(what, name).is_some();
            self.names.hide(what, name, is_defined, !self.blocks.is_empty());
        }
    }

    fn located(&self, error: Error, place: Place) -> Error {
        let file = &self.scene.files[place.file as usize];
        let error = error.at_offset(place.at).at_line(place.line.into(), place.column.into());
        error.at_path(&file.path)
    }

    /// Notes what is wrong with file `file` as a whole.
    pub(super) fn file_problem(&mut self, error: Error, file: u32) {
        let at = error.offset().unwrap_or(0);
        add(&mut self.problems, Place { at, file, ..Place::default() }, error);
    }

    /// Notes what is wrong.
    pub(super) fn problem(&mut self, error: Error, place: Place) {
        let error = self.located(error, place);
        add(&mut self.problems, place, error);
    }

    /// Notes what is wrong where there is no table that has told of it.
    fn untold_problem(&mut self, error: Error, place: Place) {
        if !self.checks.checks() {
            self.problem(error, place);
        }
    }

    fn warn(&mut self, error: Error, place: Place) {
        let error = self.located(error, place);
        add(&mut self.warnings, place, error);
    }
}

/// The class of something with a name: its parameter `type`, the last if there are several.
fn class_of(piece: &Statements, statement: &Statement) -> Option<crate::pbrt::Span> {
    let parameters = &piece.parameters[statement.parameters.range()];
    let class = parameters.iter().rev().find(|p| piece.text(p.name) == b"type")?;
    match class.values {
        Values::Strings(span) => piece.strings.get(span.range())?.first().copied(),
        _ => None,
    }
}

fn index(number: usize) -> Result<u32> {
    let index = u32::try_from(number).ok().filter(|index| *index != NONE);
    index.ok_or_else(|| Error::limit("a scene has at most 4 G things of a kind"))
}

fn add(errors: &mut Vec<(Place, Error)>, place: Place, error: Error) {
    if errors.len() < MOST_PROBLEMS {
        errors.push((place, error));
    } else if errors.len() == MOST_PROBLEMS {
        let message = format!("more than {MOST_PROBLEMS}; the others are not listed");
        let last = Place { at: u64::MAX, file: u32::MAX, ..Place::default() };
        errors.push((last, Error::limit(message)));
    }
}

/// In the order of the text, file by file.
fn in_order(mut errors: Vec<(Place, Error)>) -> Vec<Error> {
    errors.sort_by_key(|(place, _)| (place.file, place.at));
    errors.into_iter().map(|(_, error)| error).collect()
}

fn quoted(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(&name[..name.len().min(200)]);
    format!("{name:?}")
}
