//! Monotone cubic splines through values at places.

/// Slopes at each place, so that the cubic between two places stays between their values: of
/// Fritsch and Butland (1984), the harmonic mean of the slopes on both sides, as in PCHIP.
///
/// `places` grow, and there are as many `values`; the ends have the slope of their only side.
pub(super) fn slopes(places: &[f64], values: &[[f64; 4]]) -> Vec<[f64; 4]> {
    let count = places.len();
    if count < 2 {
        return vec![[0.0; 4]; count];
    }
    let secant =
        |i: usize, k: usize| (values[i + 1][k] - values[i][k]) / (places[i + 1] - places[i]);
    let at = |i: usize, k: usize| {
        if i == 0 {
            return end(places, secant(0, k), (count > 2).then(|| secant(1, k)), [0, 1, 2]);
        }
        if i == count - 1 {
            let before = (count > 2).then(|| secant(count - 3, k));
            let n = count - 1;
            return end(places, secant(count - 2, k), before, [n, n - 1, n.saturating_sub(2)]);
        }
        let (a, b) = (secant(i - 1, k), secant(i, k));
        if a * b <= 0.0 {
            return 0.0;
        }
        let (h, j) = (places[i] - places[i - 1], places[i + 1] - places[i]);
        let (u, v) = (2.0 * j + h, j + 2.0 * h);
        (u + v) / (u / a + v / b)
    };
    (0..count).map(|i| std::array::from_fn(|k| at(i, k))).collect()
}

/// The slope at an end by a parabola through three places, kept so that nothing turns back.
fn end(places: &[f64], near: f64, far: Option<f64>, [a, b, c]: [usize; 3]) -> f64 {
    let Some(far) = far else { return near };
    let (h, j) = ((places[b] - places[a]).abs(), (places[c] - places[b]).abs());
    let slope = ((2.0 * h + j) * near - h * far) / (h + j);
    if slope * near <= 0.0 {
        0.0
    } else if near * far <= 0.0 && slope.abs() > 3.0 * near.abs() {
        3.0 * near
    } else {
        slope
    }
}

/// The cubic from `a` to `b`, `length` apart, with slopes `p` and `q`, at `u` (0 to 1) of the way.
pub(super) fn hermite(a: f64, b: f64, p: f64, q: f64, length: f64, u: f64) -> f64 {
    let (v, uu) = (1.0 - u, u * u);
    a * (1.0 + 2.0 * u) * v * v + b * uu * (3.0 - 2.0 * u) + length * (p * u * v * v - q * uu * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.16's `PchipInterpolator([0, 1, 3, 4], …)`.
    #[test]
    fn it_is_the_pchip_of_scipy() {
        let places = [0.0, 1.0, 3.0, 4.0];
        let rising = [
            (0.25, 0.6238839285714285),
            (0.5, 1.2053571428571428),
            (1.5, 2.300497658079625),
            (2.75, 2.7827868852459017),
            (3.5, 5.483265027322405),
        ];
        let turning = [
            (0.25, 0.7109375000000001),
            (0.5, 1.3541666666666667),
            (1.5, 1.84375),
            (2.75, 1.04296875),
            (3.5, 1.1458333333333335),
        ];
        for (values, wanted) in [([0.0, 2.0, 3.0, 10.0], rising), ([0.0, 2.0, 1.0, 1.5], turning)] {
            let values = values.map(|x| [x; 4]);
            let slopes = slopes(&places, &values);
            for (at, want) in wanted {
                let i = places.iter().rposition(|&p| p <= at).unwrap().min(2);
                let length = places[i + 1] - places[i];
                let [a, b] = [values[i][0], values[i + 1][0]];
                let u = (at - places[i]) / length;
                let got = hermite(a, b, slopes[i][0], slopes[i + 1][0], length, u);
                assert!((got - want).abs() < 1e-12, "{at}: {got}, not {want}");
            }
        }
    }
}
