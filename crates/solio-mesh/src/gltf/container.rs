//! The container: a `.glb` with its chunks, or the JSON text alone.

use solio_base::{Error, Limits, Result, Source};
use solio_kinds::FileKind;

/// The bytes before the first chunk, and before each chunk's data.
pub(super) const FILE_HEAD: usize = 12;
pub(super) const CHUNK_HEAD: usize = 8;
pub(super) const JSON_CHUNK: &[u8; 4] = b"JSON";
pub(super) const BINARY_CHUNK: &[u8; 4] = b"BIN\0";
/// Bytes that a source without a length is asked for at once.
const BLOCK_BYTES: usize = 1 << 20;

/// Where the parts of a file are.
#[derive(Debug, Default)]
pub(super) struct Container {
    pub(super) json: Vec<u8>,
    /// Where the JSON starts in the file.
    pub(super) json_at: u64,
    /// Where the binary chunk starts, and its bytes.
    pub(super) binary: Option<(u64, u64)>,
    /// What is odd.
    pub(super) odd: Vec<String>,
}

/// Finds the parts of the file that `source` is, which can be read at any offset.
pub(super) fn open(source: &dyn Source, limits: &Limits) -> Result<Container> {
    let bytes = source.len_bytes().ok_or_else(|| Error::unsupported("a file without a length"))?;
    let mut head = [0; FILE_HEAD + CHUNK_HEAD];
    let got = source.read_at(0, &mut head)?;
    if got == 0 {
        return Err(Error::corrupt("the file is empty").at_offset(0));
    }
    if !head[..got].starts_with(FileKind::Glb.mark()) {
        let bom = if head[..got].starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let json = part(source, bom, bytes - bom, limits)?;
        let odd =
            if bom > 0 { vec!["the text starts with a byte order mark".into()] } else { vec![] };
        return Ok(Container { json, json_at: bom, odd, ..Container::default() });
    }
    if got < head.len() {
        let message = format!("the file ends {} bytes early, inside its head", head.len() - got);
        return Err(Error::corrupt(message).at_offset(got as u64));
    }
    match word(&head, 4) {
        2 => {}
        version => {
            let message = format!("glTF {version} in a .glb; only version 2 is read");
            return Err(Error::unsupported(message).at_offset(4));
        }
    }
    let whole = u64::from(word(&head, 8));
    if whole > bytes {
        let message = format!("the file has {bytes} of the {whole} bytes that its head says");
        return Err(Error::corrupt(message).at_offset(bytes));
    }
    let mut odd = Vec::new();
    if whole < bytes {
        odd.push(format!("{} bytes follow the end that the head says", bytes - whole));
    }
    if head[16..20] != *JSON_CHUNK {
        return Err(Error::corrupt("the first chunk is not JSON").at_offset(16));
    }
    let start = (FILE_HEAD + CHUNK_HEAD) as u64;
    let length = u64::from(word(&head, 12));
    if start + length > whole {
        let message = format!("the JSON of {length} bytes goes past the end of the file");
        return Err(Error::corrupt(message).at_offset(12));
    }
    let mut found = Container {
        json: part(source, start, length, limits)?,
        json_at: start,
        ..Container::default()
    };
    let mut at = start + length;
    while at < whole {
        let mut head = [0; CHUNK_HEAD];
        if at + CHUNK_HEAD as u64 > whole {
            odd.push(format!("{} bytes follow the last chunk", whole - at));
            break;
        }
        source.read_exact_at(at, &mut head, "the head of a chunk")?;
        let (data, length) = (at + CHUNK_HEAD as u64, u64::from(word(&head, 0)));
        if data + length > whole {
            let message = format!("a chunk of {length} bytes goes past the end of the file");
            return Err(Error::corrupt(message).at_offset(at));
        }
        match &head[4..] == BINARY_CHUNK && found.binary.is_none() {
            true => found.binary = Some((data, length)),
            // Readers pass over chunks that they do not know.
            false => odd.push(format!("a chunk of {length} bytes of another kind is passed over")),
        }
        at = data + length;
    }
    found.odd = odd;
    Ok(found)
}

fn part(source: &dyn Source, start: u64, length: u64, limits: &Limits) -> Result<Vec<u8>> {
    limits.check_bytes("the JSON", length)?;
    let Ok(room) = usize::try_from(length) else {
        return Err(Error::limit("a JSON text larger than memory").at_offset(start));
    };
    let mut bytes = vec![0; room];
    source.read_exact_at(start, &mut bytes, "the JSON")?;
    Ok(bytes)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// All bytes of a source that serves them once.
pub(super) fn slurp(source: &dyn Source, limits: &Limits) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let have = bytes.len();
        limits.check_bytes("the file", (have + 1) as u64).map_err(|e| e.at_offset(have as u64))?;
        bytes.resize(have + BLOCK_BYTES, 0);
        let got = source.read_at(have as u64, &mut bytes[have..])?;
        bytes.truncate(have + got);
        if got < BLOCK_BYTES {
            return Ok(bytes);
        }
    }
}
