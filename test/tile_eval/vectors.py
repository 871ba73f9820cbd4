#!/usr/bin/env python3
"""Makes vectors.tsv: what elementwise ops of tile programs return, computed with exact fractions.

Nothing here knows the code under test. Formats are written from IEEE 754-2019 (3.4), OCP 8-bit Floating Point 1.0 and
OCP Microscaling Formats 1.0 (5.3, 5.4); functions are summed as series with 80 digits; integers are Python's. More than 600 lines, as it is the
definition that the ops are held to: whoever doubts a row reads it here from the fraction to the code, without another module.

  vectors.py > vectors.tsv                      what is committed
  vectors.py --rows 2000 --seed 7 > long.tsv    more of them, for TESSERA_TILE_VECTORS

A line with `->` begins a group: op, attributes of its columns (`-`: absent), types. The lines after it are codes of
operands and of the result, hexadecimal; `nan` is any NaN, `!Id` an error.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import random
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 80
getcontext().Emax = 10**9
getcontext().Emin = -(10**9)

# exponent bits, mantissa bits, bias, what the top codes are, has a sign, zero bits below the mantissa
FORMATS = {
    "f16": (5, 10, 15, "ieee", 1, 0), "bf16": (8, 7, 127, "ieee", 1, 0), "f32": (8, 23, 127, "ieee", 1, 0),
    "tf32": (8, 10, 127, "ieee", 1, 13), "f64": (11, 52, 1023, "ieee", 1, 0), "f8E4M3FN": (4, 3, 7, "nan", 1, 0),
    "f8E5M2": (5, 2, 15, "ieee", 1, 0), "f8E8M0FNU": (8, 0, 127, "nan", 0, 0), "f4E2M1FN": (2, 1, 1, "none", 1, 0),
    "f8E5M3FNU": (5, 3, 15, "nan", 0, 0),
}
INTEGERS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
# NaNs that instructions return: PTX ISA 9.0, 9.7.3 to 9.7.5 and 9.7.9.22; others: any.
NANS = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f8E4M3FN": 0x7F, "f8E5M2": 0x7F, "f8E8M0FNU": 0xFF,
        "f8E5M3FNU": 0xFF, "f4E2M1FN": 0x7}
# Formats without a sign that take the absolute value of a number: __nv_cvt_float_to_e8m0 of CUDA 13.0 (cuda_fp8.hpp).
MAGNITUDES = {"f8E8M0FNU"}
NEAREST, ZERO, DOWN, UP, APPROX, FULL, TO_ZERO, AWAY = range(8)


def width(kind):
    if kind in INTEGERS:
        return INTEGERS[kind]
    e, m, _, _, signed, low = FORMATS[kind]
    return e + m + signed + low


def decode(kind, code):
    """("nan",), ("inf", sign) or ("number", sign, magnitude)."""
    e, m, bias, top, signed, low = FORMATS[kind]
    code >>= low
    sign = code >> (e + m) & 1 if signed else 0
    exponent, mantissa = code >> m & (1 << e) - 1, code & (1 << m) - 1
    if exponent == (1 << e) - 1:
        if top == "ieee":
            return ("nan",) if mantissa else ("inf", sign)
        if top == "nan" and mantissa == (1 << m) - 1:
            return ("nan",)
    if m == 0:
        return "number", sign, Fraction(2) ** (exponent - bias)
    if exponent == 0:
        return "number", sign, Fraction(mantissa) * Fraction(2) ** (1 - bias - m)
    return "number", sign, (1 + Fraction(mantissa, 1 << m)) * Fraction(2) ** (exponent - bias)


def largest(kind):
    e, m, _, top, _, low = FORMATS[kind]
    code = (1 << (e + m)) - 1 - {"ieee": 1 << m, "nan": 1, "none": 0}[top]
    return code << low


def infinity(kind, sign):
    e, m, _, top, signed, low = FORMATS[kind]
    code = ((1 << e) - 1) << m << low if top == "ieee" else largest(kind)
    return code | (sign << (width(kind) - 1) if signed else 0)


def nearest_of_all(kind, magnitude, mode, sign):
    """Among all positive numbers of a small format, by looking at each. Too large: the largest."""
    e, m = FORMATS[kind][:2]
    numbers = [(decode(kind, c)[2], c) for c in range(1 << (e + m)) if decode(kind, c)[0] == "number"]
    below = [n for n in numbers if n[0] <= magnitude]
    above = [n for n in numbers if n[0] >= magnitude]
    if not above:
        return max(numbers)[1]
    if not below:
        return min(numbers)[1]
    low, high = max(below), min(above)
    if low[0] == high[0]:
        return low[1]
    if mode in (ZERO, DOWN, UP):
        away = mode == (DOWN if sign else UP)
        return (high if away else low)[1]
    to_low, to_high = magnitude - low[0], high[0] - magnitude
    if to_low != to_high:
        return (low if to_low < to_high else high)[1]
    if mode == AWAY:
        return high[1]
    return low[1] if low[1] % 2 == 0 else high[1]


def encode(kind, sign, magnitude, mode=NEAREST):
    e, m, bias, top, signed, low = FORMATS[kind]
    if not signed and sign and magnitude and kind not in MAGNITUDES:
        return NANS[kind]
    sign_bit = sign << (width(kind) - 1) if signed else 0
    if width(kind) <= 8:
        return sign_bit | nearest_of_all(kind, magnitude, mode, sign)
    if magnitude == 0:
        return sign_bit
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    steps = magnitude / Fraction(2) ** (exponent - m)
    whole, rest = divmod(steps, 1)
    away = mode == (DOWN if sign else UP)
    if mode in (NEAREST, AWAY):
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and (mode == AWAY or whole % 2))
    else:
        up = away and rest > 0
    whole = int(whole) + up
    if whole >> (m + 1):
        whole, exponent = whole >> 1, exponent + 1
    code = whole if whole < 1 << m else whole - (1 << m) + ((exponent + bias) << m)
    if whole >= 1 << m and exponent + bias >= (1 << e) - 1:
        inward = mode == ZERO or (mode in (DOWN, UP) and not away)
        return sign_bit | (largest(kind) if inward else infinity(kind, 0))
    return sign_bit | code << low


def from_value(kind, value, mode=NEAREST):
    if value[0] == "nan":
        return NANS.get(kind, "nan")
    if value[0] == "inf":
        if not FORMATS[kind][4] and value[1] and kind not in MAGNITUDES:
            return NANS[kind]
        if width(kind) <= 8:  # saturates
            return largest(kind) | (value[1] << (width(kind) - 1) if FORMATS[kind][4] else 0)
        return infinity(kind, value[1])
    return encode(kind, 0 if kind in MAGNITUDES else value[1], value[2], mode)


def signed_fraction(value):
    return -value[2] if value[1] else value[2]


def number(fraction, zero_sign=0):
    return ("number", zero_sign if fraction == 0 else int(fraction < 0), abs(fraction))


NAN = ("nan",)

# --- arithmetic


def add(a, b, mode):
    if "nan" in (a[0], b[0]):
        return NAN
    if a[0] == "inf" or b[0] == "inf":
        if a[0] == b[0] and a[1] != b[1]:
            return NAN
        return a if a[0] == "inf" else b
    total = signed_fraction(a) + signed_fraction(b)
    zero = a[1] if a[1] == b[1] and a[2] == 0 and b[2] == 0 else int(mode == DOWN)
    return number(total, zero)


def mul(a, b):
    if "nan" in (a[0], b[0]):
        return NAN
    sign = a[1] ^ b[1]
    if "inf" in (a[0], b[0]):
        other = b if a[0] == "inf" else a
        return NAN if other[0] == "number" and other[2] == 0 else ("inf", sign)
    return "number", sign, a[2] * b[2]


def div(a, b):
    if "nan" in (a[0], b[0]) or (a[0] == b[0] == "inf"):
        return NAN
    sign = a[1] ^ b[1]
    if a[0] == "inf":
        return "inf", sign
    if b[0] == "inf":
        return "number", sign, Fraction(0)
    if b[2] == 0:
        return NAN if a[2] == 0 else ("inf", sign)
    return "number", sign, a[2] / b[2]


def neg(a):
    return a if a[0] == "nan" else (a[0], 1 - a[1], *a[2:])


def integer_root(n):
    """floor(sqrt(n))"""
    if n == 0:
        return 0
    x = 1 << (n.bit_length() + 1) // 2
    while True:
        y = (x + n // x) // 2
        if y >= x:
            return x
        x = y


def sqrt(a):
    if a[0] == "nan" or (a[1] and (a[0] == "inf" or a[2])):
        return NAN
    if a[0] == "inf" or a[2] == 0:
        return a
    # Enough digits that a sticky last one decides every rounding: the root is exact, or is not.
    scale = 1 << 1400
    n = a[2] * scale * scale
    root = integer_root(n.numerator // n.denominator)
    exact = Fraction(root) ** 2 == n
    return "number", 0, Fraction(root if exact else 2 * root + 1, scale if exact else 2 * scale)


def flush(kind, code):
    return code if code == "nan" or code & 0x7F800000 else code & 0x80000000


def arithmetic(op, kind, mode, ftz, codes):
    if ftz:
        codes = [flush(kind, c) for c in codes]
    values = [decode(kind, c) for c in codes]
    if op == "divf" and kind in ("f16", "bf16"):  # in f32, then rounded again
        between = from_value("f32", div(*values), mode)
        return from_value(kind, decode("f32", between), mode)
    if op == "addf":
        result = add(*values, mode)
    elif op == "subf":
        result = add(values[0], neg(values[1]), mode)
    elif op == "mulf":
        result = mul(*values)
    elif op == "divf":
        result = div(*values)
    elif op == "fma":
        result = add(mul(values[0], values[1]), values[2], mode)
    else:
        result = sqrt(values[0])
    code = from_value(kind, result, mode)
    return code & 0x80000000 if ftz and is_flushed(result, code, mode) else code


def is_flushed(result, code, mode):
    """Whether a result in f32 is a zero with .ftz: whether it is subnormal when it is rounded to 24 bits whatever its
    exponent (IEEE 754-2019, 7.5, after rounding; so does an H200). Times 2^64 it is rounded like that."""
    if code == "nan" or result[0] != "number":
        return False
    scaled = from_value("f32", ("number", result[1], result[2] * 2**64), mode)
    return scaled & 0x7FFFFFFF < 0x00800000 + (64 << 23)


# --- functions, with 80 digits


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def series(first, next_term):
    total, term, n = Decimal(0), first, 0
    while abs(term) > abs(total) * Decimal(10) ** -78 or n < 3:
        total += term
        n += 1
        term = next_term(term, n)
        if term == 0:
            break
    return total


PI = 4 * (4 * series(Decimal(1) / 5, lambda t, n: t * -(2 * n - 1) / (2 * n + 1) / 25)
          - series(Decimal(1) / 239, lambda t, n: t * -(2 * n - 1) / (2 * n + 1) / 239**2))


def sine(x):
    x = x - (x / (2 * PI)).to_integral_value() * 2 * PI
    return series(x, lambda t, n: -t * x * x / ((2 * n) * (2 * n + 1)))


def cosine(x):
    x = x - (x / (2 * PI)).to_integral_value() * 2 * PI
    return series(Decimal(1), lambda t, n: -t * x * x / ((2 * n - 1) * (2 * n)))


def arc_tangent(x):
    halvings = 0
    while abs(x) > Decimal("0.1"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    power = x
    total, n = Decimal(0), 0
    while n < 90:
        total += power / (2 * n + 1)
        power *= -x * x
        n += 1
    return total * 2**halvings


def arc_tangent_2(y, x):
    if x > 0:
        return arc_tangent(y / x)
    if x < 0:
        return arc_tangent(y / x) + (PI if y >= 0 else -PI)
    return PI / 2 if y > 0 else -PI / 2


def hyperbolic_sine(x):
    return series(x, lambda t, n: t * x * x / ((2 * n) * (2 * n + 1))) if abs(x) < 1 else (x.exp() - (-x).exp()) / 2


FUNCTIONS = {
    "exp": lambda x: x.exp(), "exp2": lambda x: (x * Decimal(2).ln()).exp(), "log": lambda x: x.ln(),
    "log2": lambda x: x.ln() / Decimal(2).ln(), "rsqrt": lambda x: 1 / x.sqrt(), "sin": sine, "cos": cosine,
    "tan": lambda x: sine(x) / cosine(x), "sinh": hyperbolic_sine,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "tanh": lambda x: hyperbolic_sine(x) / ((x.exp() + (-x).exp()) / 2),
}
# At zero, minus zero, infinity, minus infinity: C23, F.10. "same": the argument.
INF, MINUS_INF, ONE, P0, N0 = ("inf", 0), ("inf", 1), number(Fraction(1)), number(Fraction(0)), number(Fraction(0), 1)
SPECIAL = {
    "exp": (ONE, ONE, INF, P0), "exp2": (ONE, ONE, INF, P0), "log": (MINUS_INF, MINUS_INF, INF, NAN),
    "log2": (MINUS_INF, MINUS_INF, INF, NAN), "rsqrt": (INF, MINUS_INF, P0, NAN), "sin": (P0, N0, NAN, NAN),
    "cos": (ONE, ONE, NAN, NAN), "tan": (P0, N0, NAN, NAN), "sinh": (P0, N0, INF, MINUS_INF),
    "cosh": (ONE, ONE, INF, INF), "tanh": (P0, N0, ONE, number(Fraction(-1))),
    "ceil": (P0, N0, INF, MINUS_INF), "floor": (P0, N0, INF, MINUS_INF),
}


def through_f32(kind, value):
    """What f16 and bf16 are computed in."""
    if kind in ("f16", "bf16"):
        value = decode("f32", from_value("f32", value)) if value[0] == "number" else value
    return from_value(kind, value)


def fraction_of(d):
    return Fraction(d)


def function(op, kind, ftz, code):
    if ftz:
        code = flush(kind, code)
    value = decode(kind, code)
    if value[0] == "nan":
        return NANS.get(kind, "nan")
    if value[0] == "inf" or value[2] == 0:
        result = SPECIAL[op][2 * (value[0] == "inf") + value[1]]
    elif op in ("ceil", "floor"):
        exact = signed_fraction(value)
        whole = -(-exact // 1) if op == "ceil" else exact // 1
        result = number(Fraction(whole), value[1])
    elif op in ("log", "log2", "rsqrt") and value[1]:
        result = NAN
    else:
        result = number(fraction_of(FUNCTIONS[op](decimal(signed_fraction(value)))))
    out = through_f32(kind, result)
    return flush(kind, out) if ftz else out


def remainder(kind, a, b):
    if "nan" in (a[0], b[0]) or a[0] == "inf" or (b[0] == "number" and b[2] == 0):
        return NANS.get(kind, "nan")
    if b[0] == "inf":
        return from_value(kind, a)
    return from_value(kind, ("number", a[1], a[2] - (a[2] // b[2]) * b[2]))


def power(kind, a, n):
    """Of an integer exponent."""
    if a[0] != "number":
        return None
    if a[2] == 0 and n < 0:
        return infinity(kind, a[1] and n % 2)
    if a[2] == 0:
        return from_value(kind, ONE if n == 0 else number(Fraction(0), a[1] and n % 2))
    return through_f32(kind, number(signed_fraction(a) ** n))


def choose(kind, larger, propagates, ftz, x, y):
    if ftz:
        x, y = flush(kind, x), flush(kind, y)
    a, b = decode(kind, x), decode(kind, y)
    nans = [v[0] == "nan" for v in (a, b)]
    if any(nans):
        return NANS.get(kind, "nan") if all(nans) or propagates else y if nans[0] else x

    def key(v):  # minus zero is below zero
        if v[0] == "inf":
            return (-2 if v[1] else 2, 0, 0)
        return (0, signed_fraction(v), -v[1])

    return x if (key(a) >= key(b)) == larger or key(a) == key(b) else y


def compare(kind, predicate, ordered, x, y):
    a, b = decode(kind, x), decode(kind, y)
    if "nan" in (a[0], b[0]):
        return int(not ordered)
    big = Fraction(2) ** 5000
    p, q = ((-big if v[1] else big) if v[0] == "inf" else signed_fraction(v) for v in (a, b))
    return int([p == q, p != q, p < q, p <= q, p > q, p >= q][predicate])


# --- integers


def signed(code, bits):
    return code - (1 << bits) if code >> (bits - 1) else code


def wrapping(op, bits, overflow, x, y):
    f = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b}[op]
    exact, positive = f(signed(x, bits), signed(y, bits)), f(x, y)
    if overflow & 1 and not -(1 << bits - 1) <= exact < 1 << bits - 1:
        return "!Overflow"
    if overflow & 2 and not 0 <= positive < 1 << bits:
        return "!Overflow"
    return positive % (1 << bits)


def shift_left(bits, overflow, x, y):
    if y >= bits:
        return "!ShiftCount"
    if overflow & 1 and not -(1 << bits - 1) <= signed(x, bits) << y < 1 << bits - 1:
        return "!Overflow"
    if overflow & 2 and x << y >= 1 << bits:
        return "!Overflow"
    return (x << y) % (1 << bits)


def shift_right(bits, is_signed, x, y):
    if y >= bits:
        return "!ShiftCount"
    return (signed(x, bits) >> y if is_signed else x >> y) % (1 << bits)


def divide(bits, is_signed, mode, x, y):
    if y == 0:
        return "!DivisionByZero"
    a, b = (signed(x, bits), signed(y, bits)) if is_signed else (x, y)
    q = Fraction(a, b)
    whole = q.numerator // q.denominator  # floor
    if mode == UP:
        whole = -(-q.numerator // q.denominator)
    elif mode == ZERO and q < 0:
        whole = -(-q.numerator // q.denominator)
    if is_signed and whole == 1 << bits - 1:
        return "!DivisionOverflow"
    return whole % (1 << bits)


def modulo(bits, is_signed, x, y):
    if y == 0:
        return "!DivisionByZero"
    a, b = (signed(x, bits), signed(y, bits)) if is_signed else (x, y)
    rest = abs(a) % abs(b)
    return (-rest if a < 0 else rest) % (1 << bits)


# --- groups


class Writer:
    def __init__(self, rows, seed):
        self.rows, self.random, self.near = rows, random.Random(seed), random.Random(seed + 1)

    def group(self, op, attributes, operands, result, rows):
        rows = list(rows)
        text = ",".join("-" if a is None else str(int(a)) for a in attributes) or "."
        print(op, text, *operands, "->", result)
        for codes, out in rows:
            print(*(f"{c:x}" for c in codes), out if isinstance(out, str) else f"{out:x}")

    def float_code(self, kind):
        """Special values half of the time, otherwise numbers near 1 or any."""
        e, m, bias, top, has_sign, low = FORMATS[kind]
        sign = self.random.getrandbits(1) << (width(kind) - 1) if has_sign else 0
        if not m:
            return self.random.choice([0, 1, 126, 127, 128, 254, 255])
        one = bias << m
        specials = [0, 1, (1 << m) - 1, 1 << m, one, one + 1, one | 1 << m - 1, largest(kind) >> low,
                    infinity(kind, 0) >> low, (1 << (e + m)) - 1]
        r = self.random.random()
        if r < 0.4:
            code = self.random.choice(specials)
        elif r < 0.85:
            near = bias + self.random.randrange(-min(bias - 1, 12), min(bias, 12))
            code = near << m | self.random.getrandbits(m)
        else:
            code = self.random.getrandbits(e + m)
        return sign | code << low

    def integer_code(self, kind):
        bits = INTEGERS[kind]
        if bits <= 4:
            return self.random.getrandbits(bits)
        top = 1 << bits - 1
        r = self.random.random()
        if r < 0.4:
            return self.random.choice([0, 1, 2, 3, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, bits - 1, bits])
        if r < 0.7:
            return self.random.getrandbits(self.random.randrange(1, bits + 1))
        return self.random.getrandbits(bits)

    def code(self, kind):
        return self.integer_code(kind) if kind in INTEGERS else self.float_code(kind)

    def each(self, kinds, f):
        for _ in range(self.rows):
            codes = tuple(self.code(k) for k in kinds)
            out = f(*codes)
            if out is not None:
                yield codes, out

    def near_smallest(self, op, mode):
        """Operands in f32 whose result is close to the smallest normal number."""
        for _ in range(self.rows):
            x, sign, step = self.near.getrandbits(23), self.near.getrandbits(1) << 31, self.near.randrange(-2, 3)
            one = Fraction(0x800000 + x, 0x800000)
            if op == "mulf":  # (1 + x) / 2 and 2^-125 / (1 + x)
                codes = [0x3F000000 | x, sign | (encode("f32", 0, 1 / one / 2**125) + step)]
            elif op == "divf":
                codes = [sign | (encode("f32", 0, one / 2**126) + step), 0x3F800000 | x]
            else:  # 2^-126 less a part of the last step before it
                parts = Fraction(self.near.choice([1, 2, 3, 4, 5, 6, 8]), 4) / 2**24
                codes = [sign ^ 0x80000000 | (27 << 23), encode("f32", 0, parts / 2**26) + step, sign | 1 << 23]
            yield tuple(codes), arithmetic(op, "f32", mode, 1, codes)

    def floats(self):
        for kind in ("f16", "bf16", "f32", "f64"):
            for mode in (NEAREST, ZERO, DOWN, UP):
                for ftz in (None, 1) if kind == "f32" else (None,):
                    for op, n in ("addf", 2), ("subf", 2), ("mulf", 2), ("divf", 2), ("fma", 3), ("sqrt", 1):
                        self.group(op, (ftz, mode), [kind] * n, kind, self.each(
                            [kind] * n, lambda *c: arithmetic(op, kind, mode, ftz, c)))
            if kind == "f32":
                for mode in (NEAREST, ZERO, DOWN, UP):
                    for op, n in ("mulf", 2), ("divf", 2), ("fma", 3):
                        self.group(op, (1, mode), [kind] * n, kind, self.near_smallest(op, mode))
            for op, attributes in (("ceil", ()), ("floor", ()), ("exp", (FULL,)), ("exp2", (None,)), ("log", ()),
                                   ("log2", ()), ("rsqrt", (None,)), ("sin", ()), ("cos", ()), ("tan", ()),
                                   ("sinh", ()), ("cosh", ()), ("tanh", (FULL,))):
                self.group(op, attributes, [kind], kind, (
                    (c, out) for c, out in self.each([kind], lambda x: self.bounded(op, kind, None, x))))
            for larger, op in (True, "maxf"), (False, "minf"):
                for propagates in None, 1:
                    for ftz in (None, 1) if kind == "f32" else (None,):
                        self.group(op, (propagates, ftz), [kind] * 2, kind, self.each(
                            [kind] * 2, lambda x, y: choose(kind, larger, propagates, ftz, x, y)))
            for predicate in range(6):
                for ordered in 0, 1:
                    self.group("cmpf", (predicate, ordered), [kind] * 2, "i1", self.each(
                        [kind] * 2, lambda x, y: compare(kind, predicate, ordered, x, y)))
            self.group("absf", (), [kind], kind, self.each(
                [kind], lambda x: x & ~(1 << width(kind) - 1)))
            self.group("negf", (), [kind], kind, self.each(
                [kind], lambda x: x ^ 1 << width(kind) - 1))
            self.group("remf", (), [kind] * 2, kind, self.each(
                [kind] * 2, lambda x, y: remainder(kind, decode(kind, x), decode(kind, y))))
            self.group("fpowi", (), [kind, "i8"], kind, self.each(
                [kind, "i8"], lambda x, n: power(kind, decode(kind, x), signed(n, 8) % 16 - 8)
                if signed(n, 8) == signed(n, 8) % 16 - 8 else None))
            self.group("pow", (), [kind] * 2, kind, self.each([kind] * 2, lambda x, y: self.real_power(kind, x, y)))
            self.group("atan2", (), [kind] * 2, kind, self.each([kind] * 2, lambda y, x: self.angle(kind, y, x)))
        for op in "exp2", "rsqrt":
            self.group(op, (1,), ["f32"], "f32", self.each(["f32"], lambda x: self.bounded(op, "f32", 1, x)))

    @staticmethod
    def bounded(op, kind, ftz, x):
        """Arguments whose results a series reaches; a sine of 2^900 takes more digits than there are here."""
        v = decode(kind, x)
        large = {"sin": 2**40, "cos": 2**40, "tan": 2**40}.get(op, 700)
        if v[0] == "number" and v[2] and op not in ("ceil", "floor", "log", "log2", "rsqrt"):
            if v[2] > large or v[2] < Fraction(1, 2**60):
                return None
        return function(op, kind, ftz, x)

    @staticmethod
    def real_power(kind, x, y):
        a, b = decode(kind, x), decode(kind, y)
        if a[0] != "number" or b[0] != "number" or a[1] or a[2] == 0 or a[2] == 1 or b[2] == 0:
            return None
        log = decimal(a[2]).ln() * decimal(signed_fraction(b))
        if abs(log) > 700 or abs(log) < Decimal(2) ** -60:
            return None
        return through_f32(kind, number(fraction_of(log.exp())))

    @staticmethod
    def angle(kind, y, x):
        a, b = decode(kind, y), decode(kind, x)
        if a[0] != "number" or b[0] != "number" or a[2] == 0 or b[2] == 0:
            return None
        ratio = a[2] / b[2]
        if not Fraction(1, 2**60) < ratio < 2**60:
            return None
        return through_f32(kind, number(fraction_of(
            arc_tangent_2(decimal(signed_fraction(a)), decimal(signed_fraction(b))))))

    def integers(self):
        for kind in ("i1", "i8", "i16", "i32", "i64"):
            bits = INTEGERS[kind]
            two = [kind] * 2
            for op in "addi", "subi", "muli":
                for overflow in range(4):
                    self.group(op, (overflow,), two, kind, self.each(
                        two, lambda x, y: wrapping(op, bits, overflow, x, y)))
            for overflow in range(4):
                self.group("shli", (overflow,), two, kind, self.each(
                    two, lambda x, y: shift_left(bits, overflow, x, y)))
            for overflow in 0, 1:
                self.group("negi", (overflow,), [kind], kind, self.each(
                    [kind], lambda x: "!Overflow" if overflow and x == 1 << bits - 1 else -x % (1 << bits)))
            self.group("absi", (), [kind], kind, self.each([kind], lambda x: abs(signed(x, bits)) % (1 << bits)))
            self.group("mulhii", (), two, kind, self.each(two, lambda x, y: x * y >> bits))
            for op, f in ("andi", int.__and__), ("ori", int.__or__), ("xori", int.__xor__):
                self.group(op, (), two, kind, self.each(two, f))
            for is_signed in 0, 1:
                for mode in (ZERO, UP) + ((DOWN,) if is_signed else ()):
                    self.group("divi", (is_signed, mode), two, kind, self.each(
                        two, lambda x, y: divide(bits, is_signed, mode, x, y)))
                self.group("remi", (is_signed,), two, kind, self.each(
                    two, lambda x, y: modulo(bits, is_signed, x, y)))
                self.group("shri", (is_signed,), two, kind, self.each(
                    two, lambda x, y: shift_right(bits, is_signed, x, y)))
                key = (lambda c: signed(c, bits)) if is_signed else (lambda c: c)
                self.group("maxi", (is_signed,), two, kind, self.each(two, lambda x, y: max(x, y, key=key)))
                self.group("mini", (is_signed,), two, kind, self.each(two, lambda x, y: min(x, y, key=key)))
                for predicate in range(6):
                    self.group("cmpi", (predicate, is_signed), two, "i1", self.each(two, lambda x, y: int([
                        key(x) == key(y), key(x) != key(y), key(x) < key(y), key(x) <= key(y), key(x) > key(y),
                        key(x) >= key(y)][predicate])))
            self.group("select", (), ["i1", kind, kind], kind, self.each(
                ["i1", kind, kind], lambda c, x, y: x if c else y))

    def conversions(self):
        for source in INTEGERS:
            for to in INTEGERS:
                a, b = INTEGERS[source], INTEGERS[to]
                if b > a:
                    for is_signed in 0, 1:
                        self.group("exti", (is_signed,), [source], to, self.each(
                            [source], lambda x: (signed(x, a) if is_signed else x) % (1 << b)))
                if b < a:
                    for overflow in range(4):
                        self.group("trunci", (overflow,), [source], to, self.each(
                            [source], lambda x: self.truncate(a, b, overflow, x)))
        for source in FORMATS:
            for to in FORMATS:
                if source == to:
                    continue
                modes = (ZERO, UP) if to == "f8E8M0FNU" else (NEAREST, ZERO, DOWN, UP, AWAY)
                for mode in modes:
                    rows = self.each([source], lambda x: from_value(to, decode(source, x), mode))
                    small = width(source) <= 8 and to == "f32" and mode == NEAREST
                    if small:  # all codes
                        rows = (((c,), from_value(to, decode(source, c))) for c in range(1 << width(source)))
                    self.group("ftof", (mode,), [source], to, rows)
        for source in FORMATS:
            for to in ("i1", "i8", "i16", "i32", "i64"):
                for is_signed in 0, 1:
                    for saturates in None, 1:
                        self.group("ftoi", (saturates, is_signed, TO_ZERO), [source], to, self.each(
                            [source], lambda x: self.to_integer(decode(source, x), INTEGERS[to], is_signed, saturates)))
        for source in ("i1", "i8", "i16", "i32", "i64"):
            for to in FORMATS:
                if to == "f8E8M0FNU":
                    continue
                for is_signed in 0, 1:
                    self.group("itof", (is_signed, NEAREST), [source], to, self.each([source], lambda x: from_value(
                        to, number(Fraction(signed(x, INTEGERS[source]) if is_signed else x)))))

    @staticmethod
    def truncate(a, b, overflow, x):
        kept = x % (1 << b)
        if (overflow & 1 and signed(kept, b) != signed(x, a)) or (overflow & 2 and kept != x):
            return "!Overflow"
        return kept

    @staticmethod
    def to_integer(value, bits, is_signed, saturates):
        if bits == 1 and not is_signed:  # to bool: cuTile Python's test_array_astype
            return int(value[0] != "number" or value[2] != 0)
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        if value[0] == "number":
            whole = value[2].numerator // value[2].denominator * (-1 if value[1] else 1)
            if low <= whole <= high:
                return whole % (1 << bits)
        if not saturates:
            return "!FloatToInteger"
        if value[0] == "nan":
            return 0
        return (low if value[1] else high) % (1 << bits)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=8, help="of each group (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    writer = Writer(arguments.rows, arguments.seed)
    writer.floats()
    writer.integers()
    writer.conversions()


if __name__ == "__main__":
    main()
