//! What the fuzz target of packed scenes does with its bytes. Also replayed as ordinary tests: see
//! `crates/solio-scene/tests/pack_replay.rs`.
//!
//! Sums are not checked, or hardly any change would get behind them. Findings, beside panics:
//! memory beyond a bound of the bytes, errors without a place, a scene that is another one when it
//! was packed and read again.

mod process;

pub(crate) use process::init;

use process::{assert_placed, within};
use solio_base::{Result, Work};
use solio_scene::pack::{PackOptions, PackReadOptions, PackReader, PackedMesh, encode_pack};
use solio_scene::scene::Scene;

/// Any bytes.
pub(crate) fn pack(bytes: &[u8]) {
    let work = Work::serial();
    let options = PackReadOptions { verify: false, ..PackReadOptions::default() };
    // What is stored says at most 256 times as much; records become things of up to eight times
    // their size. Beside that there is what zstd needs to unpack.
    let bound = (1 << 19) + 256 * 12 * bytes.len();
    let scene = within(bound, bytes, || {
        let reader = PackReader::new(&bytes, &options)?;
        let infos = reader.meshes(&work);
        infos.as_ref().err().into_iter().for_each(assert_placed);
        for number in 0..infos.map_or(0, |infos| infos.len()) {
            reader.mesh(number as u32, &work).err().iter().for_each(assert_placed);
        }
        reader.instances(&work).err().iter().for_each(assert_placed);
        reader.scene(&work)
    });
    let scene = match scene {
        Ok(scene) => scene,
        Err(error) => return assert_placed(&error),
    };
    let packed = pack_again(&scene, &work);
    let reader = PackReader::new(&packed, &PackReadOptions::default());
    let back = reader.and_then(|reader| reader.scene(&work));
    let back = back.unwrap_or_else(|e| panic!("what was packed cannot be read: {e}"));
    assert!(packed == pack_again(&back, &work), "the scene is another one");
}

fn pack_again(scene: &Scene, work: &Work) -> Vec<u8> {
    let mut packed = Vec::new();
    let no_mesh = |_: &[u8]| -> Result<Option<PackedMesh<'static>>> { Ok(None) };
    let options = PackOptions { effort: None, ..PackOptions::default() };
    encode_pack(scene, &no_mesh, &options, &mut packed, work)
        .unwrap_or_else(|e| panic!("what was read cannot be packed: {e}"));
    packed
}
