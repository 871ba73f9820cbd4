#!/usr/bin/env python3
"""The cases of layout_cases.def in the Python reference: bench/layout_python.py FOLDER-OF-PYCUTE [BENCH-PROGRAM]

FOLDER holds the package `pycute` (python/ of NVIDIA/cutlass). Prints operations per second of CPU time, best of 7
runs of at least 0.1 s each; with tessera-layout-bench as BENCH-PROGRAM also its own, measured in the same way between
the runs of the reference, and the ratio. Exits 1 if a ratio is below 100.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import json
import re
import subprocess
import sys
import time
import timeit
from pathlib import Path

RUNS, SECONDS, TARGET = 7, 0.1, 100
ROW = re.compile(r'^CASE\((\w+), "([^"]+)", "([^"]+)"\)', re.M)


def cases():
    """[(operation, its number, left, right)]"""
    numbers, rows = {}, []
    for operation, left, right in ROW.findall((Path(__file__).parent / "layout_cases.def").read_text()):
        number = numbers.setdefault(operation, 0)
        numbers[operation] += 1
        rows.append((operation, number, left, right))
    return rows


def read(pycute, text):
    """A layout `shape:stride`, or a number: the notation of a tuple is Python's."""
    shape, _, stride = text.partition(":")
    return pycute.Layout(eval(shape), eval(stride)) if stride else eval(shape)


def per_second(call):
    timer = timeit.Timer(call, timer=time.process_time)
    count = 1
    while timer.timeit(count) < SECONDS:
        count *= 2
    return max(count / seconds for seconds in timer.repeat(RUNS, count))


def tessera_per_second(program, name):
    done = subprocess.run([program, f"--benchmark_filter=^{name}$", f"--benchmark_min_time={SECONDS}",
                           f"--benchmark_repetitions={RUNS}", "--benchmark_format=json"],
                          capture_output=True, text=True, check=True)
    return max(run["items_per_second"] for run in json.loads(done.stdout)["benchmarks"] if run["run_type"] == "iteration")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    pycute = importlib.import_module("pycute")
    program = sys.argv[2] if len(sys.argv) == 3 else None
    smallest = None
    for operation, number, left, right in cases():
        if not hasattr(pycute, operation):
            continue  # a row of ours alone
        function, a, b = getattr(pycute, operation), read(pycute, left), read(pycute, right)
        python = per_second(lambda: function(a, b))
        line = f"{operation}/{number}  {left} | {right}: Python {python:,.0f}/s"
        if program:
            ours = tessera_per_second(program, f"{operation}/{number}")
            smallest = min(smallest or ours / python, ours / python)
            line += f", Tessera {ours / 1e6:.2f} M/s, {ours / python:.0f} times"
        print(line, flush=True)
    if program:
        print(f"layout_python: smallest ratio {smallest:.0f}, target {TARGET}, Python {sys.version.split()[0]}")
        sys.exit(smallest < TARGET)


if __name__ == "__main__":
    main()
