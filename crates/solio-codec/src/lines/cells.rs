//! Lines without a key: one number for each of some cells, or a count and so many indices, as in
//! the bodies of PLY files.
//!
//! Numbers with and without a point may follow one another (many writers leave out `.0`): lines
//! where every number has one are taken many at once, the others are walked along their marks.

use super::{FIRST_WINDOW, LineReader, TextWindow, WINDOW};

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
        mut at: usize,
        end: usize,
        cells: &[CellType],
        mut most: usize,
        out: &mut Vec<f32>,
    ) -> usize {
        if cells.is_empty() || cells.contains(&CellType::Byte) {
            return self.walk(text, at, end, cells, most, out);
        }
        // Lines to take the slower way where one has a number without a point.
        let (mut size, mut some) = (FIRST_WINDOW, 1);
        while at < end && most > 0 {
            let len = size.min(end - at);
            let (lines, used) = self.float_lines(&text[at..], len, b"", cells.len(), most, out);
            some = if lines < 16 { (2 * some).min(most) } else { 1 };
            size = (2 * used).clamp(FIRST_WINDOW, WINDOW);
            most -= lines;
            at += used;
            if 2 * used > len || at == end || most == 0 {
                continue;
            }
            let before = out.len();
            let next = self.walk(text, at, end, cells, most.min(some), out);
            if next == at {
                break;
            }
            most -= (out.len() - before) / cells.len();
            at = next;
        }
        at
    }

    /// [`LineReader::cells`], number by number along the marks of a line.
    fn walk(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        cells: &[CellType],
        most: usize,
        out: &mut Vec<f32>,
    ) -> usize {
        self.lines(text, at, end, most, true, |window, text, mark, marks| {
            let before = out.len();
            out.resize(before + cells.len(), 0.0);
            let next = window.row(text, mark, marks, cells, &mut out[before..]);
            if next.is_none() {
                out.truncate(before);
            }
            next
        })
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
        self.lines(text, at, end, most, false, |window, _, mark, marks| {
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

    /// Calls `take` with the window, its text, the first mark of each line and the number of
    /// marks; it returns the first mark of the next line, or `None` to stop.
    #[inline(always)]
    fn lines(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        mut most: usize,
        signed: bool,
        mut take: impl FnMut(&TextWindow, &[u8], usize, usize) -> Option<usize>,
    ) -> usize {
        let mut size = FIRST_WINDOW;
        while at < end && most > 0 {
            let len = size.min(end - at);
            let Some(marks) = self.fill(&text[at..], len, signed) else { break };
            let mut taken = 0;
            while most > 0 {
                let Some(next) = take(&self.window, &text[at..], taken, marks) else { break };
                taken = next;
                most -= 1;
            }
            let Some(used) = self.window.used(taken) else { break };
            at += used;
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

    /// The numbers of the line whose first mark is `mark`; returns the next line's.
    #[inline(always)]
    fn row(
        &self,
        text: &[u8],
        mut mark: usize,
        marks: usize,
        cells: &[CellType],
        out: &mut [f32],
    ) -> Option<usize> {
        const POWERS: [f64; 8] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
        let (at, kinds) = (&self.at[..marks], &self.marks[..marks]);
        for (i, (cell, out)) in cells.iter().zip(out).enumerate() {
            if i > 0 {
                if kinds[mark] != b' ' {
                    return None;
                }
                mark += 1;
            }
            let start = self.start(mark);
            let end = *at.get(mark)? as usize;
            let negative = text[start] == b'-';
            let mut value = f64::from(self.values[mark]);
            if kinds[mark] == b'.' {
                mark += 1;
                let digits = *at.get(mark)? as usize - end - 1;
                if digits.wrapping_sub(1) >= 7 || text[end + 1] == b'-' || *cell == CellType::Byte {
                    return None;
                }
                let power = POWERS[digits & 7];
                value = (value * power + f64::from(self.values[mark])) / power;
            } else if end <= start + usize::from(negative)
                || (*cell == CellType::Byte && (negative || value > 255.0))
            {
                return None;
            }
            *out = f32::from_bits((value as f32).to_bits() | u32::from(negative) << 31);
        }
        self.next_line(mark, marks)
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
