//! Wavefront OBJ and MTL.

mod mtl_read;
#[cfg(test)]
mod mtl_read_tests;
pub mod options;
mod read;
mod write;

pub use mtl_read::decode_mtl;
pub use options::{NonFinite, ObjReadOptions, ObjWriteOptions};
pub use read::{attach_materials, decode_obj};
pub use write::encode_obj;
