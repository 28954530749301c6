//! The attributes of one part, and the few that say how its pixels lie.

use super::Attribute;
use super::shape::Shape;
use super::values::{Box2i, LineOrder, Text, Tiles, Value};
use crate::name_bytes;
use crate::{Channel, Compression};
use solio_base::{Error, Result, named_enum};

/// Longest name in files without the flag for long ones.
const SHORT_NAME: usize = 31;

named_enum! {
    /// How the pixels of a part are stored.
    #[derive(Default, Hash)]
    pub enum Kind {
        /// Rows.
        #[default]
        Scanline = "scanlineimage",
        /// Tiles, perhaps in several levels.
        Tiled = "tiledimage",
        /// Rows; a pixel has any number of samples.
        DeepScanline = "deepscanline",
        /// Tiles; a pixel has any number of samples.
        DeepTiled = "deeptile",
    }

    /// Its name in the attribute `type`.
    pub fn name;

    /// From its name in the attribute `type`.
    pub fn of_name;
}

impl Kind {
    /// Whether a pixel has any number of samples.
    pub fn is_deep(self) -> bool {
        matches!(self, Kind::DeepScanline | Kind::DeepTiled)
    }

    /// Whether the chunks are tiles.
    pub fn is_tiled(self) -> bool {
        matches!(self, Kind::Tiled | Kind::DeepTiled)
    }
}

/// The attributes of one part, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// All attributes. Where a name comes twice, the last one counts.
    pub attributes: Vec<Attribute>,
    /// What the flags of the file say, which files of a single flat part have instead of `type`.
    pub(super) forced: Option<Kind>,
}

impl Part {
    /// A part with the attributes that every file has, in the order in which the reference
    /// writes them: by name.
    pub fn new(data_window: Box2i, compression: Compression, channels: Vec<Channel>) -> Part {
        let mut part = Part::default();
        part.set("channels", Value::Channels(channels));
        part.set("compression", Value::Compression(compression));
        part.set("dataWindow", Value::Box2i(data_window));
        part.set("displayWindow", Value::Box2i(data_window));
        part.set("lineOrder", Value::LineOrder(LineOrder::Increasing));
        part.set("pixelAspectRatio", Value::Float(1.0));
        part.set("screenWindowCenter", Value::V2f([0.0; 2]));
        part.set("screenWindowWidth", Value::Float(1.0));
        part
    }

    /// The attribute called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().rfind(|attribute| attribute.name == name).map(|a| &a.value)
    }

    /// Replaces the attribute called `name`, or adds it: among attributes sorted by name in its
    /// place, else at the end.
    pub fn set(&mut self, name: &str, value: Value) {
        let attributes = &mut self.attributes;
        if let Some(old) = attributes.iter_mut().rfind(|attribute| attribute.name == name) {
            old.value = value;
            return;
        }
        let sorted = attributes.is_sorted_by(|a, b| a.name <= b.name);
        let at = if sorted {
            attributes.partition_point(|attribute| *attribute.name < *name)
        } else {
            attributes.len()
        };
        attributes.insert(at, Attribute { name: name.to_owned(), value });
    }

    /// Removes the attribute called `name`.
    pub fn remove(&mut self, name: &str) {
        self.attributes.retain(|attribute| attribute.name != name);
    }

    /// The name of the part.
    pub fn name(&self) -> Option<&Text> {
        match self.get("name") {
            Some(Value::Text(name)) => Some(name),
            _ => None,
        }
    }

    /// How the pixels are stored.
    pub fn kind(&self) -> Kind {
        let named = match self.get("type") {
            Some(Value::Text(name)) => Kind::of_name(&name.to_string()),
            _ => None,
        };
        let tiled = if self.get("tiles").is_some() { Kind::Tiled } else { Kind::Scanline };
        self.forced.or(named).unwrap_or(tiled)
    }

    /// Says how the pixels are stored; `type` follows where it is there.
    ///
    /// ```
    /// use solio_exr::Compression;
    /// use solio_exr::header::{Box2i, Kind, Part, Tiles, Value};
    /// let mut part = Part::new(Box2i::of_size(8, 8), Compression::Zip, Vec::new());
    /// let (levels, rounding) = Default::default();
    /// part.set("tiles", Value::Tiles(Tiles { width: 64, height: 64, levels, rounding }));
    /// part.set_kind(Kind::Tiled);
    /// assert!(part.kind().is_tiled());
    /// ```
    pub fn set_kind(&mut self, kind: Kind) {
        self.forced = Some(kind);
        if self.get("type").is_some() {
            self.set("type", Value::Text(kind.name().into()));
        }
    }

    /// The sizes that follow from the attributes, checked.
    pub fn shape(&self) -> Result<Shape> {
        self.checked().map_err(|(_, error)| error)
    }

    /// [`Part::shape`]; an error names the attribute that is wrong.
    pub(super) fn checked(&self) -> Result<Shape, (&'static str, Error)> {
        if self.forced.is_none()
            && let Some(Value::Text(name)) = self.get("type")
            && Kind::of_name(&name.to_string()).is_none()
        {
            return Err(("type", Error::unsupported(format!("the part is of type {name:?}"))));
        }
        let kind = self.kind();
        let channels = match self.get("channels") {
            Some(Value::Channels(channels)) => channels.clone(),
            other => return Err(("channels", wrong("channels", other))),
        };
        let compression = match self.get("compression") {
            Some(Value::Compression(compression)) => *compression,
            Some(Value::Opaque { data, .. }) if data.len() == 1 => {
                let message = format!("compression {} is unknown", data[0]);
                return Err(("compression", Error::unsupported(message)));
            }
            other => return Err(("compression", wrong("compression", other))),
        };
        let data_window = match self.get("dataWindow") {
            Some(Value::Box2i(window)) => *window,
            other => return Err(("dataWindow", wrong("dataWindow", other))),
        };
        let line_order = match self.get("lineOrder") {
            Some(Value::LineOrder(order)) => *order,
            None => LineOrder::Increasing,
            other => return Err(("lineOrder", wrong("lineOrder", other))),
        };
        let tiles: Option<Tiles> = match self.get("tiles") {
            _ if !kind.is_tiled() => None,
            Some(Value::Tiles(tiles)) => Some(*tiles),
            other => return Err(("tiles", wrong("tiles", other))),
        };
        Shape::new(kind, channels, compression, data_window, line_order, tiles)
    }

    /// The channels, in the order of the header; none where it has no list of them.
    pub fn channels(&self) -> &[Channel] {
        match self.get("channels") {
            Some(Value::Channels(channels)) => channels,
            _ => &[],
        }
    }

    /// The part of the picture that is meant to be seen; without a word on it all of it.
    pub fn display_window(&self) -> Option<Box2i> {
        match (self.get("displayWindow"), self.get("dataWindow")) {
            (Some(Value::Box2i(window)), _) | (_, Some(Value::Box2i(window))) => Some(*window),
            _ => None,
        }
    }

    /// Whether a name needs the flag for long ones.
    pub(super) fn has_long_names(&self) -> bool {
        let long = |name: &str| name_bytes::encode(name).len() > SHORT_NAME;
        self.attributes.iter().any(|attribute| {
            let inner = match &attribute.value {
                Value::Channels(channels) => channels.iter().any(|channel| long(&channel.name)),
                other => long(other.type_name()),
            };
            inner || long(&attribute.name)
        })
    }
}

fn wrong(name: &str, value: Option<&Value>) -> Error {
    match value {
        None => Error::corrupt(format!("the header has no attribute {name:?}")),
        Some(_) => Error::corrupt(format!("the attribute {name:?} is damaged or of another type")),
    }
}

/// Says which part an error is about, where there are several.
pub(super) fn in_part(error: Error, index: usize, multipart: bool) -> Error {
    if !multipart {
        return error;
    }
    Error::new(error.kind(), format!("part {index}: {}", error.message()))
}
