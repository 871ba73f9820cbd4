#!/usr/bin/env python3
"""Runs what Triton made of triton/kernels.py on the stand-in for the driver, against numpy: triton.py LIBRARIES [WORD]

LIBRARIES has libcuda.so.1. The PTX was recorded by triton/record.py, for sm_80, sm_90 and sm_100, so that neither Triton nor a GPU is needed.
Each kernel runs twice, the second time under the sanitizer, which must find nothing. With WORD only those whose name has it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import json
import math
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
GPUS = {"80": "a100", "90": "h100", "100": "b200"}
E4M3 = np.array([(-1) ** (i >> 7) * ((i & 7) / 512 if i >> 3 & 15 == 0 else (1 + (i & 7) / 8) * 2.0 ** ((i >> 3 & 15) - 7)) for i in range(256)])
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


class Driver:
    """Memory and launches by the driver's functions."""

    def __init__(self, library):
        self.calls = ctypes.CDLL(library)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuCtxCreate_v2", ctypes.byref(context), 0, device)

    def __call__(self, name, *arguments):
        status = getattr(self.calls, name)(*arguments)
        if status:
            sys.exit(f"{name} gave {status}, but expected 0")

    def memory(self, array):
        place = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(array.nbytes, 1)))
        self("cuMemcpyHtoD_v2", place, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        return place

    def read(self, place, like):
        out = np.empty_like(like)
        self("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), place, ctypes.c_size_t(out.nbytes))
        return out


class Kernel:
    def __init__(self, driver, text):
        said = json.loads(text.split("\n")[0].removeprefix("// "))
        self.driver, self.said = driver, said
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        driver("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        driver("cuModuleGetFunction", ctypes.byref(self.function), module, said["kernel"].encode())
        driver("cuFuncSetAttribute", self.function, 8, said["shared"])  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

    def __call__(self, grid, *arguments):
        """Launches with arrays, ints (i32) and floats (f32), and gives the arrays as they are afterwards."""
        grid = (*grid, 1, 1)[:3]
        places = [self.driver.memory(a) if isinstance(a, np.ndarray) else None for a in arguments]
        values = [p if p is not None else ctypes.c_float(a) if isinstance(a, float) else ctypes.c_int32(a) for p, a in zip(places, arguments)]
        scratch = ctypes.c_uint64(0)
        if self.said["scratch"]:
            scratch = self.driver.memory(np.zeros(self.said["scratch"] * math.prod(grid) + 128, np.uint8))
            scratch.value = -(-scratch.value // 128) * 128
        values += [scratch, ctypes.c_uint64(0)]  # the second is for Triton's profiler
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        self.driver("cuLaunchKernel", self.function, *grid, 32 * self.said["warps"], 1, 1, self.said["shared"], None, pointers, None)
        self.driver("cuCtxSynchronize")
        return [self.driver.read(p, a) for p, a in zip(places, arguments) if p is not None]


def near(what, got, expected, tolerance=0.0):
    """Element by element, to a part of the largest."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    worst = np.abs(got - expected).max() if got.size else 0
    allowed = tolerance * max(np.abs(expected).max(), 1e-30)
    assert got.shape == expected.shape and worst <= allowed, f"{what}: an element is {worst:.3g} away, but expected at most {allowed:.3g}"


rng = np.random.default_rng(7)
whole = lambda *shape: rng.integers(-3, 4, shape)
unit = lambda *shape: rng.standard_normal(shape)


def philox(seed, counter):
    """Salmon et al., "Parallel random numbers: as easy as 1, 2, 3": Philox 4x32 of ten rounds; the first word."""
    wide = np.uint64(0xFFFFFFFF)
    c = [counter.astype(np.uint64), *(np.zeros(counter.shape, np.uint64) for _ in range(3))]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [b >> np.uint64(32) ^ c[1] ^ np.uint64(key[0]), b & wide, a >> np.uint64(32) ^ c[3] ^ np.uint64(key[1]), a & wide]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c[0]


# --- What each kernel computes -----------------------------------------------------------------------------------------------------------


def add(kernel):
    x, y = (unit(5000).astype(np.float32) for _ in range(2))
    near("sum", kernel((5,), x, y, np.zeros(5000, np.float32), 5000)[2], x + y)


def softmax(kernel):
    x = unit(7, 790).astype(np.float32)
    got = kernel((3,), x, np.full_like(x, 9), 7, 781, 790)[1]
    power = np.exp(x[:, :781] - x[:, :781].max(1, keepdims=True).astype(np.float64))
    near("softmax", got[:, :781], power / power.sum(1, keepdims=True), 1e-6)
    near("beside the rows", got[:, 781:], np.full((7, 9), 9))


def matmul(kernel, m=200, n=136, k=104, leaky=False, tile=64, dtype=np.float16):
    a, b = whole(m, k), whole(k, n)
    if dtype == np.uint8:
        code = {v: i for i, v in enumerate(E4M3)}
        stored = [np.vectorize(lambda v: code[float(v)])(x).astype(np.uint8) for x in (a, b)]
    else:
        stored = [a.astype(dtype), b.astype(dtype)]
    c = np.zeros((m, n), np.float32 if dtype == np.float32 else np.float16)
    tiles = -(-m // tile) * -(-n // tile)
    got = kernel((tiles,), *stored, c, m, n, k, k, n, n)[2]
    expected = (a @ b).astype(np.float64)
    near("product", got, np.where(expected >= 0, expected, expected * 0.01) if leaky else expected, 1e-3 if leaky else 0)


def dropout(kernel):
    x = unit(3000).astype(np.float32)
    got = kernel((3,), x, np.zeros_like(x), 3000, 0.4, 123456789)[1]
    word = philox(123456789, np.arange(3000)).astype(np.uint32).view(np.int32).astype(np.int64)
    chance = np.where(word < 0, -word - 1, word).astype(np.float32) * np.float32(4.6566127342e-10)
    near("dropout", got, np.where(chance > np.float32(0.4), x / (1 - np.float32(0.4)), 0), 1e-6)


def layer_norm(kernel):
    x, w, b = unit(9, 1000).astype(np.float16), unit(1000).astype(np.float16), unit(1000).astype(np.float16)
    got = kernel((9,), x, np.zeros_like(x), w, b, np.zeros(9, np.float32), np.zeros(9, np.float32), 1000, 1000, 1e-5)
    wide = x.astype(np.float64)
    scale = 1 / np.sqrt(wide.var(1) + 1e-5)
    near("mean", got[4], wide.mean(1), 1e-5)
    near("scale", got[5], scale, 1e-5)
    near("row", got[1], (wide - wide.mean(1, keepdims=True)) * scale[:, None] * w + b, 2e-3)


def layer_norm_back(kernel):
    rows, columns, slots = 11, 600, 4
    x, dy, w = unit(rows, columns).astype(np.float16), unit(rows, columns).astype(np.float16), unit(columns).astype(np.float16)
    wide, dout, weight = (t.astype(np.float64) for t in (x, dy, w))
    mean, scale = wide.mean(1), 1 / np.sqrt(wide.var(1) + 1e-5)
    parts = np.zeros((slots, columns), np.float32)
    got = kernel((rows,), np.zeros_like(x), dy, parts, parts.copy(), x, w, mean.astype(np.float32), scale.astype(np.float32), np.zeros(2 * slots, np.int32),
                 columns, columns)
    normal = (wide - mean[:, None]) * scale[:, None]
    weighted = weight * dout
    first, second = (normal * weighted).mean(1, keepdims=True), weighted.mean(1, keepdims=True)
    near("dx", got[0], (weighted - normal * first - second) * scale[:, None], 2e-3)
    near("dw", got[2].sum(0), (dout * normal).sum(0), 1e-5)
    near("db", got[3].sum(0), dout.sum(0), 1e-5)
    near("locks", got[8], [0] * slots + [1] * slots)


def add_rows(kernel):
    x = whole(70, 300).astype(np.float32)
    near("sums", kernel((3,), x, np.zeros(300, np.float32), 70, 300)[1], x.sum(0))


def attention(kernel, causal=False, tile=128):
    heads, length = 2, 200
    q, k, v = (unit(heads, length, 64).astype(np.float16) for _ in range(3))
    got = kernel((-(-length // tile), heads), q, k, v, np.zeros_like(q), 0.125, length)[3]
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * 0.125
    if causal:
        scores[:, np.triu(np.ones((length, length), bool), 1)] = -np.inf
    power = np.exp(scores - scores.max(-1, keepdims=True))
    near("attention", got, power / power.sum(-1, keepdims=True) @ v.astype(np.float64), 4e-3)


def attention_tma(kernel):
    heads, length = 2, 256
    q, k, v = (unit(heads * length, 64).astype(np.float16) for _ in range(3))
    got = kernel((length // 128, heads), q, k, v, np.zeros_like(q), 0.125, heads, length)[3]
    wide = [x.astype(np.float64).reshape(heads, length, 64) for x in (q, k, v)]
    power = np.exp(wide[0] @ wide[1].transpose(0, 2, 1) * 0.125)
    near("attention", got.reshape(heads, length, 64), power / power.sum(-1, keepdims=True) @ wide[2], 4e-3)


def product(kernel, m, n, k, dtype, out, tolerance=0.0):
    if tolerance:
        a, b = (unit(*shape).astype(dtype) for shape in ((m, k), (k, n)))
        stored = [a, b]
    else:
        a, b = whole(m, k), whole(k, n)
        stored = [x.astype(np.float32).view(np.uint32).__rshift__(16).astype(np.uint16) if dtype == "bf16" else x.astype(dtype) for x in (a, b)]
    near("product", kernel((1,), *stored, np.zeros((m, n), out))[2], a.astype(np.float64) @ b.astype(np.float64), tolerance)


def atomics(kernel):
    n = 700
    x = whole(n).astype(np.float32)
    start = np.zeros(16, np.float32)
    got = kernel((3,), x, start, np.zeros(16, np.float16), start - 50, start + 50, np.zeros(16, np.int64), n)
    columns = [x[i::16].astype(np.float64) for i in range(16)]
    near("sums", got[1], [c.sum() for c in columns])
    near("sums of f16", got[2], [c.sum() for c in columns])
    near("most", got[3], [c.max() for c in columns])
    near("least", got[4], [c.min() for c in columns])
    near("xor", got[5], [np.bitwise_xor.reduce(np.arange(i, n, 16)) << 20 for i in range(16)])


def asin(kernel):
    x = rng.uniform(-1, 1, 1000).astype(np.float32)
    near("asin", kernel((2,), x, np.zeros_like(x), 1000)[1], np.arcsin(x.astype(np.float64)), 2e-7)


def grouped(kernel):
    sizes = [(130, 64, 72), (1, 200, 40), (64, 64, 32), (100, 7, 136)]
    products = [(whole(m, k).astype(np.float16), whole(k, n).astype(np.float16), np.zeros((m, n), np.float16)) for m, n, k in sizes]
    places = [[kernel.driver.memory(x) for x in product] for product in products]
    lists = [np.array([p[i].value for p in places], np.int64) for i in range(3)]
    kernel((3,), *lists, np.array(sizes, np.int32), len(sizes))
    for (a, b, c), place in zip(products, places):
        near("product", kernel.driver.read(place[2], c), a.astype(np.float64) @ b.astype(np.float64))


def persistent(kernel):
    m, n, k = 300, 264, 136
    a, b = whole(m, k).astype(np.float16), whole(n, k).astype(np.float16)
    near("product", kernel((3,), a, b, np.zeros((m, n), np.float16), m, n, k)[2], a.astype(np.float64) @ b.astype(np.float64).T)


def scaled(kernel, bits):
    m, n, k = 200, 72, 256
    if bits == 8:
        a, b = (rng.integers(0, 256, (rows, k)).astype(np.uint8) & 0xBF for rows in (m, n))  # no NaN among them
        values = [E4M3[x] for x in (a, b)]
    else:
        codes = [rng.integers(0, 16, (rows, k)) for rows in (m, n)]
        values = [E2M1[x] for x in codes]
        a, b = ((x[:, ::2] | x[:, 1::2] << 4).astype(np.uint8) for x in codes)
    factors = [rng.integers(125, 130, (rows, k // 32)).astype(np.uint8) for rows in (m, n)]
    wide = [v * np.repeat(2.0 ** (f.astype(np.int64) - 127), 32, 1) for v, f in zip(values, factors)]
    got = kernel((2, 2), a, factors[0], b, factors[1], np.zeros((m, n), np.float32), m, n, k)[4]
    near("product", got, wide[0] @ wide[1].T, 1e-6)


def lists(kernel):
    x = rng.integers(-1000, 1000, (2, 256)).astype(np.int32)
    got = kernel((2,), x, *(np.zeros_like(x) for _ in range(3)), np.zeros(64, np.int32), np.zeros_like(x))
    near("sums", got[1], np.cumsum(x, 1))
    near("most", got[2], np.maximum.accumulate(x, 1))
    near("in order", got[3], np.sort(x, 1))
    near("counts", got[4], np.bincount((x & 63).ravel(), minlength=64))
    near("turned", got[5], x[:, ::-1])


# What each report of a kernel says under the sanitizer that has a fault. Triton's own tutorial has this lock; and where nothing is stored to shared
# memory before, Triton 3.6 lets a bulk copy use an mbarrier that no fence has shown to the async proxy (CUDA C++ Programming Guide, on bulk copies).
FAULTS = {"layer-norm-back-open": "races with", "attention-tma": "may miss mbarrier.init", "attention-apart": "may miss mbarrier.init",
          "persistent-apart": "may miss mbarrier.init"}
TESTS = {
    "add": add, "softmax": softmax, "matmul-64": lambda k: matmul(k, leaky=True), "matmul-128": lambda k: matmul(k, 200, 264, 200, tile=128),
    "matmul-tf32": lambda k: matmul(k, dtype=np.float32), "matmul-e4m3": lambda k: matmul(k, k=160, dtype=np.uint8), "dropout": dropout,
    "layer-norm": layer_norm, "layer-norm-back": layer_norm_back, "add-rows": add_rows, "attention": attention,
    "attention-causal": lambda k: attention(k, True, 64), "asin": asin, "grouped": grouped, "persistent": persistent,
    "scaled-mxf8": lambda k: scaled(k, 8), "scaled-mxf4": lambda k: scaled(k, 4), "lists": lists,
    "layer-norm-back-open": layer_norm_back, "persistent-apart": persistent, "attention-tma": attention_tma, "attention-apart": attention_tma,
    "product-i8": lambda k: product(k, 64, 64, 64, np.int8, np.int32), "product-bf16": lambda k: product(k, 32, 128, 64, "bf16", np.float32),
    "product-tf32x3": lambda k: product(k, 64, 64, 32, np.float32, np.float32, 1e-6),
    "product-f32": lambda k: product(k, 32, 32, 32, np.float32, np.float32, 1e-6),
    "product-f64": lambda k: product(k, 16, 16, 16, np.float64, np.float64, 1e-15), "atomics": atomics,
}


def main():
    if sys.argv[1] == "--one":  # LIBRARY NAME, the PTX on stdin
        TESTS[sys.argv[3]](Kernel(Driver(sys.argv[2]), sys.stdin.read()))
        return 0
    library, word = Path(sys.argv[1]) / "libcuda.so.1", sys.argv[2] if len(sys.argv) > 2 else ""
    failed = ran = 0
    with tarfile.open(HERE / "triton/recorded.tar.xz") as archive:
        for member in sorted((m for m in archive.getmembers() if m.isfile() and word in m.name), key=lambda m: m.name):
            text = archive.extractfile(member).read().decode()
            name, target = Path(member.name).name.removesuffix(".ptx").rsplit(".sm", 1)
            for check in ("", "1"):
                env = {k: v for k, v in os.environ.items() if not k.startswith("TESSERA_")} | {"TESSERA_GPU": GPUS[target]}
                done = subprocess.run([sys.executable, __file__, "--one", library, name], input=text, capture_output=True, text=True, timeout=600,
                                      env=env | ({"TESSERA_CHECK": check} if check else {}))
                ran += 1
                fault = FAULTS.get(name) if check else None
                reports = [line for line in done.stderr.splitlines() if line.startswith("tessera: ") and "kernel '" in line]
                if done.returncode != (5 if fault else 0) or any(fault not in report for report in reports):
                    failed += 1
                    print(f"FAILED {name} for sm_{target}{', under the sanitizer' if check else ''}: {done.stderr.strip()[-1500:]}")
    print(f"{ran} runs, {failed} failed")
    return failed > 0 or ran == 0


if __name__ == "__main__":
    sys.exit(main())
