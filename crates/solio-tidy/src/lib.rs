//! Repository tests.
