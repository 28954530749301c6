//! Photoshop's gradients: version 3 (Photoshop 4 and 5) and version 5, which is a descriptor
//! (Adobe, *Photoshop File Formats Specification*, "Descriptor structure").

use super::straight::{self, BlendMethod, ColorPoint, clean};
use super::{GradientWriteOptions, Holds, LossNotes, MAX_STOPS, MaybeGradients, named_error};
use crate::gradient::{AlphaStop, ColorStop, Easing, Gradient, Mode, Ramp};
use crate::{Color, Interpolation, Missing, Space};
use solio_base::{Error, Result};
use solio_kinds::FileKind;

#[path = "grd_descriptor.rs"]
mod descriptor;

use descriptor::{DescriptorCursor, DescriptorItem, DescriptorValue};

/// Places go from 0 to this.
const WHOLE: f64 = 4096.0;

pub(super) fn read(bytes: &[u8]) -> Result<MaybeGradients> {
    let mut cursor = DescriptorCursor::new(bytes);
    if cursor.take(4, "a signature")? != FileKind::Grd.mark() {
        return Err(cursor.error_at(0, "expected 8BGR, with which .grd files begin"));
    }
    match cursor.u16("a version")? {
        3 => version_3(&mut cursor),
        5 => version_5(&mut cursor),
        other => {
            Err(Error::unsupported(format!("version {other} of .grd files; 3 and 5 are known"))
                .at_offset(4))
        }
    }
}

/// A stop as the file has it: where, the midpoint to the next, what.
struct Stop<T> {
    position: f64,
    midpoint: f64,
    what: T,
}

fn gradient(name: String, colors: Vec<Stop<Color>>, alphas: Vec<Stop<f64>>) -> Gradient {
    let ramp = |midpoint: f64| Ramp { midpoint, ..Ramp::default() };
    let opaque = alphas.iter().all(|stop| stop.what == 1.0);
    let mut colors: Vec<ColorStop> = colors
        .into_iter()
        .map(|stop| ColorStop {
            position: stop.position,
            color: stop.what,
            to_next: ramp(stop.midpoint),
        })
        .collect();
    let mut alphas: Vec<AlphaStop> = alphas
        .into_iter()
        .filter(|_| !opaque)
        .map(|stop| AlphaStop {
            position: stop.position,
            alpha: stop.what,
            to_next: ramp(stop.midpoint),
        })
        .collect();
    colors.sort_by(|a, b| a.position.total_cmp(&b.position));
    alphas.sort_by(|a, b| a.position.total_cmp(&b.position));
    Gradient { name, colors, alphas, mode: Mode::in_space(Space::Srgb), ..Gradient::default() }
}

fn version_3(cursor: &mut DescriptorCursor<'_>) -> Result<MaybeGradients> {
    let count = cursor.u16("the number of gradients")?;
    let mut found = Vec::new();
    for _ in 0..count {
        match one_3(cursor) {
            Ok(one) => found.push(one),
            // Where the file ends within one, there are no others.
            Err(error) if found.is_empty() => return Err(error),
            Err(error) => {
                found.push(Err(error));
                break;
            }
        }
    }
    Ok(found)
}

/// A gradient of version 3: read to its end, whatever is wrong with it.
fn one_3(cursor: &mut DescriptorCursor<'_>) -> Result<Result<Gradient>> {
    let length = cursor.u8("the length of a name")?;
    let name: String =
        cursor.take(usize::from(length), "a name")?.iter().map(|&b| char::from(b)).collect();
    let count = cursor.u16("the number of colour stops")?;
    let (mut colors, mut wrong) = (Vec::new(), None);
    for _ in 0..count {
        let (position, midpoint) = place_3(cursor)?;
        let at = cursor.at();
        let model = cursor.u16("a colour model")?;
        let mut values = [0; 4];
        for value in &mut values {
            *value = cursor.u16("a colour")?;
        }
        let what = match cursor.u16("the sort of a colour")? {
            1 => Color::from_rgb8([0; 3]),
            2 => Color::from_rgb8([255; 3]),
            _ => color_3(model, values).unwrap_or_else(|| {
                wrong.get_or_insert_with(|| {
                    cursor.error_at(at, format!("colour model {model}; 0, 1, 2, 7 and 8 are known"))
                });
                Color::from_rgb8([0; 3])
            }),
        };
        colors.push(Stop { position, midpoint, what });
    }
    let count = cursor.u16("the number of alpha stops")?;
    let mut alphas = Vec::new();
    for _ in 0..count {
        let (position, midpoint) = place_3(cursor)?;
        let alpha = cursor.u16("an opacity")?;
        alphas.push(Stop { position, midpoint, what: f64::from(alpha.min(255)) / 255.0 });
    }
    cursor.take(6, "the end of a gradient")?;
    if colors.is_empty() {
        wrong = Some(cursor.error_at(cursor.at(), "a gradient without colours"));
    }
    Ok(match wrong {
        Some(error) => Err(named_error(&name, error)),
        None => Ok(gradient(name, colors, alphas)),
    })
}

fn place_3(cursor: &mut DescriptorCursor<'_>) -> Result<(f64, f64)> {
    let position = cursor.u32("a place")?;
    let midpoint = cursor.u32("a midpoint")?;
    Ok((f64::from(position.min(4096)) / WHOLE, f64::from(midpoint.min(100)) / 100.0))
}

/// As colours are in swatches: RGB, HSB, CMYK (0 is all ink), Lab, grey.
fn color_3(model: u16, [a, b, c, d]: [u16; 4]) -> Option<Color> {
    let part = |value: u16| f64::from(value) / 65535.0;
    Some(match model {
        0 => Color::new(Space::Srgb, [a, b, c].map(part)),
        1 => known(Color::new(Space::Hsv, [part(a) * 360.0, part(b), part(c)])),
        2 => Color::new(Space::Srgb, [a, b, c].map(|ink| part(ink) * part(d))),
        7 => {
            let signed = |value: u16| f64::from(value as i16) / 100.0;
            known(Color::new(Space::Lab, [f64::from(a) / 100.0, signed(b), signed(c)]))
        }
        8 => Color::new(Space::Srgb, [(f64::from(a) / 10000.0).min(1.0); 3]),
        _ => return None,
    })
}

/// Photoshop turns all into RGB before it blends.
fn known(color: Color) -> Color {
    Color { missing: Missing::NONE, ..color.to(Space::Srgb) }
}

fn version_5(cursor: &mut DescriptorCursor<'_>) -> Result<MaybeGradients> {
    let at = cursor.at();
    if cursor.u32("the version of a descriptor")? != 16 {
        return Err(cursor.error_at(at, "expected version 16 of a descriptor"));
    }
    let root = cursor.descriptor()?;
    let Some(list) = root.field("GrdL").and_then(DescriptorItem::list) else {
        return Err(cursor.error_at(root.at, "expected a list of gradients, GrdL"));
    };
    let mut found = Vec::new();
    let mut count = 0;
    for item in list {
        let Some(inside) = item.field("Grad") else {
            found.push(Err(cursor.error_at(item.at, "expected a gradient, Grad")));
            continue;
        };
        let one = one_5(cursor, inside);
        count += one.as_ref().map_or(0, |one| one.colors.len() + one.alphas.len());
        if count > MAX_STOPS {
            return Err(Error::limit(format!("more than {MAX_STOPS} stops")));
        }
        found.push(one);
    }
    Ok(found)
}

fn one_5(cursor: &DescriptorCursor<'_>, item: &DescriptorItem) -> Result<Gradient> {
    let name = name_5(item);
    stops_5(cursor, item, name).map_err(|error| named_error(name, error))
}

fn name_5(item: &DescriptorItem) -> &str {
    let name = item.field("Nm  ").and_then(DescriptorItem::text).unwrap_or_default();
    // Names of what came with Photoshop are written as `$$$/DefaultGradient/…=Name`.
    match name.strip_prefix("$$$") {
        Some(rest) => rest.split_once('=').map_or(name, |(_, name)| name),
        None => name,
    }
}

fn stops_5(cursor: &DescriptorCursor<'_>, item: &DescriptorItem, name: &str) -> Result<Gradient> {
    if item.field("GrdF").and_then(DescriptorItem::text) == Some("ClNs") {
        let error = Error::unsupported("it is made of noise, which is not read");
        return Err(error.at_offset(item.at as u64));
    }
    let stops = |key: &str| item.field(key).and_then(DescriptorItem::list).unwrap_or_default();
    let place = |item: &DescriptorItem| {
        let wrong = || cursor.error_at(item.at, "expected a place, Lctn, from 0 to 4096");
        let position =
            item.field("Lctn").and_then(DescriptorItem::number).ok_or_else(wrong)? / WHOLE;
        let midpoint = item.field("Mdpn").and_then(DescriptorItem::number).unwrap_or(50.0) / 100.0;
        let inside = (0.0..=1.0).contains(&position) && midpoint.is_finite();
        if inside { Ok((position, midpoint.clamp(0.0, 1.0))) } else { Err(wrong()) }
    };
    let mut colors = Vec::new();
    for item in stops("Clrs") {
        let (position, midpoint) = place(item)?;
        let what = match item.field("Type").and_then(DescriptorItem::text) {
            Some("FrgC") => Color::from_rgb8([0; 3]),
            Some("BckC") => Color::from_rgb8([255; 3]),
            _ => {
                let wrong =
                    || cursor.error_at(item.at, "expected a colour in RGB, HSB, CMYK, Lab or grey");
                item.field("Clr ").and_then(color_5).ok_or_else(wrong)?
            }
        };
        colors.push(Stop { position, midpoint, what });
    }
    let mut alphas = Vec::new();
    for item in stops("Trns") {
        let (position, midpoint) = place(item)?;
        let percent =
            item.field("Opct").and_then(DescriptorItem::number).filter(|value| value.is_finite());
        let wrong = || cursor.error_at(item.at, "expected an opacity, Opct");
        let what = (percent.ok_or_else(wrong)? / 100.0).clamp(0.0, 1.0);
        alphas.push(Stop { position, midpoint, what });
    }
    if colors.is_empty() {
        return Err(cursor.error_at(item.at, "a gradient without colours, Clrs"));
    }
    Ok(gradient(name.to_owned(), colors, alphas))
}

fn color_5(item: &DescriptorItem) -> Option<Color> {
    let number = |key: &str| item.field(key)?.number().filter(|value| value.is_finite());
    let DescriptorValue::Object(class, _) = &item.value else { return None };
    let three = |keys: [&str; 3]| Some([number(keys[0])?, number(keys[1])?, number(keys[2])?]);
    Some(match class.as_str() {
        "RGBC" => {
            let codes = three(["Rd  ", "Grn ", "Bl  "])?;
            Color::new(Space::Srgb, codes.map(|code| code / 255.0))
        }
        "HSBC" => {
            let [h, s, b] = three(["H   ", "Strt", "Brgh"])?;
            known(Color::new(Space::Hsv, [h, s / 100.0, b / 100.0]))
        }
        "CMYC" => {
            let key = 1.0 - number("Blck")? / 100.0;
            let inks = three(["Cyn ", "Mgnt", "Ylw "])?;
            Color::new(Space::Srgb, inks.map(|ink| (1.0 - ink / 100.0) * key))
        }
        "LbCl" => known(Color::new(Space::Lab, three(["Lmnc", "A   ", "B   "])?)),
        "Grsc" => Color::new(Space::Srgb, [1.0 - number("Gry ")? / 100.0; 3]),
        _ => return None,
    })
}

pub(super) fn write(
    gradients: &[Gradient],
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) -> Vec<u8> {
    let mut out = [FileKind::Grd.mark(), b"\0\x05\0\0\0\x10"].concat();
    descriptor::head(&mut out, "null", 1);
    descriptor::key(&mut out, "GrdL", b"VlLs");
    out.extend((gradients.len() as u32).to_be_bytes());
    for gradient in gradients {
        notes.of_model(gradient, "Photoshop", Holds { name: true, ..Holds::default() });
        write_one(&mut out, gradient, options, notes);
    }
    out
}

fn write_one(
    out: &mut Vec<u8>,
    gradient: &Gradient,
    options: GradientWriteOptions,
    notes: &mut LossNotes,
) {
    let (colors, alphas) = exact(gradient).unwrap_or_else(|| {
        let way = BlendMethod { space: Space::Srgb, premultiplied: false, bounded: true };
        let points = straight::points_of(gradient, way, options.tolerance, "Photoshop", notes);
        let color = |p: &ColorPoint| Stop {
            position: p.position,
            midpoint: 0.5,
            what: p.color().with_alpha(1.0),
        };
        let alpha = |p: &ColorPoint| Stop { position: p.position, midpoint: 0.5, what: p.rgba[3] };
        (points.iter().map(color).collect(), points.iter().map(alpha).collect())
    });
    out.extend(b"Objc");
    descriptor::head(out, "Grdn", 1);
    descriptor::key(out, "Grad", b"Objc");
    descriptor::head(out, "Grdn", 5);
    descriptor::key(out, "Nm  ", b"TEXT");
    descriptor::text(out, &gradient.name);
    descriptor::key(out, "GrdF", b"enum");
    descriptor::id(out, "GrdF");
    descriptor::id(out, "CstS");
    // How smooth it is: Photoshop's 0 %, at which it blends straight.
    descriptor::number(out, "Intr", 0.0);
    descriptor::key(out, "Clrs", b"VlLs");
    out.extend((colors.len() as u32).to_be_bytes());
    for stop in &colors {
        out.extend(b"Objc");
        descriptor::head(out, "Clrt", 4);
        descriptor::key(out, "Clr ", b"Objc");
        descriptor::head(out, "RGBC", 3);
        for (name, value) in ["Rd  ", "Grn ", "Bl  "].into_iter().zip(stop.what.components) {
            descriptor::number(out, name, value.clamp(0.0, 1.0) * 255.0);
        }
        descriptor::key(out, "Type", b"enum");
        descriptor::id(out, "Clry");
        descriptor::id(out, "UsrS");
        place(out, stop, notes);
    }
    descriptor::key(out, "Trns", b"VlLs");
    out.extend((alphas.len() as u32).to_be_bytes());
    for stop in &alphas {
        out.extend(b"Objc");
        descriptor::head(out, "TrnS", 3);
        descriptor::key(out, "Opct", b"UntF");
        out.extend(b"#Prc");
        out.extend((stop.what.clamp(0.0, 1.0) * 100.0).to_be_bytes());
        place(out, stop, notes);
    }
}

fn place<T>(out: &mut Vec<u8>, stop: &Stop<T>, notes: &mut LossNotes) {
    let round = |value: f64, whole: f64| (value.clamp(0.0, 1.0) * whole).round();
    let (place, midpoint) = (round(stop.position, WHOLE), round(stop.midpoint, 100.0));
    if (place / WHOLE - stop.position).abs() > 1e-9 {
        notes.add("Photoshop holds places in steps of 1/4096: some are moved by up to half a step");
    }
    if (midpoint / 100.0 - stop.midpoint).abs() > 1e-9 {
        notes.add("Photoshop holds midpoints in per cent: some are rounded");
    }
    descriptor::whole(out, "Lctn", place as i32);
    descriptor::whole(out, "Mdpn", midpoint as i32);
}

type Stops = (Vec<Stop<Color>>, Vec<Stop<f64>>);

/// The stops that blend as the gradient does, where Photoshop has such.
fn exact(gradient: &Gradient) -> Option<Stops> {
    let plain = |ramp: &Ramp| ramp.easing == Easing::Linear && (0.0..=1.0).contains(&ramp.midpoint);
    let srgb = |mode: Mode| matches!(mode, Mode::Blend(Interpolation { space: Space::Srgb, .. }));
    let inside = |position: f64| (0.0..=1.0).contains(&position);
    let last = gradient.colors.len().checked_sub(1)?;
    let mut colors = Vec::new();
    for (i, stop) in gradient.colors.iter().enumerate() {
        let ramp = if i == last { Ramp::default() } else { stop.to_next };
        let color = gradient.keys.read(&stop.color).to(Space::Srgb);
        let right = plain(&ramp) && srgb(ramp.mode.unwrap_or(gradient.mode)) || i == last;
        let shown = color.components.iter().all(|x| (0.0..=1.0).contains(x));
        if !right || !shown || !inside(stop.position) || !stop.color.missing.is_empty() {
            return None;
        }
        let [r, g, b, a] =
            clean([color.components[0], color.components[1], color.components[2], color.alpha]);
        let what = Color::new(Space::Srgb, [r, g, b]).with_alpha(a);
        colors.push(Stop { position: stop.position, midpoint: ramp.midpoint, what });
    }
    let alpha = colors[0].what.alpha;
    let mut alphas = Vec::new();
    for (i, stop) in gradient.alphas.iter().enumerate() {
        let end = i + 1 == gradient.alphas.len();
        let ramp = if end { Ramp::default() } else { stop.to_next };
        let holds = matches!(ramp.mode, Some(Mode::Hold | Mode::Fixed));
        if !plain(&ramp) || holds || !inside(stop.position) {
            return None;
        }
        alphas.push(Stop { position: stop.position, midpoint: ramp.midpoint, what: stop.alpha });
    }
    if alphas.is_empty() {
        if colors.iter().any(|stop| stop.what.alpha != alpha) {
            return None;
        }
        alphas.extend([0.0, 1.0].map(|position| Stop { position, midpoint: 0.5, what: alpha }));
    }
    Some((colors, alphas))
}
