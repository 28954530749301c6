//! An image in several.

use super::{ImageGroup, select_view, views};
use crate::cryptomatte::is_matte;
use crate::edit::{each_level, refresh};
use solio_base::{Error, Result};
use solio_exr::header::{Part, Value};
use solio_exr::model::{Image, ImagePart};

/// What channels without a layer are called.
const NO_LAYER: &str = "rgba";
/// Where the attributes of a matte begin.
const MATTE: &str = "cryptomatte/";

/// Takes an image apart; each piece has the name of its layer, part or view. Layers become the channels of
/// no layer (`R` of `diffuse.R`), but those of Cryptomatte, which keep their names and attributes; channels
/// of no layer are called `rgba`.
///
/// ```
/// use solio_image::{ImageGroup, edit, gradient_image, split_image};
/// let map = solio_color::gradient::colormap("magma").unwrap();
/// let mut image = gradient_image(&map, [8, 4])?;
/// edit::rename(&mut image, &[("R".into(), "warm.R".into())])?;
/// let pieces = split_image(image, ImageGroup::Layers)?;
/// let names: Vec<&str> = pieces.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["rgba", "warm"]);
/// assert_eq!(pieces[1].1.parts[0].header.channels()[0].name, "R");
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument`, where there is nothing to take apart by.
pub fn split_image<'i>(image: Image<'i>, by: ImageGroup) -> Result<Vec<(String, Image<'i>)>> {
    let missing = image.missing.clone();
    match by {
        ImageGroup::Layers => Ok(by_layers(image)),
        ImageGroup::Parts => {
            let piece = |(i, part): (usize, ImagePart<'i>)| {
                let name =
                    part.header.name().map_or_else(|| format!("part{i}"), ToString::to_string);
                (name, Image { parts: vec![part], missing: missing.clone() })
            };
            Ok(image.parts.into_iter().enumerate().map(piece).collect())
        }
        ImageGroup::Views => {
            let headers: Vec<Part> = image.parts.iter().map(|part| part.header.clone()).collect();
            let all = views(&headers);
            if all.is_empty() {
                let error = Error::argument("the image has no views");
                return Err(error.hint("--split layers and --split parts take others apart"));
            }
            let piece = |view: String| {
                let mut piece = image.clone();
                select_view(&mut piece, &view)?;
                Ok((view, piece))
            };
            all.into_iter().map(piece).collect()
        }
    }
}

fn by_layers(image: Image<'_>) -> Vec<(String, Image<'_>)> {
    let several = image.parts.len() > 1;
    let mut pieces = Vec::new();
    for (number, part) in image.parts.into_iter().enumerate() {
        let title = part.header.name().map_or_else(|| format!("part{number}"), ToString::to_string);
        let mut groups: Vec<String> = Vec::new();
        for channel in part.header.channels() {
            let group = group_of(&part.header, &channel.name).to_owned();
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups.sort_by_key(|group| !group.is_empty());
        for group in groups {
            let name = if group.is_empty() { NO_LAYER } else { &group };
            let name = if several { format!("{title}.{name}") } else { name.to_owned() };
            let piece = only(part.clone(), &group);
            pieces.push((name, Image { parts: vec![piece], missing: image.missing.clone() }));
        }
    }
    pieces
}

/// The layer of a channel, empty for none; of Cryptomatte that of all ranks.
fn group_of<'c>(part: &Part, channel: &'c str) -> &'c str {
    let layer = channel.rsplit_once('.').map_or("", |(layer, _)| layer);
    match is_matte(part, channel) {
        true => layer.trim_end_matches(|c: char| c.is_ascii_digit()),
        false => layer,
    }
}

/// A part with the channels of a layer, which lose its name.
fn only<'i>(mut part: ImagePart<'i>, group: &str) -> ImagePart<'i> {
    let header = part.header.clone();
    let of_group = |name: &str| group_of(&header, name) == group;
    let matte =
        header.channels().iter().any(|it| of_group(&it.name) && is_matte(&header, &it.name));
    each_level(&mut part, |planes| {
        planes.retain_mut(|plane| {
            let name = plane.channel.name.clone();
            if !matte && !group.is_empty() {
                let rest = name.strip_prefix(group).and_then(|rest| rest.strip_prefix('.'));
                if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
                    plane.channel.name = rest.to_owned();
                }
            }
            of_group(&name)
        });
        planes.sort_by(|a, b| a.channel.by_name(&b.channel));
    });
    // What is said of mattes goes with them.
    let gone: Vec<String> = header
        .attributes
        .iter()
        .filter_map(|attribute| {
            let key = attribute.name.strip_prefix(MATTE)?.strip_suffix("/name")?;
            let Value::Text(name) = &attribute.value else { return None };
            let name = name.to_string();
            let stays = matte
                && header
                    .channels()
                    .iter()
                    .any(|channel| of_group(&channel.name) && channel.name.starts_with(&name));
            (!stays).then(|| format!("{MATTE}{key}/"))
        })
        .collect();
    let is_gone = |name: &str| gone.iter().any(|start| name.starts_with(start.as_str()));
    part.header.attributes.retain(|attribute| !is_gone(&attribute.name));
    // Names were different in one layer, and are now.
    let _ = refresh(&mut part);
    part
}
