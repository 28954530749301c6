//! The peer of `solio-bench exr` with the Rust `exr` crate; see `bench/peers-c/openexr.cpp`.

use exr::prelude::*;
use solio::Stopwatch;
use std::io::{BufRead, Cursor, Write as _};

type Failure = Box<dyn std::error::Error>;
type Loaded = Image<Layer<AnyChannels<FlatSamples>>>;

const METHODS: [(&str, Compression); 8] = [
    ("none", Compression::Uncompressed),
    ("rle", Compression::RLE),
    ("zips", Compression::ZIP1),
    ("zip", Compression::ZIP16),
    ("piz", Compression::PIZ),
    ("pxr24", Compression::PXR24),
    ("b44", Compression::B44),
    ("b44a", Compression::B44A),
];

/// Answers each line of standard input with one of standard output.
pub fn serve() -> std::result::Result<(), Failure> {
    let mut peer = Peer::default();
    for line in std::io::stdin().lock().lines() {
        let answer = peer.answer(&line?);
        let answer = answer.unwrap_or_else(|e| format!("error: {e}").replace('\n', " "));
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}").and_then(|()| out.flush())?;
    }
    Ok(())
}

#[derive(Default)]
struct Peer {
    images: Vec<Loaded>,
    bytes: Vec<u8>,
}

impl Peer {
    fn answer(&mut self, line: &str) -> std::result::Result<String, Failure> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "hello" => {
                let lock = include_str!("Cargo.lock");
                let version = lock.split("name = \"exr\"\nversion = \"").nth(1);
                let version = version.and_then(|text| text.split('"').next()).unwrap_or("?");
                Ok(format!("{version} fresh {}", METHODS.map(|method| method.0).join(" ")))
            }
            "forget" => {
                self.images.clear();
                Ok("forgotten".into())
            }
            "image" => {
                self.images.push(read_from(Cursor::new(std::fs::read(rest)?), false)?);
                Ok(sum(&self.images[self.images.len() - 1]).to_string())
            }
            "write" => {
                let words: Vec<&str> = rest.splitn(5, ' ').collect();
                let [index, method, threads, place, path] = words[..] else {
                    return Err("what?".into());
                };
                self.write(index.parse()?, method, threads != "1", place == "file", path)
            }
            "read" => {
                let words: Vec<&str> = rest.splitn(4, ' ').collect();
                let [_, threads, place, path] = words[..] else { return Err("what?".into()) };
                self.read(threads != "1", place == "file", path)
            }
            _ => Err("unknown word".into()),
        }
    }

    fn write(
        &mut self,
        index: usize,
        method: &str,
        parallel: bool,
        to_file: bool,
        path: &str,
    ) -> std::result::Result<String, Failure> {
        let method = METHODS.iter().find(|known| known.0 == method).ok_or("unknown method")?;
        let image = self.images.get_mut(index).ok_or("no such image")?;
        image.layer_data.encoding.compression = method.1;
        image.layer_data.encoding.blocks = Blocks::ScanLines;
        let writer = if parallel { image.write() } else { image.write().non_parallel() };
        if to_file {
            let watch = Stopwatch::start();
            writer.to_file(path)?;
            let usage = watch.usage();
            let bytes = std::fs::metadata(path)?.len();
            return Ok(format!("{:.9} {:.9} {bytes}", usage.wall_s, usage.cpu_s));
        }
        self.bytes.clear();
        let watch = Stopwatch::start();
        writer.to_buffered(Cursor::new(&mut self.bytes))?;
        let usage = watch.usage();
        std::fs::write(path, &self.bytes)?;
        Ok(format!("{:.9} {:.9} {}", usage.wall_s, usage.cpu_s, self.bytes.len()))
    }

    fn read(
        &mut self,
        parallel: bool,
        from_file: bool,
        path: &str,
    ) -> std::result::Result<String, Failure> {
        if from_file {
            let watch = Stopwatch::start();
            let image = read_from(std::io::BufReader::new(std::fs::File::open(path)?), parallel)?;
            let usage = watch.usage();
            return Ok(format!("{:.9} {:.9} {}", usage.wall_s, usage.cpu_s, sum(&image)));
        }
        self.bytes = std::fs::read(path)?;
        let watch = Stopwatch::start();
        let image = read_from(Cursor::new(&self.bytes), parallel)?;
        let usage = watch.usage();
        Ok(format!("{:.9} {:.9} {}", usage.wall_s, usage.cpu_s, sum(&image)))
    }
}

fn read_from(
    bytes: impl std::io::Read + std::io::Seek + Send,
    parallel: bool,
) -> std::result::Result<Loaded, Failure> {
    let reader = read().no_deep_data().largest_resolution_level().all_channels();
    let reader = reader.first_valid_layer().all_attributes();
    let reader = if parallel { reader } else { reader.non_parallel() };
    Ok(reader.from_buffered(bytes)?)
}

/// The sum that every peer makes: words, and words times their place.
fn sum(image: &Loaded) -> u64 {
    let mut all = 0u64;
    for channel in &image.layer_data.channel_data.list {
        let bytes: Vec<u8> = match &channel.sample_data {
            FlatSamples::F16(values) => values.iter().flat_map(|v| v.to_ne_bytes()).collect(),
            FlatSamples::F32(values) => values.iter().flat_map(|v| v.to_ne_bytes()).collect(),
            FlatSamples::U32(values) => values.iter().flat_map(|v| v.to_ne_bytes()).collect(),
        };
        let (mut a, mut b) = (0u64, 0u64);
        for (chunk, place) in bytes.chunks(4).zip(1u64..) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            let word = u64::from(u32::from_ne_bytes(word));
            a = a.wrapping_add(word);
            b = b.wrapping_add(word.wrapping_mul(place));
        }
        for part in [a, b] {
            all = all.wrapping_mul(1_000_003).wrapping_add(part);
        }
    }
    all
}
