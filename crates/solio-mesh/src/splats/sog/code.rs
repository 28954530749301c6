//! A code of 256 numbers for many: where they are dense its numbers are, too. Lloyd's iteration, of which
//! each step is exact in one dimension.

use super::CODES;

/// Steps; after these little moves.
const STEPS: usize = 40;

/// The numbers of the code, rising.
pub(super) fn code_of(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sorted: Vec<f32> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= CODES {
        distinct.resize(CODES, distinct.last().copied().unwrap_or(0.0));
        return distinct;
    }
    // Sums of all values before each one.
    let mut sums = Vec::with_capacity(sorted.len() + 1);
    sums.push(0.0_f64);
    for value in &sorted {
        sums.push(sums[sums.len() - 1] + f64::from(*value));
    }
    let (low, high) = (f64::from(sorted[0]), f64::from(sorted[sorted.len() - 1]));
    // Half of them where the values are, half evenly: a few far values must not be lost.
    let mut centers: Vec<f64> = (0..CODES / 2)
        .flat_map(|i| {
            let share = (i as f64 + 0.5) / (CODES / 2) as f64;
            let at = (share * (sorted.len() - 1) as f64) as usize;
            [f64::from(sorted[at]), low + share * (high - low)]
        })
        .collect();
    for _ in 0..STEPS {
        centers.sort_unstable_by(f64::total_cmp);
        let mut start = 0;
        let mut has_moved = false;
        for i in 0..CODES {
            let end = match centers.get(i + 1) {
                None => sorted.len(),
                Some(next) => {
                    let border = (centers[i] + next) / 2.0;
                    start + sorted[start..].partition_point(|value| f64::from(*value) <= border)
                }
            };
            if end > start {
                let mean = (sums[end] - sums[start]) / (end - start) as f64;
                has_moved |= mean != centers[i];
                centers[i] = mean;
            }
            start = end;
        }
        if !has_moved {
            break;
        }
    }
    centers.sort_unstable_by(f64::total_cmp);
    centers.into_iter().map(|center| center as f32).collect()
}

/// The place of the number that is nearest; for NaN, the one nearest to 0.
pub(super) fn nearest(code: &[f32], value: f32) -> u8 {
    let value = if value.is_nan() { 0.0 } else { value };
    let after = code.partition_point(|center| *center < value).min(code.len() - 1);
    let before = after.saturating_sub(1);
    let off = |at: usize| (f64::from(code[at]) - f64::from(value)).abs();
    (if off(before) < off(after) { before } else { after }) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_are_kept_and_many_are_near() {
        let few: Vec<f32> = (0..200).map(|i| (i * i) as f32 * 0.25).collect();
        let code = code_of(few.iter().copied().chain(few.iter().copied()));
        assert_eq!(code.len(), CODES);
        assert!(few.iter().all(|value| code[usize::from(nearest(&code, *value))] == *value));
        // A bell of many, and one far away.
        let many: Vec<f32> = (0..20_000).map(|i| (i as f32 * 0.37).sin().powi(3)).collect();
        let code = code_of(many.iter().copied().chain([1000.0]));
        assert!(code.is_sorted());
        let off = |value: f32| (code[usize::from(nearest(&code, value))] - value).abs();
        assert_eq!(off(1000.0), 0.0);
        let mean = many.iter().map(|value| f64::from(off(*value))).sum::<f64>() / 20_000.0;
        assert!(mean < 2.0 / 256.0 / 2.0, "{mean}");
        assert_eq!(code_of([f32::NAN].into_iter()), [0.0; CODES]);
        assert!(nearest(&code, f32::INFINITY) == 255 && nearest(&code, f32::NEG_INFINITY) == 0);
    }
}
