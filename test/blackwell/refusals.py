"""Cases that the ISA forbids: each has to be refused, by a sentence that names what is wrong."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import re
from typing import NamedTuple

import numpy as np

import device
import isa
from products import Product, Setup
from transfers import NOTHING, noise

BASES = {
    "f16": Product("f16", 128, 64, "f16", "f16", "f32"),
    "tf32": Product("tf32", 128, 64, "tf32", "tf32", "f32"),
    "f8f6f4": Product("f8f6f4", 128, 64, "e4m3", "e5m2", "f32"),
    "i8": Product("i8", 128, 64, "s8", "u8", "s32"),
    "mxf8f6f4": Product("mxf8f6f4", 128, 64, "e4m3", "e5m2", "f32"),
    "mxf4": Product("mxf4", 128, 64, "e2m1", "e2m1", "f32"),
    "mxf4nvf4": Product("mxf4nvf4", 128, 64, "e2m1", "e2m1", "f32", factors=2),
}


class Refusal(NamedTuple):
    """A product that is right except for the bits of `changes`: (operand, first bit, width, value)."""

    what: str
    product: Product
    changes: tuple
    words: str
    group = "refusals"

    def run(self, run, rng):
        setup = Setup(self.product, rng)
        for operand, bit, width, value in self.changes:
            setup.scalars[operand] = setup.scalars[operand] & ~(((1 << width) - 1) << bit) | value << bit
        # Room for whatever is read instead, so that nothing else is refused before.
        images = np.concatenate([setup.images, np.zeros((len(setup.images), 65536), np.uint8)], 1)
        ptx = device.issued(self.product.text(), self.product.blocks, self.product.target())
        return said(lambda: run(ptx, images, setup.before, setup.scalars), self.words)


class Torn(NamedTuple):
    """A product of which one cell of tensor memory is not as it has to be: in a lane of an operand's first column."""

    what: str
    product: Product
    operand: str
    lane: int
    words: str
    group = "refusals"

    def run(self, run, rng):
        setup = Setup(self.product, rng)
        setup.before[:, self.lane, setup.column[self.operand]] ^= 1
        ptx = device.issued(self.product.text(), self.product.blocks, self.product.target())
        return said(lambda: run(ptx, setup.images, setup.before, setup.scalars), self.words)


class RefusedCopy(NamedTuple):
    what: str
    shape: str
    changes: tuple
    words: str
    group = "refusals"

    def run(self, run, rng):
        scalars = {"a_desc": isa.Source(0, 128, 256, "none").descriptor(), "d": 0}
        for operand, bit, width, value in self.changes:
            scalars[operand] = scalars[operand] & ~(((1 << width) - 1) << bit) | value << bit
        ptx = device.issued(f"tcgen05.cp.cta_group::1.{self.shape} [%d], %a_desc;")
        return said(lambda: run(ptx, np.zeros((1, 65536), np.uint8), noise(rng), scalars), self.words)


class RefusedShift(NamedTuple):
    what: str
    lane: int
    group = "refusals"

    def run(self, run, rng):
        ptx = device.issued("tcgen05.shift.cta_group::1.down [%d];")
        return said(lambda: run(ptx, NOTHING, noise(rng), {"d": self.lane << 16}), f"multiple of 32 lanes.* {self.lane}$")


class RefusedText(NamedTuple):
    what: str
    ptx: str
    words: str
    group = "refusals"

    def run(self, run, rng):
        return said(lambda: run(self.ptx, np.zeros((self.ptx.count("cta_group::2") and 2 or 1, 65536), np.uint8), noise(rng), {}), self.words)


def said(launch, words):
    try:
        launch()
    except device.Refused as refused:
        first = refused.text.split("\n")[0]
        return None if re.search(words, first) else f"expected a sentence with /{words}/, got {refused}"
    return "expected to be refused, but ran"


def fields(kind):
    return isa.DESCRIPTORS[isa.KINDS[kind].descriptor]


def of_descriptor(kind, base):
    """Bits of the instruction descriptor."""
    k, table = isa.KINDS[kind], fields(kind)

    def bad(field, value, words):
        return Refusal(f"{kind}: {field} = {value}", base, (("idesc", *table[field], value),), words)

    for bit in isa.reserved(kind):
        yield Refusal(f"{kind}: reserved bit {bit}", base, (("idesc", bit, 1, 1),), rf"^.*bit {bit} of an instruction descriptor")
    for operand in "ab":
        for code in set(range(1 << table[operand][1])) - set(k.types.values()):
            yield bad(operand, code, f"types|code {code}|A of|B of")
        if not k.transpose:
            yield bad("transpose_" + operand, 1, "transposition of " + operand.upper())
        if not k.negate:
            yield bad("negate_" + operand, 1, "negation of " + operand.upper())
    if "d" in table:
        for code in set(range(4)) - set(k.results.values()):
            yield bad("d", code, "types|sums")
        for shift in (1, 2, 3):
            yield bad("max_shift", shift, "shift")
    if "saturate" in table and kind != "i8":
        yield bad("saturate", 1, "saturat")
    yield bad("sparse", 1, "spars")
    # A sparse A whose text says so, and a descriptor that does not.
    sparse = base._replace(sparse=True)
    yield Refusal(f"{kind}: dense descriptor of .sp", sparse, (("idesc", *table["sparse"], 0),), "spars")
    if kind in ("i8", "f8f6f4"):
        for selector in (1, 2, 3):
            yield Refusal(f"{kind}: selector = {selector}", sparse, (("idesc", *table["selector"], selector),), "selector")
    if k.factors:
        for row, (factor, count) in enumerate(k.factors):
            product = base._replace(factors=row)
            for field in ("sfa_id", "sfb_id"):
                for long in (False, True) if kind == "mxf4nvf4" else (False,):
                    for number in set(range(4)) - set(isa.factor_ids(count * (3 if long else 2) // 2)):
                        yield Refusal(f"{kind}, {count} factors{', K = 96' * long}: {field} = {number}", product._replace(k96=long),
                                      (("idesc", *table[field], number),), rf"id {number} of .*factors")
            if (("ue4m3" if factor == "ue8m0" else "ue8m0"), count) not in k.factors:
                yield Refusal(f"{kind}, {count} factors: not {factor}", product,
                              (("idesc", *table["ue8m0"], int(factor != "ue8m0")),), "factor of u")


def of_sources(kind, base):
    """Bits of the two matrix descriptors."""
    for operand in ("a_desc", "b_desc"):
        for bit in (14, 15, 30, 31):
            yield Refusal(f"{kind}: {operand}: reserved bit {bit}", base, ((operand, bit, 1, 1),), rf"but bit {bit} is 1")
        for value in set(range(8)) - {1}:
            yield Refusal(f"{kind}: {operand}: bits 46 to 48 = {value}", base, ((operand, 46, 3, value),), "but bit 4[678] is")
        for value in range(1, 8):
            yield Refusal(f"{kind}: {operand}: base offset {value}", base, ((operand, 49, 3, value),), "base offset")
        yield Refusal(f"{kind}: {operand}: absolute addresses", base, ((operand, 52, 1, 1),), "absolute.*but bit 52 is 1")
        for bit in range(53, 61):
            yield Refusal(f"{kind}: {operand}: fixed bit {bit}", base, ((operand, bit, 1, 1),), rf"but bit {bit} is 1")
        for code in (3, 5, 7):
            yield Refusal(f"{kind}: {operand}: swizzle {code}", base, ((operand, 61, 3, code),), "swizzle")


def of_majors(kind, base):
    """Tables 50 and 52."""
    k = isa.KINDS[kind]
    if not k.transpose:
        return
    for name in k.types:
        for operand in "ab":
            pins = {operand: name, ("b" if operand == "a" else "a"): name if kind == "f16" else getattr(base, "b" if operand == "a" else "a")}
            product = base._replace(**pins)
            allowed = isa.majors(kind, name)
            bit = fields(kind)["transpose_" + operand]
            for swizzle, row in isa.SWIZZLES.items():
                if (True, swizzle) not in allowed:
                    yield Refusal(f"{kind}, {name}: {operand} turned, {swizzle}", product,
                                  (("idesc", *bit, 1), (operand + "_desc", 61, 3, row.code)), "along K only|swizzle of 128 bytes in atoms")
    if any(isa.FORMATS[n].bits == 8 for n in k.types):
        eight = next(n for n in k.types if isa.FORMATS[n].bits == 8)
        for blocks in (1, 2):
            for m, n in isa.shapes(kind, blocks):
                if n % (16 * blocks) and n > 16 and m == 128 * blocks:
                    product = base._replace(b=eight, m=m, n=n, blocks=blocks, major_b=(True, "128B"))
                    yield Refusal(f"{kind}: turned B of 8 bits, N = {n}, {blocks} blocks", product, (), "N in steps of")


def of_addresses():
    """Lanes of tensor memory (9.7.16.10.5)."""
    f16 = BASES["f16"]
    lane = lambda operand, value: (operand, 16, 16, value)
    for blocks, m, ws in ((1, 128, False), (2, 128, False), (2, 256, False), (1, 64, True), (1, 32, True), (1, 128, True)):
        for value in (1, 8, 16, 32, 64, 128):
            yield Refusal(f"D at lane {value}, M = {m}, {blocks} blocks{', .ws' * ws}", f16._replace(m=m, blocks=blocks, ws=ws),
                          (lane("d", value),), "lane")
    half = f16._replace(m=64)
    for value in (1, 4, 8, 15, 17, 24, 32, 48, 64):
        yield Refusal(f"D at lane {value}, M = 64", half, (lane("d", value),), "lane")
    for d, a in ((0, 16), (16, 0), (0, 8)):
        yield Refusal(f"D at lane {d}, A at lane {a}, M = 64", half._replace(tensor_a=True), (lane("d", d), lane("a", a)), "lane")
    for value in (1, 16, 32, 64):
        yield Refusal(f"A at lane {value}, M = 128", f16._replace(tensor_a=True), (lane("a", value),), "lane")
        yield Refusal(f"metadata at lane {value}, M = 128", f16._replace(sparse=True), (lane("meta", value),), "lane")
    for operand in ("d", "a", "meta"):
        for column in (512, 1024, 32768) if operand == "meta" else (505, 510, 512, 1024, 32768):
            product = f16._replace(tensor_a=True, sparse=True)
            yield Refusal(f"{operand} at column {column}", product, ((operand, 0, 16, column),), "column")
    for operand in ("sfa", "sfb"):
        for column in (512, 1024, 32768):
            yield Refusal(f"{operand} at column {column}", BASES["mxf4"], ((operand, 0, 16, column),), "column")


def of_copies():
    for shape in isa.COPIES:
        for bit in (14, 15, 30, 31, 52, *range(53, 61)):
            yield RefusedCopy(f"cp.{shape}: bit {bit}", shape, (("a_desc", bit, 1, 1),), rf"but bit {bit} is 1")
        for value in set(range(8)) - {1}:
            yield RefusedCopy(f"cp.{shape}: bits 46 to 48 = {value}", shape, (("a_desc", 46, 3, value),), "but bit 4[678] is")
        for value in range(1, 8):
            yield RefusedCopy(f"cp.{shape}: base offset {value}", shape, (("a_desc", 49, 3, value),), "base offset")
        for code in (3, 5, 7):
            yield RefusedCopy(f"cp.{shape}: swizzle {code}", shape, (("a_desc", 61, 3, code),), "swizzle")
        for column in (511, 512, 4096):
            yield RefusedCopy(f"cp.{shape}: column {column}", shape, (("d", 0, 16, column),), "column")
        yield RefusedCopy(f"cp.{shape}: lane 128", shape, (("d", 16, 16, 128),), "lane")
        if shape != "4x256b":
            yield RefusedCopy(f"cp.{shape}: lane 100", shape, (("d", 16, 16, 100),), "lane")


def of_texts():
    def mma(text, target="sm_100a", group=1):
        return device.issued(text, group, target)

    plain = "[%d], %a_desc, %b_desc, %idesc, %enable"
    scaled = "[%d], %a_desc, %b_desc, %idesc, [%sfa], [%sfb], %enable"
    for what, ptx in (
        ("scale-input-d of 16", mma(f"tcgen05.mma.cta_group::1.kind::f16 {plain}, 16;")),
        ("scale-input-d of -1", mma(f"tcgen05.mma.cta_group::1.kind::tf32 {plain}, -1;")),
        ("scale-input-d of f8f6f4", mma(f"tcgen05.mma.cta_group::1.kind::f8f6f4 {plain}, 1;")),
        ("scale-input-d of i8", mma(f"tcgen05.mma.cta_group::1.kind::i8 {plain}, 1;")),
        ("scale-input-d of .ws", mma(f"tcgen05.mma.ws.cta_group::1.kind::f16 {plain}, 1;")),
        ("mxf4nvf4 without a vector size", mma(f"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale {scaled};")),
        ("4X of mxf4", mma(f"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::4X {scaled};")),
        ("2X of mxf8f6f4", mma(f"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::2X {scaled};")),
        ("1X of mxf4", mma(f"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::1X {scaled};")),
        ("block scale of f16", mma(f"tcgen05.mma.cta_group::1.kind::f16.block_scale {scaled};")),
        ("mxf4 without factors", mma(f"tcgen05.mma.cta_group::1.kind::mxf4 {plain};")),
        (".ws of a pair", mma(f"tcgen05.mma.ws.cta_group::2.kind::f16 {plain};", group=2)),
        (".ws of mxf4", mma(f"tcgen05.mma.ws.cta_group::1.kind::mxf4.block_scale {scaled};")),
        ("mask of four words for a pair",
         mma("tcgen05.mma.cta_group::2.kind::f16 [%d], %a_desc, %b_desc, %idesc, {%mask0, %mask1, %mask2, %mask3}, %enable;", group=2)),
        ("mask of eight words for a block",
         mma("tcgen05.mma.cta_group::1.kind::f16 [%d], %a_desc, %b_desc, %idesc, "
             "{%mask0, %mask1, %mask2, %mask3, %mask4, %mask5, %mask6, %mask7}, %enable;")),
        ("mask of .ws",
         mma("tcgen05.mma.ws.cta_group::1.kind::f16 [%d], %a_desc, %b_desc, %idesc, {%mask0, %mask1, %mask2, %mask3}, %enable;")),
        (".ashift of A in shared memory", mma(f"tcgen05.mma.cta_group::1.kind::f16.ashift {plain};")),
        (".ashift with a filled collector",
         mma("tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::fill [%d], [%a], %b_desc, %idesc, %enable;")),
        ("collector of B without .ws", mma(f"tcgen05.mma.cta_group::1.kind::f16.collector::b0::fill {plain};")),
        ("collector of A with .ws", mma(f"tcgen05.mma.ws.cta_group::1.kind::f16.collector::a::fill {plain};")),
        ("no kind", mma(f"tcgen05.mma.cta_group::1 {plain};")),
        ("cp of 64 rows for nobody", mma("tcgen05.cp.cta_group::1.64x128b [%d], %a_desc;")),
        ("cp of 64 rows for all", mma("tcgen05.cp.cta_group::1.64x128b.warpx4 [%d], %a_desc;")),
        ("cp of 32 rows for nobody", mma("tcgen05.cp.cta_group::1.32x128b [%d], %a_desc;")),
        ("cp of 32 rows for two", mma("tcgen05.cp.cta_group::1.32x128b.warpx2::02_13 [%d], %a_desc;")),
        ("cp of 128 rows for all", mma("tcgen05.cp.cta_group::1.128x128b.warpx4 [%d], %a_desc;")),
        ("cp that widens from nothing", mma("tcgen05.cp.cta_group::1.128x128b.b8x16 [%d], %a_desc;")),
        ("groups of two sizes in a kernel", mma("tcgen05.cp.cta_group::2.128x128b [%d], %a_desc;")),
    ):
        yield RefusedText(what, ptx, ".")
    for load in (True, False):
        for shape, one in isa.MOVES.items():
            for times in (3, *(t for t in (*isa.TIMES, 256) if one * t > 128)):
                registers = "{" + device.vector(f"%v{i}" for i in range(min(one * times, 256))) + "}"
                split = ", 8" if shape == "16x32bx2" else ""
                operands = f"{registers}, [%d]{split}" if load else f"[%d]{split}, {registers}"
                text = f"tcgen05.{'ld' if load else 'st'}.sync.aligned.{shape}.x{times}.b32 {operands};"
                yield RefusedText(f"{shape}.x{times}", device.moved(text, min(one * times, 256), load), ".")
            count = one * 2 + 1
            registers = "{" + device.vector(f"%v{i}" for i in range(count)) + "}"
            operands = f"{registers}, [%d]{split}" if load else f"[%d]{split}, {registers}"
            text = f"tcgen05.{'ld' if load else 'st'}.sync.aligned.{shape}.x2.b32 {operands};"
            yield RefusedText(f"{shape}.x2 with {count} registers", device.moved(text, count, load), ".")
    least = "tcgen05.ld.red.sync.aligned.32x32b.x{}.min.u32 {{{}}}, %v2, [%d];"
    yield RefusedText("ld.red.x1", device.moved(least.format(1, "%v0"), 3, True, "sm_103a"), ".")
    yield RefusedText("ld.red of 16x64b", device.moved(least.format(2, "%v0, %v1").replace("32x32b", "16x64b"), 3, True, "sm_103a"), ".")
    yield RefusedText("ld.red.abs of integers", device.moved(least.format(2, "%v0, %v1").replace("min", "min.abs"), 3, True, "sm_103a"), ".")


def of_moves():
    """Each warp has its own quarter (9.7.16.8.1); the kernel adds it, so that lane 32 is the next one's."""
    for shape in isa.MOVES:
        split = ", 8" if shape == "16x32bx2" else ""
        registers = "{" + device.vector(f"%v{i}" for i in range(isa.MOVES[shape])) + "}"
        ptx = device.moved(f"tcgen05.ld.sync.aligned.{shape}.x1.b32 {registers}, [%d]{split};", isa.MOVES[shape], True)
        for lane, column in ((32, 0), (64, 0), (96, 0), (128, 0), (0, 512), (0, 1024), (0, 32768)):
            yield RefusedMove(f"{shape} at lane {lane}, column {column}", ptx, lane << 16 | column, isa.MOVES[shape])


class RefusedMove(NamedTuple):
    what: str
    ptx: str
    address: int
    count: int
    group = "refusals"

    def run(self, run, rng):
        empty = np.zeros((128, self.count), np.uint32)
        return said(lambda: run(self.ptx, NOTHING, noise(rng), {"d": self.address}, empty), "lane|column")


def shapes(rng):
    """Every N with each M that there is, and every M."""
    for kind, base in BASES.items():
        table = fields(kind)
        m_field, m_unit = ("m/16", 16) if "m/16" in table else ("m/128", 128)
        for blocks, ws, sparse in ((1, False, False), (2, False, False), (1, True, False), (1, False, True), (2, False, True), (1, True, True)):
            allowed = set(isa.shapes(kind, blocks, ws, sparse))
            if not allowed:
                continue
            product = base._replace(blocks=blocks, ws=ws, sparse=sparse, m=128 * blocks)
            tried = {(m, 8 * n) for m in {m for m, _ in allowed} for n in range(64)}
            tried |= {(m_unit * m, 64) for m in range(1 << table[m_field][1])}
            for m, n in sorted(tried - allowed):
                changes = (("idesc", *table[m_field], m // m_unit), ("idesc", *table["n/8"], n // 8))
                yield Refusal(f"{kind}: {m} x {n}, {blocks} blocks{', .ws' * ws}{', .sp' * sparse}", product, changes, f"M = {m} and N = {n}$")


def of_metadata():
    """Where they begin, so that the selector says which of the next columns they are in."""
    for kind in ("f16", "tf32"):
        sparse = BASES[kind]._replace(sparse=True)
        yield Refusal(f"{kind}: metadata at an odd column", sparse, (("meta", 0, 1, 1),), "even column")
        for selector in (2, 3):
            yield Refusal(f"{kind}: selector {selector} at the second column of four", sparse,
                          (("meta", 0, 2, 2), ("idesc", *fields(kind)["selector"], selector)), "every fourth column")


def of_factors():
    """Quarters of the lanes that have to have the same factors; in pairs of M = 128 those of B in each half."""
    for kind in ("mxf8f6f4", "mxf4", "mxf4nvf4"):
        for operand, name in (("sfa", "A"), ("sfb", "B")):
            for quarter in (1, 2, 3):
                yield Torn(f"{kind}: factors of {name} in quarter {quarter}", BASES[kind], operand, 32 * quarter + 3, f"factors of {name} differ.* 3 and {32 * quarter + 3}$")
        pair = BASES[kind]._replace(blocks=2)
        for quarter, lanes in ((1, "3 and 35"), (3, "67 and 99")):
            yield Torn(f"{kind}: factors of B in quarter {quarter} of a pair", pair, "sfb", 32 * quarter + 3, f"factors of B differ.* {lanes}$")


def of_shifts():
    """Rows that move: of A by products, and by tcgen05.shift."""
    for kind in ("f16", "tf32", "f8f6f4", "i8"):
        base = BASES[kind]._replace(tensor_a=True, shift=True)
        yield Refusal(f"{kind}: .ashift of 64 rows", base._replace(m=64), (), "M = 128 or 256.* 64")
        yield Refusal(f"{kind}: .ashift of a sparse A of 128 rows in a pair", base._replace(blocks=2, sparse=True), (), "sparse 256.* 128")
    for lane in (1, 16, 33, 127):
        yield RefusedShift(f"tcgen05.shift at lane {lane}", lane)


def of_masks():
    """Zero-column masks, and how far B may be shifted."""
    for m in (32, 64, 128):
        base = BASES["f16"]._replace(m=m, ws=True, zeros=isa.ZeroMask((0,) * 4, (0,) * 4))
        for bit in (36, 37, 38, 62, 63):
            yield Refusal(f".ws, M = {m}: reserved bit {bit} of the mask", base, (("zero_mask", bit, 1, 1),), f"bit {bit} of a zero-column mask")
        for code, most in enumerate(isa.MAX_SHIFT):
            for shift in {min(most, 16 if m == 32 else 32) + 1, 33, 63}:
                yield Refusal(f".ws, M = {m}: B shifted by {shift} of {most}", base._replace(max_shift=code), (("zero_mask", 56, 6, shift),),
                              f"shifts B by {shift}")


def refusals(rng):
    for kind, base in BASES.items():
        yield from itertools.chain(of_descriptor(kind, base), of_sources(kind, base), of_majors(kind, base))
    yield from itertools.chain(of_addresses(), of_copies(), of_texts(), of_moves(), of_metadata(), of_factors(), of_shifts(), of_masks())
