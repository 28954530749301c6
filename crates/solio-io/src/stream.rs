//! Bytes that come once and in order: a compressed file, a pipe, standard input.
//!
//! [`StreamSource`]: a thread of its own reads and inflates ahead into a few reused blocks, so that
//! inflating overlaps with parsing. The first block is kept: whoever detects the format reads it, and
//! then the decoder reads it again.
//!
//! [`InTurnSource`]: whoever reads inflates, to where they want it; nothing can be read again.

use solio_base::{Error, Limits, Result, Source, lock, threads};
use solio_codec::compress::{Compression, StreamDecoder};
use solio_measure::SpanName;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

static UNPACK: SpanName = SpanName::new("decompress");
static HAND_OVER: SpanName = SpanName::new("wait for the reader");

const BLOCK_BYTES: usize = 1 << 20;
/// Blocks between the threads: enough to smooth both sides, little enough to stay in cache.
const BLOCKS_AHEAD: usize = 3;

type BoxedDecoder = StreamDecoder<Box<dyn Read + Send>>;

/// A sequential [`Source`]. Offsets in the first mebibyte may be read again; behind it they must
/// not fall.
pub struct StreamSource {
    head: Vec<u8>,
    state: Mutex<StreamState>,
}

struct StreamState {
    filled: Receiver<Result<Vec<u8>>>,
    emptied: Sender<Vec<u8>>,
    block: Vec<u8>,
    /// Offset of `block[0]`.
    start: u64,
    /// The last block has come.
    ended: bool,
    failed: bool,
}

impl StreamSource {
    /// Starts reading ahead from `reader`, whose bytes are compressed so.
    pub fn start(
        reader: Box<dyn Read + Send>,
        compression: Compression,
        path: &Path,
        limits: &Limits,
    ) -> Result<Self> {
        let decoder = unpacking(reader, compression, limits)?;
        let (to_parser, filled) = sync_channel(BLOCKS_AHEAD);
        let (emptied, from_parser) = channel();
        threads::start(move || read_ahead(decoder, &to_parser, &from_parser))?;
        let mut state = StreamState {
            filled,
            emptied,
            block: Vec::new(),
            start: 0,
            ended: false,
            failed: false,
        };
        crate::at_path(state.next_block(), path)?;
        Ok(StreamSource { head: state.block.clone(), state: Mutex::new(state) })
    }
}

/// What unpacks `reader`.
fn unpacking(
    reader: Box<dyn Read + Send>,
    compression: Compression,
    limits: &Limits,
) -> Result<BoxedDecoder> {
    match crate::probe::other_inflate() {
        Some(inflate) if compression == Compression::Gzip => {
            StreamDecoder::new(Compression::None, inflate(reader), limits)
        }
        _ => StreamDecoder::new(compression, reader, limits),
    }
}

/// The body of the thread: ends with the data, with an error, or when the source is dropped.
fn read_ahead(
    mut decoder: BoxedDecoder,
    to_parser: &SyncSender<Result<Vec<u8>>>,
    from_parser: &Receiver<Vec<u8>>,
) {
    loop {
        let mut block = from_parser.try_recv().unwrap_or_default();
        block.resize(BLOCK_BYTES, 0);
        let mut span = UNPACK.begin();
        let result = decoder.read(&mut block).map(|got| {
            span.set_bytes(got);
            block.truncate(got);
            block
        });
        drop(span);
        let last = result.as_ref().map_or(true, |block| block.len() < BLOCK_BYTES);
        let _span = HAND_OVER.begin();
        if to_parser.send(result).is_err() || last {
            return;
        }
    }
}

impl StreamState {
    fn next_block(&mut self) -> Result<()> {
        let used = std::mem::take(&mut self.block);
        self.start += used.len() as u64;
        if used.capacity() > 0 {
            let _ = self.emptied.send(used);
        }
        let block = self.filled.recv().unwrap_or_else(|_| {
            self.failed = true;
            Err(Error::corrupt("the thread that reads ahead has stopped"))
        });
        self.block = block.inspect_err(|_| self.failed = true)?;
        self.ended = self.block.len() < BLOCK_BYTES;
        Ok(())
    }
}

impl Source for StreamSource {
    fn len_bytes(&self) -> Option<u64> {
        let state = lock(&self.state);
        state.ended.then(|| state.start + state.block.len() as u64)
    }

    fn is_sequential(&self) -> bool {
        true
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let mut got = 0;
        if offset < self.head.len() as u64 {
            let from = &self.head[offset as usize..];
            got = from.len().min(buf.len());
            buf[..got].copy_from_slice(&from[..got]);
        }
        let mut state = lock(&self.state);
        while got < buf.len() {
            let at = offset + got as u64;
            if state.failed {
                return Err(failed_before());
            }
            let skip = at.checked_sub(state.start).ok_or_else(|| only_forward(at))?;
            let from = usize::try_from(skip).ok().and_then(|s| state.block.get(s..));
            match from {
                Some(from) if !from.is_empty() => {
                    let n = from.len().min(buf.len() - got);
                    buf[got..got + n].copy_from_slice(&from[..n]);
                    got += n;
                }
                _ if state.ended => break,
                _ => state.next_block()?,
            }
        }
        Ok(got)
    }
}

fn failed_before() -> Error {
    Error::corrupt("the stream has failed before")
}

fn only_forward(offset: u64) -> Error {
    Error::argument("a compressed or piped file can only be read forward").at_offset(offset)
}

/// A sequential [`Source`] that is unpacked by whoever reads it, when they do, to where they want it.
pub(crate) struct InTurnSource {
    state: Mutex<InTurn>,
}

struct InTurn {
    decoder: BoxedDecoder,
    /// What was read so far.
    offset: u64,
    ended: bool,
    failed: bool,
}

impl InTurnSource {
    pub(crate) fn new(
        reader: Box<dyn Read + Send>,
        compression: Compression,
        limits: &Limits,
    ) -> Result<Self> {
        let decoder = unpacking(reader, compression, limits)?;
        let state = InTurn { decoder, offset: 0, ended: false, failed: false };
        Ok(InTurnSource { state: Mutex::new(state) })
    }
}

impl Source for InTurnSource {
    fn len_bytes(&self) -> Option<u64> {
        let state = lock(&self.state);
        state.ended.then_some(state.offset)
    }

    fn is_sequential(&self) -> bool {
        true
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let mut state = lock(&self.state);
        if state.failed {
            return Err(failed_before());
        }
        if offset != state.offset {
            return Err(only_forward(offset));
        }
        let mut span = UNPACK.begin();
        let got = state.decoder.read(buf).inspect_err(|_| state.failed = true)?;
        span.set_bytes(got);
        state.offset += got as u64;
        state.ended = got < buf.len();
        Ok(got)
    }
}
