//! No ring: the engine falls back to threads, and says so.

use crate::engine::threads::{EngineShared, TakenFlight};
use std::sync::Arc;

/// Pieces that a ring has under way at most.
pub(crate) const DEPTH: usize = 1;

/// There is none.
pub(crate) enum UringQueue {}

/// Why there is none.
pub(crate) fn ring() -> Result<UringQueue, String> {
    Err("io_uring is Linux's".into())
}

/// The thread of a ring, which there is not.
pub(crate) struct Driver(UringQueue);

impl Driver {
    pub(crate) fn new(queue: UringQueue) -> Self {
        Driver(queue)
    }

    pub(crate) fn serve(&mut self, _: &Arc<EngineShared>, _: TakenFlight) {
        match self.0 {}
    }
}
