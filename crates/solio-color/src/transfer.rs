//! The curves and matrices between colour spaces in `f64`.
//!
//! Which of them lead from space to space is in `convert.rs`.
//!
//! Constants:
//! * linear sRGB to Oklab and back: Björn Ottosson, "A perceptual color space for image
//!   processing", as updated on 2021-01-25;
//! * XYZ to Oklab and back: CSS Color 4, appendix "Sample code for color conversions", who
//!   recomputed them in `f64` for its white;
//! * RGB to XYZ: the same appendix, as fractions where it has them; D65 to D50: its linear Bradford
//!   transform. ACEScg has the primaries AP1 of Academy S-2014-004, adapted from its white to D65
//!   by the same transform;
//! * Rec. 2020 has the exponent 2.4 of BT.1886 as in CSS Color 4 (w3c/csswg-drafts, issue 12574),
//!   not the camera's curve of BT.2020.

pub(crate) type Vector = [f64; 3];
pub(crate) type Matrix = [[f64; 3]; 3];

/// The curve of sRGB, mirrored below 0.
pub(crate) fn light_of_code(value: f64) -> f64 {
    let v = value.abs();
    let light = if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
    light.copysign(value)
}

pub(crate) fn code_of_light(light: f64) -> f64 {
    let c = light.abs();
    let value = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    value.copysign(light)
}

/// A power, mirrored below 0.
pub(crate) fn power(value: f64, exponent: f64) -> f64 {
    value.abs().powf(exponent).copysign(value)
}

pub(crate) fn light_of_prophoto(values: Vector) -> Vector {
    values.map(|v| if v.abs() <= 16.0 / 512.0 { v / 16.0 } else { power(v, 1.8) })
}

pub(crate) fn prophoto_of_light(lights: Vector) -> Vector {
    lights.map(|v| if v.abs() < 1.0 / 512.0 { 16.0 * v } else { power(v, 1.0 / 1.8) })
}

/// Of the components of sRGB: the largest, the least and the hue, 0 where there is none.
fn hue_of_srgb([r, g, b]: Vector) -> (f64, f64, f64) {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = most - least;
    let sixths = if range == 0.0 {
        0.0
    } else if most == r {
        (g - b) / range
    } else if most == g {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    (most, least, turn(60.0 * sixths))
}

/// A hue within 0 to 360; as such not below 0 even where rounding would leave 360.
pub(crate) fn turn(hue: f64) -> f64 {
    let hue = hue.rem_euclid(360.0);
    if hue == 360.0 { 0.0 } else { hue }
}

/// CSS Color 4, §7.2: outside of sRGB the saturation can be negative, which is the opposite hue.
pub(crate) fn hsl_of_srgb(rgb: Vector) -> Vector {
    let (most, least, hue) = hue_of_srgb(rgb);
    let lightness = (most + least) / 2.0;
    let flat = most == least || lightness == 0.0 || lightness == 1.0;
    let saturation = if flat { 0.0 } else { (most - lightness) / lightness.min(1.0 - lightness) };
    let hue = if saturation < 0.0 { turn(hue + 180.0) } else { hue };
    [hue, saturation.abs(), lightness]
}

/// CSS Color 4, §7.1.
pub(crate) fn srgb_of_hsl([hue, saturation, lightness]: Vector) -> Vector {
    let a = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|n| {
        let k = (n + turn(hue) / 30.0) % 12.0;
        lightness - a * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

/// Smith, "Color Gamut Transform Pairs", 1978.
pub(crate) fn hsv_of_srgb(rgb: Vector) -> Vector {
    let (most, least, hue) = hue_of_srgb(rgb);
    let saturation = if most == 0.0 { 0.0 } else { (most - least) / most };
    [hue, saturation, most]
}

pub(crate) fn srgb_of_hsv([hue, saturation, value]: Vector) -> Vector {
    [5.0, 3.0, 1.0].map(|n| {
        let k = (n + turn(hue) / 60.0) % 6.0;
        value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0)
    })
}

/// CSS Color 4, §8.2.
pub(crate) fn hwb_of_srgb(rgb: Vector) -> Vector {
    let (most, least, hue) = hue_of_srgb(rgb);
    [hue, least, 1.0 - most]
}

/// CSS Color 4, §8.1: where whiteness and blackness fill the colour, only their ratio counts.
pub(crate) fn srgb_of_hwb([hue, white, black]: Vector) -> Vector {
    if white + black >= 1.0 {
        return [white / (white + black); 3];
    }
    srgb_of_hsl([hue, 1.0, 0.5]).map(|c| c * (1.0 - white - black) + white)
}

pub(crate) fn polar([lightness, a, b]: Vector) -> Vector {
    [lightness, a.hypot(b), turn(b.atan2(a).to_degrees())]
}

pub(crate) fn rectangular([lightness, chroma, hue]: Vector) -> Vector {
    let (sin, cos) = hue.to_radians().sin_cos();
    [lightness, chroma * cos, chroma * sin]
}

/// XYZ of D50, from its x and y of four digits, as CSS Color 4 has it.
const D50: Vector = [0.3457 / 0.3585, 1.0, (1.0 - 0.3457 - 0.3585) / 0.3585];
/// CIE 15, §8.2.1: 6³/29³ and 29³/3³.
const EPSILON: f64 = 216.0 / 24389.0;
const KAPPA: f64 = 24389.0 / 27.0;

pub(crate) fn lab_of_xyz(xyz: Vector) -> Vector {
    let [x, y, z] = [0, 1, 2].map(|i| {
        let ratio = xyz[i] / D50[i];
        if ratio > EPSILON { ratio.cbrt() } else { (KAPPA * ratio + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

pub(crate) fn xyz_of_lab([lightness, a, b]: Vector) -> Vector {
    let y = (lightness + 16.0) / 116.0;
    let ratios = [y + a / 500.0, y, y - b / 200.0].map(|f| {
        let cube = f * f * f;
        if cube > EPSILON { cube } else { (116.0 * f - 16.0) / KAPPA }
    });
    [0, 1, 2].map(|i| ratios[i] * D50[i])
}

pub(crate) fn apply(m: &Matrix, v: Vector) -> Vector {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

pub(crate) fn product(m: &Matrix, n: &Matrix) -> Matrix {
    m.map(|row| [0, 1, 2].map(|k| row[0] * n[0][k] + row[1] * n[1][k] + row[2] * n[2][k]))
}

pub(crate) const OTTOSSON_SRGB_TO_LMS: Matrix = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
];
pub(crate) const OTTOSSON_LMS_TO_OKLAB: Matrix = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
];
pub(crate) const OTTOSSON_OKLAB_TO_LMS: Matrix = [
    [1.0, 0.3963377774, 0.2158037573],
    [1.0, -0.1055613458, -0.0638541728],
    [1.0, -0.0894841775, -1.2914855480],
];
pub(crate) const OTTOSSON_LMS_TO_SRGB: Matrix = [
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
];

pub(crate) const XYZ_TO_LMS: Matrix = [
    [0.819022437996703, 0.3619062600528904, -0.1288737815209879],
    [0.0329836539323885, 0.9292868615863434, 0.0361446663506424],
    [0.0481771893596242, 0.2642395317527308, 0.6335478284694309],
];
pub(crate) const LMS_TO_OKLAB: Matrix = [
    [0.210454268309314, 0.7936177747023054, -0.0040720430116193],
    [1.9779985324311684, -2.42859224204858, 0.450593709617411],
    [0.0259040424655478, 0.7827717124575296, -0.8086757549230774],
];
pub(crate) const OKLAB_TO_LMS: Matrix = [
    [1.0, 0.3963377773761749, 0.2158037573099136],
    [1.0, -0.1055613458156586, -0.0638541728258133],
    [1.0, -0.0894841775298119, -1.2914855480194092],
];
pub(crate) const LMS_TO_XYZ: Matrix = [
    [1.2268798758459243, -0.5578149944602171, 0.2813910456659647],
    [-0.0405757452148008, 1.112286803280317, -0.0717110580655164],
    [-0.0763729366746601, -0.4214933324022432, 1.5869240198367816],
];

pub(crate) const SRGB_TO_XYZ: Matrix = [
    [506752.0 / 1228815.0, 87881.0 / 245763.0, 12673.0 / 70218.0],
    [87098.0 / 409605.0, 175762.0 / 245763.0, 12673.0 / 175545.0],
    [7918.0 / 409605.0, 87881.0 / 737289.0, 1001167.0 / 1053270.0],
];
pub(crate) const XYZ_TO_SRGB: Matrix = [
    [12831.0 / 3959.0, -329.0 / 214.0, -1974.0 / 3959.0],
    [-851781.0 / 878810.0, 1648619.0 / 878810.0, 36519.0 / 878810.0],
    [705.0 / 12673.0, -2585.0 / 12673.0, 705.0 / 667.0],
];
pub(crate) const P3_TO_XYZ: Matrix = [
    [608311.0 / 1250200.0, 189793.0 / 714400.0, 198249.0 / 1000160.0],
    [35783.0 / 156275.0, 247089.0 / 357200.0, 198249.0 / 2500400.0],
    [0.0, 32229.0 / 714400.0, 5220557.0 / 5000800.0],
];
pub(crate) const XYZ_TO_P3: Matrix = [
    [446124.0 / 178915.0, -333277.0 / 357830.0, -72051.0 / 178915.0],
    [-14852.0 / 17905.0, 63121.0 / 35810.0, 423.0 / 17905.0],
    [11844.0 / 330415.0, -50337.0 / 660830.0, 316169.0 / 330415.0],
];
pub(crate) const REC2020_TO_XYZ: Matrix = [
    [63426534.0 / 99577255.0, 20160776.0 / 139408157.0, 47086771.0 / 278816314.0],
    [26158966.0 / 99577255.0, 472592308.0 / 697040785.0, 8267143.0 / 139408157.0],
    [0.0, 19567812.0 / 697040785.0, 295819943.0 / 278816314.0],
];
pub(crate) const XYZ_TO_REC2020: Matrix = [
    [30757411.0 / 17917100.0, -6372589.0 / 17917100.0, -4539589.0 / 17917100.0],
    [-19765991.0 / 29648200.0, 47925759.0 / 29648200.0, 467509.0 / 29648200.0],
    [792561.0 / 44930125.0, -1921689.0 / 44930125.0, 42328811.0 / 44930125.0],
];
pub(crate) const A98_TO_XYZ: Matrix = [
    [573536.0 / 994567.0, 263643.0 / 1420810.0, 187206.0 / 994567.0],
    [591459.0 / 1989134.0, 6239551.0 / 9945670.0, 374412.0 / 4972835.0],
    [53769.0 / 1989134.0, 351524.0 / 4972835.0, 4929758.0 / 4972835.0],
];
pub(crate) const XYZ_TO_A98: Matrix = [
    [1829569.0 / 896150.0, -506331.0 / 896150.0, -308931.0 / 896150.0],
    [-851781.0 / 878810.0, 1648619.0 / 878810.0, 36519.0 / 878810.0],
    [16779.0 / 1248040.0, -147721.0 / 1248040.0, 1266979.0 / 1248040.0],
];
/// To XYZ under D50.
pub(crate) const PROPHOTO_TO_XYZ: Matrix = [
    [0.7977666449006423, 0.13518129740053308, 0.0313477341283922],
    [0.2880748288194013, 0.711835234241873, 0.00008993693872564],
    [0.0, 0.0, 0.8251046025104602],
];
pub(crate) const XYZ_TO_PROPHOTO: Matrix = [
    [1.3457868816471583, -0.25557208737979464, -0.05110186497554526],
    [-0.5446307051249019, 1.5082477428451468, 0.02052744743642139],
    [0.0, 0.0, 1.2119675456389452],
];
/// AP1 to XYZ, times the Bradford transform from the white of ACES to D65, in exact fractions.
pub(crate) const ACESCG_TO_XYZ: Matrix = [
    [0.6522375418862887, 0.12823613599971256, 0.16998224916567053],
    [0.26767218012533683, 0.6743399888015508, 0.05798783107311244],
    [-0.005381815766387706, 0.0013690602090958336, 1.0930705063171704],
];
pub(crate) const XYZ_TO_ACESCG: Matrix = [
    [1.6605853264911827, -0.3152955608258707, -0.24150932760837673],
    [-0.6599260632241546, 1.6083914695660548, 0.017298594705445494],
    [0.009002569137834213, -0.0035668763903373268, 0.9136433127631042],
];
pub(crate) const D65_TO_D50: Matrix = [
    [1.0479297925449969, 0.022946870601609652, -0.05019226628920524],
    [0.02962780877005599, 0.9904344267538799, -0.017073799063418826],
    [-0.009243040646204504, 0.015055191490298152, 0.7518742814281371],
];
pub(crate) const D50_TO_D65: Matrix = [
    [0.955473421488075, -0.02309845494876471, 0.06325924320057072],
    [-0.0283697093338637, 1.0099953980813041, 0.021041441191917323],
    [0.012314014864481998, -0.020507649298898964, 1.330365926242124],
];
