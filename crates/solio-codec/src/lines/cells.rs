//! Lines without a key: one number for each of some cells, or a count and so many indices, as in
//! the bodies of PLY files.
//!
//! Numbers with and without a point may follow one another: many writers leave out `.0`.

use super::float_lines::LineForm;
use super::{FIRST_WINDOW, FaceArrays, LineReader, TextWindow, WINDOW};

/// What stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellType {
    /// A number, with a point or not.
    Float,
    /// A whole number from 0 to 255.
    Byte,
}

impl LineReader {
    /// Takes at most `most` lines that have one number for each of `cells` from `text[at..end]`,
    /// as long as they are plain; appends the numbers to `out` and returns where it stopped.
    ///
    /// `text[at]` starts a line, and [`PAD`](super::PAD) more bytes follow `end`.
    ///
    /// # Panics
    /// When fewer bytes follow.
    pub fn cells(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        cells: &[CellType],
        most: usize,
        out: &mut Vec<f32>,
    ) -> usize {
        self.float_lines(text, at, end, LineForm { key: b"", cells }, most, out)
    }

    /// Takes at most `most` lines of a count and so many whole numbers, as [`LineReader::cells`] does.
    ///
    /// # Panics
    /// When fewer than [`PAD`](super::PAD) bytes follow `end`.
    pub fn lists(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        most: usize,
        values: &mut Vec<u32>,
        counts: &mut Vec<u32>,
    ) -> usize {
        let (mut uvs, mut normals) = (Vec::new(), Vec::new());
        let (uvs, normals) = (&mut uvs, &mut normals);
        let mut out = FaceArrays { vertices: values, uvs, normals, ends: counts };
        let (taken, at) = self.known(text, at, end, true, most, &mut out);
        self.lines(text, at, end, most - taken, |window, mark, marks| {
            if let Some(triangle) = window.triangle(mark, marks) {
                values.extend_from_slice(triangle);
                counts.push(3);
                return Some(mark + 4);
            }
            let count = *window.values[..marks].get(mark)?;
            let next = match count {
                3 => window.list(mark, marks, 3, values)?,
                4 => window.list(mark, marks, 4, values)?,
                _ => window.list(mark, marks, count as usize, values)?,
            };
            counts.push(count);
            Some(next)
        })
    }

    /// Calls `take` with the window, the first mark of each line and the number of marks; it returns
    /// the first mark of the next line, or `None` to stop.
    #[inline(always)]
    fn lines(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        mut most: usize,
        mut take: impl FnMut(&TextWindow, usize, usize) -> Option<usize>,
    ) -> usize {
        let (mut size, mut wide) = (FIRST_WINDOW, false);
        while at < end && most > 0 {
            let len = size.min(end - at);
            let Some(marks) = self.fill(&text[at..], len, wide) else { break };
            let mut taken = 0;
            while most > 0 {
                let Some(next) = take(&self.window, taken, marks) else { break };
                taken = next;
                most -= 1;
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
}

impl TextWindow {
    /// Where the word that ends at a mark starts.
    #[inline(always)]
    fn start(&self, mark: usize) -> usize {
        if mark == 0 { 0 } else { self.at[mark - 1] as usize + 1 }
    }

    /// The numbers behind the first one of the line whose first mark is `mark`, in its most frequent
    /// form: `3 a b c`, and the line end.
    #[inline(always)]
    fn triangle(&self, mark: usize, marks: usize) -> Option<&[u32; 3]> {
        let (&[count, ref indices @ ..], _) =
            self.values[..marks].get(mark..)?.split_first_chunk::<4>()?;
        let [a, b, c, d] = *self.at[mark..].first_chunk()?;
        let is_full = b - a > 1 && c - b > 1 && d - c > 1;
        let is_form = count == 3 && self.marks[mark..].starts_with(b"   \n");
        (is_form && is_full).then_some(indices)
    }

    /// The `count` numbers behind the first one of the line whose first mark is `mark`.
    #[inline(always)]
    fn list(
        &self,
        mark: usize,
        marks: usize,
        count: usize,
        values: &mut Vec<u32>,
    ) -> Option<usize> {
        let last = mark + count;
        if count == 0 || last >= marks || self.at[mark] as usize <= self.start(mark) {
            return None;
        }
        let blanks = self.marks[mark..last].iter().all(|&m| m == b' ');
        let full = self.at[mark..=last].windows(2).all(|w| w[1] - w[0] > 1);
        let next = self.next_line(last, marks).filter(|_| blanks && full)?;
        values.extend_from_slice(&self.values[mark + 1..=last]);
        Some(next)
    }

    /// The mark behind the line end that starts at `mark`: `\n`, maybe with blanks and `\r` before.
    #[inline(always)]
    fn next_line(&self, mut mark: usize, marks: usize) -> Option<usize> {
        let (at, kinds) = (&self.at[..marks], &self.marks[..marks]);
        let step = |mark: usize| (*at.get(mark + 1)? == at[mark] + 1).then_some(mark + 1);
        while matches!(kinds.get(mark)?, b' ' | b'\t') {
            mark = step(mark)?;
        }
        if kinds[mark] == b'\r' {
            mark = step(mark)?;
        }
        (kinds[mark] == b'\n').then_some(mark + 1)
    }
}
