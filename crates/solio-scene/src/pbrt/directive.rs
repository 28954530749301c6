//! The directives, and what each takes.

/// What stands after a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Nothing.
    None,
    /// So many numbers.
    Numbers(usize),
    /// 16 numbers in brackets: the columns of a matrix, one after the other.
    Matrix,
    /// So many strings.
    Strings(usize),
    /// So many strings, then parameters.
    Parameters(usize),
    /// One string or two.
    Media,
    /// `All`, `StartTime` or `EndTime`.
    Time,
    /// A single parameter.
    Option,
}

macro_rules! directives {
    ($($name:ident $arguments:expr, $about:literal;)*) => {
        /// A directive of pbrt.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Directive {
            $(#[doc = $about] $name,)*
        }

        impl Directive {
            /// As it stands in the text.
            pub fn name(self) -> &'static str {
                match self { $(Directive::$name => stringify!($name),)* }
            }

            /// That of this name.
            #[inline]
            pub fn of_word(word: &[u8]) -> Option<Directive> {
                $(const $name: u64 = key(stringify!($name).as_bytes());)*
                let found = match key(word) {
                    $($name => Directive::$name,)*
                    _ => return None,
                };
                is_same(word, found.name().as_bytes()).then_some(found)
            }

            /// What it takes.
            #[inline]
            pub fn arguments(self) -> Arguments {
                use Arguments::*;
                match self { $(Directive::$name => $arguments,)* }
            }
        }
    };
}

#[allow(non_upper_case_globals)]
mod all {
    use super::Arguments;
    use crate::pbrt::word::{is_same, key};

    directives! {
        Accelerator Parameters(1), "How rays find what they hit.";
        ActiveTransform Time, "Which ends of a motion the next transformations change.";
        AreaLightSource Parameters(1), "The shapes that follow shine.";
        Attribute Parameters(1), "Parameters for all that follows of one kind.";
        AttributeBegin None, "Keeps all attributes until the end.";
        AttributeEnd None, "Attributes are as they were at the beginning.";
        Camera Parameters(1), "The camera.";
        ColorSpace Strings(1), "The space of the colours that follow.";
        ConcatTransform Matrix, "Multiplies the transformation by a matrix.";
        CoordSysTransform Strings(1), "Takes a transformation that has a name.";
        CoordinateSystem Strings(1), "Gives the transformation a name.";
        Film Parameters(1), "Resolution and file of the picture.";
        Identity None, "The transformation that changes nothing.";
        Import Strings(1), "Another file, read beside this one.";
        Include Strings(1), "Another file, as if it stood here.";
        Integrator Parameters(1), "How light is followed.";
        LightSource Parameters(1), "A light without a shape.";
        LookAt Numbers(9), "Eye, point looked at, up.";
        MakeNamedMaterial Parameters(1), "A material with a name.";
        MakeNamedMedium Parameters(1), "A medium with a name.";
        Material Parameters(1), "The material of the shapes that follow.";
        MediumInterface Media, "The media inside and outside.";
        NamedMaterial Strings(1), "Takes a material that has a name.";
        ObjectBegin Strings(1), "The shapes that follow are an object with a name.";
        ObjectEnd None, "The end of the object.";
        ObjectInstance Strings(1), "An object once more, here.";
        Option Option, "One option of the renderer.";
        PixelFilter Parameters(1), "How samples make a pixel.";
        ReverseOrientation None, "Turns the normals of the shapes that follow.";
        Rotate Numbers(4), "Degrees and an axis.";
        Sampler Parameters(1), "Where samples are taken.";
        Scale Numbers(3), "Factors along the axes.";
        Shape Parameters(1), "A shape.";
        Texture Parameters(3), "A texture: its name, type and class.";
        Transform Matrix, "Sets the transformation to a matrix.";
        TransformBegin None, "Keeps the transformation until the end; of version 3.";
        TransformEnd None, "The transformation is as it was; of version 3.";
        TransformTimes Numbers(2), "When the ends of a motion are.";
        Translate Numbers(3), "Moves along the axes.";
        WorldBegin None, "The end of what the whole picture needs.";
        WorldEnd None, "The end of the scene; of version 3.";
    }
}

pub use all::Directive;

impl Directive {
    /// Whether it only makes sense in the world.
    pub(crate) fn is_of_world(self) -> bool {
        use Directive::*;
        matches!(
            self,
            AttributeBegin
                | AttributeEnd
                | TransformBegin
                | TransformEnd
                | ObjectBegin
                | ObjectEnd
                | ObjectInstance
                | Shape
                | LightSource
                | AreaLightSource
                | Material
                | MakeNamedMaterial
                | NamedMaterial
                | Texture
                | ReverseOrientation
        )
    }
}
