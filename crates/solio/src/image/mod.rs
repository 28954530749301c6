//! Images: OpenEXR and ordinary image files, read, written, converted, previewed and packed; the image
//! model, its header, and the options of each format.

pub(crate) mod any;
pub(crate) mod attributes;
pub(crate) mod change;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod file;
pub(crate) mod group;
pub(crate) mod mattes;
pub(crate) mod pack;
pub(crate) mod preview;
pub(crate) mod resize_rows;
pub(crate) mod unpack;

pub use solio_exr::*;
pub use solio_image::{
    flatten, flip, merge_images, mipmap, resize, select_view, split_image, views,
};
