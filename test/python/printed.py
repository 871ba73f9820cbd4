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

    def test_an_edit_is_followed(self):
        """What the room lower infers is its own test's; here, that it is asked, and that what is printed needs no more of it."""
        edited = """func.func @f() -> !cute.shape<"(8,4)"> {
  %a = "cute.static"() : () -> !cute.layout<"(16,4):(1,16)">
  %s = "cute.get_shape"(%a) : (!cute.layout<"(8,4):(1,8)">) -> !cute.shape<"(8,4)">
  return %s : !cute.shape<"(8,4)">
}"""
        self.assertRaises(tessera.Error, tessera.ir, edited)
        printed = tessera.ir(edited, reinfer=True)
        self.assertIn('!cute.shape<"(16,4)">', printed)
        self.assertNotIn("(8,4)", printed)
        self.assertEqual(tessera.ir(printed), printed)


if __name__ == "__main__":
    unittest.main()
