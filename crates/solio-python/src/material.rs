//! Materials between Python objects and the model.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use solio::mesh::material::{Material, TextureMap};

/// Lists every key of a material once, for both directions.
macro_rules! keys {
    ($with:ident) => {
        $with!(
            ambient,
            diffuse,
            specular,
            emission,
            transmission_filter,
            shininess,
            ior,
            opacity,
            illum,
            sharpness,
            roughness,
            metallic,
            sheen,
            clearcoat,
            clearcoat_roughness,
            anisotropy,
            anisotropy_rotation,
            double_sided,
            alpha_cutoff
        )
    };
}

/// A model material from a `solio.Material`.
pub(crate) fn take(object: &Bound<'_, PyAny>) -> PyResult<Material> {
    let py = object.py();
    let mut material = Material { name: object.getattr("name")?.extract()?, ..Material::default() };
    macro_rules! get {
        ($($key:ident),*) => {
            $(material.$key = object.getattr(pyo3::intern!(py, stringify!($key)))?.extract()?;)*
        };
    }
    keys!(get);
    for map in object.getattr("maps")?.try_iter()? {
        let map = map?;
        material.maps.push(TextureMap {
            key: map.getattr("key")?.extract()?,
            options: map.getattr("options")?.extract()?,
            path: map.getattr("path")?.extract()?,
        });
    }
    material.other = object.getattr("other")?.extract()?;
    Ok(material)
}

/// A `solio.Material` from a model material.
pub(crate) fn give<'py>(py: Python<'py>, material: Material) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static MAP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let object = CLASS.import(py, "solio._material", "Material")?.call1((material.name,))?;
    macro_rules! set {
        ($($key:ident),*) => {
            $(if let Some(value) = material.$key {
                object.setattr(pyo3::intern!(py, stringify!($key)), tuple(py, value)?)?;
            })*
        };
    }
    keys!(set);
    let maps = object.getattr("maps")?;
    for map in material.maps {
        let class = MAP.import(py, "solio._material", "TextureMap")?;
        maps.call_method1("append", (class.call1((map.key, map.path, map.options))?,))?;
    }
    object.setattr("other", material.other)?;
    Ok(object)
}

/// Colours become tuples, numbers stay numbers.
fn tuple<'py, T: IntoValue>(py: Python<'py>, value: T) -> PyResult<Bound<'py, PyAny>> {
    value.into_value(py)
}

trait IntoValue {
    fn into_value(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

impl IntoValue for [f32; 3] {
    fn into_value(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok((self[0], self[1], self[2]).into_pyobject(py)?.into_any())
    }
}

impl IntoValue for f32 {
    fn into_value(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(self.into_pyobject(py)?.into_any())
    }
}

impl IntoValue for bool {
    fn into_value(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(self.into_pyobject(py)?.to_owned().into_any())
    }
}

impl IntoValue for i32 {
    fn into_value(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(self.into_pyobject(py)?.into_any())
    }
}
