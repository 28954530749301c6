//! `meta.json`: what the pictures are, and how their bytes become numbers.

use serde::{Deserialize, Serialize};

/// The document. What only one of the versions has is an option.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct SogMeta {
    /// Version 1 does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) asset: Option<SogAsset>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) antialias: Option<bool>,
    /// How the splats were trained: `default`, `antialiased` or `2dgs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    pub(super) means: SogRange,
    pub(super) scales: SogRange,
    pub(super) quats: SogRange,
    pub(super) sh0: SogRange,
    #[serde(rename = "shN", skip_serializing_if = "Option::is_none")]
    pub(super) sh_n: Option<SogPalette>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct SogAsset {
    #[serde(default)]
    pub(super) generator: String,
}

/// A picture, and the numbers that its bytes are between, or code.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct SogRange {
    /// Of version 1: splats, and numbers of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) shape: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) mins: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) maxs: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) codebook: Vec<f32>,
    pub(super) files: Vec<String>,
}

/// The palette of view-dependent colours.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct SogPalette {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bands: Option<u64>,
    /// Of version 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mins: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) maxs: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) codebook: Vec<f32>,
    pub(super) files: Vec<String>,
}
