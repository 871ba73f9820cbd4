#!/usr/bin/env python3
"""Many products in one launch on this machine's GPU: right numbers and times, beside torch's in the same run.

  bench/grouped.py TESSERA [--cases "FORM GxMxNxK;..."] [--options TEXT] [--pause SECONDS]

FORM is batches, masked or contiguous: G products of M rows; of contiguous groups and masked batches M is the mean, and rows are drawn between none and
twice as many. TEXT is what `tessera generate gemm` is given beside. bf16, normal numbers; the reference is the product in f64, and every number may be
1/200 of itself and 1e-2 away from it. Beside it are torch.bmm and torch._grouped_mm. The median of 30 calls between two CUDA events.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, re, shlex, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch

from timing import heading, median_ms

CASES = ("batches 16x1024x1024x1024;batches 64x512x512x512;batches 128x128x512x4096;contiguous 8x1024x4096x4096;contiguous 64x128x2048x7168;"
         "contiguous 256x16x4096x7168;masked 64x128x2048x7168")
parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("--cases", default=CASES)
parser.add_argument("--options", default="--tile-n 256")
parser.add_argument("--pause", type=float, default=1)
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0


def save(name, tensor):
    bf16 = tensor.dtype == torch.bfloat16
    np.save(work / f"{name}.npy", (tensor.view(torch.int16) if bf16 else tensor).cpu().numpy())
    return f"{'bf16:' if bf16 else ''}{work / name}.npy"


def others(form, a, b, starts):
    """Torch's name for the same, and a call of it; of masked batches all rows."""
    if form != "contiguous":
        return "bmm", lambda: torch.bmm(a, b.transpose(1, 2))
    return "_grouped_mm", lambda: torch._grouped_mm(a, b.transpose(1, 2), offs=starts[1:])


def case(form, groups, m, n, k):
    global failures
    counts = torch.full((groups,), m) if form == "batches" else torch.randint(0, 2 * m + 1, (groups,))
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)]).int().cuda()
    rows = int(counts.sum()) if form == "contiguous" else int(counts.max())
    shape = (rows,) if form == "contiguous" else (groups, rows)
    a, b = (torch.randn(*s, k, device="cuda").bfloat16() for s in (shape, (groups, n)))
    kernel, result = work / "kernel.mlir", work / "result.npy"
    subprocess.run([options.tessera, "generate", "gemm", "--groups", form, *shlex.split(options.options), "-o", str(kernel)], check=True)
    arguments = [save("a", a), save("b", b), f"out:bf16:{'x'.join(map(str, (*shape, n)))}"]
    arguments += [save("bounds", starts if form == "contiguous" else counts.int())] if form != "batches" else []
    command = [options.tessera, "run", str(kernel), "--timeout", "280", "--save", f"2={result}", "--bench", "30"]
    time.sleep(options.pause)
    ran = subprocess.run(command + [x for argument in arguments for x in ("--arg", argument)], capture_output=True, text=True, timeout=300)
    found = re.search(r"median ([0-9.]+) ms", ran.stdout)
    error, wrong = float("nan"), bool(ran.returncode)
    if not wrong:
        got, error = torch.from_numpy(np.load(result).view(np.int16)).view(torch.bfloat16).cuda(), 0.0
        for g, count in enumerate(counts.tolist()):
            of = slice(int(starts[g]), int(starts[g]) + count)
            mine, left = (got[of], a[of]) if form == "contiguous" else (got[g, :count], a[g, :count])
            expected = left.double() @ b[g].double().T
            away = (mine.double() - expected).abs()
            wrong |= not bool((away <= expected.abs() / 200 + 1e-2).all())  # a NaN is wrong
            error = max(error, away.max().item() if count else 0.0)
    flops = 2 * int(counts.sum()) * n * k
    mine = float(found[1]) if found else float("nan")
    name, call = others(form, a, b, starts)
    time.sleep(options.pause)
    try:
        ms = median_ms(call)
        beside = [name, f"{ms:.4f}", f"{flops / ms / 1e9:.0f}"]
    except (RuntimeError, AttributeError, TypeError) as refusal:
        beside = [name, "-", str(refusal).splitlines()[0][:60]]
    print("| " + " | ".join([form, f"{groups}x{m}x{n}x{k}", f"{error:.2g}", f"{mine:.4f}", f"{flops / mine / 1e9:.0f}", *beside]) + " |", flush=True)
    if wrong:
        failures += 1
        print("WRONG", (ran.stdout + ran.stderr)[-1200:], flush=True)


torch.manual_seed(0)
print(f"{heading(options.tessera)}\n\n| form | products, rows, columns, K | max error | ms | TFLOP/s | torch's | ms | TFLOP/s |\n|---|---|---|---|---|---|---|---|")
for text in options.cases.split(";"):
    form, size = text.split()
    case(form, *map(int, size.split("x")))
raise SystemExit(1 if failures else 0)
