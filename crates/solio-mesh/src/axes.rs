//! Axis conversion between programs: which way is up, which way is forward.

/// A signed axis; the names are those of Blender's exporters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Axis {
    X,
    Y,
    Z,
    NegativeX,
    NegativeY,
    NegativeZ,
}

impl Axis {
    /// All axes.
    pub const ALL: [Axis; 6] =
        [Axis::X, Axis::Y, Axis::Z, Axis::NegativeX, Axis::NegativeY, Axis::NegativeZ];

    /// `X`, `NEGATIVE_X`…
    pub fn name(self) -> &'static str {
        match self {
            Axis::X => "X",
            Axis::Y => "Y",
            Axis::Z => "Z",
            Axis::NegativeX => "NEGATIVE_X",
            Axis::NegativeY => "NEGATIVE_Y",
            Axis::NegativeZ => "NEGATIVE_Z",
        }
    }

    /// From `X`, `NEGATIVE_X`, `-X`…; any case.
    pub fn from_name(name: &str) -> Option<Axis> {
        let upper = name.to_ascii_uppercase();
        let full = upper.strip_prefix('-').map(|a| format!("NEGATIVE_{a}")).unwrap_or(upper);
        Axis::ALL.into_iter().find(|a| a.name() == full)
    }

    /// The axis as a unit vector.
    pub fn vector(self) -> [f32; 3] {
        match self {
            Axis::X => [1.0, 0.0, 0.0],
            Axis::Y => [0.0, 1.0, 0.0],
            Axis::Z => [0.0, 0.0, 1.0],
            Axis::NegativeX => [-1.0, 0.0, 0.0],
            Axis::NegativeY => [0.0, -1.0, 0.0],
            Axis::NegativeZ => [0.0, 0.0, -1.0],
        }
    }
}
