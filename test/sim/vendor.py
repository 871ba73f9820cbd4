#!/usr/bin/env python3
"""What the corpus' tcgen05 kernels hand to the tensor core, against what NVIDIA's lowering hands it: vendor.py TESSERA [KERNEL...].

Both run on the simulator with the same host code and inputs; the vendor's kernel is the LLVM dialect of its dump, vendor_llvm.mlir.xz,
through Tessera's back end. Of each warp the sequences of two kinds must be equal: products (kind, D, A, B, instruction descriptor, whether D
counts), and loads and stores of tensor memory (shape, address). Nothing has to be subtracted, as both have the same shared memory and
allocate the same columns. The results are compared with numpy too. TESSERA_CORPUS names the corpus.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import lzma
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import kernels

#===--- the vendor's LLVM dialect: NVVM ops that LLVM 22 spells differently, as inline PTX ---===#


def asm(results, operands, text, constraints, types, result_types="()"):
    left = f"{results} = " if results else ""
    return (f'      {left}"llvm.inline_asm"({", ".join(operands)}) <{{asm_dialect = 0 : i64, asm_string = "{text}", '
            f'constraints = "{constraints}", has_side_effects}}> : ({", ".join(types)}) -> {result_types}')

OP = re.compile(r'^\s*(?:(%[\w:]+) = )?"(nvvm\.[\w.]+)"\(([^)]*)\)(?: <\{(.*)\}>)? : \((.*)\) -> (.*)$')
CODES = {"!llvm.ptr<6>": "r", "!llvm.ptr<3>": "r", "!llvm.ptr": "l", "!llvm.ptr<1>": "l", "i64": "l", "i32": "r", "i16": "h", "i1": "b"}

def types_of(text):
    return [t for t in re.split(r", (?![^<]*>)", text) if t]

def rewritten(line, constants):
    m = OP.match(line)
    if not m:
        return [line]
    result, name, operands, attributes, types, results = m.groups()
    operands = [o.strip() for o in operands.split(",") if o.strip()]
    types = types_of(types)
    attributes = attributes or ""
    group = (re.search(r"tcgen05_group<cta_(\d)>", attributes) or [0, "1"])[1]
    codes = lambda ts: ",".join(CODES[t] for t in ts)
    if name == "nvvm.mma_smem_desc":
        lead, stride, base, swizzle = (constants[o] for o in operands[1:])
        low, high = (lead & 0x3fff) << 16, (stride & 0x3fff) | 1 << 14 | base << 17 | swizzle << 29
        text = f"{{ .reg .b32 %lo; and.b32 %lo, $1, 16383; or.b32 %lo, %lo, {low}; mov.b64 $0, {{%lo, {high - (1 << 32) if high >> 31 else high}}}; }}"
        return [asm(result, operands[:1], text, "=l,r", types[:1], "i64")]
    if name == "nvvm.tcgen05.mma":
        kind = re.search(r"mma_kind<(\w+)>", attributes)[1]
        a = "[$1]" if types[1] == "!llvm.ptr<6>" else "$1"
        return [asm(None, operands[:5], f"tcgen05.mma.cta_group::{group}.kind::{kind} [$0], {a}, $2, $3, $4;", codes(types[:5]), types[:5])]
    if name in ("nvvm.tcgen05.ld", "nvvm.tcgen05.st"):
        number, shape = int(re.search(r"num = (\d+)", attributes)[1]), re.search(r"shape_(\w+)>", attributes)[1]
        if name.endswith("ld"):
            regs = ", ".join(f"${i}" for i in range(number))
            struct = "!llvm.struct<(" + ", ".join(["i32"] * number) + ")>"
            out = [asm("%r" + result[1:] + "_s", operands, f"tcgen05.ld.sync.aligned.{shape}.x{number}.b32 {{{regs}}}, [${number}];",
                       ",".join(["=r"] * number) + ",r", types, struct)]
            out.append(f'      %r{result[1:]}_v0 = "llvm.mlir.undef"() : () -> vector<{number}xi32>')
            for i in range(number):
                out.append(f'      %r{result[1:]}_e{i} = "llvm.extractvalue"(%r{result[1:]}_s) <{{position = array<i64: {i}>}}> : ({struct}) -> i32')
                out.append(f'      %r{result[1:]}_c{i} = "llvm.mlir.constant"() <{{value = {i} : i32}}> : () -> i32')
                last = result if i == number - 1 else f"%r{result[1:]}_v{i + 1}"
                out.append(f'      {last} = "llvm.insertelement"(%r{result[1:]}_v{i}, %r{result[1:]}_e{i}, %r{result[1:]}_c{i}) : (vector<{number}xi32>, i32, i32) -> vector<{number}xi32>')
            return out
        out, vector, parts = [], operands[1], []
        rewritten.count = getattr(rewritten, "count", 0) + 1
        for i in range(number):
            name_ = f"%st{rewritten.count}_{i}"
            out.append(f'      {name_}c = "llvm.mlir.constant"() <{{value = {i} : i32}}> : () -> i32')
            out.append(f'      {name_} = "llvm.extractelement"({vector}, {name_}c) : ({types[1]}, i32) -> i32')
            parts.append(name_)
        regs = ", ".join(f"${i + 1}" for i in range(number))
        return out + [asm(None, [operands[0]] + parts, f"tcgen05.st.sync.aligned.{shape}.x{number}.b32 [$0], {{{regs}}};", ",".join(["r"] * (number + 1)), [types[0]] + ["i32"] * number)]
    if name == "nvvm.tcgen05.alloc":
        return [asm(None, operands, f"tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [$0], $1;", codes(types), types)]
    if name == "nvvm.tcgen05.dealloc":
        return [asm(None, operands, f"tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 $0, $1;", codes(types), types)]
    if name == "nvvm.tcgen05.relinquish_alloc_permit":
        return [asm(None, [], f"tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;", "", [])]
    if name == "nvvm.cp.async.bulk.tensor.shared.cluster.global":
        s = list(map(int, re.search(r"operandSegmentSizes = array<i32: ([\d, ]+)>", attributes)[1].split(",")))
        rank, cast, hint = s[2], s[7], s[8]
        coords = ", ".join(f"${2 + i}" for i in range(rank))
        text = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        text += ".multicast::cluster" * cast + (".cta_group::2" if group == "2" else "")
        text += ".L2::cache_hint" * hint + f" [$0], [$1, {{{coords}}}], [${2 + rank}]"
        for i in range(cast + hint):
            text += f", ${3 + rank + i}"
        return [asm(None, operands, text + ";", codes(types), types)]
    if name == "nvvm.cp.async.bulk.tensor.global.shared.cta.ext":
        s = list(map(int, re.search(r"operandSegmentSizes = array<i32: ([\d, ]+)>", attributes)[1].split(",")))
        rank = s[2]
        coords = ", ".join(f"${2 + i}" for i in range(rank))
        return [asm(None, operands, f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group" + ".L2::cache_hint" * s[3] + f" [$0, {{{coords}}}], [$1]" + f", ${2 + rank}" * s[3] + ";", codes(types), types)]
    if name == "nvvm.store.ext":
        return [asm(None, operands, "st.global.L1::no_allocate.b32 [$1], $0;", codes(types), types)]
    return [line]

def convert(text):
    lines = text.split("\n")
    start = next(i for i, l in enumerate(lines) if '"gpu.module"()' in l)
    end = next(i for i in range(start, len(lines)) if re.match(r"^  \}\)", lines[i]))
    constants = {}
    for l in lines[start:end]:
        if m := re.match(r'\s*(%\w+) = "llvm.mlir.constant"\(\) <\{value = (-?\d+) : i\d+\}>', l):
            constants[m[1]] = int(m[2])
    out = [l for l in lines[:start] if l.startswith(("#", "!"))] + ['"builtin.module"() ({', lines[start]]
    for l in lines[start + 1:end]:
        out += rewritten(l, constants)
    return "\n".join(out + ["  }) : () -> ()", "}) {gpu.container_module} : () -> ()", ""])

#===--- what both execute, printed by the kernels themselves ---===#

FORMAT = "@%d,%d %llx %llx %llx %llx %llx\n"
PRODUCT = re.compile(r"(tcgen05\.mma\.\S+)\s+\[(%\w+)\], \[?(%\w+)\]?, (%\w+), (%\w+), (%\w+);")
ACCESS = re.compile(r"(tcgen05\.(?:ld|st)\.sync\S+)\s+(?:\{[^}]*\}, )?\[(%\w+)\]")
HEAD = """.extern .func (.param .b32 printed) vprintf (.param .b64 text, .param .b64 values);
.global .align 1 .b8 printed_text[%d] = {%s};
""" % (len(FORMAT) + 1, ", ".join(map(str, FORMAT.encode() + b"\0")))


def logged(number, values):
    """PTX that prints the block (z, y, x as digits of 1000), the thread, the number of a site, and registers: pairs of a width and a name."""
    lines = ["{ .local .align 8 .b8 pv[48]; .reg .b64 pa, pt, px; .reg .b32 pw, py; mov.u32 pw, %ctaid.z; mov.u32 py, %ctaid.y;",
             "mad.lo.u32 pw, pw, 1000, py; mov.u32 py, %ctaid.x; mad.lo.u32 pw, pw, 1000, py; st.local.u32 [pv], pw;",
             "mov.u32 pw, %tid.x; st.local.u32 [pv+4], pw;", f"mov.u64 px, {number}; st.local.u64 [pv+8], px;"]
    for i, (width, name) in enumerate(values):
        widen = {64: f"mov.b64 px, {name};", 32: f"cvt.u64.u32 px, {name};", 1: f"selp.u64 px, 1, 0, {name};"}[width]
        lines.append(f"{widen} st.local.u64 [pv+{16 + 8 * i}], px;")
    lines.append("mov.u64 pa, pv; cvta.local.u64 pa, pa; mov.u64 pt, printed_text; cvta.global.u64 pt, pt;")
    lines.append("{ .param .b64 p0; .param .b64 p1; .param .b32 p2; st.param.b64 [p0], pt; st.param.b64 [p1], pa; "
                 "call.uni (p2), vprintf, (p0, p1); } }")
    return "\n".join(lines)


def instrumented(ptx):
    """The PTX with a print at each site, and the names of the sites."""
    sites = []

    def product(match):
        name, d, a, b, word, counts = match.groups()
        sites.append(name + (", A in tensor memory" if f"[{a}]" in match[0] else ""))
        return logged(len(sites) - 1, [(32 if "tensor memory" in sites[-1] else 64, a), (64, b), (32, word), (32, d)]) + flag(counts) + match[0]

    def flag(predicate):
        sites.append("D counts")
        return logged(len(sites) - 1, [(1, predicate)] + [(1, predicate)] * 3)

    def access(match):
        sites.append(match[1])
        return logged(len(sites) - 1, [(32, match[2])] * 4) + match[0]

    ptx = PRODUCT.sub(product, ptx)
    ptx = ACCESS.sub(access, ptx)
    start = re.search(r"^\.(?:extern|visible|global|entry)", ptx, re.M).start()
    return ptx[:start] + HEAD + ptx[start:], sites


def deeds(output, sites):
    """(block, warp, kind) -> what the warp did, in order."""
    found = defaultdict(list)
    for line in output.splitlines():
        if match := re.match(r"@(\d+),(\d+) (\w+) (.*)$", line):
            block, thread, number, values = int(match[1]), int(match[2]), int(match[3], 16), match[4]
            name = sites[number]
            product = "mma" in name or name == "D counts"
            if not product and thread % 32:
                continue
            found[block, thread // 32, "products" if product else "accesses"].append((name, values))
    return found


def main():
    tessera, wanted = sys.argv[1], sys.argv[2:]
    corpus = os.environ.get("TESSERA_CORPUS")
    if not corpus:
        print("TESSERA_CORPUS is not set: nothing to compare")
        return 77
    runs = [(name, size, lambda t, w, f, e=element, o=operands, s=size: kernels.tensor_gemm(t, w, f, e, o, *s))
            for name, element, operands, sizes in kernels.TENSOR_GEMMS
            # Under cluster launch control the blocks take tiles as they come, so only one tile is the same each time.
            for size in sizes[:1 if "dynamic" in name else 2]]
    runs += [("grouped_gemm", sizes, lambda t, w, f, s=sizes: kernels.grouped_gemm(t, w, f, s)) for sizes in kernels.GROUPS[1:]]
    runs += [("fmha", sizes, lambda t, w, f, s=sizes: kernels.tensor_attention(t, w, f, *s)) for sizes in kernels.TENSOR_ATTENTIONS[:1]]
    failed = compared = 0
    with tempfile.TemporaryDirectory() as work:
        for name, size, run in runs:
            if wanted and name not in wanted:
                continue
            folder = Path(corpus) / f"blackwell_{name}"
            ours, theirs = Path(work) / "ours.mlir", Path(work) / "theirs.mlir"
            ours.write_text((folder / "input.mlir").read_text().replace("div=8192", "div=256"))
            theirs.write_text(convert(lzma.open(folder / "vendor_llvm.mlir.xz", "rt").read()))
            results = []
            for who, file in (("ours", ours), ("the vendor's", theirs)):
                ptx = Path(work) / "kernel.ptx"
                subprocess.run([tessera, "compile", file, "--arch", "sm_100a", "--emit", "ptx", "-o", ptx], check=True)
                text, sites = instrumented(ptx.read_text())
                ptx.write_text(text)
                wrapper, output = Path(work) / "run", Path(work) / "output"
                wrapper.write_text(f'#!/bin/sh\nfor a; do [ "$a" = --sanitize ] || set -- "$@" "$a"; shift; done\n'
                                   f'exec {tessera} "$@" --ptx {ptx} > {output}\n')
                wrapper.chmod(0o755)
                if wrong := run(str(wrapper), work, str(ours)):
                    failed += 1
                    print(f"{name}, {size}: {who}: {wrong}")
                results.append(deeds(output.read_text(errors="replace"), sites))
            compared += 1
            mine, other = results
            if not mine:
                failed += 1
                print(f"{name}, {size}: nothing was printed")
            for key in sorted(set(mine) | set(other)):
                if mine[key] != other[key]:
                    failed += 1
                    at = next((i for i, (x, y) in enumerate(zip(mine[key], other[key])) if x != y), min(len(mine[key]), len(other[key])))
                    print(f"{name}, {size}: block {key[0]}, warp {key[1]}: {key[2]} differ at {at} of {len(mine[key])} and {len(other[key])}: "
                          f"{mine[key][at:at + 1]} and {other[key][at:at + 1]}")
            print(f"{name}, {size}: {sum(len(v) for k, v in mine.items() if k[2] == 'products') // 2} products, "
                  f"{sum(len(v) for k, v in mine.items() if k[2] == 'accesses')} loads and stores")
    print(f"{compared} runs compared, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
