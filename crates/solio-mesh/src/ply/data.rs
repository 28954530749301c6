//! Arrays of any scalar type of PLY.

use crate::model::{ScalarType, Values};
use crate::text;
use solio_codec::number::{Digits, format};
use std::borrow::Cow;

/// A scalar type of PLY.
pub(crate) trait Scalar: bytemuck::Pod + Default + Send + Sync {
    const SIZE: usize = size_of::<Self>();
    const TYPE: ScalarType;
    fn read_le(bytes: &[u8]) -> Self;
    fn read_be(bytes: &[u8]) -> Self;
    /// Puts the bytes down in `to`, which is as long as the type.
    fn write<const BIG: bool>(self, to: &mut [u8]);
    fn to_f64(self) -> f64;
    fn to_f32(self) -> f32;
    /// As an index; `u32::MAX` for what is none.
    fn to_index(self) -> u32;
    /// Appends the value as text; `digits` are for floats.
    fn push_text(self, out: &mut Vec<u8>, digits: Digits);
    fn data(values: Vec<Self>) -> ScalarArray;
    fn values(values: Cow<'_, [Self]>) -> Values<'_>;
    fn vec(data: &mut ScalarArray) -> Option<&mut Vec<Self>>;
    fn slice(data: &ScalarArray) -> Option<&[Self]>;
}

/// Owned values of one type.
#[derive(Clone, Debug)]
pub(crate) enum ScalarArray {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Runs `$body` with `$v` bound to the array of whatever type `$data`, a `$Kind`, has.
macro_rules! with_values {
    ($Kind:ident, $data:expr, $v:ident => $body:expr) => {
        match $data {
            $Kind::I8($v) => $body,
            $Kind::U8($v) => $body,
            $Kind::I16($v) => $body,
            $Kind::U16($v) => $body,
            $Kind::I32($v) => $body,
            $Kind::U32($v) => $body,
            $Kind::F32($v) => $body,
            $Kind::F64($v) => $body,
        }
    };
}
pub(crate) use with_values;

/// Runs `$body` with the type `$T` bound to the type that `$scalar` names.
macro_rules! with_scalar {
    ($scalar:expr, $T:ident => $body:expr) => {
        with_scalar!($scalar, $T => $body,
            I8: i8, U8: u8, I16: i16, U16: u16, I32: i32, U32: u32, F32: f32, F64: f64)
    };
    ($scalar:expr, $T:ident => $body:expr, $($variant:ident: $type:ty),*) => {
        match $scalar {
            $($crate::model::ScalarType::$variant => {
                type $T = $type;
                $body
            })*
        }
    };
}
pub(crate) use with_scalar;

macro_rules! scalar {
    ($t:ty, $variant:ident, $index:expr, $push:expr) => {
        impl Scalar for $t {
            const TYPE: ScalarType = ScalarType::$variant;
            fn read_le(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
            fn read_be(bytes: &[u8]) -> Self {
                <$t>::from_be_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
            fn write<const BIG: bool>(self, to: &mut [u8]) {
                let bytes = if BIG { self.to_be_bytes() } else { self.to_le_bytes() };
                to.copy_from_slice(&bytes);
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn to_f32(self) -> f32 {
                self as f32
            }
            fn to_index(self) -> u32 {
                let index: fn($t) -> u32 = $index;
                index(self)
            }
            fn push_text(self, out: &mut Vec<u8>, digits: Digits) {
                let push: fn(&mut Vec<u8>, Digits, $t) = $push;
                push(out, digits, self);
            }
            fn data(values: Vec<Self>) -> ScalarArray {
                ScalarArray::$variant(values)
            }
            fn values(values: Cow<'_, [Self]>) -> Values<'_> {
                Values::$variant(values)
            }
            fn vec(data: &mut ScalarArray) -> Option<&mut Vec<Self>> {
                match data {
                    ScalarArray::$variant(v) => Some(v),
                    _ => None,
                }
            }
            fn slice(data: &ScalarArray) -> Option<&[Self]> {
                match data {
                    ScalarArray::$variant(v) => Some(v),
                    _ => None,
                }
            }
        }
    };
}
scalar!(i8, I8, |v| v as u32, push_integer); // a negative one becomes larger than any index
scalar!(u8, U8, |v| v as u32, push_integer);
scalar!(i16, I16, |v| v as u32, push_integer);
scalar!(u16, U16, |v| v as u32, push_integer);
scalar!(i32, I32, |v| v as u32, push_integer);
scalar!(u32, U32, |v| v, |out, _, v| format::push_u32(out, v));
scalar!(f32, F32, |v| float_index(v as f64), text::push_f32);
scalar!(f64, F64, float_index, text::push_f64);

fn push_integer(out: &mut Vec<u8>, _: Digits, value: impl Into<i64>) {
    format::push_i64(out, value.into());
}

fn float_index(v: f64) -> u32 {
    if v >= 0.0 && v < u32::MAX as f64 && v.fract() == 0.0 { v as u32 } else { u32::MAX }
}

impl ScalarArray {
    pub(crate) fn new(scalar: ScalarType) -> ScalarArray {
        ScalarArray::with_capacity(scalar, 0)
    }

    pub(crate) fn with_capacity(scalar: ScalarType, n: usize) -> ScalarArray {
        with_scalar!(scalar, S => S::data(solio_base::memory::with_capacity(n)))
    }

    /// Zeros that take no memory until they are touched.
    pub(crate) fn zeroed(scalar: ScalarType, n: usize) -> ScalarArray {
        fn zeros<T: Scalar>(n: usize) -> ScalarArray {
            let mut values = vec![T::zeroed(); n];
            solio_base::memory::advise_huge(&mut values);
            T::data(values)
        }
        with_scalar!(scalar, S => zeros::<S>(n))
    }

    pub(crate) fn scalar(&self) -> ScalarType {
        fn of<T: Scalar>(_: &[T]) -> ScalarType {
            T::TYPE
        }
        with_values!(ScalarArray, self, v => of(v))
    }

    pub(crate) fn len(&self) -> usize {
        with_values!(ScalarArray, self, v => v.len())
    }

    pub(crate) fn capacity(&self) -> usize {
        with_values!(ScalarArray, self, v => v.capacity())
    }

    pub(crate) fn clear(&mut self) {
        with_values!(ScalarArray, self, v => v.clear());
    }

    pub(crate) fn resize(&mut self, n: usize) {
        with_values!(ScalarArray, self, v => v.resize(n, Default::default()));
    }

    /// Appends values of the same type.
    ///
    /// # Panics
    /// When the types differ.
    pub(crate) fn append(&mut self, other: &ScalarArray) {
        with_values!(ScalarArray, self, v => v.extend_from_slice(Scalar::slice(other).expect("the same type")));
    }

    pub(crate) fn into_values(self) -> Values<'static> {
        with_values!(ScalarArray, self, v => Scalar::values(Cow::Owned(v)))
    }
}
