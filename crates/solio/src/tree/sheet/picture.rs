//! A sheet as a picture: a grid of cells with captions below.

use super::cells::Shown;
use super::page::{lines, reason};
use super::{Sheet, SheetOptions};
use solio_base::{Error, Result, Work};
use solio_image::{Canvas, Font};
use std::path::{Path, PathBuf};

const GROUND: [u8; 3] = [24, 26, 29];
const CELL: [u8; 3] = [38, 41, 46];
const INK: [u8; 3] = [230, 233, 237];
const SOFT: [u8; 3] = [152, 162, 174];
const WRONG: [u8; 3] = [240, 140, 110];
/// Between cells, and between a cell's picture and its text.
const MARGIN: usize = 10;
const LINE: usize = 15;
/// Lines of a caption: the name and two more.
const LINES: usize = 3;

pub(super) struct Grid {
    canvas: Canvas,
    output: PathBuf,
    side: usize,
    columns: usize,
    done: usize,
}

impl Grid {
    pub(super) fn start(
        output: &Path,
        cells: usize,
        options: &SheetOptions,
        work: &Work,
    ) -> Result<Grid> {
        let side = options.thumbnail.size as usize;
        // Cells are higher than wide.
        let square = ((cells as f64 * 4.0 / 3.0).sqrt().ceil() as usize).max(1);
        let columns = options.columns.map_or(square, |count| count as usize).clamp(1, cells);
        let rows = cells.div_ceil(columns);
        let width = MARGIN + columns * (side + MARGIN);
        let height = MARGIN + rows * (row_height(side) + MARGIN);
        let bytes = (width as u64).saturating_mul(height as u64).saturating_mul(3);
        // Once here, and once more while it is compressed.
        if bytes > work.memory_bytes / 2 {
            let message = format!("{cells} cells make a picture of {width} × {height} pixels");
            let error = Error::limit(message).at_path(output);
            return Err(error.hint("a page (.html) has room for any number; or --size, --mem"));
        }
        let canvas = Canvas::new([width, height], GROUND);
        Ok(Grid { canvas, output: output.to_owned(), side, columns, done: 0 })
    }

    fn line(&mut self, text: &str, [x, y]: [usize; 2], color: [u8; 3]) {
        let room = self.side.saturating_sub(4) / Font::Small.size()[0];
        self.canvas.text(&fitted(text, room), [x + 2, y], Font::Small, color);
    }
}

fn row_height(side: usize) -> usize {
    side + MARGIN / 2 + LINES * LINE
}

/// The beginning and the end of a text that is too long; letters that the font has not are `?`.
fn fitted(text: &str, room: usize) -> String {
    let shown = |c: char| if ('\u{20}'..='\u{ff}').contains(&c) { c } else { '?' };
    let letters: Vec<char> = text.chars().map(shown).collect();
    if letters.len() <= room {
        return letters.into_iter().collect();
    }
    let kept = room.saturating_sub(2);
    let (start, end) = (kept - kept / 2, kept / 2);
    let parts = [&letters[..start], &['.', '.'], &letters[letters.len() - end..]];
    parts.concat().into_iter().take(room).collect()
}

impl Sheet for Grid {
    fn add(&mut self, cell: &Shown) -> Result<()> {
        let (column, row) = (self.done % self.columns, self.done / self.columns);
        self.done += 1;
        let x = MARGIN + column * (self.side + MARGIN);
        let y = MARGIN + row * (row_height(self.side) + MARGIN);
        for line in y..y + self.side {
            self.canvas.row(x, line)[..self.side].fill(CELL);
        }
        if let Some(picture) = &cell.picture {
            let (width, height) = (picture.width as usize, picture.height as usize);
            // The frames of a sequence may be higher than wide.
            let (width, height) = (width.min(self.side), height.min(self.side));
            let (left, top) = (x + (self.side - width) / 2, y + (self.side - height) / 2);
            let (pixels, _) = picture.pixels.as_chunks::<3>();
            for line in 0..height {
                let from = line * picture.width as usize;
                self.canvas.row(left, top + line)[..width]
                    .copy_from_slice(&pixels[from..from + width]);
            }
        }
        let below = y + self.side + MARGIN / 2;
        self.line(&cell.name, [x, below], INK);
        let mut texts: Vec<(String, [u8; 3])> =
            cell.errors.iter().map(|error| (reason(error), WRONG)).collect();
        texts.extend(cell.missing.iter().map(|missing| (missing.clone(), WRONG)));
        texts.extend(lines(cell).into_iter().map(|line| (line, SOFT)));
        for (i, (text, color)) in texts.iter().take(LINES - 1).enumerate() {
            self.line(text, [x, below + (i + 1) * LINE], *color);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        crate::write_bytes(&self.output, &self.canvas.into_preview().to_png()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(fitted("beauty.exr", 10), "beauty.exr");
        assert_eq!(fitted("a_very_long_name.0001.exr", 12), "a_ver..1.exr");
        assert_eq!(fitted("é\u{1f600}\n", 5), "é??");
        for room in 0..5 {
            assert!(fitted("abcdefgh", room).chars().count() <= room);
        }
    }
}
