//! What an order of reading would cost on a disk that seeks: a model, so that orders can be
//! compared on any machine, with the same figures every time.
//!
//! The form is that of C. Ruemmler and J. Wilkes, "An Introduction to Disk Drive Modeling", IEEE
//! Computer 27(3), March 1994: a seek over a distance `d` takes `a + b·√d` while the arm speeds up
//! and slows down, and `c + e·d` once it coasts, from 383 of 1962 cylinders on in their drive. Here
//! the line continues the curve smoothly, which theirs all but does, and distances are shares of
//! the capacity: the model knows neither zones nor cylinders.

use super::extents::Extent;

/// A disk drive.
///
/// ```
/// use solio_io::order::seek::{Drive, ULTRASTAR_HC310};
/// // The same mechanics at 5400 revolutions a minute.
/// let slow = Drive { name: "5400", half_turn_s: 60.0 / 5400.0 / 2.0, ..ULTRASTAR_HC310 };
/// assert_eq!(slow.seek_s(1 << 30), ULTRASTAR_HC310.seek_s(1 << 30));
/// assert!(slow.half_turn_s - ULTRASTAR_HC310.half_turn_s > 1.3e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// What it is sold as.
    pub name: &'static str,
    /// Bytes from the first to the last.
    pub capacity_bytes: u64,
    /// `a`: seconds to the next track.
    pub next_track_s: f64,
    /// `b`: seconds for the root of a distance of the whole capacity.
    pub root_s: f64,
    /// The share of the capacity from which on the arm coasts.
    pub coasts_from: f64,
    /// Seconds of half a turn, for which the first byte is waited for on average.
    pub half_turn_s: f64,
    /// Bytes that pass under the head in a second.
    pub bytes_per_s: f64,
}

/// Western Digital Ultrastar DC HC310, 6 TB, 7200 revolutions a minute.
///
/// From its "Hard Disk Drive Specifications", revision 1.4, September 2018, section 4.5.1: reading,
/// typically 7.4 ms for the average of all possible seeks and 0.23 ms to the next track; 8.33 ms a
/// turn. `root_s` is what gives that average. The specification's transfer rate differs from
/// zone to zone: 200 MB/s is a round figure of ours, the same for every order.
pub const ULTRASTAR_HC310: Drive = Drive {
    name: "Ultrastar DC HC310, 6 TB",
    capacity_bytes: 6_000_000_000_000,
    next_track_s: 0.23e-3,
    root_s: 12.270_62e-3,
    coasts_from: 383.0 / 1962.0,
    half_turn_s: 60.0 / 7200.0 / 2.0,
    bytes_per_s: 200e6,
};

/// What reading some extents in some order costs.
///
/// ```
/// use solio_io::order::{Extent, seek::ULTRASTAR_HC310};
/// let at = |physical| Extent { logical: 0, physical, bytes: 1 << 20 };
/// // Two pieces a terabyte apart, from the first to the second.
/// let cost = ULTRASTAR_HC310.cost([at(0), at(1 << 40)]);
/// assert_eq!((cost.seeks, cost.travel_bytes), (1, (1 << 40) - (1 << 20)));
/// // 9.6 ms of waiting for 10.5 ms of reading.
/// assert!(cost.wait_s > 9e-3 && cost.transfer_s < 11e-3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Times that the arm moved.
    pub seeks: u64,
    /// Bytes over which the head went without reading them, either way.
    pub travel_bytes: u64,
    /// Seconds that the arm moved and that the disk turned until the right bytes came.
    pub wait_s: f64,
    /// Seconds that bytes were read.
    pub transfer_s: f64,
}

impl Cost {
    /// All seconds together.
    ///
    /// ```
    /// use solio_io::order::seek::Cost;
    /// let cost = Cost { wait_s: 0.25, transfer_s: 1.0, ..Cost::default() };
    /// assert_eq!(cost.total_s(), 1.25);
    /// ```
    pub fn total_s(&self) -> f64 {
        self.wait_s + self.transfer_s
    }
}

impl Drive {
    /// Seconds of a seek over `bytes`, without the wait for the first byte.
    ///
    /// ```
    /// use solio_io::order::seek::ULTRASTAR_HC310 as DRIVE;
    /// let [near, middle, far] = [1 << 20, DRIVE.capacity_bytes / 3, u64::MAX].map(|b| DRIVE.seek_s(b));
    /// assert_eq!(DRIVE.seek_s(0), 0.0);
    /// assert!(near < 0.3e-3 && middle < 8e-3 && far > 15e-3);
    /// ```
    pub fn seek_s(&self, bytes: u64) -> f64 {
        if bytes == 0 {
            return 0.0;
        }
        let share = (bytes as f64 / self.capacity_bytes as f64).min(1.0);
        let knee = self.coasts_from;
        let root = if share <= knee {
            share.sqrt()
        } else {
            knee.sqrt() + (share - knee) / (2.0 * knee.sqrt())
        };
        self.next_track_s + self.root_s * root
    }

    /// What it costs to read `extents` one after the other, the head being at the first of them.
    /// What lies a little ahead is waited for, where that takes less time than a seek.
    ///
    /// ```
    /// use solio_io::order::{Extent, seek::ULTRASTAR_HC310};
    /// let mut frames = [900, 100, 500].map(|mb| Extent {
    ///     logical: 0,
    ///     physical: mb << 20,
    ///     bytes: 8 << 20,
    /// });
    /// let as_given = ULTRASTAR_HC310.cost(frames);
    /// frames.sort_by_key(|frame| frame.physical);
    /// let sorted = ULTRASTAR_HC310.cost(frames);
    /// assert_eq!((as_given.transfer_s, as_given.seeks), (sorted.transfer_s, sorted.seeks));
    /// assert!(sorted.wait_s < as_given.wait_s);
    /// ```
    pub fn cost(&self, extents: impl IntoIterator<Item = Extent>) -> Cost {
        let mut cost = Cost::default();
        let mut head = None;
        let mut bytes = 0u64;
        for extent in extents {
            let (from, to) = (head.unwrap_or(extent.physical), extent.physical);
            let distance = from.abs_diff(to);
            let seek_s = self.seek_s(distance) + self.half_turn_s;
            let pass_s = distance as f64 / self.bytes_per_s;
            cost.travel_bytes = cost.travel_bytes.saturating_add(distance);
            if to >= from && pass_s <= seek_s {
                cost.wait_s += pass_s;
            } else {
                cost.wait_s += seek_s;
                cost.seeks += 1;
            }
            bytes = bytes.saturating_add(extent.bytes);
            head = Some(to.saturating_add(extent.bytes));
        }
        // From a sum of integers: the same for every order, to the last bit.
        cost.transfer_s = bytes as f64 / self.bytes_per_s;
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive with round figures.
    const ROUND: Drive = Drive {
        name: "round",
        capacity_bytes: 10_000,
        next_track_s: 1.0,
        root_s: 10.0,
        coasts_from: 0.25,
        half_turn_s: 4.0,
        bytes_per_s: 100.0,
    };

    fn at(physical: u64, bytes: u64) -> Extent {
        Extent { logical: 0, physical, bytes }
    }

    #[test]
    fn seeks_take_what_the_formula_says() {
        assert_eq!(ROUND.seek_s(0), 0.0);
        assert_eq!(ROUND.seek_s(100), 1.0 + 10.0 * 0.1);
        assert_eq!(ROUND.seek_s(2_500), 1.0 + 10.0 * 0.5);
        // Beyond the knee: c + e·d with e = b / (2·√knee) = 10 s for the whole capacity.
        assert_eq!(ROUND.seek_s(5_000), 1.0 + 10.0 * 0.75);
        assert_eq!(ROUND.seek_s(10_000), 1.0 + 10.0 * 1.25);
        assert_eq!(ROUND.seek_s(u64::MAX), ROUND.seek_s(10_000));
    }

    #[test]
    fn an_order_costs_what_can_be_counted() {
        // Side by side: nothing but transfer.
        let cost = ROUND.cost([at(0, 100), at(100, 200)]);
        assert_eq!(cost, Cost { seeks: 0, travel_bytes: 0, wait_s: 0.0, transfer_s: 3.0 });
        // A gap of 100 bytes passes in 1 s; a seek would take 1 + 1 + 4.
        let cost = ROUND.cost([at(0, 100), at(200, 100)]);
        assert_eq!(cost, Cost { seeks: 0, travel_bytes: 100, wait_s: 1.0, transfer_s: 2.0 });
        // The same two backwards: 300 bytes back, 1 + 10·√0.03 + 4.
        let cost = ROUND.cost([at(200, 100), at(0, 100)]);
        assert_eq!((cost.seeks, cost.travel_bytes, cost.transfer_s), (1, 300, 2.0));
        assert!((cost.wait_s - (5.0 + 10.0 * 0.03f64.sqrt())).abs() < 1e-12);
        // 2,500 bytes ahead pass in 25 s; a seek takes 1 + 5 + 4.
        let cost = ROUND.cost([at(0, 100), at(2_600, 100)]);
        assert_eq!(cost, Cost { seeks: 1, travel_bytes: 2_500, wait_s: 10.0, transfer_s: 2.0 });
        assert_eq!(cost.total_s(), 12.0);
        assert_eq!(ROUND.cost([]), Cost::default());
    }

    #[test]
    fn the_drive_has_the_figures_of_its_specification() {
        let drive = ULTRASTAR_HC310;
        // The average over all pairs of places: distance x has the density 2·(1 - x).
        let steps = 100_000;
        let share = |i: u32| (f64::from(i) + 0.5) / f64::from(steps);
        let seek = |x: f64| drive.seek_s((x * drive.capacity_bytes as f64) as u64);
        let mean: f64 = (0..steps).map(|i| 2.0 * (1.0 - share(i)) * seek(share(i))).sum::<f64>()
            / f64::from(steps);
        assert!((mean - 7.4e-3).abs() < 1e-7, "{mean}");
        assert!((drive.seek_s(1_000_000) - 0.23e-3) < 0.01e-3);
        assert!((drive.half_turn_s - 4.1667e-3).abs() < 1e-7);
    }
}
