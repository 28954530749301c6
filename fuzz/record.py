"""The record of fuzzing, `record.csv`: a row for each day, target and sanitizer.

record.py add DATE TARGET SANITIZER SECONDS EXECUTIONS EDGES FINDINGS: adds a run to its day's row.
record.py least SECONDS TARGET…: the target that has run least, and how many seconds it lacks;
nothing where none lacks any.
"""

import collections
import csv
import fcntl
import pathlib
import sys

FILE = pathlib.Path(__file__).with_name("record.csv")


def add(date: str, target: str, sanitizer: str, *figures: str) -> None:
    """Seconds and executions are summed; edges are those of the last run, findings the most."""
    seconds, executions, edges, findings = map(int, figures)
    with FILE.open("r+", newline="") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # another run may be at work
        head, *rows = csv.reader(file)
        for row in rows:
            if row[:3] == [date, target, sanitizer]:
                row[3:] = [
                    str(int(row[3]) + seconds),
                    str(int(row[4]) + executions),
                    str(edges or row[5]),
                    str(max(int(row[6]), findings)),
                ]
                break
        else:
            rows.append([date, target, sanitizer, *figures])
        file.seek(0)
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
        file.truncate()


def least(limit: str, *targets: str) -> None:
    ran: collections.Counter[str] = collections.Counter()
    with FILE.open(newline="") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        for row in csv.DictReader(file):
            ran[row["target"]] += int(row["cpu_seconds"])
    target = min(targets, key=lambda name: ran[name])
    if ran[target] < int(limit):
        print(target, int(limit) - ran[target])


if __name__ == "__main__":
    {"add": add, "least": least}[sys.argv[1]](*sys.argv[2:])
