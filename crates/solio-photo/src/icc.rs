//! ICC profiles: a header of 128 bytes, then a table of tags.
//!
//! ICC.1:2022, clauses 7 (header, tag table) and 10 (types). All numbers are big-endian.

use crate::gather::Gather;
use crate::rule::{Named, Rule};
use crate::table;
use crate::value::{Value, lossy};
use solio_container::ByteView;
use std::borrow::Cow;

const GROUP: &str = "ICC_Profile";
const HEADER: &str = "ICC-header";
/// Most tags of a profile.
const MOST_TAGS: u32 = 256;
/// Longest text of a tag.
const MOST_TEXT: u64 = 1 << 20;

/// Reads a profile.
pub(crate) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if !gather.fields.wants_profile() || view.len() < 132 {
        return;
    }
    if gather.fields.names_tag(GROUP, GROUP) {
        gather.block(GROUP, view);
    }
    header(view, gather);
    let count = view.be32(128).unwrap_or(0).min(MOST_TAGS);
    for n in 0..u64::from(count) {
        let at = 132 + n * 12;
        let (Some(name), Some(start), Some(len)) =
            (view.be32(at), view.be32(at + 4), view.be32(at + 8))
        else {
            break;
        };
        let part = view.part(u64::from(start), u64::from(len));
        if part.len() < u64::from(len) || len < 8 {
            gather.warn("ICC profile: a tag lies past the end");
            continue;
        }
        if name == u32::from_be_bytes(*b"meas") {
            measurement(part, gather);
        } else if name == u32::from_be_bytes(*b"view") {
            viewing(part, gather);
        } else if name == u32::from_be_bytes(*b"chrm") {
            chromaticity(part, gather);
        } else if let Some(row) = table::ICC.get().row(name) {
            tag(row, part, gather);
        }
        if gather.is_full() {
            return;
        }
    }
}

const VENDORS: &str = "appl:Apple Computer Inc.|APPL:Apple Computer Inc.|ADBE:Adobe Systems Inc.|\
    MSFT:Microsoft Corporation|SGI :Silicon Graphics Inc.|SGI:Silicon Graphics Inc.|\
    SUNW:Sun Microsystems Inc.|TGNT:Taligent Inc.|\
    HP  :Hewlett-Packard|IEC :Hewlett-Packard|Lino:Linotronic|lcms:Little CMS|KODA:Kodak|\
    KCMS:Kodak|EPSO:Seiko Epson Corporation|CANO:Canon|NKON:Nikon Corporation|MNLT:Minolta|\
    DELL:Dell Computer Corporation|none:none";

fn header(view: ByteView<'_>, gather: &mut Gather<'_>) {
    let text = |at: u64| {
        let text = view.get(at, 4).map(|b| lossy(&b)).unwrap_or_default();
        crate::text::before_zero(&text).to_owned()
    };
    let words = |words| Rule::Words { words, hex: false };
    let vendor = |at: u64, gather: &mut Gather<'_>, name: &'static str| {
        // A vendor that no list has is shown as it is.
        let code = text(at);
        let known = crate::rule::look_up(VENDORS, &code).is_some();
        let rule = if known { words(VENDORS) } else { Rule::Plain };
        gather.put(HEADER, name, Value::Text(code), rule);
    };
    vendor(4, gather, "ProfileCMMType");
    let version = view.be16(8).unwrap_or(0);
    gather.put(HEADER, "ProfileVersion", Value::int(version), Rule::Named(Named::IccVersion));
    const CLASSES: &str = "scnr:Input Device Profile|mntr:Display Device Profile|\
        prtr:Output Device Profile|link:DeviceLink Profile|spac:ColorSpace Conversion Profile|\
        abst:Abstract Profile|nmcl:NamedColor Profile|nkpf:Nikon Input Device Profile (NON-STANDARD!)";
    gather.put(HEADER, "ProfileClass", Value::Text(text(12)), words(CLASSES));
    gather.text(HEADER, "ColorSpaceData", text(16));
    gather.text(HEADER, "ProfileConnectionSpace", text(20));
    let date: Vec<u16> = (0..6).map(|i| view.be16(24 + 2 * i).unwrap_or(0)).collect();
    let [y, mo, d, h, m, s] = date[..] else { return };
    let date = format!("{y:04}:{mo:02}:{d:02} {h:02}:{m:02}:{s:02}");
    gather.text(HEADER, "ProfileDateTime", date);
    gather.text(HEADER, "ProfileFileSignature", text(36));
    vendor(40, gather, "PrimaryPlatform");
    let flags = view.be32(44).unwrap_or(0);
    gather.put(HEADER, "CMMFlags", Value::int(flags), Rule::Named(Named::IccFlags));
    vendor(48, gather, "DeviceManufacturer");
    gather.text(HEADER, "DeviceModel", text(52));
    let attributes = [56, 60].map(|at| i64::from(view.be32(at).unwrap_or(0)));
    let rule = Rule::Named(Named::IccAttributes);
    gather.put(HEADER, "DeviceAttributes", Value::Ints(attributes.to_vec()), rule);
    const INTENTS: &str = "0:Perceptual|1:Media-Relative Colorimetric|2:Saturation|\
        3:ICC-Absolute Colorimetric";
    gather.put(HEADER, "RenderingIntent", Value::int(view.be32(64).unwrap_or(0)), words(INTENTS));
    gather.put(HEADER, "ConnectionSpaceIlluminant", fixed(view.part(68, 12)), Rule::Plain);
    vendor(80, gather, "ProfileCreator");
    let id = view.get(84, 16).unwrap_or_default();
    let id = Value::Ints(id.iter().map(|b| i64::from(*b)).collect());
    gather.put(HEADER, "ProfileID", id, Rule::Named(Named::IccId));
}

/// Numbers of 16.16 bits, to five decimals.
fn fixed(part: ByteView<'_>) -> Value {
    let bytes = part.all(1 << 16).unwrap_or_default();
    let numbers = bytes.chunks_exact(4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let rounded = |v: i32| (f64::from(v) / 65536.0 * 1e5).round() / 1e5;
    Value::Floats(numbers.map(rounded).collect())
}

fn tag(row: &'static table::Row, part: ByteView<'_>, gather: &mut Gather<'_>) {
    if row.rule == Rule::Binary {
        if gather.wants(GROUP, row.name) {
            gather.put(GROUP, row.name, part.into(), Rule::Binary);
        }
        return;
    }
    let Some(kind) = part.array::<4>(0) else { return };
    let body = part.from(8);
    let text = |view: ByteView<'_>| view.all(MOST_TEXT).unwrap_or_default().into_owned();
    let value = match &kind {
        b"text" => Value::Text(crate::text::before_zero(&crate::text::latin1(&text(body))).into()),
        b"desc" => {
            let len = body.be32(0).unwrap_or(0);
            let bytes = text(body.part(4, u64::from(len)));
            Value::Text(crate::text::before_zero(&crate::text::latin1(&bytes)).into())
        }
        b"mluc" => return localized(row.name, part, gather),
        b"XYZ " | b"sf32" => fixed(body),
        b"sig " => Value::Text(lossy(&text(body.part(0, 4)))),
        b"dtim" => {
            let part = |i: u64| body.be16(2 * i).unwrap_or(0);
            Value::Text(format!(
                "{:04}:{:02}:{:02} {:02}:{:02}:{:02}",
                part(0),
                part(1),
                part(2),
                part(3),
                part(4),
                part(5)
            ))
        }
        _ => part.into(),
    };
    gather.put(GROUP, row.name, value, row.rule);
}

/// Text in several languages: the first has the tag's name, others their language behind it.
fn localized(name: &'static str, part: ByteView<'_>, gather: &mut Gather<'_>) {
    let count = part.be32(8).unwrap_or(0).min(256);
    let size = u64::from(part.be32(12).unwrap_or(12)).max(12);
    for n in 0..u64::from(count) {
        let at = 16 + n * size;
        let (Some(code), Some(len), Some(start)) =
            (part.array::<4>(at), part.be32(at + 4), part.be32(at + 8))
        else {
            return;
        };
        let text = part.part(u64::from(start), u64::from(len)).all(MOST_TEXT).unwrap_or_default();
        let text = crate::text::utf16(&text, true);
        let language = lossy(&code[..2]);
        let country = lossy(&code[2..]).replace('\0', "");
        let plain = &code == b"enUS" || (count == 1 && &code[..2] == b"en");
        let name: Cow<'static, str> = if plain {
            Cow::Borrowed(name)
        } else if country.is_empty() {
            Cow::Owned(format!("{name}-{language}"))
        } else {
            Cow::Owned(format!("{name}-{language}-{country}"))
        };
        gather.text(GROUP, name, text);
    }
}

fn measurement(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let words = |words| Rule::Words { words, hex: false };
    let group = "ICC-meas";
    let number = |at: u64| Value::int(part.be32(at).unwrap_or(0));
    gather.put(group, "MeasurementObserver", number(8), words("0:Unknown|1:CIE 1931|2:CIE 1964"));
    gather.put(group, "MeasurementBacking", fixed(part.part(12, 12)), Rule::Plain);
    let geometry = words("0:Unknown|1:0/45 or 45/0|2:0/d or d/0");
    gather.put(group, "MeasurementGeometry", number(24), geometry);
    let flare = f64::from(part.be32(28).unwrap_or(0)) / 65536.0;
    let flare = Value::Floats(vec![(flare * 1e5).round() / 1e5]);
    gather.put(group, "MeasurementFlare", flare, Rule::Named(Named::IccPercent));
    gather.put(group, "MeasurementIlluminant", number(32), words(ILLUMINANTS));
}

const ILLUMINANTS: &str = "0:Unknown|1:D50|2:D65|3:D93|4:F2|5:D55|6:A|7:Equi-Power (E)|8:F8";

fn viewing(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let group = "ICC-view";
    gather.put(group, "ViewingCondIlluminant", fixed(part.part(8, 12)), Rule::Plain);
    gather.put(group, "ViewingCondSurround", fixed(part.part(20, 12)), Rule::Plain);
    let kind = Value::int(part.be32(32).unwrap_or(0));
    let rule = Rule::Words { words: ILLUMINANTS, hex: false };
    gather.put(group, "ViewingCondIlluminantType", kind, rule);
}

fn chromaticity(part: ByteView<'_>, gather: &mut Gather<'_>) {
    let group = "ICC-chrm";
    let channels = part.be16(8).unwrap_or(0);
    gather.int(group, "ChromaticityChannels", channels);
    let colorant = Value::int(part.be16(10).unwrap_or(0));
    let words = "0:Unknown|1:ITU-R BT.709|2:SMPTE RP145-1994|3:EBU Tech.3213-E|4:P22";
    gather.put(group, "ChromaticityColorant", colorant, Rule::Words { words, hex: false });
    const NAMES: [&str; 4] = [
        "ChromaticityChannel1",
        "ChromaticityChannel2",
        "ChromaticityChannel3",
        "ChromaticityChannel4",
    ];
    for (n, name) in NAMES.into_iter().take(usize::from(channels)).enumerate() {
        gather.put(group, name, fixed(part.part(12 + 8 * n as u64, 8)), Rule::Plain);
    }
}
