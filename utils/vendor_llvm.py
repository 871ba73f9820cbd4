#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's own lowering of a kernel, as something that our back end compiles: vendor_llvm.py FILE > kernel.mlir

FILE is a module of the LLVM dialect just before code generation, in MLIR's generic form: `vendor_llvm.mlir.xz` of the corpus, which
CuTe DSL printed. Its kernels are kept, and NVVM ops that LLVM 22 lacks or spells otherwise become inline PTX; tessera/import reads the rest.
"""
import lzma
import re
import sys


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


if __name__ == "__main__":
    path = sys.argv[1]
    print(convert((lzma.open(path, "rt") if path.endswith(".xz") else open(path)).read()))
