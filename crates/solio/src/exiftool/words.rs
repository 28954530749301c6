//! How tags are called where names are not wanted.

use super::listing::origin;
use std::borrow::Cow;

/// The description of a tag: its name as words, or what people call it.
pub(super) fn description<'n>(name: &'n str, group: &str) -> Cow<'n, str> {
    let lines = include_str!("descriptions.tsv").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        if cells.next() != Some(name) {
            continue;
        }
        let Some(text) = cells.next() else { continue };
        if cells.next().is_none_or(|groups| groups.split(' ').any(|known| is_alike(known, group))) {
            return Cow::Borrowed(text);
        }
    }
    Cow::Owned(spelt_out(name))
}

/// Whether what holds in one group does in the other: directories of EXIF share their tags.
fn is_alike(known: &str, group: &str) -> bool {
    known == group || origin(known) == Some("EXIF") && origin(group) == Some("EXIF")
}

/// `FNumber` as `F Number`: what ExifTool says of a tag that is not there.
pub(super) fn spelt_out(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 8);
    for (n, letter) in letters.iter().enumerate() {
        let (before, after) = (n.checked_sub(1).map(|n| letters[n]), letters.get(n + 1));
        if let Some(before) = before {
            let starts = letter.is_ascii_uppercase();
            let word = starts && after.is_some_and(char::is_ascii_lowercase);
            if before.is_ascii_lowercase() && (starts || letter.is_ascii_digit())
                || before.is_ascii_uppercase() && word
                || before.is_ascii_digit()
                    && starts
                    && after.is_some_and(|c| !c.is_whitespace() && *c != '_')
            {
                out.push(' ');
            }
        }
        out.push(if *letter == '_' { ' ' } else { *letter });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_words() {
        for (name, words) in [
            ("FNumber", "F Number"),
            ("DateTimeOriginal", "Date/Time Original"),
            ("ISO", "ISO"),
            ("GPSLatitude", "GPS Latitude"),
            ("YCbCrSubSampling", "Y Cb Cr Sub Sampling"),
            ("WB_RGGBLevels", "WB RGGB Levels"),
            ("SubSecTimeDigitized", "Sub Sec Time Digitized"),
            ("MIMEType", "MIME Type"),
        ] {
            assert_eq!(description(name, "IFD0"), words);
        }
    }
}
