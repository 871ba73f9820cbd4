#!/usr/bin/env python3
"""Compares the tables of isa.py with what CUTLASS C++ computes: cutlass.py, with $TESSERA_ORACLE the folder of its tables.

Places of CuTe's layouts are bits (copy atoms) or elements (fragments) of tensor memory, a lane after the other. Exit code 77: no tables.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import os
import re
import sys
from pathlib import Path

import numpy as np

import isa

LANE = 65536 * 32  # bits


def rows(folder, name):
    lines = (folder / name).read_text().splitlines()
    keys = lines[0].split("\t")
    return [dict(zip(keys, line.split("\t"))) for line in lines[1:]]


def tree(text):
    return eval(text) if re.fullmatch(r"[\d(), ]+", text) else sys.exit(f"no layout: {text}")


def at(shape, stride, index):
    """The offset of an index, or of one for each mode."""
    if isinstance(shape, int):
        return index * stride
    if isinstance(index, tuple):
        return sum(at(s, d, i) for s, d, i in zip(shape, stride, index, strict=True))
    offset = 0
    for s, d in zip(shape, stride, strict=True):
        size = int(np.prod(flat(s)))
        offset = offset + at(s, d, index % size)
        index = index // size
    return offset


def flat(shape):
    return [shape] if isinstance(shape, int) else [x for s in shape for x in flat(s)]


def layout(text):
    shape, stride = text.split(":")
    return tree(shape), tree(stride)


def moves(row):
    """Bits of registers, thread by thread, of a load or store."""
    match = re.match(r"tcgen05\.(ld|st)\.sync\.aligned\.(\w+)\.x(\d+)\.((?:un)?pack)?", row["ptx"])
    if not match:
        return None
    way, shape, times, packed = match.groups()
    count = isa.MOVES[shape] * int(times)
    thread, bit = np.arange(32)[:, None], np.arange(32 * count)[None, :]
    there = at(*layout(row["ValID"]), at(*layout(row["DstLayout" if way == "ld" else "SrcLayout"]), (thread, bit)))
    lane, word = isa.move_place(shape, thread, bit // 32)
    if shape == "16x32bx2":
        word = word + thread // 16 * count  # CUTLASS has the second half after the first
    own = word * 32 + bit % 32
    if packed:
        own = own // 16 * 32 + own % 16
    return (there == lane * LANE + own).all()


def copies(row):
    match = re.match(r"tcgen05\.cp\.cta_group::\d\.(\S+)$", row["ptx"])
    if not match:
        return None
    shape = isa.COPIES[match[1]]
    bits = 128 * shape.chunks
    size = shape.rows * bits * len(shape.lanes(0))
    # Which bit of shared memory, rows first, each bit of the copy is, and where it goes.
    value = np.arange(size)
    from_, valid = at(*layout(row["SrcLayout"]), (0, value)), layout(row["ValID"])
    there = at(*valid, from_ if match[1] == "4x256b" else value)
    if match[1] == "4x256b":  # every 32nd of the 128 rows of which ValID tells
        r, bit = from_ % 128 // 32, from_ // 128
    elif match[1].endswith("01_23"):  # 32 rows after 32
        r, bit = from_ % 32 + from_ // 4096 * 32, from_ // 32 % 128
    else:
        r, bit = from_ % shape.rows, from_ // shape.rows
    lanes = np.array([shape.lanes(int(i)) for i in range(shape.rows)])[r]
    return bool(((there % LANE == bit) & (lanes == (there // LANE)[:, None]).any(1)).all()) and len(set(there.tolist())) == size


def fragments(row):
    """D, A in tensor memory, metadata and factors: the first mode of a fragment."""
    shape, stride = (x[0] for x in layout(row["result"]))
    name = row["config"]
    m, n = np.arange(np.prod(flat(shape[0])))[:, None], np.arange(np.prod(flat(shape[1])))[None, :]
    there = at(shape, stride, (m, n))
    if row["kind"] == "tmem_frg":
        if "Duplicated" in name:
            return None
        stored, pair = re.search(r"storage=(\w+),N_SM=(\d)", name).groups()
        width = {"float": 32, "uint32_t": 32, "int32_t": 32, "tfloat32_t": 32, "half_t": 16, "float_e4m3_t": 8}[stored]
        path = {(64, "1"): "F", (128, "1"): "D", (128, "2"): "A", (64, "2"): "B", (32, "2"): "G"}[len(m), pair]
        block, lane, column = isa.d_place(path, m, n, n.size)
        value = {"float": 32, "int32_t": 32, "tfloat32_t": 32, "half_t": 16, "float_e4m3_t": 8}[re.search(r"value=(\w+)", name)[1]]
        each = 32 // value if stored == "uint32_t" else 1  # a column for each narrow sum
        return (there == lane * (65536 * 32 // value) + column * each).all() and not block.any()
    if row["kind"] == "tmem_e_frg":
        kind = {"tfloat32_t": "tf32", "half_t": "f16", "uint8_t": "i8", "float_e2m1_t": "mxf4"}[re.search(r"<(\w+)>", name)[1]]
        wide = isa.GROUPS.get(kind, 4)  # elements of four bits
        lane, column, bit = isa.metadata_place(kind, "D", m + 0 * n, n // wide + 0 * m)
        per = 65536 * 32 * wide // 4
        return (there == lane * per + ((column * 32 + bit) * wide // 4 + n % wide)).all()
    if row["kind"] == "tmem_sf_frg" and "4by1" in name:
        # Rows come with their four copies; K with all elements that share a factor.
        vector, count = shape[1]
        if stride[1] != (0, 1):
            return False
        extent = int(np.prod(flat(shape[0]))) // 4
        m = np.arange(extent)[:, None]
        lane, column, byte = isa.factor_place(m, np.arange(count)[None, :], 0, extent)
        return all(
            (at(shape, stride, (m + extent * q, np.arange(count)[None, :] * vector)) == (lane + 32 * q) * 65536 * 4 + column * 4 + byte).all()
            for q in range(4)
        )
    return None


def words(row):
    """Instruction descriptors."""
    if row["kind"] == "idesc_bs_rt":
        return None
    a, b, c, factor = (row[n].split("(")[0] for n in ("a", "b", "c", "sf"))
    scaled = row["kind"] == "idesc_bs"
    if scaled:
        kind = "mxf4nvf4" if a == "e2m1" and "unpack" not in row["a"] else "mxf8f6f4"
    else:
        kind = {"f16": "f16", "bf16": "f16", "tf32": "tf32", "s8": "i8", "u8": "i8"}.get(a, "f8f6f4")
    types = isa.KINDS[kind].types
    fields = {"a": types[a], "b": types[b], "negate_a": row["a_neg"] == "Neg", "negate_b": row["b_neg"] == "Neg",
              "transpose_a": row["a_major"] == "MN", "transpose_b": row["b_major"] == "MN", "n/8": int(row["N"]) // 8,
              "sparse": row["sparse"] == "true"}
    if scaled:
        fields |= {"m/128": int(row["M"]) // 128, "ue8m0": factor == "ue8m0"}
    else:
        fields |= {"m/16": int(row["M"]) // 16, "d": isa.KINDS[kind].results[c], "saturate": row["saturate"] == "True",
                   "max_shift": int(re.search(r"max_shift=(\d)", row["fields"])[1])}
    return isa.instruction(kind, **{n: int(v) for n, v in fields.items()}) == int(row["hex"], 16)


def main():
    folder = os.environ.get("TESSERA_ORACLE")
    if not folder:
        print("cutlass: set TESSERA_ORACLE to the folder with copy_atoms.tsv, tmem.tsv and instr_descriptors.tsv")
        sys.exit(77)
    wrong = 0
    for file, check in (("copy_atoms.tsv", moves), ("copy_atoms.tsv", copies), ("tmem.tsv", fragments), ("instr_descriptors.tsv", words)):
        seen = collections.Counter()
        for row in rows(Path(folder), file):
            if check is fragments and row["what"] != "layout":
                continue
            agrees = check(row)
            seen[agrees if agrees is None else bool(agrees)] += 1
            if agrees is not None and not agrees:
                wrong += 1
                print(f"{check.__name__}: {file}: {row}"[:500])
        print(f"{check.__name__}: {seen[True]} rows of {file} agree, {seen[False]} differ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
