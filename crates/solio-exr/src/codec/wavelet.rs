//! The wavelet of PIZ: pairs become a mean and a difference, along rows and columns, again and
//! again for the means.
//!
//! The transform of level `l` works on the samples whose coordinates divide by `2^l`; its four
//! results stay where the four samples were. Here each level's means also have a plane of their
//! own, so that all levels read and write side by side.
//!
//! Where all values are below 2^14, means and differences are plain; else they are modulo 2^16.

/// Means of all levels but the first.
#[derive(Default)]
pub(super) struct Means(Vec<Vec<u16>>);

/// A mean and a difference, of `a` and `b`; and back.
trait Step {
    fn split(a: i32, b: i32) -> [i32; 2];
    fn join(mean: i32, difference: i32) -> [i32; 2];
}

/// For values below 2^14. All numbers are signed 16-bit ones.
struct Plain;

impl Step for Plain {
    #[inline(always)]
    fn split(a: i32, b: i32) -> [i32; 2] {
        let (a, b) = (i32::from(a as i16), i32::from(b as i16));
        [(a + b) >> 1, a - b]
    }

    #[inline(always)]
    fn join(mean: i32, difference: i32) -> [i32; 2] {
        let (mean, difference) = (i32::from(mean as i16), i32::from(difference as i16));
        let a = mean + (difference & 1) + (difference >> 1);
        [a, a - difference]
    }
}

/// For all 16-bit values. All numbers are unsigned 16-bit ones.
struct Modulo;

impl Step for Modulo {
    #[inline(always)]
    fn split(a: i32, b: i32) -> [i32; 2] {
        let (a, b) = ((a & 0xffff) ^ 0x8000, b & 0xffff);
        let difference = a - b;
        [((a + b) >> 1) ^ (difference >> 31 & 0x8000), difference]
    }

    #[inline(always)]
    fn join(mean: i32, difference: i32) -> [i32; 2] {
        let difference = difference & 0xffff;
        let b = mean - (difference >> 1);
        [difference + b - 0x8000, b]
    }
}

/// Transforms a plane whose values are at most `largest`.
pub(super) fn forward(
    plane: &mut [u16],
    width: usize,
    height: usize,
    largest: u16,
    means: &mut Means,
) {
    let levels = means.prepare(width, height);
    for level in 0..levels {
        let (from, to) = means.level(plane, level);
        let (width, height) = (width >> level, height >> level);
        if largest < 1 << 14 {
            split_level::<Plain>(from, to, width, height);
        } else {
            split_level::<Modulo>(from, to, width, height);
        }
    }
    for level in (0..levels).rev() {
        let (to, from) = means.level(plane, level);
        let (width, means) = (width >> level, from.chunks_exact((width >> level) / 2));
        for (row, means) in to.chunks_exact_mut(2 * width).zip(means) {
            for (pair, mean) in row.as_chunks_mut::<2>().0.iter_mut().zip(means) {
                pair[0] = *mean;
            }
        }
    }
}

/// Undoes [`forward`].
pub(super) fn inverse(
    plane: &mut [u16],
    width: usize,
    height: usize,
    largest: u16,
    means: &mut Means,
) {
    let levels = means.prepare(width, height);
    for level in 0..levels {
        let (from, to) = means.level(plane, level);
        let width = width >> level;
        for (row, means) in from.chunks_exact(2 * width).zip(to.chunks_exact_mut(width / 2)) {
            for (pair, mean) in row.as_chunks::<2>().0.iter().zip(means) {
                *mean = pair[0];
            }
        }
    }
    for level in (0..levels).rev() {
        let (to, from) = means.level(plane, level);
        let (width, height) = (width >> level, height >> level);
        if largest < 1 << 14 {
            join_level::<Plain>(from, to, width, height);
        } else {
            join_level::<Modulo>(from, to, width, height);
        }
    }
}

impl Means {
    /// Makes planes for the means; says how many levels there are.
    fn prepare(&mut self, width: usize, height: usize) -> usize {
        let levels = width.min(height).checked_ilog2().unwrap_or(0) as usize;
        if self.0.len() < levels {
            self.0.resize_with(levels, Vec::new);
        }
        for (level, plane) in self.0[..levels].iter_mut().enumerate() {
            plane.resize((width >> (level + 1)) * (height >> (level + 1)), 0);
        }
        levels
    }

    /// The plane of a level and the one of its means.
    fn level<'a>(
        &'a mut self,
        plane: &'a mut [u16],
        level: usize,
    ) -> (&'a mut [u16], &'a mut [u16]) {
        match level.checked_sub(1) {
            None => (plane, &mut self.0[0]),
            Some(above) => {
                let (first, second) = self.0.split_at_mut(level);
                (&mut first[above], &mut second[0])
            }
        }
    }
}

/// One level forward.
fn split_level<S: Step>(plane: &mut [u16], means: &mut [u16], width: usize, height: usize) {
    let mut pairs = plane[..width * height].chunks_exact_mut(2 * width);
    for (rows, means) in pairs.by_ref().zip(means.chunks_exact_mut(width / 2)) {
        let (top, bottom) = rows.split_at_mut(width);
        let (top, last_top) = top.as_chunks_mut::<2>();
        let (bottom, last_bottom) = bottom.as_chunks_mut::<2>();
        for ((mean, top), bottom) in means.iter_mut().zip(top).zip(bottom) {
            let [a, b] = S::split(i32::from(top[0]), i32::from(top[1]));
            let [c, d] = S::split(i32::from(bottom[0]), i32::from(bottom[1]));
            let [e, f] = S::split(a, c);
            let [g, h] = S::split(b, d);
            *mean = e as u16;
            *top = [e as u16, g as u16];
            *bottom = [f as u16, h as u16];
        }
        if let ([a], [b]) = (last_top, last_bottom) {
            let [mean, difference] = S::split(i32::from(*a), i32::from(*b));
            (*a, *b) = (mean as u16, difference as u16);
        }
    }
    for pair in pairs.into_remainder().as_chunks_mut::<2>().0 {
        *pair = S::split(i32::from(pair[0]), i32::from(pair[1])).map(|v| v as u16);
    }
}

/// One level back.
fn join_level<S: Step>(means: &[u16], plane: &mut [u16], width: usize, height: usize) {
    let mut pairs = plane[..width * height].chunks_exact_mut(2 * width);
    for (rows, means) in pairs.by_ref().zip(means.chunks_exact(width / 2)) {
        let (top, bottom) = rows.split_at_mut(width);
        let (top, last_top) = top.as_chunks_mut::<2>();
        let (bottom, last_bottom) = bottom.as_chunks_mut::<2>();
        for ((mean, top), bottom) in means.iter().zip(top).zip(bottom) {
            let [a, c] = S::join(i32::from(*mean), i32::from(bottom[0]));
            let [b, d] = S::join(i32::from(top[1]), i32::from(bottom[1]));
            *top = S::join(a, b).map(|v| v as u16);
            *bottom = S::join(c, d).map(|v| v as u16);
        }
        if let ([a], [b]) = (last_top, last_bottom) {
            [*a, *b] = S::join(i32::from(*a), i32::from(*b)).map(|v| v as u16);
        }
    }
    for pair in pairs.into_remainder().as_chunks_mut::<2>().0 {
        *pair = S::join(i32::from(pair[0]), i32::from(pair[1])).map(|v| v as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::Random;
    use super::*;

    #[test]
    fn comes_back() {
        let mut random = Random(2);
        for (width, height) in
            [(1, 1), (1, 9), (2, 2), (3, 3), (5, 8), (17, 32), (64, 64), (100, 31)]
        {
            for largest in [1, 255, 0x3fff, 0x4000, 0xffff] {
                let modulus = u64::from(largest) + 1;
                let mut noise = || (random.next() % modulus) as u16;
                let plane: Vec<u16> = (0..width * height).map(|_| noise()).collect();
                let mut means = Means::default();
                let mut there = plane.clone();
                forward(&mut there, width, height, largest, &mut means);
                inverse(&mut there, width, height, largest, &mut means);
                assert_eq!(there, plane, "{width} x {height}, up to {largest}");
            }
        }
    }

    /// The definition, sample by sample and in place.
    #[test]
    fn equals_its_definition() {
        let mut random = Random(3);
        for (width, height) in [(1usize, 4usize), (2, 2), (5, 5), (7, 12), (16, 9), (33, 32)] {
            for largest in [0x3fffu16, 0xffff] {
                let noise = |r: &mut Random| r.next() as u16 & largest;
                let plane: Vec<u16> = (0..width * height).map(|_| noise(&mut random)).collect();
                let mut fast = plane.clone();
                forward(&mut fast, width, height, largest, &mut Means::default());
                let mut slow = plane;
                let mut step = |from: usize, to: usize| {
                    let pair = [i32::from(slow[from]), i32::from(slow[to])];
                    let [m, d] = if largest < 1 << 14 {
                        Plain::split(pair[0], pair[1])
                    } else {
                        Modulo::split(pair[0], pair[1])
                    };
                    (slow[from], slow[to]) = (m as u16, d as u16);
                };
                let mut p = 1;
                while 2 * p <= width.min(height) {
                    let place = |x: usize, y: usize| y * p * width + x * p;
                    for y in 0..height / p {
                        for x in 0..width / p / 2 {
                            step(place(2 * x, y), place(2 * x + 1, y));
                        }
                    }
                    for y in 0..height / p / 2 {
                        for x in 0..width / p {
                            step(place(x, 2 * y), place(x, 2 * y + 1));
                        }
                    }
                    p *= 2;
                }
                assert_eq!(fast, slow, "{width} x {height}, up to {largest}");
            }
        }
    }
}
