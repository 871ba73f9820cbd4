#!/usr/bin/env python3
"""The rows of tensormap_sweep.py's table that are kept as a regression test.

  bench/tensormap_sample.py tensormaps.tsv.xz >test/atom/tensormaps.tsv

Kept are, of each function and section, some requests that the driver accepts and some that it refuses, and a row for every bit
of the image that any row sets.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import lzma, sys

EACH = 5  # of each function, section and code

head, columns, *lines = lzma.open(sys.argv[1], "rt").read().splitlines()
names = columns.split("\t")
rows = [dict(zip(names, line.split("\t"))) for line in lines]

groups, kept, seen = {}, set(), {}
for at, row in enumerate(rows):
    groups.setdefault((row["function"], row["section"], row["code"]), []).append(at)
for group in groups.values():
    kept.update(group[i * (len(group) - 1) // (EACH - 1)] for i in range(EACH))
for at in sorted(range(len(rows)), key=lambda at: (at not in kept, at)):
    if rows[at]["code"] != "0":
        continue
    image = sum(int(word, 16) << 64 * i for i, word in enumerate(rows[at]["image"].split(",")))
    function = rows[at]["function"]
    if at in kept or image & ~seen.get(function, 0):
        kept.add(at)
        seen[function] = seen.get(function, 0) | image
print(head, columns, *(lines[at] for at in sorted(kept)), sep="\n")
