//! Many messages at once, as they are read: each lane takes the next one when it has done its own.

use super::blocks::{self, MD5_LANES, MD5_START, SHA512_LANES, SHA512_START};
use super::{Algorithm, Digest};

/// What a lane reads at once.
const CHUNK: usize = 64 << 10;

/// Where messages come from, and what takes their digests.
pub trait Messages {
    /// A message under way.
    type Message;
    /// The next message; `None` when there are no more.
    fn next(&mut self) -> Option<Self::Message>;
    /// Further bytes of a message into `buf`: fewer than it holds at the end alone; `None` ends a
    /// message without a digest.
    fn read(&mut self, message: &mut Self::Message, buf: &mut [u8]) -> Option<usize>;
    /// A message has ended; `digest` is of all its bytes.
    fn done(&mut self, message: Self::Message, digest: Digest);
}

/// Whether this CPU sums up many messages by `algorithm` faster with [`digest_side_by_side`] than one
/// after the other.
pub fn pays_side_by_side(algorithm: Algorithm) -> bool {
    blocks::pays(algorithm)
}

/// The digests of all messages, by MD5, SHA-512 or C4; by another algorithm none are taken.
pub fn digest_side_by_side(algorithm: Algorithm, messages: &mut impl Messages) {
    match algorithm {
        Algorithm::Md5 => run::<Md5, _, MD5_LANES>(algorithm, messages),
        Algorithm::Sha512 | Algorithm::C4 => run::<Sha512, _, SHA512_LANES>(algorithm, messages),
        _ => {}
    }
}

/// A method whose blocks are taken side by side.
trait LaneHash<const L: usize> {
    const BLOCK: usize;
    /// Fewer lanes than this are faster one by one.
    const FEW: usize;
    fn state() -> Self;
    /// Begins a message.
    fn begin(&mut self, lane: usize);
    fn all(&mut self, data: &[&[u8]; L], blocks: usize);
    fn one(&mut self, lane: usize, data: &[u8]);
    fn digest(&self, lane: usize, algorithm: Algorithm) -> Digest;
    /// The number of bits, as it ends a message.
    fn push_length(bytes: u64, into: &mut Vec<u8>);
}

struct Md5([[u32; MD5_LANES]; 4]);

impl LaneHash<MD5_LANES> for Md5 {
    const BLOCK: usize = 64;
    const FEW: usize = 3;

    fn state() -> Md5 {
        Md5([[0; MD5_LANES]; 4])
    }

    fn begin(&mut self, lane: usize) {
        self.0.iter_mut().zip(MD5_START).for_each(|(word, start)| word[lane] = start);
    }

    fn all(&mut self, data: &[&[u8]; MD5_LANES], blocks: usize) {
        blocks::md5(&mut self.0, data, blocks);
    }

    fn one(&mut self, lane: usize, data: &[u8]) {
        let mut state = self.0.map(|word| [word[lane]]);
        blocks::md5_lanes(&mut state, &[data], data.len() / Self::BLOCK);
        self.0.iter_mut().zip(state).for_each(|(word, [new])| word[lane] = new);
    }

    fn digest(&self, lane: usize, algorithm: Algorithm) -> Digest {
        let bytes = self.0.map(|word| word[lane].to_le_bytes());
        Digest::new(algorithm, bytes.as_flattened())
    }

    fn push_length(bytes: u64, into: &mut Vec<u8>) {
        into.extend_from_slice(&bytes.wrapping_mul(8).to_le_bytes());
    }
}

struct Sha512([[u64; SHA512_LANES]; 8]);

impl LaneHash<SHA512_LANES> for Sha512 {
    const BLOCK: usize = 128;
    const FEW: usize = 3;

    fn state() -> Sha512 {
        Sha512([[0; SHA512_LANES]; 8])
    }

    fn begin(&mut self, lane: usize) {
        self.0.iter_mut().zip(SHA512_START).for_each(|(word, start)| word[lane] = start);
    }

    fn all(&mut self, data: &[&[u8]; SHA512_LANES], blocks: usize) {
        blocks::sha512(&mut self.0, data, blocks);
    }

    fn one(&mut self, lane: usize, data: &[u8]) {
        let mut state = self.0.map(|word| [word[lane]]);
        blocks::sha512_lanes(&mut state, &[data], data.len() / Self::BLOCK);
        self.0.iter_mut().zip(state).for_each(|(word, [new])| word[lane] = new);
    }

    fn digest(&self, lane: usize, algorithm: Algorithm) -> Digest {
        let bytes = self.0.map(|word| word[lane].to_be_bytes());
        Digest::new(algorithm, bytes.as_flattened())
    }

    fn push_length(bytes: u64, into: &mut Vec<u8>) {
        into.extend_from_slice(&(u128::from(bytes) * 8).to_be_bytes());
    }
}

/// A lane: the message it works on, and what was read of it.
struct HashLane<T> {
    message: Option<T>,
    buffer: Vec<u8>,
    start: usize,
    bytes: u64,
    /// The buffer ends with the end of the message.
    ended: bool,
}

impl<T> HashLane<T> {
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn blocks(&self, block: usize) -> usize {
        self.rest().len() / block
    }
}

fn run<M: LaneHash<L>, S: Messages, const L: usize>(algorithm: Algorithm, messages: &mut S) {
    let mut state = M::state();
    let mut lanes: [HashLane<S::Message>; L] = std::array::from_fn(|_| HashLane {
        message: None,
        buffer: Vec::new(),
        start: 0,
        bytes: 0,
        ended: true,
    });
    loop {
        for (i, lane) in lanes.iter_mut().enumerate() {
            refill::<M, S, L>(i, lane, &mut state, algorithm, messages);
        }
        let active = || lanes.iter().filter(|lane| lane.message.is_some());
        let Some(blocks) = active().map(|lane| lane.blocks(M::BLOCK)).min() else { return };
        if active().count() < M::FEW {
            for (i, lane) in lanes.iter_mut().enumerate().filter(|(_, l)| l.message.is_some()) {
                let all = lane.blocks(M::BLOCK) * M::BLOCK;
                state.one(i, &lane.rest()[..all]);
                lane.start += all;
            }
            continue;
        }
        // Lanes without a message take any other's bytes: what comes of it is not looked at.
        let Some(any) = active().next().map(HashLane::rest) else { return };
        let data = std::array::from_fn(|i| match &lanes[i].message {
            Some(_) => lanes[i].rest(),
            None => any,
        });
        state.all(&data, blocks);
        let taken = blocks * M::BLOCK;
        lanes.iter_mut().filter(|l| l.message.is_some()).for_each(|lane| lane.start += taken);
    }
}

/// Sees to it that a lane has a block, or no message since there are no more.
fn refill<M: LaneHash<L>, S: Messages, const L: usize>(
    i: usize,
    lane: &mut HashLane<S::Message>,
    state: &mut M,
    algorithm: Algorithm,
    messages: &mut S,
) {
    while lane.blocks(M::BLOCK) == 0 {
        if lane.ended {
            if let Some(message) = lane.message.take() {
                messages.done(message, state.digest(i, algorithm));
            }
            lane.message = messages.next();
            if lane.message.is_none() {
                return;
            }
            state.begin(i);
            lane.buffer.clear();
            (lane.start, lane.bytes, lane.ended) = (0, 0, false);
        }
        let Some(message) = &mut lane.message else { return };
        lane.buffer.drain(..lane.start);
        lane.start = 0;
        let kept = lane.buffer.len();
        lane.buffer.resize(kept + CHUNK, 0);
        let Some(got) = messages.read(message, &mut lane.buffer[kept..]) else {
            lane.buffer.clear();
            (lane.message, lane.ended) = (None, true);
            continue;
        };
        lane.buffer.truncate(kept + got);
        lane.bytes += got as u64;
        if got < CHUNK {
            pad::<M, L>(lane.bytes, &mut lane.buffer);
            lane.ended = true;
        }
    }
}

/// A one, zeros, and the number of bits at the end of a block.
fn pad<M: LaneHash<L>, const L: usize>(bytes: u64, buffer: &mut Vec<u8>) {
    let mut length = Vec::new();
    M::push_length(bytes, &mut length);
    buffer.push(0x80);
    let end = (buffer.len() + length.len()).next_multiple_of(M::BLOCK);
    buffer.resize(end - length.len(), 0);
    buffer.extend_from_slice(&length);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages in memory; every seventh cannot be read to its end.
    struct InMemory {
        messages: Vec<Vec<u8>>,
        next: usize,
        digests: Vec<Option<Digest>>,
    }

    impl Messages for InMemory {
        type Message = (usize, usize);

        fn next(&mut self) -> Option<(usize, usize)> {
            self.next += 1;
            (self.next <= self.messages.len()).then(|| (self.next - 1, 0))
        }

        fn read(&mut self, (number, at): &mut (usize, usize), buf: &mut [u8]) -> Option<usize> {
            let rest = &self.messages[*number][*at..];
            let got = rest.len().min(buf.len());
            if *number % 7 == 3 && got < buf.len() {
                return None;
            }
            buf[..got].copy_from_slice(&rest[..got]);
            *at += got;
            Some(got)
        }

        fn done(&mut self, (number, _): (usize, usize), digest: Digest) {
            assert!(self.digests[number].replace(digest).is_none());
        }
    }

    #[test]
    fn digests_are_those_of_messages_alone() {
        let sizes = [
            0,
            1,
            55,
            56,
            63,
            64,
            65,
            111,
            112,
            127,
            128,
            129,
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            300_000,
        ];
        for count in [0, 1, 2, 3, 20, 61] {
            let message = |n: usize| -> Vec<u8> {
                (0..sizes[n * 5 % sizes.len()]).map(|i| (i * 7 + i / 253 + n) as u8).collect()
            };
            for algorithm in [Algorithm::Md5, Algorithm::Sha512, Algorithm::C4] {
                let messages: Vec<Vec<u8>> = (0..count).map(message).collect();
                let digests = vec![None; count];
                let mut all = InMemory { messages, next: 0, digests };
                digest_side_by_side(algorithm, &mut all);
                for (n, (message, digest)) in all.messages.iter().zip(&all.digests).enumerate() {
                    let alone = Digest::of(algorithm, message);
                    assert_eq!(*digest, (n % 7 != 3).then_some(alone), "{n} of {count}");
                }
            }
        }
    }

    #[test]
    fn vectors_are_the_plain_code() {
        let bytes: Vec<u8> = (0..16 * 256usize).map(|i| (i * i / 7) as u8).collect();
        let data: [&[u8]; MD5_LANES] = std::array::from_fn(|i| &bytes[256 * i..][..256]);
        let start: [[u32; MD5_LANES]; 4] =
            std::array::from_fn(|i| std::array::from_fn(|l| (i * 99 + l) as u32));
        let (mut one, mut other) = (start, start);
        blocks::md5(&mut one, &data, 4);
        blocks::md5_lanes(&mut other, &data, 4);
        assert_eq!(one, other);
        let data: [&[u8]; SHA512_LANES] = std::array::from_fn(|i| &bytes[512 * i..][..512]);
        let start: [[u64; SHA512_LANES]; 8] =
            std::array::from_fn(|i| std::array::from_fn(|l| (i * 99 + l) as u64));
        let (mut one, mut other) = (start, start);
        blocks::sha512(&mut one, &data, 4);
        blocks::sha512_lanes(&mut other, &data, 4);
        assert_eq!(one, other);
    }
}
