//! All layers of an image, each as something to be seen.

use crate::choose::{Choice, channels, choose, colors_in};
use crate::cryptomatte;
use solio_exr::header::{Header, Part};
use std::collections::BTreeSet;

/// A layer of an image, and the choice that shows it.
///
/// ```
/// use solio_exr::header::{Box2i, Header, Part};
/// use solio_exr::{Channel, Compression, PixelType};
/// let names = ["B", "G", "R", "Z", "n.X", "n.Y", "n.Z"];
/// let channels = names.map(|name| Channel::new(name, PixelType::Half));
/// let part = Part::new(Box2i::of_size(1, 1), Compression::Zip, channels.into());
/// let header = Header { parts: vec![part], ..Header::default() };
/// let found: Vec<String> = solio_image::layers(&header).into_iter().map(|one| one.name).collect();
/// assert_eq!(found, ["R, G, B", "Z", "n: X, Y, Z"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageLayer {
    /// Its channels, for people, with the part where there are several; of a Cryptomatte its name.
    pub name: String,
    /// What shows it.
    pub choice: Choice,
}

/// All that a file with this header shows, part by part and layer by layer: colours, directions, values
/// one by one, Cryptomattes. The one that is shown without a word comes first.
pub fn layers(header: &Header) -> Vec<ImageLayer> {
    let mut found: Vec<ImageLayer> = Vec::new();
    for (number, part) in header.parts.iter().enumerate() {
        let name = part.name().map_or_else(|| number.to_string(), |name| name.to_string());
        let prefix = if header.parts.len() > 1 { format!("{name}: ") } else { String::new() };
        let own = of_part(header, number, part).into_iter();
        found.extend(own.map(|layer| ImageLayer { name: prefix.clone() + &layer.name, ..layer }));
    }
    let usual = choose(header, &Choice::default()).ok();
    let is_usual = |layer: &ImageLayer| choose(header, &layer.choice).ok() == usual;
    if let Some(at) = found.iter().position(is_usual) {
        found[..=at].rotate_right(1);
    }
    found
}

fn of_part(header: &Header, number: usize, part: &Part) -> Vec<ImageLayer> {
    let own = Header { parts: vec![part.clone()], ..Header::default() };
    let mut mattes = cryptomatte::list(&own);
    mattes.retain(|matte| !matte.ranks.is_empty());
    let of_mattes: BTreeSet<&String> =
        mattes.iter().flat_map(|matte| matte.ranks.iter().flatten()).collect();
    let mut left = channels(part);
    left.retain(|name| !of_mattes.contains(&(*name).to_owned()));
    let mut found = Vec::new();
    while let Some(first) = left.first().copied() {
        let layer = first.rfind('.').map_or("", |dot| &first[..=dot]);
        let of_layer: BTreeSet<&str> = left
            .iter()
            .copied()
            .filter(|name| name.rfind('.').map_or("", |dot| &name[..=dot]) == layer)
            .collect();
        let choice = Choice { part: Some(number), layer: Some(layer.to_owned()), channels: None };
        let mut rest = of_layer.clone();
        if colors_in(&of_layer, layer)
            && let Ok(chosen) = choose(header, &choice)
        {
            let name = match layer.trim_end_matches('.') {
                "" => chosen.describe(),
                name => format!("{name}: {}", chosen.describe().replace(layer, "")),
            };
            chosen.names(part).iter().for_each(|name| {
                rest.remove(name.as_str());
            });
            found.push(ImageLayer { name, choice });
        }
        for name in rest {
            let channels = Some(vec![name.to_owned()]);
            let choice = Choice { part: Some(number), layer: None, channels };
            found.push(ImageLayer { name: name.to_owned(), choice });
        }
        left.retain(|name| !of_layer.contains(name));
    }
    for matte in mattes {
        let layer = Some(matte.name.clone());
        let choice = Choice { part: Some(number), layer, channels: None };
        found.push(ImageLayer { name: matte.name, choice });
    }
    found
}
