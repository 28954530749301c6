//! Numbers that look random and are the same everywhere: SplitMix64 (Steele, Lea and Flood 2014), and
//! of floating point only what IEEE 754 rounds in one way.

/// A stream of numbers.
#[derive(Clone)]
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    /// The stream of this seed and place.
    pub(super) fn new(seed: u64, place: [u64; 3]) -> Self {
        let mut random = SeededRandom(seed);
        for word in place {
            random.0 = random.next() ^ word;
        }
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// From 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Below `count`, which is not 0.
    pub(super) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(count)) >> 64) as u64
    }

    /// A point of the unit circle.
    pub(super) fn circle(&mut self) -> [f64; 2] {
        loop {
            let [x, y] = [self.between(-1.0, 1.0), self.between(-1.0, 1.0)];
            let square = x * x + y * y;
            if (0.01..=1.0).contains(&square) {
                return [x / square.sqrt(), y / square.sqrt()];
            }
        }
    }

    /// A unit quaternion `x y z w`: a rotation about an axis that leaves the vertical by `tilt` at
    /// most (0: upright, 1: any).
    pub(super) fn rotation(&mut self, tilt: f64) -> [f64; 4] {
        let [sine, cosine] = self.circle();
        let [x, z] = [self.between(-tilt, tilt), self.between(-tilt, tilt)];
        let length = (x * x + z * z + sine * sine + cosine * cosine).sqrt();
        [x, sine, z, cosine].map(|value| value / length)
    }
}

/// The finaliser of SplitMix64.
pub(super) fn mixed(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // The first numbers of SplitMix64 from the seed 1234567, as its reference code prints them.
        let mut random = SeededRandom(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn rotations_have_length_one() {
        let mut random = SeededRandom::new(1, [2, 3, 4]);
        for tilt in [0.0, 0.3, 1.0] {
            let q = random.rotation(tilt);
            assert!((q.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(tilt > 0.0 || q[0] == 0.0 && q[2] == 0.0);
        }
    }
}
