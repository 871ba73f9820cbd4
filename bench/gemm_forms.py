"""The forms of `tessera generate gemm`: types, layouts, epilogues, slices of K; their operands and references in numpy.

Operands are numbers of their types from the start, so that the reference, in f64 (integers: exact), is of the same numbers.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
from dataclasses import dataclass

import numpy as np


def small_floats(exponent, mantissa, bias, codes):
    """Codes without sign of an 8-bit float and their values, in order (OCP FP8 1.0, table 1)."""
    code = np.arange(codes, dtype=np.int64)
    e, m = code >> mantissa, (code & ((1 << mantissa) - 1)) / (1 << mantissa)
    return np.where(e == 0, m * 2.0 ** (1 - bias), (1 + m) * 2.0 ** (e - bias))


# Of finite numbers; the codes above are NaN, of E5M2 infinity as well.
SMALL = {"f8E4M3FN": small_floats(4, 3, 7, 0x7F), "f8E5M2": small_floats(5, 2, 15, 0x7C)}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "i32": 32, "f8E4M3FN": 8, "f8E5M2": 8, "i8": 8, "u8": 8}


def draw(rng, kind, *shape):
    """(array for a .npy file, values in f64): uniform from -1 to 1, integers from all there are."""
    if kind in ("i8", "u8"):
        array = rng.integers(-128, 128, shape, np.int8) if kind == "i8" else rng.integers(0, 256, shape, np.uint8)
        return array, array.astype(np.float64)
    x = rng.uniform(-1, 1, shape).astype(np.float32)
    if kind in SMALL:
        values = SMALL[kind]
        code = np.searchsorted((values[1:] + values[:-1]) / 2, np.abs(x)) # the nearest
        return code.astype(np.uint8) | ((x < 0).astype(np.uint8) << 7), np.where(x < 0, -1, 1) * values[code]
    if kind == "f16":
        array = x.astype(np.float16)
        return array, array.astype(np.float64)
    # The first bits of an f32; of bf16 the file has these only.
    kept = {"bf16": 0xFFFF0000, "tf32": 0xFFFFE000, "f32": 0xFFFFFFFF}[kind]
    bits = x.view(np.uint32) & np.uint32(kept)
    array = (bits >> 16).astype(np.uint16).view(np.int16) if kind == "bf16" else bits.view(np.float32)
    return array, bits.view(np.float32).astype(np.float64)


ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}
# How far D may be from the reference: one rounding to its type, and what sums in f32, or in what tensor cores have for 8-bit floats,
# lose for each unit of sqrt(K).
ROUNDING = {"bf16": 2.0**-8, "f16": 2.0**-10, "f32": 1e-5, "i32": 0}
SUMMING = {32: 1e-4, 16: 1e-4, 8: 4e-3}


@dataclass
class Form:
    """Options of `tessera generate gemm`, read."""
    name: str
    options: list
    ab: str
    a: str
    b: str
    d: str
    bias: str
    activation: str
    alpha: bool
    c: bool
    scales: bool
    split_k: int

    @staticmethod
    def of(options):
        parser = argparse.ArgumentParser()
        for option, default in (("ab", "bf16"), ("a", None), ("b", None), ("d", "bf16"), ("bias", "none"), ("activation", "none")):
            parser.add_argument(f"--{option}", default=default)
        for flag in ("alpha", "c", "scales"):
            parser.add_argument(f"--{flag}", action="store_true")
        parser.add_argument("--split-k", type=int, default=1)
        known, _ = parser.parse_known_args(options.split())
        known.a, known.b = known.a or known.ab, known.b or known.ab
        if "--swap" in options:  # slices meet in a cluster, and need no workspace
            known.split_k = 1
        return Form(options or "bf16, as it is", options.split(), **vars(known))

    def integer(self):
        return self.a in ("i8", "u8")

    def tolerance(self, k, factor):
        absolute = 0 if self.integer() else SUMMING[BITS[self.a]] * k**0.5 * max(1, abs(factor))
        return ["--rtol", str(ROUNDING[self.d]), "--atol", str(absolute)]

    def workspace(self, m, n, k):
        """Numbers and counters, enough for tiles of any width and clusters of one or two."""
        rows = -(-m // 256) * 256
        return rows * (n + 255) * min(self.split_k, -(-k * BITS[self.a] // 1024)), 2 * (rows // 128) * -(-n // 64)

    def room(self, m, n, k):
        """These as arguments, if K is in slices."""
        sums, counters = self.workspace(m, n, k)
        return [f"out:{'i32' if self.integer() else 'f32'}:{sums}", f"zeros:i32:{counters}"] if self.split_k > 1 else []


class Case:
    """Operands, reference and what `tessera run` is to be told, for a form at a size."""

    def __init__(self, form, m, n, k, folder, seed=0):
        rng = np.random.default_rng(seed)
        self.folder, self.arguments = folder, []
        a, b = self.draw(rng, form.a, "a", m, k), self.draw(rng, form.b, "b", n, k)
        self.arguments.append(f"out:{form.d}:{m}x{n}")
        x, factor, beta = a @ b.T, 1.0, 0.0
        if form.c:
            c = self.draw(rng, form.d, "c", m, n)
            beta = -0.75
        if form.bias != "none":
            bias = self.draw(rng, form.bias, "bias", n)
        if form.scales:
            # Powers of two and more: 3/2 is what a mistaken order of operands would show as well.
            for name, scale in (("scale_a", 0.5), ("scale_b", 1.5)):
                factor *= scale
                self.save(name, np.array([scale], np.float32), "f32")
        if form.alpha:
            factor *= 1.25
            self.arguments.append("1.25")
        if form.c:
            self.arguments.append(str(beta))
        self.arguments += form.room(m, n, k)
        x = factor * x
        if form.c:
            x += beta * c
        if form.bias != "none":
            x += bias
        reference = ACTIVATIONS[form.activation](x)
        np.save(folder / "ref.npy", reference.astype(np.int32) if form.integer() else reference)
        self.checks = ["--check", f"2={folder / 'ref.npy'}"] + form.tolerance(k, factor)

    def draw(self, rng, kind, name, *shape):
        array, values = draw(rng, kind, *shape)
        self.save(name, array, kind)
        return values

    def save(self, name, array, kind):
        path = self.folder / f"{name}.npy"
        np.save(path, array)
        # Types that .npy has not go as their bits; tf32 is f32 in memory.
        self.arguments.append(f"{kind}:{path}" if kind in ("bf16", *SMALL) else str(path))


# What one command checks and measures; the reference of the first is what was measured before there were forms.
FORMS = [Form.of(options) for options in (
    "", "--ab f16 --d f16", "--d f32", "--ab f16 --d f32", "--major mm", "--major mk", "--major km",
    "--alpha", "--alpha --c", "--d f32 --alpha --c", "--bias bf16", "--bias f32 --activation relu", "--bias bf16 --activation gelu",
    "--activation silu", "--alpha --c --bias f32 --activation gelu", "--d f32 --bias f32 --activation silu",
    "--ab f8E4M3FN", "--ab f8E4M3FN --scales", "--ab f8E5M2 --d f16", "--a f8E4M3FN --b f8E5M2 --scales",
    "--a f8E5M2 --b f8E4M3FN --d f32 --scales --alpha --c --bias f32",
    "--ab tf32 --d f32", "--ab tf32 --d bf16", "--ab i8 --d i32", "--ab u8 --d i32", "--a i8 --b u8 --d i32", "--a u8 --b i8 --d i32")]
SPLITS = [Form.of(options) for options in (
    "--tile-n 128 --stages 6 --split-k 2", "--tile-n 128 --stages 6 --split-k 4", "--tile-n 128 --stages 6 --split-k 8",
    "--tile-n 64 --stages 8 --split-k 3 --d f32 --alpha --c --bias f32 --activation gelu", "--ab i8 --d i32 --split-k 4",
    "--ab f8E4M3FN --split-k 4 --tile-n 128 --stages 6 --scales", "--split-k 3 --cluster 2 --c")]
SWAPS = [Form.of("--swap " + options) for options in (
    "--tile-m 8 --tile-n 64", "--tile-m 24 --tile-n 128 --split-k 2 --ab f16 --d f16", "--tile-m 64 --tile-n 64 --split-k 4 --major mm",
    "--tile-m 128 --tile-n 128 --stages 3 --major mk", "--tile-m 256 --tile-n 128 --stages 3 --split-k 2 --major km",
    "--tile-m 40 --tile-n 64 --split-k 8 --alpha --c --bias f32 --activation gelu", "--tile-m 16 --tile-n 128 --d f32 --c --bias f32 --activation silu",
    "--tile-m 16 --tile-n 64 --split-k 2 --bias bf16 --activation relu", "--tile-m 104 --tile-n 128 --stages 3 --split-k 5",
    "--tile-m 128 --tile-n 64 --split-k 3 --ab f16 --d f16 --major mk", "--tile-m 24 --tile-n 64 --split-k 7 --alpha --c --bias f32",
    "--tile-m 8 --tile-n 128 --split-k 6 --ab i8 --d i32", "--tile-m 48 --tile-n 64 --split-k 2 --ab f8E4M3FN --scales --alpha",
    "--tile-m 32 --tile-n 128 --stages 3 --ab tf32 --d f32", "--tile-m 192 --tile-n 64 --stages 2 --split-k 4 --ab i8 --d i32",
    "--tile-m 24 --tile-n 128 --a u8 --b i8 --d i32")]
# Tiles of other extents, and consumers that take turns.
TILES = [Form.of(options) for options in (
    "--tile-n 144 --stages 5", "--tile-n 48 --ab f16 --d f32 --bias f32 --activation gelu", "--tile-n 208 --cluster 2 --alpha",
    "--tile-n 112 --ab f8E4M3FN --scales", "--tile-n 176 --ab i8 --d i32")]
TILES += [Form.of("--schedule pingpong " + options) for options in (
    "--tile-m 64 --tile-n 256", "--tile-n 128 --stages 6 --alpha --c --bias f32 --activation gelu", "--tile-n 160 --stages 5 --ab f16 --d f32",
    "--tile-m 64 --tile-n 112 --cluster 2 --major mk", "--tile-n 128 --stages 6 --major mm --cluster 2",
    "--tile-m 64 --tile-n 192 --stages 6 --ab f8E5M2 --d f16 --scales", "--tile-n 96 --stages 6 --ab u8 --d i32",
    "--tile-m 64 --tile-n 64 --ab tf32 --d f32 --c --activation silu")]
