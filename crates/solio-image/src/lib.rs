//! Images in memory: what is shown of them and how, changes to them, and the bytes of ordinary image
//! files.
//!
//! An image is that of `solio-exr`: parts, channels, linear light, colours multiplied by alpha.
//! [`choose`] finds the channels that are its colours, [`View`] gives them row by row; a look (exposure,
//! tone mapping, the curve of sRGB) makes a [`preview`] or, with [`encode_picture`], a file of them.
//! [`decode`] reads such files: integers in them are taken for sRGB, floating point numbers for linear
//! light; alpha is straight in them, unless they say otherwise. Nothing here opens a file.
#![forbid(unsafe_code)]

mod canvas;
mod choice;
mod choose;
mod codes;
pub mod cryptomatte;
mod decode;
mod difference;
pub mod edit;
mod encode;
mod flatten;
mod formats;
mod gradient;
mod group;
mod layers;
mod look;
pub mod losses;
mod lossy;
mod mipmap;
mod missing;
mod preview;
mod resize;
mod rows;
mod sample_types;
mod view;

pub use canvas::{Canvas, Font};
pub use choice::{ImageChoice, PartChoice, SingleFlat, image_bytes};
pub use choose::{Choice, Chosen, Colors, choose, part_number};
pub use codes::{CodeValues, PictureCodes, StoredPicture, decode_stored};
pub use cryptomatte::is_id;
pub use decode::{Decoded, Stored, cut_error, decode, decode_pixels, decoded_bytes, image_of};
pub use difference::{
    ChannelDifference, CompareOptions, DifferenceLimit, FLIP_PIXELS_PER_DEGREE, Flip, HeatMap,
    ImageDifference, Verdict, compare_images, flip, heat_picture,
};
pub use edit::channel_losses;
pub use encode::{Encoded, PictureOptions, encode_picture, png};
pub use flatten::flatten;
pub use formats::{can_choose_floats, has_quality, picture_names};
pub use gradient::{Compared, ComparedRow, compare_gradient, gradient_image, gradient_strips};
pub use group::{ImageGroup, MergeInput, merge_images, select_view, split_image, views};
pub use layers::{ImageLayer, layers};
pub use mipmap::mipmap;
pub use missing::MissingPixels;
pub use preview::{Preview, PreviewOptions, preview, preview_reads};
pub use resize::{ResizeFilter, ResizeOptions, ResizeSize, resize, resize_rows, resized_bytes};
pub use sample_types::decode_image_as;
pub use view::{Buffers, Frame, View};
