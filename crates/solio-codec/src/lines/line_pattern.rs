//! The shape of a line: its marks. Lines of one shape need no further look.

use super::{NONE, TextWindow};

/// Marks of a line to compare others with, at most 32.
struct LinePattern {
    low: [u128; 2],
    mask: [u128; 2],
    len: usize,
}

impl LinePattern {
    fn new(marks: &[u8]) -> Option<Self> {
        let mut bytes = [[0u8; 16]; 2];
        bytes.as_flattened_mut().get_mut(..marks.len())?.copy_from_slice(marks);
        let mask = |used: usize| match used {
            0 => 0,
            1..16 => (1u128 << (8 * used)) - 1,
            _ => u128::MAX,
        };
        Some(LinePattern {
            low: bytes.map(u128::from_le_bytes),
            mask: [mask(marks.len()), mask(marks.len().saturating_sub(16))],
            len: marks.len(),
        })
    }

    #[inline(always)]
    fn fits(&self, marks: &[u8; 32]) -> bool {
        let (low, high) = marks.split_at(16);
        let low = u128::from_le_bytes(low.try_into().expect("16 of 32"));
        if self.len <= 16 {
            return low & self.mask[0] == self.low[0];
        }
        let high = u128::from_le_bytes(high.try_into().expect("16 of 32"));
        low == self.low[0] && high & self.mask[1] == self.low[1]
    }

    /// How many lines from mark `from` on, of `marks` marks in all, have this pattern, with
    /// nothing between their first `head` marks and their last `tail` ones.
    #[inline(always)]
    fn count(
        &self,
        window: &TextWindow,
        from: usize,
        marks: usize,
        head: usize,
        tail: usize,
    ) -> usize {
        let mut line = from;
        let mut start = if from == 0 { 0 } else { window.at[from - 1].wrapping_add(1) };
        while line + self.len <= marks {
            let Some(bytes) = window.marks[line..].first_chunk() else { break };
            let at = &window.at[line..line + self.len];
            let last = at[self.len - 1];
            let close = at[head - 1].wrapping_sub(start) as usize == head - 1
                && at[0] == start
                && last.wrapping_sub(at[self.len - tail]) as usize == tail - 1;
            if !close || !self.fits(bytes) {
                break;
            }
            start = last.wrapping_add(1);
            line += self.len;
        }
        (line - from) / self.len
    }
}

/// Marks of the line end: 1, or 2 with a carriage return; and of the line up to it.
fn line(marks: &[u8]) -> Option<(&[u8], usize)> {
    // A line with more marks fits no pattern.
    let len = marks.iter().take(32).position(|&m| m == b'\n')?;
    match marks[..len].strip_suffix(b"\r") {
        Some(body) => Some((body, 2)),
        None => Some((&marks[..len], 1)),
    }
}

/// `f a/b/c …`.
pub(super) struct FaceShape {
    pattern: LinePattern,
    /// Numbers of a corner, also the empty one of `a//c`.
    pub(super) parts: usize,
    pub(super) corners: usize,
    pub(super) empty_uvs: bool,
    tail: usize,
}

impl FaceShape {
    /// The shape of the line that starts at mark `from`.
    pub(super) fn new(window: &TextWindow, from: usize, marks: usize) -> Option<Self> {
        let marks = &window.marks[from..marks];
        let (body, tail) = line(marks)?;
        let rest = body.strip_prefix(b"f ")?;
        let parts = 1 + rest.iter().take_while(|&&m| m == b'/').count();
        let corners = (rest.len() + 1) / parts;
        let plain =
            |(i, &mark): (usize, &u8)| mark == if (i + 1) % parts == 0 { b' ' } else { b'/' };
        if parts > 3
            || corners < 3
            || !(rest.len() + 1).is_multiple_of(parts)
            || !rest.iter().enumerate().all(plain)
        {
            return None;
        }
        let pattern = LinePattern::new(&marks[..body.len() + tail])?;
        let empty_uvs = parts == 3 && window.at[from + 3] - window.at[from + 2] == 1;
        Some(FaceShape { pattern, parts, corners, empty_uvs, tail })
    }

    pub(super) fn len(&self) -> usize {
        self.pattern.len
    }

    pub(super) fn count(&self, window: &TextWindow, from: usize, marks: usize) -> usize {
        self.pattern.count(window, from, marks, 2, self.tail)
    }

    /// Appends part `part` of every corner, 0-based; `false` where one is empty or 0.
    pub(super) fn copy(&self, values: &[u32], part: usize, out: &mut Vec<u32>) -> bool {
        match (self.parts, self.corners) {
            (3, 4) => self.copy_as::<3, 4>(values, part, out),
            (3, 3) => self.copy_as::<3, 3>(values, part, out),
            (2, 4) => self.copy_as::<2, 4>(values, part, out),
            (2, 3) => self.copy_as::<2, 3>(values, part, out),
            (1, 4) => self.copy_as::<1, 4>(values, part, out),
            (1, 3) => self.copy_as::<1, 3>(values, part, out),
            _ => {
                let mut least = NONE;
                for line in values.chunks_exact(self.len()) {
                    let corners = line[2..].chunks(self.parts).take(self.corners);
                    for corner in corners {
                        least = least.min(corner[part]);
                        out.push(corner[part].wrapping_sub(1));
                    }
                }
                least > 0
            }
        }
    }

    #[inline(always)]
    fn copy_as<const PARTS: usize, const CORNERS: usize>(
        &self,
        values: &[u32],
        part: usize,
        out: &mut Vec<u32>,
    ) -> bool {
        let len = 2 + PARTS * CORNERS + self.tail - 1;
        let count = values.len() / len * CORNERS;
        out.reserve(count);
        let rows = out.spare_capacity_mut()[..count].as_chunks_mut::<CORNERS>().0;
        // Values are below 2^31; of 0 all bits get set.
        let mut bits = 0;
        for (line, row) in values.chunks_exact(len).zip(rows) {
            let line = &line[2 + part..2 + part + PARTS * (CORNERS - 1) + 1];
            for (i, value) in row.iter_mut().enumerate() {
                let index = line[i * PARTS].wrapping_sub(1);
                bits |= index;
                value.write(index);
            }
        }
        // SAFETY: so many were written.
        unsafe { out.set_len(out.len() + count) };
        bits >> 31 == 0
    }

    /// Whether part `part` of every corner is empty.
    pub(super) fn all_empty(&self, at: &[u16], part: usize) -> bool {
        at.chunks_exact(self.len()).all(|line| {
            (0..self.corners).all(|corner| {
                let mark = 2 + corner * self.parts + part;
                line[mark] - line[mark - 1] == 1
            })
        })
    }
}
