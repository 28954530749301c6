//! One kernel, some times: `kernels NAME TIMES` prints how many elements a run has and a sum of what
//! came out. `.ci/neon` counts the instructions between one run and two, on each tier.

use solio_base::cpu::{Tier, tier};
use solio_codec::lanes::{Eight, LaneJob, Lanes, run};
use solio_codec::lines::{FaceArrays, LineReader, PAD};
use solio_codec::number::parse::u64_prefix;
use solio_codec::records::{CountByte, RecordField, pick, pick_lists};
use solio_codec::samples::SampleConversion;
use solio_codec::wavelet::{Means, forward, inverse};
use solio_codec::{fold, halves, planes};
use std::hint::black_box;

const COUNT: usize = 4096;

/// Noise that differs from byte to byte.
fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect()
}

/// How near eight boxes are along a ray, and which it hits: what a tree of boxes asks.
struct NearestBox<'a>(&'a [[Eight; 6]]);

impl LaneJob for NearestBox<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u32 {
        let inverse = [0.5f32, -2.0, 4.0].map(|x| lanes.splat(x));
        let mut hits = 0;
        for sides in self.0 {
            let (mut near, mut far) = (lanes.splat(0.0), lanes.splat(1e9));
            for axis in 0..3 {
                let a = lanes.mul(lanes.load(&sides[axis]), inverse[axis]);
                let b = lanes.mul(lanes.load(&sides[axis + 3]), inverse[axis]);
                near = lanes.max(lanes.min(a, b), near);
                far = lanes.min(lanes.max(a, b), far);
            }
            hits += lanes.at_most(near, far).count_ones();
        }
        hits
    }
}

/// `f 1/2/3 …`, number by number.
fn plain_faces(text: &[u8], out: &mut FaceArrays<'_>) -> Option<()> {
    let mut at = 0;
    while text[at..].starts_with(b"f ") {
        at += 1;
        while text[at] != b'\n' {
            for to in [&mut *out.vertices, &mut *out.uvs, &mut *out.normals] {
                let (number, bytes) = u64_prefix(&text[at + 1..])?;
                to.push(u32::try_from(number.checked_sub(1)?).ok()?);
                at += 1 + bytes;
            }
        }
        out.ends.push(out.vertices.len() as u32);
        at += 1;
    }
    Some(())
}

fn main() {
    let mut words = std::env::args().skip(1);
    let name = words.next().expect("the name of a kernel");
    let times: usize = words.next().and_then(|word| word.parse().ok()).expect("how often");
    let bytes = noise(4 * COUNT);
    let mut to = vec![0; 4 * COUNT];
    let mut elements = COUNT;
    let mut sum = 0;
    match &*name {
        // Samples of an image: small numbers, no NaN.
        "half to float" | "float to half" => {
            let floats: Vec<u8> =
                bytes[..COUNT].iter().flat_map(|x| (f32::from(*x) / 16.0).to_le_bytes()).collect();
            let mut half = vec![0; 2 * COUNT];
            let (there, back) = if name == "float to half" { (times, 0) } else { (1, times) };
            for _ in 0..there {
                SampleConversion::FloatToHalf.apply(black_box(&floats), &mut half);
            }
            for _ in 0..back {
                SampleConversion::HalfToFloat.apply(black_box(&half), &mut to);
            }
            sum = half[9];
        }
        "even and odd bytes apart" => {
            for _ in 0..times {
                halves::split(black_box(&bytes[..COUNT]), &mut to[..COUNT]);
            }
        }
        "even and odd bytes together" => {
            for _ in 0..times {
                halves::merge(black_box(&bytes[..COUNT]), &mut to[..COUNT]);
            }
        }
        "two planes of bytes together" => {
            let (low, high) = bytes.split_at(COUNT);
            for _ in 0..times {
                let to = to.as_chunks_mut().0;
                planes::join_halves([black_box(low), high], true, &mut to[..COUNT]);
            }
        }
        "four planes of bytes together" => {
            let parts: [&[u8]; 4] = std::array::from_fn(|i| &bytes[i * COUNT..][..COUNT]);
            for _ in 0..times {
                planes::join_words(black_box(parts), true, to.as_chunks_mut().0);
            }
        }
        "wavelet forward"
        | "wavelet back"
        | "wavelet forward, 16 bits"
        | "wavelet back, 16 bits" => {
            let largest = if name.ends_with("bits") { u16::MAX } else { 255 };
            let mut plane: Vec<u16> = bytes[..COUNT].iter().map(|x| u16::from(*x)).collect();
            let mut means = Means::default();
            // Makes the planes of the means.
            forward(&mut plane, 64, 64, largest, &mut means);
            for _ in 0..times {
                let go = if name.starts_with("wavelet f") { forward } else { inverse };
                go(black_box(&mut plane), 64, 64, largest, &mut means);
            }
            sum = plane[7] as u8;
        }
        "boxes on a ray" => {
            let number = |i: usize| f32::from(bytes[i % bytes.len()]) - 128.0;
            let eight = |i: usize| Eight(std::array::from_fn(|lane| number(i + 31 * lane)));
            let boxes: Vec<[Eight; 6]> =
                (0..COUNT / 8).map(|i| std::array::from_fn(|side| eight(6 * i + side))).collect();
            for _ in 0..times {
                sum = run(NearestBox(black_box(&boxes))) as u8;
            }
        }
        "folded path" => {
            let path = b"Content/Maps/Level_07/Meshes/SM_Rock.uasset;".repeat(COUNT / 44);
            elements = path.len();
            let mut out = Vec::with_capacity(2 * COUNT);
            for _ in 0..times {
                out.clear();
                fold::fold_path(&mut out, black_box(&path));
            }
            sum = out[0];
        }
        "triangles of PLY" => {
            elements = COUNT / 4;
            let mut records = noise(13 * elements);
            records.chunks_mut(13).for_each(|record| record[0] = 3);
            let part = RecordField { stride: 13, offset: 1, width: 12 };
            let count = CountByte { offset: 0, value: 3 };
            let mut corners = vec![0; 3 * elements];
            for _ in 0..times {
                let lists = pick_lists(black_box(&records), part, count, &mut corners);
                sum = lists.largest as u8;
            }
        }
        "points of PLY" => {
            elements = COUNT / 8;
            let part = RecordField { stride: 24, offset: 0, width: 12 };
            for _ in 0..times {
                pick(black_box(&bytes[..24 * elements]), part, &mut to[..12 * elements]);
            }
        }
        "faces of OBJ" => {
            let mut text = Vec::new();
            for i in 0..COUNT / 16 {
                for corner in 0..3 {
                    let index = 60_000 + 7 * i + corner;
                    let key: &[u8] = if corner == 0 { b"f" } else { b"" };
                    text.extend_from_slice(key);
                    text.extend_from_slice(format!(" {index}/{index}/{}", 1 + corner).as_bytes());
                }
                text.push(b'\n');
            }
            elements = 9 * (COUNT / 16);
            let len = text.len();
            text.resize(len + PAD, 0);
            let [mut vertices, mut uvs, mut normals, mut ends] =
                [(); 4].map(|()| Vec::with_capacity(COUNT));
            let mut reader = LineReader::default();
            for _ in 0..times {
                let _ = [&mut vertices, &mut uvs, &mut normals, &mut ends].map(Vec::clear);
                let mut out = FaceArrays {
                    vertices: &mut vertices,
                    uvs: &mut uvs,
                    normals: &mut normals,
                    ends: &mut ends,
                };
                if tier() == Tier::Scalar {
                    plain_faces(black_box(&text), &mut out).expect("plain faces");
                } else {
                    assert_eq!(reader.faces(black_box(&text), 0, len, &mut out), len);
                }
            }
            sum = vertices[5] as u8;
        }
        _ => panic!("there is no kernel {name:?}"),
    }
    #[allow(clippy::print_stdout)]
    {
        println!("{elements} {}", sum ^ to[3]);
    }
}
