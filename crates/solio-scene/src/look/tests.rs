use super::*;
use crate::export::tests::scene_of;
use solio_base::{Error, Result, Work};

fn scene(world: &str) -> Scene {
    scene_of("", world, &Work::serial())
}

/// The look of a material of version 4.
fn look(material: &str) -> MaterialLook {
    let scene = scene(&format!("Material {material}"));
    Looks::new(&scene).materials.remove(0)
}

/// The look of a material of version 3.
fn older(material: &str) -> MaterialLook {
    let scene = scene(&format!("Material {material}\nWorldEnd"));
    Looks::new(&scene).materials.remove(0)
}

fn near(found: &[f32], expected: &[f32], within: f32, what: &str) {
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= within);
    assert!(is_near, "{what}: {found:?}, not {expected:?}");
}

fn losses(world: &str) -> Vec<String> {
    let scene = scene(world);
    Looks::new(&scene).losses().iter().map(ToString::to_string).collect()
}

#[test]
fn lights_have_the_chromaticity_of_their_spectra() {
    // By 1 nm sums of the CIE 1931 functions; those that pbrt-v4 rendered agree to 0.003.
    for (light, expected) in [
        ("blackbody L\" 1500", [3.264, 0.4341, 0.0]),
        ("blackbody L\" 2700", [1.9348, 0.8036, 0.1918]),
        ("blackbody L\" 4000", [1.4138, 0.924, 0.5335]),
        ("blackbody L\" 5000", [1.2133, 0.9605, 0.7625]),
        ("blackbody L\" 6500", [1.0432, 0.9836, 1.0352]),
        ("spectrum L\" [300 5 900 5]", [1.2049, 0.9482, 0.9092]),
        ("spectrum L\" [400 0 700 10]", [1.7632, 0.8525, 0.2131]),
        ("spectrum L\" \"stdillum-A\"", [1.845, 0.8261, 0.2334]),
        ("spectrum L\" \"stdillum-D50\"", [1.0866, 0.9995, 0.7497]),
        ("spectrum L\" \"stdillum-F2\"", [1.3401, 0.943, 0.5629]),
        ("spectrum L\" \"stdillum-F11\"", [1.4121, 0.9247, 0.5316]),
        ("spectrum L\" \"illum-acesD60\"", [1.0469, 0.9946, 0.9155]),
        ("rgb L\" [0.2 0.5 3]", [0.2, 0.5, 3.0]),
    ] {
        let scene = scene(&format!("LightSource \"infinite\" \"{light}\n"));
        let looks = Looks::new(&scene);
        let found = looks.lights[0].as_ref().unwrap().light();
        near(&found, &expected, 0.003, light);
    }
}

#[test]
fn surfaces_reflect_what_pbrt_sees() {
    for (material, expected) in [
        (
            "\"diffuse\" \"spectrum reflectance\" [400 .1 500 .1 550 .3 600 .8 700 .9]",
            [0.9834, 0.2927, 0.0604],
        ),
        // Its red is a little above 1, which no surface shows.
        (
            "\"conductor\" \"spectrum eta\" \"metal-Au-eta\" \"spectrum k\" \"metal-Au-k\"",
            [1.0, 0.7825, 0.3434],
        ),
        (
            "\"conductor\" \"spectrum eta\" \"metal-Ag-eta\" \"spectrum k\" \"metal-Ag-k\"",
            [0.9715, 0.9599, 0.9153],
        ),
        (
            "\"conductor\" \"spectrum eta\" \"metal-Al-eta\" \"spectrum k\" \"metal-Al-k\"",
            [0.9132, 0.9215, 0.9245],
        ),
        (
            "\"conductor\" \"spectrum eta\" \"metal-CuZn-eta\" \"spectrum k\" \"metal-CuZn-k\"",
            [0.9096, 0.7783, 0.4228],
        ),
        (
            "\"conductor\" \"spectrum eta\" \"metal-MgO-eta\" \"spectrum k\" \"metal-MgO-k\"",
            [0.072, 0.0731, 0.0749],
        ),
        (
            "\"conductor\" \"spectrum eta\" \"metal-TiO2-eta\" \"spectrum k\" \"metal-TiO2-k\"",
            [0.2322, 0.2446, 0.2727],
        ),
        ("\"conductor\"", [0.9553, 0.6376, 0.5382]),
        ("\"coatedconductor\"", [0.9346, 0.5493, 0.4385]),
        ("\"conductor\" \"rgb reflectance\" [0.5 0.25 1]", [0.5, 0.25, 1.0]),
        // By hand: n 2, k 3.
        (
            "\"conductor\" \"spectrum eta\" [300 2 900 2] \"spectrum k\" [300 3 900 3]",
            [5.0 / 9.0; 3],
        ),
        ("\"conductor\" \"rgb eta\" [2 2 2] \"rgb k\" [3 3 3]", [5.0 / 9.0; 3]),
        (
            "\"coatedconductor\" \"spectrum conductor.eta\" [300 3 900 3] \
             \"spectrum conductor.k\" [300 4.5 900 4.5]",
            [5.0 / 9.0; 3],
        ),
    ] {
        near(&look(material).base.factor, &expected, 0.003, material);
    }
    near(&older("\"metal\"").base.factor, &[0.9553, 0.6376, 0.5382], 0.003, "metal");
    near(&older("\"mirror\" \"rgb Kr\" [0.5 0 0]").base.factor, &[0.5, 0.0, 0.0], 1e-6, "mirror");
}

#[test]
fn glasses_have_the_index_of_the_d_line() {
    for (name, expected) in [
        ("glass-BK7", 1.5168),
        ("glass-BAF10", 1.67),
        ("glass-FK51A", 1.4866),
        ("glass-LASF9", 1.8503),
        ("glass-F5", 1.6034),
        ("glass-F10", 1.6228),
        ("glass-F11", 1.6206),
    ] {
        let found = look(&format!("\"dielectric\" \"spectrum eta\" \"{name}\""));
        // Of F5, F10 and F11 the table has Schott's own glasses SF5, SF10, SF11.
        let expected = match name {
            "glass-F5" => 1.6727,
            "glass-F10" => 1.7283,
            "glass-F11" => 1.7847,
            _ => expected,
        };
        near(&[found.ior], &[expected], 1e-3, name);
        assert!(found.dispersion > 0.2 && found.class == LookClass::Dielectric);
    }
    // 20 over Abbe's number of BK7, 64.17.
    let crown = look("\"dielectric\" \"spectrum eta\" \"glass-BK7\"");
    near(&[crown.dispersion], &[20.0 / 64.17], 0.01, "dispersion");
    let plain = look("\"dielectric\" \"float eta\" 1.4");
    assert_eq!((plain.ior, plain.dispersion), (1.4, 0.0));
}

#[test]
fn roughness_is_a_root_or_a_polynomial() {
    let given = "\"float roughness\" 0.1";
    for (look, alpha) in [
        (look(&format!("\"conductor\" {given}")), 0.316228),
        (older(&format!("\"metal\" {given}")), 0.462),
        (look(&format!("\"conductor\" {given} \"bool remaproughness\" false")), 0.1),
        (older(&format!("\"metal\" {given} \"bool remaproughness\" \"false\"")), 0.1),
        (older("\"glass\""), 0.0),
        (look("\"diffuse\""), 1.0),
    ] {
        near(&look.alphas, &[alpha; 2], 1e-3, "α");
        near(&[look.roughness.factor], &[alpha.sqrt()], 1e-3, "√α");
    }
    let brushed = look("\"conductor\" \"float uroughness\" 0.01 \"float vroughness\" 0.25");
    assert_eq!(brushed.alphas, [0.1, 0.5]);
    let (strength, is_along_v) = brushed.anisotropy();
    assert!(is_along_v && (0.1 + (1.0 - 0.1) * strength * strength - 0.5).abs() < 1e-6);
}

#[test]
fn coats_catch_light_as_pbrt_renders_it() {
    // pbrt-v4, an even sky, normal incidence, grey below a coat of 1.5.
    let rows = [
        (0.0, [0.125, 0.304, 0.585, 0.865]),
        (0.1, [0.116, 0.268, 0.471, 0.647]),
        (0.3, [0.101, 0.230, 0.385, 0.507]),
    ];
    for (roughness, reflected) in rows {
        for (base, wanted) in [0.2, 0.5, 0.8, 1.0].into_iter().zip(reflected) {
            let look = look(&format!(
                "\"coateddiffuse\" \"float roughness\" {roughness} \
                 \"rgb reflectance\" [{base} {base} {base}]"
            ));
            near(&look.base.factor, &[base; 3], 1e-6, "base");
            let expected: f32 = (wanted - 0.04) / 0.96;
            near(&look.linear_base.factor, &[expected; 3], 1e-4, "linear base");
        }
    }
    // It rises with the base, also beyond the figures, and for other indices.
    for ior in [1.1, 1.33, 1.5, 2.0] {
        for alpha in [0.0, 0.2, 0.5, 1.0] {
            let values: Vec<f32> =
                (0u8..=20).map(|i| coated_albedo(f32::from(i) / 20.0, alpha, ior)).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{ior} {alpha} {values:?}");
            assert!(values[20] < 1.0, "{ior} {alpha} {values:?}");
        }
    }
}

#[test]
fn each_class_has_its_lobes() {
    let classes = [
        ("\"diffuse\"", LookClass::Diffuse),
        ("\"coateddiffuse\"", LookClass::CoatedDiffuse),
        ("\"conductor\"", LookClass::Conductor),
        ("\"coatedconductor\"", LookClass::CoatedConductor),
        ("\"dielectric\"", LookClass::Dielectric),
        ("\"thindielectric\"", LookClass::ThinDielectric),
        ("\"diffusetransmission\"", LookClass::DiffuseTransmission),
        ("\"subsurface\"", LookClass::Subsurface),
        ("\"hair\"", LookClass::Hair),
        ("\"measured\" \"string filename\" \"a.bsdf\"", LookClass::Measured),
        ("\"interface\"", LookClass::Interface),
    ];
    for (material, class) in classes {
        assert_eq!(look(material).class, class);
    }
    for (material, class) in [
        ("\"matte\"", LookClass::Diffuse),
        ("\"plastic\"", LookClass::CoatedDiffuse),
        ("\"plastic\" \"rgb Ks\" [0 0 0]", LookClass::Diffuse),
        ("\"uber\"", LookClass::CoatedDiffuse),
        ("\"uber\" \"rgb Ks\" [0 0 0]", LookClass::Diffuse),
        ("\"substrate\"", LookClass::CoatedDiffuse),
        ("\"glass\"", LookClass::Dielectric),
        ("\"metal\"", LookClass::Conductor),
        ("\"mirror\"", LookClass::Conductor),
        ("\"translucent\"", LookClass::DiffuseTransmission),
        ("\"kdsubsurface\"", LookClass::Subsurface),
        ("\"disney\"", LookClass::Principled),
        ("\"none\"", LookClass::Interface),
        ("\"fourier\" \"string bsdffile\" \"a.bsdf\"", LookClass::Measured),
    ] {
        assert_eq!(older(material).class, class, "{material}");
    }
    assert_eq!(look("\"measured\" \"string filename\" \"a.bsdf\"").measured.unwrap(), b"a.bsdf");
    let varnished = look("\"coatedconductor\" \"float interface.roughness\" 0.0625");
    let coat = varnished.coat.unwrap();
    assert_eq!((coat.weight, coat.roughness.factor, coat.ior), (1.0, 0.5, 1.5));
    assert_eq!((varnished.metallic.factor, varnished.roughness.factor), (1.0, 0.0));
    let leaf = look("\"diffusetransmission\" \"rgb reflectance\" [.2 .4 .2] \"float scale\" 0.5");
    assert_eq!(leaf.base.factor, [0.1, 0.2, 0.1]);
    assert_eq!(leaf.diffuse_transmission.unwrap().factor, [0.125; 3]);
    let leaf =
        older("\"translucent\" \"rgb Kd\" [1 .5 0] \"rgb reflect\" [.5 .5 1] \"rgb Ks\" [0 0 0]");
    assert_eq!(leaf.base.factor, [0.5, 0.25, 0.0]);
    assert_eq!(leaf.diffuse_transmission.unwrap().factor, [0.5, 0.25, 0.0]);
    let pane = look("\"thindielectric\"");
    assert!(pane.is_thin && pane.transmission.factor == 1.0 && pane.base.factor == [1.0; 3]);
    let wax =
        look("\"subsurface\" \"rgb reflectance\" [.8 .4 .2] \"rgb mfp\" [1 2 3] \"float scale\" 2");
    assert_eq!((wax.base.factor, wax.ior), ([0.8, 0.4, 0.2], 1.33));
    assert_eq!(wax.subsurface.unwrap().radius, [2.0, 4.0, 6.0]);
    let see = older("\"uber\" \"rgb opacity\" [.5 .5 .5] \"rgb Kd\" [1 0 0]");
    assert_eq!((see.opacity.factor, see.base.factor), (0.5, [1.0, 0.0, 0.0]));
}

#[test]
fn disney_materials_are_taken_one_to_one() {
    let look = older(
        "\"disney\" \"rgb color\" [.8 .4 .2] \"float metallic\" .3 \"float roughness\" .4 \
         \"float clearcoat\" 1 \"float clearcoatgloss\" 1 \"float sheen\" .5 \"float sheentint\" 0 \
         \"float spectrans\" .25 \"float eta\" 1.4",
    );
    assert_eq!((look.base.factor, look.metallic.factor), ([0.8, 0.4, 0.2], 0.3));
    assert_eq!((look.roughness.factor, look.transmission.factor, look.ior), (0.4, 0.25, 1.4));
    near(&look.alphas, &[0.16; 2], 1e-6, "α");
    let coat = look.coat.unwrap();
    assert_eq!(coat.weight, 0.25);
    near(&[coat.roughness.factor], &[0.001f32.sqrt()], 1e-6, "coat");
    assert_eq!(look.sheen.unwrap().color, [0.5; 3]);
}

const TEXTURES: &str = "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \
     \"float uscale\" 2 \"float vdelta\" 0.25\n\
     Texture \"half\" \"spectrum\" \"scale\" \"texture tex\" \"t\" \"float scale\" 0.5\n\
     Texture \"twice\" \"spectrum\" \"scale\" \"texture tex\" \"t\" \"float scale\" 2\n\
     Texture \"not\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"bool invert\" true\n\
     Texture \"edge\" \"spectrum\" \"imagemap\" \"string filename\" \"t.png\" \"string wrap\" \"black\"\n\
     Texture \"r\" \"float\" \"imagemap\" \"string filename\" \"t.png\"\n\
     Texture \"c\" \"spectrum\" \"checkerboard\" \"float uscale\" 4 \"float vscale\" 8 \
     \"rgb tex1\" [1 0 0] \"texture tex2\" \"u\"\n\
     Texture \"u\" \"spectrum\" \"constant\" \"rgb value\" [0 1 0]\n\
     Texture \"b\" \"spectrum\" \"bilerp\" \"rgb v00\" [0 0 0] \"rgb v01\" [0 0 0] \"rgb v10\" [1 0 0] \
     \"rgb v11\" [1 0 0]\n\
     Texture \"m\" \"spectrum\" \"marble\"\n";

/// Two columns, two rows: the upper left pixel is 0, then 0.2, below 0.4 and 0.8.
fn four(picture: &LookPicture) -> Result<TexturePicture> {
    match &picture.name[..] {
        b"t.png" => TexturePicture::new(2, [0.0, 0.2, 0.4, 0.8].map(|v| [v; 3]).to_vec()),
        _ => Err(Error::argument("no such file")),
    }
}

#[test]
fn textures_are_pictures_or_baked() {
    let world =
        |name: &str| format!("{TEXTURES}Material \"diffuse\" \"texture reflectance\" \"{name}\"\n");
    let of = |name: &str| {
        let scene = scene(&world(name));
        let looks = Looks::new(&scene);
        let base = looks.materials[0].base.clone();
        let texture = base.texture.clone().expect("a texture");
        let baked = looks.bake(&texture, 256, &mut four).unwrap();
        (base.factor, texture, baked)
    };
    let values = |baked: &BakedPicture| -> Vec<f32> {
        baked.picture.pixels().iter().map(|pixel| pixel[0]).collect()
    };
    let (factor, texture, baked) = of("half");
    assert_eq!((factor, &texture.source), ([0.5; 3], &TextureSource::Picture(0)));
    assert_eq!((texture.transform.scale, texture.transform.offset), ([2.0, 1.0], [0.0, 0.25]));
    assert_eq!(values(&baked), [0.0, 0.2, 0.4, 0.8]);
    // Made brighter it cannot be a factor: it is cut where a surface reflects all.
    let (factor, texture, baked) = of("twice");
    assert!(matches!(texture.source, TextureSource::Bake(_)) && factor == [1.0; 3]);
    assert_eq!(values(&baked), [0.0, 0.4, 0.8, 1.0]);
    assert_eq!(baked.transform, texture.transform);
    let (_, _, baked) = of("not");
    near(&values(&baked), &[1.0, 0.8, 0.6, 0.2], 1e-6, "inverted");
    // A margin of one black pixel, and the picture within.
    let (_, texture, baked) = of("edge");
    assert_eq!((texture.wrap, baked.wrap), (Wrap::Black, Wrap::Clamp));
    assert_eq!((baked.picture.size(), baked.transform.scale), ([4, 4], [0.5; 2]));
    assert_eq!(baked.transform.offset, [0.25; 2]);
    assert_eq!(values(&baked)[..8], [0., 0., 0., 0., 0., 0., 0.2, 0.]);
    // Two squares by two, four and two of which are in a unit of u and v.
    let (_, _, baked) = of("c");
    assert_eq!((baked.picture.size(), baked.transform.scale), ([64, 64], [2.0, 4.0]));
    let at = |x: usize, y: usize| baked.picture.pixels()[64 * y + x];
    assert_eq!([at(0, 63), at(32, 63), at(31, 0)], [[1., 0., 0.], [0., 1., 0.], [0., 1., 0.]]);
    let (_, _, baked) = of("b");
    assert!(baked.picture.pixels()[0][0] < 0.01 && baked.picture.pixels()[63][0] > 0.99);
    // What depends on the place in space has a mean, and is told.
    let words = losses(&world("m"));
    assert_eq!(words.len(), 1, "{words:?}");
    assert!(words[0].contains("depends on the place in space"), "{words:?}");
}

#[test]
fn roughness_of_a_picture_is_behind_its_curve() {
    let scene = scene(&format!("{TEXTURES}Material \"conductor\" \"texture roughness\" \"r\"\n"));
    let looks = Looks::new(&scene);
    let texture = looks.materials[0].roughness.texture.clone().expect("a texture");
    assert!(looks.pictures[0].is_number && texture.channel == TextureChannel::Number);
    let baked = looks.bake(&texture, 256, &mut four).unwrap();
    let found: Vec<f32> = baked.picture.pixels().iter().map(|pixel| pixel[0]).collect();
    near(&found, &[0.0, 0.66874, 0.795271, 0.945742], 1e-5, "fourth roots");
}

#[test]
fn mixes_know_their_parts() {
    let world = "MakeNamedMaterial \"a\" \"string type\" \"diffuse\" \"rgb reflectance\" [1 0 0]\n\
        MakeNamedMaterial \"b\" \"string type\" \"conductor\" \"rgb reflectance\" [0 0 1]\n\
        Material \"mix\" \"string materials\" [\"a\" \"b\"] \"float amount\" 0.25\n\
        MakeNamedMaterial \"x\" \"string type\" \"mix\" \"string materials\" [\"y\" \"a\"]\n\
        MakeNamedMaterial \"y\" \"string type\" \"mix\" \"string materials\" [\"x\" \"b\"]\n\
        Material \"mix\" \"string materials\" [\"a\" \"gone\"]\n";
    let scene = scene_of("", &world.replace(" \"gone\"", " \"b\""), &Work::serial());
    let looks = Looks::new(&scene);
    let mix = &looks.materials[2];
    assert_eq!((mix.class, mix.base.factor), (LookClass::Mix, [0.75, 0.0, 0.25]));
    assert_eq!(mix.metallic.factor, 0.25);
    let parts = mix.mix.as_ref().unwrap();
    assert_eq!((parts.parts, parts.amount.factor), ([0, 1], 0.25));
    // One that contains itself ends, and is told.
    let words: Vec<String> = looks.losses().iter().map(ToString::to_string).collect();
    assert!(words.iter().any(|words| words.contains("contains itself")), "{words:?}");
}

#[test]
fn textures_that_contain_themselves_end() {
    let world = "Texture \"a\" \"spectrum\" \"scale\" \"texture tex\" \"b\" \"texture scale\" \"b\"\n\
        Texture \"b\" \"spectrum\" \"scale\" \"texture tex\" \"a\" \"texture scale\" \"a\"\n\
        Material \"diffuse\" \"texture reflectance\" \"a\"\n";
    let words = losses(world);
    assert!(words.iter().any(|words| words.contains("contain themselves")), "{words:?}");
    // A chain of mixes of textures doubles at each; it stays small.
    let mut world = TEXTURES.to_owned();
    world += "MakeNamedMaterial \"m0\" \"string type\" \"diffuse\" \"texture reflectance\" \"t\"\n\
        MakeNamedMaterial \"n\" \"string type\" \"diffuse\" \"texture reflectance\" \"not\"\n";
    for i in 1..60 {
        world += &format!(
            "MakeNamedMaterial \"m{i}\" \"string type\" \"mix\" \"string materials\" [\"m{}\" \"n\"]\n",
            i - 1
        );
    }
    let scene = scene_of("", &world, &Work::serial());
    assert_eq!(Looks::new(&scene).materials.len(), 61);
}

#[test]
fn lights_have_the_strength_of_their_power() {
    let scene = scene(
        "LightSource \"point\" \"float power\" 10\nLightSource \"spot\" \"float power\" 10\n\
         LightSource \"infinite\" \"float illuminance\" 10\n\
         LightSource \"distant\" \"float illuminance\" 7 \"point3 from\" [0 5 0] \"point3 to\" [0 0 0]\n\
         LightSource \"infinite\" \"string filename\" \"sky.exr\" \"float scale\" 2\n\
         LightSource \"goniometric\" \"string filename\" \"lamp.exr\"\n\
         LightSource \"projection\" \"string filename\" \"slide.png\" \"float fov\" 40\n\
         LightSource \"point\" \"blackbody I\" 6500 \"float scale\" 3\n",
    );
    let looks = Looks::new(&scene);
    let lights: Vec<&LightLook> = looks.lights.iter().flatten().collect();
    assert_eq!(lights.len(), 8);
    let strength = |i: usize| lights[i].strength;
    let cone = 2.0
        * std::f32::consts::PI
        * (1.0 - 25f32.to_radians().cos()
            + (25f32.to_radians().cos() - 30f32.to_radians().cos()) / 2.0);
    near(&[strength(0)], &[10.0 / (4.0 * std::f32::consts::PI)], 1e-5, "point");
    near(&[strength(1)], &[10.0 / cone], 1e-3, "spot");
    near(&[strength(2), strength(3)], &[3.183, 7.0], 1e-3, "illuminance");
    assert_eq!(lights[3].direction, [0.0, -1.0, 0.0]);
    assert_eq!((lights[4].kind, strength(4)), (LightLookKind::Sky, 2.0));
    assert_eq!(lights[4].picture.as_ref().unwrap().mapping, EnvironmentMapping::EqualArea);
    assert!(lights[4].is_exact && !lights[5].is_exact && !lights[6].is_exact);
    assert!(matches!(lights[6].kind, LightLookKind::Projection { .. }));
    near(&lights[7].light(), &[3.131, 2.951, 3.103], 3e-3, "rendered by pbrt-v4");
    // Each triangle has the power for itself: a square of 36 m² on both sides.
    let scene = scene_of(
        "",
        "AreaLightSource \"diffuse\" \"float power\" 72 \"bool twosided\" true\nShape \"sphere\"\n",
        &Work::serial(),
    );
    let lamp = Looks::new(&scene).area_lights[0].clone();
    near(&[lamp.strength_of(Some(18.0), 1.0)], &[0.637], 1e-3, "power");
}

#[test]
fn skies_are_found_where_they_are() {
    for mapping in [EnvironmentMapping::EqualArea, EnvironmentMapping::LatLong] {
        for i in 0..200 {
            let (x, y) = (0.005 * f64::from(i) + 0.0025, 0.017 * f64::from(i) % 1.0);
            let toward = sky_direction(x, y, mapping);
            let length: f64 = toward.iter().map(|x| x * x).sum();
            let back = sky_direction_of(sky_place(toward, mapping), mapping);
            let off: f64 = (0..3).map(|i| (back[i] - toward[i]).abs()).sum();
            assert!((length - 1.0).abs() < 1e-9 && off < 1e-6, "{mapping:?} {x} {y} {off}");
        }
    }
    // The same from everywhere: π.
    let even = TexturePicture::new(64, vec![[1.0; 3]; 64 * 32]).unwrap();
    assert!((illuminance_of_sky(&even) - std::f64::consts::PI).abs() < 0.01);
}

fn sky_direction_of([x, y]: [f64; 2], mapping: EnvironmentMapping) -> [f64; 3] {
    sky_direction(x, y, mapping)
}

#[test]
fn holes_belong_to_shapes() {
    let scene = scene(&format!(
        "{TEXTURES}Texture \"leaf\" \"float\" \"imagemap\" \"string filename\" \"t.png\"\n\
         Shape \"disk\" \"texture alpha\" \"leaf\"\nShape \"disk\" \"texture alpha\" \"leaf\"\n\
         Shape \"disk\" \"float alpha\" 0.5\nShape \"disk\" \"float alpha\" 1\nShape \"disk\"\n"
    ));
    let looks = Looks::new(&scene);
    assert!(looks.alpha(0).unwrap().texture.is_some());
    let keys = [0, 1, 2, 3, 4].map(|shape| looks.key(shape, true).alpha);
    assert_eq!((keys[0], keys[3], keys[4]), (keys[1], crate::scene::NONE, crate::scene::NONE));
    assert_eq!(looks.alpha(2).unwrap().factor, 0.5);
}

#[test]
fn cameras_have_lens_and_film() {
    let scene = scene_of(
        "Film \"rgb\" \"integer xresolution\" 200 \"integer yresolution\" 100 \"float iso\" 200 \
         \"float exposuretime\" 0.25\nLookAt 1 2 3 0 0 0 0 1 0\n\
         Camera \"perspective\" \"float fov\" 60 \"float lensradius\" 0.1 \"float focaldistance\" 5",
        "",
        &Work::serial(),
    );
    let camera = Looks::new(&scene).camera.unwrap();
    let tangent = 30f64.to_radians().tan();
    let CameraProjection::Perspective([across, up]) = camera.projection else { panic!() };
    assert!((across - 2.0 * tangent).abs() < 1e-9 && (up - tangent).abs() < 1e-9);
    assert_eq!((camera.resolution, camera.exposure), ([200, 100], 0.5));
    assert!((camera.lens_radius - 0.1).abs() < 1e-6 && camera.focal_distance == 5.0);
    assert_eq!(camera.to_world[3], [1.0, 2.0, 3.0, 1.0]);
    assert!(camera.mirrors_world && camera.is_exact);
}
