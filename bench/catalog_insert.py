"""The peer of inserting rows: SQLite as Python has it, the same table, the same rows.

    catalog_insert.py SCHEMA.sqlite ROWS

SCHEMA is an empty catalogue, whose table is made again; there is no index beside its key. Prints
the time from opening to closing, without that of making the rows.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

BATCH, FRAMES = 8192, 100


def rows(columns: list[str], count: int) -> Iterator[tuple[object, ...]]:
    known = {
        "width": 1920, "height": 1080, "parts": 1, "level": 1, "kind": "exr",
        "channels": "A,B,G,R,depth.Z", "compression": "ZIP", "sequence": "beauty.#.exr",
    }  # fmt: skip
    for i in range(count):
        frame = 1001 + i % FRAMES
        # The number of a folder is a hash there.
        folder = i // FRAMES * 0x9E3779B97F4A7C15 % (1 << 52)
        row = known | {
            "folder": folder, "name": f"beauty.{frame}.exr", "frame": frame, "inode": 10_000_000 + i,
            "size": 1_000_000 + i * 7919 % 1_000_000, "modified_ns": 1_700_000_000_000_000_000 + i,
        }  # fmt: skip
        yield tuple(row.get(column) for column in columns)


def main() -> None:
    schema, count = sqlite3.connect(sys.argv[1]), int(sys.argv[2])
    (table,) = schema.execute("SELECT sql FROM sqlite_master WHERE name = 'entries'").fetchone()
    columns = [row[1] for row in schema.execute("PRAGMA table_info(entries)")]
    wall = cpu = 0.0
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter(), time.process_time()
        database = sqlite3.connect(Path(folder) / "peer.sqlite", isolation_level=None)
        for line in ("page_size = 8192", "journal_mode = WAL", "synchronous = NORMAL",
                     "wal_autocheckpoint = 32000", "cache_size = -32768"):  # fmt: skip
            database.execute(f"PRAGMA {line}")
        database.execute(table)
        insert = f"INSERT OR REPLACE INTO entries VALUES ({', '.join('?' * len(columns))})"
        made = rows(columns, count)
        while True:
            wall, cpu = wall + time.perf_counter() - start[0], cpu + time.process_time() - start[1]
            batch = list(itertools.islice(made, BATCH))
            start = time.perf_counter(), time.process_time()
            if not batch:
                break
            database.execute("BEGIN")
            database.executemany(insert, batch)
            database.execute("COMMIT")
        found = database.execute("SELECT count(*), sum(size) FROM entries").fetchone()
        start = time.perf_counter(), time.process_time()
        database.close()
        wall, cpu = wall + time.perf_counter() - start[0], cpu + time.process_time() - start[1]
    answer = f"{found[0]} rows, {found[1]} bytes"
    print(json.dumps({"wall_s": wall, "cpu_s": cpu, "answer": answer}))


if __name__ == "__main__":
    main()
