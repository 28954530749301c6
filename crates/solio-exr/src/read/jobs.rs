//! The pipeline of reading: chunks are fetched and unpacked side by side, each into its own rows.

use super::chunk::{Of, ReadBuffers};
use super::store::SampleTarget;
use super::stored;
use crate::codec;
use crate::header::Box2i;
use crate::header::shape::{ChunkPlace, Level, Shape, rows};
use crate::model::MissingChunk;
use solio_base::{Error, ErrorKind, Result, Work, lock, ordered};
use solio_codec::copy::Keep;
use std::sync::Mutex;

/// Pixels of a job, in bytes: enough that handing it out costs nothing beside it.
pub(crate) const JOB_BYTES: u64 = 256 << 10;

/// Most bytes of chunks that are unpacked side by side: beyond that, what was unpacked is no longer in the
/// caches when it is put in its place, which costs more than the decoder gains.
const TOGETHER_BYTES: u64 = 4 << 20;

/// What an unfinished file says of a chunk.
pub(crate) const NOT_THERE: &str = "missing: the file was not written completely";

/// A level of a part that is to be read.
pub(crate) struct LevelTask<'a> {
    pub(crate) of: Of<'a>,
    /// The part's own, or that of its counts.
    pub(crate) shape: &'a Shape,
    /// The index of the level.
    pub(crate) level: usize,
    /// The pixels that are wanted.
    pub(crate) region: Box2i,
    /// Which channels of the shape are.
    pub(crate) wanted: &'a [bool],
    /// Where the samples of flat chunks go.
    pub(crate) targets: &'a [SampleTarget],
}

impl<'a> LevelTask<'a> {
    pub(crate) fn level(&self) -> &'a Level {
        &self.shape.levels[self.level]
    }

    /// Where the pixels of a chunk lie; an error where the file does not have it.
    pub(crate) fn place(&self, chunk: u64) -> Result<ChunkPlace> {
        match self.of.table[chunk as usize] {
            0 => Err(Error::corrupt(NOT_THERE)),
            _ => Ok(self.shape.place(chunk)),
        }
    }

    /// What is said of a chunk that could not be read.
    fn missing(&self, chunk: u64, message: String) -> MissingChunk {
        let place = self.shape.place(chunk);
        let level = &self.shape.levels[place.level];
        let (part, level) = (self.of.part, [level.x, level.y]);
        MissingChunk { part, chunk, level, window: place.window, message }
    }

    /// Bytes of its targets.
    pub(crate) fn result_bytes(&self) -> usize {
        let region = self.shape.block(&self.region);
        let bytes =
            |target: &SampleTarget| target.row_bytes(&region) * region.rows_at(target.sampling[1]);
        self.targets.iter().map(bytes).sum()
    }

    /// The chunks that have wanted pixels, row by row.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = u64> + use<'a> {
        let level = self.level();
        let [across, down] = self.shape.tiles_touching(level, &self.region);
        let first = move |row: u64| level.first_chunk + row * level.across;
        down.flat_map(move |row| across.clone().map(move |tile| first(row) + tile))
    }
}

/// A chunk, and the rows that are its own, in its order: of flat chunks row by row, in each target by
/// target; of deep ones row by row, in each channel by channel, as far as they are wanted.
#[derive(Default)]
pub(crate) struct ChunkTarget<'a> {
    pub(crate) chunk: u64,
    pub(crate) rows: Vec<&'a mut [u8]>,
}

/// Some chunks of one level, and what a thread needs for them.
#[derive(Default)]
struct LevelJob<'a> {
    task: usize,
    pieces: Vec<ChunkTarget<'a>>,
    /// Those of the pieces.
    chunks: Vec<u64>,
    missing: Vec<MissingChunk>,
}

/// What threads need, for the next one.
pub(crate) type BufferPool = Mutex<Vec<ReadBuffers>>;

/// How many chunks of a task one job should have, so that all threads still get some jobs.
fn side_by_side(task: &LevelTask<'_>, threads: usize) -> usize {
    let jobs = 2 * threads.max(1);
    let most = usize::try_from(task.shape.chunks).unwrap_or(usize::MAX) / jobs;
    let first = task.shape.place(task.level().first_chunk);
    let fitting = TOGETHER_BYTES / task.shape.block(&first.window).bytes().max(1);
    codec::side_by_side(task.shape.compression).min(most).min(fitting as usize).max(1)
}

/// Reads the pieces that `dealers` hand out, one dealer a task; `keep` is for those that are copied
/// as they are. Damaged chunks are an error, or,
/// where `partial` allows it, returned.
pub(crate) fn read<'a>(
    tasks: &[LevelTask<'_>],
    dealers: Vec<impl Iterator<Item = ChunkTarget<'a>> + Send>,
    read_piece: impl Fn(&LevelTask<'_>, &mut ReadBuffers, &mut ChunkTarget<'a>) -> Result<()> + Sync,
    (partial, keep): (bool, Keep),
    pool: &BufferPool,
    work: &Work,
) -> Result<Vec<MissingChunk>> {
    let mut dealers = dealers.into_iter().enumerate().peekable();
    // The first chunk of a level is as large as any other.
    let of_chunk = tasks.iter().map(|task| {
        let first = task.shape.place(task.level().first_chunk);
        task.shape.block(&first.window).bytes()
    });
    let of_chunk: Vec<u64> = of_chunk.collect();
    let of_job: Vec<usize> = tasks.iter().map(|task| side_by_side(task, work.threads)).collect();
    let sizes = of_chunk.iter().zip(&of_job).map(|(bytes, chunks)| bytes * *chunks as u64);
    let largest = sizes.fold(JOB_BYTES, u64::max);
    let window = work.window(usize::try_from(largest.saturating_mul(3)).unwrap_or(usize::MAX));
    let mut missing = Vec::new();
    ordered::run::<LevelJob<'_>>(
        work,
        window,
        |job| {
            job.pieces.clear();
            let (mut bytes, mut most) = (0, 0);
            while bytes < JOB_BYTES || job.pieces.len() < most {
                let Some((index, dealer)) = dealers.peek_mut() else { break };
                let Some(piece) = dealer.next() else {
                    if !job.pieces.is_empty() {
                        break;
                    }
                    dealers.next();
                    continue;
                };
                bytes += of_chunk[*index].max(1);
                job.task = *index;
                most = of_job[*index];
                job.pieces.push(piece);
            }
            Ok(!job.pieces.is_empty())
        },
        |job| {
            let task = &tasks[job.task];
            job.chunks.clear();
            job.chunks.extend(job.pieces.iter().map(|piece| piece.chunk));
            let mut buffers = lock(pool).pop().unwrap_or_default();
            buffers.fetch(task.of, job.chunks.iter().copied())?;
            buffers.unpack_ahead(task.of, &job.chunks);
            stored::read(task, &buffers, &mut job.pieces, keep);
            for piece in &mut job.pieces {
                let Err(e) = read_piece(task, &mut buffers, piece) else {
                    continue;
                };
                let e = task.of.error(piece.chunk, e);
                if !partial || e.kind() != ErrorKind::Corrupt {
                    return Err(e);
                }
                clear(task, piece);
                job.missing.push(task.missing(piece.chunk, e.to_string()));
            }
            lock(pool).push(buffers);
            Ok(())
        },
        |job| {
            missing.append(&mut job.missing);
            Ok(())
        },
    )?;
    Ok(missing)
}

/// Zeros for all samples of a chunk.
fn clear(task: &LevelTask<'_>, piece: &mut ChunkTarget<'_>) {
    if task.targets.iter().all(|target| target.gap_bytes() == 0) {
        return piece.rows.iter_mut().for_each(|row| row.fill(0));
    }
    let window = task.shape.place(piece.chunk).window.intersection(&task.region);
    let ys = window.as_ref().map_or(0..0, rows);
    let targets = ys.flat_map(|y| task.targets.iter().filter(move |target| target.has_row(y)));
    piece.rows.iter_mut().zip(targets).for_each(|(row, target)| target.clear(row));
}
