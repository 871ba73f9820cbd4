#!/usr/bin/env python3
"""Compares the simulator's tensor memory with the second model of isa.py: compare.py LIBRARY [--all] [--only GROUP] [--seed N]

LIBRARY is libtessera-sim-c.so. Each case fills shared and tensor memory with distinct values, runs one instruction and compares every
cell and register with what the model says. Without --all: a sample of each group, by the seed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import sys
import time

import numpy as np

import device
import products
import refusals
import transfers

# Cases, and how many of them a sample has.
GROUPS = {
    "moves": (transfers.moves, 120),
    "reductions": (transfers.reductions, 12),
    "copies": (transfers.copies, 40),
    "shifts": (transfers.shifts, 12),
    "products": (products.products, 200),
    "refusals": (refusals.refusals, 300),
    "shapes": (refusals.shapes, 60),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true", help="every case")
    parser.add_argument("--only", choices=GROUPS, help="one group of cases")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of all values")
    asked = parser.parse_args()
    machine = device.Device(asked.library)
    wrong = collections.Counter()
    for name, (cases, few) in GROUPS.items():
        if asked.only not in (None, name):
            continue
        begun = time.time()
        listed = list(cases(np.random.default_rng(asked.seed)))
        picked = range(len(listed))
        if not asked.all and len(listed) > few:
            picked = sorted(np.random.default_rng(asked.seed).choice(len(listed), few, replace=False))
        for index in picked:
            case = listed[index]
            try:
                said = case.run(machine.run, np.random.default_rng((asked.seed, int(index))))
            except device.Refused as refused:
                said = f"refused: {refused}"
            if said:
                wrong[name] += 1
                if wrong[name] <= 20:
                    print(f"{name} {index}: {case}\n    {said[:600]}")
        print(f"{name}: {len(picked)} of {len(listed)} cases, {wrong[name]} wrong, {time.time() - begun:.1f} s")
    sys.exit(bool(sum(wrong.values())))


if __name__ == "__main__":
    main()
