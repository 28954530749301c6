//! Images taken apart and put together: by layers, by parts, by views.

mod merge;
mod split;
#[cfg(test)]
mod tests;
mod views;

pub use merge::{MergeInput, merge_images};
pub use split::split_image;
pub use views::{select_view, views};

use solio_base::named_enum;

named_enum! {
    /// What several images become in one file, and what of a file becomes several.
    pub enum ImageGroup {
        /// Channels of one part: `diffuse.R`.
        Layers = "layers",
        /// Parts of a file, each with a header and a data window of its own.
        Parts = "parts",
        /// What the eyes of stereo see, or other cameras: parts with the attribute `view`.
        Views = "views",
    }

    /// `layers`, `parts` or `views`.
    pub fn name;
}
