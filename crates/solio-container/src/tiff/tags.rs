//! Numbers of the TIFF tags that lead somewhere or that readers ask for by number (TIFF 6.0, Exif 3.0,
//! DNG 1.7, GeoTIFF 1.1); the tables of `solio-photo` name all the others.
#![allow(missing_docs)] // the names are those of the standards

pub const PANASONIC_JPG_FROM_RAW: u16 = 0x002e;
pub const IMAGE_WIDTH: u16 = 0x0100;
pub const IMAGE_LENGTH: u16 = 0x0101;
pub const BITS_PER_SAMPLE: u16 = 0x0102;
pub const PHOTOMETRIC_INTERPRETATION: u16 = 0x0106;
pub const MAKE: u16 = 0x010f;
pub const MODEL: u16 = 0x0110;
pub const STRIP_OFFSETS: u16 = 0x0111;
pub const SAMPLES_PER_PIXEL: u16 = 0x0115;
pub const STRIP_BYTE_COUNTS: u16 = 0x0117;
/// Of Panasonic's raw photos, whose own tags go on behind TIFF's first ones.
pub const PANASONIC_RAW_DATA_OFFSET: u16 = 0x0118;
pub const PANASONIC_LAST: u16 = 0x011a;
pub const TILE_OFFSETS: u16 = 0x0144;
pub const TILE_BYTE_COUNTS: u16 = 0x0145;
pub const SUB_IFDS: u16 = 0x014a;
pub const SAMPLE_FORMAT: u16 = 0x0153;
pub const JPEG_INTERCHANGE_FORMAT: u16 = 0x0201;
pub const JPEG_INTERCHANGE_FORMAT_LENGTH: u16 = 0x0202;
pub const XMP: u16 = 0x02bc;
pub const IPTC: u16 = 0x83bb;
pub const PHOTOSHOP: u16 = 0x8649;
pub const EXIF_IFD: u16 = 0x8769;
pub const ICC_PROFILE: u16 = 0x8773;
pub const GEO_KEY_DIRECTORY: u16 = 0x87af;
pub const GEO_DOUBLE_PARAMS: u16 = 0x87b0;
pub const GEO_ASCII_PARAMS: u16 = 0x87b1;
pub const GPS_IFD: u16 = 0x8825;
pub const FLASH: u16 = 0x9209;
pub const MAKER_NOTE: u16 = 0x927c;
pub const INTEROP_IFD: u16 = 0xa005;
pub const PRINT_IM: u16 = 0xc4a5;
/// The same within notes of makers.
pub const NOTE_PRINT_IM: u16 = 0x0e00;
pub const DNG_PRIVATE_DATA: u16 = 0xc634;
