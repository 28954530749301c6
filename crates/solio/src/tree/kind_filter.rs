//! Which kinds of files are wanted, by their names.

use crate::{Family, FileKind, FileType, HEAD_BYTES};
use solio_base::{Error, Result};
use solio_io::filter::KindTest;
use std::sync::Arc;

/// A test for [`FilterOptions::kind`](solio_io::filter::FilterOptions::kind): whether a file is of one of the
/// kinds or families called so, by its first bytes and its name.
///
/// ```
/// let kinds = ["mesh".to_owned(), "exr".to_owned()];
/// let (is_wanted, _) = solio::kind_test(&kinds)?;
/// assert!(is_wanted("a.bin".as_ref(), b"ply\nformat ascii 1.0\n"));
/// assert!(!is_wanted("a.png".as_ref(), b"\x89PNG\r\n\x1a\n"));
/// assert!(solio::kind_test(&["mehs".to_owned()]).is_err());
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Argument` for a name of no kind and no family.
pub fn kind_test(names: &[String]) -> Result<(KindTest, usize)> {
    let mut wanted: Vec<FileKind> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let family = Family::ALL.into_iter().find(|family| family.as_str() == lower);
        let is_called = |kind: &FileKind| match family {
            Some(family) => kind.family() == family,
            None => kind.as_str() == lower || kind.has_extension(&lower),
        };
        let before = wanted.len();
        wanted.extend(FileKind::ALL.iter().copied().filter(is_called));
        if wanted.len() == before {
            let families = Family::ALL.map(Family::as_str).join(", ");
            return Err(Error::argument(format!("{name} is neither a kind nor a family of files"))
                .hint(format!("families are {families}; kinds are called as in solio formats")));
        }
    }
    let test: KindTest =
        Arc::new(move |name, head| wanted.contains(&FileType::detect(head, None, name).kind));
    Ok((test, HEAD_BYTES))
}
