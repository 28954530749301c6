//! What is packed: arrays of numbers, and what the numbers are.

use solio_base::{Error, Result, named_enum};

named_enum! {
    /// How a number is stored.
    ///
    /// ```
    /// use solio_lab::ValueType;
    /// // The sizes that a number comes in, and how many types share each.
    /// let of_size = |bytes| ValueType::ALL.into_iter().filter(|value| value.bytes() == bytes).count();
    /// assert_eq!([1, 2, 4, 8].map(of_size), [1, 2, 2, 2]);
    /// ```
    #[derive(Hash)]
    #[allow(missing_docs)]
    pub enum ValueType {
        U8 = "u8",
        U16 = "u16",
        U32 = "u32",
        U64 = "u64",
        F16 = "f16",
        F32 = "f32",
        F64 = "f64",
    }

    /// `u8`, `f16`, ….
    ///
    /// ```
    /// use solio_lab::ValueType;
    /// let names = ValueType::ALL.map(ValueType::name);
    /// assert_eq!(names.join(" "), "u8 u16 u32 u64 f16 f32 f64");
    /// ```
    pub fn name;

    /// From its name.
    ///
    /// ```
    /// use solio_lab::ValueType;
    /// assert_eq!(ValueType::of_name("f16"), Some(ValueType::F16));
    /// // Names are those of Rust, not those of OpenEXR.
    /// assert_eq!(ValueType::of_name("half"), None);
    /// ```
    pub fn of_name;
}

impl ValueType {
    /// Bytes of a number.
    ///
    /// ```
    /// use solio_lab::ValueType;
    /// // A row of an RGBA image in half floats.
    /// let row_bytes = 1920 * 4 * ValueType::F16.bytes();
    /// assert_eq!(row_bytes, 15_360);
    /// ```
    pub fn bytes(self) -> usize {
        match self {
            ValueType::U8 => 1,
            ValueType::U16 | ValueType::F16 => 2,
            ValueType::U32 | ValueType::F32 => 4,
            ValueType::U64 | ValueType::F64 => 8,
        }
    }

    /// Whether it is a floating point number.
    ///
    /// ```
    /// use solio_lab::ValueType;
    /// let floats: Vec<_> = ValueType::ALL.into_iter().filter(|value| value.is_float()).collect();
    /// assert_eq!(floats, [ValueType::F16, ValueType::F32, ValueType::F64]);
    /// ```
    pub fn is_float(self) -> bool {
        matches!(self, ValueType::F16 | ValueType::F32 | ValueType::F64)
    }
}

named_enum! {
    /// What the numbers are, in the order in which kinds are shown.
    ///
    /// ```
    /// use solio_lab::Kind;
    /// // In the order in which results are shown: images first, then meshes.
    /// let mut kinds = [Kind::MeshUvs, Kind::Depth, Kind::HalfColor];
    /// kinds.sort();
    /// assert_eq!(kinds.map(Kind::name), ["half colour", "depth", "mesh UVs"]);
    /// ```
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Kind {
        /// Colours of 16-bit floats.
        HalfColor = "half colour",
        /// Colours of 32-bit floats.
        FloatColor = "float colour",
        /// Colours of integers.
        IntegerColor = "integer colour",
        /// Distances from the camera.
        Depth = "depth",
        /// Directions of surfaces.
        Normal = "normals",
        /// Places in space.
        Position = "positions",
        /// Other floats of a render: motion, texture coordinates, masks.
        Pass = "other passes",
        /// Numbers that name something, such as objects.
        Ids = "ids",
        /// Places of a mesh's vertices.
        MeshPositions = "mesh positions",
        /// Normals of a mesh.
        MeshNormals = "mesh normals",
        /// Texture coordinates of a mesh.
        MeshUvs = "mesh UVs",
        /// Colours of a mesh's vertices.
        MeshColors = "mesh colours",
        /// Which vertices the faces of a mesh have.
        MeshIndices = "mesh indices",
        /// Numbers of which nothing is known.
        Numbers = "numbers",
    }

    /// In words.
    ///
    /// ```
    /// use solio_lab::Kind;
    /// let of_meshes = Kind::ALL.into_iter().filter(|kind| kind.name().starts_with("mesh "));
    /// assert_eq!(of_meshes.count(), 5);
    /// ```
    pub fn name;
}

impl Kind {
    /// Of a channel of an image, by its name with its layers and by how it is stored.
    ///
    /// ```
    /// use solio_lab::{Kind, ValueType::{F16, F32, U32}};
    /// assert_eq!(Kind::of_channel("diffuse.R", F16), Kind::HalfColor);
    /// assert_eq!(Kind::of_channel("ViewLayer.Depth.Z", F32), Kind::Depth);
    /// // A mask of Cryptomatte is stored as floats, and is none.
    /// assert_eq!(Kind::of_channel("CryptoObject00.r", F32), Kind::Ids);
    /// assert_eq!(Kind::of_channel("id", U32), Kind::Ids);
    /// ```
    pub fn of_channel(name: &str, value: ValueType) -> Kind {
        if matches!(value, ValueType::U32 | ValueType::U64) {
            return Kind::Ids;
        }
        let lower = name.to_lowercase();
        let mut parts = lower.rsplit('.');
        let last = parts.next().unwrap_or_default();
        let layer = parts.next().unwrap_or_default();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["crypto", "objectid", "materialid"]) || layer.ends_with("id") {
            return Kind::Ids;
        }
        if last == "z" && parts.next().is_none() && layer.is_empty() || has(&["depth", "zback"]) {
            return Kind::Depth;
        }
        if has(&["normal"]) || layer == "n" {
            return Kind::Normal;
        }
        if has(&["position", "pworld", "pref"]) || layer == "p" {
            return Kind::Position;
        }
        let one_letter = ["r", "g", "b", "a", "y", "ry", "by"];
        let words = ["red", "green", "blue", "alpha"];
        if !one_letter.contains(&last) && !words.contains(&last) || has(&["motion", "vector"]) {
            return Kind::Pass;
        }
        match value {
            ValueType::F16 => Kind::HalfColor,
            value if value.is_float() => Kind::FloatColor,
            _ => Kind::IntegerColor,
        }
    }
}

/// How the values of an [`Array`] lie.
///
/// ```
/// use solio_lab::{Layout, npy::decode_raw};
/// // The same six numbers as an image of two channels, and as a list.
/// let layout = |shape: &str| decode_raw(&[1, 2, 3, 4, 5, 6], &shape.parse().unwrap());
/// let (image, list) = (layout("u8,2,3x1")?, layout("u8,2,3")?);
/// assert_eq!(image.layout, Layout::Rows { width: 3, rows: 1 });
/// assert_eq!(image.bytes, [1, 3, 5, 2, 4, 6]);
/// assert_eq!(list.layout, Layout::Elements { count: 3 });
/// assert_eq!(list.bytes, [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// An image: row by row, in each channel by channel, the values of a channel side by side, as
    /// in a chunk of OpenEXR.
    Rows {
        /// Values of a channel in a row.
        width: usize,
        /// Rows.
        rows: usize,
    },
    /// A list: element by element, in each a value of every channel.
    Elements {
        /// How many.
        count: usize,
    },
}

/// Numbers that are packed together.
///
/// ```
/// use solio_lab::{Array, Kind, Layout, ValueType};
/// let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0];
/// let array = Array {
///     file: "cube.obj".into(),
///     name: "positions".into(),
///     kind: Kind::MeshPositions,
///     value: ValueType::F32,
///     channels: ["x", "y", "z"].map(String::from).into(),
///     layout: Layout::Elements { count: 2 },
///     bytes: corners.iter().flat_map(|number| number.to_ne_bytes()).collect(),
///     whole_bytes: 24,
/// };
/// array.check()?;
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The file it comes from.
    pub file: String,
    /// What it is called in there: a layer, or an array of a mesh; empty where there is only one.
    pub name: String,
    /// What the numbers are.
    pub kind: Kind,
    /// How they are stored.
    pub value: ValueType,
    /// Names of the channels, at least one.
    pub channels: Vec<String>,
    /// How the values lie.
    pub layout: Layout,
    /// The values, in the byte order of this machine.
    pub bytes: Vec<u8>,
    /// How many bytes the whole array has, of which these are some.
    pub whole_bytes: u64,
}

impl Array {
    /// Checks that there are as many bytes as the layout needs.
    ///
    /// ```
    /// use solio_lab::npy::decode_raw;
    /// let mut array = decode_raw(&[0; 24], &"f32,3,2".parse().unwrap())?;
    /// array.check()?;
    /// array.bytes.pop();
    /// let error = array.check().unwrap_err();
    /// assert_eq!(error.message(), "23 bytes are not those of Elements { count: 2 }");
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        let values = match self.layout {
            Layout::Rows { width, rows } => width.checked_mul(rows),
            Layout::Elements { count } => Some(count),
        };
        let bytes = values.and_then(|values| values.checked_mul(self.element_bytes()));
        if self.channels.is_empty() || bytes != Some(self.bytes.len()) {
            let have = self.bytes.len();
            let message = format!("{have} bytes are not those of {:?}", self.layout);
            return Err(Error::argument(message));
        }
        Ok(())
    }

    /// Bytes of a value of each channel.
    ///
    /// ```
    /// use solio_lab::npy::decode_raw;
    /// // Three floats of four bytes.
    /// let positions = decode_raw(&[0; 24], &"f32,3,2".parse().unwrap())?;
    /// assert_eq!(positions.element_bytes(), 12);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn element_bytes(&self) -> usize {
        self.channels.len() * self.value.bytes()
    }

    /// File and name.
    ///
    /// ```
    /// # use solio_lab::npy::decode_raw;
    /// let mut array = decode_raw(&[0; 8], &"f16,1,2x2".parse().unwrap())?;
    /// array.file = "beauty.exr".into();
    /// assert_eq!(array.title(), "beauty.exr");
    /// array.name = "diffuse".into();
    /// assert_eq!(array.title(), "beauty.exr · diffuse");
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            self.file.clone()
        } else {
            format!("{} · {}", self.file, self.name)
        }
    }

    /// Keeps about `most` bytes from the middle: rows, a multiple of 64 of them where there are
    /// so many; or elements.
    ///
    /// ```
    /// use solio_lab::{Layout, npy::decode_raw};
    /// let mut image = decode_raw(&[0; 10 * 1000], &"u8,1,10x1000".parse().unwrap())?;
    /// // 200 rows were wanted: 192 are three chunks of 64.
    /// image.keep_middle(10 * 200);
    /// assert_eq!(image.layout, Layout::Rows { width: 10, rows: 192 });
    /// assert_eq!((image.bytes.len(), image.whole_bytes), (1_920, 10_000));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn keep_middle(&mut self, most: usize) {
        if self.bytes.len() <= most {
            return;
        }
        let (unit, whole, group) = match self.layout {
            Layout::Rows { width, rows } => (width * self.element_bytes(), rows, 64),
            Layout::Elements { count } => (self.element_bytes(), count, 1024),
        };
        let wanted = (most / unit.max(1)).max(1);
        let kept = if wanted > group { wanted / group * group } else { group.min(whole) };
        let start = (whole - kept) / 2;
        self.bytes.drain(..start * unit);
        self.bytes.truncate(kept * unit);
        self.bytes.shrink_to_fit();
        match &mut self.layout {
            Layout::Rows { rows, .. } => *rows = kept,
            Layout::Elements { count } => *count = kept,
        }
    }

    /// Where red, green and blue are among the channels.
    ///
    /// ```
    /// # use solio_lab::npy::decode_raw;
    /// let mut image = decode_raw(&[0; 4], &"u8,4,1x1".parse().unwrap())?;
    /// // As they stand in an OpenEXR file: by name.
    /// image.channels = ["A", "B", "G", "R"].map(|name| format!("diffuse.{name}")).into();
    /// assert_eq!(image.rgb(), Some([3, 2, 1]));
    /// image.channels.pop();
    /// assert_eq!(image.rgb(), None);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn rgb(&self) -> Option<[usize; 3]> {
        let place = |wanted: &str, word: &str| {
            let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_lowercase();
            self.channels.iter().position(|name| [wanted, word].contains(&last(name).as_str()))
        };
        Some([place("r", "red")?, place("g", "green")?, place("b", "blue")?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: usize, rows: usize) -> Array {
        let bytes: Vec<u8> = (0..width * rows * 2 * 3).map(|i| i as u8).collect();
        Array {
            file: "a.exr".into(),
            name: String::new(),
            kind: Kind::HalfColor,
            value: ValueType::F16,
            channels: ["B", "G", "R"].map(String::from).to_vec(),
            layout: Layout::Rows { width, rows },
            whole_bytes: bytes.len() as u64,
            bytes,
        }
    }

    #[test]
    fn kinds_are_told_by_names() {
        use ValueType::{F16, F32, U32};
        for (name, value, kind) in [
            ("R", F16, Kind::HalfColor),
            ("diffuse.left.R", F32, Kind::FloatColor),
            ("Z", F32, Kind::Depth),
            ("ViewLayer.Depth.Z", F32, Kind::Depth),
            ("N.X", F32, Kind::Normal),
            ("ViewLayer.Normal.X", F32, Kind::Normal),
            ("ViewLayer.Position.Z", F32, Kind::Position),
            ("ViewLayer.Vector.W", F32, Kind::Pass),
            ("forward.u", F32, Kind::Pass),
            ("id", U32, Kind::Ids),
            ("CryptoObject00.r", F32, Kind::Ids),
            ("BY", F16, Kind::HalfColor),
        ] {
            assert_eq!(Kind::of_channel(name, value), kind, "{name}");
        }
    }

    #[test]
    fn the_middle_is_whole_rows() {
        let mut some = image(10, 1000);
        assert!(some.check().is_ok());
        some.keep_middle(10 * 6 * 200);
        assert_eq!(some.layout, Layout::Rows { width: 10, rows: 192 });
        assert_eq!(some.bytes.len(), 10 * 6 * 192);
        assert_eq!(some.bytes[0], ((404 * 60) % 256) as u8);
        assert!(some.check().is_ok());
        some.keep_middle(1);
        assert_eq!(some.layout, Layout::Rows { width: 10, rows: 64 });
        let mut small = image(10, 5);
        small.keep_middle(1);
        assert_eq!(small.layout, Layout::Rows { width: 10, rows: 5 });
        small.bytes.pop();
        assert!(small.check().is_err());
        assert_eq!(small.rgb(), Some([2, 1, 0]));
    }
}
