#!/usr/bin/env python3
"""Instructions per operation of tessera-layout-bench, by valgrind's callgrind: bench/layout_count.py PROGRAM [REGEX]

Times are noisy on a shared machine; counts are the same in every run. Each benchmark runs 100 and 600 times, and the
difference of the two counts is that of 500 operations. Prints a line a benchmark; growth with the leaves as one line
an operation.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys


def names(program, pattern):
    listed = subprocess.run([program, "--benchmark_list_tests"], capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split() if re.search(pattern, name)]


def instructions(program, name, iterations):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program,
               f"--benchmark_filter=^{name}(/iterations.*)?$"]
    done = subprocess.run(command, capture_output=True, text=True, check=True,
                          env={**os.environ, "TESSERA_ITERATIONS": str(iterations)})
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else ""
    grown = {}
    for name in names(program, pattern):
        few, many = (instructions(program, name, n) for n in (100, 600))
        each = (many - few) // 500
        operation, _, leaves = name.partition("/leaves:")
        if leaves:
            grown.setdefault(operation, {})[int(leaves)] = each
        else:
            print(f"{name:28} {each:8}", flush=True)
    for operation, counts in grown.items():
        print(f"{operation:28} " + "  ".join(f"{leaves}: {each}" for leaves, each in counts.items()))


if __name__ == "__main__":
    main()
