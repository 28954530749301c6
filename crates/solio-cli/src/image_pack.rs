//! `solio pack` and `solio unpack` of images, and what `solio info` says of an archive.

use crate::args::{PackArgs, UnpackArgs};
use crate::output_path::refuse_both;
use crate::stats::RunMeter;
use crate::table::{BOLD, DIM, TextTable, bytes, count, figures, seconds, some};
use crate::{Outcome, inputs, options, schema, screen, terminal};
use serde_json::{Value, json};
use solio::array::Kind;
use solio::{
    Archive, ArchiveEntry, Error, ErrorKind, FileKind, ImagePackOptions, ImagePacked,
    ImageUnpackOptions, ImagesPacked, Input, Limits, Result, Stopwatch, Usage, Work,
};
use std::path::{Path, PathBuf};

/// Packs every image, goes on past bad ones.
pub(crate) fn run(args: &PackArgs, images: &[PathBuf], work: &Work) -> Result<Outcome> {
    refuse_both(&args.output, args.run.json)?;
    if args.no_meshes || args.no_places {
        return Err(Error::argument("--no-meshes and --no-places are for scenes"));
    }
    let effort = args
        .effort
        .effort()
        .ok_or_else(|| Error::argument("images are packed with --effort fast, thorough or max"))?;
    let wanted = ImagePackOptions {
        exact: args.exact,
        effort,
        durable: args.durable,
        ..ImagePackOptions::default()
    };
    let seen = RunMeter::start(&args.run.shown, "pack", images, work);
    let watch = Stopwatch::start();
    let (mut failed, mut damaged) = (0, 0);
    let packed = solio::pack_images(images, &args.output, &wanted, work, |path, result| {
        match result {
            Ok(packed) => {
                damaged += u64::from(!packed.damage.is_empty());
                tell(args, path, &packed);
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed += 1;
                screen::fail(path, error, args.run.json);
            }
        }
        Ok(())
    });
    let usage = watch.usage();
    let packed = packed?;
    if args.run.json {
        let line = json!({
            "images": packed.images,
            "image_bytes": packed.image_bytes,
            "file_bytes": packed.file_bytes,
            "failed": failed,
            "damaged": damaged,
            "exact": args.exact,
            "wall_s": usage.wall_s,
            "cpu_s": usage.cpu_s,
        });
        screen::print(&schema::line("pack-archive/1", &[("output", &args.output)], line));
    } else if packed.images == 0 {
        screen::complain("no image could be packed; no archive was made");
    } else if args.output.as_os_str() != "-" {
        screen::print(&words(&args.output, &packed, &usage));
    }
    let outcome = inputs::outcome(failed, images.len());
    seen.end(packed.images);
    Ok(if damaged > 0 { Outcome::SomeFailed } else { outcome })
}

/// `frames.solio: 24 images, 1.2 GB instead of 3.1 GB: …`
fn words(output: &Path, packed: &ImagesPacked, usage: &Usage) -> String {
    let ratio = packed.image_bytes as f64 / packed.file_bytes.max(1) as f64;
    format!(
        "{}: {}, {} instead of {}: {ratio:.2} times smaller; in {}, {} MB/s\n",
        terminal::name(output),
        some(packed.images, "image"),
        bytes(packed.file_bytes),
        bytes(packed.image_bytes),
        seconds(usage.wall_s),
        figures(packed.image_bytes as f64 / 1e6 / usage.wall_s.max(1e-9)),
    )
}

fn tell(args: &PackArgs, path: &Path, packed: &ImagePacked) {
    for damage in &packed.damage {
        screen::complain(&format!("{}: stored unmodified: {damage}", terminal::told(path)));
    }
    if args.run.json {
        let line = json!({
            "name": packed.name,
            "image_bytes": packed.file_bytes,
            "packed_bytes": packed.packed_bytes,
            "pieces": packed.pieces,
            "kept_pieces": packed.kept_pieces,
            "damage": packed.damage,
        });
        screen::print(&schema::line("pack-image/1", &[("input", path)], line));
    }
}

/// Writes the images of an archive, goes on past bad ones.
pub(crate) fn unpack(args: &UnpackArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    let archive = Input::open(&args.archive, &Limits::default(), &work)?;
    if archive.kind() == FileKind::Pack {
        return Err(Error::unsupported("this is a packed scene, not an archive")
            .at_path(&args.archive)
            .hint("to write it as text: solio convert scene.solio -o scene.pbrt"));
    }
    let wanted = ImageUnpackOptions { durable: args.durable, ..ImageUnpackOptions::default() };
    let seen = RunMeter::start(&args.run.shown, "unpack", &[&args.archive], &work);
    let watch = Stopwatch::start();
    let (mut done, mut written, mut failed) = (0, 0, 0);
    let each = |name: &str, result: Result<u64>| {
        match result {
            Ok(file_bytes) => {
                done += 1;
                written += file_bytes;
                if args.run.json {
                    let output = solio::names::joined(&args.output, name.as_ref());
                    let line = json!({ "name": name, "file_bytes": file_bytes });
                    screen::print(&schema::line("unpack/1", &[("output", &output)], line));
                }
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed += 1;
                screen::fail(Path::new(name), error, args.run.json);
            }
        }
        Ok(())
    };
    let result = solio::unpack_images(&archive, &args.output, &args.only, &wanted, &work, each);
    let usage = watch.usage();
    result?;
    if !args.run.json {
        screen::print(&format!(
            "{}: {}, {}; in {}, {} MB/s\n",
            terminal::name(&args.output),
            some(done, "image"),
            bytes(written),
            seconds(usage.wall_s),
            figures(written as f64 / 1e6 / usage.wall_s.max(1e-9)),
        ));
    }
    if failed > 0 {
        screen::complain(&format!("{failed} of {} entries failed", failed + done));
    }
    seen.end(done);
    Ok(if failed > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

/// What is in an archive, as text or as a line of JSON.
pub(crate) fn look(input: &Input, limits: &Limits, as_json: bool, work: &Work) -> Result<String> {
    let path = input.path();
    let archive = Archive::open(input, limits, work)?;
    let entries = archive.entries().map_err(|error| error.at_path(path))?;
    let file_bytes: u64 = entries.iter().map(|entry| entry.file_bytes).sum();
    let packed_bytes: u64 = entries.iter().map(|entry| entry.packed_bytes).sum();
    // Writing into text does not fail.
    if as_json {
        let line = json!({
            "format": "archive",
            "file_bytes": file_bytes,
            "packed_bytes": packed_bytes,
            "entries": entries.iter().map(to_json).collect::<Vec<_>>(),
        });
        return Ok(schema::line("info-archive/1", &[("path", path)], line));
    }
    let head = format!(
        "{BOLD}{}{BOLD:#}\n{DIM}archive: {} entries, {} packed to {}{DIM:#}\n",
        terminal::name(path),
        count(entries.len() as u64),
        bytes(file_bytes),
        bytes(packed_bytes),
    );
    let mut table = TextTable::new(&["name", "kind", ">size", ">packed", "comes back"]);
    for entry in &entries {
        table.row(vec![
            entry.name.clone(),
            kind(entry),
            bytes(entry.file_bytes),
            bytes(entry.packed_bytes),
            if entry.exact { "bytes" } else { "pixels" }.to_owned(),
        ]);
    }
    Ok(head + &table.render())
}

fn kind(entry: &ArchiveEntry) -> String {
    match (entry.kind, &entry.shape) {
        (Kind::Array, Some(shape)) => {
            let axes: Vec<String> = shape.axes.iter().map(u64::to_string).collect();
            format!("{} {}", shape.element.name(), axes.join("×"))
        }
        (Kind::Exr, _) => "exr".to_owned(),
        _ => "unknown".to_owned(),
    }
}

fn to_json(entry: &ArchiveEntry) -> Value {
    let shape = entry.shape.as_ref();
    json!({
        "name": entry.name,
        "kind": match entry.kind {
            Kind::Array => "array",
            Kind::Exr => "exr",
            Kind::Other(_) => "unknown",
        },
        "file_bytes": entry.file_bytes,
        "packed_bytes": entry.packed_bytes,
        "exact": entry.exact,
        "type": shape.map(|shape| shape.element.name()),
        "shape": shape.map(|shape| &shape.axes),
    })
}
