//! What the trace of a run calls the work on meshes.

use solio_measure::SpanName;

/// A chunk of a file becomes arrays.
pub(crate) static DECODE: SpanName = SpanName::new("decode chunk");
/// The arrays of a chunk join those of the chunks before it.
pub(crate) static JOIN: SpanName = SpanName::new("join chunk");
/// The arrays of the whole file become a mesh.
pub(crate) static ASSEMBLE: SpanName = SpanName::new("assemble mesh");
/// Merging, sorting and counting before anything can be written.
pub(crate) static PREPARE: SpanName = SpanName::new("prepare mesh");
