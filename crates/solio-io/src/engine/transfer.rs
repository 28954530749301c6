//! Reading or writing one piece, whatever the system answers: interrupted, short, the end, an
//! error.

use solio_base::Error;

/// What to do next for a piece.
#[derive(Debug)]
pub(crate) enum TransferStep {
    /// Read, or write, up to `length` bytes at `offset`.
    Read { offset: u64, length: usize },
    /// All bytes are there.
    Full,
    /// It will not come.
    Failed(Error),
}

/// A piece that is being read or written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    offset: u64,
    end: u64,
    writes: bool,
}

impl Transfer {
    pub(crate) fn new(offset: u64, length: u64) -> Self {
        Transfer { offset, end: offset + length, writes: false }
    }

    pub(crate) fn write(offset: u64, length: u64) -> Self {
        Transfer { offset, end: offset + length, writes: true }
    }

    /// What to do first, or again.
    pub(crate) fn step(&self) -> TransferStep {
        match self.end - self.offset {
            0 => TransferStep::Full,
            length => TransferStep::Read { offset: self.offset, length: length as usize },
        }
    }

    /// What to do after the system's answer. It may have given more than was asked for: direct
    /// reads are rounded up.
    pub(crate) fn answer(&mut self, answer: std::io::Result<usize>) -> TransferStep {
        match answer {
            Ok(0) if self.writes => {
                let full = std::io::Error::from(std::io::ErrorKind::WriteZero);
                TransferStep::Failed(crate::system_error("write", full).at_offset(self.offset))
            }
            Ok(0) => TransferStep::Failed(
                Error::corrupt(format!(
                    "the file ends here, {} bytes before the end of what is to be read",
                    self.end - self.offset
                ))
                .at_offset(self.offset)
                .hint("was it cut off while it was being read?"),
            ),
            Ok(bytes) => {
                self.offset = (self.offset + bytes as u64).min(self.end);
                self.step()
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => self.step(),
            Err(e) => {
                let action = if self.writes { "write" } else { "read" };
                TransferStep::Failed(crate::system_error(action, e).at_offset(self.offset))
            }
        }
    }
}
