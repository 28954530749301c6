//! How small the codec makes arrays of known kinds: the table `data/sizes.csv` says it, and any
//! change of it has to be meant. Where it is, the test's own words are the new table.

use solio_codec::array::{ArrayDecoder, ArrayEncoder, Effort, Element, SamplePlane};
use std::fmt::Write;

/// Numbers that look like chance: a linear congruential generator (Knuth's MMIX).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as u32
    }

    /// A sum of four, nearly normal, between -1 and 1.
    fn bell(&mut self) -> f32 {
        let sum: u32 = (0..4).map(|_| self.next() & 0xffff).sum();
        sum as f32 / 131070.0 - 1.0
    }
}

struct SizeCase {
    name: &'static str,
    bytes: Vec<u8>,
    planes: Vec<SamplePlane>,
}

const WIDTH: usize = 500;
const ROWS: usize = 96;

/// Planes of whole rows, behind one another.
fn image(name: &'static str, element: Element, planes: Vec<Vec<u8>>) -> SizeCase {
    let step = element.bytes();
    let size = WIDTH * ROWS * step;
    let layout = |i| SamplePlane {
        element,
        width: WIDTH,
        rows: ROWS,
        start: i * size,
        step,
        row_step: WIDTH * step,
    };
    let planes_at = (0..planes.len()).map(layout).collect();
    assert!(planes.iter().all(|plane| plane.len() == size), "{name}");
    SizeCase { name, bytes: planes.concat(), planes: planes_at }
}

fn of_pixels<const N: usize>(mut sample: impl FnMut(f32, f32) -> [u8; N]) -> Vec<u8> {
    let places = (0..ROWS).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    places.flat_map(|(x, y)| sample(x as f32 / WIDTH as f32, y as f32 / ROWS as f32)).collect()
}

/// The bits of the nearest half of a positive number; good enough for what is made here.
fn half(value: f32) -> u16 {
    let bits = value.clamp(6.2e-5, 60000.0).to_bits() + 0x1000;
    ((bits >> 13) - (112 << 10)) as u16
}

/// A landscape that is the same on every machine: sums, products and roots alone.
fn hills(x: f32, y: f32) -> f32 {
    let wave = |t: f32| {
        let t = t - t.floor();
        16.0 * t * t * (1.0 - t) * (1.0 - t)
    };
    0.2 + wave(x * 1.7 + y) * 0.5 + wave(x * 5.0) * wave(y * 3.0) * 0.25 + wave(y * 0.8) * 0.1
}

fn cases() -> Vec<SizeCase> {
    let mut chance = Chance(1);
    let mut grain = |amount: f32| 1.0 + chance.bell() * amount;
    let photo = [0.9f32, 1.0, 0.7]
        .map(|tint| of_pixels(|x, y| half(hills(x, y) * tint * grain(0.03)).to_le_bytes()));
    let opaque = of_pixels(|_, _| half(1.0).to_le_bytes());
    let mut grain = Chance(2);
    let scanned = of_pixels(|x, y| {
        let density = (hills(x, y) * 900.0 + grain.bell() * 4.0) as u32;
        half(density as f32 / 1023.0).to_le_bytes()
    });
    let depth = of_pixels(|x, y| {
        let far = if hills(x, y) > 0.75 { 1e10 } else { 3.0 / (0.1 + y) + hills(x, y) };
        far.to_le_bytes()
    });
    let normals = [0, 1, 2].map(|axis| {
        of_pixels(|x, y| {
            let at = [x - 0.5, y - 0.5, 0.25 + hills(x, y)];
            let length = at.iter().map(|a| a * a).sum::<f32>().sqrt();
            (at[axis] / length).to_le_bytes()
        })
    });
    let ids =
        of_pixels(|x, y| ((hills(x, y) * 9.0) as u32).wrapping_mul(2_654_435_761).to_le_bytes());
    let mut noise = Chance(3);
    let light = of_pixels(|x, y| (hills(x, y) * (1.0 + noise.bell() * 0.2)).to_le_bytes());
    let picture = of_pixels(|x, y| [(hills(x, y) * 250.0) as u8]);
    let double = of_pixels(|x, y| f64::from(hills(x, y)).to_le_bytes());
    let chance = of_pixels(|_, _| noise.next().to_le_bytes());
    let [red, green, blue] = photo;
    vec![
        image("photograph, half", Element::Half, vec![opaque, blue, green, red]),
        image("scanned film, half", Element::Half, vec![scanned]),
        image("depth, float", Element::Float, vec![depth]),
        image("normals, float", Element::Float, normals.into()),
        image("light, float", Element::Float, vec![light]),
        image("ids, u32", Element::U32, vec![ids]),
        image("picture, u8", Element::U8, vec![picture]),
        image("hills, double", Element::Double, vec![double]),
        image("chance, u32", Element::U32, vec![chance]),
        vertices("vertices, float", |place| place),
        vertices("vertices of text, float", |place| (place * 1000.0).round() / 1000.0),
    ]
}

/// Points of a walk over the hills, three coordinates side by side.
fn vertices(name: &'static str, rounded: impl Fn(f32) -> f32) -> SizeCase {
    let mut chance = Chance(4);
    let count = 20_000usize;
    let bytes = (0..count).flat_map(|i| {
        let (x, y) = ((i % 200) as f32 / 200.0, (i / 200) as f32 / 100.0);
        let place = [x + chance.bell() * 0.002, hills(x, y), y + chance.bell() * 0.002];
        place.map(|axis| rounded(axis).to_le_bytes()).concat()
    });
    let plane = |axis: usize| SamplePlane {
        element: Element::Float,
        width: count,
        rows: 1,
        start: 4 * axis,
        step: 12,
        row_step: 12 * count,
    };
    SizeCase { name, bytes: bytes.collect(), planes: (0..3).map(plane).collect() }
}

#[test]
fn sizes_are_those_of_the_table() {
    let mut table = String::from("array,bytes,fast,thorough,max\n");
    for SizeCase { name, bytes, planes } in cases() {
        write!(table, "\"{name}\",{}", bytes.len()).unwrap();
        for effort in [Effort::Fast, Effort::Thorough, Effort::Max] {
            let mut packed = Vec::new();
            ArrayEncoder::new(effort).unwrap().encode(&bytes, &planes, &mut packed).unwrap();
            let mut back = vec![0; bytes.len()];
            ArrayDecoder::default().decode(&packed, &planes, &mut back).unwrap();
            assert!(back == bytes, "{name}, {effort:?}");
            write!(table, ",{}", packed.len()).unwrap();
        }
        table.push('\n');
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/sizes.csv");
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == table, "sizes have changed; is it meant?\nkept:\n{kept}now:\n{table}");
}
