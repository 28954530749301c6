//! A bucket, and what lies in it.

use crate::connect::{Connector, Signer, Signing};
use crate::errors::{failed, is_no_answer};
use crate::keys::{marked, plain};
use crate::{Address, ObjectService};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path as Held;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use siphasher::sip::SipHasher24;
use solio_base::{Cancel, Error, ErrorKind, Result, lock};
use std::collections::HashMap;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How often somebody who waits looks whether the work was cancelled.
const LOOK: Duration = Duration::from_millis(50);
/// A store that leaves so many requests in a row without an answer is silent.
const SILENT: u32 = 4;
/// Threads that move bytes between the network and those who wait, who do the rest.
const NETWORK_THREADS: usize = 2;

/// What a store says about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// As the store has it.
    pub key: String,
    /// Bytes.
    pub size: u64,
    /// When it was written, in whole seconds (stores say more in some answers than in others), as
    /// nanoseconds since 1970.
    pub modified_ns: i64,
    /// A number of 52 bits made of its address and its entity tag: another one once it was written
    /// anew. 0 where the store has no tags.
    pub version: u64,
}

/// A bucket that can be asked.
pub struct Bucket {
    pub(crate) store: Arc<dyn ObjectStore>,
    pages: Arc<dyn PaginatedListStore>,
    runtime: Arc<Runtime>,
    kind: ObjectService,
    root: String,
    /// Requests in a row that got no answer.
    unanswered: AtomicU32,
}

/// What this process has opened. After a fork the threads of the runtime are gone.
struct OpenBuckets {
    process: u32,
    runtime: Arc<Runtime>,
    /// By root and a hash of the variables that tell where it is and who asks.
    buckets: HashMap<(String, u64), Arc<Bucket>>,
}

static OPENED: Mutex<Option<OpenBuckets>> = Mutex::new(None);

impl Bucket {
    /// The bucket of `address`; no request is made.
    ///
    /// # Errors
    /// `Argument` for variables and names of buckets that cannot be meant.
    pub fn open(address: &Address) -> Result<Arc<Bucket>> {
        let mut opened = lock(&OPENED);
        let process = std::process::id();
        if opened.as_ref().is_some_and(|opened| opened.process != process) {
            // Its threads are those of another process: nothing of it can be ended here.
            std::mem::forget(opened.take());
        }
        let opened = match &mut *opened {
            Some(opened) => opened,
            none => {
                none.insert(OpenBuckets { process, runtime: runtime()?, buckets: HashMap::new() })
            }
        };
        let name = (address.root.clone(), variables());
        if let Some(bucket) = opened.buckets.get(&name) {
            return Ok(Arc::clone(bucket));
        }
        let made = make(address, Arc::clone(&opened.runtime)).map_err(|e| {
            let made = failed("open the bucket", &e, address.store).at_path(&address.root);
            Error::argument(made.message()).at_path(&address.root).hint(made.hint_text().unwrap_or(
                "the variables that say where a store is are those of the crate object_store",
            ))
        })?;
        Ok(Arc::clone(opened.buckets.entry(name).or_insert(Arc::new(made))))
    }

    /// A bucket over stores that are there already.
    #[cfg(test)]
    pub(crate) fn over(
        store: Arc<dyn ObjectStore>,
        pages: impl PaginatedListStore,
        root: &str,
    ) -> Arc<Bucket> {
        let (pages, runtime) = (Arc::new(pages), runtime().unwrap());
        Arc::new(Bucket {
            store,
            pages,
            runtime,
            kind: ObjectService::S3,
            root: root.to_owned(),
            unanswered: AtomicU32::new(0),
        })
    }

    /// Whose store it is.
    pub fn store(&self) -> ObjectService {
        self.kind
    }

    /// `s3://bucket`.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Waits for an answer of the store, or until the work is cancelled.
    pub(crate) fn wait<T>(
        &self,
        cancel: &Cancel,
        answer: impl Future<Output = object_store::Result<T>>,
    ) -> Result<object_store::Result<T>> {
        cancel.check()?;
        let answer = self.runtime.block_on(async {
            let mut answer = std::pin::pin!(answer);
            loop {
                match tokio::time::timeout(LOOK, &mut answer).await {
                    Ok(answer) => return Ok(answer),
                    Err(_) => cancel.check()?,
                }
            }
        });
        match &answer {
            Ok(Err(error)) if is_no_answer(error) => {
                self.unanswered.fetch_add(1, Relaxed);
            }
            Ok(_) => self.unanswered.store(0, Relaxed),
            Err(_) => {}
        }
        answer
    }

    /// Whether the last request got no answer, however often it was repeated.
    pub fn was_silent(&self) -> bool {
        self.unanswered.load(Relaxed) > 0
    }

    /// Whether the store has stopped answering.
    pub fn is_silent(&self) -> bool {
        self.unanswered.load(Relaxed) >= SILENT
    }

    /// An error of the store, with the address that it is about.
    pub(crate) fn error(&self, action: &str, error: &object_store::Error, key: &str) -> Error {
        failed(action, error, self.kind).at_path(self.path_of(key))
    }

    /// The address of a key, as it is shown.
    pub fn path_of(&self, key: &str) -> String {
        if key.is_empty() { self.root.clone() } else { format!("{}/{key}", self.root) }
    }

    /// What the store says about an object; `None` where there is none.
    pub fn look(&self, key: &str, cancel: &Cancel) -> Result<Option<Object>> {
        match self.wait(cancel, self.store.head(&Held::parse(marked(key)).unwrap_or_default()))? {
            Ok(meta) => Ok(Some(self.object(&meta))),
            Err(error) => {
                let error = self.error("look at the object", &error, key);
                if error.is_missing() { Ok(None) } else { Err(error) }
            }
        }
    }

    /// Hands to `each` all objects below `key`, in the order of the store, and the one at `key` itself
    /// unless it ends with a slash. A page is handed out while the next one is asked for.
    pub fn list(
        &self,
        key: &str,
        cancel: &Cancel,
        mut each: impl FnMut(Object) -> Result<()>,
    ) -> Result<()> {
        self.unanswered.store(0, Relaxed);
        let mut prefix = key.to_owned();
        if !key.is_empty() && !key.ends_with('/') {
            match self.look(key, cancel) {
                Ok(found) => found.map_or(Ok(()), &mut each)?,
                // Who may not look at an object may still list.
                Err(error) if error.kind() == ErrorKind::Io => {}
                Err(error) => return Err(error),
            }
            prefix.push('/');
        }
        let mut page = Some(self.page(&prefix, None));
        while let Some(asked) = page.take() {
            let got = self.wait(cancel, async {
                asked.await.unwrap_or_else(|source| Err(object_store::Error::JoinError { source }))
            })?;
            let PaginatedListResult { result, page_token } =
                got.map_err(|e| self.error("list the objects", &e, key))?;
            page = page_token.map(|token| self.page(&prefix, Some(token)));
            for meta in &result.objects {
                each(self.object(meta))?;
            }
        }
        Ok(())
    }

    /// Asks for a page.
    fn page(
        &self,
        prefix: &str,
        page_token: Option<String>,
    ) -> tokio::task::JoinHandle<object_store::Result<PaginatedListResult>> {
        let (pages, prefix) = (Arc::clone(&self.pages), prefix.to_owned());
        self.runtime.spawn(async move {
            let options = PaginatedListOptions { page_token, ..PaginatedListOptions::default() };
            pages.list_paginated(Some(&*prefix).filter(|prefix| !prefix.is_empty()), options).await
        })
    }

    pub(crate) fn object(&self, meta: &ObjectMeta) -> Object {
        let key = plain(meta.location.as_ref());
        let tag =
            meta.e_tag.as_deref().map_or("", |tag| tag.trim_start_matches("W/").trim_matches('"'));
        let version = match tag {
            "" => 0,
            tag => {
                let mut hasher = SipHasher24::new();
                for part in [&*self.root, &*key, tag] {
                    hasher.write(part.as_bytes());
                    hasher.write_u8(0);
                }
                hasher.finish() >> 12
            }
        };
        let modified_ns = meta.last_modified.timestamp().saturating_mul(1_000_000_000);
        Object { key, size: meta.size, modified_ns, version }
    }
}

fn runtime() -> Result<Arc<Runtime>> {
    // The way to encrypt is the process's; whoever chose another one before is right, too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let made = Builder::new_multi_thread()
        .worker_threads(NETWORK_THREADS)
        .thread_name("solio network")
        .enable_all()
        .build();
    Ok(Arc::new(made.map_err(|e| Error::io("start the network's threads", e))?))
}

/// A hash of all variables that `object_store` reads.
fn variables() -> u64 {
    let mut all: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| {
            let name = name.to_string_lossy();
            ["AWS_", "GOOGLE_", "AZURE_", "AZURITE_", "SERVICE_ACCOUNT", "MSI_", "IDENTITY_"]
                .iter()
                .any(|start| name.starts_with(start))
        })
        .collect();
    all.sort();
    let mut hasher = SipHasher24::new();
    all.hash(&mut hasher);
    hasher.finish()
}

fn make(address: &Address, runtime: Arc<Runtime>) -> object_store::Result<Bucket> {
    let signing = Signing::default();
    let (connector, bucket) = (Connector(Arc::clone(&signing)), address.bucket());
    // Connections belong to the runtime in which they are made.
    let entered = runtime.enter();
    let (store, pages): (Arc<dyn ObjectStore>, Arc<dyn PaginatedListStore>) = match address.store {
        ObjectService::S3 => {
            let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
            let region = builder.get_config_value(&AmazonS3ConfigKey::Region);
            let made = Arc::new(builder.with_http_connector(connector).build()?);
            let credentials = Arc::clone(made.credentials());
            let region = region.unwrap_or_else(|| "us-east-1".to_owned());
            let _ = signing.set(Signer::S3 { credentials, region });
            (Arc::clone(&made) as _, made)
        }
        ObjectService::Google => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
            let made = Arc::new(builder.with_http_connector(connector).build()?);
            (Arc::clone(&made) as _, made)
        }
        ObjectService::Azure => {
            let builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket);
            let account = builder.get_config_value(&AzureConfigKey::AccountName);
            let made = Arc::new(builder.with_http_connector(connector).build()?);
            let credentials = Arc::clone(made.credentials());
            // The emulator's own, where nobody named another.
            let account = account.unwrap_or_else(|| "devstoreaccount1".to_owned());
            let _ = signing.set(Signer::Azure { credentials, account });
            (Arc::clone(&made) as _, made)
        }
    };
    drop(entered);
    let (kind, root, unanswered) = (address.store, address.root.clone(), AtomicU32::new(0));
    Ok(Bucket { store, pages, runtime, kind, root, unanswered })
}
