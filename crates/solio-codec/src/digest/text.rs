//! Digests as text.

use super::{Algorithm, Digest};
use std::fmt::{Display, Formatter, Result};

/// Letters of a C4 ID.
const C4_LETTERS: usize = 90;
const C4_HEAD: &str = "c4";

impl Display for Digest {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.algorithm == Algorithm::C4 {
            // Shorter numbers stand behind the digit for zero.
            let number = bs58::encode(self.as_bytes()).into_string();
            let zeros = C4_LETTERS - C4_HEAD.len();
            return write!(f, "{C4_HEAD}{number:1>zeros$}");
        }
        let mut text = [0; 128];
        let text = &mut text[..2 * self.as_bytes().len()];
        // The length is twice that of the bytes, so this does not fail.
        hex::encode_to_slice(self.as_bytes(), text).map_err(|_| std::fmt::Error)?;
        f.write_str(std::str::from_utf8(text).map_err(|_| std::fmt::Error)?)
    }
}

impl Digest {
    /// From its text, hexadecimal digits in any case; `None` for anything else.
    pub fn from_text(algorithm: Algorithm, text: &str) -> Option<Digest> {
        let mut bytes = [0; 64];
        if algorithm == Algorithm::C4 {
            if text.len() != C4_LETTERS {
                return None;
            }
            let number = bs58::decode(text.strip_prefix(C4_HEAD)?).into_vec().ok()?;
            let first = number.iter().position(|b| *b != 0).unwrap_or(number.len());
            let start = bytes.len().checked_sub(number.len() - first)?;
            bytes[start..].copy_from_slice(&number[first..]);
        } else {
            hex::decode_to_slice(text, bytes.get_mut(..algorithm.digest_bytes())?).ok()?;
        }
        Some(Digest { algorithm, bytes })
    }
}
