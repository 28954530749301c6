//! The share of recent cases that were of one kind.

/// Weight of the newest case, once there were some.
pub(crate) const NEWEST: f64 = 1.0 / 16.0;
const SOME: f64 = 1.0 / NEWEST - 1.0;

/// At first the mean of all cases, beginning with one that is not of the kind; later the last ones
/// count most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    value: f64,
    seen: f64,
}

impl Share {
    pub(crate) fn add(&mut self, of_the_kind: bool) {
        self.seen = (self.seen + 1.0).min(SOME);
        self.value += (f64::from(u8::from(of_the_kind)) - self.value) / (self.seen + 1.0);
    }

    /// None for some time.
    pub(crate) fn is_none(&self) -> bool {
        self.value < NEWEST / 2.0
    }

    /// Half or more: the first one from the beginning on.
    pub(crate) fn is_half(&self) -> bool {
        self.value >= 0.5
    }

    /// Half or more, or nothing is known yet.
    pub(crate) fn may_be_half(&self) -> bool {
        self.seen == 0.0 || self.is_half()
    }

    /// All: ten from the beginning on; one other among ten is too many.
    pub(crate) fn is_all(&self) -> bool {
        self.value > 0.9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_quickly_at_first_and_steadily_later() {
        let mut share = Share::default();
        assert!(share.is_none() && !share.is_half());
        share.add(true);
        assert!(!share.is_none() && share.is_half() && !share.is_all());
        (0..9).for_each(|_| share.add(true));
        assert!(share.is_all());
        (0..100).for_each(|_| share.add(true));
        share.add(false);
        assert!(share.is_all());
        share.add(false);
        assert!(!share.is_all() && share.is_half());
        (0..70).for_each(|_| share.add(false));
        assert!(share.is_none());
        share.add(true);
        assert!(!share.is_none() && !share.is_half());
    }
}
