//! Where threads put their spans: a ring for each thread, written by it alone.
//!
//! The newest records stay, the oldest are overwritten and counted. When a thread ends, its
//! records move to a store of bounded size and the ring, whose memory is warm, goes to the next
//! thread.

use crate::lock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard};

/// Begin, end, what, bytes.
pub(crate) type SpanRecord = [u64; 4];

/// Records that a thread keeps: 2 MiB, touched only as far as they are used.
const KEPT_PER_THREAD: usize = 1 << 16;
/// Records of ended threads that are kept: 32 MiB.
const KEPT_OF_ENDED: usize = 1 << 20;
/// Rings that wait for another thread.
const SPARE_RINGS: usize = 64;

/// The spans of one thread.
#[derive(Debug, Default)]
pub(crate) struct SpanBatch {
    pub(crate) thread: String,
    pub(crate) records: Vec<SpanRecord>,
}

type Slots = Box<[[AtomicU64; 4]]>;

struct SpanRing {
    thread: String,
    slots: Slots,
    /// Records written so far.
    head: AtomicU64,
    /// Those that belong to earlier recordings.
    base: AtomicU64,
}

#[derive(Default)]
struct Rings {
    live: Vec<Arc<SpanRing>>,
    spare: Vec<Slots>,
    ended: VecDeque<SpanBatch>,
    ended_records: usize,
    dropped: u64,
    threads: u64,
}

static RINGS: Mutex<Option<Rings>> = Mutex::new(None);

thread_local! {
    static OWN: RingOwner = RingOwner::attach();
}

/// Puts a record into the ring of this thread.
#[inline]
pub(crate) fn push(record: SpanRecord) {
    // A thread whose locals are gone already records nothing more.
    let _ = OWN.try_with(|own| own.0.push(record));
}

/// Forgets everything so far.
pub(crate) fn clear() {
    with(|rings| {
        rings.ended.clear();
        (rings.ended_records, rings.dropped) = (0, 0);
        for ring in &rings.live {
            ring.base.store(ring.head.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    });
}

/// All spans since [`clear`], and how many more there were.
pub(crate) fn take() -> (Vec<SpanBatch>, u64) {
    with(|rings| {
        let mut batches: Vec<SpanBatch> = rings.ended.drain(..).collect();
        rings.ended_records = 0;
        let mut dropped = std::mem::take(&mut rings.dropped);
        for ring in &rings.live {
            let (records, lost) = ring.records();
            dropped += lost;
            batches.push(SpanBatch { thread: ring.thread.clone(), records });
            ring.base.store(ring.head.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        batches.retain(|batch| !batch.records.is_empty());
        (batches, dropped)
    })
}

fn with<T>(act: impl FnOnce(&mut Rings) -> T) -> T {
    let mut rings: MutexGuard<'_, Option<Rings>> = lock(&RINGS);
    act(rings.get_or_insert_default())
}

impl SpanRing {
    #[inline]
    fn push(&self, record: SpanRecord) {
        let head = self.head.load(Ordering::Relaxed);
        // Whoever reads a slot of this record must also see that the ones before it are gone.
        fence(Ordering::Release);
        let slot = &self.slots[head as usize % KEPT_PER_THREAD];
        for (word, value) in slot.iter().zip(record) {
            word.store(value, Ordering::Relaxed);
        }
        self.head.store(head + 1, Ordering::Release);
    }

    /// The records of this recording that are still here, and how many are not. The thread may
    /// go on meanwhile.
    fn records(&self) -> (Vec<SpanRecord>, u64) {
        let kept = KEPT_PER_THREAD as u64;
        let base = self.base.load(Ordering::Relaxed);
        let head = self.head.load(Ordering::Acquire);
        let first = base.max(head.saturating_sub(kept));
        let mut records: Vec<SpanRecord> = (first..head)
            .map(|i| {
                let slot = &self.slots[i as usize % KEPT_PER_THREAD];
                std::array::from_fn(|word| slot[word].load(Ordering::Relaxed))
            })
            .collect();
        fence(Ordering::Acquire);
        let now = self.head.load(Ordering::Relaxed);
        if now > head {
            // The thread went on: what it overwrote, or is just overwriting, is no record.
            let whole = (now + 1).saturating_sub(kept).clamp(first, head);
            records.drain(..(whole - first) as usize);
            return (records, whole - base);
        }
        (records, first - base)
    }
}

/// A thread's hold on its ring.
struct RingOwner(Arc<SpanRing>);

impl RingOwner {
    fn attach() -> RingOwner {
        let current = std::thread::current();
        with(|rings| {
            rings.threads += 1;
            let thread = match current.name() {
                Some(name) => name.to_owned(),
                None => format!("thread {}", rings.threads),
            };
            let slots = rings.spare.pop();
            let slots = slots.unwrap_or_else(|| bytemuck::zeroed_slice_box(KEPT_PER_THREAD));
            let (head, base) = (AtomicU64::new(0), AtomicU64::new(0));
            let ring = Arc::new(SpanRing { thread, slots, head, base });
            rings.live.push(Arc::clone(&ring));
            RingOwner(ring)
        })
    }
}

impl Drop for RingOwner {
    fn drop(&mut self) {
        with(|rings| {
            let (records, lost) = self.0.records();
            rings.dropped += lost;
            rings.ended_records += records.len();
            if !records.is_empty() {
                rings.ended.push_back(SpanBatch { thread: self.0.thread.clone(), records });
            }
            while rings.ended_records > KEPT_OF_ENDED {
                let Some(oldest) = rings.ended.pop_front() else { break };
                rings.ended_records -= oldest.records.len();
                rings.dropped += oldest.records.len() as u64;
            }
            rings.live.retain(|ring| !Arc::ptr_eq(ring, &self.0));
            let empty: Slots = Box::default();
            let (head, base) = (AtomicU64::new(0), AtomicU64::new(0));
            let gone = SpanRing { thread: String::new(), slots: empty, head, base };
            let own = std::mem::replace(&mut self.0, Arc::new(gone));
            if let (Some(ring), true) = (Arc::into_inner(own), rings.spare.len() < SPARE_RINGS) {
                rings.spare.push(ring.slots);
            }
        });
    }
}
