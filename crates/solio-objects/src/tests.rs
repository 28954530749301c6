use super::*;
use async_trait::async_trait;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::memory::InMemory;
use object_store::path::Path as Held;
use object_store::{ListResult, ObjectStore, ObjectStoreExt, PutPayload};
use solio_base::{Cancel, ErrorKind, Result, Source};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A store in memory, listed in pages of three.
#[derive(Debug, Clone, Default)]
struct MemoryStore(Arc<InMemory>);

impl std::fmt::Display for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("memory")
    }
}

#[async_trait]
impl PaginatedListStore for MemoryStore {
    async fn list_paginated(
        &self,
        prefix: Option<&str>,
        options: PaginatedListOptions,
    ) -> object_store::Result<PaginatedListResult> {
        use futures_util::TryStreamExt;
        let mut all: Vec<_> = self.0.list(None).try_collect().await?;
        all.retain(|meta| meta.location.as_ref().starts_with(prefix.unwrap_or_default()));
        all.sort_by(|a, b| a.location.cmp(&b.location));
        let from: usize = options.page_token.map_or(0, |token| token.parse().unwrap());
        let to = all.len().min(from + 3);
        let page_token = (to < all.len()).then(|| to.to_string());
        let objects = all[from..to].to_vec();
        let extensions = Default::default();
        Ok(PaginatedListResult {
            result: ListResult { common_prefixes: Vec::new(), objects, extensions },
            page_token,
        })
    }
}

/// A bucket over [`MemoryStore`], and what is put into it.
struct TestBucket {
    memory: MemoryStore,
    bucket: Arc<Bucket>,
}

impl TestBucket {
    fn new() -> TestBucket {
        let memory = MemoryStore::default();
        TestBucket { bucket: Bucket::over(memory.0.clone(), memory.clone(), "s3://b"), memory }
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        let held = Held::parse(keys::marked(key)).unwrap();
        let payload = PutPayload::from(bytes.to_vec());
        let put = async { self.memory.0.put(&held, payload).await };
        self.bucket.wait(&Cancel::default(), put).unwrap().unwrap();
    }

    fn delete(&self, key: &str) {
        let held = Held::parse(keys::marked(key)).unwrap();
        let delete = async { self.memory.0.delete(&held).await };
        self.bucket.wait(&Cancel::default(), delete).unwrap().unwrap();
    }

    fn listed(&self, key: &str) -> Vec<String> {
        let mut found = Vec::new();
        let each = |object: Object| {
            found.push(object.key);
            Ok(())
        };
        self.bucket.list(key, &Cancel::default(), each).unwrap();
        found
    }
}

/// Counts answers and their bytes.
#[derive(Default)]
struct AnswerCounts {
    answers: AtomicU64,
    bytes: AtomicU64,
}

fn asking(head_bytes: usize, counted: &Arc<AnswerCounts>) -> Asking {
    let counted = Arc::clone(counted);
    let got = move |bytes| {
        counted.answers.fetch_add(1, Relaxed);
        counted.bytes.fetch_add(bytes, Relaxed);
        Ok(())
    };
    Asking { head_bytes, memory_bytes: 16 << 20, cancel: Cancel::default(), got: Arc::new(got) }
}

#[test]
fn all_below_a_key_is_listed_and_the_key_itself() {
    let made = TestBucket::new();
    for key in ["a/1", "a/2/x", "a//3", "a", "ab", "a/", "b/\u{fc} %20", "z"] {
        made.put(key, key.as_bytes());
    }
    for (root, wanted) in [
        ("a", &["a", "a/", "a//3", "a/1", "a/2/x"][..]),
        ("a/", &["a/", "a//3", "a/1", "a/2/x"]),
        ("a/2", &["a/2/x"]),
        ("z", &["z"]),
        ("b", &["b/\u{fc} %20"]),
        ("missing", &[]),
    ] {
        let mut found = made.listed(root);
        found.sort();
        assert_eq!(found, wanted, "{root}");
    }
    assert_eq!(made.listed("").len(), 8);
}

#[test]
fn an_object_written_anew_has_another_version_and_no_two_have_the_same() {
    let made = TestBucket::new();
    let look = |key: &str| made.bucket.look(key, &Cancel::default()).unwrap();
    made.put("a", b"one");
    made.put("b", b"one");
    let (a, b) = (look("a").unwrap(), look("b").unwrap());
    assert_eq!((a.size, b.size), (3, 3));
    assert!(a.version != b.version && a.version != 0 && a.version < 1 << 52);
    assert_eq!(a.modified_ns % 1_000_000_000, 0);
    made.put("a", b"two");
    assert!(look("a").unwrap().version != a.version);
    assert_eq!(look("c"), None);
}

#[test]
fn what_is_read_is_what_was_put_with_few_requests() {
    let made = TestBucket::new();
    let content: Vec<u8> = (0..3_000_000u64).map(|n| (n * n / 7) as u8).collect();
    made.put("big", &content);
    let counted = Arc::new(AnswerCounts::default());
    let source = ObjectSource::open(&made.bucket, "big", asking(4096, &counted)).unwrap().unwrap();
    assert_eq!(source.head(), &content[..4096]);
    assert_eq!(source.len_bytes(), Some(3_000_000));
    let read = |offset: usize, len: usize| {
        let mut buffer = vec![0xee; len];
        let got = source.read_at(offset as u64, &mut buffer).unwrap();
        let end = content.len().min(offset + len);
        assert_eq!(buffer[..got], content[offset.min(end)..end], "{len} from {offset} on");
    };
    read(0, 65_536);
    assert_eq!(counted.answers.load(Relaxed), 1);
    // A jump is one small request, and what is near it none.
    read(2_000_000, 10);
    read(2_000_100, 5000);
    assert_eq!((counted.answers.load(Relaxed), counted.bytes.load(Relaxed)), (2, 2 * 65536));
    for (offset, len) in
        [(4000, 200), (65_000, 1000), (2_999_990, 100), (3_000_000, 1), (5_000_000, 9), (100, 0)]
    {
        read(offset, len);
    }
    let before = counted.answers.load(Relaxed);
    (0..3_000_000 / 1000).for_each(|n| read(n * 1000, 1000));
    let answers = counted.answers.load(Relaxed) - before;
    assert!(answers < 12, "{answers} requests for all of it");
    read(0, 3_000_000);
    read(1, 2_999_999);
}

#[test]
fn small_and_empty_objects_lie_in_memory_and_missing_ones_are_none() {
    let made = TestBucket::new();
    made.put("small//x", b"12345");
    made.put("empty", b"");
    let counted = Arc::new(AnswerCounts::default());
    let open = |key: &str| ObjectSource::open(&made.bucket, key, asking(4096, &counted));
    let small = open("small//x").unwrap().unwrap();
    assert_eq!((small.as_bytes(), small.object().key.as_str()), (Some(&b"12345"[..]), "small//x"));
    let empty = open("empty").unwrap().unwrap();
    assert_eq!((empty.as_bytes(), empty.read_at(0, &mut [0; 9]).unwrap()), (Some(&b""[..]), 0));
    assert!(open("missing").unwrap().is_none());
    assert_eq!(open("a/../b").unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn an_object_that_changes_or_goes_while_it_is_read_is_an_error() {
    let made = TestBucket::new();
    made.put("a", &[1; 100_000]);
    let counted = Arc::new(AnswerCounts::default());
    let open = || ObjectSource::open(&made.bucket, "a", asking(10, &counted)).unwrap().unwrap();
    let source = open();
    made.put("a", &[2; 100_000]);
    let error = source.read_at(90_000, &mut [0; 10]).unwrap_err();
    assert!(error.message().contains("overwritten"), "{error}");
    assert_eq!(error.path(), Some(Path::new("s3://b/a")));
    let source = open();
    made.delete("a");
    let error = source.read_at(90_000, &mut [0; 10]).unwrap_err();
    assert_eq!((error.kind(), error.os_error()), (ErrorKind::Io, Some(2)), "{error}");
}

#[test]
fn a_cancel_ends_the_wait_and_an_error_of_the_caller_ends_a_listing() {
    let made = TestBucket::new();
    (0..10).for_each(|n| made.put(&format!("{n}"), b"x"));
    let met = Mutex::new(0);
    let stop = |_: Object| -> Result<()> {
        *met.lock().unwrap() += 1;
        Err(solio_base::Error::limit("enough"))
    };
    assert_eq!(made.bucket.list("", &Cancel::default(), stop).unwrap_err().message(), "enough");
    assert_eq!(*met.lock().unwrap(), 1);
    let cancelled = Cancel::default();
    cancelled.cancel();
    let error = made.bucket.list("", &cancelled, |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}
