#!/usr/bin/env python3
"""Extents, strides and offsets of more than 32 bits: wide.py FOLDER TESSERA writes a kernel, runs it on the simulator and compares.

Nothing is loaded from where these tensors reach: what counts are addresses, in bytes from where a tensor begins, sizes and coordinates.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import struct
import subprocess
import sys
from pathlib import Path

# What the kernel is given, so that nothing is known when it is compiled.
M, N, S = 70001, 90007, 2**32 + 5  # a matrix of more than 2^32 elements, and a pitch of more
I, J, BIG = 65003, 70009, 2**33 + 11
GIVEN = [M, N, S, I, J, BIG]

# (the kernel's lines, the value that is stored, what it has to be); %m and so on are i64, %i32 and %j32 coordinates.
CASES = [
    # A dynamic pitch of 64 bits, coordinates of 32.
    ("""%l1 = cute.make_layout(%shape, %pitch) : (!cute.shape<"(?{i64},?{i64})">, !cute.stride<"(?{i64},1)">) -> !cute.layout<"(?{i64},?{i64}):(?{i64},1)">
      %c1 = cute.make_coord(%i32, %j32) : (i32, i32) -> !cute.coord<"(?,?)">
      %x1 = cute.crd2idx(%c1, %l1) : (!cute.coord<"(?,?)">, !cute.layout<"(?{i64},?{i64}):(?{i64},1)">) -> !cute.int_tuple<"?{i64}">
      %q1 = cute.add_offset(%p, %x1) : (!cute.ptr<f32, gmem>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<f32, gmem>
      %a1 = cute.ptrtoint(%q1) : !cute.ptr<f32, gmem> to i64
      %v1 = arith.subi %a1, %a : i64""", "%v1", 4 * (I * S + J)),
    # How many elements.
    ("""%s2 = cute.size(%l1) : (!cute.layout<"(?{i64},?{i64}):(?{i64},1)">) -> !cute.int_tuple<"?{i64}">
      %v2 = cute.get_scalars(%s2) : !cute.int_tuple<"?{i64}">""", "%v2", M * N),
    # One integer for both modes, beyond 2^32, and back.
    ("""%k3 = cute.make_coord(%big) : (i64) -> !cute.coord<"?{i64}">
      %x3 = cute.crd2idx(%k3, %l1) : (!cute.coord<"?{i64}">, !cute.layout<"(?{i64},?{i64}):(?{i64},1)">) -> !cute.int_tuple<"?{i64}">
      %v3 = cute.get_scalars(%x3) : !cute.int_tuple<"?{i64}">""", "%v3", BIG % M * S + BIG // M),
    # Static extents whose product is more than 2^32, and coordinates of 64 bits.
    ("""%l4 = cute.static : !cute.layout<"(65536,131072):(1,65536)">
      %c4 = cute.make_coord(%i, %j) : (i64, i64) -> !cute.coord<"(?{i64},?{i64})">
      %x4 = cute.crd2idx(%c4, %l4) : (!cute.coord<"(?{i64},?{i64})">, !cute.layout<"(65536,131072):(1,65536)">) -> !cute.int_tuple<"?{i64}">
      %v4 = cute.get_scalars(%x4) : !cute.int_tuple<"?{i64}">""", "%v4", I + J * 65536),
    # A static step beyond 2^32 elements of half a byte, and a dynamic one.
    (f"""%k5 = cute.static : !cute.int_tuple<"{2**34 + 6}">
      %h5 = cute.recast_iter(%p) : !cute.ptr<f32, gmem> to !cute.ptr<i4, gmem>
      %q5 = cute.add_offset(%h5, %k5) : (!cute.ptr<i4, gmem>, !cute.int_tuple<"{2**34 + 6}">) -> !cute.ptr<i4, gmem>
      %a5 = cute.ptrtoint(%q5) : !cute.ptr<i4, gmem> to i64
      %v5 = arith.subi %a5, %a : i64""", "%v5", 2**33 + 3),
    ("""%t6 = cute.make_int_tuple(%big) : (i64) -> !cute.int_tuple<"?{i64}">
      %h6 = cute.recast_iter(%p) : !cute.ptr<f32, gmem> to !cute.ptr<f6E2M3FN, gmem>
      %q6 = cute.add_offset(%h6, %t6) : (!cute.ptr<f6E2M3FN, gmem>, !cute.int_tuple<"?{i64}">) -> !cute.ptr<f6E2M3FN, gmem>
      %a6 = cute.ptrtoint(%q6) : !cute.ptr<f6E2M3FN, gmem> to i64
      %v6 = arith.subi %a6, %a : i64""", "%v6", BIG * 6 // 8),
    # A tile far down a tensor.
    ("""%v = cute.make_view(%p, %l1) : (!cute.ptr<f32, gmem>, !cute.layout<"(?{i64},?{i64}):(?{i64},1)">) -> !cute.memref<f32, gmem, "(?{i64},?{i64}):(?{i64},1)">
      %tile = cute.static : !cute.tile<"[64:1;128:1]">
      %c7 = arith.constant 1000 : i32
      %c8 = arith.constant 500 : i32
      %b7 = cute.make_coord(%c7, %c8) : (i32, i32) -> !cute.coord<"(?,?)">
      %w7 = cute.local_tile(%v, %tile, %b7) : (!cute.memref<f32, gmem, "(?{i64},?{i64}):(?{i64},1)">, !cute.tile<"[64:1;128:1]">, !cute.coord<"(?,?)">) -> !cute.memref<f32, gmem, "(64,128):(?{i64},1)">
      %q7 = cute.get_iter(%w7) : !cute.memref<f32, gmem, "(64,128):(?{i64},1)">
      %a7 = cute.ptrtoint(%q7) : !cute.ptr<f32, gmem> to i64
      %v7 = arith.subi %a7, %a : i64""", "%v7", 4 * (64000 * S + 64000)),
]
X, Y = f'!cute.memref<i64, gmem, "{len(GIVEN)}:1">', f'!cute.memref<i64, gmem, "{len(CASES)}:1">'


def npy(path, values):
    head = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}q", *values))


def main():
    folder, tessera = Path(sys.argv[1]), sys.argv[2]
    names = ["m", "n", "s", "i", "j", "big"]
    given = "".join(f'''      %k{n} = cute.static : !cute.coord<"{k}">
      %{n} = cute.memref.load(%x, %k{n}) : ({X}, !cute.coord<"{k}">) -> i64
''' for k, n in enumerate(names))
    cases = "".join(f'''      {lines}
      %y{k} = cute.static : !cute.coord<"{k}">
      cute.memref.store(%y, %y{k}, {value}) : ({Y}, !cute.coord<"{k}">, i64) -> ()
''' for k, (lines, value, _) in enumerate(CASES))
    (folder / "wide.mlir").write_text(f'''module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @k(%x: {X}, %y: {Y}, %p: !cute.ptr<f32, gmem>) attributes {{cute.kernel, gpu.kernel}} {{
{given}      %i32 = arith.trunci %i : i64 to i32
      %j32 = arith.trunci %j : i64 to i32
      %a = cute.ptrtoint(%p) : !cute.ptr<f32, gmem> to i64
      %shape = cute.make_shape(%m, %n) : (i64, i64) -> !cute.shape<"(?{{i64}},?{{i64}})">
      %pitch = cute.make_stride(%s) : (i64) -> !cute.stride<"(?{{i64}},1)">
{cases}      return
    }}
  }}
  func.func @host(%x: {X}, %y: {Y}, %z: !cute.memref<f32, gmem, "8:1">) -> i32 {{
    %p = cute.get_iter(%z) : !cute.memref<f32, gmem, "8:1">
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i32
    %stream = cuda.cast %zero : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%one, %one, %one), dynamicSmemBytes = %zero, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@k<%config> (%x, %y, %p) : !cuda.launch_cfg<max_attrs = 1>, ({X}, {Y}, !cute.ptr<f32, gmem>) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }}
}}
''')
    npy(folder / "x.npy", GIVEN)
    done = subprocess.run([tessera, "run", folder / "wide.mlir", "--device", "sim", "--arch", "sm_80", "--no-cache", "--arg", folder / "x.npy",
                           "--arg", f"out:i64:{len(CASES)}", "--arg", "out:f32:8", "--save", f"1={folder / 'y.npy'}"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    got = struct.unpack(f"<{len(CASES)}q", (folder / "y.npy").read_bytes()[128:])
    wrong = [f"case {k + 1}: expected {right}, got {value}" for k, ((_, _, right), value) in enumerate(zip(CASES, got)) if right != value]
    print("\n".join([*wrong, f"{len(CASES)} cases, {len(wrong)} wrong"]))


main()
