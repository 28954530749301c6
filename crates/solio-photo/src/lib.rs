//! Photo metadata: what a file says about itself, without its pixels.
//!
//! ```text
//! source ─► container (JPEG, TIFF, PNG, HEIF, …) ─► segments (EXIF, XMP, IPTC, ICC, …) ─► tags
//! ```
//! [`decode_metadata`] reads ranges of a [`Source`](solio_base::Source): a head, then what the
//! wanted [`Fields`] need. Values stay as the file holds them; [`Tag::number`] and [`Tag::text`]
//! decode and word them when they are asked for. Names, groups and words are those of the JSON
//! that ExifTool prints, which is what programs exchange.
//!
//! ```
//! use solio_photo::{Fields, ReadOptions, decode_metadata};
//! let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
//! let metadata = decode_metadata(&tiff[..], &ReadOptions::default())?;
//! let tag = metadata.get("Orientation").unwrap();
//! assert_eq!(tag.text().plain(), "Rotate 90 CW");
//! # Ok::<(), solio_base::Error>(())
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::ptr_arg)] // names of groups are cloned, as a rule without allocating

mod camera;
mod cbor;
mod composite;
mod container;
mod edit;
mod exif;
mod fields;
mod gather;
mod groups;
mod icc;
mod iptc;
mod json;
mod metadata;
mod number;
mod picture_info;
mod precedence;
mod read;
mod record;
mod rule;
mod stated;
mod stored;
mod table;
mod text;
mod text_tree;
mod value;
mod xmp;

pub use edit::{DateEdit, Patch, PhotoEdit, PlannedEdit, WallTime, patched, plan_edit};
pub use fields::Fields;
pub use json::{JsonOptions, json, json_string, json_value};
pub use metadata::{Gap, Metadata, Tag, date_of_unix};
pub use read::{ReadOptions, decode_metadata};
pub use stated::Stated;
pub use value::Value;
