#!/usr/bin/env python3
"""`tessera generate gemm --shape` beside torch (cuBLAS) at the shapes of language models: per call, and per call inside a CUDA graph.

  bench/gemm_shapes.py TESSERA [--m 1,8,...] [--weights NxK,...] [--type bf16|f16|f8E4M3FN]

Nothing is tuned: the shape alone is given. Numbers uniform in [-1, 1); the median of 30 calls between two events, or of 30 graphs of 20 calls;
torch's in the same run. Operands that fit the L2 cache stay there, ours and torch's. A ratio is torch's time by ours. The last lines are geometric
means for each M and of all. bench/gemm.py checks the numbers of the same kernels. Exit code 1 if a kernel fails.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, math, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from gemm_torch import uniform, versions
from timing import median_graph_ms, median_ms

# Llama 8B and 70B, DeepSeek-V3, Qwen2.5 7B; two made up, whose extents no tile divides.
WEIGHTS = ("6144x4096,4096x4096,28672x4096,4096x14336,10240x8192,8192x8192,8192x28672,2112x7168,7168x2048,4096x7168,4608x3584,3584x18944,"
           "3000x5128,1368x2056")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tessera")
parser.add_argument("--m", default="1,8,16,32,64,128,256,512,1024,2048,4096,8192")
parser.add_argument("--weights", default=WEIGHTS, help="NxK,...")
parser.add_argument("--type", default="bf16", choices=("bf16", "f16", "f8E4M3FN"))
options = parser.parse_args()
folder = Path(tempfile.mkdtemp(prefix="tessera-bench."))
shapes = [(m, *map(int, w.split("x"))) for w in options.weights.split(",") for m in map(int, options.m.split(","))]


def generated(shape):
    """The kernel's file, compiled into the cache by a first run, and what was chosen."""
    m, n, k = shape
    file = folder / f"{m}x{n}x{k}.mlir"
    made = subprocess.run([options.tessera, "generate", "gemm", "--ab", options.type, "--d", "bf16" if options.type == "f8E4M3FN" else options.type,
                           "--shape", f"{m}x{n}x{k}", "-o", str(file)], check=True, capture_output=True, text=True)
    subprocess.run([options.tessera, "compile", str(file), "--arch", "sm_90a", "--emit", "cubin", "-o", "/dev/null", "--cache-dir", str(folder / "cache")],
                   capture_output=True)
    return re.sub("--", "", re.search(r"note: for [^:]*: (.*?)(?: \(|$)", made.stderr.splitlines()[0])[1])


def ours(shape):
    """(milliseconds of a call, in a graph, what is wrong)"""
    m, n, k = shape
    out = "bf16" if options.type == "f8E4M3FN" else options.type
    command = [options.tessera, "run", str(folder / f"{m}x{n}x{k}.mlir"), "--cache-dir", str(folder / "cache"), "--bench", "30", "--timeout", "60"]
    for argument in (f"rand:{options.type}:{m}x{k}:seed=1", f"rand:{options.type}:{n}x{k}:seed=2", f"out:{out}:{m}x{n}"):
        command += ["--arg", argument]
    ran = subprocess.run(command, capture_output=True, text=True)
    times = [float(x) for x in re.findall(r"median ([0-9.]+) ms", ran.stdout)]
    if ran.returncode or len(times) != 2:
        return math.nan, math.nan, f"exit code {ran.returncode}: {(ran.stdout + ran.stderr)[-500:]}"
    return times[0], times[1], ""


def torchs(shape):
    m, n, k = shape
    a, b = uniform(options.type, m, k), uniform(options.type, n, k)
    if options.type == "f8E4M3FN":
        one = torch.tensor(1.0, device="cuda")
        call = lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)
    else:
        call = lambda: a @ b.T
    return median_ms(call), median_graph_ms(call)


print(versions(), flush=True)
with ThreadPoolExecutor(12) as pool:
    chosen = dict(zip(shapes, pool.map(generated, shapes)))
print("| M x N x K | ms | torch | ratio | in a graph | torch | ratio | chosen |\n|---|---|---|---|---|---|---|---|")
ratios, failures = {}, 0
for shape in shapes:
    call, graph, wrong = ours(shape)
    their_call, their_graph = torchs(shape)
    ratios[shape] = their_call / call, their_graph / graph
    print(f"| {'x'.join(map(str, shape))} | {call:.4f} | {their_call:.4f} | {ratios[shape][0]:.3f} | {graph:.4f} | {their_graph:.4f} | "
          f"{ratios[shape][1]:.3f} | {chosen[shape]} |", flush=True)
    if wrong:
        failures += 1
        print(wrong)
mean = lambda values: math.exp(np.mean(np.log(values)))
print("\n| M | per call | in a graph | worst |\n|---|---|---|---|")
for m in [*sorted({s[0] for s in shapes}), "all"]:
    of = [r for s, r in ratios.items() if m in ("all", s[0])]
    print(f"| {m} | {mean([x for x, _ in of]):.3f} | {mean([y for _, y in of]):.3f} | {min(x for x, _ in of):.3f}, {min(y for _, y in of):.3f} |")
sys.exit(failures > 0)
