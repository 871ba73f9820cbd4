#!/usr/bin/env python3
"""Times compiled tile programs of NVIDIA's samples on a GPU beside torch, and checks what they compute.

  bench/tile_programs.py FOLDER [--only WORD] [--quick]

FOLDER has cubins of the programs of samples.tar.xz (the folder that TESSERA_CUTILE names), each called SAMPLE.WORD.cubin, where WORD
says how it was compiled, for example matmul.f16.v13_3.tessera.cubin; a matmul whose WORD ends in 128x256 has tiles of that size, and
an fmha with .d128 in its name has heads of 128. Needs torch and a GPU; nothing of Tessera.
Prints a line a program, size and WORD: the rate, torch's rate in the same run, and how far the result is from f64.
Times are medians over nine turns, in which WORDs take their turns, of medians of four launches, with random data.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import ctypes
import re
import subprocess
import sys
from pathlib import Path

import torch

driver = ctypes.CDLL("libcuda.so.1")


def checked(status, what):
    if status:
        sys.exit(f"error: {what} gave {status}, but expected 0")


class Kernel:
    """The one kernel of a cubin; launched with blocks of one thread, as foreign launchers do."""

    def __init__(self, path):
        self.image = path.read_bytes()
        self.entry = max(re.findall(rb"\.text\.([A-Za-z0-9_]+)", self.image), key=len)
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        checked(driver.cuModuleLoadData(ctypes.byref(module), self.image), f"loading {path.name}")
        checked(driver.cuModuleGetFunction(ctypes.byref(self.function), module, self.entry), f"finding the kernel of {path.name}")

    def prepare(self, grid, arguments):
        """What launches it. An argument is a tensor (pointer, extents, strides), an int (i32) or a float (f32)."""
        values = []
        for argument in arguments:
            if isinstance(argument, torch.Tensor):
                values.append(ctypes.c_void_p(argument.data_ptr()))
                values += [ctypes.c_int32(n) for n in (*argument.shape, *argument.stride())]
            else:
                values.append(ctypes.c_float(argument) if isinstance(argument, float) else ctypes.c_int32(argument))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        grid = (list(grid) + [1, 1])[:3]

        def launch():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            checked(driver.cuLaunchKernel(self.function, *grid, 1, 1, 1, 0, stream, pointers, None), "a launch")
            return values  # which the pointers point to
        return launch


def seconds(launch, count=30):
    """The median of `count` launches, timed by events, after a few that are not counted."""
    for _ in range(3):
        launch()
    torch.cuda.synchronize()
    pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
    for start, end in pairs:
        start.record()
        launch()
        end.record()
    torch.cuda.synchronize()
    return sorted(start.elapsed_time(end) for start, end in pairs)[count // 2] / 1e3


def distance(got, expected):
    return ((got.double() - expected).norm() / expected.norm()).item()


# --- programs: each yields (size, grid by WORD, arguments, torch's function, work, unit, distance)

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "e4m3_f32": torch.float8_e4m3fn}


def ceil(a, b):
    return -(-a // b)


def matmul(name, quick):
    kind = name.split(".")[1]
    dtype = DTYPES[kind]
    sizes = [(4096,) * 3] if quick else [(1024,) * 3, (2048,) * 3, (4096,) * 3, (8192,) * 3, (1104, 2064, 1040)]
    for m, n, k in sizes:
        a, b = (torch.randn(*shape, device="cuda").to(dtype) for shape in ((m, k), (k, n)))
        c = torch.empty(m, n, device="cuda", dtype=torch.float32 if kind == "e4m3_f32" else dtype)
        if kind == "e4m3_f32":
            turned, one = b.t().contiguous().t(), torch.ones((), device="cuda")
            library = lambda: torch._scaled_mm(a, turned, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)
        else:
            library = lambda: torch.matmul(a, b)
        rows = torch.arange(0, m, max(1, m // 64), device="cuda")

        def grid(word):
            tile = re.search(r"(\d+)x(\d+)$", word)
            tiles = ceil(m, int(tile[1])) * ceil(n, int(tile[2])) if tile else ceil(m, 128) * ceil(n, 128)
            return (min(132, tiles) if "persistent" in name else tiles,)
        yield (f"{m}x{n}x{k}", grid, [a, b, c], library, 2 * m * n * k / 1e12, "TFLOP/s",
               lambda: distance(c[rows], a[rows].double() @ b.double()))


def fmha(name, quick):
    dtype = torch.bfloat16 if "bf16" in name else torch.float16
    width = re.search(r"\.d(\d+)", name)
    head = int(width[1]) if width else 64
    causal, group = "causalFalse" not in name, 4 if "gqa" in name else 1
    for batch, heads, length in [(4, 16, 4096)] if quick else [(4, 16, 1024), (4, 16, 4096), (1, 16, 16384)]:
        q, k, v = (torch.randn(batch, n, length, head, device="cuda", dtype=dtype) for n in (heads, heads // group, heads // group))
        o = torch.empty_like(q)
        scale = head ** -0.5
        wide = lambda t: t.repeat_interleave(group, 1) if group > 1 else t
        library = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale, enable_gqa=group > 1)

        def error():
            rows = torch.arange(0, length, max(1, length // 32), device="cuda")
            scores = (q[:1, :, rows].double() @ wide(k)[:1].double().transpose(-1, -2)) * scale
            if causal:
                scores.masked_fill_(torch.arange(length, device="cuda") > rows[:, None], float("-inf"))
            return distance(o[:1, :, rows], scores.softmax(-1) @ wide(v)[:1].double())
        work = 4 * batch * heads * length * length * head / (2 if causal else 1) / 1e12
        yield (f"{batch}x{heads}x{length}, {head}{' causal' if causal else ''}", lambda word: (ceil(length, 128), batch * heads), [q, k, v, o, scale, 0],
               library, work, "TFLOP/s", error)


PROGRAMS = {"matmul": matmul, "matmul_persistent": matmul, "fmha": fmha}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="WORD", help="cubins whose name has this in it")
    parser.add_argument("--quick", action="store_true", help="one size of each program")
    options = parser.parse_args()
    turns = 9
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    torch.zeros(1, device="cuda")
    clock = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"], capture_output=True, text=True)
    print(clock.stdout.strip())
    samples = {}
    for path in sorted(options.folder.glob("*.cubin")):
        if options.only in path.name:
            sample, word = path.name.removesuffix(".cubin").rsplit(".", 1)
            samples.setdefault(sample, []).append((word, path))
    print(f"{'program':40} {'size':24} {'compiled':12} {'rate':>8} {'torch':>8}         distance from f64")
    for sample, paths in samples.items():
        make = PROGRAMS.get(sample.split(".")[0])
        if not make:
            print(f"{sample:40} is no program of this script, which has {', '.join(PROGRAMS)}")
            continue
        for size, grid, arguments, library, work, unit, error in make(sample, options.quick):
            beside = work / seconds(library)
            launches = {word: Kernel(path).prepare(grid(word), arguments) for word, path in paths}
            times = {word: [] for word in launches}
            for _ in range(turns):  # in turns, as the clock depends on the work before
                for word, launch in launches.items():
                    times[word].append(seconds(launch, 30 // turns + 1))
            for word, path in paths:
                rate = work / sorted(times[word])[turns // 2]
                launches[word]()
                torch.cuda.synchronize()
                print(f"{sample:40} {size:24} {word:12} {rate:8.0f} {beside:8.0f} {unit}  {error():.1e}", flush=True)


if __name__ == "__main__":
    main()
