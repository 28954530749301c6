//! Names of files that are hard to hand on, and the least picture that can have them.

/// 21 names: bytes that are no text, ends of lines, signs that programs take for their own.
pub(crate) fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        &b"caf\xe9.tif"[..],
        b"\xff\xfe.tif",
        b"\xed\xa0\x80 surrogate.tif",
        b"\xed\xb0\x80\xed\xa0\x80.tif",
        b"line\nend.tif",
        b"return\r",
        b"-n",
        b"--json",
        b"#comment.tif",
        b"@list.tif",
        b" leading.tif",
        b"trailing ",
        b"tab\t.tif",
        b"%41%d.tif",
        b"star*?[1].tif",
        b"back\\slash.tif",
        b"\"quoted's, comma|",
        b"$HOME;&.tif",
        b"\x01\x7f.tif",
        "\u{e9}\u{1f600}\u{202e}.tif".as_bytes(),
    ]
    .iter()
    .map(|name| name.to_vec())
    .collect();
    names.push([&[b'x'; 251][..], b".tif"].concat());
    names
}

/// A TIFF file without pixels, and its orientation.
pub(crate) fn tiff(orientation: u8) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    tiff[18] = orientation;
    tiff
}
