//! What the fuzz target of files of arrays does with its bytes. Also replayed as ordinary tests: see
//! `crates/solio-exr/tests/archive_replay.rs`.
//!
//! Sums are not checked, or hardly any change would get behind them. Findings, beside panics:
//! memory beyond a bound of the bytes, errors without a place, samples that are others when they
//! were written and read again.

mod process;

pub(crate) use process::init;

use process::{assert_placed, within};
use solio_base::{Error, Limits, Result, Work};
use solio_codec::array::Effort;
use solio_codec::array::file::{ArrayFile, ArrayReadOptions, ArrayWriter, Kind, TableEntry};
use solio_exr::archive::{Archived, Compressed, ExrUnpacker};

/// Most bytes of samples or of a file.
const MOST_BYTES: u64 = 1 << 21;

/// Any bytes.
pub(crate) fn array(bytes: &[u8]) {
    let limits = Limits { bytes: MOST_BYTES, ..Limits::default() };
    let options = ArrayReadOptions { verify: false, limits };
    // The table says at most 256 times as much as its bytes; then there are samples, some of them
    // twice, what is compressed of them, and what codecs need.
    let bound = (24 << 20) + 256 * 16 * bytes.len();
    let file = within(bound, bytes, || {
        let file = ArrayFile::read(&bytes, &options)?;
        for entry in &file.entries {
            let done = match entry.kind {
                Kind::Array => samples(&file, entry, bytes).map(|_| ()),
                Kind::Exr => pieces(&file, entry, bytes, &limits),
                Kind::Other(_) => Ok(()),
            };
            done.err().iter().for_each(assert_placed);
        }
        Ok(file)
    });
    let file = match file {
        Ok(file) => file,
        Err(error) => return assert_placed(&error),
    };
    for entry in file.entries.iter().filter(|entry| entry.kind == Kind::Array) {
        if let Ok(read) = samples(&file, entry, bytes) {
            again(&file, entry, &read);
        }
    }
}

/// The samples of an array.
fn samples(file: &ArrayFile, entry: &TableEntry, bytes: &[u8]) -> Result<Vec<u8>> {
    let shape = file.shape(entry).map_err(placed)?;
    let mut to = vec![0; shape.bytes() as usize];
    file.read_rows(&bytes, entry, 0..shape.rows(), &mut to, &Work::serial()).map_err(placed)?;
    Ok(to)
}

/// Limits and sizes that no memory holds have no place.
fn placed(error: Error) -> Error {
    match error.kind() {
        solio_base::ErrorKind::Limit | solio_base::ErrorKind::Argument => error.at_offset(0),
        _ => error,
    }
}

/// Unpacks all pieces of an image.
fn pieces(file: &ArrayFile, entry: &TableEntry, bytes: &[u8], limits: &Limits) -> Result<()> {
    let archived = Archived::new(entry, limits).map_err(placed)?;
    let mut tables = archived.tables();
    let (mut unpacker, mut packed, mut out) = (ExrUnpacker::default(), Vec::new(), Vec::new());
    for (piece, chunk) in entry.chunks.iter().enumerate() {
        let at = |error: Error| error.at_offset(chunk.offset);
        file.read_chunk(&bytes, chunk, &mut packed)?;
        for compressed in [Compressed::Own, Compressed::Not] {
            unpacker.unpack(&archived, piece, &packed, compressed, &mut out).map_err(at)?;
        }
        tables.add(unpacker.chunks()).map_err(at)?;
    }
    tables.finish().map(|_| ()).map_err(|error| error.at_offset(0))
}

/// What was read is the same when it was written and read again.
fn again(file: &ArrayFile, entry: &TableEntry, samples: &[u8]) {
    let shape = file.shape(entry).expect("it was read");
    let work = Work::serial();
    let mut written: Vec<u8> = Vec::new();
    let mut writer = ArrayWriter::new(&mut written, &work).expect("memory");
    let added = writer.add_array("again", &shape, samples, Effort::Fast, &work);
    added.expect("what was read can be written");
    writer.finish(&work).expect("memory");
    let options = ArrayReadOptions::default();
    let back = ArrayFile::read(&written, &options).expect("what was written can be read");
    let mut to = vec![1; samples.len()];
    back.read_rows(&written, &back.entries[0], 0..shape.rows(), &mut to, &work)
        .expect("what was written can be read");
    assert!(to == samples, "the samples are others");
}
