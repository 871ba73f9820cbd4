#!/usr/bin/env python3
"""Random kernels of cuTile Python on a GPU, compiled by the `tileiras` that stands in PATH, beside torch in f64: what differs, fails or hangs.

  bench/tile_stress.py SOURCES [--seconds 95] [--processes 15] [--seed 1]

SOURCES is the folder of cuTile Python with its extension built, as run_suite.sh of the folder that TESSERA_CUTILE names builds it. Kernels are those
of its test/kernels and of this file: products alone, in each other, after each other and under conditions, gathers, attention, norms, scans. Tiles,
types, extents, strides and hints are drawn. Operands of products are small integers, whose sums are exact, so that every bit has to agree. Each
process draws cases of its own until the time is over; one that a kernel stops is named with its last case. Exit code 1 if there was any.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def divided(a, b):
    return -(-a // b)


class Cases:
    """Draws cases. Each function yields its description, then launches, and yields what is wrong if anything is."""

    def __init__(self, sources, seed):
        sys.path[:0] = [f"{sources}/src", f"{sources}/test"]
        import torch

        self.rng, self.torch = random.Random(seed), torch
        torch.manual_seed(seed)
        self.kernels = kernels()
        self.floats = [torch.float16, torch.bfloat16]
        self.operands = [*self.floats, torch.float32, torch.float8_e4m3fn]
        self.kinds = [self.product] * 4 + [self.inside] * 2 + [self.around] * 3 + [self.attention] * 2 + [self.gathered, self.row, self.several]

    def integers(self, *shape, dtype):
        return self.torch.randint(-3, 4, shape, device="cuda").to(dtype)

    def power(self, low, high):
        return 1 << self.rng.randint(low, high)

    def tiles(self, *ranges, fits):
        while True:
            drawn = [self.power(*r) for r in ranges]
            if fits(*drawn):
                return drawn

    def hinted(self, kernel):
        blocks = self.rng.choice([None, None, 1, 2, 3, 4, 6, 8])
        return (kernel, "") if blocks is None else (kernel.replace_hints(occupancy=blocks), f"occupancy {blocks}")

    def launch(self, grid, kernel, *arguments):
        import cuda.tile as ct

        ct.launch(self.torch.cuda.current_stream(), grid, kernel, arguments)
        self.torch.cuda.synchronize()

    def differs(self, got, want):
        if not self.torch.equal(got, want):
            wrong = got.double() != want.double()
            yield f"{wrong.sum().item()} of {wrong.numel()} elements differ, the first at {wrong.nonzero()[0].tolist()}"

    def is_far(self, got, want, most):
        far = ((got.double() - want).norm() / (want.norm() + 1e-9)).item()
        if not far < most:
            yield f"{far:.1e} of the norm away"

    def product(self):
        rng, torch = self.rng, self.torch
        name, dtype = rng.choice(["matmul_kernel", "matmul_kernel", "persistent_matmul_kernel", "batch_matmul_kernel"]), rng.choice(self.operands)
        tm, tn, tk = self.tiles((4, 8), (4, 8), (4, 8), fits=lambda m, n, k: m * n <= 32768 and (m + n) * k <= 98304)
        m, n, k = (rng.choice([rng.randint(1, 700), 8 * rng.randint(1, 90), 64 * rng.randint(1, 16)]) for _ in range(3))
        kernel, hint = self.hinted(self.kernels[name])
        batch = (rng.randint(1, 4),) if name == "batch_matmul_kernel" else ()
        turned = rng.random() < 0.3, rng.random() < 0.4
        a, b = (self.integers(*batch, *(s[::-1] if t else s), dtype=dtype) for s, t in zip(((m, k), (k, n)), turned))
        a, b = (x.transpose(-1, -2) if t else x for x, t in zip((a, b), turned))
        out = torch.float32 if dtype == torch.float8_e4m3fn or rng.random() < 0.5 else dtype
        c = torch.full((*batch, m, n), 77, device="cuda").to(out)
        yield f"{name} {dtype} {tm}x{tn}x{tk} of {m}x{n}x{k} to {out}, turned {turned}, batch {batch} {hint}"
        cells = divided(m, tm), divided(n, tn)
        grid = (cells[0] * cells[1],) if name == "matmul_kernel" else (*batch, *cells) if batch else (rng.randint(1, 140),)
        self.launch(grid, kernel, a, b, c, tm, tn, tk)
        yield from self.differs(c, (a.double() @ b.double()).to(out))

    def inside(self):
        """Sums of a product, times a matrix: the inner loop is in the outer one."""
        dtype = self.rng.choice(self.floats)
        tm, tk, tn, td = self.tiles((4, 7), (4, 7), (4, 7), (4, 8), fits=lambda m, k, n, d: m * d <= 32768 and m * n <= 16384)
        m, k, n, d = self.rng.randint(1, 400), 8 * self.rng.randint(1, 30), 8 * self.rng.randint(1, 60), self.rng.randint(1, td)
        kernel, hint = self.hinted(self.kernels["inside"])
        a, b, c = self.integers(m, k, dtype=dtype).sign(), self.integers(k, n, dtype=dtype).sign(), self.integers(n, d, dtype=dtype)
        out = self.torch.zeros(m, d, device="cuda")
        yield f"inside {dtype} {tm},{tk},{tn},{td} of {m},{k},{n},{d} {hint}"
        self.launch((divided(m, tm),), kernel, a, b, c, out, tm, tk, tn, td)
        yield from self.differs(out.double(), (a.double() @ b.double()).relu() @ c.double())

    def around(self):
        """Loops with products around, after and beside each other; `e` is added."""
        rng, dtype, name = self.rng, self.rng.choice(self.floats), self.rng.choice(["biased", "after", "beside", "three"])
        tm, tk, tn, td = self.tiles((4, 8), (4, 7), (4, 8), (4, 8), fits=lambda m, k, n, d: m * d <= 32768 and m * n <= 32768 and n * d <= 65536)
        m, k, n = rng.randint(1, 400), 8 * rng.randint(1, 30), 8 * rng.randint(1, 60)
        d = {"biased": 8 * rng.randint(1, 60), "beside": 2 * td - 8 * rng.randint(0, 1)}.get(name, rng.randint(1, td))
        columns = td if name == "beside" else d
        kernel, hint = self.hinted(self.kernels[name])
        a, b = self.integers(m, k, dtype=dtype).sign(), self.integers(*((k, n) if name == "three" else (m, n)), dtype=dtype).sign()
        c, e = self.integers(n, d, dtype=dtype), self.integers(m, columns, dtype=dtype)
        out = self.torch.full((m, columns), 77.0, device="cuda")
        yield f"{name} {dtype} {tm},{tk},{tn},{td} of {m},{k},{n},{d} {hint}"
        self.launch((divided(m, tm),), kernel, a, b, c, e, out, tm, tk, tn, td)
        A, B, D, E = a.double(), b.double(), c.double(), e.double()
        if name == "biased":
            want = B @ D + 2 * E
        elif name == "three":
            want = 2 * ((A @ B).relu() @ D) + 2 * E
        elif name == "beside":
            want, right = (B @ D[:, :td]).relu(), B @ D[:, td:]
            want[:, : right.shape[1]] += right
        else:
            want = B @ D
            for step, at in enumerate(range(0, n, tn)):
                want = want + (-1.0 if step % 2 else B[:, at : at + tn] @ D[at : at + tn])
        yield from self.differs(out.double(), want)

    def gathered(self):
        dtype = self.rng.choice([*self.floats, self.torch.float8_e4m3fn])
        tm, tn, tk = self.tiles((4, 8), (4, 8), (4, 8), fits=lambda m, n, k: m * n <= 32768 and (m + n) * k <= 65536)
        m, n, k, rows = self.rng.randint(1, 400), 8 * self.rng.randint(1, 60), 8 * self.rng.randint(1, 60), self.rng.randint(1, 300)
        a, b = self.integers(rows, k, dtype=dtype), self.integers(k, n, dtype=dtype)
        index = self.torch.randint(0, rows, (m,), device="cuda", dtype=self.torch.int32)
        out = self.torch.full((m, n), 77.0, device="cuda")
        kernel, hint = self.hinted(self.kernels["gathered"])
        yield f"gathered {dtype} {tm}x{tn}x{tk} of {m}x{n}x{k}, {rows} rows {hint}"
        self.launch((divided(m, tm), divided(n, tn)), kernel, a, b, index, out, tm, tn, tk)
        yield from self.differs(out.double(), a.double()[index.long()] @ b.double())

    def attention(self):
        rng, torch, dtype = self.rng, self.torch, self.rng.choice(self.floats)
        d, tm, tn = self.tiles((4, 8), (4, 8), (4, 8), fits=lambda d, m, n: m * d <= 32768 and m * n <= 32768 and n * d <= 32768)
        batch, heads, group, queries, keys = rng.randint(1, 2), rng.choice([2, 4]), rng.choice([1, 2]), rng.randint(1, 600), rng.randint(1, 700)
        causal = rng.random() < 0.5
        keys = queries if causal else keys
        q, k, v = (torch.randn(batch, h, n, d, device="cuda").to(dtype) for h, n in ((heads, queries), (heads // group, keys), (heads // group, keys)))
        out = torch.zeros_like(q)
        kernel, hint = self.hinted(self.kernels["fmha_kernel"])
        yield f"attention {dtype} head {d}, {tm}x{tn} of {batch},{heads},{group},{queries},{keys} causal {causal} {hint}"
        self.launch((divided(queries, tm), batch * heads, 1), kernel, q, k, v, out, 1 / math.sqrt(d), 0, d, heads, tm, tn, group, causal, keys % tn == 0)
        k, v = (x.repeat_interleave(group, 1).double() for x in (k, v))
        scores = q.double() @ k.transpose(-1, -2) / math.sqrt(d)
        if causal:
            scores = scores.masked_fill(torch.ones(queries, keys, device="cuda").tril() == 0, -math.inf)
        yield from self.is_far(out, scores.softmax(-1) @ v, 1e-2)

    def row(self):
        rng, torch, functional = self.rng, self.torch, self.torch.nn.functional
        dtype, name = rng.choice(self.operands[:3]), rng.choice(["softmax", "layer_norm_fwd", "rms_norm_kernel"])
        m, n = rng.randint(1, 200), rng.choice([rng.randint(1, 3000), 8 * rng.randint(1, 2000), 1024 * rng.randint(1, 16)])
        x, w, b = (torch.randn(*shape, device="cuda").to(dtype) for shape in ((m, n), (n,), (n,)))
        mean, deviation, y, eps = torch.empty(m, device="cuda"), torch.empty(m, device="cuda"), torch.zeros_like(x), 1e-5
        tile = 1 << (n - 1).bit_length()
        tile = tile if name == "softmax" else max(1, tile >> rng.randint(0, 4))
        kernel, hint = self.hinted(self.kernels[name])
        yield f"{name} {dtype} {m}x{n}, tile {tile} {hint}"
        arguments = {"softmax": (x, y, tile), "layer_norm_fwd": (x, w, b, y, mean, deviation, eps, tile), "rms_norm_kernel": (x, w, y, deviation, n, eps, tile)}
        self.launch((m,), kernel, *arguments[name])
        x, w, b = x.double(), w.double(), b.double()
        want = x.softmax(-1) if name == "softmax" else functional.layer_norm(x, (n,), w, b, eps) if name == "layer_norm_fwd" else functional.rms_norm(x, (n,), w, eps)
        yield from self.is_far(y, want, 1e-5 if dtype == torch.float32 else 6e-3)

    def several(self):
        """Scans and reductions along either dimension."""
        torch, (rows, columns), axis = self.torch, (self.power(0, 6), self.power(0, 11)), self.rng.randint(0, 1)
        m, n = rows * self.rng.randint(1, 20), self.rng.randint(1, columns)
        x = torch.randint(-50, 50, (m, n), device="cuda", dtype=torch.int32)
        scanned, below, sums = torch.zeros_like(x), torch.zeros_like(x), torch.zeros(m, 1, device="cuda", dtype=torch.int32)
        kernel, hint = self.hinted(self.kernels["several"])
        yield f"several {rows}x{columns} of {m}x{n}, axis {axis} {hint}"
        self.launch((m // rows,), kernel, x, scanned, below, sums, rows, columns, axis)
        tiles = torch.zeros(m // rows, rows, columns, device="cuda", dtype=torch.int32)
        tiles[:, :, :n] = x.view(m // rows, rows, n)
        back = lambda t: t[:, :, :n].reshape(m, n).int()
        for got, want in ((scanned, back(tiles.cumsum(axis + 1))), (below, back(tiles - tiles.amax(axis + 1, keepdim=True))), (sums[:, 0], x.sum(1).int())):
            yield from self.differs(got, want)


def kernels():
    """By name."""
    import cuda.tile as ct
    from kernels.attention import fmha_kernel
    from kernels.layer_norm import layer_norm_fwd
    from kernels.matmul import batch_matmul_kernel, matmul_kernel, persistent_matmul_kernel
    from kernels.rms_norm import rms_norm_kernel

    Const, zero = ct.Constant[int], ct.PaddingMode.ZERO

    def load(array, at, shape):
        return ct.load(array, index=at, shape=shape, padding_mode=zero)

    @ct.kernel
    def inside(A, B, D, O, tm: Const, tk: Const, tn: Const, td: Const):
        i = ct.bid(0)
        acc = ct.full((tm, td), 0, dtype=ct.float32)
        for j in range(ct.num_tiles(B, axis=1, shape=(tk, tn))):
            p = ct.full((tm, tn), 0, dtype=ct.float32)
            for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
                p = ct.mma(load(A, (i, k), (tm, tk)), load(B, (k, j), (tk, tn)), p)
            acc = ct.mma(max(p, 0.0).astype(A.dtype), load(D, (j, 0), (tn, td)), acc)
        ct.store(O, index=(i, 0), tile=acc)

    @ct.kernel
    def biased(A, B, D, E, O, tm: Const, tk: Const, tn: Const, td: Const):
        i = ct.bid(0)
        for j in range(ct.num_tiles(D, axis=1, shape=(tn, td))):
            before = load(E, (i, j), (tm, td)).astype(ct.float32)
            acc = ct.full((tm, td), 0, dtype=ct.float32)
            for k in range(ct.num_tiles(B, axis=1, shape=(tk, tn))):
                acc = ct.mma(load(B, (i, k), (tm, tn)), load(D, (k, j), (tn, td)), acc)
            ct.store(O, index=(i, j), tile=acc + before + load(E, (i, j), (tm, td)).astype(ct.float32))

    @ct.kernel
    def after(A, B, D, E, O, tm: Const, tk: Const, tn: Const, td: Const):
        i = ct.bid(0)
        p = ct.full((tm, td), 0, dtype=ct.float32)
        steps = ct.num_tiles(B, axis=1, shape=(tm, tn))
        for k in range(steps):
            p = ct.mma(load(B, (i, k), (tm, tn)), load(D, (k, 0), (tn, td)), p)
        q = ct.full((tm, td), 0, dtype=ct.float32)
        for k in range(steps):
            if k % 2 == 0:
                q = ct.mma(load(B, (i, k), (tm, tn)), load(D, (k, 0), (tn, td)), q)
            else:
                q = q - 1.0
        ct.store(O, index=(i, 0), tile=p + q)

    @ct.kernel
    def beside(A, B, D, E, O, tm: Const, tk: Const, tn: Const, td: Const):
        i = ct.bid(0)
        p = ct.full((tm, td), 0, dtype=ct.float32)
        q = ct.full((tm, td), 0, dtype=ct.float32)
        for k in range(ct.num_tiles(B, axis=1, shape=(tm, tn))):
            a = load(B, (i, k), (tm, tn))
            p = ct.mma(a, load(D, (k, 0), (tn, td)), p)
            q = ct.mma(a, load(D, (k, 1), (tn, td)), q)
        ct.store(O, index=(i, 0), tile=max(p, 0.0) + q)

    @ct.kernel
    def three(A, B, D, E, O, tm: Const, tk: Const, tn: Const, td: Const):
        i = ct.bid(0)
        acc = ct.full((tm, td), 0, dtype=ct.float32)
        for _ in range(2):
            for j in range(ct.num_tiles(B, axis=1, shape=(tk, tn))):
                p = ct.full((tm, tn), 0, dtype=ct.float32)
                for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
                    p = ct.mma(load(A, (i, k), (tm, tk)), load(B, (k, j), (tk, tn)), p)
                acc = ct.mma(max(p, 0.0).astype(A.dtype), load(D, (j, 0), (tn, td)), acc)
            acc = acc + load(E, (i, 0), (tm, td)).astype(ct.float32)
        ct.store(O, index=(i, 0), tile=acc)

    @ct.kernel
    def gathered(A, B, I, O, tm: Const, tn: Const, tk: Const):
        i, j = ct.bid(0), ct.bid(1)
        rows = ct.load(I, index=(i,), shape=(tm,), padding_mode=zero)
        acc = ct.full((tm, tn), 0, dtype=ct.float32)
        for k in range(ct.num_tiles(B, axis=0, shape=(tk, tn))):
            a = ct.gather(A, (rows[:, None], (k * tk + ct.arange(tk, dtype=ct.int32))[None, :]))
            acc = ct.mma(a, load(B, (k, j), (tk, tn)), acc)
        ct.store(O, index=(i, j), tile=acc)

    @ct.kernel
    def softmax(X, Y, N: Const):
        x = ct.load(X, index=(ct.bid(0), 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        p = ct.exp(x - ct.max(x, axis=1, keepdims=True))
        ct.store(Y, index=(ct.bid(0), 0), tile=(p / ct.sum(p, axis=1, keepdims=True)).astype(Y.dtype))

    @ct.kernel
    def several(X, Y, Z, W, R: Const, N: Const, axis: Const):
        x = load(X, (ct.bid(0), 0), (R, N))
        ct.store(Y, index=(ct.bid(0), 0), tile=ct.cumsum(x, axis=axis))
        ct.store(Z, index=(ct.bid(0), 0), tile=x - ct.max(x, axis=axis, keepdims=True))
        ct.store(W, index=(ct.bid(0), 0), tile=ct.sum(x, axis=1, keepdims=True))

    own = (inside, biased, after, beside, three, gathered, softmax, several)
    theirs = (fmha_kernel, layer_norm_fwd, batch_matmul_kernel, matmul_kernel, persistent_matmul_kernel, rms_norm_kernel)
    named = {name: value for name, value in locals().items() if value in own or value in theirs}
    return named


def work(sources, until, seed, log):
    """One process: a line when a case begins, one for what is wrong with it, and the count at the end."""
    cases, count = Cases(sources, seed), 0
    with open(log, "w") as out:
        while time.time() < until:
            try:
                for i, line in enumerate(cases.rng.choice(cases.kinds)()):
                    print("WRONG" if i else "case", line, file=out, flush=True)
                count += 1
            except Exception as error:
                print("WRONG", type(error).__name__, str(error)[:300].replace("\n", " "), file=out, flush=True)
                if "CUDA" in str(error):  # nothing runs in this process any more
                    break
        print("done", count, file=out, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sources")
    parser.add_argument("--seconds", type=float, default=95)
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worker", nargs=3, metavar=("UNTIL", "SEED", "LOG"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        until, seed, log = options.worker
        return work(options.sources, float(until), int(seed), log)
    folder, until = Path(tempfile.mkdtemp(prefix="tessera-stress.")), time.time() + options.seconds
    running = []
    for i in range(options.processes):
        command = [sys.executable, __file__, options.sources, "--worker", str(until), str(1000 * options.seed + i), str(folder / str(i))]
        running.append(subprocess.Popen(command, stderr=open(folder / f"{i}.stderr", "w")))
    last_answer = 10  # seconds after the end: a case takes less
    while time.time() < until + last_answer and any(p.poll() is None for p in running):
        time.sleep(0.5)
    count, wrong = 0, 0
    for i, process in enumerate(running):
        lines = (folder / str(i)).read_text().splitlines() if (folder / str(i)).exists() else []
        if process.poll() is None:
            process.kill()
            lines.append("WRONG no answer")
        elif process.returncode:
            lines.append(f"WRONG exit code {process.returncode}: {(folder / f'{i}.stderr').read_text()[-300:]}")
        for before, line in zip(["", *lines], lines):
            if line.startswith("WRONG"):
                wrong += 1
                print(f"{before}\n  {line}", flush=True)
            count += int(line.split()[1]) if line.startswith("done") else 0
    print(f"tile_stress: {count} kernels by {options.processes} processes, seed {options.seed}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
