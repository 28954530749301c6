//! What a caller may choose about STL.

use crate::TextEncoding;
use crate::axes::Axis;
use solio_base::Limits;
use solio_codec::number::Digits;

/// How an STL file is read.
#[derive(Clone, Debug)]
pub struct StlReadOptions {
    /// Refuse what the format does not allow instead of passing over it with a warning.
    pub strict: bool,
    /// Make one vertex of corners of a solid that lie at exactly the same place. Without it every
    /// triangle has three vertices of its own.
    pub merge: bool,
    /// Keep the normals of the file, one a face.
    pub normals: bool,
    /// The encoding of names that are not ASCII. `None` guesses it where they are not UTF-8.
    pub encoding: Option<TextEncoding>,
    /// Bounds.
    pub limits: Limits,
}

impl Default for StlReadOptions {
    fn default() -> Self {
        let limits = Limits::default();
        StlReadOptions { strict: false, merge: true, normals: true, encoding: None, limits }
    }
}

/// How an STL file is written. The names and defaults are those of Blender's exporter.
#[derive(Clone, Debug)]
pub struct StlWriteOptions {
    /// Text instead of binary.
    pub ascii_format: bool,
    /// The text of the binary header or the name of the solid.
    pub name: String,
    /// Which axis of the file is forward.
    pub forward_axis: Axis,
    /// Which axis of the file is up.
    pub up_axis: Axis,
    /// The axes of the data in memory, forward and up (Blender's are Y and Z).
    pub source_axes: (Axis, Axis),
    /// Factor on positions, above 0.
    pub global_scale: f64,
    /// Apply each object's transform.
    pub apply_transform: bool,
    /// Digits of floats in text. [`Digits::Shortest`] writes what Blender writes.
    pub digits: Digits,
}

impl Default for StlWriteOptions {
    fn default() -> Self {
        StlWriteOptions {
            ascii_format: false,
            name: String::new(),
            forward_axis: Axis::Y,
            up_axis: Axis::Z,
            source_axes: (Axis::Y, Axis::Z),
            global_scale: 1.0,
            apply_transform: true,
            digits: Digits::Shortest,
        }
    }
}
