#!/usr/bin/env python3
"""Hopper attention on this machine's GPU: right numbers and times, beside torch's flash and cuDNN backends in the same run.

  bench/attention.py TESSERA [--options "TEXT;TEXT..."] [--quick | --sizes BxSxH,...] [--pause SECONDS]

Each TEXT is what `tessera generate attention` is given, "--head-dim 64 --causal" for one. --quick checks odd sizes and
measures nothing. Normal random numbers; the reference is computed in f64 without torch's attention, and every query's result
may be 1e-2 of its norm away from it. The median of 30 calls between two CUDA events.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, re, shlex, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from timing import median_ms

parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("--options", default="--head-dim 128;--head-dim 128 --causal;--head-dim 64;--head-dim 64 --causal")
parser.add_argument("--quick", action="store_true")
parser.add_argument("--sizes", default="1x16384x2048,8x2048x2048", help="batch x length x all heads' elements")
parser.add_argument("--pause", type=float, default=1)
parser.add_argument("--check", action="store_true")
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0


def save(name, tensor, spelled=None):
    path = work / f"{name}.npy"
    np.save(path, (tensor.view(torch.int16) if spelled == "bf16" else tensor).cpu().numpy())
    return f"{spelled}:{path}" if spelled else str(path)


def reference(q, k, v, scale, causal):
    """In f64, head by head; of queries and keys that differ in number the last ones face each other."""
    out = torch.empty(q.shape, dtype=torch.float32, device=q.device)
    (batch, sq, heads, _), sk, shared = q.shape, k.shape[1], q.shape[2] // k.shape[2]
    for b in range(batch):
        for h in range(heads):
            for at in range(0, sq, 2048):
                scores = q[b, at:at + 2048, h].double() @ k[b, :, h // shared].double().T * scale
                if causal:
                    row = torch.arange(at, min(at + 2048, sq), device=q.device)[:, None]
                    scores.masked_fill_(torch.arange(sk, device=q.device)[None] > row + (sk - sq), float("-inf"))
                out[b, at:at + 2048, h] = torch.nan_to_num(torch.softmax(scores, -1)) @ v[b, :, h // shared].double()
    return out


def case(text, batch, sq, sk, heads, shared, measure):
    global failures
    dim = int((re.findall(r"--head-dim (\d+)", text) or [128])[0])
    causal, kind = "--causal" in text, (re.findall(r"--element (\w+)", text) or ["bf16"])[0]
    dtype = {"bf16": torch.bfloat16, "f16": torch.half}[kind]
    kernel = work / "kernel.mlir"
    subprocess.run([options.tessera, "generate", "attention", *shlex.split(text), "-o", str(kernel)], check=True)
    q, k, v = (torch.randn(batch, s, h, dim, device="cuda").to(dtype)
               for s, h in ((sq, heads), (sk, heads // shared), (sk, heads // shared)))
    scale = dim ** -0.5
    spelled = "bf16" if kind == "bf16" else None
    command = [options.tessera, "run", str(kernel), "--timeout", "30"]
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        command += ["--arg", save(name, tensor, spelled)]
    command += ["--arg", f"out:{kind}:{batch}x{sq}x{heads}x{dim}", "--arg", f"f32:{scale!r}"]
    checked = options.check or not measure
    result = work / "result.npy"
    if checked:
        command += ["--save", f"3={result}"]
    if measure:
        command += ["--bench", "30"]
    torch.cuda.synchronize()
    time.sleep(options.pause if measure else 0)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r"median ([0-9.]+) ms", ran.stdout)
    error, wrong = "-", bool(ran.returncode)
    if checked and not wrong:
        got = torch.from_numpy(np.load(result).view(np.int16)).view(dtype).cuda().float()
        ref = reference(q, k, v, scale, causal)
        away = (got - ref).norm(dim=-1) / ref.norm(dim=-1).clamp(min=1e-30)
        wrong = not bool((away <= 1e-2).all())  # a NaN is wrong
        error = f"{(got - ref).abs().max().item():.2g}, {away.max().item():.2g}"
    flops = 4 * batch * heads * sq * sk * dim / (2 if causal else 1)
    cells = [text or "(defaults)", f"{batch}x{sq}" + (f"x{sk}" if sk != sq else "") + f", {heads} heads" +
             (f", {shared} share" if shared > 1 else ""), error]
    if measure:
        mine = float(found[1]) if found else float("nan")
        cells += [f"{mine:.3f}", f"{flops / mine / 1e9:.0f}"]
        qt, kt, vt = (x.transpose(1, 2) for x in (q, k, v))
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            time.sleep(options.pause)
            with sdpa_kernel(backend):
                ms = median_ms(lambda: torch.nn.functional.scaled_dot_product_attention(qt, kt, vt, is_causal=causal))
            cells += [f"{ms:.3f}", f"{flops / ms / 1e9:.0f}"]
    print("| " + " | ".join(cells) + " |", flush=True)
    if wrong:
        failures += 1
        print("WRONG", (ran.stdout + ran.stderr)[-1200:], flush=True)


torch.manual_seed(0)
print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
print("| options | size | max error, of a query |" + ("" if options.quick else " ms | TFLOP/s | flash ms | TFLOP/s | cuDNN ms | TFLOP/s |"))
print("|---|---|---|" + ("" if options.quick else "---|---|---|---|---|---|"))
for text in options.options.split(";"):
    if options.quick:
        for batch, sq, sk, heads, shared in ((1, 128, 128, 1, 1), (2, 200, 333, 3, 1), (1, 77, 50, 1, 1), (1, 1, 1, 2, 1),
                                             (2, 513, 1027, 8, 4), (1, 1000, 1000, 4, 2)):
            case(text, batch, sq, sk, heads, shared, False)
    else:
        for size in options.sizes.split(","):
            batch, length, width = map(int, size.split("x"))
            dim = int((re.findall(r"--head-dim (\d+)", text) or [128])[0])
            case(text, batch, length, length, width // dim, 1, True)
raise SystemExit(1 if failures else 0)
