//! Containers: which format a file has, and where its metadata lies.

mod bmff;
mod crw;
mod flashpix;
mod flir;
mod gif;
mod itunes;
mod jp2;
mod jpeg;
mod jumbf;
mod jxl;
mod languages;
mod movie;
mod mpf;
mod mrw;
mod png;
mod png_text;
mod psd;
mod raf;
mod riff;
mod segments;
mod trailer;
mod user_data;

pub(crate) use bmff::heif_items;

use crate::exif::TiffRole;
use crate::gather::Gather;
use crate::metadata::Gap;
use crate::rule::{Named, TagRule};
use crate::value::Value;
use crate::{exif, icc, xmp};
use solio_container::{ByteView, ContainerHeader};
use solio_kinds::{Ability, FileKind, FileType};

/// Reads whatever the file is. False where it has no known format.
pub(crate) fn read(view: ByteView<'_>, extension: &str, gather: &mut Gather<'_>) -> bool {
    let mut head = [0; 32];
    let available = view.len().min(32) as usize;
    if let Some(start) = view.get(0, available) {
        head[..available].copy_from_slice(&start);
    }
    let Some(found) = FileType::of_head(&head[..available], extension) else { return false };
    if !found.kind.can(Ability::Meta) && found.kind != FileKind::Avi {
        return false;
    }
    announce(found, gather);
    gather.read_jpeg = jpeg::read;
    read_as(found, view, gather);
    if gather.find("IFD0", "DNGVersion").is_some() {
        announce_instead("dng", gather);
    }
    true
}

/// Puts the tags that name the kind.
fn announce(found: FileType, gather: &mut Gather<'_>) {
    let name = match found.name() {
        "jxl-codestream" => "JXL Codestream".to_owned(),
        name => name.to_uppercase(),
    };
    gather.text("File", "FileType", name);
    if gather.wants("File", "FileTypeExtension") {
        let extension = Value::text(found.extension().to_uppercase());
        gather.put("File", "FileTypeExtension", extension, TagRule::Named(Named::Lower));
    }
    gather.text("File", "MIMEType", found.mime());
}

/// Puts the tags that name the kind called `name`, where another one was named before.
fn announce_instead(name: &str, gather: &mut Gather<'_>) {
    gather.tags.retain(|tag| {
        !(tag.group == "File"
            && matches!(&*tag.name, "FileType" | "FileTypeExtension" | "MIMEType"))
    });
    if let Some(found) = FileType::of_name(name) {
        announce(found, gather);
    }
}

/// What a file is as a TIFF structure.
fn role(found: FileType) -> TiffRole {
    match (found.kind, found.name()) {
        (FileKind::Tiff, _) | (_, "dng") => TiffRole::Tiff,
        (_, "cr2") => TiffRole::Cr2,
        (_, "arw" | "sr2") => TiffRole::Sony,
        _ => TiffRole::Raw,
    }
}

fn read_as(found: FileType, view: ByteView<'_>, gather: &mut Gather<'_>) {
    match found.kind {
        FileKind::Jpeg | FileKind::Exv => jpeg::read(view, gather),
        FileKind::Tiff | FileKind::Raw => drop(exif::read_tiff(view, role(found), gather)),
        FileKind::Png => png::read(view, gather),
        FileKind::Webp => riff::read(view, gather),
        FileKind::Gif => gif::read(view, gather),
        FileKind::Psd => psd::read(view, gather),
        FileKind::Heif | FileKind::Movie | FileKind::Cr3 => {
            // HEIC has pictures as JPEG has them.
            gather.of_film = found.name() != "heic";
            bmff::read(view, gather);
        }
        FileKind::Jxl if found.name() != "jxl" => jxl::read_codestream(view, gather),
        FileKind::Jp2 | FileKind::Jxl => jp2::read(view, gather),
        FileKind::J2c => jp2::read_codestream(view, gather),
        FileKind::Crw => crw::read(view, gather),
        FileKind::Mrw => mrw::read(view, gather),
        FileKind::Raf => raf::read(view, gather),
        FileKind::Icc => icc::read(view, gather),
        FileKind::Xmp => xmp::read_view(view, gather),
        kind => match ContainerHeader::of(kind, view) {
            Some(header) => {
                gather.int("File", "ImageWidth", header.width);
                gather.int("File", "ImageHeight", header.height);
            }
            None => gather.leave(Gap::Format),
        },
    }
}
