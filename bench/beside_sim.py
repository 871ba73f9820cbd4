#!/usr/bin/env python3
"""Whole kernels on this machine's GPU and on the simulator, from the same bytes: bench/beside_sim.py TESSERA [WORD]

Kernels of $TESSERA_CORPUS, what bench/majors.py and bench/variants.py derive from them, examples/ and what `tessera generate` writes, at
small sizes. Each runs with small integers, whose products and sums are exact, so that results have to agree bit for bit, and with normal
numbers, where the order of sums and the width that tensor cores keep of them show; the table says how many elements differ and by how much.
WORD chooses cases by name. Exit code 1 if a result of integers, or of a kernel without sums, differs.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import majors, variants

tessera = Path(sys.argv[1]).resolve()
word = sys.argv[2] if len(sys.argv) > 2 else ""
root = Path(__file__).resolve().parent.parent
corpus = Path(os.environ["TESSERA_CORPUS"]) if "TESSERA_CORPUS" in os.environ else None
folder = tempfile.TemporaryDirectory(prefix="tessera-beside.")
work = Path(folder.name)

# 8-bit formats as exponent bits, mantissa bits, bias.
NARROW = {"f8E4M3FN": (4, 3, 7), "f8E5M2": (5, 2, 15)}


def codes(values, kind):
    """The codes of the nearest numbers of an 8-bit format that are not larger: enough for random operands."""
    exponents, mantissa, bias = NARROW[kind]
    sign, x = np.signbit(values).astype(np.uint8) << 7, np.abs(values).astype(np.float64)
    e = np.clip(np.floor(np.log2(np.maximum(x, 1e-30))), 1 - bias, (1 << exponents) - 2 - bias)
    steps = np.floor(x / 2.0 ** (e - mantissa)).astype(int)
    code = np.where(steps >> mantissa, ((e + bias).astype(int) << mantissa) + (steps & ((1 << mantissa) - 1)), steps)
    return sign | code.astype(np.uint8)


def stored(values, kind):
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind in NARROW:
        return codes(values, kind)
    return values.astype({"f16": np.float16, "f32": np.float32, "i8": np.int8, "u8": np.uint8}[kind])


class Operand:
    """A tensor of random numbers, as an argument."""

    def __init__(self, kind, *shape, tail=""):
        self.kind, self.shape, self.tail = kind, shape, tail

    def argument(self, rng, integers, path):
        values = rng.integers(-2, 3, self.shape) if integers or self.kind[0] in "iu" else rng.standard_normal(self.shape)
        if self.kind == "u8":
            values = np.abs(values)
        np.save(path, stored(np.asarray(values, np.float64), self.kind))
        return f"{self.kind}:{path}{self.tail}"


def sources():
    """(name, file, arguments, whether it has sums that are rounded)"""
    def generated(name, what, *options):
        path = work / f"{name}.mlir"
        subprocess.run([tessera, "generate", what, *options, "-o", path], check=True, stderr=subprocess.DEVNULL)
        return path

    def derived(name, text):
        path = work / f"{name}.mlir"
        path.write_text(text)
        return path

    def product(m, n, k, ab, d, last="", a=None, b=None):
        shape = lambda *s: (*s, *[1] * (last != ""))
        return [Operand(a or ab, *shape(m, k)), Operand(b or ab, *shape(n, k)), f"out:{d}:{m}x{n}{last}"]

    if corpus:
        file = lambda name: corpus / name / "input.mlir"
        text = lambda name: file(name).read_text()
        for name in ("ampere_elementwise_add", "blackwell_programmatic_dependent_launch"):
            yield name, file(name), [Operand("f32", 130, 257), Operand("f32", 130, 257), "out:f32:130x257"], False
        yield "ampere_elementwise_apply", derived("apply", variants.elementwise_apply(text("ampere_elementwise_apply"), 128, 512)), \
            [Operand("f32", 128, 512), Operand("f32", 128, 512), "out:f32:128x512"], False
        yield "ampere_smem_allocator", file("ampere_smem_allocator"), ["out:f32:8x4", "out:f32:8x2", "out:f32:16x2"], False
        yield "ampere_inline_ptx", file("ampere_inline_ptx"), ["out:i32:32"] + ["out:i8:32"] * 3, False
        yield "ampere_call_from_jit", derived("jit", variants.call_from_jit(text("ampere_call_from_jit"), 400, 136)), \
            [Operand("f16", 16, 400, 128), Operand("f16", 16, 136, 128), "out:f16:16x400x136"], True
        m, n, k, l = 200, 136, 72, 2
        yield "ampere_tensorop_gemm", file("ampere_tensorop_gemm"), \
            [Operand("f16", m, k, l, tail=f":stride=1,{m},{m * k}"), Operand("f16", n, k, l, tail=f":stride=1,{n},{n * k}"),
             f"out:f16:{m}x{n}x{l}:stride={n},1,{m * n}"], True
        yield "ampere_flash_attention_v2", file("ampere_flash_attention_v2"), \
            [Operand("bf16", 1, 200, 2, 128) for _ in "qkv"] + ["out:bf16:1x200x2x128", "f32:0.0883883"], True
        yield "blackwell_rmsnorm", file("blackwell_rmsnorm"), \
            [Operand("bf16", 7, 4096), Operand("bf16", 4096), "out:bf16:7x4096", "i32:7", "f32:1e-6"], True
        yield "hopper_dense_gemm", file("hopper_dense_gemm"), product(256, 384, 200, "f16", "f16", "x1"), True
        pretty = (corpus / "hopper_dense_gemm" / "input_pretty.mlir").read_text()
        for major in ("mk", "km", "mm"):
            yield f"hopper_dense_gemm {major}", derived(f"hopper-{major}", majors.hopper_dense_gemm(pretty, major)), \
                product(256, 384, 200, "f16", "f16", "x1"), True
    yield "examples/gemm.mlir", root / "examples/gemm.mlir", product(200, 136, 72, "f16", "f16"), True
    for i, (options, a, b, d, m, n, k) in enumerate((
            ("--ab bf16 --d bf16", "bf16", "bf16", "bf16", 128, 256, 64),
            ("--ab f16 --d f32 --tile-n 128", "f16", "f16", "f32", 200, 264, 136),
            ("--ab bf16 --d f32 --cluster 2", "bf16", "bf16", "f32", 512, 320, 128),
            ("--ab f16 --d f32 --major mm --tile-n 64", "f16", "f16", "f32", 136, 200, 72),
            ("--ab f8E4M3FN --d f32 --tile-n 128", "f8E4M3FN", "f8E4M3FN", "f32", 128, 136, 256),
            ("--a f8E5M2 --b f8E4M3FN --d bf16", "f8E5M2", "f8E4M3FN", "bf16", 200, 72, 336),
            ("--ab tf32 --d f32", "f32", "f32", "f32", 136, 72, 200), ("--ab i8 --d i32", "i8", "i8", "i32", 200, 136, 336))):
        yield f"generate gemm {options}", generated(f"gemm{i}", "gemm", *options.split()), product(m, n, k, a, d, a=a, b=b), True
    for i, options in enumerate(("", "--causal", "--head-dim 64 --causal --consumers 2")):
        dim = 64 if "64" in options else 128
        yield f"generate attention {options}", generated(f"attention{i}", "attention", *options.split()), \
            [Operand("bf16", 1, n, 2, dim) for n in (200, 333, 333)] + [f"out:bf16:1x200x2x{dim}", f"f32:{dim ** -0.5!r}"], True


def run(case):
    """A line of the table, and what is wrong if anything."""
    index, name, file, arguments, sums, integers = case
    rng = np.random.default_rng(index)
    given = [a.argument(rng, integers, work / f"{index}-{i}.npy") if isinstance(a, Operand) else a for i, a in enumerate(arguments)]
    outputs = [i for i, a in enumerate(arguments) if isinstance(a, str) and a.startswith("out:")]
    saved = {}
    for device in ("gpu", "sim"):
        command = [tessera, "run", file, "--device", device, "--timeout", "60" if device == "gpu" else "0"]
        for argument in given:
            command += ["--arg", argument]
        for i in outputs:
            command += ["--save", f"{i}={work}/{index}-{device}-{i}.npy"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return f"| {name} | not run on {device} |", (ran.stdout + ran.stderr)[-600:]
        saved[device] = [np.load(f"{work}/{index}-{device}-{i}.npy") for i in outputs]
    elements = different = 0
    largest = 0.0
    for i, gpu, sim in zip(outputs, saved["gpu"], saved["sim"]):
        elements += gpu.size
        unequal = gpu.view(np.uint8).reshape(gpu.size, -1) != sim.view(np.uint8).reshape(sim.size, -1)
        different += int(unequal.any(axis=1).sum())
        if given[i].startswith("out:bf16"):
            gpu, sim = ((x.view(np.uint16).astype(np.uint32) << 16).view(np.float32) for x in (gpu, sim))
        scale = np.abs(gpu.astype(np.float64)).max() or 1.0
        largest = max(largest, float(np.abs(gpu.astype(np.float64) - sim.astype(np.float64)).max() / scale))
    kind = "integers" if integers else "normal"
    attends = "attention" in name or "rmsnorm" in name # exponentials and roots are approximations
    wrong = f"{name}: {different} of {elements} elements differ" if different and not attends and (integers or not sums) else ""
    return f"| {name} | {kind} | {elements} | {different} | {largest:.2g} |", wrong


cases = [(2 * i + integers, *source, integers) for i, source in enumerate(sources()) if word in source[0] for integers in (1, 0)]
print("| kernel | numbers | elements | differ | largest difference, of the largest element |\n|---|---|---|---|---|")
failures = 0
with ThreadPoolExecutor(4) as pool:
    for line, wrong in pool.map(run, cases):
        print(line, flush=True)
        if wrong:
            failures += 1
            print(wrong, flush=True)
print(f"\n{len(cases)} runs, {failures} wrong")
sys.exit(1 if failures else 0)
