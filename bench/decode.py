#!/usr/bin/env python3
"""`tessera generate decode` on this machine's GPU: right numbers and times, beside torch's flash and cuDNN backends in the same run.

  bench/decode.py TESSERA [--sizes BxQxKEYSxHEADSxKVHEADSxDIM,...] [--options TEXT] [--page P] [--check] [--ours] [--data FILE]

Normal random numbers, bf16; the median of 30 calls between two CUDA events, and of 30 CUDA graphs of 20 calls, by call. GB/s count K and V once, of a
call in a graph; those that fit the L2 cache stay there, ours and torch's. --check compares with f64: each query's result may be 1e-2 of its norm
away. With --page K and V of ours lie in pages in a random order, torch's in one piece; --check then has batches of random lengths. Exit code 1 if a
number is wrong.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, math, re, shlex, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from timing import copy_rate, heading, median_graph_ms, median_ms

# Llama 8B and 70B, heads of 64; queries of a step of speculation.
SIZES = ("1x1x4096x32x8x128,1x1x32768x32x8x128,1x1x131072x32x8x128,8x1x4096x32x8x128,8x1x16384x32x8x128,32x1x4096x32x8x128,128x1x1024x32x8x128,"
         "16x1x8192x64x8x128,16x4x8192x64x8x128,16x8x8192x64x8x128,16x1x8192x64x8x64,1x1x131072x8x1x128,1x1x8192x8x1x128,2x1x16384x8x1x128,4x1x8192x8x1x128,1x1x65536x16x2x64")

# Batch, queries, keys, heads of Q and of K, elements: of one to eight parts of the keys.
CHECKED = [(1, 1, 700, 4, 1, 128), (2, 1, 129, 8, 8, 128), (3, 5, 2001, 24, 12, 128), (8, 8, 1096, 64, 8, 128), (16, 1, 515, 64, 8, 128), (2, 3, 1515, 16, 2, 64)]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tessera")
parser.add_argument("--sizes", default=SIZES)
parser.add_argument("--options", default="")
parser.add_argument("--page", type=int, default=0)
parser.add_argument("--check", action="store_true")
parser.add_argument("--ours", action="store_true")
parser.add_argument("--data")
options = parser.parse_args()
folder = Path(tempfile.mkdtemp(prefix="tessera-bench."))
lines, failures = [], 0


def say(line):
    print(line, flush=True)
    lines.append(line)


def file_of(size):
    return folder / f"{'x'.join(map(str, size))}.mlir"


def kernel(size):
    batch, queries, keys, heads, shared, dim = size
    file = file_of(size)
    parts = [] if "--splits" in options.options else ["--groups", str(batch * shared), "--teams", "0"]
    parts += ["--page", str(options.page)] if options.page else []
    subprocess.run([options.tessera, "generate", "decode", "--head-dim", str(dim), *parts, *shlex.split(options.options), "-o", str(file)], check=True)
    subprocess.run([options.tessera, "compile", str(file), "--arch", "sm_90a", "--emit", "cubin", "-o", "/dev/null", "--cache-dir", str(folder / "cache")],
                   capture_output=True)


def random(name, shape):
    """An argument of such numbers; a file, as `rand:` makes a hundred million in some seconds."""
    file = folder / f"{name}-{'x'.join(map(str, shape))}.npy"
    if not file.exists():
        np.save(file, torch.randn(*shape, device="cuda").bfloat16().view(torch.int16).cpu().numpy())
    return f"bf16:{file}"


def pages_of(batch, keys):
    """How many pages a batch has, and which, in a random order."""
    each = -(-keys // options.page)
    return each, np.random.default_rng(keys).permutation(batch * each).astype(np.int32).reshape(batch, each)


def cached(name, size):
    """An argument of K or V."""
    batch, _, keys, _, shared, dim = size
    return random(name, (batch * pages_of(batch, keys)[0], options.page, shared, dim) if options.page else (batch, keys, shared, dim))


def workspace(size):
    """The last arguments, where clusters leave sums for the last one."""
    batch, queries, _, heads, shared, dim = size
    found = re.search(r"_decode(\d+)x(\d+)", (file_of(size)).read_text())
    if not found:
        return []
    items = batch * shared * -(-queries * (heads // shared) // 64)
    return [f"out:f32:{int(found[2]) * items * 64 * (dim + 2)}", f"zeros:i32:{int(found[1]) * items}"]


def after_scale(size, counts):
    return [*lengths_and_pages(size, counts), *workspace(size)]


def lengths_and_pages(size, counts):
    if not options.page:
        return []
    for name, x in (("lengths", np.array(counts, np.int32)), ("pages", pages_of(size[0], size[2])[1])):
        np.save(folder / f"{name}.npy", x)
    return [str(folder / "lengths.npy"), str(folder / "pages.npy")]


def reference(q, k, v, scale):
    k, v = (x.double().repeat_interleave(q.shape[2] // k.shape[2], 2) for x in (k, v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q.double(), k) * scale
    return torch.einsum("bhqk,bkhd->bqhd", torch.softmax(scores, -1), v)


def ours(size, arguments, more=()):
    command = [options.tessera, "run", str(file_of(size)), "--cache-dir", str(folder / "cache"), "--timeout", "60", *more]
    for argument in arguments:
        command += ["--arg", argument]
    return subprocess.run(command, capture_output=True, text=True)


def check(size):
    """What is wrong with the numbers."""
    batch, queries, keys, heads, shared, dim = size
    arguments = [random("q", (batch, queries, heads, dim)), cached("k", size), cached("v", size)]
    q, k, v = (torch.from_numpy(np.load(a[5:])).view(torch.bfloat16).cuda() for a in arguments)
    counts = [keys, *np.random.default_rng(0).integers(1, keys, batch - 1)] if options.page else [keys] * batch
    ran = ours(size, [*arguments, f"out:bf16:{batch}x{queries}x{heads}x{dim}", f"f32:{dim ** -0.5!r}", *after_scale(size, counts)],
               ("--save", f"3={folder}/o.npy"))
    if ran.returncode:
        return (ran.stdout + ran.stderr)[-500:]
    got = torch.from_numpy(np.load(folder / "o.npy").view(np.int16)).view(torch.bfloat16).cuda().double()
    if options.page:
        k, v = (x[torch.from_numpy(pages_of(batch, keys)[1]).long().cuda()].flatten(1, 2) for x in (k, v))
    expected = torch.cat([reference(q[i:i + 1], k[i:i + 1, :n], v[i:i + 1, :n], dim ** -0.5) for i, n in enumerate(counts)])
    away = (got - expected).norm(dim=-1) / expected.norm(dim=-1)
    return "" if bool((away <= 1e-2).all()) else f"a query is {away.max().item():.3g} of its norm away"


sizes = [tuple(map(int, s.split("x"))) for s in options.sizes.split(",")]
with ThreadPoolExecutor(4) as pool:
    list(pool.map(kernel, [*sizes, *CHECKED]))
say(heading(options.tessera) + "\n")
if options.check:
    for size in CHECKED:
        wrong = check(size)
        failures += bool(wrong)
        print("x".join(map(str, size)), wrong or "right", flush=True)
say("| batch, queries, keys | heads | us | in a graph | GB/s | of a copy | torch flash us | in a graph | cuDNN us | in a graph | ahead of the better |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|")
for size in sizes:
    batch, queries, keys, heads, shared, dim = size
    shapes = [(batch, n, h, dim) for n, h in ((queries, heads), (keys, shared), (keys, shared))]
    ran = ours(size, [random("q", shapes[0]), cached("k", size), cached("v", size), f"out:bf16:{batch}x{queries}x{heads}x{dim}",
                      f"f32:{dim ** -0.5!r}", *after_scale(size, [keys] * batch)], ("--bench", "30"))
    times = [float(x) for x in re.findall(r"median ([0-9.]+) ms", ran.stdout)]
    failed = ran.returncode or len(times) != 2
    call, graph = (math.nan, math.nan) if failed else times
    cells, others = [], []
    if not options.ours:
        q, k, v = (torch.randn(*s, device="cuda").bfloat16().transpose(1, 2) for s in shapes)
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            attend = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
            try:
                with sdpa_kernel(backend):
                    per_call, in_graph = median_ms(attend), median_graph_ms(attend)
                cells += [f"{per_call * 1e3:.1f}", f"{in_graph * 1e3:.1f}"]
                others.append(in_graph)
            except RuntimeError:
                cells += ["refused", "-"]
        del q, k, v
        torch.cuda.empty_cache()
    nbytes = 4 * batch * keys * shared * dim
    rate = nbytes / graph / 1e6
    say(f"| {batch}, {queries}, {keys} | {heads}/{shared} of {dim} | {call * 1e3:.1f} | {graph * 1e3:.1f} | {rate:.0f} | {rate / copy_rate(nbytes):.3f} | "
        f"{' | '.join(cells or ['-'] * 4)} | " + (f"{min(others) / graph:.3f} |" if others else "- |"))
    if failed:
        failures += 1
        print((ran.stdout + ran.stderr)[-600:], flush=True)
if options.data:
    Path(options.data).write_text("\n".join(lines) + "\n")
sys.exit(failures > 0)
