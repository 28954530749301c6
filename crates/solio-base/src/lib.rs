//! What every other crate of Solio stands on: one [`Error`] with its place, [`Limits`],
//! [`Work`] (threads, memory, cancellation, progress), CPU tiers, [`Source`] and [`Sink`], and the
//! [ordered pipeline](ordered) that both readers and writers run on.

pub mod cpu;
mod error;
mod limits;
mod losses;
pub mod memory;
pub mod names;
pub mod ordered;
mod stream;
mod sys;
pub mod threads;
mod work;

pub use error::{Error, ErrorKind, Result};
pub use limits::Limits;
pub use losses::{Loss, Losses};
pub use ordered::FillChunk;
pub use solio_kinds::named_enum;
pub use solio_measure::{lock, unlock};
pub use stream::{Sink, Source};
pub use work::{Cancel, Progress, Progressed, Work};
