"""Reads a CSV file of a million rows and ten columns with the library and with pandas in turn, one thread each:

    python3 tests/bench/csv_files.py PROGRAM [ROUNDS]       PROGRAM: build/tests/read_csv

Four columns of integers, four of floats with six digits, a bool and a text. Prints the medians in seconds, of the clock
and of the processor, and the ratios to the library's."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

ROWS = 1_000_000
if hasattr(os, "sched_setaffinity"):  # one processor: else pandas may have threads
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
program = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7


def write(path):
    draw = np.random.default_rng(0)
    columns = {f"i{k}": draw.integers(-(10**k), 10 ** (2 * k + 1), ROWS) for k in range(4)}
    columns.update({f"x{k}": np.round(draw.normal(0, 10.0**k, ROWS), 6) for k in range(4)})
    columns["flag"] = draw.random(ROWS) < 0.5
    columns["name"] = np.array(["Southampton", "Cherbourg", "Queenstown"])[draw.integers(0, 3, ROWS)]
    pd.DataFrame(columns).to_csv(path, index=False)


def ours(path):
    output = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout.split()
    return float(output[0]), float(output[1])


def theirs(path):
    begin, processor = time.perf_counter(), time.process_time()
    pd.read_csv(path)
    return time.perf_counter() - begin, time.process_time() - processor


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "table.csv")
    write(path)
    size = os.path.getsize(path) / 1e6
    times = {"tapegrad": [], "pandas": []}
    for _ in range(rounds):
        times["tapegrad"].append(ours(path))
        times["pandas"].append(theirs(path))
    base = [statistics.median(t[k] for t in times["tapegrad"]) for k in range(2)]
    for name, values in times.items():
        wall, processor = (statistics.median(t[k] for t in values) for k in range(2))
        best = min(t[0] for t in values)
        print(f"{size:.0f} MB: {name} {wall:.3f} s ({wall / base[0]:.2f} times tapegrad's), "
              f"processor {processor:.3f} s ({processor / base[1]:.2f} times), least {best:.3f} s")
