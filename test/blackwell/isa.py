"""Where the PTX ISA says that every element of tcgen05's operands lies: a second model, for tests only.

Written from the text of the ISA (9.7.16 of PTX 9.0), TVM's tables of what a B200 does (docs, tirx/tile_ops) and CUTLASS's layouts as
blackwell_facts.md states them, without sight of tessera/sim. Tables first; the functions only read them. Rows, columns and K of matrices
are numpy arrays throughout.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import NamedTuple

import numpy as np

# --- Numbers -----------------------------------------------------------------------------------------------------------------------


class Format(NamedTuple):
    bits: int
    exponent: int = 0  # bits; 0: an integer
    mantissa: int = 0
    bias: int = 0
    signed: bool = True
    last: str = ""  # what the largest exponent means: "infinity", "nan" (the largest code alone), or numbers


FORMATS = {
    "tf32": Format(32, 8, 23, 127, last="infinity"),  # in 32 bits, the low 13 of which do not count
    "f32": Format(32, 8, 23, 127, last="infinity"),
    "f16": Format(16, 5, 10, 15, last="infinity"),
    "bf16": Format(16, 8, 7, 127, last="infinity"),
    "e4m3": Format(8, 4, 3, 7, last="nan"),
    "e5m2": Format(8, 5, 2, 15, last="infinity"),
    "e2m3": Format(6, 2, 3, 1),
    "e3m2": Format(6, 3, 2, 3),
    "e2m1": Format(4, 2, 1, 1),
    "ue8m0": Format(8, 8, 0, 127, signed=False, last="nan"),
    "ue4m3": Format(8, 4, 3, 7, signed=False, last="nan"),
    "s8": Format(8),
    "u8": Format(8, signed=False),
    "s32": Format(32),
}


def values(name):
    """The number of every code of a format of at most 16 bits; NaN for what is none."""
    f = FORMATS[name]
    codes = np.arange(1 << f.bits)
    if not f.exponent:
        return np.where(f.signed & (codes >> (f.bits - 1) == 1), codes - (1 << f.bits), codes).astype(float)
    magnitude = codes & ((1 << (f.exponent + f.mantissa)) - 1)
    e, m = magnitude >> f.mantissa, magnitude & ((1 << f.mantissa) - 1)
    subnormal = (e == 0) & (name != "ue8m0")  # ue8m0 has no zero: code 0 is 2^-127
    number = np.ldexp(m / (1 << f.mantissa) + ~subnormal, np.where(subnormal, 1, e) - f.bias)
    none = {"infinity": e == (1 << f.exponent) - 1, "nan": magnitude == (1 << (f.exponent + f.mantissa)) - 1}.get(f.last, False)
    return np.where(none, np.nan, number) * np.where(f.signed & (codes >> (f.bits - 1) == 1), -1.0, 1.0)


# --- Kinds, shapes, the instruction descriptor (9.7.16.2.1, tables 39 and 42 to 44) ------------------------------------------------

SMALL = {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}


class Kind(NamedTuple):
    types: dict  # of A and B, with their codes
    results: dict  # of D
    k: int  # dense
    descriptor: str  # row of DESCRIPTORS
    factors: tuple = ()  # (format, vector size in factors a row of dense K)
    negate: bool = True  # table 49
    transpose: bool = True
    padded: bool = False  # 4 and 6 bits lie in 16-byte groups of 16 elements in shared memory, in bytes in tensor memory


KINDS = {
    "f16": Kind({"f16": 0, "bf16": 1}, {"f16": 0, "f32": 1}, 16, "plain"),
    "tf32": Kind({"tf32": 2}, {"f32": 1}, 8, "plain"),
    "f8f6f4": Kind(SMALL, {"f16": 0, "f32": 1}, 32, "plain", padded=True),
    "i8": Kind({"u8": 0, "s8": 1}, {"s32": 2}, 32, "plain", negate=False),
    "mxf8f6f4": Kind(SMALL, {"f32": None}, 32, "scaled", (("ue8m0", 1),), padded=True),
    "mxf4": Kind({"e2m1": 1}, {"f32": None}, 64, "scaled4", (("ue8m0", 2),), transpose=False),
    "mxf4nvf4": Kind({"e2m1": 1}, {"f32": None}, 64, "scaled4", (("ue8m0", 2), ("ue8m0", 4), ("ue4m3", 4)), transpose=False),
}

# Fields by their first bit and width. What no field covers must be 0.
DESCRIPTORS = {
    "plain": {
        "selector": (0, 2), "sparse": (2, 1), "saturate": (3, 1), "d": (4, 2), "a": (7, 3), "b": (10, 3), "negate_a": (13, 1),
        "negate_b": (14, 1), "transpose_a": (15, 1), "transpose_b": (16, 1), "n/8": (17, 6), "m/16": (24, 5), "max_shift": (30, 2),
    },
    "scaled": {
        "sparse": (2, 1), "sfb_id": (4, 2), "a": (7, 3), "b": (10, 3), "negate_a": (13, 1), "negate_b": (14, 1), "transpose_a": (15, 1),
        "transpose_b": (16, 1), "n/8": (17, 6), "ue8m0": (23, 1), "m/128": (27, 2), "sfa_id": (29, 2),
    },
    "scaled4": {
        "sparse": (2, 1), "sfb_id": (4, 2), "a": (7, 3), "b": (10, 2), "negate_a": (13, 1), "negate_b": (14, 1), "transpose_a": (15, 1),
        "transpose_b": (16, 1), "n/8": (17, 6), "ue8m0": (23, 1), "m/128": (27, 2), "sfa_id": (29, 2), "k96": (31, 1),
    },
}


def instruction(kind, **fields):
    """An instruction descriptor."""
    word, table = 0, DESCRIPTORS[KINDS[kind].descriptor]
    for name, value in fields.items():
        bit, width = table[name]
        assert 0 <= value < 1 << width, (kind, name, value)
        word |= value << bit
    return word


def reserved(kind):
    """Bits of the instruction descriptor that no field covers."""
    used = {bit + i for bit, width in DESCRIPTORS[KINDS[kind].descriptor].values() for i in range(width)}
    return [i for i in range(32) if i not in used]


def shapes(kind, group, ws=False, sparse=False):
    """All (M, N) of a kind: table 39."""
    if ws:
        ms, ns = (32, 64, 128), ((64, 128) if sparse else (64, 128, 256))
        return [] if group == 2 or KINDS[kind].factors else [(m, n) for m in ms for n in ns]
    if KINDS[kind].factors:
        ms = (128,) if group == 1 else (256,) if sparse else (128, 256)
    else:
        ms = (64, 128) if group == 1 else (128, 256)
    if kind == "i8":
        ns = [8, 16, 24, *range(32, 257, 16)] if group == 1 else range(32, 257, 32)
    else:
        ns = range(8 * group, 257, 8 * group)
    return [(m, n) for m in ms for n in ns]


# --- Data paths (9.7.16.10.5): where D, and A in tensor memory, lie ----------------------------------------------------------------


class Path(NamedTuple):
    rows: int  # of D in one block
    band: int  # rows that stand together in a quarter of 32 lanes
    folds: int  # parts of N, one below the other


PATHS = {
    "A": Path(128, 32, 1), "B": Path(64, 32, 2), "C": Path(64, 16, 1), "D": Path(128, 32, 1), "E": Path(64, 32, 2), "F": Path(64, 16, 1),
    "G": Path(32, 32, 4),
}
# (M, blocks, .ws, A is sparse) -> path
PATH = {
    (32, 1, True, False): "G", (32, 1, True, True): "G", (64, 1, True, False): "E", (64, 1, True, True): "E", (64, 1, False, False): "F",
    (64, 1, False, True): "F", (128, 1, False, False): "D", (128, 1, False, True): "D", (128, 1, True, False): "D",
    (128, 1, True, True): "D", (128, 2, False, False): "B", (128, 2, False, True): "C", (256, 2, False, False): "A",
    (256, 2, False, True): "A",
}


def row_lane(path, row):
    """The lane of a block's row, in the first fold."""
    band = PATHS[path].band
    return row // band * 32 + row % band


def d_place(path, m, n, n_all):
    """(block, lane, column) of D's element."""
    p = PATHS[path]
    part = n_all // p.folds
    return m // p.rows, row_lane(path, m % p.rows) + n // part * p.rows, n % part


def copies(path):
    """How many lanes further down each copy of A and of metadata begins: a part of N has to find them in its own lanes.

    The comment of CUTLASS's TmemAllocMode::Duplicated for path B, tmem_e_frg_ws for E and G. They may differ: FlashMLA multiplies two A of
    64 rows by .ws ("dual gemm"), and TIRx-harness has another A and other metadata for each part.
    """
    p = PATHS[path]
    return [p.rows * i for i in range(p.folds)]


def a_place(kind, name, path, m, k):
    """(block, lane, column, bit in it) of A's element in tensor memory, in its first copy."""
    p = PATHS[path]
    width = 8 if KINDS[kind].padded else FORMATS[name].bits
    bit = k * width + (2 if KINDS[kind].padded and name == "e2m1" else 0)  # 00ABCD00: CUTLASS, mma_traits_sm120.hpp
    return m // p.rows, row_lane(path, m % p.rows), bit // 32, bit % 32


# --- Shared memory (9.7.16.4.1, 9.7.16.10.6) ---------------------------------------------------------------------------------------


class Swizzle(NamedTuple):
    code: int  # bits 61 to 63
    width: int  # bytes of a row of the atom
    bits: int  # this many bits are changed,
    low: int  # from this one on, by those
    shift: int  # as far above


SWIZZLES = {
    "none": Swizzle(0, 16, 0, 4, 3), "128B_32B": Swizzle(1, 128, 2, 5, 2), "128B": Swizzle(2, 128, 3, 4, 3),
    "64B": Swizzle(4, 64, 2, 4, 3), "32B": Swizzle(6, 32, 1, 4, 3),
}
FIXED = 1 << 46  # bits 46 to 48 are 0b001


class Source(NamedTuple):
    """A descriptor's fields: bytes of the image."""

    start: int
    lbo: int
    sbo: int
    swizzle: str

    def descriptor(self):
        word = FIXED | SWIZZLES[self.swizzle].code << 61
        for at, value in ((0, self.start), (16, self.lbo), (32, self.sbo)):
            assert value % 16 == 0 and 0 <= value < 1 << 18, value
            word |= value >> 4 << at
        return word

    def swizzled(self, byte):
        s = SWIZZLES[self.swizzle]
        return byte ^ ((byte >> s.shift) & (((1 << s.bits) - 1) << s.low))


def chunk(kind, name, along):
    """(16-byte chunk, bit in it) of an element by its place along the major mode."""
    bits = FORMATS[name].bits
    per = 16 if KINDS[kind].padded else 128 // bits
    return along // per, along % per * bits


def smem_bit(source, kind, name, transposed, mn, k):
    """The bit of the image where an element of A or B begins."""
    s = SWIZZLES[source.swizzle]
    c, bit = chunk(kind, name, mn if transposed else k)
    if not transposed:
        byte = mn // 8 * source.sbo + mn % 8 * s.width + c * (source.lbo if source.swizzle == "none" else 16)
    elif source.swizzle == "none":
        byte = c * source.sbo + k % 8 * 16 + k // 8 * source.lbo
    else:
        wide, deep = s.width // 16, 4 if source.swizzle == "128B_32B" else 8
        byte = c % wide * 16 + c // wide * source.lbo + k % deep * s.width + k // deep * source.sbo
    return source.swizzled(source.start + byte) * 8 + bit


def majors(kind, name):
    """(transposed, swizzle) that table 52 allows. It has all swizzles along K, though table 53 has no atom for 128B_32B there."""
    row = [(False, s) for s in SWIZZLES]
    bits = FORMATS[name].bits
    if not KINDS[kind].transpose or bits < 8:
        return row
    return row + [(True, s) for s in (("128B_32B",) if bits == 32 else ("none", "32B", "64B", "128B"))]


# --- Scale factors (9.7.16.10.7.2) and metadata (9.7.16.10.8) ----------------------------------------------------------------------


def factor_place(row, j, first, rows):
    """(lane in each quarter, column, byte) of factor j of a row of A, or of a column of B; `first` is the id.

    What does not fit a column's four bytes goes on where the next four factors of each row are: after those of 128 rows, or of 256 where
    N > 128 (the figures' two cases; the same in CUTLASS, where sm103_blockscaled_mma_warpspecialized.hpp steps by 3 and by 6 factors).
    """
    byte = first + j
    return row % 32, row // 32 + byte // 4 * (4 * ((rows + 127) // 128)), byte % 4


def factor_parts(operand, path):
    """Into how many parts rows of factors go, each in its share of the quarters, from the first column on.

    One, as factors are "duplicated to all 32 lane partitions"; but where D's columns are folded, in pairs of M = 128, each half of the
    lanes has B's factors of its own half of N: CUTLASS's ScaleFactorDuplicated2by2, the same in TIRx-harness.
    """
    return PATHS[path].folds if operand == "sfb" else 1


def factor_ids(count):
    """The ids that a number of factors takes: four begin a column, two half of one; of K = 96, three any byte, six half a column."""
    return {1: (0, 1, 2, 3), 2: (0, 2), 3: (0, 1, 2, 3), 4: (0,), 6: (0, 2)}[count]


GROUPS = {"tf32": 2, "mxf4": 8, "mxf4nvf4": 8}  # elements of the dense row that 4 bits of metadata speak of; others: 4
PAIRS = [(i, j) for j in range(4) for i in range(j)]  # two of four, in rising order: the index is i | j << 2


def metadata_place(kind, path, row, group, selector=0):
    """(lane, column, bit) of the 4 bits of a group, in their first copy: CUTLASS's tmem_e_frg and tmem_e_frg_ws.

    Of f16 and tf32, 32 bits a row: 16 in a lane, 16 eight lanes below; two rows share a column, and the selector adds to it (bit 0 of
    CUTLASS's address; of 2 and 3 there is only the sentence that it "selects the sub-columns"). Where rows are in bands of 16 so are these
    lanes, as A, D and metadata have the same alignment (9.7.16.10.5).
    """
    if kind in ("f16", "tf32"):
        lane, column, bit = row // 16 * 16 + row % 8 + group // 4 * 8, selector, row // 8 % 2 * 16 + group % 4 * 4
    else:
        lane, column, bit = row, group // 8, group % 8 * 4
    return row_lane(path, lane) + 0 * group, column + 0 * lane, bit + 0 * lane


# --- The zero-column mask (9.7.16.4.3), and where B begins ------------------------------------------------------------------------


class ZeroMask(NamedTuple):
    starts: tuple  # of the four sub-masks: how many bits are left out at their beginning
    firsts: tuple  # 1: they begin with ones
    some: int = 1  # 0: all zeros
    skip: int = 0  # ones that follow each other, less 1. So the examples; the table has it the other way around
    use: int = 0  # zeros that follow each other, less 1
    shift: int = 0  # D's column 0 is B's column `shift`

    def descriptor(self):
        word = self.some << 39 | self.skip << 40 | self.use << 48 | self.shift << 56
        for i in range(4):
            word |= self.starts[i] << 8 * i | self.firsts[i] << 32 + i
        return word

    def columns(self, m, n):
        """True where a column of B counts as zeros."""
        out, parts = np.zeros(n, bool), 128 // m
        for i in range(parts if self.some else 0):
            ones, zeros = [True] * (self.skip + 1), [False] * (self.use + 1)
            period = ones + zeros if self.firsts[i] else zeros + ones
            endless = np.array(period * ((self.starts[i] + n) // len(period) + 1))
            out[i * n // parts : (i + 1) * n // parts] = endless[self.starts[i] :][: n // parts]
        return out


MAX_SHIFT = (0, 8, 16, 32)  # bits 30 and 31 of the instruction descriptor of .ws: the most that B may be shifted


# --- Loads and stores (9.7.16.2.3.1; TVM's table of tcgen05.ld and .st) ------------------------------------------------------------

MOVES = {"32x32b": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4, "16x32bx2": 1}  # registers for .x1
TIMES = (1, 2, 4, 8, 16, 32, 64, 128)


def move_place(shape, thread, r):
    """(lane, word) of a thread's register r."""
    t = thread
    return {
        "32x32b": lambda: (t + 0 * r, r + 0 * t),
        "16x64b": lambda: (t // 4 + 8 * (t % 2) + 0 * r, t // 2 % 2 + 2 * r),
        "16x128b": lambda: (t // 4 + 8 * (r % 2), t % 4 + 4 * (r // 2)),
        "16x256b": lambda: (t // 4 + 8 * (r // 2 % 2), r % 2 + 2 * (t % 4) + 8 * (r // 4)),
        "16x32bx2": lambda: (t % 16 + 0 * r, r + 0 * t),  # threads 16 to 31 at the second address
    }[shape]()


# --- tcgen05.shift and .ashift (9.7.16.9.3, 9.7.16.10.9) ---------------------------------------------------------------------------

SHIFTED = 8  # columns: its shape is 31x256b (9.7.16.2.3), and so wide is A of each product


def shifted(cells):
    """Cells of 32 lanes afterwards: "downwards across all the rows, except the last, by one row".

    Text and shape fit two directions. Rows get what the next one has, as in TIRx-harness, which was held against SM100.
    """
    return np.concatenate([cells[1:], cells[31:]])


# --- tcgen05.cp (9.7.16.9.2; TVM's table) ------------------------------------------------------------------------------------------


class Copy(NamedTuple):
    rows: int
    chunks: int  # of 128 bits a row
    lanes: object  # of a row


COPIES = {
    "128x256b": Copy(128, 2, lambda r: [r]),
    "4x256b": Copy(4, 2, lambda r: [32 * r]),
    "128x128b": Copy(128, 1, lambda r: [r]),
    "64x128b.warpx2::02_13": Copy(64, 1, lambda r: [r, r + 64]),
    "64x128b.warpx2::01_23": Copy(64, 1, lambda r: [r // 32 * 64 + r % 32 + i for i in (0, 32)]),
    "32x128b.warpx4": Copy(32, 1, lambda r: [r + i for i in (0, 32, 64, 96)]),
}
WIDENINGS = {"": None, ".b8x16.b6x16_p32": 6, ".b8x16.b4x16_p64": 4}


def copy_byte(source, row, c):
    """The byte of the image where 16 bytes of a row begin: as a K-major matrix of elements of 128 bits."""
    s = SWIZZLES[source.swizzle]
    return source.swizzled(
        source.start + row // 8 * source.sbo + row % 8 * s.width + c * (source.lbo if source.swizzle == "none" else 16)
    )


def widened(chunk16, bits):
    """16 bytes of a row as they arrive: 16 elements of 6 or 4 bits, one in each byte."""
    if bits is None:
        return chunk16
    stream = np.unpackbits(chunk16, axis=-1, bitorder="little")[..., : 16 * bits].reshape(*chunk16.shape[:-1], 16, bits)
    codes = (stream * (1 << np.arange(bits))).sum(-1)
    return (codes << (2 if bits == 4 else 0)).astype(np.uint8)  # 00ABCD00, as products read it
