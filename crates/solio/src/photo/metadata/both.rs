//! Two readers: ExifTool is asked for fields that Solio did not find and, where all are wanted, for what
//! it saw and did not read.

use crate::photo::exiftool::{Ask, ExifTool};
use solio_base::{Cancel, ErrorKind, Result};
use solio_photo::{Fields, Gap, Metadata};
use std::collections::HashSet;
use std::path::Path;

/// Groups whose tags Solio reads itself, as many as there are.
const COVERED: &[&str] = &[
    "EXIF",
    "IFD0",
    "IFD1",
    "SubIFD",
    "ExifIFD",
    "GPS",
    "InteropIFD",
    "XMP",
    "IPTC",
    "ICC_Profile",
    "JFIF",
    "File",
    "PNG",
    "QuickTime",
    "Photoshop",
    "System",
];

/// What Solio read, with what ExifTool knows beside it.
pub(super) fn complete(
    native: Result<Metadata>,
    tool: &ExifTool,
    path: &Path,
    fields: &Fields,
    cancel: &Cancel,
) -> Result<Metadata> {
    let names = fields.names();
    let mut metadata = match native {
        Ok(metadata) => metadata,
        // Standard input has been read to its end.
        Err(e) if path.as_os_str() == solio_io::STANDARD => return Err(e),
        Err(e) if matches!(e.kind(), ErrorKind::Unsupported | ErrorKind::Corrupt) => {
            return match tool.read(path, &names, cancel) {
                Err(own) if own.kind() == ErrorKind::Cancelled => Err(own),
                read => read.or(Err(e)),
            };
        }
        Err(e) => return Err(e),
    };
    let missing: Vec<String> =
        names.iter().filter(|name| !is_settled(name, &metadata)).cloned().collect();
    let ask = match names.is_empty() {
        true if metadata.gaps.iter().all(|gap| *gap == Gap::Odd) => return Ok(metadata),
        true if metadata.gaps.contains(&Gap::Format) => Ask::All,
        true => Ask::MakerNotes,
        false if missing.is_empty() => return Ok(metadata),
        false => Ask::Fields(&missing),
    };
    match tool.ask(path, ask, cancel) {
        Ok(theirs) => add(&mut metadata, theirs, fields),
        Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
        Err(e) => metadata.warnings.push(e.message().to_owned()),
    }
    Ok(metadata)
}

/// Whether ExifTool cannot know more of a field: it was found, or stands for all of groups that Solio
/// reads itself in a file of which it left nothing.
fn is_settled(name: &str, metadata: &Metadata) -> bool {
    let covered = name.split_once(':').is_some_and(|(group, name)| {
        let known = COVERED.iter().any(|known| group.eq_ignore_ascii_case(known));
        name == "*" && (known || group.starts_with("XMP-") || group.starts_with("ICC-"))
    });
    covered || metadata.get(name).is_some()
}

/// Adds the tags that are not there yet.
fn add(metadata: &mut Metadata, theirs: Metadata, fields: &Fields) {
    let key = |group: &str, name: &str| format!("{group}:{name}");
    let there: HashSet<String> =
        metadata.tags.iter().map(|tag| key(&tag.group, &tag.name)).collect();
    let wanted =
        |group: &str, name: &str| fields.asks(group, name) || fields.asks("MakerNotes", name);
    let others = theirs.tags.into_iter().filter(|tag| {
        !matches!(&*tag.group, "ExifTool" | "System")
            && wanted(&tag.group, &tag.name)
            && !there.contains(&key(&tag.group, &tag.name))
    });
    metadata.tags.extend(others);
    metadata.warnings.extend(theirs.warnings);
}
