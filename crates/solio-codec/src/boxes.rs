//! Axis-aligned boxes, and those of many instances of one object, by centre and extent.
//!
//! After Arvo, *Transforming Axis-Aligned Bounding Boxes*, Graphics Gems 1990: under y = M x + t a
//! box of centre c and half extent e has its centre at M c + t and its half extent |M| e. That is
//! exact in real numbers; here it is conservative in `f32`.
//!
//! # Why the exact box is always inside
//!
//! Let u = 2^-24, the unit of rounding, and η = 2^-150, what a product may lose in underflow.
//! Sums lose nothing there. For a finite object box [a, b]:
//!
//! 1. c is any float near (a + b) / 2, and e the larger of b − c and c − a, both rounded, then
//!    the next float up. So each corner x has |x − c| ≤ e, exactly.
//! 2. An exact corner of one axis, y = t + Σ mⱼ xⱼ, lies within E = Σ |mⱼ| eⱼ of t + Σ mⱼ cⱼ.
//! 3. The centre as computed, m₀c₀ + m₁c₁ + m₂c₂ + t from left to right, meets at most four
//!    roundings on each term: it is within γ₄ A + 4η of the exact one, where A = |t| + Σ |mⱼ cⱼ|
//!    and γ₄ = 4u / (1 − 4u).
//! 4. The last subtraction or addition, c ∓ E, loses at most u (A + E) (1 + γ₄).
//! 5. So what is subtracted must be at least E (1 + 2u) + 5.1u A + 5η. Computed is
//!    Ê = |m₀|f₀ + |m₁|f₁ + |m₂|f₂ + (8u |t| + ω) with fⱼ ≥ eⱼ (1 + 8u) + 8u |cⱼ|. On a term fall
//!    at most five roundings and one underflow, thus Ê ≥ (1 − 5u) (E (1 + 8u) + 8u A + ω) − 4η.
//!    (1 − 5u) (1 + 8u) > 1 + 2u, (1 − 5u) 8u > 5.1u, and ω = 2^-100 is far above 10η.
//!
//! Where an intermediate value overflows or is NaN, the bounds become −∞ and ∞. Otherwise the box
//! is larger than the exact one by at most 40u (A + E) + 2^-98 (1 + Σ |mⱼ|) on each side.

use crate::lanes::{self, LaneJob, Lanes};

/// A row-major matrix of 3 × 4: y = M x + t, t in the last column.
pub type Transform = [f32; 12];

/// An axis-aligned box. Empty where a minimum is above its maximum, or NaN.
///
/// ```
/// use solio_codec::boxes::Box3;
/// let points = [[0.0, 2.0, 1.0], [3.0, -1.0, 1.0]];
/// let all = points.iter().fold(Box3::EMPTY, |all, p| all.union(&Box3 { min: *p, max: *p }));
/// assert_eq!(all, Box3 { min: [0.0, -1.0, 1.0], max: [3.0, 2.0, 1.0] });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Box3 {
    /// Smallest coordinates.
    pub min: [f32; 3],
    /// Largest coordinates.
    pub max: [f32; 3],
}

impl Box3 {
    /// Nothing.
    pub const EMPTY: Box3 = Box3 { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Everything.
    pub const ALL: Box3 = Box3 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };

    /// Whether no point is inside: also where a bound is NaN.
    ///
    /// ```
    /// use solio_codec::boxes::Box3;
    /// let point = Box3 { min: [1.0; 3], max: [1.0; 3] };
    /// assert!(!point.is_empty());
    /// let turned = Box3 { min: [0.0, 5.0, 0.0], max: [1.0, 4.0, 1.0] };
    /// let unknown = Box3 { min: [0.0; 3], max: [1.0, f32::NAN, 1.0] };
    /// assert!(turned.is_empty() && unknown.is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        !(0..3).all(|i| self.min[i] <= self.max[i])
    }

    /// The smallest box around both; that of the other where one is empty.
    ///
    /// ```
    /// use solio_codec::boxes::Box3;
    /// let room = Box3 { min: [0.0; 3], max: [4.0, 2.5, 3.0] };
    /// let lamp = Box3 { min: [1.0, 2.0, 1.0], max: [1.5, 3.0, 1.5] };
    /// assert_eq!(room.union(&lamp).max, [4.0, 3.0, 3.0]);
    /// // What is empty does not stretch it to infinity.
    /// assert_eq!(room.union(&Box3::EMPTY), room);
    /// ```
    #[inline]
    pub fn union(&self, other: &Box3) -> Box3 {
        match (self.is_empty(), other.is_empty()) {
            (true, true) => Box3::EMPTY,
            (true, false) => *other,
            (false, true) => *self,
            (false, false) => Box3 {
                min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
                max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
            },
        }
    }

    /// Whether `other` lies inside, borders included. Nothing lies in everything.
    ///
    /// ```
    /// use solio_codec::boxes::Box3;
    /// let room = Box3 { min: [0.0; 3], max: [4.0; 3] };
    /// let table = Box3 { min: [0.0, 0.0, 3.0], max: [1.0, 1.0, 4.0] };
    /// assert!(room.contains(&table) && !table.contains(&room));
    /// assert!(table.contains(&Box3::EMPTY));
    /// ```
    #[inline]
    pub fn contains(&self, other: &Box3) -> bool {
        other.is_empty()
            || (0..3).all(|i| self.min[i] <= other.min[i] && other.max[i] <= self.max[i])
    }
}

const UNIT: f32 = 1.0 / (1 << 24) as f32;
/// 8u: see the head of this file.
const SLACK: f32 = 8.0 * UNIT;
/// 2^-100: larger than it must be, so that no operation meets subnormal numbers, which are slow.
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// A box made ready to be transformed often.
///
/// ```
/// use solio_codec::boxes::{Box3, CentredBox};
/// let tree = CentredBox::of(&Box3 { min: [-1.0, 0.0, -2.0], max: [1.0, 5.0, 2.0] });
/// // A quarter turn about y, and 10 to the right.
/// let place = [0.0, 0.0, 1.0, 10.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
/// let found = tree.transformed(&place);
/// assert!(found.contains(&Box3 { min: [8.0, 0.0, -1.0], max: [12.0, 5.0, 1.0] }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CentredBox {
    centre: [f32; 3],
    /// Half extents, with the slack that makes results conservative.
    reach: [f32; 3],
    empty: bool,
}

impl CentredBox {
    /// Of a box of any kind.
    ///
    /// ```
    /// use solio_codec::boxes::{Box3, CentredBox};
    /// let moved = [1.0, 0.0, 0.0, 7.0, 0.0, 1.0, 0.0, 7.0, 0.0, 0.0, 1.0, 7.0];
    /// // Nothing stays nothing wherever it goes, and everything stays everything.
    /// assert!(CentredBox::of(&Box3::EMPTY).transformed(&moved).is_empty());
    /// assert_eq!(CentredBox::of(&Box3::ALL).transformed(&moved), Box3::ALL);
    /// ```
    pub fn of(object: &Box3) -> CentredBox {
        let mut centred =
            CentredBox { centre: [0.0; 3], reach: [0.0; 3], empty: object.is_empty() };
        for i in 0..3 {
            let (min, max) = (object.min[i], object.max[i]);
            let centre = 0.5 * min + 0.5 * max;
            let extent = (max - centre).max(centre - min).next_up();
            // These operations round down by less than three units, and the next float up is at
            // least one unit up.
            let reach = extent + (extent + centre.abs()) * SLACK;
            centred.centre[i] = centre;
            centred.reach[i] = reach.next_up().next_up().next_up() + TINY;
        }
        centred
    }

    /// A box around the transformed one, whatever is rounded: empty if this one is, infinite on
    /// an axis where a value is not finite. For readers that have one transform at a time;
    /// [`boxes_of_instances`] gives the same bits for many.
    ///
    /// ```
    /// use solio_codec::boxes::{Box3, CentredBox};
    /// let cube = CentredBox::of(&Box3 { min: [0.0; 3], max: [1.0; 3] });
    /// // A scene whose last number is broken.
    /// let place = [2.0, 0.0, 0.0, 5.0, 0.0, 2.0, 0.0, 5.0, 0.0, 0.0, 2.0, f32::NAN];
    /// let Box3 { min, max } = cube.transformed(&place);
    /// assert!(min[0] <= 5.0 && min[0] > 4.999 && max[0] >= 7.0 && max[0] < 7.001);
    /// assert_eq!((min[2], max[2]), (f32::NEG_INFINITY, f32::INFINITY));
    /// ```
    #[inline(always)]
    pub fn transformed(&self, transform: &Transform) -> Box3 {
        if self.empty {
            return Box3::EMPTY;
        }
        let ([c, d, e], [f, g, h]) = (self.centre, self.reach);
        let mut to = Box3::ALL;
        for (i, [x, y, z, t]) in transform.as_chunks::<4>().0.iter().enumerate() {
            let centre = x * c + y * d + z * e + t;
            let reach = x.abs() * f + y.abs() * g + z.abs() * h + (t.abs() * SLACK + TINY);
            let (min, max) = (centre - reach, centre + reach);
            if max - min < f32::INFINITY {
                (to.min[i], to.max[i]) = (min, max);
            }
        }
        to
    }
}

/// Fills `boxes` with the box of `object` under each transform ([`CentredBox::transformed`]).
///
/// Why it is fast: eight transforms at a time are turned into columns in registers (three times
/// four by four in each half), so that each operation is for eight boxes, and the boxes are turned
/// back into rows; memory is read and written once, in order.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// use solio_codec::boxes::{Box3, CentredBox, boxes_of_instances};
/// let tree = CentredBox::of(&Box3 { min: [-1.0, 0.0, -1.0], max: [1.0, 5.0, 1.0] });
/// let row = |x: f32| [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// let places: Vec<_> = (0..100).map(|i| row(3.0 * i as f32)).collect();
/// let mut boxes = [Box3::EMPTY; 100];
/// boxes_of_instances(&tree, &places, &mut boxes);
/// assert_eq!(boxes[99], tree.transformed(&places[99]));
/// assert!(boxes[99].max[0] >= 298.0 && boxes[98].max[0] < 298.0);
/// ```
pub fn boxes_of_instances(object: &CentredBox, transforms: &[Transform], boxes: &mut [Box3]) {
    assert_eq!(transforms.len(), boxes.len());
    if object.empty {
        boxes.fill(Box3::EMPTY);
        return;
    }
    lanes::run(Boxes { object, transforms, boxes });
}

struct Boxes<'a> {
    object: &'a CentredBox,
    transforms: &'a [Transform],
    boxes: &'a mut [Box3],
}

impl LaneJob for Boxes<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (groups, rest) = self.transforms.as_chunks::<8>();
        let (to_groups, to_rest) = self.boxes.as_chunks_mut::<8>();
        for (transforms, boxes) in groups.iter().zip(to_groups) {
            eight(lanes, self.object, transforms, boxes);
        }
        for (transform, to) in rest.iter().zip(to_rest) {
            *to = self.object.transformed(transform);
        }
    }
}

#[inline(always)]
fn eight<L: Lanes>(lanes: L, object: &CentredBox, from: &[Transform; 8], to: &mut [Box3; 8]) {
    let [x0, x1] = axis::<L, 0>(lanes, object, from);
    let [y0, y1] = axis::<L, 1>(lanes, object, from);
    let [z0, z1] = axis::<L, 2>(lanes, object, from);
    let first = lanes.rows([x0, y0, z0, x1]);
    let last = lanes.rows([y1, z1, y1, z1]);
    for i in 0..8 {
        let ([a, b, c, d], [e, f, ..]) = (first[i], last[i]);
        to[i] = Box3 { min: [a, b, c], max: [d, e, f] };
    }
}

/// Minimum and maximum along an axis.
#[inline(always)]
fn axis<L: Lanes, const AXIS: usize>(
    lanes: L,
    object: &CentredBox,
    from: &[Transform; 8],
) -> [L::Floats; 2] {
    let [x, y, z, t] = lanes.columns([
        &from[0].as_chunks().0[AXIS],
        &from[1].as_chunks().0[AXIS],
        &from[2].as_chunks().0[AXIS],
        &from[3].as_chunks().0[AXIS],
        &from[4].as_chunks().0[AXIS],
        &from[5].as_chunks().0[AXIS],
        &from[6].as_chunks().0[AXIS],
        &from[7].as_chunks().0[AXIS],
    ]);
    let ([cx, cy, cz], [fx, fy, fz]) = (object.centre, object.reach);
    let (cx, cy, cz) = (lanes.splat(cx), lanes.splat(cy), lanes.splat(cz));
    let (fx, fy, fz) = (lanes.splat(fx), lanes.splat(fy), lanes.splat(fz));
    let centre = lanes.add(lanes.mul(x, cx), lanes.mul(y, cy));
    let centre = lanes.add(lanes.add(centre, lanes.mul(z, cz)), t);
    let reach = lanes.add(lanes.mul(lanes.abs(x), fx), lanes.mul(lanes.abs(y), fy));
    let reach = lanes.add(reach, lanes.mul(lanes.abs(z), fz));
    let slack = lanes.add(lanes.mul(lanes.abs(t), lanes.splat(SLACK)), lanes.splat(TINY));
    let reach = lanes.add(reach, slack);
    let (min, max) = (lanes.sub(centre, reach), lanes.add(centre, reach));
    let (width, infinite) = (lanes.sub(max, min), lanes.splat(f32::INFINITY));
    [
        lanes.where_less(width, infinite, min, lanes.splat(f32::NEG_INFINITY)),
        lanes.where_less(width, infinite, max, infinite),
    ]
}

#[cfg(test)]
mod tests;
