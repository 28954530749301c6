//! Things of a scene as records of words, and back. What is read here is only put together; whether
//! numbers lead somewhere is looked at in [`super::check`].

use crate::pbrt::{Parameter, ParameterType, Span, Values};
use crate::scene::{ColorSpace, Entity, Light, Place, Shape};
use solio_base::{Error, ErrorKind};

/// What a record that makes no sense is called.
pub(super) type RecordFault = &'static str;

/// The two words of a long number, low first.
pub(super) fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The number of two words.
pub(super) fn whole([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Words of an entity, without its place.
pub(super) fn entity_words(entity: &Entity) -> [u32; 7] {
    [
        entity.kept,
        entity.class.start,
        entity.class.end,
        entity.parameters.start,
        entity.parameters.end,
        entity.inherited,
        entity.color_space as u32,
    ]
}

/// The entity of its words; its place comes later.
pub(super) fn entity(words: &[u32; 7]) -> Result<Entity, RecordFault> {
    let [kept, class_start, class_end, start, end, inherited, space] = *words;
    let color_space =
        ColorSpace::ALL.get(space as usize).ok_or("a color space that is not known")?;
    Ok(Entity {
        place: Place::default(),
        kept,
        class: Span { start: class_start, end: class_end },
        parameters: Span { start, end },
        inherited,
        color_space: *color_space,
    })
}

/// Words of an entity that may not be there: all 0 then.
pub(super) fn perhaps_words(entity: Option<&Entity>) -> [u32; 7] {
    entity.map_or([0; 7], entity_words)
}

pub(super) fn shape_words(shape: &Shape) -> [u32; 14] {
    let [a, b, c, d, e, f, g] = entity_words(&shape.entity);
    let Shape { matrix, matrix_end, material, area_light, inside, outside, .. } = *shape;
    let reverse = u32::from(shape.reverse_orientation);
    [a, b, c, d, e, f, g, matrix, matrix_end, material, area_light, inside, outside, reverse]
}

pub(super) fn shape(words: &[u32; 14]) -> Result<Shape, RecordFault> {
    let [.., matrix, matrix_end, material, area_light, inside, outside, reverse] = *words;
    Ok(Shape {
        entity: entity(words.first_chunk().expect("seven words"))?,
        matrix,
        matrix_end,
        material,
        area_light,
        inside,
        outside,
        reverse_orientation: truth(reverse)?,
    })
}

pub(super) fn light_words(light: &Light) -> [u32; 10] {
    let [a, b, c, d, e, f, g] = entity_words(&light.entity);
    [a, b, c, d, e, f, g, light.matrix, light.matrix_end, light.medium]
}

pub(super) fn light(words: &[u32; 10]) -> Result<Light, RecordFault> {
    let [.., matrix, matrix_end, medium] = *words;
    let entity = entity(words.first_chunk().expect("seven words"))?;
    Ok(Light { entity, matrix, matrix_end, medium })
}

pub(super) fn truth(word: u32) -> Result<bool, RecordFault> {
    match word {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err("a truth value that is neither 0 nor 1"),
    }
}

pub(super) fn place_words(place: &Place) -> [u32; 5] {
    let [low, high] = halves(place.at);
    [low, high, place.file, place.line, place.column]
}

pub(super) fn place(words: &[u32; 5]) -> Place {
    let [low, high, file, line, column] = *words;
    Place { at: whole([low, high]), file, line, column }
}

pub(super) fn parameter_words(parameter: &Parameter) -> [u32; 5] {
    let (array, span) = match parameter.values {
        Values::Floats(span) => (0, span),
        Values::Integers(span) => (1, span),
        Values::Bools(span) => (2, span),
        Values::Strings(span) => (3, span),
    };
    let kind = parameter.kind as u32 | array << 8 | u32::from(parameter.older_form) << 16;
    [kind, parameter.name.start, parameter.name.end, span.start, span.end]
}

/// The parameter of its words; its place comes later.
pub(super) fn parameter(words: &[u32; 5]) -> Result<Parameter, RecordFault> {
    let [kind, name_start, name_end, start, end] = *words;
    let span = Span { start, end };
    let older_form = truth(kind >> 16).map_err(|_| "a parameter that is not known")?;
    let values = match kind >> 8 & 0xff {
        0 => Values::Floats(span),
        1 => Values::Integers(span),
        2 => Values::Bools(span),
        3 => Values::Strings(span),
        _ => return Err("a parameter with values that are not known"),
    };
    let kind = ParameterType::ALL
        .get((kind & 0xff) as usize)
        .ok_or("a parameter of a type that is not known")?;
    let name = Span { start: name_start, end: name_end };
    Ok(Parameter { at: 0, kind: *kind, name, values, older_form })
}

/// Words of a problem; its texts are appended to `text`.
pub(super) fn problem_words(problem: &Error, is_warning: bool, text: &mut Vec<u8>) -> [u32; 11] {
    let path = problem.path().map(|path| path.as_os_str().as_encoded_bytes());
    let hint = problem.hint_text().map(str::as_bytes);
    let mut flags = problem.kind() as u32 | u32::from(is_warning) << 8;
    for (bit, there) in
        [path.is_some(), problem.offset().is_some(), problem.line().is_some(), hint.is_some()]
            .into_iter()
            .enumerate()
    {
        flags |= u32::from(there) << (16 + bit);
    }
    let mut size = |part: Option<&[u8]>| {
        text.extend_from_slice(part.unwrap_or_default());
        part.unwrap_or_default().len() as u32
    };
    let sizes = [Some(problem.message().as_bytes()), path, hint].map(&mut size);
    let [a, b] = halves(problem.offset().unwrap_or(0));
    let [c, d] = halves(problem.line().unwrap_or(0));
    let [e, f] = halves(problem.column().unwrap_or(0));
    [flags, sizes[0], sizes[1], sizes[2], a, b, c, d, e, f, 0]
}

/// A problem, and whether it is a warning; takes its texts from the front of `text`.
pub(super) fn problem(words: &[u32; 11], text: &mut &[u8]) -> Result<(Error, bool), RecordFault> {
    let [flags, message, path, hint, a, b, c, d, e, f, _] = *words;
    let kind = ErrorKind::ALL
        .get((flags & 0xff) as usize)
        .ok_or("a problem of a kind that is not known")?;
    let has = |bit: u32| flags >> (16 + bit) & 1 != 0;
    let mut take = |size: u32| {
        let (part, rest) =
            text.split_at_checked(size as usize).ok_or("the words of a problem are missing")?;
        *text = rest;
        Ok::<&[u8], RecordFault>(part)
    };
    let words_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut error = Error::new(*kind, words_of(take(message)?));
    let (path, hint) = (take(path)?, take(hint)?);
    if has(0) {
        error = error.at_path(super::array::path_of(path));
    }
    if has(1) {
        error = error.at_offset(whole([a, b]));
    }
    if has(2) {
        error = error.at_line(whole([c, d]), whole([e, f]));
    }
    if has(3) {
        error = error.hint(words_of(hint));
    }
    Ok((error, flags >> 8 & 1 != 0))
}
