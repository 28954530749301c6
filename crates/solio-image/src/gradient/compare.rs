//! One gradient, blended in several ways, with and the perceptual uniformity of each and what is wrong with it.

use super::strip::{check_pixels, places};
use crate::Preview;
use crate::canvas::{Canvas, Font};
use solio_base::Result;
use solio_color::gradient::{Gradient, GradientFinding, Keys, Mode, findings, non_uniformity};
use solio_color::{Difference, Space};

/// How many colours of a row are compared with their neighbours.
const SAMPLES: usize = 256;
/// Pixels around everything, and between things.
const MARGIN: usize = 24;
const STRIP: usize = 56;
const GROUND: [u8; 3] = [250, 250, 250];
const INK: [u8; 3] = [28, 33, 39];
const SOFT: [u8; 3] = [92, 101, 112];

/// A gradient blended in several ways.
///
/// ```
/// use solio_color::gradient::{Mode, presets::Preset};
/// let muddy = Preset::of_name("muddy").unwrap().gradient(Mode::default());
/// let compared = solio_image::compare_gradient(&muddy);
/// let ways: Vec<&str> = compared.rows.iter().map(|row| &*row.mode).collect();
/// assert_eq!((&*compared.name, &ways[..3]), ("muddy", &["srgb", "linear", "oklab"][..]));
/// ```
#[derive(Clone, Debug)]
pub struct Compared {
    /// The gradient's name.
    pub name: String,
    /// The same end colours blended in sRGB, in linear light and in Oklab; then linear light and Oklab for keys that
    /// are read as linear light, as graphs of effects read them: other end colours.
    pub rows: Vec<ComparedRow>,
}

/// One way of blending.
///
/// ```
/// use solio_color::gradient::{Mode, presets::Preset};
/// let blue_yellow = Preset::of_name("blue-yellow").unwrap().gradient(Mode::default());
/// let rows = solio_image::compare_gradient(&blue_yellow).rows;
/// // Of the keys as they are mostly meant: codes of sRGB.
/// let of = |mode: &str| rows.iter().find(|row| row.keys == "srgb" && row.mode == mode).unwrap();
/// assert!(of("oklab").non_uniformity_cam16_ucs < of("srgb").non_uniformity_cam16_ucs);
/// ```
#[derive(Clone, Debug)]
pub struct ComparedRow {
    /// How the numbers of the key colours are read: `srgb` or `linear`.
    pub keys: &'static str,
    /// How they are blended.
    pub mode: String,
    /// The coefficient of variation of the steps between 256 colours in CAM16-UCS; 0 is even.
    pub non_uniformity_cam16_ucs: f64,
    /// The same in CIEDE2000.
    pub non_uniformity_ciede2000: f64,
    /// What is wrong with it.
    pub findings: [GradientFinding; 4],
    gradient: Gradient,
}

impl ComparedRow {
    /// The gradient, blended this way.
    ///
    /// ```
    /// use solio_color::gradient::{Mode, presets::Preset};
    /// let red_green = Preset::of_name("red-green").unwrap().gradient(Mode::default());
    /// let compared = solio_image::compare_gradient(&red_green);
    /// // The most even way is taken.
    /// let uneven = |row: &&solio_image::ComparedRow| (row.non_uniformity_ciede2000 * 1e6) as u64;
    /// let best = compared.rows.iter().min_by_key(uneven).unwrap();
    /// assert_eq!(best.gradient().mode.name(), best.mode);
    /// assert_eq!(best.gradient().sampler().codes_at(0.0), [255, 0, 0, 255]);
    /// ```
    pub fn gradient(&self) -> &Gradient {
        &self.gradient
    }
}

/// Blends `gradient` in sRGB, linear light and Oklab with its key colours read as sRGB, and in linear light
/// and in Oklab with them read as linear light.
///
/// ```
/// use solio_color::gradient::{Gradient, parse_stops};
/// let colors = parse_stops("black, white")?;
/// let compared = solio_image::compare_gradient(&Gradient { colors, ..Gradient::default() });
/// // Light that grows in even steps looks less even than codes that do.
/// let [srgb, linear, ..] = &compared.rows[..] else { panic!() };
/// assert!(srgb.non_uniformity_cam16_ucs < linear.non_uniformity_cam16_ucs);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn compare_gradient(gradient: &Gradient) -> Compared {
    let rows = [
        (Keys::Srgb, Space::Srgb),
        (Keys::Srgb, Space::SrgbLinear),
        (Keys::Srgb, Space::Oklab),
        (Keys::Linear, Space::SrgbLinear),
        (Keys::Linear, Space::Oklab),
    ];
    let row = |(keys, space)| {
        let mut gradient = Gradient { keys, ..gradient.clone() };
        gradient.set_mode(Mode::in_space(space));
        ComparedRow {
            keys: keys.name(),
            mode: gradient.mode.name(),
            non_uniformity_cam16_ucs: non_uniformity(&gradient, Difference::Cam16Ucs, SAMPLES),
            non_uniformity_ciede2000: non_uniformity(&gradient, Difference::Ciede2000, SAMPLES),
            findings: findings(&gradient),
            gradient,
        }
    };
    Compared { name: gradient.name.clone(), rows: rows.into_iter().map(row).collect() }
}

impl Compared {
    /// The rows as strips of `width` pixels, with what they are and how uneven; the most even one
    /// of each measure has an asterisk.
    ///
    /// ```
    /// use solio_color::gradient::colormap;
    /// let compared = solio_image::compare_gradient(&colormap("turbo").unwrap());
    /// let picture = compared.draw(256)?;
    /// // The strips, and beside them what they are.
    /// assert!(picture.width > 256);
    /// assert!(picture.to_png()?.starts_with(b"\x89PNG"));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where there are no columns, or more than 2²⁸ pixels.
    pub fn draw(&self, width: u32) -> Result<Preview> {
        Compared::draw_all(std::slice::from_ref(self), width)
    }

    /// [`Compared::draw`] of several, one below the other.
    ///
    /// ```
    /// use solio_color::gradient::colormap;
    /// let maps = ["magma", "viridis"].map(|name| colormap(name).unwrap());
    /// let all = maps.map(|map| solio_image::compare_gradient(&map));
    /// let [one, both] = [&all[..1], &all].map(|some| solio_image::Compared::draw_all(some, 64).unwrap());
    /// assert_eq!((both.width, both.height), (one.width, 2 * one.height));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Compared::draw`], and without any.
    pub fn draw_all(all: &[Compared], width: u32) -> Result<Preview> {
        let (strip, label) = (width as usize, 46 * Font::Normal.size()[0]);
        // Without a strip there is no picture, whatever stands beside it.
        let width = if strip == 0 { 0 } else { strip + label + 3 * MARGIN };
        let height: usize = all.iter().map(Compared::height).sum();
        check_pixels(width, height)?;
        let mut canvas = Canvas::new([width, height], GROUND);
        let mut top = 0;
        for compared in all {
            compared.draw_into(&mut canvas, strip, top);
            top += compared.height();
        }
        Ok(canvas.into_preview())
    }

    /// In pixels.
    fn height(&self) -> usize {
        head() + self.rows.len() * (STRIP + MARGIN)
    }

    /// With strips of `width` pixels, from the row `top` of the canvas on.
    fn draw_into(&self, canvas: &mut Canvas, width: usize, top: usize) {
        canvas.text(&self.name, [MARGIN, top + MARGIN], Font::Heading, INK);
        for (i, row) in self.rows.iter().enumerate() {
            let top = top + head() + i * (STRIP + MARGIN);
            let sampler = row.gradient.sampler();
            let ground = GROUND.map(f64::from);
            let colors: Vec<[u8; 3]> = places(width)
                .map(|at| {
                    let [r, g, b, alpha] = sampler.at(at);
                    let over = |x: f64, under: f64| {
                        (x.clamp(0.0, 1.0) * 255.0 * alpha + under * (1.0 - alpha) + 0.5) as u8
                    };
                    [over(r, ground[0]), over(g, ground[1]), over(b, ground[2])]
                })
                .collect();
            for y in top..top + STRIP {
                canvas.row(MARGIN, y)[..width].copy_from_slice(&colors);
            }
            self.label(row, canvas, [width + 2 * MARGIN, top]);
        }
    }

    fn label(&self, row: &ComparedRow, canvas: &mut Canvas, [x, y]: [usize; 2]) {
        let step = Font::Normal.size()[1] + 5;
        let mode = if row.mode == "linear" { "linear light" } else { &row.mode };
        // Graphs of effects read them so.
        let keys = if row.keys == "linear" { "linear light (effect graph)" } else { row.keys };
        canvas.text(&format!("blended in {mode}"), [x, y], Font::Normal, INK);
        canvas.text(&format!("keys read as {keys}"), [x, y + step], Font::Normal, SOFT);
        let cam16 = self.told(row, |row| row.non_uniformity_cam16_ucs);
        let ciede = self.told(row, |row| row.non_uniformity_ciede2000);
        let text = format!("non-uniformity CAM16-UCS {cam16} CIEDE2000 {ciede}");
        canvas.text(&text, [x, y + 2 * step], Font::Normal, SOFT);
    }

    /// With an asterisk where no row is more even; of one colour alone a hyphen, as the font has no
    /// dash.
    fn told(&self, row: &ComparedRow, of: impl Fn(&ComparedRow) -> f64) -> String {
        if of(row).is_nan() {
            return "-".to_owned();
        }
        let best = self.rows.iter().map(&of).fold(f64::INFINITY, f64::min);
        let mark = if of(row) <= best { "*" } else { " " };
        format!("{:.2}{mark}", of(row))
    }
}

/// Rows of pixels above the strips, where the name stands.
fn head() -> usize {
    2 * MARGIN + Font::Heading.size()[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_color::gradient::presets::STUDY;

    #[test]
    fn the_same_ends_in_three_ways_and_the_effect_graph_apart() {
        let compared = compare_gradient(&STUDY[1].gradient(Mode::Fixed));
        let ways: Vec<(&str, &str)> = compared.rows.iter().map(|r| (r.keys, &*r.mode)).collect();
        assert_eq!(
            ways,
            [
                ("srgb", "srgb"),
                ("srgb", "linear"),
                ("srgb", "oklab"),
                ("linear", "linear"),
                ("linear", "oklab")
            ]
        );
        for row in &compared.rows {
            let sampler = row.gradient().sampler();
            assert_eq!(sampler.codes_at(0.0), [0, 0, 255, 255]);
            assert_eq!(sampler.codes_at(1.0), [255; 4]);
        }
        let drawn = compared.draw(300).unwrap();
        let strip_row =
            3 * ((MARGIN + Font::Heading.size()[1] + MARGIN + 3) * drawn.width as usize + MARGIN);
        assert_eq!(drawn.pixels[strip_row..strip_row + 3], [0, 0, 255]);
        assert_eq!(drawn.pixels.len() as u32, 3 * drawn.width * drawn.height);
        // Somewhere there is text.
        assert!(drawn.pixels.as_chunks::<3>().0.contains(&INK));
    }

    #[test]
    fn parts_lose_their_own_way() {
        let mut gradient = STUDY[0].gradient(Mode::default());
        let plain = compare_gradient(&gradient);
        gradient.colors[0].to_next.mode = Some(Mode::Hold);
        let compared = compare_gradient(&gradient);
        for (a, b) in compared.rows.iter().zip(&plain.rows) {
            assert_eq!(a.gradient().sample(0.4), b.gradient().sample(0.4), "{}", a.mode);
        }
    }

    #[test]
    fn pictures_have_a_limit() {
        let compared = compare_gradient(&STUDY[1].gradient(Mode::default()));
        assert_eq!(compared.draw(1).unwrap().width, compared.draw(2).unwrap().width - 1);
        assert!(compared.draw(0).is_err() && compared.draw(u32::MAX).is_err());
        assert!(Compared::draw_all(&[], 64).is_err());
        let many = vec![compared; 2000];
        assert!(Compared::draw_all(&many, 640).is_err(), "together they are too many pixels");
    }

    #[test]
    fn one_colour_has_no_figure() {
        let colors = vec![STUDY[0].gradient(Mode::default()).colors[0]];
        let compared = compare_gradient(&Gradient { colors, ..Gradient::default() });
        let row = &compared.rows[0];
        assert_eq!(compared.told(row, |row| row.non_uniformity_cam16_ucs), "-");
    }
}
