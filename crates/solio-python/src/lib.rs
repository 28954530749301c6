//! The native half of the Python package `solio`: no logic, only the passage of arrays.
//!
//! * `functions` are what Python calls, `options` reads their keyword arguments;
//! * `hold` borrows the arrays of Python meshes, without copies where type and layout fit;
//! * `instances` shows a mesh several times that the file is to have several times;
//! * `give` moves the arrays of a scene into NumPy, without copies;
//! * `run` runs the engine without the interpreter lock and hears Ctrl-C;
//! * `process` keeps what has threads from forks;
//! * `image` is the same for images, `photo` for the photo metadata;
//! * `color` is for single colours, `color_arrays` and `gradient` for many;
//! * `archive` is for archives of images and files of arrays;
//! * `scan` is for catalogues, `tree` for folders of files, `scene` for pbrt scenes;
//! * `reader` is the asynchronous engine;
//! * `command` is the command `solio`;
//! * `errors` raises `solio.Error`.

mod archive;
mod color;
mod color_arrays;
mod command;
mod errors;
mod formats;
mod functions;
mod give;
mod gradient;
mod hold;
mod image;
mod instances;
mod material;
mod measure;
mod options;
mod photo;
mod process;
mod reader;
mod run;
mod scan;
mod scene;
mod scene_looks;
mod tree;

use pyo3::prelude::*;

/// An object of any Python type.
type Any<'py> = Bound<'py, PyAny>;

#[pymodule]
mod _solio {
    #[pymodule_export]
    use super::archive::{Archive, archive_extract, archive_pack, arrays_write};
    #[pymodule_export]
    use super::color::{
        color_css, color_difference, color_gamut_map, color_mix, color_parse, color_to,
    };
    #[pymodule_export]
    use super::color_arrays::color_convert;
    #[pymodule_export]
    use super::command::{command, command_answer};
    #[pymodule_export]
    use super::formats::formats;
    #[pymodule_export]
    use super::functions::{encode, read, read_instances, unused, write};
    #[pymodule_export]
    use super::gradient::Gradient;
    #[pymodule_export]
    use super::image::{
        ImageBatch, codes_encode, codes_light, image_attribute_check, image_attribute_type,
        image_change, image_compare, image_encode, image_format, image_header, image_into,
        image_join, image_matte, image_plan, image_preview, image_read, image_split, image_write,
        picture_encode, picture_write,
    };
    #[pymodule_export]
    use super::measure::{shares, ticks, timing_text};
    #[pymodule_export]
    use super::photo::{MetadataColumns, metadata, metadata_table, thumbnail, thumbnail_pixels};
    #[pymodule_export]
    use super::reader::{Bytes, Reader, Reading, light};

    #[pymodule_export]
    use super::scan::{scan_list, scan_schema, scan_stream};
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::scene_looks::{
        scene_alphas, scene_area_lights, scene_bake, scene_emitted_strength, scene_lights,
        scene_look_losses, scene_materials, scene_media, scene_sky,
    };
    #[pymodule_export]
    use super::tree::{catalog_diff, tree_check, tree_duplicates, tree_hash, tree_list};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const version: &str = env!("CARGO_PKG_VERSION");
}
