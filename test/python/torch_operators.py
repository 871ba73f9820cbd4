"""torch.ops.tessera: numbers on the simulator, shapes without data, what a trace of torch keeps, refusals. Expected values are torch's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
import unittest

try:
    import torch
except ImportError as error:
    print(f"torch cannot be imported ({error}; Debian: python3-torch), so its operators are not tested")
    sys.exit(77)
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import tessera.torch


class Operators(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.a, self.b = torch.randn(40, 64).half(), torch.randn(72, 64).half()
        self.q, self.k = torch.randn(1, 70, 2, 64).bfloat16(), torch.randn(1, 90, 1, 64).bfloat16()

    def test_gemm(self):
        d = torch.ops.tessera.gemm(self.a, self.b, dtype=torch.float32)
        torch.testing.assert_close(d, self.a.float() @ self.b.float().T, rtol=1e-5, atol=1e-4)
        self.assertEqual(torch.ops.tessera.gemm(self.a, self.b).dtype, torch.half)

    def test_many_products(self):
        b = torch.randn(3, 72, 64).half()
        batches = torch.randn(3, 20, 64).half()
        torch.testing.assert_close(torch.ops.tessera.gemm(batches, b, dtype=torch.float32), batches.float() @ b.float().transpose(1, 2), rtol=1e-5, atol=1e-4)
        starts = torch.tensor([0, 7, 7, 40], dtype=torch.int32)
        grouped = torch.ops.tessera.gemm(self.a, b, dtype=torch.float32, starts=starts)
        expected = torch.cat([self.a[:7].float() @ b[0].float().T, self.a[7:].float() @ b[2].float().T])
        torch.testing.assert_close(grouped, expected, rtol=1e-5, atol=1e-4)

    def test_attention(self):
        got = torch.ops.tessera.attention(self.q, self.k, self.k, causal=True, window=30)
        q, k = self.q[0].double().transpose(0, 1), self.k[0].double().transpose(0, 1)
        scores = q @ k.transpose(1, 2) / 8
        away = torch.arange(90)[None] - torch.arange(70)[:, None] - 20
        expected = (scores.masked_fill((away > 0) | (away < -30), -torch.inf).softmax(-1) @ k).transpose(0, 1)[None]
        away = (got.double() - expected).norm(dim=-1) / expected.norm(dim=-1)
        self.assertLess(away.max(), 1e-2)

    def test_shapes_without_data(self):
        with FakeTensorMode():
            x, q, v = torch.empty(5, 64).half(), torch.empty(2, 9, 4, 192).half(), torch.empty(2, 30, 2, 128).half()
            d, o = torch.ops.tessera.gemm(x, x, dtype=torch.float32), torch.ops.tessera.attention(q, torch.empty(2, 30, 2, 192).half(), v)
        self.assertEqual((d.shape, d.dtype, d.device.type), ((5, 5), torch.float32, "cpu"))
        self.assertEqual((o.shape, o.dtype), ((2, 9, 4, 128), torch.half))
        self.assertEqual(torch.ops.tessera.gemm(self.a.to("meta"), self.b.to("meta")).shape, (40, 72))

    def test_a_trace_keeps_them(self):
        def model(a, b):
            return torch.relu(torch.ops.tessera.gemm(a, b, dtype=torch.float32))

        traced = make_fx(model, tracing_mode="fake")(self.a, self.b)
        self.assertIn("torch.ops.tessera.gemm.default", traced.code)
        torch.testing.assert_close(traced(self.a, self.b), model(self.a, self.b))

    @unittest.skipUnless(hasattr(torch, "compile"), "torch.compile came with torch 2")
    def test_compile_keeps_them(self):
        def model(a, b):
            return torch.relu(torch.ops.tessera.gemm(a, b, dtype=torch.float32)) + 1

        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(self.a, self.b), model(self.a, self.b))

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, r"A of \(m, k\) and B of \(n, k\)"):
            torch.ops.tessera.gemm(self.a, self.b[:, :32])
        with self.assertRaisesRegex(RuntimeError, "tessera::gemm has no backward"):
            torch.ops.tessera.gemm(self.a.requires_grad_(), self.b)
        with torch.no_grad():
            torch.ops.tessera.gemm(self.a, self.b)
        with self.assertRaises(tessera.Error) as refused:
            torch.ops.tessera.attention(self.q.float(), self.k.float(), self.k.float())
        self.assertEqual(refused.exception.id, "AttentionElement")


if __name__ == "__main__":
    unittest.main()
