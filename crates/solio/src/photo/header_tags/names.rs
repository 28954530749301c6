//! Names of tags from names that files use.

/// `camera/lens.focal` as `CameraLensFocal`: letters after other signs become capitals, and what
/// belongs in no name goes.
pub(super) fn tag_name(name: &str) -> String {
    let mut made = String::with_capacity(name.len());
    let mut after_letter = false;
    for letter in name.chars() {
        let kept = if after_letter { letter } else { letter.to_ascii_uppercase() };
        if kept.is_ascii_alphanumeric() || matches!(kept, '-' | '_') {
            made.push(kept);
        }
        after_letter = letter.is_ascii_alphabetic();
    }
    if made.len() < 2 || !made.starts_with(|c: char| c.is_ascii_alphabetic()) {
        made.insert_str(0, "Tag");
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_exiftool_makes_them() {
        for (name, made) in [
            ("aBox2f", "ABox2F"),
            ("a/path.with odd-chars", "APathWithOdd-Chars"),
            ("exif:Make", "ExifMake"),
            ("foo_bar_baz", "Foo_Bar_Baz"),
            ("XML:com.adobe.xmp", "XMLComAdobeXmp"),
            ("x", "TagX"),
            ("12number", "Tag12Number"),
            ("", "Tag"),
        ] {
            assert_eq!(tag_name(name), made);
        }
    }
}
