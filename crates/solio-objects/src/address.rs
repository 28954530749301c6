//! Where an object is: `s3://bucket/key`.

use solio_base::names::OsStrBytes;
use solio_base::{Error, Result};
use std::path::Path;

/// Whose store it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectService {
    /// Amazon S3, and what speaks as it does.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

const SCHEMES: [(&str, ObjectService); 3] = [
    ("s3://", ObjectService::S3),
    ("gs://", ObjectService::Google),
    ("az://", ObjectService::Azure),
];

/// An object, or what lies below a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The store.
    pub store: ObjectService,
    /// `s3://bucket`.
    pub root: String,
    /// As the store has it: nothing in it is escaped. Empty for the whole bucket.
    pub key: String,
}

/// Whether `path` is the address of objects, not the path of a file.
pub fn is_address(path: &Path) -> bool {
    let path = path.as_os_str().as_bytes();
    SCHEMES.iter().any(|(scheme, _)| path.starts_with(scheme.as_bytes()))
}

impl Address {
    /// The address in `path`; `None` where it is the path of a file.
    ///
    /// # Errors
    /// `Argument` without a bucket, and for keys that are not valid UTF-8: no store has such.
    pub fn of(path: &Path) -> Option<Result<Address>> {
        is_address(path).then(|| read(path).map_err(|e| e.at_path(path)))
    }

    /// The name of the bucket.
    pub fn bucket(&self) -> &str {
        self.root.split_once("://").map_or("", |(_, bucket)| bucket)
    }
}

fn read(path: &Path) -> Result<Address> {
    let text = path.to_str().ok_or_else(|| Error::argument("a key in a store is UTF-8"))?;
    let known = SCHEMES.iter().find(|(scheme, _)| text.starts_with(scheme));
    let Some(&(scheme, store)) = known else {
        return Err(Error::argument("this is no address of an object"));
    };
    let rest = &text[scheme.len()..];
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(Error::argument("this address names no bucket")
            .hint(format!("write {scheme}BUCKET/KEY")));
    }
    Ok(Address { store, root: format!("{scheme}{bucket}"), key: key.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn addresses_are_bucket_and_key_as_they_stand() {
        let of = |text: &str| Address::of(Path::new(text)).unwrap().unwrap();
        for (text, store, root, key) in [
            ("s3://b/a//%20 ü/", ObjectService::S3, "s3://b", "a//%20 ü/"),
            ("gs://b", ObjectService::Google, "gs://b", ""),
            ("az://c/", ObjectService::Azure, "az://c", ""),
            ("s3://b//x", ObjectService::S3, "s3://b", "/x"),
        ] {
            assert_eq!(of(text), Address { store, root: root.into(), key: key.into() });
        }
        assert_eq!(of("s3://b/k").bucket(), "b");
        for file in ["s3:/b/k", "/s3://b", "./s3://b/k", "http://b/k", "S3://b"] {
            assert!(Address::of(Path::new(file)).is_none(), "{file}");
        }
        for bad in ["s3://", "s3:///k"] {
            assert!(Address::of(Path::new(bad)).unwrap().is_err(), "{bad}");
        }
        let odd = Path::new(OsStr::from_bytes(b"s3://b/\xff"));
        assert!(Address::of(odd).unwrap().is_err());
    }
}
