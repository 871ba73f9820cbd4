"""Ready kernels whose results have no elements: numpy's shapes, and nothing is written. What has no answer is a sentence."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import unittest

import numpy as np
import tessera

F16, F32 = np.float16, np.float32


class Empty(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["TESSERA_CACHE_DIR"] = ""

    def runs(self, kernel, *arguments):
        with self.subTest([getattr(one, "shape", one) for one in arguments]):
            kernel(*arguments)

    def product(self, kernel, m, n, k, *more):
        self.runs(kernel, np.ones((m, k), F16), np.ones((n, k), F16), np.empty((m, n), F16), *more)

    def test_products(self):
        for planned in (128, 1):  # the second for D of few rows, another kernel
            kernel = tessera.gemm(planned, 128, 64, ab="f16", d="f16", device="sim")
            for m, n, k in ((0, 64, 64), (64, 0, 64), (0, 0, 64), (0, 64, 0), (0, 0, 0)):
                self.product(kernel, m, n, k)
            d = np.zeros((16, 24), F16)
            kernel(np.ones((16, 64), F16), np.ones((24, 64), F16), d)
            self.assertEqual(set(d.flat), {64})  # the same kernel

    def test_many_products(self):
        kernel = tessera.gemm(64, 64, 64, ab="f16", d="f16", device="sim", groups="batches")
        for many, m, n in ((0, 64, 64), (2, 0, 64), (2, 64, 0)):
            self.runs(kernel, np.ones((many, m, 64), F16), np.ones((many, n, 64), F16), np.empty((many, m, n), F16))
        masked = tessera.gemm(64, 64, 64, ab="f16", d="f16", device="sim", groups="masked")
        self.runs(masked, np.ones((0, 64, 64), F16), np.ones((0, 64, 64), F16), np.empty((0, 64, 64), F16), np.empty(0, np.int32))
        groups = tessera.gemm(64, 64, 64, ab="f16", d="f16", device="sim", groups="contiguous")
        self.runs(groups, np.ones((0, 64), F16), np.ones((2, 64, 64), F16), np.empty((0, 64), F16), np.zeros(3, np.int32))
        d = np.full((64, 64), 7, F16)  # rows of no group stay as they are
        groups(np.ones((64, 64), F16), np.ones((0, 64, 64), F16), d, np.zeros(1, np.int32))
        self.assertEqual(set(d.flat), {7})
        groups(np.ones((64, 64), F16), np.ones((2, 64, 64), F16), d, np.array([0, 0, 64], np.int32))  # the first has none
        self.assertEqual(set(d.flat), {64})

    def test_weights(self):
        for b, packed in (("i4", 2), ("f8E4M3FN", 1)):
            kernel = tessera.gemm(64, 128, 128, a="f16", b=b, d="f16", device="sim", group_scales=64)
            for m, n in ((0, 64), (64, 0)):
                self.runs(kernel, np.ones((m, 64), F16), np.zeros((n, 64 // packed), np.uint8), np.empty((m, n), F16), np.ones((n, 1), F16))

    def test_attention(self):
        for batch, heads, queries in ((0, 2, 64), (1, 0, 64), (1, 2, 0)):
            q, k = np.ones((batch, queries, heads, 64), F16), np.ones((batch, 64, heads, 64), F16)
            self.assertEqual(tessera.attention(q, k, k, device="sim").shape, q.shape)

    def test_no_heads_to_share(self):
        """What divides is looked at first: the process ended here."""
        with self.assertRaisesRegex(tessera.Error, "expects the heads of Q to be a multiple of those of K and V"):
            tessera.attention(np.ones((1, 64, 2, 64), F16), *2 * [np.ones((1, 64, 0, 64), F16)], device="sim")

    def test_rows(self):
        of = {"columns": 64, "element": "f32", "result": "f32", "device": "sim"}
        softmax = tessera.rows("softmax", **of)
        self.runs(softmax, np.ones((0, 64), F32), np.empty((0, 64), F32))
        self.runs(tessera.rows("rmsnorm", **of), np.ones((0, 64), F32), np.ones(64, F32), np.empty((0, 64), F32), 0.1)
        for shape in ((0, 8), (8, 0)):
            self.runs(tessera.rows("transpose", **of), np.ones(shape, F32), np.empty(shape[::-1], F32))
        with self.assertRaisesRegex(tessera.Error, "expects at least one column"):
            softmax(np.ones((4, 0), F32), np.empty((4, 0), F32))
        with self.assertRaisesRegex(tessera.Error, "expects y: columns x rows"):
            tessera.rows("transpose", **of)(np.ones((0, 8), F32), np.empty((0, 8), F32))


if __name__ == "__main__":
    unittest.main()
