//! Which names belong to which content.

use super::odd::{Odd, Rule};
use solio_codec::compress::Compression;
use solio_kinds::{Ability, Family, FileKind, FileType, LOOSE_EXTENSIONS};
use std::path::Path;

/// The kind that a name promises, of those that are checked: an empty file of such a name is odd.
pub(super) fn of_name(path: &Path) -> Option<FileKind> {
    let kind = FileType::of_extension(&extension(path)?)?.kind;
    let is_asset = !matches!(kind.family(), Family::Scene | Family::Gradient | Family::Catalogue);
    (is_asset && (kind.can(Ability::Check) || kind == FileKind::Mtl)).then_some(kind)
}

/// Whether a name promises another kind of content than this.
pub(crate) fn promises_other(kind: FileKind, path: &Path) -> bool {
    misnamed(kind, path).is_some()
}

/// The kind that a name promises, where every file of that kind starts with a mark.
pub(super) fn with_mark(path: &Path) -> Option<&'static str> {
    let named = FileType::of_extension(&extension(path)?)?;
    let has_mark = !named.kind.magic().is_empty() || named.kind.aliases().iter().any(has_magic);
    let is_checked = of_name(path).is_some() && !LOOSE_EXTENSIONS.contains(&&*extension(path)?);
    (has_mark && is_checked && named.kind != FileKind::Archive).then(|| named.name())
}

fn has_magic(alias: &solio_kinds::Alias) -> bool {
    !alias.magic.is_empty()
}

/// What is wrong with the extension of a name over content of this kind.
pub(super) fn misnamed(kind: FileKind, path: &Path) -> Option<Odd> {
    let extension = extension(path)?;
    let has_mark = !kind.magic().is_empty() || kind.aliases().iter().any(has_magic);
    // Raw photos are TIFF, and may be called so.
    let is_tiff = |kind| matches!(kind, FileKind::Tiff | FileKind::Raw);
    let named = FileType::of_extension(&extension)?.kind;
    let fits = kind.has_extension(&extension) || is_tiff(kind) && is_tiff(named);
    if !has_mark || fits || of_name(path).is_none() && named.family() != Family::Scene {
        return None;
    }
    let message = format!("the content is {}, but the extension is .{extension}", kind.as_str());
    Some(Rule::Extension.broken(message))
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// What is wrong with a name that promises packed content over content that is not.
pub(super) fn not_packed(kind: &str, path: &Path) -> Option<Odd> {
    let packed = Compression::of_name(&path.to_string_lossy());
    let end = packed.extension();
    (packed != Compression::None).then(|| {
        Rule::Extension.broken(format!("the content is {kind}, but the extension is {end}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use FileKind::{Exr, Heif, Jpeg, Png, Tiff};

    #[test]
    fn names_and_contents_agree() {
        let odd = |kind, name: &str| misnamed(kind, name.as_ref()).is_some();
        assert!(odd(Jpeg, "a.png") && odd(Exr, "a.JPG") && odd(Png, "a.obj"));
        assert!(!odd(Jpeg, "a.JPEG") && !odd(Tiff, "a.nef") && !odd(Heif, "a.avif"));
        assert!(!odd(Jpeg, "a.bak") && !odd(Jpeg, "a") && !odd(FileKind::Data, "a.png"));
        let other = |name: &str| promises_other(Exr, name.as_ref());
        assert!(other("a.png") && other("a.heic") && !other("a.EXR") && !other("a.bak"));
        // Textures are of either kind.
        assert!(!other("a.tx") && !odd(Exr, "a.tx") && !odd(Tiff, "a.tx"));
        assert_eq!(with_mark("a.PNG".as_ref()), Some("png"));
        assert_eq!((with_mark("a.txt".as_ref()), with_mark("a.mov".as_ref())), (None, None));
    }
}
