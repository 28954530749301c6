//! A picture of eight bits to draw strips and small text on.

use crate::Preview;
use embedded_graphics::Drawable;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Point, Size};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle, ascii, iso_8859_1};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::text::{Baseline, Text};
use std::convert::Infallible;

/// Rows of pixels from the top, red, green and blue of 8 bits.
///
/// ```
/// use solio_image::{Canvas, Font};
/// let mut canvas = Canvas::new([40, 20], [255; 3]);
/// canvas.row(10, 3)[0] = [200, 0, 0];
/// canvas.text("solio", [2, 4], Font::Small, [0; 3]);
/// let picture = canvas.into_preview();
/// assert_eq!(picture.pixels[3 * (3 * 40 + 10)..][..3], [200, 0, 0]);
/// assert!(picture.pixels.as_chunks::<3>().0.contains(&[0; 3]));
/// ```
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// Fixed fonts of X11, in the public domain.
#[derive(Clone, Copy)]
pub enum Font {
    /// 10 × 20 pixels a character.
    Heading,
    /// 8 × 13 pixels.
    Normal,
    /// 6 × 13 pixels, with the letters of Latin-1.
    Small,
}

impl Font {
    fn mono(self) -> &'static MonoFont<'static> {
        match self {
            Font::Heading => &ascii::FONT_10X20,
            Font::Normal => &ascii::FONT_8X13,
            Font::Small => &iso_8859_1::FONT_6X13,
        }
    }

    /// Of one character, in pixels.
    pub fn size(self) -> [usize; 2] {
        let Size { width, height } = self.mono().character_size;
        [width as usize, height as usize]
    }
}

impl Canvas {
    /// Of `[width, height]` pixels of one colour.
    pub fn new([width, height]: [usize; 2], ground: [u8; 3]) -> Canvas {
        Canvas { width, height, pixels: ground.repeat(width * height) }
    }

    /// The left end of a row of pixels, from `x` on.
    pub fn row(&mut self, x: usize, y: usize) -> &mut [[u8; 3]] {
        let start = 3 * (y * self.width + x);
        let end = 3 * (y + 1) * self.width;
        self.pixels[start..end].as_chunks_mut().0
    }

    /// Text with its upper left corner at `x`, `y`; what is outside of the picture is cut off.
    pub fn text(&mut self, text: &str, [x, y]: [usize; 2], font: Font, [r, g, b]: [u8; 3]) {
        let style = MonoTextStyle::new(font.mono(), Rgb888::new(r, g, b));
        let place = Point::new(x as i32, y as i32);
        let Ok(_) = Text::with_baseline(text, place, style, Baseline::Top).draw(self);
    }

    /// What was drawn.
    pub fn into_preview(self) -> Preview {
        Preview {
            width: self.width as u32,
            height: self.height as u32,
            has_alpha: false,
            pixels: self.pixels,
            shown: "R, G, B".to_owned(),
            missing: None,
        }
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.width as u32, self.height as u32)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = embedded_graphics::Pixel<Rgb888>>,
    {
        for embedded_graphics::Pixel(Point { x, y }, color) in pixels {
            let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { continue };
            if x < self.width && y < self.height {
                self.row(x, y)[0] = [color.r(), color.g(), color.b()];
            }
        }
        Ok(())
    }
}
