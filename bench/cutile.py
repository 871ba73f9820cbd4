#!/usr/bin/env python3
"""Times kernels of cuTile Python on a GPU, compiled by the `tileiras` that stands in PATH, beside torch, Triton and a copy.

  bench/cutile.py SOURCES [--only WORD]

SOURCES is the folder of cuTile Python with its extension built, as run_suite.sh of the folder that TESSERA_CUTILE names builds it. Kernels
are those of its test/kernels and one of softmax; each size runs with several tiles, of which the fastest is told. A line has the rate inside
a CUDA graph and by call, those of torch and of Triton's best configuration, and how far the result is from torch's in f64 (in the norm).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import sys
from math import ceil
from pathlib import Path

import torch
import torch.nn.functional as F

from timing import copy_rate, median_graph_ms, median_ms
from triton_rows import triton_layernorm, triton_rmsnorm, triton_softmax

ROWS = [(8192, 1024), (8192, 4096), (8192, 8192), (4096, 16384)]
STREAM = torch.cuda.current_stream


def matrix(*shape, dtype=torch.bfloat16):
    return torch.empty(shape, device="cuda").uniform_(-1, 1).to(dtype)


def rounded_up(n):
    return 1 << (n - 1).bit_length()


class Case:
    """A program at a size: work by call (bytes, or operations), kernels by the names of their tiles, torch's call, Triton's, the result."""

    def __init__(self, name, size, work, kernels, torchs=None, tritons=(), result=None, expected=None, flops=False):
        self.name, self.size, self.work, self.kernels, self.torchs, self.tritons = name, size, work, kernels, torchs, tritons
        self.result, self.expected, self.flops = result, expected, flops

    def distance(self):
        if self.expected is None:
            return float("nan")
        want = self.expected()
        return ((self.result.double()[: want.shape[0]] - want).norm() / want.norm()).item()

    def show(self):
        scale, unit = (1e9, "TFLOP/s") if self.flops else (1e6, "GB/s")
        times, failed = {}, ""
        for tiles, call in self.kernels.items():
            try:
                call()
                torch.cuda.synchronize()
                times[tiles] = median_graph_ms(call, warm_ms=60)
            except Exception as error:
                failed = f"{tiles}: {type(error).__name__} {str(error).splitlines()[0][:90]}"
        if not times:
            print(f"{self.name:22} {self.size:18} none of its kernels ran; {failed}", flush=True)
            return
        best = min(times, key=times.get)
        self.result.zero_()
        self.kernels[best]()
        far = self.distance()
        rate = lambda ms: f"{self.work / ms / scale:7.0f}"
        torchs = rate(median_graph_ms(self.torchs, warm_ms=60)) if self.torchs else "      -"
        tritons = rate(min(median_graph_ms(call, warm_ms=60) for call in self.tritons)) if self.tritons else "      -"
        copy = "" if self.flops else f" copy {copy_rate(self.work):6.0f}"
        others = ", ".join(f"{t} {self.work / ms / scale:.0f}" for t, ms in sorted(times.items(), key=lambda item: item[1])[1:4])
        print(f"{self.name:22} {self.size:18} {rate(times[best])} {rate(median_ms(self.kernels[best]))} torch {torchs} triton {tritons}{copy} {unit:7} "
              f"{far:.1e} {best} ({others}) {failed}", flush=True)


def row_calls(kernel, m, n, *arguments):
    return [lambda warps=warps: kernel[(m,)](*arguments, BLOCK=rounded_up(n), num_warps=warps) for warps in (4, 8, 16)]


# --- the programs

def softmaxes(ct):
    @ct.kernel
    def softmax(X, Y, N: ct.Constant[int]):
        row = ct.bid(0)
        x = ct.load(X, index=(row, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        p = ct.exp(x - ct.max(x, axis=1, keepdims=True))
        ct.store(Y, index=(row, 0), tile=(p / ct.sum(p, axis=1, keepdims=True)).astype(Y.dtype))

    @ct.kernel
    def softmax_gather(X, Y, N: ct.Constant[int]):
        row, at = ct.bid(0), ct.arange(N, dtype=ct.int32)
        x = ct.gather(X, (row, at), padding_value=-float("inf")).astype(ct.float32)
        p = ct.exp(x - ct.max(x, axis=0, keepdims=True))
        ct.scatter(Y, (row, at), (p / ct.sum(p, axis=0, keepdims=True)).astype(Y.dtype))

    for m, n in ROWS + [(8192, 3000)]:
        x, y = matrix(m, n), matrix(m, n)
        yield Case("softmax", f"{m}x{n}", 4 * m * n,
                   {"row": lambda: ct.launch(STREAM(), (m,), softmax, (x, y, rounded_up(n))),
                    "row, gather": lambda: ct.launch(STREAM(), (m,), softmax_gather, (x, y, rounded_up(n)))},
                   lambda: torch.softmax(x, -1), row_calls(triton_softmax, m, n, x, y, n), y, lambda: torch.softmax(x[:512].double(), -1))


def rms_norms(ct):
    from kernels.rms_norm import rms_norm_kernel, rms_norm_kernel_gather, rms_norm_kernel_static_persistent

    for m, n in ROWS:
        x, w, y, r = matrix(m, n), matrix(n), matrix(m, n), torch.empty(m, device="cuda")
        kernels = {}
        for tile in (1024, 2048, 4096, 8192, 16384):
            if tile <= n:
                kernels[f"{tile}"] = lambda tile=tile: ct.launch(STREAM(), (m,), rms_norm_kernel, (x, w, y, r, n, 1e-5, tile))
                kernels[f"{tile}, gather"] = lambda tile=tile: ct.launch(STREAM(), (m,), rms_norm_kernel_gather, (x, w, y, r, n, 1e-5, tile))
        for rows in (2, 4, 8):
            for tile in (512, 1024, 4096):
                if tile <= n and rows * tile <= 16384:
                    kernels[f"{rows}x{tile}, persistent"] = lambda rows=rows, tile=tile: ct.launch(
                        STREAM(), (min(132, ceil(m / rows)),), rms_norm_kernel_static_persistent, (x, y, w, rows, tile, n, 1e-5))
        wd = w.double()
        yield Case("rms_norm", f"{m}x{n}", 4 * m * n, kernels, lambda: F.rms_norm(x, (n,), w, 1e-5), row_calls(triton_rmsnorm, m, n, x, w, y, n, 1e-5), y,
                   lambda: F.rms_norm(x[:512].double(), (n,), wd, 1e-5))


def layer_norms(ct):
    from kernels.layer_norm import layer_norm_fwd

    for m, n in ROWS + [(1000, 4000), (65536, 16384)]:
        x, w, b, y, mean, r = matrix(m, n), matrix(n), matrix(n), matrix(m, n), torch.empty(m, device="cuda"), torch.empty(m, device="cuda")
        kernels = {f"{tile}": lambda tile=tile: ct.launch(STREAM(), (m,), layer_norm_fwd, (x, w, b, y, mean, r, 1e-5, tile))
                   for tile in (1024, 2048, 4096, 8192, 16384) if tile <= rounded_up(n)}
        yield Case("layer_norm", f"{m}x{n}", 4 * m * n, kernels, lambda: F.layer_norm(x, (n,), w, b, 1e-5), row_calls(triton_layernorm, m, n, x, w, b, y, n, 1e-5), y,
                   lambda: F.layer_norm(x[:512].double(), (n,), w.double(), b.double(), 1e-5))


def silus(ct):
    from kernels.fused_moe import silu_and_mul_kernel

    for m, n in [(8192, 1024), (8192, 4096), (4096, 14336)]:
        both, y = matrix(m, 2 * n), matrix(m, n)
        a, b = both.chunk(2, dim=-1)
        yield Case("silu_and_mul", f"{m}x{n}", 6 * m * n, {"row": lambda: ct.launch(STREAM(), (m,), silu_and_mul_kernel, (a, b, y, rounded_up(n)))},
                   lambda: F.silu(a) * b, (), y, lambda: (F.silu(a.double()) * b.double()))


def additions(ct):
    from kernels.vec_add import vec_add_kernel_1d, vec_add_kernel_1d_gather, vec_add_kernel_2d

    for dtype, n in ((torch.float32, 1 << 26), (torch.float16, 1 << 26), (torch.float16, 10_000_019)):
        a, b, c = (matrix(n, dtype=dtype) for _ in range(3))
        kernels = {}
        for tile in (1024, 2048, 4096):
            kernels[f"{tile}"] = lambda tile=tile: ct.launch(STREAM(), (ceil(n / tile),), vec_add_kernel_1d, (a, b, c, tile))
            kernels[f"{tile}, gather"] = lambda tile=tile: ct.launch(STREAM(), (ceil(n / tile),), vec_add_kernel_1d_gather, (a, b, c, tile))
        yield Case(f"vec_add {str(dtype)[6:]}", f"{n}", 3 * n * a.element_size(), kernels, lambda: torch.add(a, b, out=c), (), c, lambda: a[:1000].double() + b[:1000].double())


def transposes(ct):
    from kernels.transpose import transpose_kernel

    for dtype, m, n in ((torch.bfloat16, 8192, 8192), (torch.float32, 8192, 8192), (torch.float16, 5000, 7001)):
        x, y = matrix(m, n, dtype=dtype), matrix(n, m, dtype=dtype)
        kernels = {f"{a}x{b}": lambda a=a, b=b: ct.launch(STREAM(), (ceil(m / a), ceil(n / b)), transpose_kernel, (x, y, a, b))
                   for a, b in ((32, 32), (64, 64), (128, 128), (64, 128), (128, 64))}
        yield Case(f"transpose {str(dtype)[6:]}", f"{m}x{n}", 2 * m * n * x.element_size(), kernels, lambda: y.copy_(x.t()), (), y, lambda: x.t()[:100].double())


def matmuls(ct):
    from kernels.matmul import batch_matmul_kernel, matmul_kernel, matmul_split_k_kernel, persistent_matmul_kernel

    for dtype, m, n, k in ((torch.float16, 1024, 1024, 1024), (torch.float16, 4096, 4096, 4096), (torch.float16, 8192, 8192, 8192), (torch.float16, 12288, 4096, 2560),
                           (torch.bfloat16, 4096, 4096, 4096), (torch.float32, 4096, 4096, 4096)):
        a, b, c = matrix(m, k, dtype=dtype), matrix(k, n, dtype=dtype), matrix(m, n, dtype=dtype)
        kernels = {}
        for tm, tn, tk in ((128, 128, 64), (128, 256, 64), (256, 128, 64), (64, 256, 64), (128, 128, 32), (128, 192, 64))[:5]:
            tiles = ceil(m / tm) * ceil(n / tn)
            kernels[f"{tm}x{tn}x{tk}"] = lambda g=tiles, t=(tm, tn, tk): ct.launch(STREAM(), (g,), matmul_kernel, (a, b, c, *t))
            kernels[f"{tm}x{tn}x{tk}, persistent"] = lambda g=min(132, tiles), t=(tm, tn, tk): ct.launch(STREAM(), (g,), persistent_matmul_kernel, (a, b, c, *t))
        yield Case(f"matmul {str(dtype)[6:]}", f"{m}x{n}x{k}", 2 * m * n * k, kernels, lambda: torch.matmul(a, b, out=c), (), c, lambda: a[:200].double() @ b.double(), flops=True)
    for dtype, m, n, k in ((torch.float16, 512, 512, 8192), (torch.float16, 256, 1024, 16384)):
        a, b, c = matrix(m, k, dtype=dtype), matrix(k, n, dtype=dtype), matrix(m, n, dtype=dtype)
        locks, counts = (torch.zeros(4096, dtype=torch.int32, device="cuda") for _ in range(2))
        kernels = {f"{tm}x{tn}x{tk}, {s} parts": lambda g=ceil(m / tm) * ceil(n / tn), t=(tm, tn, tk), s=s: ct.launch(
            STREAM(), (g, s), matmul_split_k_kernel, (a, b, c, locks, counts, *t, s)) for tm, tn, tk in ((128, 128, 64), (128, 64, 64)) for s in (4, 8)}
        yield Case(f"split k {str(dtype)[6:]}", f"{m}x{n}x{k}", 2 * m * n * k, kernels, lambda: torch.matmul(a, b, out=c), (), c, lambda: a[:200].double() @ b.double(), flops=True)
    for dtype, z, m, n, k in ((torch.float16, 8, 2048, 2048, 1024), (torch.bfloat16, 64, 512, 512, 512)):
        a, b, c = matrix(z, m, k, dtype=dtype), matrix(z, k, n, dtype=dtype), matrix(z, m, n, dtype=dtype)
        kernels = {f"{tm}x{tn}x{tk}": lambda t=(tm, tn, tk): ct.launch(STREAM(), (z, ceil(m / t[0]), ceil(n / t[1])), batch_matmul_kernel, (a, b, c, *t))
                   for tm, tn, tk in ((128, 256, 64), (128, 256, 128), (128, 128, 64))}
        yield Case(f"batches {str(dtype)[6:]}", f"{z}x{m}x{n}x{k}", 2 * z * m * n * k, kernels, lambda: torch.bmm(a, b, out=c), (), c, lambda: a[:1].double() @ b[:1].double(), flops=True)


def mixtures(ct):
    import bench_moe

    for tokens, hidden, experts, inner, topk in ((110, 1024, 16, 512, 4), (256, 2048, 1408, 32, 6), (4096, 4096, 8, 2048, 2)):
        x = torch.randn(tokens, hidden, device="cuda").mul_(0.5).half()
        w1, w2 = torch.randn(experts, 2 * inner, hidden, device="cuda").mul_(0.1).half(), torch.randn(experts, hidden, inner, device="cuda").mul_(0.1).half()
        ids = torch.stack([torch.randperm(experts, device="cuda")[:topk] for _ in range(tokens)])
        weights = torch.randn(tokens, topk, device="cuda").softmax(-1).half()
        sorted_ids, expert_of = bench_moe.moe_align_tile_size_torch(ids, 128, experts)
        first, last = torch.zeros(tokens, topk, 2 * inner, device="cuda").half(), torch.zeros(tokens, topk, hidden, device="cuda").half()
        middle, y = torch.zeros(tokens * topk, inner, device="cuda").half(), torch.zeros(tokens, hidden, device="cuda").half()

        def call():
            bench_moe.invoke_fused_moe_kernel(x, w1, first, weights, sorted_ids, expert_of, False, topk, 128, 128, 64)
            bench_moe.invoke_silu_and_mul_kernel(first.view(-1, 2 * inner), middle)
            bench_moe.invoke_fused_moe_kernel(middle, w2, last, weights, sorted_ids, expert_of, True, 1, 128, 128, 64)
            torch.sum(last, dim=1, out=y)
        yield Case("moe f16", f"{tokens},{hidden},{experts},{inner},{topk}", 6 * tokens * topk * hidden * inner, {"128x128x64": call}, None, (), y,
                   lambda: bench_moe.torch_moe(x.double(), w1.double(), w2.double(), weights.double(), ids), flops=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--only", default="", metavar="WORD", help="functions of this script whose name has this in it")
    options = parser.parse_args()
    sys.path[:0] = [str(options.sources / "src"), str(options.sources / "test")]
    import cuda.tile as ct

    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    print(f"{'program':22} {'size':18} in a graph, by call; fastest tiles (and the next)")
    for programs in (softmaxes, rms_norms, layer_norms, silus, additions, transposes, matmuls, mixtures):
        if any(word in programs.__name__ for word in options.only.split(",")):
            for case in programs(ct):
                case.show()


if __name__ == "__main__":
    main()
