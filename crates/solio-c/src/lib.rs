//! The C interface. `include/solio.h` is generated from this crate; `docs/c.md` shows how it is used.
//!
//! Rules that hold everywhere:
//!
//! * Every function may be called from any thread. A handle serves one call at a time: a second one
//!   beside it fails with `SOLIO_BUSY`, unless a function says otherwise.
//! * Functions return a code, 0 where all is well. An error's text and place go into the caller's
//!   `solio_error`, where one is given.
//! * Structures begin with their size in bytes, which the caller sets; so later versions may add
//!   fields at the end. Zero is the usual value of every other field.
//! * Pointers of the caller must be valid for as many bytes as is said beside them. A handle is of a
//!   function of this library, and of nobody any more once it was freed.
//! * No panic crosses the border: it becomes `SOLIO_PANIC`.
//! * Nothing calls back. There are no settings that all of a process would share.

mod border;
mod engine;
mod handle;
mod image;
mod image_write;
mod job;
mod mesh;
mod mesh_array;
mod mesh_write;
mod number;
mod pack;
mod pbrt;
mod timer;

pub use border::*;
pub use engine::*;
pub use image::*;
pub use image_write::*;
pub use job::*;
pub use mesh::*;
pub use mesh_array::*;
pub use mesh_write::*;
pub use number::*;
pub use pack::*;
pub use pbrt::*;
pub use timer::*;
