"""What import-derefine.mlir must have stored: an element of a derefined tensor, its size, and where a derefined coordinate tensor begins."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

given, found = (np.load(name) for name in sys.argv[1:])
expected = [given[3, 2], 8 * 4, 8, 2]
assert found.tolist() == expected, (found.tolist(), expected)
