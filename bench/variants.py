"""Kernels of the corpus whose sizes are in their types, at other sizes.

A size stands in the text wherever a type mentions it. Each function returns the text with those places changed; what
it misses or changes wrongly does not verify, as every type is inferred again when the file is read.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re


def replaced(text, pairs):
    """Every `old` becomes its `new`, at once: what a pair puts in is no longer looked at."""
    table = dict(pairs)
    pattern = "|".join(re.escape(old) for old in sorted(table, key=len, reverse=True))
    return re.sub(pattern, lambda match: table[match[0]], text)


def leaves(kind, *numbers):
    """`"64">, !cute.shape<"256"`, as get_leaves lists its results."""
    return f'">, !cute.{kind}<"'.join(map(str, numbers)).join('""')


def elementwise_apply(text, m, n):
    """C = A + B of m x n instead of 4096 x 4096: whole blocks of 64 x 256, as this kernel moves them without asking."""
    assert m % 64 == 0 and n % 256 == 0 and m > 64 and n > 256
    rows, columns = m // 64, n // 256
    return replaced(text, [
        ("(4096,4096):(4096,1)", f"({m},{n}):({n},1)"),
        ("(64,256):(4096,1)", f"(64,256):({n},1)"),
        ("((64,256),(64,16)):((4096,1),(262144,256))", f"((64,256),({rows},{columns})):(({n},1),({64 * n},256))"),
        ("((64,256),(16,64)):((4096,1),(256,262144))", f"((64,256),({columns},{rows})):(({n},1),(256,{64 * n}))"),
        ("((64,4),(4,16)):((4,65536),(1,4096))", f"((64,4),(4,16)):((4,{16 * n}),(1,{n}))"),
        ("((4,16)):((1,4096))", f"((4,16)):((1,{n}))"),
        ('"((64,256),(64,16))"', f'"((64,256),({rows},{columns}))"'),
        (leaves("shape", 64, 256, 64, 16), leaves("shape", 64, 256, rows, columns)),
        # The order of the blocks.
        ("(16,64):(64,1)", f"({columns},{rows}):({rows},1)"),
        ('"(16,64)"', f'"({columns},{rows})"'), (leaves("shape", 16, 64), leaves("shape", columns, rows)),
        ('"(64,1)"', f'"({rows},1)"'), (leaves("stride", 64, 1), leaves("stride", rows, 1)),
        ("div=4096", f"div={64 * rows}"),
    ])


def call_from_jit(text, m, n):
    """C = A B^T of m x n x 128 in 16 batches instead of 512 x 256: 384 < m <= 512, 128 < n <= 256, n a multiple of 8."""
    assert 384 < m <= 512 and 128 < n <= 256 and n % 8 == 0
    return replaced(text, [
        # A, B and C, in the order in which they are given and with the batches last.
        ("(16,512,128):(65536,128,1)", f"(16,{m},128):({m * 128},128,1)"), ("(16,512,128)", f"(16,{m},128)"),
        ("(16,256,128):(32768,128,1)", f"(16,{n},128):({n * 128},128,1)"), ("(16,256,128)", f"(16,{n},128)"),
        ("(16,512,256):(131072,256,1)", f"(16,{m},{n}):({m * n},{n},1)"), ("(16,512,256)", f"(16,{m},{n})"),
        ("(512,128,16):(128,1,65536)", f"({m},128,16):(128,1,{m * 128})"), ("(512,128", f"({m},128"),
        ("(256,128,16):(128,1,32768)", f"({n},128,16):(128,1,{n * 128})"), ("(256,128", f"({n},128"),
        ("(512,256,16):(256,1,131072)", f"({m},{n},16):({n},1,{m * n})"), ("(512,256,", f"({m},{n},"),
        ("(512,256):(256,1)", f"({m},{n}):({n},1)"), ("(512,256)", f"({m},{n})"),
        ("(128,1,65536)", f"(128,1,{m * 128})"), ("(128,1,32768)", f"(128,1,{n * 128})"),
        ("(256,1,131072)", f"({n},1,{m * n})"),
        *[(f'{kind}<"{old}">', f'{kind}<"{new}">') for kind, old, new in (
            ("shape", 512, m), ("shape", 256, n), ("int_tuple", 512, m), ("int_tuple", 256, n), ("coord", 512, m),
            ("coord", 256, n), ("stride", 256, n), ("stride", 65536, m * 128), ("stride", 32768, n * 128),
            ("stride", 131072, m * n))],
        # A block of C and what a thread has of it.
        ("(128,128):(256,1)", f"(128,128):({n},1)"),
        ("((2,2),4,8):((1,2048),8192,16)", f"((2,2),4,8):((1,{8 * n}),{32 * n},16)"),
        ("((8,1),16,1):((1,0),2048,0)", f"((8,1),16,1):((1,0),{8 * n},0)"),
        ("((8,1),16):((1,0),2048)", f"((8,1),16):((1,0),{8 * n})"),
        ("((8,1),(16)):((1,0),(2048))", f"((8,1),(16)):((1,0),({8 * n}))"),
    ])


def smem_allocator(text):
    """The three tensors transposed: (4,8), (2,8) and (2,16)."""
    return replaced(text, [pair for a, b in ((8, 4), (8, 2), (16, 2)) for pair in (
        (f"({a},{b}):({b},1)", f"({b},{a}):({a},1)"), (f"({a},{b}):(1,{a})", f"({b},{a}):(1,{b})"),
        (f'"({a},{b})"', f'"({b},{a})"'), (leaves("shape", a, b), leaves("shape", b, a)))])


def grouped_tiles(text, m_tiles, n_tiles, group):
    """hopper_dense_gemm_persistent (pretty form), whose blocks take tiles down the columns of C, with tiles in groups of `group` rows.

    The number of a tile is divided by three divisors to its coordinates. Before the first, at each of four places, the number becomes that of
    the tile which the other order has at this place."""
    assert m_tiles % group == 0
    lines, divisions = [], 0
    for line in text.split("\n"):
        found = re.match(r"(\s*)(%\S+, %\S+ = cute\.fast_divmod\.compute\()(%\S+), (.*)", line)
        if found:
            indent, start, number, rest = found.groups()
            if divisions % 3 == 0:
                name = f"%tile{divisions}_"
                for result, value in (
                        ("rows", f"arith.constant {group}"), ("area", f"arith.constant {group * n_tiles}"), ("all", f"arith.constant {m_tiles}"),
                        ("group", f"arith.divsi {number}, {name}area"), ("rest", f"arith.remsi {number}, {name}area"),
                        ("row", f"arith.remsi {name}rest, {name}rows"), ("n", f"arith.divsi {name}rest, {name}rows"),
                        ("first", f"arith.muli {name}group, {name}rows"), ("m", f"arith.addi {name}first, {name}row"),
                        ("column", f"arith.muli {name}n, {name}all"), ("number", f"arith.addi {name}column, {name}m")):
                    lines.append(f"{indent}{name}{result} = {value} : i32")
                line = f"{indent}{start}{name}number, {rest}"
            divisions += 1
        lines.append(line)
    assert divisions == 12
    return "\n".join(lines)
