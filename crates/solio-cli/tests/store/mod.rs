//! A store that speaks as S3 does, on loopback: one bucket, `shelf`, and one user, `reader`.
//!
//! It lists, looks and gives ranges, counts what it is asked, and can be told to fail. Signatures are
//! not checked here; `python/tests/test_scan_objects.py` asks a server that does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Keys of a page.
const PAGE: usize = 1000;

#[derive(Clone)]
struct Object {
    start: Arc<[u8]>,
    /// Zeros follow the start.
    bytes: u64,
    version: u64,
}

/// What was asked.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) lists: AtomicU64,
    pub(crate) heads: AtomicU64,
    pub(crate) gets: AtomicU64,
    /// Bytes of objects that went out.
    pub(crate) bytes: AtomicU64,
    /// Requests at the same time, at most.
    pub(crate) at_once: AtomicU64,
    now: AtomicU64,
}

#[derive(Default)]
struct Shared {
    objects: Mutex<BTreeMap<String, Object>>,
    versions: AtomicU64,
    asked: Asked,
    /// Is removed when it is asked for.
    vanishing: Mutex<Option<String>>,
    /// Objects that are given before nothing but nonsense is; 0 for no end.
    gives: AtomicU64,
    given: AtomicU64,
    /// Answers never.
    hangs: AtomicBool,
    /// Waits before every answer.
    late_ms: AtomicU64,
}

pub(crate) struct Store {
    shared: Arc<Shared>,
    port: u16,
}

impl Store {
    pub(crate) fn new() -> Store {
        let shared = Arc::<Shared>::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let of_all = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_all);
                std::thread::spawn(move || serve(&shared, stream));
            }
        });
        Store { shared, port }
    }

    /// What the command needs to find it.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_ACCESS_KEY_ID", "reader".into()),
            ("AWS_SECRET_ACCESS_KEY", "secret".into()),
            ("AWS_REGION", "us-east-1".into()),
        ]
    }

    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        self.put_large(key, bytes, bytes.len() as u64);
    }

    /// An object of `bytes`, zeros behind its start.
    pub(crate) fn put_large(&self, key: &str, start: &[u8], bytes: u64) {
        let version = self.shared.versions.fetch_add(1, Relaxed);
        let object = Object { start: start.into(), bytes, version };
        self.shared.objects.lock().unwrap().insert(key.to_owned(), object);
    }

    pub(crate) fn remove(&self, key: &str) {
        self.shared.objects.lock().unwrap().remove(key).unwrap();
    }

    /// The object is listed, and gone when it is asked for.
    pub(crate) fn vanish(&self, key: &str) {
        *self.shared.vanishing.lock().unwrap() = Some(key.to_owned());
    }

    /// After `objects` more it gives nonsense; 0: it gives all there are.
    pub(crate) fn break_after(&self, objects: u64) {
        self.shared.given.store(0, Relaxed);
        self.shared.gives.store(objects, Relaxed);
    }

    pub(crate) fn hang(&self, hangs: bool) {
        self.shared.hangs.store(hangs, Relaxed);
    }

    pub(crate) fn be_late(&self, ms: u64) {
        self.shared.late_ms.store(ms, Relaxed);
    }

    pub(crate) fn asked(&self) -> &Asked {
        &self.shared.asked
    }

    /// Lists, looks and gets since the last call.
    pub(crate) fn requests(&self) -> [u64; 3] {
        let Asked { lists, heads, gets, .. } = &self.shared.asked;
        [lists, heads, gets].map(|count| count.swap(0, Relaxed))
    }
}

/// A request without its body, which nobody sends here.
struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = || {
        let mut line = String::new();
        let got = reader.read_line(&mut line).ok()?;
        (got > 0).then(|| line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = query.map(|(name, value)| (name.to_owned(), decoded(&value.replace('+', " "))));
    let (path, query) = (decoded(path), query.collect());
    let mut headers = BTreeMap::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    Some(Request { method, path, query, headers })
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, more @ ..] = rest {
        let digits = more.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn serve(shared: &Shared, stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(request) = read(&mut reader) {
        let asked = &shared.asked;
        let now = asked.now.fetch_add(1, Relaxed) + 1;
        asked.at_once.fetch_max(now, Relaxed);
        std::thread::sleep(Duration::from_millis(shared.late_ms.load(Relaxed)));
        while shared.hangs.load(Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let answer = answer(shared, &request);
        asked.now.fetch_sub(1, Relaxed);
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

fn answer(shared: &Shared, request: &Request) -> Vec<u8> {
    let is_known =
        request.headers.get("authorization").is_some_and(|a| a.contains("Credential=reader/"));
    if !is_known {
        return refusal("403 Forbidden", "InvalidAccessKeyId", "There is no such user.");
    }
    let Some(rest) = request.path.strip_prefix("/shelf") else {
        return refusal("404 Not Found", "NoSuchBucket", "The specified bucket does not exist");
    };
    match rest.strip_prefix('/') {
        None | Some("") => list(shared, request),
        Some(key) => give(shared, request, key),
    }
}

fn refusal(status: &str, code: &str, message: &str) -> Vec<u8> {
    let body = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn list(shared: &Shared, request: &Request) -> Vec<u8> {
    shared.asked.lists.fetch_add(1, Relaxed);
    let part = |name: &str| request.query.get(name).cloned().unwrap_or_default();
    let (prefix, token) = (part("prefix"), part("continuation-token"));
    let objects = shared.objects.lock().unwrap();
    let mut rest = objects.range(prefix.clone()..).filter(|(key, _)| **key > token);
    let mut body = String::from("<ListBucketResult><Name>shelf</Name>");
    let mut last = String::new();
    for (key, object) in rest.by_ref().take(PAGE).take_while(|(key, _)| key.starts_with(&prefix)) {
        let key_xml = key.replace('&', "&amp;").replace('<', "&lt;");
        let Object { bytes, version, .. } = object;
        let _ = write!(
            body,
            "<Contents><Key>{key_xml}</Key><LastModified>2024-05-06T07:08:09.123Z</LastModified>\
             <ETag>&quot;{version:032x}&quot;</ETag><Size>{bytes}</Size></Contents>"
        );
        last.clone_from(key);
    }
    if rest.next().is_some_and(|(key, _)| key.starts_with(&prefix)) {
        let _ = write!(body, "<NextContinuationToken>{last}</NextContinuationToken>");
    }
    body += "</ListBucketResult>";
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn give(shared: &Shared, request: &Request, key: &str) -> Vec<u8> {
    let is_look = request.method == "HEAD";
    let asked = &shared.asked;
    if is_look { &asked.heads } else { &asked.gets }.fetch_add(1, Relaxed);
    let most = shared.gives.load(Relaxed);
    if !is_look && most > 0 && shared.given.fetch_add(1, Relaxed) >= most {
        return b"nonsense\r\n\r\n".to_vec();
    }
    let mut objects = shared.objects.lock().unwrap();
    if shared.vanishing.lock().unwrap().as_deref() == Some(key) {
        objects.remove(key);
    }
    let Some(object) = objects.get(key).cloned() else {
        return refusal("404 Not Found", "NoSuchKey", "The specified key does not exist.");
    };
    drop(objects);
    let tag = format!("\"{:032x}\"", object.version);
    if request.headers.get("if-match").is_some_and(|wanted| *wanted != tag) {
        return refusal("412 Precondition Failed", "PreconditionFailed", "It is another one.");
    }
    let range = request.headers.get("range").and_then(|range| {
        let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?))
    });
    let (first, end) = match range {
        Some((first, _)) if first >= object.bytes => {
            return refusal("416 Range Not Satisfiable", "InvalidRange", "There is no such range.");
        }
        Some((first, last)) => (first, object.bytes.min(last + 1)),
        None => (0, object.bytes),
    };
    let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
    let mut head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: {tag}\r\n\
         Last-Modified: Mon, 06 May 2024 07:08:09 GMT\r\n",
        end - first
    );
    if range.is_some() {
        let _ = write!(head, "Content-Range: bytes {first}-{}/{}\r\n", end - 1, object.bytes);
    }
    let mut answer = (head + "\r\n").into_bytes();
    if !is_look {
        asked.bytes.fetch_add(end - first, Relaxed);
        answer.extend((first..end).map(|at| object.start.get(at as usize).copied().unwrap_or(0)));
    }
    answer
}
