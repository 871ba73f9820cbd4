#!/usr/bin/env python3
"""Products of warps on 8, 6 and 4 bits of sm_120 (dense and sparse, with block factors or not), and loads and stores of matrices of such
elements, written here in CuTe IR at random, on the simulator against numpy: warp_products.py FOLDER [--programs N] [--seed N]. FOLDER has tessera.

A program has several products of one warp, by the op of one instruction or by an atom. Which lane has which element follows from the PTX ISA:
fragments of m16n8k32 and m16n8k64 in 9.7.14.5, of a sparse A in 9.7.14.6.2 (metadata as CUTLASS's mma_traits_sm120_sparse.hpp has them), and
the bytes and lanes of factors in 9.7.14.3. ptxas, if there is one, takes each program.
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

from tensor_tools import failure

sys.path.append(str(Path(__file__).parents[1] / "blackwell"))
import isa

FORMATS = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f4E2M1FN": "e2m1"}
FACTORS = {"f8E8M0FNU": "ue8m0", "f8E4M3FN": "ue4m3"}
LANE = np.arange(32)


class Case(NamedTuple):
    a: str
    b: str
    packed: bool = False  # two numbers of 4 bits in a byte
    sparse: bool = False
    factor: str = ""
    vector: int = 0
    half: bool = False  # sums of f16
    ids: tuple = (0, 0, 0, 0)  # byte and lane of factors of A, and of B
    atom: bool = False

    @property
    def k(self):
        return (64 if self.packed else 32) * (1 + self.sparse)

    @property
    def count(self):
        """Factors of a row."""
        return self.k // self.vector

    def name(self):
        return "SM120" + ".block_scaled" * bool(self.factor) + ("_sparse" if self.factor else ".sparse") * self.sparse

    def type(self):
        family = "mma" + "_bs" * bool(self.factor) + "_sp" * self.sparse
        more = f"vec_size = {self.vector}, " * bool(self.factor)
        ends = f", sf_type = {self.factor}" * bool(self.factor) + ", sparse_metadata_format = ordered" * self.sparse
        return f"!cute_nvgpu.SM120.{family}<16x8x{self.k}, {more}elem_type = ({self.a}, {self.b}, {'f16' if self.half else 'f32'}){ends}>"


def drawn(random):
    pick = lambda options: options[int(random.integers(len(options)))]
    sparse, packed = bool(random.integers(0, 2)), not random.integers(0, 3)
    if packed:
        factor, vector = pick((("f8E8M0FNU", 32), ("f8E4M3FN", 16)))
    else:
        factor, vector = pick((("", 0), ("f8E8M0FNU", 32)))
    one = 1 + sparse
    count = {0: 0, 32: 2 if packed else 1, 16: 4}[vector]
    byte = lambda: pick({0: (0,), 1: (0, 1, 2, 3), 2: (0, 2), 4: (0,)}[count])
    a, b = ("f4E2M1FN",) * 2 if packed else (pick(list(FORMATS)), pick(list(FORMATS)))
    atom = not random.integers(0, 3)
    ids = (byte(), int(random.integers(0, 2)), byte(), int(random.integers(0, 4))) if factor and not atom else (0, 0, 0, 0)
    return Case(a, b, packed, sparse, factor, vector * one, not factor and bool(random.integers(0, 2)), ids, atom)


class Matrices(NamedTuple):
    """A load or store of matrices whose elements are bytes, or bytes that were 6 or 4 bits in shared memory."""
    rows: int  # of a matrix that is loaded: 16 or 8; 0: a store
    count: int
    bits: int = 8

    def registers(self):
        return self.count * (2 if self.rows == 16 else 1)

    def attributes(self):
        if not self.rows:
            return f'{{matrix_shape = #cute.shape<"(16,8)">, num_matrices = {self.count} : i32, transpose}}'
        pattern = {8: "u8", 6: "u6x16p32to8", 4: "u4x16p64to8"}[self.bits]
        return (f'{{matrix_shape = #cute.shape<"({self.rows},16)">, num_matrices = {self.count} : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<{pattern}>'
                f"{', transpose' * (self.rows == 16)}}}")

    def operands(self, random):
        """Words of each lane: where its row is, and four words of rows or registers; and what each lane has afterwards."""
        order = random.permutation(32).astype(np.uint32)
        g, t = LANE // 4, LANE % 4
        if not self.rows:
            registers, rows = random.integers(0, 256, (self.count, 32, 4)).astype(np.uint8), random.integers(0, 256, (32, 16)).astype(np.uint8)
            after = rows.copy()
            for r, v1, v2 in np.ndindex(self.count, 2, 2):  # CUTLASS, SM100_U8x4_STSM_T
                after[order[8 * r + 2 * t + v1], g + 8 * v2] = registers[r, LANE, v1 + 2 * v2]
            words = [order * 16, *rows.view(np.uint32).T, *registers.view(np.uint32)[..., 0]]
            return words, list(after.view(np.uint32).T)
        rows = random.integers(0, 256, (32, 16)).astype(np.uint8)
        arrive = isa.widened(rows, None if self.bits == 8 else self.bits)
        if self.bits == 4:
            arrive = arrive >> 2  # here in the low bits: CUTLASS shifts them itself, SM120's collectives
        read = arrive[order]  # row i is where lane i says
        if self.rows == 8:
            out = [read[8 * r + g][LANE[:, None], (4 * t)[:, None] + np.arange(4)] for r in range(self.count)]
        else:
            # A register has four rows of a column, of which there are eight: CUTLASS, SM100_U8x8_LDSM_T, before its __byte_perm.
            out = [read[16 * (r // 2) + (4 * t)[:, None] + np.arange(4), (g + 8 * (r % 2))[:, None]] for r in range(2 * self.count)]
        return [order * 16, *rows.view(np.uint32).T], [np.ascontiguousarray(x).view(np.uint32)[:, 0] for x in out]

    def lines(self, i, first, out):
        x, given = f"%p{i}_", 5 if self.rows else 5 + self.count
        text, count = loads(x, first, given), self.registers()
        at, words = "!cute.ptr<i8, smem, align<16>>", '!cute.memref<i32, smem, align<16>, "(4):(1)">'
        text += [f"{x}own = arith.constant 16 : i32", f"{x}place = arith.muli %tid, {x}own : i32"]
        for name, value in (("mine", f"{x}place"), ("row", f"{x}w0")):
            text += [f"{x}{name}a = cute.assume({value}) : (i32) -> !cute.i32<divby 16>", f'{x}{name}t = cute.make_int_tuple({x}{name}a) : (!cute.i32<divby 16>) -> !cute.int_tuple<"?{{div=16}}">',
                     f'{x}{name} = cute.add_offset(%smem, {x}{name}t) : ({at}, !cute.int_tuple<"?{{div=16}}">) -> {at}']
        text += [f"{x}wp = cute.recast_iter({x}mine) : {at} to !cute.ptr<i32, smem, align<16>>", f'{x}wl = cute.static : !cute.layout<"(4):(1)">', f"{x}wv = cute.make_view({x}wp, {x}wl) : {words}"]
        for n in range(4):
            text += [f'{x}wc{n} = cute.static : !cute.coord<"{n}">', f'cute.memref.store({x}wv, {x}wc{n}, {x}w{n + 1}) : ({words}, !cute.coord<"{n}">, i32) -> ()']
        text.append("nvvm.barrier")
        type_ = "i32" if count == 1 else f"vector<{count}xi32>"
        if self.rows:
            text.append(f"{x}r = cute_nvgpu.arch.copy.ldsm({x}row) {self.attributes()} : ({at}) -> {type_}")
            text += [f"{x}o{n} = vector.extract {x}r[{n}] : i32 from {type_}" for n in range(count)] if count > 1 else [f"{x}o0 = arith.addi {x}r, %none : i32"]
        else:
            value = f"{x}w5"
            if count > 1:
                value = f"{x}v"
                text.append(f"{x}v = vector.from_elements {', '.join(f'{x}w{5 + n}' for n in range(count))} : {type_}")
            text += [f"cute_nvgpu.arch.copy.stsm({x}row, {value}) {self.attributes()} : ({at}, {type_})", "nvvm.barrier"]
            text += [f'{x}o{n} = cute.memref.load({x}wv, {x}wc{n}) : ({words}, !cute.coord<"{n}">) -> i32' for n in range(4)]
        text.append("nvvm.barrier")
        return text + stores(x, out, count if self.rows else 4)


def drawn_matrices(random):
    pick = lambda options: options[int(random.integers(len(options)))]
    rows = pick((0, 8, 16))
    return Matrices(rows, pick((1, 2) if rows == 16 else (1, 2, 4)), 8 if not rows else pick((6, 4) if rows == 8 else (8, 6, 4)))


def small(name, random, shape):
    """Codes of small numbers that are multiples of a half."""
    table = isa.values(name)
    size = np.abs(np.nan_to_num(table, nan=1e9))
    return random.choice(np.flatnonzero((size <= 4) & (size * 2 % 1 == 0)), shape), table


def bytes_of(codes, case, name):
    """Each row as bytes: packed, or with 4 bits in the middle of their byte (00ABCD00)."""
    if case.packed:
        return (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8)
    return (codes << (2 if name == "e2m1" else 0)).astype(np.uint8)


def fragment(rows, count):
    """Registers of four bytes: of A of rows g and g + 8 in turn, 16 bytes further after that; of B (eight rows) of one row."""
    words = np.ascontiguousarray(rows).view(np.uint32)
    g, t = LANE // 4, LANE % 4
    if len(rows) == 16:
        return [words[g + 8 * (r % 2), t + 4 * (r // 2)] for r in range(count)]
    return [words[g, t + 4 * r] for r in range(count)]


def operands(c, random):
    """Words of each lane, register after register, and D."""
    a_name, b_name = FORMATS[c.a], FORMATS[c.b]
    stored = c.k // (1 + c.sparse)
    (a, of_a), (b, of_b) = small(a_name, random, (16, stored)), small(b_name, random, (8, c.k))
    start = random.integers(-8, 9, (16, 8)).astype(float)
    words = fragment(bytes_of(a, c, a_name), 4) + fragment(bytes_of(b, c, b_name), 4 if c.sparse else 2)
    dense = of_a[a]
    g, t = LANE // 4, LANE % 4
    if c.sparse:
        unit = 2 if c.packed else 1  # elements that are kept or not together
        group = 4 * unit
        pairs = np.array([(i, j) for j in range(4) for i in range(j)])[random.integers(0, 6, (16, c.k // group))]
        where = (np.arange(c.k // group)[None, :, None, None] * group + pairs[..., None] * unit + np.arange(unit)).reshape(16, -1)
        spread = np.zeros((16, c.k))
        np.put_along_axis(spread, where, dense, 1)
        dense = spread
        chosen = (pairs[..., 0] | pairs[..., 1] << 2).astype(np.uint32)
        half = chosen.shape[1] // 2  # groups of a lane: eight
        words.append(sum(chosen[g + 8 * (t % 2), half * (t // 2) + i] << np.uint32(4 * i) for i in range(8)).astype(np.uint32))
    right = of_b[b]
    if c.factor:
        table = isa.values(FACTORS[c.factor])
        fits = np.flatnonzero(np.isin(table, (0.5, 1, 2, 4)) & (np.arange(256) < (256 if c.factor == "f8E8M0FNU" else 128)))
        fa, fb = random.choice(fits, (16, c.count)), random.choice(fits, (8, c.count))
        sfa, sfb = (random.integers(0, 256, (32, 4)).astype(np.uint8) for _ in range(2))
        for lane in range(32):
            if lane % 4 // 2 == c.ids[1]:  # of a pair of lanes the first has row g, the other g + 8
                sfa[lane, c.ids[0]:c.ids[0] + c.count] = fa[lane // 4 + 8 * (lane % 2)]
            if lane % 4 == c.ids[3]:
                sfb[lane, c.ids[2]:c.ids[2] + c.count] = fb[lane // 4]
        words += [x.view(np.uint32).reshape(32) for x in (sfa, sfb)]
        dense, right = dense * np.repeat(table[fa], c.vector, 1), right * np.repeat(table[fb], c.vector, 1)
    d = start + dense @ right.T
    results = [(g + 8 * (i // 2), 2 * t + i % 2) for i in range(4)]
    if c.half:
        of = lambda x: np.stack([x[at].astype(np.float16) for at in results], 1).view(np.uint32)  # two of a row in a register
        return words + list(of(start).T), of(d).T
    of = lambda x: np.stack([x[at].astype(np.float32) for at in results]).view(np.uint32)
    return words + list(of(start)), of(d)


def lines(c, i, first, out):
    """The product, whose words begin at `first` and results at `out`."""
    text, given = [], (4, 4 if c.sparse else 2, 1 if c.sparse else 0, 2 if c.factor else 0, 2 if c.half else 4)
    x = f"%p{i}_"
    text += loads(x, first, sum(given))
    at, names = 0, []
    for count in given:
        names.append([f"{x}w{n}" for n in range(at, at + count)])
        at += count
    a, b, e, sf, sums = names
    result = "vector<2xf16>" if c.half else "f32"
    if c.atom:
        text += by_atom(c, x, names)
    else:
        for n, word in enumerate(sums):
            if c.half:
                text += [f"{x}v{n} = vector.from_elements {word} : vector<1xi32>", f"{x}s{n} = vector.bitcast {x}v{n} : vector<1xi32> to vector<2xf16>"]
            else:
                text.append(f"{x}s{n} = arith.bitcast {word} : i32 to f32")
        join = ", ".join
        more = f", sf_type = {c.factor}, vec_size = {c.vector} : i32, byte_id_a = {c.ids[0]} : i32, thread_id_a = {c.ids[1]} : i32, byte_id_b = {c.ids[2]} : i32, thread_id_b = {c.ids[3]} : i32" * bool(c.factor)
        more += ", sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>" * c.sparse
        s = [f"{x}s{n}" for n in range(len(sums))]
        types = ["i32"] * (len(a) + len(b)) + [result] * len(s) + ["i32"] * (len(sf) + len(e))
        text.append(f"{x}r:{len(s)} = cute_nvgpu.arch.mma.{c.name()} A[{join(a)}] B[{join(b)}] C[{join(s)}]{f' SF[{join(sf)}]' * bool(sf)}{f' E[{join(e)}]' * bool(e)} "
                    f'{{shape_MNK = #cute.shape<"(16,8,{c.k})">, a_type = {c.a}, b_type = {c.b}{more}}} : ({join(types)}) -> ({join([result] * len(s))})')
        for n in range(len(s)):
            if c.half:
                text += [f"{x}b{n} = vector.bitcast {x}r#{n} : vector<2xf16> to vector<1xi32>", f"{x}o{n} = vector.extract {x}b{n}[0] : i32 from vector<1xi32>"]
            else:
                text.append(f"{x}o{n} = arith.bitcast {x}r#{n} : f32 to i32")
    return text + stores(x, out, len(sums))


def loads(x, first, count):
    """Words of a lane, by names {x}w0 and so on."""
    return [line for n in range(count) for line in (
        f"{x}k{n} = arith.constant {32 * (first + n)} : i32", f"{x}i{n} = arith.addi %tid, {x}k{n} : i32", f'{x}c{n} = cute.make_coord({x}i{n}) : (i32) -> !cute.coord<"?">',
        f'{x}w{n} = cute.memref.load(%in, {x}c{n}) : (!in, !cute.coord<"?">) -> i32')]


def stores(x, out, count):
    return [line for n in range(count) for line in (
        f"{x}ok{n} = arith.constant {32 * (out + n)} : i32", f"{x}oi{n} = arith.addi %tid, {x}ok{n} : i32", f'{x}oc{n} = cute.make_coord({x}oi{n}) : (i32) -> !cute.coord<"?">',
        f'cute.memref.store(%out, {x}oc{n}, {x}o{n}) : (!out, !cute.coord<"?">, i32) -> ()')]


def by_atom(c, x, names):
    """The product by an atom's call on fragments, whose registers are filled and read as words."""
    a, b, e, sf, sums = names
    text, views = [], []
    bits = 4 if c.packed else 8
    for name, words, element, width in (("a", a, c.a, bits), ("b", b, c.b, bits), ("d", sums, "f16" if c.half else "f32", 16 if c.half else 32)):
        if width == 8 and not element.startswith("f8"):
            element = "i8"  # numbers of 6 and 4 bits stand in bytes
        count = len(words) * 32 // width
        view, pointer = f'!cute.memref<{element}, rmem, align<16>, "({count}):(1)">', f"!cute.ptr<{element}, rmem, align<16>>"
        flat = f'!cute.memref<i32, rmem, align<16>, "({len(words)}):(1)">'
        text += [f"{x}{name} = cute.memref.alloca() : {view}", f"{x}{name}i = cute.get_iter({x}{name}) : {view}",
                 f"{x}{name}j = cute.recast_iter({x}{name}i) : {pointer} to !cute.ptr<i32, rmem, align<16>>", f'{x}{name}l = cute.static : !cute.layout<"({len(words)}):(1)">',
                 f"{x}{name}f = cute.make_view({x}{name}j, {x}{name}l) : {flat}"]
        for n, word in enumerate(words):
            text += [f'{x}{name}c{n} = cute.static : !cute.coord<"{n}">', f'cute.memref.store({x}{name}f, {x}{name}c{n}, {word}) : ({flat}, !cute.coord<"{n}">, i32) -> ()']
        views.append((f"{x}{name}", view, flat))
    fields = sf + e
    text.append(f"{x}atom = cute.make_atom({', '.join(fields)}) : ({', '.join(['i32'] * len(fields))}) -> {c.type()}")
    (a, at, _), (b, bt, _), (d, dt, flat) = views
    text.append(f"cute.mma_atom_call({x}atom, {d}, {a}, {b}, {d}) : ({c.type()}, {dt}, {at}, {bt}, {dt})")
    for n in range(len(sums)):
        text.append(f'{x}o{n} = cute.memref.load({d}f, {d}c{n}) : ({flat}, !cute.coord<"{n}">) -> i32')
    return text


def check(tessera, cases, random, folder, arch):
    words, results, text = [], [], []
    for i, c in enumerate(cases):
        given, d = c.operands(random) if isinstance(c, Matrices) else operands(c, random)
        text += c.lines(i, len(words), len(results)) if isinstance(c, Matrices) else lines(c, i, len(words), len(results))
        words += given
        results += list(d)
    body = "\n".join(text)
    mlir, ptx = folder / "k.mlir", folder / "k.ptx"
    mlir.write_text(f"""!in = !cute.memref<i32, gmem, align<16>, "({32 * len(words)}):(1)">
!out = !cute.memref<i32, gmem, align<16>, "({32 * len(results)}):(1)">
module attributes {{gpu.container_module}} {{
gpu.module @kernels {{
cuda.kernel @k(%in: !in, %out: !out) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 32, 1, 1>}} {{
%tid = nvvm.read.ptx.sreg.tid.x : i32
%none = arith.constant 0 : i32
%smem = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<16>>
{body}
return
}}
}}
}}
""")
    np.save(folder / "in.npy", np.concatenate(words).view(np.int32))
    np.save(folder / "out.npy", np.concatenate(results).astype(np.uint32).view(np.int32))
    done = subprocess.run([tessera, "compile", mlir, "--arch", arch, "--emit", "ptx", "--no-cache", "-o", ptx], capture_output=True, text=True)
    if done.returncode:
        return f"does not compile: {done.stderr[:1500]}"
    if ptxas := shutil.which("ptxas"):
        done = subprocess.run([ptxas, f"-arch={arch}", "-O1", ptx, "-o", "/dev/null"], capture_output=True, text=True)
        if done.returncode:
            return f"ptxas: {done.stderr[:1500]}"
    sim = [tessera, "sim", ptx, "--kernel", "k", "--grid", "1", "--block", "32", "--smem", "512", "--arg", f"ptr={folder}/in.npy", "--arg", f"ptr=out:i32:{32 * len(results)}", "--check", f"1={folder}/out.npy"]
    return failure(sim, ([], ["--sanitize"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--programs", type=int, default=6, help="with six products and two copies of matrices each")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tessera, random, wrong = Path(asked.folder) / "tessera", np.random.default_rng(asked.seed), 0
    with tempfile.TemporaryDirectory() as name:
        for i in range(asked.programs):
            cases, arch = [drawn(random) for _ in range(6)] + [drawn_matrices(random) for _ in range(2)], ("sm_120a", "sm_121a")[i % 2]
            if not (said := check(tessera, cases, random, Path(name), arch)):
                continue
            wrong += 1
            print(f"{arch}, eight together: {said}")
            for case in cases:  # which one it is
                if said := check(tessera, [case], random, Path(name), arch):
                    print(f"{arch} {case}\n    {said}")
    print(f"{6 * asked.programs} products and {2 * asked.programs} copies, {wrong} programs wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
