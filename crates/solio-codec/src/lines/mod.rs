//! Many lines of numbers of one shape to arrays, as in the bodies of OBJ files:
//! `v 0.439019 -0.159939 0.756944`, `f 63823/1/1 63824/2/1 63887/3/1`; and of PLY files.
//!
//! Only what is plain is taken: lines that hold as many numbers as they should and nothing else, and
//! faces with single blanks and indices of at most eight digits. A reader passes everything else to
//! [`number::parse`](crate::number::parse), which is also the twin that tests compare with.
//!
//! Why it is fast (ns per number, one core with AVX-512: 1.5 for indices, 2.1 for floats; number by
//! number they take 3.1 and 5):
//! * the bytes that are no digits are found 64 at once, and their positions and values laid down
//!   in two small arrays; a line then has the right shape when a few bytes of the second array
//!   are equal to those of the line before: no branch per word;
//! * words become integers eight at once, without a branch on their length: their digits are moved
//!   to the end of eight bytes each, where leading zeros cost nothing;
//! * lines of floats go another way, see `floats.rs` and `rows.rs`;
//! * lines that look like lines before are known to AVX2, see `known.rs`: no more is done than to compare
//!   them, and to make numbers of the digits.

mod cells;
mod float_lines;
#[cfg(target_arch = "x86_64")]
mod floats;
#[cfg(target_arch = "x86_64")]
mod index_lines;
#[cfg(target_arch = "x86_64")]
mod index_lines_avx2;
#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod known;
#[cfg(target_arch = "x86_64")]
mod known_avx2;
mod line_pattern;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod rows;
#[cfg(target_arch = "x86_64")]
mod rows_avx2;
#[cfg(test)]
mod tests;

pub use cells::CellType;
use float_lines::LineForm;
use line_pattern::FaceShape;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use rows::FoundNumbers;
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
///
/// ```
/// use solio_codec::lines::{PAD, LineReader};
/// let mut text = b"v 1.0 2.0 3.0\nv -4.5 5.25 6.0\n# no vertex\n".to_vec();
/// let end = text.len();
/// text.resize(end + PAD, 0);
/// let mut positions: Vec<[f32; 3]> = Vec::new();
/// let at = LineReader::default().rows(&text, 0, end, b"v ", &mut positions);
/// // How far it comes hangs on the machine; what it takes are whole lines, and never the comment.
/// assert!(text[at..end].ends_with(b"# no vertex\n") && (at == 0 || text[at - 1] == b'\n'));
/// assert_eq!(positions, [[1.0, 2.0, 3.0], [-4.5, 5.25, 6.0]][..positions.len()]);
/// ```
pub struct LineReader {
    tier: Tier,
    window: Box<TextWindow>,
    #[cfg(target_arch = "x86_64")]
    floats: Option<Box<floats::FloatWindow>>,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    found: Box<FoundNumbers>,
    #[cfg(target_arch = "x86_64")]
    known: Box<index_lines_avx2::KnownIndexLines>,
}

/// What a window of text consists of. *Marks* are the bytes that are not part of a number.
struct TextWindow {
    /// Position of each mark in the window.
    at: [u16; ROOM],
    /// The mark itself.
    marks: [u8; ROOM],
    /// All digits, where a kernel wants them.
    #[cfg(target_arch = "x86_64")]
    digits: [u8; ROOM],
    /// The digits before each mark, at the top of a word; where a kernel wants them.
    words: [u64; ROOM],
    /// The value of those digits, 0 where there are none.
    values: [u32; ROOM],
}

/// Where the corners of faces go. Indices become 0-based.
///
/// ```
/// use solio_codec::lines::{FaceArrays, PAD, LineReader};
/// let text = [&b"f 1/5 2/6 3/7\n"[..], &[0; PAD]].concat();
/// let (mut vertices, mut uvs, mut normals, mut ends) = (vec![], vec![], vec![], vec![]);
/// let mut faces = FaceArrays {
///     vertices: &mut vertices,
///     uvs: &mut uvs,
///     normals: &mut normals,
///     ends: &mut ends,
/// };
/// LineReader::default().faces(&text, 0, text.len() - PAD, &mut faces);
/// // Where the machine has a kernel: one face of three corners. Without normals theirs stay empty.
/// if ends == [3] {
///     assert_eq!((vertices, uvs), (vec![0, 1, 2], vec![4, 5, 6]));
/// }
/// assert!(normals.is_empty());
/// ```
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

/// What the numbers of a line become, or parts of them.
///
/// # Safety
/// It consists of so many floats.
unsafe trait FloatRow {
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const FLOATS: usize;
}

// SAFETY: one is one.
unsafe impl FloatRow for f32 {
    const FLOATS: usize = 1;
}

// SAFETY: arrays have no gaps.
unsafe impl<const N: usize> FloatRow for [f32; N] {
    const FLOATS: usize = N;
}

impl Default for LineReader {
    fn default() -> Self {
        LineReader::on(tier())
    }
}

impl LineReader {
    /// A reader with the kernel of a tier that this machine has. Below AVX2 and
    /// NEON there is none, and nothing is taken.
    ///
    /// ```
    /// use solio_base::cpu::{Tier, available};
    /// use solio_codec::lines::{PAD, LineReader};
    /// let text = [&b"vt 0.5 0.25\nvt 1 x\n"[..], &[0; PAD]].concat();
    /// for tier in available() {
    ///     let mut uvs: Vec<[f32; 2]> = Vec::new();
    ///     let at = LineReader::on(tier).rows(&text, 0, text.len() - PAD, b"vt ", &mut uvs);
    ///     // The second line has a word that is not a number.
    ///     assert!(at <= 12 && uvs.iter().all(|uv| *uv == [0.5, 0.25]));
    ///     assert!(at == 0 || tier >= Tier::Avx2);
    /// }
    /// ```
    pub fn on(tier: Tier) -> Self {
        let window = TextWindow {
            at: [0; ROOM],
            marks: [0; ROOM],
            #[cfg(target_arch = "x86_64")]
            digits: [0; ROOM],
            words: [0; ROOM],
            values: [0; ROOM],
        };
        LineReader {
            tier,
            window: Box::new(window),
            #[cfg(target_arch = "x86_64")]
            floats: floats::FloatWindow::on(tier),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            found: Box::default(),
            #[cfg(target_arch = "x86_64")]
            known: Box::default(),
        }
    }

    /// Takes lines `KEY x y …` of `N` numbers from `text[at..end]` as long as they are plain; returns
    /// where it stopped.
    ///
    /// `text[at]` starts a line, and [`PAD`] more bytes follow `end`.
    ///
    /// # Panics
    /// When fewer bytes follow.
    ///
    /// ```
    /// use solio_codec::{lines::{PAD, LineReader}, number::parse::f32_prefix};
    /// let text = [&b"vn 0.0 1.0 0.0\nvn\t1e0 0.0 0.0\n"[..], &[0; PAD]].concat();
    /// let mut normals: Vec<[f32; 3]> = Vec::new();
    /// let mut at = LineReader::default().rows(&text, 0, text.len() - PAD, b"vn ", &mut normals);
    /// // It stops before a line that is not plain, as that with a tab, which is read by itself.
    /// while text[at..].starts_with(b"vn") {
    ///     at += 2;
    ///     normals.push([(); 3].map(|_| {
    ///         let (number, bytes) = f32_prefix(&text[at + 1..]).unwrap();
    ///         at += 1 + bytes;
    ///         number
    ///     }));
    ///     at += 1;
    /// }
    /// assert_eq!(normals, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
    /// ```
    pub fn rows<const N: usize>(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        key: &[u8],
        out: &mut Vec<[f32; N]>,
    ) -> usize {
        let form = LineForm { key, cells: &[CellType::Float; N] };
        self.float_lines(text, at, end, form, usize::MAX, out)
    }

    /// Takes faces with 1-based indices from `text[at..end]` as long as they are plain; returns
    /// where it stopped. As [`LineReader::rows`] otherwise.
    ///
    /// # Panics
    /// When fewer than [`PAD`] bytes follow `end`.
    ///
    /// ```
    /// use solio_codec::lines::{FaceArrays, PAD, LineReader};
    /// let text = [&b"f 1 2 3\nf 2 3 4 5\nf -1 -2 -3\n"[..], &[0; PAD]].concat();
    /// let [mut vertices, mut uvs, mut normals, mut ends] = [(); 4].map(|_| Vec::new());
    /// let mut out = FaceArrays {
    ///     vertices: &mut vertices,
    ///     uvs: &mut uvs,
    ///     normals: &mut normals,
    ///     ends: &mut ends,
    /// };
    /// let at = LineReader::default().faces(&text, 0, text.len() - PAD, &mut out);
    /// // Indices from the end are not plain, so the third face is left on any machine.
    /// assert!(text[at..].ends_with(&[b"f -1 -2 -3\n", &[0; PAD][..]].concat()));
    /// assert_eq!(vertices, [0, 1, 2, 1, 2, 3, 4][..vertices.len()]);
    /// assert_eq!(ends, [3, 7][..ends.len()]);
    /// ```
    pub fn faces(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        out: &mut FaceArrays<'_>,
    ) -> usize {
        let (mut size, mut wide) = (FIRST_WINDOW, false);
        while text[at..end].starts_with(b"f ") {
            let (known, next) = self.known(text, at, end, false, usize::MAX, out);
            if known > 0 {
                at = next;
                size = if known < 32 { size } else { FIRST_WINDOW };
                continue;
            }
            let len = size.min(end - at);
            let Some(marks) = self.fill(&text[at..], len, wide) else { break };
            let mut taken = 0;
            while let Some(shape) = FaceShape::new(&self.window, taken, marks) {
                let count = shape.count(&self.window, taken, marks);
                if count == 0 || !self.window.take_faces(taken, count, &shape, out) {
                    break;
                }
                taken += count * shape.len();
            }
            match self.window.used(taken) {
                Some(used) => at += used,
                None if wide => break,
                None => wide = true,
            }
            size = (2 * size).min(WINDOW);
        }
        at
    }

    /// Takes lines of faces or lists that are known; returns how many, and where it stopped.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    fn known(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        is_list: bool,
        most: usize,
        out: &mut FaceArrays<'_>,
    ) -> (usize, usize) {
        #[cfg(target_arch = "x86_64")]
        if self.tier == Tier::Avx2 {
            assert!(text.len() >= end + PAD, "padding after the text");
            // SAFETY: the machine has this tier, and 64 bytes follow `end`.
            return unsafe { self.known.take(text, at, end, is_list, most, out) };
        }
        (0, at)
    }

    /// Fills the window from `text[..len]`; returns the number of marks. `None` where a number
    /// is too long, or where there is no kernel. Without `wide` a kernel may give a number of eight digits
    /// a digit as its mark.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    fn fill(&mut self, text: &[u8], len: usize, wide: bool) -> Option<usize> {
        assert!(len <= WINDOW && text.len() >= len + PAD, "padding after the text");
        #[cfg(target_arch = "x86_64")]
        return kernel::fill(self.tier, text, len, wide, &mut self.window);
        #[cfg(target_arch = "aarch64")]
        return neon::fill(self.tier, text, len, &mut self.window);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        return None;
    }
}

impl TextWindow {
    /// Bytes up to and with the mark before number `taken`, a line end; `None` at the start.
    fn used(&self, taken: usize) -> Option<usize> {
        (taken > 0).then(|| self.at[taken - 1] as usize + 1)
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
