//! Views: in parts by their attribute `view`, in one part by the attribute `multiView` and the names of
//! channels. ("Storing Multi-View Images in OpenEXR Files", OpenEXR's documents.)

use crate::cryptomatte::follow;
use crate::edit::{each_level, refresh};
use solio_base::{Error, Result};
use solio_exr::header::{Part, Text, Value};
use solio_exr::model::Image;

/// The views that parts have, each once, the default one first; none where there is but one picture.
///
/// ```
/// use solio_exr::Compression;
/// use solio_exr::header::{Box2i, Part, Value};
/// let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, Vec::new());
/// assert!(solio_image::views(&[part.clone()]).is_empty());
/// part.set("multiView", Value::TextVector(vec!["right".into(), "left".into()]));
/// assert_eq!(solio_image::views(&[part]), ["right", "left"]);
/// ```
pub fn views(parts: &[Part]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        for view in of_part(part) {
            if !found.contains(&view) {
                found.push(view);
            }
        }
    }
    found
}

fn of_part(part: &Part) -> Vec<String> {
    if let Some(Value::Text(view)) = part.get("view") {
        return vec![view.to_string()];
    }
    match part.get("multiView") {
        Some(Value::TextVector(views)) => views.iter().map(Text::to_string).collect(),
        _ => Vec::new(),
    }
}

/// The name that a channel has within `view`, where it belongs to it: `diffuse.R` of `diffuse.left.R`. What
/// names no view is of the default one, the first.
fn name_in(views: &[String], view: &str, channel: &str) -> Option<String> {
    let mut words: Vec<&str> = channel.split('.').collect();
    let place = words.len().checked_sub(2);
    let named = place.filter(|place| views.iter().any(|view| view == words[*place]));
    match named {
        Some(place) if words[place] == view => {
            words.remove(place);
            Some(words.join("."))
        }
        Some(_) => None,
        None => (views.first().is_some_and(|first| first == view)).then(|| channel.to_owned()),
    }
}

/// Keeps one view: of several parts those that have it, of one part the channels, whose names lose it.
/// Returns what there is to say about names of mattes.
///
/// # Errors
/// `Argument`, where there is no such view; its hint names those that there are.
pub fn select_view(image: &mut Image<'_>, view: &str) -> Result<Vec<String>> {
    let headers: Vec<Part> = image.parts.iter().map(|part| part.header.clone()).collect();
    let all = views(&headers);
    if !all.iter().any(|name| name == view) {
        let error = Error::argument(format!("there is no view {view:?}"));
        return Err(error.hint(match &all[..] {
            [] => "the image has no views".to_owned(),
            all => format!("the views are {}", all.join(", ")),
        }));
    }
    let mut notes = Vec::new();
    image.parts.retain(|part| of_part(&part.header).iter().any(|name| name == view));
    for part in &mut image.parts {
        if part.header.get("view").is_some() {
            continue;
        }
        let of_part = of_part(&part.header);
        let mut renamed = Vec::new();
        each_level(part, |planes| {
            renamed.clear();
            planes.retain_mut(|plane| {
                let Some(name) = name_in(&of_part, view, &plane.channel.name) else { return false };
                renamed.push((plane.channel.name.clone(), name.clone()));
                plane.channel.name = name;
                true
            });
            planes.sort_by(|a, b| a.channel.by_name(&b.channel));
        });
        refresh(part)?;
        notes.extend(follow(&mut part.header, &renamed));
        part.header.remove("multiView");
        part.header.set("view", Value::Text(view.into()));
    }
    image.parts.retain(|part| !part.header.channels().is_empty());
    match image.parts.is_empty() {
        true => Err(Error::argument(format!("no channel belongs to the view {view:?}"))),
        false => Ok(notes),
    }
}
