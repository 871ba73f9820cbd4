#!/usr/bin/env python3
"""Copies whose atom states no width, between layouts at random, on the simulator against one element after the other: copies.py FOLDER [--kernels N] [--seed N]

FOLDER has tessera. Both sides may lie in the same memory and overlap, have places twice, be swizzled by their layout or pointer, and begin
anywhere. Whatever accesses the compiler makes of them, memory has to be as if each element were loaded and stored before the next one.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

REGION, CASES = 4096, 10  # bytes of each memory that one copy has to itself, copies of one kernel
SIZE = REGION * CASES
ELEMENTS = {"f4E2M1FN": 4, "i8": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "i16": 16, "f32": 32, "i32": 32, "f64": 64, "i64": 64}
SPACES = {"g": "gmem", "s": "smem"}


class Layout(NamedTuple):
    """The first `first` modes are V, the others the rest. `swizzle` and `offset` come after the strides."""
    shape: tuple
    stride: tuple
    first: int
    swizzle: tuple = ()
    offset: int = 0

    def text(self):
        each = lambda x: "(" + ",".join(["(" + ",".join(map(str, x[:self.first])) + ")", *map(str, x[self.first:])]) + ")"
        stride = tuple(0 if n == 1 else d for n, d in zip(self.shape, self.stride))
        plain = f"{each(self.shape)}:{each(stride)}"
        return f"S<{','.join(map(str, self.swizzle))}> o {self.offset} o {plain}" if self.swizzle else plain

    def places(self):
        """The index of each element, the first mode fastest."""
        out = [0]
        for extent, stride in zip(self.shape, self.stride):
            out = [x + i * stride for i in range(extent) for x in out]
        return [swizzled(self.offset + x, self.swizzle) if self.swizzle else x for x in out]


def swizzled(x, swizzle):
    """CUTLASS include/cute/swizzle.hpp."""
    bits, base, shift = swizzle
    return x ^ ((x & (((1 << bits) - 1) << (base + shift))) >> shift)


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def layout(rng, shape, first, twice=False):
    """Strides at random: modes side by side in any order, with gaps now and then; `twice`: some may be reached twice."""
    order = list(range(len(shape))) if rng.integers(2) else [int(i) for i in rng.permutation(len(shape))]
    stride, step = [0] * len(shape), 1
    for i in order:
        if rng.integers(4) == 0:
            step += pick(rng, (step, 1, 3 * step))
        stride[i] = pick(rng, (0, 1, step)) if twice and rng.integers(3) == 0 else step
        step *= shape[i]
    return Layout(shape, tuple(stride), first)


class Side(NamedTuple):
    space: str
    element: str
    layout: Layout
    start: int  # in elements from the beginning of the region
    pointer: tuple = ()  # the swizzle of bytes that the pointer has

    def bits(self):
        """Where each element begins, in bits from the beginning of the region."""
        width = ELEMENTS[self.element]
        places = [(self.start + x) * width for x in self.layout.places()]
        return [swizzled(x // 8, self.pointer) * 8 + x % 8 for x in places] if self.pointer else places

    def lines(self, name, region):
        """The view, and its type."""
        width, space, swizzle = ELEMENTS[self.element], SPACES[self.space], f", S<{','.join(map(str, self.pointer))}>" if self.pointer else ""
        base = 1024 if self.space == "s" else 128
        pointer = lambda align: f"!cute.ptr<{self.element}, {space}, align<{align}>{swizzle}>"
        offset = region * 8 // width + self.start
        align = math.gcd(base, offset * width // 8) if offset * width % 8 == 0 else 1
        align = max(align, width // 8)
        kind = "composed_layout" if self.layout.swizzle else "layout"
        view = f'!cute.memref<{self.element}, {space}, align<{align}>{swizzle}, "{self.layout.text()}">'
        return view, [
            f"%{name}_base = cute.recast_iter(%{self.space}) : !cute.ptr<i8, {space}, align<{base}>> to {pointer(base)}",
            f'%{name}_offset = cute.static : !cute.int_tuple<"{offset}">',
            f'%{name}_at = cute.add_offset(%{name}_base, %{name}_offset) : ({pointer(base)}, !cute.int_tuple<"{offset}">) -> {pointer(align)}',
            f'%{name}_layout = cute.static : !cute.{kind}<"{self.layout.text()}">',
            f'%{name} = cute.make_view(%{name}_at, %{name}_layout) : ({pointer(align)}, !cute.{kind}<"{self.layout.text()}">) -> {view}']


class Case(NamedTuple):
    src: Side
    dst: Side
    registers: Layout = None  # between both

    def text(self, name, region):
        (src, before), (dst, after) = self.src.lines(name + "_src", region), self.dst.lines(name + "_dst", region)
        atom = f"!cute_nvgpu.atom.universal_copy<{self.src.element}>"
        lines = [*before, *after, f"%{name}_atom = cute.make_atom() : () -> {atom}"]
        copy = lambda a, t, b, u: f"cute.copy(%{name}_atom, %{a}, %{b}) : ({atom}, {t}, {u})"
        if not self.registers:
            return [*lines, copy(name + "_src", src, name + "_dst", dst)]
        held = f'!cute.memref<{self.src.element}, rmem, align<32>, "{self.registers.text()}">'
        return [*lines, f"%{name}_held = cute.memref.alloca() : {held}", copy(name + "_src", src, name + "_held", held),
                copy(name + "_held", held, name + "_dst", dst)]

    def run(self, memory, region):
        """Element after element, on bits of both memories."""
        width, places = ELEMENTS[self.src.element], list(zip(self.src.bits(), self.dst.bits()))
        source, target = (memory[side.space][region * 8:(region + REGION) * 8] for side in (self.src, self.dst))
        if self.registers:
            held = [source[at:at + width].copy() for at, _ in places]
            for (_, to), value in zip(places, held):
                target[to:to + width] = value
            return
        for at, to in places:
            target[to:to + width] = source[at:at + width]


def case(rng):
    while True:
        element, spaces = pick(rng, list(ELEMENTS)), pick(rng, ("gg", "ss", "gs", "sg", "grg", "grs", "srg", "srs"))
        shape = tuple(pick(rng, (1, 2, 2, 3, 4, 4, 8, 8, 16)) for _ in range(int(rng.integers(1, 5))))
        if math.prod(shape) > 64:
            continue
        first, width = int(rng.integers(1, len(shape) + 1)), ELEMENTS[element]

        def side(space, twice):
            made = layout(rng, shape, first, twice)
            if width < 8:  # two of them are the least that the atom takes
                made = Layout((2, *shape), (1, *(2 * d for d in made.stride)), first + 1)
            if rng.integers(6) == 0 and width >= 8:
                made = made._replace(swizzle=(int(rng.integers(1, 3)), int(rng.integers(0, 4)), int(rng.integers(2, 4))), offset=int(pick(rng, (0, 0, 4, 8))))
            start = int(pick(rng, (0, 0, 0, 8, 16, 4, 2, 1, 3)))
            if width < 8:
                start = start * 2  # a pointer to the middle of a byte is none
            pointer = (int(rng.integers(1, 4)), int(rng.integers((width // 8).bit_length() - 1, 5)), 3) if space == "s" and rng.integers(3) == 0 and width >= 8 and not made.swizzle else ()
            return Side(space, element, made, start, pointer)
        src, dst = side(spaces[0], True), side(spaces[-1], True)
        held = side("r", False).layout._replace(swizzle=(), offset=0) if len(spaces) == 3 else None
        if max(src.bits() + dst.bits()) + width <= REGION * 8:
            return Case(src, dst, held)


HEAD = f"""gpu.module @m {{
  cuda.kernel @k(%all: !all) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 1, 1, 1>}} {{
    %g = cute.get_iter(%all) : !all
    %s = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
    %w = cute.recast_iter(%s) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<1024>>
    %v = cute.recast_iter(%g) : !cute.ptr<i8, gmem, align<128>> to !cute.ptr<i32, gmem, align<128>>
    %halves_layout = cute.static : !cute.layout<"({SIZE // 4},2):(1,{SIZE // 4})">
    %words_layout = cute.static : !cute.layout<"({SIZE // 4}):(1)">
    %halves = cute.make_view(%v, %halves_layout) : (!cute.ptr<i32, gmem, align<128>>, !cute.layout<"({SIZE // 4},2):(1,{SIZE // 4})">) -> !halves
    %words = cute.make_view(%w, %words_layout) : (!cute.ptr<i32, smem, align<1024>>, !cute.layout<"({SIZE // 4}):(1)">) -> !words
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %end = arith.constant {SIZE // 4} : i32
"""
ALIASES = f"""!all = !cute.memref<i8, gmem, align<128>, "({2 * SIZE}):(1)">
!halves = !cute.memref<i32, gmem, align<128>, "({SIZE // 4},2):(1,{SIZE // 4})">
!words = !cute.memref<i32, smem, align<1024>, "({SIZE // 4}):(1)">
"""
# The second half of the array is what shared memory has at first, and at last.
IN = """    scf.for %i = %zero to %end step %one : i32 {
      %from = cute.make_coord(%i, %one) : (i32, i32) -> !cute.coord<"(?,?)">
      %to = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
      %x = cute.memref.load(%halves, %from) : (!halves, !cute.coord<"(?,?)">) -> i32
      cute.memref.store(%words, %to, %x) : (!words, !cute.coord<"?">, i32) -> ()
    }
"""
OUT = """    scf.for %i = %zero to %end step %one : i32 {
      %from = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
      %to = cute.make_coord(%i, %one) : (i32, i32) -> !cute.coord<"(?,?)">
      %x = cute.memref.load(%words, %from) : (!words, !cute.coord<"?">) -> i32
      cute.memref.store(%halves, %to, %x) : (!halves, !cute.coord<"(?,?)">, i32) -> ()
    }
"""
TAIL = f"""    return
  }}
}}
func.func @main(%all: !all) -> i32 attributes {{llvm.emit_c_interface}} {{
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  %shared = arith.constant {SIZE} : i64
  %stream = cuda.cast %none : i64 -> !cuda.stream
  %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%one, %one, %one), dynamicSmemBytes = %shared, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  %result = cuda.launch_ex @m::@k<%config> (%all) : !cuda.launch_cfg<max_attrs = 1>, (!all) -> !cuda.result
  %status = cuda.cast %result : !cuda.result -> i32
  return %status : i32
}}
"""


def program(cases):
    body = [f"    {line}\n" for i, one in enumerate(cases) for line in one.text(f"c{i}", i * REGION)]
    return ALIASES + HEAD + IN + "".join(body) + OUT + TAIL


def ran(tessera, cases, data, folder):
    """What memory has after the program, and its PTX."""
    (folder / "k.mlir").write_text(program(cases))
    np.save(folder / "in.npy", data.view(np.int8))
    done = subprocess.run([tessera, "run", folder / "k.mlir", "--device", "sim", "--arch", "sm_90a", "--no-cache", "--sanitize", "--arg", folder / "in.npy",
                           "--save", f"0={folder}/out.npy"], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError((done.stdout + done.stderr)[:3000] + "\n" + program(cases))
    ptx = subprocess.run([tessera, "compile", folder / "k.mlir", "--arch", "sm_90a", "--emit", "ptx", "--no-cache"], capture_output=True, text=True).stdout
    return np.load(folder / "out.npy").view(np.uint8), ptx


def check(tessera, cases, rng, folder):
    data = rng.integers(0, 256, 2 * SIZE).astype(np.uint8)
    bits = np.unpackbits(data, bitorder="little")
    memory = {"g": bits[:SIZE * 8], "s": bits[SIZE * 8:]}
    for i, one in enumerate(cases):
        one.run(memory, i * REGION)
    expected = np.packbits(bits, bitorder="little")
    got, ptx = ran(tessera, cases, data, folder)
    wrong = np.flatnonzero(got != expected)
    if wrong.size:
        i = int(wrong[0] % SIZE) // REGION
        raise AssertionError(f"{wrong.size} bytes differ, the first at {wrong[0] % REGION} of {'gs'[int(wrong[0] >= SIZE)]} of {cases[i]}\n{program([cases[i]])}")
    return len(re.findall(r"[sl][td]\.(?:shared|global)\.v[24]", ptx))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    wide = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.kernels):
            wide += check(Path(options.folder) / "tessera", [case(rng) for _ in range(CASES)], rng, Path(folder))
    print(f"{options.kernels * CASES} copies are right, in {wide} accesses of several words")
    if options.kernels >= 12 and wide < options.kernels * CASES // 2:
        sys.exit("expects that copies are widened, but few accesses are of several words")


main()
