//! Text whose encoding the file does not give.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// An encoding of text, such as Shift-JIS.
///
/// ```
/// use solio_mesh::TextEncoding;
/// assert_eq!(TextEncoding::of_label("shift-jis"), TextEncoding::of_label("SJIS"));
/// assert_eq!(TextEncoding::of_label("latin1").unwrap().name(), "windows-1252");
/// assert_eq!(TextEncoding::of_label("morse"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl TextEncoding {
    /// The encoding that a label means, those of the WHATWG's *Encoding Standard* and of their kind:
    /// `gbk`, `shift-jis`, `latin-1`, `utf-8`.
    ///
    /// ```
    /// use solio_mesh::TextEncoding;
    /// assert_eq!(TextEncoding::of_label("gb18030").unwrap().name(), "gb18030");
    /// ```
    pub fn of_label(label: &str) -> Option<Self> {
        let label = label.trim();
        let known = || Encoding::for_label(label.replace('_', "-").as_bytes());
        let found = Encoding::for_label(label.as_bytes()).or_else(known);
        let joined = || Encoding::for_label(label.replace(['-', '_', ' '], "").as_bytes());
        found.or_else(joined).map(TextEncoding)
    }

    /// Its name.
    ///
    /// ```
    /// use solio_mesh::TextEncoding;
    /// assert_eq!(TextEncoding::of_label("utf8").unwrap().name(), "UTF-8");
    /// ```
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The encoding that texts which are not valid UTF-8 most likely have.
    pub(crate) fn guess<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        for text in texts {
            detector.feed(text, false);
            detector.feed(b"\n", false);
        }
        detector.feed(b"", true);
        TextEncoding(detector.guess(None, Utf8Detection::Deny))
    }

    /// The text that `bytes` stand for.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        self.0.decode_without_bom_handling(bytes).0.into_owned()
    }
}

/// Text of the file as a string; `true` when it is not UTF-8 and was taken for Windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (TextEncoding(encoding_rs::WINDOWS_1252).decode(bytes), true),
    }
}

/// Names whose encoding is settled when all are known, each with where it belongs.
pub(crate) struct NameBytes<K> {
    names: Vec<(K, Vec<u8>)>,
}

impl<K> Default for NameBytes<K> {
    fn default() -> Self {
        NameBytes { names: Vec::new() }
    }
}

impl<K> NameBytes<K> {
    /// Notes `bytes` where they are not what [`decode`] makes of them: with an encoding that is asked
    /// for all that are not ASCII, and otherwise all that are not valid UTF-8.
    pub(crate) fn note(&mut self, key: K, bytes: &[u8], asked: Option<TextEncoding>) {
        let is_plain = match asked {
            Some(_) => bytes.is_ascii(),
            None => std::str::from_utf8(bytes).is_ok(),
        };
        if !is_plain {
            self.names.push((key, bytes.to_vec()));
        }
    }

    /// Hands the names to `set`, in the encoding that is asked for or else is likely. Returns what a
    /// guess is to be told as.
    pub(crate) fn settle(
        self,
        asked: Option<TextEncoding>,
        mut set: impl FnMut(K, String),
    ) -> Option<(TextEncoding, String)> {
        let first = self.names.first()?.1.clone();
        let texts = || self.names.iter().map(|(_, bytes)| &**bytes);
        let encoding = asked.unwrap_or_else(|| TextEncoding::guess(texts()));
        let told = told(encoding, &first, asked.is_none());
        for (key, bytes) in self.names {
            set(key, encoding.decode(&bytes));
        }
        Some((encoding, told))
    }
}

/// What is said of names in another encoding than UTF-8.
pub(crate) fn told(encoding: TextEncoding, first: &[u8], is_guess: bool) -> String {
    if !is_guess {
        return String::new();
    }
    let (name, first) = (encoding.name(), encoding.decode(first));
    format!("names are not UTF-8: read as {name}, a guess (`{first}`); --encoding says which")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_people_write_them() {
        let name = |label| TextEncoding::of_label(label).map(TextEncoding::name);
        assert_eq!(name("Shift-JIS"), Some("Shift_JIS"));
        assert_eq!(name("shift_jis"), Some("Shift_JIS"));
        assert_eq!(name("Latin-1"), Some("windows-1252"));
        assert_eq!(name("UTF8"), Some("UTF-8"));
        assert_eq!(name("GBK"), Some("GBK"));
        assert_eq!(name("Latin-9000"), None);
    }

    #[test]
    fn names_of_one_file_are_guessed_together() {
        for (label, names) in [
            ("gbk", ["红色金属", "玻璃材质", "木头地板"]),
            ("shift-jis", ["赤い金属", "ガラス", "木の床"]),
            ("latin-1", ["Größe", "métal rouge", "Türklinke"]),
        ] {
            let encoding = TextEncoding::of_label(label).unwrap();
            let mut bytes = NameBytes::default();
            for (i, name) in names.iter().enumerate() {
                bytes.note(i, &encoding.0.encode(name).0, None);
            }
            bytes.note(9, b"plain", None);
            let mut found = vec![String::new(); 3];
            let (guess, told) = bytes.settle(None, |i, name| found[i] = name).unwrap();
            assert_eq!(found, names);
            assert!(told.contains(guess.name()), "{told}");
        }
    }
}
