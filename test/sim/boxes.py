#!/usr/bin/env python3
"""Copies by TMA of sm_100, from text to numbers on the simulator, beside numpy: pixels along W, rows that are gathered and scattered, swizzles
of all atoms: boxes.py BIN [NAME...], or boxes.py BIN --drawn N SEED for so many at random

What comes out follows from the PTX ISA, 5.5.3 to 5.5.7.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np
from atoms import host, main, memory, rng, run


def boxed(atom, exec_, place, width, rows_, signature, before, swizzle="", store=False):
    """A kernel that copies one box of `width` by `rows_` words by TMA: to shared memory, and from there to %out; or from %in to shared
    memory, and from there by TMA to where the tensor map is."""
    count = width * rows_
    layout, steps = f"(({width},{rows_}),1):((1,{width}),0)", f"(({width},{rows_}),1):((1@0,1@1),0)"
    pointer = f"!cute.ptr<i32, smem, align<1024>{', ' + swizzle if swizzle else ''}>"
    box = f'!cute.memref<i32, smem, align<1024>{", " + swizzle if swizzle else ""}, "{layout}">'
    there, flat = f'!cute.coord_tensor<"({place})", "{steps}">', memory("i32", f"({count})", "(1)")
    words = ("%in", "%box", flat, box) if store else ("%box", "%out", box, flat)
    move = f"""scf.for %i = %tid to %all step %threads : i32 {{
      %c = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
      %v = cute.memref.load({words[0]}, %c) : ({words[2]}, !cute.coord<"?">) -> i32
      cute.memref.store({words[1]}, %c, %v) : ({words[3]}, !cute.coord<"?">, i32) -> ()
    }}"""
    copy = f"""{move}
    nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
    nvvm.barrier
    cute.copy(%plain, %box, %there) : (!exec, {box}, {there})
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0""" if store else f"""%ready = cute_nvgpu.atom.set_value(%plain, %bar : !cute.ptr<i64, smem>) {{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}} : !exec
    cute.prefetch(%plain, %there) : (!exec, {there})
    cute.copy(%ready, %there, %box) : (!exec, {there}, {box})
    nvvm.mbarrier.try_wait.parity %word, %zero, %limit : !llvm.ptr<3>, i32, i32
    nvvm.barrier
    {move}"""
    return f"""!map = !cute.ptr<i8, generic, align<64>>
!atom = !cute_nvgpu.{atom}
!exec = !cute_nvgpu.{exec_}
gpu.module @m {{
  cuda.kernel @k(%atom: !atom {{cute_nvgpu.grid_constant}}, {"%in" if store else "%out"}: {flat}) attributes {{cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 32, 1, 1>}} {{
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant {count * 4} : i32
    %limit = arith.constant 10000000 : i32
    %all = arith.constant {count} : i32
    %threads = arith.constant 32 : i32
    %base = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i32, smem, align<1024>>
    %smem = cute.recast_iter(%base) : !cute.ptr<i32, smem, align<1024>> to {pointer}
    %after = cute.static : !cute.int_tuple<"{count}">
    %end = cute.add_offset(%base, %after) : (!cute.ptr<i32, smem, align<1024>>, !cute.int_tuple<"{count}">) -> !cute.ptr<i32, smem, align<8>>
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
    %shape = cute.static : !cute.layout<"{layout}">
    %box = cute.make_view(%smem, %shape) : ({pointer}, !cute.layout<"{layout}">) -> {box}
    %at = cute.static : !cute.int_tuple<"({place})">
    %steps = cute.static : !cute.layout<"{steps}">
    %there = cute.make_view(%at, %steps) : (!cute.int_tuple<"({place})">, !cute.layout<"{steps}">) -> {there}
    {copy}
    return
  }}
}}
{host(signature, before, "%atom, " + ("%in" if store else "%out"), f"!atom, {flat}", 32, count * 4 + 16)}"""


def along(extents, lower, upper, step, pixels, at, halo, offset, runs=1):
    """16 channels of extents (W, H, N). PTX ISA 5.5.5: pixels of one row of an image between the corners, by steps, then of the same row
    of the next image; of `runs` runs each has its halo, which goes on from its last pixel."""
    channels, (width, height, images), mode = 16, extents, "w" if runs == 1 else "w128"
    count = (pixels + halo) * runs
    basis = f'tma_gbasis = <"({channels},{count}):(1@0,1@1)">'
    bits = f"copy_bits = {channels * count * 32}"
    image = memory("i32", f"({channels},{width},{height},{images})", f"(1,{channels},{channels * width},{channels * width * height})")
    out = memory("i32", f"({channels * count})", "(1)")
    numbers = {"e0": channels, "e1": width, "e2": height, "e3": images, "s1": channels * 4, "s2": channels * width * 4, "s3": channels * width * height * 4}
    before = "".join(f"  %{name} = arith.constant {x} : i64\n" for name, x in numbers.items()) + f"""  %p = cute.get_iter(%in) : {image}
  %d = cute_nvgpu.make_tma_desc_im2col(%p, [%e0, %e1, %e2, %e3], [%s1, %s2, %s3]) {{lower = array<i32: {lower}>, upper = array<i32: {upper}>, steps = array<i32: 1, {step}, 1, 1>, channels = {channels} : i32, pixels = {pixels} : i32, format = #cute_nvgpu.tma_data_format<S32>, mode = #cute_nvgpu.tma_load_mode<{mode}>, swizzle = #cute_nvgpu.tma_swizzle<b64>}} : !cute.ptr<i32, gmem, align<16>> -> !map
  %atom = cute.make_atom(%d) : (!map) -> !atom
"""
    text = boxed(f"atom.non_exec_im2col_tma_load<sm_100, i32, {bits}, {basis}, tma_format = S32, mode = {mode}>",
                 f'atom.tma_load<i32, {bits}, mode = {mode}, num_cta = 1, g_stride = <"()"> {basis}>',
                 ",".join(map(str, (0, *at, halo, offset))), channels, count, f"%in: {image}, %out: {out}", before, "S<2,4,3>")

    def check():
        x = rng.integers(1, 1 << 20, (images, height, width, channels)).astype(np.int32)
        got = run(text, "sm_100a", (x.transpose(3, 2, 1, 0), f"out:i32:{channels * count}"), 1).reshape(count, channels)

        def pixel(w, image_):
            inside = image_ < images and 0 <= at[1] < height and 0 <= w + offset < width
            return x[image_, at[1], w + offset] if inside else np.zeros(channels, int)

        w, image_, expected = at[0], at[2], []
        for _ in range(runs):
            for _ in range(pixels):
                expected.append(pixel(w, image_))
                last = w, image_
                w += step
                if w > width - 1 + upper:
                    w, image_ = lower, image_ + 1
            expected += [pixel(last[0] + (i + 1) * step, last[1]) for i in range(halo)]
        return got, np.array(expected)
    return check


def swizzled(swizzle, code):
    """A tile of 16 rows of 128 bytes, which TMA swizzles and a view of that swizzle reads."""
    m, n, column, row, width, count = 24, 64, 32, 5, 32, 16
    basis, bits = f'tma_gbasis = <"({width},{count}):(1@0,1@1)">', f"copy_bits = {width * count * 32}"
    whole, flat = memory("i32", f"({m},{n})", f"({n},1)"), memory("i32", f"({width * count})", "(1)")
    before = f"""  %e0 = arith.constant {n} : i64
  %e1 = arith.constant {m} : i64
  %s1 = arith.constant {n * 4} : i64
  %p = cute.get_iter(%in) : {whole}
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%e0, %e1], [%s1]) {{box = array<i32: {width}, {count}>, format = #cute_nvgpu.tma_data_format<S32>, swizzle = #cute_nvgpu.tma_swizzle<{code}>}} : !cute.ptr<i32, gmem, align<16>> -> !map
  %atom = cute.make_atom(%d) : (!map) -> !atom
"""
    text = boxed(f"atom.non_exec_tiled_tma_load<sm_100, i32, {bits}, {basis}, tma_format = S32>",
                 f'atom.tma_load<i32, {bits}, mode = tiled, num_cta = 1, g_stride = <"()"> {basis}>', f"{column},{row}", width, count,
                 f"%in: {whole}, %out: {flat}", before, swizzle)

    def check():
        x = rng.integers(1, 1 << 20, (m, n)).astype(np.int32)
        got = run(text, "sm_100a", (x, f"out:i32:{width * count}"), 1).reshape(count, width)
        return got, x[row:row + count, column:column + width]
    return check


def four_rows(m, n, column, rows_, width, store=False):
    """Of a matrix of m rows of n words: `width` from a column on, of four rows. PTX ISA 5.5.3.4: rows outside are zeros, or not stored."""
    basis = f'tma_gbasis = <"({width},4):(1@0,1@1)">'
    bits = f"copy_bits = {width * 4 * 32}"
    whole, flat = memory("i32", f"({m},{n})", f"({n},1)"), memory("i32", f"({width * 4})", "(1)")
    mapped = "%out" if store else "%in"
    before = f"""  %e0 = arith.constant {n} : i64
  %e1 = arith.constant {m} : i64
  %s1 = arith.constant {n * 4} : i64
  %p = cute.get_iter({mapped}) : {whole}
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%e0, %e1], [%s1]) {{box = array<i32: {width}, 1>, format = #cute_nvgpu.tma_data_format<S32>, swizzle = #cute_nvgpu.tma_swizzle<none>}} : !cute.ptr<i32, gmem, align<16>> -> !map
  %atom = cute.make_atom(%d) : (!map) -> !atom
"""
    place = ",".join(map(str, (column, *rows_)))
    if store:
        text = boxed(f"atom.non_exec_2d_scatter4_tma_store<i32, {bits}, {basis}, tma_format = S32>",
                     f'atom.tma_store<i32, {bits}, mode = scatter4, g_stride = <"()"> {basis}>', place, width, 4,
                     f"%in: {flat}, %out: {whole}", before, store=True)
    else:
        text = boxed(f"atom.non_exec_2d_gather4_tma_load<sm_100, i32, {bits}, {basis}, tma_format = S32>",
                     f'atom.tma_load<i32, {bits}, mode = gather4, num_cta = 1, g_stride = <"()"> {basis}>', place, width, 4,
                     f"%in: {whole}, %out: {flat}", before)

    def check():
        if store:
            x, old = rng.integers(1, 1 << 20, (4, width)).astype(np.int32), rng.integers(1, 1 << 20, (m, n)).astype(np.int32)
            expected = old.copy()
            for i, row in enumerate(rows_):
                if 0 <= row < m:
                    expected[row, column:column + width] = x[i, :n - column]
            return run(text, "sm_100a", (x.reshape(-1), old), 1), expected
        x = rng.integers(1, 1 << 20, (m, n)).astype(np.int32)
        wide = np.zeros((m, column + width), np.int32)
        wide[:, :n] = x[:, :column + width]
        rows = [wide[row, column:] if 0 <= row < m else np.zeros(width, int) for row in rows_]
        return run(text, "sm_100a", (x, f"out:i32:{width * 4}"), 1).reshape(4, width), np.array(rows)
    return check


CASES = {
    "im2col::w": along((7, 3, 6), 0, 0, 1, 23, (3, 1, 1), 2, 0),
    "im2col::w, second buffer of steps of 2": along((67, 3, 4), -1, 0, 2, 90, (-1, 2, 1), 0, 1),
    "im2col::w, below the images": along((9, 2, 3), 0, 0, 1, 4, (0, 2, 0), 1, 0),
    "im2col::w::128": along((40, 3, 6), 0, 0, 1, 32, (1, 1, 1), 3, 0, runs=4),
    "TMA, atoms of 16 bytes": swizzled("S<3,4,3>", "b128"),
    "TMA, atoms of 32 bytes": swizzled("S<2,5,2>", "b128_atom_b32"),
    "TMA, atoms of 64 bytes": swizzled("S<1,6,1>", "b128_atom_b64"),
    "gather4": four_rows(20, 40, 8, (19, 3, 0, 3), 16),
    "gather4, rows and columns outside": four_rows(9, 24, 16, (8, 9, -1, 4), 16),
    "scatter4": four_rows(20, 40, 8, (19, 3, 0, 7), 16, store=True),
    "scatter4, rows and columns outside": four_rows(9, 24, 16, (8, 9, -1, 4), 16, store=True),
}



def drawn(random):
    """A case at random, and what it is."""
    between = lambda low, high: int(random.integers(low, high + 1))
    if random.integers(0, 2):
        m, n, store = between(4, 40), 4 * between(2, 20), bool(random.integers(0, 2))
        rows = [int(x) for x in random.permutation(m + 6)[:4] - 3] if store else [between(-3, m + 2) for _ in range(4)]
        values = m, n, 4 * between(0, n // 4 - 1), tuple(rows), 4 * between(1, 16)
        return f"{'scatter4' if store else 'gather4'} {values}", four_rows(*values, store)
    while True:
        runs = 4 if random.integers(0, 4) == 0 else 1
        width, step = between(3, 60) if runs == 1 else between(36, 80), between(1, 3)
        lower, upper, pixels = between(-3, 2), between(-2, 3), between(1, 60) if runs == 1 else 32
        extents, halo, last = (width, between(1, 4), between(1, 6)), between(0, 3) if random.integers(0, 2) else 0, width - 1 + upper
        if last < lower:
            continue
        at = between(lower, last), between(-1, extents[1]), between(0, extents[2])
        w, fits = at[0], True
        for _ in range(runs):
            for _ in range(pixels):
                end, w = w, w + step if w + step <= last else lower
            fits = fits and end + halo * step <= last  # what a halo is beyond its row only figures say
        if fits:
            values = extents, lower, upper, step, pixels, at, halo, between(0, 3)
            return f"im2col::w {values}, {runs}", along(*values, runs)


if __name__ == "__main__":
    if sys.argv[2:3] == ["--drawn"]:
        random = np.random.default_rng(int(sys.argv[4]))
        CASES = dict(drawn(random) for _ in range(int(sys.argv[3])))
        del sys.argv[2:]
    else:
        random = np.random.default_rng(1)
        CASES |= dict(drawn(random) for _ in range(6))
    sys.exit(main(CASES))
