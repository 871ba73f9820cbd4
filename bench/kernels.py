#!/usr/bin/env python3
"""Real kernels on this machine's GPU: right numbers and times, beside torch in the same run.

  bench/kernels.py TESSERA FOLDER     TESSERA: the binary; FOLDER: <kernel>/input.mlir of $TESSERA_CORPUS

References are computed by torch in fp64 (or are exact); every case runs `tessera run --check --bench 30`. Kernels whose
sizes are in their types also run as bench/variants.py rewrites them. The table is Markdown, for docs/benchmarks.md. Exit
code 1 if a number is wrong.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os, re, subprocess, sys, tempfile, time
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import variants
from timing import median_ms

tessera, folder = sys.argv[1], Path(sys.argv[2])
only = sys.argv[3] if len(sys.argv) > 3 else ""
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0
# Seconds before each measurement, ours and torch's: large cases are limited by power, and the references heat the GPU.
PAUSE = 4


AS_BITS = {torch.bfloat16: ("bf16:", torch.int16), torch.float8_e4m3fn: ("f8E4M3FN:", torch.uint8)}


def save(name, tensor):
    """The tensor as .npy and what an --arg says of it: types that .npy has not go as their bits."""
    path = work / f"{name}.npy"
    prefix, bits = AS_BITS.get(tensor.dtype, ("", tensor.dtype))
    np.save(path, tensor.view(bits).cpu().numpy())
    return prefix + str(path)


def case(kernel, size, arguments, checks, rtol, atol, call=None, flops=0, nbytes=0, variant=None):
    """arguments: --arg texts; checks: {argument: reference tensor}; call: torch's own operation; variant: what makes the
    IR of another size."""
    global failures
    path = folder / kernel / "input.mlir"
    if variant:
        text, path = variant(path.read_text()), work / "variant.mlir"
        path.write_text(text)
    command = [tessera, "run", str(path), "--bench", "30", "--rtol", str(rtol), "--atol", str(atol)]
    for argument in arguments:
        command += ["--arg", argument]
    for number, reference in checks.items():
        command += ["--check", f"{number}={save(f'ref{number}', reference)}"]
    torch.cuda.synchronize()
    time.sleep(PAUSE)
    ran = subprocess.run(command, capture_output=True, text=True)
    ms = re.search(r"median ([0-9.]+) ms", ran.stdout)
    error = re.findall(r"max error ([0-9.e+-]+)", ran.stdout) or ["?"]
    right = ran.returncode == 0
    failures += not right
    # Below a microsecond of work the time is that of a launch.
    rate = lambda t: (f"{flops / t / 1e9:.0f} TFLOP/s" if flops > 1e9 else
                      f"{nbytes / t / 1e6:.0f} GB/s" if nbytes > 1e6 else "")
    mine = float(ms[1]) if ms else float("nan")
    if call:
        time.sleep(PAUSE)
    theirs = median_ms(call) if call else float("nan")
    print(f"| {kernel} | {size} | {'exact' if right and rtol == atol == 0 else error[0]} | {mine:.4f} | {rate(mine)} | "
          + (f"{theirs:.4f} | {rate(theirs)} |" if call else "| |") + ("" if right else f" WRONG ({ran.returncode})"), flush=True)
    if not right:
        print((ran.stdout + ran.stderr)[-1500:], flush=True)
    elif error == ["?"] and not (rtol == atol == 0):
        print(ran.stdout[-400:])


def randn(*shape, dtype=torch.float32):
    """Normal numbers; with UNIFORM=1 numbers from -1 to 1, which take less power and so run faster where power is the limit."""
    if os.environ.get("UNIFORM"):
        return (torch.rand(*shape, device="cuda") * 2 - 1).to(dtype)
    return torch.randn(*shape, device="cuda").to(dtype)


def adds(kernel, sizes, variant=None):
    for m, n in sizes:
        a, b = randn(m, n), randn(m, n)
        c = torch.empty_like(a)
        case(kernel, f"{m}x{n} f32", [save("a", a), save("b", b), f"out:f32:{m}x{n}"], {2: a + b}, 0, 0,
             lambda: torch.add(a, b, out=c), nbytes=12 * m * n,
             variant=variant and (lambda text: variant(text, m, n)))


def gemm(sizes):
    for m, n, k, l in sizes:
        a, b = randn(l, k, m, dtype=torch.half), randn(l, k, n, dtype=torch.half)
        ref = torch.stack([(a[i].double().T @ b[i].double()).float() for i in range(l)])
        # Mode order (m, k, l), with m innermost: the arrays are transposed views.
        at, bt = a.permute(2, 1, 0), b.permute(2, 1, 0)
        case("ampere_tensorop_gemm", f"{m}x{n}x{k}" + (f", {l} batches" if l > 1 else "") + ", f16",
             [save("a", at.contiguous()) + f":stride=1,{m},{m * k}", save("b", bt.contiguous()) + f":stride=1,{n},{n * k}",
              f"out:f16:{m}x{n}x{l}:stride={n},1,{m * n}"], {2: ref.permute(1, 2, 0).contiguous()}, 1e-3, 1e-2,
             lambda: torch.bmm(a.transpose(1, 2), b), flops=2 * m * n * k * l)


def static_gemm(sizes):
    k, l = 128, 16
    for m, n in sizes:
        a, b = randn(l, m, k, dtype=torch.half), randn(l, n, k, dtype=torch.half)
        ref = (a.double() @ b.double().transpose(1, 2)).float()
        case("ampere_call_from_jit", f"{m}x{n}x{k}, {l} batches, f16", [save("a", a), save("b", b), f"out:f16:{l}x{m}x{n}"],
             {2: ref}, 1e-3, 1e-2, lambda: torch.bmm(a, b.transpose(1, 2)), flops=2 * m * n * k * l,
             variant=None if (m, n) == (512, 256) else lambda text: variants.call_from_jit(text, m, n))


def attention(sizes):
    d = 128
    for batch, sq, sk, heads in sizes:
        q, k, v = (randn(batch, s, heads, d, dtype=torch.bfloat16) for s in (sq, sk, sk))
        ref = torch.empty(batch, sq, heads, d)
        for i in range(batch):
            for h in range(heads):
                scores = q[i, :, h].double() @ k[i, :, h].double().T * d**-0.5
                ref[i, :, h] = (torch.softmax(scores, -1) @ v[i, :, h].double()).float().cpu()
        qt, kt, vt = (x.transpose(1, 2) for x in (q, k, v))
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            case("ampere_flash_attention_v2", f"batch {batch}, {heads} head{'s' * (heads > 1)}, {sq} x {sk}, bf16",
                 [save("q", q), save("k", k), save("v", v), f"out:bf16:{batch}x{sq}x{heads}x{d}", f"f32:{d**-0.5!r}"],
                 {3: ref}, 1e-2, 4e-3, lambda: torch.nn.functional.scaled_dot_product_attention(qt, kt, vt),
                 flops=4 * batch * heads * sq * sk * d)


def constants():
    values = [0.5, 1.0, 2.0]
    for shapes, variant in (([(8, 4), (8, 2), (16, 2)], None), ([(4, 8), (2, 8), (2, 16)], variants.smem_allocator)):
        case("ampere_smem_allocator", " ".join(f"({m},{n})" for m, n in shapes) + " f32",
             [f"out:f32:{m}x{n}" for m, n in shapes],
             {i: torch.full(s, x) for i, (s, x) in enumerate(zip(shapes, values))}, 0, 0, variant=variant)


def rmsnorm(rows):
    n, eps = 4096, 1e-6
    for m in rows:
        x, w = randn(m, n, dtype=torch.bfloat16), randn(n, dtype=torch.bfloat16)
        ref = x.double() * torch.rsqrt(x.double().square().mean(1, keepdim=True) + eps) * w.double()
        case("blackwell_rmsnorm", f"{m}x{n}, bf16", [save("x", x), save("w", w), f"out:bf16:{m}x{n}", f"i32:{m}", f"f32:{eps}"],
             {2: ref.float()}, 8e-3, 1e-6, lambda: torch.nn.functional.rms_norm(x, (n,), w, eps), nbytes=4 * m * n)


def conversions():
    """Element by element: exact, as each result is the nearest number of its type."""
    for shape in ((4, 64, 2, 3, 5), (1, 128, 3, 64, 2)):
        a = randn(*shape, dtype=torch.half)
        # Mode 1 of the source and mode 3 of the result are innermost.
        strides, innermost = [0] * 5, 1
        for mode in (3, 0, 1, 2, 4):
            strides[mode], innermost = innermost, innermost * shape[mode]
        case("hopper_fmha", "x".join(map(str, shape)) + ", f16 to f32",
             [save("a", a) + ":stride=" + ",".join(map(str, a.permute(0, 2, 3, 4, 1).contiguous().permute(0, 4, 1, 2, 3).stride())),
              f"out:f32:{'x'.join(map(str, shape))}:stride={','.join(map(str, strides))}"], {1: a.float()}, 0, 0)
    for shape in ((64, 128, 1), (33, 256, 4)):
        a = randn(*shape)
        strides = f"{shape[1]},1,{shape[0] * shape[1]}"
        case("blackwell_mla", "x".join(map(str, shape)) + ", f32 to e4m3",
             [save("a", a) + ":stride=" + strides, f"out:f8E4M3FN:{'x'.join(map(str, shape))}:stride={strides}"],
             {1: a.to(torch.float8_e4m3fn).float()}, 0, 0)


def votes():
    # One warp; the predicate is lane < 10. ballot, any, all, uni.
    case("ampere_inline_ptx", "32 lanes", ["out:i32:32"] + ["out:i8:32"] * 3,
         {0: torch.full((32,), 0x3FF, dtype=torch.int32), 1: torch.ones(32, dtype=torch.int8),
          2: torch.zeros(32, dtype=torch.int8), 3: torch.zeros(32, dtype=torch.int8)}, 0, 0)


torch.manual_seed(0)
groups = {
    "add": lambda: adds("ampere_elementwise_add", [(1024, 512), (130, 257), (4096, 8192), (8191, 4099)]),
    "apply": lambda: (adds("ampere_elementwise_apply", [(4096, 4096)]),
                      adds("ampere_elementwise_apply", [(1024, 2560), (2048, 8192)], variants.elementwise_apply)),
    "pdl": lambda: adds("blackwell_programmatic_dependent_launch", [(1024, 512), (130, 257)]),
    "smem": constants,
    "votes": votes,
    "jit": lambda: static_gemm([(512, 256), (500, 200), (400, 136)]),
    "rmsnorm": lambda: rmsnorm([1, 7, 8192]),
    "convert": conversions,
    "gemm": lambda: gemm([(256, 256, 64, 1), (200, 136, 72, 2), (520, 264, 96, 3), (4096, 4096, 4096, 1), (8192, 8192, 8192, 1)]),
    "fa2": lambda: attention([(1, 128, 128, 2), (2, 200, 333, 3), (1, 77, 50, 1), (2, 2048, 2048, 16), (4, 8192, 8192, 16)]),
}
print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
print("| kernel | size | max error | ms | | torch ms | |\n|---|---|---|---|---|---|---|")
for name, run in groups.items():
    if only in name:
        run()
sys.exit(1 if failures else 0)
