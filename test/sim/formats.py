"""Numbers as tessera reads and writes them in .npy: bf16, f16, formats of 8 bits."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

# Codes of -2 ... 2 in the 8-bit formats: sign, exponent (bias 7 or 15), mantissa.
NARROW = {"f8E4M3FN": [0xC0, 0xB8, 0x00, 0x38, 0x40], "f8E5M2": [0xC0, 0xBC, 0x00, 0x3C, 0x40]}


def stored(values, dtype):
    """The numbers as tessera reads them from a .npy: bf16 is the upper half of f32, 8-bit formats are codes."""
    if dtype in NARROW:
        return np.array(NARROW[dtype], np.uint8)[values + 2]
    if dtype == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(np.float16)


def rounded(values, dtype):
    """f32 as the nearest f16, or bf16 with ties to even, as f32; f32 itself."""
    if dtype == "f32":
        return values
    if dtype == "f16":
        return values.astype(np.float16)
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def e4m3():
    """The numbers of f8E4M3FN's codes, by the OCP's specification: a sign, 4 bits of exponent with bias 7, 3 of mantissa; S.1111.111 is NaN."""
    codes = np.arange(256)
    exponent, mantissa = codes >> 3 & 15, codes & 7
    numbers = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    return np.where(codes & 127 == 127, np.nan, np.where(codes & 128, -numbers, numbers))


def narrowed(values):
    """Codes of f8E4M3FN near these numbers."""
    numbers = e4m3()[:127]
    above = np.searchsorted(numbers, np.abs(values)).clip(1, 126)
    nearest = above - (np.abs(values) - numbers[above - 1] < numbers[above] - np.abs(values))
    return (nearest | np.where(values < 0, 128, 0)).astype(np.uint8)


def stored_exactly(values, dtype):
    """Numbers of f32 as tessera writes them to a .npy."""
    values = rounded(values, dtype)
    return (values.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bf16" else values.astype(np.float16) if dtype == "f16" else values
