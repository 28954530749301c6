//! Which names a table has, told when it is compiled: a list of fields then rules a maker's tables
//! out without a look at them.

/// Bits: a text of a thousand names fills an eighth of them.
const BITS: usize = 1 << 14;

/// The names of a text of tables, as bits: it may hold a name too many, but lacks none.
pub(crate) struct TableNames([u64; BITS / 64]);

impl TableNames {
    /// The second columns of all lines that are neither notes nor heads of tables.
    pub(crate) const fn of(text: &str) -> TableNames {
        let mut bits = [0; BITS / 64];
        let text = text.as_bytes();
        let mut at = 0;
        while at < text.len() {
            let is_row = !matches!(text[at], b'#' | b'[');
            let (mut column, mut sum) = (0, START);
            while at < text.len() && text[at] != b'\n' {
                match text[at] {
                    b'\t' => column += 1,
                    letter if column == 1 => sum = step(sum, letter),
                    _ => {}
                }
                at += 1;
            }
            at += 1;
            if is_row && column > 0 {
                let mut part = 0;
                while part < 2 {
                    let bit = place(sum, part);
                    bits[bit / 64] |= 1 << (bit % 64);
                    part += 1;
                }
            }
        }
        TableNames(bits)
    }

    /// Whether the name of this [`hash`] may be there.
    pub(crate) fn may_have(&self, hash: u32) -> bool {
        (0..2).all(|part| {
            let bit = place(hash, part);
            self.0[bit / 64] >> (bit % 64) & 1 == 1
        })
    }
}

const START: u32 = 0x811c_9dc5;

/// Fowler, Noll and Vo, without a difference between small letters and capitals.
const fn step(sum: u32, letter: u8) -> u32 {
    (sum ^ letter.to_ascii_lowercase() as u32).wrapping_mul(0x0100_0193)
}

const fn place(sum: u32, part: u32) -> usize {
    (sum >> (16 * part)) as usize % BITS
}

/// The sum of a name's letters, small or capital.
pub(crate) fn hash(name: &str) -> u32 {
    name.bytes().fold(START, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_and_few_others() {
        const TEXT: &str = "# Some\tNote\n[table]\n1\tMake\t-\n2\tModelName\n0x3\tImageWidth\t-\t-";
        static NAMES: TableNames = TableNames::of(TEXT);
        for name in ["Make", "modelname", "IMAGEWIDTH"] {
            assert!(NAMES.may_have(hash(name)), "{name}");
        }
        let others = (0..1000).filter(|n| NAMES.may_have(hash(&format!("Other{n}"))));
        assert!(others.count() < 3);
        assert!(!NAMES.may_have(hash("Note")) && !NAMES.may_have(hash("")));
    }
}
