//! The arithmetic of DWA on blocks of 8 × 8 values: cosine transform, colours, curves.
//!
//! Every sum is made in the order of the reference's code for AVX, in single precision and without
//! fused operations, so that the same halves come out. Its code for SSE2 and for other machines
//! adds in other orders: some halves then differ in their last bits.

use std::sync::LazyLock;

use solio_codec::samples::{float_to_half, half_to_float};

/// A block, row by row.
pub(super) type DctBlock = [f32; 64];

/// Where in a row-by-row block each value of the zig-zag order lies.
pub(super) const ZIGZAG: [u8; 64] = zigzag();

const fn zigzag() -> [u8; 64] {
    let mut order = [0; 64];
    let (mut x, mut y, mut place) = (0i32, 0i32, 0);
    while place < 64 {
        order[place] = (y * 8 + x) as u8;
        place += 1;
        let up = (x + y) % 2 == 0;
        if up && x == 7 || !up && y == 7 {
            if up { y += 1 } else { x += 1 }
        } else if up && y == 0 {
            x += 1;
        } else if !up && x == 0 {
            y += 1;
        } else if up {
            (x, y) = (x + 1, y - 1);
        } else {
            (x, y) = (x - 1, y + 1);
        }
    }
    order
}

// Half the cosines of multiples of pi / 16, as the reference has them for the way back.
const A: f32 = 3.535_536e-1;
const B: f32 = 4.903_927e-1;
const C: f32 = 4.619_398e-1;
const D: f32 = 4.157_349e-1;
const E: f32 = 2.777_855e-1;
const F: f32 = 1.913_422e-1;
const G: f32 = 9.754_573e-2;

/// What the even frequencies add to the first four values of a row.
const EVEN: [[f32; 4]; 4] = [[A, A, A, A], [C, F, -F, -C], [A, -A, -A, A], [F, -C, C, -F]];
/// What the odd frequencies do.
const ODD: [[f32; 4]; 4] = [[B, D, E, G], [D, -G, -B, -E], [E, -B, G, D], [G, -E, D, -B]];

/// From frequencies to values.
pub(super) fn inverse(block: &mut DctBlock) {
    for row in block.as_chunks_mut::<8>().0 {
        let y = *row;
        let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
        for i in 0..4 {
            let [m0, m2, m4, m6] = EVEN.map(|column| column[i]);
            even[i] = (y[0] * m0 + y[2] * m2) + (y[4] * m4 + y[6] * m6);
            let [m1, m3, m5, m7] = ODD.map(|column| column[i]);
            odd[i] = (y[1] * m1 + y[3] * m3) + (y[5] * m5 + y[7] * m7);
        }
        for i in 0..4 {
            row[i] = even[i] + odd[i];
            row[7 - i] = even[i] - odd[i];
        }
    }
    let rows = *block;
    let row = |i: usize| -> &[f32; 8] { rows[8 * i..].first_chunk().expect("eight rows") };
    let [y0, y1, y2, y3, y4, y5, y6, y7] = std::array::from_fn(row);
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows_mut(block);
    for x in 0..8 {
        let odd = [
            (B * y1[x] + D * y3[x]) + (E * y5[x] + G * y7[x]),
            (D * y1[x] - (G * y3[x] + B * y5[x])) - E * y7[x],
            ((E * y1[x] - B * y3[x]) + G * y5[x]) + D * y7[x],
            (G * y1[x] + D * y5[x]) - (E * y3[x] + B * y7[x]),
        ];
        let (sum, difference) = (A * y0[x] + A * y4[x], A * y0[x] - A * y4[x]);
        let (outer, inner) = (C * y2[x] + F * y6[x], F * y2[x] - C * y6[x]);
        let even = [sum + outer, difference + inner, difference - inner, sum - outer];
        (r0[x], r1[x], r2[x], r3[x]) =
            (even[0] + odd[0], even[1] + odd[1], even[2] + odd[2], even[3] + odd[3]);
        (r7[x], r6[x], r5[x], r4[x]) =
            (even[0] - odd[0], even[1] - odd[1], even[2] - odd[2], even[3] - odd[3]);
    }
}

/// The value of all places of a block whose first frequency alone is not 0.
pub(super) fn inverse_flat(first: f32) -> f32 {
    first * A * A
}

/// From values to frequencies: columns, then rows.
pub(super) fn forward(block: &mut DctBlock) {
    forward_columns(block);
    transpose(block);
    forward_columns(block);
    transpose(block);
}

fn forward_columns(block: &mut DctBlock) {
    const C1: f32 = 0.490_392_64;
    const C2: f32 = 0.461_939_77;
    const C3: f32 = 0.415_734_8;
    const C4: f32 = std::f32::consts::FRAC_1_SQRT_2;
    const C5: f32 = 0.277_785_12;
    const C6: f32 = 0.191_341_72;
    const C7: f32 = 0.097_545_16;
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows_mut(block);
    for x in 0..8 {
        let (a0, a7) = (r0[x] + r7[x], r0[x] - r7[x]);
        let (a1, a2) = (r1[x] + r2[x], r1[x] - r2[x]);
        let (a3, a4) = (r3[x] + r4[x], r3[x] - r4[x]);
        let (a5, a6) = (r5[x] + r6[x], r5[x] - r6[x]);
        let (k0, k1) = (C4 * (a0 + a3), C4 * (a1 + a5));
        (r0[x], r4[x]) = ((k0 + k1) * 0.5, (k0 - k1) * 0.5);
        let (k0, k1) = (a2 - a6, a0 - a3);
        (r2[x], r6[x]) = (C6 * k0 + C2 * k1, C6 * k1 - C2 * k0);
        let (k0, k1) = ((a1 - a5) * C4, (a2 + a6) * -C4);
        let (h, v) = (a7 - k0, a4 + k1);
        (r3[x], r5[x]) = (C3 * h - C5 * v, C5 * h + C3 * v);
        let (h, v) = (a7 + k0, k1 - a4);
        (r1[x], r7[x]) = (C1 * h - C7 * v, C7 * h + C1 * v);
    }
}

fn transpose(block: &mut DctBlock) {
    for y in 0..8 {
        for x in 0..y {
            block.swap(8 * y + x, 8 * x + y);
        }
    }
}

fn rows_mut(block: &mut DctBlock) -> [&mut [f32; 8]; 8] {
    let rows: &mut [[f32; 8]; 8] = block.as_chunks_mut().0.try_into().expect("eight rows");
    rows.each_mut()
}

/// Red, green and blue to luminance and two chromas, of Rec. 709.
pub(super) fn to_chroma([red, green, blue]: &mut [DctBlock; 3]) {
    for ((r, g), b) in red.iter_mut().zip(green).zip(blue) {
        (*r, *g, *b) = (
            0.2126 * *r + 0.7152 * *g + 0.0722 * *b,
            -0.1146 * *r - 0.3854 * *g + 0.5 * *b,
            0.5 * *r - 0.4542 * *g - 0.0458 * *b,
        );
    }
}

/// The way back of [`to_chroma`].
pub(super) fn from_chroma([first, second, third]: &mut [DctBlock; 3]) {
    for ((y, b), r) in first.iter_mut().zip(second).zip(third) {
        (*y, *b, *r) = (*y + 1.5747 * *r, *y - 0.1873 * *b - 0.4682 * *r, *y + 1.8556 * *b);
    }
}

/// What values go through, by the bits of the half.
pub(super) struct Curves {
    /// From light to what is transformed: a gamma of 2.2 up to 1, a logarithm beyond.
    pub(super) bent: Box<[u16; 1 << 16]>,
    /// Back to light.
    pub(super) light: Box<[u16; 1 << 16]>,
}

pub(super) static CURVES: LazyLock<Curves> = LazyLock::new(|| {
    let table = |curve: fn(f32) -> f32| -> Box<[u16; 1 << 16]> {
        let bend = |bits: u16| {
            if bits == 0 || bits & 0x7c00 == 0x7c00 {
                return 0;
            }
            let number = half_to_float(bits);
            let sign = if number < 0.0 { -1.0 } else { 1.0 };
            float_to_half(sign * curve(number.abs()))
        };
        let all: Box<[u16]> = (0..=u16::MAX).map(bend).collect();
        all.try_into().expect("so many")
    };
    // Powers in double precision: rounded once, they are the same everywhere.
    Curves {
        bent: table(|x| {
            if x <= 1.0 {
                f64::from(x).powf(f64::from(1.0 / 2.2f32)) as f32
            } else {
                f64::from(x).ln() as f32 / 2.2 + 1.0
            }
        }),
        light: table(|x| {
            // e to the power of 2.2
            let (base, exponent) = if x <= 1.0 { (x, 2.2) } else { (9.025_013, x - 1.0) };
            f64::from(base).powf(f64::from(exponent)) as f32
        }),
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_goes_over_all_places() {
        assert_eq!(ZIGZAG[..8], [0, 1, 8, 16, 9, 2, 3, 10]);
        assert_eq!(ZIGZAG[60..], [61, 54, 47, 55, 62, 63][2..]);
        let mut sorted = ZIGZAG;
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, place)| i == usize::from(*place)));
    }

    #[test]
    fn transforms_come_back() {
        let values: DctBlock = std::array::from_fn(|i| ((i * i * 7) % 97) as f32 / 97.0);
        let mut block = values;
        forward(&mut block);
        assert!((block[0] - values.iter().sum::<f32>() / 8.0).abs() < 1e-5);
        inverse(&mut block);
        assert!(block.iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-5));
        assert!((inverse_flat(8.0) - 1.0).abs() < 1e-5);
        let colours = [values, values.map(|v| 1.0 - v), values.map(|v| v * v)];
        let mut there = colours;
        to_chroma(&mut there);
        from_chroma(&mut there);
        for (a, b) in there.as_flattened().iter().zip(colours.as_flattened()) {
            assert!((a - b).abs() < 1e-3);
        }
    }

    #[test]
    fn curves_meet_at_one() {
        let one = float_to_half(1.0);
        assert_eq!(CURVES.bent[usize::from(one)], one);
        assert_eq!(CURVES.light[usize::from(one)], one);
        for bits in 0x2000..0x7000u16 {
            let back = CURVES.light[usize::from(CURVES.bent[usize::from(bits)])];
            let (a, b) = (half_to_float(bits), half_to_float(back));
            assert!((a - b).abs() <= 0.02 * a, "{a} {b}");
        }
    }
}
