//! The bytes of one value: a thumbnail, a colour profile, a packet.

use crate::ToInput;
use crate::photo::metadata::read_metadata;
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::compress::Compression;
use solio_photo::{Fields, Value};

/// The bytes of what `field` names in the file at `path` (`ThumbnailImage`, `IFD1:ThumbnailImage`,
/// `ICC_Profile`, `XMP`); of numbers and text their text. `None` where the file has no such tag.
///
/// ```
/// # use solio::{Limits, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.jpg");
/// # let (limits, work) = (Limits::default(), Work::default());
/// # let packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>";
/// # let mut jpeg = b"\xff\xd8\xff\xe1\0\x4fhttp://ns.adobe.com/xap/1.0/\0".to_vec();
/// # jpeg.extend(packet);
/// # jpeg.extend(b"\xff\xd9");
/// # solio::write_bytes(&path, &jpeg)?;
/// // A JPEG file with a packet of XMP, and no small picture.
/// let xmp = solio::metadata_bytes(&path, "XMP", &limits, &work)?.expect("it has one");
/// assert!(xmp.starts_with(b"<x:xmpmeta"));
/// assert_eq!(solio::metadata_bytes(&path, "ThumbnailImage", &limits, &work)?, None);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn metadata_bytes(
    input: &(impl ToInput + ?Sized),
    field: &str,
    limits: &Limits,
    work: &Work,
) -> Result<Option<Vec<u8>>> {
    let input = input.to_input(limits, work)?;
    let path = input.path();
    let metadata = read_metadata(&*input, &Fields::of([field]), limits, work)?;
    let Some(tag) = metadata.get(field) else { return Ok(None) };
    let text = tag.number().plain();
    let hidden = text.starts_with("(Binary data ");
    let value = match &tag.value {
        // Of several the first is the main one.
        Value::List(list) if hidden => list.first().unwrap_or(&tag.value),
        value => value,
    };
    let (at, bytes) = match value {
        Value::Binary { at, bytes } => (*at, *bytes),
        Value::Bytes(bytes) if hidden => return Ok(Some(bytes.clone())),
        // Some data are not kept, but only said to be there.
        _ if hidden => return Err(no_place(&tag.name).at_path(path)),
        _ => return Ok(Some(text.into_bytes())),
    };
    if input.comes_once() || input.compression() != Compression::None {
        return Err(no_place(&tag.name).at_path(path));
    }
    let found = bytes_at(&*input.source(work)?, at, bytes, limits).map_err(|e| e.at_path(path))?;
    let past = || {
        let what = format!("{} has {bytes} bytes, past the end of the file", tag.name);
        Error::corrupt(what).at_offset(at).at_path(path)
    };
    found.map(Some).ok_or_else(past)
}

fn no_place(name: &str) -> Error {
    Error::unsupported(format!("the bytes of {name} lie in no one place of a file"))
}

/// The bytes at `at`, or nothing where they are not all there.
pub(crate) fn bytes_at(
    source: &dyn Source,
    at: u64,
    bytes: u64,
    limits: &Limits,
) -> Result<Option<Vec<u8>>> {
    let len = source.len_bytes().unwrap_or(0);
    if at.checked_add(bytes).is_none_or(|end| end > len) {
        return Ok(None);
    }
    limits.check_bytes("a value within the file", bytes)?;
    let mut all = vec![0; bytes as usize];
    let got = source.read_at(at, &mut all)?;
    Ok((got == all.len()).then_some(all))
}
