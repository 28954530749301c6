//! A scene as text: what was read from many files, in one, with everything said where it counts.
//!
//! Every transformation is a `Transform`, and stands, as attributes, area lights and materials do,
//! before what it is for. What is read from the text is the same scene, but for places, for the
//! numbering of materials without a name, and for the camera, whose matrix pbrt's text holds in
//! single precision.

use super::state::KINDS;
use super::transform::rows;
use super::{ColorSpace, Entity, NONE, Scene, Shape};
use crate::pbrt::schema::Version;
use crate::pbrt::write::{WriteOptions, Writer};
use crate::pbrt::{Directive, Parameter, Span, Statement, Statements, Values};
use glam::DMat4;
use solio_base::{Error, Result, Sink, Work};

/// Statements, and values, that are put together before they are written.
const MOST_STATEMENTS: usize = 64 << 10;
const MOST_VALUES: usize = 4 << 20;

/// Kinds of [`KINDS`].
const SHAPE: usize = 0;
const LIGHT: usize = 1;
const MATERIAL: usize = 2;
const MEDIUM: usize = 3;
const TEXTURE: usize = 4;

/// Writes the text of a scene, for readers of [`Scene::version`]. Meshes of files stay in their
/// files; problems are no part of it.
///
/// Errors: those of `sink`; `Unsupported` for numbers that are none (NaN): there is no text for them.
pub fn write_scene(scene: &Scene, sink: &mut dyn Sink, work: &Work) -> Result<()> {
    let version = if scene.version < 4 { Version::V3 } else { Version::V4 };
    let writer = Writer::new(WriteOptions { version });
    let piece = Statements::default();
    let mut text = StatementWriter {
        scene,
        sink,
        work,
        writer,
        piece,
        put: WrittenState::new(),
        around: None,
    };
    text.picture()?;
    text.world()?;
    text.flush()
}

/// What holds at this point of the text.
#[derive(Clone, Copy, PartialEq)]
struct WrittenState {
    /// At both times.
    matrices: [[u32; 16]; 2],
    color_space: ColorSpace,
    material: u32,
    area_light: u32,
    inside: u32,
    outside: u32,
    reverse_orientation: bool,
    attributes: [u32; KINDS.len()],
}

impl WrittenState {
    fn new() -> WrittenState {
        WrittenState {
            matrices: [rows(&DMat4::IDENTITY).map(f32::to_bits); 2],
            color_space: ColorSpace::default(),
            material: NONE,
            area_light: NONE,
            inside: NONE,
            outside: NONE,
            reverse_orientation: false,
            attributes: [NONE; KINDS.len()],
        }
    }
}

struct StatementWriter<'t> {
    scene: &'t Scene,
    sink: &'t mut dyn Sink,
    work: &'t Work,
    writer: Writer,
    piece: Statements,
    put: WrittenState,
    /// What held before the block that is open.
    around: Option<WrittenState>,
}

impl<'t> StatementWriter<'t> {
    fn flush(&mut self) -> Result<()> {
        let piece = std::mem::take(&mut self.piece);
        self.writer.write(&piece, None, self.sink, self.work)
    }

    /// Adds a directive with these strings, and the parameters of an entity.
    fn say(&mut self, directive: Directive, strings: &[&[u8]], of: Option<&Entity>) -> Result<()> {
        let to = &mut self.piece;
        let first = to.strings.len();
        for string in strings {
            let kept = to.keep_text(string)?;
            to.strings.push(kept);
        }
        let values = match strings.len() {
            0 => Values::Floats(Span::default()),
            _ => Values::Strings(Span { start: first as u32, end: to.strings.len() as u32 }),
        };
        let first = to.parameters.len();
        if let Some(entity) = of {
            let kept = &self.scene.kept[entity.kept as usize];
            for parameter in &kept.parameters[entity.parameters.range()] {
                if let Values::Floats(span) = parameter.values {
                    are_numbers(&kept.floats[span.range()])?;
                }
                let name = to.keep_text(kept.text(parameter.name))?;
                let values = to.keep_values(kept, parameter.values)?;
                to.parameters.push(Parameter { name, values, ..*parameter });
            }
        }
        let parameters = Span { start: first as u32, end: to.parameters.len() as u32 };
        to.statements.push(Statement { at: 0, directive, values, parameters });
        let values = to.floats.len() + to.integers.len() + to.text.len();
        if to.statements.len() >= MOST_STATEMENTS || values >= MOST_VALUES {
            self.flush()?;
        }
        Ok(())
    }

    fn numbers(&mut self, directive: Directive, numbers: &[f32]) -> Result<()> {
        are_numbers(numbers)?;
        let to = &mut self.piece;
        let start = to.floats.len() as u32;
        to.floats.extend_from_slice(numbers);
        let values = Values::Floats(Span { start, end: to.floats.len() as u32 });
        let parameters = Span::default();
        to.statements.push(Statement { at: 0, directive, values, parameters });
        Ok(())
    }

    /// A directive whose first string is the class of what it makes.
    fn make(&mut self, directive: Directive, entity: &Entity) -> Result<()> {
        let class = self.scene.class(entity);
        self.say(directive, &[class], Some(entity))
    }

    fn matrices(&mut self, both: [[f32; 16]; 2]) -> Result<()> {
        let bits = both.map(|matrix| matrix.map(f32::to_bits));
        if self.put.matrices == bits {
            return Ok(());
        }
        self.put.matrices = bits;
        // In the text column after column.
        let columns = |m: [f32; 16]| std::array::from_fn::<f32, 16, _>(|i| m[4 * (i % 4) + i / 4]);
        if bits[0] == bits[1] {
            return self.numbers(Directive::Transform, &columns(both[0]));
        }
        for (time, matrix) in [&b"StartTime"[..], b"EndTime"].into_iter().zip(both) {
            self.say(Directive::ActiveTransform, &[time], None)?;
            self.numbers(Directive::Transform, &columns(matrix))?;
        }
        self.say(Directive::ActiveTransform, &[b"All"], None)
    }

    fn matrices_of(&mut self, start: u32, end: u32) -> Result<()> {
        let all = &self.scene.matrices;
        self.matrices([all[start as usize], all[end as usize]])
    }

    fn color_space(&mut self, space: ColorSpace) -> Result<()> {
        if self.put.color_space != space {
            self.put.color_space = space;
            self.say(Directive::ColorSpace, &[space.name().as_bytes()], None)?;
        }
        Ok(())
    }

    fn media(&mut self, inside: u32, outside: u32) -> Result<()> {
        if (self.put.inside, self.put.outside) != (inside, outside) {
            (self.put.inside, self.put.outside) = (inside, outside);
            let scene = self.scene;
            let name = |medium: u32| match medium {
                NONE => &[][..],
                medium => &scene.media[medium as usize].name[..],
            };
            self.say(Directive::MediumInterface, &[name(inside), name(outside)], None)?;
        }
        Ok(())
    }

    /// What concerns the whole picture.
    fn picture(&mut self) -> Result<()> {
        let scene = self.scene;
        for option in &scene.options {
            self.color_space(option.color_space)?;
            self.say(Directive::Option, &[], Some(option))?;
        }
        let once = [
            (Directive::Film, &scene.film),
            (Directive::Sampler, &scene.sampler),
            (Directive::PixelFilter, &scene.filter),
            (Directive::Integrator, &scene.integrator),
            (Directive::Accelerator, &scene.accelerator),
        ];
        for (directive, entity) in once {
            if let Some(entity) = entity {
                self.color_space(entity.color_space)?;
                self.make(directive, entity)?;
            }
        }
        if let Some(camera) = &scene.camera {
            if camera.from_world.times != [0.0, 1.0] {
                self.numbers(Directive::TransformTimes, &camera.from_world.times)?;
            }
            self.matrices([camera.from_world.start, camera.from_world.end].map(|m| rows(&m)))?;
            self.media(NONE, camera.medium)?;
            self.color_space(camera.entity.color_space)?;
            self.make(Directive::Camera, &camera.entity)?;
        }
        self.say(Directive::WorldBegin, &[], None)?;
        self.put.matrices = WrittenState::new().matrices;
        Ok(())
    }

    fn world(&mut self) -> Result<()> {
        let scene = self.scene;
        for medium in &scene.media {
            let Some(entity) = &medium.entity else { continue };
            self.block(entity, MEDIUM, NONE, NONE)?;
            self.matrices_of(medium.matrix, medium.matrix)?;
            self.say(Directive::MakeNamedMedium, &[&medium.name], Some(entity))?;
        }
        for texture in &scene.textures {
            self.block(&texture.entity, TEXTURE, NONE, NONE)?;
            self.matrices_of(texture.matrix, texture.matrix)?;
            let kind: &[u8] = if texture.is_spectrum { b"spectrum" } else { b"float" };
            let class = scene.class(&texture.entity);
            self.say(Directive::Texture, &[&texture.name, kind, class], Some(&texture.entity))?;
        }
        for material in scene.materials.iter().filter(|material| !material.name.is_empty()) {
            let Some(entity) = &material.entity else { continue };
            self.block(entity, MATERIAL, NONE, NONE)?;
            self.say(Directive::MakeNamedMaterial, &[&material.name], Some(entity))?;
        }
        for light in &scene.lights {
            self.block(&light.entity, LIGHT, NONE, NONE)?;
            self.matrices_of(light.matrix, light.matrix_end)?;
            self.media(self.put.inside, light.medium)?;
            self.make(Directive::LightSource, &light.entity)?;
        }
        self.shapes(0..scene.world_shapes)?;
        for object in scene.objects.iter().filter(|object| object.defined.is_some()) {
            self.end_block()?;
            let before = self.put;
            self.say(Directive::ObjectBegin, &[&object.name], None)?;
            self.shapes(object.shapes.clone())?;
            self.end_block()?;
            self.say(Directive::ObjectEnd, &[], None)?;
            self.put = before;
        }
        self.end_block()?;
        self.instances()
    }

    fn instances(&mut self) -> Result<()> {
        let instances = &self.scene.instances;
        let mut moving = instances.moving.iter().peekable();
        let whole = |m: &[f32; 12]| {
            let mut whole = [0.0; 16];
            whole[..12].copy_from_slice(m);
            whole[15] = 1.0;
            whole
        };
        for (i, (object, matrix)) in instances.objects.iter().zip(&instances.matrices).enumerate() {
            let end = moving.next_if(|(instance, _)| *instance as usize == i);
            let both = [whole(matrix), whole(end.map_or(matrix, |(_, end)| end))];
            self.matrices(both)?;
            let name = &self.scene.objects[*object as usize].name;
            self.say(Directive::ObjectInstance, &[name], None)?;
        }
        Ok(())
    }

    fn shapes(&mut self, range: std::ops::Range<u32>) -> Result<()> {
        for shape in &self.scene.shapes[range.start as usize..range.end as usize] {
            self.shape(shape)?;
        }
        Ok(())
    }

    fn shape(&mut self, shape: &Shape) -> Result<()> {
        self.block(&shape.entity, SHAPE, shape.material, shape.area_light)?;
        self.matrices_of(shape.matrix, shape.matrix_end)?;
        self.media(shape.inside, shape.outside)?;
        if self.put.reverse_orientation != shape.reverse_orientation {
            self.put.reverse_orientation = shape.reverse_orientation;
            self.say(Directive::ReverseOrientation, &[], None)?;
        }
        self.make(Directive::Shape, &shape.entity)
    }

    /// Makes everything hold that an entity needs and that only the end of a block takes back:
    /// attributes of its kind, material, area light; and its color space.
    fn block(&mut self, entity: &Entity, kind: usize, material: u32, light: u32) -> Result<()> {
        let scene = self.scene;
        let mut attributes = [NONE; KINDS.len()];
        attributes[kind] = entity.inherited;
        let made = match material {
            NONE => None,
            material => Some(&scene.materials[material as usize]),
        };
        if let Some(of) = made.filter(|made| made.name.is_empty()).and_then(|made| made.entity) {
            attributes[MATERIAL] = of.inherited;
        }
        if light != NONE {
            attributes[LIGHT] = scene.area_lights[light as usize].inherited;
        }
        let WrittenState { material: before, area_light, attributes: known, .. } = self.put;
        let goes_on = area_light == light && known == attributes;
        if !(goes_on && (material != NONE || before == NONE)) {
            self.end_block()?;
        }
        if self.around.is_none()
            && (material, light, attributes) != (NONE, NONE, self.put.attributes)
        {
            self.around = Some(self.put);
            self.say(Directive::AttributeBegin, &[], None)?;
        }
        for (kind, attribute) in attributes.into_iter().enumerate() {
            if self.put.attributes[kind] != attribute {
                self.attributes(attribute)?;
                self.put.attributes[kind] = attribute;
            }
        }
        if self.put.area_light != light {
            let area_light = &scene.area_lights[light as usize];
            self.color_space(area_light.color_space)?;
            self.make(Directive::AreaLightSource, area_light)?;
            self.put.area_light = light;
        }
        if let Some(made) = made
            && self.put.material != material
        {
            match &made.entity {
                Some(of) if made.name.is_empty() => {
                    self.color_space(of.color_space)?;
                    self.make(Directive::Material, of)?;
                }
                _ => self.say(Directive::NamedMaterial, &[&made.name], None)?,
            }
            self.put.material = material;
        }
        self.color_space(entity.color_space)
    }

    fn end_block(&mut self) -> Result<()> {
        if let Some(before) = self.around.take() {
            self.say(Directive::AttributeEnd, &[], None)?;
            self.put = before;
        }
        Ok(())
    }

    /// Attributes, the earliest first.
    fn attributes(&mut self, last: u32) -> Result<()> {
        let mut chain = Vec::new();
        let mut next = last;
        while next != NONE {
            let attribute = self.scene.attributes[next as usize];
            chain.push(attribute);
            next = attribute.inherited;
        }
        for attribute in chain.iter().rev() {
            self.color_space(attribute.color_space)?;
            self.make(Directive::Attribute, attribute)?;
        }
        Ok(())
    }
}

fn are_numbers(values: &[f32]) -> Result<()> {
    if values.iter().any(|value| value.is_nan()) {
        return Err(Error::unsupported("a number that is none (NaN) has no text"));
    }
    Ok(())
}
