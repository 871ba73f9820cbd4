#!/usr/bin/env python3
"""Products that NVIDIA's compiler made of CuTe C++, on the simulator, and the same products stated in CuTe IR: probes.py TESSERA [NAME...].

Each probe runs against numpy, plainly, under the sanitizer and with asynchronous work as late as allowed. Then a kernel of ours with operands
of the same layouts at the same places is compiled and run, and what both hand to the tensor core must be equal, in order: products (kind, D, A,
B, instruction descriptor, whether D counts, factors) and copies to tensor memory. Nothing has to be subtracted, as shared memory
begins at the same address in both and both allocate all columns. TESSERA_BLACKWELL_PROBES names the folder of the probes; two files of it are
read, probe.ptx.xz and probe2.ptx.xz.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import lzma
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vendor import HEAD, logged

# --- What the probes are ---------------------------------------------------------------------------------------------------------------

BITS = {"f16": 16, "tf32": 32, "i8": 8, "f8E4M3FN": 8, "f8E5M2": 8, "f4E2M1FN": 4}


class Swizzle(NamedTuple):
    """An atom of CUTLASS's UMMA::Layout_*: bytes of its rows, how many rows, and the swizzle of the pointer."""

    width: int
    rows: int
    text: str


SWIZZLES = {
    "none": Swizzle(16, 8, ""), "32B": Swizzle(32, 8, "S<1,4,3>"), "64B": Swizzle(64, 8, "S<2,4,3>"), "128B": Swizzle(128, 8, "S<3,4,3>"),
    "128B_32B": Swizzle(128, 4, "S<2,5,2>"),
}


class Probe(NamedTuple):
    name: str
    m: int  # of the instruction; of a pair, of both blocks
    n: int
    k: int  # of the tile
    element: str = "f16"
    sums: str = "f32"
    swizzle: str = "128B"
    turned: bool = False  # A along M, B along N
    tiles: int = 1  # of M
    tensor_a: bool = False
    blocks: int = 1
    factor: str = ""
    vector: int = 0
    other: str = ""  # the element of B, if not A's
    sparse: bool = False

    @property
    def rows(self):
        """Of a block's part of an instruction."""
        return self.m // self.blocks

    @property
    def step(self):
        """K of an instruction."""
        return 256 * (1 + self.sparse) // BITS[self.element]

    @property
    def file(self):
        return "probe2" if self.tensor_a or self.blocks == 2 else "probe"


PROBES = [
    Probe("kk_sw128", 128, 64, 64), Probe("kk_sw64", 128, 64, 64, swizzle="64B"), Probe("kk_sw32", 128, 64, 64, swizzle="32B"),
    Probe("kk_inter", 128, 64, 64, swizzle="none"), Probe("mm_sw128", 128, 64, 64, turned=True),
    Probe("mm_sw64", 128, 64, 64, swizzle="64B", turned=True), Probe("mm_sw32", 128, 64, 64, swizzle="32B", turned=True),
    Probe("mm_inter", 128, 64, 64, swizzle="none", turned=True), Probe("m64", 64, 64, 64), Probe("m64x2", 64, 64, 64, tiles=2),
    Probe("facc16", 128, 64, 64, sums="f16"), Probe("tf_kk", 128, 64, 32, "tf32"),
    Probe("tf_mm32", 128, 64, 32, "tf32", swizzle="128B_32B", turned=True), Probe("i8_kk", 128, 64, 128, "i8", "i32"),
    Probe("mx8", 128, 128, 128, "f8E4M3FN", factor="f8E8M0FNU", vector=32), Probe("mx4", 128, 128, 256, "f4E2M1FN", factor="f8E8M0FNU", vector=32),
    Probe("nv4", 128, 128, 256, "f4E2M1FN", factor="f8E4M3FN", vector=16), Probe("ts128", 128, 64, 64, tensor_a=True),
    Probe("ts64", 64, 64, 64, tensor_a=True), Probe("ts128h", 128, 64, 64, sums="f16", tensor_a=True), Probe("p128", 128, 64, 64, blocks=2),
    Probe("p256", 256, 64, 64, blocks=2),
]

# --- Ours: a kernel that only multiplies -------------------------------------------------------------------------------------------------


def sparse_operand(p, rows):
    """Of a sparse A, of which each element stands for two; of rows of 128 bytes."""
    wide, unit, step = 1024 // BITS[p.element], 128 // BITS[p.element], p.step // 2
    rest, far = wide // step, p.k // 2 // wide
    shape, stride = (f"({rest},{far})", f"({{}},{{}})") if far > 1 else (f"{rest}", "{}")
    return (f"(({rows},(2,{step})),1,{shape}):(({wide},(0,1)),0,{stride.format(step, rows * wide)})",
            f"(1,1,{shape}):(0,0,{stride.format(step // unit, rows * wide // unit)})")


def operand(p, rows, tiles):
    """(layout of a block's partition, of its descriptors) of A or B in shared memory: atoms side by side along rows, then along K."""
    s, bits = SWIZZLES[p.swizzle], BITS[p.element]
    wide, unit = s.width * 8 // bits, 128 // bits
    all_rows = rows * tiles
    if p.turned:
        one = f"(({wide},{rows // wide}),({s.rows},{p.step // s.rows})):((1,{wide * s.rows}),({wide},{all_rows * s.rows}))"
        apart, rest, blocks = rows * s.rows, [p.k // p.step], [all_rows * p.step]
    elif wide < p.step:
        one = f"({rows},({wide},{p.step // wide})):({wide},(1,{all_rows * wide}))"
        apart, rest, blocks = rows * wide, [p.k // p.step], [all_rows * p.step]
    else:
        one, apart = f"({rows},{p.step}):({wide},1)", rows * wide
        rest, blocks = [wide // p.step, p.k // wide], [p.step, all_rows * wide]
        rest, blocks = zip(*[(r, b) for r, b in zip(rest, blocks) if r > 1])
    shape, stride = one.split(":")
    tuples = lambda values: str(values[0]) if len(values) == 1 else "(" + ",".join(map(str, values)) + ")"
    apart = apart if tiles > 1 else 0
    return (f"({shape},{tiles},{tuples(rest)}):({stride},{apart},{tuples(blocks)})",
            f"(1,{tiles},{tuples(rest)}):(0,{apart // unit},{tuples([b // unit for b in blocks])})")


def places(p, columns, bits, apart):
    """The layout of rows of tensor memory: the data paths of PTX 9.7.16.10.5 with CUTLASS's units. `apart`: from one column to the next."""
    lane = 65536 * 32 // bits
    if p.rows == 64 and p.blocks == 1:
        return f"((16,4),{columns})", f"(({lane},{32 * lane}),{apart})"
    if p.rows == 64:
        return f"(64,({columns // 2},2))", f"({lane},({apart},{64 * lane}))"
    return f"({p.rows},{columns})", f"({lane},{apart})"


def kernel(p):
    """CuTe IR. Shared memory has A, then B, each from a multiple of 1024 bytes on, as the probes have them; factors are copied from after B."""
    bits = BITS[p.element]
    majors = "mn, mn" if p.turned else "k, k"
    elements = f"{p.element}, {p.other or p.element}, {p.sums}"
    where = "ts" if p.tensor_a else "ss"
    scaled = f"sf_type = {p.factor}, " if p.factor else ""
    if p.sparse:
        scaled = "e_type = i8, sparse_metadata_format = tid, "
    last = f"vec_size = {p.vector}" if p.factor else "c_scale_exp = 0"
    mma = (f"!cute_nvgpu.sm100.mma{'_bs' * bool(p.factor)}{'_sp' * p.sparse}<{p.m}x{p.n}x{p.step}, num_cta = {p.blocks}, ab_major = ({majors}), elem_type = ({elements}), "
           f"{scaled}frag_kind = {where}, {last}>")
    swizzle = SWIZZLES[p.swizzle].text
    types, lines = [f"!mma = {mma}", '!tiled = !cute.tiled_mma<!mma, atom_layout_MNK = <"(1,1,1):(0,0,0)">>'], []
    size = lambda rows: rows * p.k * bits // 8
    offsets = {"a": 0, "b": 0 if p.tensor_a else size(p.rows * p.tiles) // (1 + p.sparse)}
    for name, rows, tiles in (("a", p.rows, p.tiles), ("b", p.n // p.blocks, 1)):
        if name == "a" and p.tensor_a:
            # Of 64 rows of a block of a pair both halves of the lanes have a copy.
            shape, stride = places(p, p.step, bits, 1) if p.blocks == 1 else (f"(128,{p.step})", f"({65536 * 32 // bits},1)")
            layout = f"({shape},1,{p.k // p.step}):({stride},0,{p.step})"
            types.append(f'!slice_a = !cute.memref<{p.element}, tmem, align<1>, "({shape},1):({stride},0)">')
            types.append(f'!fragment_a = !cute.memref<{p.element}, tmem, align<1>, "{layout}">')
            lines += [f"%a_at = cute.static : !cute.int_tuple<\"{256 * 32 // bits}\">",
                      f"%a_0 = cute.recast_iter(%t) : !sum to !cute.ptr<{p.element}, tmem, align<1>>",
                      f'%a_1 = cute.add_offset(%a_0, %a_at) : (!cute.ptr<{p.element}, tmem, align<1>>, !cute.int_tuple<"{256 * 32 // bits}">) -> '
                      f"!cute.ptr<{p.element}, tmem, align<1>>", f'%a_l = cute.static : !cute.layout<"{layout}">',
                      "%fa = cute.make_view(%a_1, %a_l) : !fragment_a"]
            continue
        layout, units = sparse_operand(p, rows) if name == "a" and p.sparse else operand(p, rows, tiles)
        element = p.other if name == "b" and p.other else p.element
        pointer = f"!cute.ptr<{element}, smem, align<1024>{', ' * bool(swizzle) + swizzle}>"
        types += [f'!part_{name} = !cute.memref<{element}, smem, align<1024>{", " * bool(swizzle) + swizzle}, "{layout}">',
                  f'!fragment_{name} = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "{units}">',
                  f'!slice_{name} = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,{tiles}):(0,{units.split(":")[1].split(",")[1]})">']
        lines += [f'%{name}_at = cute.static : !cute.int_tuple<"{offsets[name]}">',
                  f'%{name}_0 = cute.add_offset(%base, %{name}_at) : (!bytes, !cute.int_tuple<"{offsets[name]}">) -> !bytes',
                  f"%{name}_1 = cute.recast_iter(%{name}_0) : !bytes to {pointer}", f'%{name}_l = cute.static : !cute.layout<"{layout}">',
                  f"%{name}_p = cute.make_view(%{name}_1, %{name}_l) : !part_{name}",
                  f"%f{name} = cute.mma.make_fragment {name.upper()} (%tiled, %{name}_p) : (!tiled, !part_{name}) -> !fragment_{name}"]
    sum_bits = 16 if p.sums == "f16" else 32
    shape, stride = places(p, p.n, sum_bits, 32 // sum_bits)
    interleaved = 16 * 65536 * 32 // sum_bits if p.tiles > 1 else 0
    types += [f"!sum = !cute.ptr<{p.sums}, tmem, align<1>>", "!bytes = !cute.ptr<i8, smem, align<1024>>",
              f'!d = !cute.memref<{p.sums}, tmem, align<1>, "({shape},{p.tiles},1):({stride},{interleaved},0)">']
    lines += [f'%d_l = cute.static : !cute.layout<"({shape},{p.tiles},1):({stride},{interleaved},0)">', "%d = cute.make_view(%t, %d_l) : !d"]
    products, copies, fields = [], [], "%no, %no, %no"
    if p.factor:
        copies = copied(p, types, lines, offsets["b"] + size(p.n // p.blocks))
        fields += ", %sfa, %sfb"
    if p.sparse:
        fields += ", %e"
        types.append("!e = !cute.ptr<i8, tmem, align<1>>")
        lines += ["%e_t = cute.recast_iter(%t) : !sum to !e", '%e_c = cute.static : !cute.int_tuple<"1024">',
                  '%e = cute.add_offset(%e_t, %e_c) : (!e, !cute.int_tuple<"1024">) -> !e']
    for step in range(p.k // p.step):
        products += [f"%yes{step} = arith.constant {'true' if step else 'false'}",
                     f"%m{step} = cute_nvgpu.atom.set_value(%tiled, %yes{step} : i1) {{field = #cute_nvgpu.atom_mma_field_sm100"
                     f"{'_block_scaled' * bool(p.factor)}{'_sparse' * p.sparse}<accum_c>}} : !tiled"]
        name = f"%m{step}"
        for which in ("sfa", "sfb") if p.factor else ():
            at = step * p.step // p.vector
            byte = at // 4 * 16 + at % 4
            products += [f'%{which}_at{step} = cute.static : !cute.int_tuple<"{byte}">',
                         f'%{which}{step} = cute.add_offset(%{which}, %{which}_at{step}) : (!sf, !cute.int_tuple<"{byte}">) -> !sf',
                         f"{name}{which} = cute_nvgpu.atom.set_value({name}, %{which}{step} : !sf) {{field = "
                         f"#cute_nvgpu.atom_mma_field_sm100_block_scaled<{which[:2]}_{which[2]}>}} : !tiled"]
            name += which
        if p.sparse:
            # Metadata of a product: 16 bits a row of half a lane's column, or a bit for each element.
            at = 4 * step * (1 if BITS[p.element] >= 16 else p.step // 32)
            products += [f'%e_at{step} = cute.static : !cute.int_tuple<"{at}">',
                         f'%e{step} = cute.add_offset(%e, %e_at{step}) : (!e, !cute.int_tuple<"{at}">) -> !e',
                         f"{name}e = cute_nvgpu.atom.set_value({name}, %e{step} : !e) {{field = #cute_nvgpu.atom_mma_field_sm100_sparse<e>}} : !tiled"]
            name += "e"
        products += [f'%k{step} = cute.static : !cute.coord<"(_,_,{step})">']
        for x in "ab":
            products.append(f'%{x}{step} = cute.slice(%f{x}, %k{step}) : !fragment_{x}, !cute.coord<"(_,_,{step})">')
        products.append(f"cute.gemm({name}, %d, %a{step}, %b{step}, %d) : (!tiled, !d, !slice_a, !slice_b, !d)")
    meet = "nvvm.cluster.arrive {aligned}\n nvvm.cluster.wait {aligned}" if p.blocks == 2 else "nvvm.barrier"
    of_atom = "i1, i1, i1" + ", !sf, !sf" * bool(p.factor) + ", !e" * p.sparse
    newline = "\n      "
    return f"""{newline.join(types).replace(newline, chr(10))}
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @k() attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>{", nvvm.cluster_dim = array<i32: 2, 1, 1>" * (p.blocks - 1)}}} {{
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %c0 = arith.constant 0 : i32
      %c32 = arith.constant 32 : i32
      %c512 = arith.constant 512 : i32
      %no = arith.constant false
      %base = cute_nvgpu.arch.get_dyn_smem() : !bytes
      %slot_at = cute.static : !cute.int_tuple<"98304">
      %slot_0 = cute.add_offset(%base, %slot_at) : (!bytes, !cute.int_tuple<"98304">) -> !bytes
      %slot = cute.recast_iter(%slot_0) : !bytes to !cute.ptr<i32, smem, align<1024>>
      %first = arith.cmpi slt, %tid, %c32 : i32
      scf.if %first {{
        cute_nvgpu.arch.sm100.alloc_tmem(%c512, %slot) [ cta_{p.blocks}] : i32, !cute.ptr<i32, smem, align<1024>>
        cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ cta_{p.blocks}]
      }}
      {meet}
      %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%slot) : !cute.ptr<i32, smem, align<1024>> -> !sum
      {newline.join(lines[i] for i in range(len(lines)) if not lines[i].startswith("%f") or "make_view" in lines[i])}
      %atom = cute.make_atom({fields}) : ({of_atom}) -> !mma
      %tiled = cute.make_tiled_mma(%atom) : !tiled
      {newline.join(l for l in lines if l.startswith("%f") and "make_view" not in l)}
      %leads = arith.cmpi eq, %rank, %c0 : i32
      %issues = arith.andi %first, %leads : i1
      scf.if %issues {{
        {newline.join(copies + products)}
      }}
      {meet}
      scf.if %first {{
        cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c512) [ cta_{p.blocks}] : !sum, i32
      }}
      return
    }}
  }}
}}
"""


def copied(p, types, lines, first):
    """Factors of A and B, from shared memory to columns 256 and 320: 512 bytes for each four factors of 128 rows."""
    groups = p.k // p.vector // 4
    types += [f"!sf = !cute.ptr<{p.factor}, tmem, align<1>>", f"!cp = !cute_nvgpu.atom.s2t_copy<{p.factor}, 32 DP, 128 bit, {p.blocks} cta, x4>",
              f'!lanes = !cute.memref<{p.factor}, tmem, align<1>, "(((32,4),4),4):(((262144,4),8388608),1)">',
              f'!tcp = !cute.tiled_copy<!cp, layout_copy_tv = <"({p.blocks},(32,(4,4),4)):(0,(1,(512,32),128))">, tiler_mn = <"[512:1;4:1]">>',
              f'!from = !cute.memref<{p.factor}, smem, align<512>, "(((32,16),1),1,1):(((16,1),0),0,0)">',
              '!view = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(((32,1),1),1,1):(((1,1),0),0,0)">',
              f'!dst = !cute.memref<{p.factor}, tmem, align<1>, "(((32,4,(4,4)),1),1,1):(((262144,1,(4,8388608)),0),0,0)">']
    lines += ["%bytes_t = cute.recast_iter(%t) : !sum to !sf", '%lanes_l = cute.static : !cute.layout<"(((32,4),4),4):(((262144,4),8388608),1)">',
              '%from_l = cute.static : !cute.layout<"(((32,16),1),1,1):(((16,1),0),0,0)">', "%cp = cute.make_atom() : () -> !cp",
              '%zero = cute.static : !cute.coord<"0">']
    copies = []
    for which, column in (("sfa", 256), ("sfb", 320)):
        lines += [f'%{which}_c = cute.static : !cute.int_tuple<"{4 * column}">',
                  f'%{which} = cute.add_offset(%bytes_t, %{which}_c) : (!sf, !cute.int_tuple<"{4 * column}">) -> !sf']
        for g in range(groups):
            # Each array of the probes begins at a multiple of 1024 bytes.
            at, x = first + (which == "sfb") * -(-512 * groups // 1024) * 1024 + 512 * g, f"%{which}_{g}"
            copies += [f'{x}o = cute.static : !cute.int_tuple<"{16 * g}">', f'{x}t = cute.add_offset(%{which}, {x}o) : (!sf, !cute.int_tuple<"{16 * g}">) -> !sf',
                       f"{x}l = cute.make_view({x}t, %lanes_l) : !lanes", f'{x}s = cute.static : !cute.int_tuple<"{at}">',
                       f'{x}b = cute.add_offset(%base, {x}s) : (!bytes, !cute.int_tuple<"{at}">) -> !cute.ptr<i8, smem, align<512>>',
                       f"{x}r = cute.recast_iter({x}b) : !cute.ptr<i8, smem, align<512>> to !cute.ptr<{p.factor}, smem, align<512>>",
                       f"{x}f = cute.make_view({x}r, %from_l) : !from", f"{x}c = cute_nvgpu.atom.make_s2t_copy(%cp, {x}l) : (!cp, !lanes) -> !tcp",
                       f"{x}v = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%cp, {x}f) : (!cp, !from) -> !view",
                       f'{x}d = cute.tiled.copy.partition_D({x}c, {x}l, %zero) : (!tcp, !lanes, !cute.coord<"0">) -> !dst',
                       f"cute.copy({x}c, {x}v, {x}d) : (!tcp, !view, !dst)"]
    return copies


# --- What both execute, printed by the kernels themselves ----------------------------------------------------------------------------------

PRODUCT = re.compile(r"(tcgen05\.mma\.\S+)\s+\[(%?\w+)\],\s*(\[?)(%?\w+)\]?,\s*(%?\w+),\s*(?:\[(%?\w+)\],\s*)?(%?\w+),\s*"
                     r"(?:\[(%?\w+)\],\s*\[(%?\w+)\],\s*)?(?:\{[^}]*\},\s*)?(%?\w+);")
COPY = re.compile(r"(tcgen05\.cp\.\S+)\s+\[(%?\w+)\],\s*(%?\w+);")


def instrumented(ptx):
    """PTX that prints its products and copies instead of making them, and what it prints: operands need not be there."""
    sites = []

    def site(name, values):
        sites.append(name)
        return logged(len(sites) - 1, values)

    def product(match):
        name, d, tensor, a, b, metadata, word, sfa, sfb, counts = match.groups()
        name = name.replace(".block_scale", "").replace(".collector::a::discard", "")
        for old, new in ((".scale_vec::1X", ".block32"), (".scale_vec::2X", ".block32"), (".scale_vec::4X", ".block16")):
            name = name.replace(old, new)
        if name.endswith("mxf8f6f4"):
            name += ".block32"
        out = site(name + ", A in tensor memory" * bool(tensor), [(32 if tensor else 64, a), (64, b), (32, word), (32, d)])
        out += site("D counts", [(1, counts)] * 4)
        if metadata:
            out += site("metadata", [(32, metadata)] * 4)
        if sfa:
            out += site("factors", [(32, sfa), (32, sfb)] * 2)
        return out

    ptx = COPY.sub(lambda m: site(m[1], [(32, m[2]), (64, m[3])] * 2), PRODUCT.sub(product, ptx))
    # The probes declare vprintf themselves.
    start = re.search(r"^\.visible \.entry", ptx, re.M).start()
    return ptx[:start] + (HEAD.split("\n", 1)[1] if "vprintf" in ptx[:start] else HEAD) + ptx[start:], sites


def deeds(output, sites):
    """(block) -> what its issuing thread did, in order. Of addresses of factors only the column counts: CUTLASS has the byte in bits 30 and 31."""
    found = {}
    for line in output.splitlines():
        if match := re.match(r"@(\d+),(\d+) (\w+) (.*)$", line):
            name, values = sites[int(match[3], 16)], [int(v, 16) for v in match[4].split()]
            if name == "factors":
                values = [v & 0x3FFFFFFF for v in values]
            found.setdefault(int(match[1]), []).append((name, *(f"{v:x}" for v in values)))
    return found


# --- Numbers -------------------------------------------------------------------------------------------------------------------------------


def inputs(p, rng):
    """The arrays of a probe's arguments, and D."""
    m, n, k = p.m * p.tiles, p.n, p.k
    a, b = rng.integers(-4, 5, (m, k)), rng.integers(-4, 5, (n, k))
    if not p.factor:
        dtype = {"f16": np.float16, "tf32": np.float32, "i8": np.int8}[p.element]
        stored = [(x.T if p.turned else x).astype(dtype).copy() for x in (a, b)]
        return stored, (a @ b.T).astype({"f16": np.float16, "f32": np.float32, "i32": np.int32}[p.sums])
    count = k // p.vector
    if p.element == "f8E4M3FN":
        codes = [np.array([0x00, 0x38, 0x40, 0x44, 0x48], np.uint8)[abs(x)] | ((x < 0) << 7).astype(np.uint8) for x in (a, b)]
    else:
        whole = [rng.integers(0, 16, x.shape) for x in (a, b)]
        a, b = (np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])[c & 7] * np.where(c & 8, -1, 1) for c in whole)
        codes = [(c[:, ::2] | c[:, 1::2] << 4).astype(np.uint8) for c in whole]
    powers = [rng.integers(-3, 4, (len(x), count)) for x in (a, b)]
    one, power = {"f8E8M0FNU": (127, 1), "f8E4M3FN": (0x38, 8)}[p.factor]
    laid = [(one + power * s).astype(np.uint8).reshape(4, 32, count // 4, 4).transpose(2, 1, 0, 3).reshape(-1).copy() for s in powers]
    a, b = (x * np.repeat(2.0**s, p.vector, 1) for x, s in zip((a, b), powers))
    return codes + laid, (a @ b.T).astype(np.float32)


def simulated(tessera, ptx, name, p, arguments=(), extra=()):
    return subprocess.run([tessera, "sim", ptx, "--kernel", name, "--grid", str(p.blocks), "--block", "128", "--smem", "160000", "--threads", "1",
                           *arguments, *extra], capture_output=True, text=True, errors="replace")


def check(tessera, work, ptx, p, rng):
    """What is wrong."""
    arrays, d = inputs(p, rng)
    arguments = []
    for i, array in enumerate(arrays):
        np.save(f"{work}/{i}.npy", array)
        arguments += ["--arg", f"ptr={work}/{i}.npy"]
    np.save(f"{work}/d.npy", d)
    arguments += ["--arg", f"ptr=out:{p.sums}:{p.m * p.tiles}x{p.n}"]
    theirs = f"{work}/theirs.ptx"
    Path(theirs).write_text(ptx)
    # CuTe C++ writes 4 bits by reading the byte first, which nobody wrote; the sanitizer is right to say so.
    for mode in ([], ["--sanitize"], ["--late"])[:: 1 if BITS[p.element] >= 8 else 2]:
        done = simulated(tessera, theirs, p.name, p, arguments, ["--check", f"{len(arrays)}={work}/d.npy", "--rtol", "0", "--atol", "0", *mode])
        if done.returncode:
            return f"{mode}: {done.stdout[-500:]}{done.stderr[-1500:]}"
    return compared(tessera, work, ptx, p, arguments)


def compared(tessera, work, ptx, p, arguments):
    """In what the products of ours and theirs differ."""
    theirs = f"{work}/theirs.ptx"
    text, sites = instrumented(ptx)
    Path(theirs).write_text(text)
    other = deeds(simulated(tessera, theirs, p.name, p, arguments).stdout, sites)
    mlir, own = f"{work}/ours.mlir", f"{work}/ours.ptx"
    Path(mlir).write_text(kernel(p))
    made = subprocess.run([tessera, "compile", mlir, "--arch", "sm_100a", "--emit", "ptx", "--no-cache", "-o", own], capture_output=True, text=True)
    if made.returncode:
        return f"ours: {made.stderr[:3000]}"
    text, sites = instrumented(Path(own).read_text())
    Path(own).write_text(text)
    ran = simulated(tessera, own, "k", p)
    if ran.returncode:
        return f"ours: {ran.stdout[-500:]}{ran.stderr[-1500:]}"
    mine = deeds(ran.stdout, sites)
    products = sum("mma" in deed[0] for all_ in mine.values() for deed in all_)
    if products != p.k // p.step * p.tiles:
        return f"ours has {products} products"
    if mine != other:
        for block in sorted(set(mine) | set(other)):
            x, y = mine.get(block, []), other.get(block, [])
            at = next((i for i, (u, v) in enumerate(zip(x, y)) if u != v), min(len(x), len(y)))
            if x != y:
                return f"block {block}: they differ at {at} of {len(x)} and {len(y)}: ours {x[at:at + 1]}, theirs {y[at:at + 1]}"
    return ""


def entry(ptx, name):
    """The module with one of its kernels: the others take time to read."""
    parts = re.split(r"(?m)^(?=\.visible \.entry |\t?// \.globl)", ptx)
    return "".join(part for part in parts if not part.startswith(".visible .entry") or re.match(rf"\.visible \.entry {name}\(", part))


def main():
    tessera, wanted = sys.argv[1], sys.argv[2:]
    folder = os.environ.get("TESSERA_BLACKWELL_PROBES")
    if not folder:
        print("TESSERA_BLACKWELL_PROBES is not set: nothing to run")
        return 77
    files = {name: lzma.open(Path(folder) / f"{name}.ptx.xz", "rt").read() for name in ("probe", "probe2")}
    failed = ran = 0
    with tempfile.TemporaryDirectory() as work:
        for p in PROBES:
            if wanted and p.name not in wanted:
                continue
            ran += 1
            if wrong := check(tessera, work, entry(files[p.file], p.name), p, np.random.default_rng(3)):
                failed += 1
                print(f"{p.name}: {wrong}", flush=True)
    print(f"{ran} probes run and compared, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
