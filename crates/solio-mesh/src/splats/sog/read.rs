//! Reading: the document, its pictures, then each splat from its pixels.

use super::bundle::SogBundle;
use super::meta::{SogMeta, SogPalette, SogRange};
use super::picture::SogPicture;
use super::{CODES, FIRST_PART, MOST_DEGREE, PALETTE_ROW};
use crate::gltf::GltfFiles;
use crate::model::Scene;
use crate::odd::tolerate;
use crate::parallel;
use crate::spans::DECODE;
use crate::splats::columns::{COEFFICIENTS, SplatColumns, logit};
use crate::splats::{ANTIALIASED, SplatReadOptions};
use solio_base::{Error, Limits, Result, Source, Work};
use std::borrow::Cow;

/// Splats of a bundle of one byte, at most, beside those that any may have: pictures of one colour are small.
const SPLATS_A_BYTE: u64 = 2;
const SPARE_SPLATS: u64 = 1 << 20;
/// A document has some codes of 256 numbers.
const META_BYTES: u64 = 16 << 20;

/// Reads a SOG: a ZIP, or a `meta.json` whose pictures `files` has. One mesh, with the attributes of a 3DGS
/// PLY.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{gltf::NoGltfFiles, splats::{decode_splat, sog}};
/// let mut record = [0; 32];
/// record[0..4].copy_from_slice(&2.5_f32.to_le_bytes()); // x
/// record[28] = 255; // not turned
/// let scene = decode_splat(&&record[..], &Default::default(), &Work::serial())?;
/// let mut file = Vec::new();
/// sog::encode_sog(&scene, &Work::serial(), &mut file)?;
/// let back = sog::decode_sog(&file, &NoGltfFiles, &Default::default(), &Work::serial())?;
/// assert_eq!(back.meshes[0].positions.get(0), [2.5, 0.0, 0.0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Syntax` and `Corrupt` for what is damaged or contradicts itself, `Unsupported` for other versions and
/// pictures, `Limit`, and those of `source` and `files`.
pub fn decode_sog(
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &SplatReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let _span = DECODE.begin();
    decode(source, files, options, work).map_err(|e| match (e.offset(), e.path()) {
        // What is wrong with a bundle has no place of its own.
        (None, None) => e.at_offset(0),
        _ => e,
    })
}

fn decode(
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &SplatReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let limits = options.limits;
    let bundle = SogBundle::open(source, files, &limits)?;
    let meta_limits = Limits { bytes: limits.bytes.min(META_BYTES), ..limits };
    let text = bundle.meta(&meta_limits)?;
    let meta = parse(&text)?;
    let version = version_of(&meta)?;
    let count = meta.count.or(meta.means.shape.first().copied());
    let Some(count) = count else {
        return Err(Error::corrupt("meta.json does not say how many splats there are"));
    };
    limits.check_elements("splats", count)?;
    let files = file_names(&meta, version)?;
    let raw: Vec<(String, Vec<u8>)> = files
        .into_iter()
        .map(|name| Ok((name.clone(), bundle.file(&name, &limits)?)))
        .collect::<Result<_>>()?;
    let there: u64 = raw.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    if count > there.saturating_mul(SPLATS_A_BYTE).saturating_add(SPARE_SPLATS) {
        let message = format!("meta.json says {count} splats, and the pictures have {there} bytes");
        return Err(Error::corrupt(message));
    }
    limits.check_bytes("the splats", count.saturating_mul(4 * (14 + 45)))?;
    let pictures = pictures(&raw, count, &meta, work)?;
    drop(raw);
    let mut warnings = Vec::new();
    let columns = match version {
        1 => SogCoder::of_ranges(&meta),
        _ => SogCoder::of_codes(&meta),
    }?
    .columns(count as usize, &pictures, work)?;
    let model = meta.model.as_deref().unwrap_or("default");
    if !["default", "antialiased"].contains(&model) {
        let message = format!("splats of the model \"{model}\" are read as ordinary ones");
        tolerate(Error::unsupported(message), options.strict, &mut warnings)?;
    }
    let is_antialiased = meta.antialias == Some(true) || model == "antialiased";
    let mut scene = columns.into_scene();
    scene.comments = is_antialiased.then(|| ANTIALIASED.to_owned()).into_iter().collect();
    scene.warnings = warnings;
    Ok(scene)
}

pub(super) fn parse(text: &[u8]) -> Result<SogMeta> {
    serde_json::from_slice(text).map_err(|e| {
        let (line, column) = (e.line() as u64, e.column() as u64);
        Error::syntax(format!("meta.json: {e}")).at_line(line, column)
    })
}

fn version_of(meta: &SogMeta) -> Result<u32> {
    match meta.version {
        None | Some(1) => Ok(1),
        Some(2) => Ok(2),
        Some(other) => {
            Err(Error::unsupported(format!("SOG of version {other}; versions 1 and 2 are read")))
        }
    }
}

/// The pictures in a fixed order: two of places, sizes, rotations, colours, and two of the palette, if
/// there is one.
fn file_names(meta: &SogMeta, version: u32) -> Result<Vec<String>> {
    let missing = |what: &str| Error::corrupt(format!("meta.json names no picture of {what}"));
    let of = |range: &SogRange, at: usize, what: &str| {
        range.files.get(at).cloned().ok_or_else(|| missing(what))
    };
    let mut names = vec![
        of(&meta.means, 0, "the positions")?,
        of(&meta.means, 1, "the positions")?,
        of(&meta.scales, 0, "the sizes")?,
        of(&meta.quats, 0, "the rotations")?,
        of(&meta.sh0, 0, "the colours")?,
    ];
    if let Some(palette) = palette_of(meta, version) {
        let own = palette.files.get(..2).ok_or_else(|| missing("the palette"))?;
        names.extend_from_slice(own);
    }
    Ok(names)
}

fn palette_of(meta: &SogMeta, version: u32) -> Option<&SogPalette> {
    let has_bands = |palette: &&SogPalette| version == 1 || palette.bands.unwrap_or(0) > 0;
    meta.sh_n.as_ref().filter(has_bands)
}

/// The pictures of a SOG.
#[derive(Debug, Default)]
pub(super) struct SogPictures {
    pub(super) means: [SogPicture; 2],
    pub(super) scales: SogPicture,
    pub(super) quats: SogPicture,
    pub(super) sh0: SogPicture,
    /// The entries of the palette, and the entry of each splat.
    pub(super) palette: Option<[SogPicture; 2]>,
}

fn pictures(
    raw: &[(String, Vec<u8>)],
    count: u64,
    meta: &SogMeta,
    work: &Work,
) -> Result<SogPictures> {
    let needed = |number: usize| match (number, &meta.sh_n) {
        // The palette's own picture.
        (5, Some(palette)) => {
            let entries = palette.count.unwrap_or(1).clamp(1, 1 << 16);
            let degree = (palette.bands.unwrap_or(1) as usize).clamp(1, MOST_DEGREE);
            entries.div_ceil(PALETTE_ROW as u64) * (PALETTE_ROW * COEFFICIENTS[degree]) as u64
        }
        _ => count,
    };
    let decode = |number: usize| {
        let (name, bytes) = &raw[number];
        SogPicture::decode(bytes, name, needed(number))
    };
    let pool = parallel::pool(work)?;
    let decoded = pool.install(|| parallel::collect(raw.len(), &decode));
    work.cancel.check()?;
    let mut decoded = decoded.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
    let mut next = || decoded.next().unwrap_or_default();
    Ok(SogPictures {
        means: [next(), next()],
        scales: next(),
        quats: next(),
        sh0: next(),
        palette: (raw.len() > 5).then(|| [next(), next()]),
    })
}

/// How bytes become numbers.
pub(super) struct SogCoder {
    /// Of the logarithms of places: the least, and how far it is to the greatest.
    places: [[f64; 2]; 3],
    sizes: [Vec<f32>; 3],
    colors: [Vec<f32>; 3],
    /// The opacity of each byte.
    opacities: Vec<f32>,
    harmonics: Vec<f32>,
    palette_count: Option<u64>,
    bands: Option<usize>,
}

impl SogCoder {
    fn places(meta: &SogMeta) -> Result<[[f64; 2]; 3]> {
        let (mins, maxs) = (&meta.means.mins, &meta.means.maxs);
        let (Some(mins), Some(maxs)) = (mins.get(..3), maxs.get(..3)) else {
            return Err(Error::corrupt("meta.json does not say what the positions are between"));
        };
        Ok([0, 1, 2].map(|k| {
            let size = maxs[k] - mins[k];
            [mins[k], size]
        }))
    }

    /// Of version 2.
    pub(super) fn of_codes(meta: &SogMeta) -> Result<SogCoder> {
        let code = |codebook: &[f32], what: &str| match codebook.len() {
            // The last numbers of a code may be left out.
            1..=CODES => {
                let mut whole = codebook.to_vec();
                whole.resize(CODES, 0.0);
                Ok(whole)
            }
            other => Err(Error::corrupt(format!("the code of {what} has {other} numbers"))),
        };
        let sizes = code(&meta.scales.codebook, "the sizes")?;
        let colors = code(&meta.sh0.codebook, "the colours")?;
        let opacities = (0..CODES).map(|byte| logit(byte as f32 / 255.0)).collect();
        let palette = palette_of(meta, 2);
        let bands = palette.and_then(|palette| palette.bands).map(|bands| bands as usize);
        if bands.is_some_and(|bands| bands > MOST_DEGREE) {
            let message = format!("harmonics of {} bands", bands.unwrap_or(0));
            return Err(Error::unsupported(message));
        }
        Ok(SogCoder {
            places: SogCoder::places(meta)?,
            sizes: [sizes.clone(), sizes.clone(), sizes],
            colors: [colors.clone(), colors.clone(), colors],
            opacities,
            harmonics: match palette {
                Some(palette) => code(&palette.codebook, "the palette")?,
                None => Vec::new(),
            },
            palette_count: palette.and_then(|palette| palette.count),
            bands,
        })
    }

    /// Of version 1: each byte is between the bounds of its channel.
    fn of_ranges(meta: &SogMeta) -> Result<SogCoder> {
        let range = |range: &SogRange, k: usize, what: &str| {
            let (Some(low), Some(high)) = (range.mins.get(k), range.maxs.get(k)) else {
                return Err(Error::corrupt(format!("meta.json has no bounds of {what}")));
            };
            Ok(between(*low, *high))
        };
        let three = |own: &SogRange, what: &str| {
            Ok::<_, Error>([range(own, 0, what)?, range(own, 1, what)?, range(own, 2, what)?])
        };
        let harmonics = match palette_of(meta, 1) {
            None => Vec::new(),
            Some(palette) => match (palette.mins, palette.maxs) {
                (Some(low), Some(high)) => between(low, high),
                _ => return Err(Error::corrupt("meta.json has no bounds of the palette")),
            },
        };
        Ok(SogCoder {
            places: SogCoder::places(meta)?,
            sizes: three(&meta.scales, "the sizes")?,
            colors: three(&meta.sh0, "the colours")?,
            opacities: range(&meta.sh0, 3, "the opacities")?,
            harmonics,
            palette_count: None,
            bands: None,
        })
    }

    pub(super) fn columns(
        &self,
        count: usize,
        pictures: &SogPictures,
        work: &Work,
    ) -> Result<SplatColumns<'static>> {
        let degree = match &pictures.palette {
            Some([entries, _]) => self.degree_of(entries)?,
            None => 0,
        };
        let [low, high] = [&pictures.means[0].pixels, &pictures.means[1].pixels];
        let mut columns = SplatColumns::of_degree(degree, count);
        for i in 0..count {
            let place = [0, 1, 2].map(|k| {
                let step = u16::from_le_bytes([low[i][k], high[i][k]]);
                let [least, size] = self.places[k];
                spread(least + size * f64::from(step) / 65535.0)
            });
            let [size_x, size_y, size_z, _] = pictures.scales.pixels[i];
            let [red, green, blue, alpha] = pictures.sh0.pixels[i];
            let [w, x, y, z] = rotation(pictures.quats.pixels[i]);
            let byte = |code: &[f32], byte: u8| code[usize::from(byte)];
            let numbers = [
                byte(&self.colors[0], red),
                byte(&self.colors[1], green),
                byte(&self.colors[2], blue),
                byte(&self.opacities, alpha),
                byte(&self.sizes[0], size_x),
                byte(&self.sizes[1], size_y),
                byte(&self.sizes[2], size_z),
                w,
                x,
                y,
                z,
            ];
            columns.push(place, numbers);
        }
        let Some([entries, labels]) = &pictures.palette else { return Ok(columns) };
        let of_channel = COEFFICIENTS[degree];
        let room = entries.height * PALETTE_ROW;
        let known = self.palette_count.map_or(room, |count| room.min(count as usize));
        let column = |number: usize| -> Vec<f32> {
            let (channel, k) = (number / of_channel, number % of_channel);
            let value = |i: usize| {
                let [a, b, ..] = labels.pixels[i];
                let label = usize::from(u16::from_le_bytes([a, b]));
                // What has no entry is the same from every side.
                if label >= known {
                    return 0.0;
                }
                let at = label / PALETTE_ROW * entries.width + label % PALETTE_ROW * of_channel + k;
                self.harmonics[usize::from(entries.pixels[at][channel])]
            };
            (0..count).map(value).collect()
        };
        let rest = parallel::pool(work)?
            .install(|| parallel::collect(3 * of_channel, &|number| column(number)));
        columns.rest = rest.into_iter().map(Cow::Owned).collect();
        Ok(columns)
    }

    /// The degree of a palette: as it says, or as wide as its picture is.
    fn degree_of(&self, entries: &SogPicture) -> Result<usize> {
        let degree = (1..=MOST_DEGREE).find(|d| entries.width == PALETTE_ROW * COEFFICIENTS[*d]);
        match degree.filter(|degree| self.bands.is_none_or(|bands| bands == *degree)) {
            Some(degree) => Ok(degree),
            None => {
                let message = format!("a palette of {} columns", entries.width);
                Err(Error::corrupt(message))
            }
        }
    }
}

/// The numbers that all bytes stand for.
fn between(low: f64, high: f64) -> Vec<f32> {
    (0..CODES).map(|byte| (low + (high - low) * byte as f64 / 255.0) as f32).collect()
}

/// Places are dense near the middle: from a logarithm, with the sign.
fn spread(value: f64) -> f32 {
    (value.signum() * value.abs().exp_m1()) as f32
}

/// The logarithm of a place.
pub(super) fn gathered(place: f32) -> f64 {
    let place = f64::from(place);
    place.signum() * place.abs().ln_1p()
}

/// Three parts of a quaternion, and which one, the largest, they leave out; w first.
fn rotation([a, b, c, which]: [u8; 4]) -> [f32; 4] {
    let Some(largest) = which.checked_sub(FIRST_PART) else { return [1.0, 0.0, 0.0, 0.0] };
    let part = |byte: u8| (f32::from(byte) / 255.0 * 2.0 - 1.0) * std::f32::consts::FRAC_1_SQRT_2;
    let others = [a, b, c].map(part);
    let rest = 1.0 - others.iter().map(|v| v * v).sum::<f32>();
    let mut others = others.into_iter();
    std::array::from_fn(|k| match k == usize::from(largest) {
        true => rest.max(0.0).sqrt(),
        false => others.next().unwrap_or(0.0),
    })
}
