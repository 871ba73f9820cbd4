#!/usr/bin/env python3
"""Products with scale factors, with a sparse A, with both, of K = 96 and with lanes of D that stay, by atoms on the simulator against numpy:
scaled.py TESSERA."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

KERNELS = Path(__file__).parent / "kernels"  # of f8E4M3FN with factors of f8E8M0FNU
# Codes of 0 ... 4 without a sign, and of factors 2^-3 ... 2^3; the highest bit of a code is the sign.
CODES = {"f8E4M3FN": [0x00, 0x38, 0x40, 0x44, 0x48], "f8E5M2": [0x00, 0x3C, 0x40, 0x42, 0x44], "f4E2M1FN": [0, 2, 4, 5, 6]}
FACTORS = {"f8E8M0FNU": range(124, 131), "f8E4M3FN": range(0x20, 0x58, 8)}


class Kind(NamedTuple):
    name: str
    element: str
    factor: str = ""
    vector: int = 0  # elements of a row (with those that a sparse A leaves out) that share a factor
    sparse: bool = False
    column: int = 0  # of metadata: 1 is named by the instruction descriptor's selector, and only f16 and tf32 have it
    long: bool = False  # 96 elements of 4 bits along K, of sm_103a
    tensor: bool = False  # A in tensor memory
    lanes: bool = False  # lanes of D that stay

    @property
    def k(self):
        return 96 if self.long else (2 if self.sparse else 1) * 32 * 8 // self.bits

    @property
    def bits(self):
        return BITS.get(self.element, 8)


BITS = {"f4E2M1FN": 4, "f16": 16, "bf16": 16, "tf32": 32}
DENSE = [
    Kind("mxf8f6f4", "f8E4M3FN", "f8E8M0FNU", 32),
    Kind("mxf8f6f4", "f8E5M2", "f8E8M0FNU", 32),
    Kind("mxf4", "f4E2M1FN", "f8E8M0FNU", 32),
    Kind("mxf4nvf4", "f4E2M1FN", "f8E4M3FN", 16),
]
# K = 96: the factors of a row are up to six, of which two follow in the next column.
LONG = [
    Kind("mxf4", "f4E2M1FN", "f8E8M0FNU", 32, long=True),
    Kind("mxf4nvf4", "f4E2M1FN", "f8E4M3FN", 16, long=True),
    Kind("mxf4", "f4E2M1FN", "f8E8M0FNU", 32, long=True, tensor=True),
    Kind("mxf4nvf4", "f4E2M1FN", "f8E4M3FN", 16, long=True, tensor=True),
]
# PTX ISA 9.7.16.10.9: a bit for each lane of D, which stays where it is set.
LANES = [Kind("f16", "f16", lanes=True), Kind("f8f6f4", "f8E5M2", lanes=True)]
# A product of mxf8f6f4 has one factor for a row of A; its 64 elements are 32 that are stored.
SPARSE = [
    Kind("f16", "f16", sparse=True),
    Kind("f16", "bf16", sparse=True),
    Kind("tf32", "tf32", sparse=True),
    Kind("f16", "f16", sparse=True, column=1),
    Kind("tf32", "tf32", sparse=True, column=1),
    Kind("f8f6f4", "f8E4M3FN", sparse=True),
    Kind("i8", "i8", sparse=True),
    Kind("mxf8f6f4", "f8E4M3FN", "f8E8M0FNU", 64, True),
    Kind("mxf4", "f4E2M1FN", "f8E8M0FNU", 64, True),
    Kind("mxf4nvf4", "f4E2M1FN", "f8E4M3FN", 32, True),
]


def rows_of_codes(values, element):
    """Each row as bytes; of two numbers of 4 bits the first is the lower half."""
    if element in PLAIN:
        return np.ascontiguousarray(PLAIN[element](values)).view(np.uint8).reshape(len(values), -1)
    bits = BITS.get(element, 8)
    codes = np.array(CODES[element], np.uint8)[abs(values)] | ((values < 0) << (bits - 1)).astype(np.uint8)
    return codes if bits == 8 else codes[:, ::2] | codes[:, 1::2] << 4


PLAIN = {"f16": lambda v: v.astype(np.float16), "tf32": lambda v: v.astype(np.float32), "i8": lambda v: v.astype(np.int8),
         "bf16": lambda v: (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)}


def core_matrices(rows):
    """Rows as core matrices: 8 rows of 16 bytes, the next 16 bytes of a row 128 bytes further, the next 8 rows after these."""
    return rows.reshape(16, 8, -1, 16).transpose(0, 2, 1, 3).reshape(-1)


def factors(codes):
    """Up to four factors for each of 128 rows, as CUTLASS lays them out: row m begins at byte 16 (m mod 32) + 4 (m div 32)."""
    rows = np.zeros((128, 4), np.uint8)
    rows[:, :codes.shape[1]] = codes
    return rows.reshape(4, 32, 4).transpose(1, 0, 2).reshape(-1)


# Where the metadata of an element of A are, as bits of tensor memory: of rows of 8, 2, 8 and of K. Source: CUTLASS UMMA::tmem_e_frg, for
# tf32 with two bits an element, f16 with one, of 8 bits with one, of 4 bits with half a bit.
LANE = 1 << 20  # bits from one lane to the next
METADATA = {
    32: lambda m, k: m % 8 * LANE + m // 8 % 2 * 16 + m // 16 * 16 * LANE + k % 8 * 2 + k // 8 * 8 * LANE,
    16: lambda m, k: m % 8 * LANE + m // 8 % 2 * 16 + m // 16 * 16 * LANE + k % 16 + k // 16 * 8 * LANE,
    8: lambda m, k: m * LANE + k,
    4: lambda m, k: m * LANE + k // 2,
}


def sparse(kind, random):
    """What A keeps of its elements (two of four; of 32 bits one of two; of 4 bits two pairs of four), and two words of metadata for each
    lane: an index of two bits for each that is kept (of 32 bits, for each half of it)."""
    chunk, unit = {32: (2, 1), 4: (8, 2)}.get(kind.bits, (4, 1))
    kept, words = np.zeros((128, kind.k), bool), np.zeros((128, 2), np.uint32)
    for m in range(128):
        for first in range(0, kind.k, chunk):
            chosen = sorted(random.choice(4 if kind.bits != 32 else 2, 2 if kind.bits != 32 else 1, replace=False))
            for c in chosen:
                kept[m, first + c * unit:first + (c + 1) * unit] = True
            pair = (2 * chosen[0], 2 * chosen[0] + 1) if kind.bits == 32 else chosen
            lane, bit = divmod(METADATA[kind.bits](m, first), LANE)
            words[lane, kind.column + bit // 32] |= np.uint32((pair[0] | pair[1] << 2) << bit % 32)
    return kept, words


def layouts(kind, k, stored):
    """The layout of rows of k elements, of which so many are stored: core matrices of 16 bytes."""
    per = 128 // kind.bits
    row, count = 8 * per * (stored // per), stored // per
    shape, stride = (f"({per},{count})", f"(1,{8 * per})")
    if k != stored:  # of 4 bits pairs are kept or not
        shape, stride = (f"(2,{per},{count})", f"(0,1,{8 * per})") if kind.bits != 4 else (f"(2,2,{per // 2},{count})", f"(1,0,2,{8 * per})")
    return f"(((8,16),{shape}),1,1):((({per},{row}),{stride}),0,0)"


def replaced(text, changes):
    """All at once: what one change writes, no other one reads."""
    for old in changes:
        assert old in text, old
    return re.sub("|".join(re.escape(old) for old in sorted(changes, key=len, reverse=True)), lambda found: changes[found[0]], text)


def long_text(kind):
    """The kernel with 96 elements of 4 bits along K: 6144 bytes of each matrix, and two blocks of factors."""
    text = replaced((KERNELS / "block_scaled.mlir").read_text(), {
        "128x128x32": "128x128x96", "vec_size = 32": f"vec_size = {kind.vector}, arch_promote = sm_103", "f8E4M3FN": kind.element,
        "f8E8M0FNU": kind.factor, layouts(Kind("", "f8E4M3FN"), 32, 32): layouts(kind, 96, 96), '"4096"': '"6144"', '"8192"': '"12288"',
        '"8704"': '"13312"', '"9216"': '"14336"', '"9224"': '"14344"', "2304": "3584", "constant 18": "constant 28",
        "      scf.if %first {\n        cute.copy(%copy_a, %va, %da)": f"""      %block = cute.static : !cute.int_tuple<"512">
      %columns = cute.static : !cute.int_tuple<"16">
""" + "".join(f"""      %p{x}1 = cute.add_offset(%p{x}0, %block) : (!cute.ptr<{kind.factor}, smem, align<512>>, !cute.int_tuple<"512">) -> !cute.ptr<{kind.factor}, smem, align<512>>
      %next_{x} = cute.make_view(%p{x}1, %lay_part) : !part
      %sf{x}1 = cute.add_offset(%sf{x}, %columns) : (!sf, !cute.int_tuple<"16">) -> !sf
      %t{x}1 = cute.make_view(%sf{x}1, %lay_sf) : !lanes
      %v{x}1 = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%cp, %next_{x}) : (!cp, !part) -> !view
      %d{x}1 = cute.tiled.copy.partition_D(%copy_{x}, %t{x}1, %zero) : (!tcp, !lanes, !cute.coord<"0">) -> !dst
""" for x in "ab") + """      scf.if %first {
        cute.copy(%copy_a, %va1, %da1) : (!tcp, !view, !dst)
        cute.copy(%copy_b, %vb1, %db1) : (!tcp, !view, !dst)
        cute.copy(%copy_a, %va, %da)"""})
    if not kind.tensor:
        return text
    # Each thread stores a row of A, 12 words, to its lane, from column 384 on.
    loads = "".join(f"""      %w{i} = arith.constant {i} : i32
      %i{i} = arith.addi %row_a, %w{i} : i32
      %c{i}_ = cute.make_coord(%i{i}) : (i32) -> !cute.coord<"?">
      %x{i} = cute.memref.load(%from, %c{i}_) : (!words, !cute.coord<"?">) -> i32
""" for i in range(12))
    return replaced(text, {
        "frag_kind = ss": "frag_kind = ts",
        "      %fa = cute.mma.make_fragment A (%tiled, %ma) : (!tiled, !matrix) -> !desc\n": f"""      %twelve = arith.constant 12 : i32
      %row_a = arith.muli %tid, %twelve : i32
{loads}      %low = vector.from_elements {", ".join(f"%x{i}" for i in range(8))} : vector<8xi32>
      %high = vector.from_elements {", ".join(f"%x{i}" for i in range(8, 12))} : vector<4xi32>
      %five = arith.constant 5 : i32
      %sixteen = arith.constant 21 : i32
      %warp = arith.shrui %tid, %five : i32
      %quarter = arith.shli %warp, %sixteen : i32
      %lane = cute.make_int_tuple(%quarter) : (i32) -> !cute.int_tuple<"?">
      %col_t = cute.static : !cute.int_tuple<"384">
      %eight = cute.static : !cute.int_tuple<"8">
      %ta0 = cute.add_offset(%t, %col_t) : (!cute.ptr<f32, tmem, align<1>>, !cute.int_tuple<"384">) -> !cute.ptr<f32, tmem, align<1>>
      %own = cute.add_offset(%ta0, %lane) : (!cute.ptr<f32, tmem, align<1>>, !cute.int_tuple<"?">) -> !cute.ptr<f32, tmem, align<1>>
      %own8 = cute.add_offset(%own, %eight) : (!cute.ptr<f32, tmem, align<1>>, !cute.int_tuple<"8">) -> !cute.ptr<f32, tmem, align<1>>
      cute_nvgpu.arch.copy.SM100.tmem_store(%own, %low) {{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 8 : i32}} : (!cute.ptr<f32, tmem, align<1>>, vector<8xi32>)
      cute_nvgpu.arch.copy.SM100.tmem_store(%own8, %high) {{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32}} : (!cute.ptr<f32, tmem, align<1>>, vector<4xi32>)
      nvvm.tcgen05.wait <store>
      nvvm.barrier
      %pt = cute.recast_iter(%ta0) : !cute.ptr<f32, tmem, align<1>> to !cute.ptr<{kind.element}, tmem, align<1>>
      %lay_t = cute.static : !cute.layout<"((128,96),1,1):((524288,1),0,0)">
      %fa = cute.make_view(%pt, %lay_t) : !cute.memref<{kind.element}, tmem, align<1>, "((128,96),1,1):((524288,1),0,0)">
""",
        "(!tiled, !acc, !desc, !desc, !acc)": f'(!tiled, !acc, !cute.memref<{kind.element}, tmem, align<1>, "((128,96),1,1):((524288,1),0,0)">, !desc, !acc)'})


def lanes_text(kind):
    """The product, and minus the product in the lanes that the words where factors of A are leave."""
    f8 = Kind("", "f8E4M3FN")
    text = replaced((KERNELS / "block_scaled.mlir").read_text(), {
        "sm100.mma_bs<128x128x32": f"sm100.mma<128x128x{kind.k}", ", sf_type = f8E8M0FNU": "", ", vec_size = 32": ", c_scale_exp = 0, lane_mask = true",
        "f8E4M3FN": kind.element, layouts(f8, 32, 32): layouts(kind, kind.k, kind.k),
        "(%false, %false, %false, %sfa, %sfb) : (i1, i1, i1, !sf, !sf) -> !mma": "(%false, %false, %false, %none) : (i1, i1, i1, vector<4xi32>) -> !mma",
        "      %atom = ": "".join(f"""      %mask{i}_at = cute.static : !cute.coord<"{2048 + i}">
      %mask{i} = cute.memref.load(%from, %mask{i}_at) : (!words, !cute.coord<"{2048 + i}">) -> i32
""" for i in range(4)) + """      %mask = vector.from_elements %mask0, %mask1, %mask2, %mask3 : vector<4xi32>
      %none = arith.constant dense<0> : vector<4xi32>
      %true = arith.constant true
      %atom = """,
        "      %tiled = ": """      %masked = cute_nvgpu.atom.set_value(%atom, %mask : vector<4xi32>) {field = #cute_nvgpu.atom_mma_field_sm100<disable_output_lane>} : !mma
      %minus = cute_nvgpu.atom.set_value(%masked, %true : i1) {field = #cute_nvgpu.atom_mma_field_sm100<neg_a>} : !mma
      %other = cute.make_tiled_mma(%minus) : !tiled
      %tiled = """,
        "        cute.copy(%copy_a, %va, %da) : (!tcp, !view, !dst)\n": "", "        cute.copy(%copy_b, %vb, %db) : (!tcp, !view, !dst)\n": "",
        "        %one = nvvm.elect": "        cute.gemm(%other, %acc, %fa, %fb, %acc) : (!tiled, !acc, !desc, !desc, !acc)\n        %one = nvvm.elect"})
    return text


def text_of(kind):
    """The kernel of a kind: the same bytes, other names and layouts of elements."""
    if kind.long or kind.lanes:
        return long_text(kind) if kind.long else lanes_text(kind)
    f8 = Kind("", "f8E4M3FN", sparse=kind.sparse)
    text = (KERNELS / ("sparse_scaled.mlir" if kind.sparse else "block_scaled.mlir")).read_text()
    changes = [(f"128x128x{f8.k}", f"128x128x{kind.k}"), (f"vec_size = {f8.k}", f"vec_size = {kind.vector}"), ("f8E4M3FN", kind.element)]
    if kind.sparse and not kind.factor:
        changes = [(", sf_type = f8E8M0FNU", ", e_type = i8"), ("mma_bs_sp", "mma_sp"), (", vec_size = 64", ", c_scale_exp = 0"),
                   ("%sfa, %sfb, %e) : (i1, i1, i1, !sf, !sf, !e)", "%e) : (i1, i1, i1, !e)")] + changes[::2]
        if kind.element == "i8":
            changes.append(("f32", "i32"))
    elif kind.factor:
        changes.append(("f8E8M0FNU", kind.factor))
    for stored, k in {(32, f8.k), (f8.k, f8.k)}:
        changes.append((layouts(f8, k, stored), layouts(kind, kind.k, kind.k * stored // f8.k)))
    if kind.column:
        changes.append(("1536", str(1536 + 4 * kind.column)))
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


# The same product with its factors beside A and B. Those that the atom has from before do not count.
LISTS = [
    ("(%false, %false, %false, %sfa, %sfb", "(%false, %false, %false, %sfb, %sfa"),
    ("cute.gemm(%tiled, %acc, %fa, %fb, %acc) : (!tiled, !acc, !desc, !desc, !acc)",
     """%lay_f = cute.static : !cute.layout<"((((32,4),4),4),1,1):((((262144,4),8388608),1),0,0)">
        %ffa = cute.make_view(%sfa, %lay_f) : !factors
        %ffb = cute.make_view(%sfb, %lay_f) : !factors
        cute.gemm(%tiled, %acc, [%fa, %ffa], [%fb, %ffb], %acc) : (!tiled, !acc, !desc, !factors, !desc, !factors, !acc)"""),
    ("!view =", """!factors = !cute.memref<f8E8M0FNU, tmem, align<1>, "((((32,4),4),4),1,1):((((262144,4),8388608),1),0,0)">\n!view ="""),
]


def with_lists(text, factor):
    for old, new in LISTS:
        assert text.count(old) == 1, old
        text = text.replace(old, new.replace("f8E8M0FNU", factor))
    return text


def check(tessera, folder, kind, random):
    a, b = random.integers(-4, 5, (2, 128, kind.k))
    words = [core_matrices(rows_of_codes(b, kind.element))]
    each = np.ones((2, 128, kind.k))
    if kind.factor:
        powers = random.integers(-3, 4, (2, 128, kind.k // kind.vector))
        codes = np.array(FACTORS[kind.factor], np.uint8)[powers + 3]
        words += [factors(part) for one in codes for part in ([one[:, :4], one[:, 4:]] if kind.long else [one])]
        each = np.repeat(2.0 ** powers, kind.vector, axis=2)
    elif kind.sparse:
        words.append(np.zeros(1024, np.uint8))
    stays = np.zeros(128, bool)
    if kind.lanes:
        stays = random.integers(0, 2, 128).astype(bool)
        words.append(np.packbits(stays, bitorder="little"))
        words.append(np.zeros(1024 - 16, np.uint8))
    stored = a
    if kind.sparse:
        kept, metadata = sparse(kind, random)
        stored, a = a[kept].reshape(128, -1), a * kept
        words.append(metadata.view(np.uint8).reshape(-1))
    rows = rows_of_codes(stored, kind.element)
    words.insert(0, rows.view(np.uint8).reshape(-1) if kind.tensor else core_matrices(rows))
    np.save(folder / "in.npy", np.concatenate(words).view(np.int32))
    out = "i32" if kind.element == "i8" else "f32"
    d = (a * each[0]) @ (b * each[1]).T
    if kind.lanes:
        d = np.where(stays[:, None], d, -d)
    np.save(folder / "d.npy", d.astype(np.int32 if out == "i32" else np.float32))
    mlir = folder / "k.mlir"
    for lists in [False, True] if kind.factor and not kind.tensor else [False]:
        mlir.write_text(with_lists(text_of(kind), kind.factor) if lists else text_of(kind))
        compare(tessera, folder, kind, out)


def compare(tessera, folder, kind, out):
    mlir, ptx = folder / "k.mlir", folder / "k.ptx"
    subprocess.run([tessera, "compile", mlir, "--arch", "sm_103a" if kind.long else "sm_100a", "--emit", "ptx", "--no-cache", "-o", ptx], check=True)
    assert f"kind::{kind.name}" in ptx.read_text()
    sim = [tessera, "sim", ptx, "--kernel", "k", "--grid", "1", "--block", "128", "--smem", "16384", "--arg", f"ptr={folder}/in.npy", "--arg",
           f"ptr=out:{out}:128x128", "--check", f"1={folder}/d.npy"]
    for extra in ([], ["--sanitize"], ["--late"]):
        subprocess.run([*sim, *extra], check=True)
    # 4096 multiplications with additions of f16 a clock, half as many of tf32, twice and four times as many of 8 and 4 bits; zeros of a
    # sparse A are not among them. A B300 has 1.5 times a B200's rate of dense 4 bits (14 and 9 PFLOP/s), by K = 96 in the time of 64.
    products = 2 if kind.lanes else 1
    clocks = products * 128 * 128 * (64 if kind.long else kind.k) / (2 if kind.sparse else 1) / (4096 * 16 / kind.bits)
    said = subprocess.run([*sim, "--stats"], check=True, capture_output=True, text=True).stdout
    assert f"products of tcgen05: {products}, {round(clocks)} clocks of each block's tensor core" in said, said
    assert "the tensor core waits for the scheduler of warp 0, which issues" in said, said


def main(tessera):
    random = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        for kind in DENSE + SPARSE + LONG + LANES:
            check(tessera, Path(folder), kind, random)
    print(f"{len(DENSE + SPARSE + LONG + LANES)} kinds of products are right")


if __name__ == "__main__":
    main(sys.argv[1])
