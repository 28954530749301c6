"""Compares reading many files with other ways to do it: the part `io` of bench/run.

Files are made once: 20,000 of 16 to 150 KB, and 4 of 1 GiB. Every turn is a process of its own that
reads all of them and counts the bytes; before a cold one the page cache is emptied, by
`drop_caches` for root, else by `posix_fadvise` file by file (the rows say which). `fio` is run
where it is installed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import measuring

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "bench" / "io-rs"
CORES = os.cpu_count() or 1
FIO = ["--ioengine=libaio", "--direct=1", "--output-format=json", "--rw=randread"]


def build() -> Path:
    command = ["cargo", "build", "--release", "--quiet", "--message-format", "json"]
    output = subprocess.run(command, cwd=CRATE, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in output.stdout.splitlines()]
    return next(Path(m["executable"]) for m in messages if m.get("executable"))


def version(crate: str) -> str:
    lock = (CRATE / "Cargo.lock").read_text()
    return lock.split(f'name = "{crate}"\nversion = "')[1].split('"')[0]


def make_small(folder: Path, count: int) -> list[Path]:
    """Sizes as those of textures and proxies; the same every time."""
    pick, paths = random.Random(1), []
    noise = random.Random(2).randbytes(1 << 20)
    for i in range(count):
        path = folder / "small" / f"{i // 500:02}" / f"{i:05}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = int(min(150_000, max(16_000, pick.lognormvariate(10.8, 0.6))))
        start = pick.randrange(1 << 19)
        path.write_bytes(noise[start : start + size])
        paths.append(path)
    return paths


def make_large(folder: Path, count: int, size: int) -> list[Path]:
    paths = [folder / f"large{i}.bin" for i in range(count)]
    noise = random.Random(3).randbytes(1 << 20)
    for path in paths:
        with path.open("wb") as file:
            for _ in range(size >> 20):
                file.write(noise)
    return paths


class Bench:
    def __init__(self, driver: Path, folder: Path) -> None:
        self.driver, self.folder = driver, folder

    def listed(self, name: str, paths: list[Path]) -> Path:
        path = self.folder / f"{name}.txt"
        path.write_text("".join(f"{p}\n" for p in paths))
        return path

    def run(self, way: str, files: Path) -> list[str]:
        command = [str(self.driver), way, str(files)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    def empty_cache(self, files: Path) -> None:
        self.run("evict", files)
        if os.geteuid() == 0:
            Path("/proc/sys/vm/drop_caches").write_text("3\n")

    def turn(self, way: str, files: Path, cold: bool) -> measuring.Turn:
        if cold:
            self.empty_cache(files)
        wall_s, cpu_s, answer = self.run(way, files)
        return measuring.Turn(float(wall_s), float(cpu_s), answer)

    def rows(
        self, work: str, files: Path, peers: dict[str, str], *, cold: bool, rounds: int
    ) -> Iterator[dict[str, object]]:
        if cold:
            how = "drop_caches" if os.geteuid() == 0 else "fadvise"
            work += f" [{how}]".replace("[", "(").replace("]", ")")
        else:
            for way in ("loop", "loop"):
                self.run(way, files)
        for way, number in peers.items():
            turn: Callable[[str], measuring.Turn] = lambda way: self.turn(way, files, cold)
            turns = [(turn("solio"), turn(way), turn("solio")) for _ in range(rounds)]
            yield measuring.row(work, way, number, turns, files.name)


def fio(folder: Path, name: str, *words: str) -> tuple[float, str] | None:
    """Bytes a second that fio reaches, and the memory it read into; `None` without fio."""
    if not shutil.which("fio"):
        return None
    for memory in ("shmhuge", "malloc"):  # huge pages where the system has set some aside
        command = ["fio", f"--name={name}", f"--directory={folder}", f"--mem={memory}", *FIO, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return float(json.loads(done.stdout)["jobs"][0]["read"]["bw_bytes"]), memory
    return None


def beside_fio(
    bench: Bench, work: str, files: Path, size: int, words: list[str], rounds: int
) -> Iterator[dict[str, object]]:
    """fio reads its own file; what is compared is the time for as many bytes."""
    turns, memory = [], ""
    for _ in range(rounds):
        ours = bench.turn("solio", files, cold=True)
        probe = fio(bench.folder, "probe", *words)
        if probe is None:
            print(f"{work}: fio skipped (it is not installed, or refuses)", flush=True)
            return
        rate, memory = probe
        again = bench.turn("solio", files, cold=True)
        turns.append((ours, measuring.Turn(size / rate, float("nan"), "fio"), again))
    row = measuring.row(work, f"fio, {memory}", "", turns, files.name)
    yield {k: v for k, v in row.items() if k not in ("ratio_cpu", "peer_cpu_s")}


def rows(folder: Path, quick: bool) -> Iterator[dict[str, object]]:
    bench = Bench(build(), folder)
    rounds = 2 if quick else 5
    small = make_small(folder, 2_000 if quick else 20_000)
    files, size = bench.listed("small", small), sum(p.stat().st_size for p in small)
    tokio, rayon = version("tokio"), version("rayon")
    store, mmap = version("object_store"), version("memmap2")
    cold = {
        "loop": "", "rayon 32": rayon, "tokio 256": tokio, "solio uring": "", "solio buffered": "",
        "mmap 2": mmap,
    }  # fmt: skip
    yield from bench.rows(f"{len(small)} small files, cold", files, cold, cold=True, rounds=rounds)
    words = ["--bs=64k", "--iodepth=32", "--size=1g", "--filename=fio.bin"]
    yield from beside_fio(bench, "small files, cold, over random 64 KiB", files, size, words, rounds)
    warm = {
        "loop": "", f"pool {CORES}": "", f"pool {2 * CORES}": "", "mmap 1": mmap,
        f"mmap {CORES}": mmap, "tokio 256": tokio, "object_store 256": store,
        "solio uring": "", "solio direct": "", "solio mmap": "",
    }  # fmt: skip
    yield from bench.rows(f"{len(small)} small files, warm", files, warm, cold=False, rounds=rounds)
    shutil.rmtree(folder / "small")
    rounds = min(rounds, 3)
    large = make_large(folder, 4, (64 if quick else 1024) << 20)
    files, size = bench.listed("large", large), sum(p.stat().st_size for p in large)
    cold = {"loop": "", "solio uring": "", "solio buffered": "", f"mmap {CORES}": mmap}
    yield from bench.rows("4 × 1 GiB, cold", files, cold, cold=True, rounds=rounds)
    words = ["--rw=read", "--bs=2m", "--iodepth=8", "--size=2g", "--filename=fio.bin"]
    yield from beside_fio(bench, "4 × 1 GiB, cold, over sequential", files, size, words, rounds)
    warm = {"loop": "", f"pool {CORES}": "", f"mmap {CORES}": mmap, "solio direct": ""}
    yield from bench.rows("4 × 1 GiB, warm", files, warm, cold=False, rounds=rounds)
    p50, p99, beside, alone = map(float, bench.run("latency", files))
    print(
        f"64 KiB beside a background: p50 {p50 * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms; "
        f"background {beside / 1e6:.0f} MB/s, alone {alone / 1e6:.0f} MB/s",
        flush=True,
    )
    yield {
        "work": "64 KiB beside a saturating background, p99",
        "peer": "the background alone",
        "input": files.name,
        "ours_wall_s": p99,
        "ours_cpu_s": p50,
        "answer": f"background {beside:.0f} of {alone:.0f} bytes/s, share {beside / alone:.3f}",
    }
