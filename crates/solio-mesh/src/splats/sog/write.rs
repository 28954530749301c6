//! Writing: neighbours side by side, numbers to bytes, pictures, and the bundle.

use super::bundle::zipped;
use super::code::{code_of, nearest};
use super::meta::{SogAsset, SogMeta, SogPalette, SogRange};
use super::palette::{RowPalette, palette_of};
use super::picture::{MOST_SIDE, SogPicture};
use super::read::{SogCoder, SogPictures, gathered};
use super::{FIRST_PART, META, MOST_DEGREE, PALETTE_ROW};
use crate::model::Scene;
use crate::parallel;
use crate::spans::PREPARE;
use crate::splats::ANTIALIASED;
use crate::splats::columns::{COEFFICIENTS, SplatColumns, alpha_of};
use crate::splats::measure::{lacks, measure};
use crate::splats::pack::order_of;
use solio_base::{Error, Losses, Result, Sink, Work};

const NAME: &str = "SOG";
/// The most entries that labels of two bytes have.
const MOST_ENTRIES: usize = 1 << 16;
/// Fewer splats than this have an entry each; of more their number is this, doubled as often as it fits: so
/// does PlayCanvas' program.
const LEAST_ENTRIES: usize = 1024;

/// A file before it is packed.
struct SogParts {
    meta: SogMeta,
    pictures: SogPictures,
    /// The splat of each pixel.
    order: Vec<u32>,
}

/// Writes the splats of a scene as a bundled SOG of version 2. Their order changes: neighbours follow each
/// other.
///
/// # Errors
/// `Unsupported` where the scene has no splats, `Limit` for more than pictures hold, and what `sink` fails
/// with.
pub fn encode_sog(scene: &Scene<'_>, work: &Work, sink: &mut dyn Sink) -> Result<()> {
    let prepare = PREPARE.begin();
    let parts = SogParts::of(scene, work)?;
    drop(prepare);
    let SogPictures { means: [low, high], scales, quats, sh0, palette } = &parts.pictures;
    let mut named = vec![
        ("means_l.webp", low),
        ("means_u.webp", high),
        ("quats.webp", quats),
        ("scales.webp", scales),
        ("sh0.webp", sh0),
    ];
    if let Some([entries, labels]) = palette {
        named.extend([("shN_centroids.webp", entries), ("shN_labels.webp", labels)]);
    }
    let pool = parallel::pool(work)?;
    let packed = pool.install(|| parallel::collect(named.len(), &|i| named[i].1.encode()));
    work.cancel.check()?;
    let names = named.iter().map(|(name, _)| *name);
    let mut files =
        names.zip(packed).map(|(name, bytes)| Ok((name, bytes?))).collect::<Result<Vec<_>>>()?;
    let text =
        serde_json::to_vec(&parts.meta).map_err(|e| Error::unsupported(format!("no JSON: {e}")))?;
    files.push((META, text));
    let bundle = zipped(&files)?;
    let chunks: Vec<&[u8]> = bundle.chunks(1 << 20).collect();
    sink.write_chunks(work, chunks.len(), &|i, out| {
        out.extend_from_slice(chunks[i]);
        Ok(())
    })
}

/// What a SOG cannot hold of a scene, and how far off the rest is.
///
/// # Errors
/// `Unsupported` where the scene has no splats, `Limit` for more than pictures hold.
pub fn sog_losses(scene: &Scene<'_>, work: &Work) -> Result<Losses> {
    let columns = SplatColumns::of_scene(scene, NAME)?;
    let mut losses = Losses::default();
    lacks(&mut losses, scene, NAME);
    let comments = scene.comments.iter().filter(|comment| *comment != ANTIALIASED).count();
    losses.add_some("comments", "SOG has no comments", comments, "comment");
    let parts = SogParts::of(scene, work)?;
    let before = columns.in_order(&parts.order);
    let coder = SogCoder::of_codes(&parts.meta)?;
    let after = coder.columns(columns.count(), &parts.pictures, work)?;
    measure(&mut losses, NAME, &before, &after, None);
    Ok(losses)
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

fn byte(share: f32) -> u8 {
    // From a float to a byte Rust cuts off at both ends, and takes NaN for 0.
    (share * 255.0).round() as u8
}

/// A quaternion without its largest part, which is positive, and which one that was.
fn packed_rotation(turn: [f32; 4]) -> [u8; 4] {
    let largest = (1..4).fold(0, |most, k| if turn[k].abs() > turn[most].abs() { k } else { most });
    let sign = if turn[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut bytes = [0, 0, 0, FIRST_PART + largest as u8];
    let others = (0..4).filter(|k| *k != largest);
    for (to, k) in bytes.iter_mut().zip(others) {
        *to = byte(sign * turn[k] * std::f32::consts::FRAC_1_SQRT_2 + 0.5);
    }
    bytes
}

impl SogParts {
    fn of(scene: &Scene<'_>, work: &Work) -> Result<SogParts> {
        let columns = SplatColumns::of_scene(scene, NAME)?;
        let count = columns.count();
        if count > MOST_SIDE * MOST_SIDE {
            let message =
                format!("{count} splats: the pictures of a SOG hold {}", MOST_SIDE.pow(2));
            return Err(Error::limit(message));
        }
        let order = order_of(&columns.positions);
        let at = |i: usize| order[i] as usize;
        let (means, low, high) = places(&columns, &order);
        let code = |of: &[std::borrow::Cow<'_, [f32]>; 3]| {
            code_of(of.iter().flat_map(|column| column.iter().copied()))
        };
        let pool = parallel::pool(work)?;
        let (sizes, colors) =
            pool.install(|| rayon::join(|| code(&columns.scales), || code(&columns.colors)));
        work.cancel.check()?;
        let scales = SogPicture::of_splats(count, |i| {
            let [x, y, z] = SplatColumns::three(&columns.scales, at(i)).map(|v| nearest(&sizes, v));
            [x, y, z, 255]
        });
        let sh0 = SogPicture::of_splats(count, |i| {
            let [r, g, b] =
                SplatColumns::three(&columns.colors, at(i)).map(|v| nearest(&colors, v));
            [r, g, b, byte(alpha_of(columns.opacity[at(i)]))]
        });
        let quats = SogPicture::of_splats(count, |i| packed_rotation(columns.turn(at(i))));
        let file = |name: &str| vec![name.to_owned()];
        let mut meta = SogMeta {
            version: Some(2),
            asset: Some(SogAsset { generator: format!("Solio {}", env!("CARGO_PKG_VERSION")) }),
            count: Some(count as u64),
            means,
            scales: SogRange { codebook: sizes, files: file("scales.webp"), ..SogRange::default() },
            quats: SogRange { files: file("quats.webp"), ..SogRange::default() },
            sh0: SogRange { codebook: colors, files: file("sh0.webp"), ..SogRange::default() },
            ..SogMeta::default()
        };
        if scene.comments.iter().any(|comment| comment == ANTIALIASED) {
            (meta.antialias, meta.model) = (Some(true), Some("antialiased".to_owned()));
        }
        let degree = columns.degree().min(MOST_DEGREE);
        let palette = (degree > 0).then(|| {
            let (palette, pictures) = pool.install(|| harmonics(&columns, degree, &order));
            meta.sh_n = Some(palette);
            pictures
        });
        let means = [low, high];
        Ok(SogParts { meta, pictures: SogPictures { means, scales, quats, sh0, palette }, order })
    }
}

/// The bounds of the logarithms of places, and the lower and upper bytes between them.
fn places(columns: &SplatColumns<'_>, order: &[u32]) -> (SogRange, SogPicture, SogPicture) {
    let (mut mins, mut maxs) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for position in columns.positions.iter() {
        for k in 0..3 {
            let value = gathered(finite(position[k]));
            (mins[k], maxs[k]) = (mins[k].min(value), maxs[k].max(value));
        }
    }
    let steps = |i: usize| {
        let position = columns.positions[order[i] as usize];
        [0, 1, 2].map(|k| {
            let size = maxs[k] - mins[k];
            let share = (gathered(finite(position[k])) - mins[k]) / size;
            // Nothing but one place: NaN becomes 0.
            (share * 65535.0).round() as u16
        })
    };
    let picture = |shift: u32| {
        SogPicture::of_splats(order.len(), |i| {
            let [x, y, z] = steps(i).map(|step| (step >> shift) as u8);
            [x, y, z, 255]
        })
    };
    let range = SogRange {
        mins: mins.to_vec(),
        maxs: maxs.to_vec(),
        files: vec!["means_l.webp".to_owned(), "means_u.webp".to_owned()],
        ..SogRange::default()
    };
    (range, picture(0), picture(8))
}

/// The palette of harmonics up to a degree, as pictures of its entries and of the entry of each splat.
fn harmonics(
    columns: &SplatColumns<'_>,
    degree: usize,
    order: &[u32],
) -> (SogPalette, [SogPicture; 2]) {
    let (own, of_channel) = (COEFFICIENTS[columns.degree()], COEFFICIENTS[degree]);
    let rest: Vec<&[f32]> = (0..3)
        .flat_map(|c| (0..of_channel).map(move |k| c * own + k))
        .map(|k| &*columns.rest[k])
        .collect();
    let most = match order.len() / LEAST_ENTRIES {
        0 => LEAST_ENTRIES,
        times => (LEAST_ENTRIES << times.ilog2()).min(MOST_ENTRIES),
    };
    let RowPalette { width, rows, labels } = palette_of(&rest, most);
    let codebook = code_of(rows.iter().copied());
    let count = rows.len() / width;
    let height = count.div_ceil(PALETTE_ROW);
    let mut pixels = vec![[0, 0, 0, 255]; PALETTE_ROW * of_channel * height];
    for (entry, row) in rows.chunks_exact(width).enumerate() {
        for k in 0..of_channel {
            let [r, g, b] = [0, 1, 2].map(|c| nearest(&codebook, row[c * of_channel + k]));
            // Rows of 64 entries: they follow each other.
            pixels[entry * of_channel + k] = [r, g, b, 255];
        }
    }
    let entries = SogPicture { width: PALETTE_ROW * of_channel, height, pixels };
    let labels = SogPicture::of_splats(order.len(), |i| {
        let [a, b] = labels[order[i] as usize].to_le_bytes();
        [a, b, 0, 255]
    });
    let palette = SogPalette {
        count: Some(count as u64),
        bands: Some(degree as u64),
        codebook,
        files: vec!["shN_centroids.webp".to_owned(), "shN_labels.webp".to_owned()],
        ..SogPalette::default()
    };
    (palette, [entries, labels])
}
