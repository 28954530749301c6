//! Wavefront OBJ and MTL.

mod losses;
mod mtl_keys;
mod mtl_read;
#[cfg(test)]
mod mtl_read_tests;
mod mtl_write;
pub mod options;
mod rational;
mod read;
mod write;

pub use losses::obj_losses;
pub use mtl_read::decode_mtl;
pub use mtl_write::{encode_mtl, material_names};
pub use options::{MtlWriteOptions, NonFinite, ObjReadOptions, ObjWriteOptions};
pub use read::{attach_materials, decode_obj};
pub use write::{encode_obj, small_faces};
