//! The protocol: lines, numbers, echoes, bad input; a script of the shell in the place of ExifTool.

use super::*;
use std::path::PathBuf;

/// A JPEG of a photo that was turned.
fn photo(folder: &Path) -> PathBuf {
    let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let mut jpeg = b"\xff\xd8\xff\xe1\0\x22Exif\0\0".to_vec();
    jpeg.extend_from_slice(tiff);
    jpeg.extend_from_slice(b"\xff\xd9");
    let path = folder.join("a.jpg");
    crate::write_bytes(&path, &jpeg).unwrap();
    path
}

/// What a command line prints, with lines for `-stay_open`; `real`: empty for no ExifTool.
fn asked(arguments: &[&str], lines: &[u8], real: &Path) -> (String, String, u8, DropInStats) {
    let options = DropInOptions { real: Some(real.to_owned()), ..DropInOptions::default() };
    let mut drop_in = DropIn::new(options);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = arguments.iter().map(OsString::from);
    let status = drop_in.run(arguments, &mut &lines[..], &mut out, &mut err).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(out), text(err), status, drop_in.stats().clone())
}

const OPEN: [&str; 4] = ["-stay_open", "True", "-@", "-"];

#[test]
fn lines_are_commands_with_numbers_and_echoes() {
    let folder = tempfile::tempdir().unwrap();
    let path = photo(folder.path());
    let path = path.display();
    let lines = format!(
        "-ver\n-execute\n\n# nothing\n-execute2\n-s3\n-Orientation#\n{path}\n-echo\nfirst\n-echo4\n=${{status}}=\n\
         -execute3\n-q\n-ver\n-execute\n-j\n-Orientation\n{path}\n-stay_open\nFalse\n-never\n"
    );
    let (out, err, status, stats) = asked(&OPEN, lines.as_bytes(), Path::new(""));
    let json =
        format!("[{{\n  \"SourceFile\": \"{path}\",\n  \"Orientation\": \"Rotate 90 CW\"\n}}]\n");
    assert_eq!(out, format!("13.58\n{{ready}}\n{{ready2}}\nfirst\n6\n{{ready3}}\n13.58\n{json}"));
    assert_eq!((err.as_str(), status), ("=0=\n", 0));
    assert_eq!((stats.native_commands, stats.native_files, stats.handed_commands), (4, 2, 0));
}

#[test]
fn common_arguments_and_several_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = photo(folder.path());
    let name = path.display().to_string();
    let (out, _, status, _) = asked(
        &[&OPEN[..], &["-common_args", "-n", "-s3"]].concat(),
        format!("-Orientation\n{name}\n-execute1\n").as_bytes(),
        Path::new(""),
    );
    assert_eq!((out.as_str(), status), ("6\n{ready1}\n", 0));
    let (out, ..) = asked(&["-s3", "-Orientation", &name, "-execute", "-ver"], b"", Path::new(""));
    assert_eq!(out, "Rotate 90 CW\n13.58\n");
    // Arguments in a file.
    let file = folder.path().join("args");
    crate::write_bytes(&file, format!("\u{feff}-S\n-Orientation\n{name}\n").as_bytes()).unwrap();
    let (out, ..) = asked(&["-@", &file.display().to_string()], b"", Path::new(""));
    assert_eq!(out, "Orientation: Rotate 90 CW\n");
}

#[test]
fn what_is_missing_is_an_error_and_conditions_have_their_status() {
    let folder = tempfile::tempdir().unwrap();
    let name = photo(folder.path()).display().to_string();
    let (out, err, status, _) = asked(&["-j", "-Make", "gone.jpg"], b"", Path::new(""));
    assert_eq!((out.as_str(), err.as_str(), status), ("", "Error: File not found - gone.jpg\n", 1));
    let (out, _, status, _) =
        asked(&["-s3", "-Orientation", "-if", "$Orientation# > 6", &name], b"", Path::new(""));
    assert_eq!((out.as_str(), status), ("    1 files failed condition\n", 2));
    let (out, err, ..) =
        asked(&["-p", "$FileName: ${Orientation#} $Make", "-f", &name], b"", Path::new(""));
    assert_eq!((out.as_str(), err.as_str()), ("a.jpg: 6 -\n", ""));
    // Of a pair of files one is there.
    let (out, err, status, _) =
        asked(&["-T", "-Orientation", "-Make", &name, "gone.jpg"], b"", Path::new(""));
    assert_eq!((out.as_str(), status), ("Rotate 90 CW\t-\n", 1));
    assert!(err.starts_with("Error: File not found"));
}

#[test]
fn all_forms_of_one_tag() {
    let folder = tempfile::tempdir().unwrap();
    let name = photo(folder.path()).display().to_string();
    for (options, want) in [
        (
            &["-G1"][..],
            "[IFD0]          Orientation                     : Rotate 90 CW\n".to_owned(),
        ),
        (
            &["-s", "-G0:1"],
            "[EXIF:IFD0]     Orientation                     : Rotate 90 CW\n".to_owned(),
        ),
        (&["-S", "-n"], "Orientation: 6\n".to_owned()),
        (&["-t"], "Orientation\tRotate 90 CW\n".to_owned()),
        (&["-csv"], format!("SourceFile,Orientation\n{name},Rotate 90 CW\n")),
        (&["-b"], "Rotate 90 CW".to_owned()),
    ] {
        let arguments = [options, &["-Orientation", &name]].concat();
        let (out, _, status, stats) = asked(&arguments, b"", Path::new(""));
        if options == ["-b"] {
            // A value that has words is not sure with -b.
            assert_eq!((stats.handed_commands, status), (1, 1));
            continue;
        }
        assert_eq!((out, status), (want, 0), "{options:?}");
    }
    let (out, ..) = asked(&["-X", "-Orientation", &name], b"", Path::new(""));
    assert!(out.ends_with(
        " <IFD0:Orientation>Rotate 90 CW</IFD0:Orientation>\n</rdf:Description>\n</rdf:RDF>\n"
    ));
}

#[test]
fn what_is_not_there_has_its_name_as_words_and_templates_have_all() {
    let folder = tempfile::tempdir().unwrap();
    let name = photo(folder.path()).display().to_string();
    for (arguments, want) in [
        (&["-f", "-DateTimeOriginal"][..], "Date Time Original              : -\n"),
        (&["-t", "-f", "-SubSecDateTimeOriginal"], "Sub Sec Date Time Original\t-\n"),
        (&["-T", "-IFD1:all"], ""),
        (&["-T", "-Make"], "-\n"),
        (&["-p", "${Orientation#}", "--Orientation"], "6\n"),
    ] {
        let (out, ..) = asked(&[arguments, &[&name]].concat(), b"", Path::new(""));
        assert_eq!(out, want, "{arguments:?}");
    }
}

#[test]
fn without_exiftool_what_is_left_to_it_is_a_clear_error() {
    let (out, err, status, stats) = asked(&["-Artist=me", "a.jpg"], b"", Path::new(""));
    assert_eq!((out.as_str(), status, stats.handed_commands), ("", 1, 1));
    assert!(err.starts_with(
        "Error: solio leaves this to ExifTool (-Artist=me): no ExifTool was found; install"
    ));
    let lines = b"-listx\n-execute1\n-ver\n-execute2\n";
    let (out, err, status, _) = asked(&OPEN, lines, Path::new(""));
    assert_eq!((out.as_str(), status), ("{ready1}\n13.58\n{ready2}\n", 1));
    assert_eq!(err.lines().count(), 1);
}

#[test]
fn we_are_never_the_real_one() {
    let options = DropInOptions { within: true, ..DropInOptions::default() };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let lines = b"-ver\n-execute1\n";
    let arguments = OPEN.map(OsString::from);
    let status = DropIn::new(options).run(arguments, &mut &lines[..], &mut out, &mut err).unwrap();
    assert_eq!((status, &out[..]), (1, real::REFUSAL));
    let own = std::env::current_exe().unwrap().canonicalize().unwrap();
    assert!(real::candidates(None).iter().all(|path| path.canonicalize().unwrap() != own));
}

#[test]
fn bad_input_is_no_end() {
    let lines: Vec<u8> = (0..=255u8)
        .chain(*b"\n-execute\n\xff\xfe\n-\xff\n-execute1\n-if\n-execute2\n-@\n-execute3\n")
        .collect();
    let (out, err, _, _) = asked(&OPEN, &lines, Path::new(""));
    assert!(out.contains("{ready1}\n{ready2}\n{ready3}\n"), "{out} {err}");
    // A line that ends with the input is an argument, too.
    let (out, ..) = asked(&OPEN, b"-ver", Path::new(""));
    assert_eq!(out, "13.58\n");
    let many = "-ver\n-execute\n".repeat(10_000);
    let (out, _, _, stats) = asked(&OPEN, many.as_bytes(), Path::new(""));
    assert_eq!((out.lines().count(), stats.native_commands), (20_000, 10_000));
}

#[test]
fn a_closed_pipe_ends_it() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut drop_in = DropIn::new(DropInOptions { real: Some("".into()), ..Default::default() });
    let lines = b"-ver\n-execute\n".repeat(1000);
    let run = drop_in.run(OPEN.map(OsString::from), &mut &lines[..], &mut Closed, &mut Vec::new());
    assert!(run.is_err());
    assert_eq!(drop_in.stats().native_commands, 0);
}

#[cfg(unix)]
mod behind {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A program that answers as ExifTool does: the arguments of each command on one line, and how many
    /// commands it has answered.
    const SCRIPT: &str = r#"#!/bin/sh
n=0; all=; mark=
while read -r line; do
  case "$line" in
    -execute*)
      number=${line#-execute}
      case "$all" in
        " -ver") echo 13.58 ;;
        *-die*) kill -9 $$ ;;
        *) n=$((n+1)); echo "command $n:$all"; echo "a warning" >&2 ;;
      esac
      printf '%s\n' "$mark" | sed 's/\${status}/7/' >&2
      echo "{ready$number}"; all=; mark= ;;
    -echo4) read -r mark ;;
    *) all="$all $line" ;;
  esac
done
"#;

    fn script(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("real");
        crate::write_bytes(&path, text.as_bytes()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn commands_are_handed_on_and_answers_come_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let real = script(folder.path(), SCRIPT);
        let lines = b"-listx\n-execute1\n-ver\n-execute2\n-Artist=me\na.jpg\n-execute3\n";
        let (out, err, status, stats) = asked(&OPEN, lines, &real);
        let want =
            "command 1: -listx\n{ready1}\n13.58\n{ready2}\ncommand 2: -Artist=me a.jpg\n{ready3}\n";
        assert_eq!((out.as_str(), status), (want, 7));
        assert_eq!(err, "a warning\na warning\n");
        assert_eq!((stats.native_commands, stats.handed_commands), (1, 2));
        assert_eq!(stats.reasons.values().sum::<u64>(), 2);
    }

    #[test]
    fn one_that_was_killed_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let real = script(folder.path(), SCRIPT);
        let lines = b"-listx\n-execute1\n-die\n-listw\n-execute2\n-listx\n-execute3\n";
        let (out, err, status, _) = asked(&OPEN, lines, &real);
        assert_eq!(out, "command 1: -listx\n{ready1}\n{ready2}\ncommand 1: -listx\n{ready3}\n");
        assert!(err.contains("ended before it answered"), "{err}");
        assert_eq!(status, 7);
    }

    #[test]
    fn a_program_that_is_not_exiftool_is_told() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["#!/bin/sh\necho solio\n", ""] {
            let real = script(folder.path(), text);
            let (out, err, status, _) = asked(&["-listx"], b"", &real);
            assert_eq!((out.as_str(), status), ("", 1), "{text}");
            assert!(err.starts_with("Error: solio leaves this to ExifTool"), "{err}");
        }
    }
}
