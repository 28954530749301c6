//! Arguments by lines, as `-@` takes them.

/// The argument that a line stands for; `None`: the line is empty or a comment. Leading white space and
/// the line's end go, spaces at its end stay.
pub(super) fn argument(line: &[u8]) -> Option<Vec<u8>> {
    let end = line.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
    let start = line[..end].iter().position(|b| !b.is_ascii_whitespace())?;
    let line = &line[start..end];
    if let Some(text) = line.strip_prefix(b"#[CSTR]") {
        return Some(unescaped(text));
    }
    if line[0] == b'#' {
        return None;
    }
    Some(line.to_vec())
}

/// Escapes of C: `\n`, `\t`, `\"`, `\\`, `\r`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            // ExifTool 13.58 leaves a backslash before these two.
            if matches!(byte, b'$' | b'@') {
                out.push(b'\\');
            }
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(other) => out.push(other),
            None => out.push(b'\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_arguments() {
        let shown = |line: &str| argument(line.as_bytes()).map(|a| String::from_utf8(a).unwrap());
        assert_eq!(shown("  -Make \r\n").as_deref(), Some("-Make "));
        assert_eq!(shown("-Artist=  me\n").as_deref(), Some("-Artist=  me"));
        assert_eq!(shown("#[CSTR]a\\nb\\t\\\"\n").as_deref(), Some("a\nb\t\""));
        for none in ["", "\n", "# comment", "   \r\n"] {
            assert_eq!(shown(none), None, "{none}");
        }
    }
}
