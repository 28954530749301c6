//! What the order of reading costs on a disk that seeks: a file system of 4 GiB in a sparse image,
//! mounted, with files whose names, inodes and places have nothing to do with each other; the
//! places that the system tells of them; and the model of a drive (`solio::io::order::seek`), which
//! is charged the very reads that `read_metadata_files` makes, in the order in which it makes them.
//!
//! Needs root, `mkfs.ext4` and loop devices; prints a line with `skipped` elsewhere. The mount
//! lives in a name space of its own, and ends with the process that made it.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // makes files; says what it found

use solio::io::order::{Layout, Order, Read, seek};
use solio::photo::{Fields, Metadata};
use solio::{MetadataOptions, Result, Work, read_metadata_files};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

const FILES: usize = 2003; // a prime: any step goes through all of them
const FOLDERS: usize = 32;
/// Names the folder of the mounted file system to the process that runs in its name space.
const MOUNTED: &str = "SOLIO_TEST_DISK";

#[test]
fn the_physical_order_moves_the_head_least() {
    let folder = tempfile::tempdir().unwrap();
    let (image, mount) = (folder.path().join("image"), folder.path().join("disk"));
    std::fs::create_dir(&mount).unwrap();
    std::fs::File::create(&image).unwrap().set_len(4 << 30).unwrap();
    // The same layout each time: folders are spread by a hash of their names.
    let seed = "00000000-0000-4000-8000-000000000001";
    let made = Command::new("mkfs.ext4")
        .args(["-q", "-F", "-O", "^has_journal", "-U", seed])
        .args(["-E", &format!("lazy_itable_init=1,hash_seed={seed}")])
        .arg(&image)
        .status();
    let script = r#"mount -o loop,nodelalloc "$1" "$2" 2>/dev/null || exit 77
        exec "$3" --exact on_the_disk --nocapture"#;
    let ran = Command::new("unshare")
        .args(["-m", "sh", "-c", script, "sh"])
        .args([&image, &mount, &std::env::current_exe().unwrap()])
        .env(MOUNTED, &mount)
        .output();
    let ran = ran.ok().filter(|_| made.is_ok_and(|made| made.success()));
    let Some(ran) = ran.filter(|ran| ran.status.success() || !ran.stdout.is_empty()) else {
        println!("skipped: needs root, mkfs.ext4 and loop devices");
        return;
    };
    println!("{}", String::from_utf8_lossy(&ran.stdout));
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// JPEG with a date in EXIF, and as much after it as a photo has.
fn photo(bytes: usize) -> Vec<u8> {
    let mut photo =
        b"\xff\xd8\xff\xe1\0\x36Exif\0\0II*\0\x08\0\0\0\x01\0\x32\x01\x02\0\x14\0\0\0".to_vec();
    photo.extend(b"\x1a\0\0\0\0\0\0\x002020:01:02 03:04:05\0\xff\xda");
    photo.resize(bytes, 0);
    photo
}

/// Files of one folder, created in one order, filled in another and named in a third. They lie all
/// over the disk, because they were made in 32 folders; those of one were filled together.
fn make_files(disk: &Path) -> Vec<PathBuf> {
    let folder = |i: usize| i * FOLDERS / FILES;
    let first = |i: usize| disk.join(format!("{:02}/{i}", folder(i)));
    (0..FOLDERS).for_each(|n| std::fs::create_dir(disk.join(format!("{n:02}"))).unwrap());
    (0..FILES).for_each(|i| drop(std::fs::File::create(first(i)).unwrap()));
    let mut filled: Vec<usize> = (0..FILES).collect();
    filled.sort_by_key(|&i| (folder(i) * 13 % FOLDERS, i * 577 % FILES));
    for i in filled {
        std::fs::write(first(i), photo(40_000 + i % 7 * 20_000)).unwrap();
    }
    let photos = disk.join("photos");
    std::fs::create_dir(&photos).unwrap();
    let named = |i: usize| photos.join(format!("{:04}.jpg", i * 1009 % FILES));
    (0..FILES).for_each(|i| std::fs::rename(first(i), named(i)).unwrap());
    let mut files: Vec<PathBuf> = (0..FILES).map(named).collect();
    files.sort();
    files
}

/// The files in the order in which they were read, and how much of each.
fn read(files: &[PathBuf], order: Order, threads: usize) -> Vec<(PathBuf, u64)> {
    let seen = Mutex::new(Vec::new());
    let fields = Fields::of(["DateTimeOriginal", "CreateDate", "ModifyDate"]);
    let options = MetadataOptions { fields, order, ..MetadataOptions::default() };
    let work = Work { threads, ..Work::default() };
    let show = |path: &Path, read: Result<Metadata>, _: &mut ()| {
        let metadata = read.unwrap();
        assert_eq!(metadata.tags.len(), 1);
        seen.lock().unwrap().push((path.to_owned(), metadata.bytes_read));
        // About as long as a disk takes: otherwise a thread would be through with many files before
        // the next one begins.
        std::thread::sleep(Duration::from_micros(500));
    };
    read_metadata_files(files, &options, &work, show, |_| Ok(())).unwrap();
    seen.into_inner().unwrap()
}

/// What the reads in this order cost.
fn cost(layout: &Layout, index: &HashMap<&Path, usize>, seen: &[(PathBuf, u64)]) -> seek::Cost {
    // A head each, of one block of the file system.
    assert!(seen.iter().all(|(_, bytes)| (1..=4096).contains(bytes)));
    let order: Vec<usize> = seen.iter().map(|(path, _)| index[path.as_path()]).collect();
    assert_eq!(order.len(), FILES);
    layout.cost(&order, &seek::ULTRASTAR_HC310)
}

/// Runs within the test above, on the disk that it mounts.
#[test]
fn on_the_disk() {
    let Some(disk) = std::env::var_os(MOUNTED).map(PathBuf::from) else { return };
    let files = make_files(&disk);
    let reads: Vec<Read<'_>> =
        files.iter().map(|path| Read { path, range: Some(0..4096) }).collect();
    let layout = Layout::of(&reads, &Work::default()).unwrap();
    assert_eq!(layout.bytes(), 4096 * FILES as u64);
    let index = files.iter().enumerate().map(|(i, path)| (path.as_path(), i)).collect();
    let mut table = String::from(
        "| order | threads | seeks | head travel | seconds of the model |\n|---|--:|--:|--:|--:|\n",
    );
    let mut costs = HashMap::new();
    for order in [Order::Name, Order::Inode, Order::Physical] {
        for threads in [1, 8, 32] {
            let cost = cost(&layout, &index, &read(&files, order, threads));
            let (travel_gb, seconds) = (cost.travel_bytes as f64 / 1e9, cost.total_s());
            let name = order.name();
            writeln!(
                table,
                "| {name} | {threads} | {} | {travel_gb:.1} GB | {seconds:.2} |",
                cost.seeks
            )
            .unwrap();
            costs.insert((order.name(), threads), cost);
        }
    }
    println!("{table}");
    let travel = |order: Order, threads| costs[&(order.name(), threads)].travel_bytes;
    for threads in [1, 8, 32] {
        let physical = travel(Order::Physical, threads);
        assert!(physical * 100 < travel(Order::Name, threads));
        assert!(physical * 4 < travel(Order::Inode, threads));
        // Threads read side by side what lies side by side.
        assert!(physical < 8 * travel(Order::Physical, 1), "{threads} threads");
    }
}
