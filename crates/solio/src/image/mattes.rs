//! The Cryptomattes of a file, with manifests that lie beside it.

use crate::{Input, ToInput};
use solio_base::{Limits, Result, Work};
use solio_image::cryptomatte::{Cryptomatte, list, parse_manifest};
use std::path::{Component, Path};

/// The Cryptomattes of the OpenEXR file at `input`. Where the header names a file for the manifest, that
/// is looked for beside the image, and never in another folder than its own or one below; without it
/// there are no names.
///
/// ```
/// use solio::image::header::Value;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, names] = ["a.exr", "names.json"].map(|name| folder.path().join(name));
/// # let (limits, work) = (solio::Limits::default(), solio::Work::default());
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let mut image = solio::gradient_image(&map, [2, 1])?;
/// # let header = &mut image.parts[0].header;
/// # header.set("cryptomatte/f834d0a/name", Value::Text("crypto_object".into()));
/// # header.set("cryptomatte/f834d0a/manif_file", Value::Text("names.json".into()));
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// let of = |path| solio::cryptomattes(path, &limits, &work);
/// assert_eq!(of(&path)?[0].manifest, None);
/// solio::write_bytes(&names, br#"{"Cube": "7f012345"}"#)?;
/// assert_eq!(of(&path)?[0].manifest, Some(vec![("Cube".to_owned(), 0x7f01_2345)]));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the header.
pub fn cryptomattes(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<Vec<Cryptomatte>> {
    let input = &*input.to_input(limits, work)?;
    let mut found = list(input.exr_header(work)?);
    for matte in &mut found {
        if let (None, Some(name)) = (&matte.manifest, &matte.manifest_file) {
            matte.manifest = beside(input, name, work);
        }
    }
    Ok(found)
}

fn beside(input: &Input, name: &str, work: &Work) -> Option<Vec<(String, u32)>> {
    let name = Path::new(name);
    let is_below = name.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below || solio_io::is_direct(input.path()) {
        return None;
    }
    let path = input.path().parent()?.join(name);
    let file = Input::open(&path, input.limits(), work).ok()?;
    parse_manifest(std::str::from_utf8(&file.bytes(work).ok()?).ok()?)
}
