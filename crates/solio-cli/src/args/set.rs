//! The arguments of `solio set`.

use super::shared::{InputArgs, RunArgs};
use clap::Args;
use solio::photo::{DateEdit, PhotoEdit, WallTime};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  solio set owner='Studio A' framesPerSecond=24000/1001 shots/*.exr
  solio set shotCount:int=3 comments= a.exr -o b.exr
  solio set --part left view=left stereo.exr
  solio set --shift +1h DCIM/*.jpg             the camera's clock was an hour behind
  solio set --date 2023-01-02T03:04:05+01:00 scan.tif film.mov
  solio set --remove-gps -o public/ *.heic

A value has the type that is named (name:type=value), else that of the attribute in the file, of the \
standard attribute of this name, or what it looks like: int, float, string. Without a value (name=) \
the attribute is removed. What says how the pixels lie cannot be set. A file whose name has an \
equals sign is written ./a=b.exr.
Dates, places and orientation are those of photos and films: JPEG, TIFF and raws like it, CR3, HEIC, MP4, MOV, XMP. \
No other byte moves; what cannot be changed so is refused, and the file stays as it was.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(
    override_usage = "solio set [OPTIONS] <NAME=VALUE>... <FILE>...\n       solio set --shift <SPAN> <FILE>..."
)]
#[command(mut_arg("files", |files| files.help("Attributes, and the files that get them")))]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write here instead of into the same file: a file, or a folder
    #[arg(short, long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Remove this attribute; may be given several times
    #[arg(short, long, value_name = "NAME")]
    pub(crate) delete: Vec<String>,
    /// Only in this part, by number or name [default: all parts]
    #[arg(long, value_name = "PART")]
    pub(crate) part: Option<String>,
    /// Set all dates in photos and films: 2023-01-02T03:04:05, with +01:00 behind for its zone, which films need
    #[arg(long, value_name = "DATE", conflicts_with = "shift", value_parser = parse_date)]
    pub(crate) date: Option<DateEdit>,
    /// Shift all dates in photos and films: +1h, -30m, +1d2h, -5:30
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true, value_parser = parse_span)]
    pub(crate) shift: Option<DateEdit>,
    /// Take out of photos and films where they were taken
    #[arg(long)]
    pub(crate) remove_gps: bool,
    /// Say how photos are turned: 1 is upright, 3 by 180 degrees, 6 and 8 by 90 degrees right and left
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=8))]
    pub(crate) orientation: Option<u16>,
    /// fsync outputs before returning
    #[arg(long)]
    pub(crate) durable: bool,
    /// Dry run: show what would be done
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

impl SetArgs {
    /// What is changed of photos, if that was asked for.
    pub(crate) fn photo_edit(&self) -> Option<PhotoEdit> {
        let edit = PhotoEdit {
            date: self.date.or(self.shift),
            remove_gps: self.remove_gps,
            orientation: self.orientation,
        };
        (edit != PhotoEdit::default()).then_some(edit)
    }
}

/// `2023-01-02T03:04:05+01:00`, also as EXIF writes it.
fn parse_date(text: &str) -> Result<DateEdit, String> {
    let form = "use 2023-01-02T03:04:05, or 2023-01-02T03:04:05+01:00";
    let read = || {
        let time = text.get(..19)?;
        let parts: Vec<i64> = time
            .split(['-', ':', 'T', ' '])
            .map(|part| part.parse().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit())))
            .collect::<Option<_>>()?;
        let [y, mo, d, h, mi, s] = parts[..] else { return None };
        let wall = WallTime::new(y, mo, d, h, mi, s)?;
        let offset_s = match &text[19..] {
            "" => None,
            zone => Some(
                chrono::DateTime::parse_from_str(
                    &format!("2000-01-01T00:00:00{zone}"),
                    "%Y-%m-%dT%H:%M:%S%#z",
                )
                .ok()?
                .offset()
                .local_minus_utc(),
            ),
        };
        Some(DateEdit::Set { wall, offset_s })
    };
    read().ok_or_else(|| format!("{text} is not a date; {form}"))
}

/// `+1h`, `-1d2h30m`, `-5:30`, `+0:00:10`.
fn parse_span(text: &str) -> Result<DateEdit, String> {
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err("begin with + or -: +1h, -30m, -5:30".into()),
    };
    let clock = || -> Option<i64> {
        let parts: Vec<i64> = rest
            .split(':')
            .map(|part| part.parse::<u32>().ok().map(i64::from))
            .collect::<Option<_>>()?;
        match parts[..] {
            [h, m] if m < 60 => Some(h * 3600 + m * 60),
            [h, m, s] if m < 60 && s < 60 => Some(h * 3600 + m * 60 + s),
            _ => None,
        }
    };
    let words = || {
        let span = humantime::parse_duration(rest).ok().filter(|span| span.subsec_nanos() == 0)?;
        i64::try_from(span.as_secs()).ok()
    };
    let seconds = clock().or_else(words).filter(|seconds| *seconds > 0 && *seconds < 1 << 40);
    let seconds =
        seconds.ok_or_else(|| format!("{text} is not a span; use +1h, -30m, +1d2h or -5:30"))?;
    Ok(DateEdit::Shift { seconds: sign * seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_spans_are_read_or_refused() {
        let span = |text: &str| match parse_span(text) {
            Ok(DateEdit::Shift { seconds }) => Some(seconds),
            _ => None,
        };
        for (text, seconds) in [
            ("+1h", Some(3600)),
            ("-30m", Some(-1800)),
            ("+1d2h", Some(93_600)),
            ("-5:30", Some(-19_800)),
            ("+0:00:10", Some(10)),
            ("1h", None),
            ("+", None),
            ("+0s", None),
            ("+1:99", None),
            ("+1ms", None),
            ("-99999999999999999999h", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(span(text), seconds, "{text}");
        }
        for fine in [
            "2023-01-02T03:04:05",
            "2023:01:02 03:04:05",
            "2023-01-02T03:04:05+01:00",
            "2023-01-02T03:04:05Z",
        ] {
            assert!(parse_date(fine).is_ok(), "{fine}");
        }
        for bad in [
            "2023-01-02",
            "2023-02-30T00:00:00",
            "2023-01-02T03:04:05+1",
            "2023-01-02T03:04:05 x",
            "",
            "+023-01-02T03:04:05",
        ] {
            assert!(parse_date(bad).is_err(), "{bad}");
        }
    }
}
