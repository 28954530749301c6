//! Three dates of many photos, with the crate `kamadak-exif` as its documentation shows it, on all
//! cores: `peers dates LIST` prints a line a file.

use exif::{In, Reader, Tag};
use std::error::Error;
use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const DATES: [(Tag, &str); 3] = [
    (Tag::DateTimeOriginal, "DateTimeOriginal"),
    (Tag::DateTimeDigitized, "CreateDate"),
    (Tag::DateTime, "ModifyDate"),
];
/// Files that a thread takes at a time.
const AT_ONCE: usize = 32;

pub fn print(list: &str) -> Result<(), Box<dyn Error>> {
    let list = std::fs::read_to_string(list)?;
    let paths: Vec<&str> = list.lines().collect();
    let threads = std::thread::available_parallelism()?.get();
    let next = AtomicUsize::new(0);
    let mut parts: Vec<(usize, String)> = std::thread::scope(|scope| {
        let read = || {
            let mut parts = Vec::new();
            loop {
                let start = next.fetch_add(AT_ONCE, Relaxed);
                if start >= paths.len() {
                    return parts;
                }
                let mut text = String::new();
                for path in &paths[start..paths.len().min(start + AT_ONCE)] {
                    line(path, &mut text);
                }
                parts.push((start, text));
            }
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(read)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("nobody panics")).collect()
    });
    parts.sort();
    parts.into_iter().for_each(|(_, text)| print!("{text}"));
    Ok(())
}

fn line(path: &str, text: &mut String) {
    let _ = write!(text, "{{\"SourceFile\": {path:?}");
    if let Ok(file) = File::open(path)
        && let Ok(exif) = Reader::new().read_from_container(&mut BufReader::new(file))
    {
        for (tag, name) in DATES {
            if let Some(field) = exif.get_field(tag, In::PRIMARY) {
                let _ = write!(text, ",\"{name}\": \"{}\"", field.display_value());
            }
        }
    }
    text.push_str("}\n");
}
