//! Token buckets: at most so many bytes, or operations, a second.

/// Fills with time, empties with use. Whoever takes more than there is goes into debt, and the
/// next one waits until it is paid; so pieces of any size keep the rate.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    per_second: f64,
    tokens: f64,
    /// What may be saved up while nothing is taken.
    most: f64,
    /// When it was filled last; before the first use nothing is saved up.
    filled_ns: Option<u64>,
}

impl TokenBucket {
    /// Saves up at most a 50th of a second: a rate that is kept over short times too.
    pub(crate) fn new(per_second: u64) -> Self {
        let per_second = per_second.max(1) as f64;
        TokenBucket { per_second, tokens: 0.0, most: (per_second / 50.0).max(1.0), filled_ns: None }
    }

    /// Nanoseconds to wait before the next take; 0 when one may be made now.
    pub(crate) fn wait_ns(&mut self, now_ns: u64) -> u64 {
        let filled_ns = self.filled_ns.unwrap_or(now_ns);
        let passed = now_ns.saturating_sub(filled_ns);
        self.filled_ns = Some(filled_ns.max(now_ns));
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

/// A medium of a fixed rate: each piece comes when all before it have come and its own bytes have passed.
/// Nothing is saved up, and the first piece is paid for like all others.
#[derive(Clone, Debug)]
pub(crate) struct ByteClock {
    ns_per_byte: f64,
    free_ns: u64,
}

impl ByteClock {
    pub(crate) fn new(per_second: u64) -> ByteClock {
        ByteClock { ns_per_byte: 1e9 / per_second.max(1) as f64, free_ns: 0 }
    }

    /// When a piece is there that is asked for now.
    pub(crate) fn reserve(&mut self, now_ns: u64, bytes: u64) -> u64 {
        let takes = (bytes as f64 * self.ns_per_byte).ceil() as u64;
        self.free_ns = self.free_ns.max(now_ns).saturating_add(takes);
        self.free_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_job_pays_for_its_first_byte() {
        let mut clock = ByteClock::new(1_000_000);
        // Long after the start: nothing was saved up.
        assert_eq!(clock.reserve(5_000_000_000, 300_000), 5_300_000_000);
        // Who asks meanwhile comes behind.
        assert_eq!(clock.reserve(5_100_000_000, 1_000), 5_301_000_000);
        assert_eq!(clock.reserve(9_000_000_000, 0), 9_000_000_000);
        // No rate ends in an overflow.
        let mut slow = ByteClock::new(0);
        slow.reserve(u64::MAX - 5, u64::MAX);
        assert_eq!(slow.reserve(7, u64::MAX), u64::MAX);
    }

    #[test]
    fn the_first_moment_saves_nothing_up() {
        let mut bucket = TokenBucket::new(1_000_000);
        assert_eq!(bucket.wait_ns(3_000_000_000), 0);
        bucket.take(1_000_000);
        // A second's worth was taken: a second passes, and not a 50th less.
        assert_eq!(bucket.wait_ns(3_000_000_000), 1_000_000_000);
    }

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
