#!/usr/bin/env python3
"""Fragments that random programs of blocks, branches and loops make and hand on: carried.py FOLDER TESSERA FIRST COUNT

Every block may make fragments, load and store those that it was handed, before and after that, and hand any of them to the next block. To
Python a fragment is a list of one number. Programs run on the simulator.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import struct
import subprocess
import sys
from pathlib import Path

R, G, AT = '!cute.memref<i32, rmem, align<16>, "(2):(1)">', '!cute.memref<i32, gmem, "(?):(1)">', '!cute.coord<"0">'
STEPS, LANES, MASK = 12, 32, 65535


class Program:
    """`blocks`: what each does, its two ways on and what it leaves with. Values are named: a* handed to the block, n* made in it."""

    def __init__(self, seed):
        rng = random.Random(seed)
        count, self.carried = rng.randint(2, 5), rng.randint(1, 3)
        loops = rng.random() < 0.5
        self.blocks = []
        for b in range(count):
            values, ops = [f"a{b}_{j}" for j in range(self.carried)], []
            for k in range(rng.randint(1, 4)):
                kind = rng.choice(["sum", "make", "loop", "make", "store"] if loops else ["sum", "make", "store"])
                if kind == "sum":
                    ops.append((kind, rng.choice(values)))
                    continue
                if kind == "store":
                    ops.append((kind, rng.choice(values), rng.choice(values), rng.randint(1, 9)))
                    continue
                ops.append((kind, f"n{b}_{k}", rng.choice(values), rng.choice(values), rng.randint(1, 9)))
                values.append(ops[-1][1])
            ways = [(rng.randrange(count), [rng.choice(values) for _ in range(self.carried)]) for _ in range(2)]
            self.blocks.append((ops, ways, rng.choice(values)))

    def result(self, x):
        handed, at, total = [[x + j + 1] for j in range(self.carried)], 0, 0
        for step in range(1, STEPS + 1):
            ops, ways, last = self.blocks[at]
            known = {f"a{at}_{j}": v for j, v in enumerate(handed)}
            for kind, *o in ops:
                if kind == "sum":
                    total = (total * 3 + known[o[0]][0]) & MASK
                elif kind == "make":
                    known[o[0]] = [(known[o[1]][0] * 3 + known[o[2]][0] + o[3]) & MASK]
                elif kind == "store":
                    known[o[0]][0] = (known[o[1]][0] * 3 + o[2]) & MASK
                else:
                    f, g = known[o[2]], known[o[1]]
                    for _ in range(0, o[3], 3):
                        f, g = [(f[0] * 3 + g[0]) & MASK], f
                    known[o[0]] = known[o[1]] if total & 1 else g
            if step == STEPS:
                return total * 3 + known[last][0]
            at, names = ways[0 if total >> 1 & 1 else 1]
            handed = [known[n] for n in names]

    def text(self):
        out, number = [], 0

        def line(text):
            out.append("      " + text)

        def new(text):
            nonlocal number
            number += 1
            line(f"%v{number} = {text}")
            return f"%v{number}"

        def load(name):
            return new(f"cute.memref.load({name}, %c0) : ({R}, {AT}) -> i32")

        def op(name, a, b):
            return new(f"arith.{name} {a}, {b} : i32")

        def constant(value):
            return new(f"arith.constant {value} : i32")

        def mixed(a, b):
            return op("andi", op("addi", op("muli", a, "%three"), b), "%mask")

        def store(to, value):
            line(f"cute.memref.store({to}, %c0, {value}) : ({R}, {AT}, i32) -> ()")

        for name, text in (("%c0", f"cute.static : {AT}"), ("%zero", "arith.constant 0 : i32"), ("%one", "arith.constant 1 : i32"),
                           ("%three", "arith.constant 3 : i32"), ("%mask", f"arith.constant {MASK} : i32"), ("%steps", f"arith.constant {STEPS} : i32"),
                           ("%tid", "nvvm.read.ptx.sreg.tid.x : i32"), ("%at", 'cute.make_coord(%tid) : (i32) -> !cute.coord<"?">')):
            line(f"{name} = {text}")
        x = new(f'cute.memref.load(%p, %at) : ({G}, !cute.coord<"?">) -> i32')
        for j in range(self.carried):
            line(f"%m{j} = cute.memref.alloca() : {R}")
            store(f"%m{j}", op("addi", x, constant(j + 1)))
        types = ", ".join([R] * self.carried) + ", i32, i32"
        line(f"cf.br ^b0({', '.join(f'%m{j}' for j in range(self.carried))}, %zero, %zero : {types})")
        for b, (ops, ways, last) in enumerate(self.blocks):
            out.append(f"    ^b{b}({', '.join(f'%a{b}_{j}: {R}' for j in range(self.carried))}, %step{b}: i32, %total{b}: i32):")
            total = f"%total{b}"
            for kind, *o in ops:
                if kind == "sum":
                    total = mixed(total, load("%" + o[0]))
                elif kind == "make":
                    line(f"%{o[0]} = cute.memref.alloca() : {R}")
                    value = mixed(load("%" + o[1]), op("addi", load("%" + o[2]), constant(o[3])))
                    store("%" + o[0], value)
                elif kind == "store":
                    store("%" + o[0], mixed(load("%" + o[1]), constant(o[2])))
                else:
                    odd, limit = new(f"arith.trunci {total} : i32 to i1"), constant(o[3])
                    line(f"%{o[0]} = scf.if {odd} -> ({R}) {{")
                    line(f"scf.yield %{o[1]} : {R}")
                    line("} else {")
                    line(f"%both:2 = scf.for %i = %zero to {limit} step %three iter_args(%f = %{o[2]}, %g = %{o[1]}) -> ({R}, {R}) : i32 {{")
                    line(f"%made = cute.memref.alloca() : {R}")
                    store("%made", mixed(load("%f"), load("%g")))
                    line(f"scf.yield %made, %f : {R}, {R}")
                    line("}")
                    line(f"scf.yield %both#1 : {R}")
                    line("}")
            line(f"%next{b} = arith.addi %step{b}, %one : i32")
            more = new(f"arith.cmpi slt, %next{b}, %steps : i32")
            line(f"cf.cond_br {more}, ^go{b}, ^end(%{last}, {total} : {R}, i32)")
            out.append(f"    ^go{b}:")
            way = new(f"arith.trunci {op('shrui', total, '%one')} : i32 to i1")
            to = [f"^b{n}({', '.join('%' + v for v in names)}, %next{b}, {total} : {types})" for n, names in ways]
            line(f"cf.cond_br {way}, {to[0]}, {to[1]}")
        out.append(f"    ^end(%last: {R}, %all: i32):")
        value = op("addi", op("muli", "%all", "%three"), load("%last"))
        line(f'cute.memref.store(%p, %at, {value}) : ({G}, !cute.coord<"?">, i32) -> ()')
        return HEAD + "\n".join(out) + TAIL


HEAD = f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @k(%p: {G}) attributes {{cute.kernel, gpu.kernel}} {{
"""
TAIL = f"""
      return
    }}
  }}
  func.func @host(%p: {G}, %stream: !cuda.stream) -> i32 {{
    %one = arith.constant 1 : i32
    %threads = arith.constant {LANES} : i32
    %zero = arith.constant 0 : i64
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %zero, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@k<%config> (%p) : !cuda.launch_cfg<max_attrs = 1>, ({G}) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }}
}}
"""


def run_all(program_of):
    """Programs of the seeds that the command line names, each beside its numbers; `program_of` makes one."""
    folder, tessera, first, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    inputs, wrong = [7 * i for i in range(LANES)], 0
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({LANES},), }}".ljust(117) + "\n"
    for seed in range(first, first + count):
        program = program_of(seed)
        (folder / "k.mlir").write_text(program.text())
        (folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{LANES}i", *inputs))
        done = subprocess.run([tessera, "run", folder / "k.mlir", "--device", "sim", "--arch", "sm_80", "--no-cache", "--arg", folder / "x.npy",
                               "--save", f"0={folder / 'y.npy'}"], capture_output=True, text=True)
        got = list(struct.unpack(f"<{LANES}i", (folder / "y.npy").read_bytes()[128:])) if done.returncode == 0 else done.stderr[-600:]
        if got != [program.result(x) for x in inputs]:
            wrong += 1
            print(f"program {seed}: {got}")
    print(f"{count} programs, {wrong} wrong")



if __name__ == "__main__":
    run_all(Program)
