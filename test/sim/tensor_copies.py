#!/usr/bin/env python3
"""Copies from shared to tensor memory (tcgen05.cp), written here in CuTe IR for many shapes, layouts and elements, on the simulator against the
tables of test/blackwell/isa.py: tensor_copies.py FOLDER [--programs N] [--seed N]. FOLDER has tessera and tessera-opt.

A program fills columns of tensor memory with a number, copies matrices there, by an atom or by the op of one instruction, and stores all
columns. ptxas, if there is one, takes it for its target.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tensor_tools import Refused, Tools, failure, load_words

sys.path.append(str(Path(__file__).parents[1] / "blackwell"))
import isa

# Shapes of isa.COPIES as CuTe IR has them: data paths, bits, and how they repeat.
SHAPES = {"128x256b": (128, 256, "none"), "4x256b": (4, 256, "none"), "128x128b": (128, 128, "none"), "64x128b.warpx2::02_13": (64, 128, "lw_0213"),
          "64x128b.warpx2::01_23": (64, 128, "lw_0123"), "32x128b.warpx4": (32, 128, "x4")}
FORMATS = {"": "", ".b8x16.b6x16_p32": "b6x16_p32", ".b8x16.b4x16_p64": "b4x16_p64"}
ELEMENTS = {"f8E8M0FNU": 8, "f8E4M3FN": 8, "i8": 8, "f16": 16, "i32": 32, "f32": 32}
SWIZZLES = ["none", "32B", "64B", "128B"]
COLUMNS, FILL = 64, 0x01020304


class Case(NamedTuple):
    shape: str
    widening: str = ""
    element: str = "i8"
    swizzle: int = 0
    ctas: int = 1
    atom: bool = True  # or the op of one instruction
    copies: int = 1
    whole: bool = False  # by one cute.copy
    near: bool = True  # which of two strides is the small one, where there is no swizzle
    pad: int = 0
    chunk: int = 0  # of 16 bytes, where rows begin within a span
    column: int = 0
    gap: int = 0  # columns between copies
    arch: str = "sm_100a"

    @property
    def bits(self):
        return ELEMENTS[self.element]

    def source(self):
        """Where the first matrix is, as the descriptor says it, and bytes from one to the next."""
        rows, chunks, _ = isa.COPIES[self.shape]
        groups, width = (rows + 7) // 8, isa.SWIZZLES[SWIZZLES[self.swizzle]].width
        if self.swizzle == 0:
            lbo, sbo = (128, 128 * chunks + 128 * self.pad) if self.near else (128 * groups + 128 * self.pad, 128)
            return isa.Source(0, lbo, sbo, "none"), (groups * max(sbo, 128) + chunks * lbo + 1023) // 1024 * 1024
        sbo = 8 * width * (1 + self.pad)
        return isa.Source(16 * self.chunk, 16, sbo, SWIZZLES[self.swizzle]), (groups * sbo + 1023) // 1024 * 1024

    def instruction(self):
        return f"tcgen05.cp.cta_group::{self.ctas}.{self.shape}{self.widening} "


def program(c, tools):
    dp, bits, broadcast = SHAPES[c.shape]
    rows, chunks, _ = isa.COPIES[c.shape]
    source, step = c.source()
    unit = 128 // c.bits  # elements of 16 bytes
    pitch, groups = isa.SWIZZLES[source.swizzle].width * 8 // c.bits, max(rows // 8, 1)
    sbo, lbo = source.sbo * 8 // c.bits, source.lbo * 8 // c.bits
    first = 8 if not c.atom or rows >= 8 else rows  # an instruction that reads four rows has a descriptor of eight
    mode = f"({first},{groups})", f"({pitch},{sbo if groups > 1 else 0})"
    along = (f"({unit},{chunks})", f"(1,{lbo if chunks > 1 else 0})") if c.swizzle == 0 else (str(unit * chunks), "1")
    matrix = f"({mode[0]},{along[0]})", f"({mode[1]},{along[1]})"
    swizzle = f", S<{c.swizzle},4,3>" if c.swizzle else ""
    lane, words = 65536 * 32 // c.bits, step * c.copies // 4
    wide, apart = chunks * unit, (4 * chunks + c.gap) * 32 // c.bits
    group, base = f"cta_{c.ctas}", "!cute.ptr<i8, smem, align<1024>>"
    zero, t32 = '!cute.coord<"0">', "!cute.ptr<i32, tmem, align<1>>"
    pointer, tensor = f"!cute.ptr<{c.element}, smem, align<1024>{swizzle}>", f"!cute.ptr<{c.element}, tmem, align<1>>"
    at = f"!cute.ptr<{c.element}, smem, align<16>{swizzle}>"
    meet = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}" if c.ctas == 2 else "nvvm.barrier"
    text = []
    add = text.append

    def offset(name, pointer_, type_, by, to=None):
        add(f'{name}_by = cute.static : !cute.int_tuple<"{by}">')
        add(f'{name} = cute.add_offset({pointer_}, {name}_by) : ({type_}, !cute.int_tuple<"{by}">) -> {to or type_}')

    add("%tid = nvvm.read.ptx.sreg.tid.x : i32\n%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32")
    for v in (0, 1, 5, 21, 32, 128, 512):
        add(f"%c{v} = arith.constant {v} : i32")
    add(f"%base = cute_nvgpu.arch.get_dyn_smem() : {base}")
    offset("%slot0", "%base", base, words * 4)
    offset("%bar0", "%base", base, words * 4 + 8, "!cute.ptr<i8, smem, align<8>>")
    add(f"""%slot = cute.recast_iter(%slot0) : {base} to !cute.ptr<i32, smem, align<1024>>
%bar = builtin.unrealized_conversion_cast %bar0 : !cute.ptr<i8, smem, align<8>> to !llvm.ptr<3>
{load_words(words)}
nvvm.barrier
{meet}
scf.if %first {{
  cute_nvgpu.arch.sm100.alloc_tmem(%c512, %slot) [ {group}] : i32, !cute.ptr<i32, smem, align<1024>>
  cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ {group}]
}}
nvvm.barrier
%t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%slot) : !cute.ptr<i32, smem, align<1024>> -> {t32}
%warp = arith.shrui %tid, %c5 : i32
%quarter = arith.shli %warp, %c21 : i32
%lanes = cute.make_int_tuple(%quarter) : (i32) -> !cute.int_tuple<"?">
%own = cute.add_offset(%t, %lanes) : ({t32}, !cute.int_tuple<"?">) -> {t32}
%fill = arith.constant dense<{FILL}> : vector<8xi32>""")
    for k in range(0, COLUMNS, 8):
        offset(f"%own{k}", "%own", t32, k)
        add(f"cute_nvgpu.arch.copy.SM100.tmem_store(%own{k}, %fill) {{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 8 : i32}} : ({t32}, vector<8xi32>)")
    add("nvvm.tcgen05.wait <store>")
    add(meet)
    add(f"%source = cute.recast_iter(%base) : {base} to {pointer}")
    offset("%begins", "%source", pointer, source.start * 8 // c.bits, at)
    offset("%column", "%t", t32, c.column)
    add(f"%dst = cute.recast_iter(%column) : {t32} to {tensor}")
    copied = []
    if c.atom:
        many = c.copies if c.whole else 1
        cp = f"!cute_nvgpu.atom.s2t_copy<{c.element}, {dp} DP, {bits} bit, {c.ctas} cta, {broadcast}>"
        lanes = f"({4 if rows == 4 else 128},{wide})", f"({32 * lane if rows == 4 else lane},1)"
        there = f'!cute.memref<{c.element}, tmem, align<1>, "({lanes[0]},1,{many}):({lanes[1]},0,{apart if many > 1 else 0})">'
        part = f'!cute.memref<{c.element}, smem, align<16>{swizzle}, "(({matrix[0]},1),1,1,{many}):(({matrix[1]},0),0,0,{step * 8 // c.bits if many > 1 else 0})">'
        tiled = tools.infer(f'cute_nvgpu.atom.make_s2t_copy(%0, %1) : ({cp}, {there}) -> !cute.tiled_copy<{cp}, layout_copy_tv = <"(1,1):(0,0)">, tiler_mn = <"[1:0]">>', [cp, there])
        view = tools.infer(f'cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%0, %1) : ({cp}, {part}) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "1:0">', [cp, part])
        to = tools.infer(f"cute.tiled.copy.partition_D(%0, %1, %2) : ({tiled}, {there}, {zero}) -> {there}", [tiled, there, zero])
        add(f"%cp = cute.make_atom() : () -> {cp}")
        add(f"%zero = cute.static : {zero}")
        for i in range(0, c.copies, many):
            offset(f"%s{i}", "%begins", at, i * step * 8 // c.bits)
            offset(f"%d{i}", "%dst", tensor, i * apart)
            for name, where, type_ in ((f"%sv{i}", f"%s{i}", part), (f"%dv{i}", f"%d{i}", there)):
                add(f'{name}l = cute.static : !cute.layout<"{type_.split(chr(34))[1]}">')
                add(f"{name} = cute.make_view({where}, {name}l) : {type_}")
            add(f"%c_{i} = cute_nvgpu.atom.make_s2t_copy(%cp, %dv{i}) : ({cp}, {there}) -> {tiled}")
            add(f"%v{i} = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%cp, %sv{i}) : ({cp}, {part}) -> {view}")
            add(f"%to{i} = cute.tiled.copy.partition_D(%c_{i}, %dv{i}, %zero) : ({tiled}, {there}, {zero}) -> {to}")
            copied.append(f"cute.copy(%c_{i}, %v{i}, %to{i}) : ({tiled}, {view}, {to})")
    else:
        for i in range(c.copies):
            offset(f"%s{i}", "%begins", at, i * step * 8 // c.bits)
            offset(f"%d{i}", "%dst", tensor, i * apart)
            add(f'%v{i} = cute_nvgpu.make_umma_smem_desc(%s{i}) {{layout = #cute.layout<"({matrix[0]},1):({matrix[1]},0)">, major = #cute_nvgpu.major<k>}} : ({at}) -> !cute_nvgpu.smem_desc')
            widens = f"format = #cute_nvgpu.packed_format<{FORMATS[c.widening]}>, " * bool(c.widening)
            copied.append(f"cute_nvgpu.arch.copy.SM100.copy_s2t(%v{i}, %d{i}) {{broadcast = #cute_nvgpu.broadcast<{broadcast}>, {widens}num_b = {bits} : i32, num_cta = {c.ctas} : i32, "
                          f"num_dp = {dp} : i32}} : (!cute_nvgpu.smem_desc, {tensor})")
    kind = " {group = #nvvm.cta_group<cta_2>}" if c.ctas == 2 else ""
    add("%even = arith.cmpi eq, %rank, %c0 : i32\n%issues = arith.andi %first, %even : i1\nscf.if %issues {")
    text += copied
    add(f"""  %one = nvvm.elect.sync -> i1
  scf.if %one {{
    nvvm.tcgen05.commit %bar{kind} : !llvm.ptr<3>
  }}
}}
scf.if %even {{
  nvvm.mbarrier.try_wait.parity %bar, %c0, %c512 : !llvm.ptr<3>, i32, i32
}}
{meet}
%lane_row = arith.muli %rank, %c128 : i32
%row = arith.addi %lane_row, %tid : i32
%out_l = cute.static : !cute.layout<"({128 * c.ctas},{COLUMNS}):({COLUMNS},1)">
%all = cute.make_view(%out, %out_l) : !cute.memref<i32, gmem, align<16>, "({128 * c.ctas},{COLUMNS}):({COLUMNS},1)">""")
    for k in range(0, COLUMNS, 8):
        add(f"%got{k} = cute_nvgpu.arch.copy.SM100.tmem_load(%own{k}) {{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 8 : i32}} : ({t32}) -> vector<8xi32>")
        for j in range(8):
            add(f"""%k{k + j} = arith.constant {k + j} : i32
%p{k + j} = cute.make_coord(%row, %k{k + j}) : (i32, i32) -> !cute.coord<"(?,?)">
%g{k + j} = vector.extract %got{k}[{j}] : i32 from vector<8xi32>
cute.memref.store(%all, %p{k + j}, %g{k + j}) : (!cute.memref<i32, gmem, align<16>, "({128 * c.ctas},{COLUMNS}):({COLUMNS},1)">, !cute.coord<"(?,?)">, i32) -> ()""")
    add(f"""{meet}
scf.if %first {{
  cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c512) [ {group}] : {t32}, i32
}}
return""")
    body = "\n".join(text)
    return f"""module attributes {{gpu.container_module}} {{
gpu.module @kernels {{
cuda.kernel @k(%in: !cute.ptr<i32, gmem, align<16>>, %out: !cute.ptr<i32, gmem, align<16>>) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}} {{
{body}
}}
}}
}}
""", words


def run(c, tools, folder, random, extras):
    text, words = program(c, tools)
    shape, (source, step) = isa.COPIES[c.shape], c.source()
    data = random.integers(0, 256, (c.ctas, words * 4), dtype=np.uint8)
    out = np.full((c.ctas, 128, COLUMNS), FILL, np.uint32)
    for i in range(c.copies):
        from_ = source._replace(start=source.start + i * step)
        for row in range(shape.rows):
            for chunk in range(shape.chunks):
                at = isa.copy_byte(from_, row, chunk)
                arrived = np.ascontiguousarray(isa.widened(data[:, at:at + 16], isa.WIDENINGS[c.widening])).view(np.uint32)
                column = c.column + i * (4 * shape.chunks + c.gap) + 4 * chunk
                for lane in shape.lanes(row):
                    out[:, lane, column:column + 4] = arrived
    np.save(folder / "in.npy", data.reshape(-1).view(np.int32))
    np.save(folder / "out.npy", out.reshape(-1, COLUMNS).view(np.int32))
    mlir, ptx = folder / "k.mlir", folder / "k.ptx"
    mlir.write_text(text)
    done = subprocess.run([tools.tessera, "compile", mlir, "--arch", c.arch, "--emit", "ptx", "--no-cache", "-o", ptx], capture_output=True, text=True)
    if done.returncode:
        return f"does not compile: {done.stderr[:1500]}"
    if (count := ptx.read_text().count(c.instruction())) != c.copies:
        return f"expected {c.copies} of {c.instruction()}, got {count}"
    if ptxas := shutil.which("ptxas"):
        done = subprocess.run([ptxas, f"-arch={c.arch}", "-O1", ptx, "-o", "/dev/null"], capture_output=True, text=True)
        if done.returncode:
            return f"ptxas: {done.stderr[:1500]}"
    sim = [tools.tessera, "sim", ptx, "--kernel", "k", "--grid", str(c.ctas), "--block", "128", "--smem", str(4 * words + 1024), "--arg", f"ptr={folder}/in.npy", "--arg",
           f"ptr=out:i32:{128 * c.ctas}x{COLUMNS}", "--check", f"1={folder}/out.npy", *["--cluster", "2"] * (c.ctas == 2)]
    return failure(sim, extras)


def drawn(random, shape):
    pick = lambda options: options[int(random.integers(len(options)))]
    chunks = isa.COPIES[shape].chunks
    atom = bool(random.integers(0, 3)) and shape != "4x256b"
    swizzle = int(random.integers(0, 4))
    spans = isa.SWIZZLES[SWIZZLES[swizzle]].width // 16
    copies = int(random.integers(1, 4))
    whole = atom and bool(random.integers(0, 2))
    gap = 4 * chunks * int(random.integers(0, 2)) if whole else int(random.integers(0, 4))  # of a tensor to be tiled each stride divides the next
    return Case(shape, "" if atom else pick(list(FORMATS)), pick(list(ELEMENTS)) if atom else "i8", swizzle, int(random.integers(1, 3)), atom, copies, whole,
                bool(random.integers(0, 2)), int(random.integers(0, 3)), chunks * int(random.integers(0, spans // chunks)) if swizzle else 0,
                4 * int(random.integers(0, (COLUMNS - copies * (4 * chunks + gap)) // 4 + 1)), gap, pick(("sm_100a", "sm_103a", "sm_110a")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--programs", type=int, default=18)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tools, random, wrong = Tools(asked.folder), np.random.default_rng(asked.seed), 0
    with tempfile.TemporaryDirectory() as name:
        for i in range(asked.programs):
            case = drawn(random, list(SHAPES)[i % len(SHAPES)])
            try:
                said = run(case, tools, Path(name), random, ([], ["--sanitize"], ["--late"]))
            except Refused as why:
                said = f"refused: {why}"
            if said:
                wrong += 1
                print(f"{case}\n    {said}")
    print(f"{asked.programs} programs, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
