//! Numbers as text: the ways of C, of Rust, of the crates that are known for it, and ours, on random bits and on a
//! mesh's own coordinates, alone and as a part of an export.

use crate::machine::ways::{Way, WayTime, in_turns};
use crate::mesh::write::{MeshWriteOptions, encode_mesh};
use solio_base::{Cancel, Error, Result, Work};
use solio_codec::number::Digits;
use solio_codec::number::format;
use solio_kinds::MeshFormat;
use solio_measure::{Middle, Stopwatch, median};
use solio_mesh::{Positions, Scene};
use std::fmt::{Display, LowerExp};
use std::hint::black_box;
use std::io::Write;

/// Numbers of a run: with their text they stay in the second-level cache.
const NUMBERS: usize = 4096;
/// Of one text; what is larger is written in pieces of its own.
const ROOM_BYTES: usize = 512;
/// Digits behind the point where they are fixed.
const FIXED: u8 = 6;

/// One kind of text on one kind of numbers: all ways.
///
/// ```no_run
/// # let scene = solio::mesh::Scene::default();
/// let study = solio::study_numbers(&scene, 21, &Default::default(), |_| ())?;
/// for group in &study.groups {
///     println!("{}, {}, {}: {} ways", group.text, group.number, group.of, group.ways.len());
/// }
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NumberGroup {
    /// `fixed, 6 digits` or `shortest`.
    pub text: &'static str,
    /// `f32` or `f64`.
    pub number: &'static str,
    /// `random bits` or `coordinates`.
    pub of: &'static str,
    /// All ways, ours last.
    pub ways: Vec<NumberWay>,
    /// Ours over ours.
    pub same: Middle,
}

/// What a number takes a way.
///
/// ```no_run
/// # let scene = solio::mesh::Scene::default();
/// # let study = solio::study_numbers(&scene, 21, &Default::default(), |_| ())?;
/// let slow = study.groups[0].ways.iter().max_by(|a, b| a.time.ns.median.total_cmp(&b.time.ns.median));
/// println!("{}", slow.unwrap().time.name);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberWay {
    /// Time a number.
    pub time: WayTime,
    /// Mean bytes of a text.
    pub bytes: f64,
    /// Texts that are not right: a fixed one is that of `std`, a shortest one reads back to the same number.
    pub wrong: usize,
    /// The part of an export that the numbers would take this way: of coordinates as `f32` with fixed digits.
    pub share_of_export: Option<f64>,
}

/// What all ways took.
///
/// ```
/// let nothing = solio::NumberStudy::default();
/// assert!(nothing.groups.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberStudy {
    /// By kind of text and number.
    pub groups: Vec<NumberGroup>,
    /// Seconds of writing the mesh as OBJ into memory, on one thread.
    pub export_s: f64,
    /// Numbers in its text, indices apart.
    pub export_numbers: usize,
}

/// Measures all ways in so many turns; `each` hears of each group before it begins.
///
/// ```no_run
/// # let path = std::path::Path::new("a.obj");
/// let work = solio::Work::default();
/// let scene = solio::read_mesh(path, &Default::default(), &work)?;
/// let study = solio::study_numbers(&scene, 21, &work.cancel, |group| println!("{group}"))?;
/// assert!(study.groups.iter().flat_map(|group| &group.ways).all(|way| way.wrong == 0));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When the mesh has no coordinates; `Cancelled`.
pub fn study_numbers(
    scene: &Scene<'_>,
    rounds: usize,
    cancel: &Cancel,
    mut each: impl FnMut(&str),
) -> Result<NumberStudy> {
    let coordinates = coordinates(scene);
    if coordinates.is_empty() {
        return Err(Error::argument("the mesh has no coordinates"));
    }
    let narrow: Vec<f32> = coordinates.iter().map(|c| *c as f32).collect();
    let (export_s, export_numbers) = export(scene, cancel)?;
    let mut study = NumberStudy { groups: Vec::new(), export_s, export_numbers };
    for digits in [Digits::Shortest, Digits::Fixed(FIXED)] {
        let of = ["random bits", "coordinates"];
        for (of, values) in
            of.into_iter().zip([random_bits(f32::from_bits, f32::is_finite), narrow.clone()])
        {
            cancel.check()?;
            study.groups.push(group(digits, of, &values, rounds, &mut each));
        }
        let wide = random_bits(|low| f64::from_bits(spread(low)), f64::is_finite);
        for (of, values) in of.into_iter().zip([wide, coordinates.clone()]) {
            cancel.check()?;
            study.groups.push(group(digits, of, &values, rounds, &mut each));
        }
    }
    let is_exported =
        |g: &&mut NumberGroup| (g.number, g.of) == ("f32", "coordinates") && g.text != SHORTEST;
    if let Some(group) = study.groups.iter_mut().find(is_exported) {
        let seconds = |way: &NumberWay| way.time.ns.median * 1e-9 * export_numbers as f64;
        let ours_s = group.ways.last().map_or(0.0, seconds);
        for way in &mut group.ways {
            // All else of the export stays as it is.
            let all_s = (export_s - ours_s).max(0.0) + seconds(way);
            way.share_of_export = Some(seconds(way) / all_s);
        }
    }
    Ok(study)
}

const SHORTEST: &str = "shortest";

/// A crate's way to write a number.
type NamedWrite<F> = (&'static str, fn(&mut Vec<u8>, F));

/// What the ways can be asked about a number.
trait Float: Copy + Display + LowerExp + PartialEq + std::str::FromStr + 'static {
    const NAME: &'static str;
    /// Digits with which `printf` gives a text that reads back.
    const WHOLE: u8;
    fn double(self) -> f64;
    fn ours(self, out: &mut Vec<u8>, digits: Digits);
    fn rows(out: &mut Vec<u8>, digits: Digits, rows: &[[Self; 1]]);
    /// The ways of crates that know shortest texts alone.
    fn shortest() -> Vec<NamedWrite<Self>>;
}

impl Float for f32 {
    const NAME: &'static str = "f32";
    const WHOLE: u8 = 9;

    fn double(self) -> f64 {
        self.into()
    }

    fn ours(self, out: &mut Vec<u8>, digits: Digits) {
        format::push_f32(out, digits, self);
    }

    fn rows(out: &mut Vec<u8>, digits: Digits, rows: &[[f32; 1]]) {
        format::rows_f32(out, b"", digits, rows);
    }

    fn shortest() -> Vec<NamedWrite<f32>> {
        vec![
            ("Ryū (crate ryu)", |out, value| {
                out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
            }),
            ("Żmij, from Schubfach (crate zmij)", |out, value| {
                out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
            }),
        ]
    }
}

impl Float for f64 {
    const NAME: &'static str = "f64";
    const WHOLE: u8 = 17;

    fn double(self) -> f64 {
        self
    }

    fn ours(self, out: &mut Vec<u8>, digits: Digits) {
        format::push_f64(out, digits, self);
    }

    fn rows(out: &mut Vec<u8>, digits: Digits, rows: &[[f64; 1]]) {
        format::rows_f64(out, b"", digits, rows);
    }

    fn shortest() -> Vec<NamedWrite<f64>> {
        vec![
            ("Ryū (crate ryu)", |out, value| {
                out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
            }),
            ("Dragonbox, as {fmt} (crate dragonbox)", |out, value| {
                out.extend_from_slice(dragonbox::Buffer::new().format_finite(value).as_bytes());
            }),
            ("Żmij, from Schubfach (crate zmij)", |out, value| {
                out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
            }),
        ]
    }
}

/// Writes a number behind what is there.
type WriteNumber<F> = Box<dyn Fn(&mut Vec<u8>, F)>;

fn group<F: Float>(
    digits: Digits,
    of: &'static str,
    values: &[F],
    rounds: usize,
    each: &mut impl FnMut(&str),
) -> NumberGroup {
    let text = if digits == Digits::Shortest { SHORTEST } else { "fixed, 6 digits" };
    each(&format!("{text}, {}, {of}", F::NAME));
    // What is measured stays in the cache; a small mesh is taken more than once.
    let values: Vec<F> = values.iter().copied().cycle().take(NUMBERS).collect();
    let mut singles: Vec<(&'static str, WriteNumber<F>)> = Vec::new();
    if digits == Digits::Shortest {
        if solio_io::probe::printf(&mut Vec::new(), 'g', 6, 0.5) {
            singles.push((
                "printf, %.9g and %.17g",
                Box::new(|out, value: F| {
                    solio_io::probe::printf(out, 'g', F::WHOLE, value.double());
                }),
            ));
        }
        // Its plain form has no exponents: a number of 1e300 is 300 digits.
        singles.push(("std, {:e}", Box::new(|out, value| drop(write!(out, "{value:e}")))));
        let crates = F::shortest().into_iter();
        singles.extend(crates.map(|(name, write)| (name, Box::new(write) as WriteNumber<F>)));
    } else {
        if solio_io::probe::printf(&mut Vec::new(), 'f', FIXED, 0.5) {
            singles.push((
                "printf, %.6f",
                Box::new(|out, value: F| {
                    solio_io::probe::printf(out, 'f', FIXED, value.double());
                }),
            ));
        }
        singles.push(("std, {:.6}", Box::new(|out, value| drop(write!(out, "{value:.6}")))));
    }
    singles.push(("Solio, one by one", Box::new(move |out, value: F| value.ours(out, digits))));
    let mut checked: Vec<(f64, usize)> = singles
        .iter()
        .map(|(_, write)| check(digits, &values, |value, out| write(out, value)))
        .collect();
    let rows: Vec<[F; 1]> = values.iter().map(|value| [*value]).collect();
    checked.push(check(digits, &values, |value, out| {
        F::rows(out, digits, &[[value]]);
        out.pop(); // the line's end
    }));
    let mut ways: Vec<Way<'_>> = Vec::new();
    for (name, write) in &singles {
        let (values, mut out) = (&values, Vec::with_capacity(NUMBERS * 32));
        let run = move || {
            out.clear();
            for value in black_box(values) {
                write(&mut out, *value);
                out.push(b'\n');
            }
            black_box(&out);
        };
        ways.push(Way { name, count: NUMBERS, run: Box::new(run) });
    }
    let (rows, mut out) = (&rows, Vec::with_capacity(NUMBERS * 32));
    let run = move || {
        out.clear();
        F::rows(&mut out, digits, black_box(rows));
        black_box(&out);
    };
    ways.push(Way { name: "Solio, a row of lines at once", count: NUMBERS, run: Box::new(run) });
    let ours = ways.len() - 1;
    let times = in_turns(ways, ours, rounds);
    let found = times.ways.into_iter().zip(checked);
    let ways =
        found.map(|(time, (bytes, wrong))| NumberWay { time, bytes, wrong, share_of_export: None });
    NumberGroup { text, number: F::NAME, of, ways: ways.collect(), same: times.same }
}

/// Mean bytes of the texts, and how many are wrong.
fn check<F: Float>(digits: Digits, values: &[F], write: impl Fn(F, &mut Vec<u8>)) -> (f64, usize) {
    let (mut text, mut bytes, mut wrong) = (Vec::with_capacity(ROOM_BYTES), 0, 0);
    for value in values {
        text.clear();
        write(*value, &mut text);
        bytes += text.len();
        let text = std::str::from_utf8(&text).unwrap_or_default();
        let is_right = match digits {
            Digits::Shortest => text.parse::<F>().is_ok_and(|read| read == *value),
            _ => text == format!("{value:.6}"),
        };
        wrong += usize::from(!is_right);
    }
    (bytes as f64 / values.len().max(1) as f64, wrong)
}

/// Numbers of evenly spread bits, always the same.
fn random_bits<F: Copy>(make: impl Fn(u32) -> F, is_number: impl Fn(F) -> bool) -> Vec<F> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        make((state >> 32) as u32)
    };
    std::iter::repeat_with(&mut next).filter(|value| is_number(*value)).take(NUMBERS).collect()
}

/// 64 bits of 32.
fn spread(low: u32) -> u64 {
    u64::from(low).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(low) << 32
}

/// Evenly spread ones of all coordinates.
fn coordinates(scene: &Scene<'_>) -> Vec<f64> {
    let all: usize = scene.meshes.iter().map(|mesh| 3 * mesh.positions.len()).sum();
    let every = all.div_ceil(NUMBERS).max(1);
    // A step of whole rows would take one axis alone.
    let every = if every.is_multiple_of(3) { every + 1 } else { every };
    let of_mesh = |positions: &Positions<'_>| {
        (0..positions.len()).flat_map(|v| positions.get(v)).collect::<Vec<_>>()
    };
    let coordinates = scene.meshes.iter().flat_map(|mesh| of_mesh(&mesh.positions));
    coordinates.step_by(every).filter(|c| c.is_finite()).take(NUMBERS).collect()
}

/// Seconds of writing the scene as OBJ into memory on one thread, and the numbers in it.
fn export(scene: &Scene<'_>, cancel: &Cancel) -> Result<(f64, usize)> {
    let work = Work { threads: 1, cancel: cancel.clone(), ..Work::default() };
    let options = MeshWriteOptions::default();
    let mut walls = Vec::new();
    for _ in 0..3 {
        let watch = Stopwatch::start();
        black_box(encode_mesh(scene, MeshFormat::Obj, &options, &work)?);
        walls.push(watch.wall_s());
    }
    let numbers = |mesh: &solio_mesh::Mesh<'_>| {
        let uvs = mesh.uvs.as_ref().map_or(0, |uvs| 2 * uvs.values.len());
        let normals = mesh.normals.as_ref().map_or(0, |normals| 3 * normals.values.len());
        3 * mesh.positions.len() + uvs + normals
    };
    Ok((median(&walls), scene.meshes.iter().map(numbers).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_mesh::Mesh;

    #[test]
    fn every_way_gives_right_texts() {
        let points: Vec<[f32; 3]> =
            (0..50).map(|i| [i as f32 * 0.37, -1.5, 1e-3 * i as f32]).collect();
        let mesh = Mesh { positions: Positions::F32(points.into()), ..Mesh::default() };
        let scene = Scene { meshes: vec![mesh], ..Scene::default() };
        let mut said = Vec::new();
        let study =
            study_numbers(&scene, 1, &Cancel::default(), |g| said.push(g.to_owned())).unwrap();
        assert_eq!((study.groups.len(), said.len(), study.export_numbers), (8, 8, 150));
        for group in &study.groups {
            for way in &group.ways {
                assert_eq!(
                    way.wrong, 0,
                    "{} {} {}: {}",
                    group.text, group.number, group.of, way.time.name
                );
                assert!(way.time.ns.median > 0.0 && way.bytes > 1.0);
            }
            assert!(group.ways.last().unwrap().time.name.starts_with("Solio"));
        }
        let shares: Vec<_> =
            study.groups.iter().flat_map(|g| &g.ways).filter_map(|w| w.share_of_export).collect();
        assert!(
            shares.len() >= 3 && shares.iter().all(|share| (0.0..=1.0).contains(share)),
            "{shares:?}"
        );
        assert!(study_numbers(&Scene::default(), 1, &Cancel::default(), |_| ()).is_err());
    }

    #[test]
    fn a_wrong_text_is_counted() {
        let wrong = check(Digits::Shortest, &[1.5f32, 2.0], |_, out| out.extend(b"1.5"));
        assert_eq!(wrong, (3.0, 1));
        assert_eq!(check(Digits::Fixed(6), &[1.5f64], |_, out| out.extend(b"1.5")).1, 1);
    }
}
