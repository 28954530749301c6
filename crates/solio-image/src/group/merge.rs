//! Several images in one.

use super::ImageGroup;
use crate::cryptomatte::follow;
use crate::edit::{check_fits, each_level, refresh};
use crate::losses::is_of_storage;
use solio_base::{Error, Limits, Loss, Losses, Result};
use solio_exr::header::{Box2i, Kind, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};

/// An image that is to be put together with others.
#[derive(Debug)]
pub struct MergeInput<'i> {
    /// What it is called: a layer, a part or a view.
    pub name: String,
    /// Whether somebody chose the name; else it stands where names would be the same otherwise. A chosen
    /// name that is empty puts channels beside those of no layer.
    pub chosen: bool,
    /// The image.
    pub image: Image<'i>,
}

/// Puts images together: as layers of one part, whose data window holds all of theirs, with zeros where one
/// has no pixels; or as parts. Attributes are those of the first image, and those that it lacks of the others.
///
/// # Errors
/// `Argument` for names that are the same and for layers with other display windows, `Unsupported` for deep
/// layers, `Limit`.
pub fn merge_images<'i>(
    inputs: Vec<MergeInput<'i>>,
    by: ImageGroup,
    limits: &Limits,
) -> Result<(Image<'i>, Losses)> {
    let missing = inputs.iter().flat_map(|input| input.image.missing.clone()).collect();
    let (parts, losses) = match by {
        ImageGroup::Layers => layers(inputs, limits)?,
        ImageGroup::Parts => (parts(inputs, false)?, Losses::default()),
        ImageGroup::Views => (parts(inputs, true)?, Losses::default()),
    };
    if parts.is_empty() {
        return Err(Error::argument("there is nothing to put together"));
    }
    Ok((Image { parts, missing }, losses))
}

fn parts<'i>(inputs: Vec<MergeInput<'i>>, as_views: bool) -> Result<Vec<ImagePart<'i>>> {
    let mut all: Vec<ImagePart<'i>> = Vec::new();
    let taken = |all: &[ImagePart<'_>], name: &str| {
        all.iter().any(|part| part.header.name().is_some_and(|other| other.to_string() == name))
    };
    for MergeInput { name, chosen, image } in inputs {
        let single = image.parts.len() == 1;
        for mut part in image.parts {
            let own = part.header.name().map(ToString::to_string);
            let within = |own: Option<&String>| match own {
                Some(own) if !single => format!("{name}.{own}"),
                _ => name.clone(),
            };
            let title = match own {
                Some(own) if !chosen && !taken(&all, &own) => own,
                own => within(own.as_ref()),
            };
            if title.is_empty() || taken(&all, &title) {
                let message = format!("two parts would be called {title:?}");
                return Err(Error::argument(message).hint("give names: --as left,right"));
            }
            part.header.set("name", Value::Text(title.as_str().into()));
            if as_views {
                part.header.set("view", Value::Text(name.as_str().into()));
            }
            all.push(part);
        }
    }
    Ok(all)
}

fn layers<'i>(
    inputs: Vec<MergeInput<'i>>,
    limits: &Limits,
) -> Result<(Vec<ImagePart<'i>>, Losses)> {
    let mut losses = Losses::default();
    let mut merged: Option<ImagePart<'i>> = None;
    for MergeInput { name, chosen, image } in inputs {
        let single = image.parts.len() == 1;
        for mut part in image.parts {
            let own = part.header.name().map(ToString::to_string);
            let layer = match own {
                Some(own) if !single && chosen && !name.is_empty() => format!("{name}.{own}"),
                Some(own) if !single && !chosen => own,
                _ => name.clone(),
            };
            if matches!(part.pixels, Pixels::Deep(_)) {
                let error = Error::unsupported("deep images cannot be layers of one another");
                return Err(error.hint("--join parts keeps them, --flatten makes them flat"));
            }
            if let Pixels::Flat(levels) = &mut part.pixels
                && levels.len() > 1
            {
                let loss = Loss::new("levels", "layers have the full resolution only");
                losses.add(loss.count(levels.len() as u64 - 1, "level"));
                levels.truncate(1);
            }
            let clashes = merged.as_ref().is_some_and(|merged| {
                let of_merged = merged.header.channels();
                part.header.channels().iter().any(|it| of_merged.iter().any(|o| o.name == it.name))
            });
            if !layer.is_empty() && (chosen || clashes) {
                prefix(&mut part, &layer)?;
            }
            merged = Some(match merged {
                None => part,
                Some(merged) => beside(merged, part, &layer, limits, &mut losses)?,
            });
        }
    }
    let Some(mut merged) = merged else { return Ok((Vec::new(), losses)) };
    merged.header.remove("tiles");
    merged.header.set_kind(Kind::Scanline);
    Ok((vec![merged], losses))
}

/// Puts all channels into a layer.
fn prefix(part: &mut ImagePart<'_>, layer: &str) -> Result<()> {
    let mut renamed = Vec::new();
    each_level(part, |planes| {
        renamed.clear();
        for plane in &mut *planes {
            let name = format!("{layer}.{}", plane.channel.name);
            renamed.push((plane.channel.name.clone(), name.clone()));
            plane.channel.name = name;
        }
        planes.sort_by(|a, b| a.channel.by_name(&b.channel));
    });
    refresh(part)?;
    follow(&mut part.header, &renamed);
    Ok(())
}

/// One part with the channels of both.
fn beside<'i>(
    first: ImagePart<'i>,
    second: ImagePart<'i>,
    layer: &str,
    limits: &Limits,
    losses: &mut Losses,
) -> Result<ImagePart<'i>> {
    let displays = [&first, &second].map(|part| part.header.display_window());
    if displays[0] != displays[1] {
        let message = format!("{layer:?} has another display window than what is before it");
        return Err(Error::argument(message).hint("make them alike first: --resize"));
    }
    let mut header = first.header;
    let mut others = Vec::new();
    for attribute in &second.header.attributes {
        let name = &*attribute.name;
        match header.get(name) {
            _ if is_of_storage(name) || name == "name" => {}
            None => header.set(name, attribute.value.clone()),
            Some(value) if *value == attribute.value => {}
            Some(_) => others.push(attribute.name.clone()),
        }
    }
    for name in others {
        let loss = Loss::new("attributes", "images put together have those of the first one");
        losses.add(loss.count(1, "attribute").example(name));
    }
    let (Pixels::Flat(one), Pixels::Flat(two)) = (first.pixels, second.pixels) else {
        return Err(Error::unsupported("deep images cannot be layers of one another"));
    };
    let full = |levels: Vec<FlatLevel<'i>>| levels.into_iter().next();
    let (Some(one), Some(two)) = (full(one), full(two)) else {
        return Err(Error::argument(format!("{layer:?} has no pixels")));
    };
    let window = Box2i {
        min: [0, 1].map(|i| one.window.min[i].min(two.window.min[i])),
        max: [0, 1].map(|i| one.window.max[i].max(two.window.max[i])),
    };
    let planes = || one.planes.iter().chain(&two.planes);
    let of_pixel: u64 = planes().map(|plane| plane.channel.pixel_type.bytes() as u64).sum();
    let pixels = window.width().saturating_mul(window.height());
    check_fits("what is put together", pixels.saturating_mul(of_pixel), limits)?;
    let mut all = Vec::with_capacity(one.planes.len() + two.planes.len());
    for FlatLevel { window: own, planes, .. } in [one, two] {
        for plane in planes {
            all.push(extended(plane, own, window)?);
        }
    }
    all.sort_by(|a, b| a.channel.by_name(&b.channel));
    header.set("dataWindow", Value::Box2i(window));
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes: all }]);
    let mut part = ImagePart { header, pixels };
    refresh(&mut part)?;
    Ok(part)
}

/// The samples of a larger window, zeros where there were none.
fn extended<'i>(plane: Plane<'i>, from: Box2i, to: Box2i) -> Result<Plane<'i>> {
    if from == to {
        return Ok(plane);
    }
    let Plane { channel, samples } = plane;
    if (channel.x_sampling, channel.y_sampling) != (1, 1) {
        let message = format!("channel {:?} has fewer samples than pixels", channel.name);
        return Err(Error::unsupported(message).hint("its data window cannot become larger"));
    }
    let [width, across] = [from.width(), to.width()].map(|width| width as usize);
    let count = usize::try_from(to.width().saturating_mul(to.height()));
    let count = count.map_err(|_| Error::limit("the image does not fit into memory"))?;
    let left = (i64::from(from.min[0]) - i64::from(to.min[0])) as usize;
    let top = (i64::from(from.min[1]) - i64::from(to.min[1])) as usize;
    fn copy<T: Copy>(from: &[T], width: usize, into: &mut [T], across: usize, start: usize) {
        let rows = into[start..].chunks_mut(across);
        for (from, to) in from.chunks_exact(width).zip(rows) {
            to[..width].copy_from_slice(from);
        }
    }
    let start = top * across + left;
    let mut larger = Samples::zeros(channel.pixel_type, count)?;
    match (&samples, &mut larger) {
        (Samples::Uint(from), Samples::Uint(to)) => copy(from, width, to.to_mut(), across, start),
        (Samples::Half(from), Samples::Half(to)) => copy(from, width, to.to_mut(), across, start),
        (Samples::Float(from), Samples::Float(to)) => copy(from, width, to.to_mut(), across, start),
        _ => {
            let message = format!("channel {:?} has samples of another type", channel.name);
            return Err(Error::argument(message));
        }
    }
    Ok(Plane { channel, samples: larger })
}
