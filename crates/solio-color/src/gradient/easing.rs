//! How fast a blend goes from one stop to the next.

use std::f64::consts::{FRAC_PI_2, PI};

/// The shape of the way from a stop (0) to the next (1).
///
/// Those of GIMP are as its gradient editor has them (`gimpgradient.c`: linear, curved, sine,
/// spherical increasing and decreasing, step); Bézier curves are those of CSS Easing Functions 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Easing {
    /// Two straight parts that meet half way at the midpoint.
    #[default]
    Linear,
    /// A power that is half way at the midpoint: CSS's colour hints, GIMP's "curved".
    Power,
    /// Half a wave of a sine.
    Sine,
    /// A quarter of a circle, fast at first.
    SphereIncreasing,
    /// A quarter of a circle, slow at first.
    SphereDecreasing,
    /// The first colour up to the midpoint, then the second.
    Step,
    /// A cubic Bézier curve from 0, 0 to 1, 1 with these two control points: x1, y1, x2, y2;
    /// x1 and x2 are 0 to 1.
    Bezier([f64; 4]),
}

impl Easing {
    /// CSS's `ease`.
    pub const EASE: Easing = Easing::Bezier([0.25, 0.1, 0.25, 1.0]);
    /// CSS's `ease-in`.
    pub const EASE_IN: Easing = Easing::Bezier([0.42, 0.0, 1.0, 1.0]);
    /// CSS's `ease-out`.
    pub const EASE_OUT: Easing = Easing::Bezier([0.0, 0.0, 0.58, 1.0]);
    /// CSS's `ease-in-out`.
    pub const EASE_IN_OUT: Easing = Easing::Bezier([0.42, 0.0, 0.58, 1.0]);

    const NAMED: [(&'static str, Easing); 10] = [
        ("linear", Easing::Linear),
        ("power", Easing::Power),
        ("sine", Easing::Sine),
        ("sphere-increasing", Easing::SphereIncreasing),
        ("sphere-decreasing", Easing::SphereDecreasing),
        ("step", Easing::Step),
        ("ease", Easing::EASE),
        ("ease-in", Easing::EASE_IN),
        ("ease-out", Easing::EASE_OUT),
        ("ease-in-out", Easing::EASE_IN_OUT),
    ];

    /// Its name, or `cubic-bezier(x1, y1, x2, y2)`.
    pub fn name(self) -> String {
        match (Easing::NAMED.iter().find(|(_, easing)| *easing == self), self) {
            (Some((name, _)), _) => (*name).to_owned(),
            (None, Easing::Bezier([a, b, c, d])) => format!("cubic-bezier({a}, {b}, {c}, {d})"),
            (None, _) => unreachable!("all but curves have names"),
        }
    }

    /// From its name or from the text of a curve.
    pub fn of_name(text: &str) -> Option<Easing> {
        if let Some((_, easing)) = Easing::NAMED.iter().find(|(name, _)| *name == text) {
            return Some(*easing);
        }
        let inside = text.strip_prefix("cubic-bezier(")?.strip_suffix(')')?;
        let numbers: Option<Vec<f64>> = inside.split(',').map(|n| n.trim().parse().ok()).collect();
        let points: [f64; 4] = numbers?.try_into().ok()?;
        let right = points.iter().all(|x| x.is_finite())
            && [points[0], points[2]].iter().all(|x| (0.0..=1.0).contains(x));
        right.then_some(Easing::Bezier(points))
    }

    /// How much of the second colour there is at `at` (0 to 1) of the way, where the midpoint is at
    /// `midpoint` (0 to 1).
    pub fn weight(self, at: f64, midpoint: f64) -> f64 {
        let even = bent(at, midpoint);
        match self {
            Easing::Linear => even,
            Easing::Power => power(at, midpoint),
            Easing::Sine => ((PI * even - FRAC_PI_2).sin() + 1.0) / 2.0,
            Easing::SphereIncreasing => (1.0 - (even - 1.0) * (even - 1.0)).max(0.0).sqrt(),
            Easing::SphereDecreasing => 1.0 - (1.0 - even * even).max(0.0).sqrt(),
            Easing::Step => f64::from(u8::from(at >= midpoint)),
            Easing::Bezier(points) => bezier(points, even),
        }
    }
}

/// Half way at the midpoint, straight before and after.
fn bent(at: f64, midpoint: f64) -> f64 {
    if at <= midpoint {
        if midpoint <= 0.0 { 1.0 } else { 0.5 * at / midpoint }
    } else if midpoint >= 1.0 {
        0.5
    } else {
        0.5 + 0.5 * (at - midpoint) / (1.0 - midpoint)
    }
}

/// CSS Images 4, section 3.4.2: the exponent that gives a half at the midpoint.
fn power(at: f64, midpoint: f64) -> f64 {
    match midpoint {
        m if m <= 0.0 => 1.0,
        m if m >= 1.0 => f64::from(u8::from(at >= 1.0)),
        m => at.powf(0.5_f64.ln() / m.ln()),
    }
}

/// y of the curve where its x is `x`: x grows with the parameter, so bisection finds it.
fn bezier([x1, y1, x2, y2]: [f64; 4], x: f64) -> f64 {
    let along = |a: f64, b: f64, s: f64| {
        let t = 1.0 - s;
        3.0 * t * t * s * a + 3.0 * t * s * s * b + s * s * s
    };
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if along(x1, x2, middle) < x { low = middle } else { high = middle }
    }
    along(y1, y2, 0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_half_way_at_the_midpoint_where_they_should() {
        for midpoint in [0.1, 0.5, 0.8] {
            for easing in [Easing::Linear, Easing::Power, Easing::Sine, Easing::EASE_IN_OUT] {
                let half = easing.weight(midpoint, midpoint);
                assert!((half - 0.5).abs() < 1e-12, "{easing:?} {midpoint}: {half}");
            }
        }
    }

    #[test]
    fn all_begin_at_the_first_and_end_at_the_second() {
        for (name, easing) in Easing::NAMED {
            for midpoint in [0.25, 0.5, 0.9] {
                assert!(easing.weight(0.0, midpoint).abs() < 1e-12, "{name}");
                assert!((easing.weight(1.0, midpoint) - 1.0).abs() < 1e-12, "{name}");
            }
        }
    }

    /// CSS Images 4: a hint at a quarter gives an exponent of a half.
    #[test]
    fn power_is_the_hint_of_css() {
        assert!((Easing::Power.weight(0.49, 0.25) - 0.7).abs() < 1e-12);
    }

    /// Values of WebKit's and Firefox's solvers for `ease`.
    #[test]
    fn a_bezier_curve_gives_what_browsers_give() {
        for (x, y) in [(0.25, 0.408_511), (0.5, 0.802_403), (0.75, 0.960_458)] {
            assert!((Easing::EASE.weight(x, 0.5) - y).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn midpoints_at_the_ends_jump() {
        for easing in [Easing::Linear, Easing::Power] {
            assert_eq!(easing.weight(0.3, 0.0), if easing == Easing::Linear { 0.65 } else { 1.0 });
            assert!(easing.weight(0.3, 1.0) <= 0.5);
        }
    }

    #[test]
    fn names_give_the_same_easing_again() {
        for easing in [Easing::EASE, Easing::Step, Easing::Bezier([0.1, -2.0, 1.0, 3.5])] {
            assert_eq!(Easing::of_name(&easing.name()), Some(easing));
        }
        for wrong in
            ["fast", "cubic-bezier(2, 0, 0, 1)", "cubic-bezier(0, 0, 1)", "cubic-bezier(nan,0,0,0)"]
        {
            assert_eq!(Easing::of_name(wrong), None, "{wrong}");
        }
    }
}
