//! What fuzzing has left for the tests to replay.

use std::path::Path;

/// The findings of a target, and the inputs kept of its corpus, each with a name to be told.
pub(crate) fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut inputs = Vec::new();
    let findings = std::fs::read_dir(fuzz.join("findings").join(target));
    for path in findings.into_iter().flatten().flatten().map(|entry| entry.path()) {
        let bytes = std::fs::read(&path).expect("a finding that can be read");
        inputs.push((path.display().to_string(), bytes));
    }
    inputs.sort();
    // A row of inputs, each after its length: see `fuzz/keep.py`.
    let packed = std::fs::read(fuzz.join("kept").join(target)).unwrap_or_default();
    let mut rest = &packed[..];
    while let Some((&length, after)) = rest.split_first_chunk() {
        let (one, after) = after.split_at(usize::from(u16::from_le_bytes(length)));
        inputs.push((format!("kept/{target}, {} bytes before the end", rest.len()), one.to_vec()));
        rest = after;
    }
    inputs
}
