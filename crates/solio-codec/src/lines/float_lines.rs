//! Which kernel takes lines of floats, and what is left to the others.

use super::FloatRow;
use super::{CellType, LineReader};
#[cfg(target_arch = "x86_64")]
use super::{FIRST_WINDOW, WINDOW};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::{PAD, rows::RowForm};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use solio_base::cpu::Tier;

/// The form of lines: what stands behind a key.
#[derive(Clone, Copy)]
pub(super) struct LineForm<'k> {
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub(super) key: &'k [u8],
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub(super) cells: &'k [CellType],
}

impl LineReader {
    /// Takes lines of floats, at most `most`; returns where it stopped. See [`LineReader::rows`].
    #[cfg(target_arch = "x86_64")]
    pub(super) fn float_lines<R: FloatRow>(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        form: LineForm<'_>,
        mut most: usize,
        out: &mut Vec<R>,
    ) -> usize {
        if self.floats.is_none() || form.cells.contains(&CellType::Byte) {
            return self.any_lines(text, at, end, form, most, out).1;
        }
        // Lines to take the slower way where one is not of the form that the wider kernel takes.
        let (mut size, mut some) = (FIRST_WINDOW, 1);
        while let Some(floats) = &mut self.floats
            && at < end
            && most > 0
        {
            let len = size.min(end - at);
            let (lines, used) =
                floats.take(&text[at..], len, form.key, form.cells.len(), most, out);
            some = if lines < 16 { (2 * some).min(most) } else { 1 };
            size = (2 * used).clamp(FIRST_WINDOW, WINDOW);
            most -= lines;
            at += used;
            if 2 * used > len || at == end || most == 0 {
                continue;
            }
            let (lines, next) = self.any_lines(text, at, end, form, most.min(some), out);
            if lines == 0 {
                break;
            }
            most -= lines;
            at = next;
        }
        at
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn float_lines<R: FloatRow>(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        form: LineForm<'_>,
        most: usize,
        out: &mut Vec<R>,
    ) -> usize {
        self.any_lines(text, at, end, form, most, out).1
    }

    /// [`LineReader::float_lines`] by the kernel for all forms; returns how many lines, and where it
    /// stopped.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn any_lines<R: FloatRow>(
        &mut self,
        text: &[u8],
        mut at: usize,
        end: usize,
        form: LineForm<'_>,
        most: usize,
        out: &mut Vec<R>,
    ) -> (usize, usize) {
        let LineForm { key, cells } = form;
        let (row, has_bytes) =
            (RowForm { key, numbers: cells.len() }, cells.contains(&CellType::Byte));
        let is_taken = matches!(self.tier, Tier::Avx2 | Tier::Avx512 | Tier::Neon);
        // Places are kept in 32 bits.
        let end = end.min(u32::MAX as usize - PAD);
        if !is_taken || !row.fits() || at >= end {
            return (0, at);
        }
        assert!(
            text.len() >= end + PAD && cells.len().is_multiple_of(R::FLOATS),
            "whole rows, and padding"
        );
        if at == 0 && key.is_empty() {
            return self.first_line(text, end, form, most, out);
        }
        let mut taken = 0;
        while taken < most {
            let (mut lines, next) = self.find(text, at, end, row, most - taken);
            let all = lines;
            if has_bytes {
                lines = self.found.lines_with_bytes(text, cells, lines);
            }
            let before = out.len();
            out.reserve(lines * cells.len() / R::FLOATS + 4);
            // SAFETY: they were found in `text`, where a key or a line is before them. Room was made, and so
            // many rows of floats, and nothing else, were written.
            unsafe {
                let to = out.as_mut_ptr().add(before).cast::<f32>();
                lines = self.make(text, lines * cells.len(), to) / cells.len();
                if has_bytes {
                    let values = std::slice::from_raw_parts(to, lines * cells.len());
                    let fits = |line: &&[f32]| {
                        let mut values = line.iter().zip(cells);
                        values.all(|(value, cell)| *cell != CellType::Byte || *value <= 255.0)
                    };
                    lines = values.chunks_exact(cells.len()).take_while(fits).count();
                }
                out.set_len(before + lines * cells.len() / R::FLOATS);
            }
            taken += lines;
            if lines < all {
                return (taken, self.found.line_start(text, at, row, lines));
            }
            if lines == 0 {
                break;
            }
            at = next;
        }
        (taken, at)
    }

    /// [`LineReader::any_lines`] for a first line without anything before it.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn first_line<R: FloatRow>(
        &mut self,
        text: &[u8],
        end: usize,
        form: LineForm<'_>,
        most: usize,
        out: &mut Vec<R>,
    ) -> (usize, usize) {
        let Some(first) = memchr::memchr(b'\n', &text[..end]).filter(|_| most > 0) else {
            return (0, 0);
        };
        let copy = [b" ", &text[..=first], &[0; PAD]].concat();
        let (lines, next) = self.any_lines(&copy, 1, first + 2, form, 1, out);
        if lines == 0 {
            return (0, 0);
        }
        let (more, next) = self.any_lines(text, next - 1, end, form, most - 1, out);
        (1 + more, next)
    }

    /// [`FoundNumbers::find`].
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn find(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        form: RowForm<'_>,
        most: usize,
    ) -> (usize, usize) {
        // SAFETY: the tier has it, as was checked.
        #[cfg(target_arch = "x86_64")]
        return unsafe { self.found.find_avx2(text, at, end, form, most) };
        #[cfg(target_arch = "aarch64")]
        return unsafe { self.found.find_neon(text, at, end, form, most) };
    }

    /// Makes the first `count` numbers that were found; returns how many are right.
    ///
    /// # Safety
    /// They were found in `text`, not at its start; `out` has room for four more.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    unsafe fn make(&mut self, text: &[u8], count: usize, out: *mut f32) -> usize {
        // SAFETY: the tier has it, as was checked; and as promised.
        #[cfg(target_arch = "x86_64")]
        return unsafe { self.found.make_avx2(text, count, out) };
        #[cfg(target_arch = "aarch64")]
        return unsafe { self.found.make_neon(text, count, out) };
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn any_lines<R: FloatRow>(
        &mut self,
        _: &[u8],
        at: usize,
        _: usize,
        _: LineForm<'_>,
        _: usize,
        _: &mut Vec<R>,
    ) -> (usize, usize) {
        (0, at)
    }
}
