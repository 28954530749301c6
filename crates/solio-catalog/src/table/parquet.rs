//! Parquet files of rows.

use super::arrow::{Batch, rows_of, schema};
use crate::row::Row;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{ChunkReader, Length};
use solio_base::{Error, Result, Sink, Source, Work};
use std::collections::VecDeque;
use std::io::{self, BufWriter, Read, Write};
use std::sync::Arc;

/// Rows that are compressed together; a reader skips groups that have nothing it asks for.
const GROUP_ROWS: usize = 100_000;
/// Rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Writes rows to a sink.
pub struct ParquetWriter<'s> {
    writer: ArrowWriter<BufWriter<ToSink<'s>>>,
    batch: Batch,
}

/// A sink as `parquet` wants it.
struct ToSink<'s> {
    sink: &'s mut dyn Sink,
    work: &'s Work,
}

impl Write for ToSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write_bytes(self.work, bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn failed(error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => of_io(*error),
            Err(inner) => Error::corrupt(inner.to_string()),
        },
        other => Error::corrupt(other.to_string()),
    }
}

/// Our own error inside one of the system.
fn of_io(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => own,
        Err(error) => Error::io("write", error),
    }
}

impl<'s> ParquetWriter<'s> {
    /// Begins a file.
    pub fn new(sink: &'s mut dyn Sink, work: &'s Work) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by("solio".into())
            .build();
        let sink = BufWriter::with_capacity(1 << 20, ToSink { sink, work });
        let writer = ArrowWriter::try_new(sink, schema(), Some(properties));
        Ok(ParquetWriter { writer: writer.map_err(failed)?, batch: Batch::default() })
    }

    /// Takes in a row; they come in the catalogue's order.
    pub fn push(&mut self, row: &Row) -> Result<()> {
        self.batch.push(row);
        if self.batch.len() == BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.write(&self.batch.finish()).map_err(failed)
    }

    /// Writes what is left, and the footer.
    pub fn finish(mut self) -> Result<()> {
        if !self.batch.is_empty() {
            self.flush()?;
        }
        self.writer.close().map(drop).map_err(failed)
    }
}

/// A source as `parquet` wants it.
struct OfSource(Arc<dyn Source>);

impl Length for OfSource {
    fn len(&self) -> u64 {
        self.0.len_bytes().unwrap_or(0)
    }
}

impl ChunkReader for OfSource {
    type T = ReadFrom;

    fn get_read(&self, start: u64) -> parquet::errors::Result<ReadFrom> {
        Ok(ReadFrom { source: Arc::clone(&self.0), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.len());
        if end.is_none() {
            return Err(ParquetError::EOF(format!("byte {start}: {length} bytes go past the end")));
        }
        let mut bytes = vec![0; length];
        let mut read = ReadFrom { source: Arc::clone(&self.0), at: start };
        read.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a place.
struct ReadFrom {
    source: Arc<dyn Source>,
    at: u64,
}

impl Read for ReadFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.source.read_at(self.at, buffer).map_err(io::Error::other)?;
        self.at += got as u64;
        Ok(got)
    }
}

/// Reads the rows of a file that [`ParquetWriter`] wrote.
pub struct ParquetRows {
    batches: ParquetRecordBatchReader,
    ready: VecDeque<Row>,
}

impl Iterator for ParquetRows {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        self.row().transpose()
    }
}

impl ParquetRows {
    /// Opens a file.
    ///
    /// # Errors
    /// `Corrupt` for what is no Parquet file.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(OfSource(source)).map_err(failed)?;
        let batches = builder.with_batch_size(BATCH_ROWS).build().map_err(failed)?;
        Ok(ParquetRows { batches, ready: VecDeque::new() })
    }

    fn row(&mut self) -> Result<Option<Row>> {
        while self.ready.is_empty() {
            let Some(batch) = self.batches.next() else { return Ok(None) };
            let batch = batch.map_err(|e| Error::corrupt(e.to_string()))?;
            self.ready = rows_of(&batch)?.into();
        }
        Ok(self.ready.pop_front())
    }
}
