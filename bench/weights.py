#!/usr/bin/env python3
"""Products with B of 4 or 8 bits and scales of groups on this machine's GPU: right numbers and times, beside torch in the same run.

  bench/weights.py TESSERA [--cases "TYPE GROUP MxNxK[ OPTIONS];..."] [--pause SECONDS]

TYPE is i4, f8E4M3FN or f8E5M2; OPTIONS is what `tessera generate gemm` is given beside, else it takes `--shape`. A is bf16 of normal numbers; B are
random codes, their scales about 1/100. The reference is the f64 product with B widened and rounded to bf16: the norm of the difference may be 1/250 of
that of the reference, what rounding D to bf16 costs. Beside it are torch's product with B in bf16, which reads two or four times as much, and of i4 its
_weight_int4pack_mm, whose weights are packed for it beforehand. GB/s count B, its scales, A and D once; `copy` is that of a torch copy of 1 GiB. Medians of
30 calls between two CUDA events, and of 30 graphs of 20; B stays in the L2 cache (50 MB) where it fits.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, re, shlex, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch

from timing import copy_rate, heading, median_graph_ms, median_ms

# Llama 8B and 70B, Qwen, DeepSeek-V3, and one made up.
SHAPES = [(4096, 4096), (28672, 4096), (4096, 14336), (57344, 8192), (8192, 28672), (37888, 3584), (7168, 16384), (5000, 9000 // 16 * 16)]
CASES = ";".join(f"{type} {group} {m}x{n}x{k}" for type, group, rows, shapes in (
    ("i4", 128, (1, 16, 64, 128), SHAPES), ("f8E4M3FN", 128, (16,), SHAPES), ("i4", 32, (16,), SHAPES[1:4])) for n, k in shapes for m in rows)
parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("--cases", default=CASES)
parser.add_argument("--pause", type=float, default=0.3)
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0
F8 = {"f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2}


def beside(call):
    try:
        return [f"{median_ms(call):.4f}", f"{median_graph_ms(call):.4f}"]
    except (RuntimeError, AttributeError, TypeError, ValueError, NotImplementedError) as refusal:
        return ["-", str(refusal).splitlines()[0][:80]]


def case(type, group, m, n, k, words):
    global failures
    a = torch.randn(m, k, device="cuda").bfloat16()
    groups = -(-k // group)
    scales = (torch.rand(n, groups, device="cuda") * 0.01 + 0.005).bfloat16()
    if type == "i4":
        numbers = torch.randint(-8, 8, (n, k), device="cuda", dtype=torch.int8)
        packed = (numbers[:, ::2] & 15 | numbers[:, 1::2] << 4).view(torch.uint8)
    else:
        numbers = torch.randn(n, k, device="cuda").to(F8[type])
        packed = numbers.view(torch.uint8)
    wide = (numbers.bfloat16().view(n, groups, -1) * scales[..., None]).view(n, k) if k % group == 0 else \
        numbers.bfloat16() * scales.repeat_interleave(group, 1)[:, :k]
    kernel, result = work / "kernel.mlir", work / "result.npy"
    words = words or ["--shape", f"{m}x{n}x{k}"]
    made = subprocess.run([options.tessera, "generate", "gemm", "--a", "bf16", "--b", type, "--group-scales", str(group), *words, "-o", str(kernel)],
                          capture_output=True, text=True)
    arguments = []
    for name, tensor, prefix in (("a", a.view(torch.int16), "bf16:"), ("b", packed, "u8:" if type == "i4" else f"{type}:"),
                                 ("scales", scales.view(torch.int16), "bf16:")):
        np.save(work / f"{name}.npy", tensor.cpu().numpy())
        arguments.append(f"{prefix}{work / name}.npy")
    arguments.insert(2, f"out:bf16:{m}x{n}")
    command = [options.tessera, "run", str(kernel), "--timeout", "280", "--save", f"2={result}", "--bench", "30"]
    time.sleep(options.pause)
    ran = subprocess.run(command + [x for argument in arguments for x in ("--arg", argument)], capture_output=True, text=True, timeout=300)
    call = re.search(r"median ([0-9.]+) ms.*of 30 calls", ran.stdout)
    inside = re.search(r"median ([0-9.]+) ms.*of 30 graphs", ran.stdout)
    error = float("nan")
    if not ran.returncode:
        got = torch.from_numpy(np.load(result).view(np.int16)).view(torch.bfloat16).cuda().double()
        expected = a.double() @ wide.double().T if n * k <= 1 << 28 else (a.float() @ wide.float().T).double()
        error = ((got - expected).norm() / expected.norm()).item()
    wrong = not error < 1 / 250
    bytes = packed.numel() + scales.numel() * 2 + a.numel() * 2 + m * n * 2
    mine, graph = (float(x[1]) if x else float("nan") for x in (call, inside))
    time.sleep(options.pause)
    others = beside(lambda: torch.nn.functional.linear(a, wide))
    if type == "i4":
        try:
            low = (numbers + 8).to(torch.uint8)
            theirs = torch.ops.aten._convert_weight_to_int4pack((low[:, ::2] << 4 | low[:, 1::2]).contiguous(), 8)
            both = torch.stack([scales, torch.zeros_like(scales)], 2).transpose(0, 1).contiguous()
            others += beside(lambda: torch.ops.aten._weight_int4pack_mm(a, theirs, group, both))
        except (RuntimeError, AttributeError) as refusal:
            others += ["-", str(refusal).splitlines()[0][:60]]
    else:
        others += ["", ""]
    print("| " + " | ".join([f"{type} {group}", f"{m}x{n}x{k}", f"{error:.2g}", f"{mine:.4f}", f"{graph:.4f}", f"{bytes / graph / 1e6:.0f}",
                             f"{bytes / graph / 1e6 / copied:.2f}", *others]) + " | " + made.stderr.strip().replace("note: for ", ""), flush=True)
    if wrong:
        failures += 1
        print("WRONG", (made.stderr + ran.stdout + ran.stderr)[-1200:], flush=True)


torch.manual_seed(0)
copied = copy_rate(1 << 30)
print(f"{heading(options.tessera)}; copy {copied:.0f} GB/s\n\n| B | rows, columns, K | error | ms | in a graph | GB/s | of a copy | bf16: ms | in a graph | torch's i4: ms | in a graph | |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|")
for text in options.cases.split(";"):
    type, group, size, *words = shlex.split(text)
    case(type, int(group), *map(int, size.split("x")), words)
raise SystemExit(1 if failures else 0)
