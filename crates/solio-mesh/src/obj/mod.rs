//! Wavefront OBJ and MTL.

pub mod options;

pub use options::{NonFinite, ObjReadOptions, ObjWriteOptions};
