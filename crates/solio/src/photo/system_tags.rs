//! What the system says of a file, as tags of the group `System`.

use solio_photo::{Fields, Tag, Value};
use std::path::Path;
use std::time::SystemTime;

const GROUP: &str = "System";
const NAMES: [&str; 7] = [
    "FileName",
    "Directory",
    "FileSize",
    "FileModifyDate",
    "FileAccessDate",
    "FileInodeChangeDate",
    "FilePermissions",
];

/// The tags of the file at `path` that are wanted.
pub(crate) fn system_tags(path: &Path, fields: &Fields) -> Vec<Tag> {
    let wants = |name: &str| fields.asks(GROUP, name);
    let mut tags = Vec::new();
    // Asking the system takes an eighth of the time of three dates.
    if !NAMES.iter().any(|name| wants(name)) {
        return tags;
    }
    let mut put = |name: &'static str, number: Value, text: String| {
        if wants(name) {
            tags.push(Tag::stated(GROUP, name, number, Value::Text(text)));
        }
    };
    let mut word = |name, part: Option<&std::ffi::OsStr>| {
        let text = part.unwrap_or_default().to_string_lossy().into_owned();
        put(name, Value::Text(text.clone()), text);
    };
    word("FileName", path.file_name());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    word("Directory", Some(folder.unwrap_or(Path::new(".")).as_os_str()));
    let Ok(about) = std::fs::metadata(path) else { return tags };
    put("FileSize", Value::Text(about.len().to_string()), size(about.len()));
    let (changed, mode) = solio_io::walk::change_and_mode(path, &about);
    for (name, seconds) in [
        ("FileModifyDate", seconds(about.modified())),
        ("FileAccessDate", seconds(about.accessed())),
        ("FileInodeChangeDate", changed),
    ] {
        let date = date(seconds);
        put(name, Value::Text(date.clone()), date);
    }
    put("FilePermissions", Value::Text(format!("{mode:o}")), permissions(mode));
    tags
}

/// Since 1970, down.
fn seconds(time: std::io::Result<SystemTime>) -> i64 {
    let Ok(time) = time else { return 0 };
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => after.as_secs() as i64,
        Err(before) => {
            let before = before.duration();
            -(before.as_secs() as i64) - i64::from(before.subsec_nanos() > 0)
        }
    }
}

/// `6.8 kB`, in powers of ten.
fn size(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        0..2_000 => format!("{bytes} bytes"),
        2_000..10_000 => format!("{:.1} kB", value / 1e3),
        10_000..2_000_000 => format!("{:.0} kB", value / 1e3),
        2_000_000..10_000_000 => format!("{:.1} MB", value / 1e6),
        10_000_000..2_000_000_000 => format!("{:.0} MB", value / 1e6),
        2_000_000_000..10_000_000_000 => format!("{:.1} GB", value / 1e9),
        _ => format!("{:.0} GB", value / 1e9),
    }
}

/// As `ls -l` shows them.
fn permissions(mode: u32) -> String {
    let kind = match mode >> 12 {
        0o04 => 'd',
        0o02 => 'c',
        0o06 => 'b',
        0o01 => 'p',
        0o12 => 'l',
        0o14 => 's',
        _ => '-',
    };
    let bits = (0..9).rev().zip("rwxrwxrwx".chars());
    let letters = bits.map(|(bit, letter)| if mode >> bit & 1 == 1 { letter } else { '-' });
    std::iter::once(kind).chain(letters).collect()
}

/// In universal time, whatever the clock on the wall shows.
fn date(seconds: i64) -> String {
    format!("{}+00:00", solio_photo::date_of_unix(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_given_by_its_name_alone() {
        let all = system_tags(Path::new("Cargo.toml"), &Fields::all());
        let names: Vec<&str> = all.iter().map(|tag| &*tag.name).collect();
        assert_eq!(names, NAMES);
        for name in NAMES {
            assert_eq!(system_tags(Path::new("Cargo.toml"), &Fields::of([name])).len(), 1);
        }
        assert!(system_tags(Path::new("Cargo.toml"), &Fields::of(["CreateDate"])).is_empty());
    }

    #[test]
    fn sizes_dates_and_permissions() {
        let at = |s: i64| {
            if s < 0 {
                SystemTime::UNIX_EPOCH - std::time::Duration::from_millis((-s * 1000 - 300) as u64)
            } else {
                SystemTime::UNIX_EPOCH + std::time::Duration::from_millis((s * 1000 + 300) as u64)
            }
        };
        assert_eq!((seconds(Ok(at(-5))), seconds(Ok(at(7)))), (-5, 7));
        assert_eq!(size(1999), "1999 bytes");
        assert_eq!(size(6816), "6.8 kB");
        assert_eq!(size(368_000_000), "368 MB");
        assert_eq!(permissions(0o100_444), "-r--r--r--");
        assert_eq!(permissions(0o040_755), "drwxr-xr-x");
        assert_eq!(date(951_782_400), "2000:02:29 00:00:00+00:00");
    }
}
