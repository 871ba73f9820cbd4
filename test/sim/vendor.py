#!/usr/bin/env python3
"""What the corpus' tcgen05 kernels hand to the tensor core, against what NVIDIA's lowering hands it: vendor.py TESSERA [KERNEL...].

Both run on the simulator with the same host code and inputs; the vendor's kernel is the LLVM dialect of its dump, vendor_llvm.mlir.xz,
through Tessera's back end. Of each warp the sequences of two kinds must be equal: products (kind, D, A, B, instruction descriptor, whether D
counts), and loads and stores of tensor memory (shape, address). Nothing has to be subtracted, as both have the same shared memory and
allocate the same columns. The results are compared with numpy too. TESSERA_CORPUS names the corpus. Without KERNEL a third of the runs is
made, another each day (utils/turn.py).
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

sys.path.append(str(Path(__file__).parents[2] / "utils"))
import turn
from vendor_llvm import convert

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
    runs += [("grouped_gemm", sizes, lambda t, w, f, s=sizes: kernels.grouped_gemm(t, w, f, s, known=())) for sizes in kernels.GROUPS[1:]]
    runs += [("fmha", sizes, lambda t, w, f, s=sizes: kernels.tensor_attention(t, w, f, *s)) for sizes in kernels.TENSOR_ATTENTIONS[:1]]
    failed = compared = 0
    with tempfile.TemporaryDirectory() as work:
        for name, size, run in [r for r in runs if r[0] in wanted] if wanted else turn.share(runs, 3):
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
