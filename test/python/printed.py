"""IR and code as texts: what is printed is read again, and what the device loaded is there."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import tessera
from calls import TWICE, loads


class Printed(unittest.TestCase):
    def test_ir_and_code(self):
        printed = tessera.ir(TWICE)
        self.assertEqual(tessera.ir(printed), printed)
        (ptx,) = loads(printed).code
        self.assertIn(".visible .entry twice", ptx)
        with self.assertRaisesRegex(tessera.Error, "has no IR"):
            tessera.ir(ptx, "k.ptx")
        with self.assertRaisesRegex(tessera.Error, "cut.mlir:1:"):
            tessera.ir("func.func @f() {", "cut.mlir")
        self.assertRaises(TypeError, tessera.ir, 5)


if __name__ == "__main__":
    unittest.main()
