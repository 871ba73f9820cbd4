#!/usr/bin/env python3
"""Compiles each example with and without RTTI, and prints what it costs in seconds of processor time; 2 are the aim, and decide nothing here.

cost.py COMPILER ROOT [FLAGS...]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import resource
import subprocess
import sys
from pathlib import Path


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    compiler, root, flags = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    for source in sorted((root / "examples/cute_cpp").glob("*.cpp")):
        for more in ([], ["-fno-rtti", "-fno-exceptions"]):
            command = [compiler, "-std=c++20", "-O1", f"-I{root}", *flags, *more, "-c", str(source), "-o", "/dev/null"]
            print(f"{source.name} {' '.join(more)}: {seconds(command):.2f} s")


if __name__ == "__main__":
    main()
