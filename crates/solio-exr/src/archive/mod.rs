//! OpenEXR files in a file of arrays: their pixels by the codec of arrays, all else as it is.
//!
//! An entry keeps the header's bytes. Chunks follow in the order of the file: runs of those that
//! make up a rectangle of one part are unpacked and packed again together, a plane a channel;
//! chunks of lossy methods, whose pixels would change, of deep parts, and such as do not unpack,
//! are kept as they lie. Unpacking compresses the runs with the file's own method, and makes the
//! tables anew. A file that is not a header, tables and chunks without gaps is kept whole.
//!
//! ```text
//! ExrPacking ── piece by piece ─► ExrPacker ─► chunks, EntryDetail ─► Archived ─► ExrUnpacker ─► the file
//! ```
//!
//! With [`PackingOptions::exact`] a run is packed only where compressing it again gives the bytes
//! that were there. The description of an entry stands in `docs/formats/array.md`.

mod detail;
mod pack;
mod plan;
mod run;
mod unpack;

pub use detail::{ChunkRun, EntryDetail, FilePiece};
pub use pack::{ExrPacker, PackedPiece};
pub use plan::{ExrPacking, PackingOptions};
pub use unpack::{Archived, Compressed, ExrUnpacker, OffsetTables};
