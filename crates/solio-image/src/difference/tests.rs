//! Differences of small images, by hand.

use super::*;
use half::f16;
use solio_exr::header::Part;
use solio_exr::model::Samples;
use solio_exr::{Channel, Compression};

fn image(window: Box2i, channels: &[(&str, Samples<'static>)]) -> Image<'static> {
    let planes: Vec<_> = channels
        .iter()
        .map(|(name, samples)| Plane {
            channel: Channel::new(*name, samples.pixel_type()),
            samples: samples.clone(),
        })
        .collect();
    let list = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::None, list);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], ..Image::default() }
}

fn grey(window: Box2i, values: &[f32]) -> Image<'static> {
    image(window, &[("Y", Samples::Float(values.to_vec().into()))])
}

fn compared(a: &Image<'_>, b: &Image<'_>, options: &CompareOptions) -> ImageDifference {
    compare_images(a, b, options, &Work::default()).unwrap()
}

#[test]
fn sums_are_those_of_the_definition() {
    let window = Box2i::of_size(2, 2);
    let (a, b) = (grey(window, &[0.0, 1.0, 2.0, 4.0]), grey(window, &[0.0, 1.5, 2.0, 3.0]));
    let found = compared(&a, &b, &CompareOptions { heat: true, ..Default::default() });
    let channel = &found.channels[0];
    assert_eq!((channel.samples, channel.differing, channel.beyond), (4, 2, 2));
    assert_eq!((channel.largest, channel.at), (1.0, Some([1, 1])));
    assert_eq!((channel.mean, channel.rms), (0.375, (1.25f64 / 4.0).sqrt()));
    let psnr = 20.0 * (4.0 / channel.rms).log10();
    assert_eq!(channel.psnr, Some(psnr));
    assert_eq!((found.pixels, found.beyond_fail, found.verdict), (4, 2, Verdict::Different));
    assert_eq!(found.heat[0].values, [0.0, 0.5, 0.0, 1.0]);
}

#[test]
fn limits_are_of_values_shares_and_the_greatest() {
    let window = Box2i::of_size(4, 1);
    let (a, b) = (grey(window, &[0.0; 4]), grey(window, &[0.0, 0.0, 0.0, 0.25]));
    let verdict = |fail: DifferenceLimit| {
        compared(&a, &b, &CompareOptions { fail, ..CompareOptions::default() }).verdict
    };
    let limit = DifferenceLimit::default();
    assert_eq!(verdict(limit), Verdict::Different);
    assert_eq!(verdict(DifferenceLimit { value: 0.25, ..limit }), Verdict::Warning);
    assert_eq!(verdict(DifferenceLimit { percent: 25.0, ..limit }), Verdict::Warning);
    assert_eq!(verdict(DifferenceLimit { percent: 25.0, hard: 0.2, ..limit }), Verdict::Different);
}

#[test]
fn numbers_that_are_none_equal_only_their_like() {
    let window = Box2i::of_size(5, 1);
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let (a, b) =
        (grey(window, &[nan, inf, -inf, 0.0, nan]), grey(window, &[nan, inf, inf, -0.0, 1.0]));
    let found = compared(&a, &b, &CompareOptions::default());
    let channel = &found.channels[0];
    assert_eq!((channel.differing, channel.largest, channel.at), (2, f64::INFINITY, Some([2, 0])));
    assert_eq!((channel.mean, channel.rms, channel.psnr), (0.0, 0.0, None));
    let same = compared(&a, &a, &CompareOptions::default());
    assert_eq!((same.verdict, same.channels[0].differing), (Verdict::Same, 0));
}

#[test]
fn types_and_data_windows_are_notes_and_what_lacks_is_a_difference() {
    let (large, small) = (Box2i::of_size(3, 2), Box2i { min: [1, 0], max: [1, 1] });
    let a = grey(large, &[0.0, 0.5, 0.0, 0.0, 2.0, 0.0]);
    let halves: Vec<f16> = [0.5, 2.0].map(f16::from_f32).to_vec();
    let mut b = image(small, &[("Y", Samples::Half(halves.into()))]);
    let display = a.parts[0].header.get("displayWindow").unwrap().clone();
    b.parts[0].header.set("displayWindow", display);
    let found = compared(&a, &b, &CompareOptions::default());
    assert_eq!((found.verdict, found.notes.len(), found.pixels), (Verdict::Same, 2, 6));
    let more = image(large, &[("Z", Samples::Uint(vec![0; 6].into()))]);
    let found = compared(&a, &more, &CompareOptions::default());
    assert_eq!((found.verdict, found.structure.len()), (Verdict::Different, 2));
}

#[test]
fn windows_far_apart_take_no_memory() {
    let far = |at: i32| Box2i { min: [at; 2], max: [at; 2] };
    let (a, b) = (grey(far(-1_000_000_000), &[1.0]), grey(far(1_000_000_000), &[1.0]));
    let found = compared(&a, &b, &CompareOptions::default());
    assert_eq!((found.verdict, found.channels.len()), (Verdict::Different, 0));
    assert!(found.structure.iter().any(|line| line.ends_with("too far from each other")));
}

#[test]
fn threads_change_nothing() {
    let window = Box2i::of_size(300, 700);
    let values: Vec<f32> =
        (0..window.width() * window.height()).map(|i| (i as f32).sin()).collect();
    let other: Vec<f32> = values.iter().map(|x| x * 1.001).collect();
    let (a, b) = (grey(window, &values), grey(window, &other));
    let one = compare_images(&a, &b, &CompareOptions::default(), &Work::serial()).unwrap();
    let all = compared(&a, &b, &CompareOptions::default());
    assert_eq!(one.channels, all.channels);
}
