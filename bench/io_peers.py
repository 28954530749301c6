"""Compares reading many files with other ways to do it: the part `io` of bench/run.

Files are made once: 20,000 of 16 to 150 KB, and 4 of 1 GiB. Every turn is a process of its own that
reads all of them and counts the bytes; before a cold one the page cache is emptied, by
`drop_caches` for root, else by `posix_fadvise` file by file (the rows say which). `fio` is run
where it is installed, with huge pages (root sets a few aside meanwhile) and with ordinary ones.

The rows `auto` set the engine's own choice beside the best of its fixed ways, for each size of file,
cold and warm; the row `telemetry` sets a recording beside none.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import measuring

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "bench" / "io-rs"
CORES = os.cpu_count() or 1
CELLS = [("4 KiB", 4096, 4000), ("64 KiB", 65_536, 2000), ("1 MiB", 1 << 20, 256),
         ("64 MiB", 64 << 20, 4), ("1 GiB", 1 << 30, 1)]  # fmt: skip
FIXED = ["solio threads", "solio uring", "solio mmap", "solio buffered", "solio direct"]
HUGE_PAGES = Path("/proc/sys/vm/nr_hugepages")
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
            work += f" ({how_cold()})"
        else:
            for way in ("loop", "loop"):
                self.run(way, files)
        for way, number in peers.items():
            turn: Callable[[str], measuring.Turn] = lambda way: self.turn(way, files, cold)
            turns = [(turn("solio"), turn(way), turn("solio")) for _ in range(rounds)]
            yield measuring.row(work, way, number, turns, files.name)


def lies_in_memory(folder: Path) -> bool:
    """Where nothing is ever cold, and gigabytes have no room."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True)
    return kind.stdout.strip() in ("tmpfs", "ramfs")


def how_cold() -> str:
    return "drop_caches" if os.geteuid() == 0 else "fadvise"


def fio(folder: Path, memory: str, *words: str) -> float | None:
    """Bytes a second that fio reaches with that kind of memory; `None` where it refuses."""
    if not shutil.which("fio"):
        return None
    command = ["fio", "--name=probe", f"--directory={folder}", f"--mem={memory}", *FIO, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    return float(json.loads(done.stdout)["jobs"][0]["read"]["bw_bytes"])


@contextlib.contextmanager
def huge_pages(count: int) -> Iterator[None]:
    """Sets some aside for fio, where we may, and gives them back."""
    before = HUGE_PAGES.read_text() if HUGE_PAGES.exists() else "0"
    mine = os.geteuid() == 0 and int(before) < count
    if mine:
        HUGE_PAGES.write_text(str(count))
    try:
        yield
    finally:
        if mine:
            HUGE_PAGES.write_text(before)


def beside_fio(
    bench: Bench, work: str, files: Path, size: int, words: list[str], rounds: int
) -> Iterator[dict[str, object]]:
    """fio reads its own file; what is compared is the time for as many bytes."""
    for name, memory in [("huge pages", "shmhuge"), ("ordinary pages", "malloc")]:
        turns = []
        with huge_pages(32):
            for _ in range(rounds):
                ours = bench.turn("solio", files, cold=True)
                rate = fio(bench.folder, memory, *words)
                if rate is None:
                    break
                again = bench.turn("solio", files, cold=True)
                turns.append((ours, measuring.Turn(size / rate, float("nan"), "fio"), again))
        if len(turns) < rounds:
            print(f"{work}: fio with {name} skipped (not installed, or it refuses)", flush=True)
            continue
        row = measuring.row(work, f"fio, {name}", "", turns, files.name)
        yield {k: v for k, v in row.items() if k not in ("ratio_cpu", "peer_cpu_s")}


def make_cell(folder: Path, size: int, count: int) -> list[Path]:
    """Files of one size."""
    folder.mkdir()
    noise = random.Random(4).randbytes(min(size, 1 << 20))
    paths = [folder / f"{i:05}.bin" for i in range(count)]
    for path in paths:
        with path.open("wb") as file:
            for _ in range(size // len(noise)):
                file.write(noise)
    return paths


def cell_row(bench: Bench, work: str, files: Path, cold: bool, rounds: int) -> dict[str, object]:
    """`auto` against the best of the fixed ways, which is known only at the end: in each round all
    take their turn, each round starting with another one. The best of several is picked by the
    same samples that it is judged by: chance is on its side."""
    ways = ["solio", *FIXED, "solio"]
    turns: list[list[measuring.Turn]] = [[] for _ in ways]
    for round in range(rounds):
        first = round * 3 % len(ways)
        for i in [*range(first, len(ways)), *range(first)]:
            turns[i].append(bench.turn(ways[i], files, cold))
    median = lambda i: statistics.median(turn.wall_s for turn in turns[i])
    best = min(range(1, len(ways) - 1), key=median)
    all_ways = ", ".join(f"{ways[i]} {median(i) * 1e3:.1f}" for i in range(len(ways)))
    print(f"{work}: ms: {all_ways}", flush=True)
    three = list(zip(turns[0], turns[best], turns[-1], strict=True))
    return measuring.row(work, f"best fixed: {ways[best]}", "", three, files.name)


def cells(bench: Bench, quick: bool) -> Iterator[dict[str, object]]:
    """Every size, cold and warm; about a minute."""
    for name, size, count in CELLS:
        count = max(1, count // 8) if quick else count
        folder = bench.folder / "cell"
        paths = make_cell(folder, size, count)
        files = bench.listed(f"{count} x {name}", paths)
        for cold in (True, False):
            how = f"cold ({how_cold()})" if cold else "warm"
            work = f"auto: {count} × {name}, {how}"
            if not cold:
                bench.run("loop", files)
            rounds = 3 if quick or size > 1 << 29 else 5 if cold else 9
            yield cell_row(bench, work, files, cold, rounds)
        shutil.rmtree(folder)


def telemetry(bench: Bench, files: Path) -> dict[str, object]:
    """Recording on, off, on, many times in one process, from the page cache."""
    bench.run("loop", files)
    words = bench.run("telemetry", files)
    turns = [
        measuring.Turn(float(words[i]), float(words[i + 1]), words[i + 2])
        for i in range(0, len(words), 3)
    ]
    three = list(zip(turns[::3], turns[1::3], turns[2::3], strict=True))
    return measuring.row("telemetry on, warm", "telemetry off", "", three, files.name)


def rows(folder: Path, quick: bool) -> Iterator[dict[str, object]]:
    if lies_in_memory(folder):
        print(f"io: skipped ({folder} lies in memory; TMPDIR names a folder on a disk)", flush=True)
        return
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
    yield telemetry(bench, files)
    shutil.rmtree(folder / "small")
    yield from cells(bench, quick)
    rounds = min(rounds, 3)
    large = make_large(folder, 4, (64 if quick else 1024) << 20)
    of_large = f"4 × {'64 MiB' if quick else '1 GiB'}"
    files, size = bench.listed("large", large), sum(p.stat().st_size for p in large)
    cold = {"loop": "", "solio uring": "", "solio buffered": "", f"mmap {CORES}": mmap}
    yield from bench.rows(f"{of_large}, cold", files, cold, cold=True, rounds=rounds)
    words = ["--rw=read", "--bs=2m", "--iodepth=8", "--size=2g", "--filename=fio.bin"]
    yield from beside_fio(bench, f"{of_large}, cold, over sequential", files, size, words, rounds)
    warm = {"loop": "", f"pool {CORES}": "", f"mmap {CORES}": mmap, "solio direct": ""}
    yield from bench.rows(f"{of_large}, warm", files, warm, cold=False, rounds=rounds)
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
