//! Orders of made places, and of real files.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // makes files; says what is skipped

use super::*;
use crate::probe::symlink;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn whole(paths: &[PathBuf]) -> Vec<Read<'_>> {
    paths.iter().map(|path| Read { path, range: None }).collect()
}

fn ask(order: Order) -> OrderOptions {
    OrderOptions { order, iops_limited: false }
}

fn plan_of(paths: &[PathBuf], order: Order) -> Plan {
    plan(&whole(paths), ask(order), &Work::default()).unwrap()
}

/// Files whose names, inodes and contents are in different orders.
fn make_files(folder: &Path, count: usize) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> =
        (0..count).map(|i| folder.join(format!("{:03}.bin", i * 37 % 101))).collect();
    for (i, path) in paths.iter().enumerate() {
        let file = fs::File::create(path).unwrap();
        std::io::Write::write_all(&mut &file, &vec![7u8; 5_000 + 700 * (i % 9)]).unwrap();
        file.sync_all().unwrap();
    }
    paths
}

fn made_file(device: u64, inode: u64, extents: &[(u64, u64, u64)]) -> BatchFile<'static> {
    let extent =
        |&(logical, physical, bytes): &(u64, u64, u64)| Extent { logical, physical, bytes };
    let extents = Some(extents.iter().map(extent).collect());
    BatchFile {
        path: Path::new("x"),
        known: FileLocation::Here { device, inode: Some(inode) },
        extents,
    }
}

/// The order of reads `(file, range)` on devices that use `order`.
fn sorted(order: Order, reads: &[(&BatchFile<'_>, Option<Range<u64>>)]) -> Vec<usize> {
    let device =
        |number| Device { number, used: Used { medium: None, order, reads: 0, why: AS_ASKED } };
    let mut devices =
        BatchDevices { all: vec![device(2), device(1)], index: BTreeMap::from([(2, 0), (1, 1)]) };
    let mut keys: Vec<(ReadSortKey, usize)> = Vec::new();
    for (i, (file, range)) in reads.iter().enumerate() {
        let read = Read { path: file.path, range: range.clone() };
        keys.push((key(&read, file, &mut devices), i));
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, i)| i).collect()
}

#[test]
fn physical_order_takes_whole_files_first_and_then_positions() {
    let far = made_file(2, 5, &[(0, 9_000, 100)]);
    let near = made_file(2, 6, &[(0, 100, 50), (50, 150, 50)]);
    let broken = made_file(2, 1, &[(0, 0, 50), (50, 5_000, 50)]);
    let empty = made_file(2, 9, &[]);
    let elsewhere = made_file(1, 2, &[(0, 1, 10)]);
    let bad = BatchFile { known: FileLocation::Bad, ..made_file(2, 0, &[(0, 0, 1)]) };
    let all = [(&bad, None), (&elsewhere, None), (&broken, None), (&far, None), (&near, None)];
    let all = [&all[..], &[(&empty, None), (&bad, None)]].concat();
    // Nothing to fetch, then one piece by position, then two; the second device; the bad ones.
    assert_eq!(sorted(Order::Physical, &all), [5, 4, 3, 2, 1, 0, 6]);
    // Of a broken file, a part within one piece is as good as a whole file.
    let parts = [(&broken, Some(60..70)), (&broken, Some(0..100)), (&broken, Some(10..20))];
    assert_eq!(sorted(Order::Physical, &parts), [2, 0, 1]);
}

#[test]
fn inode_order_takes_offsets_within_a_file() {
    let (low, high) = (made_file(2, 5, &[(0, 9_000, 100)]), made_file(2, 6, &[(0, 1, 100)]));
    let reads = [
        (&high, Some(50..60)),
        (&high, Some(0..10)),
        (&low, Some(7..8)),
        (&low, None),
        (&low, None),
    ];
    assert_eq!(sorted(Order::Inode, &reads), [3, 4, 2, 1, 0]);
    assert_eq!(sorted(Order::None, &reads), [0, 1, 2, 3, 4]);
}

#[test]
fn auto_asks_the_medium() {
    let order = |medium, limited, free| choose(medium, limited, || free).0;
    assert_eq!(order(Medium::Rotational, false, true), Order::Physical);
    assert_eq!(order(Medium::IopsLimited, false, true), Order::Physical);
    assert_eq!(order(Medium::Solid, true, true), Order::Physical);
    for medium in [Medium::Solid, Medium::Virtual, Medium::Unknown, Medium::NoDevice] {
        assert_eq!(order(medium, false, true), Order::Inode);
        assert_eq!(order(medium, false, false), Order::None);
    }
}

#[test]
fn real_files_by_name_inode_and_as_given() {
    let folder = tempfile::tempdir().unwrap();
    for count in [5, 60] {
        let paths = make_files(folder.path(), count);
        let plan = plan_of(&paths, Order::Name);
        assert!(plan.order.is_sorted_by_key(|&i| &paths[i]));
        assert_eq!(plan.order.len(), count);
        let plan = plan_of(&paths, Order::Inode);
        assert!(plan.order.is_sorted_by_key(|&i| crate::sys::stat(&*paths[i]).unwrap().st_ino));
        assert_eq!((plan.order.len(), plan.missing), (count, 0));
        assert_eq!(plan.used.len(), 1);
        assert_eq!((plan.used[0].reads, plan.used[0].why), (count, AS_ASKED));
        let plan = plan_of(&paths, Order::None);
        assert!(plan.order.into_iter().eq(0..count));
    }
}

#[test]
fn real_files_by_position() {
    let folder = tempfile::tempdir().unwrap();
    let paths = make_files(folder.path(), 60);
    let plan = plan_of(&paths, Order::Physical);
    if plan.used[0].order != Order::Physical {
        println!("skipped: {}", plan.used[0].why);
        return;
    }
    let place_of =
        |path: &PathBuf| place(extents(&fs::File::open(path).unwrap()).unwrap().into_iter());
    assert!(plan.order.is_sorted_by_key(|&i| place_of(&paths[i])));
    // Every file is in one piece or so: the head goes over the disk once.
    let reads = whole(&paths);
    let layout = Layout::of(&reads, &Work::default()).unwrap();
    assert!(layout.bytes() >= paths.iter().map(|p| fs::metadata(p).unwrap().len()).sum());
    let cost = |order: &[usize]| layout.cost(order, &seek::ULTRASTAR_HC310);
    let one_piece = paths.iter().all(|path| place_of(path).0 <= 1);
    if one_piece {
        let reversed: Vec<usize> = plan.order.iter().rev().copied().collect();
        let (best, given) = (cost(&plan.order), cost(&plan_of(&paths, Order::None).order));
        assert!(best.travel_bytes <= given.travel_bytes);
        assert!(best.wait_s <= given.wait_s + 1e-9, "sums in different orders round differently");
        assert!(best.total_s() < cost(&reversed).total_s());
        assert_eq!(best.transfer_s, given.transfer_s);
    }
}

#[test]
fn ranges_of_a_file_go_by_offset() {
    let folder = tempfile::tempdir().unwrap();
    let paths = make_files(folder.path(), 2);
    let read = |i: usize, range| Read { path: &paths[i], range: Some(range) };
    let reads = [read(1, 4096..5000), read(0, 100..200), read(1, 0..10), read(0, 0..10)];
    for order in [Order::Inode, Order::Physical, Order::Name] {
        let plan = plan(&reads, ask(order), &Work::default()).unwrap();
        let at = |i: usize| plan.order.iter().position(|&index| index == i).unwrap();
        assert!(at(2) < at(0) && at(3) < at(1), "{order:?}: {:?}", plan.order);
    }
}

#[test]
fn bad_files_keep_their_place_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    for count in [3, 30] {
        let mut paths = vec![folder.path().join("missing"), folder.path().join("no/folder")];
        paths.extend(make_files(folder.path(), count));
        let subfolder = folder.path().join("folder");
        fs::create_dir_all(&subfolder).unwrap();
        paths.insert(3, subfolder);
        let pipe = folder.path().join(format!("pipe {count}"));
        // Where there are no pipes it is missing, too.
        let _ = Command::new("mkfifo").arg(&pipe).status();
        paths.push(pipe);
        let link = folder.path().join(format!("link {count}"));
        if let Err(error) = symlink(&paths[2], &link) {
            println!("skipped: no symbolic links ({error})");
            return;
        }
        paths.push(link);
        for order in [Order::Inode, Order::Physical] {
            let plan = plan_of(&paths, order);
            assert_eq!(plan.missing, 4, "{order:?}");
            assert_eq!(plan.order[plan.order.len() - 4..], [0, 1, 3, paths.len() - 2]);
            // The link is where the file is that it leads to.
            let at = |i| plan.order.iter().position(|&index| index == i).unwrap();
            assert_eq!(at(paths.len() - 1).abs_diff(at(2)), 1);
        }
    }
    let nothing = plan(&[], ask(Order::Auto), &Work::default()).unwrap();
    assert_eq!((nothing.order.len(), nothing.used.len()), (0, 0));
}

#[test]
fn a_disk_that_turns_is_read_in_physical_order() {
    let folder = tempfile::tempdir().unwrap();
    let paths = make_files(folder.path(), 40);
    let number = crate::sys::device_of(&crate::sys::stat(folder.path()).unwrap());
    let (major, minor) = (crate::sys::major(number), crate::sys::minor(number));
    if major == 0 {
        println!("skipped: temporary files are on no block device");
        return;
    }
    let sys = tempfile::tempdir().unwrap();
    let disk = sys.path().join("disk");
    fs::create_dir_all(disk.join("queue")).unwrap();
    if let Err(error) = symlink("disk", sys.path().join(format!("{major}:{minor}"))) {
        println!("skipped: no symbolic links ({error})");
        return;
    }
    let kernel = KernelFiles::made(sys.path().into());
    let auto = |rotational: &str, options| {
        fs::write(disk.join("queue/rotational"), rotational).unwrap();
        let plan = plan_by(&kernel, &whole(&paths), options, &Work::default()).unwrap();
        (plan.used[0].clone(), plan.order)
    };
    let (used, order) = auto("1\n", ask(Order::Auto));
    assert_eq!(used.medium, Some(Medium::Rotational));
    assert_eq!(order, plan_of(&paths, Order::Physical).order);
    assert!(matches!(used.order, Order::Physical | Order::Inode), "{}", used.why);
    let (used, order) = auto("0\n", ask(Order::Auto));
    assert_eq!((used.medium, used.order), (Some(Medium::Solid), Order::Inode));
    assert_eq!(order, plan_of(&paths, Order::Inode).order);
    let (used, _) = auto("0\n", OrderOptions { order: Order::Auto, iops_limited: true });
    assert!(used.why.contains("requests a second") || used.order == Order::Inode);
    // Few files in a folder: asking for each would cost a call.
    let few = whole(&paths[..5]);
    let plan = plan_by(&kernel, &few, ask(Order::Auto), &Work::default()).unwrap();
    assert_eq!(plan.used[0].order, Order::None);
    assert!(plan.order.into_iter().eq(0..5));
}

#[test]
fn memory_file_systems_fall_back_and_say_so() {
    // Windows has no file system in memory.
    let folder = cfg!(unix).then(|| tempfile::tempdir_in("/dev/shm").ok()).flatten();
    let Some(folder) = folder else {
        println!("skipped: no /dev/shm");
        return;
    };
    let paths = make_files(folder.path(), 20);
    let plan = plan_of(&paths, Order::Physical);
    assert_eq!(plan.used[0].order, Order::Inode);
    assert!(plan.used[0].why.contains("does not tell"), "{}", plan.used[0].why);
    assert!(plan.order.is_sorted_by_key(|&i| crate::sys::stat(&*paths[i]).unwrap().st_ino));
    assert_eq!(plan.missing, 0);
    let layout = Layout::of(&whole(&paths), &Work::default()).unwrap();
    assert_eq!(layout.bytes(), 0);
    // Another device in the same batch is ordered by itself.
    let other = tempfile::tempdir().unwrap();
    let both: Vec<PathBuf> = paths.into_iter().chain(make_files(other.path(), 20)).collect();
    let both = plan_of(&both, Order::Physical);
    if both.used.len() == 2 {
        assert!(both.order[..20].iter().all(|&i| i < 20));
        assert_eq!(both.used[1].reads, 20);
    }
}

#[test]
fn extents_are_those_of_filefrag() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holes");
    let file = fs::File::create(&path).unwrap();
    for (i, start) in [0u64, 1 << 20, 5 << 20].into_iter().enumerate() {
        let bytes = vec![1u8; 70_000 * (i + 1)];
        crate::sys::FileExt::write_all_at(&file, &bytes, start).unwrap();
    }
    file.sync_all().unwrap();
    let Ok(output) = Command::new("filefrag").args(["-v", "-b1"]).arg(&path).output() else {
        println!("skipped: no filefrag");
        return;
    };
    let ours = match extents(&fs::File::open(&path).unwrap()) {
        Ok(ours) => ours,
        Err(error) => {
            println!("skipped: {error}");
            return;
        }
    };
    //  ext:     logical_offset:        physical_offset: length:   expected: flags:
    //    0:        0..   73727: 1146437632..1146511359:  73728:             last,eof
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(':').map(str::trim).collect();
        cells.first()?.parse::<u32>().ok()?;
        let start = |cell: &str| cell.split("..").next()?.trim().parse().ok();
        let (logical, physical) = (start(cells[1])?, start(cells[2])?);
        Some(Extent { logical, physical, bytes: cells[3].parse().ok()? })
    };
    let theirs: Vec<Extent> = text.lines().filter_map(row).collect();
    assert!(theirs.len() >= 3, "{text}");
    assert_eq!(ours, theirs, "{text}");
}

#[test]
fn a_cancelled_plan_ends() {
    let work = Work::default();
    work.cancel.cancel();
    let folder = tempfile::tempdir().unwrap();
    let paths = make_files(folder.path(), 3);
    let error = plan(&whole(&paths), ask(Order::Inode), &work).unwrap_err();
    assert_eq!(error.kind(), solio_base::ErrorKind::Cancelled);
}
