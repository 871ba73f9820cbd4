"""What the kernels of rows (`tessera generate --list`) are called with and what they are to give, by numpy in f64."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

LIMITS = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "i8": 127.0}
LEAST = {"f16": -65504.0, "bf16": -3.3895313892515355e38, "f32": -3.4028234663852886e38}


def bits_of_bf16(x):
    """The nearest bf16, ties to even, as 16 bits."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def stored(x, element):
    """The numbers as a .npy has them: bf16 is the upper half of f32."""
    return bits_of_bf16(x) if element == "bf16" else x.astype({"f16": np.float16, "f32": np.float32}[element])


def values(array, element):
    """f64 of what a .npy has."""
    if element == "bf16":
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if element in ("f8E4M3FN", "f8E5M2"):
        codes = array.view(np.uint8).astype(np.int64)
        mantissa, bias = (3, 7) if element == "f8E4M3FN" else (2, 15)
        exponent, fraction = codes >> mantissa & (127 >> mantissa), codes & ((1 << mantissa) - 1)
        size = np.where(exponent == 0, fraction * 2.0 ** (1 - bias - mantissa), (fraction + 2.0**mantissa) * 2.0 ** (exponent - bias - mantissa))
        return np.where(codes & 128, -size, size)
    return array.astype(np.float64)


class Case:
    """One call: `arguments` are in order, each a number, ("in", array, type) or ("out", shape, type); `expected` has an array for each
    output's place, of f64, or a function of all outputs' f64 arrays that says what is wrong."""

    def __init__(self, kernel, rows, columns, element, result, rng, activation="silu", segment=0, heads=3):
        self.arguments, self.expected = [], {}
        self.kernel, self.element, self.result, self.rng = kernel, element, result, rng
        with np.errstate(invalid="ignore"):
            getattr(self, kernel.replace("-", "_"))(rows, columns, activation=activation, segment=segment, heads=heads)

    def give(self, *shape, element=None, scale=1.0):
        """Normal numbers as the element has them; gives what they are."""
        x = stored(self.rng.standard_normal(shape) * scale, element or self.element)
        self.arguments.append(("in", x, element or self.element))
        return values(x, element or self.element)

    def change(self, x, where, to):
        """Other numbers in the first argument, and in x, which has the same."""
        codes = self.arguments[0][1]
        codes[where] = stored(np.full(x[where].shape, to, np.float32), self.element).reshape(x[where].shape)
        x[...] = values(codes, self.element)

    def take(self, expected, element=None):
        self.expected[len(self.arguments)] = expected
        self.arguments.append(("out", expected.shape, element or self.result))

    def rmsnorm(self, rows, columns, **_):
        x, w = self.give(rows, columns), self.give(columns)
        self.take(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w)
        self.arguments.append(1e-5)

    def layernorm(self, rows, columns, **_):
        x, w, b = self.give(rows, columns), self.give(columns), self.give(columns)
        if rows > 2:  # an infinity, which leaves no number
            self.change(x, (2, columns // 2), np.inf)
        self.take((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w + b)
        self.arguments.append(1e-5)

    def normal(self, x, centred):
        """Of each row its mean (0 unless centred), one over its deviation, and its numbers by these; in f32's numbers of the first two."""
        mean = x.mean(-1) if centred else np.zeros(len(x))
        rstd = 1 / np.sqrt(((x - mean[:, None]) ** 2).mean(-1) + 1e-5)
        mean, rstd = (v.astype(np.float32).astype(np.float64) for v in (mean, rstd))
        return mean, rstd, (x - mean[:, None]) * rstd[:, None]

    def rmsnorm_backward(self, rows, columns, centred=False, **_):
        x, w, dy = self.give(rows, columns), self.give(columns), self.give(rows, columns)
        mean, rstd, n = self.normal(x, centred)
        g = dy * w
        away = g - n * (g * n).mean(-1, keepdims=True) - (g.mean(-1, keepdims=True) if centred else 0)
        self.take(away * rstd[:, None])
        if centred:
            self.take(mean, "f32")
        self.take(rstd, "f32")
        self.arguments.append(1e-5)

    def layernorm_backward(self, rows, columns, **_):
        self.rmsnorm_backward(rows, columns, centred=True)

    def rmsnorm_weights_backward(self, rows, columns, centred=False, **_):
        x, dy = self.give(rows, columns), self.give(rows, columns)
        mean, rstd, n = self.normal(x, centred)
        for v in ([mean] if centred else []) + [rstd]:
            self.arguments.append(("in", v.astype(np.float32), "f32"))
        self.take((dy * n).sum(0))
        if centred:
            self.take(dy.sum(0))

    def layernorm_weights_backward(self, rows, columns, **_):
        self.rmsnorm_weights_backward(rows, columns, centred=True)

    def powers(self, x):
        p = np.exp(x - x.max(-1, keepdims=True))
        return p / p.sum(-1, keepdims=True)

    def softmax(self, rows, columns, **_):
        x, least = self.give(rows, columns, scale=3), LEAST[self.element]
        if rows > 1:  # what masks add: all of a row, and all but its beginning
            self.change(x, 0, least)
            self.change(x, (1, slice(columns // 8 + 1, None)), least)
        if rows > 2:  # far from 0
            self.change(x, 2, x[2] + 1000)
        self.take(self.powers(x))

    def softmax_backward(self, rows, columns, **_):
        y, dy = self.give(rows, columns), self.give(rows, columns)
        self.take(y * (dy - (y * dy).sum(-1, keepdims=True)))

    def labels(self, rows, columns):
        labels = self.rng.integers(0, columns, rows)
        labels[:: 5] = -100  # which do not count
        self.arguments.append(("in", labels, "i64"))
        return labels

    def cross_entropy(self, rows, columns, **_):
        x = self.give(rows, columns, scale=3)
        labels = self.labels(rows, columns)
        lse = np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1)) + x.max(-1)
        self.take(np.where(labels < 0, 0, lse - x[np.arange(rows), np.maximum(labels, 0)]), "f32")
        self.take(lse, "f32")

    def cross_entropy_backward(self, rows, columns, **_):
        x = self.give(rows, columns, scale=3)
        labels = self.labels(rows, columns)
        lse = (np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1)) + x.max(-1)).astype(np.float32)
        self.arguments.append(("in", lse, "f32"))
        dloss = self.give(rows, element="f32")
        here = np.arange(columns) == labels[:, None]
        expected = (np.exp(x - lse[:, None].astype(np.float64)) - here) * dloss[:, None]
        self.change(x, (0, 0), np.nan)  # of a row that does not count
        self.take(np.where(labels[:, None] < 0, 0, expected))

    def rope(self, rows, columns, heads=3, sign=1, **_):
        x, half = self.give(rows, heads, columns), columns // 2
        cos, sin = (self.give(rows, half, element="f32")[:, None] for _ in "cs")
        low, high, sin = x[..., :half], x[..., half:], sin * sign
        self.take(np.concatenate([low * cos - high * sin, high * cos + low * sin], -1))

    def rope_backward(self, rows, columns, heads=3, **_):
        self.rope(rows, columns, heads, -1)

    def act_mul(self, rows, columns, activation="silu", **_):
        gate, up = self.give(rows, columns), self.give(rows, columns)
        of = {"none": lambda x: x, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x / (1 + np.exp(-x)),
              "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))}[activation]
        self.take(of(gate) * up)

    def transpose(self, rows, columns, **_):
        self.take(self.give(rows, columns).T)

    def quantize(self, rows, columns, segment=0, **_):
        x = self.give(rows, columns)
        if rows > 1:  # a row of zeros; its scale is 1
            self.change(x, 1, 0)
        if rows > 2:  # a row so small that the largest code by it would be infinite
            self.change(x, 2, x[2] * 2.0**-126)
            self.change(x, (2, 0), 0)
        width = segment or columns
        parts = -(-columns // width)
        padded = np.pad(x, ((0, 0), (0, parts * width - columns))).reshape(rows, parts, width)
        most, limit = np.abs(padded).max(-1), LIMITS[self.result]
        scales = np.where(most == 0, 1, np.maximum(most / limit, 2.0**-126))
        wide = np.repeat(scales, width, axis=1)[:, :columns]
        # Half a step of the code, of x by its scale; the tolerance is that, whoever breaks ties.
        digits = {"f8E4M3FN": 2.0**-4, "f8E5M2": 2.0**-3, "i8": 0}[self.result]
        least = {"f8E4M3FN": 2.0**-10, "f8E5M2": 2.0**-17, "i8": 0.5}[self.result]
        self.slack = {1: np.maximum(np.abs(x) * digits, least * wide) * 1.001}
        self.expected[1] = x
        self.arguments.append(("out", x.shape, self.result))
        self.codes = 1, wide
        self.take(scales if segment else scales[:, 0], "f32")

    def wrong(self, place, array):
        """Which elements of an output are wrong, a mask; NaN is right where it is expected only."""
        expected, element = self.expected[place], self.arguments[place][2]
        got = values(array, element)
        if self.kernel == "quantize" and place == 1:
            return ~(np.abs(got * self.codes[1] - expected) <= self.slack[1])
        digits = {"bf16": 2.0**-8, "f16": 2.0**-10, "f32": 2e-5}[element]
        # Sums of the row's numbers are rounded in f32 on the way.
        least = {"bf16": 1e-4, "f16": 1e-5, "f32": 1e-5}[element] * max(1, np.nanmax(np.abs(expected)))
        if self.kernel == "transpose":
            digits = least = 0
        return ~((np.abs(got - expected) <= np.abs(expected) * digits + least) | np.isnan(got) & np.isnan(expected))
