#!/usr/bin/env python3
"""Gradients of attention on this machine's GPU: right numbers and times, beside torch's in the same run.

  bench/attention_backward.py TESSERA [--options "TEXT;TEXT..."] [--sizes BxSxE,...] [--pause SECONDS]

Each TEXT is what `tessera generate attention-backward` is given; E is the elements of all heads of Q. Heads of 192 have V and O of 128. Normal random
numbers of bf16. Up to 2,048 queries dQ, dK and dV are compared with the gradients of attention in f64, of which they may be 1 % of their norm away;
longer ones with torch's, 2 %. Work is five products for each pair of a query and a key that it sees, three as wide as Q and two as wide as V. O and the logarithms are our forward pass's. The median of 30 calls between two
CUDA events; torch's is the backward pass alone.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, re, shlex, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from timing import heading, median_ms

parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("--options", default="--head-dim 128;--head-dim 128 --causal;--head-dim 64;--head-dim 64 --causal")
parser.add_argument("--sizes", default="1x2048x2048,8x2048x2048,1x16384x2048")
parser.add_argument("--pause", type=float, default=0.5)
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0


def save(name, tensor):
    bf16 = tensor.dtype == torch.bfloat16
    np.save(work / f"{name}.npy", (tensor.view(torch.int16) if bf16 else tensor).cpu().numpy())
    return f"{'bf16:' if bf16 else ''}{work / name}.npy"


def run(verb, words, arguments, saved, bench):
    kernel = work / "kernel.mlir"
    subprocess.run([options.tessera, "generate", verb, *words, "-o", str(kernel)], check=True)
    command = [options.tessera, "run", str(kernel), "--timeout", "280", *(["--bench", "30"] if bench else [])]
    for argument in arguments:
        command += ["--arg", argument]
    for i, name in saved.items():
        command += ["--save", f"{i}={work / name}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.search(r"median ([0-9.]+) ms.*of 30 calls", done.stdout)
    return float(found[1]) if found else float("nan"), "" if not done.returncode else (done.stdout + done.stderr)[-1200:]


def loaded(name, dtype=torch.bfloat16):
    array = np.load(work / f"{name}.npy")
    return (torch.from_numpy(array.view(np.int16)).view(dtype) if dtype == torch.bfloat16 else torch.from_numpy(array)).cuda()


def exact(q, k, v, gradient, scale, causal):
    """Gradients in f64, head by head, of (batch, sequence, head, element)."""
    out = [torch.zeros_like(x, dtype=torch.float64) for x in (q, k, v)]
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            parts = [x[b, :, h].double().requires_grad_() for x in (q, k, v)]
            scores = parts[0] @ parts[1].T * scale
            if causal:
                scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
            (torch.softmax(scores, -1) @ parts[2]).backward(gradient[b, :, h].double())
            for to, x in zip(out, parts):
                to[b, :, h] = x.grad
    return out


def case(text, batch, length, elements):
    global failures
    words = shlex.split(text)
    dim = int((re.findall(r"--head-dim (\d+)", text) or [128])[0])
    heads, causal, scale = elements // dim, "--causal" in text, dim ** -0.5
    of_v = 128 if dim == 192 else dim
    q, k, v, gradient = (torch.randn(batch, length, heads, n, device="cuda").bfloat16() for n in (dim, dim, of_v, of_v))
    of, values = (f"{batch}x{length}x{heads}x{n}" for n in (dim, of_v))
    files = [save(name, x) for name, x in zip("qkv", (q, k, v))]
    _, wrong = run("attention", ["--head-dim", str(dim), *(["--causal"] if causal else []), "--lse"],
                   [*files, f"out:bf16:{values}", f"f32:{scale}", f"out:f32:{batch}x{heads}x{length}"], {3: "o", 5: "lse"}, False)
    rounded = -(-length // 64) * 64
    time.sleep(options.pause)
    mine, also = run("attention-backward", words, [*files, f"bf16:{work / 'o.npy'}", save("do", gradient), str(work / "lse.npy"), *[f"out:bf16:{of}"] * 2, f"out:bf16:{values}",
                                                   f"out:f32:{batch}x{heads}x2x{rounded}", f"f32:{scale}"], {6: "dq", 7: "dk", 8: "dv"}, True)
    wrong += also
    leaves = [x.detach().transpose(1, 2).requires_grad_() for x in (q, k, v)]
    flops = 2 * (3 * dim + 2 * of_v) * batch * heads * (length * (length + 1) // 2 if causal else length * length)
    beside, theirs = [], None
    for name, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("cuDNN", SDPBackend.CUDNN_ATTENTION)):
        time.sleep(options.pause)
        try:
            with sdpa_kernel(backend):
                out = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal, scale=scale)
            call = lambda: torch.autograd.grad(out, leaves, gradient.transpose(1, 2), retain_graph=True)
            theirs = theirs or [x.transpose(1, 2) for x in call()]
            ms = median_ms(call)
            beside += [f"{name} {ms:.3f}, {flops / ms / 1e9:.0f}"]
        except RuntimeError as refusal:
            beside += [f"{name}: {str(refusal).splitlines()[0][:50]}"]
    errors = []
    if not wrong:
        expected, most = (exact(q, k, v, gradient, scale, causal), 1e-2) if length <= 2048 else (theirs, 2e-2)
        errors = [((loaded(name).double() - x.double()).norm() / x.double().norm()).item() for name, x in zip(("dq", "dk", "dv"), expected)]
        wrong = "" if all(e < most for e in errors) else f"errors {errors}"  # a NaN is wrong
    print("| " + " | ".join([text, f"{batch}x{length}x{heads}x{dim}", " ".join(f"{e:.2g}" for e in errors), f"{mine:.3f}", f"{flops / mine / 1e9:.0f}", *beside]) + " |",
          flush=True)
    if wrong:
        failures += 1
        print("WRONG", wrong, flush=True)


torch.manual_seed(0)
print(f"{heading(options.tessera)}\n\n| options | size | errors of dQ, dK, dV | ms | TFLOP/s | torch's flash: ms, TFLOP/s | cuDNN: ms, TFLOP/s |\n|---|---|---|---|---|---|---|")
for text in options.options.split(";"):
    for size in options.sizes.split(","):
        case(text, *map(int, size.split("x")))
raise SystemExit(1 if failures else 0)
