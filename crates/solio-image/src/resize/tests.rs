//! Resizing, against a plain reference: each pixel by itself, over both axes at once.

use super::*;
use half::f16;
use proptest::prelude::*;
use solio_exr::Compression;

/// A part with samples that any generator makes of a channel, a column and a row.
fn image(
    display: Box2i,
    data: Box2i,
    channels: &[(&str, PixelType)],
    sample: impl Fn(usize, i32, i32) -> f32,
) -> Image<'static> {
    let planes: Vec<Plane<'static>> = channels
        .iter()
        .enumerate()
        .map(|(i, (name, pixel_type))| {
            let rows = data.min[1]..=data.max[1];
            let values = rows.flat_map(|y| (data.min[0]..=data.max[0]).map(move |x| (x, y)));
            let values: Vec<f32> = values.map(|(x, y)| sample(i, x, y)).collect();
            let samples = match pixel_type {
                PixelType::Uint => {
                    Samples::Uint(values.iter().map(|v| v.to_bits()).collect::<Vec<_>>().into())
                }
                _ => Samples::Float(values.into()).converted(*pixel_type).unwrap(),
            };
            Plane { channel: Channel::new(*name, *pixel_type), samples }
        })
        .collect();
    let of = planes.iter().map(|plane| plane.channel.clone()).collect();
    let mut header = Part::new(data, Compression::Zip, of);
    header.set("displayWindow", Value::Box2i(display));
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window: data, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
}

fn level<'i>(image: &'i Image<'_>) -> &'i FlatLevel<'i> {
    let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!("it is flat") };
    assert_eq!(image.parts[0].header.shape().unwrap().data_window, levels[0].window);
    &levels[0]
}

fn floats(plane: &Plane<'_>) -> Vec<f32> {
    match plane.samples.converted(PixelType::Float).unwrap() {
        Samples::Float(values) => values.into_owned(),
        _ => panic!("they were converted"),
    }
}

/// A pixel by the sum over all samples around it, in double precision.
fn reference(before: &Image<'_>, after: &Image<'_>, filter: ResizeFilter, [x, y]: [i32; 2]) -> f64 {
    let [from, to] = [before, after].map(|image| image.parts[0].header.display_window().unwrap());
    let data = level(before).window;
    let samples = floats(&level(before).planes[0]);
    let wide = [to.width() as f64 / from.width() as f64, to.height() as f64 / from.height() as f64];
    let at = [x, y];
    let centre = [0, 1]
        .map(|i| f64::from(from.min[i]) + (f64::from(at[i] - to.min[i]) + 0.5) / wide[i] - 0.5);
    let reach = [0, 1].map(|i| (filter.radius() / wide[i].min(1.0)).ceil() as i32 + 1);
    let (mut sum, mut total) = (0.0, 0.0);
    for row in centre[1] as i32 - reach[1]..=centre[1] as i32 + reach[1] {
        for column in centre[0] as i32 - reach[0]..=centre[0] as i32 + reach[0] {
            let at = [column, row];
            let weight: f64 = [0, 1]
                .map(|i| filter.weight((f64::from(at[i]) - centre[i]) * wide[i].min(1.0)))
                .into_iter()
                .product();
            total += weight;
            // The outermost of display and data go on; between them is nothing.
            let seen = [0, 1]
                .map(|i| at[i].clamp(data.min[i].min(from.min[i]), data.max[i].max(from.max[i])));
            let inside = (0..2).all(|i| (data.min[i]..=data.max[i]).contains(&seen[i]));
            if inside && weight != 0.0 {
                let [left, top] = data.min;
                let place = (seen[1] - top) as usize * data.width() as usize;
                sum += weight * f64::from(samples[place + (seen[0] - left) as usize]);
            }
        }
    }
    if total == 0.0 { 0.0 } else { sum / total }
}

fn noise(channel: usize, x: i32, y: i32) -> f32 {
    let mixed = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d ^ channel as u32);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

fn any_window() -> impl Strategy<Value = Box2i> {
    let side = || (-12i32..12, 0i32..24);
    (side(), side()).prop_map(|((x, w), (y, h))| Box2i { min: [x, y], max: [x + w, y + h] })
}

proptest! {
    #[test]
    fn pixels_are_those_of_the_plain_reference(
        display in any_window(),
        data in any_window(),
        size in (1u32..40, 1u32..40),
        filter in 0..ResizeFilter::ALL.len(),
        threads in 1usize..3,
    ) {
        let filter = ResizeFilter::ALL[filter];
        let before = image(display, data, &[("R", PixelType::Float)], noise);
        let mut after = before.clone();
        let size = ResizeSize::Pixels(Some(size.0), Some(size.1));
        let options = ResizeOptions { filter: Some(filter), ..ResizeOptions::new(size) };
        let work = Work { threads, ..Work::serial() };
        resize(&mut after, &options, &Limits::default(), &work).unwrap();
        let window = level(&after).window;
        let found = floats(&level(&after).planes[0]);
        for (i, found) in found.iter().enumerate() {
            let (column, row) = (i % window.width() as usize, i / window.width() as usize);
            let at = [window.min[0] + column as i32, window.min[1] + row as i32];
            let wanted = reference(&before, &after, filter, at);
            prop_assert!((f64::from(*found) - wanted).abs() < 2e-5, "{filter:?} {at:?} {found} {wanted}");
        }
    }
}

#[test]
fn integers_ids_and_depth_take_the_nearest_pixel() {
    let channels = [
        ("N.X", PixelType::Float),
        ("N.Y", PixelType::Float),
        ("N.Z", PixelType::Float),
        ("R", PixelType::Half),
        ("ViewLayer.CryptoObject00.R", PixelType::Float),
        ("Z", PixelType::Float),
        ("id", PixelType::Uint),
    ];
    let window = Box2i::of_size(16, 8);
    let before = image(window, window, &channels, noise);
    let resized = |options: ResizeOptions| {
        let mut after = before.clone();
        let notes = resize(&mut after, &options, &Limits::default(), &Work::serial()).unwrap();
        let near = level(&after).planes.iter().zip(&level(&before).planes).map(|(new, old)| {
            assert_eq!(new.channel, old.channel);
            let old = old.samples.as_bytes();
            let size = new.samples.pixel_type().bytes();
            let mut found = new.samples.as_bytes().chunks(size);
            found.all(|sample| old.chunks(size).any(|old| old == sample))
        });
        (near.collect::<Vec<bool>>(), notes)
    };
    let half = ResizeOptions::new("50%".parse().unwrap());
    let (near, notes) = resized(half.clone());
    assert_eq!(near, [false, false, false, false, true, true, true]);
    assert!(notes[0].contains("2 channels take the nearest"), "{notes:?}");
    let told = ResizeOptions { nearest: Some(vec!["N.*".into()]), ..half.clone() };
    assert_eq!(resized(told).0, [true, true, true, false, false, false, true]);
    let mut after = before.clone();
    let wrong = ResizeOptions { nearest: Some(vec!["none".into()]), ..half };
    assert!(resize(&mut after, &wrong, &Limits::default(), &Work::serial()).is_err());
}

#[test]
fn a_flat_colour_stays_what_it_is() {
    let window = Box2i { min: [3, -2], max: [39, 20] };
    let before = image(window, window, &[("R", PixelType::Half)], |_, _, _| 0.5);
    for filter in ResizeFilter::ALL {
        for size in ["50%", "7x5", "100x60", "1x1", "300%"] {
            let mut after = before.clone();
            let options =
                ResizeOptions { filter: Some(filter), ..ResizeOptions::new(size.parse().unwrap()) };
            resize(&mut after, &options, &Limits::default(), &Work::serial()).unwrap();
            let Samples::Half(values) = &level(&after).planes[0].samples else { panic!() };
            assert!(values.iter().all(|v| *v == f16::from_f32(0.5)), "{filter:?} {size}");
            assert_eq!(level(&after).window.min, [3, -2]);
        }
    }
}

#[test]
fn channels_with_fewer_samples_keep_their_rates() {
    let window = Box2i::of_size(32, 16);
    let mut before = image(window, window, &[("Y", PixelType::Half)], |_, _, _| 0.25);
    let channel = Channel { x_sampling: 2, y_sampling: 2, ..Channel::new("RY", PixelType::Half) };
    let samples = Samples::Float(vec![0.75; 16 * 8].into()).converted(PixelType::Half).unwrap();
    let part = &mut before.parts[0];
    let Pixels::Flat(levels) = &mut part.pixels else { panic!() };
    levels[0].planes.insert(0, Plane { channel, samples });
    refresh(part).unwrap();
    for (size, wanted) in [("50%", [16, 8]), ("11x5", [12, 6]), ("1x1", [2, 2])] {
        let mut after = before.clone();
        let options = ResizeOptions::new(size.parse().unwrap());
        resize(&mut after, &options, &Limits::default(), &Work::serial()).unwrap();
        let found = level(&after);
        assert_eq!([found.window.width(), found.window.height()], wanted);
        let counts: Vec<usize> = found.planes.iter().map(|plane| plane.samples.len()).collect();
        let pixels = (wanted[0] * wanted[1]) as usize;
        assert_eq!(counts, [pixels / 4, pixels]);
        assert!(floats(&found.planes[0])[..1].iter().all(|v| (v - 0.75).abs() < 1e-3));
        let mut bytes: Vec<u8> = Vec::new();
        solio_exr::encode_exr(&after, &Default::default(), &mut bytes, &Work::serial()).unwrap();
    }
}

#[test]
fn sizes_beyond_measure_are_refused_before_memory_is_taken() {
    let window = Box2i::of_size(4, 4);
    let before = image(window, window, &[("R", PixelType::Float)], noise);
    let refused = |size: &str, limits: &Limits| {
        let options = ResizeOptions::new(size.parse().unwrap());
        resize(&mut before.clone(), &options, limits, &Work::serial()).unwrap_err().kind()
    };
    let limit = solio_base::ErrorKind::Limit;
    assert_eq!(refused("1000000000x1000000000", &Limits::default()), limit);
    assert_eq!(refused("1000x1000", &Limits { bytes: 1 << 20, ..Limits::default() }), limit);
    // A data window far from its display.
    let far = Box2i { min: [1 << 29, 0], max: [(1 << 29) + 3, 3] };
    let before = image(window, far, &[("R", PixelType::Float)], noise);
    let options = ResizeOptions::new("400%".parse().unwrap());
    let error = resize(&mut before.clone(), &options, &Limits::default(), &Work::serial());
    assert_eq!(error.unwrap_err().kind(), limit);
    let options = ResizeOptions::new("50%".parse().unwrap());
    let mut after = before.clone();
    resize(&mut after, &options, &Limits::default(), &Work::serial()).unwrap();
    assert_eq!(level(&after).window.min, [1 << 28, 0]);
}

proptest! {
    #[test]
    fn rows_one_after_the_other_give_the_same_bits(
        display in any_window(),
        data in any_window(),
        size in (1u32..40, 1u32..40),
        filter in 0..ResizeFilter::ALL.len(),
    ) {
        use PixelType::{Float, Half, Uint};
        let channels = [("A", Half), ("R", Float), ("Z", Float), ("id", Uint)];
        let before = image(display, data, &channels, noise);
        let size = ResizeSize::Pixels(Some(size.0), Some(size.1));
        let filter = Some(ResizeFilter::ALL[filter]);
        let options = ResizeOptions { filter, ..ResizeOptions::new(size) };
        let (limits, work) = (Limits::default(), Work::serial());
        let mut bytes: Vec<u8> = Vec::new();
        solio_exr::encode_exr(&before, &Default::default(), &mut bytes, &work).unwrap();
        let mut rows = solio_exr::Scanlines::new(&bytes, &Default::default(), &work).unwrap();
        let (by_rows, told) = resize_rows(&mut rows, &options, &limits, &work).unwrap();
        let mut whole = before;
        prop_assert_eq!(told, resize(&mut whole, &options, &limits, &work).unwrap());
        prop_assert_eq!(&by_rows.parts[0].pixels, &whole.parts[0].pixels);
        let windows = |image: &Image<'_>| {
            let header = &image.parts[0].header;
            (header.display_window(), header.shape().unwrap().data_window)
        };
        prop_assert_eq!(windows(&by_rows), windows(&whole));
    }
}
