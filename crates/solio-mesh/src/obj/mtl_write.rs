//! Writes MTL, with the keys in Blender's order.

use super::MtlWriteOptions;
use super::mtl_keys::{KEYS, MtlValue};
use crate::material::Material;
use solio_base::{Error, Result};
use solio_codec::number::format::push_f32;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The names of `materials` in an OBJ and its MTL: on one line, and different for materials that
/// differ, since files refer by name. Of those with one name the first keeps it, a later one gets
/// the first free of `name.001`, `name.002`….
///
/// ```
/// use solio_mesh::{Material, obj::material_names};
/// let oak = |opacity| Material { name: "oak".into(), opacity, ..Material::default() };
/// assert_eq!(material_names(&[oak(None), oak(Some(0.5))], false), ["oak", "oak.001"]);
/// assert_eq!(material_names(&[oak(None), oak(None)], false), ["oak", "oak"]);
/// ```
pub fn material_names(materials: &[Material], spaces_to_underscores: bool) -> Vec<String> {
    let name = |material: &Material| {
        let name = material.name.replace(['\n', '\r'], "_");
        if spaces_to_underscores { name.replace(' ', "_") } else { name }
    };
    let mut names: Vec<String> = materials.iter().map(name).collect();
    // Readers do without the spaces at the ends.
    let mut taken: HashMap<String, usize> = HashMap::new();
    for (i, name) in names.iter().enumerate().rev() {
        taken.insert(name.trim().to_owned(), i);
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (i, name) in names.iter_mut().enumerate() {
        let first = taken[name.trim()];
        if first == i || is_alike(&materials[first], &materials[i]) {
            continue;
        }
        let base = name.trim().to_owned();
        let number = numbers.entry(base.clone()).or_default();
        *name = loop {
            *number += 1;
            let free = format!("{base}.{number:03}");
            if let Entry::Vacant(place) = taken.entry(free.clone()) {
                place.insert(i);
                break free;
            }
        };
    }
    names
}

/// Whether two materials say the same but for their names.
fn is_alike(a: &Material, b: &Material) -> bool {
    a == b || Material { name: a.name.clone(), ..b.clone() } == *a
}

/// Writes a material library, with [`material_names`]. Keys that a material does not have are left
/// out.
///
/// # Errors
/// `Argument` when a number is not finite, which no reader would accept.
pub fn encode_mtl(materials: &[Material], options: &MtlWriteOptions) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for comment in &options.comments {
        out.extend_from_slice(b"# ");
        line(&mut out, comment);
    }
    let names = material_names(materials, options.spaces_to_underscores);
    let mut named: Vec<_> = names.into_iter().zip(materials).collect();
    if options.sort {
        named.sort_by(|a, b| a.0.cmp(&b.0));
    }
    for (name, material) in named {
        out.extend_from_slice(b"\nnewmtl ");
        line(&mut out, &name);
        MtlWriter { out: &mut out, options, material }.keys()?;
    }
    Ok(out)
}

/// Appends `text` as (the rest of) one line.
fn line(out: &mut Vec<u8>, text: &str) {
    let text = match text.contains(['\n', '\r']) {
        true => Cow::Owned(text.replace(['\n', '\r'], "_")),
        false => Cow::Borrowed(text),
    };
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

struct MtlWriter<'a> {
    out: &'a mut Vec<u8>,
    options: &'a MtlWriteOptions,
    material: &'a Material,
}

impl MtlWriter<'_> {
    fn keys(&mut self) -> Result<()> {
        let mut m = self.material.clone();
        for (key, value) in &KEYS {
            match value {
                MtlValue::Number(field) => {
                    field(&mut m).map_or(Ok(()), |v| self.numbers(key, &[v]))
                }
                MtlValue::Color(field) => field(&mut m).map_or(Ok(()), |v| self.numbers(key, &v)),
                MtlValue::Illum => {
                    m.illum.iter().for_each(|illum| line(self.out, &format!("{key} {illum}")));
                    Ok(())
                }
                MtlValue::Transparency => Ok(()),
            }?;
        }
        for map in &m.maps {
            let mut text = map.key.clone();
            for (option, arguments) in &map.options {
                text += &format!(" {option} {arguments}");
            }
            line(self.out, &format!("{text} {}", map.path));
        }
        m.other.iter().for_each(|statement| line(self.out, statement));
        Ok(())
    }

    fn numbers(&mut self, key: &str, values: &[f32]) -> Result<()> {
        self.out.extend_from_slice(key.as_bytes());
        for &value in values {
            if !value.is_finite() {
                return Err(Error::argument(format!(
                    "material \"{}\": {key} is {value}, which MTL cannot hold",
                    self.material.name
                )));
            }
            self.out.push(b' ');
            push_f32(self.out, self.options.digits, value);
        }
        self.out.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::TextureMap;
    use crate::obj::{ObjReadOptions, decode_mtl};
    use solio_codec::number::Digits;

    fn wood() -> Material {
        Material {
            name: "dark wood".into(),
            shininess: Some(250.0),
            ambient: Some([1.0; 3]),
            specular: Some([0.5; 3]),
            ior: Some(1.5),
            opacity: Some(1.0),
            illum: Some(2),
            maps: vec![TextureMap {
                key: "map_Bump".into(),
                options: vec![("-s".into(), "2 2 1".into()), ("-bm".into(), "0.300000".into())],
                path: "wood grain.png".into(),
            }],
            ..Material::default()
        }
    }

    #[test]
    fn writes_blenders_order_and_names() {
        let plain = Material { name: "a".into(), ..Material::default() };
        let options = MtlWriteOptions {
            comments: vec!["Blender".into()],
            sort: true,
            spaces_to_underscores: true,
            ..MtlWriteOptions::default()
        };
        let text = encode_mtl(&[wood(), plain], &options).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "# Blender\n\nnewmtl a\n\nnewmtl dark_wood\nNs 250.000000\n\
             Ka 1.000000 1.000000 1.000000\nKs 0.500000 0.500000 0.500000\nNi 1.500000\n\
             d 1.000000\nillum 2\nmap_Bump -s 2 2 1 -bm 0.300000 wood grain.png\n"
        );
    }

    #[test]
    fn reads_back_as_it_was() {
        let mut all = wood();
        all.name = "all".into();
        all.diffuse = Some([0.1, 0.2, 0.3]);
        all.emission = Some([0.0, 1e-7, 3.0]);
        all.transmission_filter = Some([0.3, 0.2, 0.1]);
        all.sharpness = Some(60.0);
        all.roughness = Some(0.1);
        all.metallic = Some(0.2);
        all.sheen = Some(0.3);
        all.clearcoat = Some(0.4);
        all.clearcoat_roughness = Some(0.5);
        all.anisotropy = Some(0.6);
        all.anisotropy_rotation = Some(0.7);
        let options = MtlWriteOptions { digits: Digits::Shortest, ..MtlWriteOptions::default() };
        let materials = [wood(), all];
        let text = encode_mtl(&materials, &options).unwrap();
        let (read, warnings) = decode_mtl(&text, &ObjReadOptions::default()).unwrap();
        assert_eq!((&read[..], &warnings[..]), (&materials[..], &[][..]));
    }

    #[test]
    fn refuses_what_is_no_number_and_keeps_lines_whole() {
        let bad = Material { name: "a\nb".into(), ior: Some(f32::NAN), ..Material::default() };
        let e = encode_mtl(std::slice::from_ref(&bad), &MtlWriteOptions::default()).unwrap_err();
        assert_eq!(e.kind(), solio_base::ErrorKind::Argument);
        let text = encode_mtl(&[Material { ior: None, ..bad }], &MtlWriteOptions::default());
        assert_eq!(text.unwrap(), b"# Solio\n\nnewmtl a_b\n");
    }
}
