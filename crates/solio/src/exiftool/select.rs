//! Which tags of a file are shown, in which order.

use super::listing::{Listing, groups, is_in};
use super::options::{Form, Options};
use super::order;
use super::request::{Request, RequestKind};
use solio_photo::Tag;

/// One thing to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown<'o> {
    /// The tag of this number; whether as a number.
    Tag(usize, bool),
    /// What was asked for and is not there.
    Missing(&'o str),
}

/// What `options` ask of a file.
pub(super) fn select<'o>(listing: &Listing, options: &'o Options) -> Vec<Shown<'o>> {
    let mut shown = Vec::new();
    if options.requests.is_empty() {
        let all = (0..listing.tags.len()).filter(|n| may_show(listing, *n, options));
        shown.extend(all.map(|n| Shown::Tag(n, false)));
        let families = if options.form == Form::Xml { &[1][..] } else { &options.groups };
        let by_group = !matches!(options.form, Form::Table | Form::Template | Form::Bytes);
        if !families.is_empty() && by_group {
            gather_groups(listing, families, &mut shown);
        }
    }
    for request in &options.requests {
        let before = shown.len();
        find(listing, request, options, |n| shown.push(Shown::Tag(n, request.number)));
        let missing = shown.len() == before && request.kind == RequestKind::One;
        let is_new = |one: &Shown<'_>| !matches!(one, Shown::Missing(n) if n.eq_ignore_ascii_case(&request.name));
        if missing && options.force && shown.iter().all(is_new) {
            shown.push(Shown::Missing(&request.name));
        }
    }
    shown
}

/// Whether a tag may be shown where all are asked for.
fn may_show(listing: &Listing, n: usize, options: &Options) -> bool {
    let tag = &listing.tags[n];
    (listing.copies[n] == 0 || options.duplicates) && !is_excluded(tag, listing, options)
}

fn is_excluded(tag: &Tag, listing: &Listing, options: &Options) -> bool {
    options.excluded.iter().any(|request| is_meant(tag, request))
        || options.no_composites && order::is_made(tag, &listing.tags)
}

/// Whether a request names the tag.
pub(super) fn is_meant(tag: &Tag, request: &Request) -> bool {
    request.is_name(&tag.name) && request.groups.iter().all(|group| is_in(tag, group))
}

/// Tells the numbers of the tags that a request means.
fn find(listing: &Listing, request: &Request, options: &Options, mut each: impl FnMut(usize)) {
    let tags = listing.tags.iter().enumerate();
    let meant = |(n, tag): (usize, &Tag)| {
        (is_meant(tag, request) && !is_excluded(tag, listing, options)).then_some(n)
    };
    if options.duplicates || request.kind != RequestKind::One || request.groups.is_empty() {
        let all = tags.filter_map(meant);
        all.filter(|n| options.duplicates || listing.copies[*n] == 0).for_each(each);
        return;
    }
    // Of those in a group the one that counts, or the first copy of it.
    if let Some(n) = tags.filter_map(meant).min_by_key(|n| listing.copies[*n]) {
        each(n);
    }
}

/// The one tag that `request` means, if there is one.
pub(super) fn one(listing: &Listing, request: &Request, options: &Options) -> Option<usize> {
    let mut found = None;
    let options = Options {
        duplicates: false,
        excluded: options.excluded.clone(),
        no_composites: options.no_composites,
        ..Options::default()
    };
    find(listing, request, &options, |n| {
        found.get_or_insert(n);
    });
    found
}

/// Puts tags of a group together, groups in the order in which they come first.
fn gather_groups(listing: &Listing, families: &[u8], shown: &mut [Shown<'_>]) {
    let mut order: Vec<String> = Vec::new();
    let mut place = |shown: &Shown<'_>| {
        let Shown::Tag(n, _) = shown else { return usize::MAX };
        let group = groups(&listing.tags[*n], listing.copies[*n], families);
        order.iter().position(|known| *known == group).unwrap_or_else(|| {
            order.push(group.into_owned());
            order.len() - 1
        })
    };
    shown.sort_by_cached_key(|one| place(one));
}
