//! From one set of primaries to another.
//!
//! A colour is the sum of red, green and blue light, weighted so that equal parts give white (SMPTE
//! RP 177). Where the whites differ, the eye's adaptation is imitated (the linear Bradford
//! transform: Lam, 1985, as in the profiles of the ICC).

use crate::transfer::{Matrix, apply, product};

/// CIE x and y of red, green, blue and white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primaries {
    /// Of red, green and blue.
    pub rgb: [[f32; 2]; 3],
    /// Of white.
    pub white: [f32; 2],
}

impl Primaries {
    /// Those of sRGB and Rec. 709, which are also meant where a picture names none.
    pub const SRGB: Primaries =
        Primaries { rgb: [[0.64, 0.33], [0.3, 0.6], [0.15, 0.06]], white: [0.3127, 0.329] };

    /// What turns colours with these primaries into colours with those; `None` where that changes
    /// nothing that shows, or where they span no colours.
    pub fn to(&self, other: &Primaries) -> Option<[[f32; 3]; 3]> {
        let pairs = self.rgb.iter().zip(&other.rgb).chain([(&self.white, &other.white)]);
        let close = |(a, b): (&[f32; 2], &[f32; 2])| {
            (a[0] - b[0]).abs() < 5e-4 && (a[1] - b[1]).abs() < 5e-4
        };
        if pairs.into_iter().all(close) {
            return None;
        }
        let from = self.xyz_matrix()?;
        let to = inverse(&other.xyz_matrix()?)?;
        let all = product(&to, &product(&adaptation(self.white, other.white)?, &from));
        let finite = all.iter().flatten().all(|value| value.is_finite());
        finite.then(|| all.map(|row| row.map(|value| value as f32)))
    }

    /// How much red, green and blue add to the luminance of a colour; together 1.
    pub fn luminance(&self) -> Option<[f32; 3]> {
        let [_, y, _] = self.xyz_matrix()?;
        let weights = y.map(|value| value as f32);
        weights.iter().all(|weight| weight.is_normal()).then_some(weights)
    }

    /// What turns colours into CIE XYZ, with white at Y = 1.
    fn xyz_matrix(&self) -> Option<Matrix> {
        let [r, g, b] = self.rgb.map(xyz);
        let columns = [0, 1, 2].map(|i| [r[i], g[i], b[i]]);
        let weights = apply(&inverse(&columns)?, xyz(self.white));
        Some(columns.map(|row| [0, 1, 2].map(|i| row[i] * weights[i])))
    }
}

/// A colour of luminance 1.
fn xyz([x, y]: [f32; 2]) -> [f64; 3] {
    let (x, y) = (f64::from(x), f64::from(y));
    [x / y, 1.0, (1.0 - x - y) / y]
}

fn adaptation(from: [f32; 2], to: [f32; 2]) -> Option<Matrix> {
    const BRADFORD: Matrix =
        [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]];
    let (from, to) = (apply(&BRADFORD, xyz(from)), apply(&BRADFORD, xyz(to)));
    let scaled = [0, 1, 2].map(|i| BRADFORD[i].map(|value| value * to[i] / from[i]));
    Some(product(&inverse(&BRADFORD)?, &scaled))
}

fn inverse(m: &Matrix) -> Option<Matrix> {
    let minor = |i: usize, j: usize| {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        let (p, q) = ((j + 1) % 3, (j + 2) % 3);
        m[r][p] * m[s][q] - m[r][q] * m[s][p]
    };
    let determinant: f64 = (0..3).map(|j| m[0][j] * minor(0, j)).sum();
    let usable = determinant.is_finite() && determinant.abs() > 1e-9;
    usable.then(|| [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / determinant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ACES, with its white near D60.
    const AP0: Primaries = Primaries {
        rgb: [[0.7347, 0.2653], [0.0, 1.0], [0.0001, -0.077]],
        white: [0.32168, 0.33767],
    };

    fn apply(m: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
        m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    #[test]
    fn the_same_primaries_change_nothing() {
        assert_eq!(Primaries::SRGB.to(&Primaries::SRGB), None);
        let nothing = Primaries { rgb: [[0.3, 0.3]; 3], white: [0.3, 0.3] };
        assert_eq!(nothing.to(&Primaries::SRGB), None);
        let zero = Primaries { rgb: [[0.0; 2]; 3], white: [0.0; 2] };
        assert_eq!(zero.to(&Primaries::SRGB), None);
    }

    #[test]
    fn white_stays_white_and_there_is_a_way_back() {
        let there = AP0.to(&Primaries::SRGB).unwrap();
        let back = Primaries::SRGB.to(&AP0).unwrap();
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(near(apply(&there, [1.0; 3]), [1.0; 3]));
        assert!(near(apply(&back, apply(&there, [0.2, 0.5, 0.1])), [0.2, 0.5, 0.1]));
        let weights = Primaries::SRGB.luminance().unwrap();
        assert!(near(weights, [0.2126, 0.7152, 0.0722]));
        // The matrix that ACES itself publishes (linear Bradford).
        let published = [
            [2.52169, -1.13413, -0.38756],
            [-0.27648, 1.37272, -0.09624],
            [-0.01538, -0.15298, 1.16835],
        ];
        for (row, expected) in there.iter().zip(published) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3), "{there:?}");
        }
    }
}
