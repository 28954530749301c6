//! Two catalogues beside each other: what was added, changed, moved and removed from the first to the second.

use crate::row::{Row, column, key};
use crate::store::FileChange;
use solio_base::{Error, Result};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::iter::Peekable;
use std::sync::Arc;

/// The columns that tell whether a file is another one.
pub const COMPARED: [usize; 5] =
    [column::SIZE, column::MODIFIED_NS, column::INODE, column::XXH128, column::BORN_NS];

/// What is different about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogDifference {
    /// What became of it; never [`FileChange::Excluded`].
    pub change: FileChange,
    /// Where it is, or was before it was removed.
    pub path: Vec<u8>,
    /// Where it was before it was moved.
    pub old_path: Option<Vec<u8>>,
    /// Its bytes now.
    pub size: Option<u64>,
    /// Its bytes before.
    pub old_size: Option<u64>,
}

/// Compares the rows of two catalogues, each in the order of catalogues. Both are the same state of a file where
/// size and time are the same, and the hash, where both have one. A file that was removed in one place and added
/// in another was moved where its inode, size, time and time of birth are the same, or else its hash. The result
/// is by path; it takes memory for what is different alone.
///
/// ```
/// use solio_catalog::difference::compare;
/// use solio_catalog::row::{Cells, Row, column};
/// use solio_catalog::store::FileChange::{Added, Changed, Moved};
/// let row = |name: &str, size, inode| {
///     let mut cells = Cells::default();
///     for place in [column::MODIFIED_NS, column::BORN_NS] {
///         cells.set_integer(place, 5);
///     }
///     cells.set_integer(column::SIZE, size);
///     cells.set_integer(column::INODE, inode);
///     Ok(Row { folder: (*b"/show").into(), name: name.as_bytes().into(), cells })
/// };
/// let before = [row("a", 1, 1), row("b", 2, 2), row("d", 4, 4)];
/// let after = [row("a", 3, 1), row("c", 2, 2), row("d", 4, 4), row("e", 9, 9)];
/// let all = compare(before.into_iter(), after.into_iter())?;
/// let told: Vec<_> = all.iter().map(|it| (it.change, &it.path[..])).collect();
/// assert_eq!(told, [(Changed, &b"/show/a"[..]), (Moved, b"/show/c"), (Added, b"/show/e")]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Those of the rows; `Corrupt` for rows that are out of order.
pub fn compare(
    before: impl Iterator<Item = Result<Row>>,
    after: impl Iterator<Item = Result<Row>>,
) -> Result<Vec<CatalogDifference>> {
    let (mut before, mut after) = (InOrder::new(before), InOrder::new(after));
    let (mut gone, mut came, mut all) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let order = match (before.peek()?, after.peek()?) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(old), Some(new)) => old.key().cmp(&new.key()),
        };
        let old = if order.is_le() { before.next()? } else { None };
        let new = if order.is_ge() { after.next()? } else { None };
        match (old, new) {
            (Some(old), Some(new)) if !is_same(&old, &new) => all.push(CatalogDifference {
                change: FileChange::Changed,
                path: new.path(),
                old_path: None,
                size: size(&new),
                old_size: size(&old),
            }),
            (Some(old), None) => gone.push(old),
            (None, Some(new)) => came.push(new),
            _ => {}
        }
    }
    moved(&mut gone, &mut came, by_inode, &mut all);
    moved(&mut gone, &mut came, by_hash, &mut all);
    all.extend(gone.iter().map(|row| CatalogDifference {
        change: FileChange::Removed,
        path: row.path(),
        old_path: None,
        size: None,
        old_size: size(row),
    }));
    all.extend(came.iter().map(|row| CatalogDifference {
        change: FileChange::Added,
        path: row.path(),
        old_path: None,
        size: size(row),
        old_size: None,
    }));
    all.sort_by(|a, b| key(&a.path).cmp(&key(&b.path)));
    Ok(all)
}

/// Pairs what is gone with what came by what `identity` says of both.
fn moved<K: Eq + std::hash::Hash>(
    gone: &mut Vec<Row>,
    came: &mut Vec<Row>,
    identity: impl Fn(&Row) -> Option<K>,
    all: &mut Vec<CatalogDifference>,
) {
    let mut places: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (place, row) in came.iter().enumerate() {
        if let Some(identity) = identity(row) {
            places.entry(identity).or_default().push_back(place);
        }
    }
    let mut taken = BTreeMap::new();
    gone.retain(|old| {
        let place = identity(old).and_then(|it| places.get_mut(&it)?.pop_front());
        place.is_none_or(|place| {
            taken.insert(place, (old.path(), size(old)));
            false
        })
    });
    let mut place = 0;
    came.retain(|new| {
        let from = taken.remove(&place);
        place += 1;
        from.is_none_or(|(old_path, old_size)| {
            let (path, size) = (new.path(), size(new));
            let (change, old_path) = (FileChange::Moved, Some(old_path));
            all.push(CatalogDifference { change, path, old_path, size, old_size });
            false
        })
    });
}

fn by_inode(row: &Row) -> Option<[i64; 4]> {
    let number = |place| row.cells.integer(place);
    let [size, modified, inode] = [column::SIZE, column::MODIFIED_NS, column::INODE].map(number);
    // Inodes are given out again: the time of birth tells one file from the next.
    Some([size?, modified?, inode.filter(|inode| *inode != 0)?, number(column::BORN_NS)?])
}

fn by_hash(row: &Row) -> Option<Box<str>> {
    let is_empty = row.cells.integer(column::SIZE).unwrap_or_default() == 0;
    row.cells.text(column::XXH128).filter(|_| !is_empty).map(Into::into)
}

fn size(row: &Row) -> Option<u64> {
    row.cells.integer(column::SIZE).map(|bytes| bytes as u64)
}

fn is_same(old: &Row, new: &Row) -> bool {
    let same = |place| old.cells.integer(place) == new.cells.integer(place);
    let hashes = old.cells.text(column::XXH128).zip(new.cells.text(column::XXH128));
    same(column::SIZE) && same(column::MODIFIED_NS) && hashes.is_none_or(|(old, new)| old == new)
}

/// A folder, and a name in it.
type FileName = (Arc<[u8]>, Box<[u8]>);

/// Rows that must come in the order of catalogues.
struct InOrder<I: Iterator<Item = Result<Row>>> {
    rows: Peekable<I>,
    last: Option<FileName>,
}

impl<I: Iterator<Item = Result<Row>>> InOrder<I> {
    fn new(rows: I) -> Self {
        InOrder { rows: rows.peekable(), last: None }
    }

    fn peek(&mut self) -> Result<Option<&Row>> {
        // An error is taken out, as it cannot be copied.
        if self.rows.peek().is_some_and(Result::is_err) {
            return self.rows.next().transpose().map(|_| None);
        }
        Ok(self.rows.peek().and_then(|row| row.as_ref().ok()))
    }

    fn next(&mut self) -> Result<Option<Row>> {
        let Some(row) = self.rows.next().transpose()? else { return Ok(None) };
        let is_behind = |(folder, name): &FileName| (key(folder), key(name)) >= row.key();
        if self.last.as_ref().is_some_and(is_behind) {
            let path = String::from_utf8_lossy(&row.path()).into_owned();
            return Err(Error::corrupt(format!("{path} is out of order")));
        }
        self.last = Some((Arc::clone(&row.folder), row.name.clone()));
        Ok(Some(row))
    }
}
