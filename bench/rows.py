#!/usr/bin/env python3
"""Kernels of rows on this machine's GPU beside torch, Triton and a copy of as many bytes in the same run.

  bench/rows.py TESSERA [--only PATTERN] [--ours] [--options TEXT] [--data FILE]

Numbers uniform in [-1, 1), bf16; the median of 30 calls between two CUDA events, and of 30 CUDA graphs of 20 calls, by call. GB/s count each byte
that the formula reads or writes once, of a call in a graph; what fits the L2 cache stays there, for all of them. test/sim/rows.py checks the numbers
(`--device gpu`). --ours leaves the others out. --data writes the table as a file for docs/benchmarks.md. Exit code 1 if a kernel fails.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, math, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

from timing import copy_rate, heading, median_graph_ms, median_ms
from triton_rows import triton_layernorm, triton_rmsnorm, triton_softmax

SIZES = [(8192, 1024), (8192, 4096), (8192, 8192), (4096, 16384)]


@triton.jit
def triton_transpose(x, y, m, n, A: tl.constexpr, B: tl.constexpr):
    i, j = tl.program_id(0) * A + tl.arange(0, A), tl.program_id(1) * B + tl.arange(0, B)
    tl.store(y + j[:, None] * m + i[None], tl.load(x + i[:, None] * n + j[None]).trans())


def matrix(*shape, dtype=torch.bfloat16):
    return torch.empty(shape, device="cuda").uniform_(-1, 1).to(dtype)


def best(make, large=False):
    """The fastest of Triton's launches of 4 or 8 warps, of large rows 8 or 16."""
    calls = [make(warps) for warps in (4, 8, 16)[large:][:2]]
    return min(calls, key=lambda call: median_ms(call, 10))


class Row:
    """options, arguments of tessera, bytes, torch's call, Triton's call; the numbers are torch's own."""

    def __init__(self, options, size, arguments, nbytes, torchs=None, tritons=None):
        self.options, self.size, self.arguments, self.nbytes = options, size, arguments, nbytes
        self.torchs, self.tritons = torchs, tritons


def rand(*shape, kind="bf16"):
    return f"rand:{kind}:{'x'.join(map(str, shape))}:seed={len(shape) + shape[-1] % 7}"


def out(*shape, kind="bf16"):
    return f"out:{kind}:{'x'.join(map(str, shape))}"


def labels(m, n):
    file = folder / f"labels-{m}-{n}.npy"
    np.save(file, np.random.default_rng(0).integers(0, n, m))
    return f"i64:{file}"


def norms(name, m, n, extra):
    def torchs():
        x, *w = matrix(m, n), *(matrix(n) for _ in range(extra))
        call = {"softmax": lambda: torch.softmax(x, -1), "rmsnorm": lambda: F.rms_norm(x, (n,), w[0], 1e-5),
                "layernorm": lambda: F.layer_norm(x, (n,), w[0], w[1], 1e-5)}[name]
        return call

    def tritons():
        x, y, w = matrix(m, n), matrix(m, n), [matrix(n) for _ in range(extra)]
        kernel = {"softmax": triton_softmax, "rmsnorm": triton_rmsnorm, "layernorm": triton_layernorm}[name]
        block, eps = triton.next_power_of_2(n), [1e-5] * bool(extra)
        return best(lambda warps: lambda: kernel[(m,)](x, *w, y, n, *eps, BLOCK=block, num_warps=warps), n >= 8192)

    return Row(f"{name} --columns {n}", f"{m}x{n}", [rand(m, n), *[rand(n)] * extra, out(m, n), *["f32:1e-5"] * bool(extra)], 4 * m * n, torchs, tritons)


def norm_backs(name, m, n):
    """Of a norm what goes back to x, and to w (and b); torch's calls give one of them at a time, too."""
    numbers = 2 if name == "layernorm" else 1

    def torchs(*mask):
        def make():
            x, dy, w = matrix(m, n), matrix(m, n), matrix(n)
            if name == "rmsnorm":
                _, rstd = torch.ops.aten._fused_rms_norm(x, (n,), w, 1e-5)
                return lambda: torch.ops.aten._fused_rms_norm_backward(dy, x, (n,), rstd, w, mask[:2])
            _, mean, rstd = torch.ops.aten.native_layer_norm(x, (n,), w, w, 1e-5)
            return lambda: torch.ops.aten.native_layer_norm_backward(dy, x, (n,), mean, rstd, w, w, mask)
        return make

    yield Row(f"{name}-backward --columns {n}", f"{m}x{n}",
              [rand(m, n), rand(n), rand(m, n), out(m, n), *[out(m, kind="f32")] * numbers, "f32:1e-5"], 6 * m * n, torchs(True, False, False))
    yield Row(f"{name}-weights-backward --columns {n} --overlap", f"{m}x{n}", [rand(m, n), rand(m, n), *[rand(m, kind="f32")] * numbers, *[out(n)] * numbers], 4 * m * n,
              torchs(False, True, True))


def transposes():
    x, y = matrix(8192, 8192), matrix(8192, 8192)
    return best(lambda warps: lambda: triton_transpose[(128, 128)](x, y, 8192, 8192, A=64, B=64, num_warps=warps))


def act_mul(m, n):
    def torchs():
        gate, up = matrix(m, n), matrix(m, n)
        return lambda: F.silu(gate) * up
    return Row(f"act-mul --columns {n}", f"{m}x{n}", [rand(m, n), rand(m, n), out(m, n)], 6 * m * n, torchs)


def rows():
    for m, n in SIZES:
        for name, extra in (("softmax", 0), ("rmsnorm", 1), ("layernorm", 2)):
            yield norms(name, m, n, extra)
    yield norms("rmsnorm", 16384, 128, 1)
    yield norms("rmsnorm", 8192, 5120, 1)
    for m, n in SIZES:
        for name in ("rmsnorm", "layernorm"):
            yield from norm_backs(name, m, n)
    yield norms("softmax", 2048, 65536, 0)
    m, n = 1024, 128256
    yield Row(f"cross-entropy --columns {n}", f"{m}x{n}", [rand(m, n), labels(m, n), out(m, kind="f32"), out(m, kind="f32")], 2 * m * n,
              lambda: (lambda x, t: lambda: F.cross_entropy(x, t, reduction="none"))(matrix(m, n), torch.randint(n, (m,), device="cuda")))
    yield Row(f"cross-entropy-backward --columns {n}", f"{m}x{n}",
              [rand(m, n), labels(m, n), rand(m, kind="f32"), rand(m, kind="f32"), out(m, n)], 4 * m * n)
    yield Row("softmax-backward --columns 8192", "8192x8192", [rand(8192, 8192), rand(8192, 8192), out(8192, 8192)], 6 << 26,
              lambda: (lambda y, d: lambda: torch._softmax_backward_data(d, y, -1, torch.bfloat16))(matrix(8192, 8192), matrix(8192, 8192)))
    yield act_mul(4096, 14336)
    yield act_mul(8192, 4096)
    yield Row("rope --columns 128", "8192x32x128", [rand(8192, 32, 128), rand(8192, 64, kind="f32"), rand(8192, 64, kind="f32"), out(8192, 32, 128)],
              4 * 8192 * 32 * 128 + 8192 * 64 * 8)
    for options, scales in (("", (8192,)), (" --result i8", (8192,)), (" --segment 128", (8192, 64))):
        yield Row(f"quantize --columns 8192{options}", "8192x8192",
                  [rand(8192, 8192), out(8192, 8192, kind="i8" if "i8" in options else "f8E4M3FN"), out(*scales, kind="f32")], 3 << 26)
    yield Row("transpose", "8192x8192", [rand(8192, 8192), out(8192, 8192)], 4 << 26,
              lambda: (lambda x: lambda: x.T.contiguous())(matrix(8192, 8192)), transposes)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tessera")
parser.add_argument("--only", default="")
parser.add_argument("--data")
parser.add_argument("--ours", action="store_true")
parser.add_argument("--options", default="", help="for every kernel that has them, beside its own")
options = parser.parse_args()
folder = Path(tempfile.mkdtemp(prefix="tessera-bench."))
lines = []


def say(line):
    print(line, flush=True)
    lines.append(line)


def prepared(row):
    """The kernel's file, compiled into the cache."""
    text = row.options + (f" {options.options}" if "--columns" in row.options else "")
    file = folder / (re.sub(r"\W+", "_", text) + ".mlir")
    subprocess.run([options.tessera, "generate", *text.split(), "-o", str(file)], check=True, capture_output=True)
    subprocess.run([options.tessera, "compile", str(file), "--arch", "sm_90a", "--emit", "cubin", "-o", "/dev/null", "--cache-dir", str(folder / "cache")],
                   capture_output=True)
    return file


todo = [r for r in rows() if re.search(options.only, r.options)]
with ThreadPoolExecutor(12) as pool:
    files = list(pool.map(prepared, todo))
say(heading(options.tessera) + "\n")
say("| kernel | size | us | in a graph | GB/s | of a copy | torch us | in a graph | Triton us | in a graph | ahead of the better |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|")
failures = 0
for row, file in zip(todo, files):
    command = [options.tessera, "run", str(file), "--cache-dir", str(folder / "cache"), "--bench", "30", "--timeout", "60"]
    for argument in row.arguments:
        command += ["--arg", argument]
    ran = subprocess.run(command, capture_output=True, text=True)
    times = [float(x) for x in re.findall(r"median ([0-9.]+) ms", ran.stdout)]
    failed = ran.returncode or len(times) != 2
    call, graph = (math.nan, math.nan) if failed else times
    rate = row.nbytes / graph / 1e6
    cells, others = [], []
    for make in (row.torchs, row.tritons):
        if not make or options.ours:
            cells += ["-", "-"]
            continue
        theirs = make()
        per_call, in_graph = median_ms(theirs), median_graph_ms(theirs)
        cells += [f"{per_call * 1e3:.1f}", f"{in_graph * 1e3:.1f}"]
        others.append(in_graph)
        del theirs
    torch.cuda.empty_cache()
    say(f"| {row.options} | {row.size} | {call * 1e3:.1f} | {graph * 1e3:.1f} | {rate:.0f} | {rate / copy_rate(row.nbytes):.3f} | {' | '.join(cells)} | "
        + (f"{min(others) / graph:.3f} |" if others else "- |"))
    if failed:
        failures += 1
        print(f"exit code {ran.returncode}: {(ran.stdout + ran.stderr)[-600:]}", flush=True)
if options.data:
    Path(options.data).write_text("\n".join(lines) + "\n")
sys.exit(failures > 0)
