//! Rays, and what they meet.

/// A half line, or a piece of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: [f32; 3],
    /// Where it goes; of any length but zero. Distances count in this length.
    pub direction: [f32; 3],
    /// Nothing at this distance or nearer is met; at least 0.
    pub from: f32,
    /// Nothing farther than this is met.
    pub to: f32,
}

impl Ray {
    /// From `origin` without an end.
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Ray {
        Ray { origin, direction, from: 0.0, to: f32::INFINITY }
    }

    /// Whether it can meet anything: a ray that is not made of numbers cannot.
    #[inline(always)]
    pub(super) fn is_sound(&self) -> bool {
        let finite = self.origin.iter().chain(&self.direction).all(|x| x.is_finite());
        finite && self.direction != [0.0; 3] && self.from >= 0.0 && self.from <= self.to
    }
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// In lengths of the ray's direction.
    pub distance: f32,
    /// The triangle's index in the array that the tree was built over.
    pub triangle: u32,
    /// The share of the second vertex at this point.
    pub u: f32,
    /// The share of the third vertex; the first one's is 1 − u − v.
    pub v: f32,
}
