//! A file with another header: its chunks stay as they are, and its tables point to where they come
//! to lie.

use crate::header::{self, Header};
use crate::table::OpenExr;
use solio_base::{Error, Limits, Result, Source};

/// What a file with a changed header consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reheaded {
    /// The new header and the chunk tables.
    pub head: Vec<u8>,
    /// Where, in the old file, the bytes start that follow these.
    pub rest: u64,
}

/// Changes the header of a file. What decides how its chunks lie has to stay.
pub fn rehead(
    source: &dyn Source,
    limits: &Limits,
    edit: impl FnOnce(&mut Header) -> Result<()>,
) -> Result<Reheaded> {
    let opened = OpenExr::new(source, limits)?;
    let mut header = opened.header.clone();
    edit(&mut header)?;
    let mut head = Vec::new();
    header.encode(&mut head)?;
    // What was written has to mean the same pixels, also where the old header was odd.
    let again = header::decode_placed(&head, limits)?.header;
    let shapes = again.parts.iter().map(|part| part.shape());
    let same = again.is_multipart() == opened.header.is_multipart()
        && shapes.collect::<Result<Vec<_>>>()? == opened.shapes;
    if !same {
        let message = "with this header the chunks of the file would mean something else";
        return Err(Error::argument(message));
    }
    let tables: u64 = opened.shapes.iter().map(|shape| 8 * shape.chunks).sum();
    let chunks = head.len() as u64 + tables;
    for part in 0..opened.shapes.len() {
        for offset in opened.stored_table(part)? {
            // What was never written, or points nowhere, stays so.
            let there = (opened.chunks..opened.length).contains(&offset);
            let moved = if there { offset - opened.chunks + chunks } else { offset };
            head.extend_from_slice(&moved.to_le_bytes());
        }
    }
    Ok(Reheaded { head, rest: opened.chunks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{Box2i, Part, Value};
    use crate::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
    use crate::{Channel, Compression, PixelType};
    use solio_base::Work;

    fn file() -> Vec<u8> {
        let channel = Channel::new("Y", PixelType::Float);
        let window = Box2i::of_size(3, 40);
        let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
        let samples = Samples::Float((0..120).map(|i| i as f32).collect::<Vec<_>>().into());
        let planes = vec![Plane { channel, samples }];
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        let image = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
        let mut bytes: Vec<u8> = Vec::new();
        crate::encode_exr(&image, &Default::default(), &mut bytes, &Work::serial()).unwrap();
        bytes
    }

    fn with(bytes: &[u8], edit: impl FnOnce(&mut Part)) -> Result<Vec<u8>> {
        let made = rehead(&bytes, &Limits::default(), |header| {
            edit(&mut header.parts[0]);
            Ok(())
        })?;
        Ok([&made.head[..], &bytes[made.rest as usize..]].concat())
    }

    #[test]
    fn pixels_stay_and_the_way_back_gives_the_same_bytes() {
        let bytes = file();
        let longer =
            with(&bytes, |part| part.set("owner", Value::Text("me, of course".into()))).unwrap();
        assert!(longer.len() > bytes.len());
        let read = |bytes: &[u8]| {
            crate::decode_exr(&bytes, &Default::default(), &Work::serial()).unwrap().parts.remove(0)
        };
        assert_eq!(read(&longer).pixels, read(&bytes).pixels);
        assert_eq!(with(&longer, |part| part.remove("owner")).unwrap(), bytes);
        assert_eq!(with(&bytes, |_| {}).unwrap(), bytes);
    }

    #[test]
    fn what_places_pixels_cannot_be_changed() {
        let bytes = file();
        for (name, value) in [
            ("compression", Value::Compression(Compression::Zips)),
            ("dataWindow", Value::Box2i(Box2i::of_size(3, 41))),
            ("channels", Value::Channels(Vec::new())),
        ] {
            assert!(with(&bytes, |part| part.set(name, value)).is_err(), "{name}");
        }
    }
}
