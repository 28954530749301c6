//! Axis conversion between programs: which way is up, which way is forward.

use solio_base::named_enum;

named_enum! {
    /// A signed axis; the names are those of Blender's exporters.
    ///
    /// ```
    /// use solio_mesh::{Mesh, Positions, Scene, axes::Axis, obj::{ObjWriteOptions, encode_obj}};
    /// // Data with z up, as in Blender, to a file with y up.
    /// let mesh = Mesh { positions: Positions::F32(vec![[1.0, 2.0, 3.0]].into()), ..Mesh::default() };
    /// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// let options = ObjWriteOptions { source_axes: (Axis::Y, Axis::Z), ..ObjWriteOptions::default() };
    /// let mut file = Vec::new();
    /// encode_obj(&scene, &options, &Default::default(), &mut file)?;
    /// assert!(String::from_utf8_lossy(&file).contains("v 1.000000 3.000000 -2.000000\n"));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    #[derive(Hash)]
    #[allow(missing_docs)]
    pub enum Axis {
        X = "X",
        Y = "Y",
        Z = "Z",
        NegativeX = "NEGATIVE_X",
        NegativeY = "NEGATIVE_Y",
        NegativeZ = "NEGATIVE_Z",
    }

    /// `X`, `NEGATIVE_X`…
    ///
    /// ```
    /// use solio_mesh::axes::Axis;
    /// assert_eq!(Axis::NegativeZ.name(), "NEGATIVE_Z"); // as Blender's `forward_axis` wants it
    /// ```
    pub fn name;
}

impl std::fmt::Display for Axis {
    /// `X`, `-X`…
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.name();
        match name.strip_prefix("NEGATIVE_") {
            Some(letter) => write!(f, "-{letter}"),
            None => f.write_str(name),
        }
    }
}

impl Axis {
    /// From `X`, `NEGATIVE_X`, `-X`…; any case.
    ///
    /// ```
    /// use solio_mesh::axes::Axis;
    /// for name in ["-y", "negative_y", "NEGATIVE_Y"] {
    ///     assert_eq!(Axis::from_name(name), Some(Axis::NegativeY));
    /// }
    /// assert_eq!(Axis::from_name("up"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Axis> {
        let upper = name.to_ascii_uppercase();
        let full = upper.strip_prefix('-').map(|a| format!("NEGATIVE_{a}")).unwrap_or(upper);
        Axis::ALL.into_iter().find(|a| a.name() == full)
    }

    /// Whether two axes lie on one line, so that they cannot be forward and up.
    ///
    /// ```
    /// use solio_mesh::axes::Axis;
    /// assert!(Axis::Z.is_along(Axis::NegativeZ) && !Axis::Z.is_along(Axis::Y));
    /// ```
    pub fn is_along(self, other: Axis) -> bool {
        self as u8 % 3 == other as u8 % 3
    }

    /// The axis as a unit vector.
    ///
    /// ```
    /// use solio_mesh::axes::Axis;
    /// let ([fx, fy, fz], [ux, uy, uz]) = (Axis::NegativeZ.vector(), Axis::Y.vector());
    /// let right = [fy * uz - fz * uy, fz * ux - fx * uz, fx * uy - fy * ux];
    /// assert_eq!(right, Axis::X.vector());
    /// ```
    pub fn vector(self) -> [f32; 3] {
        let mut vector = [0.0; 3];
        vector[self as usize % 3] = if self as usize >= 3 { -1.0 } else { 1.0 };
        vector
    }
}
