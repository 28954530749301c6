//! A real file system on a medium that is full, or broken: an image of ext4 on a loop device.

use crate::folder::{files, inputs, set};
use crate::{run, skipped};
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

/// A mounted image; dropping it leaves nothing.
struct Mounted {
    folder: tempfile::TempDir,
    device: String,
    at: PathBuf,
}

impl Mounted {
    /// Mounts an empty ext4 of `bytes`; says that the test is skipped where that does not go.
    fn new(bytes: u64) -> Option<Mounted> {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image");
        std::fs::File::create(&image).unwrap().set_len(bytes).unwrap();
        let at = folder.path().join("at");
        std::fs::create_dir(&at).unwrap();
        let image = image.to_str().unwrap();
        // All that the file system notes about itself lies in the first MiB. Without a journal it
        // goes on after an error.
        let format = ["-q", "-F", "-b", "4096", "-N", "64", "-m", "0", "-O", "^has_journal", image];
        command(folder.path(), "mkfs.ext4", &format)?;
        let device = command(folder.path(), "losetup", &["--find", "--show", image])?;
        let mounted = Mounted { folder, device, at };
        command(mounted.path(), "mount", &["-t", "ext4", &mounted.device, "."])?;
        std::fs::remove_dir(mounted.path().join("lost+found")).unwrap();
        Some(mounted)
    }

    fn path(&self) -> &Path {
        &self.at
    }

    /// Takes the end of the medium away: reading and writing there is an error of input or output.
    fn break_after(&self, bytes: u64) -> Option<()> {
        let image = std::fs::File::options().write(true).open(self.folder.path().join("image"));
        image.unwrap().set_len(bytes).unwrap();
        command(self.folder.path(), "losetup", &["--set-capacity", &self.device]).map(|_| ())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let here = self.folder.path();
        let at = self.at.to_str().unwrap();
        let _ =
            attempt(here, "umount", &[at]).or_else(|_| attempt(here, "umount", &["--lazy", at]));
        let _ = attempt(here, "losetup", &["--detach", &self.device]);
    }
}

/// What `program` prints; `None`, and that it was skipped, where it cannot do it here.
fn command(dir: &Path, program: &str, args: &[&str]) -> Option<String> {
    let why = match attempt(dir, program, args) {
        Ok(printed) => return Some(printed),
        Err(why) => why,
    };
    skipped(&format!("a file system of one's own, which needs root and a loop device: {why}"));
    None
}

fn attempt(dir: &Path, program: &str, args: &[&str]) -> Result<String, String> {
    let output = std::process::Command::new(program).args(args).current_dir(dir).output();
    let output = output.map_err(|e| format!("{program}: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{program}: {}", text(&output.stderr))),
    }
}

fn solio(dir: &Path, args: &[&str]) -> (i32, String) {
    let output = run(dir, env!("CARGO_BIN_EXE_solio"), args);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), err)
}

#[test]
fn a_disk_that_fills_up_keeps_the_old_file_and_gets_its_room_back() {
    let Some(disk) = Mounted::new(16 * MIB) else { return };
    let input = tempfile::tempdir().unwrap();
    set(input.path(), &inputs(60_000));
    let mesh = input.path().join("in.obj");
    let mesh = mesh.to_str().unwrap();
    for (output, more) in [
        ("out.obj", &[][..]),
        ("out.obj", &["--durable"]),
        ("out.stl", &["-j2"]),
        ("out.ply", &["--ascii", "--digits", "17"]),
    ] {
        std::fs::write(disk.path().join(output), "old\n").unwrap();
        let filler = disk.path().join("filler");
        std::fs::write(&filler, vec![7; 14 * MIB as usize]).unwrap();
        let before = files(disk.path());
        let args = [&["convert", mesh, "-o", output], more].concat();
        let (code, err) = solio(disk.path(), &args);
        assert_eq!(code, 1, "{args:?}: {err}");
        assert!(err.contains(output) && err.contains("os error 28"), "{err}");
        assert!(err.contains("the disk is full; the old file is as it was"), "{err}");
        assert!(files(disk.path()) == before, "{args:?}");
        // What the failed attempt had taken is free again.
        std::fs::remove_file(&filler).unwrap();
        let (code, err) = solio(disk.path(), &args);
        assert!(code == 0 && err.lines().all(|line| line.starts_with("solio: note: ")), "{err}");
        for name in files(disk.path()).keys() {
            std::fs::remove_file(disk.path().join(name)).unwrap();
        }
    }
}

#[test]
fn a_medium_that_fails_keeps_the_old_file_where_durable_was_asked_for() {
    let Some(disk) = Mounted::new(48 * MIB) else { return };
    let input = tempfile::tempdir().unwrap();
    set(input.path(), &inputs(60_000));
    let mesh = input.path().join("in.obj");
    let mesh = mesh.to_str().unwrap();
    std::fs::write(disk.path().join("out.ply"), "old\n").unwrap();
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![7; 8 * MIB as usize]).unwrap();
    if command(disk.path(), "sync", &[]).is_none() || disk.break_after(MIB).is_none() {
        return;
    }
    let (code, err) = solio(disk.path(), &["convert", "--durable", mesh, "-o", "out.ply"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("out.ply") && err.contains("Input/output error (os error 5)"), "{err}");
    assert_eq!(std::fs::read(disk.path().join("out.ply")).unwrap(), b"old\n");
    let mut names: Vec<_> =
        std::fs::read_dir(disk.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["filler", "out.ply"]);
    // Reading there is an error that names the file and the place, by every backend.
    for backend in ["threads", "uring"] {
        let cat = ["cat", "--null", "--direct", "always", "--backend", backend, "filler", mesh];
        let (code, err) = solio(disk.path(), &cat);
        assert_eq!(code, 1, "{backend}: {err}");
        assert!(err.contains("filler: ") && err.contains("os error 5"), "{backend}: {err}");
        assert_eq!(err.lines().count(), 1, "{backend}: {err}");
    }
}

#[test]
fn a_catalogue_on_a_full_disk_keeps_what_it_has_and_goes_on_when_there_is_room() {
    let Some(disk) = Mounted::new(8 * MIB) else { return };
    let tree = tempfile::tempdir().unwrap();
    for n in 0..4000 {
        std::fs::write(tree.path().join(format!("{n}.txt")), "words").unwrap();
    }
    let root = tree.path().to_str().unwrap();
    for catalog in ["c.sqlite", "c.parquet"] {
        let filler = disk.path().join("filler");
        fill(&filler, 256 << 10);
        let args = ["scan", root, "-o", catalog];
        let (code, err) = solio(disk.path(), &args);
        assert_eq!(code, 1, "{err}");
        assert!(err.contains(catalog) && err.contains("the disk is full"), "{err}");
        assert!(!disk.path().join("c.parquet").exists());
        // Still full: that is all that is said, and nothing is worse than before.
        let (again, err) = solio(disk.path(), &args);
        assert!(again == 1 && err.contains("the disk is full"), "{err}");
        std::fs::remove_file(&filler).unwrap();
        let (code, err) = solio(disk.path(), &[&args[..], &["--resume"]].concat());
        assert_eq!(code, 0, "{err}");
        assert!(err.contains("4,000 files in 1 folder,") && err.contains("unchanged"), "{err}");
        assert_eq!(files(disk.path()).keys().collect::<Vec<_>>(), [catalog]);
        let (code, err) = solio(disk.path(), &[&args[..], &["-n"]].concat());
        assert!(code == 0 && err.contains(" 0 to look at"), "{err}");
        std::fs::remove_file(disk.path().join(catalog)).unwrap();
    }
}

/// Fills the disk with the file `path` but for `left` bytes.
fn fill(path: &Path, left: u64) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).unwrap();
    let block = [7; 4096];
    let blocks = (0..).take_while(|_| file.write_all(&block).is_ok()).count() as u64;
    file.set_len(blocks * 4096 - left).unwrap();
}
