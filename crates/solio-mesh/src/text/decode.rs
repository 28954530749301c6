//! Text whose encoding the file does not give.

/// Text of the file as a string; `true` when it is not UTF-8 and was taken for Windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => {
            let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes);
            (text.into_owned(), true)
        }
    }
}
