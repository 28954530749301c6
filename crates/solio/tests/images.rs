//! Images from path to path.

use solio::image::header::{Box2i, Part};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Channel, Compression, PixelType, ReadOptions};
use solio::{ImageWriteOptions, Limits, Work};

fn ramp() -> Image<'static> {
    let window = Box2i::of_size(40, 30);
    let channel = Channel {
        name: "Z".into(),
        pixel_type: PixelType::Float,
        linear: false,
        x_sampling: 1,
        y_sampling: 1,
    };
    let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
    let values: Vec<f32> = (0..1200).map(|i| i as f32 / 7.0).collect();
    let planes = vec![Plane { channel, samples: Samples::Float(values.into()) }];
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], ..Image::default() }
}

#[test]
fn a_written_image_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.exr");
    let work = Work::default();
    let written = solio::write_image(&ramp(), &path, &ImageWriteOptions::default(), &work).unwrap();
    assert_eq!(written.files, [(path.clone(), written.file_bytes)]);
    let again = solio::read_image(&path, &ReadOptions::default(), &work).unwrap();
    assert!(again.parts[0].pixels == ramp().parts[0].pixels);
    let header = solio::image_header(&path, &Limits::default(), &work).unwrap();
    assert_eq!(header.parts[0].attributes, ramp().parts[0].header.attributes);
    assert!(solio::is_image(&path) && !solio::is_image("a.obj".as_ref()));
    let other = folder.path().join("ramp");
    std::fs::rename(&path, &other).unwrap();
    assert!(solio::is_image(&other));
    let missing = solio::read_image(&path, &ReadOptions::default(), &work).unwrap_err();
    assert_eq!(missing.path(), Some(path.as_path()));
}

#[test]
fn an_image_that_cannot_be_written_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ramp.exr");
    let mut image = ramp();
    let Pixels::Flat(levels) = &mut image.parts[0].pixels else { panic!() };
    levels[0].planes.clear();
    let e = solio::write_image(&image, &path, &ImageWriteOptions::default(), &Work::default());
    assert!(e.is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
