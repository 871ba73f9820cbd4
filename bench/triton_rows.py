"""Rows in Triton, a block for each, to measure beside."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def triton_softmax(x, y, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, at < n, other=-float("inf")).to(tl.float32)
    p = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + at, p / tl.sum(p, 0), at < n)


@triton.jit
def triton_rmsnorm(x, w, y, n, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, at < n, other=0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, 0) / n + eps)
    tl.store(y + row * n + at, v * r * tl.load(w + at, at < n), at < n)


@triton.jit
def triton_layernorm(x, w, b, y, n, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, at < n, other=0).to(tl.float32)
    d = tl.where(at < n, v - tl.sum(v, 0) / n, 0)
    r = tl.rsqrt(tl.sum(d * d, 0) / n + eps)
    tl.store(y + row * n + at, d * r * tl.load(w + at, at < n) + tl.load(b + at, at < n), at < n)
