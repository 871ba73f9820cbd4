#!/usr/bin/env python3
"""Products of tensor memory by atoms, written here in CuTe IR for many shapes, types and epilogues, on the simulator against numpy:
tensor_programs.py FOLDER [--programs N] [--seed N]. FOLDER has tessera and tessera-opt.

A program fills D with numbers, stores A and B as core matrices (or A into tensor memory), multiplies, and loads D with any shape of
tcgen05.ld. Where the product moves rows of A, another one follows. Scale factors come by tcgen05.cp. Types that ops infer are asked of
tessera-opt, and ptxas, if there is one, takes each program for its target.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tensor_factors
from tensor_cases import COLUMNS_OF_A, COLUMNS_OF_E, FORMATS, OTHER_COLUMNS, START, cases, drawn_scaled, operands
from tensor_tools import Refused, Tools, compact, failure, load_words


def program(case, tools):
    """The kernel. Words of the input: for each block A, B and, of a sparse A, metadata for each lane."""
    c = case
    rows, cols = c.m // c.ctas, c.n // c.ctas
    stored = c.dense * c.blocks
    in_a, in_b = operands(c)
    bytes_a, bytes_b = rows * stored * c.bits // 8 if c.tensor else in_a.bytes(), in_b.bytes()
    at_b = (bytes_a + 1023) // 1024 * 1024
    at_e = at_b + (bytes_b + 1023) // 1024 * 1024
    at_f = at_e + 4096 * c.sparse
    at_slot = at_f + (sum(f.bytes for f in tensor_factors.of(c)) + 1023) // 1024 * 1024 if c.factor else at_f
    words = at_slot // 4
    mma, tiled = c.atom(), f'!cute.tiled_mma<{c.atom()}, atom_layout_MNK = <"(1,1,1):(0,0,0)">>'
    shape = f'"(({rows},{c.n}),1,1)"'
    acc = tools.infer(f"cute.mma.make_fragment C (%0, %1) : ({tiled}, !cute.shape<{shape}>)", [tiled, f"!cute.shape<{shape}>"])
    many = f'!cute.shape<"(({rows},{c.n}),{c.tiles[0]},{c.tiles[1]})">'
    whole = tools.infer(f"cute.mma.make_fragment C (%0, %1) : ({tiled}, {many})", [tiled, many])
    dp, bits, times = c.load
    element = c.out
    ld = f"!cute_nvgpu.atom.tmem_load<{element}, {dp} DP, {bits} bit, x{times}{', pack16b' * c.half}>"
    bad = f'!cute.tiled_copy<{ld}, layout_copy_tv = <"(128,1):(1,0)">, tiler_mn = <"[128:1]">>'
    ldtm = tools.infer(f"cute_nvgpu.atom.make_tmem_copy(%0, %1) : ({ld}, {acc}) -> {bad}", [ld, acc])
    coord = '!cute.coord<"?">'
    src = tools.infer(f"cute.tiled.copy.partition_S(%0, %1, %2) : ({ldtm}, {acc}, {coord}) -> {acc}", [ldtm, acc, coord])
    if c.store:
        sdp, sbits, stimes = c.store
        of = f"<{element}, {sdp} DP, {sbits} bit, x{stimes}"
        ld2, st2 = f"!cute_nvgpu.atom.tmem_load{of}{', pack16b' * c.half}>", f"!cute_nvgpu.atom.tmem_store{of}{', expand16b' * c.half}>"
        ldtm2, sttm2 = (tools.infer(f"cute_nvgpu.atom.make_tmem_copy(%0, %1) : ({atom}, {acc}) -> {bad.replace(ld, atom)}", [atom, acc]) for atom in (ld2, st2))
        src2, dst2 = (tools.infer(f"cute.tiled.copy.partition_{way}(%0, %1, %2) : ({tiles}, {acc}, {coord}) -> {acc}", [tiles, acc, coord])
                      for way, tiles in (("S", ldtm2), ("D", sttm2)))
        tile = f'!cute.memref<{element}, gmem, align<16>, "(({rows},{c.n}),1,1):(({c.n},1),0,0)">'
        regs2 = tools.infer(f"cute.tiled.copy.partition_D(%0, %1, %2) : ({ldtm2}, {tile}, {coord}) -> {tile}", [ldtm2, tile, coord])
        regs2 = f'!cute.memref<{element}, rmem, align<16>, "{compact(re.search(chr(34) + "(.*?):", regs2)[1])}">'
    width = c.n * c.tiles[1]  # of D
    row = f'!cute.memref<{element}, gmem, align<16>, "(({rows},{c.n}),1,1):(({width},1),0,0)">'
    mine = tools.infer(f"cute.tiled.copy.partition_D(%0, %1, %2) : ({ldtm}, {row}, {coord}) -> {row}", [ldtm, row, coord])
    regs = f'!cute.memref<{element}, rmem, align<16>, "{compact(re.search(chr(34) + "(.*?):", mine)[1])}">'
    lay_a, lay_b = in_a.layout(), in_b.layout()
    ptr = lambda e, space, align: f"!cute.ptr<{e}, {space}, align<{align}>>"
    swizzled = [in_a.type(), in_b.type()]
    ma, mb = (f'!cute.memref<{of}, smem, align<1024>{more}, "{lay}">' for of, lay, more in zip((c.element, c.other or c.element), (lay_a, lay_b), swizzled))
    fb = tools.infer(f"cute.mma.make_fragment B (%0, %1) : ({tiled}, {mb})", [tiled, mb])
    if c.tensor:
        shape_a = f'"(({rows},{c.dense}),1,{c.blocks})"'  # of what is stored
        fa = tools.infer(f"cute.mma.make_fragment A (%0, %1) : ({tiled}, !cute.shape<{shape_a}>)", [tiled, f"!cute.shape<{shape_a}>"])
    else:
        fa = tools.infer(f"cute.mma.make_fragment A (%0, %1) : ({tiled}, {ma})", [tiled, ma])
    group = f"cta_{c.ctas}"
    text, n = [], iter(range(10**6))
    add = text.append

    def offset(base, of, by, to=None):
        at = f"%o{next(n)}"
        add(f'{at}_ = cute.static : !cute.int_tuple<"{by}">')
        add(f'{at} = cute.add_offset({base}, {at}_) : ({of}, !cute.int_tuple<"{by}">) -> {to or of}')
        return at

    f32t, base = ptr("f32", "tmem", 1), ptr("i8", "smem", 1024)
    add("%tid = nvvm.read.ptx.sreg.tid.x : i32")
    add("%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32")
    for v in (0, 1, 2, 5, 21, 32, 128, 512):
        add(f"%c{v} = arith.constant {v} : i32")
    add("%true = arith.constant true")
    add(f"%minus = arith.constant {'true' if c.negate else 'false'}")
    add(f"%base = cute_nvgpu.arch.get_dyn_smem() : {base}")
    b0 = offset("%base", base, at_b)
    slot0, bar0 = offset("%base", base, at_slot), offset("%base", base, at_slot + 8, ptr("i8", "smem", 8))
    add(f"%slot = cute.recast_iter({slot0}) : {base} to !cute.ptr<i32, smem, align<1024>>")
    add(f"%bar = builtin.unrealized_conversion_cast {bar0} : !cute.ptr<i8, smem, align<8>> to !llvm.ptr<3>")
    # The words of the block's input.
    add(load_words(words) + "\nnvvm.barrier")
    meet = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}" if c.ctas == 2 else "nvvm.barrier"
    add(meet)
    add(f"""scf.if %first {{
  cute_nvgpu.arch.sm100.alloc_tmem(%c512, %slot) [ {group}] : i32, !cute.ptr<i32, smem, align<1024>>
  cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ {group}]
}}
nvvm.barrier
%t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%slot) : !cute.ptr<i32, smem, align<1024>> -> {f32t}
%warp = arith.shrui %tid, %c5 : i32
%quarter = arith.shli %warp, %c21 : i32
%lanes = cute.make_int_tuple(%quarter) : (i32) -> !cute.int_tuple<"?">
%own = cute.add_offset(%t, %lanes) : ({f32t}, !cute.int_tuple<"?">) -> {f32t}""")
    start = {"f32": np.float32(START).view(np.uint32), "i32": np.uint32(START), "f16": np.uint32(np.float16(START).view(np.uint16))}[element]
    columns = c.n * c.tiles[0] * c.tiles[1]  # at most
    add(f"%start = arith.constant dense<{int(start)}> : vector<8xi32>")
    for first in range(0, (columns + 7) // 8 * 8, 8):
        at = offset("%own", f32t, first)
        add(f"cute_nvgpu.arch.copy.SM100.tmem_store({at}, %start) {{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 8 : i32}} : ({f32t}, vector<8xi32>)")

    def store_words(first, count, column, row_of_lane):
        """Words first + count * row of the input to the thread's lane, from a column on."""
        for k in range(0, count, 2):
            names = []
            for j in (k, k + 1):
                w = f"%w{next(n)}"
                add(f"{w}c = arith.constant {first + j} : i32")
                add(f"{w}n = arith.constant {count} : i32")
                add(f"{w}r = arith.muli {row_of_lane}, {w}n : i32")
                add(f"{w}i = arith.addi {w}r, {w}c : i32")
                add(f"{w}a = cute.make_coord({w}i) : (i32) -> {coord}")
                add(f"{w} = cute.memref.load(%from, {w}a) : (!cute.memref<i32, gmem, align<4>, \"{words}:1\">, {coord}) -> i32")
                names.append(w)
            v = f"%v{next(n)}"
            add(f"{v} = vector.from_elements {', '.join(names)} : vector<2xi32>")
            at = offset("%own", f32t, column + k)
            add(f"cute_nvgpu.arch.copy.SM100.tmem_store({at}, {v}) {{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 2 : i32}} : ({f32t}, vector<2xi32>)")
    # The row of A that a lane has: of 64 rows of one block in bands of 16, else one after the other and again.
    if banded(c):
        add("""%c16 = arith.constant 16 : i32
%c15 = arith.constant 15 : i32
%band = arith.muli %warp, %c16 : i32
%in_band = arith.andi %tid, %c15 : i32
%lane_row = arith.addi %band, %in_band : i32""")
    else:
        add(f"%last_row = arith.constant {rows - 1} : i32")
        add("%lane_row = arith.andi %tid, %last_row : i32")
    if c.tensor:
        store_words(0, stored * c.bits // 32, COLUMNS_OF_A, "%lane_row")
    if c.sparse:
        store_words(at_e // 4, 8, COLUMNS_OF_E, "%tid")
    add("nvvm.tcgen05.wait <store>")
    add(meet)
    lay_c, lay_w = (re.search('"(.*)"', x)[1] for x in (acc, whole))
    at_d = "%t"
    step = 4 if c.bits >= 16 else 8  # bytes from the metadata of an instruction to those of the next
    e_view = f'!cute.memref<i8, tmem, align<1>, "(1,1,{c.blocks}):(0,0,{step})">'
    if c.half:
        add(f"%th = cute.recast_iter(%t) : {f32t} to {ptr('f16', 'tmem', 1)}")
        at_d = "%th"
    if element == "i32":
        add(f"%th = cute.recast_iter(%t) : {f32t} to {ptr('i32', 'tmem', 1)}")
        at_d = "%th"
    add(f'%lay_c = cute.static : !cute.layout<"{lay_c}">')
    add(f"%acc = cute.make_view({at_d}, %lay_c) : {acc}")
    add(f'%lay_w = cute.static : !cute.layout<"{lay_w}">')
    add(f"%whole = cute.make_view({at_d}, %lay_w) : {whole}")
    fields = "%true, %minus, %minus_b"
    add("%minus_b = arith.constant false")
    types = "i1, i1, i1"
    if c.sparse:
        e = ptr("i8", "tmem", 1)
        te = offset("%t", f32t, COLUMNS_OF_E)
        add(f"%e = cute.recast_iter({te}) : {f32t} to {e}")
        fields, types = fields + ", %e", types + f", {e}"
        add(f'%lay_e = cute.static : !cute.layout<"(1,1,{c.blocks}):(0,0,{step})">')
        add(f"%es = cute.make_view(%e, %lay_e) : {e_view}")
    copied = []
    if c.factor:
        copied = tensor_factors.copies(c, tools, add, offset, at_f)
        sf = ptr(c.factor, "tmem", 1)
        fields, types = fields.replace("%minus_b", "%minus_b, %sfa, %sfb"), types.replace("i1, i1, i1", f"i1, i1, i1, {sf}, {sf}")
    add(f"%atom = cute.make_atom({fields}) : ({types}) -> {mma}")
    add(f"%tiled = cute.make_tiled_mma(%atom) : {tiled}")
    elements = [f"!cute.ptr<{of}, smem, align<1024>{more}>" for of, more in zip((c.element, c.other or c.element), swizzled)]
    add(f"%bp = cute.recast_iter({b0}) : {base} to {elements[1]}")
    add(f'%lay_b = cute.static : !cute.layout<"{lay_b}">')
    add(f"%mb = cute.make_view(%bp, %lay_b) : {mb}")
    add(f"%fb = cute.mma.make_fragment B (%tiled, %mb) : ({tiled}, {mb}) -> {fb}")
    if c.tensor:
        ta = offset("%t", f32t, COLUMNS_OF_A)
        add(f"%pa = cute.recast_iter({ta}) : {f32t} to {ptr(c.element, 'tmem', 1)}")
        add(f'%lay_a = cute.static : !cute.layout<"{re.search(chr(34) + "(.*)" + chr(34), fa)[1]}">')
        add(f"%fa = cute.make_view(%pa, %lay_a) : {fa}")
    else:
        add(f"%ap = cute.recast_iter(%base) : {base} to {elements[0]}")
        add(f'%lay_a = cute.static : !cute.layout<"{lay_a}">')
        add(f"%ma = cute.make_view(%ap, %lay_a) : {ma}")
        add(f"%fa = cute.mma.make_fragment A (%tiled, %ma) : ({tiled}, {ma}) -> {fa}")
    gemm = f"cute.gemm(%tiled, %whole, %fa, %fb, %whole) : ({tiled}, {whole}, {fa}, {fb}, {whole})"
    if c.sparse:
        gemm = f"cute.gemm(%tiled, %whole, [%fa, %es], %fb, %whole) : ({tiled}, {whole}, {fa}, {e_view}, {fb}, {whole})"
    if c.factor:
        gemm = "\n".join(copied + tensor_factors.gemm(c, tools, whole, tiled, [("%fa", fa), ("%fb", fb)] + [("%es", e_view)] * c.sparse, step))
    if c.ashift:
        still = c._replace(ashift=False, collector="").atom()
        tiled2 = f'!cute.tiled_mma<{still}, atom_layout_MNK = <"(1,1,1):(0,0,0)">>'
        add(f"%atom2 = cute.make_atom({fields}) : ({types}) -> {still}")
        add(f"%tiled2 = cute.make_tiled_mma(%atom2) : {tiled2}")
        gemm += "\n" + gemm.replace("%tiled", "%tiled2").replace(tiled, tiled2)
    kind = " {group = #nvvm.cta_group<cta_2>}" if c.ctas == 2 else ""
    add(f"""%even = arith.cmpi eq, %rank, %c0 : i32
%issues = arith.andi %first, %even : i1
scf.if %issues {{
  {gemm}
  %one = nvvm.elect.sync -> i1
  scf.if %one {{
    nvvm.tcgen05.commit %bar{kind} : !llvm.ptr<3>
  }}
}}
scf.if %even {{
  nvvm.mbarrier.try_wait.parity %bar, %c0, %c512 : !llvm.ptr<3>, i32, i32
}}
{meet}
%ld = cute.make_atom() : () -> {ld}
%ldtm = cute_nvgpu.atom.make_tmem_copy(%ld, %acc) : ({ld}, {acc}) -> {ldtm}
%thread = cute.make_coord(%tid) : (i32) -> {coord}
""")
    source = "%acc"
    if c.store:
        source = "%acc2"
        at = offset(at_d, ptr(element, "tmem", 1), OTHER_COLUMNS * (2 if c.half else 1))  # in elements
        add(f"""%acc2 = cute.make_view({at}, %lay_c) : {acc}
%ld2 = cute.make_atom() : () -> {ld2}
%st2 = cute.make_atom() : () -> {st2}
%ldtm2 = cute_nvgpu.atom.make_tmem_copy(%ld2, %acc) : ({ld2}, {acc}) -> {ldtm2}
%sttm2 = cute_nvgpu.atom.make_tmem_copy(%st2, %acc2) : ({st2}, {acc}) -> {sttm2}
%src2 = cute.tiled.copy.partition_S(%ldtm2, %acc, %thread) : ({ldtm2}, {acc}, {coord}) -> {src2}
%dst2 = cute.tiled.copy.partition_D(%sttm2, %acc2, %thread) : ({sttm2}, {acc}, {coord}) -> {dst2}
%reg2 = cute.memref.alloca() : {regs2}
cute.copy(%ldtm2, %src2, %reg2) : ({ldtm2}, {src2}, {regs2})
cute.copy(%sttm2, %reg2, %dst2) : ({sttm2}, {regs2}, {dst2})
nvvm.tcgen05.wait <store>
nvvm.barrier""")
    add(f"""%lay_d = cute.static : !cute.layout<"(({rows},{c.n}),1,1):(({width},1),0,0)">
%per = arith.constant {rows * width} : i32
%block_at = arith.muli %rank, %per : i32
%plain = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<{element}>
%reg = cute.memref.alloca() : {regs}""")
    steps = [int(x) for x in lay_w.split(",")[-2:] for x in [x.strip(")")]]
    for i, j in np.ndindex(*c.tiles):
        t = f"%t{i}{j}"
        if c.tiles != (1, 1):
            source = f"{t}acc"
            add(f"{source} = cute.make_view({offset(at_d, ptr(element, 'tmem', 1), i * steps[0] + j * steps[1])}, %lay_c) : {acc}")
        add(f"""{t}src = cute.tiled.copy.partition_S(%ldtm, {source}, %thread) : ({ldtm}, {acc}, {coord}) -> {src}
{t}at = arith.constant {i * c.m * width + j * c.n} : i32
{t}sum = arith.addi %block_at, {t}at : i32
{t}by = cute.assume({t}sum) : (i32) -> !cute.i32<divby 8>
{t}to = cute.make_int_tuple({t}by) : (!cute.i32<divby 8>) -> !cute.int_tuple<"?{{div=8}}">
{t}out = cute.add_offset(%out, {t}to) : (!cute.ptr<{element}, gmem, align<16>>, !cute.int_tuple<"?{{div=8}}">) -> !cute.ptr<{element}, gmem, align<16>>
{t}d = cute.make_view({t}out, %lay_d) : {row}
{t}dst = cute.tiled.copy.partition_D(%ldtm, {t}d, %thread) : ({ldtm}, {row}, {coord}) -> {mine}
cute.copy(%ldtm, {t}src, %reg) : ({ldtm}, {src}, {regs})
cute.copy(%plain, %reg, {t}dst) : (!cute_nvgpu.atom.universal_copy<{element}>, {regs}, {mine})""")
    add(f"""{meet}
scf.if %first {{
  cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c512) [ {group}] : {f32t}, i32
}}
return""")
    body = "\n".join(text)
    return f"""module attributes {{gpu.container_module}} {{
gpu.module @kernels {{
cuda.kernel @k(%in: !cute.ptr<i32, gmem, align<16>>, %out: !cute.ptr<{element}, gmem, align<16>>) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}} {{
{body}
}}
}}
}}
""", words


def banded(c):
    """Whether rows of a block stand in bands of 16 lanes: PTX ISA 9.7.16.10.5, layouts C and F."""
    return c.m // c.ctas == 64 and not c.stationary and (c.ctas == 1 or c.sparse)


def padded(data, size=1024):
    return np.concatenate([data, np.zeros(-len(data) % size, np.uint8)])


def metadata(c, chosen):
    """The metadata of a block's rows for 128 lanes of 8 words: CUTLASS's tmem_e_frg, tmem_e_frg_ws; `chosen` [row][chunk] are four bits."""
    words = np.zeros((128, 8), np.uint32)
    rows, chunks = chosen.shape
    per = chunks // c.blocks  # of an instruction: 8 of 16 and 32 bits, 16 of 8
    for row in range(rows):
        for chunk in range(chunks):
            block, inner = divmod(chunk, per)
            if c.bits >= 16:  # two rows share a word of a pair of columns, two blocks a pair
                lane, word, bit = row // 16 * 16 + row % 8 + inner // 4 * 8, block, row // 8 % 2 * 16 + inner % 4 * 4
            else:
                lane, word, bit = row, 2 * block + inner // 8, inner % 8 * 4
            if banded(c):
                lane = lane // 16 * 32 + lane % 16
            for copy in range(128 // rows if not banded(c) else 1):
                words[lane + copy * rows, word] |= np.uint32(int(chosen[row, chunk]) << bit)
    return words


def run(case, tools, folder, random, extras):
    c = case
    text, words = program(c, tools)
    encode, encode_b = FORMATS[c.element][2], FORMATS[c.other or c.element][2]
    k, stored = c.k * c.blocks, c.dense * c.blocks
    m, n = c.m * c.tiles[0], c.n * c.tiles[1]
    a, b = random.integers(-4, 5, (m, stored)), random.integers(-4, 5, (n, k))
    wide = {32: 2, 4: 8}.get(c.bits, 4)  # elements of which metadata choose one or two, of 4 bits two pairs
    two = np.array([(i, j) for j in range(4) for i in range(j)])[random.integers(0, 6, (m, k // wide))]
    ones = random.integers(0, 2, (m, k // wide))
    chosen = np.where(ones, 0b1110, 0b0100) if wide == 2 else two[..., 0] | two[..., 1] << 2

    def spread(stored):
        if not c.sparse:
            return stored
        at = np.arange(k // wide) * wide
        at = at + ones if wide == 2 else (at[:, None] + two).reshape(m, -1) if wide == 4 else (at[:, None, None] + 2 * two[..., None] + (0, 1)).reshape(m, -1)
        out = np.zeros((m, k), int)
        np.put_along_axis(out, at, stored, 1)
        return out
    factor = spread(a)
    if c.ashift:  # 9.7.16.10.9: within 32 lanes each row but the last gets the next one
        row = np.arange(m)
        factor = factor + spread(a[np.where(row % 32 == 31, row, (row + 1) % m)])
    right = b
    if c.factor:
        codes, powers = tensor_factors.drawn(c, random)
        factor, right = factor * powers[0], b * powers[1]
    rows, cols = c.m // c.ctas, c.n // c.ctas
    in_a, in_b = operands(c)
    data = []
    for block in range(c.ctas):
        own = lambda x, i, each: x.reshape(c.tiles[i], c.ctas, each, -1)[:, block].reshape(c.tiles[i] * each, -1)
        mine = np.ascontiguousarray(encode(own(a, 0, rows)))
        data.append(padded(mine.view(np.uint8).reshape(-1)) if c.tensor else in_a.placed(mine))
        data.append(in_b.placed(np.ascontiguousarray(encode_b(own(b, 1, cols)))))
        if c.sparse:
            data.append(metadata(c, chosen[block * rows:(block + 1) * rows]).view(np.uint8).reshape(-1))
        if c.factor:
            of_a, of_b = tensor_factors.of(c)
            data.append(padded(np.concatenate([of_a.placed(codes[0][block * rows:(block + 1) * rows]), of_b.placed(codes[1])])))
    np.save(folder / "in.npy", np.concatenate(data).view(np.int32))
    d = START + (-1 if c.negate else 1) * factor @ right.T
    np.save(folder / "d.npy", d.astype({"f32": np.float32, "i32": np.int32, "f16": np.float16}[c.out]))
    mlir, ptx = folder / "k.mlir", folder / "k.ptx"
    mlir.write_text(text)
    done = subprocess.run([tools.tessera, "compile", mlir, "--arch", c.arch, "--emit", "ptx", "--no-cache", "-o", ptx], capture_output=True, text=True)
    if done.returncode:
        return f"does not compile: {done.stderr[:1500]}"
    expected = c.blocks * c.tiles[0] * c.tiles[1]
    # Blocks of 32 with powers of two as factors are the same in both kinds; of K = 96 CUTLASS has one of them for M = 128 of a pair.
    products = ptx.read_text().replace("mxf4nvf4.block_scale.block32", "mxf4.block_scale.block32").count(c.instruction())
    if products != expected:
        return f"expected {expected} of {c.instruction()}, got {products}"
    if ptxas := shutil.which("ptxas"):
        done = subprocess.run([ptxas, f"-arch={c.arch}", "-O1", ptx, "-o", "/dev/null"], capture_output=True, text=True)
        if done.returncode:
            return f"ptxas: {done.stderr[:1500]}"
    sim = [tools.tessera, "sim", ptx, "--kernel", "k", "--grid", str(c.ctas), "--block", "128", "--smem", str(4 * words + 1024), "--arg",
           f"ptr={folder}/in.npy", "--arg", f"ptr=out:{c.out}:{m}x{n}", "--check", f"1={folder}/d.npy"]
    if c.ctas == 2:
        sim += ["--cluster", "2"]
    return failure(sim, extras)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--programs", type=int, default=32, help="how many, the others at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scaled", action="store_true", help="only products with factors")
    asked = parser.parse_args()
    tools, random = Tools(asked.folder), np.random.default_rng(asked.seed)
    ran = wrong = refused = 0
    with tempfile.TemporaryDirectory() as name:
        for case in iter(lambda: drawn_scaled(random), None) if asked.scaled else cases(random):
            try:
                said = run(case, tools, Path(name), random, ([], ["--sanitize"], ["--late"]))
            except Refused as why:
                refused += 1
                if "lacks some" not in str(why):  # such a copy does not fit D
                    wrong += 1
                    print(f"refused: {case}: {str(why)[:300]}")
                continue
            ran += 1
            if said:
                wrong += 1
                print(f"{case}\n    {said}")
            if ran == asked.programs:
                break
    print(f"{ran} programs, {wrong} wrong; {refused} have no such copy or fragment")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
