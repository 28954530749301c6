//! What composites are made of.

/// The group of composites.
pub(crate) const GROUP: &str = "Composite";
/// The composites and what each is made of; a field list needs the latter to give the former.
const INPUTS: &[(&str, &[&str])] = &[
    ("SubSecDateTimeOriginal", &["DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal"]),
    ("SubSecCreateDate", &["CreateDate", "SubSecTimeDigitized", "OffsetTimeDigitized"]),
    ("SubSecModifyDate", &["ModifyDate", "SubSecTime", "OffsetTime"]),
    ("DateTimeOriginal", &["DateTimeOriginal", "DateCreated", "TimeCreated"]),
    ("DateTimeCreated", &["DateCreated", "TimeCreated"]),
    ("DigitalCreationDateTime", &["DigitalCreationDate", "DigitalCreationTime"]),
    ("GPSLatitude", &["GPSLatitude", "GPSLatitudeRef", "GPSCoordinates", LOCATION]),
    ("GPSLongitude", &["GPSLongitude", "GPSLongitudeRef", "GPSCoordinates", LOCATION]),
    ("GPSLatitudeRef", &["GPSLatitude"]),
    ("GPSLongitudeRef", &["GPSLongitude"]),
    ("GPSDestLatitudeRef", &["GPSDestLatitude"]),
    ("GPSDestLongitudeRef", &["GPSDestLongitude"]),
    ("GPSDestLatitude", &["GPSDestLatitude", "GPSDestLatitudeRef"]),
    ("GPSDestLongitude", &["GPSDestLongitude", "GPSDestLongitudeRef"]),
    (
        "GPSPosition",
        &[
            "GPSLatitude",
            "GPSLatitudeRef",
            "GPSLongitude",
            "GPSLongitudeRef",
            "GPSCoordinates",
            LOCATION,
        ],
    ),
    ("GPSAltitude", &["GPSAltitude", "GPSAltitudeRef", "GPSCoordinates", LOCATION]),
    ("GPSAltitudeRef", &["GPSCoordinates", LOCATION]),
    ("GPSDateTime", &["GPSDateStamp", "GPSTimeStamp"]),
    ("ImageSize", SIZES),
    ("Megapixels", SIZES),
    // No composites, but made of tags just so.
    ("ThumbnailImage", &["ThumbnailOffset", "ThumbnailLength"]),
    ("ThumbnailOffset", &["ThumbnailOffset", "ThumbnailLength"]),
    ("ThumbnailLength", &["ThumbnailOffset", "ThumbnailLength"]),
    // Called otherwise where they frame a picture for viewing.
    ("StripOffsets", PICTURE),
    ("StripByteCounts", PICTURE),
    ("PreviewImage", PICTURE),
    ("OtherImage", PICTURE),
    ("PreviewImageStart", PICTURE),
    ("PreviewImageLength", PICTURE),
    ("OtherImageStart", PICTURE),
    ("OtherImageLength", PICTURE),
    ("JpgFromRaw", PICTURE),
    ("JpgFromRawStart", PICTURE),
    ("JpgFromRawLength", PICTURE),
    ("CFAPattern", &["CFARepeatPatternDim", "CFAPattern2"]),
    ("ImageWidth", SIZES),
    ("ImageHeight", SIZES),
    ("FileType", &["DNGVersion"]),
    ("FileTypeExtension", &["DNGVersion"]),
    ("MIMEType", &["DNGVersion"]),
    ("ShutterSpeed", &["ExposureTime", "ShutterSpeedValue", "BulbDuration"]),
    ("Aperture", &["FNumber", "ApertureValue"]),
    ("LightValue", &["ShutterSpeed", "FNumber", "ApertureValue", "Aperture", "ISO"]),
    ("FocalLength35efl", LENGTHS),
    ("ScaleFactor35efl", LENGTHS),
    ("CircleOfConfusion", LENGTHS),
    ("FOV", LENGTHS),
    ("HyperfocalDistance", LENGTHS),
    ("DOF", LENGTHS),
    ("RedBalance", COLOR_INPUTS),
    ("BlueBalance", COLOR_INPUTS),
    ("Lens", LENS_INPUTS),
    ("Lens35efl", &["Lens", "ScaleFactor35efl"]),
    ("LensID", LENS_INPUTS),
    ("LensSpec", LENS_INPUTS),
    ("Rotation", &["MatrixStructure", "HandlerType"]),
    ("AvgBitrate", &["MediaDataSize", "Duration"]),
    (
        "Flash",
        &["Flash", "FlashFired", "FlashReturn", "FlashMode", "FlashFunction", "FlashRedEyeMode"],
    ),
];

/// Where 3GPP's films were made.
pub(crate) const LOCATION: &str = "LocationInformation";

/// What tells the size of a picture.
const SIZES: &[&str] = &[
    "ImageWidth",
    "ImageHeight",
    "ExifImageWidth",
    "ExifImageHeight",
    "ImageSpatialExtent",
    "RawImageCroppedSize",
    "SubfileType",
    "FileType",
    "SensorLeftBorder",
    "SensorRightBorder",
    "SensorTopBorder",
    "SensorBottomBorder",
];

/// Where a picture within the file is, and what tells that it is one for viewing.
const PICTURE: &[&str] = &[
    "PreviewImageStart",
    "PreviewImageLength",
    "ThumbnailOffset",
    "ThumbnailLength",
    "StripOffsets",
    "StripByteCounts",
    "SubfileType",
    "Compression",
];

/// What the composite `name` is made of; nothing for other tags.
pub(crate) fn inputs(name: &str) -> &'static [&'static str] {
    let mut all = INPUTS.iter().chain(MAKER_INPUTS);
    let found = all.find(|(composite, _)| composite.eq_ignore_ascii_case(name));
    found.map_or(&[], |(_, inputs)| inputs)
}

/// Which composites are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Composites {
    None,
    /// The most common fields where few are read.
    Dates,
    Any,
}

/// Which composites are among the tags that are asked for.
pub(crate) fn of(asks: impl Fn(&str) -> bool) -> Composites {
    let dates = |name: &str| name.contains("Date");
    let mut others = INPUTS.iter().filter(|(name, _)| !dates(name)).chain(MAKER_INPUTS);
    if others.any(|(name, _)| asks(name)) {
        return Composites::Any;
    }
    let any = INPUTS.iter().any(|(name, _)| dates(name) && asks(name));
    if any { Composites::Dates } else { Composites::None }
}

const COLOR_INPUTS: &[&str] = &[
    "WB_RGGBLevels",
    "WB_RGBGLevels",
    "WB_RBGGLevels",
    "WB_GRBGLevels",
    "WB_GRGBLevels",
    "WB_GBRGLevels",
    "WB_RGBLevels",
    "WB_GRBLevels",
    "WB_RBLevels",
    "WBRedLevel",
    "WBGreenLevel",
    "WBBlueLevel",
];

const LENS_INPUTS: &[&str] = &[
    "LensType",
    "LensType2",
    "LensType3",
    "LensModel",
    "LensIDNumber",
    "LensFStops",
    "MinFocalLength",
    "MaxFocalLength",
    "MaxApertureAtMinFocal",
    "MaxApertureAtMaxFocal",
    "MCUVersion",
    "FocalLength",
    "MaxApertureValue",
    "MaxAperture",
    "LensFocalRange",
    "Make",
    "LensID",
    "LensInfo",
    "Lens",
];

const MAKER_INPUTS: &[(&str, &[&str])] = &[
    ("ISO", &["CameraISO", "BaseISO", "AutoISO"]),
    ("DriveMode", &["ContinuousDrive", "SelfTimer"]),
    ("ShootingMode", &["CanonExposureMode", "EasyMode", "BulbDuration"]),
    ("FlashType", &["FlashBits"]),
    ("RedEyeReduction", &["CanonFlashMode", "FlashBits"]),
    ("ConditionalFEC", &["FlashExposureComp", "FlashBits"]),
    ("ShutterCurtainHack", &["ShutterCurtainSync", "FlashBits"]),
    (
        "WB_RGGBLevels",
        &[
            "WhiteBalance",
            "WB_RGGBLevelsAsShot",
            "WB_RGGBLevelsAuto",
            "WB_RGGBLevelsDaylight",
            "WB_RGGBLevelsShade",
            "WB_RGGBLevelsCloudy",
            "WB_RGGBLevelsTungsten",
            "WB_RGGBLevelsFluorescent",
            "WB_RGGBLevelsFlash",
            "WB_RGGBLevelsCustom",
            "WB_RGGBLevelsKelvin",
        ],
    ),
    ("FileNumber", &["DirectoryIndex", "FileIndex"]),
    ("PreviewImageSize", &["PreviewImageWidth", "PreviewImageHeight"]),
    ("AutoFocus", &["PhaseDetectAF", "ContrastDetectAF"]),
    ("FocusDistance2", &["FocusPosition2", "FocalLengthIn35mmFormat"]),
    ("ExtenderStatus", &["Extender", "LensType", "MaxAperture"]),
    ("AdvancedSceneMode", &["Model", "SceneMode", "AdvancedSceneType"]),
    ("DateCreated", &["YearCreated", "MonthDayCreated"]),
    ("RunTimeSincePowerUp", &["RunTimeValue", "RunTimeScale"]),
];

const LENGTHS: &[&str] = &[
    "Make",
    "FocalLength",
    "FocalLengthIn35mmFormat",
    "FocalPlaneDiagonal",
    "FocalPlaneXSize",
    "FocalPlaneYSize",
    "FocalPlaneXResolution",
    "FocalPlaneYResolution",
    "FocalPlaneResolutionUnit",
    "ExifImageWidth",
    "ExifImageHeight",
    "CanonImageWidth",
    "CanonImageHeight",
    "ImageWidth",
    "ImageHeight",
    "DigitalZoom",
    "ZoomSourceWidth",
    "ZoomTargetWidth",
    "FNumber",
    "ApertureValue",
    "FocusDistance",
    "SubjectDistance",
    "ObjectDistance",
    "ApproximateFocusDistance",
    "FocusDistanceLower",
    "FocusDistanceUpper",
];
