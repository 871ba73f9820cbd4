#!/usr/bin/env python3
"""Kernels of CuTe IR over one atom each, from text to numbers: written here, run on the simulator, beside numpy: atoms.py BIN [NAME...]

`Kernel` writes a kernel op by op and asks tessera-opt for the type of each result, so that nothing of the algebra is known here. What
numbers come out follows from the PTX ISA: what a product is, which elements a sparse A keeps, and which pixels im2col walks.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

rng = np.random.default_rng(7)
BIN, WORK = Path(), Path()


def last_type(line):
    """What follows the arrow of a generic op that is in no bracket."""
    depth, quoted, start = 0, False, 0
    for i, c in enumerate(line):
        if quoted or c == '"':
            quoted ^= c == '"'
        elif c == ">" and line[i - 1] == "-":
            start = i + 1 if depth == 0 else start
        else:
            depth += (c in "([{<") - (c in ")]}>")
    return line[start:].strip()


class Kernel:
    """A kernel with one block, and the host function that launches it."""

    def __init__(self, arguments, arch, threads=32, shared=0, aliases=""):
        self.arguments, self.arch, self.threads, self.shared, self.aliases = arguments, arch, threads, shared, aliases
        self.lines, self.types = [], {"%" + name: type_ for name, type_ in arguments}
        self.value("tid", "nvvm.read.ptx.sreg.tid.x : i32", "i32")
        self.value("thread", "cute.make_coord(%tid) : (i32) -> !cute.coord<\"?\">", '!cute.coord<"?">')

    def signature(self):
        return ", ".join(f"%{name}: {type_}" for name, type_ in self.arguments)

    def value(self, name, text, type_=None):
        self.lines.append(f"%{name} = {text}")
        self.types["%" + name] = type_ or self.inferred()
        return "%" + name

    def inferred(self):
        text = f"{self.aliases}func.func @k({self.signature()}) {{\n" + "\n".join(self.lines) + "\nreturn }\n"
        done = subprocess.run([BIN / "tessera-opt", "-mlir-print-op-generic", "-"], input=text, text=True, capture_output=True)
        assert done.returncode == 0, self.lines[-1] + "\n" + done.stderr
        return last_type([line for line in done.stdout.splitlines() if " = " in line][-1])

    def made(self, name, type_, fields=""):
        """An atom or a tiled one, of an alias."""
        return self.value(name, f"cute.make_atom({fields}) : ({', '.join(self.types[f] for f in fields.split(', ') if f)}) -> {type_}", type_)

    def call(self, op, *operands, to=None, more=""):
        """`op` of operands; `to` names its result."""
        text = f"{op}({', '.join(operands)}) {more}: ({', '.join(self.types[o] for o in operands)})"
        return self.value(to, text) if to else self.lines.append(text)

    def slice(self, name, view, coordinate):
        at = self.value(name + "_at", f'cute.static : !cute.coord<"{coordinate}">', f'!cute.coord<"{coordinate}">')
        return self.value(name, f"cute.slice({view}, {at}) : {self.types[view]}, {self.types[at]}")

    def view(self, name, pointer, layout):
        kind = "composed_layout" if " o " in layout else "layout"
        self.value(name + "_layout", f'cute.static : !cute.{kind}<"{layout}">', f'!cute.{kind}<"{layout}">')
        return self.call("cute.make_view", pointer, f"%{name}_layout", to=name)

    def registers(self, name, like, element):
        """A fragment like a partition."""
        layout = self.call("cute.make_fragment_like", like, to=name + "_like")
        type_ = f'!cute.memref<{element}, rmem, align<16>, "' + self.types[layout].split('"')[1] + '">'
        return self.value(name, f"cute.memref.alloca() : {type_}", type_)

    def tensor_copy(self, name, tensor):
        """The tiled copy of an atom over a tensor in tensor memory: the type is not inferred, but a wrong one is told which is right."""
        line = f"%{name} = cute_nvgpu.atom.make_tmem_copy(%{name}_atom, {tensor}) : (!{name}, {self.types[tensor]}) -> "
        guess = f'!cute.tiled_copy<!{name}, layout_copy_tv = <"(128,1):(1,0)">, tiler_mn = <"[128:1;1:0]">>'
        text = f"{self.aliases}func.func @k({self.signature()}) {{\n" + "\n".join([*self.lines, line + guess]) + "\nreturn }\n"
        said = subprocess.run([BIN / "tessera-opt", "-"], input=text, text=True, capture_output=True).stderr
        right = re.search(r"expects (!cute.tiled_copy<.*>), the atom over", said)
        assert right, said
        self.types["%" + name] = right[1]
        self.lines.append(line + right[1])

    def text(self):
        names, types = (", ".join(x) for x in (("%" + n for n, _ in self.arguments), (t for _, t in self.arguments)))
        return f"""{self.aliases}gpu.module @m {{
  cuda.kernel @k({self.signature()}) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: {self.threads}, 1, 1>}} {{
{chr(10).join("    " + line for line in self.lines)}
    return
  }}
}}
{host(self.signature(), "", names, types, self.threads, self.shared)}"""

    def run(self, *arguments, out):
        return run(self.text(), self.arch, arguments, out)


def host(signature, before, names, types, threads, shared):
    return f"""func.func @main({signature}) -> i32 attributes {{llvm.emit_c_interface}} {{
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  %threads = arith.constant {threads} : i32
  %shared = arith.constant {shared} : i64
{before}  %stream = cuda.cast %none : i64 -> !cuda.stream
  %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %shared, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  %result = cuda.launch_ex @m::@k<%config> ({names}) : !cuda.launch_cfg<max_attrs = 1>, ({types}) -> !cuda.result
  %status = cuda.cast %result : !cuda.result -> i32
  return %status : i32
}}
"""


def run(text, arch, arguments, out):
    """Argument `out` after a run under the sanitizer. An argument is an array, with the type of its codes or without, or a text."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        file = Path(folder) / "k.mlir"
        file.write_text(text)
        command = [BIN / "tessera", "run", file, "--device", "sim", "--arch", arch, "--no-cache", "--sanitize", "--save", f"{out}={folder}/out.npy"]
        for i, argument in enumerate(arguments):
            kind, array = argument if isinstance(argument, tuple) else ("", argument)
            if not isinstance(array, str):
                np.save(f"{folder}/{i}.npy", array)
                array = f"{kind}{folder}/{i}.npy"
            command += ["--arg", array]
        done = subprocess.run(command, text=True, capture_output=True)
        if done.returncode:
            raise AssertionError(f"exit code {done.returncode}: {(done.stdout + done.stderr)[:2000]}")
        return np.load(f"{folder}/out.npy")


# ---- products: operands in global memory, partitioned by the tiled product, copied to fragments element by element


def memory(element, *layout):
    return f'!cute.memref<{element}, gmem, align<16>, "{layout[0]}:{layout[1]}">'


def rows(element, m, n):
    return memory(element, f"({m},{n})", f"({n},1)")


class Product:
    """D = A B^T + C in place of C. `fields`: names of arguments of words, one a thread, that the atom takes. `pairs`: A has half of K, and
    a pair of its places is one element."""

    def __init__(self, atom, m, n, k, element, sums, arch, tiling=("(1,1,1):(0,0,0)", 32), more="", fields=(), pairs=False, bits=0, apart=False):
        layout, threads = tiling
        words = memory("i32", f"({threads})", "(1)")
        a = rows(element, m, k // 2 if pairs else k)
        kernel = Kernel([("a", a), ("b", rows(element, n, k)), ("c", rows(sums, m, n))] + [(f, words) for f in fields], arch, threads,
                        aliases=f'!atom = !cute_nvgpu.{atom}\n!mma = !cute.tiled_mma<!atom, atom_layout_MNK = <"{layout}">{more}>\n')
        for field in fields:
            kernel.value(field + "_word", f'cute.memref.load(%{field}, %thread) : ({words}, !cute.coord<"?">) -> i32', "i32")
        kernel.made("atom", "!atom", ", ".join(f"%{f}_word" for f in fields))
        kernel.value("mma", "cute.make_tiled_mma(%atom) : !mma", "!mma")
        source = "%a"
        if pairs:
            kernel.value("a_at", f"cute.get_iter(%a) : {a}")
            source = kernel.view("paired", "%a_at", f"({m},(2,{k // 2})):({k // 2},(0,1))")
        for which, view in (("A", source), ("B", "%b"), ("C", "%c")):
            kernel.call(f"cute.tiled.mma.partition {which} ", "%mma", view, "%thread", to="part" + which)
            kernel.call(f"cute.mma.make_fragment {which} ", "%mma", "%part" + which, to="frag" + which)
        kernel.made("one", f"!cute_nvgpu.atom.universal_copy<{element}{f', {bits} b' if bits else ''}>")
        kernel.made("sum", f"!cute_nvgpu.atom.universal_copy<{sums}>")
        from_a, to_a = "%partA", "%fragA"
        if pairs:  # of a pair the place that is kept
            first = kernel.types["%partA"].split('"')[1].split(":")[0]
            kept = "(((0,_),_,_),_,_)" if first.startswith("(((2,2),2,2)") else "(((0,_),_),_,_)"
            from_a, to_a = kernel.slice("from", from_a, kept), kernel.slice("to", to_a, kept)
        kernel.call("cute.copy", "%one", from_a, to_a)
        kernel.call("cute.copy", "%one", "%partB", "%fragB")
        kernel.call("cute.copy", "%sum", "%partC", "%fragC")
        result = "%fragC"
        if apart:
            result = kernel.value("apart", f"cute.memref.alloca() : {kernel.types['%fragC']}", kernel.types["%fragC"])
        kernel.call("cute.gemm", "%mma", result, "%fragA", "%fragB", "%fragC", more=f"{{selector = {pairs - 1} : i32}} " if pairs else "")
        kernel.call("cute.copy", "%sum", result, "%partC")
        self.run = lambda *arguments: kernel.run(*arguments, out=2)


def codes(exponent, mantissa, bias):
    """The numbers of a format without infinities by their codes."""
    out = []
    for code in range(2 << (exponent + mantissa)):
        e, m = (code >> mantissa) & ((1 << exponent) - 1), (code & ((1 << mantissa) - 1)) / (1 << mantissa)
        out.append((-1 if code >> (exponent + mantissa) else 1) * (m * 2.0**(1 - bias) if e == 0 else (1 + m) * 2.0**(e - bias)))
    return np.array(out)


E4M3, E2M1 = codes(4, 3, 7), codes(2, 1, 1)
WARPS = [("(1,1,1):(0,0,0)", 32), ("(2,2,1):(1,2,0)", 128), ("(1,4,1):(0,1,0)", 128)]


def whole(*shape):
    return rng.integers(-4, 5, shape)


def plain(element, sums, atom, m, n, k, tiling=WARPS[0], arch="sm_80", low=-4, high=5, **more):
    def check():
        a, b = rng.integers(low, high, (m, k)), rng.integers(low, high, (n, k))
        c = whole(m, n)
        types = {"i4": np.int8, "i8": np.int8, "ui8": np.uint8, "f16": np.float16, "f64": np.float64, "f32": np.float32, "i32": np.int32}
        kind = f"{element}:"
        got = Product(atom, m, n, k, element, sums, arch, tiling, **more).run((kind, a.astype(types[element])), (kind, b.astype(types[element])), c.astype(types[sums]))
        return got, a @ b.T + c
    return check


def scaled8(m, n, k, tiling, more=""):
    """Factors differ by warp only where one tile is a warp's; here one for all rows of A and one for all columns of B."""
    def check():
        a, b = ((rng.integers(0, 256, s) & 0x8F | 0x30).astype(np.uint8) for s in ((m, k), (n, k)))
        c = whole(m, n).astype(np.float32)
        product = Product("SM120.mma_bs<16x8x32, vec_size = 32, elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU>", m, n, k, "f8E4M3FN", "f32",
                          "sm_120a", tiling, more, fields=("sfa", "sfb"))
        words = [np.full(tiling[1], x, np.int32) for x in (129, 126)]
        return product.run(("f8E4M3FN:", a), ("f8E4M3FN:", b), c, *words), E4M3[a] @ E4M3[b].T * 2 + c
    return check


def scaled4(vector, factor):
    """One tile; PTX ISA 9.7.14.5.14: of A the first two lanes of a quad have the factors of its two rows, of B the first those of a column,
    each in the lowest bytes of its word."""
    m, n, k = 16, 8, 64

    def check():
        a, b = (rng.integers(0, 16, s).astype(np.uint8) for s in ((m, k), (n, k)))
        c = whole(m, n).astype(np.float32)
        low, high = (126, 129) if factor == "f8E8M0FNU" else (0x30, 0x48)
        fa, fb = (rng.integers(low, high, (s, k // vector)) for s in (m, n))
        scale = (lambda f: 2.0**(f - 127)) if factor == "f8E8M0FNU" else (lambda f: E4M3[f])
        word = lambda f: sum(int(x) << 8 * i for i, x in enumerate(f))
        lanes = [(t // 4, t % 4) for t in range(32)]
        sfa = [word(fa[r + 8 * q]) if q < 2 else 0x11223344 for r, q in lanes]
        sfb = [word(fb[r]) if q == 0 else 0x55667788 for r, q in lanes]
        product = Product(f"SM120.mma_bs<16x8x64, vec_size = {vector}, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = {factor}>", m, n, k, "f4E2M1FN", "f32",
                          "sm_120a", fields=("sfa", "sfb"), bits=8)
        got = product.run(("f4E2M1FN:", a), ("f4E2M1FN:", b), c, *(np.array(w, np.uint32).view(np.int32) for w in (sfa, sfb)))
        return got, (E2M1[a] * np.repeat(scale(fa), vector, 1)) @ (E2M1[b] * np.repeat(scale(fb), vector, 1)).T + c
    return check


def sparse(m, n, k, step, selector, tiling=WARPS[0], metadata="tid"):
    """Two of four; PTX ISA 9.7.14.5.15: 4 bits for a group of four, of row r in the low half of a word and of row r + 8 in the high half. A
    quad has the words of `step` 32 in two lanes (0 and 1, or 2 and 3), of 16 in one; the selector says which."""
    def check():
        places = np.array([sorted(rng.choice(4, 2, replace=False)) for _ in range(16 * step // 4)]).reshape(16, step // 4, 2)
        kept, b, c = whole(m, k // 2), whole(n, k), whole(m, n)
        full = np.zeros((m, k), int)
        for row in range(m):
            for group in range(k // 4):
                full[row, 4 * group + places[row % 16, group % (step // 4)]] = kept[row, 2 * group:2 * group + 2]
        nibble = lambda row, group: int(places[row, group, 0]) | int(places[row, group, 1]) << 2
        words = []
        for t in range(tiling[1]):
            row, lane = t % 32 // 4, t % 4
            first = 4 * (lane % 2) if step == 32 else 0
            gives = lane // 2 == selector if step == 32 else lane == selector
            words.append(sum(nibble(row, first + g) << 4 * g | nibble(row + 8, first + g) << (16 + 4 * g) for g in range(4)) if gives else 0xDEADBEEF)
        product = Product(f"sm80.sparse_mma<16x8x{step}, elem_type = (f16, f16, f32), md_format = {metadata} >", m, n, k, "f16", "f32", "sm_80", tiling,
                          fields=("e",), pairs=1 + selector)
        got = product.run(kept.astype(np.float16), b.astype(np.float16), c.astype(np.float32), np.array(words, np.uint32).view(np.int32))
        return got, full @ b.T + c
    return check


# ---- stmatrix: registers as an accumulator has them, to shared memory, and out as it lies there


def matrices(count, transpose, tv, tiler, m, n, layout, threads=32):
    def check():
        g = rows("f16", m, n)
        tile = f'layout_copy_tv = <"{tv}">, tiler_mn = <"{tiler}">'
        kernel = Kernel([("in", g), ("out", g)], "sm_90a", threads, m * n * 2,
                        f"""!st = !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = {count}, {transpose}>
!ld = !cute_nvgpu.atom.universal_copy<f16>
!store = !cute.tiled_copy<!st, {tile}>
!load = !cute.tiled_copy<!ld, {tile}>
""")
        for name, atom in (("store", "!st"), ("load", "!ld")):
            kernel.made(name + "_atom", atom)
            kernel.value(name, f"cute.make_tiled_copy(%{name}_atom) : !{name}", "!" + name)
        pointer = "!cute.ptr<f16, smem, align<1024>>"
        kernel.value("base", f"cute_nvgpu.arch.get_dyn_smem() : {pointer}", pointer)
        kernel.view("tile", "%base", layout)
        kernel.call("cute.tiled.copy.partition_S", "%load", "%in", "%thread", to="from")
        kernel.registers("registers", "%from", "f16")
        kernel.call("cute.copy", "%load", "%from", "%registers")
        kernel.call("cute.tiled.copy.retile", "%store", "%registers", to="source")
        kernel.call("cute.tiled.copy.partition_D", "%store", "%tile", "%thread", to="target")
        kernel.call("cute.copy", "%store", "%source", "%target")
        kernel.lines += ["nvvm.barrier", f"%all = arith.constant {m * n} : i32", f"%step = arith.constant {threads} : i32",
                         "scf.for %i = %tid to %all step %step : i32 {", '%at = cute.make_coord(%i) : (i32) -> !cute.coord<"?">',
                         f"%v = cute.memref.load(%tile, %at) : ({kernel.types['%tile']}, !cute.coord<\"?\">) -> f16",
                         f'cute.memref.store(%out, %at, %v) : ({g}, !cute.coord<"?">, f16) -> ()', "}"]
        x = np.arange(m * n).reshape(m, n).astype(np.float16)
        return kernel.run(x, f"out:f16:{m}x{n}", out=1), x
    return check


FOUR, FOUR_WARPS = "((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8,2,2),(2,2,2)):((64,1,16,512),(32,8,256))"

# ---- copies under a predicate: nothing where it is false


def predicated():
    """Lanes of a warp load four matrices where all are asked to, and leave their registers alone where none is."""
    def check():
        g, out = rows("f16", 32, 8), rows("f16", 64, 8)
        kernel = Kernel([("in", g), ("out", out), ("flags", memory("i8", "(2)", "(1)"))], "sm_80", 32, 512,
                        '!ld = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>\n!one = !cute_nvgpu.atom.universal_copy<f16, 128 b>\n')
        kernel.made("ld", "!ld")
        kernel.made("one", "!one")
        pointer = "!cute.ptr<f16, smem, align<1024>>"
        kernel.value("base", f"cute_nvgpu.arch.get_dyn_smem() : {pointer}", pointer)
        kernel.view("tile", "%base", "(32,8):(8,1)")
        kernel.value("row", 'cute.make_coord(%tid) : (i32) -> !cute.coord<"(?,_)">', '!cute.coord<"(?,_)">')
        registers, mask = '!cute.memref<f16, rmem, align<16>, "(8):(1)">', '!cute.memref<i8, rmem, align<4>, "(1):(0)">'
        kernel.value("zero", 'cute.static : !cute.coord<"0">', '!cute.coord<"0">')
        kernel.value("zeros", "arith.constant dense<0.0> : vector<8xf16>", "vector<8xf16>")
        for name in ("in", "tile"):
            kernel.value(name + "_row", f"cute.slice(%{name}, %row) : {kernel.types['%' + name]}, !cute.coord<\"(?,_)\">")
        kernel.call("cute.copy", "%one", "%in_row", "%tile_row")
        kernel.lines.append("nvvm.barrier")
        for i in range(2):
            kernel.value(f"at{i}", f'cute.static : !cute.coord<"{i}">', f'!cute.coord<"{i}">')
            kernel.value(f"flag{i}", f'cute.memref.load(%flags, %at{i}) : ({kernel.types["%flags"]}, !cute.coord<"{i}">) -> i8', "i8")
            kernel.value(f"mask{i}", f"cute.memref.alloca() : {mask}", mask)
            kernel.lines.append(f'cute.memref.store(%mask{i}, %zero, %flag{i}) : ({mask}, !cute.coord<"0">, i8) -> ()')
            kernel.value(f"regs{i}", f"cute.memref.alloca() : {registers}", registers)
            kernel.lines.append(f"cute.memref.store_vec %zeros, %regs{i} : {registers}")
            kernel.call("cute.copy", "%ld", "%tile_row", f"%regs{i}", f"%mask{i}")
            kernel.value(f"next{i}", f"arith.constant {32 * i} : i32", "i32")
            kernel.value(f"to{i}", f"arith.addi %tid, %next{i} : i32", "i32")
            kernel.value(f"row{i}", f'cute.make_coord(%to{i}) : (i32) -> !cute.coord<"(?,_)">', '!cute.coord<"(?,_)">')
            kernel.value(f"out{i}", f'cute.slice(%out, %row{i}) : {out}, !cute.coord<"(?,_)">')
            kernel.call("cute.copy", "%one", f"%regs{i}", f"%out{i}")
        x = np.arange(1, 257).reshape(32, 8).astype(np.float16)
        # PTX ISA 9.7.14.5.5: of matrix i lane t has the two elements 2 (t % 4) and the next of row t / 4.
        loaded = np.array([[x[8 * i + t // 4, 2 * (t % 4) + j] for i in range(4) for j in range(2)] for t in range(32)])
        return kernel.run(x, "out:f16:64x8", np.array([1, 0], np.int8), out=1), np.concatenate([loaded, np.zeros((32, 8))])
    return check


# ---- tensor memory: what one shape of tcgen05.st writes, another of tcgen05.ld reads


def columns(store, load, m=128, n=64, element="f32", layout=""):
    layout = layout or f"({m},{n}):(65536,1)"

    def check():
        g = rows(element, m, n)
        kernel = Kernel([("in", g), ("out", g)], "sm_100a", 128, 1024, f"""!put = !cute_nvgpu.atom.tmem_store<{element}, {store}>
!get = !cute_nvgpu.atom.tmem_load<{element}, {load}>
!one = !cute_nvgpu.atom.universal_copy<{element}>
""")
        shared, tensor = "!cute.ptr<i32, smem, align<1024>>", f"!cute.ptr<{element}, tmem, align<16>>"
        kernel.value("base", f"cute_nvgpu.arch.get_dyn_smem() : {shared}", shared)
        kernel.lines += ["%lanes = arith.constant 32 : i32", "%warp = arith.cmpi ult, %tid, %lanes : i32", "%columns = arith.constant 512 : i32", "scf.if %warp {",
                         f"cute_nvgpu.arch.sm100.alloc_tmem(%columns, %base) [ cta_1] : i32, {shared}",
                         "cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ cta_1]", "}", "nvvm.barrier"]
        kernel.value("at", f"cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%base) : {shared} -> {tensor}", tensor)
        kernel.view("t", "%at", layout)
        kernel.made("one", "!one")
        for name in ("put", "get"):
            kernel.made(name + "_atom", "!" + name)
            kernel.tensor_copy(name, "%t")
        kernel.call("cute.tiled.copy.partition_S", "%put", "%in", "%thread", to="from")
        kernel.call("cute.tiled.copy.partition_D", "%put", "%t", "%thread", to="put_to")
        kernel.call("cute.tiled.copy.partition_S", "%get", "%t", "%thread", to="get_from")
        kernel.call("cute.tiled.copy.partition_D", "%get", "%out", "%thread", to="to")
        for name, of in (("given", "%from"), ("got", "%to")):
            kernel.registers(name, of, element)
        kernel.call("cute.copy", "%one", "%from", "%given")
        kernel.call("cute.copy", "%put", "%given", "%put_to")
        kernel.lines += ["nvvm.tcgen05.wait <store>", "nvvm.barrier"]
        kernel.call("cute.copy", "%get", "%get_from", "%got")
        kernel.lines.append("nvvm.tcgen05.wait <load>")
        kernel.call("cute.copy", "%one", "%got", "%to")
        kernel.lines += ["nvvm.barrier", "scf.if %warp {", f"cute_nvgpu.arch.sm100.dealloc_tmem(%at, %columns) [ cta_1] : {tensor}, i32", "}"]
        x = (np.arange(m * n) % 2048).reshape(m, n).astype(np.float32 if element == "f32" else np.float16)
        return kernel.run(x, f"out:{element}:{m}x{n}", out=1), x
    return check


# ---- im2col


def im2col(channels, extents, lower, upper, steps, pixels, at, filter_at):
    """Extents (W, H, N). PTX ISA 5.5.4: base pixels walk the box between the corners, W first, by steps; each is read at the filter's
    offset, zeros outside of the tensor."""
    width, height, images = extents
    count = channels * pixels
    basis = f'tma_gbasis = <"({channels},{pixels}):(1@0,1@1)">'
    place = ",".join(map(str, (0, *at, *filter_at)))
    image = memory("i32", f"({channels},{width},{height},{images})", f"(1,{channels},{channels * width},{channels * width * height})")
    out = memory("i32", f"({count})", "(1)")
    box = f'!cute.memref<i32, smem, align<1024>, "(({channels},{pixels}),1):((1,{channels}),0)">'
    there = f'!cute.coord_tensor<"({place})", "(({channels},{pixels}),1):((1@0,1@1),0)">'
    numbers = {"e0": channels, "e1": width, "e2": height, "e3": images, "s1": channels * 4, "s2": channels * width * 4, "s3": channels * width * height * 4}
    before = "".join(f"  %{name} = arith.constant {x} : i64\n" for name, x in numbers.items()) + f"""  %p = cute.get_iter(%in) : {image}
  %d = cute_nvgpu.make_tma_desc_im2col(%p, [%e0, %e1, %e2, %e3], [%s1, %s2, %s3]) {{lower = array<i32: {lower[0]}, {lower[1]}>, upper = array<i32: {upper[0]}, {upper[1]}>, steps = array<i32: 1, {steps[0]}, {steps[1]}, 1>, channels = {channels} : i32, pixels = {pixels} : i32, format = #cute_nvgpu.tma_data_format<S32>, swizzle = #cute_nvgpu.tma_swizzle<none>}} : !cute.ptr<i32, gmem, align<16>> -> !map
  %atom = cute.make_atom(%d) : (!map) -> !atom
"""
    text = f"""!map = !cute.ptr<i8, generic, align<64>>
!atom = !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, i32, copy_bits = {count * 32}, {basis}, tma_format = S32>
!exec = !cute_nvgpu.atom.tma_load<i32, copy_bits = {count * 32}, mode = im2col, num_cta = 1, g_stride = <"()"> {basis}>
!smem = !cute.ptr<i32, smem, align<1024>>
gpu.module @m {{
  cuda.kernel @k(%atom: !atom {{cute_nvgpu.grid_constant}}, %out: {out}) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 32, 1, 1>}} {{
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant {count * 4} : i32
    %limit = arith.constant 10000000 : i32
    %smem = cute_nvgpu.arch.get_dyn_smem() : !smem
    %after = cute.static : !cute.int_tuple<"{count}">
    %end = cute.add_offset(%smem, %after) : (!smem, !cute.int_tuple<"{count}">) -> !cute.ptr<i32, smem, align<8>>
    %bar = cute.recast_iter(%end) : !cute.ptr<i32, smem, align<8>> to !cute.ptr<i64, smem>
    %word = builtin.unrealized_conversion_cast %bar : !cute.ptr<i64, smem> to !llvm.ptr<3>
    %first = arith.cmpi eq, %tid, %zero : i32
    scf.if %first {{
      nvvm.mbarrier.init %word, %one : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      %state = nvvm.mbarrier.arrive.expect_tx %word, %bytes : !llvm.ptr<3>, i32 -> i64
    }}
    nvvm.barrier
    %plain = cute_nvgpu.atom.make_exec_tma(%atom) : (!atom) -> !exec
    %ready = cute_nvgpu.atom.set_value(%plain, %bar : !cute.ptr<i64, smem>) {{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}} : !exec
    %shape = cute.static : !cute.layout<"(({channels},{pixels}),1):((1,{channels}),0)">
    %box = cute.make_view(%smem, %shape) : (!smem, !cute.layout<"(({channels},{pixels}),1):((1,{channels}),0)">) -> {box}
    %at = cute.static : !cute.int_tuple<"({place})">
    %steps = cute.static : !cute.layout<"(({channels},{pixels}),1):((1@0,1@1),0)">
    %there = cute.make_view(%at, %steps) : (!cute.int_tuple<"({place})">, !cute.layout<"(({channels},{pixels}),1):((1@0,1@1),0)">) -> {there}
    cute.copy(%ready, %there, %box) : (!exec, {there}, {box})
    nvvm.mbarrier.try_wait.parity %word, %zero, %limit : !llvm.ptr<3>, i32, i32
    nvvm.barrier
    %all = arith.constant {count} : i32
    %threads = arith.constant 32 : i32
    scf.for %i = %tid to %all step %threads : i32 {{
      %c = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
      %v = cute.memref.load(%box, %c) : ({box}, !cute.coord<"?">) -> i32
      cute.memref.store(%out, %c, %v) : ({out}, !cute.coord<"?">, i32) -> ()
    }}
    return
  }}
}}
{host(f"%in: {image}, %out: {out}", before, "%atom, %out", f"!atom, {out}", 32, count * 4 + 16)}"""

    def check():
        x = rng.integers(1, 1 << 20, (images, height, width, channels)).astype(np.int32)
        got = run(text, "sm_90a", (x.transpose(3, 2, 1, 0), f"out:i32:{count}"), 1).reshape(pixels, channels)
        (w, h, image_), expected = at, []
        for _ in range(pixels):
            column, row = w + filter_at[0], h + filter_at[1]
            inside = image_ < images and 0 <= row < height and 0 <= column < width
            expected.append(x[image_, row, column] if inside else np.zeros(channels, int))
            w += steps[0]
            if w > width - 1 + upper[0]:
                w, h = lower[0], h + steps[1]
                if h > height - 1 + upper[1]:
                    h, image_ = lower[1], image_ + 1
        return got, np.array(expected)
    return check


CASES = {
    "f16": plain("f16", "f32", "sm80.mma<16x8x16, elem_type = (f16, f16, f32) >", 32, 16, 32),
    "f16, four warps": plain("f16", "f32", "sm80.mma<16x8x16, elem_type = (f16, f16, f32) >", 64, 32, 32, WARPS[1]),
    "f16, D elsewhere": plain("f16", "f32", "sm80.mma<16x8x16, elem_type = (f16, f16, f32) >", 16, 8, 64, apart=True),
    "f16, D elsewhere, tiles": plain("f16", "f32", "sm80.mma<16x8x16, elem_type = (f16, f16, f32) >", 32, 24, 48, apart=True),
    "i8": plain("i8", "i32", "sm80.mma<16x8x32, elem_type = (i8, i8, i32) >", 32, 16, 64, low=-128, high=128),
    "ui8": plain("ui8", "i32", "sm80.mma<16x8x32, elem_type = (ui8, ui8, i32) >", 32, 16, 64, low=0, high=256),
    "i4": plain("i4", "i32", "sm80.mma<16x8x64, elem_type = (i4, i4, i32) >", 32, 16, 128, low=-8, high=8),
    "i4, two at once": plain("i4", "i32", "sm80.mma<16x8x64, elem_type = (i4, i4, i32) >", 32, 16, 128, low=-8, high=8, bits=8),
    "f64": plain("f64", "f64", "sm80.mma<8x8x4, elem_type = (f64, f64, f64) >", 16, 16, 8, WARPS[1]),
    "mxf8, one tile": scaled8(16, 8, 32, WARPS[0]),
    "mxf8, four warps": scaled8(32, 16, 64, WARPS[1]),
    "mxf8, permuted": scaled8(64, 32, 64, WARPS[1], ', permutation_MNK = <"[32:1;32:1;32:1]">'),
    "mxf8, warps along N": scaled8(32, 32, 64, WARPS[2]),
    "mxf4": scaled4(32, "f8E8M0FNU"),
    "mxf4nvf4": scaled4(16, "f8E4M3FN"),
    "sparse": sparse(16, 8, 32, 32, 0),
    "sparse, other lanes": sparse(16, 8, 32, 32, 1, metadata="ordered"),
    "sparse, short": sparse(16, 8, 16, 16, 3),
    "sparse, four warps": sparse(64, 32, 64, 32, 0, WARPS[1]),
    "stmatrix x4": matrices(4, "n", FOUR, "[16:1;16:1]", 32, 32, "(32,32):(32,1)"),
    "stmatrix x4, transposed": matrices(4, "t", FOUR, "[16:1;16:1]", 32, 32, "(32,32):(1,32)"),
    "stmatrix x4, swizzled": matrices(4, "n", FOUR, "[16:1;16:1]", 64, 64, "S<3,3,3> o 0 o (64,64):(64,1)"),
    "stmatrix x4, four warps": matrices(4, "n", FOUR_WARPS, "[32:1;32:1]", 64, 64, "S<3,3,3> o 0 o (64,64):(64,1)", 128),
    "stmatrix x2": matrices(2, "n", "((4,8),(2,2)):((32,1),(16,8))", "[16:1;8:1]", 32, 32, "(32,32):(32,1)"),
    "stmatrix x1, transposed": matrices(1, "t", "((4,8),2):((16,1),8)", "[8:1;8:1]", 32, 32, "(32,32):(1,32)"),
    "ldmatrix, predicate": predicated(),
    "tmem, 32x32b and 16x64b": columns("32 DP, 32 bit, x8", "16 DP, 64 bit, x4"),
    "tmem, 16x128b and 32x32b": columns("16 DP, 128 bit, x2", "32 DP, 32 bit, x1"),
    "tmem, 32x32b and 16x256b": columns("32 DP, 32 bit, x64", "16 DP, 256 bit, x2"),
    "tmem, 16x32bx2 and 32x32b": columns("16 DP, 32 bit, x4", "32 DP, 32 bit, x32"),
    "tmem, halves apart": columns("32 DP, 32 bit, x8, expand16b", "16 DP, 64 bit, x4, pack16b", element="f16", layout="(128,64):(131072,2)"),
    "tmem, halves together": columns("16 DP, 256 bit, x2", "32 DP, 32 bit, x8", element="f16", layout="(128,64):(131072,1)"),
    "tmem, 64 rows": columns("16 DP, 128 bit, x1", "16 DP, 256 bit, x2", 64, 64, layout="((16,4),64):((65536,2097152),1)"),
    "im2col": im2col(8, (5, 4, 2), (0, 0), (0, 0), (1, 1), 16, (0, 0, 0), (0, 0)),
    "im2col, filter of 3 x 3": im2col(8, (6, 5, 3), (-1, -1), (-1, -1), (1, 1), 32, (-1, -1, 0), (2, 1)),
    "im2col, steps": im2col(16, (9, 7, 2), (-1, -1), (-1, -1), (2, 2), 24, (-1, -1, 0), (0, 2)),
}


def main(cases=CASES):
    global BIN, WORK
    BIN = Path(sys.argv[1])
    failed, wanted = 0, [name for name in cases if not sys.argv[2:] or name in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder:
        WORK = Path(folder)
        for name in wanted:
            try:
                got, expected = cases[name]()
                said = "" if np.array_equal(got, expected) else f"{np.sum(got != expected)} of {got.size} elements are wrong"
            except AssertionError as error:
                said = str(error)
            failed += bool(said)
            if said:
                print(f"{name}: {said}")
    print(f"{len(wanted)} kernels, {failed} wrong")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
