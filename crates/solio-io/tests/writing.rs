//! Files appear whole or not at all: after success, error, panic, full disk, signals and SIGKILL.
//!
//! Each test also runs in a child with `SOLIO_NO_TMPFILE=1`, where unfinished files have names.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use solio_base::{Error, ErrorKind, Sink, Work};
use solio_codec::compress::Compression;
use solio_io::{FileSink, SinkOptions};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn work(threads: usize) -> Work {
    Work { threads, ..Work::default() }
}

fn line(i: usize) -> String {
    format!("chunk {i} ").repeat(3000) + "\n"
}

fn write(path: &Path, options: &SinkOptions, threads: usize, chunks: usize) -> u64 {
    let work = work(threads);
    let mut sink = FileSink::create(path, options, &work).unwrap();
    sink.write_bytes(&work, b"head\n").unwrap();
    sink.write_chunks(&work, chunks, &|i, b| {
        b.extend_from_slice(line(i).as_bytes());
        Ok(())
    })
    .unwrap();
    sink.write_bytes(&work, b"tail\n").unwrap();
    let written = sink.commit().unwrap();
    assert_eq!(written.file_bytes, fs::metadata(path).unwrap().len());
    assert_eq!(work.progress.now().written_bytes, written.file_bytes);
    written.raw_bytes
}

fn read(path: &Path) -> Vec<u8> {
    solio_io::read_whole(path, &Default::default(), &Work::default()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_was_put_down_can_be_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let work = work(2);
    let mut sink = FileSink::create(&path, &SinkOptions::default(), &work).unwrap();
    assert!(sink.can_rewrite());
    sink.write_bytes(&work, b"head\n").unwrap();
    sink.write_chunks(&work, 3, &|i, b| {
        b.extend_from_slice(line(i).as_bytes());
        Ok(())
    })
    .unwrap();
    let after: usize = (0..3).map(|i| line(i).len()).sum();
    sink.rewrite(after as u64 + 5, b"HE").unwrap();
    assert!(sink.rewrite(after as u64 + 6, b"HE").is_err());
    assert!(sink.rewrite(1, b"HE").is_err());
    sink.write_bytes(&work, b"tail").unwrap();
    sink.rewrite(4, b"TAIL").unwrap();
    assert_eq!(sink.commit().unwrap().file_bytes, after as u64 + 9);
    let expected = format!("HEad\n{}TAIL", (0..3).map(line).collect::<String>());
    assert_eq!(fs::read(&path).unwrap(), expected.as_bytes());

    let packed = SinkOptions { compression: Compression::Gzip, ..SinkOptions::default() };
    let mut sink = FileSink::create(&path, &packed, &work).unwrap();
    sink.write_bytes(&work, b"head").unwrap();
    assert!(!sink.can_rewrite() && sink.rewrite(4, b"HEAD").is_err());
}

#[test]
fn what_is_written_is_read_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let expected = format!("head\n{}tail\n", (0..100).map(line).collect::<String>());
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let mut files = Vec::new();
        for threads in [1, 2, 5] {
            let path = folder.path().join(format!("a{}", compression.extension()));
            let options = SinkOptions { compression, ..SinkOptions::default() };
            assert_eq!(write(&path, &options, threads, 100), expected.len() as u64);
            assert!(read(&path) == expected.as_bytes(), "{compression:?} {threads}");
            files.push(fs::read(&path).unwrap());
        }
        assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "threads change the bytes");
    }
    assert_eq!(names(folder.path()), ["a", "a.gz", "a.zst"]);
}

#[test]
fn an_empty_file_is_a_valid_file() {
    let folder = tempfile::tempdir().unwrap();
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let path = folder.path().join("empty");
        let options = SinkOptions { compression, durable: true, level: None };
        FileSink::create(&path, &options, &Work::default()).unwrap().commit().unwrap();
        assert_eq!(read(&path), b"");
    }
}

#[test]
fn an_error_or_a_panic_leaves_the_old_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.obj");
    for threads in [1, 4] {
        fs::write(&path, "old").unwrap();
        let attempt = |panics: bool| {
            let work = work(threads);
            let mut sink = FileSink::create(&path, &SinkOptions::default(), &work)?;
            sink.write_chunks(&work, 300, &|i, b| {
                b.extend_from_slice(line(i).as_bytes());
                assert!(i != 200 || !panics, "on purpose");
                if i == 200 { Err(Error::corrupt("on purpose")) } else { Ok(()) }
            })?;
            sink.commit()
        };
        assert_eq!(attempt(false).unwrap_err().message(), "on purpose");
        let panicked = std::panic::catch_unwind(|| attempt(true).map(|_| ()));
        assert!(panicked.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["old.obj"]);
    }
}

// Rights are bits on Unix alone.
#[cfg(unix)]
#[test]
fn mode_and_symbolic_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real", &link).unwrap();
    write(&link, &SinkOptions::default(), 2, 3);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(read(&path).starts_with(b"head\nchunk 0"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
    // A link to nothing creates what it points at.
    symlink("new", folder.path().join("dangling")).unwrap();
    write(&folder.path().join("dangling"), &SinkOptions::default(), 2, 3);
    assert_eq!(names(folder.path()), ["dangling", "link", "new", "real"]);
    // A new file has the mode that a plain creation gives.
    fs::write(folder.path().join("plain"), "").unwrap();
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("new"), mode("plain"));
}

#[test]
fn refusals_name_the_path() {
    let work = Work::default();
    let create = |path: &Path| FileSink::create(path, &SinkOptions::default(), &work);
    let e = create("/no/such/folder/a.obj".as_ref()).err().unwrap();
    assert!(e.kind() == ErrorKind::Io && e.is_missing());
    assert_eq!(e.path(), Some("/no/such/folder/a.obj".as_ref()));
    assert_eq!(create(&std::env::temp_dir()).err().unwrap().kind(), ErrorKind::Argument);
    let e = solio_io::open("/no/file".as_ref(), &Default::default(), &work).err().unwrap();
    assert!(e.to_string().starts_with("/no/file: cannot open"), "{e}");
}

// Windows has no files that are devices.
#[cfg(unix)]
#[test]
fn devices_are_written_directly() {
    let work = Work::default();
    write_device("/dev/null", &work).unwrap();
    if !Path::new("/dev/full").exists() {
        return;
    }
    let e = write_device("/dev/full", &work).unwrap_err();
    assert_eq!(e.os_error(), Some(28));
    assert!(e.hint_text().is_some_and(|h| h.contains("full")), "{e}");
}

#[cfg(unix)]
fn write_device(path: &str, work: &Work) -> solio_base::Result<solio_io::WrittenFile> {
    let mut sink = FileSink::create(path.as_ref(), &SinkOptions::default(), work)?;
    sink.write_chunks(work, 100, &|i, b| {
        b.extend_from_slice(line(i).as_bytes());
        Ok(())
    })?;
    sink.commit()
}

#[test]
fn a_full_disk_leaves_the_old_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        println!("skipped: mounting a small tmpfs needs root");
        return;
    }
    let path = folder.path().join("mesh.obj");
    fs::write(&path, "old").unwrap();
    let result = std::panic::catch_unwind(|| {
        for compression in [Compression::None, Compression::Zstd] {
            let work = work(2);
            let options = SinkOptions { compression, level: Some(1), durable: false };
            let mut sink = FileSink::create(&path, &options, &work).unwrap();
            let e = sink.write_chunks(&work, 1000, &|i, b| {
                // Noise, so that compressing does not make it fit.
                let mut x = i as u32 + 1;
                b.extend((0..9000).flat_map(|_| {
                    x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) ^ x >> 7;
                    x.to_le_bytes()
                }));
                Ok(())
            });
            let e = e.unwrap_err();
            assert_eq!((e.os_error(), e.path()), (Some(28), Some(path.as_path())));
            assert!(e.hint_text().is_some_and(|h| h.contains("disk is full")), "{e}");
            drop(sink);
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(names(folder.path()), ["mesh.obj"]);
        }
    });
    let _ = Command::new("umount").arg(folder.path()).status();
    result.unwrap();
}

/// The child of the signal tests: writes for ever.
#[test]
fn child_that_writes() {
    let Some(path) = std::env::var_os("SOLIO_TEST_CHILD") else { return };
    let work = work(2);
    solio_io::signals::cancel_on_signals(&work.cancel).unwrap();
    let mut sink = FileSink::create(path.as_ref(), &SinkOptions::default(), &work).unwrap();
    let stubborn = std::env::var_os("SOLIO_TEST_STUBBORN").is_some();
    let result = sink.write_chunks(&work, usize::MAX, &|i, b| {
        if i == 20 {
            println!("ready");
        }
        b.extend_from_slice(line(i % 1000).as_bytes());
        std::thread::sleep(std::time::Duration::from_millis(if stubborn && i >= 20 {
            60_000
        } else {
            1
        }));
        Ok(())
    });
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    drop(sink);
    std::process::exit(130);
}

/// A child that writes to `path`, and is at it.
fn writing_child(path: &Path, stubborn: bool) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_writes", "--nocapture"]).env("SOLIO_TEST_CHILD", path);
    if stubborn {
        command.env("SOLIO_TEST_STUBBORN", "1");
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.ends_with("ready")));
    child
}

#[cfg(unix)]
fn signal_child(path: &Path, stubborn: bool, signals: &[i32]) -> std::process::ExitStatus {
    let mut child = writing_child(path, stubborn);
    for signal in signals {
        let id = rustix::process::Pid::from_child(&child);
        let signal = rustix::process::Signal::from_named_raw(*signal).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.wait().unwrap()
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    fs::write(&path, "old").unwrap();
    for signal in [2, 15, 1] {
        assert_eq!(signal_child(&path, false, &[signal]).code(), Some(130));
        assert_eq!(names(folder.path()), ["mesh.obj"]);
    }
    // Work that does not come back ends at the second signal.
    let status = signal_child(&path, true, &[15, 15]);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15));
    assert_eq!(names(folder.path()), ["mesh.obj"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

/// Nothing can be done there; a file without a name, or one that goes when it is closed, needs nothing.
#[cfg(any(target_os = "linux", windows))]
#[test]
fn a_killed_process_leaves_the_old_file_and_nothing_else() {
    if std::env::var_os("SOLIO_NO_TMPFILE").is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    fs::write(&path, "old").unwrap();
    let mut child = writing_child(&path, false);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert_eq!(names(folder.path()), ["mesh.obj"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

/// Windows changes or refuses some names in silence.
#[cfg(windows)]
#[test]
fn names_that_windows_changes_are_refused_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "old").unwrap();
    for name in ["a.", "a ", "NUL", "com1.obj", "a?"] {
        let path = folder.path().join(name);
        let error = FileSink::create(&path, &SinkOptions::default(), &work(1)).err().unwrap();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Argument, Some(&*path)), "{error}");
    }
    assert_eq!(names(folder.path()), ["a"]);
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"old");
}

/// Longer than 260 units, which plain calls refuse.
#[test]
fn long_paths_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let deep = (0..20).fold(folder.path().to_owned(), |path, i| path.join(format!("{i:020}")));
    solio_io::make_folder(&deep).unwrap();
    let path = deep.join("mesh.obj");
    assert!(path.as_os_str().len() > 400);
    write(&path, &SinkOptions::default(), 2, 3);
    write(&path, &SinkOptions::default(), 2, 3);
    assert!(read(&path).ends_with(b"tail\n"));
    assert_eq!(names(&deep), ["mesh.obj"]);
}

/// Who has the old file open goes on reading it.
#[test]
fn a_reader_keeps_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.obj");
    fs::write(&path, "old").unwrap();
    let opened = solio_io::OpenFile::open(&path, &work(1)).unwrap();
    write(&path, &SinkOptions::default(), 2, 3);
    let source = opened.source(&Default::default(), &work(1)).unwrap().source;
    assert_eq!(solio_io::bytes_of(&*source, &Default::default()).unwrap(), b"old");
    drop(source);
    assert!(read(&path).starts_with(b"head"));
}

#[test]
fn all_of_this_also_holds_with_named_temporaries() {
    if std::env::var_os("SOLIO_NO_TMPFILE").is_some() {
        return;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .env("SOLIO_NO_TMPFILE", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "run with SOLIO_NO_TMPFILE=1 to see what fails");
}
