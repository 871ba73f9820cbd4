#!/usr/bin/env python3
"""Hopper GEMMs on this machine's GPU: right numbers and times, beside torch (cuBLAS) in the same run.

  bench/gemm.py TESSERA KERNEL.mlir... [--shapes MxNxK,...] [--check] [--pause SECONDS]

KERNEL.mlir is what `tessera generate gemm` wrote, or hopper_dense_gemm of $TESSERA_CORPUS (three modes, the last of them 1).
Uniform numbers from -1 to 1; the median of 30 calls between two CUDA events, ours and torch's. --check compares every
element with torch's f64 product.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, re, statistics, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("kernels", nargs="+", type=Path)
parser.add_argument("--shapes", default="4096x4096x4096,8192x8192x8192")
parser.add_argument("--check", action="store_true")
parser.add_argument("--pause", type=float, default=1)
parser.add_argument("--dtype", default="")
options = parser.parse_args()
work = Path(tempfile.mkdtemp(prefix="tessera-bench."))
TYPES = {"f16": torch.half, "bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2,
         "i8": torch.int8, "tf32": torch.float32, "f32": torch.float32}


def median_ms(call, n=30):
    for _ in range(3):
        call()
    times = []
    for _ in range(n):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record(); call(); end.record(); torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def save(name, tensor, spelled):
    """The argument of a tensor: types that .npy has not go as their bits."""
    bits = {"bf16": torch.int16, "f8E4M3FN": torch.uint8, "f8E5M2": torch.uint8}.get(spelled, tensor.dtype)
    path = work / f"{name}.npy"
    np.save(path, tensor.contiguous().view(bits).cpu().numpy())
    return f"{spelled}:{path}" if bits != tensor.dtype else str(path)


def element(text):
    """The element types of A and D (that of A if there is no other), and how many modes the matrices have."""
    types = re.findall(r"!cute\.memref<(\w+), gmem, align<\d+>, \"\((\?(?:,\?)*)\):", text)
    others = [name for name, _ in types if name != types[0][0]]
    return types[0][0], (others or [types[0][0]])[0], types[0][1].count("?")


def uniform(*shape, dtype):
    if dtype == torch.int8:
        return torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8)
    return (torch.rand(*shape, device="cuda") * 2 - 1).to(dtype)


failures = 0
print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
print("| kernel | shape | max error | ms | TFLOP/s | torch ms | TFLOP/s | ratio |\n|---|---|---|---|---|---|---|---|")
for shape in options.shapes.split(","):
    m, n, k = map(int, shape.split("x"))
    reference, torch_ms = {}, {}
    for kernel in options.kernels:
        text = kernel.read_text()
        ab, d, modes = element(text)
        last = "x1" * (modes - 2)
        a, b = uniform(m, k, dtype=TYPES[ab]), uniform(n, k, dtype=TYPES[ab])
        command = [options.tessera, "run", str(kernel), "--bench", "30", "--timeout", "20"]
        if options.check:
            grow = lambda t: t.reshape(*t.shape, *[1] * (modes - 2))
            ref = (a.double() @ b.double().T).float()
            command += ["--arg", save("a", grow(a), ab), "--arg", save("b", grow(b), ab), "--arg", f"out:{d}:{m}x{n}{last}",
                        "--check", "2=" + save("ref", grow(ref), "f32"), "--rtol", "1e-2", "--atol", "1e-2"]
        else:
            command += ["--arg", f"rand:{ab}:{m}x{k}{last}:seed=1", "--arg", f"rand:{ab}:{n}x{k}{last}:seed=2",
                        "--arg", f"out:{d}:{m}x{n}{last}"]
        time.sleep(options.pause)
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        found = re.search(r"median ([0-9.]+) ms", ran.stdout)
        error = re.findall(r"max error ([0-9.e+-]+)", ran.stdout) or ["-"]
        if ab not in torch_ms:
            time.sleep(options.pause)
            if TYPES[ab].itemsize == 1:
                one = torch.tensor(1.0, device="cuda")
                call = lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=TYPES.get(d, torch.bfloat16), use_fast_accum=True)
                if ab == "i8":
                    call = lambda: torch._int_mm(a, b.T)
            else:
                torch.backends.cuda.matmul.allow_tf32 = True
                call = lambda: a @ b.T
            torch_ms[ab] = median_ms(call)
        rate = lambda ms: 2 * m * n * k / ms / 1e9
        mine, theirs = float(found[1]) if found else float("nan"), torch_ms[ab]
        print(f"| {kernel.stem} | {shape} | {error[0]} | {mine:.4f} | {rate(mine):.0f} | {theirs:.4f} | {rate(theirs):.0f} | "
              f"{theirs / mine:.3f} |", flush=True)
        if ran.returncode:
            failures += 1
            print((ran.stdout + ran.stderr)[-1500:], flush=True)
raise SystemExit(1 if failures else 0)
