//! Patterns as pictures, for formats that have nothing else.

use super::model::FAR;
use super::pattern::{TexturePattern, TexturePicture, TextureTransform, Wrap};
use super::{LookPicture, LookTexture, Looks, TextureChannel};
use solio_base::{Error, Result};

/// Pixels along a side of a square of a checker.
const CHECKER_PIXELS: f32 = 32.0;
/// Pixels of what changes smoothly.
const SMOOTH_PIXELS: f32 = 64.0;

/// A pattern that has to become a picture: it is shown by [`LookTexture::transform`] and
/// [`LookTexture::wrap`], unless [baking](Looks::bake) gives others.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureBake {
    /// Over (0, 0) to (1, 1) of what the transform gives; several make one picture together.
    patterns: Vec<TexturePattern>,
    transform: TextureTransform,
    wrap: Wrap,
    /// Whether what is beyond the borders is another value, which a margin of one pixel shows.
    has_margin: bool,
    /// Whether it shows the same elsewhere as the pattern does.
    pub(crate) is_exact: bool,
}

/// A texture as a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedPicture {
    /// The picture, in linear light; values are from 0 to 1.
    pub picture: TexturePicture,
    /// From (u, v) to (s, t) of the picture.
    pub transform: TextureTransform,
    /// What lies beyond its borders: itself, or its border.
    pub wrap: Wrap,
    /// Which of its values count.
    pub channel: TextureChannel,
}

impl BakedPicture {
    /// Whether it is one value everywhere.
    pub fn is_even(&self) -> bool {
        self.picture.size() == [1, 1]
    }
}

impl TextureBake {
    pub(super) fn new(patterns: Vec<TexturePattern>) -> TextureBake {
        let mut mappings: Vec<TextureTransform> = Vec::new();
        let (mut is_checker, mut is_open, mut wraps) = (false, false, Vec::new());
        let mut each = |part: &TexturePattern| match part {
            TexturePattern::Picture { mapping: Some(mapping), wrap, .. } => {
                mappings.push(*mapping);
                wraps.push(*wrap);
            }
            TexturePattern::Checker { mapping, .. } => {
                mappings.push(*mapping);
                is_checker = true;
            }
            TexturePattern::Coordinates { mapping } => mappings.push(*mapping),
            TexturePattern::Corners { mapping, .. } => {
                mappings.push(*mapping);
                is_open = true;
            }
            _ => {}
        };
        patterns.iter().for_each(|pattern| pattern.walk(&mut each));
        let plain = |patterns, wrap, is_exact| TextureBake {
            patterns,
            transform: TextureTransform::IDENTITY,
            wrap,
            has_margin: false,
            is_exact,
        };
        let Some(first) = mappings.first().copied() else {
            return plain(patterns, Wrap::Repeat, true);
        };
        let is_finite = first.scale.iter().chain(&first.offset).all(|x| x.abs() < FAR);
        if !is_finite || mappings.iter().any(|mapping| *mapping != first) {
            // Over one unit of (u, v): that is all where everything repeats with it.
            let whole = |mapping: &TextureTransform| {
                let even = if is_checker { 2.0 } else { 1.0 };
                mapping.scale.iter().all(|scale| scale % even == 0.0)
            };
            let repeats = !is_open && wraps.iter().all(|wrap| *wrap == Wrap::Repeat);
            return plain(patterns, Wrap::Repeat, repeats && mappings.iter().all(whole));
        }
        // All is a function of the same (s, t), which repeats after one or two, or ends at one.
        let period = if is_checker { 2.0 } else { 1.0 };
        let all = |wanted: Wrap| !is_checker && wraps.iter().all(|wrap| *wrap == wanted);
        let (wrap, has_margin, is_exact) = match () {
            () if !is_open && wraps.iter().all(|wrap| *wrap == Wrap::Repeat) => {
                (Wrap::Repeat, false, true)
            }
            () if is_open && wraps.is_empty() && !is_checker => (Wrap::Clamp, false, false),
            () if !is_open && all(Wrap::Clamp) => (Wrap::Clamp, false, true),
            () if !is_open && all(Wrap::Black) => (Wrap::Clamp, true, true),
            () => (Wrap::Repeat, false, false),
        };
        let inner = TextureTransform { scale: [period; 2], offset: [0.0; 2] };
        let part = |x: [f32; 2]| x.map(|x| x / period);
        TextureBake {
            patterns: patterns.iter().map(|pattern| pattern.mapped(&|_| inner)).collect(),
            transform: TextureTransform { scale: part(first.scale), offset: part(first.offset) },
            wrap,
            has_margin,
            is_exact,
        }
    }

    pub(super) fn transform(&self) -> TextureTransform {
        self.transform
    }

    pub(super) fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// Columns and rows that show all of it, at most `most`.
    fn size(&self, pictures: &[Option<TexturePicture>], most: usize) -> [usize; 2] {
        let mut wanted = [1f32; 2];
        let mut squares = [1f32; 2];
        let mut each = |part: &TexturePattern| {
            let (mapping, size) = match part {
                TexturePattern::Picture { number, mapping: Some(mapping), .. } => {
                    let picture = pictures.get(*number).and_then(Option::as_ref);
                    (mapping, picture.map_or([1.0; 2], |p| p.size().map(|side| side as f32)))
                }
                TexturePattern::Checker { mapping, .. } => {
                    squares = [0, 1].map(|i| squares[i].max(mapping.scale[i].abs().round()));
                    (mapping, [CHECKER_PIXELS; 2])
                }
                TexturePattern::Corners { mapping, .. }
                | TexturePattern::Coordinates { mapping } => (mapping, [SMOOTH_PIXELS; 2]),
                _ => return,
            };
            wanted = [0, 1].map(|i| wanted[i].max(size[i] * mapping.scale[i].abs()));
        };
        self.patterns.iter().for_each(|pattern| pattern.walk(&mut each));
        [0, 1].map(|i| {
            let most = most.max(1);
            let side = if wanted[i].is_finite() { wanted[i].ceil() as usize } else { most };
            let squares = if squares[i].is_finite() { squares[i] as usize } else { 1 };
            let squares = squares.clamp(1, most);
            // Squares begin where pixels do.
            side.clamp(1, most).next_multiple_of(squares).min(most / squares * squares).max(1)
        })
    }

    fn bake(&self, pictures: &[Option<TexturePicture>], most: usize) -> Result<BakedLayers> {
        let margin = usize::from(self.has_margin);
        let [width, height] = self.size(pictures, most.saturating_sub(2 * margin));
        let (columns, rows) = (width + 2 * margin, height + 2 * margin);
        let at = |i: usize, side: usize| (i as f32 - margin as f32 + 0.5) / side as f32;
        let layer = |pattern: &TexturePattern| {
            let mut pixels = Vec::with_capacity(columns * rows);
            for y in 0..rows {
                let v = 1.0 - at(y, height);
                let row = (0..columns).map(|x| pattern.at(Some([at(x, width), v]), pictures));
                pixels.extend(row.map(super::graph::within));
            }
            TexturePicture::new(columns, pixels)
        };
        let layers = self.patterns.iter().map(layer).collect::<Result<_>>()?;
        let (inner, sides) = ([width as f32, height as f32], [columns as f32, rows as f32]);
        let TextureTransform { scale, offset } = self.transform;
        let transform = TextureTransform {
            scale: [0, 1].map(|i| scale[i] * inner[i] / sides[i]),
            offset: [0, 1].map(|i| (offset[i] * inner[i] + margin as f32) / sides[i]),
        };
        let is_exact = self.is_exact && !pictures.iter().flatten().any(TexturePicture::is_smaller);
        Ok(BakedLayers { layers, transform, wrap: self.wrap, is_exact })
    }
}

/// Several textures as pictures of one size, at one place.
pub(crate) struct BakedLayers {
    pub(crate) layers: Vec<TexturePicture>,
    pub(crate) transform: TextureTransform,
    pub(crate) wrap: Wrap,
    /// Whether they show all that the textures do.
    pub(crate) is_exact: bool,
}

impl Looks<'_> {
    /// A texture as a picture of at most `most_side` columns and rows. `read` gives the pictures of files;
    /// they may be smaller than the files' own.
    ///
    /// # Errors
    /// Those of `read`.
    ///
    /// ```
    /// # use solio_base::{Error, Work};
    /// # use solio_scene::{look::Looks, scene::{NoFiles, read_scene}};
    /// let text = b"WorldBegin\nTexture \"c\" \"spectrum\" \"checkerboard\" \"float uscale\" 8\n\
    ///     \"float vscale\" 8\nMaterial \"diffuse\" \"texture reflectance\" \"c\"\n";
    /// let path = std::path::Path::new("a.pbrt");
    /// let scene = read_scene(&&text[..], path, &NoFiles, &Default::default(), &Work::serial())?;
    /// let looks = Looks::new(&scene);
    /// let checker = looks.materials[0].base.texture.as_ref().expect("a texture");
    /// let no_files = &mut |_: &_| Err(Error::argument("no such file"));
    /// let baked = looks.bake(checker, 1024, no_files)?;
    /// // Two squares by two, which repeat every fourth of (u, v).
    /// assert_eq!((baked.picture.size(), baked.transform.scale), ([64, 64], [4.0, 4.0]));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn bake(
        &self,
        texture: &LookTexture,
        most_side: usize,
        read: &mut dyn FnMut(&LookPicture) -> Result<TexturePicture>,
    ) -> Result<BakedPicture> {
        let BakedLayers { mut layers, transform, wrap, .. } =
            self.bake_layers(vec![texture.pattern.clone()], most_side, read)?;
        let picture = layers.remove(0);
        Ok(BakedPicture { picture, transform, wrap, channel: texture.channel })
    }

    /// [`Looks::bake`] of several that are to be one picture.
    pub(crate) fn bake_layers(
        &self,
        patterns: Vec<TexturePattern>,
        most_side: usize,
        read: &mut dyn FnMut(&LookPicture) -> Result<TexturePicture>,
    ) -> Result<BakedLayers> {
        let bake = TextureBake::new(patterns);
        let mut pictures: Vec<Option<TexturePicture>> = Vec::new();
        pictures.resize(self.pictures.len(), None);
        let mut failed: Option<Error> = None;
        for pattern in &bake.patterns {
            pattern.pictures(&mut |number| {
                if failed.is_none()
                    && let Some(None) = pictures.get(number)
                {
                    match read(&self.pictures[number]) {
                        Ok(picture) => pictures[number] = Some(picture),
                        Err(error) => failed = Some(error),
                    }
                }
            });
        }
        match failed {
            Some(error) => Err(error),
            None => bake.bake(&pictures, most_side),
        }
    }
}
