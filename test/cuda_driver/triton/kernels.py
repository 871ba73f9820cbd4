"""Kernels in the style of Triton's tutorials, and record.py's table of what is compiled of them.

Written for the tests; test/cuda_driver/triton.py runs their recorded PTX. Needs Triton.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, rows, columns, pitch, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        at = tl.arange(0, BLOCK)
        inside = at < columns
        value = tl.load(x + row * pitch + at, mask=inside, other=-float("inf"))
        power = tl.exp(value - tl.max(value, axis=0))
        tl.store(out + row * pitch + at, power / tl.sum(power, axis=0), mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, am, bk, cm, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr, LEAKY: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, M), tl.cdiv(n, N)
    pid = tl.program_id(0)
    of_group = GROUP * tiles_n
    first = pid // of_group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m, tile_n = first + pid % of_group % height, pid % of_group // height
    rows, columns, inner = (tile_m * M + tl.arange(0, M)) % m, (tile_n * N + tl.arange(0, N)) % n, tl.arange(0, K)
    from_a, from_b = a + rows[:, None] * am + inner[None, :], b + inner[:, None] * bk + columns[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for step in range(tl.cdiv(k, K)):
        left = k - step * K
        total = tl.dot(tl.load(from_a, mask=inner[None, :] < left, other=0.0), tl.load(from_b, mask=inner[:, None] < left, other=0.0), total)
        from_a += K
        from_b += K * bk
    if LEAKY:
        total = tl.where(total >= 0, total, 0.01 * total)
    rows, columns = tile_m * M + tl.arange(0, M), tile_n * N + tl.arange(0, N)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside)
    tl.store(out + at, tl.where(tl.rand(seed, at) > p, value / (1 - p), 0.0), mask=inside)


@triton.jit
def layer_norm(x, y, w, b, means, scales, pitch, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * pitch + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * pitch + at, mask=at < columns, other=0.0).to(tl.float32)
        away = tl.where(at < columns, value - mean, 0.0)
        total += away * away
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + eps)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        value = tl.load(x + row * pitch + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + row * pitch + at, (value - mean) * scale * tl.load(w + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


@triton.jit
def layer_norm_back(dx, dy, dw, db, x, w, means, scales, locks, pitch, columns, SLOTS: tl.constexpr, BLOCK: tl.constexpr, WAITS: tl.constexpr):
    """dx of a row, and its part of dw and db added to a slot that rows share under a lock.

    Without WAITS, as Triton's tutorial has it, a warp may look at the count after another one of its block has written it.
    """
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    slot = row % SLOTS
    value = tl.load(x + row * pitch + at, mask=inside, other=0.0).to(tl.float32)
    dout = tl.load(dy + row * pitch + at, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(scales + row)
    normal = tl.where(inside, (value - tl.load(means + row)) * scale, 0.0)
    weighted = tl.where(inside, weight * dout, 0.0)
    first = tl.sum(normal * weighted, axis=0) / columns
    second = tl.sum(weighted, axis=0) / columns
    tl.store(dx + row * pitch + at, (weighted - (normal * first + second)) * scale, mask=inside)
    part_w, part_b = dout * normal, dout
    lock, count = locks + slot, locks + SLOTS + slot
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    seen = tl.load(count)
    if WAITS:
        tl.debug_barrier()
    if seen == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_w += tl.load(dw + slot * columns + at, mask=inside)
        part_b += tl.load(db + slot * columns + at, mask=inside)
    tl.store(dw + slot * columns + at, part_w, mask=inside)
    tl.store(db + slot * columns + at, part_b, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def add_rows(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    column = tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, rows, M):
        row = start + tl.arange(0, M)
        total += tl.load(x + row[:, None] * columns + column[None, :], mask=(row[:, None] < rows) & (column[None, :] < columns), other=0.0)
    tl.store(out + column, tl.sum(total, axis=0), mask=column < columns)


@triton.jit
def attention(q, k, v, out, scale, length, CAUSAL: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    tile, head = tl.program_id(0), tl.program_id(1)
    rows, inner = tile * M + tl.arange(0, M), tl.arange(0, D)
    base = head.to(tl.int64) * length * D
    queries = tl.load(q + base + rows[:, None] * D + inner[None, :], mask=rows[:, None] < length, other=0.0)
    most = tl.full([M], -float("inf"), tl.float32)
    weight = tl.zeros([M], tl.float32)
    total = tl.zeros([M, D], tl.float32)
    scale *= 1.44269504
    end = min((tile + 1) * M, length) if CAUSAL else length
    for start in range(0, end, N):
        columns = start + tl.arange(0, N)
        keys = tl.load(k + base + columns[None, :] * D + inner[:, None], mask=columns[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys) * scale
        seen = columns[None, :] < length
        if CAUSAL:
            seen = seen & (rows[:, None] >= columns[None, :])
        scores = tl.where(seen, scores, -1e30)
        greater = tl.maximum(most, tl.max(scores, 1))
        power = tl.math.exp2(scores - greater[:, None])
        shrunk = tl.math.exp2(most - greater)
        weight = weight * shrunk + tl.sum(power, 1)
        values = tl.load(v + base + columns[:, None] * D + inner[None, :], mask=columns[:, None] < length, other=0.0)
        total = tl.dot(power.to(values.dtype), values, total * shrunk[:, None])
        most = greater
    tl.store(out + base + rows[:, None] * D + inner[None, :], (total / weight[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < length)


@triton.jit
def attention_tma(q, k, v, out, scale, heads, length, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, APART: tl.constexpr):
    """The same through tensor maps that the kernel makes; lengths are multiples of tiles."""
    tile, head = tl.program_id(0), tl.program_id(1)
    rows = heads * length
    from_q = tl.make_tensor_descriptor(q, shape=[rows, D], strides=[D, 1], block_shape=[M, D])
    from_k = tl.make_tensor_descriptor(k, shape=[rows, D], strides=[D, 1], block_shape=[N, D])
    from_v = tl.make_tensor_descriptor(v, shape=[rows, D], strides=[D, 1], block_shape=[N, D])
    to_out = tl.make_tensor_descriptor(out, shape=[rows, D], strides=[D, 1], block_shape=[M, D])
    first = head * length
    most = tl.full([M], -float("inf"), tl.float32)
    weight = tl.zeros([M], tl.float32)
    total = tl.zeros([M, D], tl.float32)
    scale *= 1.44269504
    queries = from_q.load([first + tile * M, 0])
    for start in tl.range(0, length, N, warp_specialize=APART):
        scores = tl.dot(queries, from_k.load([first + start, 0]).T) * scale
        greater = tl.maximum(most, tl.max(scores, 1))
        power = tl.math.exp2(scores - greater[:, None])
        shrunk = tl.math.exp2(most - greater)
        weight = weight * shrunk + tl.sum(power, 1)
        total = tl.dot(power.to(tl.float16), from_v.load([first + start, 0]), total * shrunk[:, None])
        most = greater
    to_out.store([first + tile * M, 0], (total / weight[:, None]).to(tl.float16))


@triton.jit
def products(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    """One tile of a product."""
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left, right = tl.load(a + rows[:, None] * K + inner[None, :]), tl.load(b + inner[:, None] * N + columns[None, :])
    tl.store(c + rows[:, None] * N + columns[None, :], tl.dot(left, right, input_precision=PRECISION, out_dtype=c.dtype.element_ty))


@triton.jit
def atomics(x, sums, halves, most, least, wide, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0.0)
    place = at % 16
    tl.atomic_add(sums + place, value, mask=inside)
    tl.atomic_add(halves + place, value.to(tl.float16), mask=inside)
    tl.atomic_max(most + place, value, mask=inside)
    tl.atomic_min(least + place, value, mask=inside)
    tl.atomic_xor(wide + place, at.to(tl.int64) << 20, mask=inside, sem="relaxed")


@triton.jit
def asin(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, libdevice.asin(tl.load(x + at, mask=inside)), mask=inside)


@triton.jit
def grouped(places_a, places_b, places_c, extents, count, SMS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tile = tl.program_id(0)
    before = 0
    for group in range(count):
        m, n, k = tl.load(extents + group * 3), tl.load(extents + group * 3 + 1), tl.load(extents + group * 3 + 2)
        tiles_n = tl.cdiv(n, N)
        tiles = tl.cdiv(m, M) * tiles_n
        while (tile >= before) & (tile < before + tiles):
            a = tl.load(places_a + group).to(tl.pointer_type(tl.float16))
            b = tl.load(places_b + group).to(tl.pointer_type(tl.float16))
            c = tl.load(places_c + group).to(tl.pointer_type(tl.float16))
            rows, columns = (tile - before) // tiles_n * M + tl.arange(0, M), (tile - before) % tiles_n * N + tl.arange(0, N)
            total = tl.zeros((M, N), tl.float32)
            for step in range(0, k, K):
                inner = step + tl.arange(0, K)
                total += tl.dot(tl.load(a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0),
                                tl.load(b + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0))
            tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=(rows[:, None] < m) & (columns[None, :] < n))
            tile += SMS
        before += tiles


@triton.jit
def persistent(a, b, c, m, n, k, SMS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, APART: tl.constexpr):
    """C = A times the transposed B, through tensor maps that the kernel makes."""
    from_a = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[M, K])
    from_b = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[N, K])
    to_c = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    tiles_n = tl.cdiv(n, N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, M) * tiles_n, SMS, flatten=True, warp_specialize=APART):
        row, column = tile // tiles_n * M, tile % tiles_n * N
        total = tl.zeros((M, N), tl.float32)
        for step in range(tl.cdiv(k, K)):
            total = tl.dot(from_a.load([row, step * K]), from_b.load([column, step * K]).T, total)
        to_c.store([row, column], total.to(tl.float16))


@triton.jit
def scaled(a, fa, b, fb, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FORMAT: tl.constexpr, PACK: tl.constexpr):
    """C = A times the transposed B, of numbers with a factor (e8m0) for each 32 of K."""
    rows, columns = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    zero: tl.constexpr = 0.0 if PACK == 1 else 0
    for step in range(k // K):
        inner, factors = step * (K // PACK) + tl.arange(0, K // PACK), step * (K // 32) + tl.arange(0, K // 32)
        left = tl.load(a + rows[:, None] * (k // PACK) + inner[None, :], mask=rows[:, None] < m, other=zero)
        right = tl.load(b + columns[None, :] * (k // PACK) + inner[:, None], mask=columns[None, :] < n, other=zero)
        of_left = tl.load(fa + rows[:, None] * (k // 32) + factors[None, :], mask=rows[:, None] < m, other=127)
        of_right = tl.load(fb + columns[:, None] * (k // 32) + factors[None, :], mask=columns[:, None] < n, other=127)
        total = tl.dot_scaled(left, of_left, FORMAT, right, of_right, FORMAT, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def lists(x, sums, most, ordered, counts, turned, BLOCK: tl.constexpr):
    """Scans, a sort, a histogram and a gather of a block of i32."""
    at = tl.arange(0, BLOCK)
    value = tl.load(x + tl.program_id(0) * BLOCK + at)
    base = tl.program_id(0) * BLOCK
    tl.store(sums + base + at, tl.cumsum(value, 0))
    tl.store(most + base + at, tl.associative_scan(value, 0, larger))
    tl.store(ordered + base + at, tl.sort(value))
    tl.atomic_add(counts + tl.arange(0, 64), tl.histogram(value & 63, 64))
    tl.store(turned + base + at, tl.gather(value, BLOCK - 1 - at, 0))


# name, kernel, types of parameters in order, constants, warps, stages, and the targets
EVERY = (80, 90, 100)
CASES = [
    ("add", add, "*fp32 *fp32 *fp32 i32", dict(BLOCK=1024), 4, 3, EVERY),
    ("softmax", softmax, "*fp32 *fp32 i32 i32 i32", dict(BLOCK=1024, STAGES=2), 4, 2, EVERY),
    ("matmul-64", matmul, "*fp16 *fp16 *fp16 i32 i32 i32 i32 i32 i32", dict(M=64, N=64, K=32, GROUP=2, LEAKY=True), 4, 3, EVERY),
    ("matmul-128", matmul, "*fp16 *fp16 *fp16 i32 i32 i32 i32 i32 i32", dict(M=128, N=128, K=64, GROUP=8, LEAKY=False), 8, 3, EVERY),
    ("matmul-tf32", matmul, "*fp32 *fp32 *fp32 i32 i32 i32 i32 i32 i32", dict(M=64, N=64, K=32, GROUP=2, LEAKY=False), 4, 3, EVERY),
    ("matmul-e4m3", matmul, "*fp8e4nv *fp8e4nv *fp16 i32 i32 i32 i32 i32 i32", dict(M=64, N=64, K=64, GROUP=2, LEAKY=False), 4, 3, (90, 100)),
    ("dropout", dropout, "*fp32 *fp32 i32 fp32 i32", dict(BLOCK=1024), 4, 3, EVERY),
    ("layer-norm", layer_norm, "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32 i32 fp32", dict(BLOCK=512), 4, 3, EVERY),
    ("layer-norm-back", layer_norm_back, "*fp16 *fp16 *fp32 *fp32 *fp16 *fp16 *fp32 *fp32 *i32 i32 i32", dict(SLOTS=4, BLOCK=1024, WAITS=True), 4, 3, EVERY),
    ("layer-norm-back-open", layer_norm_back, "*fp16 *fp16 *fp32 *fp32 *fp16 *fp16 *fp32 *fp32 *i32 i32 i32", dict(SLOTS=4, BLOCK=1024, WAITS=False), 4, 3, (90,)),
    ("add-rows", add_rows, "*fp32 *fp32 i32 i32", dict(M=32, N=128), 4, 3, EVERY),
    ("attention", attention, "*fp16 *fp16 *fp16 *fp16 fp32 i32", dict(CAUSAL=False, D=64, M=128, N=64), 4, 3, EVERY),
    ("attention-causal", attention, "*fp16 *fp16 *fp16 *fp16 fp32 i32", dict(CAUSAL=True, D=64, M=64, N=64), 4, 2, EVERY),
    ("asin", asin, "*fp32 *fp32 i32", dict(BLOCK=512), 4, 3, EVERY),
    ("grouped", grouped, "*i64 *i64 *i64 *i32 i32", dict(SMS=3, M=64, N=64, K=32), 4, 3, EVERY),
    ("persistent", persistent, "*fp16 *fp16 *fp16 i32 i32 i32", dict(SMS=3, M=128, N=128, K=64, APART=False), 8, 3, (90, 100)),
    ("persistent-apart", persistent, "*fp16 *fp16 *fp16 i32 i32 i32", dict(SMS=3, M=128, N=128, K=64, APART=True), 4, 3, (100,)),
    ("attention-tma", attention_tma, "*fp16 *fp16 *fp16 *fp16 fp32 i32 i32", dict(D=64, M=128, N=64, APART=False), 4, 3, (90, 100)),
    ("attention-apart", attention_tma, "*fp16 *fp16 *fp16 *fp16 fp32 i32 i32", dict(D=64, M=128, N=64, APART=True), 4, 3, (100,)),
    ("product-i8", products, "*i8 *i8 *i32", dict(M=64, N=64, K=64, PRECISION="ieee"), 4, 3, EVERY),
    ("product-bf16", products, "*bf16 *bf16 *fp32", dict(M=32, N=128, K=64, PRECISION="ieee"), 4, 3, EVERY),
    ("product-tf32x3", products, "*fp32 *fp32 *fp32", dict(M=64, N=64, K=32, PRECISION="tf32x3"), 4, 3, EVERY),
    ("product-f32", products, "*fp32 *fp32 *fp32", dict(M=32, N=32, K=32, PRECISION="ieee"), 4, 3, EVERY),
    ("product-f64", products, "*fp64 *fp64 *fp64", dict(M=16, N=16, K=16, PRECISION="ieee"), 4, 3, EVERY),
    ("atomics", atomics, "*fp32 *fp32 *fp16 *fp32 *fp32 *i64 i32", dict(BLOCK=256), 4, 3, EVERY),
    ("scaled-mxf8", scaled, "*fp8e4nv *u8 *fp8e4nv *u8 *fp32 i32 i32 i32", dict(M=128, N=64, K=128, FORMAT="e4m3", PACK=1), 4, 2, (90, 100)),
    ("scaled-mxf4", scaled, "*u8 *u8 *u8 *u8 *fp32 i32 i32 i32", dict(M=128, N=64, K=128, FORMAT="e2m1", PACK=2), 4, 2, (90, 100)),
    ("lists", lists, "*i32 *i32 *i32 *i32 *i32 *i32", dict(BLOCK=256), 4, 3, EVERY),
]
