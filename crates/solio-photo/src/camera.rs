//! Maker and model, on which much of a note depends.

/// Who made the picture.
#[derive(Clone, Debug)]
pub(crate) struct CameraModel {
    pub(crate) make: String,
    pub(crate) model: String,
}

impl CameraModel {
    /// Nobody knows.
    pub(crate) const NONE: &'static CameraModel =
        &CameraModel { make: String::new(), model: String::new() };
}
