//! An object as a source of bytes: few requests, each for a range.
//!
//! * The first request brings the start, and what the store says about the object.
//! * What is read after that comes in pieces, which grow while one follows the other; a reader that
//!   jumps gets small ones. The last few are kept.
//! * All requests are for the object as it was at the first one: one that is overwritten meanwhile is
//!   an error, not a mixture.

use crate::errors::is_no_answer;
use crate::keys::{can_be_asked_for, marked};
use crate::{Bucket, Object};
use object_store::Error::{Generic, NotFound};
use object_store::path::Path as Held;
use object_store::{GetOptions, GetRange, ObjectStore};
use solio_base::{Cancel, Error, Result, Source, lock};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Fewest bytes that are asked for at once: they take hardly longer than one.
const LEAST: u64 = 64 << 10;
/// Most bytes that are asked for at once.
const MOST: u64 = 8 << 20;
/// Pieces that are kept.
const KEPT: usize = 3;

/// How an object is asked for.
#[derive(Clone)]
pub struct Asking {
    /// Bytes of [`Source::head`].
    pub head_bytes: usize,
    /// Bytes that pieces may take.
    pub memory_bytes: u64,
    /// Asked while a store is waited for.
    pub cancel: Cancel,
    /// Told the number of bytes of each answer, and may wait.
    pub got: Arc<dyn Fn(u64) -> Result<()> + Send + Sync>,
}

/// An object whose start has been read.
pub struct ObjectSource {
    bucket: Arc<Bucket>,
    held: Held,
    tag: Option<String>,
    object: Object,
    /// What the first request brought.
    start: BlockBytes,
    asking: Asking,
    pieces: Mutex<Pieces>,
}

type BlockBytes = Vec<u8>;

#[derive(Default)]
struct Pieces {
    /// With their offsets, the newest last.
    kept: Vec<(u64, Arc<BlockBytes>)>,
    /// Where the last one ended, and how long it was.
    end: u64,
    len: u64,
}

impl fmt::Debug for ObjectSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectSource").field("object", &self.object).finish_non_exhaustive()
    }
}

impl ObjectSource {
    /// Asks for the start of an object; `None` where there is none.
    ///
    /// # Errors
    /// `Io` with the address and what the store said, `Unsupported` for keys that cannot be asked for,
    /// `Cancelled`.
    pub fn open(bucket: &Arc<Bucket>, key: &str, asking: Asking) -> Result<Option<ObjectSource>> {
        if !can_be_asked_for(key) {
            let error = Error::unsupported("a key with a part . or .. cannot be asked for");
            return Err(error.at_path(bucket.path_of(key)));
        }
        let held = Held::parse(marked(key)).unwrap_or_default();
        let range = GetRange::Bounded(0..LEAST.max(asking.head_bytes as u64));
        let options = GetOptions { range: Some(range), ..GetOptions::default() };
        let answer = bucket.wait(&asking.cancel, async {
            let got = bucket.store.get_opts(&held, options).await?;
            let meta = got.meta.clone();
            Ok((meta, got.bytes().await?))
        })?;
        let (meta, start) = match answer {
            Ok((meta, start)) => (meta, start.to_vec()),
            Err(error @ NotFound { .. }) => {
                let error = bucket.error("read the object", &error, key);
                return if error.os_error().is_some() { Ok(None) } else { Err(error) };
            }
            // A range of an empty object is none.
            Err(error @ Generic { .. }) if !is_no_answer(&error) => {
                match bucket.look(key, &asking.cancel)? {
                    None => return Ok(None),
                    Some(object) if object.size == 0 => {
                        let (pieces, bucket) = (Mutex::default(), Arc::clone(bucket));
                        let (tag, start) = (None, BlockBytes::new());
                        return Ok(Some(ObjectSource {
                            bucket,
                            held,
                            tag,
                            object,
                            start,
                            asking,
                            pieces,
                        }));
                    }
                    Some(_) => return Err(bucket.error("read the object", &error, key)),
                }
            }
            Err(error) => return Err(bucket.error("read the object", &error, key)),
        };
        (asking.got)(start.len() as u64)?;
        let (object, tag) = (bucket.object(&meta), meta.e_tag);
        let (bucket, pieces) = (Arc::clone(bucket), Mutex::default());
        Ok(Some(ObjectSource { bucket, held, tag, object, start, asking, pieces }))
    }

    /// What the store said about it.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// The bytes of a range, from the store.
    fn ask(&self, range: Range<u64>) -> Result<BlockBytes> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            if_match: self.tag.clone(),
            ..GetOptions::default()
        };
        let key = &self.object.key;
        let answer = self.bucket.wait(&self.asking.cancel, async {
            self.bucket.store.get_opts(&self.held, options).await?.bytes().await
        })?;
        let bytes = answer.map_err(|e| self.bucket.error("read the object", &e, key))?;
        (self.asking.got)(bytes.len() as u64)?;
        if bytes.len() as u64 != range.end - range.start {
            let words =
                format!("the store gave {} of {} bytes", bytes.len(), range.end - range.start);
            return Err(Error::corrupt(words)
                .at_offset(range.start)
                .at_path(self.bucket.path_of(key)));
        }
        Ok(bytes.into())
    }

    fn pieces(&self) -> std::sync::MutexGuard<'_, Pieces> {
        lock(&self.pieces)
    }

    /// A kept piece with the byte at `offset`, or a new one: of `wanted` bytes, and more where pieces
    /// have followed each other.
    fn piece(&self, offset: u64, wanted: u64) -> Result<(u64, Arc<BlockBytes>)> {
        let most = (self.asking.memory_bytes / (KEPT as u64 + 1)).clamp(LEAST, MOST);
        let len = {
            let pieces = self.pieces();
            let holds = |(start, bytes): &&(u64, Arc<BlockBytes>)| {
                (*start..*start + bytes.len() as u64).contains(&offset)
            };
            if let Some(found) = pieces.kept.iter().find(holds) {
                return Ok(found.clone());
            }
            if pieces.end == offset { 2 * pieces.len } else { LEAST }
        };
        let len = len.clamp(LEAST, most).max(wanted.min(most)).min(self.object.size - offset);
        // Others may read meanwhile.
        let bytes = Arc::new(self.ask(offset..offset + len)?);
        let mut pieces = self.pieces();
        if pieces.kept.len() == KEPT {
            pieces.kept.remove(0);
        }
        pieces.kept.push((offset, Arc::clone(&bytes)));
        (pieces.end, pieces.len) = (offset + len, len);
        Ok((offset, bytes))
    }
}

impl Source for ObjectSource {
    fn len_bytes(&self) -> Option<u64> {
        Some(self.object.size)
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        (self.start.len() as u64 == self.object.size).then_some(&self.start)
    }

    fn head(&self) -> &[u8] {
        &self.start[..self.start.len().min(self.asking.head_bytes)]
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let rest = self.object.size.saturating_sub(offset);
        let wanted = rest.min(buf.len() as u64) as usize;
        let mut done = 0;
        while done < wanted {
            let at = offset + done as u64;
            let piece;
            let (start, bytes) = if at < self.start.len() as u64 {
                (0, &*self.start)
            } else {
                piece = self.piece(at, (wanted - done) as u64)?;
                (piece.0, &**piece.1)
            };
            let from = &bytes[(at - start) as usize..];
            let len = from.len().min(wanted - done);
            buf[done..done + len].copy_from_slice(&from[..len]);
            done += len;
        }
        Ok(done)
    }
}
