//! Symbols of lengths and distances (RFC 1951, section 3.2.5).

/// Symbol, extra bits and their number, of a length from 3 to 258.
#[inline(always)]
pub(super) fn length_symbol(length: u16) -> (usize, u32, u32) {
    if length == 258 {
        return (285, 0, 0);
    }
    let from = u32::from(length) - 3;
    if from < 8 {
        return (257 + from as usize, 0, 0);
    }
    let more = 29 - from.leading_zeros();
    let symbol = 257 + (more << 2) + (from >> more);
    (symbol as usize, from & ((1 << more) - 1), more)
}

/// The same of a distance from 1 to 32768.
#[inline(always)]
pub(super) fn distance_symbol(distance: u16) -> (usize, u32, u32) {
    let from = u32::from(distance) - 1;
    if from < 4 {
        return (from as usize, 0, 0);
    }
    let more = 30 - from.leading_zeros();
    let symbol = (more << 1) + (from >> more);
    (symbol as usize, from & ((1 << more) - 1), more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_those_of_the_tables() {
        // RFC 1951, section 3.2.5.
        let lengths = [3, 10, 11, 12, 13, 18, 19, 35, 66, 67, 114, 115, 130, 131, 257, 258];
        let symbols =
            [257, 264, 265, 265, 266, 268, 269, 273, 276, 277, 279, 280, 280, 281, 284, 285];
        assert_eq!(lengths.map(|l| length_symbol(l).0), symbols);
        let distances = [1, 4, 5, 6, 7, 9, 13, 24, 25, 1025, 16_385, 24_577, 32_768];
        let symbols = [0, 3, 4, 4, 5, 6, 7, 8, 9, 20, 28, 29, 29];
        assert_eq!(distances.map(|d| distance_symbol(d).0), symbols);
    }
}
