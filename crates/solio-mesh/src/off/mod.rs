//! OFF, Geomview's object file format: vertices with optional normals, colours and texture
//! coordinates, and polygons, as text (Geomview manual, "OFF Files").

mod read;
mod write;

pub use read::{OffReadOptions, decode_off};
pub use write::{encode_off, off_losses};
