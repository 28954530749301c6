//! The values of attributes as plain Python objects: numbers, texts, bytes, and tuples of them.
//!
//! `python/solio/_attributes.py` gives them names. A value of a type that we do not know, or that
//! is damaged, passes as its bytes; so do texts that are not UTF-8.

use crate::Any;
use crate::errors::argument;
use pyo3::BoundObject;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use solio::image::header::{
    Attribute, Box2i, Chromaticities, KeyCode, LevelMode, LineOrder, Part, Preview, Rounding, Text,
    Tiles, TimeCode, Value, standard_type,
};
use solio::image::{Channel, Compression, PixelType};

/// The type of a standard attribute.
#[pyfunction]
pub(crate) fn image_attribute_type(name: &str) -> Option<&'static str> {
    standard_type(name)
}

/// Refuses what is no value of this type.
#[pyfunction]
pub(crate) fn image_attribute_check(type_name: &str, value: &Any<'_>) -> PyResult<()> {
    from_python(type_name, value).map(drop)
}

/// The attributes of a part: name, type, value.
pub(super) fn give<'py>(py: Python<'py>, part: &Part) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for attribute in &part.attributes {
        let value = to_python(py, &attribute.value)?;
        list.append((&attribute.name, attribute.value.type_name(), value))?;
    }
    Ok(list)
}

/// The part that has these attributes.
pub(super) fn take(attributes: Vec<(String, String, Any<'_>)>) -> PyResult<Part> {
    let mut part = Part::default();
    for (name, type_name, value) in attributes {
        let value = from_python(&type_name, &value).map_err(|e| {
            let py = value.py();
            argument(format!("attribute {name:?} ({type_name}): {}", e.value(py)))
        })?;
        part.attributes.push(Attribute { name, value });
    }
    Ok(part)
}

/// The pixel type of a name in NumPy.
pub(super) fn pixel_type(dtype: &str) -> PyResult<PixelType> {
    let found = PixelType::of_name(dtype);
    found.ok_or_else(|| argument(format!("{dtype} is no type of a channel")))
}

fn object<'py, T: IntoPyObject<'py>>(py: Python<'py>, value: T) -> PyResult<Any<'py>> {
    Ok(value.into_pyobject(py).map_err(Into::into)?.into_bound().into_any())
}

fn tuple<'py, T: IntoPyObject<'py> + Copy>(py: Python<'py>, values: &[T]) -> PyResult<Any<'py>> {
    Ok(PyTuple::new(py, values.iter().copied())?.into_any())
}

fn text<'py>(py: Python<'py>, text: &Text) -> Any<'py> {
    match std::str::from_utf8(&text.0) {
        Ok(text) => PyString::new(py, text).into_any(),
        Err(_) => PyBytes::new(py, &text.0).into_any(),
    }
}

fn channel<'py>(py: Python<'py>, channel: &Channel) -> PyResult<Any<'py>> {
    let dtype = channel.pixel_type.name();
    object(py, (&channel.name, dtype, channel.linear, channel.x_sampling, channel.y_sampling))
}

fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Any<'py>> {
    match value {
        Value::Box2i(v) => tuple(py, &[v.min, v.max].concat()),
        Value::Box2f(v) => tuple(py, &v.concat()),
        Value::Bytes { hint, data } => object(py, (text(py, hint), PyBytes::new(py, data))),
        Value::Channels(channels) => {
            let channels = channels.iter().map(|c| channel(py, c));
            Ok(PyTuple::new(py, channels.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        Value::Chromaticities(v) => {
            let pairs = [v.red, v.green, v.blue, v.white].map(|[x, y]| (x, y));
            Ok(PyTuple::new(py, pairs)?.into_any())
        }
        Value::Compression(v) => object(py, v.name()),
        Value::DeepImageState(v) | Value::Envmap(v) => object(py, *v),
        Value::Double(v) => object(py, *v),
        Value::Float(v) => object(py, *v),
        Value::FloatVector(v) => tuple(py, v),
        Value::Int(v) => object(py, *v),
        Value::KeyCode(v) => tuple(py, &<[i32; 7]>::from(*v)),
        Value::LineOrder(v) => object(py, v.name()),
        Value::M33f(v) => tuple(py, v),
        Value::M33d(v) => tuple(py, v),
        Value::M44f(v) => tuple(py, v),
        Value::M44d(v) => tuple(py, v),
        Value::Preview(v) => object(py, (v.width, v.height, PyBytes::new(py, &v.rgba))),
        Value::Rational(n, d) => object(py, (*n, *d)),
        Value::Text(v) => Ok(text(py, v)),
        Value::TextVector(v) => Ok(PyTuple::new(py, v.iter().map(|one| text(py, one)))?.into_any()),
        Value::Tiles(v) => object(py, (v.width, v.height, v.levels.name(), v.rounding.name())),
        Value::TimeCode(v) => object(py, (v.time_and_flags, v.user_data)),
        Value::V2i(v) => tuple(py, v),
        Value::V2f(v) => tuple(py, v),
        Value::V2d(v) => tuple(py, v),
        Value::V3i(v) => tuple(py, v),
        Value::V3f(v) => tuple(py, v),
        Value::V3d(v) => tuple(py, v),
        Value::Opaque { data, .. } => Ok(PyBytes::new(py, data).into_any()),
    }
}

fn from_python(type_name: &str, value: &Any<'_>) -> PyResult<Value> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        let data = bytes.as_bytes().to_vec();
        return Ok(match type_name {
            "string" => Value::Text(Text(data)),
            _ => Value::Opaque { type_name: type_name.to_owned(), data },
        });
    }
    Ok(match type_name {
        "box2i" => Value::Box2i(to_box(value)?),
        "box2f" => {
            let [a, b, c, d] = numbers(value)?;
            Value::Box2f([[a, b], [c, d]])
        }
        "bytes" => {
            let (hint, data): (Any<'_>, Vec<u8>) = value.extract()?;
            Value::Bytes { hint: to_text(&hint)?, data }
        }
        "chlist" => {
            let channels = value.try_iter()?.map(|one| to_channel(&one?));
            Value::Channels(channels.collect::<PyResult<_>>()?)
        }
        "chromaticities" => {
            let [red, green, blue, white]: [[f32; 2]; 4] = numbers(value)?;
            Value::Chromaticities(Chromaticities { red, green, blue, white })
        }
        "compression" => Value::Compression(compression(value.extract()?)?),
        "deepImageState" => Value::DeepImageState(value.extract()?),
        "double" => Value::Double(value.extract()?),
        "envmap" => Value::Envmap(value.extract()?),
        "float" => Value::Float(value.extract()?),
        "floatvector" => Value::FloatVector(value.extract()?),
        "int" => Value::Int(value.extract()?),
        "keycode" => Value::KeyCode(KeyCode::from(numbers::<i32, 7>(value)?)),
        "lineOrder" => Value::LineOrder(line_order(value.extract()?)?),
        "m33f" => Value::M33f(numbers(value)?),
        "m33d" => Value::M33d(numbers(value)?),
        "m44f" => Value::M44f(numbers(value)?),
        "m44d" => Value::M44d(numbers(value)?),
        "preview" => {
            let (width, height, rgba): (u32, u32, Vec<u8>) = value.extract()?;
            if rgba.len() as u64 != 4 * u64::from(width) * u64::from(height) {
                return Err(argument("not four bytes a pixel"));
            }
            Value::Preview(Preview { width, height, rgba })
        }
        "rational" => {
            let (n, d) = value.extract()?;
            Value::Rational(n, d)
        }
        "string" => Value::Text(to_text(value)?),
        "stringvector" => {
            let texts = value.try_iter()?.map(|one| to_text(&one?));
            Value::TextVector(texts.collect::<PyResult<_>>()?)
        }
        "tiledesc" => Value::Tiles(to_tiles(value)?),
        "timecode" => {
            let (time_and_flags, user_data) = value.extract()?;
            Value::TimeCode(TimeCode { time_and_flags, user_data })
        }
        "v2i" => Value::V2i(numbers(value)?),
        "v2f" => Value::V2f(numbers(value)?),
        "v2d" => Value::V2d(numbers(value)?),
        "v3i" => Value::V3i(numbers(value)?),
        "v3f" => Value::V3f(numbers(value)?),
        "v3d" => Value::V3d(numbers(value)?),
        _ => return Err(argument("its value has to be bytes")),
    })
}

/// So many numbers, or pairs of them.
fn numbers<'py, T, const N: usize>(value: &Bound<'py, PyAny>) -> PyResult<[T; N]>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    let values = value.try_iter()?.map(|one| one?.extract::<T>().map_err(Into::into));
    let values = values.collect::<PyResult<Vec<T>>>()?;
    values.try_into().map_err(|other: Vec<T>| argument(format!("{} values, not {N}", other.len())))
}

fn to_text(value: &Any<'_>) -> PyResult<Text> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Text(bytes.as_bytes().to_vec()));
    }
    Ok(Text(value.extract::<String>()?.into_bytes()))
}

/// Left, top, right and bottom; all of them belong to the box.
pub(super) fn to_box(value: &Any<'_>) -> PyResult<Box2i> {
    let [left, top, right, bottom] = numbers(value)?;
    Ok(Box2i { min: [left, top], max: [right, bottom] })
}

fn to_channel(value: &Any<'_>) -> PyResult<Channel> {
    let (name, dtype, linear, x_sampling, y_sampling): (String, String, bool, i32, i32) =
        value.extract()?;
    let pixel_type = pixel_type(&dtype)?;
    Ok(Channel { name, pixel_type, linear, x_sampling, y_sampling })
}

pub(super) fn to_tiles(value: &Any<'_>) -> PyResult<Tiles> {
    let (width, height, levels, rounding): (u32, u32, String, String) = value.extract()?;
    Ok(Tiles {
        width,
        height,
        levels: named(&levels, LevelMode::ALL, LevelMode::name)?,
        rounding: named(&rounding, Rounding::ALL, Rounding::name)?,
    })
}

pub(super) fn line_order(name: &str) -> PyResult<LineOrder> {
    named(name, LineOrder::ALL, LineOrder::name)
}

fn compression(name: &str) -> PyResult<Compression> {
    named(name, Compression::ALL, Compression::name)
}

fn named<T: Copy, const N: usize>(
    name: &str,
    values: [T; N],
    name_of: fn(T) -> &'static str,
) -> PyResult<T> {
    let known = || argument(format!("\"{name}\"; known: {}", values.map(name_of).join(", ")));
    values.into_iter().find(|value| name_of(*value) == name).ok_or_else(known)
}
