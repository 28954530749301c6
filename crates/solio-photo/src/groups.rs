//! Groups of tags, and the wider ones that they belong to.

/// The wider group of `group`.
pub(crate) fn family(group: &str) -> &str {
    if group.starts_with("XMP-") {
        return "XMP";
    }
    if group.starts_with("ICC-") {
        return "ICC_Profile";
    }
    if group.starts_with("SubIFD") || group.starts_with("IFD") || group.starts_with("MP") {
        return if group.starts_with("MP") { "MPF" } else { "EXIF" };
    }
    if group.starts_with("Track") {
        return "QuickTime";
    }
    match group {
        "ExifIFD" | "GPS" | "InteropIFD" | "PreviewIFD" => "EXIF",
        group if group.starts_with("IPTC") => "IPTC",
        "Keys" | "ItemList" | "UserData" | "Meta" | "iTunes" => "QuickTime",
        "PNG-pHYs" | "PNG-cICP" => "PNG",
        group if group.starts_with("OpenEXR") => "OpenEXR",
        other => other,
    }
}

/// Whether `group` is `wanted` or belongs to it.
pub(crate) fn in_group(group: &str, wanted: &str) -> bool {
    group.eq_ignore_ascii_case(wanted) || family(group).eq_ignore_ascii_case(wanted)
}

/// Whether a group is a main directory of EXIF, or a PNG's own chunks.
pub(crate) fn is_main(group: &str) -> bool {
    matches!(group, "IFD0" | "ExifIFD" | "GPS" | "InteropIFD" | "PNG")
}

/// Whether tags called so tell how large the picture is.
pub(crate) fn is_size(name: &str) -> bool {
    name.eq_ignore_ascii_case("ImageWidth") || name.eq_ignore_ascii_case("ImageHeight")
}
