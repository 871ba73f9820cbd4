#!/usr/bin/env python3
"""Elements of 1, 2, 4 and 6 bits: bits.py FOLDER TESSERA writes kernels, runs them on the simulator and compares.

Element i of b bits is bits [i b, i b + b) of the memory, from the lowest bit of the first byte on; that is all that is known here.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import struct
import subprocess
import sys
from pathlib import Path

EXTENTS, STRIDES = (4, 8), {2: (11, 1), 4: (9, 3)}  # of the tensors in global memory; none lies in whole bytes
BYTES, COUNT = 32, 32


def npy(path, letter, values):
    head = f"{{'descr': '{letter}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    code = {"|i1": "b", "<i4": "i", "<i8": "q"}[letter]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{code}", *values))


def read(path, code):
    data = path.read_bytes()[128:]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def element(memory, index, bits):
    return (int.from_bytes(bytes(b & 255 for b in memory), "little") >> (index * bits)) & ((1 << bits) - 1)


def offset(bits, i):
    """Of coordinate i of the tensor: the first mode is the fastest."""
    return i % EXTENTS[0] * STRIDES[bits][0] + i // EXTENTS[0] * STRIDES[bits][1]


def module(parameters, arguments, kernel):
    types = ", ".join(t for _, t in parameters)
    return f'''module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @k({", ".join(f"{n}: {t}" for n, t in parameters)}) attributes {{cute.kernel, gpu.kernel}} {{
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %at = cute.make_coord(%t) : (i32) -> !cute.coord<"?">
{kernel}
      return
    }}
  }}
  func.func @host({", ".join(f"{n}: {t}" for n, t in parameters)}) -> i32 {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i32
    %threads = arith.constant {COUNT} : i32
    %stream = cuda.cast %zero : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %zero, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@k<%config> ({", ".join(n for n, _ in parameters)}) : !cuda.launch_cfg<max_attrs = 1>, ({types}) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }}
}}
'''


X, Y = f'!cute.memref<i8, gmem, "{BYTES}:1">', f'!cute.memref<i32, gmem, "{COUNT}:1">'


def elements(bits):
    """y[t] = x[t], and thread 0 writes q[t] = x[t] xor 1 for all t, from x at an element that begins no byte."""
    layout = f"({EXTENTS[0]},{EXTENTS[1]}):({STRIDES[bits][0]},{STRIDES[bits][1]})"
    tensor = f'!cute.memref<i{bits}, gmem, "{layout}">'
    return module([("%x", X), ("%y", Y), ("%q", X)], 3, f'''
      %px = cute.get_iter(%x) : {X}
      %pq = cute.get_iter(%q) : {X}
      %bx = cute.recast_iter(%px) : !cute.ptr<i8, gmem> to !cute.ptr<i{bits}, gmem>
      %bq = cute.recast_iter(%pq) : !cute.ptr<i8, gmem> to !cute.ptr<i{bits}, gmem>
      %l = cute.static : !cute.layout<"{layout}">
      %vx = cute.make_view(%bx, %l) : (!cute.ptr<i{bits}, gmem>, !cute.layout<"{layout}">) -> {tensor}
      %three = cute.static : !cute.int_tuple<"3">
      %sq = cute.add_offset(%bq, %three) : (!cute.ptr<i{bits}, gmem>, !cute.int_tuple<"3">) -> !cute.ptr<i{bits}, gmem>
      %vq = cute.make_view(%sq, %l) : (!cute.ptr<i{bits}, gmem>, !cute.layout<"{layout}">) -> {tensor}
      %e = cute.memref.load(%vx, %at) : ({tensor}, !cute.coord<"?">) -> i{bits}
      %w = arith.extui %e : i{bits} to i32
      cute.memref.store(%y, %at, %w) : ({Y}, !cute.coord<"?">, i32) -> ()
      %first = arith.cmpi eq, %t, %c0 : i32
      %n = arith.constant {COUNT} : i32
      %flip = arith.constant 1 : i{bits}
      scf.if %first {{
        scf.for %i = %c0 to %n step %c1 : i32 {{
          %ci = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
          %f = cute.memref.load(%vx, %ci) : ({tensor}, !cute.coord<"?">) -> i{bits}
          %g = arith.xori %f, %flip : i{bits}
          cute.memref.store(%vq, %ci, %g) : ({tensor}, !cute.coord<"?">, i{bits}) -> ()
        }}
      }}''')


def fragment(bits):
    """Registers: element t of a fragment that was written one by one; then a vector of another order, and static elements."""
    count = 8
    whole, other = f'!cute.memref<i{bits}, rmem, "{count}:1">', f'!cute.memref<i{bits}, rmem, "(2,4):(4,1)">'
    stores = "".join(f'''
      %k{i} = cute.static : !cute.coord<"{i}">
      %b{i} = arith.constant {i} : i32
      %s{i} = arith.shrui %word, %b{i} : i32
      %v{i} = arith.trunci %s{i} : i32 to i{bits}
      cute.memref.store(%r, %k{i}, %v{i}) : ({whole}, !cute.coord<"{i}">, i{bits}) -> ()''' for i in range(count))
    return module([("%x", X), ("%y", Y), ("%q", Y)], 3, f'''
      %e = cute.memref.load(%x, %at) : ({X}, !cute.coord<"?">) -> i8
      %word = arith.extui %e : i8 to i32
      %r = cute.memref.alloca() : {whole}{stores}
      %seven = arith.constant 7 : i32
      %m = arith.andi %t, %seven : i32
      %cm = cute.make_coord(%m) : (i32) -> !cute.coord<"?">
      %d = cute.memref.load(%r, %cm) : ({whole}, !cute.coord<"?">) -> i{bits}
      %w = arith.extui %d : i{bits} to i32
      cute.memref.store(%y, %at, %w) : ({Y}, !cute.coord<"?">, i32) -> ()
      %p = cute.get_iter(%r) : {whole}
      %l = cute.static : !cute.layout<"(2,4):(4,1)">
      %o = cute.make_view(%p, %l) : (!cute.ptr<i{bits}, rmem>, !cute.layout<"(2,4):(4,1)">) -> {other}
      %vec = cute.memref.load_vec %o : {other}
      %wide = arith.extui %vec : vector<{count}xi{bits}> to vector<{count}xi32>
      %scale = arith.constant dense<[{", ".join(str(1 << (4 * i)) for i in range(7))}, {-(1 << 28)}]> : vector<{count}xi32>
      %terms = arith.muli %wide, %scale : vector<{count}xi32>
      %sum = vector.reduction <add>, %terms : vector<{count}xi32> into i32
      cute.memref.store(%q, %at, %sum) : ({Y}, !cute.coord<"?">, i32) -> ()''')


def addresses(bits):
    """y[t] = how many bytes it is to element t and to a static one, from a pointer that is 5 elements in."""
    pointer = f"!cute.ptr<i{bits}, gmem>" if bits != 6 else "!cute.ptr<f6E2M3FN, gmem>"
    return module([("%x", X), ("%y", Y), ("%q", Y)], 3, f'''
      %px = cute.get_iter(%x) : {X}
      %bx = cute.recast_iter(%px) : !cute.ptr<i8, gmem> to {pointer}
      %tt = cute.make_int_tuple(%t) : (i32) -> !cute.int_tuple<"?">
      %d = cute.add_offset(%bx, %tt) : ({pointer}, !cute.int_tuple<"?">) -> {pointer}
      %st = cute.static : !cute.int_tuple<"13">
      %s = cute.add_offset(%bx, %st) : ({pointer}, !cute.int_tuple<"13">) -> {pointer}
      %ix = cute.ptrtoint(%bx) : {pointer} to i64
      %id = cute.ptrtoint(%d) : {pointer} to i64
      %is = cute.ptrtoint(%s) : {pointer} to i64
      %dd = arith.subi %id, %ix : i64
      %ds = arith.subi %is, %ix : i64
      %d32 = arith.trunci %dd : i64 to i32
      %s32 = arith.trunci %ds : i64 to i32
      cute.memref.store(%y, %at, %d32) : ({Y}, !cute.coord<"?">, i32) -> ()
      cute.memref.store(%q, %at, %s32) : ({Y}, !cute.coord<"?">, i32) -> ()''')


def expected(kind, bits, x):
    if kind == "addresses":
        return [t * bits // 8 for t in range(COUNT)], [13 * bits // 8] * COUNT
    if kind == "fragment":
        def held(t, i):
            return ((x[t] & 255) >> i) & ((1 << bits) - 1)
        order = [i % 2 * 4 + i // 2 for i in range(8)]
        sums = [sum(held(t, order[i]) * ((1 << 4 * i) if i < 7 else -(1 << 28)) for i in range(8)) for t in range(COUNT)]
        return [held(t, t % 8) for t in range(COUNT)], [(s + (1 << 31)) % (1 << 32) - (1 << 31) for s in sums]
    memory = 0
    for t in range(COUNT):
        memory |= (element(x, offset(bits, t), bits) ^ 1) << ((offset(bits, t) + 3) * bits)
    q = [b - 256 if b > 127 else b for b in memory.to_bytes(BYTES, "little")]
    return [element(x, offset(bits, t), bits) for t in range(COUNT)], q


CASES = [("elements", 2), ("elements", 4), ("fragment", 1), ("fragment", 2), ("fragment", 4),
         ("addresses", 1), ("addresses", 2), ("addresses", 4), ("addresses", 6)]


def main():
    folder, tessera = Path(sys.argv[1]), sys.argv[2]
    chance = random.Random(6)
    x = [chance.randrange(-128, 128) for _ in range(BYTES)]
    npy(folder / "x.npy", "|i1", x)
    wrong = 0
    for kind, bits in CASES:
        kernel, y, q = (folder / f"{kind}{bits}{end}" for end in (".mlir", "-y.npy", "-q.npy"))
        kernel.write_text({"elements": elements, "fragment": fragment, "addresses": addresses}[kind](bits))
        out = "zeros:i8:32" if kind == "elements" else "out:i32:32"
        done = subprocess.run([tessera, "run", kernel, "--device", "sim", "--arch", "sm_80", "--no-cache", "--arg", folder / "x.npy",
                               "--arg", "out:i32:32", "--arg", out, "--save", f"1={y}", "--save", f"2={q}"], capture_output=True, text=True)
        got = (read(y, "i"), read(q, "b" if kind == "elements" else "i")) if done.returncode == 0 else done.stderr
        if got != expected(kind, bits, x):
            wrong += 1
            print(f"{kind} of {bits} bits: expected {expected(kind, bits, x)}, got {got}")
    print(f"{len(CASES)} kernels, {wrong} wrong")


main()
