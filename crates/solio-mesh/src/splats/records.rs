//! `.splat`: 32 bytes a splat, and nothing else. Three floats are its place, three its size, four bytes
//! its colour with alpha, four its quaternion, w first (antimatter15/splat, `convert.py`).

use super::columns::{SplatColumns, alpha_of, channel_of, log_size, logit, of_channel};
use super::measure::{lacks, measure};
use crate::model::Scene;
use crate::spans::{DECODE, PREPARE};
use solio_base::{Error, Limits, Losses, Result, Sink, Source, Work};

/// Bytes of a splat.
const RECORD: usize = 32;
/// Splats that are read or written at once.
const ROWS: usize = 32 << 10;

/// How a file of splats is read.
#[derive(Clone, Debug, Default)]
pub struct SplatReadOptions {
    /// Refuse what a lenient reader passes over with a warning.
    pub strict: bool,
    /// Bounds.
    pub limits: Limits,
}

/// Reads a `.splat` file: one mesh, with the attributes of a 3DGS PLY.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::splats::decode_splat;
/// let mut record = [0; 32];
/// record[12..24].copy_from_slice(&[1.0_f32; 3].map(f32::to_le_bytes).concat());
/// record[24..].copy_from_slice(&[255, 0, 0, 255, 255, 128, 128, 128]); // red, not turned
/// let scene = decode_splat(&&record[..], &Default::default(), &Work::serial())?;
/// assert_eq!(solio_mesh::splat_count(&scene.meshes[0]), 1);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Corrupt` where the file ends inside a splat, `Limit`, and those of `source`.
pub fn decode_splat(
    source: &dyn Source,
    options: &SplatReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let _span = DECODE.begin();
    let known = source.len_bytes().map_or(0, |bytes| bytes / RECORD as u64);
    let check = |count: u64, at: u64| {
        let bytes = count.saturating_mul(17 * 4);
        let elements = options.limits.check_elements("splats", count);
        elements
            .and_then(|()| options.limits.check_bytes("the splats", bytes))
            .map_err(|e| e.at_offset(at))
    };
    check(known, 0)?;
    let mut columns = SplatColumns::of_degree(0, usize::try_from(known).unwrap_or(0));
    let mut buffer = vec![0; ROWS * RECORD];
    let mut at = 0;
    loop {
        work.cancel.check()?;
        let got = source.read_at(at, &mut buffer)?;
        let (records, rest) = buffer[..got].as_chunks::<RECORD>();
        for record in records {
            let (position, numbers) = of_record(record);
            columns.push(position, numbers);
        }
        check(columns.count() as u64, at)?;
        if !rest.is_empty() {
            let message = format!("the file ends inside a splat: {} of 32 bytes", rest.len());
            return Err(Error::corrupt(message).at_offset(at + (got - rest.len()) as u64));
        }
        if got < buffer.len() {
            return Ok(columns.into_scene());
        }
        at += got as u64;
    }
}

fn of_record(record: &[u8; RECORD]) -> ([f32; 3], [f32; 11]) {
    let (floats, bytes) = record.split_at(24);
    let floats = floats.as_chunks::<4>().0;
    let float = |k: usize| f32::from_le_bytes(floats[k]);
    let scale = |k: usize| log_size(float(3 + k));
    let color = |k: usize| of_channel(f32::from(bytes[k]) / 255.0);
    let turn = |k: usize| (f32::from(bytes[4 + k]) - 128.0) / 128.0;
    let opacity = logit(f32::from(bytes[3]) / 255.0);
    let numbers = [color(0), color(1), color(2), opacity, scale(0), scale(1), scale(2)];
    let turns = [turn(0), turn(1), turn(2), turn(3)];
    let mut all = [0.0; 11];
    all[..7].copy_from_slice(&numbers);
    all[7..].copy_from_slice(&turns);
    ([float(0), float(1), float(2)], all)
}

fn to_record(columns: &SplatColumns<'_>, i: usize) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    let scales = SplatColumns::three(&columns.scales, i);
    // No number becomes no size.
    let scales = scales.map(|scale| if scale.is_nan() { 0.0 } else { scale.exp().min(f32::MAX) });
    let places = columns.positions[i].map(|v| if v.is_finite() { v } else { 0.0 });
    for (k, value) in places.into_iter().chain(scales).enumerate() {
        record[4 * k..4 * k + 4].copy_from_slice(&value.to_le_bytes());
    }
    // From a float to a byte Rust cuts off at both ends, and takes NaN for 0.
    let byte = |value: f32| (value * 255.0).round() as u8;
    let [r, g, b] = SplatColumns::three(&columns.colors, i).map(channel_of).map(byte);
    let alpha = byte(alpha_of(columns.opacity[i]));
    let [w, x, y, z] = columns.turn(i).map(|v| (v * 128.0 + 128.0).round() as u8);
    record[24..].copy_from_slice(&[r, g, b, alpha, w, x, y, z]);
    record
}

/// Writes the splats of a scene as a `.splat` file.
///
/// # Errors
/// `Unsupported` where the scene has no splats, and what `sink` fails with.
pub fn encode_splat(scene: &Scene<'_>, work: &Work, sink: &mut dyn Sink) -> Result<()> {
    let columns = SplatColumns::of_scene(scene, NAME)?;
    let count = columns.count();
    sink.write_chunks(work, count.div_ceil(ROWS), &|chunk, out| {
        for i in chunk * ROWS..count.min((chunk + 1) * ROWS) {
            out.extend_from_slice(&to_record(&columns, i));
        }
        Ok(())
    })
}

const NAME: &str = "SPLAT";

/// What a `.splat` file cannot hold of a scene, and how far off the rest is.
///
/// # Errors
/// `Unsupported` where the scene has no splats.
pub fn splat_losses(scene: &Scene<'_>) -> Result<Losses> {
    let _span = PREPARE.begin();
    let before = SplatColumns::of_scene(scene, NAME)?;
    let mut losses = Losses::default();
    lacks(&mut losses, scene, NAME);
    let comments = scene.comments.len();
    losses.add_some("comments", "SPLAT has no comments", comments, "comment");
    let mut after = SplatColumns::of_degree(0, before.count());
    for i in 0..before.count() {
        let (position, numbers) = of_record(&to_record(&before, i));
        after.push(position, numbers);
    }
    measure(&mut losses, NAME, &before, &after, None);
    Ok(losses)
}
