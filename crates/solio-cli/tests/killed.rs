//! Commands that are killed at arbitrary moments, while a volume comes and goes: the catalogue opens, rows of
//! what is not there stay, and outputs are the old ones or the new ones.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // test files; what is skipped is told

mod ran;

use ran::run;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The same numbers each time.
struct Lot(u64);

impl Lot {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// Starts a command and kills it after so long; whether it was still at work.
fn killed(dir: &Path, args: &[&str], after: Duration) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_solio"));
    let child = child.args(args).current_dir(dir).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap().code() != Some(0)
}

/// A volume in memory, where mounting is permitted.
struct Volume<'d> {
    point: &'d Path,
    image: &'d Path,
    can: bool,
    is_on: bool,
}

impl Volume<'_> {
    fn does(&self, program: &str, args: &[&Path]) -> bool {
        Command::new(program).args(args).output().is_ok_and(|ran| ran.status.success())
    }

    fn on(&mut self) {
        if self.can && !self.is_on {
            // The same volume: a folder of a tmpfs that stays mounted elsewhere.
            let bind = Path::new("--bind");
            self.is_on = self.does("mount", &[bind, self.image, self.point]);
            assert!(self.is_on);
        }
    }

    fn off(&mut self) {
        if self.is_on {
            assert!(self.does("umount", &[self.point]));
            self.is_on = false;
        }
    }
}

impl Drop for Volume<'_> {
    fn drop(&mut self) {
        self.off();
        if self.can {
            self.does("umount", &[self.image]);
        }
    }
}

fn kills(most: usize, files: usize) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let at = |name: &str| path.join(name);
    ["r/vol", "image"].iter().for_each(|name| std::fs::create_dir_all(at(name)).unwrap());
    let (point, image) = (at("r/vol"), at("image"));
    let mut volume = Volume { point: &point, image: &image, can: false, is_on: false };
    let tmpfs = ["-t", "tmpfs", "solio-test"].map(Path::new);
    volume.can = volume.does("mount", &[&tmpfs[..], &[&image]].concat());
    if !volume.can {
        println!("skipped: volumes: mounting is not permitted");
    }
    let mesh = |n: usize| "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".repeat(1 + n % 7);
    for n in 0..files {
        std::fs::write(at(&format!("r/{n}.obj")), mesh(n)).unwrap();
        std::fs::write(image.join(format!("{n}.txt")), format!("{n}")).unwrap();
    }
    volume.on();
    let scan = ["scan", "r", "-o", "c.sqlite", "--hash", "xxh128", "--thumbnails=16"];
    run(path, &scan, b"").fine();
    let rows = || {
        let sql = "SELECT count(*) AS n, count(xxh128) AS h FROM files";
        let answer = run(path, &["query", "c.sqlite", sql, "--json"], b"").fine().json();
        (answer[0]["n"].as_u64().unwrap(), answer[0]["h"].as_u64().unwrap())
    };
    let all = rows();
    assert_eq!(all.0, all.1);
    // What each of the others writes, old and new.
    std::fs::write(at("big.obj"), mesh(0).repeat(20_000)).unwrap();
    run(path, &["gradient", "viridis", "-o", "g.png"], b"").fine();
    run(path, &["convert", "g.png", "-o", "g.exr"], b"").fine();
    let read = |name: &str| std::fs::read(at(name)).unwrap();
    let convert = ["convert", "big.obj", "-o", "big.ply"];
    let pack = ["pack", "g.exr", "-o", "g.solio"];
    let made = [(&convert[..], "big.ply"), (&pack[..], "g.solio")].map(|(args, name)| {
        run(path, args, b"").fine();
        (args, name, read(name))
    });
    // Kills fall into the time that a command takes on this machine.
    let took = |args: &[&str]| {
        let started = Instant::now();
        run(path, args, b"").fine();
        started.elapsed()
    };
    let hash = ["hash", "r", "--mhl"];
    let spans = [&scan[..], &hash, &convert, &pack].map(took);
    let (mut lot, mut hit) = (Lot(7), 0);
    for _ in 0..most {
        if lot.next().is_multiple_of(2) {
            volume.on()
        } else {
            volume.off()
        }
        let which = (lot.next() % 4) as usize;
        let after = spans[which].mul_f64((lot.next() % 1000) as f64 / 1000.0);
        match which {
            0 => hit += usize::from(killed(path, &scan, after)),
            1 => hit += usize::from(killed(path, &hash, after)),
            n => {
                let (args, name, new) = &made[n - 2];
                // The old file, or the new one, whichever is there.
                std::fs::write(at(name), "old").unwrap();
                hit += usize::from(killed(path, args, after));
                let found = read(name);
                assert!(found == b"old" || found == *new, "{name}: {} bytes", found.len());
            }
        }
        // Nothing is lost, whatever was on and off.
        let (now, hashes) = rows();
        assert!(now >= all.0 && hashes >= all.1, "{now} rows, {hashes} hashes of {all:?}");
    }
    assert!(hit > 0, "every command had ended before it was killed");
    // A folder of hashes that a kill left unfinished is not taken for one.
    volume.on();
    let again = run(path, &scan, b"");
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(rows().0 >= all.0);
    volume.off();
    if volume.can {
        assert_eq!(run(path, &scan, b"").code, 1);
        assert!(rows().0 >= all.0);
    }
}

#[test]
fn twenty_kills_lose_nothing() {
    kills(20, 60);
}

#[test]
#[ignore = "slow: 200 kills"]
fn two_hundred_kills_lose_nothing() {
    kills(200, 300);
}
