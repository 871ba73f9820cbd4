"""Cases of tcgen05.mma: small integers, so that every element of D is exact, and all of tensor memory is compared."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
from typing import NamedTuple, Optional

import numpy as np

import device
import isa
from transfers import differ, noise


class Product(NamedTuple):
    kind: str
    m: int
    n: int
    a: str
    b: str
    d: str
    blocks: int = 1
    ws: bool = False
    sparse: bool = False
    tensor_a: bool = False  # A in tensor memory
    major_a: tuple = (False, "128B")  # transposed, swizzle
    major_b: tuple = (False, "128B")
    negate: tuple = (0, 0)
    enable: bool = True
    scale: Optional[int] = None  # D's, as a power of two
    masked: bool = False
    saturate: bool = False
    factors: int = 0  # row of the kind's factors
    ids: tuple = (0, 0)
    k96: bool = False
    half: int = 0  # lane 16, where only half of the lanes are used
    selector: int = 0  # of metadata
    max_shift: int = 0  # of B, by .ws: a code
    zeros: Optional[isa.ZeroMask] = None
    apart: bool = False  # each part of N has its own A, or its own metadata
    shift: bool = False  # .ashift
    group = "products"

    @property
    def path(self):
        return isa.PATH[self.m, self.blocks, self.ws, self.sparse]

    @property
    def k(self):
        return 96 if self.k96 else isa.KINDS[self.kind].k * (1 + self.sparse)

    @property
    def parts(self):
        """Of N, with what is in tensor memory."""
        return len(isa.copies(self.path)) if self.apart else 1

    def vector(self):
        """(format of the factors, how many a row has)"""
        name, dense = isa.KINDS[self.kind].factors[self.factors]
        return name, dense * 3 // 2 if self.k96 else dense

    def text(self):
        scaled = bool(isa.KINDS[self.kind].factors)
        block = ""
        if scaled:
            per = self.k // self.vector()[1]
            block = ".block_scale" + {1: ".scale_vec::1X", 2: ".scale_vec::2X", 4: ".scale_vec::4X"}.get(self.vector()[1], f".block{per}")
        name = f"tcgen05.mma{'.ws' * self.ws}{'.sp' * self.sparse}.cta_group::{self.blocks}.kind::{self.kind}{block}{'.ashift' * self.shift}"
        operands = ["[%d]", "[%a]" if self.tensor_a else "%a_desc", "%b_desc"]
        operands += ["[%meta]"] * self.sparse + ["%idesc"] + ["[%sfa]", "[%sfb]"] * scaled
        if self.masked:
            operands.append("{" + device.vector(f"%mask{i}" for i in range(4 * self.blocks)) + "}")
        operands.append("%enable")
        if self.scale is not None:
            operands.append(str(self.scale))
        if self.zeros:
            operands.append("%zero_mask")
        return f"{name} {', '.join(operands)};"

    def target(self):
        return "sm_103a" if self.k96 else "sm_100a"

    def descriptor(self):
        kind = isa.KINDS[self.kind]
        fields = {"sparse": self.sparse, "a": kind.types[self.a], "b": kind.types[self.b], "negate_a": self.negate[0],
                  "negate_b": self.negate[1], "transpose_a": not self.tensor_a and self.major_a[0], "transpose_b": self.major_b[0],
                  "n/8": self.n // 8}
        if kind.factors:
            fields |= {"m/128": self.m // 128, "sfa_id": self.ids[0], "sfb_id": self.ids[1], "ue8m0": self.vector()[0] == "ue8m0"}
            fields |= {"k96": 1} if self.k96 else {}
        else:
            fields |= {"m/16": self.m // 16, "d": kind.results[self.d], "saturate": self.saturate, "selector": self.selector,
                       "max_shift": self.max_shift}
        return isa.instruction(self.kind, **{n: int(v) for n, v in fields.items()})

    def run(self, run, rng):
        setup = Setup(self, rng)
        after, _ = run(device.issued(self.text(), self.blocks, self.target()), setup.images, setup.before, setup.scalars)
        expected, keep = setup.expected()
        return differ("cell", after & keep, expected & keep)


# Magnitudes that keep every sum exact: of 32 bits integers and quarters, of f16 small integers.
def codes(rng, name, shape, whole):
    if name in ("tf32", "f32"):
        return rng.integers(-8, 9, shape).astype(np.float32).view(np.uint32)
    table = isa.values(name)
    if name in ("s8", "u8"):
        return rng.integers(0, 256, shape)
    size = np.abs(np.nan_to_num(table, nan=1e9))
    fits = np.flatnonzero((size <= 2) & (size % 1 == 0)) if whole else np.flatnonzero((size <= 6) & (size * 4 % 1 == 0))
    return rng.choice(fits, shape)


def number(name, code):
    if name in ("tf32", "f32"):
        return code.view(np.float32).astype(float)
    return isa.values(name)[code]


def place(memory, bits_at, code, width):
    """Writes codes into bytes, by the bit where each begins."""
    stream = np.unpackbits(memory, bitorder="little")
    at = bits_at[..., None] + np.arange(width)
    stream[at] = code[..., None].astype(np.uint64) >> np.arange(width, dtype=np.uint64) & 1
    memory[:] = np.packbits(stream, bitorder="little")


class Setup:
    """The operands of a product, where they lie, and what comes of it."""

    def __init__(self, product, rng):
        self.p, self.rng = p, rng = product, rng
        kind = isa.KINDS[p.kind]
        whole = p.d == "f16"
        stored = p.k // (1 + p.sparse)
        self.a = codes(rng, p.a, (p.m, stored), whole)
        self.a_of_part = [self.a] + [codes(rng, p.a, (p.m, stored), whole) if p.tensor_a else self.a for _ in range(p.parts - 1)]
        self.shift = p.zeros.shift if p.zeros else 0
        self.b = codes(rng, p.b, (p.n + self.shift, p.k), whole)
        self.rows = p.m // p.blocks
        # Columns of tensor memory, one operand after the other in a random order.
        need = {"d": p.n // isa.PATHS[p.path].folds, "a": 16, "sfa": 16, "sfb": 16, "meta": 8}
        at, self.column = int(rng.integers(0, 10)) * 8, {}
        for name in rng.permutation(list(need)):
            self.column[name] = at
            at += need[name] + int(rng.integers(0, 4)) * 8
        self.before = noise(rng, p.blocks)
        self.scalars = {n: c | (p.half << 16 if n in ("d", "a", "meta") else 0) for n, c in self.column.items()}
        self.scalars |= {"idesc": p.descriptor(), "enable": int(p.enable), "zero_mask": p.zeros.descriptor() if p.zeros else 0}
        self.masks = rng.integers(0, 1 << 32, 8, dtype=np.uint32) if p.masked else np.zeros(8, np.uint32)
        self.scalars |= {f"mask{i}": int(w) for i, w in enumerate(self.masks)}
        self.lay_d()
        self.lay_sources(stored)
        if p.tensor_a:
            self.lay_a(stored)
        if p.sparse:
            self.lay_metadata()
        if kind.factors:
            self.lay_factors()

    def source(self, name, major, rows, k, first):
        """A descriptor for a matrix of so many rows and K, with strides at random; its image ends where the second value says."""
        rng, (transposed, swizzle) = self.rng, major
        kind, pad = self.p.kind, int(self.rng.integers(0, 3))
        chunks = int(isa.chunk(kind, name, np.array((rows if transposed else k) - 1))[0]) + 1
        width = isa.SWIZZLES[swizzle].width
        if swizzle == "none":
            # Core matrices of 128 bytes: one index next to the other, the other index further away.
            groups = ((k if transposed else rows) + 7) // 8
            of_chunk, of_group = (128, 128 * chunks + 64 * pad) if rng.integers(0, 2) else (128 * groups + 64 * pad, 128)
            lbo, sbo = (of_group, of_chunk) if transposed else (of_chunk, of_group)
            return isa.Source(first + 16 * int(rng.integers(0, 8)), lbo, sbo, swizzle)
        period = 8 * width
        if not transposed:
            inside = 16 * chunks
            start = first + int(rng.integers(0, width // inside)) * inside  # a later K of the same atom
            return isa.Source(start, 16, period * (1 + pad), swizzle)
        deep = 4 if swizzle == "128B_32B" else 8
        period = width * deep
        wide, groups = (chunks * 16 + width - 1) // width, (k + deep - 1) // deep
        if rng.integers(0, 2):
            return isa.Source(first, period * groups + 1024 * pad, period, swizzle)
        return isa.Source(first, period, period * wide + 1024 * pad, swizzle)

    def lay_sources(self, stored):
        p = self.p
        first, self.images = 1024 * int(self.rng.integers(0, 3)), []
        pictures = []
        for operand, name, code, major, k in (("a_desc", p.a, self.a, p.major_a, stored), ("b_desc", p.b, self.b, p.major_b, p.k)):
            rows = len(code) // p.blocks
            source = self.source(name, major, rows, k, first)
            self.scalars[operand] = source.descriptor()
            bits = isa.smem_bit(source, p.kind, name, major[0], np.arange(rows)[:, None], np.arange(k)[None, :])
            if operand == "a_desc" and p.tensor_a:
                continue
            pictures += [(i, bits, code[i * rows : (i + 1) * rows], isa.FORMATS[name].bits) for i in range(p.blocks)]
            first = (int(bits.max()) // 8 + 1024) & ~1023
        self.images = self.rng.integers(0, 256, (p.blocks, first), dtype=np.uint8)
        for block, bits, code, width in pictures:
            place(self.images[block], bits, code, width)

    def lay_a(self, stored):
        p = self.p
        block, lane, column, bit = isa.a_place(p.kind, p.a, p.path, np.arange(p.m)[:, None], np.arange(stored)[None, :])
        column = column + self.column["a"]
        memory = self.before.reshape(-1).view(np.uint8)
        for part, below in enumerate(isa.copies(p.path)):
            words = (block * device.LANES + lane + p.half + below) * device.COLUMNS + column
            place(memory, words * 32 + bit, self.a_of_part[part % p.parts], isa.FORMATS[p.a].bits)

    def lay_metadata(self):
        self.where = []  # of each part
        for part in range(self.p.parts):
            self.lay_metadata_of(part)

    def lay_metadata_of(self, part):
        p = self.p
        wide = isa.GROUPS.get(p.kind, 4)
        groups = p.k // wide
        choice = self.rng.integers(0, 2 if p.kind == "tf32" else len(isa.PAIRS), (p.m, groups))
        code = np.choose(choice, (0b0100, 0b1110)) if p.kind == "tf32" else np.array([i | j << 2 for i, j in isa.PAIRS])[choice]
        row, group = np.arange(p.m)[:, None] % self.rows + 0 * choice, np.arange(groups)[None, :] + 0 * choice
        lane, column, bit = isa.metadata_place(p.kind, p.path, row, group, p.selector)
        block = np.arange(p.m)[:, None] // self.rows
        for below in isa.copies(p.path)[part :: p.parts]:
            words = (block * device.LANES + lane + p.half + below) * device.COLUMNS + column + self.column["meta"]
            place(self.before.reshape(-1).view(np.uint8), words * 32 + bit, code, 4)
        # Where each stored element stands in the dense row.
        if p.kind == "tf32":
            self.where.append(np.arange(groups) * 2 + choice)
        else:
            pairs = np.array(isa.PAIRS)[choice]  # [row][group][2]
            each = wide // 4  # elements that go together
            self.where.append((np.arange(groups)[:, None, None] * wide + pairs[..., None] * each + np.arange(each)).reshape(p.m, -1))

    def lay_factors(self):
        p = self.p
        name, count = p.vector()
        table = isa.values(name)
        fits = [c for c in range(256) if table[c] in (0.5, 1.0, 2.0) or (name == "ue4m3" and table[c] in (0.75, 1.5))]
        fits = [c for c in fits if name == "ue8m0" or c < 128]
        self.sfa, self.sfb = (self.rng.choice(fits, (rows, count)) for rows in (p.m, p.n))
        memory = self.before.reshape(-1).view(np.uint8)
        for operand, code, first in (("sfa", self.sfa, p.ids[0]), ("sfb", self.sfb, p.ids[1])):
            for block in range(p.blocks):
                mine = code[block * self.rows : (block + 1) * self.rows] if operand == "sfa" else code
                parts = isa.factor_parts(operand, p.path)
                size = len(mine) // parts
                for quarter in range(4):
                    lane, column, byte = isa.factor_place(np.arange(size)[:, None], np.arange(count)[None, :], first, size)
                    words = (block * device.LANES + lane + 32 * quarter) * device.COLUMNS + column + self.column[operand]
                    memory[words * 4 + byte] = mine[size * (quarter * parts // 4) :][:size]
            if self.rng.integers(0, 2):  # as CUTLASS passes addresses: the id once more in the top bits
                self.scalars[operand] |= first << 30

    def cells(self):
        p = self.p
        block, lane, column = isa.d_place(p.path, np.arange(p.m)[:, None], np.arange(p.n)[None, :], p.n)
        return block, lane + p.half, column + self.column["d"] + 0 * lane

    def lay_d(self):
        p, shape = self.p, (self.p.m, self.p.n)
        if p.d == "s32":
            self.d = self.rng.integers(-(1 << 31), 1 << 31, shape)
            near = self.rng.integers(0, 3, shape)
            self.d = np.where(near == 0, self.d, np.where(near == 1, (1 << 31) - 1, -(1 << 31)) + np.sign(1 - near * 2 + 1) * -1000)
            self.d = np.clip(self.d, -(1 << 31), (1 << 31) - 1)
            self.before[self.cells()] = self.d.astype(np.int32).view(np.uint32)
            return
        self.d = self.rng.integers(-8, 9, shape) * 2.0 ** (p.scale or 0)
        if p.d == "f32":
            self.before[self.cells()] = self.d.astype(np.float32).view(np.uint32)
        else:
            cells = self.cells()
            self.before[cells] = self.before[cells] & 0xFFFF0000 | self.d.astype(np.float16).view(np.uint16)

    def expected(self):
        """Tensor memory afterwards, and the bits of it that the ISA decides."""
        p = self.p
        b = number(p.b, self.b[self.shift :])
        if p.zeros:
            b = b * ~p.zeros.columns(p.m, p.n)[:, None]
        b = b * (-1) ** p.negate[1]
        count = 0
        if isa.KINDS[p.kind].factors:
            name, count = p.vector()
            b = b * np.repeat(isa.values(name)[self.sfb], p.k // count, 1)
        d = []
        for part in range(p.parts):
            a = number(p.a, self.a_of_part[part])
            if p.sparse:
                dense = np.zeros((p.m, p.k))
                np.put_along_axis(dense, self.where[part], a, 1)
                a = dense
            a = a * (-1) ** p.negate[0]
            if count:
                a = a * np.repeat(isa.values(name)[self.sfa], p.k // count, 1)
            d.append(a @ b[part * p.n // p.parts : (part + 1) * p.n // p.parts].T)
        d = np.concatenate(d, 1)
        if p.enable:
            d = d + self.d * 2.0 ** -(p.scale or 0)
        after, keep = self.before.copy(), np.full(self.before.shape, 0xFFFFFFFF, np.uint32)
        cells = self.cells()
        live = self.masks.reshape(2, 4)[cells[0], cells[1] // 32] >> (cells[1] % 32).astype(np.uint32) & 1 == 0
        live = np.broadcast_to(live, d.shape)
        if p.d == "s32":
            d = np.clip(d, -(1 << 31), (1 << 31) - 1) if p.saturate else d
            code = (d.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
        elif p.d == "f32":
            code = d.astype(np.float32).view(np.uint32)
            assert (code.view(np.float32) == d).all()
        else:  # the upper half of the word is nobody's (9.7.16.10.4.1)
            assert (d.astype(np.float16) == d).all()
            code = self.before[cells] & 0xFFFF0000 | d.astype(np.float16).view(np.uint16)
            keep[cells] = np.where(live, 0xFFFF, 0xFFFFFFFF)
        # Sums that are 0 may be of either sign.
        after[cells] = np.where(live, code, self.before[cells])
        if p.shift:
            for block in after:
                for quarter in range(4):
                    part = block[32 * quarter : 32 * quarter + 32, self.column["a"] :][:, : isa.SHIFTED]
                    part[:] = isa.shifted(part)
        return after, keep


# --- Which cases there are ---------------------------------------------------------------------------------------------------------


def pick(rng, options):
    options = list(options)
    return options[int(rng.integers(len(options)))]


def may_shift(kind, m, blocks, ws, sparse):
    """Where .ashift is: of M = 128 and 256. Of a sparse A of 128 rows in a pair it ends on SM100 (TIRx-harness)."""
    return not isa.KINDS[kind].factors and not ws and m >= 128 and not (sparse and blocks == 2 and m == 128)


def mask(rng, m, max_shift):
    """A zero-column mask at random, with the shifts that .ws takes."""
    four = lambda end: tuple(int(i) for i in rng.integers(0, end, 4))
    most = min(isa.MAX_SHIFT[max_shift], 16 if m == 32 else 32)
    return isa.ZeroMask(four(pick(rng, (4, 256))), four(2), int(rng.integers(0, 5) != 0), int(rng.integers(0, pick(rng, (5, 256)))),
                        int(rng.integers(0, pick(rng, (5, 256)))), int(rng.integers(0, most + 1)))


def fill(rng, kind, **pins):
    """A product of a kind with everything at random that is not pinned."""
    k = isa.KINDS[kind]
    blocks = pins.setdefault("blocks", pick(rng, (1, 1, 2)) if not pins.get("ws") else 1)
    ws, sparse = pins.setdefault("ws", False), pins.setdefault("sparse", False)
    if "m" not in pins or "n" not in pins:
        options = [(m, n) for m, n in isa.shapes(kind, blocks, ws, sparse) if pins.get("m", m) == m and pins.get("n", n) == n]
        pins["m"], pins["n"] = pick(rng, options)
    for name in "ab":
        pins.setdefault(name, pick(rng, k.types))
    if kind == "f16" and pins["b"] != pins["a"]:
        pins["b"] = pins["a"]
    results = [d for d in k.results if not (d == "f16" and pins["a"] == "bf16")]
    pins.setdefault("d", pick(rng, results))
    path = isa.PATHS[isa.PATH[pins["m"], blocks, ws, sparse]]
    pins.setdefault("tensor_a", not rng.integers(0, 4))
    for operand in "ab":
        name = pins[operand]
        majors = isa.majors(kind, name)
        # Rows of 8 bits in turned B: table 50.
        if operand == "b" and isa.FORMATS[name].bits == 8 and pins["n"] % (16 * blocks):
            majors = [x for x in majors if not x[0]]
        # 64 bytes of K, and 48, do not fit the 32-byte atom.
        if (operand == "b" and sparse) or pins.get("k96"):
            majors = [x for x in majors if x != (False, "32B")]
        pins.setdefault("major_" + operand, pick(rng, majors))
    if k.negate:
        pins.setdefault("negate", (int(rng.integers(0, 2)), int(rng.integers(0, 2))))
    pins.setdefault("enable", bool(rng.integers(0, 4)))
    if kind in ("f16", "tf32") and not ws:
        pins.setdefault("scale", pick(rng, (None, None, int(rng.integers(0, 16 if pins["d"] == "f32" else 10)))))
    if not k.factors and not ws:
        pins.setdefault("masked", not rng.integers(0, 3))
    if kind == "i8":
        pins.setdefault("saturate", bool(rng.integers(0, 2)))
    if sparse and kind in ("f16", "tf32"):
        pins.setdefault("selector", int(rng.integers(0, 4)))
    if path.folds > 1 and (pins["tensor_a"] or sparse):
        pins.setdefault("apart", bool(rng.integers(0, 2)))
    if pins["tensor_a"] and may_shift(kind, pins["m"], blocks, ws, sparse):
        pins.setdefault("shift", not rng.integers(0, 3))
    if ws:
        pins.setdefault("max_shift", int(rng.integers(0, 4)))
        pins.setdefault("zeros", mask(rng, pins["m"], pins["max_shift"]) if rng.integers(0, 2) else None)
    if path.band == 16:
        pins.setdefault("half", pick(rng, (0, 16)))
    if k.factors:
        row = pins.setdefault("factors", int(rng.integers(len(k.factors))))
        count = k.factors[row][1] * (3 if pins.get("k96") else 2) // 2
        pins.setdefault("ids", tuple(pick(rng, isa.factor_ids(count)) for _ in range(2)))
    return Product(kind, **pins)


def products(rng):
    for kind, k in isa.KINDS.items():
        # Every shape, dense and sparse, of one block and of pairs.
        for blocks, ws, sparse in ((1, False, False), (2, False, False), (1, True, False), (1, False, True), (2, False, True), (1, True, True)):
            for m, n in isa.shapes(kind, blocks, ws, sparse):
                yield fill(rng, kind, blocks=blocks, ws=ws, sparse=sparse, m=m, n=n)
        # Every pair of types with every type of sums; every pair of majors and swizzles; A in tensor memory.
        for a, b in itertools.product(k.types, k.types):
            if kind == "f16" and a != b:
                continue
            for d in k.results:
                if d == "f16" and a == "bf16":
                    continue
                for sparse in (False, True):
                    for tensor_a in (False, True):
                        options = {"m": pick(rng, (64, 128)), "blocks": 1} if not k.factors else {"m": 128, "blocks": 1}
                        yield fill(rng, kind, a=a, b=b, d=d, sparse=sparse, tensor_a=tensor_a, **options)
        for a, b in {(x, x) for x in k.types}:
            for major_a, major_b in itertools.product(isa.majors(kind, a), isa.majors(kind, b)):
                for sparse in (False, True):
                    if sparse and major_b == (False, "32B"):
                        continue
                    for blocks in (1, 2):
                        n = pick(rng, (32, 64, 96, 192, 256))
                        m = pick(rng, [m for m, _ in isa.shapes(kind, blocks, False, sparse)])
                        yield fill(rng, kind, a=a, b=b, major_a=major_a, major_b=major_b, sparse=sparse, blocks=blocks, m=m, n=n,
                                   tensor_a=False)
        # Each switch with each value of the others that it could be mixed up with.
        for negate in itertools.product((0, 1), (0, 1)) if k.negate else ():
            for enable in (False, True):
                for _ in range(4):
                    yield fill(rng, kind, negate=negate, enable=enable)
        if kind in ("f16", "tf32"):
            for scale in range(16):
                for blocks in (1, 2):
                    yield fill(rng, kind, scale=scale, enable=True, blocks=blocks, d="f32")
        if not k.factors:
            for blocks in (1, 2):
                for m in sorted({m for m, _ in isa.shapes(kind, blocks)}):
                    for enable in (False, True):
                        for _ in range(4):
                            yield fill(rng, kind, masked=True, blocks=blocks, m=m, enable=enable)
        for row, (_, count) in enumerate(k.factors):
            for ids in itertools.product(isa.factor_ids(count), repeat=2):
                for blocks in (1, 2):
                    for m in sorted({m for m, _ in isa.shapes(kind, blocks)}):
                        for sparse in (False, True):
                            if sparse and (m, 32) not in isa.shapes(kind, blocks, False, True):
                                continue
                            for _ in range(3):
                                yield fill(rng, kind, factors=row, ids=ids, blocks=blocks, m=m, sparse=sparse)
        # A in tensor memory and metadata on each data path; each selector.
        if not k.factors:
            for blocks, ws in ((1, False), (2, False), (1, True)):
                for sparse, tensor_a in itertools.product((False, True), repeat=2):
                    for m in sorted({m for m, _ in isa.shapes(kind, blocks, ws, sparse)}):
                        for selector in range(4) if sparse and kind in ("f16", "tf32") else (0,):
                            for apart in (False, True) if isa.PATHS[isa.PATH[m, blocks, ws, sparse]].folds > 1 and (sparse or tensor_a) else (False,):
                                yield fill(rng, kind, blocks=blocks, ws=ws, sparse=sparse, tensor_a=tensor_a, m=m, selector=selector, apart=apart)
                        if tensor_a and may_shift(kind, m, blocks, ws, sparse):
                            for _ in range(3):
                                yield fill(rng, kind, blocks=blocks, ws=ws, sparse=sparse, tensor_a=True, m=m, shift=True)
            # Zero-column masks, of which the first four are the ISA's examples.
            for m, example in ((128, isa.ZeroMask((0,) * 4, (0,) * 4, 0, 4, 3)), (128, isa.ZeroMask((0, 9, 9, 9), (0, 1, 1, 1), 1, 2, 3)),
                               (64, isa.ZeroMask((0, 0, 9, 9), (1, 0, 1, 1), 1, 2, 3)),
                               (32, isa.ZeroMask((0, 1, 2, 1), (1, 1, 0, 0), 1, 2, 3, 2))):
                yield fill(rng, kind, ws=True, m=m, n=128, zeros=example, max_shift=1)
            for m in (32, 64, 128):
                for max_shift in range(4):
                    for _ in range(8):
                        yield fill(rng, kind, ws=True, m=m, max_shift=max_shift, zeros=mask(rng, m, max_shift))
        # 96 of K by sm_103a: three factors of 32 elements or six of 16; 48 bytes of K.
        if kind in ("mxf4", "mxf4nvf4"):
            for row, (_, count) in enumerate(k.factors):
                for ids, (blocks, m) in itertools.product(itertools.product(isa.factor_ids(count * 3 // 2), repeat=2), ((1, 128), (2, 128), (2, 256))):
                    for n in (32, 128, 160, 256):
                        yield fill(rng, kind, k96=True, factors=row, ids=ids, blocks=blocks, m=m, n=n)
        for _ in range(600):
            yield fill(rng, kind, sparse=not rng.integers(0, 4), ws=not k.factors and not rng.integers(0, 5))
