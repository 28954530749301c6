//! Token buckets: at most so many bytes, or operations, a second.

/// Fills with time, empties with use. Whoever takes more than there is goes into debt, and the
/// next one waits until it is paid; so pieces of any size keep the rate.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    per_second: f64,
    tokens: f64,
    /// What may be saved up while nothing is taken.
    most: f64,
    filled_ns: u64,
}

impl TokenBucket {
    /// Saves up at most a 50th of a second: a rate that is kept over short times too.
    pub(crate) fn new(per_second: u64) -> Self {
        let per_second = per_second.max(1) as f64;
        TokenBucket { per_second, tokens: 0.0, most: (per_second / 50.0).max(1.0), filled_ns: 0 }
    }

    /// Nanoseconds to wait before the next take; 0 when one may be made now.
    pub(crate) fn wait_ns(&mut self, now_ns: u64) -> u64 {
        let passed = now_ns.saturating_sub(self.filled_ns);
        self.filled_ns = self.filled_ns.max(now_ns);
        self.tokens = (self.tokens + passed as f64 * 1e-9 * self.per_second).min(self.most);
        if self.tokens >= 0.0 { 0 } else { (-self.tokens / self.per_second * 1e9).ceil() as u64 }
    }

    pub(crate) fn take(&mut self, amount: u64) {
        self.tokens -= amount as f64;
    }

    /// So much of what was taken was not used.
    pub(crate) fn give_back(&mut self, amount: u64) {
        self.tokens += amount as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_rate_whatever_the_pieces() {
        for piece in [1u64, 1000, 65_536, 5_000_000] {
            let (mut bucket, mut now, mut moved) = (TokenBucket::new(1_000_000), 0, 0);
            while now < 100_000_000_000 {
                match bucket.wait_ns(now) {
                    0 => {
                        bucket.take(piece);
                        moved += piece;
                        // A taker that never waits by itself.
                        now += 1;
                    }
                    wait => now += wait,
                }
            }
            let rate = moved as f64 / (now as f64 * 1e-9);
            assert!(
                (rate - 1e6).abs() < 1e6 * 0.01 + piece as f64 / 100.0 * 1.1,
                "{piece}: {rate}"
            );
        }
    }
}
