//! Powers of ten in 128 bits, made by the compiler from exact ones.

/// The least power of ten in the table, as [`power`] takes it, and the greatest.
pub(super) const LEAST: i32 = -293;
pub(super) const MOST: i32 = 324;

const COUNT: usize = (MOST - LEAST + 1) as usize;

/// 64-bit words of a power while the table is made.
const WORDS: usize = 16;

/// 10^`n` / 2^([`exponent`] − 127), rounded up: its highest bit is set.
#[inline(always)]
pub(super) const fn power(n: i32) -> u128 {
    let [high, low] = POWERS[(n - LEAST) as usize];
    (high as u128) << 64 | low as u128
}

/// The power of two just below or at 10^`n`.
#[inline(always)]
pub(super) const fn exponent(n: i32) -> i32 {
    (n * 1_741_647) >> 19
}

/// The power of ten just below or at 2^`q`; with `narrow`, at ¾ of it.
#[inline(always)]
pub(super) const fn tens(q: i32, narrow: bool) -> i32 {
    (q * 1_262_611 - if narrow { 524_031 } else { 0 }) >> 22
}

/// High and low words, one after the other for a processor that reads both at once.
static POWERS: [[u64; 2]; COUNT] = {
    let mut table = [[0; 2]; COUNT];
    // 5^n, exact.
    let mut five = [0; WORDS];
    five[0] = 1;
    let mut n = 0;
    while n <= MOST {
        table[(n - LEAST) as usize] = top(&five, false);
        let (mut carry, mut i) = (0, 0);
        while i < WORDS {
            let product = five[i] as u128 * 5 + carry;
            five[i] = product as u64;
            carry = product >> 64;
            i += 1;
        }
        n += 1;
    }
    // 2^1023 / 5^n, cut off: as cutting off before the next division changes nothing.
    let mut part = [0; WORDS];
    part[WORDS - 1] = 1 << 63;
    let mut n = -1;
    while n >= LEAST {
        let (mut rest, mut i) = (0, WORDS);
        while i > 0 {
            i -= 1;
            let dividend = rest << 64 | part[i] as u128;
            part[i] = (dividend / 5) as u64;
            rest = dividend % 5;
        }
        table[(n - LEAST) as usize] = top(&part, true);
        n -= 1;
    }
    table
};

/// The highest 128 bits, rounded up; `more`: something was cut off below.
const fn top(words: &[u64; WORDS], more: bool) -> [u64; 2] {
    let mut i = WORDS - 1;
    while words[i] == 0 {
        i -= 1;
    }
    let shift = words[i].leading_zeros();
    let mut all = [0; 3];
    let mut k = 0;
    while k < 3 && k <= i {
        all[k] = words[i - k];
        k += 1;
    }
    let mut value = (all[0] as u128) << 64 | all[1] as u128;
    let mut rest = all[2];
    if shift > 0 {
        value = value << shift | (rest >> (64 - shift)) as u128;
        rest <<= shift;
    }
    let mut below = rest != 0 || more;
    while k <= i {
        below |= words[i - k] != 0;
        k += 1;
    }
    value += below as u128;
    [(value >> 64) as u64, value as u64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    #[test]
    fn powers_are_rounded_up() {
        for n in LEAST..=MOST {
            let shift = 127 - exponent(n);
            let scaled = |power: u128| (BigUint::from(power), shift);
            let (value, shift) = scaled(power(n));
            assert!(value.bits() == 128, "10^{n}");
            // value − 1 < 10^n · 2^shift ≤ value, both sides multiplied until they are whole.
            let ten = BigUint::from(10u8).pow(n.unsigned_abs());
            let (mut left, mut right) = match n < 0 {
                true => (value.clone() * &ten, BigUint::from(1u8)),
                false => (value.clone(), ten.clone()),
            };
            let one = if n < 0 { ten } else { BigUint::from(1u8) };
            match shift < 0 {
                true => left <<= shift.unsigned_abs() as usize,
                false => right <<= shift as usize,
            }
            let one = if shift < 0 { one << shift.unsigned_abs() as usize } else { one };
            assert!(right <= left && left < right + one, "10^{n}");
        }
    }

    #[test]
    fn logarithms_are_cut_off() {
        for q in -1074..=971 {
            for (narrow, times) in [(false, 4u8), (true, 3)] {
                let k = tens(q, narrow);
                // times · 2^(q − 2) as a fraction, against 10^k and 10^(k + 1).
                let two = BigUint::from(1u8) << (q - 2).unsigned_abs() as usize;
                let (mut over, mut under) = (BigUint::from(times), BigUint::from(1u8));
                if q < 2 {
                    under *= &two
                } else {
                    over *= &two
                }
                let at_least = |k: i32| {
                    let ten = BigUint::from(10u8).pow(k.unsigned_abs());
                    if k < 0 { &over * ten >= under } else { over >= &under * ten }
                };
                assert!(at_least(k) && !at_least(k + 1), "2^{q}");
            }
        }
    }
}
