//! Images in the terminal, as coloured half blocks.

use solio::{Error, Preview, Result};
use std::fmt::Write;
use std::io::IsTerminal;

/// Columns and lines of a terminal that does not tell.
const TERMINAL: [u16; 2] = [80, 24];

/// An error where standard output is nothing that shows 24 bits of colour. As for all that is printed,
/// `NO_COLOR` counts before `CLICOLOR_FORCE`.
pub(crate) fn shows_colors() -> Result<()> {
    let is = |name: &str, yes: fn(&str) -> bool| std::env::var(name).is_ok_and(|v| yes(&v));
    let why = if is("NO_COLOR", |v| !v.is_empty()) {
        "NO_COLOR wants no colours"
    } else if is("CLICOLOR_FORCE", |v| !v.is_empty() && v != "0") {
        return Ok(());
    } else if !std::io::stdout().is_terminal() {
        "standard output is not a terminal"
    } else if is("TERM", |v| v == "dumb") {
        "this terminal shows no colours (TERM=dumb)"
    } else if !is("COLORTERM", |v| ["truecolor", "24bit"].contains(&v)) {
        "this terminal does not say that it shows all colours (COLORTERM=truecolor)"
    } else {
        return Ok(());
    };
    Err(Error::argument(why).hint("name an output: -o preview.png"))
}

/// The pixels that the terminal has room for: each line shows two rows.
pub(crate) fn room() -> [u32; 2] {
    use terminal_size::{Height, Width, terminal_size};
    let [columns, lines] = terminal_size().map_or(TERMINAL, |(Width(w), Height(h))| [w, h]);
    // The prompt comes below.
    [u32::from(columns.max(1)), 2 * u32::from(lines.max(3) - 1)]
}

/// The upper half of each character has the colour of the text, the lower that of the ground.
pub(crate) fn blocks(preview: &Preview) -> String {
    let width = preview.width as usize;
    let pixel = |x: usize, y: usize| -> [u8; 3] {
        let bytes = if preview.has_alpha { 4 } else { 3 };
        let at = (y * width + x) * bytes;
        let color = [0, 1, 2].map(|i| preview.pixels[at + i]);
        if !preview.has_alpha {
            return color;
        }
        // A chessboard behind what can be seen through.
        let ground = if (x / 4 + y / 4).is_multiple_of(2) { 102 } else { 153 };
        let alpha = u32::from(preview.pixels[at + 3]);
        color.map(|c| ((u32::from(c) * alpha + ground * (255 - alpha) + 127) / 255) as u8)
    };
    let mut text = String::new();
    for y in (0..preview.height as usize).step_by(2) {
        let mut last = None;
        for x in 0..width {
            let upper = pixel(x, y);
            let lower = (y + 1 < preview.height as usize).then(|| pixel(x, y + 1));
            if last != Some((upper, lower)) {
                let [r, g, b] = upper;
                let _ = write!(text, "\x1b[38;2;{r};{g};{b}m");
                match lower {
                    Some([r, g, b]) => write!(text, "\x1b[48;2;{r};{g};{b}m"),
                    None => write!(text, "\x1b[49m"),
                }
                .expect("strings take all");
                last = Some((upper, lower));
            }
            text.push('▀');
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_make_a_line() {
        let pixels = vec![
            255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 0, 7, 7, 7, 255, 7, 7, 7, 255,
        ];
        let shown = "R, G, B, A".to_owned();
        let preview =
            Preview { width: 2, height: 3, has_alpha: true, pixels, shown, missing: None };
        let expected = "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[38;2;0;255;0m\x1b[48;2;102;102;102m▀\
            \x1b[0m\n\x1b[38;2;7;7;7m\x1b[49m▀▀\x1b[0m\n";
        assert_eq!(blocks(&preview), expected);
    }
}
