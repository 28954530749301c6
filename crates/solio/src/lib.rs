//! Solio reads, writes, converts and checks meshes, OpenEXR images, photo metadata and pbrt scenes.
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

pub mod color;
mod exiftool;
pub mod image;
mod input;
mod machine;
pub mod mesh;
pub mod photo;
mod photos;
pub mod scene;
mod tree;

pub use color::gradients::{read_each_gradient, read_gradients, write_gradients};
pub use color::pixel_arrays::{
    apply_gradient, apply_gradient_floats, convert_colors, convert_colors_exactly,
    convert_colors_in_place,
};
pub use exiftool::{DropIn, DropInOptions, DropInStats};
pub use image::any::{read_picture_light, read_stored_picture, write_picture};
pub use image::attributes::{Edit, SetOptions, set_attributes};
pub use image::change::ImageChanges;
pub use image::compare::{compare_image_files, compare_image_pairs};
pub use image::convert::{
    ImageConvertOptions, ImageConverted, ImageJob, convert_image, convert_images,
};
pub use image::file::{
    ImageWriteOptions, check_exr_name, image_header, read_image, read_image_as, read_image_into,
    write_image,
};
pub use image::group::{MergeJob, SplitPiece, merge_image_files, split_image_files};
pub use image::mattes::cryptomattes;
pub use image::pack::{ImagePackOptions, ImagePacked, ImagesPacked, pack_images};
pub use image::preview::{preview_bytes, preview_file};
pub use image::unpack::{
    Archive, ArchiveEntry, ImageUnpackOptions, NamedArray, unpack_images, write_arrays,
};
pub use input::{Input, InputRef, ToInput};
pub use machine::boxes::{BoxGroup, study_boxes};
pub use machine::crossing::crossings;
#[cfg(feature = "lab")]
pub use machine::lab::{Lab, LabOptions, run_lab};
pub use machine::latency::{LatencyOptions, LatencyRow, study_latency};
pub use machine::measure::{Peak, measure_machine};
pub use machine::modes::{ModeOptions, ModeStudy, ModeTime, study_modes};
#[cfg(feature = "lab")]
pub use machine::numbers::{NumberGroup, NumberStudy, NumberWay, study_numbers};
pub use machine::order::{OrderStudy, OrderTime, study_order};
pub use machine::peaks::{Kept, KeptPeaks, keep_peaks, kept_peaks};
pub use machine::recording::{Record, Recorded};
pub use machine::study::{
    SlowDown, Study, StudyCache, StudyCurve, StudyOptions, StudyPoint, StudyRun, StudyVariant,
    is_of_solio, study, study_run,
};
pub use machine::ways::WayTime;
pub use mesh::draw::preview_mesh;
pub use mesh::info::{FileInfo, MeshInfo, info};
pub use mesh::read::{
    MeshReadOptions, read_mesh, read_mesh_and_format, read_mesh_bytes, read_mesh_into,
};
pub use mesh::texture_paths::PathMode;
pub use mesh::write::{
    MeshWriteOptions, Written, encode_mesh, mesh_losses, write_bytes, write_mesh,
};
pub use photo::embedded::{EmbeddedPicture, thumbnail};
pub use photo::exiftool::{ExifTool, ExifToolOptions};
pub use photo::metadata::{MetadataEngine, MetadataOptions, read_metadata, read_metadata_files};
pub use photo::table::{
    ColumnValues, MetadataColumn, MetadataTable, read_metadata_table, tag_values,
};
pub use photo::value_bytes::metadata_bytes;
pub use photos::edit::{PhotoEditOptions, PhotoEdited, edit_photo};
pub use photos::plan::{PhotoAction, PhotoHow, PhotoRow, PhotosOptions, PhotosPlan, plan_photos};
pub use photos::run::{PhotosDone, apply_photos, resume_photos, undo_photos, usual_journal};
pub use photos::template::PhotoTemplate;
pub use photos::times::{DateSource, PhotoDate};
pub use photos::zone::PhotoZone;
pub use scene::draw::{PassPicture, PreviewStage, ScenePicture, preview_scene, scene_bounds};
pub use scene::exporter::{SceneExportOptions, SceneExported, export_scene};
pub use scene::file::{
    SceneInfo, SceneReadOptions, is_packed_scene, is_scene, read_scene, scene_info,
};
pub use scene::named_meshes::{LeftOfScene, with_scene_meshes};
pub use scene::open::{JoinedMesh, OpenScene};
pub use scene::packed::{
    ScenePackOptions, ScenePacked, SceneUnpacked, pack_scene, read_packed_scene, unpack_scene,
};
pub use scene::text::{MeshPlace, SceneText, SceneTextOptions, rewrite_scene};
pub use scene::text_files::rewrite_whole_scene;
pub use solio_scene::gltf::SceneInstances;
pub use tree::ahead::{Ahead, AheadOptions};
pub use tree::check::{
    FileCheck, Found, Odd, Rule, check_file, check_found, check_frames, find_files,
};
pub use tree::duplicates::{DuplicateGroup, DuplicateOptions, Duplicates, find_duplicates};
pub use tree::each_file::each_file;
pub use tree::frames::FramePattern;
pub use tree::hash::{
    FileState, Finding, HashJob, Hashed, MhlCreated, MhlOptions, create_mhl, has_mhl, hash_files,
    verify_mhl, verify_sums,
};
pub use tree::keep::{KeepRule, Relinked, keep_first, link_duplicates, undo_links};
pub use tree::kind_filter::kind_test;
pub use tree::list::{List, ListEntry, ListKind, ListOptions, ListSequence, list};
pub use tree::read_files::{ReadAll, ReadFilesOptions, files_below, files_in, read_files};
pub use tree::scan::{
    FileFacts, LiveCatalog, Round, Scan, ScanCount, ScanFields, ScanOptions, ScanReport,
    catalog_duplicates, diff_catalogs, export_catalog, farm_plan, file_facts, is_parquet,
    is_unfinished, list_files, merge_catalogs, purge_catalog, scan, scan_files, scan_to_parquet,
};
pub use tree::sheet::{PAGE_STYLE, SheetDone, SheetOptions, write_sheet};
pub use tree::summary::{FactValue, FileSummary, summarize};
pub use tree::thumbnail::{Thumbnail, ThumbnailOptions, grouped, has_thumbnail, thumbnail_of};

pub use solio_base::names;
pub use solio_base::{
    Cancel, Error, ErrorKind, Limits, Loss, Losses, Progress, Progressed, Result, Sink, Source,
    Work, cpu,
};
pub use solio_catalog::sequence::{FrameRange, frames_text};
pub use solio_codec::compress::Compression;
pub use solio_codec::number::Digits;
pub use solio_color::ToneMap;
pub use solio_image::{
    ChannelDifference, Choice, CodeValues, CompareOptions, Compared, ComparedRow, Decoded,
    DifferenceLimit, Encoded, FLIP_PIXELS_PER_DEGREE, Flip, Frame, HeatMap, ImageChoice,
    ImageDifference, ImageGroup, MergeInput, MissingPixels, PartChoice, PictureCodes,
    PictureOptions, Preview, PreviewOptions, ResizeFilter, ResizeOptions, ResizeSize, SingleFlat,
    StoredPicture, Verdict, channel_losses, compare_gradient, compare_images, cryptomatte,
    decode_image_as, edit, encode_picture, gradient_image, gradient_strips, heat_picture,
    image_bytes, merge_images, part_number, preview,
};
pub use solio_io::filter::{Filter, FilterOptions, IGNORE_FILE, LeftOut};
pub use solio_io::signals::cancel_on_signals;
pub use solio_kinds::{
    Ability, Family, FileKind, FileType, FormatOption, GradientFormat, HEAD_BYTES, ImageFormat,
    MeshFormat as Format, OptionValues, SceneFormat, UnknownFormat,
};
pub use solio_measure::{
    Bound, Group, Job, Light, Middle, ProcessSample, Recorder, Recording, Shares, SpanName,
    Stopwatch, Summary, Table, Timer, Timing, Usage, WrongPeak, called_bytes, children_cpu_s,
    cpu_s, fetched_bytes, median, peak_rss_bytes, ticks, time, unix_s,
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

/// The compression lab: arrays, what is tried on them, what came out.
#[cfg(feature = "lab")]
pub mod laboratory {
    pub use solio_lab::npy::RawShape;
    pub use solio_lab::*;
}

/// The codec of arrays, and files of them.
pub mod array {
    pub use solio_codec::array::file::{ArrayShape, Kind};
    pub use solio_codec::array::{Effort, Element};
}
