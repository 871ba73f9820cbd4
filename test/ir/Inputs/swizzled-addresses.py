"""What apply-swizzle.mlir must have stored, by the definition of a swizzle S<B,M,S>: bits M+S to M+S+B are added, without carries, to bits M to M+B."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np


def swizzled(address, bits, base, shift):
    return address ^ (address >> shift & ((1 << bits) - 1) << base)


i = np.arange(128)
expected = [swizzled(16 * i, 3, 4, 3), swizzled(64 + 64 * i, 2, 4, 3), swizzled(16 * i, 1, 4, 3)]
stored = np.load(sys.argv[1])
assert (stored == expected).all(), stored
