#!/usr/bin/env python3
"""Products of f8 with factors of blocks (1 x 128 of A, 128 x 128 of B) on this machine's GPU: right numbers and times, beside torch in the same run.

  bench/block_scales.py TESSERA [--cases "FORM GxMxNxK[ OPTIONS];..."] [--pause SECONDS]

FORM is dense (G is 1), masked or contiguous: G products of M rows, of which as many count as are drawn between none and twice M. OPTIONS is what
`tessera generate gemm` is given beside; a dense case without options takes `--shape`. Normal numbers, quantised with factors as DeepSeek-V3
does; the reference is the product of what was quantised, in f64: the norm of the difference may be 1/300 of that of the reference. Beside it are
torch's product with the same factors (cuBLASLt) and with one factor for all, which says what the tensor core reaches; and of groups torch._grouped_mm
of bf16. The median of 30 calls between two CUDA events.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, re, shlex, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch

from timing import heading, median_ms

# DeepSeek-V3's products, as DeepGEMM lists them, and two of its mixture of experts.
SHAPES = [(2112, 7168), (24576, 1536), (32768, 512), (7168, 16384), (4096, 7168), (7168, 2048)]
CASES = ";".join([f"dense 1x{m}x{n}x{k}" for m in (64, 128, 4096) for n, k in SHAPES] +
                 ["contiguous 4x8192x4096x7168 --tile-n 128", "contiguous 8x4096x7168x2048 --tile-n 128",
                  "masked 4x256x4096x7168 --tile-n 128", "masked 16x64x7168x2048 --tile-n 128"])
parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("--cases", default=CASES)
parser.add_argument("--pause", type=float, default=0.5)
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0
F8, BLOCK, MOST = torch.float8_e4m3fn, 128, 448.0


def save(name, tensor):
    bits, prefix = {F8: (torch.uint8, "f8E4M3FN:"), torch.bfloat16: (torch.int16, "bf16:")}.get(tensor.dtype, (None, ""))
    np.save(work / f"{name}.npy", (tensor.view(bits) if bits else tensor).cpu().numpy())
    return f"{prefix}{work / name}.npy"


def quantised(x, rows):
    """(f8, factors, what they stand for in f64), with a factor for each `rows` x 128."""
    many, m, k = x.shape
    up = lambda n, of: -(-n // of)
    padded = torch.zeros(many, up(m, rows) * rows, up(k, BLOCK) * BLOCK, device=x.device)
    padded[:, :m, :k] = x
    blocks = padded.view(many, up(m, rows), rows, up(k, BLOCK), BLOCK)
    factors = blocks.abs().amax((2, 4)).clamp(1e-4) / MOST
    codes = (blocks / factors[:, :, None, :, None]).to(F8)
    meant = codes.double() * factors[:, :, None, :, None].double()
    whole = lambda t: t.reshape(padded.shape)[:, :m, :k].contiguous()
    return whole(codes), factors.contiguous(), whole(meant)


def torches(a, b, factors_a, factors_b):
    """Torch's product with the same factors, as far as it takes them: its sentence if not."""
    from torch.nn.functional import ScalingType, scaled_mm
    columns = lambda t: t.t().contiguous().t()  # contiguous in rows
    return lambda: scaled_mm(a, b.t(), columns(factors_a), ScalingType.BlockWise1x128, factors_b.t(), ScalingType.BlockWise128x128,
                             output_dtype=torch.bfloat16)


def measured(call, flops):
    try:
        ms = median_ms(call())
        return [f"{ms:.4f}", f"{flops / ms / 1e9:.0f}"]
    except (RuntimeError, AttributeError, TypeError, ValueError, ImportError, NotImplementedError) as refusal:
        return ["-", str(refusal).splitlines()[0][:90]]


def case(form, groups, m, n, k, words):
    global failures
    dense = form == "dense"
    counts = torch.full((groups,), m) if dense else torch.randint(0, 2 * m + 1, (groups,))
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)]).int().cuda()
    rows = int(counts.max()) if form == "masked" else int(counts.sum())
    a, factors_a, meant_a = quantised(torch.randn(groups if form == "masked" else 1, rows, k, device="cuda"), 1)
    b, factors_b, meant_b = quantised(torch.randn(groups, n, k, device="cuda"), BLOCK)
    if form != "masked":
        a, factors_a = a[0], factors_a[0]
    if dense:
        b, factors_b = b[0], factors_b[0]
    kernel, result = work / "kernel.mlir", work / "result.npy"
    words = words or ["--shape", f"{m}x{n}x{k}"]
    made = subprocess.run([options.tessera, "generate", "gemm", "--ab", "f8E4M3FN", "--block-scales", *words, *([] if dense else ["--groups", form]),
                           "-o", str(kernel)], capture_output=True, text=True)
    shape = (*a.shape[:-1], n)
    arguments = [save("a", a), save("b", b), f"out:bf16:{'x'.join(map(str, shape))}", save("factorsA", factors_a), save("factorsB", factors_b)]
    arguments += [save("bounds", starts if form == "contiguous" else counts.int())] if not dense else []
    command = [options.tessera, "run", str(kernel), "--timeout", "280", "--save", f"2={result}", "--bench", "30"]
    time.sleep(options.pause)
    ran = subprocess.run(command + [x for argument in arguments for x in ("--arg", argument)], capture_output=True, text=True, timeout=300)
    found = re.search(r"median ([0-9.]+) ms.*of 30 calls", ran.stdout)
    inside = re.search(r"median ([0-9.]+) ms.*of 30 graphs", ran.stdout)
    error = float("nan")
    if not ran.returncode:
        got, away, size = torch.from_numpy(np.load(result).view(np.int16)).view(torch.bfloat16).cuda(), 0.0, 0.0
        for g, count in enumerate(counts.tolist()):
            of = slice(int(starts[g]), int(starts[g]) + count)
            mine, left = (got[g, :count], meant_a[g, :count]) if form == "masked" else (got[of], meant_a[0][of])
            expected = left @ meant_b[g].T
            away, size = away + (mine.double() - expected).square().sum().item(), size + expected.square().sum().item()
        error = (away / size) ** 0.5 if size else 0.0
    wrong = not error < 1 / 300  # a NaN is wrong
    flops = 2 * int(counts.sum()) * n * k
    mine = float(found[1]) if found else float("nan")
    time.sleep(options.pause)
    one = torch.ones((), device="cuda")
    if dense:
        beside = measured(lambda: torches(a, b, factors_a, factors_b), flops)
        beside += measured(lambda: lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16), flops)
    else:
        wide_a, wide_b = a.bfloat16(), b.bfloat16()
        beside = ["", ""] + (measured(lambda: lambda: torch._grouped_mm(wide_a, wide_b.transpose(1, 2), offs=starts[1:]), flops)
                             if form == "contiguous" else measured(lambda: lambda: torch.bmm(wide_a, wide_b.transpose(1, 2)), flops))
    graph = f"{float(inside[1]):.4f}" if inside else "-"
    print("| " + " | ".join([form, f"{groups}x{m}x{n}x{k}", f"{error:.2g}", f"{mine:.4f}", graph, f"{flops / mine / 1e9:.0f}", *beside]) + " |" +
          (" " + made.stderr.strip().replace("note: for ", "") if dense else "") + (" " + " ".join(words) if words[0] != "--shape" else ""), flush=True)
    if wrong:
        failures += 1
        print("WRONG", (made.stderr + ran.stdout + ran.stderr)[-1200:], flush=True)


torch.manual_seed(0)
print(f"{heading(options.tessera)}\n\n| form | products, rows, columns, K | error | ms | in a graph | TFLOP/s | torch, the same | TFLOP/s | torch, one factor; bf16 | "
      "TFLOP/s |\n|---|---|---|---|---|---|---|---|---|---|")
for text in options.cases.split(";"):
    form, size, *words = shlex.split(text)
    case(form, *map(int, size.split("x")), words)
raise SystemExit(1 if failures else 0)
