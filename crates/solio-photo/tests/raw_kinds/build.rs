//! TIFF structures out of lists of entries, for files that no corpus has.

/// The value of an entry.
pub(super) enum Val {
    Text(&'static str),
    Bytes(Vec<u8>),
    Short(&'static [u16]),
    Long(Vec<u32>),
    Ratio(&'static [u32]),
    /// Bytes elsewhere in the file, whose place is the value.
    Data(Vec<u8>),
    /// Directories, whose places are the value.
    Dirs(Vec<Dir>),
    /// Bytes that depend on where they are.
    Placed(fn(u32) -> Vec<u8>),
}

pub(super) type Entries = Vec<(u16, Val)>;

/// A directory, and the one that follows it.
pub(super) struct Dir {
    pub(super) entries: Entries,
    pub(super) next: Option<Box<Dir>>,
}

pub(super) fn dir(entries: Entries) -> Dir {
    Dir { entries, next: None }
}

struct Builder {
    big: bool,
    out: Vec<u8>,
}

impl Builder {
    fn word(&self, value: u32, bytes: usize) -> Vec<u8> {
        if self.big {
            value.to_be_bytes()[4 - bytes..].to_vec()
        } else {
            value.to_le_bytes()[..bytes].to_vec()
        }
    }

    fn words(&self, values: &[u32], bytes: usize) -> Vec<u8> {
        values.iter().flat_map(|value| self.word(*value, bytes)).collect()
    }

    /// Appends at an even place, which it gives.
    fn append(&mut self, bytes: &[u8]) -> u32 {
        self.out.resize(self.out.len().next_multiple_of(2), 0);
        self.out.extend_from_slice(bytes);
        (self.out.len() - bytes.len()) as u32
    }

    /// Type, count and bytes of a value.
    fn value(&mut self, value: Val) -> (u32, u32, Vec<u8>) {
        let (kind, size, bytes) = match value {
            Val::Text(text) => (2, 1, [text.as_bytes(), &[0]].concat()),
            Val::Bytes(bytes) => (7, 1, bytes),
            Val::Short(all) => {
                let all: Vec<u32> = all.iter().map(|value| u32::from(*value)).collect();
                (3, 2, self.words(&all, 2))
            }
            Val::Long(all) => (4, 4, self.words(&all, 4)),
            Val::Ratio(all) => (5, 8, self.words(all, 4)),
            Val::Data(bytes) => {
                let at = self.append(&bytes);
                (4, 4, self.word(at, 4))
            }
            Val::Dirs(all) => {
                let places: Vec<u32> = all.into_iter().map(|dir| self.dir(dir)).collect();
                (4, 4, self.words(&places, 4))
            }
            Val::Placed(make) => {
                let at = self.append(&[]);
                (7, 1, make(at))
            }
        };
        (kind, (bytes.len() / size) as u32, bytes)
    }

    fn dir(&mut self, dir: Dir) -> u32 {
        let mut entries = dir.entries;
        entries.sort_by_key(|(id, _)| *id);
        let count = self.word(entries.len() as u32, 2);
        let at = self.append(&[count, vec![0; 12 * entries.len() + 4]].concat());
        let mut place = at as usize + 2;
        for (id, value) in entries {
            let (kind, count, bytes) = self.value(value);
            let mut inline = bytes.clone();
            if bytes.len() > 4 {
                let at = self.append(&bytes);
                inline = self.word(at, 4);
            }
            inline.resize(4, 0);
            let head = [self.word(id.into(), 2), self.word(kind, 2), self.word(count, 4)].concat();
            self.out[place..place + 12].copy_from_slice(&[head, inline].concat());
            place += 12;
        }
        if let Some(next) = dir.next {
            let next = self.dir(*next);
            let next = self.word(next, 4);
            self.out[place..place + 4].copy_from_slice(&next);
        }
        at
    }
}

/// A structure behind `head`, which tells the byte order and names the first directory's place.
pub(super) fn tiff(head: &[u8], first: Dir) -> Vec<u8> {
    let mut builder = Builder { big: head[0] == b'M', out: head.to_vec() };
    builder.dir(first);
    builder.out
}

/// A maker's directory with `head` before it, whose offsets count from `base` bytes before it.
pub(super) fn note(big: bool, head: &[u8], entries: Entries, base: u32) -> Vec<u8> {
    let skipped = vec![if big { b'M' } else { b'I' }; base as usize];
    let mut builder = Builder { big, out: [&skipped, head].concat() };
    builder.dir(dir(entries));
    builder.out.split_off(base as usize)
}
