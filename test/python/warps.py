"""Products for targets where warps multiply (mma.sync), from Python on the simulator. Expected values are numpy's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import numpy as np
import tessera


class Warps(unittest.TestCase):
    def test_gemm(self):
        """Rows of D begin at multiples of 16 bytes: what lies between them stays as it was. The target is the call's, or a GPU's."""
        random = np.random.default_rng(0)
        for arch, groups, m, n, k, pitch in (("sm_80", None, 37, 41, 24, 48), ("sm_75", None, 130, 3, 40, 8), ("sm_89", "batches", 20, 70, 16, 72)):
            with self.subTest(arch=arch):
                many = (2,) if groups else ()
                a, b = (random.integers(-4, 5, (*many, *shape)).astype(np.float16) for shape in ((m, k), (n, k)))
                whole = np.full((*many, m, pitch), 7, np.float32)
                tessera.gemm(m, n, k, "f16", "f32", groups=groups, arch=arch, device="sim")(a, b, whole[..., :n])
                np.testing.assert_array_equal(whole[..., :n], a.astype(np.float32) @ np.swapaxes(b, -1, -2).astype(np.float32))
                self.assertTrue((whole[..., n:] == 7).all())
        with self.assertRaisesRegex(tessera.Error, "expects sm_80 or later for A and B of bf16, but got sm_75"):
            tessera.gemm(64, 64, 64, "bf16", "f32", arch="sm_75", device="sim")


if __name__ == "__main__":
    unittest.main()
