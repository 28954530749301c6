//! Solio moves graphics assets between disk and memory at the speed of light.
//!
//! This facade is the promised API: it joins paths to formats. [`read_mesh`] and [`write_mesh`]
//! find the format and the compression by content and by name; [`MeshInfo`] sums up a scene;
//! [`Light`] says how close a job came to the machine's limit.
//!
//! ```
//! use solio::{MeshReadOptions, MeshWriteOptions, Work};
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("triangle.ply.zst");
//! let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let work = Work::default();
//! let scene = solio::read_mesh_bytes(text, &MeshReadOptions::default(), &work)?;
//! let written = solio::write_mesh(&scene, &path, &MeshWriteOptions::default(), &work)?;
//! assert_eq!(written.files.len(), 1);
//! let again = solio::read_mesh(&path, &MeshReadOptions::default(), &work)?;
//! assert_eq!(solio::MeshInfo::of(&again).faces, 1);
//! # Ok::<(), solio::Error>(())
//! ```
#![forbid(unsafe_code)]

// The guide's page is a test, too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
mod guide {}

mod ahead;
mod any_image;
mod batch;
mod canvas;
mod check;
mod color_arrays;
mod duplicates;
mod each_file;
mod embedded_picture;
mod exiftool;
mod format;
mod gradient;
mod hash;
mod head_tags;
mod image_as;
mod image_choice;
mod image_convert;
mod image_edit;
mod image_file;
mod image_pack;
mod image_unpack;
mod info;
mod kept;
mod kind;
#[cfg(feature = "lab")]
mod lab;
mod libraries;
mod list;
mod machine;
mod mesh_preview;
mod metadata_bytes;
mod metadata_file;
mod metadata_table;
mod outermost;
mod picture;
mod preview;
mod read;
mod read_files;
mod record;
mod scan;
mod scene_export;
mod scene_file;
mod scene_mesh;
mod scene_meshes_ahead;
mod scene_pack;
mod scene_preview;
mod scene_text;
mod scene_text_files;
mod scene_text_meshes;
mod scene_texture;
mod sequence;
mod set;
mod sheet;
mod study;
mod system_tags;
mod textures;
mod thumbnail;
mod write;

pub use ahead::{Ahead, AheadOptions};
pub use check::{FileCheck, Found, Odd, Rule, check_file, check_found, check_frames, find_files};
pub use color_arrays::{
    apply_gradient, apply_gradient_floats, convert_colors, convert_colors_exactly,
    convert_colors_in_place,
};
pub use duplicates::{DuplicateGroup, DuplicateOptions, Duplicates, find_duplicates};
pub use each_file::each_file;
pub use embedded_picture::{EmbeddedPicture, thumbnail};
pub use exiftool::{ExifTool, ExifToolOptions};
pub use format::Format;
pub use gradient::{
    Compared, ComparedRow, compare_gradient, gradient_image, gradient_strips, read_gradients,
    write_gradients,
};
pub use hash::{
    FileState, Finding, HashJob, Hashed, MhlCreated, MhlOptions, create_mhl, has_mhl, hash_files,
    verify_mhl, verify_sums,
};
pub use image_as::decode_image_as;
pub use image_choice::{ImageChoice, PartChoice, SingleFlat, image_bytes};
pub use image_convert::{
    ImageConvertOptions, ImageConverted, ImageJob, convert_image, convert_images,
};
pub use image_file::{
    ImageWriteOptions, check_exr_name, image_header, is_image, read_image, read_image_as,
    read_image_into, write_image,
};
pub use image_pack::{ImagePackOptions, ImagePacked, ImagesPacked, pack_images};
pub use image_unpack::{
    Archive, ArchiveEntry, ImageUnpackOptions, NamedArray, element_name, is_archive, unpack_images,
    write_arrays,
};
pub use info::{FileInfo, MeshInfo, info};
pub use kept::{Kept, KeptPeaks, keep_peaks, kept_peaks};
pub use kind::{KIND_HEAD_BYTES, kind_of_head};
#[cfg(feature = "lab")]
pub use lab::{Lab, LabOptions, run_lab};
pub use list::{List, ListEntry, ListKind, ListOptions, ListSequence, list};
pub use machine::{Peak, measure_machine};
pub use mesh_preview::preview_mesh;
pub use metadata_bytes::metadata_bytes;
pub use metadata_file::{MetadataEngine, MetadataOptions, read_metadata, read_metadata_files};
pub use metadata_table::{
    ColumnValues, MetadataColumn, MetadataTable, read_metadata_table, tag_values,
};
pub use picture::{Choice, Frame, ImageFormat, PictureOptions, part_number};
pub use preview::{Preview, PreviewOptions, preview, preview_bytes, preview_file};
pub use read::{MeshReadOptions, read_mesh, read_mesh_and_format, read_mesh_bytes, read_mesh_into};
pub use read_files::{ReadAll, ReadFilesOptions, files_below, read_files};
pub use record::{Record, Recorded};
pub use scan::{
    FileFacts, LiveCatalog, Round, Scan, ScanCount, ScanFields, ScanOptions, ScanReport,
    export_catalog, farm_plan, file_facts, is_parquet, is_unfinished, list_files, merge_catalogs,
    scan, scan_files, scan_to_parquet,
};
pub use scene_export::{SceneExportOptions, SceneExported, SceneFormat, export_scene};
pub use scene_file::{
    SceneInfo, SceneReadOptions, is_packed_scene, is_scene, read_scene, scene_info,
};
pub use scene_mesh::with_scene_meshes;
pub use scene_pack::{
    ScenePackOptions, ScenePacked, SceneUnpacked, pack_scene, read_packed_scene, unpack_scene,
};
pub use scene_preview::{PassPicture, PreviewStage, ScenePicture, preview_scene, scene_bounds};
pub use scene_text::{MeshPlace, SceneText, SceneTextOptions, rewrite_scene};
pub use scene_text_files::rewrite_whole_scene;
pub use sequence::FramePattern;
pub use set::{Edit, SetOptions, set_attributes};
pub use sheet::{SheetDone, SheetOptions, write_sheet};
pub use study::{SlowDown, Study, StudyOptions, StudyPoint, StudyRun, study, study_run};
pub use textures::PathMode;
pub use thumbnail::{Thumbnail, ThumbnailOptions, has_thumbnail, thumbnail_of};
pub use write::{MeshWriteOptions, Written, encode_mesh, write_bytes, write_mesh};

pub use solio_base::{
    Cancel, Error, ErrorKind, Limits, Progress, Progressed, Result, Sink, Source, Work, cpu,
};
pub use solio_catalog::sequence::{FrameRange, frames_text};
pub use solio_codec::compress::Compression;
pub use solio_codec::number::Digits;
pub use solio_color::ToneMap;
pub use solio_io::signals::cancel_on_signals;
pub use solio_measure::{
    Bound, Group, Job, Light, Recorder, Recording, SpanName, Stopwatch, Summary, Table, Usage,
    called_bytes, children_cpu_s, cpu_s, fetched_bytes, peak_rss_bytes, unix_s,
};

/// The asynchronous engine: many reads asked for at once, with priorities, answered as they come.
pub mod io {
    pub use solio_io::engine::*;
    pub use solio_io::order;
    pub use solio_io::throttle::set_rate;
}

/// What lies in a tree: rows of the catalogue, histories of folders, lists of digests.
pub mod catalog {
    pub use solio_catalog::*;
}

/// Digests of bytes.
pub mod digest {
    pub use solio_codec::digest::*;
}

/// Colour spaces, single colours, mixing, differences, gradients, arrays of colours.
pub mod color {
    pub use solio_color::*;
}

/// The compression lab: arrays, what is tried on them, what came out.
#[cfg(feature = "lab")]
pub mod laboratory {
    pub use solio_lab::npy::RawShape;
    pub use solio_lab::*;
}

/// The mesh model, its materials, and the options of each format.
pub mod mesh {
    pub use solio_mesh::*;
}

/// Metadata of photos: tags, fields, and how they are shown.
pub mod photo {
    pub use solio_photo::*;
}

/// Scenes of pbrt: their text, and what it means.
pub mod scene {
    pub use solio_scene::*;
}

/// The codec of arrays, and files of them.
pub mod array {
    pub use solio_codec::array::file::{ArrayShape, Kind};
    pub use solio_codec::array::{Effort, Element};
}

/// The image model, its header, and the options of each format.
pub mod image {
    pub use solio_exr::*;
}
