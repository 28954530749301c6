//! Reading one piece, whatever the system answers: interrupted, short, the end, an error.

use solio_base::Error;

/// What to do next for a piece.
#[derive(Debug)]
pub(crate) enum Step {
    /// Read up to `length` bytes at `offset`.
    Read { offset: u64, length: usize },
    /// All bytes are there.
    Full,
    /// It will not come.
    Failed(Error),
}

/// A piece that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    offset: u64,
    end: u64,
}

impl Piece {
    pub(crate) fn new(offset: u64, length: u64) -> Self {
        Piece { offset, end: offset + length }
    }

    /// What to do first, or again.
    pub(crate) fn step(&self) -> Step {
        match self.end - self.offset {
            0 => Step::Full,
            length => Step::Read { offset: self.offset, length: length as usize },
        }
    }

    /// What to do after the system's answer to a read. It may have given more than was asked for:
    /// direct reads are rounded up.
    pub(crate) fn answer(&mut self, answer: std::io::Result<usize>) -> Step {
        match answer {
            Ok(0) => Step::Failed(
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
            Err(e) => Step::Failed(Error::io("read", e).at_offset(self.offset)),
        }
    }
}
