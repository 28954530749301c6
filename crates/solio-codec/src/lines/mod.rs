//! Many lines of numbers of one shape to arrays, as in the bodies of OBJ files:
//! `v 0.439019 -0.159939 0.756944`, `f 63823/1/1 63824/2/1 63887/3/1`; and of PLY files.
//!
//! Only what is plain is taken: single blanks, numbers of at most eight digits on either side of
//! the point, lines of one shape after another. A reader passes everything else to
//! [`number::parse`](crate::number::parse), which is also the twin that tests compare with.
//!
//! Why it is fast (`solio bench mesh`, ns per number, one core with AVX-512: 2.2 for indices, 6.8
//! for floats; with AVX2 2.7 and 8.2):
//! * the bytes that are no digits are found 64 at once, and their positions and values laid down
//!   in two small arrays; a line then has the right shape when a few bytes of the second array
//!   are equal to those of the line before: no branch per word;
//! * the digits between two of them are moved to the top of a 64-bit word, where leading zeros
//!   cost nothing, and words become integers eight at once, without a branch on their length;
//! * `int · 10^n + fraction` is exact in an f64, and so is `10^n`: one division rounds.

mod cells;
#[cfg(target_arch = "x86_64")]
mod kernel;
mod shape;
#[cfg(test)]
mod tests;

pub use cells::Cell;
use shape::{FaceShape, RowShape};
use solio_base::cpu::{Tier, tier};

/// Text looked at in one go; with what is made of it, it fits the first-level cache.
const WINDOW: usize = 8192;

/// The first window of a run. Windows double as long as a run goes on, so that short runs do not
/// pay for text that is not theirs.
const FIRST_WINDOW: usize = 512;

/// Bytes that must follow the text of a run, whatever they are.
pub const PAD: usize = 64;

const NONE: u32 = u32::MAX;

/// Entries of the window's arrays.
const ROOM: usize = WINDOW + 64;

/// Working memory, to be used again and again.
pub struct Reader {
    tier: Tier,
    window: Box<Window>,
}

/// What a window of text consists of. *Marks* are the bytes that are not part of a number.
struct Window {
    /// Position of each mark in the window.
    at: [u16; ROOM],
    /// The mark itself.
    marks: [u8; ROOM],
    /// The digits before each mark, at the top of a word.
    words: [u64; ROOM],
    /// The value of those digits, 0 where there are none.
    values: [u32; ROOM],
}

/// Where the corners of faces go. Indices become 0-based.
#[derive(Debug)]
pub struct FaceArrays<'a> {
    /// The vertex of each corner.
    pub vertices: &'a mut Vec<u32>,
    /// The UV of each corner, `u32::MAX` for none; may be shorter, all that is missing is none.
    pub uvs: &'a mut Vec<u32>,
    /// The normal of each corner, as `uvs`.
    pub normals: &'a mut Vec<u32>,
    /// Past the last corner of each face.
    pub ends: &'a mut Vec<u32>,
}

impl Default for Reader {
    fn default() -> Self {
        Reader::on(tier())
    }
}

impl Reader {
    /// A reader with the kernel of a tier that this machine has. Below AVX2 there is none, and
    /// nothing is taken.
    pub fn on(tier: Tier) -> Self {
        let window =
            Window { at: [0; ROOM], marks: [0; ROOM], words: [0; ROOM], values: [0; ROOM] };
        Reader { tier, window: Box::new(window) }
    }

    /// Takes lines `KEY x y …` of `N` numbers with a point, `-` before them or not, from
    /// `text[at..end]` as long as they are plain; returns where it stopped.
    ///
    /// `text[at]` starts a line, and [`PAD`] more bytes follow `end`.
    ///
    /// # Panics
    /// When fewer bytes follow.
    pub fn rows<const N: usize>(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        key: &[u8],
        out: &mut Vec<[f32; N]>,
    ) -> usize {
        let mut size = FIRST_WINDOW;
        while text[at..end].starts_with(key) {
            let len = size.min(end - at);
            let Some(marks) = self.fill(&text[at..], len, true) else { break };
            let mut taken = 0;
            while let Some(shape) = RowShape::new::<N>(self.window.marks_at(taken, marks), key) {
                let count = shape.count(&self.window, taken, marks);
                let window = &self.window;
                if count == 0 || !window.take_rows(&text[at..], taken, count, &shape, out) {
                    break;
                }
                taken += count * shape.len();
            }
            let Some(used) = self.window.used(taken) else { break };
            at += used;
            size = (2 * size).min(WINDOW);
        }
        at
    }

    /// Takes faces with 1-based indices from `text[at..end]` as long as they are plain; returns
    /// where it stopped. As [`Reader::rows`] otherwise.
    ///
    /// # Panics
    /// When fewer than [`PAD`] bytes follow `end`.
    pub fn faces(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        out: &mut FaceArrays<'_>,
    ) -> usize {
        let mut size = FIRST_WINDOW;
        while text[at..end].starts_with(b"f ") {
            let len = size.min(end - at);
            let Some(marks) = self.fill(&text[at..], len, false) else { break };
            let mut taken = 0;
            while let Some(shape) = FaceShape::new(&self.window, taken, marks) {
                let count = shape.count(&self.window, taken, marks);
                if count == 0 || !self.window.take_faces(taken, count, &shape, out) {
                    break;
                }
                taken += count * shape.len();
            }
            let Some(used) = self.window.used(taken) else { break };
            at += used;
            size = (2 * size).min(WINDOW);
        }
        at
    }

    /// Fills the window from `text[..len]`; returns the number of marks. `None` where a number
    /// is too long, or where there is no kernel.
    fn fill(&mut self, text: &[u8], len: usize, signed: bool) -> Option<usize> {
        assert!(len <= WINDOW && text.len() >= len + PAD, "padding after the text");
        #[cfg(target_arch = "x86_64")]
        return kernel::fill(self.tier, text, len, signed, &mut self.window);
        #[cfg(not(target_arch = "x86_64"))]
        return None;
    }
}

impl Window {
    fn marks_at(&self, from: usize, to: usize) -> &[u8] {
        &self.marks[from..to]
    }

    /// Bytes up to and with the mark before number `taken`, a line end; `None` at the start.
    fn used(&self, taken: usize) -> Option<usize> {
        (taken > 0).then(|| self.at[taken - 1] as usize + 1)
    }

    /// Appends `count` rows from mark `from` on; or none, and returns `false`.
    fn take_rows<const N: usize>(
        &self,
        text: &[u8],
        from: usize,
        count: usize,
        shape: &RowShape,
        out: &mut Vec<[f32; N]>,
    ) -> bool {
        const POWERS: [f64; 8] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
        let len = shape.len();
        let range = from..from + count * len;
        let at = self.at[range.clone()].chunks_exact(len);
        let values = self.values[range].chunks_exact(len);
        let mut plain = true;
        let before = out.len();
        out.resize(before + count, [0.0; N]);
        for ((at, values), row) in at.zip(values).zip(&mut out[before..]) {
            let at = &at[shape.blank..shape.blank + 2 * N + 1];
            let values = &values[shape.blank..shape.blank + 2 * N + 1];
            for (i, value) in row.iter_mut().enumerate() {
                let (start, point, end) = (at[2 * i], at[2 * i + 1], at[2 * i + 2]);
                let digits = end.wrapping_sub(point).wrapping_sub(1);
                plain &= (digits.wrapping_sub(1) < 7) & (text[point as usize + 1] != b'-');
                let power = POWERS[digits as usize & 7];
                let whole = f64::from(values[2 * i + 1]) * power + f64::from(values[2 * i + 2]);
                let negative = u32::from(text[start as usize + 1] == b'-');
                *value = f32::from_bits(((whole / power) as f32).to_bits() | negative << 31);
            }
        }
        if !plain {
            out.truncate(before);
        }
        plain
    }

    /// Appends `count` faces from mark `from` on; or none, and returns `false`.
    fn take_faces(
        &self,
        from: usize,
        count: usize,
        shape: &FaceShape,
        out: &mut FaceArrays<'_>,
    ) -> bool {
        let range = from..from + count * shape.len();
        let values = &self.values[range];
        let before = out.vertices.len();
        let mut plain = shape.copy(values, 0, out.vertices);
        let has_uvs = shape.parts > 1 && !shape.empty_uvs;
        let (uvs, normals) = (out.uvs.len(), out.normals.len());
        if has_uvs {
            out.uvs.resize(before, NONE);
            plain &= shape.copy(values, 1, out.uvs);
        } else if shape.empty_uvs {
            plain &= shape.all_empty(&self.at[from..from + count * shape.len()], 1);
        }
        if shape.parts > 2 {
            out.normals.resize(before, NONE);
            plain &= shape.copy(values, 2, out.normals);
        }
        if !plain {
            out.vertices.truncate(before);
            out.uvs.truncate(uvs);
            out.normals.truncate(normals);
            return false;
        }
        let corners = shape.corners;
        out.ends.extend((1..=count).map(|i| (before + i * corners) as u32));
        true
    }
}
