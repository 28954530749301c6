//! Short words as one number.

/// What words of the same length but other letters mostly do not share: their first and last bytes.
/// Two words are the same only if all their bytes are; this finds the one to compare with.
#[inline(always)]
pub(super) const fn key(word: &[u8]) -> u64 {
    let bytes = match (word.last_chunk::<8>(), word.first_chunk::<4>(), word.last_chunk::<4>()) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (_, Some(first), Some(last)) => {
            u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << 32
        }
        _ => match word {
            [a, b, c] => u32::from_le_bytes([*a, *b, *c, 0]) as u64,
            _ => return 0,
        },
    };
    bytes.wrapping_add(word.len() as u64 | (word[0] as u64) << 17)
}

/// Whether two words are the same; sooner than by a call where they are not long.
#[inline(always)]
pub(crate) fn is_same(word: &[u8], other: &[u8]) -> bool {
    if word.len() != other.len() {
        return false;
    }
    match (word.len(), word.first_chunk::<8>(), word.last_chunk::<8>()) {
        (..=16, Some(first), Some(last)) => {
            other.first_chunk() == Some(first) && other.last_chunk() == Some(last)
        }
        (4.., None, None) => {
            word.first_chunk::<4>() == other.first_chunk()
                && word.last_chunk::<4>() == other.last_chunk()
        }
        _ => word == other,
    }
}

/// Bytes that [`plain_length`] looks at.
pub(super) const NEAR: usize = 24;

/// How many bytes stand before the first blank, quote or backslash, if they are fewer than
/// [`NEAR`]; `None` also near the end of the text.
/// Control characters and `!` count as blanks here.
#[inline(always)]
pub(super) fn plain_length(text: &[u8]) -> Option<usize> {
    let words: &[[u8; 8]; 3] = text.first_chunk::<NEAR>()?.as_chunks().0.try_into().ok()?;
    for (n, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let ones = 0x0101_0101_0101_0101u64;
        let backslash = word ^ (ones * b'\\' as u64);
        // Upper bits of bytes below '#' and of zero ones. Borrows go to higher bytes alone, and the
        // lowest one counts.
        let below = word.wrapping_sub(ones * b'#' as u64) & !word;
        let zero = backslash.wrapping_sub(ones) & !backslash;
        let found = (below | zero) & (ones << 7);
        if found != 0 {
            return Some(8 * n + found.trailing_zeros() as usize / 8);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn plain_lengths_are_those_found_byte_by_byte(
            text in prop_oneof![
                "[ -~\t\n]{0,40}".prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..40),
                "[A-Za-z\u{e9}]{0,30}[ \"\\\\]?[a-z]{0,30}".prop_map(String::into_bytes),
            ],
        ) {
            let ends = |byte: &u8| *byte < b'#' || *byte == b'\\';
            let near = text.get(..NEAR);
            prop_assert_eq!(plain_length(&text), near.and_then(|near| near.iter().position(ends)));
        }

        #[test]
        fn words_are_the_same_whose_bytes_are(word in "[ab]{0,20}", other in "[ab]{0,20}", at: prop::sample::Index) {
            prop_assert_eq!(is_same(word.as_bytes(), other.as_bytes()), word == other);
            prop_assert!(is_same(word.as_bytes(), word.as_bytes()));
            let mut changed = word.clone().into_bytes();
            if !changed.is_empty() {
                changed[at.index(word.len())] = b'c';
                prop_assert!(!is_same(word.as_bytes(), &changed));
            }
        }

        #[test]
        fn other_words_have_no_key_of_a_type(word in "[a-z0-9]{0,12}") {
            use crate::pbrt::ParameterType;
            let known = ParameterType::of_word(word.as_bytes());
            prop_assert!(known.is_none_or(|kind| [kind.name(), kind.older_name()].contains(&&*word)));
        }
    }
}
