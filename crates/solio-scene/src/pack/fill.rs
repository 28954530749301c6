//! Arrays are filled from their sections, on all threads at once.

use super::chunk::PackDecoder;
use super::read::PackReader;
use super::table::{Section, SectionKind};
use bytemuck::{Pod, cast_slice_mut};
use solio_base::{Error, Result, Work, lock, ordered};
use std::sync::Mutex;

/// What a section fills.
enum FillTarget<'j> {
    /// Some bytes of an array.
    Whole(&'j mut [u8]),
    /// Numbers that stand apart.
    Parts(Vec<&'j mut [f32]>),
}

/// A section and what it fills.
type FillJob<'j> = (Section, FillTarget<'j>);

/// Arrays to be filled, all at once.
#[derive(Default)]
pub(super) struct FillRequests<'j>(Vec<FillJob<'j>>);

impl<'j> FillRequests<'j> {
    /// Adds an array: `to` has as many bytes as its sections say.
    pub(super) fn add<T: Pod>(
        &mut self,
        reader: &PackReader<'_>,
        kind: SectionKind,
        number: u32,
        to: &'j mut [T],
    ) {
        let mut rest: &mut [u8] = cast_slice_mut(to);
        for section in reader.sections_of(kind, number) {
            let (part, behind) = rest.split_at_mut(section.plain_bytes as usize);
            self.0.push((*section, FillTarget::Whole(part)));
            rest = behind;
        }
    }

    /// Adds numbers that stand in `to`, one after the other; together they are as many as those of
    /// the array.
    pub(super) fn add_parts(
        &mut self,
        reader: &PackReader<'_>,
        kind: SectionKind,
        number: u32,
        to: Vec<&'j mut [f32]>,
    ) {
        let mut parts = to.into_iter();
        let mut begun: Option<&'j mut [f32]> = None;
        for section in reader.sections_of(kind, number) {
            let mut missing = section.plain_bytes as usize / 4;
            let mut of_section = Vec::new();
            while missing > 0 {
                let Some(part) = begun.take().or_else(|| parts.next()) else { break };
                let (now, later) = part.split_at_mut(missing.min(part.len()));
                missing -= now.len();
                of_section.push(now);
                begun = (!later.is_empty()).then_some(later);
            }
            self.0.push((*section, FillTarget::Parts(of_section)));
        }
    }

    /// Fills all arrays, on all threads. The largest sections need not come first: all are small.
    pub(super) fn fill(self, reader: &PackReader<'_>, work: &Work) -> Result<()> {
        let in_memory = reader.source.as_bytes();
        let mut jobs = self.0.into_iter();
        let window = work.window(2 << 20).min(jobs.len().max(1));
        // As many as threads, not as jobs under way: fresh memory costs more than unpacking.
        let resting: Mutex<Vec<UnpackMemory>> = Mutex::default();
        let rest = || lock(&resting);
        ordered::run::<Option<FillJob<'_>>>(
            work,
            window,
            |job| {
                *job = jobs.next();
                Ok(job.is_some())
            },
            |job| {
                let Some((section, target)) = job.take() else { return Ok(()) };
                let mut bench = rest().pop().unwrap_or_default();
                let UnpackMemory { stored, plain, unpacker } = &mut bench;
                let (offset, room) = (section.offset, section.room() as usize);
                let bytes = match in_memory {
                    Some(all) => &all[offset as usize..][..room],
                    None => {
                        stored.resize(room, 0);
                        let what = "a section of the packed scene";
                        reader.source.read_exact_at(offset, stored, what)?;
                        stored
                    }
                };
                if reader.options.verify && crc32fast::hash(bytes) != section.crc {
                    return Err(damaged(&section, "its sum is another"));
                }
                let bytes = &bytes[..section.stored_bytes as usize];
                let made = match target {
                    FillTarget::Whole(to) => unpacker.unpack(&section, bytes, to),
                    FillTarget::Parts(parts) => {
                        plain.resize(section.plain_bytes as usize, 0);
                        unpacker.unpack(&section, bytes, plain).map(|()| deal(plain, parts))
                    }
                };
                made.map_err(|why| damaged(&section, why))?;
                rest().push(bench);
                Ok(())
            },
            |_| Ok(()),
        )
    }
}

/// What a thread unpacks with.
#[derive(Default)]
struct UnpackMemory {
    stored: Vec<u8>,
    plain: Vec<u8>,
    unpacker: PackDecoder,
}

/// Copies bytes to where numbers stand, which take as many.
fn deal(mut bytes: &[u8], parts: Vec<&mut [f32]>) {
    for part in parts {
        let to: &mut [u8] = cast_slice_mut(part);
        let (some, rest) = bytes.split_at(to.len());
        to.copy_from_slice(some);
        bytes = rest;
    }
}

fn damaged(section: &Section, why: &str) -> Error {
    let message = format!("a section of the packed scene is damaged: {why}");
    Error::corrupt(message).at_offset(section.offset)
}

/// Words of the file as words of this machine.
pub(super) fn native<T: Pod>(values: &mut [T]) {
    if cfg!(target_endian = "big") {
        let words: &mut [u32] = cast_slice_mut(values);
        words.iter_mut().for_each(|word| *word = u32::from_le(*word));
    }
}
