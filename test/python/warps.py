"""Products and attention for other targets than Hopper, from Python on the simulator. Expected values are numpy's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import numpy as np
import tessera


class Warps(unittest.TestCase):
    def test_gemm(self):
        """Rows of D begin at multiples of 16 bytes: what lies between them stays as it was. The target is the call's, or a GPU's."""
        random = np.random.default_rng(0)
        for arch, groups, m, n, k, pitch in (("sm_80", None, 37, 41, 24, 48), ("sm_75", None, 130, 3, 40, 8), ("sm_89", "batches", 20, 70, 16, 72), ("sm_100a", None, 300, 520, 64, 528),
                                             ("sm_103a", "batches", 20, 72, 64, 80)):
            with self.subTest(arch=arch):
                many = (2,) if groups else ()
                a, b = (random.integers(-4, 5, (*many, *shape)).astype(np.float16) for shape in ((m, k), (n, k)))
                whole = np.full((*many, m, pitch), 7, np.float32)
                tessera.gemm(m, n, k, "f16", "f32", groups=groups, arch=arch, device="sim")(a, b, whole[..., :n])
                np.testing.assert_array_equal(whole[..., :n], a.astype(np.float32) @ np.swapaxes(b, -1, -2).astype(np.float32))
                self.assertTrue((whole[..., n:] == 7).all())
        with self.assertRaisesRegex(tessera.Error, "expects sm_80 or later for A and B of bf16, but got sm_75"):
            tessera.gemm(64, 64, 64, "bf16", "f32", arch="sm_75", device="sim")

    def test_groups(self):
        """Rows that do not count stay as they were; a group may have none, or more than a tile."""
        random = np.random.default_rng(0)
        counts, rows, n, k = np.array([3, 0, 130], np.int32), 140, 72, 64
        starts = np.array([0, 3, 3, 133], np.int32)
        b = random.integers(-4, 5, (3, n, k)).astype(np.float16)
        for arch in ("sm_75", "sm_80"):
            for groups, shape, bounds in (("masked", (3, rows), counts), ("contiguous", (133,), starts)):
                a, d = random.integers(-4, 5, (*shape, k)).astype(np.float16), np.full((*shape, n), 7, np.float32)
                tessera.gemm(rows, n, k, "f16", "f32", groups=groups, device="sim", arch=arch)(a, b, d, bounds)
                expected = np.full_like(d, 7)
                for g in range(3):
                    of = slice(starts[g], starts[g + 1]) if groups == "contiguous" else (g, slice(counts[g]))
                    expected[of] = a[of].astype(np.float32) @ b[g].astype(np.float32).T
                np.testing.assert_array_equal(d, expected, f"{arch} {groups}")

    def test_weights_of_4_bits(self):
        random = np.random.default_rng(0)
        m, n, k, group = 5, 72, 256, 64
        a, numbers = random.integers(-2, 3, (m, k)).astype(np.float16), random.integers(-8, 8, (n, k))
        codes = (numbers & 15).astype(np.uint8)
        scales = (2.0 ** random.integers(-2, 3, (n, k // group))).astype(np.float16)
        expected = a.astype(np.float32) @ (numbers * np.repeat(scales.astype(np.float32), group, 1)).T
        for arch in ("sm_75", "sm_80", "sm_120a", "sm_100a"):
            d = np.zeros((m, n), np.float32)
            tessera.gemm(m, n, k, a="f16", b="i4", d="f32", group_scales=group, device="sim", arch=arch)(a, codes[:, ::2] | codes[:, 1::2] << 4, d, scales)
            np.testing.assert_array_equal(d, expected, arch)

    def test_attention_of_few_queries(self):
        """Keys in one piece, of each batch's own number, and in pages; many heads of K take one block each, few share the keys by a workspace."""
        random = np.random.default_rng(0)

        def expected(q, k, v):
            q, k, v = (x.astype(np.float64) for x in (q, np.repeat(k, q.shape[1] // k.shape[1], 1), np.repeat(v, q.shape[1] // k.shape[1], 1)))
            powers = np.exp(np.einsum("qhd,khd->hqk", q, k) * q.shape[-1]**-0.5)
            return np.einsum("hqk,khd->qhd", powers / powers.sum(-1, keepdims=True), v)

        for arch, batch, ofK in (("sm_80", 2, 2), ("sm_75", 1, 1), ("sm_89", 2, 70), ("sm_120a", 1, 3), ("sm_100a", 1, 2)):
            with self.subTest(arch=arch):
                q, k, v = (random.standard_normal((batch, n, h, 64)).astype(np.float16) for n, h in ((2, 2 * ofK), (100, ofK), (100, ofK)))
                lengths = np.array([100, 37][:batch], np.int32)
                pages = random.permutation(7 * batch).reshape(batch, 7).astype(np.int32)
                cache = [np.zeros((7 * batch, 16, ofK, 64), np.float16) for _ in range(2)]
                for whole, paged in zip((k, v), cache):
                    for i in range(batch):
                        for key in range(lengths[i]):
                            paged[pages[i, key // 16], key % 16] = whole[i, key]
                for given, counts in (((k, v), {}), ((k, v), {"lengths": lengths}), (cache, {"lengths": lengths, "pages": pages})):
                    o = tessera.attention(q, *given, arch=arch, device="sim", sanitize=True, **counts)
                    for i in range(batch):
                        n = lengths[i] if counts else 100
                        away = np.linalg.norm(o[i] - expected(q[i], k[i, :n], v[i, :n]), axis=-1)
                        self.assertLess(away.max(), 4e-3)

    def test_eight_bits(self):
        """Factors that are powers of two leave sums exact; of attention P has 4 bits, so that each row may be 5 % of its norm away."""
        random = np.random.default_rng(0)
        codes = np.array([0xC0, 0xB8, 0x00, 0x38, 0x40], np.uint8)  # -2 ... 2 of f8E4M3FN
        m, n, k = 70, 136, 272
        a, b = random.integers(-2, 3, (m, k)), random.integers(-2, 3, (n, k))
        factors = [(2.0 ** random.integers(-2, 3, shape)).astype(np.float32) for shape in ((m, 3), (2, 3))]
        wide = [np.repeat(factors[0], 128, 1)[:, :k], np.repeat(np.repeat(factors[1], 128, 1), 128, 0)[:n, :k]]
        q, kv = random.integers(-2, 3, (1, 40, 2, 64)), random.integers(-2, 3, (1, 90, 1, 64))
        scores = np.einsum("qhd,kd->hqk", q[0], kv[0, :, 0]) / 8
        p = np.exp(scores - scores.max(-1, keepdims=True))
        o = np.einsum("hqk,kd->qhd", p / p.sum(-1, keepdims=True), kv[0, :, 0])
        for arch in ("sm_89", "sm_120a", "sm_100a"):
            with self.subTest(arch=arch):
                d = np.zeros((m, n), np.float32)
                tessera.gemm(m, n, k, "f8E4M3FN", "f32", block_scales=True, arch=arch, device="sim")(codes[a + 2], codes[b + 2], d, *factors)
                np.testing.assert_array_equal(d, (a * wide[0]) @ (b * wide[1]).T)
                if arch == "sm_100a":  # no attention of 8 bits
                    continue
                ones = [np.ones((1, heads), np.float32) for heads in (2, 1, 1)]
                found = tessera.attention(codes[q + 2], *[codes[kv + 2]] * 2, scales=ones, arch=arch, device="sim")[0]
                away = np.linalg.norm(found - o, axis=-1) / np.linalg.norm(o, axis=-1)
                self.assertLess(away.max(), 5e-2)

    def test_rows(self):
        """A target before sm_90 gets a launch that does not begin early."""
        x = np.random.default_rng(0).standard_normal((3, 200)).astype(np.float32)
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        for arch in ("sm_80", "sm_90a"):
            with self.subTest(arch=arch):
                y = np.zeros_like(x)
                tessera.rows("softmax", 256, "f32", arch=arch, device="sim")(x, y)
                np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
