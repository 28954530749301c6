//! Objects of S3, Google Cloud Storage and Azure, as sources of bytes.
//!
//! * [`Address`] reads `s3://bucket/key`, `gs://bucket/key`, `az://container/key`.
//! * [`Bucket::list`] hands out what lies at and below a key, page by page, the next page on its way.
//! * [`ObjectSource`] is a [`Source`](solio_base::Source) over one object: its start comes with the
//!   first request, the rest range by range as a reader asks for it.
//!
//! Where a store is, and who asks, say the variables that the crate `object_store` reads
//! (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, `GOOGLE_APPLICATION_CREDENTIALS`,
//! `AZURE_STORAGE_ACCOUNT_NAME` and their like). Requests are repeated as that crate does. Callers
//! wait; the asynchronous runtime beneath stays in this crate.
#![forbid(unsafe_code)]

mod address;
mod bucket;
mod connect;
mod errors;
mod keys;
mod source;
#[cfg(test)]
mod tests;

pub use address::{Address, ObjectService, is_address};
pub use bucket::{Bucket, Object};
pub use source::{Asking, ObjectSource};
