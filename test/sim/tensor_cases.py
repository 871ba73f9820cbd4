"""Products of tensor memory that tensor_programs.py writes and runs: what one is, those that are written down, and those at random."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import NamedTuple

import numpy as np

from tensor_operands import Operand

# Element of A and B, as CuTe IR and PTX have it: bits of an element, elements of A in an instruction's dense K, and what numpy stores.
FORMATS = {
    "f16": (16, "f16", lambda v: v.astype(np.float16).view(np.uint16)),
    "bf16": (16, "f16", lambda v: (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)),
    "tf32": (32, "tf32", lambda v: v.astype(np.float32).view(np.uint32)),
    "i8": (8, "i8", lambda v: v.astype(np.int8).view(np.uint8)),
    "f8E4M3FN": (8, "f8f6f4", lambda v: np.array([0x00, 0x38, 0x40, 0x44, 0x48], np.uint8)[abs(v)] | (v < 0).astype(np.uint8) << 7),
    "f8E5M2": (8, "f8f6f4", lambda v: np.array([0x00, 0x3C, 0x40, 0x42, 0x44], np.uint8)[abs(v)] | (v < 0).astype(np.uint8) << 7),
    "f4E2M1FN": (4, "mxf4", lambda v: pairs(np.array([0, 2, 4, 5, 6], np.uint8)[abs(v)] | (v < 0).astype(np.uint8) << 3)),
}


def pairs(codes):
    """Two codes of 4 bits in a byte."""
    return codes[:, ::2] | codes[:, 1::2] << 4


# (data paths, bits) of a load, and how many times the most is.
LOADS = {(32, 32): 128, (16, 64): 128, (16, 128): 64, (16, 256): 32}
COLUMNS_OF_A, COLUMNS_OF_E = 384, 448
OTHER_COLUMNS = 128
START = 3  # what D has at first


class Case(NamedTuple):
    element: str
    m: int
    n: int
    blocks: int = 1  # of K, an instruction each
    ctas: int = 1
    tensor: bool = False  # A in tensor memory
    stationary: bool = False
    sparse: bool = False
    half: bool = False  # D of 16 bits
    collector: str = ""
    buffer: int = 0
    ashift: bool = False
    load: tuple = (32, 32, 32)  # data paths, bits, times
    negate: bool = False
    swizzles: tuple = (0, 0)  # of A and B in shared memory: none, or spans of 32, 64 and 128 bytes
    mn: tuple = (False, False)  # rows are adjacent instead of K
    rows_next: tuple = (False, False)
    tiles: tuple = (1, 1)  # of M and of N
    store: tuple = ()  # D goes to other columns first, by a load and a store of this shape
    other: str = ""  # elements of B, if they are others than those of A
    factor: str = ""  # elements of A and B have factors of this type,
    vector: int = 0  # so many of a row one
    long: bool = False  # 96 elements along K, of sm_103a
    lists: bool = False  # factors stand beside fragments in cute.gemm, instead of in the atom
    whole_copy: bool = False  # one cute.copy for all factors
    arch: str = "sm_100a"

    @property
    def bits(self):
        return FORMATS[self.element][0]

    @property
    def dense(self):
        return 96 if self.long else 256 // self.bits

    @property
    def k(self):
        return self.dense * (2 if self.sparse else 1)

    @property
    def out(self):
        return "i32" if self.element == "i8" else "f16" if self.half else "f32"

    def atom(self):
        more = "".join(text for holds, text in (
            (self.stationary, ", weight_stationary = true"), (self.collector, f", collector = <{self.collector}>"),
            (self.buffer, f", collector_buffer = {self.buffer}"), (self.ashift, ", ashift = true")) if holds)
        if self.factor:
            return (f"!cute_nvgpu.sm100.mma_bs{'_sp' * self.sparse}<{self.m}x{self.n}x{self.k}, num_cta = {self.ctas}, ab_major = ({', '.join('mn' if mn else 'k' for mn in self.mn)}), "
                    f"elem_type = ({self.element}, {self.other or self.element}, f32), sf_type = {self.factor}, {'sparse_metadata_format = tid, ' * self.sparse}"
                    f"frag_kind = {'ts' if self.tensor else 'ss'}, vec_size = {self.vector}{', arch_promote = sm_103' * self.long}{more}>")
        metadata = "e_type = i8, sparse_metadata_format = tid, " if self.sparse else ""
        return (f"!cute_nvgpu.sm100.mma{'_sp' * self.sparse}<{self.m}x{self.n}x{self.k}, num_cta = {self.ctas}, ab_major = ({', '.join('mn' if mn else 'k' for mn in self.mn)}), "
                f"elem_type = ({self.element}, {self.other or self.element}, {self.out}), {metadata}frag_kind = {'ts' if self.tensor else 'ss'}, c_scale_exp = 0{more}>")

    def instruction(self):
        ws, sp = ".ws" * self.stationary, ".sp" * self.sparse
        buffer = f"b{self.buffer}" if self.stationary else "a"
        kind, scaled = FORMATS[self.element][1], ""
        if self.factor:
            per = self.vector // (1 + self.sparse)
            kind = "mxf8f6f4" if self.bits == 8 else "mxf4nvf4" if per == 16 else "mxf4"
            scaled = ".block_scale" + f".block{per}" * (self.bits == 4)
        return (f"tcgen05.mma{ws}{sp}.cta_group::{self.ctas}.kind::{kind}{scaled}{'.ashift' * self.ashift}"
                + (f".collector::{buffer}::{self.collector}" if self.collector else "") + " ")


def operands(c):
    """A (of one block of a pair) and B."""
    a = Operand(c.m // c.ctas, c.dense, c.blocks, c.bits, c.swizzles[0], c.mn[0], c.rows_next[0], c.tiles[0], c.sparse)
    return a, Operand(c.n // c.ctas, c.k, c.blocks, c.bits, c.swizzles[1], c.mn[1], c.rows_next[1], c.tiles[1], False)


def cases(random):
    """Each qualifier, each shape of a load, and others at random."""
    yield from FIXED
    while True:
        yield drawn(random)


# Each data path with each place of A, each qualifier, each shape of a load, each kind, both majors with each swizzle; seven of tcgen05.mma's kinds are in scaled.py.
FIXED = [
    Case("f16", 32, 64, stationary=True, collector="fill", buffer=3, load=(32, 32, 16)),
    Case("i8", 32, 256, blocks=3, tensor=True, stationary=True, load=(32, 32, 64)),
    Case("bf16", 64, 128, blocks=2, stationary=True, collector="use", load=(16, 256, 8), swizzles=(3, 1), mn=(True, True), rows_next=(True, False)),
    Case("tf32", 64, 64, tensor=True, stationary=True, sparse=True, negate=True, load=(16, 64, 16)),
    Case("f8E4M3FN", 64, 256, blocks=2, stationary=True, half=True, collector="lastuse", buffer=1, load=(32, 32, 64)),
    Case("f8E5M2", 128, 128, blocks=2, stationary=True, sparse=True, load=(16, 128, 32)),
    Case("f16", 128, 40, tensor=True, ashift=True, load=(32, 32, 8)),
    Case("i8", 256, 64, blocks=2, ctas=2, tensor=True, ashift=True, collector="lastuse", load=(16, 128, 4)),
    Case("bf16", 128, 64, ctas=2, tensor=True, ashift=True, load=(16, 64, 8)),
    Case("tf32", 128, 24, tensor=True, sparse=True, ashift=True, load=(16, 64, 4)),
    Case("f16", 64, 80, blocks=3, tensor=True, half=True, load=(16, 64, 4), tiles=(1, 2)),
    Case("tf32", 64, 32, blocks=2, sparse=True, collector="fill", load=(16, 256, 2), mn=(True, True), rows_next=(False, True)),
    Case("f8E5M2", 128, 64, ctas=2, sparse=True, load=(16, 128, 16), swizzles=(2, 1), mn=(False, True)),
    Case("f16", 256, 208, blocks=2, ctas=2, sparse=True, load=(32, 32, 16), swizzles=(3, 3), rows_next=(True, False)),
    Case("i8", 64, 24, load=(16, 64, 4), tiles=(2, 1)),
    Case("f8E4M3FN", 128, 8, blocks=4, collector="use", load=(32, 32, 1), swizzles=(1, 3), store=(32, 32, 8)),
    Case("f8E4M3FN", 128, 192, blocks=4, load=(32, 32, 64), mn=(True, True), other="f8E5M2", factor="f8E8M0FNU", vector=32, lists=True, arch="sm_110a"),
    Case("f8E5M2", 256, 48, blocks=2, ctas=2, tensor=True, sparse=True, load=(16, 64, 8), other="f8E4M3FN", factor="f8E8M0FNU", vector=64, whole_copy=True),
    Case("f4E2M1FN", 128, 224, blocks=3, ctas=2, load=(16, 256, 2), swizzles=(3, 1), factor="f8E4M3FN", vector=16, lists=True, whole_copy=True),
    Case("f4E2M1FN", 128, 8, blocks=4, sparse=True, load=(32, 32, 8), swizzles=(2, 3), factor="f8E8M0FNU", vector=32, arch="sm_103a"),
    Case("f4E2M1FN", 128, 208, blocks=2, ctas=2, tensor=True, load=(16, 128, 2), swizzles=(0, 3), factor="f8E4M3FN", vector=16, long=True, arch="sm_103a"),
    Case("f4E2M1FN", 256, 64, ctas=2, load=(16, 64, 16), swizzles=(2, 2), factor="f8E8M0FNU", vector=32, long=True, whole_copy=True, arch="sm_103a"),
]


def drawn_scaled(random):
    """A product with block factors."""
    pick = lambda options: options[int(random.integers(len(options)))]
    element = pick(("f8E4M3FN", "f8E5M2", "f4E2M1FN", "f4E2M1FN"))
    narrow, sparse, ctas = element == "f4E2M1FN", not random.integers(0, 3), pick((1, 2))
    long = narrow and not sparse and not random.integers(0, 3)
    m = 128 if ctas == 1 else 256 if sparse else pick((128, 256))
    n = pick(list(range((16 if long else 8) * ctas, 257, (16 if long else 8) * ctas)))
    factor, vector = pick((("f8E8M0FNU", 32), ("f8E8M0FNU", 16), ("f8E4M3FN", 16))) if narrow else ("f8E8M0FNU", 32)
    majors = [bool(x) and not narrow for x in random.integers(0, 3, 2) == 0]
    tensor = not random.integers(0, 4)
    folds = 2 if ctas == 2 and m == 128 else 1
    loads = [(dp, bits, 1 << i) for (dp, bits), most in LOADS.items() for i in range(most.bit_length()) if n // folds % (bits // 32 << i) == 0]
    if not loads:
        return drawn_scaled(random)
    case = Case(element, m, n, blocks=int(random.integers(1, 3 if long else 5)), ctas=ctas, tensor=tensor, sparse=sparse, collector=pick(("", "", "fill", "use", "lastuse")),
                load=pick(loads), negate=not random.integers(0, 4), swizzles=tuple(int(x) for x in random.integers(0, 4, 2)), mn=(majors[0] and not tensor, majors[1]),
                rows_next=tuple(bool(x) for x in random.integers(0, 2, 2)), other=element if narrow else pick(("f8E4M3FN", "f8E5M2")), factor=factor,
                vector=vector * (1 + sparse), long=long, lists=bool(random.integers(0, 2)), whole_copy=bool(random.integers(0, 2)),
                arch="sm_103a" if long else pick(("sm_100a", "sm_103a", "sm_110a")))
    return case if all(x.fits() for x in operands(case)) else drawn_scaled(random)


def drawn(random):
    if not random.integers(0, 3):
        return drawn_scaled(random)
    pick = lambda options: options[int(random.integers(len(options)))]
    element = pick([name for name, (bits, *_) in FORMATS.items() if bits > 4])
    stationary = not random.integers(0, 3)
    sparse = not random.integers(0, 4)
    ctas = 1 if stationary else pick((1, 1, 2))
    m = pick((32, 64, 128)) if stationary else pick((64, 128)) if ctas == 1 else pick((128, 256))
    if stationary:
        n = pick((64, 128) if sparse else (64, 128, 256))
    elif element == "i8":
        n = pick([8, 16, 24, *range(32, 257, 16)]) if ctas == 1 else pick(list(range(32, 257, 32)))
    else:
        n = pick(list(range(8 * ctas, 257, 8 * ctas)))
    tensor = bool(random.integers(0, 3) == 0)
    shift = tensor and m >= 128 and not stationary and not (sparse and ctas == 2 and m == 128) and not random.integers(0, 3)
    collector = pick(("", "", "fill", "use", "lastuse")) if not shift else pick(("", "lastuse"))
    half = element in ("f16", "f8E4M3FN", "f8E5M2") and not random.integers(0, 3)
    # A load whose columns divide those of D: CuTe leaves it to the program to leave out what is beyond.
    folds = 128 * ctas // m if stationary or (ctas == 2 and not sparse) else 1
    loads = [(dp, bits, 1 << i) for (dp, bits), most in LOADS.items() for i in range(most.bit_length())
             if n // folds % ((bits // 32 << i) * (2 if half else 1)) == 0]
    if not loads:
        return drawn(random)
    blocks, majors = int(random.integers(1, 5)), [bool(x) for x in random.integers(0, 3, 2) == 0]
    mn = (majors[0] and not tensor, majors[1])
    swizzles, rows_next = tuple(int(x) for x in random.integers(0, 4, 2)), tuple(bool(x) for x in random.integers(0, 2, 2))
    tiles = (1 if tensor or sparse else pick((1, 1, 2)), 1 if shift else pick((1, 1, 2, 3)))
    # Of tiles in bands of 16 lanes two share columns, as CuTe has it; metadata would have to be in the lanes of both.
    if n * tiles[0] * tiles[1] > COLUMNS_OF_A or (m // ctas == 64 and (sparse or tiles[0] * tiles[1] == 3)):
        tiles = (1, 1)
    store = pick(loads) if tiles == (1, 1) and n // folds <= OTHER_COLUMNS and not random.integers(0, 2) else ()
    case = Case(element, m, n, tiles=tiles, store=store, blocks=blocks, ctas=ctas, tensor=tensor, stationary=stationary, sparse=sparse, half=half,
                collector=collector, buffer=int(random.integers(0, 4)) if stationary and collector else 0, ashift=shift, load=pick(loads),
                negate=element != "i8" and not random.integers(0, 4), swizzles=swizzles, mn=mn, rows_next=rows_next,
                arch=pick(("sm_100a", "sm_110a", *["sm_103a"] * (element != "i8"))))
    return case if all(x.fits() for x in operands(case)) else drawn(random)
