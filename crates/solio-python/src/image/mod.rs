//! Images: what `python/solio/_image_io.py` calls, and how pixels and attributes pass.
//!
//! * `functions` and `changes` are the calls, `options` reads their keyword arguments;
//! * `give` moves planes into NumPy without a copy, `hold` borrows those that are to be written;
//! * `values` turns attributes into plain tuples and back;
//! * `picture` is for pictures of other formats than OpenEXR;
//! * `into` reads into the caller's arrays;
//! * `batch` hands out images that were read ahead.

mod changes;
mod functions;
mod give;
mod hold;
mod into;
mod options;
mod picture;
mod read_ahead;
mod values;

pub(crate) use changes::{image_change, image_compare, image_join, image_split};
pub(crate) use functions::{
    GivenImage, ReadImage, give_read, image_encode, image_header, image_matte, image_preview,
    image_read, image_write, read_bytes,
};
pub(crate) use give::header as give_header;
pub(crate) use into::{image_into, image_plan};
pub(crate) use picture::{codes_encode, codes_light, image_format, picture_encode, picture_write};
pub(crate) use read_ahead::ImageBatch;
pub(crate) use values::{image_attribute_check, image_attribute_type};
