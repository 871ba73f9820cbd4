#!/usr/bin/env python3
"""Runs recorded tile programs on the interpreter and compares what they compute with numpy.

The programs are those that cuTile Python's tests compiled (programs-13.3.tar.xz in the folder TESSERA_CUTILE). Arrays follow
what the name of an entry says of them; values are small whole numbers, which every type holds exactly, so that results
are compared exactly, and functions within the tolerance of their type. What a program should compute is written here,
by the test that it comes from; programs of other tests are counted and left out.

  utils/run-tile-programs.py [FOLDER] [--only WORD] [--seed N] [--library FILE]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import importlib.util
import os
import re
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
_spec = importlib.util.spec_from_file_location("run", ROOT / "examples/tile/run.py")
run = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(run)

# --- types by their names in entries

NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "b8": np.uint8, "f16": np.float16, "f32": np.float32, "f64": np.float64,
         "bf16": np.uint16, "f8m3fn": np.uint8, "f8m2": np.uint8}
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 2e-6, "f64": 1e-12, "f8m3fn": 0.07, "f8m2": 0.13}


def small_floats(exponent, mantissa, bias):
    """Numbers of the codes of an 8-bit type; NaN and infinity as they come."""
    out = []
    for code in range(256):
        e, m = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
        number = (m / 2**mantissa + (e > 0)) * 2.0 ** (max(e, 1) - bias)
        out.append(-number if code >> 7 else number)
    return np.array(out)


SMALL = {"f8m3fn": small_floats(4, 3, 7), "f8m2": small_floats(5, 2, 15)}


def to_memory(kind, values):
    if kind == "bf16":
        return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind in SMALL:
        order = np.argsort(SMALL[kind][:128])
        magnitude = order[np.searchsorted(SMALL[kind][:128][order], np.abs(values))]
        return (magnitude | np.where(np.asarray(values) < 0, 128, 0)).astype(np.uint8)
    return np.asarray(values).astype(NUMPY[kind])


def from_memory(kind, memory):
    if kind == "bf16":
        return (memory.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind in SMALL:
        return SMALL[kind][memory]
    return memory.astype(np.float64) if kind.startswith("f") else memory.astype(object)


def is_float(kind):
    return kind.startswith("f") or kind == "bf16"


# --- what an entry takes


class Array:
    def __init__(self, rank, kind):
        self.rank, self.kind = rank, kind
        self.extents, self.strides, self.divides = [None] * rank, [None] * rank, [1] * rank

    def add(self, group):
        """'3i16v2l0': a mask of dimensions, then letters with numbers."""
        mask, rest = re.match(r"([0-9a-f]*?)((?:[a-z]\d+)+)$", group).groups()
        for letter, n in re.findall(r"([a-z])(\d+)", rest):
            for d in range(self.rank):
                if int(mask, 16) >> d & 1:
                    if letter == "s":
                        self.extents[d] = int(n)
                    elif letter == "t":
                        self.strides[d] = int(n)
                    elif letter == "i":
                        self.divides[d] = int(n)

    def make(self, values):
        """An array with these values whose strides are as the entry wants them, and its arguments."""
        shape = values.shape
        inner = [d for d in range(self.rank) if self.strides[d] == 1]
        last = next((d for d in reversed(inner) if shape[d] > 1), inner[-1] if inner else self.rank - 1)
        order = [d for d in range(self.rank) if d != last] + [last]
        step = 1 if inner else 16
        extents = [shape[d] for d in order]
        base = np.zeros(extents[:-1] + [extents[-1] * step] if self.rank else [1], NUMPY[self.kind])
        # 256 bytes of room: the divisibility of addresses.
        room = np.zeros(base.nbytes + 256, np.uint8)
        at = -room.ctypes.data % 256
        base = room[at:at + base.nbytes].view(base.dtype).reshape(base.shape)
        view = np.transpose(base[..., ::step], np.argsort(order)) if self.rank else base.reshape(())
        view[...] = to_memory(self.kind, values)
        strides = [self.strides[d] or view.strides[d] // view.itemsize for d in range(self.rank)]
        return view, [view, *shape, *strides]


class Case:
    """An entry with its parameters, and the test that made it."""

    def __init__(self, entry, test, seed):
        self.test = test.split("[")[0].split(" ")[0]
        self.ids = test[test.find("[") + 1:test.rfind("]")] if "[" in test else ""
        self.name, mangled = entry.rsplit("_K", 1)
        self.random = np.random.default_rng(seed)
        self.arrays, self.scalars, self.constants, self.order = [], [], [], []
        for word in mangled.split("_")[1:]:
            if m := re.match(r"A(\d)([a-z]+\d+[a-z0-9]*)$", word):
                self.arrays.append(Array(int(m[1]), m[2]))
                self.order.append(self.arrays[-1])
            elif word[0] == "S":
                self.scalars.append(word[1:])
                self.order.append(word[1:])
            elif word[0] in "IB":
                self.constants.append(int(word[1:] or 0))
            elif re.match(r"\d+$", word) and self.constants:  # I_2: a negative constant
                self.constants[-1] = -int(word)
            elif re.match(r"[0-9a-f]+[a-z]\d", word):
                self.arrays[-1].add(word)

    def kind(self, i):
        return self.arrays[i].kind

    def numbers(self, kind, shape, low=-4, high=4):
        if kind == "b8":
            low, high = 0, 1
        if kind[0] == "u":
            low = max(low, 0)
        out = self.random.integers(low, high + 1, shape)
        return out.astype(np.float64) if is_float(kind) else out

    def length(self):
        """Of arrays of one dimension: of test files, or one that no tile divides."""
        a = self.arrays[0]
        return a.extents[0] or (512 if a.divides[0] > 1 else 225)


class Skip(Exception):
    pass


def pieces(values, tile):
    return -(-values // tile)


# --- what programs compute: each returns arrays, {which: expected}, the grid


def elementwise(c, inputs, outputs):
    """Arrays of one dimension, tile by tile; `inputs` gives their values, `outputs` those of the others."""
    if any(a.rank != 1 for a in c.arrays) or c.scalars:
        raise Skip
    n = c.length()
    values = inputs(n)
    given = values + [np.zeros(n) for _ in range(len(c.arrays) - len(values))]
    expected = outputs(*values)
    tile = c.constants[0] if c.constants else 64
    return given, {len(values) + i: e for i, e in enumerate(expected)}, (pieces(n, tile),)


def binary(f, low=-4, high=4, low_y=None, high_y=None):
    def make(c):
        def inputs(n):
            return [c.numbers(c.kind(0), n, low, high),
                    c.numbers(c.kind(1), n, low if low_y is None else low_y, high if high_y is None else high_y)]
        return elementwise(c, inputs, lambda x, y: f(c, x, y))
    return make


def unary(f, low=-4, high=4):
    def make(c):
        return elementwise(c, lambda n: [c.numbers(c.kind(0), n, low, high)], lambda x: [f(c, x)])
    return make


def arithmetic(c, x, y):
    return [{"+": np.add, "-": np.subtract, "*": np.multiply}[c.ids[0]](x, y)]


def quotient(c, x, y):
    op = next(o for o in ("ct.cdiv", "ct.truediv", "ct.floordiv", "//", "/") if f"-{o}-" in c.ids)
    exact = x / y
    return [{"ct.cdiv": np.ceil, "//": np.floor, "ct.floordiv": np.floor}.get(op, lambda q: q)(exact)]


def comparison(c, x, y):
    op = c.ids.split("-")[-1]
    return [{"gt": x > y, "lt": x < y, "ge": x >= y, "le": x <= y, "eq": x == y, "ne": x != y}[op].astype(int)]


def bitwise(c, x, y):
    f = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor, "bit_lshift": np.left_shift,
         "bit_rshift": np.right_shift}.get(c.ids.split("-")[0])
    if not f:
        raise Skip
    return [f(x, y)]


def named(c, x):
    """A function of numpy with a name among the test's parameters."""
    op = re.search(r"\b(sinh?|cosh?|tanh?|exp2?|log2?|ceil|floor|r?sqrt)\b", c.ids)
    x = x.astype(np.float64)
    with np.errstate(divide="ignore"):
        return 1 / np.sqrt(x) if op[1] == "rsqrt" else getattr(np, op[1])(x)


def copy(c):
    x, y = c.arrays
    tiles = (c.constants + [1, 1, 1])[:x.rank]
    if len(c.constants) < x.rank:
        raise Skip
    shape = [e or t * 2 if d > 1 and (t * 2) % d == 0 else e or (-(-t * 3 // 2) // d * d if d > 1 else t + 17)
             for e, d, t in zip(x.extents, x.divides, tiles)]
    low = 0 if "u" in (x.kind[0], y.kind[0]) or "b8" in (x.kind, y.kind) else -4
    values = c.numbers(x.kind, shape, low, 1 if "b8" in (x.kind, y.kind) else 4)
    return [values, np.zeros(shape)], {1: values}, tuple(pieces(s, t) for s, t in zip(shape, tiles))


def reduction(c):
    op = re.search(r"(argmax|argmin|max|min|sum|prod)", c.ids)
    if not op:
        raise Skip
    f = {"argmax": np.argmax, "argmin": np.argmin, "max": np.max, "min": np.min, "sum": np.sum, "prod": np.prod}[op[1]]
    kind, rank = c.kind(0), c.arrays[0].rank
    if kind == "b8":
        raise Skip
    tile, *inner = c.constants[:rank]
    keeps = bool(c.constants[rank])
    axes = tuple(a % rank for a in c.constants[rank + 1:rank + 3]) or None
    everything = "all_axes" in c.test
    shape = (tile if everything else 4 * tile, *inner)
    if op[1].startswith("arg"):  # no two are equal
        along = np.prod(shape) if everything else shape[1]
        if along > (128 if kind == "i8" else 256 if kind == "bf16" else 2048 if kind == "f16" else 1 << 15):
            raise Skip
        values = np.argsort(c.random.random(shape), axis=None if everything else 1).reshape(shape)
    elif op[1] == "prod":
        values = c.random.choice([1, -1, 1, -1, 1], shape)
    else:
        values = c.numbers(kind, shape, -1 if op[1] == "sum" else -100, 1 if op[1] == "sum" else 100)
    if everything:
        expected = np.asarray(f(values)).reshape((1,) * c.arrays[1].rank)
    elif axes:
        expected = f(values, axis=axes, keepdims=keeps)
    else:
        expected = f(values, axis=1, keepdims=keeps)
    return [values, np.zeros(expected.shape)], {1: expected}, (1 if everything else 4,)


def product(c):
    if len(c.constants) < 3 or any(a.rank != 2 for a in c.arrays):
        raise Skip
    m, n, k = c.constants[:3]
    high = 1 if c.kind(2) in SMALL else 2
    x, y = c.numbers(c.kind(0), (m, k), -high, high), c.numbers(c.kind(1), (k, n), -high, high)
    z = c.numbers(c.kind(2), (m, n), -4, 4) if c.name.startswith("mma") else np.zeros((m, n))
    return [x, y, z], {2: x @ y + z}, (1,)


def transpose(c):
    if c.arrays[0].rank == 3:
        x = c.numbers(c.kind(0), (1, 8, 2))
        return [x, np.zeros((1, 2, 8))], {1: np.transpose(x, (0, 2, 1))}, (1,)
    x = c.numbers(c.kind(0), (128, 64))
    return [x, np.zeros((64, 128))], {1: x.T}, (1,)


def filled(c):
    value = 1 if "ones" in c.name else 0
    n, tile = c.length(), c.constants[0]
    return [np.full(n, 3)], {0: np.full(n, value)}, (pieces(n, tile),)


def counted(c):
    m = re.search(r"(\d+)-(None|-?[\d.]+)-(None|-?[\d.]+)$", c.ids)
    if not m or "." in m[0]:
        raise Skip
    n = int(m[1])
    start, step = (default if t == "None" else int(t) for t, default in ((m[2], 0), (m[3], 1)))
    return [np.zeros(n)], {0: start + step * np.arange(n)}, (1,)


def atomic(c):
    n = 1 if c.name.startswith("scalar") else 512
    op = c.constants[-2]
    bits = op in (4, 5, 6)
    x, y = (c.numbers(c.kind(i), n, 0, 7) for i in (0, 1))
    if bits and is_float(c.kind(0)):
        raise Skip
    f = [lambda a, b: b, np.add, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or, np.bitwise_xor][op]
    tile = c.constants[0] if n > 1 else 1
    return [x, y, np.zeros(n)], {0: f(x, y), 2: x}, (n // tile,)


def swapped(c):
    n = 1 if c.name.startswith("scalar") else 512
    x, y = (c.numbers(c.kind(i), n, 0, 7) for i in (0, 1))
    tile = c.constants[0] if n > 1 else 1
    return [x, y, np.zeros(n)], {0: y, 2: x}, (n // tile,)


def round_trip(c):
    x = c.numbers(c.kind(0), c.constants[0])
    return [x, np.zeros(c.constants[0])], {1: x}, (1,)


def cast(c, x):
    if c.kind(1) == "b8":
        return x != 0
    return np.trunc(x)


PROGRAMS = [
    (r"test_array_core_arithmetic|test_concurrent_launch", binary(lambda c, x, y: arithmetic(c, x, y) if c.ids[:1] in
                                                                  ("+", "-", "*") else [x + y])),
    (r"test_array_mod$", binary(lambda c, x, y: [np.mod(x, y)], 0, 100, 1, 101)),
    (r"test_array_div$|test_array_div_float", binary(quotient, 0, 100, 1, 16)),
    (r"test_divmod$", binary(lambda c, x, y: [x // y, x % y], 0, 100, 1, 101)),
    (r"test_array_compare", binary(comparison)),
    (r"test_array_bitwise_(shift|logical)", binary(bitwise, 0, 100, 0, 6)),
    (r"test_array_min", binary(lambda c, x, y: [np.minimum(x, y)])),
    (r"test_array_max$", binary(lambda c, x, y: [np.maximum(x, y)])),
    (r"test_array_pow", binary(lambda c, x, y: [np.power(x.astype(float), y)], 1, 3, 0, 3)),
    (r"test_array_atan2", binary(lambda c, x, y: [np.arctan2(x.astype(float), y)], 1, 4)),
    (r"test_array_(trig|exp|rounding)", unary(named)),
    (r"test_array_(log|root_ops)", unary(named, 1, 100)),
    (r"test_array_abs", unary(lambda c, x: np.abs(x))),
    (r"test_array_neg", unary(lambda c, x: -x)),
    (r"test_array_pos", unary(lambda c, x: x)),
    (r"test_array_bitwise_not", unary(lambda c, x: 1 - x if c.kind(0) == "b8" else ~x)),
    (r"test_array_astype", unary(cast)),
    (r"test_pack_unpack_roundtrip$", round_trip),
    (r"test_copy.*test_array_copy_[123]d$|test_array_copy_dtype_implicit|test_gather_scatter.*test_array_copy_[12]d$|"
     r"copy_via_raw", copy),
    (r"test_reduce_(max|min|sum|prod|arg)(?!.*nan)", reduction),
    (r"test_matmul$|test_matmul_int|test_matmul_fp8|test_mma_(fp8|regular_float|int)", product),
    (r"test_transpose.*test_(permute_2d|transpose_3d)", transpose),
    (r"test_full.*test_(zeros|ones)", filled),
    (r"test_generate.*test_arange$", counted),
    (r"test_atomic_(arith|bitwise)", atomic),
    (r"test_atomic_cas", swapped),
]


def equals(kind, got, expected):
    if is_float(kind):
        expected = np.asarray(expected, np.float64)
        # Whole numbers are exact in every type that is tested.
        most = 8 if kind == "f8m2" else 16
        finite = expected[np.isfinite(expected)]
        whole = np.all(finite == np.round(finite)) and np.all(np.abs(finite) <= most)
        return np.allclose(got.astype(np.float64), expected, rtol=0 if whole else TOLERANCE[kind],
                           atol=0 if whole else TOLERANCE[kind])
    bits = 8 * np.dtype(NUMPY[kind]).itemsize
    wrap = np.vectorize(lambda v: int(v) % (1 << bits), otypes=[object])
    return np.array_equal(wrap(got), wrap(expected))


def outcome(data, entry, test, seed, api):
    """(what happened, more of it)"""
    make = next((f for pattern, f in PROGRAMS if re.search(pattern, test.split("[")[0].split(" ")[0])), None)
    if not make:
        return "no reference", ""
    try:
        case = Case(entry, test, seed)
        values, expected, grid = make(case)
    except (Skip, IndexError, KeyError, ValueError, AttributeError, StopIteration) as error:
        return "no reference", str(error)
    arguments, views = [], []
    for array, value in zip(case.arrays, values):
        view, more = array.make(np.asarray(value).reshape(np.shape(value)))
        views.append(view)
        arguments += more
    program = run.Program(data, api)
    kernel = program.kernels()[0]
    if len(program.parameters(kernel)) != len(arguments):
        return "no reference", f"{len(arguments)} arguments, {len(program.parameters(kernel))} parameters"
    try:
        program.launch(kernel, grid, arguments, seed=seed)
    except run.TileError as error:
        if error.id != "Assumption":
            return error.id, str(error)
        # cuTile Python assumes of a stride that is 1 what it assumes of another one.
        for array, value, view in zip(case.arrays, values, views):
            view[...] = to_memory(array.kind, value)
        try:
            program.launch(kernel, grid, arguments, seed=seed, checks_assumptions=False)
        except run.TileError as again:
            return again.id, str(again)
    for i, value in expected.items():
        kind = case.kind(i)
        if not equals(kind, from_memory(kind, views[i]), value):
            return "another result", f"array {i} is {from_memory(kind, views[i]).ravel()[:4]}, not {np.ravel(value)[:4]}"
    return "equal", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=os.environ.get("TESSERA_CUTILE"))
    parser.add_argument("--only", default="", metavar="WORD", help="programs of tests whose name has this in it")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one program of N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library")
    given = parser.parse_args()
    if not given.folder:
        print("run-tile-programs: expects a folder, or TESSERA_CUTILE")
        sys.exit(77)  # what ctest calls skipped
    api = run.load(given.library)
    outcomes, seen = collections.Counter(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(Path(given.folder) / "programs-13.3.tar.xz") as archive:
            archive.extractall(folder)
        index = next(Path(folder).rglob("index.tsv"))
        rows = [line.split("\t") for line in index.read_text().splitlines()[1:]]
        for program, _, _, entry, test in rows[::given.every]:
            if given.only not in test:
                continue
            data = (index.parent / f"{program}.tilebc").read_bytes()
            what, more = outcome(data, entry, test, given.seed, api)
            outcomes[what] += 1
            seen[re.sub(r"\[.*| .*", "", test)][what] += 1
            if what not in ("equal", "no reference"):
                print(f"{program} {test}: {what}: {more}")
    for test, counts in sorted(seen.items()):
        if given.only:
            print(f"{test}: {dict(counts)}")
    for what, count in outcomes.most_common():
        print(f"{count} {what}")
    sys.exit(any(what not in ("equal", "no reference") for what in outcomes) or not outcomes["equal"])


if __name__ == "__main__":
    main()
