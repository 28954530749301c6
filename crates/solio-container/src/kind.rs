//! The kind of a file, by its first bytes.

/// The kind of the file that starts with `head`, of those that
/// [`check_container`](crate::check_container) follows.
///
/// ```
/// use solio_container::kind_of_head;
/// assert_eq!(kind_of_head(b"RIFF\x24\x08\0\0WAVEfmt "), Some("wav"));
/// assert_eq!(kind_of_head(b"\xff\xd8\xff\xe1\x12\x34Exif"), Some("jpeg"));
/// // Meshes and OpenEXR have decoders of their own.
/// assert_eq!(kind_of_head(b"\x76\x2f\x31\x01"), None);
/// ```
pub fn kind_of_head(head: &[u8]) -> Option<&'static str> {
    Some(match head {
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        [0xff, 0x01, b'E', b'x', b'i', b'v', b'2', ..] => "exv",
        [0x89, b'P', b'N', b'G', 13, 10, 26, 10, ..] => "png",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', ..] => "avi",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "wav",
        [b'I', b'I', 0x2a | 0x2b, 0, ..] | [b'M', b'M', 0, 0x2a | 0x2b, ..] => "tiff",
        // Raw photos that are TIFF but for their mark: Olympus, Panasonic.
        [b'I', b'I', b'R', b'O' | b'S', ..] | [b'I', b'I', 0x55, 0, ..] => "tiff",
        [b'8', b'B', b'P', b'S', 0, 1 | 2, ..] => "psd",
        [0, 0, 0, 12, b'j', b'P', b' ', b' ', 13, 10, 0x87, 10, ..] => "jp2",
        [0, 0, 0, 12, b'J', b'X', b'L', b' ', 13, 10, 0x87, 10, ..] => "jxl",
        [0xff, 0x4f, 0xff, 0x51, 0, ..] => "j2c",
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => {
            match brand.get(..4).unwrap_or_default() {
                b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1" => {
                    "heif"
                }
                b"avif" | b"avis" => "avif",
                b"crx " => "cr3",
                _ => "mp4",
            }
        }
        [_, _, _, _, b'm', b'o', b'o', b'v', ..]
        | [_, _, _, _, b'w', b'i', b'd', b'e', ..]
        | [_, _, _, _, b'm', b'd', b'a', b't', ..] => "mp4",
        [b'F', b'U', b'J', b'I', b'F', b'I', b'L', b'M', b'C', b'C', b'D', b'-', ..] => "raf",
        [_, _, _, _, _, _, b'H', b'E', b'A', b'P', b'C', b'C', b'D', b'R', ..] => "crw",
        _ => return None,
    })
}
